// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-run --pair: two programs, on two nodes of their own. Nothing of it is left, however it
// ends: the directory in which docad-run makes its own is the test's, which must be empty at the
// end.

#include "child.h"
#include "env.h"
#include "run.h"
#include "text_names.h"

#include "cleanup.h"
#include "deadline.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct command_result result;

static void setup_pair(void)
{
    struct path here = temp_path(".");
    setenv("TMPDIR", here.s, 1);
    setenv("PATH", DOCAD_BIN_DIR ":/usr/bin:/bin", 1);
    unsetenv("DOCAD_SOCKET");
    unsetenv("DOCAD_BINARY");
}

#define RUN(...)                                                                                   \
    (command_run(NULL, (const char *const[]){"docad-run", __VA_ARGS__, NULL}, &result),            \
     result.status)
#define ASSERT_STATUS(expected, ...)                                                               \
    do {                                                                                           \
        int expected_ = (expected), status_ = RUN(__VA_ARGS__);                                    \
        ck_assert_msg(status_ == expected_, "status %d: %s%s", status_, result.out, result.err);   \
    } while (0)

// A pair of shell commands.
#define PAIR(host, dpu) "--pair", "--", "sh", "-c", host, "--", "sh", "-c", dpu

// ---- output

START_TEST(output_is_marked)
{
    ASSERT_STATUS(0, PAIR("echo one; echo two >&2", "printf 'no newline'; echo three >&2"));
    ck_assert_ptr_nonnull(strstr(result.out, "host: one\n"));
    ck_assert_ptr_nonnull(strstr(result.err, "host: two\n"));
    ck_assert_ptr_nonnull(strstr(result.out, "dpu: no newline\n"));
    ck_assert_ptr_nonnull(strstr(result.err, "dpu: three\n"));
    ck_assert_ptr_null(strstr(result.out, "two"));
    ck_assert_ptr_null(strstr(result.err, "one"));
}
END_TEST

START_TEST(much_output_is_complete)
{
    ASSERT_STATUS(0, PAIR("seq 1 8000", "seq 1 8000"));
    size_t lines = 0;
    for (const char *p = result.out; (p = strchr(p, '\n')); p++)
        lines++;
    ck_assert_uint_eq(lines, 16000);
}
END_TEST

START_TEST(output_of_one_program_is_not_marked)
{
    ASSERT_STATUS(0, "--host-only", "sh", "-c", "echo one; echo two >&2");
    ck_assert_str_eq(result.out, "one\n");
    ck_assert_ptr_nonnull(strstr(result.err, "two\n"));
    ck_assert_ptr_null(strstr(result.err, "host: "));
}
END_TEST

// A reader that has gone ends the writers, as in a pipeline without docad-run.
START_TEST(lost_reader_ends_programs)
{
    struct path script =
        temp_file("script", "docad-run --pair -- yes -- sh -c 'read x' | head -n 1\n");
    command_run(NULL, (const char *const[]){"/bin/sh", script.s, NULL}, &result);
    ck_assert_str_eq(result.out, "host: y\n");
    assert_names(result.err, "host"); // it ended by a signal
    unlink(script.s);
}
END_TEST

// ---- the nodes

START_TEST(each_program_has_its_side)
{
    ASSERT_STATUS(0, "--pair", "--", "list_devices", "--", "list_devices");
    ck_assert_ptr_nonnull(strstr(result.out, "host: "));
    assert_names(result.out, "export-to-DPU");
    assert_names(result.out, "import-from-host");
    for (const char *p = result.out; (p = strstr(p, "import-from-host")); p++) {
        const char *line = p;
        while (line > result.out && line[-1] != '\n')
            line--;
        ck_assert(strncmp(line, "dpu: ", 5) == 0);
    }
}
END_TEST

