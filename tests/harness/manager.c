// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "manager.h"

#include "cleanup.h"
#include "deadline.h"
#include "packet.h"
#include "record_file.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <linux/kcmp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#define KEPT_MAX  16 // FileDescriptorStoreMax= of the unit
#define FIRST_FD  3  // for the descriptors that docad gets
#define ASIDE     64 // where the manager keeps them meanwhile
#define NAMES_MAX (KEPT_MAX * 64)

static struct {
    char **argv;
    const char *socket_path;
    int listening, notify, signals, harness;
    char notify_name[64];
    pid_t docad;
    int ending; // the signal sent to docad, 0: it should run
    unsigned restarts;
    bool stopping, was_ready;
    struct {
        int fd;
        char name[64];
    } kept[KEPT_MAX];
    size_t n_kept;
    unsigned delay_us; // for each message: $DOCAD_TEST_MANAGER_DELAY_US
    bool very;         // also if it ends as with a wrong configuration
    bool patient;      // docad may fail, and is started again: $DOCAD_TEST_MANAGER_PATIENT
} m;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "manager: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    if (m.docad)
        kill(m.docad, SIGKILL);
    exit(70);
}

// ---- to the harness -------------------------------------------------------------------

static int connect_harness(void)
{
    const char *name = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    size_t length = strlen(name);
    memcpy(address.sun_path, name, length);
    address.sun_path[0] = '\0';
    if (connect(fd, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) < 0)
        die("no harness");
    return fd;
}

static void say(const char *format, unsigned n)
{
    char text[64];
    int size = snprintf(text, sizeof(text), "%s%u", format, n);
    send(m.harness, text, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// ---- docad ----------------------------------------------------------------------------

static void pass(int fd, int to)
{
    if (dup2(fd, to) < 0)
        _exit(71);
}

static void become_docad(void)
{
    static char names[NAMES_MAX];
    char text[32];
    size_t n = (size_t)snprintf(names, sizeof(names), "docad.socket");
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int listening = fcntl(m.listening, F_DUPFD_CLOEXEC, ASIDE);
    for (size_t i = 0; i < m.n_kept; i++) {
        m.kept[i].fd = fcntl(m.kept[i].fd, F_DUPFD_CLOEXEC, ASIDE);
        n += (size_t)snprintf(names + n, sizeof(names) - n, ":%s", m.kept[i].name);
    }
    pass(listening, FIRST_FD);
    for (size_t i = 0; i < m.n_kept; i++)
        pass(m.kept[i].fd, FIRST_FD + 1 + (int)i);
    snprintf(text, sizeof(text), "%zu", m.n_kept + 1);
    setenv("LISTEN_FDS", text, 1);
    snprintf(text, sizeof(text), "%d", (int)getpid());
    setenv("LISTEN_PID", text, 1);
    setenv("LISTEN_FDNAMES", names, 1);
    setenv("NOTIFY_SOCKET", m.notify_name, 1);
    snprintf(text, sizeof(text), "%d", KEPT_MAX);
    setenv("FDSTORE", text, 1);
    execv(m.argv[0], m.argv);
    _exit(72);
}

static void start(void)
{
    m.ending = 0;
    fflush(NULL);
    m.docad = fork();
    if (m.docad < 0)
        die("cannot fork");
    if (m.docad == 0)
        become_docad();
}

// ---- what docad says ------------------------------------------------------------------

static void forget(const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < m.n_kept; i++) {
        if (strcmp(m.kept[i].name, name) == 0)
            close(m.kept[i].fd);
        else
            m.kept[n++] = m.kept[i];
    }
    m.n_kept = n;
}

// systemd compares each descriptor with all that it has.
static bool is_new(int fd)
{
    for (size_t i = 0; i < m.n_kept; i++)
        if (syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, m.kept[i].fd, fd) == 0)
            return false;
    return true;
}

// How many objects the next docad would find.
static unsigned count_records(void)
{
    int n = 0;
    for (size_t i = 0; i < m.n_kept; i++)
        if (strcmp(m.kept[i].name, "docad-records") == 0)
            n = record_file_count(m.kept[i].fd);
    return n < 0 ? 0 : (unsigned)n;
}

static void take(char *text, struct fd_list *fds)
{
    usleep(m.delay_us);
    char *save, name[64] = "";
    bool store = false, drop = false, ready = false;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        store = store || strcmp(line, "FDSTORE=1") == 0;
        drop = drop || strcmp(line, "FDSTOREREMOVE=1") == 0;
        ready = ready || strcmp(line, "READY=1") == 0;
        if (strncmp(line, "FDNAME=", 7) == 0)
            snprintf(name, sizeof(name), "%s", line + 7);
    }
    if (drop)
        forget(name);
    if (store && fds->count == 1 && m.n_kept < KEPT_MAX && is_new(fds->fds[0])) {
        m.kept[m.n_kept].fd = fd_list_take(fds, 0);
        strcpy(m.kept[m.n_kept++].name, name);
    }
    if (!ready)
        return;
    if (m.was_ready)
        say("RESTARTED=", m.restarts);
    else
        send(m.harness, "READY=1", 7, MSG_NOSIGNAL);
    m.was_ready = true;
}

static void drain(void)
{
    char text[1024];
    for (;;) {
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        ssize_t n = packet_recv(m.notify, text, sizeof(text) - 1, &fds, MSG_DONTWAIT);
        if (n < 0)
            return;
        text[n] = '\0';
        take(text, &fds);
    }
}

