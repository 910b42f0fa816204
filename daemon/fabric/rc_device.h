// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The ibverbs devices over which docad reaches daemons on other machines. A link's device is the
// one that has the address of the link's own end, because a device that can send from that address
// also reaches the other end. Devices that the configuration does not offer are not used. A device
// is opened for each node separately: a key is valid for all queue pairs of a protection domain,
// and no node may reach memory that is meant for another. If RDMA turned out not to reach the other
// node, no device is used for a while.

#ifndef DAEMON_RC_DEVICE_H
#define DAEMON_RC_DEVICE_H

#include "errtext.h"
#include "list.h"
#include "message.h"
#include "verbs_device.h"

struct chores;
struct event;
struct node;
struct peer;

// Written by the thread that connects: when a queue pair was found not to reach the other side, and
// why.
struct rc_unreached {
    uint64_t found_ms;
    struct errtext why;
};

// A user of a device; embedded in the object that uses it.
struct rc_device_user {
    struct list in_device;
    void (*gone)(struct rc_device_user *user); // the device was removed: the user must release it
};

struct rc_device {
    struct list in_node; // node->rc_devices
    unsigned references;
    char name[64];
    char way[64 + 16 + VERBS_GID_TEXT_SIZE]; // port and GID, for the log
    uint8_t node_there[NODE_ID_SIZE];
    struct verbs_device device;
    uint8_t mtu; // enum ibv_mtu
    struct verbs_gid gid;
    bool has_gid;
    struct event *events;               // events of the device
    struct list queues, tables;         // struct rc_device_user: queues, and tables of
                                        // registrations
    struct chores *chores, *connecting; // the node's
    struct rc_unreached unreached;
};

// Gets the device for the link to `peer`, with a reference for the caller.
// DOCA_ERROR_NOT_SUPPORTED if there is none, or the error of opening it.
doca_error_t rc_device_get(struct rc_device **out, const struct peer *peer, struct errtext *err);
// Called when the device was removed: all its users release it, which may free it.
void rc_device_end(struct rc_device *device);

// Called when the device is being removed; the kernel may wait until we release it. Everything
// that uses the device ends.
void rc_device_removed(struct node *node, const char *name);

struct rc_device *rc_device_put(struct rc_device *device); // takes NULL, returns NULL

// Called when RDMA does not get from the device to that node's GID. Finding that out takes one or
// more seconds, so for a while, or until the link comes up again, rc_device_get() reports that
// there is no device.
void rc_device_avoid(const struct rc_device *device, struct peer *peer,
                     const uint8_t gid_there[VERBS_GID_SIZE], const char *why);
// Forgets what rc_device_avoid() has recorded.
void rc_device_reset_reach(struct peer *peer);
// Returns DOCA_ERROR_NOT_SUPPORTED with the reason while the node is avoided.
doca_error_t rc_device_check_reach(const struct peer *peer, struct errtext *err);

#endif
