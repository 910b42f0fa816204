// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "dma_engine.h"

#include "queue/broker.h"
#include "queue/broker_queue.h"

#include <string.h>

static const uint8_t *place(const struct doca_buf *buf, const uint8_t *address)
{
    return address + buf->to_local;
}

bool dma_engine_wanted(const struct work_item *item)
{
    const struct dma_job *job = (const struct dma_job *)item->job;
    const struct doca_buf *src = job->src, *dst = job->dst;
    const struct broker_node *engine = src->memory->copier;

    if (!engine || dst->memory->copier != engine || job->total <= src->memory->copies_over ||
        !dst->memory->copy_writable || src->next || dst->next)
        return false;
    // Pieces that overlap must be copied in the right order.
    const uint8_t *from = place(src, dma_span(job, src, false).start);
    const uint8_t *to = place(dst, dma_span(job, dst, true).start);
    if (from < to + job->total && to < from + job->total)
        return false;
    return broker_port_queue(item->link->port, engine) != NULL;
}

bool dma_engine_reaches(const struct dma_job *job, const struct doca_buf *buf, struct bytes *bytes)
{
    const struct memory *memory = bytes->memory;

    if (memory->copier != job->src->memory->copier)
        return false;
    return memory->imported ? bytes->local != NULL
                            : mmap_stretch(buf->mmap, bytes->address, &bytes->length);
}

enum dma_handed dma_engine_submit(struct work_item *item, const struct bytes *from,
                                  const struct bytes *to, size_t length,
                                  void (*over)(struct broker_piece *piece, doca_error_t status))
{
    struct broker_queue *queue = broker_port_queue(item->link->port, from->memory->copier);
    const struct qp_copy copy = {.from = from->address,
                                 .to = to->address,
                                 .length = length,
                                 .from_key = from->memory->copy_key,
                                 .to_key = to->memory->copy_key};

    if (!queue)
        return DMA_NOT_SUBMITTED;
    struct broker_piece *piece = broker_piece_take(queue);
    if (!piece)
        return DMA_NO_ROOM;
    piece->owner = item;
    piece->hop = NULL;
    piece->from = from->memory;
    piece->from_local = from->local;
    piece->memory = to->memory;
    piece->local = to->local;
    piece->size = length;
    piece->length = sizeof(copy);
    memcpy(broker_piece_data(piece), &copy, sizeof(copy));
    if (broker_piece_post(piece, QP_COPY, 0, 0, over) != DOCA_SUCCESS) {
        broker_piece_put(piece);
        return DMA_NOT_SUBMITTED;
    }
    broker_queue_ring(queue);
    return DMA_SUBMITTED;
}
