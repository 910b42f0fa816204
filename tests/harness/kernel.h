// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Lets a test run as if the kernel were older.

#ifndef HARNESS_KERNEL_H
#define HARNESS_KERNEL_H

// From now on this process, and those that it starts, find no SO_PASSRIGHTS, which lets a socket
// refuse descriptors. Call it in a fixture: each test is a process of its own.
void kernel_without_passrights(void);

// The same for what membarrier(2) can do, so that docad, which asks, issues no barriers. Programs
// that do not ask can still register for those of others, and issue them.
void kernel_without_known_barriers(void);

#endif
