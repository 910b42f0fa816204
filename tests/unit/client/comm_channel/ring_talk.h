// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the tests of a channel's rings have in common: clients that talk to a service, numbered
// messages, and the kernel. The linker sends system calls here, to be counted, or to fail; time is
// what the test says.

#ifndef TESTS_UNIT_CLIENT_COMM_CHANNEL_RING_TALK_H
#define TESTS_UNIT_CLIENT_COMM_CHANNEL_RING_TALK_H

#include "channel_pair.h"

extern struct channel_pairs pairs;
extern struct doca_comm_channel_ep_t *const service;
extern struct channel_pair *const first; // of the clients

// ---- the kernel ----------------------------------------------------------------------------

extern unsigned calls;
extern uint64_t now_ms;
// Once each: between a sender's two looks, and between a receiver's.
extern void (*at_the_clock)(void), (*at_a_peek)(void);
extern bool no_memory;  // in the kernel
extern bool wakes_fail; // the sender's socket is full

// ---- messages ------------------------------------------------------------------------------

// Numbers in a row, of each length, so that each lost, doubled or changed one shows.
struct stream {
    uint64_t sent, taken;
};

// Where messages are received.
extern uint8_t message[CHANNEL_PACKET_SIZE];

// Checks that it is the message of this number.
void check(uint64_t number, size_t length);

doca_error_t say(struct channel_pair *pair, struct stream *s, size_t longest);
// By the first client, short ones.
void says(struct stream *s, int n);

// By the service. Checks that the message is this client's next one.
doca_error_t hear(struct stream *of, size_t longest);
// So many, and no more.
void hears(struct stream *of, int n);

// Bytes that the first client has put into its ring so far.
uint64_t in_ring(void);

// The service polls, and has said so.
struct stream begin(int clients, uint16_t queue);

// ---- waiting -------------------------------------------------------------------------------

// The service. Returns the descriptor that it waits for.
int begins_to_wait(void);
bool readable(int fd);

#endif
