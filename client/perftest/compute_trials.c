// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Ways of measuring for `compare`: tasks that compute, against the libraries that do the same on
// the program's own thread, and against themselves one after the other.

#include "clock.h"
#include "compute_rig.h"
#include "device.h"
#include "rows.h"

#include <math.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#ifdef PERFTEST_ZLIB
#include <zlib.h>
#endif
#ifdef PERFTEST_LZ4
#include <lz4.h>
#endif
#ifdef PERFTEST_ISAL
#include <isa-l/erasure_code.h>
#endif

#define GIB           (1024.0 * 1024 * 1024)
#define EC_BLOCKS     (COMPUTE_DATA + COMPUTE_RDNC)
#define DEFLATE_LARGE 1.1 // how much larger than zlib's output it may be

struct compute {
    struct doca_dev *dev;
    struct compute_rig *rig;
    uint8_t *plain, *in, *out; // `in` is what tasks read, `out` the library's result
    size_t in_size, room, out_size;
    EVP_CIPHER_CTX *cipher;
    uint8_t tables[32 * COMPUTE_DATA * COMPUTE_RDNC];
#ifdef PERFTEST_ZLIB
    z_stream deflate, inflate;
    bool has_deflate, has_inflate;
#endif
};

// ---- operations ------------------------------------------------------------------------

// Sentences of common and rare words: as compressible as prose.
static void write_text(uint8_t *to, size_t size)
{
    static const char *const words[] = {
        "the ",       "of ",   "and ", "memory ",  "to ",       "a ",       "region ", "in ",
        "device ",    "that ", "is ",  "buffer ",  "task ",     "queue ",   "with ",   "export ",
        "descriptor", ". ",    ", ",   "engine ",  "which ",    "copies ",  "from ",   "host ",
        "process ",   "it ",   "by ",  "daemon ",  "completes", "socket ",  "not ",    "progress ",
        "callback ",  "or ",   "are ", "context ", "\n",        "session ", "owner ",  "revoked "};
    const unsigned n = sizeof(words) / sizeof(words[0]);
    uint32_t state = 12345;
    size_t at = 0;

    while (at < size) {
        state = state * 1664525 + 1013904223;
        unsigned wide = state >> 24;
        unsigned word = (unsigned)((uint64_t)(state & 0xffff) * (wide & 3 ? n / 3 : n) >> 16);
        const char *s = words[word];
        if (wide > 250) { // something that does not occur twice
            char number[16];
            snprintf(number, sizeof(number), "%u ", state >> 7);
            for (const char *c = number; *c && at < size; c++)
                to[at++] = (uint8_t)*c;
        }
        for (; *s && at < size; s++)
            to[at++] = (uint8_t)*s;
    }
}

#ifdef PERFTEST_ZLIB
static bool zlib_pack(struct compute *c, size_t size, uint8_t *to, size_t room, size_t *packed)
{
    deflateReset(&c->deflate);
    c->deflate.next_in = c->plain;
    c->deflate.avail_in = (uInt)size;
    c->deflate.next_out = to;
    c->deflate.avail_out = (uInt)room;
    bool ok = deflate(&c->deflate, Z_FINISH) == Z_STREAM_END;
    *packed = room - c->deflate.avail_out;
    return ok;
}

