// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A carrier over a reliable connection. Besides what each carrier does, bytes that go with a
// message can come from any memory that is registered with the device, and bytes can be fetched
// from the other side's data area if it allows that.

#ifndef DAEMON_RC_QUEUE_H
#define DAEMON_RC_QUEUE_H

#include "carrier.h"
#include "docad.pb-c.h"
#include "rc_connect.h"
#include "rc_device.h"

#define RC_SENDS 256u // sends and fetches in flight

// In qp_request.reserved of a request in flight: its bytes did not come with it, but have to be
// fetched.
#define RC_PULL 1u

struct event;

struct rc_queue {
    struct carrier carrier;
    struct rc_device_user user; // device->queues
    struct rc_parts parts;
    struct rc_connect *connecting; // uses the parts until it is done
    uint8_t *data;                 // our data area
    uint64_t data_there;           // address of the other side's data area
    uint32_t key_there;
    void *contexts[RC_SENDS]; // contexts of sends and fetches in flight
    uint32_t next_send, unsent;
    bool failed;
    struct event *completions;
};

// Makes our side. `data` is its data area and must not move; `access` (enum doca_access_flags) is
// what the other side may do there. Free it with rc_queue_fini(), only on success.
doca_error_t rc_queue_init(struct rc_queue *queue, const struct peer *peer, void *data,
                           uint32_t access, const struct carrier_owner *owner, void *arg,
                           struct errtext *err);
// Afterwards no memory of sends and fetches is used any more, and no callback is called. May be
// called again.
void rc_queue_fini(struct rc_queue *queue);

// Describes the queue for the other side, except for whether it pulls. The message points into
// the queue.
void rc_queue_describe(struct rc_queue *queue, Docad__RcAddress *out);
// Begins to connect it. DOCA_ERROR_INVALID_VALUE if the other side's description is not valid;
// DOCA_ERROR_NOT_SUPPORTED if RDMA is known not to reach the other node.
doca_error_t rc_queue_connect(struct rc_queue *queue, const struct peer *peer,
                              const Docad__RcAddress *there, struct errtext *err);
// Called if the queue could not be connected, or receives nothing: RDMA to `peer` is avoided for a
// while (rc_device.h). Returns false if there was no address to connect to.
bool rc_queue_avoid(const struct rc_queue *queue, struct peer *peer, const char *why);

struct rc_bytes {
    void *local;
    uint32_t key; // key of the device for `local`
    uint32_t length;
    uint32_t offset; // in the other side's data area
};

// Sends bytes of our data area to the same offset of the other side's data area.
struct rc_bytes rc_queue_data(const struct rc_queue *queue, uint32_t offset, uint32_t length);

// Sends a header, after the bytes (NULL: none). Returns false if that is not possible; cut() is
// called later.
bool rc_queue_send(struct rc_queue *queue, const void *header, size_t size,
                   const struct rc_bytes *bytes, void *context);

// Fetches bytes. Returns like rc_queue_send().
bool rc_queue_fetch(struct rc_queue *queue, const struct rc_bytes *bytes, void *context);

#endif
