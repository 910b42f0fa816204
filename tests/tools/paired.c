// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two programs for test-linked.py, of the host and of the DPU: messages of Comch in both
// directions, an export that the other side imports, and buffers from a producer to a consumer.
//
//     paired host|dpu MESSAGES

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 4096

static void must_at(int line, doca_error_t result)
{
    if (result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS)
        return;
    fprintf(stderr, "paired.c:%d: %s\n", line, doca_error_get_descr(result));
    exit(1);
}
#define must(result) must_at(__LINE__, result)

static struct side {
    unsigned messages;
    struct doca_dev *dev;
    struct doca_dev_rep *rep;
    struct doca_pe *pe;
    struct doca_comch_server *server;
    struct doca_comch_client *client;
    struct doca_comch_connection *connection;
    struct doca_mmap *map, *theirs;
    struct doca_buf_inventory *inventory;
    struct doca_comch_consumer *consumer;
    struct doca_comch_producer *producer;
    unsigned received, sent, buffers;
    uint32_t consumer_id;
    bool left;
} me;

static _Alignas(SIZE) unsigned char memory[SIZE];

#define UNTIL(condition)                                                                           \
    while (!(condition))                                                                           \
        if (!doca_pe_progress(me.pe))                                                              \
    sched_yield()

// ---- messages

static void ended(struct doca_comch_task_send *task, union doca_data task_data,
                  union doca_data data)
{
    (void)task_data;
    (void)data;
    must(doca_task_get_status(doca_comch_task_send_as_task(task)));
    me.sent++;
    doca_task_free(doca_comch_task_send_as_task(task));
}

static void send_bytes(const void *bytes, size_t size)
{
    struct doca_comch_task_send *task;
    unsigned before = me.sent;
    if (me.server)
        must(doca_comch_server_task_send_alloc_init(me.server, me.connection, bytes, (uint32_t)size,
                                                    &task));
    else
        must(doca_comch_client_task_send_alloc_init(me.client, me.connection, bytes, (uint32_t)size,
                                                    &task));
    must(doca_task_submit(doca_comch_task_send_as_task(task)));
    UNTIL(me.sent > before);
}

// The first message to the DPU is a descriptor.
static void got(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t size,
                struct doca_comch_connection *connection)
{
    (void)event;
    (void)connection;
    if (me.server && me.received == 0)
        must(doca_mmap_create_from_export(NULL, bytes, size, me.dev, &me.theirs));
    me.received++;
}

static void came(struct doca_comch_event_connection_status_changed *event,
                 struct doca_comch_connection *connection, uint8_t successful)
{
    (void)event;
    (void)successful;
    me.connection = connection;
}

static void left(struct doca_comch_event_connection_status_changed *event,
                 struct doca_comch_connection *connection, uint8_t successful)
{
    (void)event;
    (void)connection;
    (void)successful;
    me.left = true;
}

static void consumer_came(struct doca_comch_event_consumer *event,
                          struct doca_comch_connection *connection, uint32_t id)
{
    (void)event;
    (void)connection;
    me.consumer_id = id;
}

static void consumer_left(struct doca_comch_event_consumer *event,
                          struct doca_comch_connection *connection, uint32_t id)
{
    (void)event;
    (void)connection;
    (void)id;
}

// ---- buffers

static void arrived(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
                    union doca_data data)
{
    struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
    (void)task_data;
    (void)data;
    if (doca_task_get_status(base) == DOCA_SUCCESS)
        me.buffers++;
    must(doca_buf_dec_refcount(doca_comch_consumer_task_post_recv_get_buf(task), NULL));
    doca_task_free(base);
}

static void gone(struct doca_comch_producer_task_send *task, union doca_data task_data,
                 union doca_data data)
{
    (void)task_data;
    (void)data;
    must(doca_task_get_status(doca_comch_producer_task_send_as_task(task)));
    me.buffers++;
    doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static struct doca_buf *buffer(size_t at, size_t data)
{
    struct doca_buf *buf;
    must(doca_buf_inventory_buf_get_by_args(me.inventory, me.map, memory + at, SIZE / 16,
                                            memory + at, data, &buf));
    return buf;
}

static void post(unsigned count)
{
    struct doca_comch_consumer_task_post_recv *task;
    for (unsigned i = 0; i < count; i++) {
        must(doca_comch_consumer_task_post_recv_alloc_init(me.consumer, buffer(i * SIZE / 16, 0),
                                                           &task));
        must(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)));
    }
}

static enum doca_ctx_states state_of(const struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    must(doca_ctx_get_state(ctx, &state));
    return state;
}

static void stop(struct doca_ctx *ctx)
{
    must(doca_ctx_stop(ctx));
    UNTIL(state_of(ctx) == DOCA_CTX_STATE_IDLE);
}

static void receive_buffers(void)
{
    must(doca_comch_consumer_create(me.connection, me.map, &me.consumer));
    struct doca_ctx *ctx = doca_comch_consumer_as_ctx(me.consumer);
    must(doca_comch_consumer_task_post_recv_set_conf(me.consumer, arrived, arrived, 8));
    must(doca_pe_connect_ctx(me.pe, ctx));
    must(doca_ctx_start(ctx));
    UNTIL(state_of(ctx) == DOCA_CTX_STATE_RUNNING);
    post(me.messages);
    UNTIL(me.buffers == me.messages);
    stop(ctx);
    must(doca_comch_consumer_destroy(me.consumer));
}