// The DPU shows the host's functions, which it has by its link.
START_TEST(one_program_has_both_nodes)
{
    ASSERT_STATUS(0, "--dpu-only", "list_devices");
    assert_names(result.out, "0000:0b:00.3");
    ASSERT_STATUS(0, "--host-only", "--", "list_devices");
    assert_names(result.out, "0000:0b:00.0");
    ck_assert_ptr_null(strstr(result.out, "import-from-host"));
}
END_TEST

START_TEST(no_configuration_is_read)
{
    struct path home = temp_path("home"), docad = temp_path("home/docad");
    ck_assert(mkdir(home.s, 0700) == 0 && mkdir(docad.s, 0700) == 0);
    struct path file = temp_file("home/docad/docad.conf", "nonsense\n");
    setenv("XDG_CONFIG_HOME", home.s, 1);
    setenv("WATCHDOG_USEC", "1", 1);
    ASSERT_STATUS(0, PAIR("true", "true"));
    unlink(file.s);
    rmdir(docad.s);
    rmdir(home.s);
}
END_TEST

START_TEST(absent_docad_is_named)
{
    setenv("DOCAD_BINARY", "/nowhere/docad", 1);
    ASSERT_STATUS(1, PAIR("true", "true"));
    assert_names(result.err, "/nowhere/docad");
}
END_TEST

// Other users must not report in docad's place.
START_TEST(reports_come_from_the_own_user)
{
    struct path docad =
        temp_file("docad", "#!/bin/sh\n"
                           "case $NOTIFY_SOCKET in \"$TMPDIR\"/*) ;; *) exit 1;; esac\n"
                           "test -S $NOTIFY_SOCKET && stat -c 'mode %a' \"${NOTIFY_SOCKET%/*}\"\n");
    chmod(docad.s, 0700);
    setenv("DOCAD_BINARY", docad.s, 1);
    ASSERT_STATUS(1, PAIR("true", "true"));
    ck_assert_ptr_nonnull(strstr(result.err, "host docad: mode 700\n"));
    unlink(docad.s);
}
END_TEST

// It would never report a link.
START_TEST(older_docad_is_named)
{
    struct path docad =
        temp_file("docad", "#!/usr/bin/python3\n"
                           "import os, signal, socket\n"
                           "name = os.environ['NOTIFY_SOCKET'].replace('@', chr(0), 1)\n"
                           "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)"
                           ".sendto(b'READY=1\\nSTATUS=x', name)\n"
                           "signal.pause()\n");
    chmod(docad.s, 0700);
    setenv("DOCAD_BINARY", docad.s, 1);
    ASSERT_STATUS(1, PAIR("true", "true"));
    assert_names(result.err, docad.s);
    unlink(docad.s);
}
END_TEST

START_TEST(end_of_a_node_ends_both)
{
    const char *kill_it =
        "pid=$(docactl status --json | sed -n 's/.*\"pid\": *\\([0-9]*\\).*/\\1/p');"
        "kill -9 $pid; read x; read x";
    ASSERT_STATUS(1, PAIR(kill_it, "read x; read x"));
    assert_names(result.err, "host");
}
END_TEST

// ---- statuses

START_TEST(status_is_the_worse)
{
    ASSERT_STATUS(0, PAIR("true", "true"));
    ASSERT_STATUS(3, PAIR("exit 3", "true"));
    ASSERT_STATUS(7, PAIR("true", "exit 7"));
    ASSERT_STATUS(128 + SIGSEGV, PAIR("true", "kill -SEGV $$"));
    ASSERT_STATUS(9, "--dpu-only", "sh", "-c", "exit 9");
}
END_TEST

START_TEST(first_failure_ends_both)
{
    ASSERT_STATUS(
        3, "--first", "dpu", "--ready", "trapped",
        PAIR("exit 3", "trap 'echo ended; exit 0' TERM; echo trapped; while :; do read x; done"));
    ck_assert_ptr_nonnull(strstr(result.out, "dpu: ended\n"));
    assert_names(result.err, "3");
    // A shell that ends by the signal reports the same as one that handles it.
    ASSERT_STATUS(3, "--first", "dpu",
                  PAIR("exit 3", "trap 'exit 143' TERM; echo trapped; while :; do read x; done"));
    // What it does wrong in the end counts.
    ASSERT_STATUS(99, "--first", "dpu",
                  PAIR("exit 3", "trap 'exit 99' TERM; echo trapped; while :; do read x; done"));
}
END_TEST

