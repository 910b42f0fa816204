// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Log sources and their rate buckets.
//
// Both live in tables that grow by chunks which never move, so that lines look them up
// without a lock; only making and removing them takes it.

#include "log.h"

#include "cleanup.h"
#include "clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_ENTRIES 128
#define CHUNKS        256

struct source {
    struct log_name *_Atomic name; // NULL: free
};

#define BUCKET_FREE (-1)

struct bucket {
    _Atomic int source;
    // The start of its period in milliseconds << 16 | lines counted, in one word so that
    // threads count exactly without a lock.
    _Atomic uint64_t period;
};

static struct source first_sources[CHUNK_ENTRIES];
static struct source *_Atomic sources[CHUNKS] = {first_sources};
static struct bucket *_Atomic buckets[CHUNKS];

static _Atomic uint16_t bucket_time = 5; // seconds
static _Atomic uint16_t bucket_quantity = 20;

// ---- names: kept for ever, once each, as a line may be using one ----------------------

static struct log_name *_Atomic names;

struct log_name *log_names(void)
{
    return names;
}

struct log_name *log_name_keep(const char *text)
{
    for (struct log_name *n = names; n; n = n->next)
        if (!strcmp(n->text, text))
            return n;

    size_t size = strlen(text) + 1;
    struct log_name *n = malloc(sizeof(*n) + size);
    if (!n)
        return NULL;
    memcpy(n->text, text, size);
    n->level = LOG_LEVEL_TRACE;
    n->next = names;
    names = n;
    return n;
}

// ---- sources: number = index + 1 ------------------------------------------------------

static struct source *source_get(int number)
{
    if (number < 1 || number > CHUNKS * CHUNK_ENTRIES)
        return NULL;
    struct source *chunk = sources[(number - 1) / CHUNK_ENTRIES];
    struct source *source = chunk ? &chunk[(number - 1) % CHUNK_ENTRIES] : NULL;
    return source && source->name ? source : NULL;
}

const char *log_source_name(int number)
{
    const struct source *source = source_get(number);
    struct log_name *name = source ? source->name : NULL;
    return name ? name->text : number == 0 ? "?" : NULL;
}

bool log_source_takes(int number, uint32_t level)
{
    const struct source *source = source_get(number);
    struct log_name *name = source ? source->name : NULL;
    return !name || (int)level <= atomic_load_explicit(&name->level, memory_order_relaxed);
}

// Finds a free slot. Returns its number, or 0 if out of memory.
static int source_place(struct source **out)
{
    for (int c = 0; c < CHUNKS; c++) {
        struct source *chunk = sources[c];
        if (!chunk) {
            chunk = calloc(CHUNK_ENTRIES, sizeof(*chunk));
            if (!chunk)
                return 0;
            sources[c] = chunk;
        }
        for (int i = 0; i < CHUNK_ENTRIES; i++)
            if (!chunk[i].name) {
                *out = &chunk[i];
                return c * CHUNK_ENTRIES + i + 1;
            }
    }
    return 0;
}

doca_error_t log_source_make(const char *source_name, int *source)
{
    enum log_entry entry = log_enter();
    struct source *place = NULL;
    struct log_name *name = log_name_keep(source_name);
    int number = name ? source_place(&place) : 0;
    if (number)
        place->name = name;
    log_leave(entry);

    if (!number)
        return DOCA_ERROR_NO_MEMORY;
    *source = number;
    return DOCA_SUCCESS;
}

doca_error_t doca_log_source_register(const char *source_name, int *source)
{
    return source_name && source ? log_source_make(source_name, source) : DOCA_ERROR_INVALID_VALUE;
}

static void buckets_free(int source)
{
    for (int c = 0; c < CHUNKS && buckets[c]; c++)
        for (int i = 0; i < CHUNK_ENTRIES; i++)
            if (buckets[c][i].source == source)
                buckets[c][i].source = BUCKET_FREE;
}

doca_error_t doca_log_source_destroy(int number)
{
    enum log_entry entry = log_enter();
    struct source *source = source_get(number);
    if (source) {
        buckets_free(number);
        source->name = NULL;
    }
    log_leave(entry);
    return source ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

// ---- buckets: number = index ------------------------------------------------------------

static struct bucket *bucket_get(int number, int source)
{
    if (number < 0 || number >= CHUNKS * CHUNK_ENTRIES || source < 0)
        return NULL;
    struct bucket *chunk = buckets[number / CHUNK_ENTRIES];
    struct bucket *bucket = chunk ? &chunk[number % CHUNK_ENTRIES] : NULL;
    return bucket && bucket->source == source ? bucket : NULL;
}

bool log_bucket_known(int number, int source)
{
    return bucket_get(number, source) != NULL;
}

static struct bucket *bucket_chunk_new(void)
{
    struct bucket *chunk = calloc(CHUNK_ENTRIES, sizeof(*chunk));
    for (int i = 0; chunk && i < CHUNK_ENTRIES; i++)
        chunk[i].source = BUCKET_FREE;
    return chunk;
}

// Finds a free slot. Returns its number, or -1 if out of memory.
static int bucket_place(struct bucket **out)
{
    for (int c = 0; c < CHUNKS; c++) {
        struct bucket *chunk = buckets[c];
        if (!chunk) {
            chunk = bucket_chunk_new();
            if (!chunk)
                return -1;
            buckets[c] = chunk;
        }
        for (int i = 0; i < CHUNK_ENTRIES; i++)
            if (chunk[i].source == BUCKET_FREE) {
                *out = &chunk[i];
                return c * CHUNK_ENTRIES + i;
            }
    }
    return -1;
}

doca_error_t doca_log_rate_bucket_register(int source, int *bucket)
{
    if (!bucket || !log_source_name(source))
        return DOCA_ERROR_INVALID_VALUE;

    enum log_entry entry = log_enter();
    struct bucket *place = NULL;
    int number = bucket_place(&place);
    if (number >= 0) {
        place->period = 0;
        place->source = source;
    }
    log_leave(entry);

    if (number < 0)
        return DOCA_ERROR_NO_MEMORY;
    *bucket = number;
    return DOCA_SUCCESS;
}

enum log_bucket_result log_bucket_count(int number, int source)
{
    struct bucket *bucket = bucket_get(number, source);
    if (!bucket)
        return LOG_BUCKET_UNKNOWN;

    uint64_t now = clock_ms();
    uint64_t seen = bucket->period, next;
    bool pass;
    do {
        bool over = now - (seen >> 16) >= bucket_time * 1000u;
        uint16_t count = over ? 0 : (uint16_t)seen;
        pass = count < bucket_quantity;
        next = (over ? now << 16 : seen & ~UINT64_C(0xffff)) | (uint16_t)(count + pass);
    } while (!atomic_compare_exchange_weak(&bucket->period, &seen, next));
    return pass ? LOG_BUCKET_PASS : LOG_BUCKET_DROP;
}

uint16_t doca_log_get_bucket_time(void)
{
    return bucket_time;
}

void doca_log_set_bucket_time(uint16_t seconds)
{
    bucket_time = seconds;
}

uint16_t doca_log_get_quantity(void)
{
    return bucket_quantity;
}

void doca_log_set_quantity(uint16_t quantity)
{
    bucket_quantity = quantity;
}
