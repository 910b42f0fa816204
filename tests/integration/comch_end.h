// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A server or a client of Comch with its engine, and the processes of tests
// that have one.

#ifndef INTEGRATION_COMCH_END_H
#define INTEGRATION_COMCH_END_H

#include "child.h"
#include "deadline.h"
#include "run.h"

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))

struct end {
    struct child *self; // the process, as it sees itself
    struct doca_dev *dev;
    struct doca_dev_rep *rep;
    struct doca_pe *pe;
    struct doca_ctx *ctx;
    struct doca_comch_server *server;
    struct doca_comch_client *client;
    struct doca_comch_connection *connection; // of a client that has been connected
    unsigned came, left, sent, failed, got;
    doca_error_t last;
    enum doca_ctx_states state;
};

// The client uses an SF of the DPU, beside the PF that serves it. Children have
// it from the test.
extern bool beside;

// What a server or client is like. NULL and 0: as most tests have it.
struct end_plan {
    const char *name;
    bool serves;
    uint32_t size, queue;                                  // of messages and of the receive queue
    uint32_t tasks;                                        // default: 1
    doca_comch_task_send_completion_cb_t over;             // default: end_over()
    doca_comch_event_msg_recv_cb_t hear;                   // default: counts, in `got`
    doca_comch_event_connection_status_changed_cb_t come;  // of a server; default: end_come()
    doca_comch_event_connection_status_changed_cb_t leave; // of a server; default: end_leave()
    doca_comch_event_consumer_cb_t consumer_came,
        consumer_expired; // default: no events
};

// The function has its device, and the context its engine and callbacks; e is
// its user data.
void end_make(struct end *e, const struct end_plan *plan);
void end_destroy(struct end *e);

// Callbacks that count: `sent` or `failed` and `last`; `came`; `left`.
void end_over(struct doca_comch_task_send *task, union doca_data task_data,
              union doca_data ctx_data);
void end_come(struct doca_comch_event_connection_status_changed *event,
              struct doca_comch_connection *c, uint8_t successful);
void end_leave(struct doca_comch_event_connection_status_changed *event,
               struct doca_comch_connection *c, uint8_t successful);

// Starts a client and waits until it is connected.
struct doca_comch_connection *end_start_client(struct end *e);
// Stops it if it runs. Nothing keeps a server from being idle right away.
void end_stop(struct end *e);

// Makes a task that sends these bytes; end_say() submits it, too.
struct doca_task *end_task(struct end *e, struct doca_comch_connection *to, const void *bytes,
                           size_t size);
void end_say(struct end *e, struct doca_comch_connection *to, const void *bytes, size_t size);

// ---- processes

// What a process does with its end, which is stopped and destroyed afterwards,
// except where the process is killed.
typedef void (*end_fn)(struct end *e);

// Starts a process with a server on the DPU, or with a client on the host; `fn`
// starts the context.
struct child *end_make_in(const struct end_plan *plan, const char *name, end_fn fn);
// The same, and waits until the server serves, or until the client is
// connected.
struct child *end_start_in(const struct end_plan *plan, const char *name, end_fn fn);

// Waits until the process is killed.
void end_stay(struct end *e);
// Makes the engine progress until the test has sent this word.
void end_progress_until(struct end *e, const char *word);

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
