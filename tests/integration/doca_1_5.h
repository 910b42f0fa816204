// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Common steps of the tests of the 1.5 interface. For files that are compiled with
// DOCA_USE_VERSION=15.

#ifndef INTEGRATION_DOCA_1_5_H
#define INTEGRATION_DOCA_1_5_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define HOST_PF0 "0b:00.0"
#define HOST_PF1 "0b:00.1"
#define DPU_P0   "03:00.0"

#define ck_assert_success(expression) ck_assert_error(expression, DOCA_SUCCESS)
#define ck_assert_error(expression, expected)                                                      \
    do {                                                                                           \
        doca_error_t ck_assert_got = (expression);                                                 \
        ck_assert_msg(ck_assert_got == (expected), "%s: %s, not %s", #expression,                  \
                      doca_get_error_name(ck_assert_got), doca_get_error_name(expected));          \
    } while (0)

struct rig_1_5 {
    struct doca_dev *dev;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_workq *workq; // of depth 32
    struct doca_buf_inventory *inventory;
    doca_event_handle_t handle; // in event-driven mode
};

struct doca_dev *open_1_5(const char *pci_address);
void rig_1_5_open(struct rig_1_5 *r, const char *pci_address, size_t buffers, bool event_driven);
void rig_1_5_close(struct rig_1_5 *r);

// Makes a started map with a device and one chunk.
struct doca_mmap *map_1_5(struct doca_dev *dev, void *memory, size_t size);

// Make a buffer without data, and one that is full of data.
struct doca_buf *room_1_5(struct rig_1_5 *r, struct doca_mmap *map, void *address, size_t size);
struct doca_buf *data_1_5(struct rig_1_5 *r, struct doca_mmap *map, void *address, size_t size);

struct doca_dma_job_memcpy job_1_5(struct rig_1_5 *r, struct doca_buf *from, struct doca_buf *to);
// Waits for an event and returns its result.
doca_error_t retrieve_1_5(struct rig_1_5 *r);
doca_error_t copy_1_5(struct rig_1_5 *r, struct doca_buf *from, struct doca_buf *to);

#endif
