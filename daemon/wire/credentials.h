// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The identity of a process, as the kernel reports it: its user and all of its groups.
// account.h says whose account it is on.

#ifndef DAEMON_CREDENTIALS_H
#define DAEMON_CREDENTIALS_H

#include "message.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct credentials {
    uid_t uid;     // for permissions
    uid_t account; // for limits, turns and the policy
    gid_t gids[64];
    size_t n_gids;
};

// The process at the other end of a Unix socket. 0 or -errno.
int credentials_of_socket(int fd, struct credentials *out, pid_t *pid);

// The credentials of a process on another node, as that node reports them; `account` is NULL if the
// uid is subordinate to nobody.
struct credentials credentials_of_message(uint32_t uid, const Docad__Account *account,
                                          const uint32_t *gids, size_t n_gids);

// What a message says about an account: NULL if it is the uid's own.
Docad__Account *credentials_account(const struct credentials *who, Docad__Account *room);

// The credentials of docad itself.
struct credentials credentials_own(void);

#endif
