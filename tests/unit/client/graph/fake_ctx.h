// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A context of the tests' own: its jobs are done at once, or when the test lets them go,
// and it is full when the test says so.

#ifndef TESTS_FAKE_CTX_H
#define TESTS_FAKE_CTX_H

#include "fake_core.h"
#include "work/workq.h"

#define FAKE_JOB  0x770001
#define FAKE_JOBS 256

struct fake_job {
    struct doca_job base; // user_data.u64: below FAKE_JOBS
    bool waits;           // until it is let go
    bool later;           // is put off once
    doca_error_t ends;    // how
    doca_error_t refused; // what preparing it answers
};

struct fake_ctx {
    struct doca_ctx ctx;
    uint32_t room;    // jobs that it takes at a time
    uint32_t jobs;    // that it has
    uint32_t delayed; // times it was full
};

extern bool fake_let_go[FAKE_JOBS];
extern unsigned fake_order[4096], fake_executed; // jobs in the order in which they began

void fake_ctx_start(struct fake_ctx *fake);
void fake_ctx_stop(struct fake_ctx *fake);
struct fake_job fake_ctx_job(struct fake_ctx *fake, uint64_t id);

#endif
