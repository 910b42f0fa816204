// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine_grants.h"

#include "cleanup.h"
#include "engine_copy.h"
#include "engine_event.h"
#include "shared_fd.h"

#include <doca_error.h>

#include <errno.h>

#define SLOTS_MAX 65536u

void engine_grants_init(struct engine_grants *grants)
{
    *grants = (struct engine_grants){0};
    list_init(&grants->free);
}

static int grow(struct engine_grants *grants)
{
    uint32_t n = grants->n_slots ? grants->n_slots * 2 : 8;
    if (n > SLOTS_MAX)
        return -ENOSPC;
    struct engine_grant **slots = realloc(grants->slots, n * sizeof(struct engine_grant *));
    if (!slots)
        return -ENOMEM;
    grants->slots = slots;
    grants->n_slots = n;
    return 0;
}

// Adds one more free slot.
static int make_place(struct engine_grants *grants)
{
    int r = grants->n_made < grants->n_slots ? 0 : grow(grants);
    struct engine_grant *grant = r == 0 ? calloc(1, sizeof(*grant)) : NULL;
    if (!grant)
        return r ? r : -ENOMEM;
    grant->index = grants->n_made++;
    grant->error = DOCA_ERROR_NOT_PERMITTED; // a client may guess a key before there is a grant
    grants->slots[grant->index] = grant;
    list_append(&grants->free, &grant->free);
    return 0;
}

static struct engine_owner *owner_get(struct idmap *owners, const struct engine_range *range)
{
    struct engine_owner *owner = idmap_get(owners, range->owner, struct engine_owner, id);
    if (owner) {
        owner->references++;
        return owner;
    }
    owner = calloc(1, sizeof(*owner));
    if (!owner)
        return NULL;
    owner->references = 1;
    owner->owners = owners;
    owner->uid = range->uid;
    pthread_mutex_init(&owner->words, NULL);
    idmap_add(owners, &owner->id, range->owner);
    return owner;
}

static struct engine_owner *owner_put(struct engine_owner *owner)
{
    if (!owner || --owner->references > 0)
        return NULL;
    idmap_remove(owner->owners, &owner->id);
    pthread_mutex_destroy(&owner->words);
    free(owner);
    return NULL;
}

// Puts the grant at a free place, with this generation.
static int put(struct engine_grant *grant, struct idmap *owners, const struct engine_range *range,
               uint16_t generation)
{
    bool mapped = range->window || engine_event_counter(range->event);
    if (!mapped && !range->owner_memory)
        return -EBADF;
    struct engine_owner *owner = owner_get(owners, range);
    if (!owner)
        return -ENOMEM;
    list_remove(&grant->free);
    *grant =
        (struct engine_grant){.index = grant->index,
                              .owner = owner,
                              .owner_memory = mapped ? NULL : shared_fd_ref(range->owner_memory),
                              .window = range->window,
                              .event = range->event,
                              .memory = range->memory,
                              .address = range->address,
                              .length = range->length,
                              .allowed = range->allowed,
                              .any_word = range->any_word,
                              .generation = generation};
    list_init(&grant->free);
    return 0;
}

int engine_grants_add(struct engine_grants *grants, struct idmap *owners,
                      const struct engine_range *range, uint32_t *key)
{
    int r = list_empty(&grants->free) ? make_place(grants) : 0;
    if (r < 0)
        return r;
    struct engine_grant *grant = list_entry(grants->free.next, struct engine_grant, free);
    r = put(grant, owners, range, (uint16_t)(grant->generation + 1));
    if (r == 0)
        *key = (uint32_t)grant->generation << 16 | grant->index;
    return r;
}

int engine_grants_restore(struct engine_grants *grants, struct idmap *owners,
                          const struct engine_range *range, uint32_t key)
{
    uint32_t index = key & 0xffff;
    int r = 0;

    while (r == 0 && grants->n_made <= index)
        r = make_place(grants);
    if (r == 0 && !list_linked(&grants->slots[index]->free))
        r = -EEXIST;
    return r < 0 ? r : put(grants->slots[index], owners, range, (uint16_t)(key >> 16));
}

struct engine_grant *engine_grants_find(const struct engine_grants *grants, uint32_t key)
{
    uint32_t index = key & 0xffff;
    if (index >= grants->n_made)
        return NULL;
    struct engine_grant *grant = grants->slots[index];
    return grant->generation == key >> 16 ? grant : NULL;
}

void engine_grant_close(struct engine_grant *grant, struct list *windows)
{
    if (grant->window)
        list_append(windows, &grant->window->in_windows);
    grant->window = NULL;
    grant->event = engine_event_free(grant->event);
    grant->owner_memory = shared_fd_unref(grant->owner_memory);
    grant->owner = owner_put(grant->owner);
}

void engine_grant_retire(struct engine_grants *grants, struct engine_grant *grant)
{
    list_append(&grants->free, &grant->free);
}

void engine_grants_fini(struct engine_grants *grants, struct list *windows)
{
    for (uint32_t i = 0; i < grants->n_made; i++) {
        engine_grant_close(grants->slots[i], windows);
        free(grants->slots[i]);
    }
    free(grants->slots);
    engine_grants_init(grants);
}
