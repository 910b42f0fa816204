// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The trace: records calls into rings of memory that a writer process reads.

#ifndef WORKBENCH_TRACE_H
#define WORKBENCH_TRACE_H

#include "workbench.h"

extern const struct hook trace_hook;

#endif
