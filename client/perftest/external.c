// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "external.h"

#include "clock.h"
#include "pidfd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_MS    60000
#define END_MS    2000 // time for a server whose client has ended
#define TRIES     40   // until the server listens
#define PAUSE_US  50000
#define ARGS_MAX  16
#define LOCALHOST "127.0.0.1"

typedef bool (*read_fn)(const char *text, struct external_figures *out);

static bool read_ucx(const char *text, struct external_figures *out);
static bool read_fabric(const char *text, struct external_figures *out);

static const struct tool {
    const char *name, *package;
    read_fn read;
    const char *options[3]; // before the test's name, its size and its count
} tools[N_EXTERNAL] = {
    [EXTERNAL_UCX] = {"ucx_perftest", "ucx-utils", read_ucx, {"-t", "-s", "-n"}},
    [EXTERNAL_FABRIC] = {"fi_pingpong", "libfabric-bin", read_fabric, {"-e rdm -p", "-S", "-I"}},
};

bool external_find(enum external_tool tool, char *path, size_t size)
{
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t n = strcspn(at, ":");
        int r = snprintf(path, size, "%.*s/%s", (int)n, at, tools[tool].name);
        if (n && r > 0 && (size_t)r < size && access(path, X_OK) == 0)
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

struct json_object *external_json(void)
{
    struct json_object *array = json_object_new_array();
    for (int tool = 0; tool < N_EXTERNAL; tool++) {
        char path[PATH_MAX];
        bool found = external_find((enum external_tool)tool, path, sizeof(path));
        struct json_object *object = json_object_new_object();
        json_add_text(object, "name", tools[tool].name);
        json_add_text(object, "package", tools[tool].package);
        json_add_text(object, "path", found ? path : NULL);
        json_object_array_add(array, object);
    }
    return array;
}

// ---- output of the programs
// -------------------------------------------------------------------------

// Returns the nth field of a line; NAN if it is not a number.
static double field(const char *line, const char *separators, unsigned n)
{
    size_t length;
    while ((length = strcspn(line, separators)) && n--) {
        if (line[length] == '\0' || line[length] == '\n')
            return NAN;
        line += length + 1;
        if (separators[0] == ' ')
            line += strspn(line, " ");
    }
    char *end;
    double value = strtod(line, &end);
    return end == line ? NAN : value;
}

// Comma-separated, with a line of names first:
// iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
static bool read_ucx(const char *text, struct external_figures *out)
{
    static const char *const names[] = {"50.0_percentile_lat", "overall_lat", "overall_bw",
                                        "overall_mr"};
    double values[] = {NAN, NAN, NAN, NAN};
    const char *head = strstr(text, "iterations,");
    const char *line = head ? strchr(head, '\n') : NULL;
    if (!line)
        return false;
    for (unsigned i = 0; i < 4; i++) {
        const char *name = strstr(head, names[i]);
        unsigned column = 0;
        for (const char *c = head; name && name < line && c < name; c++)
            column += *c == ',';
        if (name && name < line)
            values[i] = field(line + 1, ",\n", column);
    }
    *out = (struct external_figures){values[0], values[1], values[2], values[3] / 1e6};
    return !isnan(out->average_usec);
}

// bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
// 64      1k      =1k      125k        0.79s      0.16     393.82       0.00
static bool read_fabric(const char *text, struct external_figures *out)
{
    const char *head = strstr(text, "usec/xfer");
    const char *line = head ? strchr(head, '\n') : NULL;
    if (!line)
        return false;
    *out = (struct external_figures){
        .p50_usec = NAN,
        .average_usec = field(line + 1, " \n", 6),
        .mib_s = field(line + 1, " \n", 5) * 1e6 / (1024 * 1024),
        .rate_mpps = field(line + 1, " \n", 7),
    };
    return !isnan(out->average_usec);
}

// ---- running them ------------------------------------------------------------------------------

// Returns a port that was free a moment ago.
static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int port = -1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *)&address, length) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        port = ntohs(address.sin_port);
    close(fd);
    return port;
}