static bool open_zlib(struct compute *c)
{
    c->has_deflate = deflateInit2(&c->deflate, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    c->has_inflate = inflateInit2(&c->inflate, -15) == Z_OK;
    return c->has_deflate && c->has_inflate;
}
#endif

// Fills in the input of tasks. Returns false if the library that makes it is missing.
static bool prepare(struct compute *c, enum compute_kind kind, size_t size)
{
    (void)size;
    switch (kind) {
    case COMPUTE_INFLATE:
#ifdef PERFTEST_ZLIB
        return zlib_pack(c, size, c->in, c->room, &c->in_size);
#else
        return false;
#endif
    case COMPUTE_LZ4:
#ifdef PERFTEST_LZ4
        c->in_size = (size_t)LZ4_compress_default((const char *)c->plain, (char *)c->in, (int)size,
                                                  (int)c->room);
        return c->in_size > 0;
#else
        return false;
#endif
    case COMPUTE_EC_RECOVER:
    case COMPUTE_EC_CREATE:
#ifdef PERFTEST_ISAL
    {
        uint8_t rows[EC_BLOCKS * COMPUTE_DATA];
        gf_gen_cauchy1_matrix(rows, EC_BLOCKS, COMPUTE_DATA);
        ec_init_tables(COMPUTE_DATA, COMPUTE_RDNC, rows + COMPUTE_DATA * COMPUTE_DATA, c->tables);
    }
#endif
        memcpy(c->in, c->plain, size);
        return true;
    default:
        memcpy(c->in, c->plain, size);
        return true;
    }
}

static const char *maker_of(enum compute_kind kind)
{
    return kind == COMPUTE_LZ4 ? "doca-perftest was built without liblz4"
                               : "doca-perftest was built without zlib";
}

static bool open_compute(struct trial *trial)
{
    const struct row *row = trial->row;
    struct compute *c = trial->compute = calloc(1, sizeof(*c));

    if (!c)
        return problem_set(trial->problem, "out of memory");
    c->in_size = row->size;
    c->room = row->size + row->size / 8 + 4096;
    c->plain = malloc(c->room);
    c->in = aligned_alloc(4096, (c->room + 4095) / 4096 * 4096);
    c->out = malloc(c->room);
    c->cipher = EVP_CIPHER_CTX_new();
    if (!c->plain || !c->in || !c->out || !c->cipher)
        return problem_set(trial->problem, "out of memory");
    write_text(c->plain, row->size);
    memset(c->out, 0, c->room);
#ifdef PERFTEST_ZLIB
    if (!open_zlib(c))
        return problem_set(trial->problem, "zlib cannot begin");
#endif
    if (!prepare(c, row->compute, row->size)) {
        trial->absent = maker_of(row->compute);
        return true;
    }
    return device_open(&c->dev, DEVICE_COPIES, trial->problem) &&
           compute_open(&c->rig, c->dev, row->compute, c->in, c->in_size, c->room, &trial->absent,
                        trial->problem);
}

static void close_compute(struct trial *trial)
{
    struct compute *c = trial->compute;

    if (!c)
        return;
    compute_close(c->rig);
    if (c->dev)
        doca_dev_close(c->dev);
#ifdef PERFTEST_ZLIB
    if (c->has_deflate)
        deflateEnd(&c->deflate);
    if (c->has_inflate)
        inflateEnd(&c->inflate);
#endif
    EVP_CIPHER_CTX_free(c->cipher);
    free(c->plain);
    free(c->in);
    free(c->out);
    free(c);
}

// ---- ours ------------------------------------------------------------------------------------

static double rate(const struct trial *trial, uint64_t before)
{
    double ns = ticks_to_ns(ticks_now() - before);
    return (double)trial->row->size * (double)trial->row->jobs / ns * 1e9 / GIB;
}

static bool run(struct trial *trial, unsigned in_flight, double *value)
{
    uint64_t before = ticks_now();
    if (!compute_run(trial->compute->rig, (unsigned)trial->row->jobs, in_flight, trial->problem))
        return false;
    *value = rate(trial, before);
    return true;
}

static bool ours_compute(struct trial *trial, double *value)
{
    return run(trial, trial->row->batch, value);
}

// ---- theirs ----------------------------------------------------------------------------------

static bool once_gcm(struct compute *c, size_t size)
{
    int n, last;

    c->out_size = size + 16;
    return EVP_EncryptInit_ex(c->cipher, EVP_aes_256_gcm(), NULL, compute_key, compute_iv) == 1 &&
           EVP_EncryptUpdate(c->cipher, c->out, &n, c->in, (int)size) == 1 &&
           EVP_EncryptFinal_ex(c->cipher, c->out + n, &last) == 1 &&
           EVP_CIPHER_CTX_ctrl(c->cipher, EVP_CTRL_GCM_GET_TAG, 16, c->out + size) == 1;
}

#ifdef PERFTEST_ISAL
static bool once_ec(struct compute *c, size_t size)
{
    size_t block = size / COMPUTE_DATA;
    uint8_t *in[COMPUTE_DATA], *out[COMPUTE_RDNC];

    for (size_t i = 0; i < COMPUTE_DATA; i++)
        in[i] = c->in + i * block;
    for (size_t i = 0; i < COMPUTE_RDNC; i++)
        out[i] = c->out + i * block;
    ec_encode_data((int)block, COMPUTE_DATA, COMPUTE_RDNC, c->tables, in, out);
    c->out_size = COMPUTE_RDNC * block;
    return true;
}
#endif

// Returns 1 if it is done; 0 if it failed; -1 if there is no such library here.
static int once(struct compute *c, enum compute_kind kind, size_t size)
{
    (void)c, (void)size;
    switch (kind) {
#ifdef PERFTEST_ZLIB
    case COMPUTE_DEFLATE:
        return zlib_pack(c, size, c->out, c->room, &c->out_size);
    case COMPUTE_INFLATE:
        inflateReset(&c->inflate);
        c->inflate.next_in = c->in;
        c->inflate.avail_in = (uInt)c->in_size;
        c->inflate.next_out = c->out;
        c->inflate.avail_out = (uInt)c->room;
        c->out_size = size;
        return inflate(&c->inflate, Z_FINISH) == Z_STREAM_END;
#endif
#ifdef PERFTEST_LZ4
    case COMPUTE_LZ4:
        c->out_size = size;
        return LZ4_decompress_safe((const char *)c->in, (char *)c->out, (int)c->in_size,
                                   (int)c->room) == (int)size;
#endif
#ifdef PERFTEST_ISAL
    case COMPUTE_EC_CREATE:
    case COMPUTE_EC_RECOVER: // the same work with another matrix
        return once_ec(c, size);
#endif
    case COMPUTE_GCM:
        return once_gcm(c, size);
    default:
        return -1;
    }
}

static bool theirs_library(struct trial *trial, double *value)
{
    uint64_t before = ticks_now();

    for (uint64_t i = 0; i < trial->row->jobs; i++) {
        int r = once(trial->compute, trial->row->compute, trial->row->size);
        if (r == 0)
            return problem_set(trial->problem, "%s failed", trial->row->against);
        if (r < 0) {
            *value = NAN;
            return true;
        }
    }
    *value = rate(trial, before);
    return true;
}

static bool theirs_alone(struct trial *trial, double *value)
{
    return run(trial, 1, value);
}

// ---- results ---------------------------------------------------------------------------------

static bool verify_compute(struct trial *trial)
{
    struct compute *c = trial->compute;
    enum compute_kind kind = trial->row->compute;
    size_t size;
    const uint8_t *result = compute_result(c->rig, &size);

    if (kind == COMPUTE_INFLATE || kind == COMPUTE_LZ4)
        return (size == trial->row->size && memcmp(result, c->plain, size) == 0) ||
               problem_set(trial->problem, "the text is not what was compressed");
    if (kind == COMPUTE_DEFLATE && c->out_size && (double)size > DEFLATE_LARGE * c->out_size)
        return problem_set(trial->problem, "it has %zu bytes where zlib has %zu", size,
                           c->out_size);
    if (kind == COMPUTE_GCM || kind == COMPUTE_EC_CREATE)
        return !c->out_size || (size == c->out_size && memcmp(result, c->out, size) == 0) ||
               problem_set(trial->problem, "the result is not that of the library");
    return size > 0 || problem_set(trial->problem, "there is no result");
}

const struct method method_compute = {open_compute, ours_compute, theirs_library, verify_compute,
                                      close_compute};
const struct method method_overlap = {open_compute, ours_compute, theirs_alone, verify_compute,
                                      close_compute};

// ---- submission ------------------------------------------------------------------------------

static bool ours_submit(struct trial *trial, double *value)
{
    struct compute_rig *rig = trial->compute->rig;
    uint64_t before = ticks_now();

    if (!compute_submit(rig, trial->problem))
        return false;
    *value = ticks_to_ns(ticks_now() - before);
    return compute_wait(rig, trial->problem);
}

static bool nothing(struct trial *trial, double *value)
{
    (void)trial;
    *value = NAN;
    return true;
}

const struct method method_submit = {open_compute, ours_submit, nothing, verify_compute,
                                     close_compute};
