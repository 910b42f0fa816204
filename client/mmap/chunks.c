// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "mmap/chunks.h"

#include "mmap/mmap_object.h"
#include "mmap/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

struct chunks *chunks_new(void)
{
    struct chunks *chunks = calloc(1, sizeof(*chunks));
    if (chunks)
        chunks->max = 1;
    return chunks;
}

void chunks_end(struct chunks *chunks)
{
    if (!chunks)
        return;
    for (size_t i = 0; i < chunks->n_frees; i++) {
        const struct chunk_free *f = &chunks->frees[i];
        f->free_cb(f->address, f->length, f->opaque);
    }
    free(chunks->frees);
    chunk_set_fini(&chunks->set);
    free(chunks);
}

// Returns whether all of the range is mapped. The kernel only walks over its mappings.
static bool all_mapped(uintptr_t start, uintptr_t end)
{
    uintptr_t first = page_down(start);
    return msync((void *)first, end - first, MS_ASYNC) == 0;
}

// Reading the list of mappings takes far longer than everything else here, and chunks are often
// adjacent: so the memory around a chunk is examined, too.
static doca_error_t check_memory(struct chunks *chunks, uintptr_t start, size_t length,
                                 uint32_t access, struct errtext *err)
{
    uintptr_t end = start + length;

    if (start >= chunks->checked && end <= chunks->checked_end && all_mapped(start, end))
        return DOCA_SUCCESS;
    return backing_check(start, length, access, &chunks->checked, &chunks->checked_end, err);
}

static doca_error_t keep_callback(struct chunks *chunks, const struct chunk_free *chunk,
                                  struct errtext *err)
{
    size_t n = chunks->n_frees;

    if ((n & (n - 1)) == 0) {
        struct chunk_free *more = realloc(chunks->frees, (n ? n * 2 : 1) * sizeof(*more));
        if (!more)
            return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
        chunks->frees = more;
    }
    chunks->frees[n] = *chunk;
    return DOCA_SUCCESS;
}

doca_error_t chunks_add(struct doca_mmap *mmap, const struct chunk_free *chunk, struct errtext *err)
{
    struct chunks *chunks = mmap->chunks;
    uintptr_t start = (uintptr_t)chunk->address;

    if (chunks->n == chunks->max)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "the map has %u chunks, as many as it can take; set a larger number "
                           "before you start it",
                           chunks->n);
    if (chunks->disjoint && chunk_set_meets(&chunks->set, start, chunk->length))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "%zu bytes at %p overlap a chunk of the map", chunk->length,
                           chunk->address);
    doca_error_t e = check_memory(chunks, start, chunk->length, mmap->memory.access, err);
    if (e == DOCA_SUCCESS && chunk->free_cb)
        e = keep_callback(chunks, chunk, err);
    if (e == DOCA_SUCCESS && !chunk_set_add(&chunks->set, start, chunk->length))
        e = errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    if (e != DOCA_SUCCESS)
        return e;
    chunks->n_frees += chunk->free_cb != NULL;
    if (chunks->n++ == 0) {
        mmap->memory.start = start;
        mmap->memory.length = chunk->length;
        mmap->has_range = true;
    }
    return DOCA_SUCCESS;
}

bool mmap_has_chunk(const struct doca_mmap *mmap, uintptr_t start, size_t length)
{
    return mmap->chunks && chunk_set_has(&mmap->chunks->set, start, length);
}
