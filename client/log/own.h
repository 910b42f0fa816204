// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The library's own lines. Each shows the file and the line of the library's source where
// the failure was detected. A program that fails in a loop gets a line, and a count.

#ifndef CLIENT_LOG_OWN_H
#define CLIENT_LOG_OWN_H

#include <doca_log.h>

#include <stdbool.h>

struct log_place {
    const char *file; // as the compiler was given it
    int line;
};

#define LOG_HERE ((struct log_place){__FILE__, __LINE__})

// In this period at most this many lines of one place are written, and equal ones once. The
// others are counted: the count is written with the first line of any place after that
// period, or when the process ends.
#define LOG_OWN_BURST       20
#define LOG_OWN_INTERVAL_MS 5000

#define log_own_error(...)   log_own(DOCA_LOG_LEVEL_ERROR, LOG_HERE, __VA_ARGS__)
#define log_own_warning(...) log_own(DOCA_LOG_LEVEL_WARNING, LOG_HERE, __VA_ARGS__)
#define log_own_info(...)    log_own(DOCA_LOG_LEVEL_INFO, LOG_HERE, __VA_ARGS__)

// Writes a line, or counts it. Any thread may call it. Leaves errno alone.
void log_own(uint32_t level, struct log_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Counts one more line that is equal to the last of this place, without a lock and without
// formatting it. Returns false if the line must be written. For failures that a program provokes,
// for instance when it fills a queue.
bool log_own_again(struct log_place place);

// A line that does not count: equal lines are only left out for a while.
void log_own_once(uint32_t level, struct log_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
