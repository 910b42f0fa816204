// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA segment by segment, sessions and their misuse, contexts, and that jobs do not
// allocate.

#include "fake_sha.h"
#include "unit.h"

#include <openssl/crypto.h>
#include <string.h>

static const int one_shot[] = {DOCA_SHA_JOB_SHA1, DOCA_SHA_JOB_SHA256, DOCA_SHA_JOB_SHA512};
static const int partial[] = {DOCA_SHA_JOB_SHA1_PARTIAL, DOCA_SHA_JOB_SHA256_PARTIAL,
                              DOCA_SHA_JOB_SHA512_PARTIAL};

static uint8_t memory[8192], out[64];
static struct doca_mmap map, out_map;

static void setup(void)
{
    fake_sha_setup(64, false);
    map = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_ONLY);
    out_map = fake_map(out, sizeof(out), DOCA_ACCESS_LOCAL_READ_WRITE);
    fake_sha_fill(memory, sizeof(memory), 1);
    memset(out, 0, sizeof(out));
}

// ---- segments -----------------------------------------------------------------------------------

static struct doca_sha_partial_session *session_new(void)
{
    struct doca_sha_partial_session *session;
    ck_assert_int_eq(doca_sha_partial_session_create(fake_sha, fake_workq, &session), DOCA_SUCCESS);
    return session;
}

static doca_error_t session_end(struct doca_sha_partial_session *session)
{
    return doca_sha_partial_session_destroy(fake_sha, fake_workq, session);
}

// Hashes what is at memory in segments; the last takes the rest, and is never empty.
static void hash_segments(struct doca_sha_partial_session *session, int type, size_t n, size_t step)
{
    struct doca_buf *req = fake_buffer(&map, memory, n, n);
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    for (size_t at = 0; at < n; at += step) {
        bool final = n - at <= step;
        ck_assert_int_eq(doca_buf_set_data(req, memory + at, final ? n - at : step), DOCA_SUCCESS);
        ck_assert_int_eq(fake_sha_segment(type, session, req, resp, final, at), DOCA_SUCCESS);
        uint64_t id;
        ck_assert_int_eq(fake_sha_retrieve(&id), DOCA_SUCCESS);
        ck_assert_uint_eq(id, at);
        ck_assert_uint_eq(resp->data_len, final ? fake_sha_size(type) : 0);
    }
    fake_sha_check(type, memory, n, out);
    fake_drop(req);
    fake_drop(resp);
}

START_TEST(every_segment_size)
{
    setup();
    struct doca_sha_partial_session *session = session_new();
    for (size_t a = 0; a < 3; a++) {
        size_t block = a == 2 ? 128 : 64;
        for (size_t step = block; step <= 1024; step += block)
            for (size_t n = step - 1; n < 4 * step; n += step / 2 + 1)
                hash_segments(session, partial[a], n, step); // one session for all of them
    }
    ck_assert_int_eq(session_end(session), DOCA_SUCCESS);
    fake_sha_teardown();
}
END_TEST

// All segments of two messages submitted before the first event, and one-shot jobs between.
START_TEST(segments_in_flight)
{
    static uint8_t outs[2][64];
    setup();
    struct doca_mmap outs_map = fake_map(outs, sizeof(outs), DOCA_ACCESS_LOCAL_READ_WRITE);
    struct doca_sha_partial_session *sessions[2] = {session_new(), session_new()};
    struct doca_buf *resp[2] = {fake_buffer(&outs_map, outs[0], 64, 0),
                                fake_buffer(&outs_map, outs[1], 64, 0)};
    struct doca_buf *req[2][10], *short_resp = fake_buffer(&out_map, out, 64, 0);
    struct doca_buf *short_req = fake_buffer(&map, memory, 10, 10);
    for (size_t i = 0; i < 10; i++)
        for (size_t s = 0; s < 2; s++) {
            req[s][i] = fake_buffer(&map, memory + 1000 * s + 128 * i, 128, 128);
            ck_assert_int_eq(fake_sha_segment(partial[1 + s], sessions[s], req[s][i], resp[s],
                                              i == 9, 100 * s + i),
                             DOCA_SUCCESS);
            ck_assert_int_eq(fake_sha_submit(one_shot[0], short_req, short_resp, 1000),
                             DOCA_SUCCESS);
        }
    ck_assert_int_eq(session_end(sessions[0]), DOCA_ERROR_INVALID_VALUE); // in flight
    for (size_t i = 0; i < 10; i++)
        for (size_t s = 0; s < 2; s++) {
            uint64_t id;
            ck_assert_int_eq(fake_sha_retrieve(&id), DOCA_SUCCESS);
            ck_assert_uint_eq(id, 100 * s + i);
            ck_assert_int_eq(fake_sha_retrieve(&id), DOCA_SUCCESS);
            ck_assert_uint_eq(id, 1000);
        }
    for (size_t s = 0; s < 2; s++) {
        fake_sha_check(partial[1 + s], memory + 1000 * s, 1280, outs[s]);
        for (size_t i = 0; i < 10; i++)
            fake_drop(req[s][i]);
        fake_drop(resp[s]);
        ck_assert_int_eq(session_end(sessions[s]), DOCA_SUCCESS);
    }
    fake_drop(short_req);
    fake_drop(short_resp);
    fake_sha_teardown();
}
END_TEST

