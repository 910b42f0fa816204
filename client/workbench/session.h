// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A traced program and what it starts: one piece of shared memory, and one writer process. The
// writer is neither a child of the program nor in its process group, and ends after the last
// process.

#ifndef WORKBENCH_SESSION_H
#define WORKBENCH_SESSION_H

#include "record.h"

// Variables of the environment that enable a trace. A file is a path, or "" for standard error. The
// process that makes a session removes these variables, so that the programs it starts join the
// session, docad-run among them: it would make a session of its own.
#define TRACE_VARIABLE   "DOCAD_TRACE"
#define FORMAT_VARIABLE  "DOCAD_TRACE_FORMAT" // text or json
#define SUMMARY_VARIABLE "DOCAD_SUMMARY"
// Set by the first process for those that it starts: the shared memory, as a path of /proc.
#define MEMORY_VARIABLE "DOCAD_TRACE_MEMORY"
// Set by docad-run --pair: the side, the time by CLOCK_MONOTONIC that is 0 in both traces, and a
// file to which it copies what the side's docad logs, each line with its time in front.
#define SIDE_VARIABLE   "DOCAD_TRACE_SIDE"
#define ORIGIN_VARIABLE "DOCAD_TRACE_ORIGIN"
#define LOG_VARIABLE    "DOCAD_TRACE_LOG"
// Set by docad-run: a pipe that the writer holds open until all of the first process is written. It
// gets a byte, an errno, if the trace could not be written and the process has not reported that.
#define DONE_VARIABLE "DOCAD_TRACE_DONE"

// Descriptors of the writer.
struct outputs {
    int trace, summary; // or -1
    bool json;
    int done; // or -1
    int log;  // or -1
    int memory;
};

// Joins or makes the session of this process. Returns false: no trace is wanted, or it cannot be
// made.
bool session_start(void);

// Returns a slot for this thread, or NULL if as many threads are alive as there are slots. Waits
// for the writer to free those of threads that have ended.
struct slot *session_claim(void);
void session_end_slot(struct slot *slot);

// Wakes the writer.
void session_ring(void);
// Waits until the writer has written what is in the rings.
void session_flush(void);
// Prints why the writer could not write, if this is the first process.
void session_report(void);

#endif
