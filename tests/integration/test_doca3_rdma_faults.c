// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA by address while calls of the C library fail. Both sides are one program: they are created,
// one calls the other, a message goes over, a sync event of one is set by the other, and all that
// ends.

#include "child.h"
#include "deadline.h"
#include "each_fault.h"
#include "env.h"
#include "nodes.h"
#include "rdma_3.h"

#include <doca_log.h>
#include <doca_sync_event.h>
#include <sched.h>
#include <string.h>

#define PORT   13579
#define LENGTH 300u

// What outlives the lives.
static struct {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    uint8_t memory[4096];
} place;

struct half {
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    struct doca_rdma_connection *connection;
    enum doca_ctx_states state;
    unsigned established, ended, done, failed, received;
    bool refuses; // accept() failed: there will be no connection
};

// ---- what it is told ---------------------------------------------------------------------------

static void on_request(struct doca_rdma_connection *connection, union doca_data ctx_data)
{
    struct half *h = ctx_data.ptr;
    if (doca_rdma_connection_accept(connection, NULL, 0) != DOCA_SUCCESS) {
        (void)doca_rdma_connection_reject(connection);
        h->refuses = true;
    }
}

static void on_established(struct doca_rdma_connection *connection, union doca_data data,
                           union doca_data ctx_data)
{
    struct half *h = ctx_data.ptr;
    (void)data;
    h->established++;
    h->connection = connection;
}

static void on_end(struct doca_rdma_connection *connection, union doca_data data,
                   union doca_data ctx_data)
{
    struct half *h = ctx_data.ptr;
    (void)connection, (void)data;
    h->ended++;
}

static void on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
                     enum doca_ctx_states next)
{
    struct half *h = data.ptr;
    (void)ctx, (void)prev;
    h->state = next;
}

static void sent(struct doca_rdma_task_send *task, union doca_data task_data,
                 union doca_data ctx_data)
{
    struct half *h = ctx_data.ptr;
    struct doca_task *t = doca_rdma_task_send_as_task(task);
    (void)task_data;
    h->done += doca_task_get_status(t) == DOCA_SUCCESS;
    h->failed += doca_task_get_status(t) != DOCA_SUCCESS;
    OK(doca_buf_dec_refcount((struct doca_buf *)doca_rdma_task_send_get_src_buf(task), NULL));
    doca_task_free(t);
}

static void received(struct doca_rdma_task_receive *task, union doca_data task_data,
                     union doca_data ctx_data)
{
    struct half *h = ctx_data.ptr;
    struct doca_task *t = doca_rdma_task_receive_as_task(task);
    (void)task_data;
    h->received += doca_task_get_status(t) == DOCA_SUCCESS;
    h->failed += doca_task_get_status(t) != DOCA_SUCCESS;
    OK(doca_buf_dec_refcount(doca_rdma_task_receive_get_dst_buf(task), NULL));
    doca_task_free(t);
}

static void was_set(struct doca_rdma_task_remote_net_sync_event_notify_set *task,
                    union doca_data task_data, union doca_data ctx_data)
{
    struct half *h = ctx_data.ptr;
    struct doca_task *t = doca_rdma_task_remote_net_sync_event_notify_set_as_task(task);
    (void)task_data;
    h->done += doca_task_get_status(t) == DOCA_SUCCESS;
    h->failed += doca_task_get_status(t) != DOCA_SUCCESS;
    doca_task_free(t);
}

// ---- a half ------------------------------------------------------------------------------------

static bool configure(struct half *h)
{
    return doca_rdma_set_permissions(h->rdma, DOCA_ACCESS_FLAG_RDMA_WRITE) == DOCA_SUCCESS &&
           doca_rdma_task_send_set_conf(h->rdma, sent, sent, 2) == DOCA_SUCCESS &&
           doca_rdma_task_receive_set_conf(h->rdma, received, received, 2) == DOCA_SUCCESS &&
           doca_rdma_task_remote_net_sync_event_notify_set_set_conf(h->rdma, was_set, was_set, 1) ==
               DOCA_SUCCESS &&
           doca_rdma_set_connection_state_callbacks(h->rdma, on_request, on_established, on_end,
                                                    on_end) == DOCA_SUCCESS &&
           doca_ctx_set_user_data(h->ctx, (union doca_data){.ptr = h}) == DOCA_SUCCESS &&
           doca_ctx_set_state_changed_cb(h->ctx, on_state) == DOCA_SUCCESS &&
           doca_pe_connect_ctx(place.pe, h->ctx) == DOCA_SUCCESS;
}

