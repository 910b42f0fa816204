// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "registry.h"

#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread struct {
    bool has;          // it has the lock, or waits for it
    int cancel_state;  // to return to
    bool forks_within; // a signal handler has called fork() while this thread had the lock
} holder __attribute__((tls_model("initial-exec")));

static struct entry **table;
static size_t room, count;

static size_t index_of(uint64_t address, size_t of)
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
            struct entry **list = &lists[index_of(each->address, more)];
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
    struct entry *each = room ? table[index_of(address, room)] : NULL;
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
    struct entry **list = &table[index_of(address, room)];
    entry->address = address;
    entry->next = *list;
    *list = entry;
    count++;
    return entry;
}

void registry_each(void (*what)(struct entry *entry))
{
    for (size_t i = 0; i < room; i++)
        for (struct entry *each = table[i]; each; each = each->next)
            if (!each->same)
                what(each);
}

struct entry *registry_live(uint64_t address, enum type_bits types)
{
    struct entry *entry = address ? registry_find(address) : NULL;
    return entry_is(entry, types) ? entry : NULL;
}

// ---- the lock

// Functions that are called under the lock have cancellation points: a thread that ended in one
// would keep the lock.
static void hold(void)
{
    int state;
    holder.has = true;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    holder.cancel_state = state;
}

static void unlock(void)
{
    int state = holder.cancel_state;
    holder.has = false;
    pthread_setcancelstate(state, NULL);
}

void registry_enter(void)
{
    hold();
    pthread_mutex_lock(&registry_lock);
}

bool registry_try_enter(void)
{
    if (holder.has) // a signal handler waits
        return false;
    hold();
    if (pthread_mutex_trylock(&registry_lock) == 0)
        return true;
    unlock();
    return false;
}

void registry_leave(void)
{
    pthread_mutex_unlock(&registry_lock);
    unlock();
}

bool registry_is_entered(void)
{
    return holder.has;
}

void registry_before_fork(void)
{
    holder.forks_within = holder.has;
    if (!holder.forks_within)
        registry_enter();
}

void registry_after_fork(void)
{
    if (!holder.forks_within)
        registry_leave();
    holder.forks_within = false;
}
