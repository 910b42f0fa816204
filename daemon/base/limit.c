// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "limit.h"

#include "cleanup.h"
#include "memory_size.h"
#include "number.h"
#include "state_slots.h"
#include "user.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#define SESSIONS_MAX 32768 // of all users: each costs docad a mapping, of which Linux allows 65,530

static const struct {
    const char *option;
    const char *what;
    uint64_t value;
} table[LIMIT_COUNT] = {
    [LIMIT_SESSIONS] = {"sessions_per_uid", "sessions of this uid", 16384},
    [LIMIT_REGIONS] = {"regions_per_session", "memory regions of this session", 131072},
    [LIMIT_EXPORTS] = {"exports_per_session", "exports of this session", 131072},
    [LIMIT_IMPORTS] = {"imports_per_session", "imports of this session", 32768},
    [LIMIT_QUEUE_PAIRS] = {"queue_pairs_per_session", "queue pairs of this session", 4096},
    [LIMIT_PUBLICATIONS] = {"publications_per_uid", "names published by this uid", 65536},
    [LIMIT_LOOKUPS] = {"lookups_per_session", "waiting lookups of this session", 64},
    [LIMIT_QUEUED_OUTPUT] = {"queued_output_per_connection", "bytes queued on a connection",
                             1 << 20},
    [LIMIT_REGION_BYTES] = {"region_bytes_per_uid", "bytes registered by this uid",
                            LIMIT_UNLIMITED},
    [LIMIT_DESCRIPTORS] = {"descriptors_per_uid", "file descriptors kept for this uid", 65536},
    [LIMIT_CHANNELS] = {"channels_per_session",
                        "services, connections, waiting clients and listeners of this session",
                        1024},
    [LIMIT_STATE_SLOTS] = {"state_slots_per_uid", "imports and queue pairs of this uid", 65536},
    [LIMIT_PINNED_BYTES] = {"pinned_bytes_per_uid", "bytes pinned for this uid", LIMIT_UNLIMITED},
    [LIMIT_METADATA] = {"metadata_bytes_per_uid", "bytes of docad's memory for this uid",
                        LIMIT_UNLIMITED},
    [LIMIT_MONITORS] = {"monitors_per_uid", "sessions of this uid that follow events", 64},
    [LIMIT_LISTENERS] = {"listeners_per_uid", "RDMA listeners of this uid", 4096},
    [LIMIT_PEER_IMPORTERS] = {"importers_per_peer", "sessions of this linked node that import",
                              32768},
    [LIMIT_PEER_GRANTS] = {"grants_per_peer", "imports of this linked node", 131072},
    [LIMIT_PEER_QUEUE_PAIRS] = {"queue_pairs_per_peer", "queue pairs of this linked node", 8192},
    [LIMIT_PEER_PUBLICATIONS] = {"publications_per_peer", "names published by this linked node",
                                 131072},
    [LIMIT_PEER_DESCRIPTORS] = {"descriptors_per_peer",
                                "file descriptors kept for this linked node", 65536},
    [LIMIT_IMPORTER_GRANTS] = {"grants_per_importer", "imports of this session of a linked node",
                               4096},
    [LIMIT_IMPORTER_QUEUE_PAIRS] = {"queue_pairs_per_importer",
                                    "queue pairs of this session of a linked node", 64},
    [LIMIT_ALL_PINNED_BYTES] = {"pinned_bytes", "bytes pinned", LIMIT_UNLIMITED},
    [LIMIT_ALL_METADATA] = {"metadata_bytes", "bytes of docad's memory", LIMIT_UNLIMITED},
    [LIMIT_ALL_DESCRIPTORS] = {"descriptors", "file descriptors kept", LIMIT_UNLIMITED},
};

static void lower(uint64_t *value, uint64_t most)
{
    if (*value > most)
        *value = most;
}

// Pinned memory, and docad's own, must leave some for everything else.
static void lower_memory(struct limits *limits)
{
    uint64_t eighth = memory_size() / 8;

    lower(&limits->value[LIMIT_PINNED_BYTES], 4 * eighth);
    lower(&limits->value[LIMIT_ALL_PINNED_BYTES], 6 * eighth);
    lower(&limits->value[LIMIT_METADATA], eighth);
    lower(&limits->value[LIMIT_ALL_METADATA], 2 * eighth);
}

void limits_init(struct limits *limits)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        limits->value[i] = table[i].value;
    limits->users = NULL;
    lower_memory(limits);
    // One uid alone must not fill docad's own descriptor table, nor together with one linked
    // node.
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0)
        return;
    lower(&limits->value[LIMIT_ALL_DESCRIPTORS], files.rlim_max / 4 * 3);
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
        return "65536, at most half of the open files";
    case LIMIT_PEER_DESCRIPTORS:
        return "65536, at most a quarter of the open files";
    case LIMIT_PINNED_BYTES:
        return "half of the memory";
    case LIMIT_ALL_PINNED_BYTES:
        return "three quarters of the memory";
    case LIMIT_METADATA:
        return "an eighth of the memory";
    case LIMIT_ALL_METADATA:
        return "a quarter of the memory";
    case LIMIT_ALL_DESCRIPTORS:
        return "three quarters of the limit of open files";
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

// ---- shares ---------------------------------------------------------------------

uint64_t limit_share(uint64_t all, uint64_t others)
{
    if (all == LIMIT_UNLIMITED)
        return LIMIT_UNLIMITED;
    return others < all ? (all - others + 1) / 2 : 0;
}

