// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca-perftest compare and external: every row is there, and the programs of others are run and
// understood. Ratios are not checked.

#include "perftest_run.h"

#include "cleanup.h"
#include "env.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- compare --------------------------------------------------------------------------------

static const char *const row_names[] = {
    "local DMA, 64 B, batch of 32",
    "local DMA, 64 B, one at a time",
    "imported DMA, 4 KiB, hot",
    "imported DMA, 4 KiB, cold",
    "imported DMA, 64 KiB, hot",
    "imported DMA, 64 KiB, cold",
    "imported DMA, 1 MiB, hot",
    "imported DMA, 1 MiB, cold",
    "imported DMA, 16 MiB",
    "imported DMA, 64 MiB",
    "imported DMA, 1 MiB of malloc",
    "first copy of an import, 256 MiB",
    "first copy beside touched pages",
    "brokered copy, 6 B, busy engine",
    "brokered copy, 6 B, sleeping engine",
    "brokered copies of 16 importers",
    "buffer get and put",
    "DOCA 1.3 job, 64 B, 10,000 chunks",
    "event, submit to wake-up",
    "DMA tasks, 64 B, 32 in flight",
    "DMA tasks, 64 B, one at a time",
    "imported DMA tasks, 4 KiB, hot",
    "imported DMA tasks, 1 MiB, hot",
    "imported DMA tasks, 16 MiB",
    "task allocated and freed",
    "DMA tasks of four contexts, 64 B",
    "task, submit to wake-up",
    "SHA-256 job, 1 MiB",
    "graph of DMA jobs, 64 B, a node",
    "deflate tasks, 1 MiB of text",
    "inflate tasks, 1 MiB",
    "LZ4 block tasks, 1 MiB",
    "erasure coding, 8+4 of 4 KiB",
    "erasure coding, 8+4 of 64 KiB",
    "erasure coding, 8+4 of 1 MiB",
    "recovery of 4 of 8+4, 64 KiB",
    "AES-256-GCM tasks, 64 KiB",
    "AES-256-GCM tasks, 1 MiB",
    "two SHA-256 tasks in flight, 1 MiB",
    "two deflate tasks in flight, 1 MiB",
    "submission of a 16 MiB task",
    "sync event, set to wait_gt",
    "sync event, set to wait_eq",
    "Comm Channel, 64 B, a second",
    "Comch send tasks, 64 B, a second",
    "producer to consumer, 64 B, one way",
    "producer to consumer, 64 B, a second",
    "producer to consumer, 1 MiB",
    "RDMA send, 8 B, one way",
    "RDMA send, 64 B, one way",
    "RDMA send, 64 B, as fi_pingpong",
    "RDMA write, 8 B, one way",
    "RDMA sends, 8 B, a second",
    "RDMA sends, 8 B, a quota of one CPU",
    "RDMA fetch-and-add, a second",
    "RDMA send task, 8 B, one way",
    "RDMA send task, 64 B, one way",
    "RDMA write task, 8 B, one way",
    "RDMA send tasks, 8 B, a second",
    "RDMA echo, 64 B, 64 connections",
    "RDMA send, 8 B, both on one core",
    "RDMA send tasks, 1 MiB",
    "RDMA sends, 1 MiB",
    "RDMA writes, 1 MiB",
    "RDMA reads, 1 MiB",
    "mmap start, 256 MiB",
    "DMA over a TLS link, 1 MiB",
    "DMA over a TLS link, 64 KiB",
    "DMA over a TLS link, 4 KiB",
    "DMA over a TLS link, 64 B, batch of 32",
    "Comm Channel over a TLS link, 64 B",
    "a call in a trace",
    "a poll in a trace",
    "rules checked, DMA example",
    "rules checked, RDMA example",
    "BlueField-3's DMA tasks, 64 B",
    "BlueField-3's DMA tasks, 4 KiB",
    "BlueField-3's DMA task, 64 B, alone",
};

static void assert_row(struct json_object *row, const char *name, unsigned processes)
{
    struct json_object *theirs;
    ck_assert_str_eq(text(row, "name"), name);
    ck_assert_msg(!json_object_object_get_ex(row, "error", NULL), "%s: %s", name,
                  json_object_to_json_string(row));
    if (json_object_object_get_ex(row, "absent", NULL))
        return; // built without a library that it needs
    ck_assert(number(row, "ours") > 0);
    ck_assert(json_object_object_get_ex(row, "theirs", &theirs));
    if (theirs) { // null where the machine forbids their way
        ck_assert(number(row, "theirs") > 0);
        ck_assert(number(row, "ratio") > 0);
        ck_assert(number(row, "ratio_min") <= number(row, "ratio"));
        ck_assert(number(row, "ratio_max") >= number(row, "ratio"));
    }
    ck_assert_uint_eq(json_object_array_length(get(row, "medians", json_type_array)), processes);
    ck_assert(number(row, "processes") == processes);
    ck_assert(number(row, "ours_min") <= number(row, "ours"));
    ck_assert(number(row, "ours_max") >= number(row, "ours"));
    struct json_object *unstable = get(row, "unstable", json_type_boolean);
    if (json_object_get_boolean(unstable))
        ck_assert(!json_object_get_boolean(get(row, "met", json_type_boolean)));
    text(row, "unit");
    text(row, "against");
    text(row, "goal");
    text(row, "goal_kind");
    number(row, "goal_value");
    get(row, "met", json_type_boolean);
}

