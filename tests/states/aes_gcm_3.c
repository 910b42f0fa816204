// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// AES-GCM contexts, their keys and tasks.

#include "doca_3.h"

#include "client.h"

#include <check.h>
#include <doca_aes_gcm.h>
#include <doca_pe.h>

static uint8_t memory[192] = "what is encrypted";

static struct {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_aes_gcm *aes_gcm;
    struct doca_aes_gcm_key *key;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *src, *dst;
    struct doca_aes_gcm_task_encrypt *encrypt;
    struct doca_aes_gcm_task_decrypt *decrypt;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_aes_gcm_as_ctx(w.aes_gcm);
}

static void encrypted(struct doca_aes_gcm_task_encrypt *task, union doca_data data,
                      union doca_data ctx_data)
{
    (void)task;
    (void)data;
    (void)ctx_data;
}

static void decrypted(struct doca_aes_gcm_task_decrypt *task, union doca_data data,
                      union doca_data ctx_data)
{
    (void)task;
    (void)data;
    (void)ctx_data;
}

enum { MADE, CONNECTED, RUNNING, BUSY, STOPPED };

static void make(void)
{
    w.dev = client_open(HOST_PF0);
    ck_assert_success(doca_mmap_create(&w.mmap));
    ck_assert_success(doca_mmap_set_memrange(w.mmap, memory, sizeof(memory)));
    ck_assert_success(doca_mmap_set_permissions(w.mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    ck_assert_success(doca_mmap_add_dev(w.mmap, w.dev));
    ck_assert_success(doca_mmap_start(w.mmap));
    ck_assert_success(doca_buf_inventory_create(2, &w.inventory));
    ck_assert_success(doca_buf_inventory_start(w.inventory));
    ck_assert_success(doca_buf_inventory_buf_get_by_data(w.inventory, w.mmap, memory, 64, &w.src));
    ck_assert_success(
        doca_buf_inventory_buf_get_by_addr(w.inventory, w.mmap, memory + 64, 128, &w.dst));
    ck_assert_success(doca_pe_create(&w.pe));
    ck_assert_success(doca_aes_gcm_create(w.dev, &w.aes_gcm));
    ck_assert_success(doca_aes_gcm_key_create(w.aes_gcm, memory, DOCA_AES_GCM_KEY_128, &w.key));
}

static void make_running(void)
{
    union doca_data data = {.u64 = 1};

    make();
    ck_assert_success(doca_pe_connect_ctx(w.pe, ctx()));
    ck_assert_success(doca_aes_gcm_task_encrypt_set_conf(w.aes_gcm, encrypted, encrypted, 2));
    ck_assert_success(doca_aes_gcm_task_decrypt_set_conf(w.aes_gcm, decrypted, decrypted, 2));
    ck_assert_success(doca_ctx_start(ctx()));
    ck_assert_success(doca_aes_gcm_task_encrypt_alloc_init(w.aes_gcm, w.src, w.dst, w.key, memory,
                                                           12, 16, 0, data, &w.encrypt));
    ck_assert_success(doca_aes_gcm_task_decrypt_alloc_init(w.aes_gcm, w.src, w.dst, w.key, memory,
                                                           12, 16, 0, data, &w.decrypt));
}

static void submit(void)
{
    ck_assert_success(doca_task_submit(doca_aes_gcm_task_encrypt_as_task(w.encrypt)));
    ck_assert_success(doca_task_submit(doca_aes_gcm_task_decrypt_as_task(w.decrypt)));
}

static void stop(void)
{
    while (doca_ctx_stop(ctx()) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(w.pe);
}

static void free_tasks(void)
{
    doca_task_free(doca_aes_gcm_task_encrypt_as_task(w.encrypt));
    doca_task_free(doca_aes_gcm_task_decrypt_as_task(w.decrypt));
}

static void enter_ctx(unsigned state)
{
    if (state < RUNNING)
        make();
    else
        make_running();
    if (state == CONNECTED)
        ck_assert_success(doca_pe_connect_ctx(w.pe, ctx()));
    if (state == BUSY)
        submit();
    if (state == STOPPED) {
        free_tasks();
        stop();
    }
}

static void leave(void)
{
    if (w.aes_gcm) {
        enum doca_ctx_states state;
        ck_assert_success(doca_ctx_get_state(ctx(), &state));
        if (state != DOCA_CTX_STATE_IDLE)
            stop();
        ck_assert_success(doca_aes_gcm_destroy(w.aes_gcm));
    }
    if (w.key)
        ck_assert_success(doca_aes_gcm_key_destroy(w.key));
    ck_assert_success(doca_pe_destroy(w.pe));
    ck_assert_success(doca_buf_dec_refcount(w.src, NULL));
    ck_assert_success(doca_buf_dec_refcount(w.dst, NULL));
    ck_assert_success(doca_buf_inventory_destroy(w.inventory));
    ck_assert_success(doca_mmap_destroy(w.mmap));
    ck_assert_success(doca_dev_close(w.dev));
    w.aes_gcm = NULL;
    w.key = NULL;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool decrypts = strstr(function, "_decrypt_");

    if (same(param, "aes_gcm"))
        return same(function, "doca_aes_gcm_create") ? GIVEN_NONE : GIVE(w.aes_gcm);
    if (same(param, "dev"))
        return GIVE(w.dev);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return decrypts ? GIVE(w.decrypt) : GIVE(w.encrypt);
    if (same(param, "key"))
        return same(function, "doca_aes_gcm_key_create") ? GIVEN_NONE : GIVE(w.key);
    if (same(param, "raw_key") || same(param, "iv"))
        return GIVE(memory);
    if (same(param, "src_buff"))
        return GIVE(w.src);
    if (same(param, "dst_buff"))
        return GIVE(w.dst);
    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return decrypts ? GIVE(decrypted) : GIVE(encrypted);
    *value = same(param, "tag_size") ? 12 : 1; // 1 is also a key type
    bool number = same(param, "tag_size") || same(param, "aad_size") || same(param, "num_tasks") ||
                  same(param, "raw_key_type") || same(param, "key_type") ||
                  same(param, "user_data") ||
                  (same(param, "iv_length") && !strstr(function, "_get_iv"));
    return number ? GIVEN : GIVEN_NONE;
}

static void succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_aes_gcm_create"))
        ck_assert_success(doca_aes_gcm_destroy(*(struct doca_aes_gcm **)(uintptr_t)a[1]));
    else if (same(function, "doca_aes_gcm_destroy"))
        w.aes_gcm = NULL;
    else if (same(function, "doca_aes_gcm_key_create"))
        ck_assert_success(doca_aes_gcm_key_destroy(*(struct doca_aes_gcm_key **)(uintptr_t)a[3]));
    else if (same(function, "doca_aes_gcm_key_destroy"))
        w.key = NULL;
}

#define FIVE(code)                                                                                 \
    {                                                                                              \
        code, code, code, code, code                                                               \
    }

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped
    {"doca_aes_gcm_create", FIVE(OK), NULL},
    {"doca_aes_gcm_destroy", {OK, OK, IN_USE, IN_USE, OK}, NULL},
    {"doca_aes_gcm_as_ctx", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_get_max_num_tasks", FIVE(OK), NULL},
    {"doca_aes_gcm_key_create", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_encrypt_is_supported", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_encrypt_get_max_iv_len", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_encrypt_is_tag_96_supported", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_encrypt_is_tag_128_supported", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_encrypt_is_key_type_supported", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_encrypt_get_max_buf_size", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_encrypt_get_max_list_buf_num_elem", FIVE(OK), NULL},
    {"doca_aes_gcm_task_encrypt_set_conf", {OK, OK, STATE, STATE, OK}, NULL},
    {"doca_aes_gcm_task_encrypt_alloc_init",
     {STATE, STATE, OK, OK, STATE},
     "src_buff dst_buff key iv"},
    {"doca_aes_gcm_cap_task_decrypt_is_supported", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_decrypt_get_max_iv_len", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_decrypt_is_tag_96_supported", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_decrypt_is_tag_128_supported", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_decrypt_is_key_type_supported", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_decrypt_get_max_buf_size", FIVE(OK), NULL},
    {"doca_aes_gcm_cap_task_decrypt_get_max_list_buf_num_elem", FIVE(OK), NULL},
    {"doca_aes_gcm_task_decrypt_set_conf", {OK, OK, STATE, STATE, OK}, NULL},
    {"doca_aes_gcm_task_decrypt_alloc_init",
     {STATE, STATE, OK, OK, STATE},
     "src_buff dst_buff key iv"},
};

const struct group group_aes_gcms_3 = {
    .name = "aes_gcm",
    .states = {"made", "connected", "running", "busy", "stopped"},
    .rows = ctx_rows,
    .n_rows = sizeof(ctx_rows) / sizeof(ctx_rows[0]),
    .probe = "doca_aes_gcm_task_encrypt_set_conf",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .succeeded = succeeded,
};

// ---- keys and tasks ---------------------------------------------------------------------

enum { ALLOCATED, IN_FLIGHT, DONE, FREED };

static void enter_task(unsigned state)
{
    make_running();
    if (state == IN_FLIGHT || state == DONE)
        submit();
    while (state == DONE && doca_pe_progress(w.pe))
        ;
    if (state == FREED)
        free_tasks();
}

#define FOUR(code)                                                                                 \
    {                                                                                              \
        code, code, code, code                                                                     \
    }

// Setters return nothing; what they leave alone is tested where values are.
static const struct row task_rows[] = {
    // allocated, in flight, done, freed
    {"doca_aes_gcm_key_destroy", FOUR(OK), NULL}, // nothing has begun before a poll
    {"doca_aes_gcm_task_encrypt_as_task", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_set_src", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_get_src", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_set_dst", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_get_dst", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_set_key", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_get_key", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_set_iv", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_set_tag_size", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_get_tag_size", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_set_aad_size", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_get_aad_size", FOUR(OK), NULL},
    {"doca_aes_gcm_task_encrypt_get_iv", FOUR(OK), "iv_length"},
    {"doca_aes_gcm_task_decrypt_as_task", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_set_src", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_get_src", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_set_dst", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_get_dst", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_set_key", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_get_key", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_set_iv", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_set_tag_size", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_get_tag_size", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_set_aad_size", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_get_aad_size", FOUR(OK), NULL},
    {"doca_aes_gcm_task_decrypt_get_iv", FOUR(OK), "iv_length"},
};

const struct group group_aes_gcm_tasks_3 = {
    .name = "aes_gcm task",
    .states = {"allocated", "in flight", "done", "freed"},
    .rows = task_rows,
    .n_rows = sizeof(task_rows) / sizeof(task_rows[0]),
    .probe = "doca_aes_gcm_key_destroy",
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .succeeded = succeeded,
};
