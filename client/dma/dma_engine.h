// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Copies that docad's engine makes, so that the application's CPU is free: of large jobs,
// where the administrator wants it, from one buffer to another that are both in memory
// files. Whatever the engine does not do is done here.

#ifndef CLIENT_DMA_DMA_ENGINE_H
#define CLIENT_DMA_DMA_ENGINE_H

#include "dma_job.h"
#include "work/bytes.h"

struct broker_piece;

// Is a checked job one for the engine?
bool dma_engine_wanted(const struct work_item *item);

// Can the engine get at the first of these bytes? *length is cut to where that changes.
bool dma_engine_reaches(const struct dma_job *job, const struct doca_buf *buf, struct bytes *bytes);

enum dma_handed { DMA_HANDED, DMA_NO_ROOM, DMA_NOT_HANDED };

// Hands a piece to the engine; `over` is called with the item when it is done.
enum dma_handed dma_engine_hand(struct work_item *item, const struct bytes *from,
                                const struct bytes *to, size_t length,
                                void (*over)(struct broker_piece *piece, doca_error_t status));

#endif
