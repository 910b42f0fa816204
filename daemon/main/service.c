// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "service.h"

#include "cleanup.h"
#include "clock.h"
#include "config.h"
#include "log.h"
#include "node.h"
#include "notify.h"
#include "peer.h"
#include "reload.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define STATUS_DELAY_MS 100 // many changes, one status

static struct service {
    struct node *node;
    service_reread_fn reread;
    void *arg;
    int signal_fd;
    sigset_t mask_before;
    struct event *signals, *watchdog, *status;
    bool ready_unsent; // the manager has not accepted READY=1 yet
} service = {.signal_fd = -1};

// ---- status ---------------------------------------------------------------------------

static unsigned count_linked(const struct node *node)
{
    const struct peer *peer;
    unsigned linked = 0;

    list_for_each (peer, &node->peers, in_node)
        linked += peer->state == PEER_LINKED;
    return linked;
}

static void format_status(const struct node *node, unsigned linked, char *text, size_t size)
{
    size_t functions = node_count_functions(node);
    snprintf(text, size, "%s node %s on %s: %zu function%s, %u session%s, %u node%s linked",
             role_name(node->config->role), node->config->name, node->config->socket, functions,
             functions == 1 ? "" : "s", node->n_sessions, node->n_sessions == 1 ? "" : "s", linked,
             linked == 1 ? "" : "s");
}

static void on_status(evutil_socket_t fd, short what, void *arg)
{
    char text[512];
    (void)fd;
    (void)what;
    (void)arg;

    unsigned linked = count_linked(service.node);
    format_status(service.node, linked, text, sizeof(text));
    // A service manager ignores the last one, which is for programs that start a docad.
    if (notify_send("%sSTATUS=%s\nX_DOCAD_LINKED=%u", service.ready_unsent ? "READY=1\n" : "", text,
                    linked))
        service.ready_unsent = false;
    else
        service_changed(service.node); // called again later
}

// A manager that does not read now is notified later.
void service_ready(void)
{
    service.ready_unsent = true;
    on_status(-1, 0, NULL);
}

void service_changed(struct node *node)
{
    struct timeval later = ms_to_timeval(STATUS_DELAY_MS);
    (void)node;
    if (service.status && !event_pending(service.status, EV_TIMEOUT, NULL))
        event_add(service.status, &later);
}

// ---- watchdog -------------------------------------------------------------------------

// Runs in the loop: a loop that hangs sends nothing, and docad is restarted.
static void on_watchdog(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    notify_send("WATCHDOG=1");
}

// How often the manager expects a message; 0: it expects none.
static uint64_t watchdog_interval_ms(void)
{
    const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (!usec || (pid && strtol(pid, NULL, 10) != (long)getpid()))
        return 0;
    errno = 0;
    unsigned long long us = strtoull(usec, NULL, 10);
    if (errno || us == 0 || us == UINT64_MAX)
        return 0;
    return us / 1000 / 3 + 1;
}

// ---- signals --------------------------------------------------------------------------

static void stop(int signal)
{
    log_event(LOG_EVENT_STOPPING, LOG_LEVEL_INFO, NULL, "stopping: %s", strsignal(signal));
    notify_send("STOPPING=1");
    node_stop(service.node);
}

bool service_reload(struct node *node)
{
    const char *path = node->config->path;
    bool done = false;

    cleanup_free struct config *config = malloc(sizeof(*config));
    log_info("reading the configuration again");
    notify_send("RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)clock_ms() * 1000);
    if (!config)
        log_error("the configuration is unchanged: out of memory");
    else if (!service.reread(service.arg, config))
        log_error("the configuration is unchanged, because the new one is wrong; docad%s%s "
                  "--check-config tells what is wrong",
                  path[0] ? " --config " : "", path);
    else
        done = reload(node, config);
    service_ready();
    return done;
}

static void on_signals(evutil_socket_t fd, short what, void *arg)
{
    struct signalfd_siginfo info;
    (void)what;
    (void)arg;

    while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGHUP)
            service_reload(service.node);
        else
            stop((int)info.ssi_signo);
    }
}

// Signals are read from a descriptor instead of caught: no handler interrupts anything, and
// ThreadSanitizer, which delays handlers, at times forever, has none to delay.
static bool watch_signals(struct event_base *base)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    service.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (service.signal_fd < 0)
        return false;
    pthread_sigmask(SIG_BLOCK, &set, &service.mask_before);
    service.signals = event_new(base, service.signal_fd, EV_READ | EV_PERSIST, on_signals, NULL);
    return service.signals && event_add(service.signals, NULL) == 0;
}

// ---- lifetime -------------------------------------------------------------------------

static bool start_watchdog(struct event_base *base)
{
    struct timeval interval = ms_to_timeval(watchdog_interval_ms());
    if (interval.tv_sec == 0 && interval.tv_usec == 0)
        return true;
    service.watchdog = event_new(base, -1, EV_PERSIST, on_watchdog, NULL);
    return service.watchdog && event_add(service.watchdog, &interval) == 0;
}

bool service_start(struct node *node, service_reread_fn reread, void *arg)
{
    service = (struct service){.node = node, .reread = reread, .arg = arg, .signal_fd = -1};
    if (!watch_signals(node->base) || !start_watchdog(node->base))
        return false;
    if (notify_is_on()) {
        service.status = event_new(node->base, -1, 0, on_status, NULL);
        if (!service.status)
            return false;
    }
    return true;
}

void service_stop(void)
{
    struct event *const events[] = {service.signals, service.watchdog, service.status};
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        if (events[i])
            event_free(events[i]);
    if (service.signal_fd >= 0) {
        close(service.signal_fd);
        pthread_sigmask(SIG_SETMASK, &service.mask_before, NULL); // the next signal kills docad
    }
    service = (struct service){.signal_fd = -1};
}
