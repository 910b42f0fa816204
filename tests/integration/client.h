// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Common steps of the tests' client processes: they export memory on the host, and copy from and
// to it on the DPU. Every error fails the test, unless the function returns it.

#ifndef INTEGRATION_CLIENT_H
#define INTEGRATION_CLIENT_H

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_docad.h>
#include <doca_mmap.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct doca_workq;

#define HOST_PF0 "0b:00.0"
#define HOST_PF1 "0b:00.1"
#define DPU_P0   "03:00.0"
#define DPU_P1   "03:00.1"

// Files that are compiled with the headers of DOCA 3 include this, too.
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 30
#define doca_get_error_name doca_error_get_name
#endif

#define ck_assert_success(expression) ck_assert_error(expression, DOCA_SUCCESS)
#define ck_assert_error(expression, expected)                                                      \
    do {                                                                                           \
        doca_error_t ck_assert_got = (expression);                                                 \
        ck_assert_msg(ck_assert_got == (expected), "%s: %s, not %s", #expression,                  \
                      doca_get_error_name(ck_assert_got), doca_get_error_name(expected));          \
    } while (0)

// Anonymous pages of their own; they go with the process.
uint8_t *pages_new(size_t size);

// Memory that lies in a private file mapping, so that docad cannot move it.
#define BROKERED_SIZE (256u * 1024)
extern uint8_t brokered_memory[BROKERED_SIZE];

struct doca_dev *client_open(const char *pci_address);

// Sleeps until there may be something new, as programs in event-driven mode do.
void workq_sleep(struct doca_workq *workq, doca_event_handle_t handle);

// ---- the host's side ---------------------------------------------------------------

struct exporter {
    struct doca_dev *dev;
    struct doca_mmap *mmap;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t desc_len;
};

void exporter_start(struct exporter *e, const char *pci_address, void *memory, size_t size,
                    uint32_t access);
void exporter_stop(struct exporter *e);

// ---- the DPU's side ------------------------------------------------------------------

struct copier {
    struct doca_dev *dev;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
    struct doca_buf_inventory *inventory;
    uint8_t *memory;
    size_t size;
    struct doca_mmap *local;
    struct doca_mmap *remote; // NULL until copier_import()
    uint8_t *address;         // of the exporter
    size_t length;
};

void copier_start(struct copier *c, const char *pci_address, size_t size);
void copier_stop(struct copier *c);

void copier_import(struct copier *c, const void *desc, size_t desc_len);
doca_error_t copier_try_import(struct copier *c, const void *desc, size_t desc_len);
void copier_release(struct copier *c);

// Copies between the start of the local memory and the imported range at `offset`.
// Returns DOCA_SUCCESS, or why the job failed.
doca_error_t copier_read(struct copier *c, size_t offset, size_t length);
doca_error_t copier_write(struct copier *c, size_t offset, size_t length);

// Copies again and again until a job fails; returns why. Fails the test if none does
// within the harness's limit.
doca_error_t copier_read_until_error(struct copier *c);

#endif
