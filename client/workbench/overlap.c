// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "overlap.h"
#include "workbench.h"

#include <string.h>

#define IN_FLIGHT_MAX 1024 // others are not looked at

// Bytes that a task in flight writes. Addresses of different maps may be of different processes.
struct destination {
    const struct entry *task;
    uint64_t map, start, end;
};

static struct destination in_flight[IN_FLIGHT_MAX];
static unsigned count;

typedef int (*get_pointer)(const void *buffer, void **value);
typedef int (*get_size)(const void *buffer, size_t *value);

static bool data_of(const struct entry *buffer, uint64_t *data, uint64_t *length)
{
    const void *handle = (const void *)(uintptr_t)buffer->address; // NOLINT
    static get_pointer data_at;
    static get_size data_length;
    void *address;
    size_t size;
    if (!data_at)
        data_at = (get_pointer)symbol_next("doca_buf_get_data", "DOCA_2.2");
    if (!data_length)
        data_length = (get_size)symbol_next("doca_buf_get_data_len", "DOCA_2.2");
    if (!data_at || !data_length || data_at(handle, &address) != 0 ||
        data_length(handle, &size) != 0)
        return false;
    *data = (uintptr_t)address;
    *length = size;
    return true;
}

static bool is_single(const struct entry *buffer)
{
    return buffer && buffer->alive && !buffer->chained && buffer->map && buffer->type &&
           strcmp(buffer->type, "buf") == 0;
}

// A copy appends its source to the data of its destination.
static bool destination_of(const struct entry *task, struct destination *destination)
{
    const struct entry *from = task->buffers[0], *to = task->buffers[1];
    uint64_t unused, data, length, size;
    if (!task->type || strcmp(task->type, "dma_task_memcpy") != 0 || !is_single(from) ||
        !is_single(to) || !data_of(from, &unused, &size) || !data_of(to, &data, &length))
        return false;
    *destination = (struct destination){task, to->map, data + length, data + length + size};
    return true;
}

const struct entry *overlap_add(const struct entry *task)
{
    const struct entry *found = NULL;
    struct destination added;
    overlap_remove(task);
    if (count == IN_FLIGHT_MAX || !destination_of(task, &added))
        return NULL;
    for (unsigned i = 0; i < count && !found; i++)
        if (in_flight[i].map == added.map && in_flight[i].start < added.end &&
            added.start < in_flight[i].end)
            found = in_flight[i].task;
    in_flight[count++] = added;
    return found;
}

void overlap_remove(const struct entry *task)
{
    for (unsigned i = 0; i < count; i++)
        if (in_flight[i].task == task) {
            in_flight[i] = in_flight[--count];
            return;
        }
}

void overlap_clear(void)
{
    count = 0;
}
