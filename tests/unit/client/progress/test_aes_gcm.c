// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// AES-GCM tasks on local, imported and brokered memory: a published vector, messages there and
// back, forgeries, and what fails.

#include "../dma/dma_rig.h"
#include "../worker_watch.h"
#include "task_runs.h"
#include "unit.h"

#include <doca_aes_gcm.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 4096

static struct doca_aes_gcm *lib;
static struct doca_aes_gcm_key *keys[2]; // 128 and 256 bits
static uint8_t plain[SIZE], sealed[SIZE], back[SIZE];
static struct doca_mmap plain_map, sealed_map, back_map;
static const uint8_t iv[12] = {1, 2, 3};

TASK_CALLBACKS(doca_aes_gcm, encrypt)
TASK_CALLBACKS(doca_aes_gcm, decrypt)

static void setup_tasks(void)
{
    uint8_t raw[32];

    setup(); // buffers come from there
    plain_map = local_map(plain, SIZE);
    sealed_map = local_map(sealed, SIZE);
    back_map = local_map(back, SIZE);
    fill(plain, SIZE, 1);
    fill(raw, sizeof(raw), 2);
    memset(sealed, 0, SIZE);
    memset(back, 0, SIZE);
    ck_assert_int_eq(doca_aes_gcm_create(&fake_dev, &lib), DOCA_SUCCESS);
    setup_runs(doca_aes_gcm_as_ctx(lib));
    ck_assert_int_eq(doca_aes_gcm_task_encrypt_set_conf(lib, encrypt_done, encrypt_failed, 16),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_task_decrypt_set_conf(lib, decrypt_done, decrypt_failed, 16),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_key_create(lib, raw, DOCA_AES_GCM_KEY_128, &keys[0]),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_key_create(lib, raw, DOCA_AES_GCM_KEY_256, &keys[1]),
                     DOCA_SUCCESS);
    start_with_workers(0);
}

static void teardown_tasks(void)
{
    stop_runs();
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(doca_aes_gcm_key_destroy(keys[i]), DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_destroy(lib), DOCA_SUCCESS);
    teardown_runs();
    teardown();
}

static doca_error_t encrypt(const struct doca_buf *src, struct doca_buf *dst, unsigned key,
                            uint32_t tag, uint32_t aad)
{
    struct doca_aes_gcm_task_encrypt *task;
    ck_assert_int_eq(doca_aes_gcm_task_encrypt_alloc_init(lib, src, dst, keys[key], iv, sizeof(iv),
                                                          tag, aad, (union doca_data){.u64 = 1},
                                                          &task),
                     DOCA_SUCCESS);
    return run_and_free(doca_aes_gcm_task_encrypt_as_task(task));
}

static doca_error_t decrypt(const struct doca_buf *src, struct doca_buf *dst, unsigned key,
                            uint32_t tag, uint32_t aad)
{
    struct doca_aes_gcm_task_decrypt *task;
    ck_assert_int_eq(doca_aes_gcm_task_decrypt_alloc_init(lib, src, dst, keys[key], iv, sizeof(iv),
                                                          tag, aad, (union doca_data){.u64 = 1},
                                                          &task),
                     DOCA_SUCCESS);
    return run_and_free(doca_aes_gcm_task_decrypt_as_task(task));
}

