// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "objects.h"

#include <stdlib.h>
#include <string.h>

#define TYPES_MAX 256

static struct {
    const char *name;
    uint32_t count;
} types[TYPES_MAX];

static struct object **table; // `room` lists
static size_t room, count;
static uint32_t serials;

static size_t index_of(pid_t pid, uint64_t address, size_t of)
{
    uint64_t mixed = (address ^ (uint64_t)pid << 40) * 0x9e3779b97f4a7c15U;
    return (size_t)(mixed >> 20) & (of - 1);
}

static void grow(void)
{
    size_t more = room ? 2 * room : 1024;
    struct object **lists = calloc(more, sizeof(struct object *));
    if (!lists)
        abort(); // ends the writer: the program continues
    for (size_t i = 0; i < room; i++)
        for (struct object *each = table[i], *next; each; each = next) {
            next = each->next;
            struct object **list = &lists[index_of(each->pid, each->address, more)];
            each->next = *list;
            *list = each;
        }
    free(table);
    table = lists;
    room = more;
}

static struct object *find(pid_t pid, uint64_t address)
{
    if (!room)
        return NULL;
    struct object *each = table[index_of(pid, address, room)];
    while (each && (each->address != address || each->pid != pid))
        each = each->next;
    return each;
}

static uint32_t next_number(const char *type)
{
    for (unsigned i = 0; i < TYPES_MAX; i++) {
        if (!types[i].name)
            types[i].name = type;
        if (strcmp(types[i].name, type) == 0)
            return ++types[i].count;
    }
    return 0;
}

static void name(struct object *object, const char *type)
{
    *object = (struct object){
        .address = object->address,
        .pid = object->pid,
        .next = object->next,
        .type = type,
        .number = next_number(type),
        .serial = ++serials,
        .alive = true,
        .references = 1,
        .state = STATE_UNKNOWN,
    };
}

static struct object *add(pid_t pid, uint64_t address)
{
    if (count >= room)
        grow();
    struct object *object = calloc(1, sizeof(*object));
    if (!object)
        abort();
    struct object **list = &table[index_of(pid, address, room)];
    object->address = address;
    object->pid = pid;
    object->next = *list;
    *list = object;
    count++;
    return object;
}

struct object *object_get(pid_t pid, uint64_t address, const char *type)
{
    if (!address)
        return NULL;
    struct object *object = find(pid, address);
    if (!object) {
        object = add(pid, address);
        name(object, type);
    }
    return object->same ? object->same : object;
}

struct object *object_made(pid_t pid, uint64_t address, const char *type)
{
    struct object *object = address ? find(pid, address) : NULL;
    if (object && (object->same ? !object->same->alive : !object->alive))
        name(object, type);
    return object_get(pid, address, type);
}

void object_alias(pid_t pid, uint64_t address, struct object *object)
{
    if (!address || !object || (address == object->address && pid == object->pid))
        return;
    struct object *base = find(pid, address);
    if (!base)
        base = add(pid, address);
    base->same = object;
}

void objects_each(void (*what)(const struct object *object, void *of), void *of)
{
    for (size_t i = 0; i < room; i++)
        for (struct object *each = table[i]; each; each = each->next)
            if (!each->same)
                what(each, of);
}

void objects_free(void)
{
    for (size_t i = 0; i < room; i++)
        for (struct object *each = table[i], *next; each; each = next) {
            next = each->next;
            free(each);
        }
    free(table);
    table = NULL;
    room = count = 0;
    memset(types, 0, sizeof(types));
    serials = 0;
}
