// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA jobs on worker threads: digests, the order of segments, imported memory, and wake-ups.

#include "fake_sha.h"
#include "../worker_watch.h"
#include "unit.h"
#include "work/workq.h"

#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define LONG_SIZE (3 * SHA_STEP + 777)
#define N_JOBS    6

static const volatile ptrdiff_t SHIFT = (ptrdiff_t)1 << 40;
static uint8_t out[N_JOBS][64];
static uint8_t *large;
static struct doca_mmap out_map, large_map;

static void setup_mode(int workers, bool event_driven)
{
    fake_sha_workers = workers;
    fake_sha_setup(16, event_driven);
    large = malloc(LONG_SIZE);
    fake_sha_fill(large, LONG_SIZE, 5);
    large_map = fake_map(large, LONG_SIZE, DOCA_ACCESS_LOCAL_READ_WRITE);
    out_map = fake_map(out, sizeof(out), DOCA_ACCESS_LOCAL_READ_WRITE);
}

static void teardown(void)
{
    fake_sha_teardown();
    free(large);
}

// How many items workers have, or had and were not retrieved.
static uint32_t offloaded(void)
{
    return workq_link(fake_workq, doca_sha_as_ctx(fake_sha))->executor->kept;
}

static doca_error_t wait_for(uint64_t *id)
{
    doca_error_t r;
    while ((r = fake_sha_retrieve(id)) == DOCA_ERROR_AGAIN)
        sched_yield();
    return r;
}

START_TEST(long_jobs_are_handed_over)
{
    struct doca_buf *req[N_JOBS], *resp[N_JOBS];
    bool seen[N_JOBS] = {false};
    setup_mode(2, false);
    for (size_t i = 0; i < N_JOBS; i++) {
        size_t n = i ? LONG_SIZE - i : SHA_OFFLOAD_FROM - 1; // the first is short
        req[i] = fake_buffer(&large_map, large + i, n, n);
        resp[i] = fake_buffer(&out_map, out[i], 64, 0);
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1 + (int)i % 3, req[i], resp[i], i),
                         DOCA_SUCCESS);
        ck_assert_uint_eq(offloaded(), i);
    }
    for (size_t i = 0; i < N_JOBS; i++) {
        uint64_t id;
        ck_assert_int_eq(wait_for(&id), DOCA_SUCCESS);
        ck_assert(!seen[id]);
        seen[id] = true;
    }
    ck_assert_uint_eq(offloaded(), 0);
    for (size_t i = 0; i < N_JOBS; i++) {
        fake_sha_check(DOCA_SHA_JOB_SHA1 + (int)i % 3, large + i, req[i]->data_len, out[i]);
        ck_assert_uint_eq(resp[i]->data_len, fake_sha_size(DOCA_SHA_JOB_SHA1 + (int)i % 3));
        fake_drop(req[i]);
        fake_drop(resp[i]);
    }
    teardown();
}
END_TEST

// A segment waits for the one before it, and is handed over by the poll that finds its turn.
START_TEST(segments_stay_in_order)
{
    struct doca_sha_partial_session *s;
    struct doca_buf *req[5], *resp;
    const size_t sizes[5] = {SHA_STEP, 64, 2 * SHA_OFFLOAD_FROM, 128, SHA_STEP + 1};
    size_t at = 0;
    setup_mode(2, false);
    ck_assert_int_eq(doca_sha_partial_session_create(fake_sha, fake_workq, &s), DOCA_SUCCESS);
    resp = fake_buffer(&out_map, out[0], 64, 0);
    for (size_t i = 0; i < 5; i++) {
        req[i] = fake_buffer(&large_map, large + at, sizes[i], sizes[i]);
        at += sizes[i];
        ck_assert_int_eq(fake_sha_segment(DOCA_SHA_JOB_SHA256_PARTIAL, s, req[i], resp, i == 4, i),
                         DOCA_SUCCESS);
        ck_assert_uint_eq(offloaded(), 1);
    }
    for (size_t i = 0; i < 5; i++) {
        uint64_t id;
        ck_assert_int_eq(wait_for(&id), DOCA_SUCCESS);
        ck_assert_uint_eq(id, i);
        fake_drop(req[i]);
    }
    fake_sha_check(DOCA_SHA_JOB_SHA256, large, at, out[0]);
    fake_drop(resp);
    teardown();
}
END_TEST

// On workers, and without any.
START_TEST(touches_are_announced)
{
    const size_t size = 2 * SHA_STEP;
    struct doca_mmap import;
    setup_mode(_i, false); // 0, 1 or 2 workers
    uint8_t *pages = watched_pages(size);
    fake_sha_fill(pages, size, 1);
    fake_import(&import, pages, size, DOCA_ACCESS_DPU_READ_WRITE, SHIFT);
    fake_part(&import, 0, true);
    struct doca_buf *req = fake_buffer(&import, pages + 64 + SHIFT, size - 64, size - 64);
    struct doca_buf *resp = fake_buffer(&import, pages + SHIFT, 64, 0);
    watch_begin(pages, size, import.memory.import_id);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req, resp, 1), DOCA_SUCCESS);
    ck_assert_uint_eq(offloaded(), _i > 0);
    ck_assert_int_eq(wait_for(NULL), DOCA_SUCCESS);
    ck_assert_uint_ge(watch_touches(), size / 4096);
    ck_assert_uint_eq(watch_end(), 0);
    fake_sha_check(DOCA_SHA_JOB_SHA256, pages + 64, size - 64, pages);
    fake_drop(req);
    fake_drop(resp);
    teardown();
}
END_TEST

