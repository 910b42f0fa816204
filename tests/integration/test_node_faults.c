// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Faults that docad.conf asks for: exports are revoked, imports are refused, links go down.

#include "client.h"

#include "child.h"
#include "daemon.h"
#include "run.h"
#include "text_names.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE  4096
#define TRIES 200 // more messages than any rule here lets through

static struct node_pair pair;
static bool apart;

static void start(const char *of_host, const char *of_dpu)
{
    pair = node_pair_start_each(of_host, of_dpu, apart);
}

struct handout {
    size_t size;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

static int own(struct child *self, void *arg)
{
    struct exporter e;
    struct handout out = {0};
    (void)arg;
    exporter_start(&e, HOST_PF0, pages_new(SIZE), SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    out.size = e.desc_len;
    memcpy(out.desc, e.desc, e.desc_len);
    child_send(self, &out, sizeof(out));
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

// A program on the host that exports, and one on the DPU that gets the descriptor.
static void run_both(child_fn fn)
{
    struct handout out;
    struct child *owner = child_start(pair.host, "owner", own, NULL);
    ck_assert_uint_eq(child_receive(owner, &out, sizeof(out)), sizeof(out));
    struct child *user = child_start(pair.dpu, "user", fn, &out);
    child_join(user);
    child_tell(owner, "end");
    child_join(owner);
}

// The metric of one kind of faults.
static void assert_counted(struct daemon *node, const char *target, unsigned faults)
{
    static struct command_result metrics;
    char sample[96];
    snprintf(sample, sizeof(sample), "docad_faults_injected_total{target=\"%s\"} %u\n", target,
             faults);
    command_run(node, (const char *const[]){"docactl", "metrics", NULL}, &metrics);
    ck_assert_msg(strstr(metrics.out, sample), "no %s in %s", sample, metrics.out);
}

// ---- exports

static int use_twice(struct child *self, void *arg)
{
    const struct handout *out = arg;
    struct copier first, second;
    (void)self;
    copier_start(&first, DPU_P0, SIZE);
    copier_start(&second, DPU_P0, SIZE);
    copier_import(&first, out->desc, out->size);
    ck_assert_success(copier_read(&first, 0, SIZE));
    copier_import(&second, out->desc, out->size);
    ck_assert_error(copier_read_until_error(&first), DOCA_ERROR_IO_FAILED);
    ck_assert_error(copier_read_until_error(&second), DOCA_ERROR_IO_FAILED);
    copier_release(&first);
    ck_assert_int_ne(copier_try_import(&first, out->desc, out->size), DOCA_SUCCESS);
    copier_stop(&second);
    copier_stop(&first);
    return 0;
}

START_TEST(export_is_revoked)
{
    start("faults = {\"export: revoke after 2 imports\"}\n", "");
    run_both(use_twice);
    ck_assert(daemon_logged(pair.host, "fault 1: export 2"));
    ck_assert(daemon_logged(pair.host, "export: revoke after 2 imports"));
    ck_assert(!daemon_logged(pair.dpu, "fault"));
    assert_counted(pair.host, "export", 1);
}
END_TEST

// ---- imports

static int use_thrice(struct child *self, void *arg)
{
    const struct handout *out = arg;
    struct copier c;
    (void)self;
    copier_start(&c, DPU_P0, SIZE);
    copier_import(&c, out->desc, out->size);
    copier_release(&c);
    ck_assert_error(copier_try_import(&c, out->desc, out->size), DOCA_ERROR_NOT_PERMITTED);
    copier_import(&c, out->desc, out->size);
    ck_assert_success(copier_read(&c, 0, SIZE));
    copier_release(&c);
    copier_stop(&c);
    return 0;
}

START_TEST(import_is_refused)
{
    static struct command_result status;
    start("", "faults = {\"import: NOT_PERMITTED, 2nd\"}\n");
    run_both(use_thrice);
    ck_assert(daemon_logged(pair.dpu, "fault 1: import 2"));
    command_run(pair.dpu, (const char *const[]){"docactl", "status", NULL}, &status);
    assert_names(status.out, "import: NOT_PERMITTED, 2nd");
    command_run(pair.dpu, (const char *const[]){"docactl", "status", "--json", NULL}, &status);
    ck_assert_ptr_nonnull(strstr(status.out, "\"faults\":\"import: NOT_PERMITTED, 2nd\""));
    ck_assert_ptr_nonnull(strstr(status.out, "\"faults_injected\":1"));
    assert_counted(pair.dpu, "import", 1);
    assert_counted(pair.dpu, "export", 0);
    assert_counted(pair.host, "import", 0);
    command_run(pair.host, (const char *const[]){"docactl", "status", "--json", NULL}, &status);
    ck_assert_ptr_null(strstr(status.out, "faults"));
}
END_TEST

// ---- links

// Imports, which are messages of the link, until one fails because that is down.
static int use_until_down(struct child *self, void *arg)
{
    const struct handout *out = arg;
    struct copier c;
    doca_error_t error = DOCA_SUCCESS;
    (void)self;
    copier_start(&c, DPU_P0, SIZE);
    for (int i = 0; i < TRIES && error == DOCA_SUCCESS; i++) {
        error = copier_try_import(&c, out->desc, out->size);
        if (error == DOCA_SUCCESS)
            copier_release(&c);
    }
    ck_assert_int_ne(error, DOCA_SUCCESS);
    copier_stop(&c);
    return 0;
}

START_TEST(link_is_down_for_good)
{
    start("faults = {\"link: down after 20 messages\"}\n", "");
    run_both(use_until_down);
    daemon_wait_metric(pair.host, "docad_links_lost_total", 1);
    daemon_wait_logged(pair.dpu, "links are down by a fault");
    daemon_wait_links(pair.host, 0);
    daemon_wait_links(pair.dpu, 0);
    ck_assert(daemon_logged(pair.host, "all links are down for good"));
    ck_assert_uint_eq(daemon_metric(pair.host, "docad_links_lost_total"), 1);
}
END_TEST

// Also the link to a node that has sent nothing lately.
START_TEST(all_links_are_down)
{
    start("faults = {\"link: down after 40 messages\"}\n", "");
    struct daemon *other = daemon_start(&(struct daemon_options){
        .role = "dpu", .name = "other", .label = "other", .peers = {pair.host->socket.s}});
    daemon_wait_links(pair.host, 2);
    run_both(use_until_down);
    daemon_wait_metric(pair.host, "docad_links_lost_total", 1);
    daemon_wait_links(pair.host, 0);
    daemon_wait_links(other, 0);
    daemon_wait_logged(other, "links are down by a fault");
    ck_assert_uint_eq(daemon_metric(pair.host, "docad_links_lost_total"), 2);
}
END_TEST

// Some messages of the link. An import may fail while it is down.
static int use_some(struct child *self, void *arg)
{
    const struct handout *out = arg;
    struct copier c;
    (void)self;
    copier_start(&c, DPU_P0, SIZE);
    for (int i = 0; i < 3; i++)
        if (copier_try_import(&c, out->desc, out->size) == DOCA_SUCCESS)
            copier_release(&c);
    copier_stop(&c);
    return 0;
}

// The node that dials may be the one that has the fault.
START_TEST(link_comes_back)
{
    start("", "faults = {\"link: down for 1 ms, after 20 messages\"}\n");
    for (int i = 0; i < TRIES && daemon_metric(pair.dpu, "docad_links_lost_total") == 0; i++)
        run_both(use_some);
    daemon_wait_metric(pair.host, "docad_links_lost_total", 1);
    daemon_wait_links(pair.host, 1);
    daemon_wait_links(pair.dpu, 1);
    ck_assert(daemon_logged(pair.dpu, "all links are down for 1 ms"));
    ck_assert_uint_eq(daemon_metric(pair.dpu, "docad_links_lost_total"), 1);
}
END_TEST

// ---- what docad does not take

START_TEST(wrong_rules_are_refused)
{
    static char log[4096];
    struct path file = temp_file("wrong.conf", "faults = {\"export: revoke after 3 messages\"}\n");
    ck_assert_int_eq(daemon_refused(&(struct daemon_options){.config = file.s}, log, sizeof(log)),
                     2);
    assert_names(log, "imports are counted");
    assert_names(log, "wrong.conf");
    const struct daemon_options check = {.config = file.s, .args = {"--check-config"}};
    ck_assert_int_eq(daemon_refused(&check, log, sizeof(log)), 2);
    assert_names(log, "imports are counted");
    const struct daemon_options given = {.args = {"--faults", "comch: drop"}};
    ck_assert_int_eq(daemon_refused(&given, log, sizeof(log)), 2);
    assert_names(log, "--faults");
    unlink(file.s);
}
END_TEST

static void setup_far(void)
{
    apart = true;
    env_setup();
}

int main(void)
{
    Suite *suite = suite_create("node_faults");
    for (int i = 0; i < 2; i++) {
        TCase *tcase = tcase_create(i ? "apart" : "near");
        tcase_add_checked_fixture(tcase, i ? setup_far : env_setup, env_teardown);
        tcase_add_test(tcase, export_is_revoked);
        tcase_add_test(tcase, import_is_refused);
        tcase_add_test(tcase, link_is_down_for_good);
        tcase_add_test(tcase, all_links_are_down);
        tcase_add_test(tcase, link_comes_back);
        if (!i)
            tcase_add_test(tcase, wrong_rules_are_refused);
        suite_add_tcase(suite, tcase);
    }
    return run_suite(suite);
}
