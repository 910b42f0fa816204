// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Digests, messages and redundancy blocks that tasks and other programs make alike: sha*sum,
// openssl, libcrypto and ISA-L. The openssl tool has no AES-GCM; it has the counter mode that
// encrypts, and the authentication of what is not encrypted. Whole messages are compared with
// libcrypto's.

#include "other_programs.h"

#include <doca_aes_gcm.h>
#include <doca_erasure_coding.h>
#include <doca_sha.h>

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DOCAD_HAVE_ISAL
#include <isa-l/erasure_code.h>
#endif

CALLBACK(hashed, doca_sha_task_hash)
CALLBACK(encrypted, doca_aes_gcm_task_encrypt)
CALLBACK(decrypted, doca_aes_gcm_task_decrypt)

// ---- digests ------------------------------------------------------------------------------------

START_TEST(digests_are_those_of_the_tools)
{
    static const char *const tools[] = {"sha1sum", "sha256sum", "sha512sum"};
    struct path plain = temp_path("plain"), digest = temp_path("digest");
    struct doca_sha_task_hash *task;
    struct doca_sha *lib;
    char theirs[160] = "", ours[160] = "";

    make_text(sizes[_i]);
    set_input(text, sizes[_i]);
    put_file(&plain, text, sizes[_i]);
    OK(doca_sha_create(w.dev, &lib));
    OK(doca_sha_task_hash_set_conf(lib, hashed, hashed, 1));
    start(doca_sha_as_ctx(lib));
    for (unsigned algorithm = 0; algorithm < 3; algorithm++) {
        shell("%s <%s >%s", tools[algorithm], plain.s, digest.s);
        theirs[get_file(&digest, theirs, sizeof(theirs) - 1)] = '\0';
        OK(doca_sha_task_hash_alloc_init(lib, (enum doca_sha_algorithm)algorithm, w.from, w.to,
                                         (union doca_data){0}, &task));
        OK(run(doca_sha_task_hash_as_task(task)));
        for (size_t i = 0; i < w.n_out; i++)
            snprintf(ours + 2 * i, sizeof(ours) - 2 * i, "%02x", w.out[i]);
        strcat(ours, "  -\n");
        ck_assert_str_eq(ours, theirs);
        doca_task_free(doca_sha_task_hash_as_task(task));
    }
    OK(doca_ctx_stop(w.ctx));
    OK(doca_sha_destroy(lib));
    shell("rm %s %s", plain.s, digest.s);
}
END_TEST

// ---- AES-GCM ------------------------------------------------------------------------------------

static const uint8_t raw_key[32] = "a key of two hundred and 56 bits", iv[12] = "not so secre";

#define TRY(call) ck_assert_int_eq((call), 1)

// Encrypts with libcrypto: additional data, cipher text and tag, as tasks have them.
static size_t seal(bool key_256, size_t aad, size_t n, size_t tag, const uint8_t *in, uint8_t *out)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int done;

    TRY(EVP_EncryptInit_ex(ctx, key_256 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(), NULL, raw_key,
                           iv));
    if (aad)
        TRY(EVP_EncryptUpdate(ctx, NULL, &done, in, (int)aad));
    memcpy(out, in, aad);
    TRY(EVP_EncryptUpdate(ctx, out + aad, &done, in + aad, (int)n));
    TRY(EVP_EncryptFinal_ex(ctx, out + aad + n, &done));
    TRY(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_GET_TAG, (int)tag, out + aad + n));
    EVP_CIPHER_CTX_free(ctx);
    return aad + n + tag;
}

