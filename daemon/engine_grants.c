// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine_grants.h"

#include "cleanup.h"
#include "engine_copy.h"
#include "engine_event.h"

#include <errno.h>
#include <fcntl.h>

#define SLOTS_MAX 65536u

static int grow(struct engine_grants *grants)
{
    uint32_t n = grants->n_slots ? grants->n_slots * 2 : 8;
    if (n > SLOTS_MAX)
        return -ENOSPC;
    struct engine_grant **slots = realloc(grants->slots, n * sizeof(struct engine_grant *));
    if (!slots)
        return -ENOMEM;
    grants->slots = slots;
    for (; grants->n_slots < n; grants->n_slots++)
        slots[grants->n_slots] = NULL;
    return 0;
}

static int find_free(struct engine_grants *grants, uint32_t *index)
{
    for (uint32_t i = 0; i < grants->n_slots; i++) {
        if (!grants->slots[i] || !grants->slots[i]->used) {
            *index = i;
            return 0;
        }
    }
    *index = grants->n_slots;
    return grow(grants);
}

static struct engine_owner *owner_get(struct list *owners, const struct engine_range *range)
{
    struct engine_owner *owner;
    list_for_each (owner, owners, link) {
        if (owner->id == range->owner) {
            owner->references++;
            return owner;
        }
    }
    owner = calloc(1, sizeof(*owner));
    if (!owner)
        return NULL;
    owner->references = 1;
    owner->id = range->owner;
    owner->uid = range->uid;
    pthread_mutex_init(&owner->words, NULL);
    list_append(owners, &owner->link);
    return owner;
}

static struct engine_owner *owner_put(struct engine_owner *owner)
{
    if (!owner || --owner->references > 0)
        return NULL;
    list_remove(&owner->link);
    pthread_mutex_destroy(&owner->words);
    free(owner);
    return NULL;
}

// At a place that is free, with this generation.
static int put(struct engine_grants *grants, struct list *owners, const struct engine_range *range,
               uint32_t index, const uint16_t *generation)
{
    bool mapped = range->window || engine_event_counter(range->event);
    cleanup_fd int fd = mapped ? -1 : fcntl(range->memory_fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 && !mapped)
        return -errno;
    struct engine_grant *grant = grants->slots[index];
    struct engine_owner *owner = owner_get(owners, range);
    if (!owner || (!grant && !(grant = calloc(1, sizeof(*grant))))) {
        owner_put(owner);
        return -ENOMEM;
    }
    *grant = (struct engine_grant){.owner = owner,
                                   .memory_fd = steal_fd(&fd),
                                   .window = range->window,
                                   .event = range->event,
                                   .memory = range->memory,
                                   .address = range->address,
                                   .length = range->length,
                                   .allowed = range->allowed,
                                   .any_word = range->any_word,
                                   .used = true,
                                   .generation = generation ? *generation
                                                            : (uint16_t)(grant->generation + 1)};
    grants->slots[index] = grant;
    return 0;
}

int engine_grants_add(struct engine_grants *grants, struct list *owners,
                      const struct engine_range *range, uint32_t *key)
{
    uint32_t index;
    int r = find_free(grants, &index);
    if (r == 0)
        r = put(grants, owners, range, index, NULL);
    if (r == 0)
        *key = (uint32_t)grants->slots[index]->generation << 16 | index;
    return r;
}

int engine_grants_restore(struct engine_grants *grants, struct list *owners,
                          const struct engine_range *range, uint32_t key)
{
    uint32_t index = key & 0xffff;
    uint16_t generation = (uint16_t)(key >> 16);
    int r = 0;

    while (r == 0 && grants->n_slots <= index)
        r = grow(grants);
    if (r == 0 && grants->slots[index] && grants->slots[index]->used)
        r = -EEXIST;
    return r < 0 ? r : put(grants, owners, range, index, &generation);
}

struct engine_grant *engine_grants_find(const struct engine_grants *grants, uint32_t key)
{
    uint32_t index = key & 0xffff;
    if (index >= grants->n_slots)
        return NULL;
    struct engine_grant *grant = grants->slots[index];
    return grant && grant->generation == key >> 16 ? grant : NULL;
}

void engine_grant_close(struct engine_grant *grant, struct list *windows)
{
    if (grant->window)
        list_append(windows, &grant->window->link);
    grant->window = NULL;
    grant->event = engine_event_free(grant->event);
    close_fdp(&grant->memory_fd);
    grant->owner = owner_put(grant->owner);
}

void engine_grant_retire(struct engine_grant *grant)
{
    grant->used = false;
}

void engine_grants_fini(struct engine_grants *grants, struct list *windows)
{
    for (uint32_t i = 0; i < grants->n_slots; i++) {
        if (grants->slots[i])
            engine_grant_close(grants->slots[i], windows);
        free(grants->slots[i]);
    }
    free(grants->slots);
    *grants = (struct engine_grants){0};
}
