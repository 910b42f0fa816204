// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine_rig.h"

#include <check.h>
#include <poll.h>

struct event_base *base;
struct engine *engine;

void rig_start_with(const struct engine_options *options)
{
    base = event_base_new();
    ck_assert_int_eq(engine_new(&engine, base, options), 0);
}

void rig_start(void)
{
    rig_start_with(NULL);
}

void rig_stop(void)
{
    engine_free(engine);
    event_base_free(base);
}

struct engine_importer *importer_new(uid_t uid)
{
    struct engine_importer *importer;
    ck_assert_int_eq(engine_importer_new(&importer, engine, uid, NULL), 0);
    return importer;
}

void importers_end(struct engine_importer *const *importers, int n)
{
    int ended = 0;
    for (int i = 0; i < n; i++)
        engine_importer_free(importers[i], count_call, &ended);
    run_loop_until(&ended, n);
}

struct engine_queue_pair *importer_open(struct engine_importer *importer, struct qp_client *client)
{
    struct engine_queue_pair *qp;
    int fds[3];
    ck_assert_int_eq(engine_queue_pair_add(importer, &qp, fds), 0);
    ck_assert_int_eq(qp_client_init(client, fds[0], fds[1], fds[2]), 0);
    return qp;
}

struct qp_completion wait_completion(struct qp_client *client)
{
    struct qp_completion c;
    while (!qp_poll(client, &c)) {
        if (qp_arm(client))
            continue;
        struct pollfd p = {.fd = client->channel, .events = POLLIN};
        poll(&p, 1, -1);
        qp_clear(client);
    }
    return c;
}

void count_call(void *arg)
{
    ++*(int *)arg;
}

void run_loop_until(const int *counter, int value)
{
    while (*counter < value)
        event_base_loop(base, EVLOOP_ONCE);
}
