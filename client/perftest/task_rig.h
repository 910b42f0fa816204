// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The part of a rig that copies by tasks of the DOCA 3 interface: a progress engine with one
// context or several. Its source alone is compiled with the headers of that interface.

#ifndef PERFTEST_TASK_RIG_H
#define PERFTEST_TASK_RIG_H

#include "problem.h"

#include <stdint.h>

#define TASK_CONTEXTS_MAX 4

struct doca_buf;
struct doca_dev;
struct doca_dma_task_memcpy;

struct task_rig;

// Makes an engine and starts `contexts` contexts of `depth` tasks each. A task that is done puts
// its number into free[(*n_free)++].
bool task_rig_open(struct task_rig **out, struct doca_dev *dev, unsigned contexts, uint32_t depth,
                   uint32_t *free, uint32_t *n_free, struct problem *problem);
void task_rig_close(struct task_rig *tasks); // takes NULL

// Task `number`, of the next context in turn.
bool task_rig_task(struct task_rig *tasks, uint32_t number, struct doca_buf *from,
                   struct doca_buf *to, struct doca_dma_task_memcpy **out, struct problem *problem);
void task_rig_free(struct doca_dma_task_memcpy *task); // takes NULL

bool task_rig_submit(struct doca_dma_task_memcpy *task, struct problem *problem);

// Runs one completion. Returns false if there was none.
bool task_rig_progress(struct task_rig *tasks);
// Returns whether a task has failed, and why.
bool task_rig_failed(const struct task_rig *tasks, struct problem *problem);

int task_rig_handle(struct task_rig *tasks);
bool task_rig_request(struct task_rig *tasks, struct problem *problem);
bool task_rig_clear(struct task_rig *tasks, struct problem *problem);

// Allocates and frees a task `n` times.
bool task_rig_pairs(struct task_rig *tasks, uint64_t n, struct problem *problem);

#endif
