// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "users.h"

#include "walls.h"

#include <check.h>
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

struct daemon *users_daemon(const struct daemon_options *options, const char *limits,
                            const char *more)
{
    char text[1024];
    struct daemon_options o = *options;

    snprintf(text, sizeof(text), "%d:%d:%d\n%d:%d:1\n", USER_A, USER_SUB, USERS_SUBS, USER_SUB,
             USER_INNER);
    struct path subuids = temp_file("subuid", text);
    snprintf(text, sizeof(text), "subuids = \"%s\"\n%s\nlimits {\n%s\n}\n", subuids.s, more,
             limits);
    struct path config = temp_file("users.conf", text);
    o.config = config.s;
    struct daemon *daemon = daemon_start(&o);
    unlink(config.s); // it has read them
    unlink(subuids.s);
    walls_open_directories();
    daemon_let_everybody_in(daemon);
    return daemon;
}

void users_be(uid_t uid)
{
    ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(setegid(uid), 0);
    ck_assert_int_eq(setgroups(uid ? 0 : 1, &(gid_t){0}), 0);
    ck_assert_int_eq(seteuid(uid), 0);
}

struct raw_session session_of(const struct daemon *daemon, uid_t uid)
{
    users_be(uid);
    struct raw_session session = session_start(daemon);
    users_be(0);
    return session;
}
