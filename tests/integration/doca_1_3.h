// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Common steps of the tests of the 1.3 interface. For files that are compiled with
// DOCA_USE_VERSION=13.

#ifndef INTEGRATION_DOCA_1_3_H
#define INTEGRATION_DOCA_1_3_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_docad.h>
#include <doca_error.h>
#include <doca_mmap.h>

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define HOST_PF0 "0b:00.0"
#define DPU_P0   "03:00.0"

#define ck_assert_success(expression) ck_assert_error(expression, DOCA_SUCCESS)
#define ck_assert_error(expression, expected)                                                      \
    do {                                                                                           \
        doca_error_t ck_assert_got = (expression);                                                 \
        ck_assert_msg(ck_assert_got == (expected), "%s: %s, not %s", #expression,                  \
                      doca_get_error_name(ck_assert_got), doca_get_error_name(expected));          \
    } while (0)

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

struct rig_1_3 {
    struct doca_dev *dev;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
};

struct doca_dev *open_1_3(const char *pci_address);
void rig_open(struct rig_1_3 *r, const char *pci_address, size_t buffers);
void rig_close(struct rig_1_3 *r);

// Make a started map, the second one with a device and a chunk.
struct doca_mmap *empty_map_1_3(uint32_t max_chunks);
struct doca_mmap *map_1_3(struct doca_dev *dev, uint32_t max_chunks, void *memory, size_t size);

struct doca_buf *buf_1_3(struct rig_1_3 *r, struct doca_mmap *map, void *address, size_t size);
struct doca_dma_job_memcpy job_1_3(struct rig_1_3 *r, struct doca_buf *from, struct doca_buf *to,
                                   uint64_t n);
// Waits for an event and returns its result.
doca_error_t retrieve_1_3(struct doca_workq *workq);
doca_error_t copy_1_3(struct rig_1_3 *r, struct doca_buf *from, struct doca_buf *to, uint64_t n);

// Tries each call on maps in each of their states, and checks that a refusal changes
// nothing that can be read.
struct states_1_3 {
    bool on_dpu;
    uint8_t desc[256]; // of an export of another process
    size_t desc_size;
};
void states_1_3_run(struct states_1_3 *s);

#endif
