// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine_copy.h"

#include "cleanup.h"
#include "segments.h"

#include <doca_error.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define STEP ((size_t)256 << 10) // takes some 20 microseconds
#define PIECE                                                                                      \
    ((size_t)32                                                                                    \
     << 20) // unmapped in one call, during which other threads cannot map or allocate memory

// ---- windows -------------------------------------------------------------------------

int engine_window_new(struct engine_window **out, int file, const struct segments *segments,
                      bool writable)
{
    struct engine_window *window =
        calloc(1, sizeof(*window) + segments->count * sizeof(window->parts[0]));
    if (!window)
        return -ENOMEM;
    void *base = mmap(NULL, segments->memfd_size, PROT_READ | (writable ? PROT_WRITE : 0),
                      MAP_SHARED | MAP_NORESERVE, file, 0);
    if (base == MAP_FAILED) {
        int r = -errno;
        free(window);
        return r;
    }
    list_init(&window->in_windows);
    window->base = base;
    window->size = segments->memfd_size;
    for (size_t i = 0; i < segments->count; i++) {
        const struct segment *s = &segments->items[i];
        if (s->mapped)
            window->parts[window->n_parts++] =
                (struct engine_window_part){s->address, s->length, s->offset};
    }
    *out = window;
    return 0;
}

static void unmap(struct engine_window *window)
{
    for (uint64_t at = 0; at < window->size; at += PIECE) {
        uint64_t left = window->size - at;
        munmap(window->base + at, left < PIECE ? (size_t)left : PIECE);
    }
}

struct engine_window *engine_window_free(struct engine_window *window)
{
    if (!window)
        return NULL;
    unmap(window);
    free(window);
    return NULL;
}

static void unmap_work(struct chore *chore)
{
    unmap(container_of(chore, struct engine_window, unmapping));
}

static void unmap_done(struct chore *chore)
{
    free(container_of(chore, struct engine_window, unmapping));
}

void engine_window_free_later(struct engine_window *window, struct chores *chores)
{
    window->unmapping = (struct chore){.work = unmap_work, .done = unmap_done};
    if (!chores_add(chores, &window->unmapping))
        engine_window_free(window); // takes long, but not for ever
}

// Finds where an address is mapped, and how far the mapping continues, up to *length. NULL
// if it is not mapped.
static uint8_t *window_find(const struct engine_window *window, uint64_t address, size_t *length)
{
    for (size_t i = 0; i < window->n_parts; i++) {
        const struct engine_window_part *part = &window->parts[i];
        if (address < part->address || address - part->address >= part->length)
            continue;
        uint64_t into = address - part->address, left = part->length - into;
        *length = left < *length ? (size_t)left : *length;
        return window->base + part->offset + into;
    }
    return NULL;
}

// ---- copies --------------------------------------------------------------------------

uint32_t engine_copy_begin(struct engine_copy *copy, const struct qp_request *r,
                           const uint8_t *data)
{
    if (r->length != sizeof(copy->what) ||
        r->offset > QP_CHUNKS * QP_CHUNK_SIZE - sizeof(copy->what))
        return DOCA_ERROR_INVALID_VALUE;
    memcpy(&copy->what, data + r->offset, sizeof(copy->what)); // read once
    if (copy->what.length == 0 || copy->what.from > UINT64_MAX - copy->what.length ||
        copy->what.to > UINT64_MAX - copy->what.length)
        return DOCA_ERROR_INVALID_VALUE;
    copy->done = 0;
    copy->tag = r->tag;
    copy->under_way = true;
    return DOCA_SUCCESS;
}

static uint32_t check_grant(const struct engine_grant *grant, enum qp_opcode opcode)
{
    if (!grant)
        return DOCA_ERROR_NOT_PERMITTED;
    if (grant->error != DOCA_SUCCESS)
        return grant->error;
    return grant->window && (grant->allowed & 1u << opcode) ? DOCA_SUCCESS
                                                            : DOCA_ERROR_NOT_PERMITTED;
}

uint32_t engine_copy_next(const struct engine_copy *copy, const struct engine_grants *grants,
                          struct engine_step *out)
{
    const struct qp_copy *what = &copy->what;
    struct engine_step step = {.from = engine_grants_find(grants, what->from_key),
                               .to = engine_grants_find(grants, what->to_key)};

    uint32_t status = check_grant(step.from, QP_READ);
    if (status == DOCA_SUCCESS)
        status = check_grant(step.to, QP_WRITE);
    if (status != DOCA_SUCCESS)
        return status;
    uint64_t left = what->length - copy->done;
    step.length = left < STEP ? (size_t)left : STEP;
    step.source = window_find(step.from->window, what->from + copy->done, &step.length);
    step.target = window_find(step.to->window, what->to + copy->done, &step.length);
    if (!step.source || !step.target)
        return DOCA_ERROR_NOT_PERMITTED;
    *out = step;
    return DOCA_SUCCESS;
}
