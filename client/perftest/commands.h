// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The commands: one table, in commands.c. A new library adds its commands there.

#ifndef PERFTEST_COMMANDS_H
#define PERFTEST_COMMANDS_H

#include "options.h"
#include "supervisor.h"

struct command {
    const char *name;
    const char *summary; // one line
    const char *detail;  // more text for its help
    uint64_t takes;      // TAKES() of its options
    unsigned files;      // how many it may be given
    struct options defaults;
    unsigned nodes; // mask of those that the local path needs; an import needs both
    bool (*check)(struct options *options, struct problem *problem); // or NULL
    run_fn run;                                                      // in a process of its own
    // Replaces `run` for a command that does more than one run.
    bool (*supervise)(struct supervisor *sup, const struct options *options,
                      struct problem *problem);
};

extern const struct command commands[];
extern const size_t n_commands;

const struct command *command_find(const char *name);

// Reports that there is no such command, and suggests a similar one.
void command_unknown(const char *name, struct problem *problem);

bool run_dma_bw(struct run *run);
bool run_dma_lat(struct run *run);
bool run_send_lat(struct run *run);
bool run_send_bw(struct run *run);
bool run_write_lat(struct run *run);
bool run_write_bw(struct run *run);
bool run_read_bw(struct run *run);
bool run_atomic_bw(struct run *run);
bool run_buf(struct run *run);
bool run_sync_lat(struct run *run);
bool run_cc_rate(struct run *run);
bool run_mmap_start(struct run *run);
bool run_event(struct run *run);
bool supervise_compare(struct supervisor *sup, const struct options *options,
                       struct problem *problem);
bool supervise_external(struct supervisor *sup, const struct options *options,
                        struct problem *problem);

// Sizes and depths that go together; sets everything that follows from the size.
bool check_dma(struct options *options, struct problem *problem);
bool check_rdma(struct options *options, struct problem *problem);
bool check_mmap_start(struct options *options, struct problem *problem);

// Numbers of objects that go together.
bool check_scale(struct options *options, struct problem *problem);

// The size of a message.
bool check_duet(struct options *options, struct problem *problem);

bool supervise_scale(struct supervisor *sup, const struct options *options,
                     struct problem *problem);
bool supervise_attack(struct supervisor *sup, const struct options *options,
                      struct problem *problem);

// Checks one file or several.
bool check_plot(struct options *options, struct problem *problem);
bool supervise_plot(struct supervisor *sup, const struct options *options, struct problem *problem);

void compare_help(void);
void attack_help(void);

#endif
