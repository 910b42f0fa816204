// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the tables about RDMA of DOCA 3 share: two contexts on one engine, of which the tables are
// about the first.

#ifndef STATES_RDMA_WORLD_3_H
#define STATES_RDMA_WORLD_3_H

#include "objects.h"

#include "deadline.h"

#include <doca_pe.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>

// Kinds of tasks, as functions name them.
#define RDMA_KINDS(X)                                                                              \
    X(receive)                                                                                     \
    X(send)                                                                                        \
    X(send_imm)                                                                                    \
    X(read)                                                                                        \
    X(write)                                                                                       \
    X(write_imm)                                                                                   \
    X(atomic_cmp_swp)                                                                              \
    X(atomic_fetch_add)                                                                            \
    X(remote_net_sync_event_get)                                                                   \
    X(remote_net_sync_event_notify_set)                                                            \
    X(remote_net_sync_event_notify_add)
#define RDMA_N_KINDS 11

#define RDMA_PORT 7

struct rdma_world {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_rdma *rdma, *other;
    struct doca_rdma_connection *connection, *of_other;
    struct doca_rdma_addr *addr;
    uint8_t details[256]; // of the other's connection
    size_t details_size;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *local, *remote;
    struct doca_sync_event *event;
    struct doca_sync_event_remote_net *remote_event;
    void *tasks[RDMA_N_KINDS];
    bool requested, established;
};

extern struct rdma_world rw;

// Both contexts, connected to the engine and configured: the first has room for so many connections
// and, of each kind, for two tasks.
void rw_make(uint16_t connections);
void rw_start(void);
// A connection out of band, at both sides; connected where `ours` and `theirs` say so.
void rw_export(void);
void rw_connect(bool ours, bool theirs);
// The other context calls the first, which listens.
void rw_listen(void);
void rw_call(void);
// A task of each kind.
void rw_allocate(void);
void rw_submit(void);
// Ends when it is IDLE.
void rw_stop(struct doca_rdma *rdma);
void rw_leave(void);

// The arguments that functions of all tables have.
enum given rw_argue(const char *function, const char *param, uint64_t *value);
extern const struct lifetime rw_lifetimes[];

#define RW_UNTIL(condition)                                                                        \
    do {                                                                                           \
        int64_t rw_deadline = deadline_in(HARNESS_LIMIT_MS);                                       \
        while (!(condition)) {                                                                     \
            ck_assert_msg(now_ms() < rw_deadline, "never: " #condition);                           \
            (void)doca_pe_progress(rw.pe);                                                         \
        }                                                                                          \
    } while (0)

#endif
