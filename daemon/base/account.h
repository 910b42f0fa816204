// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whose account a uid is on. A user may be given ranges of subordinate uids (subuid(5)), which
// processes in the user's namespaces then have. Limits, turns and the policy count such a process
// as its user's. Permission checks do not: the kernel does not let the two trace each other.

#ifndef DAEMON_ACCOUNT_H
#define DAEMON_ACCOUNT_H

#include <stddef.h>
#include <sys/types.h>

#define ACCOUNT_FILE "/etc/subuid"

// Reads the ranges, in place of those that were read before. A file that does not exist has none;
// a line that is not valid is skipped. 0 or -errno; on failure the ranges stay as they are.
int account_load(const char *path);
void account_unload(void);

// The user to whom the uid is subordinate; the uid itself if it is nobody's. A range that belongs
// to a subordinate uid belongs to that one's user.
uid_t account_of(uid_t uid);

// The groups of a user that has subordinate uids, as they were when the ranges were read: a process
// in a user namespace can drop its own. Returns how many.
size_t account_groups(uid_t account, const gid_t **groups);

#endif
