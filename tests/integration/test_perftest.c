// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca-perftest: every command runs, prints what it promises, refuses options that are not
// valid, and leaves nothing behind. Its measurements are not checked.

#include "child.h"
#include "deadline.h"
#include "run.h"

#include "cleanup.h"
#include "text_names.h"

#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct command_result result;

// Its private daemons live in the test's directory, so that what is left there is seen.
static void set_up(void)
{
    env_setup();
    struct path dir = temp_path("");
    setenv("TMPDIR", dir.s, 1);
    unsetenv("DOCAD_SOCKET");
    unsetenv("DOCAD_BINARY");
}

static int run(const char *const words[])
{
    const char *argv[20] = {"doca-perftest"};
    size_t n = 1;
    while (*words)
        argv[n++] = *words++;
    command_run(NULL, argv, &result);
    return result.status;
}

#define RUN(...)    run((const char *const[]){__VA_ARGS__, NULL})
#define RUN_OK(...) ck_assert_msg(RUN(__VA_ARGS__) == 0, "status %d: %s", result.status, result.err)

// ---- JSON ------------------------------------------------------------------------------------

// The output of the last command. The caller releases it.
static struct json_object *printed(void)
{
    struct json_object *value = json_tokener_parse(result.out);
    ck_assert_msg(json_object_is_type(value, json_type_object), "no object: %s", result.out);
    return value;
}

static struct json_object *get(struct json_object *object, const char *key, json_type type)
{
    struct json_object *value;
    ck_assert_msg(json_object_object_get_ex(object, key, &value), "no member %s in %s", key,
                  json_object_to_json_string(object));
    ck_assert_msg(json_object_is_type(value, type), "%s has another type in %s", key,
                  json_object_to_json_string(object));
    return value;
}

static double number(struct json_object *object, const char *key)
{
    struct json_object *value;
    ck_assert_msg(json_object_object_get_ex(object, key, &value), "no member %s", key);
    ck_assert_msg(json_object_is_type(value, json_type_int) ||
                      json_object_is_type(value, json_type_double),
                  "%s is no number", key);
    return json_object_get_double(value);
}

static const char *text(struct json_object *object, const char *key)
{
    return json_object_get_string(get(object, key, json_type_string));
}

// The head of the last report; returns its results, and the whole, which the caller
// releases.
static struct json_object *results_of(const char *command, struct json_object **whole)
{
    *whole = printed();
    ck_assert_str_eq(text(*whole, "program"), "doca-perftest");
    ck_assert_str_eq(text(*whole, "version"), DOCAD_VERSION);
    ck_assert_str_eq(text(*whole, "command"), command);
    text(get(*whole, "clock", json_type_object), "source");
    struct json_object *results = get(*whole, "results", json_type_object);
    ck_assert(json_object_get_boolean(get(results, "verified", json_type_boolean)));
    return results;
}

static void assert_numbers(struct json_object *object, const char *const keys[])
{
    for (; *keys; keys++)
        ck_assert_msg(number(object, *keys) >= 0, "%s is negative", *keys);
}

static void assert_spread(struct json_object *results)
{
    static const char *const keys[] = {"min_usec", "p50_usec",   "p90_usec",
                                       "p99_usec", "p99_9_usec", "max_usec"};
    double last = 0;
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        double value = number(results, keys[i]);
        ck_assert_msg(value >= last, "%s is less than what is before it", keys[i]);
        last = value;
    }
    ck_assert(number(results, "average_usec") <= last);
}

// ---- the command line --------------------------------------------------------------------------

static const char *const names[] = {"dma_bw",  "dma_lat",  "buf",   "mmap_start", "event",
                                    "compare", "external", "scale", "attack"};

