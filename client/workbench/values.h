// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Words of a record as text.

#ifndef WORKBENCH_VALUES_H
#define WORKBENCH_VALUES_H

#include "objects.h"
#include "record.h"

// A piece of a record's text: strings, jobs and events, in the order of the parameters.
struct piece {
    const char *bytes;
    size_t size;
};

// A record with the description of each parameter.
struct reading {
    const struct function *function;
    const struct record *record;
    pid_t pid, tid;
    uint64_t words[PARAMETERS_MAX]; // arguments
    uint64_t peer;                  // address of the object of a callback, or 0
    uint64_t
        values[PARAMETERS_MAX]; // after the call, for those whose bit in record->present is set
    struct piece pieces[PARAMETERS_MAX];
    struct piece result; // text
};

// Reads a record of RECORD_CALL, RECORD_CALLBACK or RECORD_RETURN. Returns false if it is damaged:
// the program can overwrite it.
bool reading_init(struct reading *reading, const struct record *record, pid_t pid, pid_t tid);

// The members of a job or of an event; those that it does not have are 0.
struct job_words {
    int32_t type;
    uint64_t context, user_data, result;
};
bool reading_job(const struct reading *reading, unsigned parameter, struct job_words *words);

// Reads a record of RECORD_MESSAGE.
bool reading_message(const struct record *record, struct piece *text);
// Returns the hash of a descriptor; 0 for other parameters, and if the function has failed.
uint64_t reading_hash(const struct reading *reading, unsigned parameter);

// Writes an argument, with the value after the call if there is one.
void value_write_argument(FILE *out, const struct reading *reading, unsigned parameter);
void value_write_result(FILE *out, const struct reading *reading);
void value_write_object(FILE *out, const struct object *object);
// Returns a name without its common prefix: RUNNING of DOCA_CTX_STATE_RUNNING.
const char *value_state_name(uint32_t state);
const char *value_error_name(uint64_t error);
const char *value_job_name(const struct constant *types, int32_t type);
const char *value_level_name(uint32_t level); // of the log
// Writes a time in ns, as 1.5us.
void value_write_time(FILE *out, uint64_t ns);
// Writes a number with a comma between thousands.
void value_write_count(FILE *out, uint64_t number);

#endif
