// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A SHA context on a fake device, with a work queue and an inventory, and what tests of
// it do again and again.

#ifndef TESTS_FAKE_SHA_H
#define TESTS_FAKE_SHA_H

#include "fake_core.h"
#include "sha/sha_submit.h"

#include <check.h>
#include <doca_buf_inventory.h>
#include <doca_sha.h>

extern struct doca_sha *fake_sha;
extern struct doca_workq *fake_workq;

// In the thread that polls, unless fake_sha_workers says how many workers there are.
extern int fake_sha_workers;
void fake_sha_setup(uint32_t depth, bool event_driven);
void fake_sha_teardown(void);

// ---- buffers --------------------------------------------------------------------------

struct doca_buf *fake_buffer(struct doca_mmap *map, const void *addr, size_t len, size_t data_len);
void fake_drop(struct doca_buf *buf);
void fake_sha_fill(uint8_t *p, size_t n, unsigned seed);

// ---- jobs -----------------------------------------------------------------------------

struct doca_sha_job fake_sha_job(int type, struct doca_buf *req, struct doca_buf *resp,
                                 uint64_t id);
doca_error_t fake_sha_submit(int type, struct doca_buf *req, struct doca_buf *resp, uint64_t id);
doca_error_t fake_sha_segment(int type, struct doca_sha_partial_session *session,
                              struct doca_buf *req, struct doca_buf *resp, bool final, uint64_t id);

// An event's result, DOCA_ERROR_AGAIN if there is none. `id` may be NULL.
doca_error_t fake_sha_retrieve(uint64_t *id);

// Submits, and retrieves at once.
doca_error_t fake_sha_hash(int type, struct doca_buf *req, struct doca_buf *resp);

// The digest's length; fails the test unless `digest` is that of the bytes.
uint32_t fake_sha_size(int type);
void fake_sha_check(int type, const void *bytes, size_t n, const uint8_t *digest);

#endif
