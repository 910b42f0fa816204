// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA jobs at once on mapped memory: published vectors, lists, where the digest goes, what
// is refused, what fails.

#include "fake_sha.h"
#include "unit.h"

#include <string.h>

static const int one_shot[] = {DOCA_SHA_JOB_SHA1, DOCA_SHA_JOB_SHA256, DOCA_SHA_JOB_SHA512};

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

// ---- digests ------------------------------------------------------------------------------

static void unhex(const char *hex, uint8_t *bytes, size_t n)
{
    ck_assert_uint_eq(strlen(hex), 2 * n);
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(sscanf(hex + 2 * i, "%2hhx", &bytes[i]), 1);
}

// Vectors from FIPS 180 and its validation suite.
static const struct {
    const char *text;
    const char *digests[3];
} vectors[] = {
    {"abc",
     {"a9993e364706816aba3e25717850c26c9cd0d89d",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3"
      "feebbd454d4423643ce80e2a9ac94fa54ca49f"}},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     {"84983e441c3bd26ebaae4aa1f95129e5e54670f1",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
      "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c33596fd15c13b1b07f9aa1d3bea57"
      "789ca031ad85c7a71dd70354ec631238ca3445"}},
};

START_TEST(published_vectors)
{
    uint8_t expected[64];
    setup();
    for (size_t v = 0; v < ARRAY_SIZE(vectors); v++) {
        size_t n = strlen(vectors[v].text);
        memcpy(memory, vectors[v].text, n);
        for (size_t a = 0; a < 3; a++) {
            size_t size = fake_sha_size(one_shot[a]);
            struct doca_buf *req = fake_buffer(&map, memory, n, n);
            struct doca_buf *resp = fake_buffer(&out_map, out, size, 0);
            ck_assert_int_eq(fake_sha_hash(one_shot[a], req, resp), DOCA_SUCCESS);
            unhex(vectors[v].digests[a], expected, size);
            ck_assert_mem_eq(out, expected, size);
            ck_assert_uint_eq(resp->data_len, size);
            ck_assert_uint_eq(req->data_len, n);
            fake_drop(req);
            fake_drop(resp);
        }
    }
    fake_sha_teardown();
}
END_TEST

// A million times 'a': longer than a page, shorter than a step.
START_TEST(a_million)
{
    uint8_t *much = malloc(1000000), expected[32];
    struct doca_mmap big = fake_map(much, 1000000, DOCA_ACCESS_LOCAL_READ_ONLY);
    setup();
    memset(much, 'a', 1000000);
    struct doca_buf *req = fake_buffer(&big, much, 1000000, 1000000);
    struct doca_buf *resp = fake_buffer(&out_map, out, 32, 0);
    ck_assert_int_eq(fake_sha_hash(DOCA_SHA_JOB_SHA256, req, resp), DOCA_SUCCESS);
    unhex("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", expected, 32);
    ck_assert_mem_eq(out, expected, 32);
    fake_drop(req);
    fake_drop(resp);
    free(much);
    fake_sha_teardown();
}
END_TEST

START_TEST(every_length)
{
    setup();
    for (size_t a = 0; a < 3; a++)
        for (size_t n = 1; n < 300; n++) {
            struct doca_buf *req = fake_buffer(&map, memory + n % 9, n, n);
            struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
            ck_assert_int_eq(fake_sha_hash(one_shot[a], req, resp), DOCA_SUCCESS);
            fake_sha_check(one_shot[a], memory + n % 9, n, out);
            fake_drop(req);
            fake_drop(resp);
        }
    fake_sha_teardown();
}
END_TEST

START_TEST(digest_at_the_responses_data)
{
    setup();
    struct doca_buf *req = fake_buffer(&map, memory, 100, 100);
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    struct doca_buf *second = fake_buffer(&out_map, out + 60, 4, 0);
    ck_assert_int_eq(doca_buf_set_data(resp, out + 7, 30), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_list_chain(resp, second), DOCA_SUCCESS);
    for (int i = 0; i < 3; i++) { // not appended, however often
        ck_assert_int_eq(fake_sha_hash(DOCA_SHA_JOB_SHA1, req, resp), DOCA_SUCCESS);
        ck_assert_ptr_eq(resp->data, out + 7);
        ck_assert_uint_eq(resp->data_len, 20);
        ck_assert_uint_eq(second->data_len, 0);
        fake_sha_check(DOCA_SHA_JOB_SHA1, memory, 100, out + 7);
    }
    for (size_t i = 0; i < sizeof(out); i++)
        ck_assert((i >= 7 && i < 27) || out[i] == 0);
    fake_drop(req);
    fake_drop(resp);
    // Source and response in the same place.
    out_map.memory.length = sizeof(out);
    req = fake_buffer(&out_map, out, 64, 64);
    resp = fake_buffer(&out_map, out, 64, 0);
    uint8_t before[64];
    memcpy(before, out, 64);
    ck_assert_int_eq(fake_sha_hash(DOCA_SHA_JOB_SHA512, req, resp), DOCA_SUCCESS);
    fake_sha_check(DOCA_SHA_JOB_SHA512, before, 64, out);
    fake_drop(req);
    fake_drop(resp);
    fake_sha_teardown();
}
END_TEST

