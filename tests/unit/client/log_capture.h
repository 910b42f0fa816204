// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Catches what the logger writes, in memory files.

#ifndef TESTS_UNIT_LOG_CAPTURE_H
#define TESTS_UNIT_LOG_CAPTURE_H

#include <doca_log.h>

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 30
#define DOCA_3
#define doca_logger_backend doca_log_backend // the same, by the name of DOCA 3
#endif

// A file in memory.
int log_sink(void);

// Returns what was written to the file so far; log_texts() returns only the part behind "]: " of
// each line. Each result lasts for a few calls more.
const char *log_text(int fd);
const char *log_texts(int fd);

void truncate_to_nothing(int fd);

// Fails unless the extended regular expression matches.
void assert_matches(const char *string, const char *pattern);
#define LOG_TIME "\\[[0-2][0-9]:[0-5][0-9]:[0-5][0-9]:[0-9]{6}\\]"

// Puts files in the place of stdout and stderr.
struct standard {
    int out, err;
};
struct standard standard_capture(void);

// A line of each level, from severe to mild.
void log_each_level(void);

// Returns what each level makes of the sink, after forgetting everything before.
const char *shown_levels(int fd);

struct doca_logger_backend *backend_of(int fd);

#endif