static bool begin(struct half *h)
{
    *h = (struct half){.state = DOCA_CTX_STATE_IDLE};
    if (doca_rdma_create(place.dev, &h->rdma) != DOCA_SUCCESS) {
        h->rdma = NULL;
        return false;
    }
    h->ctx = doca_rdma_as_ctx(h->rdma);
    return configure(h) && doca_ctx_start(h->ctx) == DOCA_SUCCESS &&
           h->state == DOCA_CTX_STATE_RUNNING;
}

static void progress(const char *what, int64_t limit)
{
    ck_assert_msg(now_ms() < limit, "it never ends: %s", what);
    if (!doca_pe_progress(place.pe))
        sched_yield();
}

static void end(struct half *h)
{
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    if (!h->rdma)
        return;
    if (h->state != DOCA_CTX_STATE_IDLE)
        (void)doca_ctx_stop(h->ctx);
    while (h->state != DOCA_CTX_STATE_IDLE)
        progress("stopping", limit);
    OK(doca_rdma_destroy(h->rdma));
}

// ---- what the two do ---------------------------------------------------------------------------

static bool call(struct half *from)
{
    struct doca_rdma_addr *addr;
    if (doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", PORT, &addr) != DOCA_SUCCESS)
        return false;
    bool ok = doca_rdma_connect_to_addr(from->rdma, addr, (union doca_data){0}) == DOCA_SUCCESS;
    OK(doca_rdma_addr_destroy(addr));
    return ok;
}

static bool both_run(const struct half *a, const struct half *b)
{
    return a->state == DOCA_CTX_STATE_RUNNING && b->state == DOCA_CTX_STATE_RUNNING && !a->ended &&
           !b->ended && !a->refuses;
}

static bool connect_both(struct half *server, struct half *client)
{
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    if (doca_rdma_start_listen_to_port(server->rdma, PORT) != DOCA_SUCCESS || !call(client))
        return false;
    while (both_run(server, client) && !(server->established && client->established))
        progress("connecting", limit);
    return both_run(server, client);
}

static bool take(struct half *h)
{
    struct doca_rdma_task_receive *task;
    struct doca_buf *buf;
    OK(doca_buf_inventory_buf_get_by_addr(place.inventory, place.map, place.memory + 1024, LENGTH,
                                          &buf));
    OK(doca_rdma_task_receive_allocate_init(h->rdma, buf, (union doca_data){0}, &task));
    if (doca_task_submit(doca_rdma_task_receive_as_task(task)) == DOCA_SUCCESS)
        return true;
    OK(doca_buf_dec_refcount(buf, NULL));
    doca_task_free(doca_rdma_task_receive_as_task(task));
    return false;
}

static bool give(struct half *h)
{
    struct doca_rdma_task_send *task;
    struct doca_buf *buf;
    OK(doca_buf_inventory_buf_get_by_data(place.inventory, place.map, place.memory, LENGTH, &buf));
    OK(doca_rdma_task_send_allocate_init(h->rdma, h->connection, buf, (union doca_data){0}, &task));
    if (doca_task_submit(doca_rdma_task_send_as_task(task)) == DOCA_SUCCESS)
        return true;
    OK(doca_buf_dec_refcount(buf, NULL));
    doca_task_free(doca_rdma_task_send_as_task(task));
    return false;
}

static bool talk(struct half *server, struct half *client)
{
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    memset(place.memory + 1024, 0, LENGTH);
    if (!take(server) || !give(client))
        return false;
    while (both_run(server, client) && !server->failed && !client->failed &&
           !(server->received && client->done))
        progress("a message", limit);
    if (!server->received || !client->done)
        return false;
    ck_assert_mem_eq(place.memory + 1024, place.memory, LENGTH);
    return true;
}

// ---- an event ----------------------------------------------------------------------------------

static bool offer(struct doca_sync_event *event, const uint8_t **data, size_t *size)
{
    return doca_sync_event_add_publisher_location_remote_net(event) == DOCA_SUCCESS &&
           doca_sync_event_add_subscriber_location_cpu(event, place.dev) == DOCA_SUCCESS &&
           doca_sync_event_start(event) == DOCA_SUCCESS &&
           doca_sync_event_export_to_remote_net(event, data, size) == DOCA_SUCCESS;
}

static bool set(struct half *h, struct doca_sync_event_remote_net *remote, struct doca_buf *value)
{
    int64_t limit = deadline_in(HARNESS_LIMIT_MS);
    struct doca_rdma_task_remote_net_sync_event_notify_set *task;
    unsigned done = h->done;
    OK(doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
        h->rdma, h->connection, remote, value, (union doca_data){0}, &task));
    struct doca_task *t = doca_rdma_task_remote_net_sync_event_notify_set_as_task(task);
    if (doca_task_submit(t) != DOCA_SUCCESS) {
        doca_task_free(t);
        return false;
    }
    while (h->state == DOCA_CTX_STATE_RUNNING && !h->failed && h->done == done)
        progress("setting an event", limit);
    return h->done == done + 1;
}

