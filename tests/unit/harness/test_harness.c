// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The harness fails when it should. Each test runs a small suite of its own that does
// something wrong, and looks at how it failed.

#include "child.h"
#include "run.h"

#include "cleanup.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

// ---- things that a test may do wrong -----------------------------------------------

START_TEST(does_nothing)
{
}
END_TEST

START_TEST(leaks_descriptor)
{
    ck_assert_int_ge(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
}
END_TEST

START_TEST(closes_descriptor)
{
    close(0);
}
END_TEST

static void sleep_forever(void)
{
    for (;;)
        pause();
}

START_TEST(leaves_child)
{
    if (fork() == 0)
        sleep_forever();
}
END_TEST

START_TEST(leaves_zombie)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    siginfo_t info;
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}
END_TEST

START_TEST(leaves_grandchild)
{
    int ready[2];
    char byte;
    ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0) {
            ck_assert_int_eq(write(ready[1], "", 1), 1);
            close(ready[0]);
            close(ready[1]);
            sleep_forever();
        }
        _exit(0);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(leaves_file)
{
    temp_file("rest.txt", "something\n");
}
END_TEST

// ---- daemons that are none -----------------------------------------------------------

static void say_ready(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name = getenv("NOTIFY_SOCKET");
    memcpy(address.sun_path + 1, name + 1, strlen(name + 1));
    int sock = socket(AF_UNIX, SOCK_DGRAM, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    sendto(sock, "READY=1", 7, 0, (struct sockaddr *)&address, size);
    close(sock);
}

static void on_term(int signal)
{
    (void)signal;
    _exit(0);
}

static int good_daemon(char **argv)
{
    (void)argv;
    signal(SIGTERM, on_term);
    say_ready();
    sleep_forever();
    return 0;
}

static int refusing_daemon(char **argv)
{
    (void)argv;
    fputs("no such thing\n", stderr);
    return 3;
}

static int crashing_daemon(char **argv)
{
    (void)argv;
    say_ready();
    abort();
}

static int unclean_daemon(char **argv)
{
    (void)argv;
    say_ready();
    sleep_forever(); // SIGTERM kills it
    return 0;
}

static int silent_daemon(char **argv)
{
    (void)argv;
    sleep_forever();
    return 0;
}

static struct daemon *start(int (*run)(char **))
{
    return daemon_start(&(struct daemon_options){.run = run, .limit_ms = 3000});
}

START_TEST(runs_good_daemon)
{
    struct daemon *daemon = start(good_daemon);
    daemon_freeze(daemon);
    daemon_thaw(daemon);
    daemon_stop(daemon);
    daemon_restart(daemon);
    daemon_kill(daemon);
    daemon_restart(daemon);
}
END_TEST

START_TEST(runs_refusing_daemon)
{
    start(refusing_daemon);
}
END_TEST

START_TEST(expects_refusal)
{
    char log[100];
    int status = daemon_refused(&(struct daemon_options){.run = refusing_daemon}, log, sizeof(log));
    ck_assert_int_eq(status, 3);
    ck_assert_str_eq(log, "no such thing\n");
}
END_TEST

START_TEST(expects_refusal_in_vain)
{
    daemon_refused(&(struct daemon_options){.run = good_daemon}, NULL, 0);
}
END_TEST

START_TEST(runs_crashing_daemon)
{
    struct daemon *daemon = start(crashing_daemon);
    siginfo_t info;
    ck_assert_int_eq(waitid(P_PID, (id_t)daemon->pid, &info, WEXITED | WNOWAIT), 0);
}
END_TEST

START_TEST(runs_unclean_daemon)
{
    start(unclean_daemon);
}
END_TEST

START_TEST(runs_silent_daemon)
{
    daemon_start(&(struct daemon_options){.run = silent_daemon, .limit_ms = 50});
}
END_TEST

// ---- client processes ----------------------------------------------------------------

static int echo_client(struct child *self, void *arg)
{
    char bytes[16];
    ck_assert_str_eq(getenv("DOCAD_SOCKET"), ((struct daemon *)arg)->socket.s);
    child_wait(self, "ping");
    child_tell(self, "pong");
    size_t n = child_receive(self, bytes, sizeof(bytes));
    child_send(self, bytes, n);
    return 0;
}

START_TEST(takes_turns)
{
    char bytes[16] = {0};
    struct daemon *daemon = start(good_daemon);
    struct child *a = child_start(daemon, "a", echo_client, daemon);
    struct child *b = child_start(daemon, "b", echo_client, daemon);
    child_tell(b, "ping");
    child_wait(b, "pong");
    child_kill(b);
    child_tell(a, "ping");
    child_wait(a, "pong");
    child_send(a, "12", 3);
    ck_assert_uint_eq(child_receive(a, bytes, sizeof(bytes)), 3);
    ck_assert_str_eq(bytes, "12");
    child_join(a);
}
END_TEST

static int asserting_client(struct child *self, void *arg)
{
    (void)self;
    (void)arg;
    ck_abort_msg("the client's own words");
}

START_TEST(runs_asserting_client)
{
    child_join(child_start(NULL, "a", asserting_client, NULL));
}
END_TEST

static int leaking_client(struct child *self, void *arg)
{
    self->may_leave_open = arg != NULL;
    self->leak_limit_ms = 20;
    ck_assert_int_ge(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    return 0;
}

START_TEST(runs_leaking_client)
{
    child_join(child_start(NULL, "a", leaking_client, NULL));
}
END_TEST

START_TEST(runs_permitted_leaking_client)
{
    child_join(child_start(NULL, "a", leaking_client, &(int){1}));
}
END_TEST

static int ending_client(struct child *self, void *arg)
{
    (void)self;
    return *(int *)arg;
}

START_TEST(waits_for_ended_client)
{
    child_wait(child_start(NULL, "a", ending_client, &(int){0}), "never");
}
END_TEST

START_TEST(runs_failing_client)
{
    child_join(child_start(NULL, "a", ending_client, &(int){5}));
}
END_TEST

START_TEST(forgets_client)
{
    child_start(NULL, "a", ending_client, &(int){0});
}
END_TEST

static struct command_result result;

START_TEST(runs_commands)
{
    const char *argv[] = {"/bin/sh", "-c", "echo out; echo err >&2; exit 4", NULL};
    command_run(NULL, argv, &result);
    ck_assert_int_eq(result.status, 4);
    ck_assert_str_eq(result.out, "out\n");
    ck_assert_str_eq(result.err, "err\n");
    const char *missing[] = {"no-such-program", NULL};
    command_run(NULL, missing, &result);
    ck_assert_int_eq(result.status, 127);
}
END_TEST

// ---- the tests -------------------------------------------------------------------------

static const struct {
    const char *name;
    const TTest *const *test;
    const char *message; // that it must fail with; NULL: it must pass
} cases[] = {
    {"nothing", &does_nothing, NULL},
    {"descriptor", &leaks_descriptor, "left open: "},
    {"closed descriptor", &closes_descriptor, "closed: 0"},
    {"child", &leaves_child, "still there: "},
    {"zombie", &leaves_zombie, "not waited for: "},
    {"grandchild", &leaves_grandchild, "still there: "},
    {"file", &leaves_file, "/tmp/rest.txt"},
    {"good daemon", &runs_good_daemon, NULL},
    {"refusing daemon", &runs_refusing_daemon, "exited with 3 instead of getting ready"},
    {"expected refusal", &expects_refusal, NULL},
    {"unexpected start", &expects_refusal_in_vain, "it should have refused"},
    {"crashing daemon", &runs_crashing_daemon, "was killed by signal 6"},
    {"unclean daemon", &runs_unclean_daemon, "was killed by signal 15 when stopped"},
    {"silent daemon", &runs_silent_daemon, "not ready"},
    {"turns", &takes_turns, NULL},
    {"asserting client", &runs_asserting_client, "the client's own words"},
    {"leaking client", &runs_leaking_client, "client process a changes its descriptors"},
    {"permitted leak", &runs_permitted_leaking_client, NULL},
    {"ended client", &waits_for_ended_client, "the other side has ended"},
    {"failing client", &runs_failing_client, "client process a exited with 5"},
    {"forgotten client", &forgets_client, "client processes run: a"},
    {"commands", &runs_commands, NULL},
};

// Runs one test function in a runner of its own, in a process of its own. Returns what
// it failed with, empty if it passed.
static void run_inner(const TTest *test, char *message, size_t size)
{
    int out[2];
    ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        Suite *suite = suite_create("inner");
        TCase *tcase = tcase_create("inner");
        tcase_add_checked_fixture(tcase, env_setup, env_teardown);
        tcase_add_test(tcase, test);
        suite_add_tcase(suite, tcase);
        SRunner *runner = srunner_create(suite);
        srunner_run_all(runner, CK_SILENT);
        TestResult **failures = srunner_failures(runner);
        const char *text = srunner_ntests_failed(runner) ? tr_msg(failures[0]) : "";
        ssize_t n = write(out[1], text, strlen(text));
        _exit(n < 0);
    }
    close(out[1]);
    ssize_t n, used = 0;
    while ((n = read(out[0], message + used, size - 1 - (size_t)used)) > 0)
        used += n;
    message[used] = '\0';
    close(out[0]);
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

START_TEST(behaves)
{
    char message[4096];
    run_inner(*cases[_i].test, message, sizeof(message));
    if (!cases[_i].message)
        ck_assert_msg(message[0] == '\0', "%s: fails with: %s", cases[_i].name, message);
    else
        ck_assert_msg(strstr(message, cases[_i].message) != NULL, "%s: fails with: '%s', not '%s'",
                      cases[_i].name, message, cases[_i].message);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("harness");
    TCase *tcase = tcase_create("harness");
    tcase_add_loop_test(tcase, behaves, 0, (int)ARRAY_SIZE(cases));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
