// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The threads of the workers, and the ring that they take operations from.

#ifndef CLIENT_WORKERS_THREADS_H
#define CLIENT_WORKERS_THREADS_H

#include "workers/workers.h"

enum worker_op_state { OP_WAITING, OP_BEGUN, OP_WITHDRAWN };

// A port comes, and goes: control path.
struct worker_places *workers_enter(struct session *session);
void workers_leave(struct worker_places *places);

// Gives the operation to a worker, starting one if all are busy; false if that is not possible.
bool workers_give(struct worker_op *op);

// How often fork() has made this process a child: what was given before is lost.
uint32_t workers_forks(void);

// Called by a worker when it is done with an operation, which may be gone when this returns.
void worker_port_ended(struct worker_op *op);

#endif