START_TEST(help_names_everything)
{
    RUN_OK("--help");
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        assert_names(result.out, names[i]);
    ck_assert_str_eq(result.err, "");
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        RUN_OK(names[i], "--help");
        assert_names(result.out, "--json");
    }
    RUN_OK("--help", "dma_bw"); // in any order
    assert_names(result.out, "--depth");
    RUN_OK("buf", "--help");
    ck_assert(!text_names(result.out, "--depth"));
    RUN_OK("--version");
    ck_assert_str_eq(result.out, "doca-perftest " DOCAD_VERSION "\n");
}
END_TEST

static const struct {
    const char *words[8];
    const char *names;
} wrong[] = {
    {{NULL}, "doca-perftest"},
    {{"dma"}, "dma"},
    {{"dma_bw", "dma_lat"}, "dma_lat"},
    {{"dma_bw", "--sizes", "4"}, "--sizes"},
    {{"dma_bw", "-z"}, "-z"},
    {{"dma_bw", "--size"}, "--size"},
    {{"dma_bw", "-s"}, "-s"},
    {{"dma_bw", "--json=yes"}, "--json"},
    {{"dma_bw", "--size", "0"}, "--size"},
    {{"dma_bw", "--size", "-1"}, "-1"},
    {{"dma_bw", "--size", "5X"}, "5X"},
    {{"dma_bw", "--size", "5KB"}, "5KB"},
    {{"dma_bw", "--size", ""}, "--size"},
    {{"dma_bw", "--size", "99999999999999999999"}, "--size"},
    {{"dma_bw", "--size", "17179869185G"}, "--size"},
    {{"dma_bw", "--iters", "0"}, "--iters"},
    {{"dma_bw", "--iters", "1.5"}, "--iters"},
    {{"dma_bw", "--warmup", "many"}, "--warmup"},
    {{"dma_bw", "--depth", "0"}, "65536"},
    {{"dma_bw", "--depth", "65537"}, "65536"},
    {{"dma_bw", "--batch", "0"}, "--batch"},
    {{"dma_bw", "--batch", "9", "--depth", "8"}, "--batch"},
    {{"dma_bw", "--path", "remote"}, "--path"},
    {{"dma_bw", "--memory", "huge"}, "--memory"},
    {{"dma_bw", "--memory", "file"}, "--memory"},
    {{"dma_bw", "--memory", "tiny", "--size", "7"}, "6"},
    {{"dma_bw", "--mode", "spin"}, "--mode"},
    {{"dma_bw", "--cpu", "a"}, "--cpu"},
    {{"dma_bw", "--cpu", "0,"}, "--cpu"},
    {{"dma_bw", "--cpu", "0,1,2"}, "--cpu"},
    {{"dma_bw", "--host-socket", ""}, "--host-socket"},
    {{"dma_bw", "--path", "import", "--host-socket", "/x"}, "--dpu-socket"},
    {{"compare", "--dpu-socket", "/x"}, "--dpu-socket"},
    {{"write_bw", "--device", ""}, "--device"},
    {{"dma_bw", "--device", "docad_0"}, "--device"},
    {{"compare", "--size", "4"}, "--size"},
    {{"scale", "--sessions", "2"}, "--sessions"},
    {{"scale", "--exports", "50", "--names", "51"}, "--names"},
    {{"scale", "--exports", "many"}, "--exports"},
    {{"buf", "--path", "local"}, "--path"},
    {{"dma_lat", "--depth", "2"}, "--depth"},
    {{"event", "--mode", "poll"}, "--mode"},
    {{"mmap_start", "--iters", "1000001"}, "1000000"},
    {{"dma_bw", "--quick"}, "--quick"},
};

START_TEST(wrong_command_lines)
{
    ck_assert_int_eq(run(wrong[_i].words), 2);
    ck_assert_str_eq(result.out, "");
    assert_names(result.err, wrong[_i].names);
    assert_names(result.err, "--help");
    char *end = strchr(result.err, '\n');
    ck_assert_msg(end && end[1] == '\0', "not one line: %s", result.err);
}
END_TEST

// ---- the commands ---------------------------------------------------------------------------

