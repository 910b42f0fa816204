// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The objects of this process, as its calls made and destroyed them. One lock, registry_lock, is
// around all of it, and around the tasks in flight and reports.

#ifndef WORKBENCH_REGISTRY_H
#define WORKBENCH_REGISTRY_H

#include "functions.h"
#include "stacks.h"

#include <pthread.h>

#define BUFFERS_MAX 3 // of a task, by enum buffer_use without USE_NONE

struct flight;

struct entry {
    uint64_t address;
    struct entry *next; // in the table
    struct entry *same; // the object whose base this is, or NULL
    const char *type;
    uint16_t types;   // enum type_bits
    const char *also; // what a function has returned it as
    const struct function *made_by, *destroyed_by;
    struct stack made;
    struct entry *owner;
    uint64_t owner_life; // `life` of the owner when this was made
    uint64_t life;       // counts objects at this address
    uint64_t base;       // address of the context or task that it is, or 0
    unsigned references;
    unsigned forks; // of the process that made it
    bool alive;

    // Members of tasks:
    bool in_flight;
    bool failed; // its status is an error that the program has not read
    struct entry *buffers[BUFFERS_MAX];
    struct flight *flight; // while it is in flight, or NULL
    struct entry *matrix;  // of erasure coding

    // Members of buffers:
    struct entry *before, *behind; // in a list
    struct entry *tail;            // of the first one of a list: its last one, or NULL
    unsigned users;                // tasks in flight that have it, also in a list
    unsigned writers;              // those that have it as a destination
    uint64_t map;                  // address of the map that it is in, or 0; that of a pool, too

    // Members of graphs and their instances: graphs.h
    struct node_task *node_tasks;
    bool has_other_nodes;

    uint64_t numbers[2]; // of a matrix: data blocks and redundancy blocks

    // Members of maps:
    uint32_t permissions;
    bool thread_safe, exported, imported;

    // Members of contexts:
    struct entry *engine;
    unsigned tasks;          // that are allocated
    uint64_t submissions;    // whose sources might change, of work queues, too
    bool stopped;            // by the program or by a task, since it was started last
    struct entry *last_task; // that was submitted
    uint64_t last_life;      // its `life`
    uint32_t last_flags;     // of its submission; if it was flushed since, with FLUSH

    // For objects that may be used by one thread at a time: rule_threads.h
    pthread_t user; // thread that is in a call with it, or was last
    unsigned depth; // of its calls; 0: no thread is in one
    unsigned pauses;
    bool was_used;

    // Members of engines: waiting.h
    unsigned requests;
    bool clears_itself; // at each request
    bool is_armed, is_waited_for, has_events;
    int handle; // or -1
    uint64_t polls, idle_polls, completions;
    unsigned in_flight_count;

    // For objects whose start has failed: failures.h
    const struct function *failed_in;
    uint64_t error;
    struct stack failed_at;
};

// Takes registry_lock. The thread is not cancelled until it gives the lock back.
void registry_enter(void);
// The same, unless another call has the lock: then it returns false.
bool registry_try_enter(void);
void registry_leave(void);
// Returns whether this thread has the lock: the caller is a signal handler that has interrupted it.
bool registry_is_entered(void);
// Takes the lock before a fork(), and gives it back in the parent and in the child.
void registry_before_fork(void);
void registry_after_fork(void);

// NULL: not known, or there is no memory.
struct entry *registry_find(uint64_t address);
// Returns the entry of an address, which is made if there is none.
struct entry *registry_get(uint64_t address);
void registry_each(void (*what)(struct entry *entry));

// Whether the object is alive, and of one of these kinds.
static inline bool entry_is(const struct entry *entry, enum type_bits types)
{
    return entry && entry->alive && (entry->types & types);
}

// The object at an address if it is known, alive, and of one of these kinds; else NULL.
struct entry *registry_live(uint64_t address, enum type_bits types);

#endif
