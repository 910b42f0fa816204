// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program's RDMA context of DOCA 3, with an engine, memory and buffers.

#ifndef TESTS_RDMA_3_H
#define TESTS_RDMA_3_H

#include "child.h"
#include "run.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))

#define HOST_PF0    "0b:00.0"
#define MEMORY_SIZE ((size_t)6 << 20)
#define TASKS       8u
#define RECEIVES    4u

struct received {
    enum doca_rdma_opcode opcode;
    uint32_t length;
    doca_be32_t immediate;
    const struct doca_rdma_connection *connection;
};

struct side {
    struct child *self; // the process, as it sees itself, of side_start_in()
    struct doca_dev *dev;
    struct doca_pe *pe;
    bool shares_pe; // another side's
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    uint8_t *memory;
    unsigned done, failed, received, receives_failed; // tasks other than receives, and receives
    doca_error_t last;                                // of a task that failed
    struct received messages[16];                     // in their order
    enum doca_ctx_states states[8];
    unsigned n_states;
};

struct details { // of a connection
    uint8_t bytes[512];
    size_t size;
};

struct doca_dev *open_by(const char *pci);
// The tests run on an ibverbs device, which DOCAD_TEST_FUNCTION names.
bool on_verbs(void);

// Opens all that, idle. `pe` may be NULL for one of its own.
void side_open(struct side *side, struct doca_pe *pe, uint16_t max_connections);
// The same on another device.
void side_open_on(struct side *side, const char *pci, struct doca_pe *pe, uint16_t max_connections);
void side_start(struct side *side);
void side_close(struct side *side);
// Stops it, and makes it progress until it is idle.
void side_stop(struct side *side);

struct doca_rdma_connection *side_export(struct side *side, struct details *details);
void side_connect(struct side *side, struct doca_rdma_connection *connection,
                  const struct details *other);
// A connection of both.
void side_join(struct side *a, struct doca_rdma_connection **ca, struct side *b,
               struct doca_rdma_connection **cb);

// Buffers on the side's memory: with data, or with room.
struct doca_buf *data_at(struct side *side, size_t at, size_t size);
struct doca_buf *room_at(struct side *side, size_t at, size_t size);
void drop_buf(struct doca_buf *buf);

void post_receive(struct side *side, struct doca_buf *buf);
void submit(struct doca_task *task);
void submit_send(struct side *side, struct doca_rdma_connection *connection, struct doca_buf *buf);
void submit_send_imm(struct side *side, struct doca_rdma_connection *connection,
                     struct doca_buf *buf, doca_be32_t immediate);

// Makes the engine progress until that many are done or have failed, of all kinds.
void progress_until(struct side *side, unsigned tasks, unsigned receives);
// The same, but sleeps meanwhile.
void sleep_until(struct side *side, unsigned tasks, unsigned receives);

// ---- two programs

typedef void (*side_fn)(struct side *side);
// Starts a program on the host with a side that runs; the side is closed afterwards.
struct child *side_start_in(const struct daemon *daemon, const char *name, uint16_t max_connections,
                            side_fn fn);

// Through the test, which calls pass_on(): the details of a connection, and the memory map.
struct doca_rdma_connection *side_offer(struct side *side);
void side_take(struct side *side, struct doca_rdma_connection *connection);
void side_send_map(struct side *side); // two messages
struct doca_mmap *side_take_map(struct side *side, uint8_t **at);
void pass_on(struct child *from, struct child *to);

// ---- two sides of one program

#define JOINED_MAX 13

struct sides {
    struct side a, b;
    struct doca_rdma_connection *at_a[JOINED_MAX], *at_b[JOINED_MAX]; // each with its namesake
};

struct sides_plan {
    uint16_t connections;             // that they have; default: 1
    bool two_engines;                 // b has its own; default: that of a
    bool separate;                    // they run, and have no connection
    bool idle;                        // they do not even run
    void (*set)(struct sides *sides); // before they start
};

typedef void (*sides_fn)(struct sides *sides);

void sides_open(struct sides *sides, const struct sides_plan *plan);
void sides_close(struct sides *sides);
// A program on the host; the sides are closed afterwards.
void run_sides(const struct sides_plan *plan, sides_fn fn);

// b's memory, as a sees it.
struct doca_mmap *sides_map(struct sides *sides);
struct doca_buf *remote_at(struct side *side, struct doca_mmap *map, uint8_t *at, size_t size);

#endif
