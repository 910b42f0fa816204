// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "user.h"

#include <assert.h>

void users_init(struct users *users)
{
    list_init(&users->list);
    idmap_init(&users->by_uid);
}

void users_adopt(struct users *to, struct users *from)
{
    struct user *user;
    assert(list_empty(&to->list));
    list_append_all(&to->list, &from->list);
    to->by_uid = from->by_uid;
    idmap_init(&from->by_uid);
    list_for_each (user, &to->list, in_users)
        user->users = to;
}

struct user *user_get(struct users *users, uid_t uid)
{
    struct user *user = idmap_get(&users->by_uid, uid, struct user, by_uid);
    if (user)
        return user_ref(user);
    user = calloc(1, sizeof(*user));
    if (!user)
        return NULL;
    user->uid = uid;
    user->references = 1;
    sched_user_init(&user->sched, NULL);
    list_init(&user->monitors);
    user->users = users;
    list_append(&users->list, &user->in_users);
    idmap_add(&users->by_uid, &user->by_uid, uid);
    return user;
}

struct user *user_ref(struct user *user)
{
    user->references++;
    return user;
}

struct user *user_unref(struct user *user)
{
    if (!user || --user->references > 0)
        return NULL;
    assert(user->connections == 0 && user->sessions == 0 && user->publications == 0);
    assert(user->region_bytes == 0 && user->descriptors == 0 && user->slots == 0);
    assert(user->pinned_bytes == 0 && user->metadata == 0);
    assert(user->mapped_bytes == 0 && user->mappings == 0);
    assert(user->importers == 0 && user->grants == 0 && user->qpairs == 0);
    assert(list_empty(&user->monitors) && user->n_monitors == 0 && user->n_listeners == 0);
    assert(user->n_visits == 0);
    for (size_t i = 0; i < USER_LISTS; i++)
        assert(user->lists[i].count == 0);
    assert(!user->lookups && !sched_user_waits(&user->sched));
    list_remove(&user->in_users);
    idmap_remove(&user->users->by_uid, &user->by_uid);
    free(user);
    return NULL;
}
