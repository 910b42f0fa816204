// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Another process, which only has memory for docad to read and write: docad must never reach the
// memory of the fuzzer itself.

#ifndef FUZZ_SLEEPER_H
#define FUZZ_SLEEPER_H

#include <stdint.h>

#define SLEEPER_SIZE 65536u

// Starts it; it ends with this process. Returns its /proc/PID/mem.
int sleeper_start(uint64_t *address);

#endif
