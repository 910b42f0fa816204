// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comch's producers and consumers, in programs of DOCA 3 and of 2.5 (OF_2_5). A producer sends ten
// messages, each after the completion of the one before, and a consumer, which polls in a thread of
// its own, looks at them when all are there. Both print how far they came.
// test_injected_buffers.c breaks the connection.
//
//     dropped_buffers producer|consumer

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#ifdef OF_2_5
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#define COMCH(name)    doca_cc_##name
#define TASK(of, what) doca_cc_##of##what##_task
#define ON_CONNECTION  doca_cc_server_event_connection_register
#define TASKS          4 // the logarithm
typedef bool flag_t;
typedef size_t length_t;
#else
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#define COMCH(name)    doca_comch_##name
#define TASK(of, what) doca_comch_##of##task_##what
#define ON_CONNECTION  doca_comch_server_event_connection_status_changed_register
#define TASKS          16
typedef uint8_t flag_t;
typedef uint32_t length_t;
#endif
// Functions of a type of tasks: PART(TASK(client_, send), alloc_init).
#define JOINED(task, part) task##_##part
#define PART(task, part)   JOINED(task, part)

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES 10
#define RECEIVES 16
#define SIZE     4096
#define NAME     "dropped"

static struct doca_dev *dev;
static struct doca_dev_rep *rep;
static struct doca_pe *pe, *fast; // of the connection, and of the producer or consumer
static struct COMCH(server) * server;
static struct COMCH(client) * client;
static struct COMCH(connection) * connection;
static struct COMCH(consumer) * consumer;
static struct COMCH(producer) * producer;
static struct doca_mmap *map;
static struct doca_buf_inventory *inventory;
static _Alignas(SIZE) unsigned char memory[SIZE];
static atomic_uint arrived, failed, sent, consumer_id; // `failed`: of buffers
static atomic_bool all_there, left, expired;

static void must(doca_error_t result, const char *what)
{
    if (result == DOCA_SUCCESS)
        return;
    fprintf(stderr, "dropped_buffers: %s: %s\n", what, doca_error_get_descr(result));
    exit(EXIT_FAILURE);
}

static enum doca_ctx_states state_of(const struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    must(doca_ctx_get_state(ctx, &state), "there is no state");
    return state;
}

static void progress(struct doca_pe *engine)
{
    if (!doca_pe_progress(engine))
        sched_yield();
}

static void start(struct doca_pe *engine, struct doca_ctx *ctx)
{
    must(doca_pe_connect_ctx(engine, ctx), "cannot connect the context");
    doca_error_t error = doca_ctx_start(ctx);
    if (error != DOCA_ERROR_IN_PROGRESS)
        must(error, "cannot start the context");
}

static void stop(struct doca_pe *engine, struct doca_ctx *ctx)
{
    (void)doca_ctx_stop(ctx);
    while (state_of(ctx) != DOCA_CTX_STATE_IDLE)
        progress(engine);
}

static struct doca_buf *buffer(unsigned number, size_t data)
{
    const size_t room = SIZE / RECEIVES;
    struct doca_buf *buf;
    must(doca_buf_inventory_buf_get_by_args(inventory, map, memory + number * room, room,
                                            memory + number * room, data, &buf),
         "no buffer");
    return buf;
}

// ---- the connection

static void on_message(struct COMCH(event_msg_recv) * event, uint8_t *bytes, length_t length,
                       struct COMCH(connection) * from)
{
    (void)event, (void)bytes, (void)length, (void)from;
    all_there = true;
}

static void on_connect(struct COMCH(event_connection_status_changed) * event,
                       struct COMCH(connection) * of, flag_t good)
{
    (void)event, (void)good;
    connection = of;
}

static void on_disconnect(struct COMCH(event_connection_status_changed) * event,
                          struct COMCH(connection) * of, flag_t good)
{
    (void)event, (void)of, (void)good;
    left = true;
}

static void on_consumer(struct COMCH(event_consumer) * event, struct COMCH(connection) * of,
                        uint32_t id)
{
    (void)event, (void)of;
    consumer_id = id;
}