START_TEST(program_that_ignores_sigterm_is_killed)
{
    ASSERT_STATUS(3, "--grace", "0", "--first", "dpu",
                  PAIR("exit 3", "trap '' TERM; echo trapped; while :; do sleep 1000; done"));
    // That it had to be killed is a failure where nothing else has failed.
    ASSERT_STATUS(137, "--grace", "0", "--first", "dpu", "--until", "host",
                  PAIR("true", "trap '' TERM; echo trapped; while :; do sleep 1000; done"));
}
END_TEST

START_TEST(program_that_cannot_be_executed)
{
    struct path file = temp_file("program", "no program\n");
    ASSERT_STATUS(126, "--pair", "--", file.s, "--", "true");
    assert_names(result.err, file.s);
    ASSERT_STATUS(127, "--pair", "--", "true", "--", "/nowhere/program");
    assert_names(result.err, "/nowhere/program");
    ASSERT_STATUS(127, "--host-only", "no-such-program-in-path");
    chmod(file.s, 0700);
    struct path script = temp_file("script", "#!/nowhere/shell\n");
    chmod(script.s, 0700);
    ASSERT_STATUS(127, "--pair", "--", "true", "--", script.s); // only when it is executed
    unlink(file.s);
    unlink(script.s);
}
END_TEST

