// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One end of a Comch connection: a server or a client, and, for the fast path, a consumer and a
// producer on an engine of their own. Its source alone is compiled with the headers of DOCA 3.

#ifndef PERFTEST_COMCH_RIG_H
#define PERFTEST_COMCH_RIG_H

#include "memory.h"

struct doca_dev;
struct doca_dev_rep;

#define COMCH_RIG_WINDOW 128u // tasks in flight, at most

struct comch_rig_plan {
    size_t size;    // of a message
    uint32_t depth; // messages in flight
    bool path;      // consumer and producer
};

struct comch_rig;

// Starts a server if there is a representor, else a client. Call comch_rig_close() even after a
// failure.
bool comch_rig_open(struct comch_rig **rig, const struct comch_rig_plan *plan, struct doca_dev *dev,
                    struct doca_dev_rep *rep, const char *name, struct problem *problem);
// The server waits until its client has closed.
void comch_rig_close(struct comch_rig *rig); // takes NULL
void comch_rig_part(struct comch_rig *rig);  // ends the fast path; takes NULL

// Connects both sides: *done is set when they are connected, and all parts of the plan run on both
// sides.
bool comch_rig_meet(struct comch_rig *rig, bool *done);

// ---- n messages: what one side does, and the other one -------------------------------------

// Send tasks of the server or client.
bool comch_rig_send(struct comch_rig *rig, uint64_t n);
bool comch_rig_take(struct comch_rig *rig, uint64_t n);

// From producer to consumer: there and back, and a stream with one message back.
bool comch_rig_ping(struct comch_rig *rig, uint64_t n, bool first);
bool comch_rig_stream_out(struct comch_rig *rig, uint64_t n);
bool comch_rig_stream_in(struct comch_rig *rig, uint64_t n);

// Copies n messages as the stream does, from memory to memory of this process.
void comch_rig_copy(struct comch_rig *rig, uint64_t n);

#endif