static void on_expired(struct COMCH(event_consumer) * event, struct COMCH(connection) * of,
                       uint32_t id)
{
    (void)event, (void)of, (void)id;
    expired = true;
}

static void said(struct TASK(, send) * task, union doca_data unused, union doca_data unused_too)
{
    (void)unused, (void)unused_too;
    doca_task_free(PART(TASK(, send), as_task)(task));
}

// ---- the consumer

static void received(struct TASK(consumer_, post_recv) * task, union doca_data unused,
                     union doca_data unused_too)
{
    struct doca_task *base = PART(TASK(consumer_, post_recv), as_task)(task);
    (void)unused, (void)unused_too;
    if (doca_task_get_status(base) == DOCA_SUCCESS)
        arrived++;
    else
        failed++;
    must(doca_buf_dec_refcount(PART(TASK(consumer_, post_recv), get_buf)(task), NULL), "no buffer");
    doca_task_free(base);
}

static void make_consumer(void)
{
    struct TASK(consumer_, post_recv) * task;
    must(COMCH(consumer_create)(connection, map, &consumer), "no consumer");
    must(PART(TASK(consumer_, post_recv), set_conf)(consumer, received, received, TASKS),
         "no receives");
    struct doca_ctx *ctx = COMCH(consumer_as_ctx)(consumer);
    start(fast, ctx);
    while (state_of(ctx) != DOCA_CTX_STATE_RUNNING) {
        progress(fast);
        progress(pe);
    }
    for (unsigned i = 0; i < RECEIVES; i++) {
        must(PART(TASK(consumer_, post_recv), alloc_init)(consumer, buffer(i, 0), &task),
             "no receive");
        must(doca_task_submit(PART(TASK(consumer_, post_recv), as_task)(task)), "cannot receive");
    }
}

// The first poll finds all messages.
static void *receive(void *unused)
{
    (void)unused;
    while (arrived + failed < MESSAGES)
        progress(fast);
    stop(fast, COMCH(consumer_as_ctx)(consumer));
    return NULL;
}

static void serve(void)
{
    pthread_t thread;
    must(COMCH(server_create)(dev, rep, NAME, &server), "no server");
    must(PART(TASK(server_, send), set_conf)(server, said, said, TASKS), "no tasks");
    must(COMCH(server_event_msg_recv_register)(server, on_message), "no messages");
    must(ON_CONNECTION(server, on_connect, on_disconnect), "no connections");
    must(COMCH(server_event_consumer_register)(server, on_consumer, on_expired), "no consumers");
    start(pe, COMCH(server_as_ctx)(server));
    puts("listening");
    while (!connection)
        progress(pe);
    make_consumer();
    while (!all_there && !left)
        progress(pe);
    if (pthread_create(&thread, NULL, receive, NULL) != 0)
        abort();
    while (!left)
        progress(pe);
    pthread_join(thread, NULL);
    printf("consumer: %u received, %u failed\n", arrived, failed);
    must(COMCH(consumer_destroy)(consumer), "cannot destroy the consumer");
    stop(pe, COMCH(server_as_ctx)(server));
    must(COMCH(server_destroy)(server), "cannot destroy the server");
}

// ---- the producer

static void gone(struct TASK(producer_, send) * task, union doca_data unused,
                 union doca_data unused_too)
{
    struct doca_task *base = PART(TASK(producer_, send), as_task)(task);
    (void)unused, (void)unused_too;
    if (doca_task_get_status(base) == DOCA_SUCCESS)
        sent++;
    else
        failed++;
    doca_task_free(base);
}