// None of it is touched after it was revoked.
START_TEST(imported_memory)
{
    struct doca_mmap import;
    setup_mode(2, false);
    fake_import(&import, large, LONG_SIZE, DOCA_ACCESS_DPU_READ_WRITE, SHIFT);
    fake_part(&import, 0, true);
    struct doca_buf *req =
        fake_buffer(&import, large + 1000 + SHIFT, LONG_SIZE - 1000, LONG_SIZE - 1000);
    struct doca_buf *resp = fake_buffer(&import, large + SHIFT, 64, 0);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA512, req, resp, 1), DOCA_SUCCESS);
    ck_assert_uint_eq(offloaded(), 1);
    ck_assert_int_eq(wait_for(NULL), DOCA_SUCCESS);
    fake_sha_check(DOCA_SHA_JOB_SHA512, large + 1000, LONG_SIZE - 1000, large);
    resp->data_len = 0;
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA512, req, resp, 1), DOCA_SUCCESS);
    fake_set_state(import.memory.import_id, SLOT_REVOKED);
    doca_error_t r = wait_for(NULL); // perhaps it was done before
    ck_assert(r == DOCA_ERROR_NOT_PERMITTED || r == DOCA_SUCCESS);
    ck_assert_int_eq(resp->data_len > 0, r == DOCA_SUCCESS);
    resp->data_len = 0;
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA512, req, resp, 1), DOCA_SUCCESS);
    ck_assert_int_eq(wait_for(NULL), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(resp->data_len, 0);
    fake_drop(req);
    fake_drop(resp);
    teardown();
}
END_TEST

START_TEST(an_end_wakes_the_program)
{
    doca_event_handle_t handle;
    setup_mode(1, true);
    ck_assert_int_eq(doca_workq_get_event_handle(fake_workq, &handle), DOCA_SUCCESS);
    struct doca_buf *req = fake_buffer(&large_map, large, LONG_SIZE, LONG_SIZE);
    struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
    for (unsigned i = 0; i < 20; i++) {
        struct pollfd p = {.fd = handle, .events = POLLIN};
        doca_error_t r;
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req, resp, 1), DOCA_SUCCESS);
        do {
            ck_assert_int_eq(doca_workq_event_handle_arm(fake_workq), DOCA_SUCCESS);
            ck_assert_int_eq(poll(&p, 1, -1), 1);
            ck_assert_int_eq(doca_workq_event_handle_clear(fake_workq, handle), DOCA_SUCCESS);
        } while ((r = fake_sha_retrieve(NULL)) == DOCA_ERROR_AGAIN);
        ck_assert_int_eq(r, DOCA_SUCCESS);
    }
    fake_sha_check(DOCA_SHA_JOB_SHA256, large, LONG_SIZE, out[0]);
    fake_drop(req);
    fake_drop(resp);
    teardown();
}
END_TEST

// A job that is alone in its thread is computed by the polls, unless it is long; one that joins
// another is handed over, and so is one whose thread is about to sleep.
START_TEST(jobs_that_are_alone)
{
    doca_event_handle_t handle;
    struct doca_buf *req[2], *resp[2];
    setup_mode(2, true);
    ck_assert_int_eq(doca_workq_get_event_handle(fake_workq, &handle), DOCA_SUCCESS);
    for (size_t i = 0; i < 2; i++) {
        req[i] = fake_buffer(&large_map, large, LONG_SIZE - i, LONG_SIZE - i);
        resp[i] = fake_buffer(&out_map, out[i], 64, 0);
    }
    worker_alone_times = LONG_SIZE / SHA_OFFLOAD_FROM + 1;
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req[0], resp[0], 0), DOCA_SUCCESS);
    ck_assert_uint_eq(offloaded(), 0);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req[1], resp[1], 1), DOCA_SUCCESS);
    ck_assert_uint_eq(offloaded(), 1);
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(wait_for(NULL), DOCA_SUCCESS);
    resp[0]->data_len = 0;
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req[0], resp[0], 0), DOCA_SUCCESS);
    ck_assert_uint_eq(offloaded(), 0);
    (void)fake_sha_retrieve(NULL); // begins
    ck_assert_uint_eq(offloaded(), 0);
    ck_assert_int_eq(wait_for(NULL), DOCA_SUCCESS);
    resp[0]->data_len = 0;
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req[0], resp[0], 0), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_event_handle_arm(fake_workq), DOCA_SUCCESS);
    ck_assert_uint_eq(offloaded(), 1);
    ck_assert_int_eq(wait_for(NULL), DOCA_SUCCESS);
    worker_alone_times = LONG_SIZE / SHA_OFFLOAD_FROM;
    resp[0]->data_len = 0;
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req[0], resp[0], 0), DOCA_SUCCESS);
    ck_assert_uint_eq(offloaded(), 1);
    ck_assert_int_eq(wait_for(NULL), DOCA_SUCCESS);
    for (size_t i = 0; i < 2; i++) {
        fake_sha_check(DOCA_SHA_JOB_SHA1, large, LONG_SIZE - i, out[i]);
        fake_drop(req[i]);
        fake_drop(resp[i]);
    }
    teardown();
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("sha_workers");
    tcase_add_test(tcase, jobs_that_are_alone);
    tcase_add_test(tcase, long_jobs_are_handed_over);
    tcase_add_test(tcase, segments_stay_in_order);
    tcase_add_loop_test(tcase, touches_are_announced, 0, 3);
    tcase_add_test(tcase, imported_memory);
    tcase_add_test(tcase, an_end_wakes_the_program);
    return unit_run_case("sha_workers", tcase);
}
