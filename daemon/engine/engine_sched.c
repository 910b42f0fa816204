// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine_sched.h"

#include <stdlib.h>
#include <string.h>

void engine_sched_init(struct engine_sched *sched, struct engine_sched *above, bool leaf)
{
    sched->above = above;
    sched->leaf = leaf;
    list_init(&sched->in_above);
    list_init(&sched->runnable);
}

void engine_sched_add(struct engine_sched *leaf, struct list *item)
{
    list_append(&leaf->runnable, item);
    for (struct engine_sched *t = leaf; t->above && !list_linked(&t->in_above); t = t->above)
        list_append(&t->above->runnable, &t->in_above);
}

void engine_sched_remove(struct engine_sched *leaf, struct list *item)
{
    list_remove(item);
    for (struct engine_sched *t = leaf; t->above && list_empty(&t->runnable); t = t->above)
        list_remove(&t->in_above);
}

struct list *engine_sched_next(struct engine_sched *root)
{
    struct engine_sched *t = root;

    while (!t->leaf) {
        t = list_entry(t->runnable.next, struct engine_sched, in_above);
        list_remove(&t->in_above);
    }
    struct list *item = t->runnable.next;
    list_remove(item);
    // From the leaf to the root, each node that has more goes to the end of its queue again.
    for (; t->above; t = t->above)
        if (!list_empty(&t->runnable))
            list_append(&t->above->runnable, &t->in_above);
    return item;
}

bool engine_sched_others(const struct engine_sched *sched)
{
    for (const struct engine_sched *t = sched; t->above; t = t->above) {
        const struct list *level = &t->above->runnable;
        const struct list *own = &t->in_above;
        if (!list_empty(level) && !(level->next == own && level->prev == own))
            return true;
    }
    return false;
}

// ---- users -----------------------------------------------------------------------

void engine_users_init(struct engine_users *users)
{
    list_init(&users->all);
    engine_sched_init(&users->sched, NULL, false);
}

static struct engine_user *find(const struct engine_users *users, const struct engine_user *like)
{
    struct engine_user *user;
    list_for_each (user, &users->all, in_users)
        if (user->node == like->node && user->is_node == like->is_node && user->uid == like->uid &&
            memcmp(user->id, like->id, NODE_ID_SIZE) == 0)
            return user;
    return NULL;
}

static struct engine_user *get(struct engine_users *users, const struct engine_user *like)
{
    struct engine_user *user = find(users, like);
    if (user) {
        user->references++;
        return user;
    }
    user = malloc(sizeof(*user));
    if (!user)
        return NULL;
    *user = *like;
    user->references = 1;
    if (user->node)
        user->node->references++;
    engine_sched_init(&user->sched, user->node ? &user->node->sched : &users->sched, false);
    list_append(&users->all, &user->in_users);
    return user;
}

struct engine_user *engine_user_get(struct engine_users *users, uid_t uid, const uint8_t *node)
{
    struct engine_user like = {.is_node = true};

    if (!node)
        return get(users, &(struct engine_user){.uid = uid});
    memcpy(like.id, node, NODE_ID_SIZE);
    struct engine_user *of = get(users, &like);
    if (!of)
        return NULL;
    struct engine_user *user = get(users, &(struct engine_user){.node = of, .uid = uid});
    engine_user_put(of); // the user's own reference stays
    return user;
}

void engine_user_put(struct engine_user *user)
{
    while (user && --user->references == 0) {
        struct engine_user *node = user->node;
        list_remove(&user->in_users);
        free(user);
        user = node;
    }
}
