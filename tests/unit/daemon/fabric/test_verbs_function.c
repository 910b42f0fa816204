// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A port of an ibverbs device as a function. Device and port are played by this test.

#include "verbs_function.h"

#include "config.h"
#include "unit.h"

static struct ibv_device fake_device = {.name = "ib0"};
static struct ibv_context fake_context = {.device = &fake_device};
static struct ibv_device_attr device;
static struct verbs_port port;

int __wrap_ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr);
int __wrap_ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
    ck_assert_ptr_eq(context, &fake_context);
    *attr = device;
    return 0;
}

doca_error_t __wrap_verbs_port_query(struct ibv_context *context, uint8_t number,
                                     struct verbs_port *out, struct errtext *err);
doca_error_t __wrap_verbs_port_query(struct ibv_context *context, uint8_t number,
                                     struct verbs_port *out, struct errtext *err)
{
    (void)context;
    (void)number;
    (void)err;
    *out = port;
    return DOCA_SUCCESS;
}

static struct function_verbs describe(void)
{
    static struct config config;
    struct function made;
    struct errtext err;
    ck_assert_int_eq(verbs_function_make(&made, &fake_context, 1, 1, &config, &err), DOCA_SUCCESS);
    return made.verbs;
}

// Two queues of the size that is told have room in one completion queue, and in a queue pair.
START_TEST(queue_size)
{
    static const struct {
        int work_requests, completions;
        uint32_t expected;
    } cases[] = {
        {1 << 20, 32767, 8192}, // rxe
        {16384, 65535, 16384},  {16351, 4194303, 8192}, {5, 100, 4}, {1, 2, 1}, {0, 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        device.max_qp_wr = cases[i].work_requests;
        device.max_cqe = cases[i].completions;
        ck_assert_uint_eq(describe().max_queue, cases[i].expected);
    }
}
END_TEST

START_TEST(link_layer)
{
    port.attr.lid = 0xfedc;
    port.attr.link_layer = IBV_LINK_LAYER_INFINIBAND;
    struct function_verbs v = describe();
    ck_assert(!v.ethernet && v.lid == 0xfedc);
    port.attr.link_layer = IBV_LINK_LAYER_ETHERNET;
    ck_assert(describe().ethernet);
}
END_TEST

UNIT_MAIN("verbs_function", queue_size, link_layer)