START_TEST(libcrypto_and_we_encrypt_alike)
{
    static uint8_t sealed[PART];
    struct doca_aes_gcm_task_encrypt *encrypt;
    struct doca_aes_gcm_task_decrypt *decrypt;
    struct doca_aes_gcm_key *key;
    struct doca_aes_gcm *lib;
    size_t aad = _i & 1 ? 20 : 0, tag = _i & 2 ? 16 : 12;
    bool key_256 = _i & 4;
    union doca_data none = {0};

    OK(doca_aes_gcm_create(w.dev, &lib));
    OK(doca_aes_gcm_task_encrypt_set_conf(lib, encrypted, encrypted, 1));
    OK(doca_aes_gcm_task_decrypt_set_conf(lib, decrypted, decrypted, 1));
    start(doca_aes_gcm_as_ctx(lib));
    OK(doca_aes_gcm_key_create(lib, raw_key, key_256 ? DOCA_AES_GCM_KEY_256 : DOCA_AES_GCM_KEY_128,
                               &key));
    OK(doca_aes_gcm_task_encrypt_alloc_init(lib, w.from, w.to, key, iv, sizeof(iv), (uint32_t)tag,
                                            (uint32_t)aad, none, &encrypt));
    OK(doca_aes_gcm_task_decrypt_alloc_init(lib, w.from, w.to, key, iv, sizeof(iv), (uint32_t)tag,
                                            (uint32_t)aad, none, &decrypt));
    for (size_t i = 0; i < N_SIZES; i++) {
        make_text(aad + sizes[i]);
        size_t n = seal(key_256, aad, sizes[i], tag, text, sealed);
        set_input(text, aad + sizes[i]);
        OK(run(doca_aes_gcm_task_encrypt_as_task(encrypt)));
        ck_assert_uint_eq(w.n_out, n);
        ck_assert_mem_eq(w.out, sealed, n);
        set_input(sealed, n);
        OK(run(doca_aes_gcm_task_decrypt_as_task(decrypt)));
        ck_assert_uint_eq(w.n_out, aad + sizes[i]);
        ck_assert_mem_eq(w.out, text, aad + sizes[i]);
    }
    doca_task_free(doca_aes_gcm_task_encrypt_as_task(encrypt));
    doca_task_free(doca_aes_gcm_task_decrypt_as_task(decrypt));
    OK(doca_aes_gcm_key_destroy(key));
    OK(doca_ctx_stop(w.ctx));
    OK(doca_aes_gcm_destroy(lib));
}
END_TEST

// Encrypts what is behind the additional data.
static size_t encrypt(bool key_256, size_t aad)
{
    struct doca_aes_gcm_task_encrypt *task;
    struct doca_aes_gcm_key *key;
    struct doca_aes_gcm *lib;

    OK(doca_aes_gcm_create(w.dev, &lib));
    OK(doca_aes_gcm_task_encrypt_set_conf(lib, encrypted, encrypted, 1));
    start(doca_aes_gcm_as_ctx(lib));
    OK(doca_aes_gcm_key_create(lib, raw_key, key_256 ? DOCA_AES_GCM_KEY_256 : DOCA_AES_GCM_KEY_128,
                               &key));
    OK(doca_aes_gcm_task_encrypt_alloc_init(lib, w.from, w.to, key, iv, sizeof(iv), 16,
                                            (uint32_t)aad, (union doca_data){0}, &task));
    OK(run(doca_aes_gcm_task_encrypt_as_task(task)));
    doca_task_free(doca_aes_gcm_task_encrypt_as_task(task));
    OK(doca_aes_gcm_key_destroy(key));
    OK(doca_ctx_stop(w.ctx));
    OK(doca_aes_gcm_destroy(lib));
    return w.n_out;
}

static const char *hex_of(const uint8_t *bytes, size_t n)
{
    static char text_of[2][2 * sizeof(raw_key) + 1];
    static unsigned turn;
    char *hex = text_of[turn++ % 2];

    for (size_t i = 0; i < n; i++)
        sprintf(hex + 2 * i, "%02x", bytes[i]);
    return hex;
}

