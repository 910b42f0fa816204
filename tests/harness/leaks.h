// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Finds what a process must not leave behind: descriptors, children, files.

#ifndef HARNESS_LEAKS_H
#define HARNESS_LEAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define DESCRIPTORS_MAX 128

struct descriptors {
    size_t count;
    struct {
        int fd;
        char target[96]; // its description in /proc/self/fd
        // For a file with a name: another process may rename it, as ctest does with its log.
        dev_t device;
        ino_t file;
    } open[DESCRIPTORS_MAX];
};

// The descriptors that this process has open now, or DESCRIPTORS_MAX of them.
void descriptors_list(struct descriptors *out);

// Writes to `text` the descriptors that are in `now` and not in `before`, and the other way
// round. Returns false, and an empty text, if there is no difference. A list of DESCRIPTORS_MAX
// differs from any.
bool descriptors_differ(const struct descriptors *before, const struct descriptors *now, char *text,
                        size_t size);

// Waits for helper processes of daemons that have ended: they end soon after.
void helpers_await(void);

// Are there children of this process, running or not waited for? Names them in `text`.
bool children_left(char *text, size_t size);

// Are there files below `dir`? Names them in `text`.
bool files_left(const char *dir, char *text, size_t size);

#endif
