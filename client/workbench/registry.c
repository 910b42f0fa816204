// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "registry.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN_MAX 8 // frames of this library

pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;

static struct entry **table;
static size_t room, count;

static size_t place_of(uint64_t address, size_t of)
{
    return (size_t)(address * 0x9e3779b97f4a7c15U >> 20) & (of - 1);
}

static bool grow(void)
{
    size_t more = room ? 2 * room : 1024;
    struct entry **lists = calloc(more, sizeof(struct entry *));
    if (!lists)
        return false;
    for (size_t i = 0; i < room; i++)
        for (struct entry *each = table[i], *next; each; each = next) {
            next = each->next;
            struct entry **list = &lists[place_of(each->address, more)];
            each->next = *list;
            *list = each;
        }
    free(table);
    table = lists;
    room = more;
    return true;
}

static struct entry *find_own(uint64_t address)
{
    struct entry *each = room ? table[place_of(address, room)] : NULL;
    while (each && each->address != address)
        each = each->next;
    return each;
}

struct entry *registry_find(uint64_t address)
{
    struct entry *entry = find_own(address);
    return entry && entry->same ? entry->same : entry;
}

struct entry *registry_get(uint64_t address)
{
    struct entry *entry = find_own(address);
    if (entry || (count >= room && !grow()))
        return entry;
    entry = calloc(1, sizeof(*entry));
    if (!entry)
        return NULL;
    struct entry **list = &table[place_of(address, room)];
    entry->address = address;
    entry->next = *list;
    *list = entry;
    count++;
    return entry;
}

void registry_each(void (*what)(const struct entry *entry))
{
    for (size_t i = 0; i < room; i++)
        for (const struct entry *each = table[i]; each; each = each->next)
            if (!each->same)
                what(each);
}

// ---- stacks

static const void *own_base(void)
{
    static const void *base;
    Dl_info info;
    if (!base && dladdr(&registry_lock, &info))
        base = info.dli_fbase;
    return base;
}

void stack_take(struct stack *stack)
{
    void *frames[STACK_MAX + OWN_MAX];
    int found = backtrace(frames, STACK_MAX + OWN_MAX), from = 0;
    Dl_info info;
    for (int i = 0; i < found; i++) // a sanitizer has a frame before those of this library
        if (dladdr(frames[i], &info) && info.dli_fbase == own_base())
            from = i + 1;
    stack->count = found - from < STACK_MAX ? found - from : STACK_MAX;
    memcpy(stack->frames, frames + from, (size_t)stack->count * sizeof(*frames));
}

// Prints a frame as addr2line -e FILE takes it; the function, if it is exported.
static int copy = -1;

void check_print_to(const char *path)
{
    if (path)
        copy = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

void check_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (copy < 0)
        return;
    va_start(arguments, format);
    vdprintf(copy, format, arguments);
    va_end(arguments);
}

static void write_frame(const void *frame)
{
    Dl_info info;
    if (!dladdr(frame, &info) || !info.dli_fname) {
        check_print("        %p\n", frame);
        return;
    }
    // The call stands before the address to which it returns.
    check_print("        %s+%#tx", info.dli_fname,
                (const char *)frame - 1 - (const char *)info.dli_fbase);
    if (info.dli_sname)
        check_print(" %s()", info.dli_sname);
    check_print("\n");
}

void stack_write(const struct stack *stack)
{
    for (int i = 0; i < stack->count; i++)
        write_frame(stack->frames[i]);
}
