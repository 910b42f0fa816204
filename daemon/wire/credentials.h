// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The identity of a process, as the kernel reports it: its user and all of its groups. account.h
// has the account that it is charged to.
//
// Only what the kernel reports for the process grants rights. A process in a user namespace may
// have dropped groups of its user, or have a subordinate uid: the account and groups of its user
// can only restrict it.

#ifndef DAEMON_CREDENTIALS_H
#define DAEMON_CREDENTIALS_H

#include "errtext.h"
#include "message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CREDENTIALS_GROUPS_MAX 65536 // NGROUPS_MAX of the kernel, without the effective group

// The most groups of a process that messages to linked nodes and records carry: 4,096 requests that
// wait for their answers fit into the output of a link, and a record is small.
#define CREDENTIALS_CARRIED_MAX 512

// A set of groups that does not change, in ascending order.
struct group_set {
    unsigned refs;
    size_t n;
    gid_t ids[];
};

struct credentials {
    uid_t uid;                     // for permissions
    uid_t account;                 // for limits and turns, and to restrict
    struct group_set *groups;      // of the process; NULL: none
    struct group_set *restricting; // of its account; NULL: none
};

// Reads the user of the process at the other end of a Unix socket, without its groups. 0 or -errno.
int credentials_of_socket(int fd, struct credentials *out, pid_t *pid);

// Adds the groups of the same process, and those of its account. 0 or -errno: the groups are not
// known, and the process must be refused.
int credentials_take_groups(struct credentials *who, int fd);

// The bytes that the groups take.
size_t credentials_bytes(const struct credentials *who);

// Makes a copy, which credentials_drop() frees.
struct credentials credentials_copy(const struct credentials *who);
void credentials_drop(struct credentials *who);

// Returns whether the kernel reports the group for the process.
bool credentials_has_group(const struct credentials *who, gid_t gid);

// Returns whether the group is one of the process, or of its account. Only for rules that restrict.
bool credentials_may_have_group(const struct credentials *who, gid_t gid);

// ---- messages --------------------------------------------------------------------------------

// The credentials of a process in messages and records.
struct credentials_carried {
    uint32_t uid;
    const Docad__Account *account; // NULL: the uid is not a subordinate one
    const uint32_t *gids, *account_gids;
    size_t n_gids, n_account_gids;
    bool exact; // `gids` are those of the process; false: an older docad may have added others
};

// Reads the credentials of a process on another node, as that node reports them, or as docad has
// recorded them. 0, -ENOMEM, or -E2BIG for more groups than CREDENTIALS_CARRIED_MAX.
int credentials_of_message(const struct credentials_carried *m, struct credentials *out);

#define CREDENTIALS_CARRIED(m)                                                                     \
    (&(struct credentials_carried){.uid = (m)->uid,                                                \
                                   .account = (m)->account,                                        \
                                   .gids = (m)->gids,                                              \
                                   .n_gids = (m)->n_gids,                                          \
                                   .account_gids = (m)->account_gids,                              \
                                   .n_account_gids = (m)->n_account_gids,                          \
                                   .exact = (m)->exact_gids})

// Fills in a message or a record that has these members; `room` is a buffer for a part of it.
#define CREDENTIALS_PUT(who, m, room)                                                              \
    do {                                                                                           \
        (m)->uid = (who)->uid;                                                                     \
        (m)->account = credentials_account(who, room);                                             \
        (m)->n_gids = credentials_gids((who)->groups, &(m)->gids);                                 \
        (m)->n_account_gids = credentials_gids((who)->restricting, &(m)->account_gids);            \
        (m)->exact_gids = true;                                                                    \
    } while (0)

// Returns the groups as a message takes them, and how many.
size_t credentials_gids(const struct group_set *set, uint32_t **gids);

// Checks that messages can carry all of its groups. Returns DOCA_ERROR_NOT_PERMITTED if there are
// too many: the linked node could not apply its rules.
doca_error_t credentials_check_carried(const struct credentials *who, struct errtext *err);

// The account of credentials in a message; NULL if it is the uid's own.
Docad__Account *credentials_account(const struct credentials *who, Docad__Account *room);

// The credentials of docad itself, without groups.
struct credentials credentials_own(void);

#endif