START_TEST(buffers)
{
    struct json_object *whole;
    RUN_OK("buf", "--iters", "10", "--batch", "3", "--warmup", "1", "--json");
    struct json_object *results = results_of("buf", &whole);
    assert_numbers(results,
                   (const char *const[]){"ns_per_pair", "rate_mpps", "cpu_ns_per_job", NULL});
    ck_assert(number(results, "iterations") == 10);
    json_object_put(whole);
    RUN_OK("buf", "--iters", "10", "--warmup", "0");
    ck_assert_str_ne(result.out, "");
}
END_TEST

START_TEST(registration)
{
    struct json_object *whole;
    RUN_OK("mmap_start", "--size", "3M", "--iters", "2", "--json");
    struct json_object *results = results_of("mmap_start", &whole);
    assert_numbers(results, (const char *const[]){"start_usec", "destroy_usec", "copy_new_usec",
                                                  "copy_warm_usec", "start_to_copy_new", NULL});
    ck_assert(number(results, "bytes") == 3 << 20);
    json_object_put(whole);
    RUN_OK("mmap_start", "--size", "5", "--iters", "1");
    ck_assert_str_ne(result.out, "");
}
END_TEST

// Every way of dma_bw and dma_lat.
static const struct {
    const char *path, *memory, *mode, *size;
} ways[] = {
    {"local", "mapped", "poll", "4K"},     {"local", "unaligned", "event", "70000"},
    {"local", "tiny", "poll", "6"},        {"import", "mapped", "poll", "64K"},
    {"import", "mapped", "event", "4096"}, {"import", "unaligned", "poll", "20000"},
    {"import", "unaligned", "event", "1"}, {"import", "tiny", "poll", "6"},
    {"import", "tiny", "event", "3"},
};

START_TEST(bandwidth)
{
    struct json_object *whole;
    RUN_OK("dma_bw", "--path", ways[_i].path, "--memory", ways[_i].memory, "--mode", ways[_i].mode,
           "--size", ways[_i].size, "-n", "50", "-w", "3", "-d", "5", "-b", "2", "--json");
    struct json_object *results = results_of("dma_bw", &whole);
    assert_numbers(results,
                   (const char *const[]){"bytes", "bw_peak_gib_s", "bw_average_gib_s",
                                         "message_rate_mpps", "cpu_ns_per_job", "cpu_ns_per_byte",
                                         "daemon_cpu_ns_per_job", NULL});
    ck_assert(number(results, "iterations") == 50);
    struct json_object *parameters = get(whole, "parameters", json_type_object);
    ck_assert_str_eq(text(parameters, "path"), ways[_i].path);
    ck_assert_str_eq(text(parameters, "memory"), ways[_i].memory);
    ck_assert_str_eq(text(parameters, "mode"), ways[_i].mode);
    ck_assert(number(parameters, "depth") == 5);
    ck_assert(number(parameters, "batch") == 2);
    json_object_put(whole);
}
END_TEST

START_TEST(latency)
{
    struct json_object *whole;
    RUN_OK("dma_lat", "--path", ways[_i].path, "--memory", ways[_i].memory, "--mode", ways[_i].mode,
           "--size", ways[_i].size, "-n", "50", "-w", "3", "--json");
    struct json_object *results = results_of("dma_lat", &whole);
    assert_spread(results);
    assert_numbers(results, (const char *const[]){"cpu_ns_per_job", "cpu_ns_per_byte", NULL});
    json_object_put(whole);
}
END_TEST

START_TEST(tables)
{
    RUN_OK("dma_bw", "-n", "20");
    assert_names(result.out, "65536");
    RUN_OK("dma_lat", "-n", "20", "-c", "0");
    assert_names(result.out, "p99.9");
    // A job that does not fit the depth of the queue, and few of them.
    RUN_OK("dma_bw", "-n", "3", "-d", "7", "-b", "7", "-s", "1");
    RUN_OK("dma_bw", "-n", "1", "-w", "0", "-b", "64");
}
END_TEST

