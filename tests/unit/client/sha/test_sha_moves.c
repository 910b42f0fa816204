// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA jobs that take more than one step: long ones beside short ones, and memory with
// brokered parts, whose engines the test plays.

#include "fake_sha.h"
#include "queue/broker.h"
#include "queue/broker_queue.h"
#include "unit.h"

#include <poll.h>
#include <string.h>

// The distance from our addresses to those of an owner. It is volatile, so that the compiler does
// not take the sums for addresses of ours.
static const volatile ptrdiff_t SHIFT = (ptrdiff_t)1 << 40;

static const uint8_t node_a[NODE_ID_SIZE] = "node a";

#define LONG_SIZE (5 * SHA_STEP + 12345)

static uint8_t out[16][64];
static struct doca_mmap out_map;
static uint8_t *large;
static struct doca_mmap large_map;

static void setup_mode(bool event_driven)
{
    fake_sha_setup(64, event_driven);
    large = malloc(LONG_SIZE);
    fake_sha_fill(large, LONG_SIZE, 5);
    large_map = fake_map(large, LONG_SIZE, DOCA_ACCESS_LOCAL_READ_WRITE);
    out_map = fake_map(out, sizeof(out), DOCA_ACCESS_LOCAL_READ_WRITE);
}

static void setup(void)
{
    setup_mode(false);
}

static void teardown(void)
{
    fake_sha_teardown();
    free(large);
}

// Retrieves until an event comes; counts the calls.
static doca_error_t wait_for(uint64_t *id, unsigned *polls)
{
    doca_error_t r;
    unsigned n = 1;
    while ((r = fake_sha_retrieve(id)) == DOCA_ERROR_AGAIN)
        ck_assert_uint_lt(++n, 100000);
    if (polls)
        *polls = n;
    return r;
}

// ---- long jobs ----------------------------------------------------------------------------

START_TEST(a_long_job_gives_way)
{
    unsigned polls;
    uint64_t id;
    setup();
    struct doca_buf *req = fake_buffer(&large_map, large, LONG_SIZE, LONG_SIZE);
    struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
    struct doca_buf *small = fake_buffer(&large_map, large, 10, 10);
    struct doca_buf *small_resp = fake_buffer(&out_map, out[1], 64, 0);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req, resp, 1), DOCA_SUCCESS);
    for (uint64_t i = 2; i < 5; i++)
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA512, small, small_resp, i), DOCA_SUCCESS);
    // Each short one costs one step of the long one, at most.
    for (uint64_t i = 2; i < 5; i++) {
        ck_assert_int_eq(fake_sha_retrieve(&id), DOCA_SUCCESS);
        ck_assert_uint_eq(id, i);
    }
    ck_assert_int_eq(wait_for(&id, &polls), DOCA_SUCCESS);
    ck_assert_uint_eq(id, 1);
    ck_assert_uint_gt(polls, 1);
    fake_sha_check(DOCA_SHA_JOB_SHA256, large, LONG_SIZE, out[0]);
    fake_sha_check(DOCA_SHA_JOB_SHA512, large, 10, out[1]);
    fake_drop(req);
    fake_drop(resp);
    fake_drop(small);
    fake_drop(small_resp);
    teardown();
}
END_TEST

// Many long jobs, of all algorithms; a round is one step for all.
START_TEST(many_long_jobs)
{
    enum { N = 13 };
    struct doca_buf *req[N], *resp[N];
    unsigned polls = 0;
    uint64_t id;
    setup();
    for (size_t i = 0; i < N; i++) {
        req[i] = fake_buffer(&large_map, large, LONG_SIZE, LONG_SIZE - i);
        resp[i] = fake_buffer(&out_map, out[i], 64, 0);
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1 + (int)i % 3, req[i], resp[i], i),
                         DOCA_SUCCESS);
    }
    for (size_t i = 0; i < N; i++) {
        unsigned more;
        ck_assert_int_eq(wait_for(&id, &more), DOCA_SUCCESS);
        ck_assert_uint_eq(id, i); // the first is done first
        polls += more;
    }
    ck_assert_uint_ge(polls, N * (LONG_SIZE / SHA_STEP));
    for (size_t i = 0; i < N; i++) {
        fake_sha_check(DOCA_SHA_JOB_SHA1 + (int)i % 3, large, LONG_SIZE - i, out[i]);
        fake_drop(req[i]);
        fake_drop(resp[i]);
    }
    teardown();
}
END_TEST

