// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "comch_world_3.h"

#include <string.h>

struct comch_world cw;

// ---- callbacks

void cw_sent(struct doca_comch_task_send *task, union doca_data data, union doca_data ctx_data)
{
    (void)task, (void)data, (void)ctx_data;
}

void cw_on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
                   struct doca_comch_connection *c)
{
    (void)event, (void)bytes, (void)len, (void)c;
}

void cw_on_connect(struct doca_comch_event_connection_status_changed *event,
                   struct doca_comch_connection *c, uint8_t successful)
{
    (void)event, (void)successful;
    cw.of_server = c;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *c, uint8_t successful)
{
    (void)event, (void)c, (void)successful;
    cw.of_server = NULL;
}

void cw_on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                    uint32_t id)
{
    (void)event, (void)c;
    cw.consumer_id = id;
}

static void on_expired(struct doca_comch_event_consumer *event, struct doca_comch_connection *c,
                       uint32_t id)
{
    (void)event, (void)c, (void)id;
}

// ---- ends

enum doca_ctx_states cw_state_of(struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    ck_assert_success(doca_ctx_get_state(ctx, &state));
    return state;
}

void cw_stop(struct doca_ctx *ctx)
{
    (void)doca_ctx_stop(ctx);
    CW_UNTIL(cw_state_of(ctx) == DOCA_CTX_STATE_IDLE);
}

struct doca_ctx *cw_server_ctx(void)
{
    return doca_comch_server_as_ctx(cw.server);
}

struct doca_ctx *cw_client_ctx(void)
{
    return doca_comch_client_as_ctx(cw.client);
}

void cw_make(void)
{
    memset(&cw, 0, sizeof(cw));
    cw.dev = client_open(DPU_P0);
    cw.sf = sf_open();
    cw.rep = sf_rep_open(cw.dev);
    ck_assert_success(doca_pe_create(&cw.pe));
}

void cw_make_server(void)
{
    ck_assert_success(doca_comch_server_create(cw.dev, cw.rep, COMCH_NAME, &cw.server));
    ck_assert_success(doca_comch_server_task_send_set_conf(cw.server, cw_sent, cw_sent, 8));
    ck_assert_success(doca_comch_server_event_msg_recv_register(cw.server, cw_on_message));
    ck_assert_success(doca_comch_server_event_connection_status_changed_register(
        cw.server, cw_on_connect, on_disconnect));
    ck_assert_success(
        doca_comch_server_event_consumer_register(cw.server, cw_on_consumer, on_expired));
}

void cw_make_client(void)
{
    ck_assert_success(doca_comch_client_create(cw.sf, COMCH_NAME, &cw.client));
    ck_assert_success(doca_comch_client_task_send_set_conf(cw.client, cw_sent, cw_sent, 8));
    ck_assert_success(doca_comch_client_event_msg_recv_register(cw.client, cw_on_message));
}

void cw_start_server(void)
{
    ck_assert_success(doca_pe_connect_ctx(cw.pe, cw_server_ctx()));
    ck_assert_success(doca_ctx_start(cw_server_ctx()));
}

void cw_start_client(void)
{
    ck_assert_success(doca_pe_connect_ctx(cw.pe, cw_client_ctx()));
    ck_assert_error(doca_ctx_start(cw_client_ctx()), DOCA_ERROR_IN_PROGRESS);
}

void cw_meet(void)
{
    cw_make_server();
    cw_make_client();
    cw_start_server();
    cw_start_client();
    CW_UNTIL(cw.of_server && cw_state_of(cw_client_ctx()) == DOCA_CTX_STATE_RUNNING);
    ck_assert_success(doca_comch_client_get_connection(cw.client, &cw.of_client));
}

static void end_client(void)
{
    if (!cw.client)
        return;
    if (cw_state_of(cw_client_ctx()) != DOCA_CTX_STATE_IDLE)
        cw_stop(cw_client_ctx());
    ck_assert_success(doca_comch_client_destroy(cw.client));
    cw.client = NULL;
}

static void end_server(void)
{
    if (!cw.server)
        return;
    if (cw_state_of(cw_server_ctx()) != DOCA_CTX_STATE_IDLE)
        cw_stop(cw_server_ctx());
    ck_assert_success(doca_comch_server_destroy(cw.server));
    cw.server = NULL;
}

void cw_leave(void)
{
    end_client();
    end_server();
    ck_assert_success(doca_pe_destroy(cw.pe));
    ck_assert_success(doca_dev_rep_close(cw.rep));
    ck_assert_success(doca_dev_close(cw.sf));
    ck_assert_success(doca_dev_close(cw.dev));
}
