// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The setting for tests of DMA jobs: a context with a work queue and an inventory, on maps and
// engines of fake_core.h.

#ifndef TESTS_DMA_RIG_H
#define TESTS_DMA_RIG_H

#include "buf/buf.h"
#include "fake_core.h"

#include <doca_buf_inventory.h>
#include <doca_dma.h>

// The distance from our addresses to those of an owner. It is volatile, so that the compiler does
// not take the sums for addresses of ours.
extern const volatile ptrdiff_t SHIFT;

// The owner's address of an importer's byte. Not by the pointer's own arithmetic: it is outside of
// the array, which UndefinedBehaviorSanitizer reports.
static inline uint8_t *shifted(const void *byte)
{
    return (uint8_t *)((uintptr_t)byte + (uintptr_t)SHIFT);
}

extern const uint8_t node_a[NODE_ID_SIZE], node_b[NODE_ID_SIZE];

extern struct doca_dma *dma;
extern struct doca_ctx *ctx;
extern struct doca_workq *workq;
extern struct doca_buf_inventory *inventory;

void setup_mode(bool event_driven);
void setup(void);     // polling
void setup_1_5(void); // of the 1.5 interface
void teardown(void);

struct doca_buf *buffer(struct doca_mmap *map, const void *addr, size_t len, size_t data_len);
void drop(struct doca_buf *buf);
void chain(struct doca_buf *list, struct doca_buf *more);

doca_error_t try_submit(const struct doca_buf *src, struct doca_buf *dst, uint64_t id);
void submit(const struct doca_buf *src, struct doca_buf *dst, uint64_t id);

// Returns AGAIN, or how the next job ended; *id (may be NULL) is its user data.
doca_error_t retrieve(uint64_t *id);

// Submits, and retrieves at once.
doca_error_t copy(const struct doca_buf *src, struct doca_buf *dst);

// The same while the engines work.
doca_error_t copy_served(const struct doca_buf *src, struct doca_buf *dst);

// Lets each engine serve a request.
void serve_all(void);

void fill(uint8_t *p, size_t n, unsigned seed);
struct doca_mmap local_map(void *p, size_t n);

// Makes an import of `n` bytes at `p` on node a or b, with the first `head` and the last `tail`
// bytes brokered. The caller releases it.
void brokered_import(struct doca_mmap *map, uint8_t *p, size_t n, size_t head, size_t tail,
                     const uint8_t *node);
void release(struct doca_mmap *map);

#endif