START_TEST(long_segments_stay_in_order)
{
    struct doca_sha_partial_session *s;
    uint64_t id;
    setup();
    ck_assert_int_eq(doca_sha_partial_session_create(fake_sha, fake_workq, &s), DOCA_SUCCESS);
    size_t first = 2 * SHA_STEP + 64;
    struct doca_buf *req[3] = {fake_buffer(&large_map, large, first, first),
                               fake_buffer(&large_map, large + first, 64, 64),
                               fake_buffer(&large_map, large + first + 64, LONG_SIZE - first - 64,
                                           LONG_SIZE - first - 64)};
    struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
    for (uint64_t i = 0; i < 3; i++)
        ck_assert_int_eq(fake_sha_segment(DOCA_SHA_JOB_SHA256_PARTIAL, s, req[i], resp, i == 2, i),
                         DOCA_SUCCESS);
    for (uint64_t i = 0; i < 3; i++) {
        ck_assert_int_eq(wait_for(&id, NULL), DOCA_SUCCESS);
        ck_assert_uint_eq(id, i);
        fake_drop(req[i]);
    }
    fake_sha_check(DOCA_SHA_JOB_SHA256, large, LONG_SIZE, out[0]);
    fake_drop(resp);
    teardown();
}
END_TEST

// Nobody wakes a job that gave way: arming must not let the program sleep.
START_TEST(long_jobs_and_the_event_handle)
{
    doca_event_handle_t handle;
    unsigned wakes = 0;
    doca_error_t r;
    setup_mode(true);
    ck_assert_int_eq(doca_workq_get_event_handle(fake_workq, &handle), DOCA_SUCCESS);
    struct doca_buf *req[2], *resp[2];
    for (size_t i = 0; i < 2; i++) {
        req[i] = fake_buffer(&large_map, large, LONG_SIZE, LONG_SIZE - i);
        resp[i] = fake_buffer(&out_map, out[i], 64, 0);
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req[i], resp[i], i), DOCA_SUCCESS);
    }
    for (unsigned done = 0; done < 2; wakes++) {
        struct pollfd p = {.fd = handle, .events = POLLIN};
        ck_assert_int_eq(doca_workq_event_handle_arm(fake_workq), DOCA_SUCCESS);
        ck_assert_int_eq(poll(&p, 1, 10000), 1);
        ck_assert_int_eq(doca_workq_event_handle_clear(fake_workq, handle), DOCA_SUCCESS);
        while ((r = fake_sha_retrieve(NULL)) != DOCA_ERROR_AGAIN) {
            ck_assert_int_eq(r, DOCA_SUCCESS);
            done++;
        }
    }
    ck_assert_uint_gt(wakes, 2);
    // And with nothing to do it sleeps.
    struct pollfd p = {.fd = handle, .events = POLLIN};
    ck_assert_int_eq(doca_workq_event_handle_arm(fake_workq), DOCA_SUCCESS);
    ck_assert_int_eq(poll(&p, 1, 0), 0);
    for (size_t i = 0; i < 2; i++) {
        fake_sha_check(DOCA_SHA_JOB_SHA256, large, LONG_SIZE - i, out[i]);
        fake_drop(req[i]);
        fake_drop(resp[i]);
    }
    teardown();
}
END_TEST

START_TEST(a_buffer_changed_under_way)
{
    setup();
    struct doca_buf *req = fake_buffer(&large_map, large, LONG_SIZE, LONG_SIZE);
    struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req, resp, 1), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_ERROR_AGAIN);
    req->data_len = LONG_SIZE + 1;
    resp->data = resp->head + 63;
    ck_assert_int_eq(wait_for(NULL, NULL), DOCA_SUCCESS);
    ck_assert_uint_eq(resp->data_len, 0);
    fake_sha_check(DOCA_SHA_JOB_SHA256, large, LONG_SIZE, out[0]);
    fake_drop(req);
    fake_drop(resp);
    teardown();
}
END_TEST

// ---- imported memory --------------------------------------------------------------------------

static struct doca_mmap import;
static struct broker_node *node;

