// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// AES in Galois/counter mode, by libcrypto.
//
// A cipher is made once, with all the memory that libcrypto needs; beginning a message with it
// allocates nothing. Setting a key takes longer than encrypting some hundred bytes, so a cipher
// stores which key it has.

#ifndef CLIENT_AES_GCM_GCM_CIPHER_H
#define CLIENT_AES_GCM_GCM_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GCM_IV_MAX  12
#define GCM_TAG_96  12 // bytes
#define GCM_TAG_128 16

struct doca_aes_gcm_key;

// The cipher of one key length and direction.
struct gcm_way {
    struct evp_cipher_ctx_st *evp;
    uint64_t key; // its number, or 0
};

struct gcm_cipher {
    struct gcm_way ways[2][2]; // [256-bit keys][decrypts]
    struct gcm_cipher *next_free;
};

// Returns false if there is no memory; then nothing was made.
bool gcm_cipher_init(struct gcm_cipher *cipher);
void gcm_cipher_fini(struct gcm_cipher *cipher); // also of zeroes

// Returns NULL if libcrypto fails.
struct gcm_way *gcm_begin(struct gcm_cipher *cipher, const struct doca_aes_gcm_key *key,
                          bool decrypts, const uint8_t *iv, uint32_t iv_length);

// Data that is authenticated and not encrypted, before all text. The functions below return false
// if libcrypto refuses.
bool gcm_aad(struct gcm_way *way, const uint8_t *aad, size_t n);

// At most 1 GiB. `to` may be `from`.
bool gcm_text(struct gcm_way *way, uint8_t *to, const uint8_t *from, size_t n);

bool gcm_make_tag(struct gcm_way *way, uint8_t *tag, uint32_t size);

// Returns false: the tag is not that of the message.
bool gcm_check_tag(struct gcm_way *way, const uint8_t *tag, uint32_t size);

#endif