static _Noreturn void be_tool(const struct external_test *test, int port, bool client, int out)
{
    char path[PATH_MAX], at[16], size[24], iters[24];
    const char *argv[ARGS_MAX];
    size_t n = 0;

    if (!external_find(test->tool, path, sizeof(path)))
        _exit(127);
    snprintf(at, sizeof(at), "%d", port);
    snprintf(size, sizeof(size), "%" PRIu64, test->size);
    snprintf(iters, sizeof(iters), "%" PRIu64, test->iters);
    argv[n++] = path;
    if (test->tool == EXTERNAL_UCX) {
        setenv("UCX_TLS", "posix,self", 0); // shared memory, like ours, unless the user chooses
        for (const char *const *arg = (const char *const[]){"-p", at, "-v", "-f", "-t", test->name,
                                                            "-s", size, "-n", iters, NULL};
             *arg; arg++)
            argv[n++] = *arg;
    } else {
        for (const char *const *arg =
                 (const char *const[]){client ? "-P" : "-B", at, "-e", "rdm", "-p", test->name,
                                       "-S", size, "-I", iters, NULL};
             *arg; arg++)
            argv[n++] = *arg;
    }
    if (client)
        argv[n++] = LOCALHOST;
    argv[n] = NULL;
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(client ? out : null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execv(path, (char *const *)argv);
    _exit(127);
}

// Reads until the end of the stream. Returns false if it does not come in time.
static bool read_all(struct supervisor *sup, int fd, char *text, size_t size)
{
    size_t used = 0;
    ssize_t n;
    do {
        if (!supervisor_wait(sup, fd, -1, RUN_MS))
            return false;
        char rest[512];
        bool room = used < size - 1;
        n = read(fd, room ? text + used : rest, room ? size - 1 - used : sizeof(rest));
        if (n > 0 && room)
            used += (size_t)n;
    } while (n > 0);
    text[used] = '\0';
    return true;
}

// Runs the client; returns whether its status was 0.
static bool run_client(struct supervisor *sup, const struct external_test *test, int port,
                       char *text, size_t size)
{
    int out[2];
    if (pipe2(out, O_CLOEXEC) < 0)
        return false;
    pid_t pid = supervisor_fork(sup, SIGKILL);
    if (pid == 0)
        be_tool(test, port, true, out[1]);
    close(out[1]);
    bool ended = pid > 0 && read_all(sup, out[0], text, size);
    close(out[0]);
    if (pid < 0)
        return false;
    int pidfd = pidfd_of(pid, 0);
    int status = supervisor_reap(sup, pid, pidfd, ended ? END_MS : 0);
    if (pidfd >= 0)
        close(pidfd);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The client fails until the server listens.
static bool run_clients(struct supervisor *sup, const struct external_test *test, int port,
                        int server, struct external_figures *out, struct problem *problem)
{
    const struct tool *tool = &tools[test->tool];
    char text[4096] = "";
    for (int i = 0; i < TRIES && !sup->caught; i++) {
        sleep_us(PAUSE_US);
        if (run_client(sup, test, port, text, sizeof(text)))
            return tool->read(text, out) ||
                   problem_set(problem, "%s %s printed what is not understood: %.200s", tool->name,
                               test->name, text);
        if (server >= 0 && supervisor_wait(sup, server, -1, 0))
            break;
    }
    if (sup->caught)
        return problem_set(problem, "interrupted");
    // Its messages are for people: its standard error is dropped.
    return problem_set(problem,
                       "%s %s failed; run it by hand: %s %s %s %s %" PRIu64 " %s %" PRIu64
                       ", in another shell the same with " LOCALHOST " at the end",
                       tool->name, test->name, tool->name, tool->options[0], test->name,
                       tool->options[1], test->size, tool->options[2], test->iters);
}

bool external_run(struct supervisor *sup, const struct external_test *test,
                  struct external_figures *out, struct problem *problem)
{
    int port = free_port();
    if (port < 0)
        return problem_set(problem, "cannot get a port on this machine: %s", strerror(errno));
    pid_t pid = supervisor_fork(sup, SIGKILL);
    if (pid == 0)
        be_tool(test, port, false, -1);
    if (pid < 0)
        return problem_set(problem, "fork: %s", strerror(errno));
    int server = pidfd_of(pid, 0);
    bool ok = run_clients(sup, test, port, server, out, problem);
    supervisor_reap(sup, pid, server, ok ? END_MS : 0);
    if (server >= 0)
        close(server);
    return ok;
}