START_TEST(segments_refused)
{
    setup();
    struct doca_buf *req = fake_buffer(&map, memory, 256, 256);
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    for (size_t a = 0; a < 3; a++) {
        struct doca_sha_partial_session *s = session_new();
        const size_t bad[] = {1, 63, 65, 127, a == 2 ? 64 : 100, a == 2 ? 192 : 255};
        for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
            req->data_len = bad[i];
            ck_assert_int_eq(fake_sha_segment(partial[a], s, req, resp, false, 1),
                             DOCA_ERROR_INVALID_VALUE);
        }
        req->data_len = 0;
        ck_assert_int_eq(fake_sha_segment(partial[a], s, req, resp, true, 1),
                         DOCA_ERROR_INVALID_VALUE);
        // None of that counted: the message begins now.
        req->data_len = 128;
        ck_assert_int_eq(fake_sha_segment(partial[a], s, req, resp, false, 1), DOCA_SUCCESS);
        ck_assert_int_eq(fake_sha_segment(partial[(a + 1) % 3], s, req, resp, false, 1),
                         DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(fake_sha_segment(partial[a], s, req, resp, true, 1), DOCA_SUCCESS);
        ck_assert_int_eq(fake_sha_segment(partial[(a + 1) % 3], s, req, resp, true, 1),
                         DOCA_SUCCESS); // another message
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_SUCCESS);
        fake_sha_check(partial[(a + 1) % 3], memory, 128, out);
        ck_assert_int_eq(session_end(s), DOCA_SUCCESS);
        ck_assert_int_eq(session_end(s), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(fake_sha_segment(partial[a], s, req, resp, true, 1),
                         DOCA_ERROR_INVALID_VALUE);
    }
    struct doca_sha_partial_session *s = session_new();
    struct doca_sha_partial_session *none[] = {NULL, (void *)memory, (void *)((char *)s + 8),
                                               s + SHA_SESSIONS_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
        ck_assert_int_eq(fake_sha_segment(partial[0], none[i], req, resp, true, 1),
                         DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(session_end(none[i]), DOCA_ERROR_INVALID_VALUE);
    }
    fake_drop(req);
    fake_drop(resp);
    fake_sha_teardown(); // the session goes with the work queue
}
END_TEST

START_TEST(a_failed_segment_fails_its_message)
{
    setup();
    struct doca_mmap elsewhere = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_WRITE);
    elsewhere.devices[0] = &fake_other_dev;
    struct doca_buf *req = fake_buffer(&map, memory, 128, 128);
    struct doca_buf *foreign = fake_buffer(&elsewhere, memory, 128, 128);
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    struct doca_sha_partial_session *s = session_new(), *other = session_new();
    ck_assert_int_eq(fake_sha_segment(partial[1], s, req, resp, false, 1), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_segment(partial[1], s, foreign, resp, false, 2), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_segment(partial[1], s, req, resp, false, 3), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_ERROR_BAD_STATE);
    ck_assert_int_eq(doca_sha_partial_session_copy(fake_sha, fake_workq, s, other),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(fake_sha_segment(partial[1], s, req, resp, true, 4), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_ERROR_BAD_STATE);
    ck_assert_uint_eq(resp->data_len, 0);
    hash_segments(s, partial[2], 1000, 256); // and the next one is as good as ever
    // A final segment that fails is the end of it too.
    ck_assert_int_eq(fake_sha_segment(partial[0], s, req, resp, false, 1), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_segment(partial[0], s, foreign, resp, true, 2), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_ERROR_NOT_PERMITTED);
    hash_segments(s, partial[0], 1000, 256);
    fake_drop(req);
    fake_drop(foreign);
    fake_drop(resp);
    fake_sha_teardown();
}
END_TEST

static void finish_with(struct doca_sha_partial_session *s, int type, size_t at, size_t n)
{
    struct doca_buf *req = fake_buffer(&map, memory + at, n, n);
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    ck_assert_int_eq(fake_sha_segment(type, s, req, resp, true, 1), DOCA_SUCCESS);
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_SUCCESS);
    fake_drop(req);
    fake_drop(resp);
}

