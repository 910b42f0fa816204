// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An engine with an importer of memory that is this process's own.

#ifndef TESTS_UNIT_ENGINE_OWNED_H
#define TESTS_UNIT_ENGINE_OWNED_H

#include "engine_rig.h"
#include "shared_file.h"

#define USER  1000 // the importer's
#define OTHER 1001

extern struct engine_importer *importer; // NULL: it has ended
extern struct shared_fd *owner_memory;
extern char owned[3 * QP_CHUNK_SIZE];

void owned_setup(void);
void owned_setup_with(const struct engine_options *options);
void owned_teardown(void);

// The importer's key of memory of the owner's.
uint32_t grant(const void *address, size_t length, bool writable);
struct engine_queue_pair *open_queue_pair(struct qp_client *client);
// One request, and its status.
uint32_t run(struct qp_client *client, struct qp_request r);

#endif
