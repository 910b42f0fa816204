// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The examples run, and do what they say; test_examples_3.c has those of DOCA 3.

#include "deadline.h"
#include "example_run.h"
#include "later_peer.h"
#include "run.h"

#include "cleanup.h"
#include "text_names.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

// ---- one-node examples ---------------------------------------------------------------------

START_TEST(list_devices)
{
    RUN_OK(nodes.dpu, "list_devices");
    assert_names(result.out, "0000:03:00.0 p0");
    assert_names(result.out, "import-from-host");
    assert_names(result.out, "0000:0b:00.3");
    RUN_OK(nodes.host, "list_devices");
    assert_names(result.out, "0000:0b:00.0 pf0");
    assert_names(result.out, "export-to-DPU");
}
END_TEST

START_TEST(dma_local_copy)
{
    RUN_OK(nodes.dpu, "dma_local_copy");
    ck_assert_str_eq(result.out, "copied 12 bytes: Hello, DMA!\n");
    RUN_OK(nodes.host, "dma_local_copy", "-p", "pf1", "other words");
    ck_assert_str_eq(result.out, "copied 12 bytes: other words\n");
    ck_assert_int_eq(RUN(nodes.host, "dma_local_copy", "-p", "77:00.0"), 1);
    assert_names(result.err, "77:00.0");
}
END_TEST

START_TEST(dma_scatter_gather)
{
    RUN_OK(nodes.dpu, "dma_scatter_gather", "-p", "03:00.0");
    ck_assert_str_eq(result.out,
                     "piece 0: 10 bytes 'scattered '\npiece 1: 12 bytes 'and gathered'\n");
}
END_TEST

START_TEST(dma_event_driven)
{
    RUN_OK(nodes.dpu, "dma_event_driven");
    ck_assert_str_eq(result.out, "8 jobs of 65536 bytes done, woken by epoll\n");
}
END_TEST

START_TEST(sha_file)
{
    static const char *const options[][2] = {{"-asha256", NULL},
                                             {"-asha256", "--partial"},
                                             {"-asha1", "--partial=64"},
                                             {"-asha512", "--partial=1M"}};
    static const char *const digests[] = {
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "a9993e364706816aba3e25717850c26c9cd0d89d",
        ("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23"
         "a3feebbd454d4423643ce80e2a9ac94fa54ca49f")};
    struct path file = temp_file("few", "abc");
    for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
        char expected[512];
        snprintf(expected, sizeof(expected), "%s  %s\n", digests[i], file.s);
        const char *const argv[] = {"sha_file", options[i][0], file.s, options[i][1], NULL};
        command_run(nodes.dpu, argv, &result);
        ck_assert_msg(result.status == 0, "%s", result.err);
        ck_assert_str_eq(result.out, expected);
    }
    ck_assert_int_eq(RUN(nodes.dpu, "sha_file", "--partial=100", file.s), 1);
    ck_assert_int_eq(RUN(nodes.dpu, "sha_file", "-a", "md5", file.s), 1);
    ck_assert_int_eq(RUN(nodes.dpu, "sha_file"), 1);
    unlink(file.s);
}
END_TEST

START_TEST(sha_of_a_longer_file)
{
    static const char *const options[] = {"-asha256", "--partial", "--partial=1000000"};
    struct path file = make_file(3 * 1048576 + 4321);
    char expected[256];
    RUN_OK(NULL, "/usr/bin/sha256sum", file.s);
    strcpy(expected, result.out);
    for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
        RUN_OK(nodes.host, "sha_file", "-p", "pf0", options[i], file.s);
        ck_assert_str_eq(result.out, expected);
    }
    unlink(file.s);
}
END_TEST

START_TEST(graph)
{
    RUN_OK(nodes.dpu, "graph");
    RUN_OK(nodes.host, "graph", "-p", "pf1", "-n", "200", "other words");
    assert_names(result.out, "199");
    // "other words" and the zero behind it
    assert_names(result.out, "8aca15cf522fec8fcae4e07ff588e3dc0386e07a92dc9afdd7889383cda958dd");
    ck_assert_int_eq(RUN(nodes.host, "graph", "-n", "0"), 1);
}
END_TEST