#define COPY(from, to) doca_sha_partial_session_copy(fake_sha, fake_workq, from, to)

START_TEST(copied_sessions)
{
    static uint8_t flat[512];
    setup();
    for (size_t a = 0; a < 3; a++) {
        struct doca_buf *req = fake_buffer(&map, memory, 256, 256);
        struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
        struct doca_sha_partial_session *s = session_new(), *t = session_new();
        ck_assert_int_eq(fake_sha_segment(partial[(a + 1) % 3], t, req, resp, false, 1),
                         DOCA_SUCCESS);
        ck_assert_int_eq(fake_sha_segment(partial[a], s, req, resp, false, 1), DOCA_SUCCESS);
        ck_assert_int_eq(COPY(s, t), DOCA_ERROR_INVALID_VALUE); // segments in flight
        ck_assert_int_eq(COPY(t, s), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_SUCCESS);
        ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_SUCCESS);
        ck_assert_int_eq(COPY(s, s), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(COPY(s, NULL), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(COPY(NULL, s), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(COPY(s, t), DOCA_SUCCESS);
        finish_with(s, partial[a], 1000, 77);
        memcpy(flat, memory, 256);
        memcpy(flat + 256, memory + 1000, 77);
        fake_sha_check(partial[a], flat, 333, out);
        finish_with(t, partial[a], 2000, 11);
        memcpy(flat + 256, memory + 2000, 11);
        fake_sha_check(partial[a], flat, 267, out);
        // Copies from a session that stands at a beginning.
        ck_assert_int_eq(fake_sha_segment(partial[a], t, req, resp, false, 1), DOCA_SUCCESS);
        ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_SUCCESS);
        ck_assert_int_eq(COPY(s, t), DOCA_SUCCESS);
        hash_segments(t, partial[(a + 2) % 3], 500, 128);
        ck_assert_int_eq(session_end(s), DOCA_SUCCESS);
        ck_assert_int_eq(COPY(t, s), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(COPY(s, t), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(session_end(t), DOCA_SUCCESS);
        fake_drop(req);
        fake_drop(resp);
    }
    fake_sha_teardown();
}
END_TEST

START_TEST(sessions_run_out_and_come_back)
{
    static struct doca_sha_partial_session *all[SHA_SESSIONS_MAX];
    struct doca_sha_partial_session *more = NULL;
    setup();
    for (size_t i = 0; i < SHA_SESSIONS_MAX; i++)
        all[i] = session_new();
    ck_assert_int_eq(doca_sha_partial_session_create(fake_sha, fake_workq, &more),
                     DOCA_ERROR_NO_MEMORY);
    ck_assert_ptr_null(more);
    ck_assert_int_eq(session_end(all[500]), DOCA_SUCCESS);
    ck_assert_ptr_eq(session_new(), all[500]);
    fake_sha_teardown();
}
END_TEST

START_TEST(sessions_of_two_queues)
{
    struct doca_workq *second;
    struct doca_sha_partial_session *s, *t, *none = NULL;
    setup();
    ck_assert_int_eq(doca_workq_create(4, &second), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_partial_session_create(fake_sha, second, &none),
                     DOCA_ERROR_INVALID_VALUE); // not added yet
    ck_assert_ptr_null(none);
    ck_assert_int_eq(doca_ctx_workq_add(doca_sha_as_ctx(fake_sha), second), DOCA_SUCCESS);
    s = session_new();
    ck_assert_int_eq(doca_sha_partial_session_create(fake_sha, second, &t), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_partial_session_destroy(fake_sha, second, s),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(session_end(t), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(COPY(s, t), DOCA_ERROR_INVALID_VALUE);
    struct doca_buf *req = fake_buffer(&map, memory, 64, 64);
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    ck_assert_int_eq(fake_sha_segment(partial[0], t, req, resp, true, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_workq_rm(doca_sha_as_ctx(fake_sha), second), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_partial_session_destroy(fake_sha, second, t),
                     DOCA_ERROR_INVALID_VALUE); // gone with the queue
    ck_assert_int_eq(doca_workq_destroy(second), DOCA_SUCCESS);
    fake_drop(req);
    fake_drop(resp);
    fake_sha_teardown();
}
END_TEST

// ---- the rest ---------------------------------------------------------------------------------

START_TEST(null_arguments_and_states)
{
    struct doca_devinfo *devinfo = (struct doca_devinfo *)&fake_dev;
    struct doca_sha_partial_session *s;
    uint32_t n = 7;
    uint64_t size = 7;
    ck_assert_int_eq(doca_sha_create(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(doca_sha_as_ctx(NULL));
    for (int type = DOCA_SHA_JOB_SHA1; type <= DOCA_SHA_JOB_SHA512_PARTIAL; type++) {
        ck_assert_int_eq(doca_sha_job_get_supported(devinfo, type), DOCA_SUCCESS);
        ck_assert_int_eq(doca_sha_job_get_supported(NULL, type), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(doca_sha_get_min_dst_buffer_size(devinfo, type, &n), DOCA_SUCCESS);
        ck_assert_uint_eq(n, fake_sha_size(type));
    }
    n = 7;
    ck_assert_int_eq(doca_sha_job_get_supported(devinfo, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_get_min_dst_buffer_size(devinfo, 0, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_get_min_dst_buffer_size(NULL, DOCA_SHA_JOB_SHA1, &n),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_get_min_dst_buffer_size(devinfo, DOCA_SHA_JOB_SHA1, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_get_max_list_buf_num_elem(NULL, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_get_max_list_buf_num_elem(devinfo, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_get_max_src_buffer_size(NULL, &size), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_get_max_src_buffer_size(devinfo, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_get_hardware_supported(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_get_hardware_supported(devinfo), DOCA_SUCCESS);
    ck_assert(n == 7 && size == 7);
    ck_assert_int_eq(doca_sha_get_max_list_buf_num_elem(devinfo, &n), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sha_get_max_src_buffer_size(devinfo, &size), DOCA_SUCCESS);
    ck_assert(n == SHA_LIST_MAX && size == SHA_SIZE_MAX);
    setup();
    ck_assert_int_eq(doca_sha_destroy(fake_sha), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_ctx_stop(doca_sha_as_ctx(fake_sha)), DOCA_ERROR_IN_USE);
    ck_assert_int_eq(doca_sha_partial_session_create(NULL, fake_workq, &s),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_partial_session_create(fake_sha, NULL, &s), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_partial_session_create(fake_sha, fake_workq, NULL),
                     DOCA_ERROR_INVALID_VALUE);
    s = session_new();
    ck_assert_int_eq(doca_sha_partial_session_destroy(NULL, fake_workq, s),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_partial_session_destroy(fake_sha, NULL, s), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_partial_session_copy(NULL, fake_workq, s, s),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_sha_partial_session_copy(fake_sha, NULL, s, s), DOCA_ERROR_INVALID_VALUE);
    fake_sha_teardown();
}
END_TEST

// A second context on the same work queue keeps to itself.
START_TEST(two_contexts)
{
    struct doca_sha *second;
    setup();
    ck_assert_int_eq(doca_sha_create(&second), DOCA_SUCCESS);
    struct doca_ctx *ctx = doca_sha_as_ctx(second);
    ck_assert_int_eq(doca_ctx_start(ctx), DOCA_ERROR_INITIALIZATION);       // no device
    ck_assert_int_eq(doca_ctx_dev_add(ctx, &fake_plain_dev), DOCA_SUCCESS); // any will do
    ck_assert_int_eq(doca_ctx_start(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(ctx, fake_workq), DOCA_SUCCESS);
    struct doca_sha_partial_session *s = session_new();
    ck_assert_int_eq(doca_sha_partial_session_destroy(second, fake_workq, s),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_ctx_workq_rm(ctx, fake_workq), DOCA_SUCCESS);
    hash_segments(s, partial[1], 300, 64);
    ck_assert_int_eq(doca_sha_destroy(second), DOCA_SUCCESS); // started, with its device
    ck_assert_uint_eq(fake_plain_dev.refs, 1);
    fake_sha_teardown();
}
END_TEST

// ---- memory ---------------------------------------------------------------------------------

static unsigned allocations, callocs_left = UINT_MAX;

// Ours: the linker puts these in the place of malloc() and calloc(). The library makes
// its objects with the latter; Check uses the former.
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_malloc(size_t n)
{
    allocations++;
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    allocations++;
    return callocs_left && callocs_left-- ? __real_calloc(n, size) : NULL;
}

// libcrypto's.
static void *count_malloc(size_t n, const char *file, int line)
{
    (void)file, (void)line;
    allocations++;
    return __real_malloc(n);
}

static void *count_realloc(void *p, size_t n, const char *file, int line)
{
    (void)file, (void)line;
    allocations++;
    return realloc(p, n);
}

static void count_free(void *p, const char *file, int line)
{
    (void)file, (void)line;
    free(p);
}

// Check's assertions allocate: there are none in here.
static bool hash_everything(struct doca_sha_partial_session *s, struct doca_buf *req,
                            struct doca_buf *resp)
{
    struct doca_event event;
    bool good = true;

    for (size_t i = 0; i < 9; i++) {
        size_t a = i % 3;
        good = good && !fake_sha_submit(one_shot[a], req, resp, 1) &&
               !fake_sha_segment(partial[a], s, req, resp, false, 1) &&
               !fake_sha_segment(partial[a], s, req, resp, true, 1);
        for (int events = 0; events < 3; events++)
            good = good && !doca_workq_progress_retrieve(fake_workq, &event, 0);
    }
    return good;
}

START_TEST(jobs_do_not_allocate)
{
    setup();
    struct doca_buf *req = fake_buffer(&map, memory, 256, 256);
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    struct doca_sha_partial_session *s = session_new();
    unsigned before = allocations;
    bool good = hash_everything(s, req, resp);
    unsigned after = allocations;
    ck_assert(good);
    ck_assert_uint_gt(before, 0); // it counts at all
    ck_assert_uint_eq(after, before);
    fake_drop(req);
    fake_drop(resp);
    fake_sha_teardown();
}
END_TEST

START_TEST(out_of_memory)
{
    struct doca_workq *second;
    struct doca_sha *none = NULL;
    unsigned n = 0;
    doca_error_t r;
    setup();
    ck_assert_int_eq(doca_workq_create(1, &second), DOCA_SUCCESS);
    for (;; n++) {
        callocs_left = n;
        r = doca_ctx_workq_add(doca_sha_as_ctx(fake_sha), second);
        callocs_left = UINT_MAX;
        if (r == DOCA_SUCCESS)
            break;
        ck_assert_int_eq(r, DOCA_ERROR_NO_MEMORY);
    }
    ck_assert_uint_ge(n, 2);
    ck_assert_int_eq(doca_ctx_workq_rm(doca_sha_as_ctx(fake_sha), second), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_destroy(second), DOCA_SUCCESS);
    callocs_left = 0;
    r = doca_sha_create(&none);
    callocs_left = UINT_MAX;
    ck_assert_int_eq(r, DOCA_ERROR_NO_MEMORY);
    ck_assert_ptr_null(none);
    fake_sha_teardown();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_segment_size,     segments_in_flight,
                                  segments_refused,       a_failed_segment_fails_its_message,
                                  copied_sessions,        sessions_run_out_and_come_back,
                                  sessions_of_two_queues, null_arguments_and_states,
                                  two_contexts,           jobs_do_not_allocate,
                                  out_of_memory};
    if (!CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free))
        return EXIT_FAILURE;
    return unit_run("sha_sessions", tests, ARRAY_SIZE(tests));
}
