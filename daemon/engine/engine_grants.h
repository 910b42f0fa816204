// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The grants of one importer, by key. A key is an index and a generation, so that a
// key of the past never finds the grant that has its place now.

#ifndef DAEMON_ENGINE_GRANTS_H
#define DAEMON_ENGINE_GRANTS_H

#include "engine.h"
#include "list.h"

#include <pthread.h>

// Something the loop is to be told. Embedded in what it is about, so that telling it
// cannot fail.
struct engine_callback {
    struct list link;
    engine_done_fn fn;
    void *arg;
    void (*release)(struct engine_callback *); // the loop has it: the memory is free again
};

// A process whose memory is granted, for as long as there are grants.
struct engine_owner {
    struct list link;
    unsigned references;
    uint64_t id;
    uid_t uid;
    pthread_mutex_t words; // one atomic operation at a time; taken without the engine's lock
};

struct engine_event;
struct engine_window;

struct engine_grant {
    struct list free; // engine_grants->free, while its place may be used
    uint32_t index;
    struct engine_owner *owner;
    int memory_fd;                // -1: for copies only, or in the page of `event`
    struct engine_window *window; // or NULL: for bytes only
    struct engine_event *event;   // or NULL
    void *memory;                 // engine_range
    uint64_t address, length;
    uint32_t allowed; // 1 << enum qp_opcode
    bool any_word;
    uint16_t generation;
    uint32_t error;                   // doca_error_t: set once it was dropped
    unsigned busy;                    // copies under way
    struct engine_importer *importer; // told once it was dropped
    struct engine_callback ended;
};

// Grants are allocated one by one: a copy under way keeps a pointer to its grant while
// the table grows. Of the places that are free the one that was used longest ago is next, so
// that its generation comes again as late as can be.
struct engine_grants {
    struct engine_grant **slots;
    uint32_t n_slots, n_made; // those from n_made on have no grant yet
    struct list free;
};

void engine_grants_init(struct engine_grants *grants);

int engine_grants_add(struct engine_grants *grants, struct list *owners,
                      const struct engine_range *range, uint32_t *key);

// The same with the key that it had in an earlier engine. 0 or -errno.
int engine_grants_restore(struct engine_grants *grants, struct list *owners,
                          const struct engine_range *range, uint32_t key);

// NULL if there never was one, or its place has another. A grant that was dropped is
// found with its error.
struct engine_grant *engine_grants_find(const struct engine_grants *grants, uint32_t key);

// The grant was dropped and its last copy is over: lets go of the owner's memory. Its
// window, if it has one, goes to the list: unmapping takes long.
void engine_grant_close(struct engine_grant *grant, struct list *windows);

// The loop knows of its end: its place may be used again.
void engine_grant_retire(struct engine_grants *grants, struct engine_grant *grant);

void engine_grants_fini(struct engine_grants *grants, struct list *windows);

#endif