// Pieces of any length, empty ones among them, from the middle of their buffers.
static struct doca_buf *make_list(size_t n, uint8_t *flat, size_t *length)
{
    struct doca_buf *head = NULL;
    size_t at = 3;

    *length = 0;
    for (size_t i = 0; i < n; i++) {
        size_t size = (i * 29) % 127;
        struct doca_buf *piece = fake_buffer(&map, memory + at, 128, 0);
        ck_assert_int_eq(doca_buf_set_data(piece, memory + at + 1, size), DOCA_SUCCESS);
        memcpy(flat + *length, memory + at + 1, size);
        *length += size;
        at = (at + 331) % 8000;
        if (head)
            ck_assert_int_eq(doca_buf_list_chain(head, piece), DOCA_SUCCESS);
        else
            head = piece;
    }
    return head;
}

START_TEST(lists)
{
    static uint8_t flat[8192];
    size_t length;
    setup();
    for (size_t n = 2; n <= SHA_LIST_MAX; n++)
        for (size_t a = 0; a < 3; a++) {
            struct doca_buf *req = make_list(n, flat, &length);
            struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
            ck_assert_int_eq(fake_sha_hash(one_shot[a], req, resp), DOCA_SUCCESS);
            fake_sha_check(one_shot[a], flat, length, out);
            fake_drop(req);
            fake_drop(resp);
        }
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    struct doca_buf *req = make_list(SHA_LIST_MAX + 1, flat, &length);
    ck_assert_int_eq(fake_sha_submit(one_shot[0], req, resp, 1), DOCA_ERROR_INVALID_VALUE);
    // Counted from the buffer that is given: without its head the list is short enough.
    ck_assert_int_eq(fake_sha_hash(one_shot[0], req->next, resp), DOCA_SUCCESS);
    fake_drop(req);
    fake_drop(resp);
    fake_sha_teardown();
}
END_TEST

// ---- what is refused --------------------------------------------------------------------------