START_TEST(without_a_daemon)
{
    struct path nobody = temp_path("nobody.sock");
    const char *const programs[] = {"list_devices", "dma_local_copy", "dma_scatter_gather",
                                    "dma_event_driven", "graph"};
    setenv("DOCAD_SOCKET", nobody.s, 1);
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        ck_assert_int_eq(RUN(NULL, programs[i]), 1);
        assert_names(result.err, nobody.s);
    }
}
END_TEST

// Help works without a daemon, too.
START_TEST(help)
{
    static const char *const programs[] = {"list_devices",
                                           "dma_local_copy",
                                           "dma_scatter_gather",
                                           "dma_event_driven",
                                           "sha_file",
                                           "graph",
                                           "comm_channel_client",
                                           "comm_channel_server",
                                           "sync_event_host",
                                           "sync_event_dpu",
                                           "file_export",
                                           "file_fetch",
                                           "dma_task",
                                           "dma_tasks",
#ifdef DOCAD_EXAMPLES_IN_CXX
                                           "rdma_coroutines",
#endif
                                           "compress_file",
                                           "deflate_file",
                                           "encrypt_file",
                                           "spread_file",
                                           "file_to_dpu",
                                           "file_from_host",
                                           "dma_remote_copy_sender",
                                           "dma_remote_copy_receiver",
                                           "memory_regions",
                                           "rdma_write_requester",
                                           "rdma_write_responder",
                                           "rdma_read_requester",
                                           "rdma_read_responder",
                                           "rdma_send_immediate",
                                           "rdma_receive_immediate",
                                           "verbs_from_doca",
                                           "doca_from_verbs"};
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        char usage[64];
        snprintf(usage, sizeof(usage), "Usage: %s", programs[i]);
        RUN_OK(NULL, programs[i], _i ? "--help" : "-h");
        ck_assert_msg(strncmp(result.out, usage, strlen(usage)) == 0, "%s", result.out);
        ck_assert_str_eq(result.err, "");
    }
}
END_TEST

// ---- the file copy --------------------------------------------------------------------------

static struct child *start_export(const struct path *file)
{
    const char *const argv[] = {"file_export", "-p", "0b:00.0", "-n", "x", file->s, NULL};
    struct child *child = child_start(nodes.host, "file_export", become, (void *)argv);
    wait_for_log("exported ");
    return child;
}

// ---- two programs that talk --------------------------------------------------------------

