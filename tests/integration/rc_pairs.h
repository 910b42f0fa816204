// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Queue pairs between docad and a far node, in the setting of rc_setting.h, in either
// direction: the far node asks docad's engine, or a program asks the far node.

#ifndef INTEGRATION_RC_PAIRS_H
#define INTEGRATION_RC_PAIRS_H

#include "rc_setting.h"

// ---- docad's engine serves the far node ---------------------------------------------------------

void engine_open(struct far_pair *pair);
void engine_open_of(struct far_node *node, struct far_pair *pair);
void engine_close(struct far_pair *pair);

// Reads 8 bytes of the program's memory, to offset 16 of the data area.
struct qp_request engine_request(void);
// Sends the request and returns the status of the answer.
uint32_t engine_ask(struct far_pair *pair, const struct qp_request *request);
void engine_serves(struct far_pair *pair); // a request as above

// ---- the far node serves a program --------------------------------------------------------------

struct client {
    struct far_pair pair;
    struct qp_client ring;
    uint64_t id; // docad's
    uint32_t slot;
};

typedef void (*rc_change_fn)(Docad__RcAddress *rc);

// Opens a queue pair. If `connect` is false, the far node only claims to be connected.
void client_open(struct client *c, bool connect);
void client_close(struct client *c);

// The steps of client_open(). The program asks, and docad asks the far node. Returns the serial
// of docad's request.
uint64_t client_ask(void);
// The far node answers, with the pair's address as `change` leaves it (NULL: as it is)...
void client_answer_only(struct far_pair *pair, uint64_t serial, rc_change_fn change);
// ...and docad the program, with whatever it is.
void client_answer(struct far_pair *pair, uint64_t serial, rc_change_fn change);
// The program takes the queue pair that it was given in the answer.
void client_take(struct client *c);

// The program asks for 8 bytes, gets them, or does both.
void client_request(struct client *c);
void client_answered(struct client *c);
void client_served(struct client *c);

// docad asks once more and offers only the link; this time the answer is used.
void client_offered_link(void);

#endif