// GCM encrypts by the counter mode. The counter of the first block of text is 2.
START_TEST(openssl_encrypts_alike)
{
    struct path plain = temp_path("plain"), sealed = temp_path("sealed");
    bool key_256 = _i & 1;

    for (size_t i = 0; i < N_SIZES; i++) {
        make_text(sizes[i]);
        set_input(text, sizes[i]);
        ck_assert_uint_eq(encrypt(key_256, 0), sizes[i] + 16);
        put_file(&plain, text, sizes[i]);
        shell("openssl enc -aes-%s-ctr -K %s -iv %s00000002 <%s >%s", key_256 ? "256" : "128",
              hex_of(raw_key, key_256 ? 32 : 16), hex_of(iv, sizeof(iv)), plain.s, sealed.s);
        ck_assert_uint_eq(get_file(&sealed, w.in, PART), sizes[i]);
        ck_assert_mem_eq(w.out, w.in, sizes[i]);
        shell("rm %s %s", plain.s, sealed.s);
    }
}
END_TEST

// The tag of a message that is additional data alone is what openssl calls GMAC.
START_TEST(openssl_authenticates_alike)
{
    struct path plain = temp_path("plain"), tag = temp_path("tag");
    bool key_256 = _i & 1;

    make_text(1000);
    set_input(text, 1000);
    ck_assert_uint_eq(encrypt(key_256, 1000), 1016);
    put_file(&plain, text, 1000);
    shell("openssl mac -binary -cipher AES-%s-GCM -macopt hexkey:%s -macopt hexiv:%s -in %s GMAC "
          ">%s",
          key_256 ? "256" : "128", hex_of(raw_key, key_256 ? 32 : 16), hex_of(iv, sizeof(iv)),
          plain.s, tag.s);
    ck_assert_uint_eq(get_file(&tag, w.in, PART), 16);
    ck_assert_mem_eq(w.out + 1000, w.in, 16);
    shell("rm %s %s", plain.s, tag.s);
}
END_TEST

// ---- erasure codes ------------------------------------------------------------------------------

#ifdef DOCAD_HAVE_ISAL
CALLBACK(created, doca_ec_task_create)
CALLBACK(recovered, doca_ec_task_recover)

#define N_DATA 8
#define N_RDNC 4
#define N_ALL  (N_DATA + N_RDNC)
#define BLOCK  4096
#define N_LOST 3

static const uint32_t lost[N_LOST] = {1, 4, 9};
static uint8_t blocks[N_ALL][BLOCK];

static void isal_matrix(bool vandermonde, uint8_t *matrix)
{
    if (vandermonde)
        gf_gen_rs_matrix(matrix, N_ALL, N_DATA);
    else
        gf_gen_cauchy1_matrix(matrix, N_ALL, N_DATA);
}

// Multiplies rows of ISA-L's by blocks that are one after the other.
static void isal_multiply(uint8_t *rows, int n_rows, uint8_t *in, uint8_t *out)
{
    uint8_t tables[N_ALL * N_DATA * 32], *ins[N_DATA], *outs[N_ALL];

    for (int i = 0; i < N_DATA; i++)
        ins[i] = in + i * BLOCK;
    for (int i = 0; i < n_rows; i++)
        outs[i] = out + i * BLOCK;
    ec_init_tables(N_DATA, n_rows, rows, tables);
    ec_encode_data(BLOCK, N_DATA, n_rows, tables, ins, outs);
}

static bool is_lost(uint32_t block)
{
    for (unsigned i = 0; i < N_LOST; i++)
        if (lost[i] == block)
            return true;
    return false;
}

// The rows that make lost data blocks of the first blocks that are left.
static void isal_recovery(uint8_t *matrix, uint8_t *rows)
{
    uint8_t left[N_DATA * N_DATA], inverse[N_DATA * N_DATA];
    unsigned n = 0;

    for (uint32_t i = 0; n < N_DATA; i++)
        if (!is_lost(i))
            memcpy(left + N_DATA * n++, matrix + N_DATA * i, N_DATA);
    ck_assert_int_eq(gf_invert_matrix(left, inverse, N_DATA), 0);
    for (unsigned i = 0; i < N_LOST; i++)
        if (lost[i] < N_DATA)
            memcpy(rows + N_DATA * i, inverse + N_DATA * lost[i], N_DATA);
}

