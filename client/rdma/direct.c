// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps that RDMA peers may read are offered to the other side, if both processes belong to
// the same user. The other side imports each map once, and then copies messages straight out of it.
// The offer is an export like any other, and ends with its map.
// Making an offer and accepting it send requests to docad, in the middle of the data path, but only
// once for each map.
// each map.

#include "quick.h"

#include <doca_mmap.h>
#include <string.h>

static uint32_t offer_word(uint32_t number, enum rdma_offer_state state)
{
    return number << 2 | state;
}

static bool post_offer(struct rdma_end *rdma, uint32_t slot, const struct rdma_offer *offer)
{
    struct rdma_message message = {
        .kind = RDMA_MSG_OFFER, .where = RDMA_IN_CHUNKS, .immediate = offer->number};
    const void *desc;
    size_t size;

    if (!rdma_has_entry(rdma) || !rdma_has_chunk(rdma) ||
        doca_mmap_export_rdma(offer->map, rdma->device, &desc, &size) != DOCA_SUCCESS)
        return false;
    message.length = (uint32_t)size;
    memcpy(rdma->tx->chunks[rdma->filled % RDMA_CHUNKS], desc, size);
    // Release: as with every chunk.
    atomic_store_explicit(&rdma->tx->chunks_filled, ++rdma->filled, memory_order_release);
    rdma_enter(rdma, &message, &slot, sizeof(slot));
    rdma_ring(rdma);
    return true;
}

static void make_offer(struct rdma_end *rdma, struct doca_mmap *map, uint64_t region)
{
    struct rdma_offer offer = {.map = map, .region = region, .number = rdma->n_offers + 1};
    uint32_t slot = rdma->n_offers % RDMA_OFFERS;

    if (!post_offer(rdma, slot, &offer))
        return;
    rdma->n_offers++;
    rdma->ours[slot] = offer;
}

bool rdma_direct_find(struct rdma_end *rdma, const struct doca_buf *buf, uint32_t *offer)
{
    if (!rdma->same_user || !(buf->memory->access & DOCA_ACCESS_RDMA_READ) ||
        !mmap_range_mapped(buf->mmap, (uintptr_t)buf->data, buf->data_len))
        return false;
    uint64_t region = mmap_region(buf->mmap);
    for (uint32_t i = 0; i < RDMA_OFFERS; i++) {
        if (rdma->ours[i].map != buf->mmap || rdma->ours[i].region != region)
            continue;
        *offer = i;
        // Relaxed: it only reports what the other side is ready for.
        return atomic_load_explicit(&rdma->tx->offers[i], memory_order_relaxed) ==
               offer_word(rdma->ours[i].number, RDMA_OFFER_TAKEN);
    }
    make_offer(rdma, buf->mmap, region);
    return false;
}

// ---- the other side's ---------------------------------------------------------------------------

void rdma_direct_take(struct rdma_end *rdma, uint32_t slot, uint32_t number, const void *desc,
                      size_t size)
{
    struct rdma_offer *offer = &rdma->theirs[slot];
    enum rdma_offer_state state = RDMA_OFFER_REFUSED;
    struct doca_mmap *map;

    if (offer->map)
        doca_mmap_destroy(offer->map);
    *offer = (struct rdma_offer){.number = number};
    if (doca_mmap_create_from_export(NULL, desc, size, rdma->device, &map) == DOCA_SUCCESS) {
        offer->map = map;
        state = RDMA_OFFER_TAKEN;
    }
    atomic_store_explicit(&rdma->rx->offers[slot], offer_word(number, state), memory_order_relaxed);
}

const struct memory *rdma_direct_memory(const struct rdma_end *rdma, uint32_t offer)
{
    if (offer >= RDMA_OFFERS || !rdma->theirs[offer].map)
        return NULL;
    return mmap_memory(rdma->theirs[offer].map);
}

void rdma_direct_drop(struct rdma_end *rdma)
{
    for (uint32_t i = 0; i < RDMA_OFFERS; i++)
        if (rdma->theirs[i].map)
            doca_mmap_destroy(rdma->theirs[i].map);
    memset(rdma->theirs, 0, sizeof(rdma->theirs));
    memset(rdma->ours, 0, sizeof(rdma->ours));
    rdma->n_offers = 0;
}
