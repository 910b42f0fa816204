// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections by address on ibverbs devices: librdmacm makes them, without docad. The queue pair is
// that of the connection's end; librdmacm only exchanges its parameters. The kernel notifies each
// side when the other one has disconnected.
//
//     caller                                  listener
//     resolves the address and the route
//     rdma_connect()                 REQ -->  request callback
//                                             doca_rdma_connection_accept()
//     connects its queue pair    <-- REP      connects its queue pair, rdma_accept()
//     rdma_establish()               RTU -->
//     established callback                    established callback
//
// The rdma_cm_id of a connection stays until the connection is used again: it delivers the
// DISCONNECTED event.

#ifndef CLIENT_RDMA_TASKS_CM_DEVICE_H
#define CLIENT_RDMA_TASKS_CM_DEVICE_H

#include "rdma_context.h"

#include <errno.h>
#include <string.h>

// An address as librdmacm takes it.
union cm_place {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

// The addresses of a device's port, that of the chosen GID first. None: it has no Ethernet.
struct cm_places {
    union cm_place at[CM_PLACES_MAX];
    unsigned n;
    unsigned interface;
};

// The most retries of a device: 7 is unlimited on Soft-RoCE, which then never detects that a peer
// has ended. Also limits the number that the other side has offered.
static inline uint8_t cm_retries(uint8_t wanted)
{
    return wanted < 7 ? wanted : 6;
}

// Returns why a port cannot be listened to, by the errno of librdmacm. If another listener has the
// port on one address, that is EADDRNOTAVAIL for every address, and for those of the machine
// itself.
static inline doca_error_t cm_listen_failed(int error, uint16_t port, struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED, "cannot listen to port %u: %s", port,
                       error == EADDRNOTAVAIL ? "it is taken, or the device has no such address"
                       : error == EADDRINUSE  ? "it is taken"
                                              : strerror(error));
}

// ---- cm_place.c --------------------------------------------------------------------------------

doca_error_t cm_places_find(const struct doca_rdma *rdma, struct cm_places *out,
                            struct errtext *err);
// The destination of a call, and (unless it is NULL) its source.
const union cm_place *cm_place_of_call(const struct cm_places *places,
                                       const struct doca_rdma_addr *addr, union cm_place *to);
// Every address.
union cm_place cm_place_any(void);
void cm_place_set_port(union cm_place *place, uint16_t port);
// 16 bytes; IPv4 in IPv6's form.
void cm_place_bytes(const struct sockaddr *place, uint8_t bytes[16]);

#endif
