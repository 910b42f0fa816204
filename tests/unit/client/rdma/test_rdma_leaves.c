// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An RDMA context of DOCA 3 stops: what becomes of its connections, before the program gets its
// receives back.

#include "cleanup.h"
#include "rdma_tasks/rdma_context.h"
#include "unit.h"

#include <stdlib.h>

static struct rdma_end *left, *closed;

static void leave(struct rdma_end *end, doca_error_t error)
{
    ck_assert_int_eq(error, DOCA_ERROR_SHUTDOWN);
    ck_assert_ptr_null(left);
    left = end;
}

static const struct rdma_transport transport = {.leave = leave};

void __wrap_rdma_end_close(struct rdma_end *end);
void __wrap_rdma_end_close(struct rdma_end *end)
{
    ck_assert_ptr_null(closed);
    closed = end;
    atomic_store(&end->state, RDMA_STATE_RESET);
}

static struct doca_rdma_connection *make(enum rdma_state state, struct work_link *link)
{
    struct doca_rdma_connection *made = aligned_alloc(64, (sizeof(*made) + 63) / 64 * 64);

    ck_assert_ptr_nonnull(made);
    *made = (struct doca_rdma_connection){
        .used = true, .end = {.state = state, .link = link, .transport = &transport}};
    return made;
}

// On an ibverbs device, a connection that the program has not been told of takes receives, too.
START_TEST(no_connection_takes_receives_any_more)
{
    static struct doca_rdma rdma; // it is aligned, which the stack need not be
    struct work_link link = {0};
    struct doca_rdma_connection *connections[] = {
        make(RDMA_STATE_CONNECTED, &link), make(RDMA_STATE_CONNECTED, NULL),
        make(RDMA_STATE_RESET, NULL), make(RDMA_STATE_CONNECTED, NULL)};

    rdma = (struct doca_rdma){.connections = connections, .n_made = ARRAY_SIZE(connections)};
    connections[3]->used = false;
    rdma_connections_leave(&rdma);
    ck_assert_ptr_eq(left, &connections[0]->end);
    ck_assert_ptr_eq(closed, &connections[1]->end);
    for (size_t i = 0; i < ARRAY_SIZE(connections); i++)
        free(connections[i]);
}
END_TEST

UNIT_MAIN("rdma leaves", no_connection_takes_receives_any_more)
