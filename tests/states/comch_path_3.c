// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Consumers and producers of Comch of DOCA 3, and their tasks. The consumer is the client's, and
// the producer the server's.

#include "comch_world_3.h"
#include "tables.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>
#include <string.h>

#define MEMORY 4096

static struct {
    uint8_t bytes[MEMORY];
    struct doca_mmap *map, *sent_map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *into, *from;
    struct doca_comch_consumer *consumer;
    struct doca_comch_producer *producer;
    struct doca_comch_consumer_task_post_recv *receive;
    struct doca_comch_producer_task_send *send;
    unsigned received, sent;
} p;

static uint8_t imm[8] = "imm";

// ---- callbacks

static void received(struct doca_comch_consumer_task_post_recv *task, union doca_data data,
                     union doca_data ctx_data)
{
    (void)task, (void)data, (void)ctx_data;
    p.received++;
}

static void sent(struct doca_comch_producer_task_send *task, union doca_data data,
                 union doca_data ctx_data)
{
    (void)task, (void)data, (void)ctx_data;
    p.sent++;
}

// ---- the two of them

static struct doca_mmap *lend(struct doca_dev *dev)
{
    struct doca_mmap *map;
    ck_assert_success(doca_mmap_create(&map));
    ck_assert_success(doca_mmap_set_memrange(map, p.bytes, MEMORY));
    ck_assert_success(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
    ck_assert_success(doca_mmap_add_dev(map, dev));
    ck_assert_success(doca_mmap_start(map));
    return map;
}

static struct doca_ctx *consumer_ctx(void)
{
    return doca_comch_consumer_as_ctx(p.consumer);
}

static struct doca_ctx *producer_ctx(void)
{
    return doca_comch_producer_as_ctx(p.producer);
}

static void make(void)
{
    memset(&p, 0, sizeof(p));
    cw_make();
    cw_meet();
    p.map = lend(cw.sf);
    p.sent_map = lend(cw.dev);
    ck_assert_success(doca_buf_inventory_create(4, &p.inventory));
    ck_assert_success(doca_buf_inventory_start(p.inventory));
    ck_assert_success(doca_buf_inventory_buf_get_by_addr(p.inventory, p.map, p.bytes, 64, &p.into));
    ck_assert_success(
        doca_buf_inventory_buf_get_by_data(p.inventory, p.sent_map, p.bytes + 64, 8, &p.from));
    ck_assert_success(doca_comch_consumer_create(cw.of_client, p.map, &p.consumer));
    ck_assert_success(
        doca_comch_consumer_task_post_recv_set_conf(p.consumer, received, received, 2));
    ck_assert_success(doca_comch_producer_create(cw.of_server, &p.producer));
    ck_assert_success(doca_comch_producer_task_send_set_conf(p.producer, sent, sent, 2));
}

static void connect_engine(void)
{
    ck_assert_success(doca_pe_connect_ctx(cw.pe, consumer_ctx()));
    ck_assert_success(doca_pe_connect_ctx(cw.pe, producer_ctx()));
}

static void start_consumer(void)
{
    ck_assert_error(doca_ctx_start(consumer_ctx()), DOCA_ERROR_IN_PROGRESS);
}

static void run(void)
{
    connect_engine();
    start_consumer();
    ck_assert_success(doca_ctx_start(producer_ctx()));
    CW_UNTIL(cw_state_of(consumer_ctx()) == DOCA_CTX_STATE_RUNNING && cw.consumer_id);
}

static void stop_if_started(struct doca_ctx *ctx)
{
    if (cw_state_of(ctx) != DOCA_CTX_STATE_IDLE)
        cw_stop(ctx);
}

static void stop_both(void)
{
    stop_if_started(consumer_ctx());
    stop_if_started(producer_ctx());
}

static void leave(void)
{
    if (p.consumer) {
        stop_if_started(consumer_ctx());
        ck_assert_success(doca_comch_consumer_destroy(p.consumer));
    }
    if (p.producer) {
        stop_if_started(producer_ctx());
        ck_assert_success(doca_comch_producer_destroy(p.producer));
    }
    ck_assert_success(doca_buf_dec_refcount(p.into, NULL));
    ck_assert_success(doca_buf_dec_refcount(p.from, NULL));
    ck_assert_success(doca_buf_inventory_destroy(p.inventory));
    ck_assert_success(doca_mmap_destroy(p.map));
    ck_assert_success(doca_mmap_destroy(p.sent_map));
    cw_leave();
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool creates = strstr(function, "_create"), allocates = strstr(function, "_alloc_init");
    bool receives = strstr(function, "_consumer_");

    if (same(param, "comch_connection"))
        return receives ? GIVE(cw.of_client) : GIVE_OBJECT(cw.of_server);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(receives ? cw.sf : cw.dev));
    if (same(param, "consumer"))
        return creates ? GIVEN_NONE : GIVE(p.consumer);
    if (same(param, "producer"))
        return creates ? GIVEN_NONE : GIVE(p.producer);
    if (same(param, "task"))
        return allocates ? GIVEN_NONE : receives ? GIVE_OBJECT(p.receive) : GIVE_OBJECT(p.send);
    if (same(param, "buf_mmap"))
        return GIVE(p.map);
    if (same(param, "buf"))
        return receives ? GIVE(p.into) : GIVE(p.from);
    if (same(param, "imm_data"))
        return GIVE(imm);
    if (same(param, "task_completion_cb") || same(param, "task_error_cb"))
        return receives ? GIVE(received) : GIVE(sent);
    if (same(param, "imm_data_len") && strstr(function, "_get_"))
        return GIVEN_NONE;
    if (same(param, "consumer_id"))
        return cw_number(value, 1);
    bool is_number = same(param, "imm_data_len") || same(param, "num_post_recv_tasks") ||
                     same(param, "num_send_tasks") || same(param, "dev_num_send");
    return is_number ? cw_number(value, sizeof(imm)) : GIVEN_NONE;
}

