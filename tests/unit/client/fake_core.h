// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps, devices and a session without docad: tests of the data path say what a
// map consists of, and play the engines behind the queue pairs themselves.

#ifndef TESTS_FAKE_CORE_H
#define TESTS_FAKE_CORE_H

#include "cleanup.h"
#include "core/device.h"
#include "core/device_card.h"
#include "core/session.h"
#include "mmap/memory.h"
#include "queue_pair.h"

#include <doca_mmap.h>
#include <doca_types.h>

struct doca_dev {
    unsigned refs;
    Docad__Function function;
};

struct doca_mmap {
    struct memory memory;
    bool usable;
    bool uncounted; // keeps no count of its buffers
    const struct doca_dev *devices[4];
    unsigned bufs;
    struct memory_part parts[8];
    uint8_t *base; // for an import: the address of its range here
};

extern struct doca_dev fake_dev, fake_other_dev; // both with DMA
extern struct doca_dev fake_plain_dev;           // without
extern struct card fake_card;                    // that all of them imitate: software

// Makes a started local map of fake_dev.
struct doca_mmap fake_map(void *start, size_t length, uint32_t access);

// Makes a map imported on fake_dev, with one part and no state of its own yet; fake_part() adds
// more parts. The owner's addresses are ours plus `shift`.
void fake_import(struct doca_mmap *map, void *start, size_t length, uint32_t access,
                 ptrdiff_t shift);

// Cuts the import's last part at `offset`; what follows is mapped or brokered.
void fake_part(struct doca_mmap *map, size_t offset, bool mapped);

void fake_set_state(uint64_t id, enum slot_state state);

// ---- the session: queue pairs whose engine is the test -------------------------------

struct fake_engine {
    struct qp_server server;
    uint64_t id; // of the queue pair
    uint8_t node[NODE_ID_SIZE];
    bool open;
};

// What docad allows.
extern uint32_t fake_workers_allowed;

// Says whether a thread has told docad that it touches the import.
bool fake_announced(uint64_t import_id);

#define FAKE_ENGINES_MAX 256
extern struct fake_engine fake_engines[FAKE_ENGINES_MAX];
extern unsigned fake_engines_made, fake_engines_open;
extern doca_error_t fake_create_error; // the answer to QueuePairCreate
extern bool fake_alive;
extern struct session *const fake_session, *const fake_later_session;

// Serves at most `limit` requests of an engine, whose memory is at its addresses minus `shift`.
// If `status` is not 0, answers with it instead of bytes. Returns the number served.
unsigned fake_serve(struct fake_engine *engine, ptrdiff_t shift, unsigned limit, uint32_t status);

#endif