START_TEST(wrong_usage)
{
    static const char *const wrong[][8] = {
        {"--pair"},
        {"--pair", "--", "true"},
        {"--pair", "--", "true", "--"},
        {"--pair", "--", "--", "true"},
        {"--pair", "--host-only", "true"},
        {"--pair", "--socket", "x", "true", "--", "true"},
        {"--pair", "--host", "true", "--", "true"},
        {"--first", "host", "true"},
        {"--host-only", "--until", "host", "true"},
        {"--pair", "--first", "middle", "true", "--", "true"},
        {"--pair", "--ready", "x", "true", "--", "true"},
        {"--grace", "1", "true"},
        {"--pair", "--grace", "-1", "true", "--", "true"},
        {"--pair", "--grace", "1s", "true", "--", "true"},
        {"--pair", "--grace", "", "true", "--", "true"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        const char *argv[10] = {"docad-run"};
        for (size_t k = 0; k < 8 && wrong[i][k]; k++)
            argv[k + 1] = wrong[i][k];
        command_run(NULL, argv, &result);
        ck_assert_msg(result.status == 2, "%zu: status %d: %s", i, result.status, result.err);
        ck_assert_msg(result.err[0], "%zu: says nothing", i);
        ck_assert_str_eq(result.out, "");
    }
}
END_TEST

START_TEST(check_starts_nothing)
{
    setenv("DOCAD_BINARY", "/nowhere/docad", 1);
    ASSERT_STATUS(0, "--check", "--pair", "--", "docad-run", "--", "list_devices");
    assert_names(result.out, DOCAD_BIN_DIR "/docad-run");
    assert_names(result.out, DOCAD_BIN_DIR "/list_devices");
}
END_TEST

// ---- order

START_TEST(other_program_goes_on)
{
    ASSERT_STATUS(0, PAIR("true", "read x && echo \"got '$x'\"; read x || echo end"));
    ck_assert_str_eq(result.out, "dpu: got ''\ndpu: end\n");
}
END_TEST

// A program that starts after the other one has ended gets the newline, too.
START_TEST(late_program_goes_on)
{
    const char *last = "read x && echo \"got '$x'\"; read x || echo end";
    ASSERT_STATUS(0, "--first", "host", PAIR("true", last));
    ck_assert_str_eq(result.out, "dpu: got ''\ndpu: end\n");
    ASSERT_STATUS(0, "--first", "dpu", PAIR(last, "true"));
    ck_assert_str_eq(result.out, "host: got ''\nhost: end\n");
}
END_TEST

START_TEST(first_program_is_ready)
{
    struct path file = temp_path("ready");
    char first[256], second[256];
    snprintf(first, sizeof(first), "echo early; touch %s; echo 'now it is ready'; read x", file.s);
    snprintf(second, sizeof(second), "test -e %s && echo there; rm %s", file.s, file.s);
    ASSERT_STATUS(0, "--first", "host", "--ready", "is ready", PAIR(first, second));
    ck_assert_ptr_nonnull(strstr(result.out, "dpu: there\n"));
    ASSERT_STATUS(0, "--first", "dpu", "--ready", "is ready", PAIR(second, first));
    ck_assert_ptr_nonnull(strstr(result.out, "host: there\n"));
    // One that ends well was ready.
    snprintf(first, sizeof(first), "touch %s", file.s);
    ASSERT_STATUS(0, "--first", "host", PAIR(first, second));
    ck_assert_ptr_nonnull(strstr(result.out, "dpu: there\n"));
}
END_TEST

START_TEST(failure_before_ready_starts_nothing)
{
    ASSERT_STATUS(4, "--first", "host", "--ready", "ready", PAIR("exit 4", "echo started"));
    ck_assert_str_eq(result.out, "");
}
END_TEST

START_TEST(until_ends_the_other)
{
    ASSERT_STATUS(0, "--until", "dpu", PAIR("while :; do sleep 1000; done", "true"));
    ASSERT_STATUS(5, "--until", "dpu", PAIR("while :; do sleep 1000; done", "exit 5"));
    ASSERT_STATUS(0, "--until", "dpu", PAIR("true", "read x"));
}
END_TEST

// ---- DOCA programs

START_TEST(file_by_dma)
{
    struct path original = temp_file("original", "bytes of the host\n"), copy = temp_path("copy");
    ASSERT_STATUS(0, "--grace", "600", "--first", "host", "--ready", "exported", "--until", "dpu",
                  "--pair", "--", "file_export", "-n", "pair", original.s, "--", "file_fetch", "-n",
                  "pair", "-o", copy.s);
    command_run(NULL, (const char *const[]){"/usr/bin/cmp", original.s, copy.s, NULL}, &result);
    ck_assert_int_eq(result.status, 0);
    unlink(original.s);
    unlink(copy.s);
}
END_TEST

// Several pairs at a time: none finds the nodes, the names or the files of another. A sanitizer may
// look for leaks longer than the usual grace.
START_TEST(pairs_in_parallel)
{
    struct path script = temp_file(
        "script", "cd \"$TMPDIR\" || exit 1\n"
                  "for i in 1 2 3; do\n"
                  "  echo \"file $i\" >file$i\n"
                  "  docad-run --grace 600 --first host --ready exported --until dpu --pair -- \\\n"
                  "    file_export -n pair file$i -- file_fetch -n pair -o copy$i >log$i 2>&1 &\n"
                  "  pids=\"$pids $!\"\n"
                  "done\n"
                  "for pid in $pids; do wait $pid || { echo \"status $?\"; status=1; }; done\n"
                  "for i in 1 2 3; do cmp file$i copy$i || status=1; done\n"
                  "[ -z \"$status\" ] || cat log?\n"
                  "rm -f file? copy? log?\n"
                  "exit ${status-0}\n");
    command_run(NULL, (const char *const[]){"/bin/sh", script.s, NULL}, &result);
    ck_assert_msg(result.status == 0, "status %d: %s%s", result.status, result.out, result.err);
    unlink(script.s);
}
END_TEST

// ---- signals

struct started {
    pid_t pid;
    int out; // its standard output; at its end no process has it
};

// Reads what docad-run prints, until all of `texts` have been in it.
static void await_texts(const struct started *started, const char *const *texts, size_t count)
{
    char text[4096] = "";
    size_t used = 0, i = 0;
    while (i < count) {
        ssize_t n = read(started->out, text + used, sizeof(text) - 1 - used);
        ck_assert_msg(n > 0, "docad-run ended: %s", text);
        used += (size_t)n;
        text[used] = '\0';
        for (i = 0; i < count && strstr(text, texts[i]); i++)
            ;
    }
}

static void await_text(const struct started *started, const char *text)
{
    await_texts(started, &text, 1);
}

static struct started start_run(const char *const *argv)
{
    struct started started;
    int out[2];
    ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
    fflush(NULL);
    started.pid = fork();
    ck_assert_int_ge(started.pid, 0);
    if (started.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        env_in_child();
        signal(SIGHUP, SIG_DFL); // a test may run without a terminal
        signal(SIGQUIT, SIG_DFL);
        dup2(out[1], STDOUT_FILENO);
        // Whatever is left of the pair has this one, too.
        fcntl(out[1], F_SETFD, 0);
        execv(DOCAD_BIN_DIR "/docad-run", (char *const *)argv);
        _exit(127);
    }
    close(out[1]);
    started.out = out[0];
    return started;
}

// Starts a pair of shell commands, and waits until both have printed "ready".
static struct started start_pair(const char *host, const char *dpu)
{
    const char *const argv[] = {"docad-run", "--grace", "600", PAIR(host, dpu), NULL};
    struct started started = start_run(argv);
    await_texts(&started, (const char *const[]){"host: ready\n", "dpu: ready\n"}, 2);
    return started;
}

// Processes whose parents have been killed are children of the test.
static void await_orphans(void)
{
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

static int await_end(struct started *started)
{
    char text[4096];
    int status;
    struct pollfd p = {.fd = started->out, .events = POLLIN};
    ck_assert_int_eq(waitpid(started->pid, &status, 0), started->pid);
    do
        ck_assert_msg(poll(&p, 1, HARNESS_LIMIT_MS) > 0, "something is left");
    while (read(started->out, text, sizeof(text)) > 0);
    close_fdp(&started->out);
    await_orphans();
    return status;
}

// "wait" ends when a trapped signal comes, also one that comes before it.
#define WAITING "echo ready; while :; do sleep 1000 & wait; done"

START_TEST(signal_ends_everything)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    int number = numbers[_i];
    struct started started = start_pair(WAITING, WAITING);
    kill(started.pid, number);
    int status = await_end(&started);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 128 + number);
}
END_TEST

