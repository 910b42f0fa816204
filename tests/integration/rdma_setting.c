// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_setting.h"

struct daemon *near_node, *far_node;

static struct {
    struct daemon *one;
    struct node_pair two;
} shared;

static void share_nodes(void)
{
    env_setup();
    shared.one = daemon_start(&(struct daemon_options){.label = "one"});
    shared.two = node_pair_start();
}

static void unshare_nodes(void)
{
    env_teardown_shared();
    shared.one = NULL; // cases that follow start their own
}

static void leave_nodes(void)
{
    assert_baseline(shared.one);
    assert_baseline(shared.two.host);
    assert_baseline(shared.two.dpu);
    env_leave();
}

TCase *setting_shared_case(Suite *suite)
{
    TCase *tcase = tcase_create("shared nodes");
    tcase_add_unchecked_fixture(tcase, share_nodes, unshare_nodes);
    tcase_add_checked_fixture(tcase, env_enter, leave_nodes);
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    return tcase;
}

void setting_start(int setting)
{
    env_note_test();
    if (on_two_nodes(setting)) {
        struct node_pair two = shared.one ? shared.two : node_pair_start();
        near_node = two.host;
        far_node = two.dpu;
    } else {
        near_node = far_node = shared.one ? shared.one : daemon_start(&(struct daemon_options){0});
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

struct process {
    const struct peer_plan *plan;
    peer_fn fn;
};

static int run_process(struct child *self, void *arg)
{
    const struct process *process = arg;
    struct peer p;
    peer_open(&p, process->plan);
    p.self = self;
    process->fn(&p);
    peer_close(&p);
    return 0;
}

struct peers peers_plan(int setting)
{
    setting_start(setting);
    return (struct peers){.ours = near_plan(setting), .theirs = far_plan(setting)};
}

void peers_start(struct peers *peers, peer_fn near, peer_fn far)
{
    struct process ours = {&peers->ours, near}, theirs = {&peers->theirs, far};
    peers->near = child_start(near_node, "near", run_process, &ours);
    peers->far = child_start(far_node, "far", run_process, &theirs);
}

void peers_meet(struct peers *peers, peer_fn near, peer_fn far)
{
    peers_start(peers, near, far);
    peers_join(peers->near, peers->far);
}

struct peers peers_run(int setting, peer_fn near, peer_fn far)
{
    struct peers peers = peers_plan(setting);
    peers_meet(&peers, near, far);
    return peers;
}

void peers_end(const struct peers *peers)
{
    child_join(peers->near);
    child_join(peers->far);
    setting_assert_baseline();
}

void run_both(int setting, peer_fn near, peer_fn far)
{
    struct peers peers = peers_run(setting, near, far);
    peers_end(&peers);
}

struct two {
    struct peer_plan plan;
    both_fn fn;
};

static int run_two(struct child *self, void *arg)
{
    const struct two *two = arg;
    struct peer p, q;
    (void)self;
    peer_open(&p, &two->plan);
    peer_open(&q, &two->plan);
    two->fn(&p, &q);
    if (p.rdma)
        peer_close(&p);
    peer_close(&q);
    return 0;
}

void run_here(int setting, both_fn fn)
{
    struct two two = {near_plan(setting), fn};
    child_join(child_start(near_node, "both", run_two, &two));
    setting_assert_baseline();
}

void run_in_one(int setting, both_fn fn)
{
    setting_start(setting);
    run_here(setting, fn);
}

void connect_both(struct peer *p, struct peer *q)
{
    struct blob of_p = peer_export(p), of_q = peer_export(q);
    peer_connect(p, &of_q);
    peer_connect(q, &of_p);
}
