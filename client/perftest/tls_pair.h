// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A bare TLS connection over TCP on this machine, to a process that answers requests: the baseline
// for DMA and messages over docad's link.

#ifndef PERFTEST_TLS_PAIR_H
#define PERFTEST_TLS_PAIR_H

#include "problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tls_pair;

struct tls_plan {
    size_t request, answer; // bytes; each is one record if it fits
    uint32_t requests;      // that have one answer
};

// Before the process uses the library: it forks.
bool tls_pair_open(struct tls_pair **out, const struct tls_plan *plan, struct problem *problem);
void tls_pair_close(struct tls_pair *pair); // takes NULL

// n requests with their answers, `depth` at a time: a multiple of plan->requests, as n is.
bool tls_pair_run(struct tls_pair *pair, uint64_t n, uint32_t depth, struct problem *problem);

#endif
