// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The account of a uid. A user may be given ranges of subordinate uids (subuid(5)), which processes
// in the user's namespaces then have. Limits and turns count such a process as its user's, and
// rules that restrict the user restrict it. It has none of the user's rights: the kernel does not
// let the two trace each other.

#ifndef DAEMON_ACCOUNT_H
#define DAEMON_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define ACCOUNT_FILE        "/etc/subuid"
#define ACCOUNT_GROUPS_FILE "/etc/subgid"

// Reads the ranges of uids and the groups of all users that have ranges of uids or of gids, in
// place of those that were read before. A file that does not exist has none; a line that is not
// valid is skipped. 0 or -errno; on failure all stays as it is.
int account_load(const char *subuids, const char *subgids);
void account_unload(void);

// Returns false if no account_load() has succeeded yet.
bool account_is_loaded(void);

// Returns the user to whom the uid is subordinate, or the uid itself. A range that belongs to a
// subordinate uid counts for that uid's user.
uid_t account_of(uid_t uid);

// The groups of a user that has ranges, as they were when the ranges were read: a process in a user
// namespace can drop its own. Returns how many.
size_t account_groups(uid_t account, const gid_t **groups);

#endif