// Ragged ends and a hole: brokered, mapped, brokered, mapped, brokered.
static void import_large(uint32_t access)
{
    fake_import(&import, large, LONG_SIZE, access, SHIFT);
    fake_part(&import, 0, false);
    fake_part(&import, 4000, true);
    fake_part(&import, SHA_STEP, false);
    fake_part(&import, 3 * SHA_STEP, true);
    fake_part(&import, LONG_SIZE - 77, false);
    ck_assert_int_eq(broker_node_get(fake_session, node_a, &node, NULL), DOCA_SUCCESS);
    import.memory.broker = node;
    import.memory.grant_key = 7;
}

static void release_import(void)
{
    node = broker_node_put(node);
}

static void *theirs(size_t offset)
{
    return large + offset + SHIFT;
}

static struct fake_engine *engine(void)
{
    return &fake_engines[fake_engines_made - 1];
}

static doca_error_t wait_served(unsigned at_a_time)
{
    doca_error_t r;
    unsigned polls = 0;
    while ((r = fake_sha_retrieve(NULL)) == DOCA_ERROR_AGAIN) {
        fake_serve(engine(), SHIFT, at_a_time, DOCA_SUCCESS);
        ck_assert_uint_lt(++polls, 100000);
    }
    return r;
}

START_TEST(mapped_and_brokered_parts)
{
    static const struct {
        size_t at, n;
    } ranges[] = {{0, 1},
                  {0, 4000},
                  {3999, 2},
                  {4000, 100},
                  {100, 5000},
                  {SHA_STEP - 10, 20},
                  {SHA_STEP + 1, QP_CHUNK_SIZE},
                  {SHA_STEP + 1, 2 * SHA_STEP - 1},
                  {LONG_SIZE - 100, 100},
                  {0, LONG_SIZE}};
    setup();
    import_large(DOCA_ACCESS_DPU_READ_ONLY);
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
        for (int type = DOCA_SHA_JOB_SHA1; type <= DOCA_SHA_JOB_SHA512; type++) {
            struct doca_buf *req =
                fake_buffer(&import, theirs(ranges[i].at), ranges[i].n, ranges[i].n);
            struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
            ck_assert_int_eq(fake_sha_submit(type, req, resp, 1), DOCA_SUCCESS);
            ck_assert_int_eq(wait_served(1 + (unsigned)i % 3), DOCA_SUCCESS);
            fake_sha_check(type, large + ranges[i].at, ranges[i].n, out[0]);
            fake_drop(req);
            fake_drop(resp);
        }
    release_import();
    teardown();
}
END_TEST

// Local and imported buffers in one list.
START_TEST(a_list_of_all_kinds)
{
    static uint8_t flat[3000];
    setup();
    import_large(DOCA_ACCESS_DPU_READ_ONLY);
    struct doca_buf *req = fake_buffer(&import, theirs(0), 1000, 1000);
    ck_assert_int_eq(doca_buf_list_chain(req, fake_buffer(&large_map, large + 50, 1000, 1000)),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_list_chain(req, fake_buffer(&import, theirs(3500), 1000, 1000)),
                     DOCA_SUCCESS);
    memcpy(flat, large, 1000);
    memcpy(flat + 1000, large + 50, 1000);
    memcpy(flat + 2000, large + 3500, 1000);
    struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req, resp, 1), DOCA_SUCCESS);
    ck_assert_int_eq(wait_served(1), DOCA_SUCCESS);
    fake_sha_check(DOCA_SHA_JOB_SHA256, flat, sizeof(flat), out[0]);
    fake_drop(req);
    fake_drop(resp);
    release_import();
    teardown();
}
END_TEST

// Many at a time: more pieces than there are chunks.
START_TEST(more_pieces_than_chunks)
{
    enum { N = 12 };
    struct doca_buf *req[N], *resp[N];
    setup();
    import_large(DOCA_ACCESS_DPU_READ_ONLY);
    for (size_t i = 0; i < N; i++) {
        req[i] = fake_buffer(&import, theirs(SHA_STEP + i), SHA_STEP, SHA_STEP);
        resp[i] = fake_buffer(&out_map, out[i], 64, 0);
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req[i], resp[i], i), DOCA_SUCCESS);
    }
    for (size_t i = 0; i < N; i++)
        ck_assert_int_eq(wait_served(3), DOCA_SUCCESS);
    for (size_t i = 0; i < N; i++) {
        fake_sha_check(DOCA_SHA_JOB_SHA1, large + SHA_STEP + i, SHA_STEP, out[i]);
        fake_drop(req[i]);
        fake_drop(resp[i]);
    }
    release_import();
    teardown();
}
END_TEST