START_TEST(compare_has_every_row)
{
    RUN_OK("compare", "--quick", "--iters", "2", "--processes", "1", "--json");
    ck_assert_str_eq(result.err, "");
    struct json_object *whole = printed();
    struct json_object *rows = get(whole, "ratios", json_type_array);
    ck_assert(json_object_get_boolean(get(whole, "quick", json_type_boolean)));
    ck_assert_uint_eq(json_object_array_length(rows), ARRAY_SIZE(row_names));
    for (size_t i = 0; i < ARRAY_SIZE(row_names); i++)
        assert_row(json_object_array_get_idx(rows, i), row_names[i], 1);
    struct json_object *external = get(whole, "external", json_type_array);
    for (size_t i = 0; i < json_object_array_length(external); i++)
        text(json_object_array_get_idx(external, i), "package");
    json_object_put(whole);
}
END_TEST

START_TEST(a_row_is_measured_in_several_processes)
{
    static const char name[] = "buffer get and put";
    RUN_OK("compare", "--iters", "2", "--processes", "3", "--rows", name, "--json");
    struct json_object *whole = printed();
    struct json_object *rows = get(whole, "ratios", json_type_array);
    ck_assert_uint_eq(json_object_array_length(rows), 1);
    assert_row(json_object_array_get_idx(rows, 0), name, 3);
    ck_assert(number(json_object_array_get_idx(rows, 0), "rounds") == 6);
    json_object_put(whole);
}
END_TEST

// ---- programs of others ---------------------------------------------------------------------

// A program that behaves like theirs: a server that waits, a client that prints.
static void install_tool(const char *name, const char *prints, const char *server_seconds)
{
    char script[1024];
    snprintf(script, sizeof(script),
             "#!/bin/sh\nfor last; do :; done\n"
             "[ \"$last\" = 127.0.0.1 ] || exec sleep %s\ncat <<'END'\n%s\nEND\n",
             server_seconds, prints);
    struct path path = temp_file(name, script);
    ck_assert_int_eq(chmod(path.s, 0755), 0);
}

static const char ucx_prints[] =
    "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr\n"
    "100000,0.105,2.5,2.75,3.5,4.25,357960,1500000";
static const char fabric_prints[] =
    "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
    "64      1k      =1k      125k        0.79s      1.048576     393.82       0.25";

static void look_in_test_directory_first(void)
{
    char path[256];
    struct path dir = temp_path("");
    snprintf(path, sizeof(path), "%s:/usr/bin:/bin", dir.s);
    setenv("PATH", path, 1);
}

static struct json_object *measurement(struct json_object *whole, size_t i, const char *program)
{
    struct json_object *list = get(whole, "measurements", json_type_array);
    struct json_object *object = json_object_array_get_idx(list, i);
    ck_assert_str_eq(text(object, "program"), program);
    ck_assert(number(object, "bytes") == 64);
    return object;
}

START_TEST(others_are_run_and_read)
{
    install_tool("ucx_perftest", ucx_prints, "0.1");
    install_tool("fi_pingpong", fabric_prints, "0.1");
    look_in_test_directory_first();
    RUN_OK("external", "--json");
    struct json_object *whole = printed();
    for (size_t i = 0; i < 4; i++) {
        struct json_object *ucx = measurement(whole, i, "ucx_perftest");
        ck_assert(number(ucx, "p50_usec") == 0.105);
        ck_assert(number(ucx, "average_usec") == 2.75);
        ck_assert(number(ucx, "bw_average_mib_s") == 4.25);
        ck_assert(number(ucx, "message_rate_mpps") == 1.5);
    }
    struct json_object *fabric = measurement(whole, 4, "fi_pingpong");
    ck_assert(json_object_object_get(fabric, "p50_usec") == NULL);
    ck_assert(number(fabric, "average_usec") == 393.82);
    ck_assert(number(fabric, "bw_average_mib_s") == 1);
    ck_assert(number(fabric, "message_rate_mpps") == 0.25);
    json_object_put(whole);
    RUN_OK("external");
    assert_names(result.out, "fi_pingpong");
    unlink(temp_path("ucx_perftest").s);
    unlink(temp_path("fi_pingpong").s);
}
END_TEST

START_TEST(others_that_are_not_understood)
{
    install_tool("ucx_perftest", "iterations,something_else\n1,2", "1000");
    look_in_test_directory_first();
    RUN("external");
    assert_one_line("printed what is not understood");
    install_tool("ucx_perftest", "", "1000");
    RUN("external", "--json");
    assert_one_line("printed what is not understood");
    unlink(temp_path("ucx_perftest").s);
    setenv("PATH", temp_path("").s, 1);
    RUN("external");
    assert_one_line("(package ucx-utils)");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("perftest_compare");
    TCase *tcase = tcase_create("perftest_compare");
    tcase_set_timeout(tcase, 500); // it is long where sanitizers or others slow it
    tcase_add_checked_fixture(tcase, perftest_set_up, env_teardown);
    tcase_add_test(tcase, compare_has_every_row);
    tcase_add_test(tcase, a_row_is_measured_in_several_processes);
    tcase_add_test(tcase, others_are_run_and_read);
    tcase_add_test(tcase, others_that_are_not_understood);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
