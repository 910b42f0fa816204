// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Whether this machine has fewer CPUs than threads that want one. Then a thread that polls takes a
// CPU from another one, maybe from who should answer it; else polling is the fastest way to wait.

#ifndef CLIENT_CORE_CROWD_H
#define CLIENT_CORE_CROWD_H

#include <stdbool.h>

// Looks at the machine, or remembers. For any thread. False if the machine does not say.
bool crowd_is_here(void);

// How many threads run or want to, by the text of /proc/loadavg; 0 if that does not say.
unsigned crowd_running(const char *loadavg);

#endif
