// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "credentials.h"

#include "account.h"
#include "cleanup.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert(sizeof(gid_t) == sizeof(uint32_t), "messages carry groups as 32-bit numbers");

// ---- sets --------------------------------------------------------------------------------------

static struct group_set *set_make(size_t n)
{
    struct group_set *set = malloc(sizeof(*set) + n * sizeof(set->ids[0]));
    if (set)
        *set = (struct group_set){.refs = 1, .n = n};
    return set;
}

static struct group_set *set_ref(struct group_set *set)
{
    if (set)
        set->refs++;
    return set;
}

static struct group_set *set_unref(struct group_set *set)
{
    if (set && --set->refs == 0)
        free(set);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    gid_t p = *(const gid_t *)a, q = *(const gid_t *)b;
    return (p > q) - (p < q);
}

// The kernel's groups are in order already, unless docad runs in a user namespace.
static void set_sort(struct group_set *set)
{
    size_t i = 1;
    while (i < set->n && set->ids[i - 1] <= set->ids[i])
        i++;
    if (i < set->n)
        qsort(set->ids, set->n, sizeof(set->ids[0]), compare);
}

// *out is NULL for no groups. 0 or -ENOMEM.
static int set_of(const gid_t *ids, size_t n, struct group_set **out)
{
    struct group_set *set = n ? set_make(n) : NULL;
    if (n && !set)
        return -ENOMEM;
    if (set) {
        memcpy(set->ids, ids, n * sizeof(*ids));
        set_sort(set);
    }
    *out = set;
    return 0;
}

static bool set_has(const struct group_set *set, gid_t gid)
{
    return set && bsearch(&gid, set->ids, set->n, sizeof(set->ids[0]), compare);
}

// ---- the kernel --------------------------------------------------------------------------------

static int read_user(int fd, struct ucred *out)
{
    socklen_t size = sizeof(*out);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out, &size) < 0 ? -errno : 0;
}

int credentials_of_socket(int fd, struct credentials *out, pid_t *pid)
{
    struct ucred cred;

    int r = read_user(fd, &cred);
    if (r < 0)
        return r;
    *out = (struct credentials){.uid = cred.uid, .account = account_of(cred.uid)};
    *pid = cred.pid;
    return 0;
}

#define FIRST_TRY 32

// The kernel reports how many there are if they do not fit. Where a sandbox does not pass that on,
// the buffer is doubled.
static socklen_t larger(socklen_t had, socklen_t wanted)
{
    return wanted > had ? wanted : 2 * had;
}

// Reads the supplementary groups behind the effective group `first`.
static int read_groups(int fd, gid_t first, struct group_set **out)
{
    socklen_t room = FIRST_TRY * sizeof(gid_t);

    for (;;) {
        socklen_t size = room;
        struct group_set *set = set_make(1 + room / sizeof(gid_t));
        if (!set)
            return -ENOMEM;
        set->ids[0] = first;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, &set->ids[1], &size) == 0) {
            set->n = 1 + size / sizeof(gid_t);
            set_sort(set);
            *out = set;
            return 0;
        }
        int e = errno;
        set_unref(set);
        if (e != ERANGE)
            return -e;
        room = larger(room, size);
        if (room > CREDENTIALS_GROUPS_MAX * sizeof(gid_t))
            return -ERANGE;
    }
}

int credentials_take_groups(struct credentials *who, int fd)
{
    struct group_set *groups = NULL, *restricting;
    const gid_t *ids = NULL;
    struct ucred cred;

    int r = read_user(fd, &cred);
    if (r == 0)
        r = read_groups(fd, cred.gid, &groups);
    if (r < 0)
        return r;
    size_t n = account_groups(who->account, &ids);
    r = set_of(ids, n, &restricting);
    if (r < 0) {
        set_unref(groups);
        return r;
    }
    credentials_drop(who);
    who->groups = groups;
    who->restricting = restricting;
    return 0;
}

// ---- use ---------------------------------------------------------------------------------------

size_t credentials_bytes(const struct credentials *who)
{
    return ((who->groups ? who->groups->n : 0) + (who->restricting ? who->restricting->n : 0)) *
           sizeof(gid_t);
}

struct credentials credentials_copy(const struct credentials *who)
{
    set_ref(who->groups);
    set_ref(who->restricting);
    return *who;
}

void credentials_drop(struct credentials *who)
{
    who->groups = set_unref(who->groups);
    who->restricting = set_unref(who->restricting);
}

bool credentials_has_group(const struct credentials *who, gid_t gid)
{
    return set_has(who->groups, gid);
}

bool credentials_may_have_group(const struct credentials *who, gid_t gid)
{
    return set_has(who->groups, gid) || set_has(who->restricting, gid);
}

struct credentials credentials_own(void)
{
    return (struct credentials){.uid = geteuid(), .account = geteuid()};
}

// ---- messages ----------------------------------------------------------------------------------

int credentials_of_message(const struct credentials_carried *m, struct credentials *out)
{
    struct credentials who = {.uid = m->uid, .account = m->account ? m->account->uid : m->uid};
    // An older docad reports groups of the account as if they were those of the process.
    bool mixed = !m->exact && who.account != who.uid;

    if (m->n_gids + m->n_account_gids > CREDENTIALS_CARRIED_MAX)
        return -E2BIG;
    int r = mixed ? 0 : set_of(m->gids, m->n_gids, &who.groups);
    if (r == 0)
        r = mixed ? set_of(m->gids, m->n_gids, &who.restricting)
                  : set_of(m->account_gids, m->n_account_gids, &who.restricting);
    if (r < 0) {
        credentials_drop(&who);
        return r;
    }
    *out = who;
    return 0;
}

size_t credentials_gids(const struct group_set *set, uint32_t **gids)
{
    *gids = set ? (uint32_t *)set->ids : NULL;
    return set ? set->n : 0;
}

doca_error_t credentials_check_carried(const struct credentials *who, struct errtext *err)
{
    size_t n = credentials_bytes(who) / sizeof(gid_t);
    if (n <= CREDENTIALS_CARRIED_MAX)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "uid %u is in %zu groups, and docad reports at most %d to a linked node; "
                       "start the program with fewer groups (setpriv --groups)",
                       (unsigned)who->uid, n, CREDENTIALS_CARRIED_MAX);
}

Docad__Account *credentials_account(const struct credentials *who, Docad__Account *room)
{
    if (who->account == who->uid)
        return NULL;
    docad__account__init(room);
    room->uid = who->account;
    return room;
}