static const struct lifetime lifetimes[] = {
    {"doca_comch_consumer_create", "doca_comch_consumer_destroy", &p.consumer},
    {"doca_comch_producer_create", "doca_comch_producer_destroy", &p.producer},
    {NULL},
};

// ---- consumers

enum { MADE, CONNECTED, STARTING, RUNNING, STOPPED, LOST };

static void enter_consumer(unsigned state)
{
    make();
    if (state == CONNECTED || state == STARTING)
        connect_engine();
    if (state == STARTING)
        start_consumer();
    if (state >= RUNNING)
        run();
    if (state == STOPPED)
        stop_both();
    if (state == LOST) {
        cw_stop(cw_client_ctx());
        CW_UNTIL(cw_state_of(consumer_ctx()) == DOCA_CTX_STATE_IDLE && !cw.of_server);
    }
}

// made, connected, starting, running, stopped, lost
#define SETS        OK, OK, STATE, STATE, OK, OK
#define COMCH(name) ROW("doca_comch_" name, ANY(OK))
#define CREATES     OK, OK, OK, OK, OK, STATE
#define RUNS        STATE, STATE, STATE, OK, STATE, STATE

static const struct row consumer_rows[] = {
    {"doca_comch_consumer_create", {CREATES}},
    {"doca_comch_consumer_destroy", {OK, OK, INIT, INIT, OK, OK}},
    {"doca_comch_consumer_as_ctx", ANY(OK)},
    {"doca_comch_consumer_get_id", ANY(OK)},
    {"doca_comch_consumer_set_imm_data_len", {SETS}},
    {"doca_comch_consumer_get_imm_data_len", ANY(OK)},
    {"doca_comch_consumer_task_post_recv_set_conf", {SETS}},
    {"doca_comch_consumer_task_post_recv_alloc_init", {RUNS}, "buf"},
    COMCH("consumer_cap_is_supported"),
    COMCH("consumer_cap_get_max_num_tasks"),
    COMCH("consumer_cap_get_max_buf_size"),
    COMCH("consumer_cap_get_max_buf_list_len"),
    COMCH("consumer_cap_get_max_consumers"),
    COMCH("consumer_cap_get_max_imm_data_len"),
};

