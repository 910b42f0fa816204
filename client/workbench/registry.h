// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The objects of this process, as its calls made and destroyed them. One lock is around all of it.

#ifndef WORKBENCH_REGISTRY_H
#define WORKBENCH_REGISTRY_H

#include "functions.h"

#include <pthread.h>

#define STACK_MAX   12
#define BUFFERS_MAX 4 // of a task

struct stack {
    void *frames[STACK_MAX];
    int count;
};

struct entry {
    uint64_t address;
    struct entry *next; // in the table
    struct entry *same; // the object whose base this is, or NULL
    const char *type;
    const char *also; // what a function has returned it as
    const struct function *made_by, *destroyed_by;
    struct stack made;
    struct entry *owner;
    uint64_t owner_life; // `life` of the owner when this was made
    uint64_t life;       // counts objects at this address
    unsigned references;
    unsigned forks; // of the process that made it
    bool alive, chained;
    bool in_flight;
    struct entry *buffers[BUFFERS_MAX]; // of a task
    unsigned users;                     // tasks in flight that have the buffer
    unsigned requests;                  // of an engine: waiting.h
    bool clears_itself;                 // the engine, at each request
    uint64_t map;                       // of a buffer: address of the map that it is in, or 0
    pthread_t user;                     // thread that is in a call with the engine
    unsigned depth;                     // of its calls; 0: no thread is
};

extern pthread_mutex_t registry_lock;

// NULL: not known, or there is no memory.
struct entry *registry_find(uint64_t address);
// Returns the entry of an address, which is made if there is none.
struct entry *registry_get(uint64_t address);
void registry_each(void (*what)(const struct entry *entry));

// Writes to standard error, and to the file of DOCAD_CHECK_FILE, if there is one.
void check_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Opens that file; NULL: there is none.
void check_print_to(const char *path);

// The stack of this thread, without the frames of this library.
void stack_take(struct stack *stack);
void stack_write(const struct stack *stack);

#endif