static void send_buffers(void)
{
    struct doca_comch_producer_task_send *task;
    UNTIL(me.consumer_id);
    must(doca_comch_producer_create(me.connection, &me.producer));
    struct doca_ctx *ctx = doca_comch_producer_as_ctx(me.producer);
    must(doca_comch_producer_task_send_set_conf(me.producer, gone, gone, 8));
    must(doca_pe_connect_ctx(me.pe, ctx));
    must(doca_ctx_start(ctx));
    for (unsigned i = 0; i < me.messages; i++) {
        struct doca_buf *buf = buffer(0, 64);
        must(doca_comch_producer_task_send_alloc_init(me.producer, buf, NULL, 0, me.consumer_id,
                                                      &task));
        doca_error_t result;
        while ((result = doca_task_submit(doca_comch_producer_task_send_as_task(task))) ==
               DOCA_ERROR_AGAIN)
            (void)doca_pe_progress(me.pe); // the other side has not posted that many
        must(result);
        UNTIL(me.buffers > i);
        must(doca_buf_dec_refcount(buf, NULL));
    }
    stop(ctx);
    must(doca_comch_producer_destroy(me.producer));
}

// ---- both sides

static struct doca_dev *open_device(const char *pci)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;
    must(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        uint8_t equal = 0;
        must(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
        if (equal)
            must(doca_dev_open(list[i], &dev));
    }
    must(doca_devinfo_destroy_list(list));
    return dev;
}

static void open_representor(void)
{
    struct doca_devinfo_rep **list;
    uint32_t n;
    must(doca_devinfo_rep_create_list(me.dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &n));
    for (uint32_t i = 0; i < n && !me.rep; i++) {
        uint8_t equal = 0;
        must(doca_devinfo_rep_is_equal_pci_addr(list[i], "0b:00.0", &equal));
        if (equal)
            must(doca_dev_rep_open(list[i], &me.rep));
    }
    must(doca_devinfo_rep_destroy_list(list));
}

static void make_memory(void)
{
    must(doca_mmap_create(&me.map));
    must(doca_mmap_set_memrange(me.map, memory, sizeof(memory)));
    must(doca_mmap_set_permissions(me.map, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
    must(doca_mmap_add_dev(me.map, me.dev));
    must(doca_mmap_start(me.map));
    must(doca_buf_inventory_create(16, &me.inventory));
    must(doca_buf_inventory_start(me.inventory));
    must(doca_pe_create(&me.pe));
}

static void serve(void)
{
    must(doca_comch_server_create(me.dev, me.rep, "paired", &me.server));
    struct doca_ctx *ctx = doca_comch_server_as_ctx(me.server);
    must(doca_comch_server_task_send_set_conf(me.server, ended, ended, 4));
    must(doca_comch_server_event_msg_recv_register(me.server, got));
    must(doca_comch_server_event_connection_status_changed_register(me.server, came, left));
    must(doca_comch_server_event_consumer_register(me.server, consumer_came, consumer_left));
    must(doca_pe_connect_ctx(me.pe, ctx));
    must(doca_ctx_start(ctx));
    puts("listening");
    fflush(stdout);
    UNTIL(me.received == me.messages);
    for (unsigned i = 0; i < me.messages; i++)
        send_bytes("answer", 6);
    send_buffers();
    UNTIL(me.left);
    stop(ctx);
    must(doca_comch_server_destroy(me.server));
    must(doca_mmap_destroy(me.theirs));
}

static void call(void)
{
    const void *descriptor;
    size_t size;
    must(doca_comch_client_create(me.dev, "paired", &me.client));
    struct doca_ctx *ctx = doca_comch_client_as_ctx(me.client);
    must(doca_comch_client_task_send_set_conf(me.client, ended, ended, 4));
    must(doca_comch_client_event_msg_recv_register(me.client, got));
    must(doca_comch_client_event_consumer_register(me.client, consumer_came, consumer_left));
    must(doca_pe_connect_ctx(me.pe, ctx));
    must(doca_ctx_start(ctx));
    UNTIL(state_of(ctx) == DOCA_CTX_STATE_RUNNING);
    must(doca_comch_client_get_connection(me.client, &me.connection));
    must(doca_mmap_export_pci(me.map, me.dev, &descriptor, &size));
    send_bytes(descriptor, size);
    for (unsigned i = 1; i < me.messages; i++)
        send_bytes("question", 8);
    UNTIL(me.received == me.messages);
    receive_buffers();
    stop(ctx);
    must(doca_comch_client_destroy(me.client));
}

int main(int argc, char **argv)
{
    bool host = argc == 3 && strcmp(argv[1], "host") == 0;
    if (argc != 3)
        return 2;
    me.messages = (unsigned)strtoul(argv[2], NULL, 10);
    me.dev = open_device(host ? "0b:00.0" : "03:00.0");
    if (!host)
        open_representor();
    make_memory();
    (host ? call : serve)();
    must(doca_pe_destroy(me.pe));
    must(doca_buf_inventory_destroy(me.inventory));
    must(doca_mmap_destroy(me.map));
    if (me.rep)
        must(doca_dev_rep_close(me.rep));
    must(doca_dev_close(me.dev));
    return 0;
}
