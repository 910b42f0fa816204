// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The trace's requests to docad, so that arrows lead from the messages of one program to those of
// another: links.h.

#ifndef WORKBENCH_PEERS_H
#define WORKBENCH_PEERS_H

#include "workbench.h"

// Returns the address of the object that a callback is about, by enum function_peer; 0: there is
// none.
uint64_t peers_of_callback(const struct call *call);

// Notes consumers of Comch, and records the number of one whose context runs.
void peers_after(const struct call *call);
void peers_running(const void *context);
void peers_in_child(void);

// Records the number of a consumer (trace.c).
void trace_consumer(uint64_t consumer, uint64_t id);

#endif
