// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Arrows from one program to another. Both ends have the same number, which each program's writer
// computes by itself: from the connection, the direction and the message's index in that direction,
// or as the hash of the descriptor that one program exports and the other imports. A connection of
// RDMA is identified by the descriptors of both sides, or by a port and the number of earlier
// connections to it; one of Comch or the Comm Channel by a service's name and such a number.
//
// In the writer process only.

#ifndef WORKBENCH_LINKS_H
#define WORKBENCH_LINKS_H

#include "values.h"

void links_call(const struct reading *reading); // that has succeeded
void links_callback(const struct reading *reading);
void links_submitted(const struct reading *reading, struct object *task);
void links_job_submitted(const struct reading *reading, struct object *context, const char *type);
void links_job_completed(const struct reading *reading, struct object *context, const char *type);
void links_consumer(struct object *consumer, uint32_t id);
void links_free(void);

#endif
