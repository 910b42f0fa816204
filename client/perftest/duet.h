// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program of the DPU (the measuring process) and one of the host, which it starts. They
// signal each other by a sync event, or the host sends messages through the Comm Channel.
// The same two processes then use a bare word of memory, or a bare SOCK_SEQPACKET pair.

#ifndef PERFTEST_DUET_H
#define PERFTEST_DUET_H

#include "comch_rig.h"
#include "supervisor.h"

#include <doca_comm_channel.h>
#include <doca_sync_event.h>

#include <stdatomic.h>
#include <stdint.h>

enum duet_piece {
    DUET_END,
    DUET_EVENT, // set, and wait_gt on the other side; wait_eq in DOCA 3
    DUET_WORD,  // store, and load until it has changed
    DUET_CHANNEL,
    DUET_SOCKET,
    DUET_COMCH,       // send tasks
    DUET_PATH_PING,   // from producer to consumer, and back
    DUET_PATH_STREAM, // to the host's consumer
};

// The means by which the two signal each other.
enum duet_means {
    DUET_BY_EVENT,
    DUET_BY_EVENT_3,
    DUET_BY_CHANNEL,
    DUET_BY_COMCH,
    DUET_BY_COMCH_PATH, // consumers and producers
};

#define DUET_MESSAGE_MAX 4080

struct duet {
    struct problem *problem;
    enum duet_means means;
    size_t size;    // of a message
    uint32_t depth; // of Comch: messages in flight
    struct doca_dev *dev;
    struct doca_dev_rep *rep;
    struct doca_sync_event *event;
    struct doca_comm_channel_ep_t *ep;
    struct doca_comm_channel_addr_t *peer;
    struct comch_rig *comch;
    _Atomic uint64_t *word; // shared
    uint64_t turn, word_turn;
    int messages; // this side's end of the bare pair
    int control;  // to the other process
    bool host;    // the other process
    pid_t pid;    // of the host's process; -1: none that was started here
};

// Call duet_close() even after a failure.
bool duet_open(struct duet *duet, const struct run *run, enum duet_means means, size_t size,
               uint32_t depth, struct problem *problem);
void duet_close(struct duet *duet);

// The host's part, for a client on another machine.
int duet_respond(enum duet_means means, size_t size, int control);

// Runs a piece; *ns is the time of a signal in one direction, or of a message.
bool duet_play(struct duet *duet, enum duet_piece piece, uint64_t n, double *ns);

#endif
