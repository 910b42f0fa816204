// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Daemons that start in any order, twice, or not at all; and clients without one.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "export_desc.h"
#include "request.h"
#include "run.h"
#include "text_names.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char said[8192]; // what a daemon that refused to start said

#define ck_assert_said(name) assert_names(said, name)

// ---- order ---------------------------------------------------------------------------

START_TEST(dialled_first)
{
    struct daemon *host = daemon_start(&(struct daemon_options){.role = "host"});
    struct daemon *dpu =
        daemon_start(&(struct daemon_options){.role = "dpu", .peers = {host->socket.s}});
    daemon_wait_links(host, 1);
    daemon_wait_links(dpu, 1);
}
END_TEST

START_TEST(dialling_first)
{
    struct path socket = temp_path("host.sock");
    struct daemon *dpu = daemon_start(&(struct daemon_options){.role = "dpu", .peers = {socket.s}});
    daemon_wait_links(dpu, 0);
    struct daemon *host = daemon_start(&(struct daemon_options){.role = "host"});
    daemon_wait_links(dpu, 1);
    daemon_wait_links(host, 1);
}
END_TEST

START_TEST(both_dial)
{
    struct path host_socket = temp_path("host.sock"), dpu_socket = temp_path("dpu.sock");
    struct daemon *dpu =
        daemon_start(&(struct daemon_options){.role = "dpu", .peers = {host_socket.s}});
    struct daemon *host =
        daemon_start(&(struct daemon_options){.role = "host", .peers = {dpu_socket.s}});
    daemon_wait_links(dpu, 1);
    daemon_wait_links(host, 1);
    daemon_restart((daemon_kill(dpu), dpu));
    daemon_wait_links(dpu, 1);
    daemon_wait_links(host, 1);
}
END_TEST

START_TEST(either_killed_and_back)
{
    struct node_pair pair = node_pair_start();
    for (int i = 0; i < 4; i++) {
        struct daemon *goes = i % 2 ? pair.host : pair.dpu;
        struct daemon *stays = i % 2 ? pair.dpu : pair.host;
        if (i < 2)
            daemon_kill(goes);
        else
            daemon_stop(goes);
        daemon_wait_links(stays, 0);
        daemon_restart(goes);
        daemon_wait_links(stays, 1);
        daemon_wait_links(goes, 1);
    }
}
END_TEST

// ---- one socket, one daemon -------------------------------------------------------------

static int opens_and_closes(struct child *self, void *arg)
{
    (void)self;
    ck_assert_success(doca_dev_close(client_open(arg)));
    return 0;
}

static void assert_serves(const struct daemon *daemon)
{
    static char pci[] = HOST_PF0;
    child_join(child_start(daemon, "client", opens_and_closes, pci));
}

START_TEST(second_on_the_same_socket)
{
    struct daemon *first = daemon_start(&(struct daemon_options){.role = "host"});
    int status = daemon_refused(
        &(struct daemon_options){.role = "dpu", .label = "second", .socket = first->socket.s}, said,
        sizeof(said));
    ck_assert_int_eq(status, 1);
    ck_assert_said(first->socket.s);
    assert_serves(first);
}
END_TEST

START_TEST(socket_of_one_that_crashed)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){.role = "host"});
    daemon_kill(daemon);
    ck_assert_int_eq(access(daemon->socket.s, F_OK), 0);
    daemon_restart(daemon);
    assert_serves(daemon);
}
END_TEST

// ---- a daemon that cannot die ------------------------------------------------------------------

static void *rest(void *arg)
{
    return arg ? arg : (void *)(intptr_t)pause();
}

// Has the socket and its lock, as a docad that was killed while one of its threads waits for a
// client's file: the kernel shows it as a zombie, and keeps what it has open.
static int cannot_die(struct child *self, void *arg)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = arg;
    char name[PATH_MAX];
    pthread_t thread;
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    snprintf(name, sizeof(name), "%s.lock", path);
    int lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(flock(lock, LOCK_EX | LOCK_NB), 0);
    ck_assert_int_eq(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(sock, 5), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, rest, NULL), 0);
    child_tell(self, "serves");
    child_wait(self, "die");
    pthread_exit(NULL);
}

START_TEST(socket_of_one_that_cannot_die)
{
    struct path path = temp_path("host.sock");
    struct child *child = child_start(NULL, "undead", cannot_die, path.s);
    child_wait(child, "serves");
    int status = daemon_refused(&(struct daemon_options){.role = "host"}, said, sizeof(said));
    ck_assert_int_eq(status, 1);
    ck_assert_said(path.s);
    child_tell(child, "die");
    char state = 0, name[64];
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    snprintf(name, sizeof(name), "/proc/%d/stat", (int)child->pid);
    while (state != 'Z') {
        ck_assert(deadline_pause(deadline));
        cleanup_file FILE *stat = fopen(name, "re");
        ck_assert(stat && fscanf(stat, "%*d (%*[^)]) %c", &state) == 1);
    }
    struct daemon *daemon = daemon_start(&(struct daemon_options){.role = "host"});
    assert_serves(daemon);
    // It has the lock now, and leaves nothing else beside it.
    status =
        daemon_refused(&(struct daemon_options){.role = "dpu", .label = "third", .socket = path.s},
                       said, sizeof(said));
    ck_assert_int_eq(status, 1);
    ck_assert_int_lt(access(temp_path("host.sock.lock.next").s, F_OK), 0);
    child_kill(child);
}
END_TEST