static void input_of_what_is_left(void)
{
    unsigned n = 0;

    for (uint32_t i = 0; n < N_DATA; i++)
        if (!is_lost(i))
            memcpy(w.in + BLOCK * n++, blocks[i], BLOCK);
    w.n_in = N_DATA * BLOCK;
}

START_TEST(isal_and_we_make_the_same_blocks)
{
    enum doca_ec_matrix_type type =
        _i ? DOCA_EC_MATRIX_TYPE_VANDERMONDE : DOCA_EC_MATRIX_TYPE_CAUCHY;
    uint8_t theirs[N_ALL * N_DATA], rows[N_LOST * N_DATA] = {0};
    struct doca_ec_matrix *coding, *recovery;
    struct doca_ec_task_create *create;
    struct doca_ec_task_recover *recover;
    struct doca_ec *lib;

    OK(doca_ec_create(w.dev, &lib));
    OK(doca_ec_task_create_set_conf(lib, created, created, 1));
    OK(doca_ec_task_recover_set_conf(lib, recovered, recovered, 1));
    start(doca_ec_as_ctx(lib));
    OK(doca_ec_matrix_create(lib, type, N_DATA, N_RDNC, &coding));
    OK(doca_ec_matrix_create_recover(lib, coding, (uint32_t *)(uintptr_t)lost, N_LOST, &recovery));
    OK(doca_ec_task_create_allocate_init(lib, coding, w.from, w.to, (union doca_data){0}, &create));
    OK(doca_ec_task_recover_allocate_init(lib, recovery, w.from, w.to, (union doca_data){0},
                                          &recover));
    make_text(N_DATA * BLOCK);
    memcpy(blocks, text, N_DATA * BLOCK);
    isal_matrix(_i, theirs);
    isal_multiply(theirs + N_DATA * N_DATA, N_RDNC, blocks[0], blocks[N_DATA]);

    set_input(blocks, N_DATA * BLOCK);
    OK(run(doca_ec_task_create_as_task(create)));
    ck_assert_uint_eq(w.n_out, N_RDNC * BLOCK);
    ck_assert_mem_eq(w.out, blocks[N_DATA], N_RDNC * BLOCK);
    // ISA-L recovers with what we made, and we with what it made.
    input_of_what_is_left();
    isal_recovery(theirs, rows);
    isal_multiply(rows, 2, w.in, w.out + 8 * BLOCK);
    OK(run(doca_ec_task_recover_as_task(recover)));
    ck_assert_uint_eq(w.n_out, N_LOST * BLOCK);
    for (unsigned i = 0; i < N_LOST; i++)
        ck_assert_mem_eq(w.out + i * BLOCK, blocks[lost[i]], BLOCK);
    ck_assert_mem_eq(w.out + 8 * BLOCK, w.out, 2 * BLOCK);

    doca_task_free(doca_ec_task_create_as_task(create));
    doca_task_free(doca_ec_task_recover_as_task(recover));
    OK(doca_ec_matrix_destroy(coding));
    OK(doca_ec_matrix_destroy(recovery));
    OK(doca_ctx_stop(w.ctx));
    OK(doca_ec_destroy(lib));
}
END_TEST
#endif

int main(void)
{
    TCase *tcase = tcase_create("made_alike");

    tcase_add_checked_fixture(tcase, open_world, close_world);
#ifdef DOCAD_HAVE_ISAL
    tcase_add_loop_test(tcase, isal_and_we_make_the_same_blocks, 0, 2);
#endif
    if (have("sha512sum"))
        tcase_add_loop_test(tcase, digests_are_those_of_the_tools, 0, N_SIZES);
    tcase_add_loop_test(tcase, libcrypto_and_we_encrypt_alike, 0, 8);
    if (have("openssl")) {
        tcase_add_loop_test(tcase, openssl_encrypts_alike, 0, 2);
        if (system("openssl mac -help >/dev/null 2>&1") == 0) // not in 1.1
            tcase_add_loop_test(tcase, openssl_authenticates_alike, 0, 2);
    }
    Suite *suite = suite_create("made_alike");
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