// Test case 2 of the algorithm's specification: all zeroes.
START_TEST(a_published_vector)
{
    static const uint8_t zeroes[16],
        expected[32] = {0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92, 0xf3, 0x28, 0xc2,
                        0xb9, 0x71, 0xb2, 0xfe, 0x78, 0xab, 0x6e, 0x47, 0xd4, 0x2c, 0xec,
                        0x13, 0xbd, 0xf5, 0x3a, 0x67, 0xb2, 0x12, 0x57, 0xbd, 0xdf};
    struct doca_aes_gcm_task_encrypt *task;
    struct doca_aes_gcm_key *key;
    memset(plain, 0, 16);
    struct doca_buf *src = buffer(&plain_map, plain, 16, 16),
                    *dst = buffer(&sealed_map, sealed, 32, 0);

    ck_assert_int_eq(doca_aes_gcm_key_create(lib, zeroes, DOCA_AES_GCM_KEY_128, &key),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_task_encrypt_alloc_init(lib, src, dst, key, zeroes, 12, 16, 0,
                                                          (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(run(doca_aes_gcm_task_encrypt_as_task(task)), DOCA_SUCCESS);
    ck_assert_mem_eq(sealed, expected, sizeof(expected));
    ck_assert_uint_eq(dst->data_len, 32);
    ck_assert_int_eq(doca_aes_gcm_key_destroy(key), DOCA_SUCCESS);
    drop(src);
    drop(dst);
}
END_TEST

// Of each length, as libcrypto does it.
START_TEST(initialisation_vectors)
{
    struct doca_buf *src = buffer(&plain_map, plain, 100, 100);
    struct doca_buf *dst = buffer(&sealed_map, sealed, 116, 0);
    struct doca_aes_gcm_task_encrypt *task;
    struct doca_aes_gcm_key *key;
    uint8_t expected[100];
    EVP_CIPHER_CTX *evp = EVP_CIPHER_CTX_new();
    int n;

    ck_assert_int_eq(doca_aes_gcm_key_create(lib, plain, DOCA_AES_GCM_KEY_128, &key), DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_task_encrypt_alloc_init(lib, src, dst, key, iv, (uint32_t)_i, 16,
                                                          0, (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(run(doca_aes_gcm_task_encrypt_as_task(task)), DOCA_SUCCESS);
    ck_assert_int_eq(EVP_EncryptInit_ex(evp, EVP_aes_128_gcm(), NULL, NULL, NULL), 1);
    ck_assert_int_eq(EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_IVLEN, _i, NULL), 1);
    ck_assert_int_eq(EVP_EncryptInit_ex(evp, NULL, NULL, plain, iv), 1);
    ck_assert_int_eq(EVP_EncryptUpdate(evp, expected, &n, plain, 100), 1);
    ck_assert_mem_eq(sealed, expected, 100);
    EVP_CIPHER_CTX_free(evp);
    ck_assert_int_eq(doca_aes_gcm_key_destroy(key), DOCA_SUCCESS);
    drop(src);
    drop(dst);
}
END_TEST

// Each key, tag, and amount of additional data; lists that are cut elsewhere on each side; behind
// what the destination has already.
START_TEST(there_and_back)
{
    unsigned key = (unsigned)_i & 1;
    uint32_t tag = _i & 2 ? 16 : 12, aad = _i & 4 ? 33 : 0;
    struct doca_buf *src = buffer(&plain_map, plain, 20, 20);
    struct doca_buf *middle = buffer(&sealed_map, sealed, 1015, 5);
    struct doca_buf *dst = buffer(&back_map, back, 700, 0);

    chain(src, buffer(&plain_map, plain + 20, 1980, 1980));
    chain(middle, buffer(&sealed_map, sealed + 1015, 2000, 0));
    chain(dst, buffer(&back_map, back + 700, 1300, 0));
    ck_assert_int_eq(encrypt(src, middle, key, tag, aad), DOCA_SUCCESS);
    ck_assert_uint_eq(middle->data_len, 1015);
    ck_assert_uint_eq(middle->next->data_len, 2000 + tag - 1010);
    ck_assert_mem_eq(sealed + 5, plain, aad);
    ck_assert_mem_ne(sealed + 5 + aad, plain + aad, 16);
    middle->data += 5;
    middle->data_len -= 5;
    ck_assert_int_eq(decrypt(middle, dst, key, tag, aad), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, 700);
    ck_assert_uint_eq(dst->next->data_len, 1300);
    ck_assert_mem_eq(back, plain, 2000);
    // The same text under another key is another message.
    dst->data_len = dst->next->data_len = 0;
    ck_assert_int_eq(decrypt(middle, dst, !key, tag, aad), DOCA_ERROR_IO_FAILED);
    drop(src);
    drop(middle);
    drop(dst);
}
END_TEST

START_TEST(a_forgery_leaves_no_plain_text)
{
    static const uint8_t zeroes[SIZE];
    struct doca_buf *src = buffer(&plain_map, plain, 2000, 2000);
    struct doca_buf *middle = buffer(&sealed_map, sealed, SIZE, 0);
    struct doca_buf *dst = buffer(&back_map, back, SIZE, 0);

    ck_assert_int_eq(encrypt(src, middle, 1, 16, 10), DOCA_SUCCESS);
    for (size_t at = 0; at < 2016; at += 63) { // additional data, text, and tag
        sealed[at] ^= 1;
        ck_assert_int_eq(decrypt(middle, dst, 1, 16, 10), DOCA_ERROR_IO_FAILED);
        ck_assert_uint_eq(dst->data_len, 0);
        ck_assert_mem_eq(back, zeroes, SIZE);
        sealed[at] ^= 1;
    }
    ck_assert_int_eq(decrypt(middle, dst, 1, 16, 10), DOCA_SUCCESS);
    ck_assert_mem_eq(back, plain, 2000);
    drop(src);
    drop(middle);
    drop(dst);
}
END_TEST

// Brokered on either side; the first and the last bytes, or all.
START_TEST(through_engines)
{
    static const uint8_t zeroes[SIZE];
    size_t head = _i & 1 ? SIZE : 1000, tail = _i & 1 ? 0 : 900;
    struct doca_mmap source, target;

    brokered_import(&source, plain, SIZE, head, tail, node_a);
    brokered_import(&target, sealed, SIZE, head, tail, node_b);
    struct doca_buf *src = buffer(&source, shifted(plain), 4000, 4000);
    struct doca_buf *middle = buffer(&target, shifted(sealed), SIZE, 0);
    struct doca_buf *dst = buffer(&back_map, back, SIZE, 0);
    ck_assert_int_eq(encrypt(src, middle, 0, 16, 7), DOCA_SUCCESS);
    ck_assert_uint_eq(middle->data_len, 4016);
    ck_assert_int_eq(decrypt(middle, dst, 0, 16, 7), DOCA_SUCCESS);
    ck_assert_mem_eq(back, plain, 4000);
    // A forgery, to brokered memory.
    struct doca_buf *local = buffer(&sealed_map, sealed, 4016, 4016);
    struct doca_buf *far = buffer(&source, shifted(plain), 4000, 0);
    sealed[4015] ^= 1;
    ck_assert_int_eq(decrypt(local, far, 0, 16, 7), DOCA_ERROR_IO_FAILED);
    ck_assert_mem_eq(plain, zeroes, 4000);
    ck_assert_uint_eq(far->data_len, 0);
    drop(local);
    drop(far);
    drop(src);
    drop(middle);
    drop(dst);
    release(&source);
    release(&target);
}
END_TEST

// Begins to decrypt; the rest of the source, or part of the target, is revoked meanwhile.
static void lose(struct doca_buf *src, struct doca_buf *dst, const struct doca_mmap *lost)
{
    struct doca_aes_gcm_task_decrypt *task;

    ck_assert_int_eq(doca_aes_gcm_task_decrypt_alloc_init(lib, src, dst, keys[0], iv, sizeof(iv),
                                                          16, 10, (union doca_data){.u64 = 1},
                                                          &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit(doca_aes_gcm_task_decrypt_as_task(task)), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    fake_set_state(lost->memory.import_id, SLOT_REVOKED);
    while (!n_over)
        if (!doca_pe_progress(pe))
            serve_all();
    ck_assert_int_eq(last, DOCA_ERROR_NOT_PERMITTED);
    doca_task_free(doca_aes_gcm_task_decrypt_as_task(task));
}

// A message in `sealed`, of which an engine reads all but the first `n` bytes.
static struct doca_buf *read_later(struct doca_mmap *rest, size_t n)
{
    struct doca_buf *src = buffer(&plain_map, plain, 3000, 3000);
    struct doca_buf *whole = buffer(&sealed_map, sealed, 3016, 0);

    ck_assert_int_eq(encrypt(src, whole, 0, 16, 10), DOCA_SUCCESS);
    drop(src);
    drop(whole);
    n_over = 0;
    brokered_import(rest, sealed, SIZE, SIZE, 0, node_a);
    struct doca_buf *list = buffer(&sealed_map, sealed, n, n);
    chain(list, buffer(rest, shifted(sealed) + n, 3016 - n, 3016 - n));
    return list;
}

// The target is local, or an engine writes it.
START_TEST(a_source_that_is_revoked_leaves_no_plain_text)
{
    static const uint8_t zeroes[SIZE];
    struct doca_mmap rest, far;

    struct doca_buf *src = read_later(&rest, 1500);
    brokered_import(&far, back, SIZE, SIZE, 0, node_b);
    struct doca_buf *dst =
        _i ? buffer(&far, shifted(back), 700, 0) : buffer(&back_map, back, 700, 0);
    // Another chunk, so that the first one is sent before the source is revoked.
    chain(dst,
          _i ? buffer(&far, shifted(back) + 900, 3000, 0) : buffer(&back_map, back + 900, 3000, 0));
    lose(src, dst, &rest);
    ck_assert_mem_eq(back, zeroes, SIZE);
    ck_assert_uint_eq(dst->data_len, 0);
    drop(src);
    drop(dst);
    release(&rest);
    release(&far);
}
END_TEST

// The other buffers of the target are still reached.
START_TEST(a_target_that_is_revoked_keeps_plain_text_only_there)
{
    static const uint8_t zeroes[SIZE];
    struct doca_mmap rest, gone;

    struct doca_buf *src = read_later(&rest, 700);
    brokered_import(&gone, back + 500, 500, 0, 0, node_b);
    struct doca_buf *dst = buffer(&back_map, back, 500, 0);
    chain(dst, buffer(&gone, shifted(back + 500), 500, 0));
    chain(dst, buffer(&back_map, back + 1000, 3000, 0));
    lose(src, dst, &gone);
    ck_assert_mem_eq(back, zeroes, 500);
    ck_assert_mem_eq(back + 1000, zeroes, SIZE - 1000);
    ck_assert_uint_eq(dst->data_len, 0);
    drop(src);
    drop(dst);
    release(&rest);
    release(&gone);
}
END_TEST

START_TEST(more_messages_than_lanes)
{
    struct doca_aes_gcm_task_encrypt *tasks[16];
    struct doca_buf *src[16], *dst[16];
    struct doca_mmap source;

    brokered_import(&source, plain, SIZE, SIZE, 0, node_a);
    for (size_t i = 0; i < 16; i++) {
        src[i] = buffer(&source, shifted(plain) + 200 * i, 200, 200);
        dst[i] = buffer(&sealed_map, sealed + 216 * i, 216, 0);
        ck_assert_int_eq(
            doca_aes_gcm_task_encrypt_alloc_init(lib, src[i], dst[i], keys[i % 2], iv, sizeof(iv),
                                                 16, 0, (union doca_data){.u64 = 1}, &tasks[i]),
            DOCA_SUCCESS);
        ck_assert_int_eq(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(tasks[i])),
                         DOCA_SUCCESS);
    }
    ck_assert_uint_eq(doca_pe_progress(pe), 0);
    ck_assert_int_eq(doca_aes_gcm_key_destroy(keys[0]), DOCA_ERROR_IN_USE);
    while (n_over < 16)
        if (!doca_pe_progress(pe))
            serve_all();
    for (size_t i = 0; i < 16; i++) {
        struct doca_buf *whole = buffer(&back_map, back, 200, 0);
        ck_assert_int_eq(decrypt(dst[i], whole, i % 2, 16, 0), DOCA_SUCCESS);
        ck_assert_mem_eq(back, plain + 200 * i, 200);
        drop(whole);
        doca_task_free(doca_aes_gcm_task_encrypt_as_task(tasks[i]));
        drop(src[i]);
        drop(dst[i]);
    }
    release(&source);
}
END_TEST

// Long messages from and to one engine want more chunks than there are: none may keep those that
// the others wait for.
START_TEST(long_messages_share_the_chunks)
{
    enum { N = 8, LENGTH = 10 << 16 };
    struct doca_aes_gcm_task_encrypt *tasks[N];
    struct doca_buf *src[N], *dst[N];
    uint8_t *text = malloc(LENGTH), *there = malloc(N * (LENGTH + 16)), *again = malloc(LENGTH);
    struct doca_mmap source, target, whole = local_map(again, LENGTH);

    fill(text, LENGTH, 9);
    brokered_import(&source, text, LENGTH, LENGTH, 0, node_a);
    brokered_import(&target, there, N * (LENGTH + 16), N * (LENGTH + 16), 0, node_a);
    for (size_t i = 0; i < N; i++) {
        src[i] = buffer(&source, shifted(text), LENGTH, LENGTH);
        dst[i] = buffer(&target, shifted(there) + i * (LENGTH + 16), LENGTH + 16, 0);
        ck_assert_int_eq(
            doca_aes_gcm_task_encrypt_alloc_init(lib, src[i], dst[i], keys[1], iv, sizeof(iv), 16,
                                                 0, (union doca_data){.u64 = 1}, &tasks[i]),
            DOCA_SUCCESS);
        ck_assert_int_eq(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(tasks[i])),
                         DOCA_SUCCESS);
    }
    for (unsigned polls = 0; n_over < N; polls++) {
        ck_assert_uint_lt(polls, 100000);
        if (!doca_pe_progress(pe))
            serve_all();
    }
    for (size_t i = 0; i < N; i++) {
        struct doca_buf *out = buffer(&whole, again, LENGTH, 0);
        ck_assert_int_eq(doca_task_get_status(doca_aes_gcm_task_encrypt_as_task(tasks[i])),
                         DOCA_SUCCESS);
        ck_assert_int_eq(decrypt(dst[i], out, 1, 16, 0), DOCA_SUCCESS);
        ck_assert_mem_eq(again, text, LENGTH);
        doca_task_free(doca_aes_gcm_task_encrypt_as_task(tasks[i]));
        drop(out);
        drop(src[i]);
        drop(dst[i]);
    }
    release(&source);
    release(&target);
    free(text);
    free(there);
    free(again);
}
END_TEST

static void stop_and_wait(bool busy)
{
    enum doca_ctx_states state;

    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    if (busy)
        busy_worker_end();
    do {
        doca_pe_progress(pe);
        ck_assert_int_eq(doca_ctx_get_state(lib_ctx, &state), DOCA_SUCCESS);
    } while (state != DOCA_CTX_STATE_IDLE);
}

#define LONG (400000 + 5) // handed over

static const uint8_t blank[LONG];
static uint8_t long_plain[LONG], long_sealed[4][LONG + 16], long_back[LONG];

// Local and imported memory. A task is handed over when it is submitted: its key is held.
START_TEST(on_workers)
{
    struct doca_mmap from = local_map(long_plain, LONG), to, again = local_map(long_back, LONG);
    struct doca_aes_gcm_task_encrypt *task;

    use_workers(2);
    fill(long_plain, LONG, 7);
    if (_i)
        brokered_import(&to, long_sealed[0], LONG + 16, 0, 0, node_a);
    else
        to = local_map(long_sealed[0], LONG + 16);
    struct doca_buf *src = buffer(&from, long_plain, LONG, LONG);
    struct doca_buf *middle =
        buffer(&to, _i ? shifted(long_sealed[0]) : long_sealed[0], LONG + 16, 0);
    struct doca_buf *dst = buffer(&again, long_back, LONG, 0);
    ck_assert_int_eq(doca_aes_gcm_task_encrypt_alloc_init(lib, src, middle, keys[1], iv, sizeof(iv),
                                                          16, 100, (union doca_data){.u64 = 1},
                                                          &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(task)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_key_destroy(keys[1]), DOCA_ERROR_IN_USE);
    while (!n_over)
        doca_pe_progress(pe);
    ck_assert_int_eq(last, DOCA_SUCCESS);
    doca_task_free(doca_aes_gcm_task_encrypt_as_task(task));
    ck_assert_uint_eq(middle->data_len, LONG + 16);
    ck_assert_mem_eq(long_sealed[0], long_plain, 100);
    ck_assert_int_eq(decrypt(middle, dst, 1, 16, 100), DOCA_SUCCESS);
    ck_assert_mem_eq(long_back, long_plain, LONG);
    // A forgery leaves no plain text.
    long_sealed[0][LONG / 2] ^= 1;
    dst->data_len = 0;
    ck_assert_int_eq(decrypt(middle, dst, 1, 16, 100), DOCA_ERROR_IO_FAILED);
    ck_assert_uint_eq(dst->data_len, 0);
    ck_assert_mem_eq(long_back, blank, LONG);
    drop(src);
    drop(middle);
    drop(dst);
    if (_i)
        release(&to);
}
END_TEST

// In the thread (0), and on a worker.
START_TEST(a_stop_ends_all_tasks)
{
    struct doca_mmap from = local_map(long_plain, LONG);
    struct doca_mmap to = local_map(long_sealed, sizeof(long_sealed));
    struct doca_buf *src = buffer(&from, long_plain, LONG, LONG), *dst[4];
    struct doca_aes_gcm_task_encrypt *tasks[4];

    use_workers(_i);
    if (_i)
        busy_worker_begin();
    for (unsigned i = 0; i < 4; i++) {
        dst[i] = buffer(&to, long_sealed[i], LONG + 16, 0);
        ck_assert_int_eq(
            doca_aes_gcm_task_encrypt_alloc_init(lib, src, dst[i], keys[0], iv, sizeof(iv), 16, 0,
                                                 (union doca_data){.u64 = 1}, &tasks[i]),
            DOCA_SUCCESS);
        ck_assert_int_eq(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(tasks[i])),
                         DOCA_SUCCESS);
    }
    stop_and_wait(_i);
    ck_assert_uint_eq(n_over, 4);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(doca_task_get_status(doca_aes_gcm_task_encrypt_as_task(tasks[i])),
                         DOCA_ERROR_SHUTDOWN);
        ck_assert_uint_eq(dst[i]->data_len, 0);
        doca_task_free(doca_aes_gcm_task_encrypt_as_task(tasks[i]));
        drop(dst[i]);
    }
    drop(src);
    ck_assert_int_eq(doca_aes_gcm_key_destroy(keys[0]), DOCA_SUCCESS); // no task holds it
    ck_assert_int_eq(doca_aes_gcm_key_create(lib, plain, DOCA_AES_GCM_KEY_128, &keys[0]),
                     DOCA_SUCCESS);
}
END_TEST

// On workers, and without any.
START_TEST(touches_are_announced)
{
    const size_t size = 512 << 10;
    struct doca_mmap from = local_map(long_plain, LONG), to;

    use_workers(_i);
    uint8_t *pages = watched_pages(size);
    brokered_import(&to, pages, size, 0, 0, node_a);
    struct doca_buf *src = buffer(&from, long_plain, LONG, LONG);
    struct doca_buf *middle = buffer(&to, shifted(pages), LONG + 16, 0);
    watch_begin(pages, size, to.memory.import_id);
    ck_assert_int_eq(encrypt(src, middle, 1, 16, 5000), DOCA_SUCCESS);
    ck_assert_uint_ge(watch_touches(), LONG / 4096);
    ck_assert_uint_eq(watch_end(), 0);
    pages[LONG / 2] ^= 1;
    struct doca_buf *dst = buffer(&to, shifted(pages), LONG, 0); // where the cipher text is
    watch_begin(pages, size, to.memory.import_id);
    ck_assert_int_eq(decrypt(middle, dst, 1, 16, 5000), DOCA_ERROR_IO_FAILED);
    ck_assert_uint_eq(watch_end(), 0);
    drop(src);
    drop(middle);
    drop(dst);
    release(&to);
}
END_TEST

START_TEST(a_task_in_flight_holds_its_key)
{
    struct doca_buf *src = buffer(&plain_map, plain, 64, 64),
                    *dst = buffer(&sealed_map, sealed, 80, 0);
    struct doca_aes_gcm_task_encrypt *task;
    struct doca_aes_gcm_key *key, *next;

    ck_assert_int_eq(doca_aes_gcm_key_create(lib, plain, DOCA_AES_GCM_KEY_128, &key), DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_task_encrypt_alloc_init(lib, src, dst, key, iv, sizeof(iv), 16, 0,
                                                          (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(task)), DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_key_destroy(key),
                     DOCA_ERROR_IN_USE); // although nothing has begun
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_int_eq(last, DOCA_SUCCESS);
    // A task whose key was destroyed has none, even if another key has its place.
    ck_assert_int_eq(doca_aes_gcm_key_destroy(key), DOCA_SUCCESS);
    ck_assert_int_eq(doca_aes_gcm_key_destroy(key), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_aes_gcm_key_create(lib, plain, DOCA_AES_GCM_KEY_256, &next),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_reset_data_len(dst), DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(task)), DOCA_SUCCESS);
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    ck_assert_int_eq(last, DOCA_ERROR_INVALID_VALUE);
    doca_task_free(doca_aes_gcm_task_encrypt_as_task(task));
    ck_assert_int_eq(doca_aes_gcm_key_destroy(next), DOCA_SUCCESS);
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(in_place)
{
    uint8_t before[500];
    struct doca_buf *src = buffer(&sealed_map, sealed, 500, 500);
    struct doca_buf *dst = buffer(&sealed_map, sealed, 516, 0);

    memcpy(sealed, plain, 500);
    memcpy(before, plain, 500);
    ck_assert_int_eq(encrypt(src, dst, 0, 16, 20), DOCA_SUCCESS);
    ck_assert_mem_ne(sealed + 20, before + 20, 480);
    src->data_len = 0;
    ck_assert_int_eq(decrypt(dst, src, 0, 16, 20), DOCA_SUCCESS);
    ck_assert_mem_eq(sealed, before, 500);
    drop(src);
    drop(dst);
}
END_TEST

START_TEST(nothing_to_encrypt_has_a_tag)
{
    struct doca_buf *none = buffer(&plain_map, plain, 64, 0);
    struct doca_buf *middle = buffer(&sealed_map, sealed, 64, 0);
    struct doca_buf *dst = buffer(&back_map, back, 64, 0);

    ck_assert_int_eq(encrypt(none, middle, 0, 12, 0), DOCA_SUCCESS);
    ck_assert_uint_eq(middle->data_len, 12);
    ck_assert_int_eq(decrypt(middle, dst, 0, 12, 0), DOCA_SUCCESS);
    ck_assert_uint_eq(dst->data_len, 0);
    sealed[3] ^= 4;
    ck_assert_int_eq(decrypt(middle, dst, 0, 12, 0), DOCA_ERROR_IO_FAILED);
    drop(none);
    drop(middle);
    drop(dst);
}
END_TEST

START_TEST(what_fails_changes_nothing)
{
    static const uint8_t zeroes[SIZE];
    struct doca_buf *src = buffer(&plain_map, plain, 100, 100);
    struct doca_buf *dst = buffer(&sealed_map, sealed, 116, 0);
    struct doca_buf *small = buffer(&sealed_map, sealed, 115, 0);
    struct doca_mmap read_only = fake_map(sealed, SIZE, 0);
    struct doca_buf *closed = buffer(&read_only, sealed, 116, 0);
    struct doca_aes_gcm_task_encrypt *task;
    enum doca_ctx_states state;

    ck_assert_int_eq(encrypt(NULL, dst, 0, 16, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(encrypt(src, NULL, 0, 16, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(encrypt(src, small, 0, 16, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(encrypt(src, dst, 0, 13, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(encrypt(src, dst, 0, 16, 101), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(decrypt(src, dst, 0, 16, 85), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(encrypt(src, closed, 0, 16, 0), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(doca_aes_gcm_task_encrypt_alloc_init(lib, src, dst, NULL, iv, 0, 16, 0,
                                                          (union doca_data){.u64 = 1}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_try_submit(doca_aes_gcm_task_encrypt_as_task(task)),
                     DOCA_ERROR_INVALID_VALUE);
    doca_aes_gcm_task_encrypt_set_key(task, keys[1]);
    ck_assert_int_eq(doca_task_try_submit(doca_aes_gcm_task_encrypt_as_task(task)),
                     DOCA_ERROR_INVALID_VALUE); // it has no vector
    doca_aes_gcm_task_encrypt_set_iv(task, iv, 11);
    ck_assert_mem_eq(sealed, zeroes, SIZE);
    ck_assert_uint_eq(dst->data_len, 0);
    ck_assert_int_eq(doca_ctx_get_state(lib_ctx, &state), DOCA_SUCCESS);
    ck_assert_int_eq(state, DOCA_CTX_STATE_RUNNING);
    ck_assert_int_eq(run(doca_aes_gcm_task_encrypt_as_task(task)), DOCA_SUCCESS);
    drop(src);
    drop(dst);
    drop(small);
    drop(closed);
}
END_TEST

START_TEST(limits_of_a_card)
{
    const struct doca_devinfo *info = (const struct doca_devinfo *)&fake_dev;
    struct doca_aes_gcm_key *key;
    uint64_t size;

    teardown_tasks(); // a context has the limits of the moment when it is made
    fake_card.values[CARD_OVER_LIMIT] = 1;
    fake_card.values[CARD_GCM_BUF_SIZE] = 100;
    fake_card.values[CARD_GCM_TAG_96] = 0;
    setup_tasks();
    struct doca_buf *src = buffer(&plain_map, plain, SIZE, 84);
    struct doca_buf *dst = buffer(&sealed_map, sealed, SIZE, 0);
    struct doca_buf *again = buffer(&back_map, back, SIZE, 0);
    ck_assert_int_eq(encrypt(src, dst, 0, 16, 4), DOCA_SUCCESS); // 100 with its tag
    ck_assert_int_eq(decrypt(dst, again, 0, 16, 4), DOCA_SUCCESS);
    ck_assert_int_eq(encrypt(src, again, 0, 12, 4), DOCA_ERROR_INVALID_VALUE);
    src->data_len = 85;
    dst->data_len = 0;
    ck_assert_int_eq(encrypt(src, dst, 0, 16, 4), DOCA_ERROR_IO_FAILED);
    ck_assert_int_eq(doca_aes_gcm_cap_task_encrypt_get_max_buf_size(info, &size), DOCA_SUCCESS);
    ck_assert_uint_eq(size, 100);
    ck_assert_int_eq(doca_aes_gcm_cap_task_decrypt_is_tag_96_supported(info),
                     DOCA_ERROR_NOT_SUPPORTED);
    fake_card.values[CARD_GCM_KEY_256] = 0;
    ck_assert_int_eq(doca_aes_gcm_key_create(lib, plain, DOCA_AES_GCM_KEY_256, &key),
                     DOCA_ERROR_NOT_SUPPORTED);
    card_init(&fake_card);
    drop(src);
    drop(dst);
    drop(again);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("aes_gcm");
    tcase_add_checked_fixture(tcase, setup_tasks, teardown_tasks);
    tcase_add_test(tcase, a_published_vector);
    tcase_add_loop_test(tcase, initialisation_vectors, 1, 13);
    tcase_add_loop_test(tcase, there_and_back, 0, 8);
    tcase_add_test(tcase, a_forgery_leaves_no_plain_text);
    tcase_add_loop_test(tcase, through_engines, 0, 2);
    tcase_add_loop_test(tcase, a_source_that_is_revoked_leaves_no_plain_text, 0, 2);
    tcase_add_test(tcase, a_target_that_is_revoked_keeps_plain_text_only_there);
    tcase_add_test(tcase, more_messages_than_lanes);
    tcase_add_test(tcase, long_messages_share_the_chunks);
    tcase_add_loop_test(tcase, on_workers, 0, 2);
    tcase_add_loop_test(tcase, touches_are_announced, 0, 2);
    tcase_add_loop_test(tcase, a_stop_ends_all_tasks, 0, 2);
    tcase_add_test(tcase, a_task_in_flight_holds_its_key);
    tcase_add_test(tcase, in_place);
    tcase_add_test(tcase, nothing_to_encrypt_has_a_tag);
    tcase_add_test(tcase, what_fails_changes_nothing);
    tcase_add_test(tcase, limits_of_a_card);
    return unit_run_case("aes_gcm", tcase);
}
