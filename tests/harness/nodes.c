// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "nodes.h"

struct node_pair nodes;

void setup_pair(void)
{
    env_setup();
    nodes = node_pair_start();
}

void setup_apart(void)
{
    env_setup();
    nodes = node_pair_start_apart("");
}

static TCase *add_case(Suite *suite, const char *name, SFun setup)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, setup, env_teardown);
    suite_add_tcase(suite, tcase);
    return tcase;
}

TCase *case_near(Suite *suite)
{
    return add_case(suite, "near", setup_pair);
}

TCase *case_apart(Suite *suite)
{
    return add_case(suite, "apart", setup_apart);
}

static void leave_shared(void)
{
    assert_nothing_left();
    env_leave();
}

static TCase *add_shared_case(Suite *suite, const char *name, SFun setup)
{
    TCase *tcase = tcase_create(name);
    tcase_add_unchecked_fixture(tcase, setup, env_teardown_shared);
    tcase_add_checked_fixture(tcase, env_enter, leave_shared);
    suite_add_tcase(suite, tcase);
    return tcase;
}

TCase *case_near_shared(Suite *suite)
{
    return add_shared_case(suite, "near shared", setup_pair);
}

TCase *case_apart_shared(Suite *suite)
{
    return add_shared_case(suite, "apart shared", setup_apart);
}

void assert_nothing_left(void)
{
    const struct daemon *both[] = {nodes.host, nodes.dpu};
    for (int i = 0; i < 2; i++) {
        assert_baseline(both[i]);
        ck_assert_uint_eq(daemon_metric(both[i], "docad_channels"), 0);
        ck_assert_uint_eq(daemon_metric(both[i], "docad_channels_waiting"), 0);
        ck_assert_uint_eq(daemon_metric(both[i], "docad_rdma_endpoints"), 0);
    }
}
