// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad says of the way of the bytes to another machine, when RDMA devices appear and go.

#include "config.h"
#include "node.h"
#include "peer.h"
#include "unit.h"

#include <string.h>

static struct config config;
static struct node node;
static struct peer peer;

static void setup(void)
{
    config = (struct config){.name = "here"};
    node.config = &config;
    node.n_functions = 1;
    list_init(&node.peers);
    node.functions[0] = (struct function){.backing = DOCAD__BACKING__VERBS};
    peer = (struct peer){.node = &node, .name = "there", .no_descriptors = true};
    list_append(&node.peers, &peer.in_node);
}

static void devices(bool here, bool there)
{
    if (node.functions[0].verbs.active != here) {
        node.functions[0].verbs.active = here;
        peers_announce_functions(&node);
    }
    peer_set_rdma(&peer, there);
}

// `without` is NULL: no node is to blame.
static void check(const char *way, const char *without)
{
    const char *named;

    ck_assert_str_eq(peer_way(&peer, &named), way);
    if (without)
        ck_assert_str_eq(named, without);
    else
        ck_assert_ptr_null(named);
}

START_TEST(before_anything_was_sent)
{
    check("link", "here");
    devices(false, true);
    check("link", "here");
    devices(true, false);
    check("link", "there");
    devices(true, true);
    check("rdma", NULL);
    peer.no_descriptors = false;
    check("memory", NULL);
}
END_TEST

START_TEST(devices_appear)
{
    peer_log_way(&peer, NULL, "node here has no RDMA device");
    check("link", "here");
    devices(true, false);
    check("link", "there");
    peer_log_way(&peer, NULL, NULL);
    check("link", "there");
    devices(true, true);
    check("rdma", NULL);
    peer_log_way(&peer, "rxe0", NULL);
    check("rdma", NULL);
}
END_TEST

START_TEST(devices_go)
{
    devices(true, true);
    peer_log_way(&peer, "rxe0", NULL);
    devices(true, false);
    check("link", "there");
    devices(false, true);
    check("link", "here");
    peer_log_way(&peer, NULL, "node here has no RDMA device");
    check("link", "here");
}
END_TEST

// What was decided with the devices that this node had then does not count.
START_TEST(only_this_node_changes)
{
    devices(false, true);
    peer_log_way(&peer, NULL, "node here has no RDMA device");
    check("link", "here");
    devices(true, true);
    check("rdma", NULL);
    peer_log_way(&peer, "rxe0", NULL);
    devices(false, true);
    check("link", "here");
}
END_TEST

// A node has a device, and cannot use it.
START_TEST(devices_that_are_of_no_use)
{
    devices(true, true);
    peer_log_way(&peer, NULL, "RLIMIT_MEMLOCK is 64 KiB");
    check("link", "here");
    devices(true, false);
    check("link", "there");
    devices(true, true);
    check("rdma", NULL); // as is to be expected now
    peer_log_way(&peer, NULL, NULL);
    check("link", "there");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("peer_way");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, before_anything_was_sent);
    tcase_add_test(tcase, devices_appear);
    tcase_add_test(tcase, devices_go);
    tcase_add_test(tcase, only_this_node_changes);
    tcase_add_test(tcase, devices_that_are_of_no_use);
    return unit_run_case("peer_way", tcase);
}
