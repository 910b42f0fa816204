// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The resources that all processes on one account hold together: see account.h. A linked node has
// such records for its own users.

#ifndef DAEMON_USER_H
#define DAEMON_USER_H

#include "idmap.h"
#include "limit.h"
#include "list.h"
#include "loop_sched.h"

#include <sys/types.h>

struct lookups;

// What a user has on this node, for lists that are its own alone.
enum user_list {
    USER_SESSIONS,
    USER_REGIONS,
    USER_EXPORTS,
    USER_IMPORTS,
    USER_QUEUE_PAIRS,
    USER_ENDPOINTS,
    USER_SERVICES,
    USER_CHANNELS,
    USER_LISTENERS,
    USER_LISTS
};

// The users of this node, or of a linked one, which may name as many as it likes.
struct users {
    struct list list; // struct user
    struct idmap by_uid;
};

struct user {
    struct users *users;
    struct list in_users;
    struct idmap_node by_uid;
    uid_t uid; // the account
    unsigned references;
    struct sched_user sched;
    struct list monitors; // of its sessions: monitor.h
    uint64_t connections, sessions, publications, region_bytes, descriptors, slots, pinned_bytes;
    uint64_t record_places;          // in the file of records: fdstore.h
    uint64_t metadata;               // docad's memory for the user's objects
    uint64_t mapped_bytes, mappings; // in docad: address_space.h
    uint64_t n_monitors, n_listeners;
    uint64_t n_visits;                  // readers of metrics
    uint64_t importers, grants, qpairs; // of a user of a linked node
    struct idmap lists[USER_LISTS];     // of sessions of this node, by id
    struct lookups *lookups;            // those that wait: lookup.h
};

void users_init(struct users *users);
// `to`, which has none, gets all of them.
void users_adopt(struct users *to, struct users *from);

// Finds or makes the record of an account; NULL if memory runs out.
struct user *user_get(struct users *users, uid_t uid);
struct user *user_ref(struct user *user);

// Frees the record with the last reference; every charge must have been released. Takes NULL,
// returns NULL.
struct user *user_unref(struct user *user);

#endif
