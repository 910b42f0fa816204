// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A reliable connection between the daemons of two machines, for one client's queue pair.
// On either side there is a data area (queue_pair.h) of the same layout. A message is a
// header of a few bytes; bytes that go with it are written from the sender's data area to
// the same place in the receiver's, and are there when the header arrives. Both machines
// are little-endian.

#ifndef DAEMON_RC_QUEUE_H
#define DAEMON_RC_QUEUE_H

#include "docad.pb-c.h"
#include "rc_device.h"
#include "verbs_rc.h"

#include <stddef.h>

#define RC_HEADER_MAX 64u

struct event;
struct rc_control;

struct rc_queue_owner {
    // A header has come. Returns false if the owner has freed the queue.
    bool (*received)(void *owner, const void *header, size_t size);
    // Nothing goes any more. Called once, from the loop; the owner may free the queue.
    void (*failed)(void *owner, const char *why);
};

struct rc_queue {
    struct list link; // device->queues
    struct rc_device *device;
    struct verbs_rc rc;
    struct ibv_mr *data_mr, *control_mr;
    uint8_t *data; // of our side
    struct rc_control *control;
    uint64_t data_there; // address of the other side's data area
    uint32_t key_there;
    uint32_t next_send, unsent;
    bool failed;
    struct event *completions;
    const struct rc_queue_owner *ops;
    void *owner;
};

// Makes our side; `data` is its data area and stays where it is. To be freed with
// rc_queue_fini() on success only.
doca_error_t rc_queue_init(struct rc_queue *queue, const struct peer *peer, void *data,
                           const struct rc_queue_owner *ops, void *owner, struct errtext *err);
void rc_queue_fini(struct rc_queue *queue); // may be called again

// All queues over a device fail; it may be freed then.
void rc_queues_fail(struct rc_device *device);

// What the other side needs to know. Points into the queue.
void rc_queue_describe(struct rc_queue *queue, Docad__RcAddress *out);
doca_error_t rc_queue_connect(struct rc_queue *queue, const Docad__RcAddress *there,
                              struct errtext *err);

// Sends a header, after `length` bytes of the data area at `offset`. False if that cannot
// be; failed() is called later.
bool rc_queue_send(struct rc_queue *queue, const void *header, size_t size, uint32_t offset,
                   uint32_t length);

#endif