// However long it is, a job leaves chunks for others.
START_TEST(chunks_are_shared)
{
    setup();
    import_large(DOCA_ACCESS_DPU_READ_ONLY);
    struct doca_buf *req = fake_buffer(&import, theirs(SHA_STEP), 2 * SHA_STEP, 2 * SHA_STEP);
    struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req, resp, 1), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_ERROR_AGAIN);
    unsigned asked = fake_serve(engine(), SHIFT, 1000, DOCA_SUCCESS);
    ck_assert(asked > 1 && asked <= QP_CHUNKS / 2);
    ck_assert_int_eq(wait_served(8), DOCA_SUCCESS);
    fake_drop(req);
    fake_drop(resp);
    release_import();
    teardown();
}
END_TEST

// The response in brokered memory, in mapped memory, and across the border.
START_TEST(responses_elsewhere)
{
    static const size_t places[] = {0,    3990,           4000 - 64,     4000 - 1,
                                    4000, LONG_SIZE - 90, LONG_SIZE - 64};
    setup();
    import_large(DOCA_ACCESS_DPU_READ_WRITE);
    struct doca_buf *req = fake_buffer(&large_map, large + 10000, 500, 500);
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        uint8_t before = places[i] ? large[places[i] - 1] : 0;
        struct doca_buf *resp = fake_buffer(&import, theirs(places[i]), 64, 0);
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA512, req, resp, 1), DOCA_SUCCESS);
        ck_assert_int_eq(wait_served(1), DOCA_SUCCESS);
        fake_sha_check(DOCA_SHA_JOB_SHA512, large + 10000, 500, large + places[i]);
        ck_assert(!places[i] || large[places[i] - 1] == before);
        ck_assert_uint_eq(resp->data_len, 64);
        fake_drop(resp);
    }
    fake_drop(req);
    release_import();
    teardown();
}
END_TEST

START_TEST(an_export_that_ends)
{
    static const struct {
        enum slot_state state;
        doca_error_t error;
    } ends[] = {{SLOT_REVOKED, DOCA_ERROR_NOT_PERMITTED},
                {SLOT_OWNER_GONE, DOCA_ERROR_CONNECTION_RESET},
                {SLOT_PEER_GONE, DOCA_ERROR_NOT_CONNECTED}};
    setup();
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        import_large(DOCA_ACCESS_DPU_READ_ONLY);
        struct doca_buf *req = fake_buffer(&import, theirs(0), LONG_SIZE, LONG_SIZE);
        struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
        // in the middle
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req, resp, 1), DOCA_SUCCESS);
        for (int polls = 0; polls < 5; polls++) {
            ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_ERROR_AGAIN);
            fake_serve(engine(), SHIFT, 2, DOCA_SUCCESS);
        }
        fake_set_state(import.memory.import_id, ends[i].state);
        ck_assert_int_eq(wait_served(1), ends[i].error);
        // and before
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req, resp, 1), DOCA_SUCCESS);
        ck_assert_int_eq(fake_sha_retrieve(NULL), ends[i].error);
        ck_assert_uint_eq(resp->data_len, 0);
        fake_drop(req);
        fake_drop(resp);
        release_import();
    }
    teardown();
}
END_TEST