// The limits of a uid whose resources all users share, and the member of a user's record that
// counts them.
static const struct shared {
    enum limit limit, all;
    uint64_t fixed; // the number, if no limit sets it
    size_t at;      // in struct user
} shared[] = {
    {LIMIT_SESSIONS, LIMIT_COUNT, SESSIONS_MAX, offsetof(struct user, sessions)},
    {LIMIT_STATE_SLOTS, LIMIT_COUNT, STATE_SLOTS, offsetof(struct user, slots)},
    {LIMIT_DESCRIPTORS, LIMIT_ALL_DESCRIPTORS, 0, offsetof(struct user, descriptors)},
    {LIMIT_PINNED_BYTES, LIMIT_ALL_PINNED_BYTES, 0, offsetof(struct user, pinned_bytes)},
    {LIMIT_METADATA, LIMIT_ALL_METADATA, 0, offsetof(struct user, metadata)},
};

static const struct shared *find_shared(enum limit limit)
{
    for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
        if (shared[i].limit == limit)
            return &shared[i];
    return NULL;
}

static uint64_t held(const struct user *user, const struct shared *s)
{
    uint64_t n = *(const uint64_t *)((const char *)user + s->at);
    return s->limit == LIMIT_DESCRIPTORS ? n + user->connections : n;
}

doca_error_t limit_check_share(const struct limits *limits, enum limit limit, const uint64_t *used,
                               uint64_t amount, struct errtext *err)
{
    const struct shared *s = limits->users ? find_shared(limit) : NULL;
    const struct user *user;
    uint64_t own = 0, others = 0;

    if (!s)
        return DOCA_SUCCESS;
    list_for_each (user, limits->users, in_users) {
        if ((const char *)user + s->at == (const char *)used)
            own = held(user, s);
        else
            others += held(user, s);
    }
    uint64_t all = s->fixed ? s->fixed : limits->value[s->all];
    uint64_t share = limit_share(all, others);
    if (own + amount <= share)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                       "limit reached: %" PRIu64 " %s, %" PRIu64
                       " more requested, and of the %" PRIu64
                       " that all users share the rest is for others%s%s%s",
                       own, table[limit].what, amount, all, s->fixed ? "" : "; raise ",
                       s->fixed ? "" : table[s->all].option,
                       s->fixed ? "" : " in the limits section of docad's configuration");
}

// ---- usage --------------------------------------------------------------------------

// Limits of a user that are not shares.
static const struct {
    enum limit limit;
    size_t at; // in struct user
} own[] = {
    {LIMIT_PUBLICATIONS, offsetof(struct user, publications)},
    {LIMIT_REGION_BYTES, offsetof(struct user, region_bytes)},
    {LIMIT_MONITORS, offsetof(struct user, n_monitors)},
    {LIMIT_LISTENERS, offsetof(struct user, n_listeners)},
};

static bool used_by(const struct user *user, enum limit limit, uint64_t *used)
{
    const struct shared *s = find_shared(limit);

    if (s) {
        *used = held(user, s);
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
        if (own[i].limit == limit) {
            *used = *(const uint64_t *)((const char *)user + own[i].at);
            return true;
        }
    }
    return false;
}

void limit_sum(const struct limits *limits, struct limit_sums *sums)
{
    const struct user *user;
    uint64_t used;

    memset(sums, 0, sizeof(*sums));
    if (!limits->users)
        return;
    list_for_each (user, limits->users, in_users)
        for (int i = 0; i < LIMIT_PEER_FIRST; i++)
            if (used_by(user, (enum limit)i, &used))
                sums->of[i] += used;
}

bool limit_of_user(const struct limits *limits, enum limit limit, const struct limit_sums *sums,
                   const struct user *user, uint64_t *used, uint64_t *most)
{
    const struct shared *s = find_shared(limit);

    if (!used_by(user, limit, used))
        return false;
    *most = limits->value[limit];
    if (s)
        lower(most,
              limit_share(s->fixed ? s->fixed : limits->value[s->all], sums->of[limit] - *used));
    return true;
}

// ---- taking and giving ------------------------------------------------------------------------

static doca_error_t take_share(const struct limits *limits, const struct charge *c,
                               struct errtext *err)
{
    uint64_t value = limits->value[c->limit];
    uint64_t share = limit_share(value, *c->all - *c->used);
    if (c->amount > share || *c->used > share - c->amount)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "limit reached: %" PRIu64 " %s, of which one user has %" PRIu64
                           ", %" PRIu64 " more requested, and of the %" PRIu64
                           " allowed the rest is for other users; raise %s in the limits section "
                           "of docad's configuration",
                           *c->all, table[c->limit].what, *c->used, c->amount, value,
                           table[c->limit].option);
    *c->used += c->amount;
    *c->all += c->amount;
    return DOCA_SUCCESS;
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
    doca_error_t r = limit_check_share(limits, limit, used, amount, err);
    if (r == DOCA_SUCCESS)
        *used += amount;
    return r;
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
        const struct charge *c = &charges[i];
        if (!limits) {
            *c->used += c->amount;
            if (c->all)
                *c->all += c->amount;
            continue;
        }
        doca_error_t r = c->all ? take_share(limits, c, err)
                                : limit_take(limits, c->limit, c->used, c->amount, err);
        if (r == DOCA_SUCCESS)
            continue;
        limit_give_all(charges, i);
        return r;
    }
    return DOCA_SUCCESS;
}

void limit_give_all(const struct charge *charges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        limit_give(charges[i].used, charges[i].amount);
        if (charges[i].all)
            limit_give(charges[i].all, charges[i].amount);
    }
}
