// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca-perftest: every command runs, prints what it promises, refuses options that are not
// valid, and leaves nothing behind. Its measurements are not checked.

#include "perftest_run.h"

#include "cleanup.h"
#include "deadline.h"
#include "env.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

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
    {{"read_bw", "--tasks"}, "--tasks"},
    {{"send_lat", "--tasks", "--server", "here"}, "--tasks"},
    {{"compare", "--size", "4"}, "--size"},
    {{"scale", "--sessions", "2"}, "--sessions"},
    {{"scale", "--exports", "50", "--names", "51"}, "--names"},
    {{"scale", "--exports", "many"}, "--exports"},
    {{"buf", "--path", "local"}, "--path"},
    {{"dma_lat", "--depth", "2"}, "--depth"},
    {{"event", "--mode", "poll"}, "--mode"},
    {{"mmap_start", "--iters", "1000001"}, "1000000"},
    {{"dma_bw", "--quick"}, "--quick"},
    {{"attack", "--fill", "0"}, "--fill"},
    {{"attack", "--fill", "101"}, "--fill"},
    {{"scale", "--fill", "5"}, "--fill"},
};

START_TEST(wrong_command_lines)
{
    ck_assert_int_eq(run_perftest(wrong[_i].words), 2);
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

static const char *const by_tasks[] = {"send_lat", "send_bw", "write_lat", "write_bw"};

START_TEST(tasks)
{
    struct json_object *whole;
    RUN_OK(by_tasks[_i], "--tasks", "-s", "64", "-n", "200", "-w", "20", "--json");
    struct json_object *results = results_of(by_tasks[_i], &whole);
    ck_assert(number(results, "iterations") == 200);
    struct json_object *parameters = get(whole, "parameters", json_type_object);
    ck_assert_str_eq(text(parameters, "interface"), "3");
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

// ---- daemons, its own and others ------------------------------------------------------------

static void assert_bus_broker(struct json_object *whole)
{
    if (!DOCAD_HAS_SDBUS || access("/usr/bin/dbus-broker", X_OK) != 0)
        return;
    struct json_object *bus = get(whole, "dbus_broker", json_type_object);
    ck_assert(number(get(bus, "connect", json_type_object), "p50_usec") > 0);
    ck_assert(number(get(bus, "call", json_type_object), "p50_usec") > 0);
}

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
    assert_bus_broker(whole);
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
    assert_one_line("docad (host) ended before it was ready");
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

// With --quick: one percent of docad's default limits; monitors are few.
static const struct {
    const char *flood;
    double held; // at least
} lines[] = {
    {"idle", 0},          {"messages", 0},       {"big messages", 0}, {"metrics", 0},
    {"monitors", 0},      {"connections", 0},    {"doorbells", 0},    {"reads", 0},
    {"comch", 0},         {"descriptors", 0},    {"half open", 0},    {"lookups", 163 * 64},
    {"revocations", 655}, {"idle monitors", 64}, {"status", 655},     {"metrics socket", 655},
    {"listeners", 40},    {"names", 655},        {"idle, apart", 0},  {"relays", 0},
};

static void assert_line(struct json_object *line, const char *flood, double held)
{
    ck_assert_str_eq(text(line, "flood"), flood);
    ck_assert_msg(number(line, "held") >= held, "%s holds %.0f of %.0f", flood,
                  number(line, "held"), held);
    for (int k = 0; k < 2; k++) {
        struct json_object *figures = get(line, k ? "requests" : "reads", json_type_object);
        ck_assert_double_ge(number(figures, "samples"), 1);
        ck_assert_double_gt(number(figures, "p50_usec"), 0);
        ck_assert_double_ge(number(figures, "p99_usec"), number(figures, "p50_usec"));
        ck_assert_double_ge(number(figures, "max_usec"), number(figures, "p99_usec"));
        get(figures, "met", json_type_boolean);
    }
}

// The attacker reaches the private daemons, whose directory is below that of the run.
static void let_attacker_in(void)
{
    ck_assert_int_eq(chmod(getenv("DOCAD_TEST_DIR"), 0711), 0);
}

// One line for an idle docad with each kind of link and one for each flood, each with figures.
START_TEST(attack_has_a_line_for_each_flood)
{
    if (geteuid() != 0) {
        ck_assert_int_ne(RUN("attack", "--quick", "--iters", "1"), 0); // cannot be two users
        return;
    }
    let_attacker_in();
    RUN_OK("attack", "--quick", "--iters", "3", "--json");
    struct json_object *object = printed();
    struct json_object *list = get(object, "floods", json_type_array);
    ck_assert_uint_eq(json_object_array_length(list), ARRAY_SIZE(lines));
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        assert_line(json_object_array_get_idx(list, i), lines[i].flood, lines[i].held);
    json_object_put(object);
    RUN_OK("attack", "--quick", "--iters", "2", "--rows", "doorbells");
    ck_assert_ptr_nonnull(strstr(result.out, "doorbells"));
    ck_assert_ptr_null(strstr(result.out, "monitors"));
    RUN_OK("attack", "--help");
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        if (strncmp(lines[i].flood, "idle", 4) != 0 || lines[i].held > 0)
            assert_names(result.out, lines[i].flood);
}
END_TEST

START_TEST(attack_fills_as_much_as_it_may)
{
    if (geteuid() != 0)
        return;
    let_attacker_in();
    RUN_OK("attack", "--quick", "--iters", "1", "--fill", "2", "--rows", "status", "--json");
    struct json_object *object = printed();
    struct json_object *list = get(object, "floods", json_type_array);
    ck_assert(number(json_object_array_get_idx(list, 1), "held") == 1310);
    json_object_put(object);
}
END_TEST

// The attacker may not connect to these: there is nothing to measure.
START_TEST(attack_that_docad_refuses_fails)
{
    if (geteuid() != 0)
        return;
    struct node_pair nodes = node_pair_start();
    let_attacker_in();
    RUN("attack", "--quick", "--iters", "1", "--rows", "lookups", "--json", "--host-socket",
        nodes.host->socket.s, "--dpu-socket", nodes.dpu->socket.s);
    assert_one_line("flood lookups");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("perftest");
    TCase *tcase = tcase_create("perftest");
    tcase_set_timeout(tcase, 500); // where sanitizers or others slow it
    tcase_add_checked_fixture(tcase, perftest_set_up, env_teardown);
    tcase_add_test(tcase, help_names_everything);
    tcase_add_loop_test(tcase, wrong_command_lines, 0, ARRAY_SIZE(wrong));
    tcase_add_test(tcase, buffers);
    tcase_add_test(tcase, registration);
    tcase_add_loop_test(tcase, bandwidth, 0, ARRAY_SIZE(ways));
    tcase_add_loop_test(tcase, latency, 0, ARRAY_SIZE(ways));
    tcase_add_loop_test(tcase, tasks, 0, ARRAY_SIZE(by_tasks));
    tcase_add_test(tcase, tables);
    tcase_add_test(tcase, wake_ups);
    tcase_add_test(tcase, many_objects);
    tcase_add_test(tcase, running_daemons);
    tcase_add_test(tcase, what_cannot_run);
    tcase_add_test(tcase, daemons_that_are_not_linked);
    tcase_add_test(tcase, nobody_reads);
    tcase_add_test(tcase, interrupted_at_work);
    tcase_add_test(tcase, killed_at_work);
    tcase_add_test(tcase, attack_has_a_line_for_each_flood);
    tcase_add_test(tcase, attack_fills_as_much_as_it_may);
    tcase_add_test(tcase, attack_that_docad_refuses_fails);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
