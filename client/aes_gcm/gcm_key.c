// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Keys.

#include "gcm_key.h"

#include "core/refused.h"
#include "gcm_context.h"

#include <doca_aes_gcm.h>

#include <openssl/crypto.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct doca_aes_gcm_key *free_keys;
static uint64_t last_number;

// Returns NULL if there is no memory.
static struct doca_aes_gcm_key *take_key(uint64_t *number)
{
    pthread_mutex_lock(&lock);
    struct doca_aes_gcm_key *key = free_keys;
    if (key)
        free_keys = key->next_free;
    else
        key = calloc(1, sizeof(*key));
    *number = ++last_number;
    pthread_mutex_unlock(&lock);
    return key;
}

doca_error_t doca_aes_gcm_key_create(struct doca_aes_gcm *aes_gcm, const void *raw_key,
                                     enum doca_aes_gcm_key_type raw_key_type,
                                     struct doca_aes_gcm_key **key)
{
    uint64_t number;

    if (!aes_gcm || !raw_key || !key)
        return REFUSED_NULL(aes_gcm, raw_key, key);
    if (raw_key_type != DOCA_AES_GCM_KEY_128 && raw_key_type != DOCA_AES_GCM_KEY_256)
        return refused(__func__, "the type of the key is neither 128 nor 256 bits");
    if (!dev_has(aes_gcm->ctx.device, gcm_key_needs(raw_key_type)))
        return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED,
                          "the card that the device imitates has no keys of this length");
    struct doca_aes_gcm_key *made = take_key(&number);
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    *made = (struct doca_aes_gcm_key){.number = number};
    made->size = raw_key_type == DOCA_AES_GCM_KEY_256 ? 32 : 16;
    memcpy(made->raw, raw_key, made->size);
    *key = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_aes_gcm_key_destroy(struct doca_aes_gcm_key *key)
{
    if (!key)
        return REFUSED_NULL(key);
    if (key->users)
        return report_why(__func__, DOCA_ERROR_IN_USE,
                          "tasks with this key are in flight; wait for their callbacks");
    if (!key->number)
        return refused(__func__, "the key was destroyed already");
    OPENSSL_cleanse(key, sizeof(*key));
    pthread_mutex_lock(&lock);
    key->next_free = free_keys;
    free_keys = key;
    pthread_mutex_unlock(&lock);
    return DOCA_SUCCESS;
}
