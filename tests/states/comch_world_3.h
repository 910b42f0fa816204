// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the tables about Comch of DOCA 3 share: a server and its client on one engine. A DPU's own
// SF lets both be in one process.

#ifndef STATES_COMCH_WORLD_3_H
#define STATES_COMCH_WORLD_3_H

#include "objects.h"

#include "deadline.h"

#include <doca_comch.h>
#include <doca_pe.h>

#define COMCH_NAME "states"

struct comch_world {
    struct doca_dev *dev, *sf;
    struct doca_dev_rep *rep;
    struct doca_pe *pe;
    struct doca_comch_server *server;
    struct doca_comch_client *client;
    struct doca_comch_connection *of_server, *of_client;
    struct doca_comch_task_send *message;
    uint32_t consumer_id; // of the client's side, which the server has heard of
};

extern struct comch_world cw;

void cw_make(void);
void cw_make_server(void);
void cw_make_client(void);
void cw_start_server(void);
void cw_start_client(void);
void cw_meet(void); // makes, starts and connects both
enum doca_ctx_states cw_state_of(struct doca_ctx *ctx);
// Ends when it is IDLE.
void cw_stop(struct doca_ctx *ctx);
void cw_leave(void);
struct doca_ctx *cw_server_ctx(void);
struct doca_ctx *cw_client_ctx(void);

void cw_sent(struct doca_comch_task_send *task, union doca_data data, union doca_data ctx_data);
void cw_on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                   struct doca_comch_connection *c);
void cw_on_connect(struct doca_comch_event_connection_status_changed *event,
                   struct doca_comch_connection *c, uint8_t successful);
void cw_on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                    uint32_t id);

static inline enum given cw_number(uint64_t *value, uint64_t n)
{
    *value = n;
    return GIVEN;
}

#define CW_UNTIL(condition)                                                                        \
    do {                                                                                           \
        int64_t deadline = deadline_in(HARNESS_LIMIT_MS);                                          \
        while (!(condition)) {                                                                     \
            ck_assert_msg(now_ms() < deadline, "never: " #condition);                              \
            (void)doca_pe_progress(cw.pe);                                                         \
        }                                                                                          \
    } while (0)

#endif
