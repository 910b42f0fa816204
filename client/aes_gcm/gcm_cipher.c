// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "gcm_cipher.h"

#include "gcm_key.h"

#include <openssl/err.h>
#include <openssl/evp.h>

static bool way_init(struct gcm_way *way, const EVP_CIPHER *cipher, bool decrypts)
{
    way->evp = EVP_CIPHER_CTX_new();
    return way->evp && EVP_CipherInit_ex(way->evp, cipher, NULL, NULL, NULL, !decrypts) == 1;
}

static bool ways_init(struct gcm_cipher *cipher)
{
    for (unsigned i = 0; i < 4; i++)
        if (!way_init(&cipher->ways[i / 2][i % 2], i / 2 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(),
                      i % 2))
            return false;
    return true;
}

bool gcm_cipher_init(struct gcm_cipher *cipher)
{
    *cipher = (struct gcm_cipher){.next_free = NULL};
    ERR_set_mark(); // the queue of errors is the program's
    bool made = ways_init(cipher);
    if (!made)
        gcm_cipher_fini(cipher);
    ERR_pop_to_mark();
    return made;
}

void gcm_cipher_fini(struct gcm_cipher *cipher)
{
    for (unsigned i = 0; i < 4; i++) {
        EVP_CIPHER_CTX_free(cipher->ways[i / 2][i % 2].evp);
        cipher->ways[i / 2][i % 2] = (struct gcm_way){.evp = NULL};
    }
}

struct gcm_way *gcm_begin(struct gcm_cipher *cipher, const struct doca_aes_gcm_key *key,
                          bool decrypts, const uint8_t *iv, uint32_t iv_length)
{
    struct gcm_way *way = &cipher->ways[key->size == 32][decrypts];
    const uint8_t *raw = way->key == key->number ? NULL : key->raw;

    way->key = 0;
    if (EVP_CIPHER_CTX_ctrl(way->evp, EVP_CTRL_AEAD_SET_IVLEN, (int)iv_length, NULL) != 1 ||
        EVP_CipherInit_ex(way->evp, NULL, NULL, raw, iv, !decrypts) != 1)
        return NULL;
    way->key = key->number;
    return way;
}

bool gcm_aad(struct gcm_way *way, const uint8_t *aad, size_t n)
{
    int unused;
    return EVP_CipherUpdate(way->evp, NULL, &unused, aad, (int)n) == 1;
}

bool gcm_text(struct gcm_way *way, uint8_t *to, const uint8_t *from, size_t n)
{
    int done;
    return EVP_CipherUpdate(way->evp, to, &done, from, (int)n) == 1 && (size_t)done == n;
}

bool gcm_make_tag(struct gcm_way *way, uint8_t *tag, uint32_t size)
{
    uint8_t none[16];
    int n;

    return EVP_CipherFinal_ex(way->evp, none, &n) == 1 &&
           EVP_CIPHER_CTX_ctrl(way->evp, EVP_CTRL_AEAD_GET_TAG, (int)size, tag) == 1;
}

bool gcm_check_tag(struct gcm_way *way, const uint8_t *tag, uint32_t size)
{
    uint8_t none[16];
    int n;

    return EVP_CIPHER_CTX_ctrl(way->evp, EVP_CTRL_AEAD_SET_TAG, (int)size, (void *)tag) == 1 &&
           EVP_CipherFinal_ex(way->evp, none, &n) == 1;
}
