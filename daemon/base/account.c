// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "account.h"

#include "cleanup.h"
#include "number.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX   8  // of ranges that belong to subordinate uids
#define GROUPS_SOME 32 // first try
#define GROUPS_MAX  65536

struct range {
    uid_t owner, first;
    uint64_t count;
};

// A user that has ranges.
struct owner {
    uid_t uid;
    size_t n_groups;
    gid_t *groups;
};

struct accounts {
    struct range *ranges; // in the order of the file
    struct owner *owners;
    size_t n_ranges, n_owners;
};

static struct accounts accounts;
static bool loaded;

static void drop(struct accounts *a)
{
    for (size_t i = 0; i < a->n_owners; i++)
        free(a->owners[i].groups);
    free(a->ranges);
    free(a->owners);
    *a = (struct accounts){0};
}

static const struct owner *find_owner(const struct accounts *a, uid_t uid)
{
    for (size_t i = 0; i < a->n_owners; i++)
        if (a->owners[i].uid == uid)
            return &a->owners[i];
    return NULL;
}

// If the buffer was too small, calls again with the number of groups.
static bool read_groups(struct owner *owner, const struct passwd *user)
{
    int n = GROUPS_SOME, room;
    do {
        room = n;
        gid_t *groups = reallocarray(owner->groups, (size_t)room, sizeof(*groups));
        if (!groups)
            return false;
        owner->groups = groups;
        if (getgrouplist(user->pw_name, user->pw_gid, groups, &n) >= 0) {
            owner->n_groups = (size_t)n;
            return true;
        }
    } while (n > room && n <= GROUPS_MAX);
    return false;
}

// Finds a user by name, or by uid. *user is NULL if there is none. Returns false if the database
// failed, with errno: such a user may be in groups that a rule names.
static bool find_user(const char *name, bool is_number, uint64_t uid, const struct passwd **user)
{
    errno = 0;
    *user = is_number ? getpwuid((uid_t)uid) : getpwnam(name);
    if (*user)
        return true;
    switch (errno) { // getpwnam(3): all of these mean that there is no such user
    case 0:
    case ENOENT:
    case ESRCH:
    case EBADF:
    case EPERM:
        return true;
    default:
        return false;
    }
}

// Returns false if memory runs out, or the groups cannot be known.
static bool add_owner(struct accounts *a, uid_t uid, const struct passwd *user)
{
    if (find_owner(a, uid))
        return true;
    struct owner *grown = reallocarray(a->owners, a->n_owners + 1, sizeof(*grown));
    if (!grown)
        return false;
    a->owners = grown;
    struct owner *owner = &grown[a->n_owners++];
    *owner = (struct owner){.uid = uid};
    return !user || read_groups(owner, user);
}

// "NAME:FIRST:COUNT" or "UID:FIRST:COUNT". Returns false if memory runs out or the user database
// fails.
static bool add_line(struct accounts *a, char *line)
{
    char *save, *name = strtok_r(line, ":", &save);
    const char *first = strtok_r(NULL, ":", &save), *count = strtok_r(NULL, ":\n", &save);
    uint64_t uid, from, n;

    if (!name || !first || !count || !number_read(first, 10, UINT32_MAX - 1, &from) ||
        !number_read(count, 10, UINT32_MAX, &n))
        return true;
    bool is_number = number_read(name, 10, UINT32_MAX - 1, &uid);
    const struct passwd *user;
    if (!find_user(name, is_number, uid, &user))
        return false;
    if (!is_number && !user)
        return true;
    struct range *grown = reallocarray(a->ranges, a->n_ranges + 1, sizeof(*grown));
    if (!grown)
        return false;
    a->ranges = grown;
    uid_t owner = is_number ? (uid_t)uid : user->pw_uid;
    grown[a->n_ranges++] = (struct range){owner, (uid_t)from, n};
    return add_owner(a, owner, user);
}

// Users with subordinate groups can drop groups in a user namespace, even without another uid.
static bool add_holder(struct accounts *a, char *line)
{
    char *save;
    const char *name = strtok_r(line, ":\n", &save);
    uint64_t uid;

    if (!name)
        return true;
    bool is_number = number_read(name, 10, UINT32_MAX - 1, &uid);
    const struct passwd *user;
    if (!find_user(name, is_number, uid, &user))
        return false;
    return !user || add_owner(a, user->pw_uid, user);
}

static int read_lines(struct accounts *a, const char *path,
                      bool (*add)(struct accounts *a, char *line))
{
    cleanup_free char *line = NULL;
    size_t size = 0;
    bool ok = true;

    cleanup_file FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? 0 : -errno;
    while (ok && getline(&line, &size, file) > 0) {
        errno = 0;
        ok = add(a, line);
    }
    return ok ? 0 : errno ? -errno : -ENOMEM;
}

int account_load(const char *subuids, const char *subgids)
{
    struct accounts next = {0};

    int r = read_lines(&next, subuids, add_line);
    if (r == 0)
        r = read_lines(&next, subgids, add_holder);
    if (r < 0) {
        drop(&next);
        return r;
    }
    drop(&accounts);
    accounts = next;
    loaded = true;
    return 0;
}

bool account_is_loaded(void)
{
    return loaded;
}

void account_unload(void)
{
    drop(&accounts);
    loaded = false;
}

static const struct range *find_range(uid_t uid)
{
    for (size_t i = 0; i < accounts.n_ranges; i++) {
        const struct range *r = &accounts.ranges[i];
        if (uid >= r->first && uid - r->first < r->count && r->owner != uid)
            return r;
    }
    return NULL;
}

uid_t account_of(uid_t uid)
{
    const struct range *range;
    for (int i = 0; i < DEPTH_MAX && (range = find_range(uid)); i++)
        uid = range->owner;
    return uid;
}

size_t account_groups(uid_t account, const gid_t **groups)
{
    const struct owner *owner = find_owner(&accounts, account);
    if (!owner)
        return 0;
    *groups = owner->groups;
    return owner->n_groups;
}
