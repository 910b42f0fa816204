// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "daemon.h"

#include "cleanup.h"
#include "deadline.h"
#include "pidfd.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

static struct daemon *daemons; // newest first, so that dialling daemons stop before the dialled
                               // ones

// ---- start -----------------------------------------------------------------------

// A socket for sd_notify() with an abstract address that the kernel picks: no file.
static void notify_open(struct daemon *d)
{
    d->notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    ck_assert_int_ge(d->notify, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    ck_assert_int_eq(
        bind(d->notify, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path)), 0);
    socklen_t size = sizeof(address);
    ck_assert_int_eq(getsockname(d->notify, (struct sockaddr *)&address, &size), 0);
    snprintf(d->address, sizeof(d->address), "@%.*s",
             (int)(size - offsetof(struct sockaddr_un, sun_path) - 1), address.sun_path + 1);
}

static void add_arg(struct daemon *d, size_t *n, const char *arg)
{
    ck_assert_uint_lt(*n + 1, DAEMON_ARGS_MAX);
    d->argv[*n] = strdup(arg);
    ck_assert_ptr_nonnull(d->argv[(*n)++]);
}

static void add_option(struct daemon *d, size_t *n, const char *option, const char *value)
{
    if (!value)
        return;
    add_arg(d, n, option);
    add_arg(d, n, value);
}

static void make_argv(struct daemon *d, const struct daemon_options *o)
{
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_SIZE(o->wrapper) && o->wrapper[i]; i++)
        add_arg(d, &n, o->wrapper[i]);
    add_arg(d, &n, DOCAD_BIN_DIR "/docad");
    add_option(d, &n, "--role", o->role ? o->role : "host");
    add_option(d, &n, "--name", o->name ? o->name : o->role ? o->role : "host");
    add_option(d, &n, "--socket", d->socket.s);
    add_option(d, &n, "--config", o->config ? o->config : "/dev/null"); // not this machine's file
    for (size_t i = 0; i < ARRAY_SIZE(o->peers) && o->peers[i]; i++)
        add_option(d, &n, "--peer", o->peers[i]);
    for (size_t i = 0; i < ARRAY_SIZE(o->args) && o->args[i]; i++)
        add_arg(d, &n, o->args[i]);
}

static struct daemon *daemon_new(const struct daemon_options *o)
{
    struct daemon *d = calloc(1, sizeof(*d));
    ck_assert_ptr_nonnull(d);
    const char *label = o->label ? o->label : o->role ? o->role : "host";
    char name[64];
    snprintf(name, sizeof(name), "%s.log", label);
    d->log = log_path(name);
    snprintf(name, sizeof(name), "%s.sock", label);
    d->socket = temp_path(name);
    if (o->socket)
        snprintf(d->socket.s, sizeof(d->socket.s), "%s", o->socket);
    d->limit_ms = o->limit_ms ? o->limit_ms : HARNESS_LIMIT_MS;
    d->run = o->run;
    d->pidfd = d->notify = -1;
    make_argv(d, o);
    d->next = daemons;
    daemons = d;
    return d;
}

