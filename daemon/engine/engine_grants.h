// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The grants of one importer, by key. A key consists of an index and a generation, so that an old
// key never finds the grant that has its slot now.

#ifndef DAEMON_ENGINE_GRANTS_H
#define DAEMON_ENGINE_GRANTS_H

#include "engine.h"
#include "idmap.h"
#include "list.h"

#include <pthread.h>

// A notification for the loop. Embedded in the object it is about, so that sending it
// cannot fail.
struct engine_callback {
    struct list in_done;
    engine_done_fn fn;
    void *arg;
    void (*release)(struct engine_callback *); // called when the loop has received it: its memory
                                               // may be freed
};

// A process whose memory is granted, for as long as there are grants.
struct engine_owner {
    struct idmap *owners; // of the engine
    struct idmap_node id;
    unsigned references;
    uid_t uid;
    pthread_mutex_t words; // one atomic operation at a time; taken without the engine's lock
};

struct engine_event;
struct engine_window;

struct engine_grant {
    struct list free; // in engine_grants->free while its slot is free
    uint32_t index;
    struct engine_owner *owner;
    struct shared_fd *owner_memory; // NULL: for copies only, or the counter is in the event's page
    struct engine_window *window;   // NULL: copies are not possible
    struct engine_event *event;     // or NULL
    void *memory;                   // see struct engine_range
    uint64_t address, length;
    uint32_t allowed; // 1 << enum qp_opcode
    bool any_word;
    uint16_t generation;
    uint32_t error;                   // doca_error_t: set when it is dropped
    unsigned busy;                    // copies in progress
    struct engine_importer *importer; // notified when it was dropped
    struct engine_callback ended;
};

// Grants are allocated one by one: a copy in progress keeps a pointer to its grant while the table
// grows. The free slot that was used longest ago is used next, so that its generation recurs as
// late as possible.
struct engine_grants {
    struct engine_grant **slots;
    uint32_t n_slots, n_made; // slots from n_made on have no grant yet
    struct list free;
};

void engine_grants_init(struct engine_grants *grants);

int engine_grants_add(struct engine_grants *grants, struct idmap *owners,
                      const struct engine_range *range, uint32_t *key);

// The same under the key that the grant had in an earlier engine. 0 or -errno.
int engine_grants_restore(struct engine_grants *grants, struct idmap *owners,
                          const struct engine_range *range, uint32_t key);

// Finds a grant. Returns NULL if there never was one with this key, or if its slot has another one
// now. A dropped grant is found with its error.
struct engine_grant *engine_grants_find(const struct engine_grants *grants, uint32_t key);

// Called when the grant was dropped and its last copy has ended: releases the owner's memory. The
// window, if there is one, goes to the list, because unmapping takes long.
void engine_grant_close(struct engine_grant *grant, struct list *windows);

// Called when the loop has handled the end of the grant: its slot may be reused.
void engine_grant_retire(struct engine_grants *grants, struct engine_grant *grant);

void engine_grants_fini(struct engine_grants *grants, struct list *windows);

#endif
