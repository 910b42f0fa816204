// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine_grants.h"

#include "cleanup.h"

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

int engine_grants_add(struct engine_grants *grants, const struct engine_range *range, uint32_t *key)
{
    uint32_t index;
    cleanup_fd int fd = fcntl(range->memory_fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    int r = find_free(grants, &index);
    if (r < 0)
        return r;
    struct engine_grant *grant = grants->slots[index];
    if (!grant && !(grant = calloc(1, sizeof(*grant))))
        return -ENOMEM;
    *grant = (struct engine_grant){.memory_fd = steal_fd(&fd),
                                   .address = range->address,
                                   .length = range->length,
                                   .writable = range->writable,
                                   .used = true,
                                   .generation = (uint16_t)(grant->generation + 1)};
    grants->slots[index] = grant;
    *key = (uint32_t)grant->generation << 16 | index;
    return 0;
}

struct engine_grant *engine_grants_find(const struct engine_grants *grants, uint32_t key)
{
    uint32_t index = key & 0xffff;
    if (index >= grants->n_slots)
        return NULL;
    struct engine_grant *grant = grants->slots[index];
    return grant && grant->generation == key >> 16 ? grant : NULL;
}

void engine_grant_close(struct engine_grant *grant)
{
    close_fdp(&grant->memory_fd);
}

void engine_grant_retire(struct engine_grant *grant)
{
    grant->used = false;
}

void engine_grants_fini(struct engine_grants *grants)
{
    for (uint32_t i = 0; i < grants->n_slots; i++) {
        if (grants->slots[i])
            close_fdp(&grants->slots[i]->memory_fd);
        free(grants->slots[i]);
    }
    free(grants->slots);
    *grants = (struct engine_grants){0};
}
