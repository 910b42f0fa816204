// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA-256, and random bytes, without any memory of libcrypto's.

#include "sha256.h"

#include "random_bytes.h"
#include "unit.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

static unsigned asked;

static void *no_malloc(size_t size, const char *file, int line)
{
    (void)size, (void)file, (void)line;
    asked++;
    return NULL;
}

static void *no_realloc(void *p, size_t size, const char *file, int line)
{
    (void)p;
    return no_malloc(size, file, line);
}

static void no_free(void *p, const char *file, int line)
{
    (void)p, (void)file, (void)line;
}

// The first use in this process: libcrypto has no memory to start with.
static void without_memory(void)
{
    asked = 0;
    ck_assert_int_eq(CRYPTO_set_mem_functions(no_malloc, no_realloc, no_free), 1);
}

// FIPS 180-2, appendix B.
START_TEST(known_answers)
{
    static const struct {
        const char *data;
        uint8_t begins[8];
    } known[] = {
        {"", {0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14}},
        {"abc", {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea}},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         {0x24, 0x8d, 0x6a, 0x61, 0xd2, 0x06, 0x38, 0xb8}},
    };
    without_memory();
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        uint8_t sum[SHA256_SIZE];
        sha256(known[i].data, strlen(known[i].data), sum);
        ck_assert_mem_eq(sum, known[i].begins, sizeof(known[i].begins));
    }
    ck_assert_uint_eq(asked, 0);
}
END_TEST

START_TEST(random_bytes_differ)
{
    uint8_t bytes[2][RANDOM_BYTES_MAX] = {0};
    without_memory();
    ck_assert(random_bytes(bytes[0], RANDOM_BYTES_MAX));
    ck_assert(random_bytes(bytes[1], RANDOM_BYTES_MAX));
    ck_assert_mem_ne(bytes[0], bytes[1], RANDOM_BYTES_MAX);
    ck_assert(!random_bytes(bytes, RANDOM_BYTES_MAX + 1)); // which may come in parts
    ck_assert_uint_eq(asked, 0);
}
END_TEST

UNIT_MAIN("sha256", known_answers, random_bytes_differ)
