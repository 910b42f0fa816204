// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "scale_bus.h"

#ifdef PERFTEST_SYSTEMD

#include "cleanup.h"
#include "clock.h"
#include "scale_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define PROGRAM    "/usr/bin/dbus-broker"
#define MACHINE_ID "0123456789abcdef0123456789abcdef" // any one will do
#define TIMEOUT_US 10000000u

// The types of a policy: rules for a user, and policies for users, for groups, for SELinux and
// AppArmor, and the type of bus.
#define RULES  "bta(btbs)a(btssssuutt)a(btssssuutt)"
#define POLICY "a(u(" RULES "))a(buu(" RULES "))a(ss)bs"

struct bus {
    pid_t broker;
    sd_bus *controller; // sends the broker its listening socket
    char address[sizeof(((struct sockaddr_un *)0)->sun_path) + sizeof("unix:abstract=")];
    uint32_t *ticks[N_SCALE_BUS], *cpu_ticks[N_SCALE_BUS];
};

static bool failed(struct problem *problem, const char *what, int error)
{
    return problem_set(problem, "dbus-broker: %s: %s", what, strerror(-error));
}

// ---- the broker -------------------------------------------------------------------------------

// With an abstract name that the kernel chooses, so that no file remains.
static int listen_somewhere(struct bus *bus)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(at);
    cleanup_fd int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (sock < 0 || bind(sock, (struct sockaddr *)&at, sizeof(sa_family_t)) < 0 ||
        listen(sock, SOMAXCONN) < 0 || getsockname(sock, (struct sockaddr *)&at, &size) < 0)
        return -errno;
    snprintf(bus->address, sizeof(bus->address), "unix:abstract=%.*s",
             (int)(size - offsetof(struct sockaddr_un, sun_path) - 1), at.sun_path + 1);
    return steal_fd(&sock);
}

static void become_broker(int controller, const char *number)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (fcntl(controller, F_SETFD, 0) == 0)
        execl(PROGRAM, PROGRAM, "--controller", number, "--machine-id", MACHINE_ID, NULL);
    _exit(127);
}

static bool start_broker(struct bus *bus, struct problem *problem)
{
    char number[16];
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
        return failed(problem, "cannot make a socket", -errno);
    cleanup_fd int ours = ends[0], theirs = ends[1];
    snprintf(number, sizeof(number), "%d", theirs);
    bus->broker = fork();
    if (bus->broker < 0)
        return failed(problem, "cannot start it", -errno);
    if (bus->broker == 0)
        become_broker(theirs, number);
    int r = sd_bus_new(&bus->controller);
    if (r >= 0)
        r = sd_bus_set_fd(bus->controller, ours, ours);
    if (r >= 0) {
        steal_fd(&ours); // sd-bus has it
        r = sd_bus_start(bus->controller);
    }
    return r >= 0 || failed(problem, "cannot talk to it", r);
}

// Everybody may connect, own every name, and send and receive everything.
static int append_policy(sd_bus_message *m)
{
    static const char all[] = "(" POLICY ")";
    int r = sd_bus_message_open_container(m, 'v', all);

    if (r >= 0)
        r = sd_bus_message_append(m, all, 1, UINT32_MAX, true, UINT64_C(1), 1, true, UINT64_C(1),
                                  true, "", 1, true, UINT64_C(1), "", "", "", "", 0u, 0u,
                                  UINT64_C(0), UINT64_MAX, 1, true, UINT64_C(1), "", "", "", "", 0u,
                                  0u, UINT64_C(0), UINT64_MAX, 0, 0, false, "session");
    return r < 0 ? r : sd_bus_message_close_container(m);
}

