// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How long a program's threads poll before they yield their CPU: by default, as docad's
// configuration says, and as the environment says. Counted in polls, at the 10 ns for which the
// library takes one.

#include "client.h"

#include "child.h"
#include "run.h"

#include <doca_ctx.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned yields;

// The library's calls, too: this program is looked through first.
__attribute__((visibility("default"))) int sched_yield(void);
int sched_yield(void)
{
    yields++;
    return 0;
}

static struct daemon *start(const char *config)
{
    struct path file = temp_file("waiting.conf", config);
    struct daemon *daemon =
        daemon_start(&(struct daemon_options){.role = "host", .config = file.s});
    unlink(file.s);
    return daemon;
}

// How often this many polls without news yield the CPU.
static unsigned yields_of(unsigned polls)
{
    struct doca_workq *workq;
    struct doca_event event;
    struct doca_dev *dev = client_open(HOST_PF0);

    ck_assert_success(doca_workq_create(1, &workq));
    yields = 0;
    for (unsigned i = 0; i < polls; i++)
        ck_assert_error(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
    ck_assert_success(doca_workq_destroy(workq));
    ck_assert_success(doca_dev_close(dev));
    return yields;
}

struct expectation {
    const char *variable, *value;
    unsigned polls, yields;
};

static int poll_in_vain(struct child *self, void *arg)
{
    const struct expectation *expected = arg;
    (void)self;
    if (expected->variable)
        setenv(expected->variable, expected->value, 1);
    ck_assert_uint_eq(yields_of(expected->polls), expected->yields);
    return 0;
}

static void expect(const char *config, struct expectation expected)
{
    struct daemon *daemon = start(config);
    struct child *child = child_start(daemon, "polls", poll_in_vain, &expected);
    child_join(child);
    daemon_stop(daemon);
}

START_TEST(defaults)
{
    expect("", (struct expectation){.polls = 20000, .yields = 10});
}
END_TEST

START_TEST(docads_setting)
{
    expect("spin_us = 1\n", (struct expectation){.polls = 20000, .yields = 200});
    expect("spin_us = 1000\n", (struct expectation){.polls = 20000});
}
END_TEST

START_TEST(the_programs_setting)
{
    expect("spin_us = 1000\n", (struct expectation){"DOCAD_SPIN_US", "1", 20000, 200});
    expect("spin_us = 1\n", (struct expectation){"DOCAD_SPIN_US", "1000", 20000, 0});
}
END_TEST

START_TEST(what_is_no_number_of_microseconds)
{
    expect("spin_us = 1000\n", (struct expectation){"DOCAD_SPIN_US", "1ms", 20000, 0});
    expect("spin_us = 1000\n", (struct expectation){"DOCAD_SPIN_US", "1000001", 20000, 0});
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("waiting");
    TCase *tcase = tcase_create("settings");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, defaults);
    tcase_add_test(tcase, docads_setting);
    tcase_add_test(tcase, the_programs_setting);
    tcase_add_test(tcase, what_is_no_number_of_microseconds);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
