// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "limit.h"

#include "number.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct {
    const char *option;
    const char *what;
    uint64_t value;
} table[LIMIT_COUNT] = {
    [LIMIT_SESSIONS] = {"sessions_per_uid", "sessions of this uid", 256},
    [LIMIT_REGIONS] = {"regions_per_session", "memory regions of this session", 4096},
    [LIMIT_EXPORTS] = {"exports_per_session", "exports of this session", 4096},
    [LIMIT_IMPORTS] = {"imports_per_session", "imports of this session", 4096},
    [LIMIT_QUEUE_PAIRS] = {"queue_pairs_per_session", "queue pairs of this session", 64},
    [LIMIT_PUBLICATIONS] = {"publications_per_uid", "names published by this uid", 1024},
    [LIMIT_LOOKUPS] = {"lookups_per_session", "waiting lookups of this session", 64},
    [LIMIT_QUEUED_OUTPUT] = {"queued_output_per_connection", "bytes queued on a connection",
                             1 << 20},
    [LIMIT_REGION_BYTES] = {"region_bytes_per_uid", "bytes registered by this uid",
                            LIMIT_UNLIMITED},
    [LIMIT_DESCRIPTORS] = {"descriptors_per_uid", "file descriptors kept for this uid", 65536},
    [LIMIT_CHANNELS] = {"channels_per_session", "services and connections of this session", 1024},
    [LIMIT_STATE_SLOTS] = {"state_slots_per_uid", "imports and queue pairs of this uid", 65536},
    [LIMIT_PINNED_BYTES] = {"pinned_bytes_per_uid", "bytes pinned for this uid", LIMIT_UNLIMITED},
    [LIMIT_PEER_IMPORTERS] = {"importers_per_peer", "sessions of this linked node that import",
                              1024},
    [LIMIT_PEER_GRANTS] = {"grants_per_peer", "imports of this linked node", 16384},
    [LIMIT_PEER_QUEUE_PAIRS] = {"queue_pairs_per_peer", "queue pairs of this linked node", 1024},
    [LIMIT_PEER_PUBLICATIONS] = {"publications_per_peer", "names published by this linked node",
                                 8192},
    [LIMIT_PEER_DESCRIPTORS] = {"descriptors_per_peer",
                                "file descriptors kept for this linked node", 65536},
    [LIMIT_IMPORTER_GRANTS] = {"grants_per_importer", "imports of this session of a linked node",
                               4096},
    [LIMIT_IMPORTER_QUEUE_PAIRS] = {"queue_pairs_per_importer",
                                    "queue pairs of this session of a linked node", 64},
    [LIMIT_ALL_PINNED_BYTES] = {"pinned_bytes", "bytes pinned", LIMIT_UNLIMITED},
};

static void lower(uint64_t *value, uint64_t most)
{
    if (*value > most)
        *value = most;
}

// Pinned memory must leave some for everything else.
static void lower_pinned(struct limits *limits)
{
    uint64_t eighth = (uint64_t)sysconf(_SC_PHYS_PAGES) / 8 * (uint64_t)sysconf(_SC_PAGESIZE);

    lower(&limits->value[LIMIT_PINNED_BYTES], 4 * eighth);
    lower(&limits->value[LIMIT_ALL_PINNED_BYTES], 6 * eighth);
}

void limits_init(struct limits *limits)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        limits->value[i] = table[i].value;
    lower_pinned(limits);
    // One uid alone must not fill docad's own descriptor table, nor together with one linked
    // node.
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0)
        return;
    lower(&limits->value[LIMIT_DESCRIPTORS], files.rlim_max / 2);
    lower(&limits->value[LIMIT_PEER_DESCRIPTORS], files.rlim_max / 4);
}

const char *limit_option(enum limit limit)
{
    return table[limit].option;
}

const char *limit_default(enum limit limit)
{
    switch (limit) {
    case LIMIT_DESCRIPTORS:
        return "65536, or half of the limit of open files if that is less";
    case LIMIT_PEER_DESCRIPTORS:
        return "65536, or a quarter of the limit of open files if that is less";
    case LIMIT_PINNED_BYTES:
        return "half of the memory";
    case LIMIT_ALL_PINNED_BYTES:
        return "three quarters of the memory";
    default:
        return NULL;
    }
}

bool limit_parse(const char *text, uint64_t *out)
{
    if (strcmp(text, "unlimited") != 0)
        return number_read_size(text, UINT64_MAX, out);
    *out = LIMIT_UNLIMITED;
    return true;
}

doca_error_t limit_take(const struct limits *limits, enum limit limit, uint64_t *used,
                        uint64_t amount, struct errtext *err)
{
    uint64_t value = limits->value[limit];
    if (amount > value || *used > value - amount)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "limit reached: %" PRIu64 " %s, %" PRIu64 " more requested, %" PRIu64
                           " allowed; raise %s in the limits section of docad's configuration",
                           *used, table[limit].what, amount, value, table[limit].option);
    *used += amount;
    return DOCA_SUCCESS;
}

void limit_give(uint64_t *used, uint64_t amount)
{
    assert(*used >= amount);
    *used -= amount;
}

doca_error_t limit_take_all(const struct limits *limits, const struct charge *charges, size_t n,
                            struct errtext *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!limits) {
            *charges[i].used += charges[i].amount;
            continue;
        }
        doca_error_t r =
            limit_take(limits, charges[i].limit, charges[i].used, charges[i].amount, err);
        if (r == DOCA_SUCCESS)
            continue;
        limit_give_all(charges, i);
        return r;
    }
    return DOCA_SUCCESS;
}

void limit_give_all(const struct charge *charges, size_t n)
{
    for (size_t i = 0; i < n; i++)
        limit_give(charges[i].used, charges[i].amount);
}
