// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A private pair of docad, in a directory that is removed at the end.

#include "cleanup.h"
#include "copy_text.h"
#include "supervisor.h"
#include "pidfd.h"
#include "private_docad.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_MS 20000
#define STOP_MS  10000

// The limits that tests with many objects reach.
static const char *const limits[] = {
    "sessions_per_uid",       "publications_per_uid",  "exports_per_session", "regions_per_session",
    "grants_per_peer",        "publications_per_peer", "descriptors_per_uid", "descriptors",
    "metadata_bytes_per_uid", "metadata_bytes",
};

static const char *const roles[N_NODES] = {"host", "dpu", "dpu"};
static const char *const names[N_NODES] = {"host", "dpu", "second"}; // of files

// ---- the directory --------------------------------------------------------------------------

// Writes what differs from the defaults.
static bool write_common(const struct supervisor *sup, int fd)
{
    char cpus[24] = "";
    if (sup->engine_cpu >= 0)
        snprintf(cpus, sizeof(cpus), " cpus = %d\n", sup->engine_cpu);
    bool written = dprintf(fd, "engine {\n copies_over = %llu\n%s}\n",
                           (unsigned long long)sup->copies_over, cpus) > 0;
    for (size_t i = 0; written && sup->unlimited && i < ARRAY_SIZE(limits); i++)
        written = dprintf(fd, "limits { %s = unlimited }\n", limits[i]) > 0;
    if (written && sup->for_everybody)
        written = chmod(sup->directory, 0711) == 0 && dprintf(fd, "socket_mode = 0666\n") > 0;
    return written;
}

static bool write_links(const struct supervisor *sup, enum node node, int fd)
{
    const char *dir = sup->directory, *host = sup->nodes[NODE_HOST].socket;
    bool written = true;
    char listen[48] = "";
    if (node == NODE_HOST)
        snprintf(listen, sizeof(listen), " listen = \"127.0.0.1:%u\"\n", sup->port);
    if (sup->port && (node == NODE_HOST || sup->tls))
        written = dprintf(fd,
                          "tls {\n%s certificate = \"%s/%s.crt\"\n key = \"%s/%s.key\"\n"
                          " authority = \"%s/authority.crt\"\n}\n",
                          listen, dir, names[node], dir, names[node], dir) > 0;
    if (node == NODE_SECOND_DPU && sup->unlinked)
        return written;
    if (written && node == NODE_DPU && sup->tls)
        written = dprintf(fd, "peer \"host\" { address = \"127.0.0.1:%u\" }\n", sup->port) > 0;
    else if (written && node != NODE_HOST && host[0])
        written = dprintf(fd, "peer \"host\" { socket = \"%s\"\n descriptors = %s }\n", host,
                          sup->apart ? "no" : "yes") > 0;
    return written;
}

// The configurations of the machine and the user must not apply.
bool daemons_configure(const struct supervisor *sup, enum node node, struct problem *problem)
{
    char path[NODE_PATH_MAX];
    private_directory_name(sup->directory, names[node], ".conf", path);
    cleanup_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return (fd >= 0 && write_common(sup, fd) && write_links(sup, node, fd)) ||
           problem_set(problem, "cannot write %s: %s", path, strerror(errno));
}

// docactl makes the certificates, in the same directory.
static bool run_docactl(const struct supervisor *sup, const char *what, const char *node)
{
    char found[PATH_MAX];
    const char *argv[] = {private_find_program("docactl", "../bin/docactl", NULL, found),
                          "certificates",
                          what,
                          node ? node : sup->directory,
                          node ? sup->directory : NULL,
                          NULL};
    pid_t pid = fork();
    int status = -1;
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool make_certificates(const struct supervisor *sup, struct problem *problem)
{
    return (run_docactl(sup, "authority", NULL) && run_docactl(sup, "node", "host") &&
            (!sup->tls || run_docactl(sup, "node", "dpu"))) ||
           problem_set(problem, "docactl cannot make certificates in %s", sup->directory);
}

static bool make_directory(struct supervisor *sup, struct problem *problem)
{
    char path[NODE_PATH_MAX];
    if (sup->directory[0])
        return true;
    if (!private_directory_make("doca-perftest", path))
        return problem_set(problem, "cannot make the directory %s: %s", path, strerror(errno));
    copy_text(sup->directory, path);
    return !sup->port || make_certificates(sup, problem);
}

static void remove_directory(struct supervisor *sup)
{
    if (sup->directory[0])
        private_directory_remove(sup->directory);
    sup->directory[0] = '\0';
}

unsigned short daemons_free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    cleanup_fd int sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (sock < 0 || bind(sock, (struct sockaddr *)&at, size) < 0 ||
        getsockname(sock, (struct sockaddr *)&at, &size) < 0)
        return 0;
    return ntohs(at.sin_port);
}

