// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Raw sessions of several users in one test process: root connects as each of them.

#ifndef INTEGRATION_USERS_H
#define INTEGRATION_USERS_H

#include "protocol.h"

#define USER_A     64010  // does its worst
#define USER_B     64011  // is to be served
#define USER_SUB   700000 // the first of USER_A's subordinate uids
#define USERS_SUBS 1000
#define USER_INNER 900000 // one of the subordinate uids of USER_SUB

// Starts a daemon that lets everybody in and knows USER_A's subordinate uids. `limits` are options
// of the limits section, `more` is further configuration.
struct daemon *users_daemon(const struct daemon_options *options, const char *limits,
                            const char *more);

// From now on this process connects as that user; 0: as root.
void users_be(uid_t uid);

struct raw_session session_of(const struct daemon *daemon, uid_t uid);

#endif
