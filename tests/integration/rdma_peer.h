// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One side of an RDMA connection, as the tests' processes have it. Whatever goes wrong
// fails the test, except where a function returns the error.

#ifndef INTEGRATION_RDMA_PEER_H
#define INTEGRATION_RDMA_PEER_H

#include "client.h"

#include "child.h"

#include <doca_rdma.h>

#define RDMA_ALL (DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE | DOCA_ACCESS_RDMA_ATOMIC)
#define RDMA_MAP (RDMA_ALL | DOCA_ACCESS_LOCAL_READ_WRITE)

struct blob {
    size_t length;
    uint8_t bytes[DOCAD_EXPORT_DESC_SIZE];
};

struct peer_plan {
    const char *pci;
    const char *also;       // one more device of its memory map, or NULL
    bool software;          // use this device even if peer_function() names one
    size_t size;            // of its memory; 0: 1 MiB
    uint8_t *memory;        // NULL: pages of its own
    uint32_t map, instance; // permissions; 0: all
    uint32_t queue, chain;  // sizes; 0: the defaults
    bool event;
};

struct peer {
    struct child *self; // the process, as it sees itself; set by the caller of peer_open()
    struct peer_plan plan;
    struct doca_dev *dev, *also;
    uint8_t *memory;
    size_t size;
    struct doca_mmap *map, *remote;
    uint8_t *address; // of the other side's memory
    size_t length;
    struct doca_buf_inventory *inventory;
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    struct doca_workq *workq;
    doca_event_handle_t handle;
    struct doca_rdma_result result; // of the last event
    struct doca_event event;
};

// Returns the IB device's name that the environment (DOCAD_TEST_FUNCTION) makes the tests use
// instead of the plan's, or NULL.
const char *peer_function(void);

// Opens everything up to a started instance with its work queue.
void peer_open(struct peer *p, const struct peer_plan *plan);
void peer_close(struct peer *p);

// Stops and starts the instance.
void peer_restart(struct peer *p);

struct blob peer_export(struct peer *p);     // of the instance
struct blob peer_export_map(struct peer *p); // of its memory
struct blob peer_export_map_on(struct peer *p, struct doca_dev *dev);
void peer_connect(struct peer *p, const struct blob *other);
void peer_import(struct peer *p, const struct blob *map);

// Exchanges all of it with the other side through the test, which calls peers_join().
void peer_meet(struct peer *p, struct child *self);
void peers_join(struct child *a, struct child *b);

struct doca_buf *peer_buf(struct peer *p, size_t offset, size_t length);        // with data
struct doca_buf *peer_room(struct peer *p, size_t offset, size_t length);       // without
struct doca_buf *peer_remote_buf(struct peer *p, size_t offset, size_t length); // with data
void drop(struct doca_buf *buf);                                                // takes NULL

doca_error_t peer_try_recv(struct peer *p, struct doca_buf *dst);
doca_error_t peer_try_send(struct peer *p, struct doca_buf *src, const uint32_t *immediate);
doca_error_t peer_try_access(struct peer *p, int type, struct doca_buf *dst, struct doca_buf *src);
doca_error_t peer_try_atomic(struct peer *p, int type, struct doca_buf *word, struct doca_buf *out,
                             uint64_t operand, uint64_t compare);

// Polls once: returns DOCA_SUCCESS, AGAIN, or the job's error.
doca_error_t peer_poll(struct peer *p);
// In event-driven mode: sleeps until there may be something.
void peer_sleep(struct peer *p);
// Waits for an event. In event-driven mode it sleeps.
doca_error_t peer_wait(struct peer *p);

// Run jobs from end to end and return their results.
doca_error_t peer_send(struct peer *p, size_t offset, size_t length);
doca_error_t peer_recv(struct peer *p, size_t offset, size_t length);
doca_error_t peer_read(struct peer *p, size_t to, size_t from, size_t length);
doca_error_t peer_write(struct peer *p, size_t to, size_t from, size_t length);
doca_error_t peer_add(struct peer *p, size_t offset, uint64_t operand, uint64_t *before);
doca_error_t peer_swap(struct peer *p, size_t offset, uint64_t compare, uint64_t value,
                       uint64_t *before);

enum doca_rdma_state peer_state(struct peer *p);

void pattern(uint8_t *p, size_t n, unsigned seed);
bool is_pattern(const uint8_t *p, size_t n, unsigned seed);

#endif
