// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names of a program's DOCA objects, which stay the same through a trace: dma1, mmap3. In the
// writer process only.

#ifndef WORKBENCH_OBJECTS_H
#define WORKBENCH_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

// Values of enum doca_ctx_states.
#define STATE_IDLE    0
#define STATE_RUNNING 2
#define STATE_UNKNOWN UINT32_MAX

struct object {
    uint64_t address;
    pid_t pid;
    struct object *next; // in the hash table
    struct object *same; // the object whose base this is, or NULL
    const char *type;
    uint32_t number;
    uint32_t serial; // over all types
    bool created;    // by a call of the program, which has to destroy it
    bool alive;
    uint32_t references;   // of a buffer
    uint64_t bytes;        // data of a buffer; of a task, when it was submitted
    uint64_t length;       // of a task: its message, if that is in no buffer
    struct object *behind; // of a buffer: the next one of its list
    struct object *owner;  // of a task: its context
    struct object *source, *destination;
    // Members of tasks only:
    bool in_flight;
    uint64_t submitted; // when
    uint64_t early;     // when its callback began, if that was within the call that submitted it
    uint64_t flow;      // number of the submission
    pid_t submitter;    // thread
    unsigned lane;      // in the timeline of its context
    // Members for arrows between programs (links.h):
    uint64_t name;             // hash of a service's name, or of the descriptor of a connection
    uint64_t sent, received;   // hashes of the two directions of a connection; 0: not known
    uint32_t consumer;         // number of a consumer, or of that to which a task sends
    struct object *connection; // of a task, a producer, a consumer or an RDMA context
    // Members of contexts only:
    uint64_t on_success, on_error; // callbacks of a graph
    uint32_t state;                // or STATE_UNKNOWN
    uint64_t lanes;                // bit i: a task is in lane i
};

// Returns the object at an address, which gets a name of its type if it has none; NULL for address
// 0.
struct object *object_get(pid_t pid, uint64_t address, const char *type);
// Returns the object that a call has made at an address. It gets a new name if an earlier object at
// this address has been destroyed.
struct object *object_made(pid_t pid, uint64_t address, const char *type);
// Notes that an address is that of the base of an object: both have one name.
void object_alias(pid_t pid, uint64_t address, struct object *object);

void objects_each(void (*what)(const struct object *object, void *of), void *of);
void objects_free(void);

#endif