// ---- signals --------------------------------------------------------------------------

static void end_docad(int signal)
{
    m.ending = signal;
    kill(m.docad, signal);
}

static void on_child(void)
{
    int status;
    if (waitpid(m.docad, &status, WNOHANG) != m.docad)
        return;
    m.docad = 0;
    drain(); // its last status
    bool as_asked = m.ending == SIGKILL ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                                        : WIFEXITED(status) && WEXITSTATUS(status) == 0;
    // 2: for want of memory, too, the configuration could not be read; the unit prevents a restart.
    bool failed = m.patient && WIFEXITED(status) &&
                  (WEXITSTATUS(status) == EXIT_FAILURE || (m.very && WEXITSTATUS(status) == 2));
    if (!failed && (!m.ending || !as_asked))
        die("docad ended with status 0x%x", status);
    if (m.stopping) {
        unlink(m.socket_path);
        exit(EXIT_SUCCESS);
    }
    m.restarts++;
    start();
}

static void on_signal(void)
{
    struct signalfd_siginfo info;
    if (read(m.signals, &info, sizeof(info)) != sizeof(info))
        return;
    if (info.ssi_signo == SIGCHLD) {
        on_child();
    } else if (info.ssi_signo == SIGTERM) {
        m.stopping = true;
        end_docad(SIGTERM);
    } else if (info.ssi_signo == SIGHUP) {
        drain();
        say("KEPT=", count_records());
    } else {
        end_docad(info.ssi_signo == SIGUSR1 ? SIGTERM : SIGKILL);
    }
}

// ---- the whole ------------------------------------------------------------------------

static void open_sockets(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(address);

    strcpy(address.sun_path, m.socket_path);
    m.listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bind(m.listening, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(m.listening, 4096) < 0)
        die("cannot listen on %s", m.socket_path);
    address = (struct sockaddr_un){.sun_family = AF_UNIX};
    m.notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (bind(m.notify, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path)) < 0 ||
        getsockname(m.notify, (struct sockaddr *)&address, &size) < 0)
        die("no socket for notifications");
    snprintf(m.notify_name, sizeof(m.notify_name), "@%.*s",
             (int)(size - offsetof(struct sockaddr_un, sun_path) - 1), address.sun_path + 1);
}

int manager_run(char **argv)
{
    static const int handled[] = {SIGCHLD, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP};
    struct rlimit files;
    sigset_t set;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    m.argv = argv;
    for (char **arg = argv; *arg; arg++)
        if (strcmp(*arg, "--socket") == 0)
            m.socket_path = arg[1];
    const char *delay = getenv("DOCAD_TEST_MANAGER_DELAY_US");
    m.delay_us = delay ? (unsigned)strtoul(delay, NULL, 10) : 0;
    const char *patient = getenv("DOCAD_TEST_MANAGER_PATIENT"); // "failures": only with status 1
    m.patient = patient != NULL;
    m.very = patient && strcmp(patient, "failures") != 0;
    m.harness = connect_harness();
    open_sockets();
    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
        sigaddset(&set, handled[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    m.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    start();
    for (;;) {
        struct pollfd p[] = {{.fd = m.notify, .events = POLLIN},
                             {.fd = m.signals, .events = POLLIN}};
        if (poll(p, 2, -1) < 0 && errno != EINTR)
            die("poll");
        if (p[0].revents)
            drain();
        if (p[1].revents)
            on_signal();
    }
}

// ---- the test's side ------------------------------------------------------------------

// Waits for a word from the manager and returns the number after it.
static unsigned wait_for(struct daemon *daemon, const char *word)
{
    int64_t deadline = deadline_in(daemon->limit_ms);
    struct pollfd p[] = {{.fd = daemon->notify, .events = POLLIN},
                         {.fd = daemon->pidfd, .events = POLLIN}};
    while (poll(p, 2, deadline_left(deadline)) > 0) {
        char text[512];
        ssize_t n = recv(daemon->notify, text, sizeof(text) - 1, MSG_DONTWAIT);
        text[n > 0 ? n : 0] = '\0';
        if (n > 0 && strncmp(text, word, strlen(word)) == 0)
            return (unsigned)strtoul(text + strlen(word), NULL, 10);
        if (n < 0 && p[1].revents)
            daemon_assert_alive(daemon); // tells how it ended
    }
    ck_abort_msg("%s: the manager does not say %s", daemon->log.s, word);
}

void manager_begin_restart(struct daemon *daemon, int signal)
{
    daemon_assert_alive(daemon);
    kill(daemon->pid, signal == SIGTERM ? SIGUSR1 : SIGUSR2);
}

void manager_wait(struct daemon *daemon)
{
    wait_for(daemon, "RESTARTED=");
}

void manager_restart(struct daemon *daemon, int signal)
{
    manager_begin_restart(daemon, signal);
    manager_wait(daemon);
}

void manager_wait_kept(struct daemon *daemon, unsigned n)
{
    int64_t deadline = deadline_in(daemon->limit_ms);
    unsigned kept;
    for (;;) {
        kill(daemon->pid, SIGHUP);
        kept = wait_for(daemon, "KEPT=");
        if (kept == n)
            return;
        ck_assert_msg(deadline_pause(deadline), "%s: %u objects are kept, not %u", daemon->log.s,
                      kept, n);
    }
}
