// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The lists that the interface returns: an array of pointers. The application has the address of
// its first element; the length is stored before it and a NULL behind the last element.

#ifndef CLIENT_CORE_INFO_LIST_H
#define CLIENT_CORE_INFO_LIST_H

#include "cleanup.h"
#include "core/alive.h"

#include <stddef.h>
#include <stdlib.h>

struct info_list {
    size_t count;
    struct alive alive;
    void *entries[];
};

// Makes a list whose entries are all NULL; NULL if out of memory.
static inline struct info_list *info_list_new(size_t count)
{
    struct info_list *list = calloc(1, sizeof(*list) + (count + 1) * sizeof(list->entries[0]));
    if (!list)
        return NULL;
    list->count = count;
    alive_begin(&list->alive);
    return list;
}

// The entries have ended.
static inline void info_list_end(struct info_list *list)
{
    alive_end(&list->alive);
    free(list);
}

static inline struct info_list *info_list_of(void *entries)
{
    return (struct info_list *)((char *)entries - offsetof(struct info_list, entries));
}

#endif