START_TEST(comm_channel)
{
    const char *const argv[] = {"comm_channel_server", "-t", "and to you", NULL};
    struct child *server = child_start(nodes.dpu, "server", become, (void *)argv);
    wait_for_log("listening");
    RUN_OK(nodes.host, "docactl", "channels");
    RUN_OK(nodes.dpu, "docactl", "channels", "services");
    assert_names(result.out, "cc_sample_server");
    RUN_OK(nodes.host, "comm_channel_client", "-t", "good morning");
    ck_assert_str_eq(result.out, "received: and to you\n");
    child_join(server);
    ck_assert(log_has("received: good morning"));
    // Nobody listens any more.
    ck_assert_int_eq(RUN(nodes.host, "comm_channel_client"), 1);
    assert_names(result.err, "cc_sample_server");
    assert_names(result.err, "start comm_channel_server on the DPU first");
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// A program that starts too early is told which program to start first.
START_TEST(before_the_other_one)
{
    ck_assert_int_eq(RUN(nodes.host, "sync_event_host"), 1);
    ck_assert_ptr_nonnull(strstr(result.err, "start sync_event_dpu on the DPU first"));
    ck_assert_int_eq(RUN(nodes.dpu, "file_fetch", "-n", "x", "-o", "/dev/null", "-w", "1"), 1);
    ck_assert_ptr_nonnull(strstr(result.err, "start file_export on the host"));
    ck_assert_int_eq(RUN(nodes.host, "dma_remote_copy_sender", "-c", "1"), 1);
    ck_assert_ptr_nonnull(strstr(result.err, "start dma_remote_copy_receiver first"));
}
END_TEST

// Set and added to, through calls and through jobs, on either side.
START_TEST(sync_event)
{
    bool add = _i & 1;
    const char *const dpu[] = {"sync_event_dpu", _i & 2 ? "-a" : "-p03:00.0",
                               add ? "-A" : "-p03:00.0", NULL};
    struct child *other = child_start(nodes.dpu, "dpu", become, (void *)dpu);
    wait_for_log("listening");
    RUN_OK(nodes.host, "sync_event_host", _i & 4 ? "-a" : "-p0b:00.0", add ? "-A" : "-p0b:00.0");
    ck_assert(text_names(result.out, "added 1 to 0") == add);
    child_join(other);
    ck_assert(log_has("the host has signalled"));
    ck_assert(log_has("added 1 to 1") == add);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// Both rates and their ratio, and the copy is the same.
static void fetch_beside_memcpy(const struct path *file, const struct path *copy)
{
    double rate, other, ratio;
    unsigned rounds;
    RUN_OK(nodes.dpu, "file_fetch", "-n", "x", "-o", copy->s, "-c", "64K", "-m");
    const char *line = strstr(result.out, "medians of ");
    ck_assert_ptr_nonnull(line);
    ck_assert_int_eq(sscanf(line, "medians of %u rounds: %lf GiB/s, memcpy %lf GiB/s, ratio %lf",
                            &rounds, &rate, &other, &ratio),
                     4);
    ck_assert_uint_eq(rounds, 13); // of four jobs
    ck_assert(rate > 0 && other > 0 && ratio > 0);
    assert_same(file->s, copy->s);
    unlink(copy->s);
}

START_TEST(file_copy)
{
    struct path file = make_file(3 * 1048576 + 4321), copy = temp_path("copy");
    struct child *child = start_export(&file);
    static const char *const options[][5] = {
        {"-c", "1M", "-j", "4"}, {"-c", "5000", "-j", "7"}, {"-c", "1G", "-j", "1"}};
    for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
        const char *const *o = options[i];
        RUN_OK(nodes.dpu, "file_fetch", "-p", "03:00.0", "-n", "x", "-o", copy.s, o[0], o[1], o[2],
               o[3]);
        assert_names(result.out, "3150049");
        assert_same(file.s, copy.s);
        unlink(copy.s);
    }
    fetch_beside_memcpy(&file, &copy);
    kill(child->pid, SIGTERM);
    child_join(child);

    // Its names are gone with it.
    ck_assert_int_eq(RUN(nodes.dpu, "file_fetch", "-n", "x", "-o", copy.s, "-w", "1"), 1);
    assert_names(result.err, "x.info");
    ck_assert_int_ne(access(copy.s, F_OK), 0);
    unlink(file.s);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

START_TEST(file_of_a_few_bytes)
{
    struct path file = temp_file("few", "abc"), copy = temp_path("copy");
    struct child *child = start_export(&file);
    RUN_OK(nodes.dpu, "file_fetch", "-p", "p0", "-n", "x", "-o", copy.s);
    assert_same(file.s, copy.s);
    unlink(copy.s);
    kill(child->pid, SIGINT);
    child_join(child);
    unlink(file.s);
    file = temp_file("empty", "");
    ck_assert_int_eq(RUN(nodes.host, "file_export", "-n", "x", file.s), 1);
    assert_names(result.err, file.s);
    unlink(file.s);
}
END_TEST

START_TEST(a_name_is_exported_once)
{
    struct path file = temp_file("few", "abc");
    struct child *child = start_export(&file);
    ck_assert_int_eq(RUN(nodes.host, "file_export", "-n", "x", file.s), 1);
    assert_names(result.err, "DOCA_ERROR_ALREADY_EXIST");
    kill(child->pid, SIGTERM);
    child_join(child);
    unlink(file.s);
}
END_TEST

// ---- programs of DOCA 1.3 ------------------------------------------------------------------

START_TEST(remote_copy_of_1_3)
{
    const char *const argv[] = {"dma_remote_copy_receiver", "-p", "03:00.0", "-l", "0", NULL};
    struct child *receiver = child_start(nodes.dpu, "receiver", become, (void *)argv);
    wait_for_log("listening on port ");
    char port[16] = "";
    struct path log = log_path("program.log");
    cleanup_file FILE *file = fopen(log.s, "re");
    ck_assert_int_eq(fscanf(file, "listening on port %15[0-9]", port), 1);
    RUN_OK(nodes.host, "dma_remote_copy_sender", "-p", "0b:00.0", "-c", port, "as in 1.3");
    ck_assert_str_eq(result.out, "sent\n");
    child_join(receiver);
    ck_assert(log_has("received 10 bytes: as in 1.3"));
    ck_assert_int_eq(RUN(nodes.host, "dma_remote_copy_sender", "-p", "77:00.0", "-c", port), 1);
    assert_names(result.err, "77:00.0");
    ck_assert_int_eq(RUN(nodes.dpu, "dma_remote_copy_sender", "-c", port), 1);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

START_TEST(a_program_of_1_3_receives_from_one_of_2_2)
{
    struct path file = temp_file("few", "later words");
    struct child *child = start_export(&file);
    RUN_OK(nodes.dpu, "dma_remote_copy_receiver", "-n", "x");
    ck_assert_str_eq(result.out, "received 11 bytes: later words\n");
    kill(child->pid, SIGTERM);
    child_join(child);
    unlink(file.s);
}
END_TEST

START_TEST(a_program_of_1_3_sends_to_one_of_2_2)
{
    const char *const argv[] = {"dma_remote_copy_sender", "-n", "earlier", "earlier words", NULL};
    char name[] = "earlier", text[4096];
    struct child *sender = child_start(nodes.host, "sender", become, (void *)argv);
    struct child *later = child_start(nodes.dpu, "later", be_later_lookup, name);
    ck_assert_uint_eq(child_receive(later, text, sizeof(text)), 14);
    ck_assert_str_eq(text, "earlier words");
    child_join(later);
    // And to one of its own.
    RUN_OK(nodes.dpu, "dma_remote_copy_receiver", "-n", "earlier");
    assert_names(result.out, "earlier words");
    wait_for_log("exported as earlier");
    kill(sender->pid, SIGTERM);
    child_join(sender);
}
END_TEST

// ---- programs of DOCA 1.5 ------------------------------------------------------------------

// Either side exports, the other one imports.
START_TEST(remote_copy_of_1_5)
{
    struct path desc = temp_path("desc"), buffer = temp_path("buffer");
    const char *const argv[] = {"dma_copy_exporter", desc.s, buffer.s, "as in 1.5", NULL};
    const struct daemon *here = _i ? nodes.host : nodes.dpu;
    struct child *exporter =
        child_start(_i ? nodes.dpu : nodes.host, "exporter", become, (void *)argv);
    wait_for_log("exported; Ctrl-C ends it");
    RUN_OK(here, "dma_copy_importer", "-n", "5000", desc.s, buffer.s);
    ck_assert_str_eq(result.out, "copied 5000 times: as in 1.5\n");
    // The files of an earlier run are not written over.
    ck_assert_int_eq(RUN(nodes.host, "dma_copy_exporter", desc.s, buffer.s), 1);
    ck_assert_ptr_nonnull(strstr(result.err, "remove what an earlier run has left"));
    kill(exporter->pid, SIGTERM);
    child_join(exporter);
    ck_assert(log_has("left behind: !s in 1.5"));
    ck_assert(log_has("[INF][EXPORTER:"));
    unlink(desc.s);
    ck_assert_int_eq(RUN(here, "dma_copy_importer", desc.s, buffer.s), 1);
    ck_assert_ptr_nonnull(strstr(result.err, "start dma_copy_exporter on the other side first"));
    unlink(buffer.s);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

START_TEST(memory_regions)
{
    static const char *const ways[] = {"regions", "single-map", "map-per-buffer"};
    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
        RUN_OK(_i ? nodes.dpu : nodes.host, "memory_regions", ways[i]);
        assert_names(result.out, "1000");
    }
    ck_assert_int_eq(RUN(nodes.host, "memory_regions"), 2);
}
END_TEST

// Reads exactly this many bytes.
static void drain(int fd, size_t size)
{
    static char buf[65536];
    while (size) {
        ssize_t n = read(fd, buf, size < sizeof(buf) ? size : sizeof(buf));
        ck_assert_int_gt(n, 0);
        size -= (size_t)n;
    }
}

static bool has_ended(const struct child *child)
{
    siginfo_t info = {0};
    waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid != 0;
}

// file_fetch writes to a pipe that is read only so far: it is in the middle, whatever the
// speed, when file_export is killed.
START_TEST(exporter_killed_in_the_middle)
{
    unsetenv("DOCAD_TEST_CHECKED"); // one program is killed, and the other one leaves its objects
    struct path file = make_file(4 * 1048576), fifo = temp_path("fifo");
    struct child *exporter = start_export(&file);
    ck_assert_int_eq(mkfifo(fifo.s, 0600), 0);
    const char *const argv[] = {"file_fetch", "-p", "03:00.0", "-n", "x", "-o",
                                fifo.s,       "-c", "4096",    "-j", "1", NULL};
    struct child *fetcher = child_start(nodes.dpu, "file_fetch", become, (void *)argv);
    int fd = open(fifo.s, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    drain(fd, 1048576);

    child_kill(exporter);
    // Seen in the list, unless the fetcher was between two writes: then a job has failed
    // and the import may be gone already.
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    do {
        RUN_OK(nodes.dpu, "docactl", "imports");
    } while (!text_names(result.out, "owner-gone") && !has_ended(fetcher) &&
             deadline_pause(deadline));
    ck_assert(text_names(result.out, "owner-gone") || has_ended(fetcher));

    static char buf[65536];
    while (read(fd, buf, sizeof(buf)) > 0)
        ;
    int status = child_status(fetcher);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %x", (unsigned)status);
    ck_assert(log_has("file_fetch: the copy failed at offset "));
    ck_assert(log_has("DOCA_ERROR_CONNECTION_RESET"));
    ck_assert(!log_has("verified"));
    close(fd);
    unlink(fifo.s);
    unlink(file.s);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

int main(void)
{
    setenv("LC_ALL", "C", 1);
    Suite *suite = suite_create("examples");
    TCase *tcase = tcase_create("examples");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, list_devices);
    tcase_add_test(tcase, dma_local_copy);
    tcase_add_test(tcase, dma_scatter_gather);
    tcase_add_test(tcase, dma_event_driven);
    tcase_add_test(tcase, sha_file);
    tcase_add_test(tcase, sha_of_a_longer_file);
    tcase_add_test(tcase, graph);
    tcase_add_test(tcase, without_a_daemon);
    tcase_add_loop_test(tcase, help, 0, 2);
    tcase_add_test(tcase, before_the_other_one);
    tcase_add_test(tcase, comm_channel);
    tcase_add_loop_test(tcase, sync_event, 0, 8);
    tcase_add_test(tcase, file_copy);
    tcase_add_test(tcase, file_of_a_few_bytes);
    tcase_add_test(tcase, a_name_is_exported_once);
    tcase_add_test(tcase, exporter_killed_in_the_middle);
    tcase_add_test(tcase, remote_copy_of_1_3);
    tcase_add_test(tcase, a_program_of_1_3_receives_from_one_of_2_2);
    tcase_add_test(tcase, a_program_of_1_3_sends_to_one_of_2_2);
    tcase_add_loop_test(tcase, memory_regions, 0, 2);
    tcase_add_loop_test(tcase, remote_copy_of_1_5, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
