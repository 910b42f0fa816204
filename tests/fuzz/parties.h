// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Who is at the other end of a connection to a docad in this process: a client, or a linked node.
// It sends messages of any contents, with any descriptors, and remembers what is answered.

#ifndef FUZZ_PARTIES_H
#define FUZZ_PARTIES_H

#include "input.h"

#include <docad.pb-c.h>

struct sent_fds;

struct party {
    int fd;     // -1: not connected
    int number; // for those who read what an input does
    bool is_peer;
    bool of_dpu;     // the docad is a DPU's
    bool may_reload; // there is a configuration that the docad can read again
    // Numbers of the messages that it sends, each as often as it is here.
    const uint8_t *bodies;
    size_t n_bodies;
    uint64_t serial, answered; // its last request, and the last one that is answered
    uint64_t asked;            // the last request of docad
};

extern bool parties_verbose;
extern uint64_t parties_memory; // the address of memory which docad may reach

// Called once, before there are threads.
void parties_start(void);

// Lets docad work, and all parties receive: the target has it.
void parties_turn(void);

void party_send(struct party *p, const Docad__Message *message, const struct sent_fds *fds);
// Receives all that there is; at the end of the connection it leaves.
void party_receive(struct party *p);

// Lets docad work until the last request is answered, for a while.
void party_wait(const struct party *p);

// Says hello as a program or docactl, and opens what the built-in functions are.
void party_begin_session(struct party *p, struct input *in);

void party_say(struct party *p, struct input *in);     // any message
void party_say_raw(struct party *p, struct input *in); // bytes that need not be one

#endif
