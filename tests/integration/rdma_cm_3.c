// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_cm_3.h"

#include "deadline.h"
#include "nodes.h"

#include <arpa/inet.h>
#include <poll.h>

struct part {
    child_fn fn;
    void *arg;
};

static int run_part(struct child *self, void *arg)
{
    const struct part *part = arg;

    self->may_leave_open = on_verbs();
    return part->fn(self, part->arg);
}

struct child *start_calling(const struct daemon *daemon, const char *name, child_fn fn, void *arg)
{
    struct part part = {fn, arg}; // the child has it, too

    return child_start(daemon, name, run_part, &part);
}

static void on_request(struct doca_rdma_connection *connection, union doca_data ctx_data)
{
    static uint8_t bytes[256];
    struct seen *s = ctx_data.ptr;

    s->requests++;
    s->asks = connection;
    OK(doca_rdma_connection_set_user_data(connection, (union doca_data){.u64 = s->requests}));
    if (s->rejects)
        OK(doca_rdma_connection_reject(connection));
    else if (!s->defers)
        OK(doca_rdma_connection_accept(connection, bytes, s->private_length));
}

static void on_established(struct doca_rdma_connection *connection, union doca_data data,
                           union doca_data ctx_data)
{
    struct seen *s = ctx_data.ptr;

    s->established++;
    s->latest = connection;
    s->data = data;
}

static void on_failure(struct doca_rdma_connection *connection, union doca_data data,
                       union doca_data ctx_data)
{
    struct seen *s = ctx_data.ptr;

    (void)connection;
    s->failures++;
    s->data = data;
    if (s->calls_again)
        call_here(s, data.u64 + 1);
}

static void on_disconnect(struct doca_rdma_connection *connection, union doca_data data,
                          union doca_data ctx_data)
{
    struct seen *s = ctx_data.ptr;

    s->disconnects++;
    s->latest = connection;
    s->data = data;
    if (s->leaves)
        OK(doca_rdma_connection_disconnect(connection));
    if (s->calls_again)
        call_here(s, data.u64 + 1);
}

static void open_on(struct seen *s, const char *pci, struct doca_pe *pe, uint16_t max, bool starts)
{
    *s = (struct seen){.leaves = true};
    side_open_on(&s->side, pci, pe, max);
    OK(doca_rdma_set_connection_state_callbacks(s->side.rdma, on_request, on_established,
                                                on_failure, on_disconnect));
    if (starts)
        side_start(&s->side);
}

void seen_open(struct seen *s, struct doca_pe *pe, uint16_t max, bool starts)
{
    open_on(s, HOST_PF0, pe, max, starts);
}

struct program {
    const struct seen_plan *plan;
    seen_fn fn;
};

static int run_program(struct child *self, void *arg)
{
    const struct program *program = arg;
    const struct seen_plan *plan = program->plan;
    struct seen s;

    open_on(&s, plan->pci ? plan->pci : HOST_PF0, NULL, plan->max ? plan->max : 1, true);
    s.side.self = self;
    if (plan->listens)
        OK(doca_rdma_start_listen_to_port(s.side.rdma, PORT));
    program->fn(&s);
    side_close(&s.side);
    return 0;
}

struct child *seen_start_in(const struct daemon *daemon, const char *name,
                            const struct seen_plan *plan, seen_fn fn)
{
    struct program program = {plan, fn}; // the child has it, too

    return start_calling(daemon, name, run_program, &program);
}

struct calls_program {
    const struct calls_plan *plan;
    calls_fn fn;
};

static int run_calls_program(struct child *self, void *arg)
{
    const struct calls_program *program = arg;
    const struct calls_plan *plan = program->plan;
    struct seen server, client;

    (void)self;
    seen_open(&server, NULL, plan->server ? plan->server : 1, !plan->server_idle);
    seen_open(&client, server.side.pe, plan->client ? plan->client : 1, !plan->client_idle);
    if (!plan->server_idle && !plan->client_idle)
        OK(doca_rdma_start_listen_to_port(server.side.rdma, PORT));
    program->fn(&server, &client);
    side_close(&client.side);
    side_close(&server.side);
    return 0;
}

void run_calls(const struct calls_plan *plan, calls_fn fn)
{
    struct calls_program program = {plan, fn};

    child_join(start_calling(nodes.host, "program", run_calls_program, &program));
}

void seen_only_calls(struct seen *s)
{
    OK(doca_rdma_set_connection_state_callbacks(s->side.rdma, NULL, on_established, on_failure,
                                                on_disconnect));
}

void await(struct seen *s, const unsigned *counter, unsigned n)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);

    while (*counter < n) {
        ck_assert_msg(now_ms() < deadline, "the callback was called %u times, not %u", *counter, n);
        doca_pe_progress(s->side.pe);
    }
    ck_assert_uint_eq(*counter, n);
}

void await_asleep(struct seen *s, const unsigned *counter, unsigned n)
{
    struct pollfd fd = {.events = POLLIN};

    OK(doca_pe_get_notification_handle(s->side.pe, &fd.fd));
    while (*counter < n) {
        OK(doca_pe_request_notification(s->side.pe));
        ck_assert_int_eq(poll(&fd, 1, HARNESS_LIMIT_MS), 1);
        OK(doca_pe_clear_notification(s->side.pe, 0));
        while (*counter < n && doca_pe_progress(s->side.pe))
            ;
    }
}

void call_at(struct seen *s, enum doca_rdma_addr_type type, const char *text, uint16_t port,
             uint64_t data)
{
    struct doca_rdma_addr *addr;

    OK(doca_rdma_addr_create(type, text, port, &addr));
    OK(doca_rdma_connect_to_addr(s->side.rdma, addr, (union doca_data){.u64 = data}));
    OK(doca_rdma_addr_destroy(addr)); // the connection keeps what it needs
}

void call_here(struct seen *s, uint64_t data)
{
    call_at(s, DOCA_RDMA_ADDR_TYPE_IPv4, "127.0.0.1", PORT, data);
}

void seen_sends(struct seen *from, struct doca_rdma_connection *connection, struct seen *to)
{
    unsigned done = from->side.done, received = to->side.received;

    post_receive(&to->side, NULL);
    submit_send_imm(&from->side, connection, NULL, htonl(7));
    progress_until(&to->side, to->side.done, received + 1);
    progress_until(&from->side, done + 1, from->side.received);
    ck_assert_uint_eq(from->side.failed + to->side.receives_failed, 0);
}