// A file that is not a socket may belong to somebody, so it stays.
START_TEST(file_in_the_way)
{
    struct path file = temp_file("host.sock", "precious\n");
    struct stat st;
    int status = daemon_refused(&(struct daemon_options){.role = "host"}, said, sizeof(said));
    ck_assert_int_eq(status, 1);
    ck_assert_said(file.s);
    ck_assert_int_eq(stat(file.s, &st), 0);
    ck_assert(S_ISREG(st.st_mode));
    ck_assert_int_eq(st.st_size, 9);
    unlink(file.s);
}
END_TEST

START_TEST(socket_in_no_directory)
{
    struct path socket = temp_path("no/such/host.sock");
    int status = daemon_refused(&(struct daemon_options){.role = "host", .socket = socket.s}, said,
                                sizeof(said));
    ck_assert_int_eq(status, 1);
    ck_assert_said("/no/such");
}
END_TEST

// ---- the end ------------------------------------------------------------------------------

static int stays_connected(struct child *self, void *arg)
{
    struct doca_dev *dev = client_open(arg);
    child_tell(self, "open");
    child_wait(self, "stopped");
    ck_assert_success(doca_dev_close(dev)); // nothing is wrong with that
    return 0;
}

START_TEST(stops_with_clients)
{
    static const int signals[] = {SIGTERM, SIGINT};
    static char pci[] = HOST_PF0;
    struct daemon *daemon = daemon_start(&(struct daemon_options){.role = "host"});
    struct child *client = child_start(daemon, "client", stays_connected, pci);
    child_wait(client, "open");
    kill(daemon->pid, signals[_i]);
    daemon_ended(daemon);
    child_tell(client, "stopped");
    child_join(client);
    ck_assert_int_ne(access(daemon->socket.s, F_OK), 0);
}
END_TEST

// Several signals, as from a terminal and its service manager: one that comes late kills docad. A
// socket that is left behind would be in the way of docactl and of docad-exporter.
START_TEST(leaves_no_socket_when_signals_go_on)
{
    char metrics[PATH_MAX];
    struct daemon *daemon = daemon_start(&(struct daemon_options){.role = "host"});
    size_t n = strlen(daemon->socket.s) - strlen(".sock");
    snprintf(metrics, sizeof(metrics), "%.*s-metrics.sock", (int)n, daemon->socket.s);
    ck_assert_int_eq(access(metrics, F_OK), 0);
    siginfo_t info = {0};
    while (info.si_pid == 0) {
        kill(daemon->pid, SIGTERM);
        ck_assert_int_eq(waitid(P_PID, (id_t)daemon->pid, &info, WEXITED | WNOWAIT | WNOHANG), 0);
    }
    ck_assert_int_ne(access(metrics, F_OK), 0);
    ck_assert_int_ne(access(daemon->socket.s, F_OK), 0);
    daemon_over(daemon);
}
END_TEST

// ---- what it is told -------------------------------------------------------------------------

static const char *const bad_configurations[] = {
    "role = \n",
    "role = \"both\"\n",
    "no_such_option = 3\n",
    "role = \"host\"\nfunction \"pf0\" {\n",
    "peer {\n}\n",
    "\x01\x02\xff\xfe",
    "limits {\n  sessions_per_uid = minus\n}\n",
    "role = \"host\" }\n",
};

START_TEST(malformed_configuration)
{
    struct path file = temp_file("docad.conf", bad_configurations[_i]);
    int status = daemon_refused(&(struct daemon_options){.role = "host", .config = file.s}, said,
                                sizeof(said));
    ck_assert_int_eq(status, 2);
    ck_assert_said(file.s);
    unlink(file.s);
}
END_TEST

START_TEST(missing_configuration)
{
    struct path file = temp_path("nowhere.conf");
    int status = daemon_refused(&(struct daemon_options){.role = "host", .config = file.s}, said,
                                sizeof(said));
    ck_assert_int_eq(status, 2);
    ck_assert_said(file.s);
}
END_TEST

static const struct {
    const char *args[3];
    const char *says;
} bad_arguments[] = {
    {{"--no-such-option"}, "no-such-option"},
    {{"--role", "switch"}, "switch"},
    {{"--log-level", "loud"}, "log-level"},
    {{"--peer"}, "peer"},
    {{"something"}, "docad"},
};

START_TEST(bad_command_line)
{
    struct daemon_options options = {.role = "host"};
    memcpy(options.args, bad_arguments[_i].args, sizeof(bad_arguments[_i].args));
    ck_assert_int_eq(daemon_refused(&options, said, sizeof(said)), 2);
    ck_assert_said(bad_arguments[_i].says);
}
END_TEST

