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
    return fdstore_put(&memory->stored, &record, memory->user, &memory->fd, 1, err);
}

// Used while regions are restored: each memory has one extra reference here.
static struct process_memory **memories;
static size_t n_memories;

static void restore(struct node *node, struct stored_item *item)
{
    struct process_memory **more =
        reallocarray(memories, n_memories + 1, sizeof(struct process_memory *));
    struct process_memory *memory = calloc(1, sizeof(*memory));
    struct user *user = user_get(&node->users, item->record->memory->uid);

    memories = more ? more : memories;
    if (!more || !memory || !user || item->fds.count != 1) {
        free(memory);
        user_unref(user);
        return;
    }
    memory->fd = fd_list_take(&item->fds, 0);
    memory->id = item->record->id;
    memory->references = 1;
    memory->user = user;
    user->descriptors++;
    fdstore_take(item, &memory->stored, user);
    memories[n_memories++] = memory;
}

struct process_memory *process_memories_find(uint64_t id)
{
    for (size_t i = 0; i < n_memories; i++)
        if (memories[i]->id == id && id != 0)
            return process_memory_ref(memories[i]);
    return NULL;
}

static void settle(struct node *node)
{
    struct session *session;
    list_for_each (session, &node->sessions, in_node)
        session->memory = process_memories_find(session->kept_memory);
    for (size_t i = 0; i < n_memories; i++)
        process_memory_unref(memories[i]);
    free(memories);
    memories = NULL;
    n_memories = 0;
}

const struct object_kind memory_kind = {
    .record = DOCAD__RECORD__WHAT_MEMORY, .restore = restore, .settle = settle};