// They mean nothing to docad-run itself.
START_TEST(programs_get_signals_of_users)
{
    int number = _i ? SIGUSR1 : SIGUSR2;
    char script[128];
    snprintf(script, sizeof(script), "trap 'exit 0' %s; " WAITING, _i ? "USR1" : "USR2");
    struct started started = start_pair(script, script);
    kill(started.pid, number);
    int status = await_end(&started);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

// Also processes of other sessions, which ignore signals.
START_TEST(leftovers_are_ended)
{
    struct started started =
        start_pair("setsid sh -c 'trap \"\" TERM; sleep 1000' & " WAITING, "sleep 1000 & " WAITING);
    kill(started.pid, SIGTERM);
    int status = await_end(&started);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
}
END_TEST

START_TEST(second_signal_kills)
{
    struct started started =
        start_pair("trap '' INT TERM; " WAITING,
                   "trap 'echo told' TERM; echo ready; sleep 1000 & while :; do wait; done");
    kill(started.pid, SIGTERM);
    await_text(&started, "told");
    kill(started.pid, SIGINT);
    int status = await_end(&started);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT);
}
END_TEST

// A program that is alone gets each SIGINT, and no more follows from that.
START_TEST(lone_program_gets_interrupts)
{
    const char *const argv[] = {
        "docad-run", "--host-only", "--grace", "0", "sh", "-c", "trap 'echo caught' INT; " WAITING,
        NULL};
    struct started started = start_run(argv);
    await_text(&started, "ready\n");
    for (int i = 0; i < 3; i++) {
        kill(started.pid, SIGINT);
        await_text(&started, "caught\n");
    }
    kill(started.pid, SIGTERM);
    int status = await_end(&started);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
}
END_TEST

