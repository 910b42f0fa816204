// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch: a client that sends ten messages, each after the answer to the one before, and a server
// that sends them back. Both print how far they came and how their connection ended.
// test_injected_peers.c lets it break.
//
//     dropped_peer server|client

#include "../../examples/common/fail.h"

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES 10
#define NAME     "dropped"

static struct doca_dev *dev;
static struct doca_dev_rep *rep;
static struct doca_comch_server *server;
static struct doca_comch_client *client;
static struct doca_ctx *ctx;
static unsigned sent, failed, received, left;
static enum doca_ctx_states state;

static void send_over(struct doca_comch_task_send *task, union doca_data unused,
                      union doca_data unused_too)
{
    (void)unused, (void)unused_too;
    if (doca_task_get_status(doca_comch_task_send_as_task(task)) == DOCA_SUCCESS)
        sent++;
    else
        failed++;
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void say(struct doca_comch_connection *to)
{
    struct doca_comch_task_send *task;
    doca_error_t error = server
                             ? doca_comch_server_task_send_alloc_init(server, to, "text", 4, &task)
                             : doca_comch_client_task_send_alloc_init(client, to, "text", 4, &task);
    if (error == DOCA_SUCCESS &&
        doca_task_submit(doca_comch_task_send_as_task(task)) != DOCA_SUCCESS)
        doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t length,
                       struct doca_comch_connection *from)
{
    (void)event, (void)bytes, (void)length;
    received++;
    if (server || received < MESSAGES)
        say(from);
}

static void on_connect(struct doca_comch_event_connection_status_changed *event,
                       struct doca_comch_connection *connection, uint8_t good)
{
    (void)event, (void)connection, (void)good;
}

static void on_disconnect(struct doca_comch_event_connection_status_changed *event,
                          struct doca_comch_connection *connection, uint8_t good)
{
    (void)event, (void)connection, (void)good;
    left++;
}

static void on_state(const union doca_data unused, struct doca_ctx *context,
                     enum doca_ctx_states from, enum doca_ctx_states to)
{
    (void)unused, (void)context, (void)from;
    state = to;
}

static void open_device(const char *pci)
{
    struct doca_devinfo **infos;
    uint32_t n;
    must(doca_devinfo_create_list(&infos, &n), "cannot list devices");
    for (uint32_t i = 0; i < n && !dev; i++) {
        uint8_t equal = 0;
        must(doca_devinfo_is_equal_pci_addr(infos[i], pci, &equal), "cannot compare");
        if (equal)
            must(doca_dev_open(infos[i], &dev), "cannot open the device");
    }
    must(doca_devinfo_destroy_list(infos), "cannot free the list");
}

static void open_representor(const char *pci)
{
    struct doca_devinfo_rep **reps;
    uint32_t n;
    must(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &reps, &n),
         "cannot list representors");
    for (uint32_t i = 0; i < n && !rep; i++) {
        uint8_t equal = 0;
        must(doca_devinfo_rep_is_equal_pci_addr(reps[i], pci, &equal), "cannot compare");
        if (equal)
            must(doca_dev_rep_open(reps[i], &rep), "cannot open the representor");
    }
    must(doca_devinfo_rep_destroy_list(reps), "cannot free the list");
}

static void make_server(void)
{
    must(doca_comch_server_create(dev, rep, NAME, &server), "cannot make the server");
    ctx = doca_comch_server_as_ctx(server);
    must(doca_comch_server_task_send_set_conf(server, send_over, send_over, 4), "no tasks");
    must(doca_comch_server_event_msg_recv_register(server, on_message), "no messages");
    must(doca_comch_server_event_connection_status_changed_register(server, on_connect,
                                                                    on_disconnect),
         "no connections");
}

static void make_client(void)
{
    must(doca_comch_client_create(dev, NAME, &client), "cannot make the client");
    ctx = doca_comch_client_as_ctx(client);
    must(doca_comch_client_task_send_set_conf(client, send_over, send_over, 4), "no tasks");
    must(doca_comch_client_event_msg_recv_register(client, on_message), "no messages");
}

// Until the client has all answers, or its connection has ended.
static void run_client(struct doca_pe *pe)
{
    struct doca_comch_connection *connection;
    while (state != DOCA_CTX_STATE_RUNNING)
        doca_pe_progress(pe);
    must(doca_comch_client_get_connection(client, &connection), "no connection");
    say(connection);
    while (received < MESSAGES && state != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(pe);
    printf("client: %u sent, %u received, %s\n", sent, received,
           state == DOCA_CTX_STATE_IDLE ? "lost" : "done");
}

int main(int argc, char **argv)
{
    struct doca_pe *pe;
    bool serves = argc > 1 && strcmp(argv[1], "server") == 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_device(serves ? "03:00.0" : "0b:00.0");
    if (serves)
        open_representor("0b:00.0");
    (serves ? make_server : make_client)();
    must(doca_pe_create(&pe), "cannot make an engine");
    must(doca_ctx_set_state_changed_cb(ctx, on_state), "cannot set a callback");
    must(doca_pe_connect_ctx(pe, ctx), "cannot connect the context");
    doca_error_t error = doca_ctx_start(ctx);
    if (error != DOCA_ERROR_IN_PROGRESS)
        must(error, "cannot start the context");
    if (serves) {
        puts("listening");
        while (!left)
            doca_pe_progress(pe);
        printf("server: %u received, %u left\n", received, left);
    } else {
        run_client(pe);
    }
    doca_ctx_stop(ctx);
    while (state != DOCA_CTX_STATE_IDLE)
        doca_pe_progress(pe);
    must(serves ? doca_comch_server_destroy(server) : doca_comch_client_destroy(client),
         "cannot destroy it");
    must(doca_pe_destroy(pe), "cannot destroy the engine");
    if (rep)
        must(doca_dev_rep_close(rep), "cannot close the representor");
    must(doca_dev_close(dev), "cannot close the device");
    return EXIT_SUCCESS;
}
