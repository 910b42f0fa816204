// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "user.h"

#include <assert.h>

struct user *user_get(struct list *users, uid_t uid)
{
    struct user *user;
    list_for_each (user, users, in_users) {
        if (user->uid == uid)
            return user_ref(user);
    }
    user = calloc(1, sizeof(*user));
    if (!user)
        return NULL;
    user->uid = uid;
    user->references = 1;
    sched_user_init(&user->sched, NULL);
    list_init(&user->monitors);
    list_append(users, &user->in_users);
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
    assert(!user->lookups && !sched_user_waits(&user->sched));
    list_remove(&user->in_users);
    free(user);
    return NULL;
}