// All mistakes in a command line are reported at once.
START_TEST(all_that_is_wrong_is_told)
{
    static struct command_result result;
    static const char *const says[] = {"--no-such-option", "z",         "switch", "--log-level",
                                       "docad.conf:2",     "something", "--peer"};
    struct path file = temp_file("docad.conf", "engine {\n threads = many\n}\n");
    command_run(NULL,
                (const char *[]){"docad", "--no-such-option", "-z", "--role", "switch", "something",
                                 "--log-level", "loud", "--config", file.s, "--peer", "", NULL},
                &result);
    ck_assert_int_eq(result.status, 2);
    for (size_t i = 0; i < ARRAY_SIZE(says); i++)
        assert_names(result.err, says[i]);
    unlink(file.s);
}
END_TEST

// ---- clients without a daemon ------------------------------------------------------------------

static int finds_no_daemon(struct child *self, void *arg)
{
    struct doca_devinfo **list = NULL;
    uint32_t n = 77;
    static const struct export_desc any = {.length = 1, .target = DOCAD__EXPORT_TARGET__TARGET_DPU};
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t size = sizeof(desc);
    (void)self;
    if (arg)
        setenv("DOCAD_SOCKET", arg, 1);
    ck_assert_error(doca_devinfo_list_create(&list, &n), DOCA_ERROR_NOT_FOUND);
    ck_assert_ptr_null(list);
    ck_assert_uint_eq(n, 77);
    ck_assert_error(docad_export_lookup("name", 100000, desc, &size), DOCA_ERROR_NOT_CONNECTED);
    ck_assert_uint_eq(size, sizeof(desc));
    ck_assert_success(export_desc_encode(&any, desc, &size));
    ck_assert_error(docad_export_publish("name", desc, size), DOCA_ERROR_NOT_CONNECTED);
    return 0;
}

START_TEST(no_socket)
{
    struct path nowhere = temp_path("nowhere.sock");
    child_join(child_start(NULL, "client", finds_no_daemon, nowhere.s));
}
END_TEST

START_TEST(socket_without_daemon)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){.role = "host"});
    daemon_kill(daemon);
    child_join(child_start(daemon, "client", finds_no_daemon, NULL));
    unlink(daemon->socket.s);
    char lock[120];
    snprintf(lock, sizeof(lock), "%s.lock", daemon->socket.s);
    unlink(lock);
}
END_TEST

START_TEST(socket_path_too_long)
{
    static char path[300];
    memset(path, 'x', sizeof(path) - 1);
    path[0] = '/';
    child_join(child_start(NULL, "client", finds_no_daemon, path));
}
END_TEST

// ---- strangers on the socket ----------------------------------------------------------------

static const struct {
    const char *bytes;
    size_t size;
} rubbish[] = {
    {"GET / HTTP/1.1\r\n\r\n", 18},
    {"\0\0\0\0", 4},
    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12},
    {"\x08\x01", 2},             // a serial and nothing else
    {"\x08\x01\x52\x00", 4},     // Hello without a version
    {"\x08\x01\xb2\x06\x00", 5}, // ListReply
    {"\x52\x7f\x08\x01", 4},     // a length beyond the end
};

START_TEST(rubbish_is_turned_away)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){.role = "host"});
    int sock = raw_connect(daemon->socket.s);
    ck_assert_int_eq(send(sock, rubbish[_i].bytes, rubbish[_i].size, MSG_NOSIGNAL),
                     (ssize_t)rubbish[_i].size);
    raw_expect_closed(sock);
    close(sock);
    assert_serves(daemon);
    assert_baseline(daemon);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("startup");
    TCase *tcase = tcase_create("startup");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, dialled_first);
    tcase_add_test(tcase, dialling_first);
    tcase_add_test(tcase, both_dial);
    tcase_add_test(tcase, either_killed_and_back);
    tcase_add_test(tcase, second_on_the_same_socket);
    tcase_add_test(tcase, socket_of_one_that_crashed);
    tcase_add_test(tcase, socket_of_one_that_cannot_die);
    tcase_add_test(tcase, file_in_the_way);
    tcase_add_test(tcase, socket_in_no_directory);
    tcase_add_loop_test(tcase, stops_with_clients, 0, 2);
    tcase_add_loop_test(tcase, leaves_no_socket_when_signals_go_on, 0, 5);
    tcase_add_loop_test(tcase, malformed_configuration, 0, (int)ARRAY_SIZE(bad_configurations));
    tcase_add_test(tcase, missing_configuration);
    tcase_add_test(tcase, all_that_is_wrong_is_told);
    tcase_add_loop_test(tcase, bad_command_line, 0, (int)ARRAY_SIZE(bad_arguments));
    tcase_add_test(tcase, no_socket);
    tcase_add_test(tcase, socket_without_daemon);
    tcase_add_test(tcase, socket_path_too_long);
    tcase_add_loop_test(tcase, rubbish_is_turned_away, 0, (int)ARRAY_SIZE(rubbish));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
