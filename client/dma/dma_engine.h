// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Copies by docad's engine, so that the application's CPU is free: for large jobs, if the
// administrator has enabled it, between two buffers that are both in memory files. All other jobs
// are copied here.
//
// The workers (workers/workers.h) do not copy. This was measured on two cores with a last-level
// cache of 32 MiB, with 256 KiB to 16 MiB cut into two halves, for a second thread that spins and
// need not be woken (a wake-up takes 5 to 20 us, of 115 us for 1 MiB). If its core is free, the
// copy takes 0.65 to 0.75 of the time that one thread takes. If it is not, the job waits for the
// other half: above 4 MiB ten to thirty times as long. The job cannot predict which of the two will
// happen; and both halves share the memory's bandwidth with everything else. A program whose thread
// is to be free can use the engine.

#ifndef CLIENT_DMA_DMA_ENGINE_H
#define CLIENT_DMA_DMA_ENGINE_H

#include "dma_job.h"
#include "work/bytes.h"

struct broker_piece;

// Returns whether a checked job is one for the engine.
bool dma_engine_wanted(const struct work_item *item);

// Returns whether the engine can reach the first of these bytes. Cuts *length to where that
// changes.
bool dma_engine_reaches(const struct dma_job *job, const struct doca_buf *buf, struct bytes *bytes);

enum dma_handed { DMA_SUBMITTED, DMA_NO_ROOM, DMA_NOT_SUBMITTED };

// Submits a piece to the engine, which calls `over` with the item when it is done.
enum dma_handed dma_engine_submit(struct work_item *item, const struct bytes *from,
                                  const struct bytes *to, size_t length,
                                  void (*over)(struct broker_piece *piece, doca_error_t status));

#endif
