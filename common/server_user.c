// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "server_user.h"

#include "cleanup.h"

#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define INSTALLED_USER   "docad" // systemd/docad.sysusers
#define OVERFLOW_DEFAULT 65534
#define RECORD_SIZE      4096
#define NAMES_SIZE       1024

bool server_user(int sock, uid_t *uid)
{
    struct ucred cred;
    socklen_t size = sizeof(cred);

    if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0 || cred.uid == (uid_t)-1)
        return false;
    *uid = cred.uid;
    return true;
}

static bool is_named(uid_t uid, const char *name)
{
    char buffer[RECORD_SIZE], *end;
    struct passwd record, *found = NULL;

    unsigned long number = strtoul(name, &end, 10);
    if (*name >= '0' && *name <= '9' && !*end)
        return number == uid;
    return getpwnam_r(name, &record, buffer, sizeof(buffer), &found) == 0 && found &&
           found->pw_uid == uid;
}

static bool is_listed(uid_t uid, const char *list)
{
    char names[NAMES_SIZE], *rest = names, *name;

    if (strlen(list) >= sizeof(names))
        return false;
    strcpy(names, list);
    while ((name = strsep(&rest, ", ")))
        if (*name && is_named(uid, name))
            return true;
    return false;
}

static bool read_numbers(const char *path, unsigned long numbers[], int n)
{
    cleanup_file FILE *file = fopen(path, "re");
    for (int i = 0; i < n; i++)
        if (!file || fscanf(file, "%lu", &numbers[i]) != 1)
            return false;
    return true;
}

// Returns whether there are users that do not exist in this process's user namespace.
static bool in_user_namespace(void)
{
    unsigned long map[3]; // first uid inside, first uid outside, how many
    return read_numbers("/proc/self/uid_map", map, 3) &&
           !(map[0] == 0 && map[1] == 0 && map[2] == UINT32_MAX);
}

static bool is_from_outside(uid_t uid)
{
    unsigned long overflow = OVERFLOW_DEFAULT;
    read_numbers("/proc/sys/kernel/overflowuid", &overflow, 1);
    return uid == overflow && in_user_namespace();
}

bool server_user_expected(uid_t uid)
{
    // A program with more rights than its user must not trust the user's environment.
    const char *list = secure_getenv(SERVER_USER_ENV);

    if (uid == 0 || uid == geteuid())
        return true;
    if (list && *list)
        return is_listed(uid, list);
    return is_named(uid, INSTALLED_USER) || is_from_outside(uid);
}
