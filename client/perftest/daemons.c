// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A private pair of docad, in a directory that is removed at the end.

#include "cleanup.h"
#include "copy_text.h"
#include "supervisor.h"
#include "pidfd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_MS 20000
#define STOP_MS  10000

// The limits that many objects reach.
static const char *const limits[] = {
    "sessions_per_uid",       "publications_per_uid",  "exports_per_session", "regions_per_session",
    "grants_per_peer",        "publications_per_peer", "descriptors_per_uid", "descriptors",
    "metadata_bytes_per_uid", "metadata_bytes",
};

static const char *const roles[N_NODES] = {"host", "dpu", "dpu"};
static const char *const names[N_NODES] = {"host", "dpu", "second"}; // of files

// ---- programs -----------------------------------------------------------------------------

// What the environment says, else beside this program or where it is installed, else in PATH.
static const char *find_program(const char *name, const char *installed, const char *given,
                                char path[PATH_MAX])
{
    const char *const places[] = {name, installed};
    char self[PATH_MAX];
    if (given && *given)
        return given;
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash = n > 0 ? memrchr(self, '/', (size_t)n) : NULL;
    for (size_t i = 0; slash && i < 2; i++) {
        int r = snprintf(path, PATH_MAX, "%.*s%s", (int)(slash + 1 - self), self, places[i]);
        if (r < PATH_MAX && access(path, X_OK) == 0)
            return path;
    }
    return name;
}

// ---- the directory --------------------------------------------------------------------------

// Makes a name in the private directory, whose own name is short enough.
static void in_directory(const struct supervisor *sup, const char *name, char path[NODE_PATH_MAX])
{
    if (snprintf(path, NODE_PATH_MAX, "%s/%s", sup->directory, name) >= NODE_PATH_MAX)
        abort();
}

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
    char path[NODE_PATH_MAX], name[16];
    snprintf(name, sizeof(name), "%s.conf", names[node]);
    in_directory(sup, name, path);
    cleanup_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return (fd >= 0 && write_common(sup, fd) && write_links(sup, node, fd)) ||
           problem_set(problem, "cannot write %s: %s", path, strerror(errno));
}

// docactl makes the certificates, in the same directory.
static bool run_docactl(const struct supervisor *sup, const char *what, const char *node)
{
    char found[PATH_MAX];
    const char *argv[] = {find_program("docactl", "../bin/docactl", NULL, found),
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
    const char *base = getenv("TMPDIR");
    char path[NODE_PATH_MAX];
    if (sup->directory[0])
        return true;
    if (!base || base[0] != '/' || strlen(base) > NODE_PATH_MAX - 36)
        base = "/tmp"; // else a socket address would not hold the names below
    snprintf(path, sizeof(path), "%s/doca-perftest.XXXXXX", base);
    if (!mkdtemp(path))
        return problem_set(problem, "cannot make a directory in %s: %s", base, strerror(errno));
    copy_text(sup->directory, path);

    return !sup->port || make_certificates(sup, problem);
}

static void remove_directory(struct supervisor *sup)
{
    if (!sup->directory[0])
        return;
    DIR *dir = opendir(sup->directory);
    if (dir) {
        struct dirent *entry;
        while ((entry = readdir(dir)))
            unlinkat(dirfd(dir), entry->d_name, 0);
        closedir(dir);
    }
    rmdir(sup->directory);
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
    char socket[NODE_PATH_MAX], config[NODE_PATH_MAX], log[NODE_PATH_MAX], name[16];
    char found[PATH_MAX];
    const char *docad = find_program("docad", "../sbin/docad", getenv("DOCAD_BINARY"), found);
    const char *argv[] = {docad,      "--role", roles[node],   "--socket", socket,
                          "--config", config,   "--log-level", "warning",  NULL};

    snprintf(name, sizeof(name), "%s.sock", names[node]);
    in_directory(sup, name, socket);
    snprintf(name, sizeof(name), "%s.log", names[node]);
    in_directory(sup, name, log);
    snprintf(name, sizeof(name), "%s.conf", names[node]);
    in_directory(sup, name, config);
    setenv("NOTIFY_SOCKET", notify, 1);
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd >= 0) {
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        close(fd);
    }
    execvp(argv[0], (char *const *)argv);
    fprintf(stderr,
            "cannot run %s: %s. Put docad next to doca-perftest or in PATH, or set "
            "DOCAD_BINARY\n",
            argv[0], strerror(errno));
    _exit(127);
}

// ---- until it is ready ----------------------------------------------------------------------

static int open_notify(const struct supervisor *sup, char path[NODE_PATH_MAX])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    in_directory(sup, "notify", path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    unlink(path);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool says_ready(int notify)
{
    char text[1024];
    ssize_t n;
    while ((n = read(notify, text, sizeof(text) - 1)) > 0) {
        text[n] = '\0';
        if (strstr(text, "READY=1"))
            return true;
    }
    return false;
}

// Returns the end of a daemon's output.
static void read_log(const struct supervisor *sup, enum node node, char *text, size_t size)
{
    char name[16], path[NODE_PATH_MAX];
    snprintf(name, sizeof(name), "%s.log", names[node]);
    in_directory(sup, name, path);
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
    char log[300];
    while (!says_ready(notify)) {
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
    return true;
}

bool daemons_start(struct supervisor *sup, enum node node, struct problem *problem)
{
    struct private_node *daemon = &sup->nodes[node];
    char path[NODE_PATH_MAX], name[16];

    if (!make_directory(sup, problem) || !daemons_configure(sup, node, problem))
        return false;
    int notify = open_notify(sup, path);
    if (notify < 0)
        return problem_set(problem, "cannot make socket %s: %s", path, strerror(errno));
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
    if (ok) {
        snprintf(name, sizeof(name), "%s.sock", names[node]);
        in_directory(sup, name, daemon->socket);
    }
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
