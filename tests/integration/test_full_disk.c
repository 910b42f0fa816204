// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A file system without room, in the place of docad's log, its socket and the files that docactl
// writes: docad serves, and whoever reads is told what is full. Needs root, to mount a small tmpfs.

#include "cleanup.h"
#include "deadline.h"
#include "docactl_run.h"
#include "protocol.h"
#include "text_names.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FULL      "No space left on device"
#define FILES_MAX 64

static struct path place;
static const char *options;
static char said[8192];

// Seen by the test and what it starts alone.
static void setup(void)
{
    ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
    ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    env_setup();
    place = temp_path("small");
    ck_assert_int_eq(mkdir(place.s, 0755), 0);
    ck_assert_int_eq(mount("small", place.s, "tmpfs", 0, options), 0);
}

static void setup_of_bytes(void)
{
    options = "size=32k";
    setup();
}

static void setup_of_files(void)
{
    options = "size=1M,nr_inodes=8";
    setup();
}

static void teardown(void)
{
    daemon_stop_all();
    ck_assert_int_eq(umount(place.s), 0);
    ck_assert_int_eq(rmdir(place.s), 0);
    env_teardown();
}

static struct path in_place(const char *name)
{
    struct path path;
    ck_assert_uint_lt((size_t)snprintf(path.s, sizeof(path.s), "%s/%s", place.s, name),
                      sizeof(path.s));
    return path;
}

// ---- what fills it -----------------------------------------------------------------------------

static void fill_bytes(void)
{
    static const char page[4096];
    struct path path = in_place("filler");
    cleanup_fd int fd = open(path.s, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    while (write(fd, page, sizeof(page)) > 0)
        ;
    ck_assert_int_eq(errno, ENOSPC);
}

static void free_bytes(void)
{
    ck_assert_int_eq(unlink(in_place("filler").s), 0);
}

static unsigned fill_files(void)
{
    for (unsigned i = 0; i < FILES_MAX; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%u", i);
        cleanup_fd int fd = open(in_place(name).s, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) {
            ck_assert_int_eq(errno, ENOSPC);
            return i;
        }
    }
    ck_abort_msg("the file system takes ever more files");
    return 0;
}

static void free_files(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%u", i);
        ck_assert_int_eq(unlink(in_place(name).s), 0);
    }
}

// ---- what is served meanwhile ------------------------------------------------------------------

