// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// AES-GCM contexts, their keys and tasks.

#include "task_world.h"

#include <doca_aes_gcm.h>

static struct {
    struct doca_aes_gcm *aes_gcm;
    struct doca_aes_gcm_key *key;
} w;

static struct doca_ctx *ctx(void)
{
    return w.aes_gcm ? doca_aes_gcm_as_ctx(w.aes_gcm) : NULL;
}

TASK_CALLBACK(encrypted, doca_aes_gcm_task_encrypt)
TASK_CALLBACK(decrypted, doca_aes_gcm_task_decrypt)

static void create(void)
{
    ck_assert_success(doca_aes_gcm_create(tw.dev, &w.aes_gcm));
    ck_assert_success(doca_aes_gcm_key_create(w.aes_gcm, tw.memory, DOCA_AES_GCM_KEY_128, &w.key));
}

static void configure(void)
{
    ck_assert_success(doca_aes_gcm_task_encrypt_set_conf(w.aes_gcm, encrypted, encrypted, 2));
    ck_assert_success(doca_aes_gcm_task_decrypt_set_conf(w.aes_gcm, decrypted, decrypted, 2));
}

static void allocate(void)
{
    union doca_data data = {.u64 = 1};
    struct doca_aes_gcm_task_encrypt *encrypt;
    struct doca_aes_gcm_task_decrypt *decrypt;
    ck_assert_success(doca_aes_gcm_task_encrypt_alloc_init(w.aes_gcm, tw.src, tw.dst, w.key,
                                                           tw.memory, 12, 16, 0, data, &encrypt));
    ck_assert_success(doca_aes_gcm_task_decrypt_alloc_init(w.aes_gcm, tw.src, tw.dst, w.key,
                                                           tw.memory, 12, 16, 0, data, &decrypt));
    tw.tasks[tw.n_tasks++] = doca_aes_gcm_task_encrypt_as_task(encrypt);
    tw.tasks[tw.n_tasks++] = doca_aes_gcm_task_decrypt_as_task(decrypt);
}

static const struct lifetime lifetimes[] = {
    {"doca_aes_gcm_create", "doca_aes_gcm_destroy", &w.aes_gcm},
    {"doca_aes_gcm_key_create", "doca_aes_gcm_key_destroy", &w.key},
    {NULL},
};

TASK_LIBRARY

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool decrypts = strstr(function, "_decrypt_");

    if (same(param, "aes_gcm"))
        return GIVE(w.aes_gcm);
    enum given given = task_world_argument(param, value);
    if (given == GIVEN)
        return given;
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return GIVE(tw.tasks[decrypts]);
    if (same(param, "key"))
        return GIVE(w.key);
    if (same(param, "raw_key") || same(param, "iv"))
        return GIVE(tw.memory);
    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return decrypts ? GIVE(decrypted) : GIVE(encrypted);
    *value = same(param, "tag_size") ? 12 : 1; // 1 is also a key type
    bool number = same(param, "tag_size") || same(param, "aad_size") || same(param, "num_tasks") ||
                  same(param, "raw_key_type") || same(param, "key_type") ||
                  same(param, "user_data") ||
                  (same(param, "iv_length") && !strstr(function, "_get_iv"));
    return number ? GIVEN : GIVEN_NONE;
}

// What both kinds of tasks have.
#define KIND(name)                                                                                 \
    ROW("doca_aes_gcm_cap_task_" name "_is_supported", ANY(OK)),                                   \
        ROW("doca_aes_gcm_cap_task_" name "_get_max_iv_len", ANY(OK)),                             \
        ROW("doca_aes_gcm_cap_task_" name "_is_tag_96_supported", ANY(OK)),                        \
        ROW("doca_aes_gcm_cap_task_" name "_is_tag_128_supported", ANY(OK)),                       \
        ROW("doca_aes_gcm_cap_task_" name "_is_key_type_supported", ANY(OK)),                      \
        ROW("doca_aes_gcm_cap_task_" name "_get_max_buf_size", ANY(OK)),                           \
        ROW("doca_aes_gcm_cap_task_" name "_get_max_list_buf_num_elem", ANY(OK)),                  \
        ROW("doca_aes_gcm_task_" name "_set_conf", {OK, OK, STATE, STATE, OK}),                    \
        ROW("doca_aes_gcm_task_" name "_alloc_init", {STATE, STATE, OK, OK, STATE},                \
            "src_buff dst_buff key iv")

static const struct row ctx_rows[] = {
    // made, connected, running, busy, stopped
    {"doca_aes_gcm_create", ANY(OK)},
    {"doca_aes_gcm_destroy", {OK, OK, IN_USE, IN_USE, OK}},
    {"doca_aes_gcm_as_ctx", ANY(OK)},
    {"doca_aes_gcm_cap_get_max_num_tasks", ANY(OK)},
    {"doca_aes_gcm_key_create", ANY(OK)},
    KIND("encrypt"),
    KIND("decrypt"),
};

GROUP(aes_gcms) = {
    .name = "aes_gcm",
    .states = {CONTEXT_STATES},
    ROWS(ctx_rows),
    .probe = "doca_aes_gcm_task_encrypt_set_conf",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

// ---- keys and tasks

#define FIELD(task, name)                                                                          \
    ROW("doca_aes_gcm_task_" task "_set_" name, ANY(OK)),                                          \
        ROW("doca_aes_gcm_task_" task "_get_" name, ANY(OK))
#define TASKS(name)                                                                                \
    ROW("doca_aes_gcm_task_" name "_as_task", ANY(OK)), FIELD(name, "src"), FIELD(name, "dst"),    \
        FIELD(name, "key"), FIELD(name, "tag_size"), FIELD(name, "aad_size"),                      \
        ROW("doca_aes_gcm_task_" name "_set_iv", ANY(OK)),                                         \
        ROW("doca_aes_gcm_task_" name "_get_iv", ANY(OK), "iv_length")

// Setters return nothing; what they leave alone is tested where values are.
static const struct row task_rows[] = {
    // allocated, in flight, done, freed
    {"doca_aes_gcm_key_destroy", {OK, IN_USE, OK, OK}},
    TASKS("encrypt"),
    TASKS("decrypt"),
};

GROUP(aes_gcm_tasks) = {
    .name = "aes_gcm task",
    .states = {TASK_STATES},
    ROWS(task_rows),
    .probe = "doca_aes_gcm_key_destroy",
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};