static void send_one(void)
{
    struct TASK(producer_, send) * task;
    struct doca_buf *buf = buffer(0, 64);
    doca_error_t error;
    unsigned before = sent + failed;
#ifdef OF_2_5
    error = doca_cc_producer_send_task_alloc_init(producer, buf, (int)consumer_id, &task);
#else
    error = doca_comch_producer_task_send_alloc_init(producer, buf, NULL, 0, consumer_id, &task);
#endif
    must(error, "no task");
    while ((error = doca_task_submit(PART(TASK(producer_, send), as_task)(task))) ==
           DOCA_ERROR_AGAIN)
        progress(fast);
    must(error, "cannot send");
    while (sent + failed == before)
        progress(fast);
    must(doca_buf_dec_refcount(buf, NULL), "no buffer");
}

// What the client says when it has sent all.
static void say_all(void)
{
    struct TASK(, send) * task;
    must(PART(TASK(client_, send), alloc_init)(client, connection, "all", 3, &task), "no task");
    must(doca_task_submit(PART(TASK(, send), as_task)(task)), "cannot send");
}

static void *produce(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < MESSAGES && !failed; i++)
        send_one();
    stop(fast, COMCH(producer_as_ctx)(producer));
    all_there = true;
    return NULL;
}

static void run_producer(const struct doca_ctx *ctx)
{
    pthread_t thread;
    must(COMCH(producer_create)(connection, &producer), "no producer");
    must(PART(TASK(producer_, send), set_conf)(producer, gone, gone, TASKS), "no sends");
    start(fast, COMCH(producer_as_ctx)(producer));
    if (pthread_create(&thread, NULL, produce, NULL) != 0)
        abort();
    while (!all_there)
        progress(pe);
    pthread_join(thread, NULL);
    if (!failed)
        say_all();
    while (!expired && state_of(ctx) != DOCA_CTX_STATE_IDLE)
        progress(pe);
    printf("producer: %u sent, %u failed, %s\n", sent, failed,
           state_of(ctx) == DOCA_CTX_STATE_IDLE ? "lost" : "done");
    must(COMCH(producer_destroy)(producer), "cannot destroy the producer");
}

static void call(void)
{
    must(COMCH(client_create)(dev, NAME, &client), "no client");
    struct doca_ctx *ctx = COMCH(client_as_ctx)(client);
    must(PART(TASK(client_, send), set_conf)(client, said, said, TASKS), "no tasks");
    must(COMCH(client_event_msg_recv_register)(client, on_message), "no messages");
    must(COMCH(client_event_consumer_register)(client, on_consumer, on_expired), "no consumers");
    start(pe, ctx);
    while (state_of(ctx) != DOCA_CTX_STATE_RUNNING)
        progress(pe);
    must(COMCH(client_get_connection)(client, &connection), "no connection");
    while (!consumer_id)
        progress(pe);
    run_producer(ctx);
    stop(pe, ctx);
    must(COMCH(client_destroy)(client), "cannot destroy the client");
}

// ---- both

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

static void make_memory(void)
{
    must(doca_mmap_create(&map), "no map");
    must(doca_mmap_set_memrange(map, memory, sizeof(memory)), "no range");
    must(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE), "no rights");
    must(doca_mmap_add_dev(map, dev), "cannot add the device");
    must(doca_mmap_start(map), "cannot start the map");
    must(doca_buf_inventory_create(RECEIVES, &inventory), "no inventory");
    must(doca_buf_inventory_start(inventory), "cannot start the inventory");
}

int main(int argc, char **argv)
{
    bool serves = argc > 1 && strcmp(argv[1], "consumer") == 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_device(serves ? "03:00.0" : "0b:00.0");
    if (serves)
        open_representor("0b:00.0");
    make_memory();
    must(doca_pe_create(&pe), "cannot make an engine");
    must(doca_pe_create(&fast), "cannot make an engine");
    (serves ? serve : call)();
    must(doca_pe_destroy(fast), "cannot destroy the engine");
    must(doca_pe_destroy(pe), "cannot destroy the engine");
    must(doca_buf_inventory_destroy(inventory), "cannot destroy the inventory");
    must(doca_mmap_destroy(map), "cannot destroy the map");
    if (rep)
        must(doca_dev_rep_close(rep), "cannot close the representor");
    must(doca_dev_close(dev), "cannot close the device");
    return EXIT_SUCCESS;
}
