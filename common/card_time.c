// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "card_time.h"

#define NS_PER_S 1e9

// The times of one kind of work, named by their distance from the kind's first key.
enum {
    TASK_NS,
    ENGINE_NS,
    OVERHEAD_NS,
    RATE,
    LATENCY_NS,
    LATENCY_RATE,
};

static uint64_t whole_ns(double ns)
{
    return ns < (double)CARD_NS_MAX ? (uint64_t)(ns + 0.5) : CARD_NS_MAX;
}

static uint64_t bytes_ns(uint64_t bytes, uint64_t rate)
{
    return rate ? whole_ns((double)bytes * NS_PER_S / (double)rate) : 0;
}

// Sums stay far below 2^64: values may come from another docad, which checks less.
static uint64_t at_most(uint64_t ns)
{
    return ns < CARD_NS_MAX ? ns : CARD_NS_MAX;
}

// The fit of github Networked-System-and-Security-Group/Astraea @ada51ce src/lib/astraea_ec.cc to
// the creation of redundancy on BlueField-3, which is good from 16 KiB on. Below, half of the time
// stays, as in the one figure that was published with the fit.
static uint64_t ec_ns(const struct card_work *work)
{
    const double least = 16384;
    double bytes = (double)work->bytes, part = bytes < least ? 0.5 + 0.5 * bytes / least : 1;
    double us = (2.8227e-4 * work->n_data + 2.5515e-3) * (2.0818e-3 * work->n_rdnc + 6.8296e-2) *
                (1.64269 * (bytes > least ? bytes : least) - 7538.6);
    return whole_ns(us * part * 1000);
}

struct card_times card_times(const struct card *card, const struct card_work *work)
{
    if (work->model == CARD_NONE)
        return (struct card_times){0};
    if (work->model == CARD_EC_MODEL)
        return (struct card_times){.engine_ns = card_has(card, CARD_EC_MODEL) ? ec_ns(work) : 0};
    const uint64_t *of = &card->values[work->model];
    uint64_t moving = at_most(of[OVERHEAD_NS]) + bytes_ns(work->bytes, of[RATE]);
    return (struct card_times){
        .queue_ns = at_most(of[TASK_NS]),
        .engine_ns = at_most(moving > of[ENGINE_NS] ? moving : of[ENGINE_NS]),
        .latency_ns = at_most(at_most(of[LATENCY_NS]) + bytes_ns(work->bytes, of[LATENCY_RATE])),
    };
}