START_TEST(wake_ups)
{
    struct json_object *whole;
    RUN_OK("event", "-n", "20", "-w", "2", "--json");
    struct json_object *results = results_of("event", &whole);
    assert_spread(results);
    assert_numbers(results, (const char *const[]){"eventfd_p50_usec", "job_to_eventfd", NULL});
    json_object_put(whole);
    RUN_OK("event", "-n", "20", "--path", "import", "--memory", "tiny");
    assert_names(result.out, "eventfd");
}
END_TEST

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
    "brokered copy, 6 B, busy engine",
    "brokered copy, 6 B, sleeping engine",
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
    "erasure coding, 8+4 of 64 KiB",
    "recovery of 4 of 8+4, 64 KiB",
    "AES-256-GCM tasks, 64 KiB",
    "AES-256-GCM tasks, 1 MiB",
    "two SHA-256 tasks in flight, 1 MiB",
    "two deflate tasks in flight, 1 MiB",
    "submission of a 16 MiB task",
    "sync event, set to wait_gt",
    "sync event, set to wait_eq",
    "Comm Channel, 64 B, a second",
    "RDMA send, 8 B, one way",
    "RDMA send, 64 B, one way",
    "RDMA send, 64 B, as fi_pingpong",
    "RDMA write, 8 B, one way",
    "RDMA sends, 8 B, a second",
    "RDMA fetch-and-add, a second",
    "RDMA send task, 8 B, one way",
    "RDMA send task, 64 B, one way",
    "RDMA write task, 8 B, one way",
    "RDMA send tasks, 8 B, a second",
    "RDMA echo, 64 B, 64 connections",
    "RDMA send tasks, 1 MiB",
    "RDMA sends, 1 MiB",
    "RDMA writes, 1 MiB",
    "RDMA reads, 1 MiB",
    "mmap start, 256 MiB",
};

static void assert_row(struct json_object *row, const char *name)
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
    ck_assert_uint_eq(json_object_array_length(get(row, "medians", json_type_array)), 4);
    text(row, "unit");
    text(row, "against");
    text(row, "goal");
    text(row, "goal_kind");
    number(row, "goal_value");
    get(row, "met", json_type_boolean);
}

