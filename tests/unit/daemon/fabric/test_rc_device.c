// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The devices over which other machines are reached, with devices that are made up.

#include "cleanup.h"
#include "config.h"
#include "fake_ibverbs.h"
#include "node.h"
#include "peer.h"
#include "rc_device.h"
#include "text_names.h"
#include "unit.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

static struct config config;
static struct node node;
static struct peer peer;

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
    struct ibv_pd *pd = calloc(1, sizeof(*pd));
    ck_assert_ptr_nonnull(pd);
    pd->context = context;
    return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
    free(pd);
    return 0;
}

static void setup(void)
{
    config_init(&config);
    memset(fake_devices, 0, sizeof(fake_devices));
    node = (struct node){.config = &config, .base = event_base_new()};
    ck_assert(node_init(&node));
    peer = (struct peer){.node = &node};
}

static void teardown(void)
{
    node_fini(&node);
    event_base_free(node.base);
    for (int i = 0; i < FAKE_DEVICES; i++)
        ck_assert_uint_eq(fake_devices[i].opened, 0);
}

static struct rc_device *get(void)
{
    struct rc_device *device;
    struct errtext err;
    ck_assert_msg(rc_device_get(&device, &peer, &err) == DOCA_SUCCESS, "%s", err.s);
    return device;
}

// A user that had the device when it went away may keep it for a while, such as a thread that
// connects.
START_TEST(a_device_that_is_there_again_is_opened_anew)
{
    const struct fake_device device = {.name = "a", .ports = 1, .port[0].n_gids = 1};
    fake_devices[0] = device;
    struct rc_device *before = get();
    rc_device_removed(&node, "a");
    fake_devices[0].name = NULL;
    fake_devices[1] = device;
    struct rc_device *after = get();
    ck_assert_ptr_ne(before, after);
    ck_assert_uint_eq(fake_devices[1].opened, 1);
    rc_device_put(before);
    ck_assert_uint_eq(fake_devices[0].opened, 0);
    rc_device_put(after);
}
END_TEST

// All queue pairs to a node find out at about the same time: that is once.
START_TEST(a_node_is_avoided_for_longer_each_time)
{
    static const uint8_t gid[VERBS_GID_SIZE] = {1};
    static const char *const waits[] = {"60", "120", "240", "480", "960", "960"};
    struct errtext err;
    fake_devices[0] = (struct fake_device){.name = "a", .ports = 1, .port[0].n_gids = 1};
    struct rc_device *device = get();
    for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
        for (int k = 0; k < 3; k++)
            rc_device_avoid(device, &peer, gid, "nobody answers");
        ck_assert_int_eq(rc_device_check_reach(&peer, &err), DOCA_ERROR_NOT_SUPPORTED);
        assert_names(err.s, waits[i]);
        peer.no_rdma_until = 0; // the time is over
        ck_assert_int_eq(rc_device_check_reach(&peer, &err), DOCA_SUCCESS);
    }
    rc_device_reset_reach(&peer);
    rc_device_avoid(device, &peer, gid, "nobody answers");
    rc_device_check_reach(&peer, &err);
    assert_names(err.s, waits[0]);
    rc_device_put(device);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("rc_device");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_device_that_is_there_again_is_opened_anew);
    tcase_add_test(tcase, a_node_is_avoided_for_longer_each_time);
    return unit_run_case("rc_device", tcase);
}
