// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_door.h"

#include "cleanup.h"
#include "host_port.h"
#include "log.h"
#include "tls.h"
#include "tls_handshake.h"
#include "tls_settings.h"

#include <errno.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#define ARRIVING_MAX 64 // connections that have not shown a certificate yet
#define FROM_ONE_MAX 8  // such connections of one machine, which must not keep out the others

static void on_ready(void *owner, struct tls_transport *tls)
{
    struct tls_door *door = owner;
    door->accepted(door->arg, tls);
}

static void log_refused(const char *address, const char *why)
{
    log_event_limited(LOG_EVENT_LINK_REFUSED, LOG_LEVEL_WARNING, NULL,
                      "a link from another machine (%s) was refused: %s", address, why);
}

static void on_failed(void *owner, const char *address, const char *why)
{
    (void)owner;
    log_refused(address, why);
}

static void on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *from,
                      int size, void *arg)
{
    static const struct tls_handshake_owner owner = {.ready = on_ready, .failed = on_failed};
    struct tls_door *door = arg;
    char address[160], why[96];
    (void)listener;

    host_port_format(from, (size_t)size, address, sizeof(address));
    unsigned there = tls_handshakes_from(door, address);
    if (door->arriving >= ARRIVING_MAX || there >= FROM_ONE_MAX) {
        snprintf(why, sizeof(why), "%u others%s have not shown a certificate yet",
                 there >= FROM_ONE_MAX ? there : door->arriving,
                 there >= FROM_ONE_MAX ? " from there" : "");
        log_refused(address, why);
        close(fd);
        return;
    }
    if (tls_handshake_accept(door, fd, address, &owner, door) < 0)
        log_limited(LOG_LEVEL_ERROR, "a link from %s was refused: out of memory", address);
}

static void on_accept_error(struct evconnlistener *listener, void *arg)
{
    (void)listener;
    (void)arg;
    log_limited(LOG_LEVEL_WARNING, "cannot accept links from other machines: %s", strerror(errno));
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
    door->listener =
        evconnlistener_new_bind(door->base, on_accept, door,
                                LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE,
                                SOMAXCONN, found->ai_addr, (int)found->ai_addrlen);
    int error = errno;
    freeaddrinfo(found);
    if (!door->listener)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "tls: cannot listen at %s: %s (name another address of this machine, or "
                           "stop the process that listens there)",
                           where, strerror(error));
    evconnlistener_set_error_cb(door->listener, on_accept_error);
    return DOCA_SUCCESS;
}

doca_error_t tls_door_new(struct tls_door **out, struct event_base *base,
                          const struct tls_settings *settings, tls_accepted_fn accepted, void *arg,
                          struct errtext *err)
{
    struct tls_door *door = calloc(1, sizeof(*door));
    if (!door)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    door->base = base;
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
    if (door->listener)
        evconnlistener_free(door->listener);
    if (door->dns)
        evdns_base_free(door->dns, 0);
    tls_free(door->tls);
    free(door);
    return NULL;
}
