// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An engine with its event loop, for tests of what it does: importers, their queue pairs, and
// calls that the loop makes.

#ifndef TESTS_UNIT_ENGINE_RIG_H
#define TESTS_UNIT_ENGINE_RIG_H

#include "engine.h"
#include "queue_pair.h"

#include <event2/event.h>

extern struct event_base *base;
extern struct engine *engine;

void rig_start(void);
void rig_start_with(const struct engine_options *options);
void rig_stop(void);

struct engine_importer *importer_new(uid_t uid);
// Frees them, and waits until they have ended.
void importers_end(struct engine_importer *const *importers, int n);

struct engine_queue_pair *importer_open(struct engine_importer *importer, struct qp_client *client);

// Sleeps until there is one.
struct qp_completion wait_completion(struct qp_client *client);

// A callback for the loop, which adds 1 to an int; and a function that runs the loop until the
// int has a value.
void count_call(void *arg);
void run_loop_until(const int *counter, int value);

#endif
