// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The ibverbs devices over which docad reaches daemons on other machines. A link's device
// is the one that has the address of the link's own end: what reaches one reaches the
// other. None is used that the configuration does not offer. Each node's is opened for it alone: a
// key is good for all queue pairs of a protection domain, and no node is to reach what is another
// one's. None is used for a while where RDMA was found not to get to the other node.

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

// Of the thread that connects: when a queue pair was found not to get there, and why.
struct rc_unreached {
    uint64_t found_ms;
    struct errtext why;
};

// Whoever uses a device, in which it is embedded.
struct rc_device_user {
    struct list link;
    void (*gone)(struct rc_device_user *user); // the device has gone: lets go of it
};

struct rc_device {
    struct list link; // node->rc_devices
    unsigned references;
    char name[64];
    char way[64 + 16 + VERBS_GID_TEXT_SIZE]; // which port and GID, for the log
    uint8_t node_there[NODE_ID_SIZE];
    struct verbs_device device;
    uint8_t mtu; // enum ibv_mtu
    struct verbs_gid gid;
    bool has_gid;
    struct event *events;               // of the device
    struct list queues, tables;         // struct rc_device_user: what moves, what is registered
    struct chores *chores, *connecting; // the node's
    struct rc_unreached unreached;
};

// The device for the link to `peer`; the caller has a reference. DOCA_ERROR_NOT_SUPPORTED
// if there is none, or what opening it fails with.
doca_error_t rc_device_get(struct rc_device **out, const struct peer *peer, struct errtext *err);
// It has gone: whoever uses it lets go of it. It may be freed then.
void rc_device_end(struct rc_device *device);

// The device is being removed, for which the kernel may wait until we let go of it: what
// goes over it ends.
void rc_device_removed(struct node *node, const char *name);

struct rc_device *rc_device_put(struct rc_device *device); // takes NULL, returns NULL

// RDMA does not get from the device to that node's GID. To find that takes a second, or several:
// for a while, or until the link comes up anew, rc_device_get() answers that there is no device.
void rc_device_avoid(const struct rc_device *device, struct peer *peer,
                     const uint8_t gid_there[VERBS_GID_SIZE], const char *why);
// What was found no longer holds.
void rc_device_forget_reach(struct peer *peer);
// DOCA_ERROR_NOT_SUPPORTED, and why, meanwhile.
doca_error_t rc_device_check_reach(const struct peer *peer, struct errtext *err);

#endif
