// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "socket_access.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>

#define NAME_SIZE   64
#define RECORD_SIZE 4096

// Names are only for people: a number will do if there is no name.
static void user_name(uid_t uid, char name[NAME_SIZE])
{
    char buffer[RECORD_SIZE];
    struct passwd record, *found = NULL;
    if (getpwuid_r(uid, &record, buffer, sizeof(buffer), &found) == 0 && found)
        snprintf(name, NAME_SIZE, "%s", found->pw_name);
    else
        snprintf(name, NAME_SIZE, "%u", (unsigned)uid);
}

static void group_name(gid_t gid, char name[NAME_SIZE])
{
    char buffer[RECORD_SIZE];
    struct group record, *found = NULL;
    if (getgrgid_r(gid, &record, buffer, sizeof(buffer), &found) == 0 && found)
        snprintf(name, NAME_SIZE, "%s", found->gr_name);
    else
        snprintf(name, NAME_SIZE, "%u", (unsigned)gid);
}

#define OPEN_UP "set socket_mode = 0666 in docad.conf (SocketMode= in the unit of its socket)"

void socket_access_advice(const char *path, char *text, size_t size)
{
    char user[NAME_SIZE], group[NAME_SIZE];
    struct stat st;

    if (stat(path, &st) < 0) {
        snprintf(text, size,
                 "this user may not look into the socket's directory; ask whoever runs docad");
        return;
    }
    user_name(st.st_uid, user);
    group_name(st.st_gid, group);
    // Nobody should join root's group for this.
    if (st.st_mode & S_IWGRP && st.st_gid != 0)
        snprintf(text, size,
                 "it is for user %s and group %s: join the group (usermod -aG %s USER, and log in "
                 "again); to let everybody in, " OPEN_UP,
                 user, group, group);
    else
        snprintf(text, size, "it is for user %s alone; to let everybody in, " OPEN_UP, user);
}
