// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The owner of a sync event of DOCA 3, and a program that reads and changes it by RDMA tasks.

#ifndef INTEGRATION_NET_EVENT_3_H
#define INTEGRATION_NET_EVENT_3_H

#include "child.h"
#include "rdma_3.h"

#include <doca_sync_event.h>

#define DPU_P0 "03:00.0"

struct owner {
    struct side side;
    struct doca_rdma_connection *connection;
    struct doca_sync_event *event;
};

// Makes the event and sends its export. Its counter is in the side's memory, or docad's.
void make_event(struct child *self, struct owner *o, bool own_memory);

struct user {
    struct side side;
    struct doca_rdma_connection *connection;
    struct doca_sync_event_remote_net *event;
    struct doca_buf *from, *to; // of 8 bytes: data, and room
};

// Connects to the owner, and takes its event.
void open_user(struct child *self, struct user *u, const char *pci);
void close_user(struct user *u);

// Submit a task each. What is added to, and got, goes to u->to or another buffer.
void set_event(struct user *u, uint64_t value);
void add_to_event(struct user *u, uint64_t value);
void get_event(struct user *u, struct doca_buf *to);

// u->to has this value in it.
void assert_value(const struct user *u, uint64_t expected);

#endif
