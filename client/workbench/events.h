// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Turns records into events: calls, callbacks, completions of tasks, changes of states. It follows
// which objects there are, which tasks are in flight and in which states contexts are. Outputs
// (text, timeline, summary) get each event.

#ifndef WORKBENCH_EVENTS_H
#define WORKBENCH_EVENTS_H

#include "values.h"

// A task, or a job of the first generations, that has completed.
struct completion {
    const char *type;           // of the task, or the name of the job's type
    const struct object *task;  // or NULL
    const struct object *owner; // its context, or NULL
    unsigned lane; // of the context: tasks that are in flight at the same time have different ones
    uint64_t flow; // number of the submission
    uint64_t submitted, completed; // in ns
    bool has_status;
    uint64_t status; // doca_error_t
    uint64_t bytes;  // moved by a successful one, as far as arguments of calls show it; or 0
    pid_t pid, submitter, tid;
    unsigned depth;
};

// A fault that was injected (docad-run --faults).
struct injected {
    uint64_t number; // in its process
    char place[TEXT_MAX + 1], happened[TEXT_MAX + 1], rule[TEXT_MAX + 1];
    pid_t pid, tid;
    unsigned depth;
    uint64_t at;
};

// The times of a record, in ns from the start.
struct moment {
    uint64_t began, ended, spent;
};

// One end of an arrow from one program to another, or within one; the other end has the same
// number.
struct link {
    const char *what; // message or memory
    uint64_t id;
    bool from;
    pid_t pid, tid;
    uint64_t at;
};

// A line of a log.
struct message {
    pid_t pid, tid; // 0: docad has written it
    unsigned depth;
    const char *level;
    struct piece text;
    uint64_t at;
};

struct output {
    void (*begin)(FILE *out);
    void (*call)(FILE *out, const struct reading *reading, const struct moment *at, uint64_t flow);
    void (*callback)(FILE *out, const struct reading *reading, const struct moment *at);
    void (*callback_end)(FILE *out, const struct reading *reading, const struct moment *at);
    void (*completion)(FILE *out, const struct completion *completion);
    void (*state)(FILE *out, const struct object *context, uint32_t before, pid_t tid,
                  unsigned depth, uint64_t at);
    void (*link)(FILE *out, const struct link *link);
    void (*message)(FILE *out, const struct message *message);
    void (*fault)(FILE *out, const struct injected *fault);
    // A call that did not return before its process ended.
    void (*open)(FILE *out, const struct reading *reading, uint64_t at);
    void (*end)(FILE *out, uint64_t lost);
};

extern const struct output output_text, output_json, output_summary;

void events_add_output(const struct output *output, FILE *out);
// Reads one record of a thread.
void events_record(const struct record *record, pid_t pid, pid_t tid);
void events_open(const struct open_call *open, pid_t pid, pid_t tid);
void events_link(const struct link *link);
// A line that docad has written, at a time of CLOCK_MONOTONIC.
void events_docad_line(const char *line, size_t size, uint64_t ns);
void events_end(uint64_t lost);

// The call has succeeded.
bool reading_succeeded(const struct reading *reading);
// Returns the object of an argument; NULL for other arguments.
struct object *reading_object(const struct reading *reading, unsigned parameter);

// Set by writer.c.
uint64_t writer_ns(uint64_t clock);

#endif
