// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "buffers.h"
#include "workbench.h"

#define LIST_MAX 4096 // buffers of a list; others are not looked at

// Functions of DOCA 2.2, which take the buffers of every generation.
static struct {
    int (*head)(const void *buffer, void **value);
    int (*length)(const void *buffer, size_t *value);
    int (*data)(const void *buffer, void **value);
    int (*data_length)(const void *buffer, size_t *value);
    int (*next)(const void *buffer, void **value);
} get;

static bool find_functions(void)
{
    if (get.next)
        return true;
    get.head = (int (*)(const void *, void **))symbol_next("doca_buf_get_head", "DOCA_2.2");
    get.length = (int (*)(const void *, size_t *))symbol_next("doca_buf_get_len", "DOCA_2.2");
    get.data = (int (*)(const void *, void **))symbol_next("doca_buf_get_data", "DOCA_2.2");
    get.data_length =
        (int (*)(const void *, size_t *))symbol_next("doca_buf_get_data_len", "DOCA_2.2");
    if (get.head && get.length && get.data && get.data_length)
        get.next = (int (*)(const void *, void **))symbol_next("doca_buf_list_next", "DOCA_2.2");
    return get.next != NULL;
}

static bool read_element(const struct entry *buffer, struct element *element)
{
    const void *handle = (const void *)(uintptr_t)buffer->address; // NOLINT
    void *head, *data;
    size_t length, data_length;
    if (get.head(handle, &head) != 0 || get.length(handle, &length) != 0 ||
        get.data(handle, &data) != 0 || get.data_length(handle, &data_length) != 0)
        return false;
    const struct entry *map = registry_live(buffer->map, TYPE_MAP);
    *element = (struct element){
        .buffer = buffer,
        .map = map,
        .space = !map             ? SPACE_UNKNOWN
                 : !map->imported ? SPACE_OWN
                                  : map->address,
        .head = (uintptr_t)head,
        .end = (uintptr_t)head + length,
        .data = (uintptr_t)data,
        .data_end = (uintptr_t)data + data_length,
    };
    return true;
}

static const struct entry *next_of(const struct entry *buffer)
{
    void *next = NULL;
    if (get.next((const void *)(uintptr_t)buffer->address, &next) != 0) // NOLINT
        return NULL;
    return registry_live((uintptr_t)next, TYPE_BUFFER);
}

bool buffers_each(const struct entry *first, bool (*what)(const struct element *element, void *of),
                  void *of)
{
    struct element element;
    unsigned count = 0;
    if (!entry_is(first, TYPE_BUFFER) || !find_functions())
        return false;
    for (const struct entry *each = first; each; each = next_of(each)) {
        if (count++ == LIST_MAX || !read_element(each, &element))
            return false;
        if (!what(&element, of))
            break;
    }
    return true;
}

static bool add_data(const struct element *element, void *of)
{
    *(uint64_t *)of += element->data_end - element->data;
    return true;
}

uint64_t buffers_data(const struct entry *first)
{
    uint64_t sum = 0;
    return buffers_each(first, add_data, &sum) ? sum : UINT64_MAX;
}

static bool add_one(const struct element *element, void *of)
{
    (void)element;
    *(unsigned *)of += 1;
    return true;
}

unsigned buffers_count(const struct entry *first)
{
    unsigned count = 0;
    return buffers_each(first, add_one, &count) ? count : 0;
}