static bool use_event(struct half *client)
{
    struct doca_sync_event_remote_net *remote;
    struct doca_sync_event *event;
    struct doca_buf *value;
    const uint8_t *data;
    uint64_t seen = 0;
    size_t size;
    if (doca_sync_event_create(&event) != DOCA_SUCCESS)
        return false;
    bool ok = offer(event, &data, &size) && doca_sync_event_remote_net_create_from_export(
                                                place.dev, data, size, &remote) == DOCA_SUCCESS;
    if (ok) {
        memcpy(place.memory + 2048, &(uint64_t){7}, 8);
        OK(doca_buf_inventory_buf_get_by_data(place.inventory, place.map, place.memory + 2048, 8,
                                              &value));
        ok = set(client, remote, value);
        OK(doca_buf_dec_refcount(value, NULL));
        OK(doca_sync_event_remote_net_destroy(remote));
    }
    if (ok) {
        OK(doca_sync_event_get(event, &seen));
        ck_assert_uint_eq(seen, 7);
    }
    (void)doca_sync_event_stop(event);
    OK(doca_sync_event_destroy(event));
    return ok;
}

// ---- lives -------------------------------------------------------------------------------------

static bool live(void *arg)
{
    struct half server = {0}, client = {0};
    (void)arg;
    bool ok = begin(&server) && begin(&client) && connect_both(&server, &client) &&
              talk(&server, &client) && use_event(&client);
    if (ok) {
        int64_t limit = deadline_in(HARNESS_LIMIT_MS);
        ok = doca_rdma_connection_disconnect(client.connection) == DOCA_SUCCESS;
        while (ok && !server.ended)
            progress("disconnecting", limit);
    }
    end(&client);
    end(&server);
    return ok;
}

// Both sides keep to the rules, whatever fails.
static unsigned blames;

static void read_line(char *line)
{
    blames += strstr(line, "breaks the rules") || strstr(line, "not valid");
}

static int lives(struct child *self, void *arg)
{
    static struct doca_log_backend *backend;
    static char line[1024];
    (void)self, (void)arg;
    OK(doca_log_backend_create_with_buf_sdk(line, sizeof(line), read_line, &backend));
    place.dev = open_by(HOST_PF0);
    OK(doca_pe_create(&place.pe));
    OK(doca_mmap_create(&place.map));
    OK(doca_mmap_set_memrange(place.map, place.memory, sizeof(place.memory)));
    OK(doca_mmap_add_dev(place.map, place.dev));
    OK(doca_mmap_set_permissions(place.map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
    OK(doca_mmap_start(place.map));
    OK(doca_buf_inventory_create(8, &place.inventory));
    OK(doca_buf_inventory_start(place.inventory));
    memset(place.memory, 'm', LENGTH);
    with_each_fault(live, NULL);
    ck_assert_uint_eq(blames, 0);
    OK(doca_buf_inventory_destroy(place.inventory));
    OK(doca_mmap_destroy(place.map));
    OK(doca_pe_destroy(place.pe));
    OK(doca_dev_close(place.dev));
    return 0;
}

START_TEST(a_connection_lives_while_calls_fail)
{
    child_join(child_start(nodes.host, "program", lives, NULL));
    assert_baseline(nodes.host);
    ck_assert_uint_eq(daemon_metric(nodes.host, "docad_rdma_endpoints"), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_rdma_faults");
    TCase *tcase = tcase_create("faults");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_set_timeout(tcase, 200);
    tcase_add_test(tcase, a_connection_lives_while_calls_fail);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