static bool add_listener(struct bus *bus, struct problem *problem)
{
    sd_bus_message *m = NULL;
    cleanup_fd int sock = listen_somewhere(bus);

    if (sock < 0)
        return failed(problem, "cannot make a socket", sock);
    int r = sd_bus_message_new_method_call(bus->controller, &m, NULL, "/org/bus1/DBus/Broker",
                                           "org.bus1.DBus.Broker", "AddListener");
    if (r >= 0)
        r = sd_bus_message_append(m, "oh", "/org/bus1/DBus/Listener/0", sock);
    if (r >= 0)
        r = append_policy(m);
    if (r >= 0)
        r = sd_bus_call(bus->controller, m, TIMEOUT_US, NULL, NULL);
    sd_bus_message_unref(m);
    return r >= 0 || failed(problem, "it does not listen", r);
}

// ---- requests ---------------------------------------------------------------------------------

static int connect_to(const struct bus *bus, sd_bus **out)
{
    const char *name;
    int r = sd_bus_new(out);

    if (r >= 0)
        r = sd_bus_set_address(*out, bus->address);
    if (r >= 0)
        r = sd_bus_set_bus_client(*out, true);
    if (r >= 0)
        r = sd_bus_start(*out);
    return r < 0 ? r : sd_bus_get_unique_name(*out, &name); // the answer to Hello
}

static int call(sd_bus *connection)
{
    return sd_bus_call_method(connection, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                              "org.freedesktop.DBus", "GetId", NULL, NULL, "");
}

static int timed(struct bus *bus, enum scale_bus_request request, uint64_t i, sd_bus **connection)
{
    uint64_t cpu = usage_cpu_ns(bus->broker), before = ticks_now();
    int r = request == SCALE_BUS_CONNECT ? connect_to(bus, connection) : call(*connection);

    bus->ticks[request][i] = (uint32_t)ticks_between(before, ticks_now());
    bus->cpu_ticks[request][i] = usage_cpu_ticks(bus->broker, cpu);
    return r;
}

static bool measure(struct bus *bus, uint64_t n, struct problem *problem)
{
    int r = 0;

    for (uint64_t i = 0; i < n && r >= 0; i++) {
        sd_bus *connection = NULL;
        r = timed(bus, SCALE_BUS_CONNECT, i, &connection);
        if (r >= 0)
            r = timed(bus, SCALE_BUS_CALL, i, &connection);
        sd_bus_flush_close_unref(connection);
    }
    return r >= 0 || failed(problem, "a request has failed", r);
}

// ---- measurement --------------------------------------------------------------------------------

static bool make_room(struct bus *bus, uint64_t n)
{
    bool ok = true;

    for (int i = 0; i < N_SCALE_BUS; i++) {
        bus->ticks[i] = calloc(n, sizeof(uint32_t));
        bus->cpu_ticks[i] = calloc(n, sizeof(uint32_t));
        ok = ok && bus->ticks[i] && bus->cpu_ticks[i];
    }
    return ok;
}

static void clean_up(struct bus *bus)
{
    sd_bus_flush_close_unref(bus->controller);
    if (bus->broker > 0) {
        kill(bus->broker, SIGKILL);
        waitpid(bus->broker, NULL, 0);
    }
    for (int i = 0; i < N_SCALE_BUS; i++) {
        free(bus->ticks[i]);
        free(bus->cpu_ticks[i]);
    }
}

bool scale_bus_measure(uint64_t n, struct scale_times out[N_SCALE_BUS], bool *done,
                       struct problem *problem)
{
    struct bus bus = {.broker = -1};

    if (access(PROGRAM, X_OK) != 0)
        return true;
    bool ok = make_room(&bus, n) || problem_set(problem, "out of memory");
    ok = ok && start_broker(&bus, problem) && add_listener(&bus, problem) &&
         measure(&bus, n, problem);
    for (int i = 0; ok && i < N_SCALE_BUS; i++) {
        spread_of(&out[i].wall, bus.ticks[i], n);
        spread_of(&out[i].cpu, bus.cpu_ticks[i], n);
    }
    *done = ok;
    clean_up(&bus);
    return ok;
}

#else

bool scale_bus_measure(uint64_t n, struct scale_times out[N_SCALE_BUS], bool *done,
                       struct problem *problem)
{
    (void)n, (void)out, (void)done, (void)problem;
    return true;
}

#endif