GROUP(comch_consumers) = {
    .name = "comch consumer",
    .states = {"made", "connected", "starting", "running", "stopped", "lost"},
    .on_dpu = 0x3f,
    ROWS(consumer_rows),
    .probe = "doca_comch_consumer_set_imm_data_len",
    .enter = enter_consumer,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

// ---- producers

enum { P_MADE, P_CONNECTED, P_RUNNING, P_STOPPED, P_LOST };

static void enter_producer(unsigned state)
{
    static const unsigned as[] = {MADE, CONNECTED, RUNNING, STOPPED, LOST};
    enter_consumer(as[state]);
}

// made, connected, running, stopped, lost

// A producer goes on when its connection has ended: its tasks fail.
static const struct row producer_rows[] = {
    {"doca_comch_producer_create", {OK, OK, OK, OK, ABSENT}},
    {"doca_comch_producer_destroy", {OK, OK, INIT, OK, INIT}},
    {"doca_comch_producer_as_ctx", ANY(OK)},
    {"doca_comch_producer_get_id", ANY(OK)},
    {"doca_comch_producer_set_dev_max_num_send", ANY(UNSUPP)},
    {"doca_comch_producer_task_send_set_conf", {OK, OK, STATE, OK, STATE}},
    {"doca_comch_producer_task_send_alloc_init", {STATE, STATE, OK, STATE, OK}, "buf"},
    COMCH("producer_cap_is_supported"),
    COMCH("producer_cap_get_max_num_tasks"),
    COMCH("producer_cap_get_max_buf_size"),
    COMCH("producer_cap_get_max_buf_list_len"),
    COMCH("producer_cap_get_max_producers"),
};

GROUP(comch_producers) = {
    .name = "comch producer",
    .states = {"made", "connected", "running", "stopped", "lost"},
    .on_dpu = 0x1f,
    ROWS(producer_rows),
    .probe = "doca_comch_producer_task_send_set_conf",
    .enter = enter_producer,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

// ---- tasks

static void allocate(void)
{
    run();
    ck_assert_success(
        doca_comch_consumer_task_post_recv_alloc_init(p.consumer, p.into, &p.receive));
    ck_assert_success(doca_comch_producer_task_send_alloc_init(p.producer, p.from, imm, sizeof(imm),
                                                               cw.consumer_id, &p.send));
}

static struct doca_task *receive_task(void)
{
    return doca_comch_consumer_task_post_recv_as_task(p.receive);
}

static struct doca_task *send_task(void)
{
    return doca_comch_producer_task_send_as_task(p.send);
}

enum { ALLOCATED, IN_FLIGHT, DONE, FAILED, FREED };

static void enter_receive(unsigned state)
{
    make();
    allocate();
    if (state >= IN_FLIGHT && state <= FAILED)
        ck_assert_success(doca_task_submit(receive_task()));
    if (state == DONE) {
        ck_assert_success(doca_task_submit(send_task()));
        CW_UNTIL(p.received == 1 && p.sent == 1);
    }
    if (state == FAILED)
        cw_stop(consumer_ctx());
    if (state == FREED)
        doca_task_free(receive_task());
}

// Setters return nothing; what they leave alone is tested where values are.
static const struct row receive_rows[] = {
    // allocated, in flight, received, failed, freed
    COMCH("consumer_task_post_recv_as_task"),
    COMCH("consumer_task_post_recv_set_buf"),
    COMCH("consumer_task_post_recv_get_buf"),
    COMCH("consumer_task_post_recv_get_producer_id"),
    COMCH("consumer_task_post_recv_get_imm_data_len"),
    {"doca_comch_consumer_task_post_recv_get_imm_data", {INVALID, INVALID, OK, INVALID, INVALID}},
};

GROUP(comch_receives) = {
    .name = "comch receive",
    .states = {"allocated", "in flight", "received", "failed", "freed"},
    .on_dpu = 0x1f,
    ROWS(receive_rows),
    .enter = enter_receive,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

static void enter_send(unsigned state)
{
    make();
    allocate();
    if (state == IN_FLIGHT || state == DONE) {
        ck_assert_success(doca_task_submit(receive_task()));
        ck_assert_success(doca_task_submit(send_task()));
    }
    if (state == FAILED) {
        doca_comch_producer_task_send_set_consumer_id(p.send, cw.consumer_id + 1);
        ck_assert_success(doca_task_submit(send_task()));
    }
    if (state == DONE || state == FAILED)
        CW_UNTIL(p.sent == 1);
    if (state == FREED)
        doca_task_free(send_task());
}

static const struct row send_rows[] = {
    // allocated, in flight, sent, failed, freed
    COMCH("producer_task_send_as_task"),         COMCH("producer_task_send_set_buf"),
    COMCH("producer_task_send_get_buf"),         COMCH("producer_task_send_set_consumer_id"),
    COMCH("producer_task_send_get_consumer_id"), COMCH("producer_task_send_set_imm_data"),
    COMCH("producer_task_send_get_imm_data"),    COMCH("producer_task_send_get_imm_data_len"),
};

GROUP(comch_sends) = {
    .name = "comch send",
    .states = {"allocated", "in flight", "sent", "failed", "freed"},
    .on_dpu = 0x1f,
    ROWS(send_rows),
    .enter = enter_send,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};