// Runs in the child.
static void become_daemon(struct daemon *d, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = open(d->log.s, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(EXIT_FAILURE);
    close(in);
    close(out);
    setenv("NOTIFY_SOCKET", d->address, 1);
    if (d->run) {
        signal(SIGTERM, SIG_DFL); // Check catches it
        _exit(d->run(d->argv));
    }
    execvp(d->argv[0], d->argv);
    perror(d->argv[0]);
    _exit(127);
}

static void spawn(struct daemon *d)
{
    env_note_test();
    notify_open(d);
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        become_daemon(d, parent);
    d->pid = pid;
    d->pidfd = pidfd_of(pid, 0);
    ck_assert_int_ge(d->pidfd, 0);
}

// ---- end -------------------------------------------------------------------------

// Waits for the process and closes what belonged to it. Returns waitpid()'s status.
static int reap(struct daemon *d)
{
    int status;
    struct pollfd p = {.fd = d->pidfd, .events = POLLIN};
    if (poll(&p, 1, (int)d->limit_ms) != 1) {
        kill(d->pid, SIGKILL);
        ck_abort_msg("%s does not end", d->log.s);
    }
    ck_assert_int_eq(waitpid(d->pid, &status, 0), d->pid);
    d->pid = 0;
    close_fdp(&d->pidfd);
    close_fdp(&d->notify);
    return status;
}

static void daemon_free(struct daemon *d)
{
    close_fdp(&d->pidfd);
    close_fdp(&d->notify);
    for (size_t i = 0; i < DAEMON_ARGS_MAX; i++)
        free(d->argv[i]);
    free(d);
}

static const char *status_text(int status)
{
    static char text[64];
    if (WIFSIGNALED(status))
        snprintf(text, sizeof(text), "was killed by signal %d", WTERMSIG(status));
    else
        snprintf(text, sizeof(text), "exited with %d", WEXITSTATUS(status));
    return text;
}

// Waits for READY=1. False if the process ended instead.
static bool wait_ready(struct daemon *d)
{
    int64_t deadline = deadline_in(d->limit_ms);
    struct pollfd p[] = {{.fd = d->notify, .events = POLLIN}, {.fd = d->pidfd, .events = POLLIN}};
    while (poll(p, 2, deadline_left(deadline)) > 0) {
        char text[512];
        ssize_t n = recv(d->notify, text, sizeof(text) - 1, 0);
        text[n > 0 ? n : 0] = '\0';
        if (strstr(text, "READY=1"))
            return true;
        if (n < 0 && p[1].revents)
            return false;
    }
    ck_abort_msg("%s: not ready", d->log.s);
}

static void start(struct daemon *d)
{
    spawn(d);
    if (!wait_ready(d))
        ck_abort_msg("%s: the daemon %s instead of getting ready", d->log.s, status_text(reap(d)));
}

struct daemon *daemon_start(const struct daemon_options *options)
{
    struct daemon *d = daemon_new(options);
    start(d);
    return d;
}

void daemon_let_everybody_in(const struct daemon *d)
{
    ck_assert_int_eq(chmod(d->socket.s, 0666), 0);
}

void daemon_restart(struct daemon *d)
{
    ck_assert_msg(d->pid == 0, "restart of a daemon that runs");
    start(d);
}

static void read_log(const struct daemon *d, char *log, size_t size)
{
    cleanup_file FILE *file = fopen(d->log.s, "re");
    size_t n = file ? fread(log, 1, size - 1, file) : 0;
    log[n] = '\0';
}

int daemon_refused(const struct daemon_options *options, char *log, size_t size)
{
    struct daemon *d = daemon_new(options);
    spawn(d);
    ck_assert_msg(!wait_ready(d), "%s: the daemon started, it should have refused", d->log.s);
    int status = reap(d);
    ck_assert_msg(WIFEXITED(status), "%s: the daemon %s", d->log.s, status_text(status));
    if (log)
        read_log(d, log, size);
    remove(d->log.s); // another daemon may follow with the same label
    return WEXITSTATUS(status);
}

void daemon_ended(struct daemon *d)
{
    int status = reap(d);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the daemon %s when stopped",
                  d->log.s, status_text(status));
}

void daemon_over(struct daemon *d)
{
    reap(d);
}

void daemon_stop(struct daemon *d)
{
    daemon_assert_alive(d);
    kill(d->pid, SIGTERM);
    daemon_ended(d);
}

// A killed daemon cannot remove it, and no test needs it.
static void remove_metrics_socket(const struct daemon *d)
{
    char path[sizeof(d->socket.s) + 16];
    size_t n = strlen(d->socket.s);
    if (n > 5 && strcmp(d->socket.s + n - 5, ".sock") == 0)
        n -= 5;
    snprintf(path, sizeof(path), "%.*s-metrics.sock", (int)n, d->socket.s);
    unlink(path);
}

void daemon_kill(struct daemon *d)
{
    daemon_assert_alive(d);
    kill(d->pid, SIGKILL);
    reap(d);
    remove_metrics_socket(d);
}

void daemon_freeze(struct daemon *d)
{
    siginfo_t info;
    kill(d->pid, SIGSTOP);
    ck_assert_int_eq(waitid(P_PID, (id_t)d->pid, &info, WSTOPPED | WEXITED | WNOWAIT), 0);
    ck_assert_int_eq(info.si_code, CLD_STOPPED);
    waitid(P_PID, (id_t)d->pid, &info, WSTOPPED);
}

void daemon_thaw(struct daemon *d)
{
    kill(d->pid, SIGCONT);
}

void daemon_use(const struct daemon *d)
{
    ck_assert_int_eq(setenv("DOCAD_SOCKET", d->socket.s, 1), 0);
}

void daemon_assert_alive(struct daemon *d)
{
    ck_assert_msg(d->pid != 0, "%s: the daemon was stopped before", d->log.s);
    siginfo_t info = {0};
    struct pollfd p = {.fd = d->pidfd, .events = POLLIN};
    waitid(P_PID, (id_t)d->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid)
        ck_abort_msg("%s: the daemon %s", d->log.s, status_text(reap(d)));
    // It may be the child of the process that runs the tests, which share it.
    ck_assert_msg(poll(&p, 1, 0) == 0, "%s: the daemon has ended", d->log.s);
}

bool daemon_logged(const struct daemon *d, const char *text)
{
    cleanup_free char *log = malloc(1 << 20);
    ck_assert_ptr_nonnull(log);
    read_log(d, log, 1 << 20);
    return strstr(log, text) != NULL;
}

void daemon_wait_logged(const struct daemon *d, const char *text)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!daemon_logged(d, text))
        ck_assert_msg(deadline_pause(deadline), "never logged: %s", text);
}

void daemon_stop_all(void)
{
    for (struct daemon *d = daemons; d; d = d->next)
        if (d->pid)
            daemon_stop(d);
    while (daemons) {
        struct daemon *d = daemons;
        daemons = d->next;
        daemon_free(d);
    }
}

void daemon_close_all(void)
{
    for (struct daemon *d = daemons; d; d = d->next) {
        d->pid = 0;
        close_fdp(&d->pidfd);
        close_fdp(&d->notify);
    }
}
