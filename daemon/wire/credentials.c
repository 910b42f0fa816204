// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "credentials.h"

#include "account.h"
#include "cleanup.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

// Dropping groups in a user namespace must not evade rules about them.
static void add_groups_of_account(struct credentials *c)
{
    const gid_t *groups;
    size_t n = account_groups(c->account, &groups);
    for (size_t i = 0; i < n && c->n_gids < ARRAY_SIZE(c->gids); i++)
        c->gids[c->n_gids++] = groups[i];
}

int credentials_of_socket(int fd, struct credentials *out, pid_t *pid)
{
    struct ucred cred;
    struct credentials c = {0};
    socklen_t size = sizeof(cred);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0)
        return -errno;
    c.uid = cred.uid;
    c.account = account_of(cred.uid);
    c.gids[c.n_gids++] = cred.gid;
    // The kernel fills in nothing if not all groups fit: then only the first one counts.
    size = sizeof(c.gids) - sizeof(c.gids[0]);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, &c.gids[1], &size) == 0)
        c.n_gids += size / sizeof(c.gids[0]);
    add_groups_of_account(&c);
    *out = c;
    *pid = cred.pid;
    return 0;
}

struct credentials credentials_of_message(uint32_t uid, const Docad__Account *account,
                                          const uint32_t *gids, size_t n_gids)
{
    struct credentials who = {.uid = uid, .account = account ? account->uid : uid};
    for (; who.n_gids < n_gids && who.n_gids < ARRAY_SIZE(who.gids); who.n_gids++)
        who.gids[who.n_gids] = gids[who.n_gids];
    return who;
}

Docad__Account *credentials_account(const struct credentials *who, Docad__Account *room)
{
    if (who->account == who->uid)
        return NULL;
    docad__account__init(room);
    room->uid = who->account;
    return room;
}

struct credentials credentials_own(void)
{
    struct credentials own = {
        .uid = geteuid(), .account = geteuid(), .gids = {getegid()}, .n_gids = 1};
    int n = getgroups((int)ARRAY_SIZE(own.gids) - 1, &own.gids[1]);
    if (n > 0)
        own.n_gids += (size_t)n;
    return own;
}
