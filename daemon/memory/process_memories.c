// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "process_memories.h"

#include "node.h"
#include "session.h"
#include "user.h"

#include <stdlib.h>

doca_error_t process_memory_keep(struct process_memory *memory, struct errtext *err)
{
    Docad__MemoryRecord what = DOCAD__MEMORY_RECORD__INIT;
    Docad__Record record;
    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    record_init(&record, memory->id, 0, &memory->stored);
    what.uid = memory->user->uid;
    record.what_case = DOCAD__RECORD__WHAT_MEMORY;
    record.memory = &what;
    int fd = shared_fd_get(memory->file);
    return fdstore_put(&memory->stored, &record, memory->user, &fd, 1, err);
}

static void restore(struct node *node, struct stored_item *item)
{
    struct restored_memories *all = &node->restored_memories;
    struct process_memory **more =
        reallocarray(all->list, all->count + 1, sizeof(struct process_memory *));
    struct user *user = user_get(&node->users, item->record->memory->uid);
    bool usable = more && user && item->fds.count == 1;
    struct process_memory *memory = usable ? process_memory_of(item->fds.fds[0], user) : NULL;

    all->list = more ? more : all->list;
    user_unref(user);
    if (!memory)
        return;
    fd_list_take(&item->fds, 0);
    memory->id = item->record->id;
    user->descriptors++;
    fdstore_take(item, &memory->stored, user);
    all->list[all->count++] = memory;
}

struct process_memory *process_memories_find(const struct node *node, uint64_t id)
{
    const struct restored_memories *all = &node->restored_memories;
    size_t first = 0, end = all->count; // they came in the order of their ids
    while (first < end) {
        size_t middle = (first + end) / 2;
        if (all->list[middle]->id == id)
            return process_memory_ref(all->list[middle]);
        if (all->list[middle]->id < id)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

static void settle(struct node *node)
{
    struct restored_memories *all = &node->restored_memories;
    struct session *session;
    list_for_each (session, &node->sessions, in_node)
        session->memory = process_memories_find(node, session->kept_memory);
    for (size_t i = 0; i < all->count; i++)
        process_memory_unref(all->list[i]);
    free(all->list);
    *all = (struct restored_memories){0};
}

const struct object_kind memory_kind = {
    .record = DOCAD__RECORD__WHAT_MEMORY, .restore = restore, .settle = settle};