START_TEST(refused_at_submission)
{
    setup();
    for (size_t a = 0; a < 3; a++) {
        uint32_t size = fake_sha_size(one_shot[a]);
        struct doca_buf *req = fake_buffer(&map, memory, 100, 100);
        struct doca_buf *resp = fake_buffer(&out_map, out, size, 0);
        struct doca_buf *small = fake_buffer(&out_map, out, size - 1, 0);
        struct doca_buf *empty = fake_buffer(&map, memory, 100, 0);
        ck_assert_int_eq(fake_sha_submit(one_shot[a], NULL, resp, 1), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(fake_sha_submit(one_shot[a], req, NULL, 1), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(fake_sha_submit(one_shot[a], req, small, 1), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(fake_sha_submit(one_shot[a], empty, resp, 1), DOCA_ERROR_INVALID_VALUE);
        resp->data++; // room from the data on
        ck_assert_int_eq(fake_sha_submit(one_shot[a], req, resp, 1), DOCA_ERROR_INVALID_VALUE);
        resp->data = resp->head - 1;
        ck_assert_int_eq(fake_sha_submit(one_shot[a], req, resp, 1), DOCA_ERROR_INVALID_VALUE);
        resp->data = resp->head;
        req->data_len = 101;
        ck_assert_int_eq(fake_sha_submit(one_shot[a], req, resp, 1), DOCA_ERROR_INVALID_VALUE);
        req->data_len = 100;
        struct doca_sha_job job = fake_sha_job(one_shot[a], req, resp, 1);
        job.flags = 2;
        ck_assert_int_eq(doca_workq_submit(fake_workq, &job.base), DOCA_ERROR_INVALID_VALUE);
        fake_drop(small);
        ck_assert_int_eq(fake_sha_submit(one_shot[a], req, small, 1), DOCA_ERROR_INVALID_VALUE);
        fake_drop(empty);
        ck_assert_int_eq(fake_sha_submit(one_shot[a], empty, resp, 1), DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(fake_sha_hash(one_shot[a], req, resp), DOCA_SUCCESS);
        fake_drop(req);
        fake_drop(resp);
    }
    struct doca_buf *req = fake_buffer(&map, memory, 64, 64);
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    const int none[] = {DOCA_ACTION_SHA_FIRST, DOCA_SHA_JOB_SHA512_PARTIAL + 1, 0, -1};
    for (size_t i = 0; i < ARRAY_SIZE(none); i++)
        ck_assert_int_eq(fake_sha_submit(none[i], req, resp, 1), DOCA_ERROR_INVALID_VALUE);
    fake_drop(req);
    fake_drop(resp);
    fake_sha_teardown();
}
END_TEST

START_TEST(a_job_too_large)
{
    setup();
    struct doca_mmap huge = fake_map(memory, SIZE_MAX / 4, DOCA_ACCESS_LOCAL_READ_ONLY);
    struct doca_buf *req = fake_buffer(&huge, memory, SHA_SIZE_MAX + 1, SHA_SIZE_MAX + 1);
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req, resp, 1), DOCA_ERROR_INVALID_VALUE);
    fake_drop(req);
    fake_drop(resp);
    fake_sha_teardown();
}
END_TEST

START_TEST(a_job_too_large_for_the_card)
{
    setup();
    struct doca_buf *req = fake_buffer(&map, memory, 4096, 129);
    struct doca_buf *resp = fake_buffer(&out_map, out, 64, 0);
    fake_card.values[CARD_SHA_BUF_SIZE] = 128;
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA1, req, resp, 1), DOCA_ERROR_INVALID_VALUE);
    fake_card.values[CARD_OVER_LIMIT] = 1;
    ck_assert_int_eq(fake_sha_hash(DOCA_SHA_JOB_SHA1, req, resp), DOCA_ERROR_IO_FAILED);
    req->data_len = 128;
    ck_assert_int_eq(fake_sha_hash(DOCA_SHA_JOB_SHA1, req, resp), DOCA_SUCCESS);
    card_init(&fake_card);
    fake_drop(req);
    fake_drop(resp);
    fake_sha_teardown();
}
END_TEST

START_TEST(failed_jobs)
{
    setup();
    struct doca_mmap elsewhere = fake_map(memory, sizeof(memory), DOCA_ACCESS_LOCAL_READ_WRITE);
    elsewhere.devices[0] = &fake_other_dev;
    struct doca_buf *req = fake_buffer(&map, memory, 100, 100);
    struct doca_buf *resp = fake_buffer(&out_map, out, 32, 0);
    struct doca_buf *read_only = fake_buffer(&map, memory, 32, 0);
    struct doca_buf *foreign = fake_buffer(&elsewhere, memory, 100, 100);
    resp->data_len = 5;
    ck_assert_int_eq(fake_sha_hash(DOCA_SHA_JOB_SHA256, req, read_only), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(fake_sha_hash(DOCA_SHA_JOB_SHA256, foreign, resp), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(fake_sha_hash(DOCA_SHA_JOB_SHA256, req, foreign), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(resp->data_len, 5);
    ck_assert_uint_eq(read_only->data_len, 0);
    // Changed after submission, which is too late.
    ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req, resp, 1), DOCA_SUCCESS);
    req->data_len = 101;
    resp->data++;
    ck_assert_int_eq(fake_sha_retrieve(NULL), DOCA_SUCCESS);
    fake_sha_check(DOCA_SHA_JOB_SHA256, memory, 100, out);
    ck_assert_uint_eq(resp->data_len, 5);
    req->data_len = 100;
    resp->data--;
    memset(out, 0, 32);
    ck_assert_int_eq(fake_sha_hash(DOCA_SHA_JOB_SHA256, req, resp), DOCA_SUCCESS);
    fake_sha_check(DOCA_SHA_JOB_SHA256, memory, 100, out);
    fake_drop(req);
    fake_drop(resp);
    fake_drop(read_only);
    fake_drop(foreign);
    fake_sha_teardown();
}
END_TEST

UNIT_MAIN("sha", published_vectors, a_million, every_length, digest_at_the_responses_data, lists,
          refused_at_submission, a_job_too_large, a_job_too_large_for_the_card, failed_jobs)
