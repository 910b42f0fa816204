// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A control group with a quota of CPU time, for rows that are measured as in a container with one:
// cgroups(7), version 2 at /sys/fs/cgroup, or version 1 with the controller "cpu" in a directory of
// it. The supervisor makes the group and removes it; the measuring process enters it, so that its
// children are in it, too.

#ifndef PERFTEST_QUOTA_H
#define PERFTEST_QUOTA_H

#include <stdbool.h>

#define QUOTA_PATH_MAX 96

struct quota {
    char path[QUOTA_PATH_MAX]; // "": none
};

// Makes a group whose processes get `cpus` CPUs' time in each 100 ms. Returns false if this user or
// this machine cannot have one; then *quota is empty.
bool quota_make(struct quota *quota, unsigned cpus);
// Moves the calling process into the group.
bool quota_enter(const struct quota *quota);
// Removes the group. Its processes have ended.
void quota_remove(struct quota *quota);

#endif
