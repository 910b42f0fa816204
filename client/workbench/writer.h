// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The writer process: reads the rings of all threads of a session and writes the trace. It ends
// after the last process of the session.

#ifndef WORKBENCH_WRITER_H
#define WORKBENCH_WRITER_H

#include "session.h"

void writer_run(const struct outputs *outputs);

// Returns whether a process has threads that run; in any process.
bool writer_is_alive(pid_t pid);

#endif