START_TEST(lone_program_is_ended_by_an_interrupt)
{
    const char *const argv[] = {"docad-run", "--host-only", "sh", "-c", WAITING, NULL};
    struct started started = start_run(argv);
    await_text(&started, "ready\n");
    kill(started.pid, SIGINT);
    int status = await_end(&started);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT);
}
END_TEST

START_TEST(killed_docad_run_leaves_nothing)
{
    struct started started = start_pair("trap '' TERM; setsid sleep 1000 & " WAITING, WAITING);
    kill(started.pid, SIGKILL);
    int status = await_end(&started);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
END_TEST

// The parent of a program is the second process of docad-run.
START_TEST(killed_second_process_leaves_nothing)
{
    ASSERT_STATUS(128 + SIGKILL, PAIR("kill -9 $PPID; while :; do sleep 1000; done", "read x"));
    assert_names(result.err, "9");
    await_orphans();
}
END_TEST

static TCase *make_case(const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_checked_fixture(tcase, setup_pair, NULL);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("pair");
    TCase *output = make_case("output"), *nodes = make_case("nodes");
    TCase *statuses = make_case("statuses"), *order = make_case("order");
    TCase *signals = make_case("signals");
    tcase_add_test(output, output_is_marked);
    tcase_add_test(output, much_output_is_complete);
    tcase_add_test(output, output_of_one_program_is_not_marked);
    tcase_add_test(output, lost_reader_ends_programs);
    tcase_add_test(nodes, each_program_has_its_side);
    tcase_add_test(nodes, one_program_has_both_nodes);
    tcase_add_test(nodes, no_configuration_is_read);
    tcase_add_test(nodes, absent_docad_is_named);
    tcase_add_test(nodes, reports_come_from_the_own_user);
    tcase_add_test(nodes, older_docad_is_named);
    tcase_add_test(nodes, end_of_a_node_ends_both);
    tcase_add_test(statuses, status_is_the_worse);
    tcase_add_test(statuses, first_failure_ends_both);
    tcase_add_test(statuses, program_that_ignores_sigterm_is_killed);
    tcase_add_test(statuses, program_that_cannot_be_executed);
    tcase_add_test(statuses, wrong_usage);
    tcase_add_test(statuses, check_starts_nothing);
    tcase_add_test(order, other_program_goes_on);
    tcase_add_test(order, late_program_goes_on);
    tcase_add_test(order, first_program_is_ready);
    tcase_add_test(order, failure_before_ready_starts_nothing);
    tcase_add_test(order, until_ends_the_other);
    tcase_add_test(order, file_by_dma);
    tcase_add_test(order, pairs_in_parallel);
    tcase_add_loop_test(signals, signal_ends_everything, 0, 4);
    tcase_add_loop_test(signals, programs_get_signals_of_users, 0, 2);
    tcase_add_test(signals, leftovers_are_ended);
    tcase_add_test(signals, second_signal_kills);
    tcase_add_test(signals, lone_program_gets_interrupts);
    tcase_add_test(signals, lone_program_is_ended_by_an_interrupt);
    tcase_add_test(signals, killed_docad_run_leaves_nothing);
    tcase_add_test(signals, killed_second_process_leaves_nothing);
    suite_add_tcase(suite, output);
    suite_add_tcase(suite, nodes);
    suite_add_tcase(suite, statuses);
    suite_add_tcase(suite, order);
    suite_add_tcase(suite, signals);
    return run_suite(suite);
}
