// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_setting.h"

struct daemon *near_node, *far_node;

void setting_start(int setting)
{
    env_note_test();
    if (on_two_nodes(setting)) {
        struct node_pair nodes = node_pair_start();
        near_node = nodes.host;
        far_node = nodes.dpu;
    } else {
        near_node = far_node = daemon_start(&(struct daemon_options){0});
    }
}

void setting_assert_baseline(void)
{
    assert_baseline(near_node);
    assert_baseline(far_node);
}

struct peer_plan near_plan(int setting)
{
    return (struct peer_plan){.pci = HOST_PF0, .event = setting >= ONE_NODE_EVENTS};
}

struct peer_plan far_plan(int setting)
{
    return (struct peer_plan){.pci = on_two_nodes(setting) ? DPU_P1 : HOST_PF1,
                              .event = setting >= ONE_NODE_EVENTS};
}

void run_both(int setting, child_fn a, child_fn b)
{
    struct peer_plan ours = near_plan(setting), theirs = far_plan(setting);
    setting_start(setting);
    struct child *first = child_start(near_node, "near", a, &ours);
    struct child *second = child_start(far_node, "far", b, &theirs);
    peers_join(first, second);
    child_join(first);
    child_join(second);
    setting_assert_baseline();
}
