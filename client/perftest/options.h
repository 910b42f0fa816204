// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command line. One table defines the options and is printed by --help; each command has a mask
// of those that it takes.

#ifndef PERFTEST_OPTIONS_H
#define PERFTEST_OPTIONS_H

#include "memory.h"
#include "problem.h"

#include <stddef.h>
#include <stdint.h>

enum option_id {
    OPTION_SIZE,
    OPTION_ITERS,
    OPTION_DEPTH,
    OPTION_BATCH,
    OPTION_WARMUP,
    OPTION_PATH,
    OPTION_MEMORY,
    OPTION_MODE,
    OPTION_DEVICE,
    OPTION_TASKS,
    OPTION_CPU,
    OPTION_DURATION,
    OPTION_SERVER,
    OPTION_SOCKET,
    OPTION_BIND,
    OPTION_PORT,
    OPTION_ONCE,
    OPTION_HOST_SOCKET,
    OPTION_DPU_SOCKET,
    OPTION_COPIES,
    OPTION_SESSIONS,
    OPTION_EXPORTS,
    OPTION_NAMES,
    OPTION_RESTART,
    OPTION_FILL,
    OPTION_QUICK,
    OPTION_ROWS,
    OPTION_PROCESSES,
    OPTION_ALL,
    OPTION_JSON,
    OPTION_CSV,
    OPTION_VERSION,
    OPTION_HELP,
    N_OPTIONS,
};

#define FILES_MAX     4
#define PROCESSES_MAX 64 // that measure a row of compare

#define TAKES(id) (UINT64_C(1) << OPTION_##id)

enum path {
    PATH_LOCAL,  // both buffers in the process
    PATH_IMPORT, // the source is another process's, on another node
};

struct options {
    uint64_t given; // TAKES() of the options on the command line
    uint64_t size;
    uint64_t iters;
    uint64_t warmup;
    uint32_t depth;
    uint32_t batch;
    enum path path;
    enum memory_kind memory;
    bool event;
    int cpu[2];       // -1: any
    uint64_t seconds; // 0: `iters` times
    const char *host_socket, *dpu_socket;
    const char *server; // HOST[:PORT] of the other machine; NULL: this one
    const char *socket; // of docad, where there is a server
    const char *bind;   // where the server listens; NULL: all addresses
    const char *port;   // NULL: SERVER_PORT
    bool once;          // the server ends after a client
    const char *device; // name of an ibverbs device; NULL: any
    bool tasks;         // of DOCA 3, instead of jobs
    bool quick, all, json, csv;
    uint64_t copies_over; // 0: the engine copies nothing
    uint64_t sessions, exports, names;
    unsigned fill;       // percent of docad's default limits
    const char *restart; // a command that restarts docad; NULL: none
    uint32_t processes;  // of a row of compare; 0: the default
    const char *rows;    // parts of their names, with | between them; NULL: all
    const char *files[FILES_MAX];
    size_t n_files;
};

struct command_line {
    const char *command; // NULL: none
    bool help, version;
    struct options options;
};

// Reads the whole line, with options and command in any order.
bool options_read(struct command_line *line, int argc, char **argv, struct problem *problem);

// Fails if an option was given that the command does not take.
bool options_check(const struct options *options, uint64_t takes, const char *command,
                   struct problem *problem);

// How many processes measure a row of compare.
unsigned options_processes(const struct options *options);

// Returns whether --rows, if it was given, is for the row of this name.
bool options_want_row(const struct options *options, const char *name);

const char *path_name(enum path path);

// Prints the options in `takes`, with the command's own defaults.
void options_help(uint64_t takes, const struct options *defaults);

// "64", "64K" …: exact, or in bytes. The text lives until the fourth next call.
const char *size_text(uint64_t size);

#endif