static void assert_served(const struct daemon *daemon)
{
    static char memory[64];
    struct raw_session s = session_start(daemon);
    uint32_t pf0 = open_function(s.sock, "pf0");
    uint64_t mapped = register_mapped(s.sock, 8192, DOCA_ACCESS_DPU_READ_ONLY, pf0);
    uint64_t brokered =
        register_brokered(s.sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_ONLY, pf0);
    make_export(s.sock, mapped, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    make_export(s.sock, brokered, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    answer_drop();
    session_end(&s);
    assert_baseline(daemon);
}

// Has docad write lines to its log.
static void break_rules(const struct daemon *daemon, unsigned times)
{
    char byte;
    for (unsigned i = 0; i < times; i++) {
        cleanup_fd int sock = raw_connect(daemon->socket.s);
        ck_assert_int_eq(send(sock, "\xff", 1, MSG_NOSIGNAL), 1);
        ck_assert_int_le(recv(sock, &byte, 1, 0), 0);
    }
}

static size_t read_log(char *text, size_t size)
{
    cleanup_fd int fd = open(in_place("log").s, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ssize_t n = read(fd, text, size - 1);
    ck_assert_int_ge(n, 0);
    text[n] = '\0';
    return (size_t)n;
}

// Each line begins with the time.
static void assert_whole_lines(const char *text)
{
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        int year, month, day;
        ck_assert_msg(sscanf(line, "%4d-%2d-%2d ", &year, &month, &day) == 3, "%s", line);
        ck_assert_ptr_nonnull(strchr(line, '\n'));
    }
}

START_TEST(full_for_the_log)
{
    static char text[65536];
    struct path log = in_place("log");
    char command[160];
    snprintf(command, sizeof(command), "exec \"$@\" 2>>%s", log.s);
    struct daemon *daemon = daemon_start(&(struct daemon_options){
        .wrapper = {"/bin/sh", "-c", command, "sh"}, .args = {"--log-level", "debug"}});
    for (int round = 0; round < 3; round++) {
        fill_bytes();
        size_t before;
        do { // the rest of the log's own page
            before = read_log(text, sizeof(text));
            break_rules(daemon, 4);
            assert_served(daemon);
        } while (read_log(text, sizeof(text)) > before);
        ck_assert_uint_eq(before % 4096, 0);
        assert_served(daemon);
        ck_assert_int_eq(truncate(log.s, 0), 0);
        free_bytes();
        int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
        do {
            assert_served(daemon);
            read_log(text, sizeof(text));
        } while (!strstr(text, FULL) && deadline_pause(deadline));
        ck_assert_msg(strstr(text, FULL) != NULL, "the log does not say what was lost");
    }
    daemon_stop(daemon);
    ck_assert_int_eq(unlink(log.s), 0);
}
END_TEST

// The log has a part of a line, and goes on behind it.
START_TEST(torn_lines)
{
    static char text[65536];
    struct path log = in_place("log");
    char command[160];
    snprintf(command, sizeof(command), "exec \"$@\" 2>>%s", log.s);
    struct daemon *daemon = daemon_start(&(struct daemon_options){
        .wrapper = {"/bin/sh", "-c", command, "sh"}, .args = {"--log-level", "debug"}});
    fill_bytes();
    size_t before;
    do {
        before = read_log(text, sizeof(text));
        break_rules(daemon, 4);
        assert_served(daemon);
    } while (read_log(text, sizeof(text)) > before);
    bool is_torn = text[before - 1] != '\n';
    free_bytes();
    assert_served(daemon);
    daemon_stop(daemon);
    read_log(text, sizeof(text));
    char *notice = strstr(text, FULL);
    ck_assert_ptr_nonnull(notice);
    if (is_torn)
        ck_assert(text[before] == '\n');
    assert_whole_lines(text);
    ck_assert_int_eq(unlink(log.s), 0);
}
END_TEST

// ---- the socket --------------------------------------------------------------------------------

// Room for names, but for no contents: the lock beside the socket is empty.
START_TEST(full_for_the_lock)
{
    struct path socket = in_place("docad.sock");
    fill_bytes();
    struct daemon *daemon = daemon_start(&(struct daemon_options){.socket = socket.s});
    ck_assert(daemon_logged(daemon, FULL));
    assert_served(daemon);
    // It is a lock all the same, and the next one takes the place of one that was killed.
    ck_assert_int_ne(daemon_refused(&(struct daemon_options){.socket = socket.s, .label = "second"},
                                    said, sizeof(said)),
                     0);
    assert_names(said, socket.s);
    daemon_kill(daemon);
    daemon_restart(daemon);
    assert_served(daemon);
    daemon_stop(daemon);
    free_bytes();
}
END_TEST

START_TEST(full_for_the_socket)
{
    struct path socket = in_place("docad.sock");
    unsigned n = fill_files();
    ck_assert_int_ne(
        daemon_refused(&(struct daemon_options){.socket = socket.s}, said, sizeof(said)), 0);
    assert_names(said, FULL);
    assert_names(said, socket.s);
    free_files(n);
    struct daemon *daemon =
        daemon_start(&(struct daemon_options){.socket = socket.s, .label = "roomy"});
    n = fill_files(); // now it is there
    assert_served(daemon);
    daemon_stop(daemon);
    free_files(n);
}
END_TEST

// ---- docactl -----------------------------------------------------------------------------------

static bool is_there(const char *name)
{
    return access(in_place(name).s, F_OK) == 0;
}

START_TEST(full_for_certificates)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){0});
    fill_bytes();
    ck_assert_int_ne(RUN(daemon, "certificates", "authority", place.s), 0);
    assert_names(result.err, FULL);
    assert_names(result.err, in_place("authority.key").s);
    ck_assert(!is_there("authority.key") && !is_there("authority.crt")); // or the next try fails
    free_bytes();
    RUN_OK(daemon, "certificates", "authority", place.s);
    fill_bytes();
    ck_assert_int_ne(RUN(daemon, "certificates", "node", "dpu", place.s), 0);
    assert_names(result.err, FULL);
    ck_assert(!is_there("dpu.key") && !is_there("dpu.crt"));
    free_bytes();
    RUN_OK(daemon, "certificates", "node", "dpu", place.s);
}
END_TEST

int main(void)
{
    if (geteuid() != 0) {
        puts("SKIPPED: full disk: to mount a small file system takes root");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("full disk");
    TCase *bytes = tcase_create("no bytes");
    tcase_add_checked_fixture(bytes, setup_of_bytes, teardown);
    tcase_add_test(bytes, full_for_the_log);
    tcase_add_test(bytes, torn_lines);
    tcase_add_test(bytes, full_for_the_lock);
    tcase_add_test(bytes, full_for_certificates);
    suite_add_tcase(suite, bytes);
    TCase *files = tcase_create("no files");
    tcase_add_checked_fixture(files, setup_of_files, teardown);
    tcase_add_test(files, full_for_the_socket);
    suite_add_tcase(suite, files);
    return run_suite(suite);
}
