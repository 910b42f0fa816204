// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_door.h"

#include "cleanup.h"
#include "clock.h"
#include "copy_text.h"
#include "host_port.h"
#include "listener.h"
#include "log.h"
#include "tls.h"
#include "tls_handshake.h"
#include "tls_settings.h"

#include <errno.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#define FROM_ONE_MAX 8 // such connections of one machine, which must not keep out the others

static void on_ready(void *owner, struct tls_transport *tls)
{
    struct tls_door *door = owner;
    door->accepted(door->arg, tls);
}

// `reason` is the same for each refusal of that kind. Each machine is logged once for it, and then
// counted: its ports differ.
static void log_refused(struct tls_door *door, const char *address, const char *at,
                        const char *reason, const char *why)
{
    char host[TLS_ADDRESS_SIZE], more[REFUSED_SILENT_SIZE];
    uint64_t silent;

    snprintf(host, sizeof(host), "%.*s", (int)host_port_host_length(address), address);
    if (refusals_add(&door->refusals, host, at, reason, clock_ms(), &silent))
        log_event_limited(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING, NULL,
                          "a link from another machine (%s) was refused: %s%s; " REFUSED_COUNTED,
                          address, why, refusals_format(silent, more));
}

static void on_failed(void *owner, const char *address, const char *why)
{
    struct tls_door *door = owner;
    door->refused[TLS_REFUSED_HANDSHAKE]++;
    log_refused(door, address, "handshake", why, why);
}

static struct tls_guest *guest_at(struct tls_door *door, const char *address)
{
    struct tls_guest *oldest = NULL;

    for (size_t i = 0; i < TLS_ARRIVING_MAX; i++) {
        struct tls_guest *g = &door->guests[i];
        if (g->address[0] && host_port_same_host(g->address, address))
            return g;
        if (g->handshakes == 0 && (!oldest || g->last < oldest->last))
            oldest = g;
    }
    if (oldest)
        oldest->sched.throttled_until_ns = 0;
    return oldest;
}

static void on_accept(void *arg, int fd)
{
    static const struct tls_handshake_owner owner = {.ready = on_ready, .failed = on_failed};
    struct tls_door *door = arg;
    struct sockaddr_storage from;
    socklen_t size = sizeof(from);
    char address[TLS_ADDRESS_SIZE], why[96];

    if (getpeername(fd, (struct sockaddr *)&from, &size) < 0) { // it has left
        close(fd);
        return;
    }
    host_port_format((struct sockaddr *)&from, size, address, sizeof(address));
    struct tls_guest *guest = guest_at(door, address);
    bool crowd = guest && guest->handshakes >= FROM_ONE_MAX;
    if (!guest || crowd || door->arriving >= TLS_ARRIVING_MAX) {
        snprintf(why, sizeof(why), "%u others%s have not shown a certificate yet",
                 crowd ? guest->handshakes : door->arriving, crowd ? " from there" : "");
        door->refused[TLS_REFUSED_CROWD]++;
        log_refused(door, address, "crowd", "crowd", why);
        close(fd);
        return;
    }
    copy_text(guest->address, address);
    guest->last = ++door->accepted_so_far;
    if (tls_handshake_accept(door, fd, guest, &owner, door) < 0)
        log_limited(LOG_LEVEL_ERROR, "a link from %s was refused: out of memory", address);
}

// A listening socket at the first of these addresses; -1 with errno.
static int listen_on(const struct addrinfo *at)
{
    const int on = 1;
    cleanup_fd int fd =
        socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
        bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, SOMAXCONN) < 0)
        return -1;
    return steal_fd(&fd);
}

static doca_error_t begin_accepting(struct tls_door *door, int fd, struct errtext *err)
{
    doca_error_t r = listener_new_from_fd(&door->listener, fd, err);
    if (r != DOCA_SUCCESS)
        close(fd);
    else if (!listener_start(door->listener, door->base, door->sched, on_accept, door))
        r = errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    return r;
}

// Listens at an address of this machine: a number, or a name from its hosts file.
static doca_error_t listen_at(struct tls_door *door, const char *where, struct errtext *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
    char host[TLS_ADDRESS_SIZE], service[8];
    unsigned short port;

    if (!host_port_split(where, host, sizeof(host), &port))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "tls: listen: %s is not HOST:PORT",
                           where);
    snprintf(service, sizeof(service), "%u", port);
    int r = getaddrinfo(host, service, &hints, &found);
    if (r != 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "tls: listen: %s: %s", where,
                           gai_strerror(r));
    int fd = listen_on(found);
    int error = errno;
    freeaddrinfo(found);
    if (fd < 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "tls: cannot listen at %s: %s (name another address of this machine, or "
                           "stop the process that listens there)",
                           where, strerror(error));
    return begin_accepting(door, fd, err);
}

doca_error_t tls_door_new(struct tls_door **out, struct event_base *base, struct sched *sched,
                          const struct tls_settings *settings, tls_accepted_fn accepted, void *arg,
                          struct errtext *err)
{
    struct tls_door *door = calloc(1, sizeof(*door));
    if (!door)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    door->base = base;
    door->sched = sched;
    for (size_t i = 0; i < TLS_ARRIVING_MAX; i++)
        sched_user_init(&door->guests[i].sched, &door->strangers);
    door->accepted = accepted;
    door->arg = arg;
    list_init(&door->handshakes);
    doca_error_t r = tls_new(&door->tls, settings, err);
    if (r == DOCA_SUCCESS && settings->listen[0])
        r = listen_at(door, settings->listen, err);
    if (r == DOCA_SUCCESS) {
        door->dns = evdns_base_new(base, EVDNS_BASE_INITIALIZE_NAMESERVERS |
                                             EVDNS_BASE_DISABLE_WHEN_INACTIVE);
        if (!door->dns) // no name server is configured: numeric addresses still work
            door->dns = evdns_base_new(base, EVDNS_BASE_DISABLE_WHEN_INACTIVE);
        if (!door->dns)
            r = errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    }
    if (r != DOCA_SUCCESS) {
        tls_door_free(door);
        return r;
    }
    *out = door;
    return DOCA_SUCCESS;
}

doca_error_t tls_door_reload(struct tls_door *door, const struct tls_settings *settings,
                             struct errtext *err)
{
    SSL_CTX *tls;
    doca_error_t r = tls_new(&tls, settings, err);
    if (r != DOCA_SUCCESS)
        return r;
    tls_free(door->tls);
    door->tls = tls;
    return DOCA_SUCCESS;
}

struct tls_door *tls_door_free(struct tls_door *door)
{
    if (!door)
        return NULL;
    tls_handshake_free_all(door);
    listener_free(door->listener);
    if (door->dns)
        evdns_base_free(door->dns, 0);
    tls_free(door->tls);
    free(door);
    return NULL;
}