START_TEST(compare_has_every_row)
{
    RUN_OK("compare", "--quick", "--iters", "2", "--json");
    ck_assert_str_eq(result.err, "");
    struct json_object *whole = printed();
    struct json_object *rows = get(whole, "ratios", json_type_array);
    ck_assert(json_object_get_boolean(get(whole, "quick", json_type_boolean)));
    ck_assert_uint_eq(json_object_array_length(rows), ARRAY_SIZE(row_names));
    for (size_t i = 0; i < ARRAY_SIZE(row_names); i++)
        assert_row(json_object_array_get_idx(rows, i), row_names[i]);
    struct json_object *external = get(whole, "external", json_type_array);
    for (size_t i = 0; i < json_object_array_length(external); i++)
        text(json_object_array_get_idx(external, i), "package");
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

static void assert_one_line(const char *says)
{
    ck_assert_int_eq(result.status, 1);
    ck_assert_str_eq(result.out, "");
    const char *ours = strstr(result.err, "doca-perftest: ");
    ck_assert_msg(ours && strstr(ours, says), "'%s' is not in: %s", says, result.err);
}

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

// ---- daemons, its own and others ------------------------------------------------------------

// What objects cost in descriptors does not depend on how busy the machine is. Times are there.
START_TEST(many_objects)
{
    RUN_OK("scale", "--sessions", "30", "--exports", "80", "--names", "40", "--iters", "3",
           "--json");
    struct json_object *whole = printed(), *objects = get(whole, "objects", json_type_object);
    struct json_object *requests = get(whole, "requests", json_type_object);
    json_object_object_foreach(requests, request, times)
    {
        ck_assert_str_ne(request, "");
        ck_assert(number(get(times, "empty", json_type_object), "p50_usec") > 0);
        ck_assert(number(get(times, "full", json_type_object), "p99_usec") > 0);
    }
    ck_assert(number(get(objects, "session", json_type_object), "descriptors") == 1);
    ck_assert(number(get(objects, "export", json_type_object), "descriptors") == 0);
    ck_assert(number(get(objects, "name", json_type_object), "descriptors") == 0);
    struct json_object *events = get(whole, "events", json_type_object);
    ck_assert(number(get(events, "ten_ends", json_type_object), "msec") > 0);
    ck_assert(number(get(whole, "full", json_type_object), "descriptors") >
              number(get(whole, "empty", json_type_object), "descriptors"));
    ck_assert(number(get(whole, "empty_again", json_type_object), "descriptors") ==
              number(get(whole, "empty", json_type_object), "descriptors"));
    json_object_put(whole);
    RUN_OK("scale", "--sessions", "20", "--exports", "40", "--names", "0", "--iters", "1");
    assert_names(result.out, "p99");
}
END_TEST

START_TEST(running_daemons)
{
    struct node_pair nodes = node_pair_start();
    RUN_OK("dma_bw", "-n", "20", "--path", "import", "--host-socket", nodes.host->socket.s,
           "--dpu-socket", nodes.dpu->socket.s);
    RUN_OK("dma_lat", "-n", "20", "--host-socket", nodes.host->socket.s);
    RUN_OK("dma_lat", "-n", "20", "--dpu-socket", nodes.dpu->socket.s, "--json");
    struct json_object *whole = printed(), *results = get(whole, "results", json_type_object);
    ck_assert(!json_object_object_get_ex(results, "daemon_cpu_ns_per_job", NULL));
    json_object_put(whole);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

START_TEST(what_cannot_run)
{
    struct path nobody = temp_path("nobody.sock");
    RUN("dma_lat", "--host-socket", nobody.s);
    assert_one_line("doca_devinfo_list_create");
    RUN("dma_lat", "--cpu", "65535");
    assert_one_line("--cpu");
    setenv("DOCAD_BINARY", "/bin/false", 1);
    RUN("dma_lat");
    assert_one_line("docad (host) ended at once");
    setenv("DOCAD_BINARY", "/nonexistent/docad", 1);
    RUN("compare", "--quick", "--iters", "2", "--json");
    assert_one_line("cannot run /nonexistent/docad");
}
END_TEST

// A node that does not know the other: the run fails, on both sides of it.
START_TEST(daemons_that_are_not_linked)
{
    struct daemon *host = daemon_start(&(struct daemon_options){.role = "host"});
    struct daemon *other =
        daemon_start(&(struct daemon_options){.role = "host", .name = "other", .label = "other"});
    RUN("dma_lat", "--path", "import", "--host-socket", host->socket.s, "--dpu-socket",
        other->socket.s);
    assert_one_line("none of the");
    assert_baseline(host);
    assert_baseline(other);
}
END_TEST

// ---- interrupted ----------------------------------------------------------------------------

// The reader of the table ends before the first row.
START_TEST(nobody_reads)
{
    int out[2], status;
    ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
    close(out[0]);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        env_in_child();
        dup2(out[1], 1);
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 2);
        execl(DOCAD_BIN_DIR "/doca-perftest", "doca-perftest", "compare", "--quick", NULL);
        _exit(127);
    }
    close(out[1]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}
END_TEST

static pid_t start_long_run(void)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid != 0)
        return pid;
    env_in_child();
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
    execl(DOCAD_BIN_DIR "/doca-perftest", "doca-perftest", "dma_lat", "--path", "import",
          "--memory", "tiny", "--iters", "100000000", NULL);
    _exit(127);
}

// The number of the test's own descendants.
static int descendants(pid_t pid)
{
    char path[64];
    int child, n = 0;
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
    cleanup_file FILE *f = fopen(path, "re");
    while (f && fscanf(f, "%d", &child) == 1)
        n++;
    return n;
}

