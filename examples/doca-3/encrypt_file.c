// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Encrypts a file, and decrypts one, by a task of DOCA 3: AES-256-GCM, so that a file that somebody
// has changed is not decrypted.
//
//     openssl rand -out KEY 32
//     DOCAD_SOCKET=dpu.sock encrypt_file KEY FILE ENCRYPTED
//     DOCAD_SOCKET=dpu.sock encrypt_file -d KEY ENCRYPTED FILE
//
// The encrypted file is an initialisation vector of 12 bytes, the cipher text, and a tag of 16
// bytes. The vector is random, which is safe for some billions of files with one key.

#include "setup.h"

#include "../common/files.h"

#include <doca_aes_gcm.h>
#include <doca_ctx.h>
#include <doca_pe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define KEY_SIZE 32
#define IV_SIZE  12
#define TAG_SIZE 16

struct job {
    struct setup setup;
    struct doca_aes_gcm *gcm;
    struct doca_aes_gcm_key *key;
    struct doca_pe *pe;
    struct doca_buf *from, *to;
    uint8_t iv[IV_SIZE];
    bool done;
};

static void encrypted(struct doca_aes_gcm_task_encrypt *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    struct job *job = ctx_data.ptr;
    struct doca_task *base = doca_aes_gcm_task_encrypt_as_task(task);
    (void)task_data;
    must(doca_task_get_status(base), "cannot encrypt");
    job->done = true;
    doca_task_free(base);
}

static void decrypted(struct doca_aes_gcm_task_decrypt *task, union doca_data task_data,
                      union doca_data ctx_data)
{
    struct job *job = ctx_data.ptr;
    struct doca_task *base = doca_aes_gcm_task_decrypt_as_task(task);
    (void)task_data;
    must(doca_task_get_status(base), "the file was changed, or is not of this key");
    job->done = true;
    doca_task_free(base);
}

static struct doca_task *make_task(struct job *job, bool back)
{
    struct doca_aes_gcm_task_encrypt *encrypt;
    struct doca_aes_gcm_task_decrypt *decrypt;
    union doca_data none = {0};

    if (back) {
        must(doca_aes_gcm_task_decrypt_alloc_init(job->gcm, job->from, job->to, job->key, job->iv,
                                                  IV_SIZE, TAG_SIZE, 0, none, &decrypt),
             "cannot allocate a task");
        return doca_aes_gcm_task_decrypt_as_task(decrypt);
    }
    must(doca_aes_gcm_task_encrypt_alloc_init(job->gcm, job->from, job->to, job->key, job->iv,
                                              IV_SIZE, TAG_SIZE, 0, none, &encrypt),
         "cannot allocate a task");
    return doca_aes_gcm_task_encrypt_as_task(encrypt);
}

// Returns the length of the result.
static size_t run(struct job *job, bool back)
{
    struct doca_ctx *ctx = doca_aes_gcm_as_ctx(job->gcm);
    union doca_data data;
    size_t size;

    data.ptr = job;
    must(doca_aes_gcm_task_encrypt_set_conf(job->gcm, encrypted, encrypted, 1),
         "cannot configure the tasks");
    must(doca_aes_gcm_task_decrypt_set_conf(job->gcm, decrypted, decrypted, 1),
         "cannot configure the tasks");
    must(doca_ctx_set_user_data(ctx, data), "cannot set the user data");
    must(doca_pe_connect_ctx(job->pe, ctx), "cannot connect the context to the engine");
    must(doca_ctx_start(ctx), "cannot start the context");
    must(doca_task_submit(make_task(job, back)), "cannot submit the task");
    while (!job->done)
        (void)doca_pe_progress(job->pe);
    must(doca_buf_get_data_len(job->to, &size), "cannot find the length of the result");
    must(doca_buf_dec_refcount(job->from, NULL), "cannot give a buffer back");
    must(doca_buf_dec_refcount(job->to, NULL), "cannot give a buffer back");
    must(doca_ctx_stop(ctx), "cannot stop the context");
    return size;
}

// Maps the file's bytes, and room for the result behind them.
static void open_job(struct job *job, const struct bytes *key, const struct bytes *file)
{
    uint8_t *memory;

    setup_open(&job->setup, IV_SIZE + 2 * file->size + TAG_SIZE, 2);
    memory = job->setup.memory + IV_SIZE;
    memcpy(memory, file->data, file->size);
    must(doca_pe_create(&job->pe), "cannot make a progress engine");
    must(doca_aes_gcm_create(job->setup.dev, &job->gcm), "cannot make an AES-GCM context");
    must(doca_aes_gcm_key_create(job->gcm, key->data, DOCA_AES_GCM_KEY_256, &job->key),
         "cannot make a key");
}

static void close_job(struct job *job)
{
    must(doca_aes_gcm_key_destroy(job->key), "cannot destroy the key");
    must(doca_aes_gcm_destroy(job->gcm), "cannot destroy the context");
    must(doca_pe_destroy(job->pe), "cannot destroy the engine");
    setup_close(&job->setup);
}

static size_t encrypt(struct job *job, size_t size)
{
    if (getrandom(job->iv, IV_SIZE, 0) != IV_SIZE)
        fail("there are no random bytes");
    job->from = full_buffer(&job->setup, IV_SIZE, size);
    job->to = empty_buffer(&job->setup, IV_SIZE + size, size + TAG_SIZE);
    return run(job, false);
}

static size_t decrypt(struct job *job, size_t size)
{
    if (size < IV_SIZE + TAG_SIZE)
        fail("that is not an encrypted file: it is too short");
    memcpy(job->iv, job->setup.memory + IV_SIZE, IV_SIZE);
    job->from = full_buffer(&job->setup, 2 * IV_SIZE, size - IV_SIZE);
    job->to = empty_buffer(&job->setup, IV_SIZE + size, size);
    return run(job, true);
}

int main(int argc, char **argv)
{
    bool back = argc > 1 && strcmp(argv[1], "-d") == 0;
    struct job job = {.done = false};
    struct bytes result;

    help_option(argc, argv, "[-d] KEY FROM TO",
                "Encrypts a file with the 32 bytes of the file KEY; -d: decrypts.");
    if (argc != (back ? 5 : 4))
        fail("the arguments are the names of the key and of two files; -d before them decrypts");
    struct bytes key = read_file(argv[argc - 3], ""), file = read_file(argv[argc - 2], "");
    if (key.size != KEY_SIZE)
        fail("%s: the key must have %d bytes", argv[argc - 3], KEY_SIZE);
    open_job(&job, &key, &file);
    result.size = back ? decrypt(&job, file.size) : encrypt(&job, file.size);
    result.data = job.setup.memory + IV_SIZE + file.size;
    if (!back) { // the vector goes before the cipher text, over what was read
        result.data = (uint8_t *)result.data - IV_SIZE;
        result.size += IV_SIZE;
        memcpy(result.data, job.iv, IV_SIZE);
    }
    write_file(argv[argc - 1], "", &result);
    printf("%zu bytes made %zu\n", file.size, result.size);
    close_job(&job);
    free(file.data);
    free(key.data);
    return EXIT_SUCCESS;
}