// The engine answers this; a segment's session survives it.
START_TEST(an_engine_that_fails)
{
    static const struct {
        uint32_t status;
        doca_error_t error;
    } answers[] = {{DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_NOT_PERMITTED},
                   {DOCA_ERROR_IO_FAILED, DOCA_ERROR_IO_FAILED},
                   {12345, DOCA_ERROR_IO_FAILED}};
    struct doca_sha_partial_session *s;
    setup();
    import_large(DOCA_ACCESS_DPU_READ_WRITE);
    ck_assert_int_eq(doca_sha_partial_session_create(fake_sha, fake_workq, &s), DOCA_SUCCESS);
    struct doca_buf *req = fake_buffer(&import, theirs(SHA_STEP), SHA_STEP, SHA_STEP);
    struct doca_buf *local = fake_buffer(&large_map, large, 100, 100);
    struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
    struct doca_buf *far = fake_buffer(&import, theirs(0), 64, 0);
    for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
        doca_error_t r;
        ck_assert_int_eq(fake_sha_segment(DOCA_SHA_JOB_SHA1_PARTIAL, s, req, resp, true, 1),
                         DOCA_SUCCESS);
        while ((r = fake_sha_retrieve(NULL)) == DOCA_ERROR_AGAIN)
            fake_serve(engine(), SHIFT, 1, answers[i].status);
        ck_assert_int_eq(r, answers[i].error);
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, local, far, 1), DOCA_SUCCESS);
        while ((r = fake_sha_retrieve(NULL)) == DOCA_ERROR_AGAIN)
            fake_serve(engine(), SHIFT, 1, answers[i].status);
        ck_assert_int_eq(r, answers[i].error);
        ck_assert_uint_eq(far->data_len, 0);
        ck_assert_int_eq(fake_sha_segment(DOCA_SHA_JOB_SHA1_PARTIAL, s, req, resp, true, 1),
                         DOCA_SUCCESS);
        ck_assert_int_eq(wait_served(8), DOCA_SUCCESS);
        fake_sha_check(DOCA_SHA_JOB_SHA1, large + SHA_STEP, SHA_STEP, out[0]);
    }
    // No engine at all.
    fake_set_state(engine()->id, SLOT_PEER_GONE);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req, resp, 1), DOCA_SUCCESS);
    ck_assert_int_eq(wait_for(NULL, NULL), DOCA_ERROR_NOT_CONNECTED);
    fake_drop(req);
    fake_drop(resp);
    fake_drop(local);
    fake_drop(far);
    release_import();
    teardown();
}
END_TEST

START_TEST(buffers_changed_while_the_engine_reads)
{
    setup();
    import_large(DOCA_ACCESS_DPU_READ_ONLY);
    struct doca_buf *req = fake_buffer(&import, theirs(SHA_STEP), SHA_STEP, SHA_STEP);
    struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req, resp, 1), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_ERROR_AGAIN);
    req->data += 5; // other bytes than those that are read
    req->data_len -= 5;
    ck_assert_int_eq(wait_served(4), DOCA_SUCCESS);
    fake_sha_check(DOCA_SHA_JOB_SHA1, large + SHA_STEP, SHA_STEP, out[0]);
    fake_drop(req);
    fake_drop(resp);
    release_import();
    teardown();
}
END_TEST

START_TEST(brokered_bytes_and_the_event_handle)
{
    doca_event_handle_t handle;
    doca_error_t r;
    setup_mode(true);
    import_large(DOCA_ACCESS_DPU_READ_ONLY);
    ck_assert_int_eq(doca_workq_get_event_handle(fake_workq, &handle), DOCA_SUCCESS);
    struct doca_buf *req = fake_buffer(&import, theirs(0), LONG_SIZE, LONG_SIZE);
    struct doca_buf *resp = fake_buffer(&out_map, out[0], 64, 0);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req, resp, 1), DOCA_SUCCESS);
    do {
        struct pollfd p = {.fd = handle, .events = POLLIN};
        ck_assert_int_eq(doca_workq_event_handle_arm(fake_workq), DOCA_SUCCESS);
        fake_serve(engine(), SHIFT, 1, DOCA_SUCCESS);
        ck_assert_int_eq(poll(&p, 1, 10000), 1);
        ck_assert_int_eq(doca_workq_event_handle_clear(fake_workq, handle), DOCA_SUCCESS);
    } while ((r = fake_sha_retrieve(NULL)) == DOCA_ERROR_AGAIN);
    ck_assert_int_eq(r, DOCA_SUCCESS);
    fake_sha_check(DOCA_SHA_JOB_SHA256, large, LONG_SIZE, out[0]);
    fake_drop(req);
    fake_drop(resp);
    release_import();
    teardown();
}
END_TEST

UNIT_MAIN("sha_moves", a_long_job_gives_way, many_long_jobs, long_segments_stay_in_order,
          long_jobs_and_the_event_handle, a_buffer_changed_under_way, mapped_and_brokered_parts,
          a_list_of_all_kinds, more_pieces_than_chunks, chunks_are_shared, responses_elsewhere,
          an_export_that_ends, an_engine_that_fails, buffers_changed_while_the_engine_reads,
          brokered_bytes_and_the_event_handle)