// ---- the program --------------------------------------------------------------------------

static _Noreturn void be_docad(const struct supervisor *sup, enum node node, const char *notify)
{
    char socket[NODE_PATH_MAX], config[NODE_PATH_MAX], log[NODE_PATH_MAX], found[PATH_MAX];
    private_directory_name(sup->directory, names[node], ".sock", socket);
    private_directory_name(sup->directory, names[node], ".log", log);
    private_directory_name(sup->directory, names[node], ".conf", config);
    const struct private_docad docad = {
        .program = private_find_program("docad", "../sbin/docad", getenv("DOCAD_BINARY"), found),
        .role = roles[node],
        .socket = socket,
        .config = config,
        .notify = notify,
        .output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600),
    };
    private_docad_become(&docad);
}

// ---- until it is ready ----------------------------------------------------------------------

// Returns the end of a daemon's output.
static void read_log(const struct supervisor *sup, enum node node, char *text, size_t size)
{
    char path[NODE_PATH_MAX];
    private_directory_name(sup->directory, names[node], ".log", path);
    text[0] = '\0';
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    if (fseek(f, -(long)(size - 1), SEEK_END) < 0)
        rewind(f);
    size_t n = fread(text, 1, size - 1, f);
    while (n && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    fclose(f);
}

static bool wait_until_ready(struct supervisor *sup, enum node node, int notify,
                             struct problem *problem)
{
    struct private_node *daemon = &sup->nodes[node];
    struct private_reports reports = {0};
    char log[300];
    for (;;) {
        private_notify_read(notify, &reports);
        if (reports.ready)
            return true;
        bool more = supervisor_wait(sup, notify, daemon->pidfd, READY_MS);
        if (sup->caught)
            return problem_set(problem, "interrupted");
        if (!more)
            return problem_set(problem, "docad (%s) is not ready after %d s", names[node],
                               READY_MS / 1000);
        if (waitpid(daemon->pid, NULL, WNOHANG) == daemon->pid) {
            daemon->pid = 0;
            read_log(sup, node, log, sizeof(log));
            return problem_set(problem, "docad (%s) ended before it was ready: %s", names[node],
                               log);
        }
    }
}

bool daemons_start(struct supervisor *sup, enum node node, struct problem *problem)
{
    struct private_node *daemon = &sup->nodes[node];
    char path[PRIVATE_PATH_MAX];

    if (!make_directory(sup, problem) || !daemons_configure(sup, node, problem))
        return false;
    int notify = private_notify_open(sup->directory, names[node], path);
    if (notify < 0)
        return problem_set(problem, "cannot make a socket: %s", strerror(errno));
    daemon->pid = supervisor_fork(sup, SIGTERM);
    if (daemon->pid == 0)
        be_docad(sup, node, path);
    bool ok = daemon->pid > 0;
    if (!ok) {
        daemon->pid = 0;
        problem_set(problem, "fork: %s", strerror(errno));
    } else {
        daemon->pidfd = pidfd_of(daemon->pid, O_NONBLOCK);
        ok = wait_until_ready(sup, node, notify, problem);
    }
    close(notify);
    if (ok)
        private_directory_name(sup->directory, names[node], ".sock", daemon->socket);
    return ok;
}

void daemons_stop(struct supervisor *sup)
{
    // First stops the daemon that dials: it would log the other's end.
    for (int node = N_NODES - 1; node >= 0; node--) {
        struct private_node *daemon = &sup->nodes[node];
        if (daemon->pid) {
            kill(daemon->pid, SIGTERM);
            supervisor_reap(sup, daemon->pid, daemon->pidfd, STOP_MS);
            daemon->socket[0] = '\0';
        }
        if (daemon->pidfd >= 0)
            close(daemon->pidfd);
        daemon->pid = 0;
        daemon->pidfd = -1;
    }
    remove_directory(sup);
}
