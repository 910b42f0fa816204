// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "core/crowd.h"

#include "cleanup.h"
#include "clock.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A look takes some microseconds, and shows one moment: a crowd is remembered for longer.
#define LOOK_MS  2
#define CROWD_MS 100

static _Atomic uint64_t until_ms; // what is remembered holds so long
static _Atomic bool crowded;

unsigned crowd_running(const char *loadavg)
{
    for (int i = 0; i < 3; i++) { // the averages
        loadavg = strchr(loadavg, ' ');
        if (!loadavg)
            return 0;
        loadavg++;
    }
    return (unsigned)strtoul(loadavg, NULL, 10);
}

static bool look(void)
{
    char text[128];
    cleanup_fd int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? read(file, text, sizeof(text) - 1) : -1;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    if (n < 0 || cpus < 1)
        return false;
    text[n] = '\0';
    return crowd_running(text) >= (unsigned long)cpus;
}

bool crowd_is_here(void)
{
    uint64_t now = clock_ms();

    // Relaxed: another thread's look is as good as a little earlier.
    if (now >= atomic_load_explicit(&until_ms, memory_order_relaxed)) {
        bool is = look();
        atomic_store_explicit(&crowded, is, memory_order_relaxed);
        atomic_store_explicit(&until_ms, now + (is ? CROWD_MS : LOOK_MS), memory_order_relaxed);
    }
    return atomic_load_explicit(&crowded, memory_order_relaxed);
}
