// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The programs of DOCA 2.2 at the other end of those of DOCA 3. Their memory has a pattern that
// begins with 1, and one that begins with 2 once it was written to. The argument is a bool: whether
// the memory is brokered.

#ifndef INTEGRATION_TASKS_2_2_H
#define INTEGRATION_TASKS_2_2_H

#include "client.h"

struct child;

int host_of_2_2(struct child *self, void *arg);
int dpu_of_2_2(struct child *self, void *arg);

#endif
