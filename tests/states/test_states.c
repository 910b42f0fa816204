// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Every function in every state of its object, and with every pointer argument NULL.

#include "tables.h"

#include "child.h"
#include "client.h"
#include "run.h"

#include <check.h>
#include <string.h>

START_TEST(every_function_has_a_row_for_every_state)
{
    groups_check_complete();
}
END_TEST

static int be_exporter(struct child *self, void *arg)
{
    struct exporter e;
    uint8_t *memory = pages_new(8192);
    (void)arg;
    exporter_start(&e, HOST_PF0, memory, 8192, DOCA_ACCESS_DPU_READ_WRITE);
    child_send(self, e.desc, e.desc_len);
    child_send(self, &memory, sizeof(memory));
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

struct part {
    const struct group *group;
    enum node node;
};

static int be_tester(struct child *self, void *arg)
{
    const struct part *part = arg;
    (void)self;
    group_run(part->group, part->node);
    return 0;
}

static bool has_states_on(const struct group *group, enum node node)
{
    for (unsigned state = 0; group->states[state]; state++)
        if (*group->states[state] && (group->on_dpu >> state & 1) == (node == ON_DPU))
            return true;
    return false;
}

START_TEST(answers_are_as_documented_and_refusals_change_nothing)
{
    const struct group *group = groups[_i];
    if (group->left_out)
        return;
    struct node_pair pair = node_pair_start();
    struct child *exporter = child_start(pair.host, "exporter", be_exporter, NULL);
    exported_desc_len = child_receive(exporter, exported_desc, sizeof(exported_desc));
    child_receive(exporter, &exported_address, sizeof(exported_address));

    for (enum node node = ON_HOST; node <= ON_DPU; node++) {
        struct part part = {group, node};
        if (has_states_on(group, node))
            child_join(
                child_start(node == ON_DPU ? pair.dpu : pair.host, group->name, be_tester, &part));
    }
    child_tell(exporter, "end");
    child_join(exporter);
    assert_baseline(pair.host);
    assert_baseline(pair.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("states");
    TCase *tables = tcase_create("tables");
    tcase_add_test(tables, every_function_has_a_row_for_every_state);
    suite_add_tcase(suite, tables);

    TCase *calls_made = tcase_create("calls");
    tcase_add_checked_fixture(calls_made, env_setup, env_teardown);
    tcase_add_loop_test(calls_made, answers_are_as_documented_and_refusals_change_nothing, 0,
                        (int)n_groups);
    suite_add_tcase(suite, calls_made);
    return run_suite(suite);
}