static int end_with(pid_t pid, int signo)
{
    int status;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    // Two daemons, the exporting process and the measuring one.
    while (descendants(pid) < 4)
        ck_assert_msg(deadline_pause(deadline), "its four processes do not come");
    kill(pid, signo);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

START_TEST(interrupted_at_work)
{
    int status = end_with(start_long_run(), SIGTERM);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    status = end_with(start_long_run(), SIGINT);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}
END_TEST

// Nobody is there to clean up: the kernel ends the children, which come to us.
START_TEST(killed_at_work)
{
    int status = end_with(start_long_run(), SIGKILL);
    ck_assert(WIFSIGNALED(status));
    // Its daemons and programs, and the helpers of its daemons, end with it.
    while (waitpid(-1, NULL, 0) > 0)
        ;
    ck_assert_int_eq(errno, ECHILD);
    remove_tree(getenv("TMPDIR"));
    ck_assert_int_eq(mkdir(getenv("TMPDIR"), 0755), 0);
}
END_TEST

// ---- attack -----------------------------------------------------------------------------------

// One line for an idle docad with each kind of link and one for each flood, each with figures.
START_TEST(attack_has_a_line_for_each_flood)
{
    static const char *const lines[] = {"idle",        "messages",    "big messages", "metrics",
                                        "monitors",    "connections", "doorbells",    "reads",
                                        "descriptors", "half open",   "idle, apart",  "relays"};
    if (geteuid() != 0) {
        ck_assert_int_ne(RUN("attack", "--quick", "--iters", "1"), 0); // cannot be two users
        return;
    }
    RUN_OK("attack", "--quick", "--iters", "3", "--json");
    struct json_object *object = printed();
    struct json_object *list = get(object, "floods", json_type_array);
    ck_assert_uint_eq(json_object_array_length(list), ARRAY_SIZE(lines));
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct json_object *line = json_object_array_get_idx(list, i);
        ck_assert_str_eq(text(line, "flood"), lines[i]);
        for (int k = 0; k < 2; k++) {
            struct json_object *figures = get(line, k ? "requests" : "reads", json_type_object);
            ck_assert_double_ge(number(figures, "samples"), 1);
            ck_assert_double_gt(number(figures, "p50_usec"), 0);
            ck_assert_double_ge(number(figures, "p99_usec"), number(figures, "p50_usec"));
            get(figures, "met", json_type_boolean);
        }
    }
    json_object_put(object);
    RUN_OK("attack", "--quick", "--iters", "2", "--rows", "doorbells");
    ck_assert_ptr_nonnull(strstr(result.out, "doorbells"));
    ck_assert_ptr_null(strstr(result.out, "monitors"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("perftest");
    TCase *tcase = tcase_create("perftest");
    tcase_set_timeout(tcase, 500); // `compare` is long where sanitizers or others slow it
    tcase_add_checked_fixture(tcase, set_up, env_teardown);
    tcase_add_test(tcase, help_names_everything);
    tcase_add_loop_test(tcase, wrong_command_lines, 0, ARRAY_SIZE(wrong));
    tcase_add_test(tcase, buffers);
    tcase_add_test(tcase, registration);
    tcase_add_loop_test(tcase, bandwidth, 0, ARRAY_SIZE(ways));
    tcase_add_loop_test(tcase, latency, 0, ARRAY_SIZE(ways));
    tcase_add_test(tcase, tables);
    tcase_add_test(tcase, wake_ups);
    tcase_add_test(tcase, compare_has_every_row);
    tcase_add_test(tcase, others_are_run_and_read);
    tcase_add_test(tcase, others_that_are_not_understood);
    tcase_add_test(tcase, many_objects);
    tcase_add_test(tcase, running_daemons);
    tcase_add_test(tcase, what_cannot_run);
    tcase_add_test(tcase, daemons_that_are_not_linked);
    tcase_add_test(tcase, nobody_reads);
    tcase_add_test(tcase, interrupted_at_work);
    tcase_add_test(tcase, killed_at_work);
    tcase_add_test(tcase, attack_has_a_line_for_each_flood);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
