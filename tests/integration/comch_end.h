// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A server or a client of Comch with its engine: what its tests have in common.

#ifndef INTEGRATION_COMCH_END_H
#define INTEGRATION_COMCH_END_H

#include "deadline.h"
#include "run.h"

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))

struct end {
    struct doca_dev *dev;
    struct doca_dev_rep *rep;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    struct doca_comch_server *server;
    struct doca_comch_client *client;
    bool holds; // takes no message
    unsigned came, left, sent, failed, got;
    doca_error_t last;
    enum doca_ctx_states state;
};

// The client uses an SF of the DPU, beside the PF that serves it. Children have it from the test.
extern bool beside;

// The function has its device, and the context its engine and state callback; e is its user data.
void end_make_server(struct end *e, const char *name);
void end_make_client(struct end *e, const char *name);
void end_destroy(struct end *e);

// Starts a client and waits until it is connected.
struct doca_comch_connection *end_start_client(struct end *e);

struct end *end_of(struct doca_comch_connection *c);

void end_sleep(struct end *e);
void engine_sleep(struct doca_pe *pe);

// Sleeps whenever there is nothing to do, as programs do.
#define UNTIL(e, condition) PROGRESS_UNTIL((e)->pe, condition)

#define PROGRESS_UNTIL(pe, condition)                                                              \
    do {                                                                                           \
        int64_t deadline = deadline_in(HARNESS_LIMIT_MS);                                          \
        while (!(condition)) {                                                                     \
            ck_assert_msg(now_ms() < deadline, "never: " #condition);                              \
            if (!doca_pe_progress(pe) && !(condition))                                             \
                engine_sleep(pe);                                                                  \
        }                                                                                          \
    } while (0)

#endif
