// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docactl on two linked nodes, for its tests: runs it, reads the JSON that it prints, which
// must be what its table of commands says, and starts a program for it to see.

#ifndef INTEGRATION_DOCACTL_RUN_H
#define INTEGRATION_DOCACTL_RUN_H

#include "child.h"
#include "client.h"
#include "nodes.h"
#include "run.h"

#include <json-c/json.h>

extern struct command_result result; // the result of the last command

// Runs docactl with these words, of which the last is NULL; returns its exit status.
int docactl_run(const struct daemon *daemon, const char *const words[]);

#define RUN(daemon, ...) docactl_run(daemon, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_OK(daemon, ...)                                                                        \
    ck_assert_msg(RUN(daemon, __VA_ARGS__) == 0, "status %d: %s", result.status, result.err)

// Returns the output of the last command as JSON. The caller releases it.
struct json_object *printed(void);

// Return members of an object. The test fails if one is missing or of another type.
struct json_object *get(struct json_object *object, const char *key, json_type type);
const char *text_of(struct json_object *object, const char *key);
uint64_t number_of(struct json_object *object, const char *key);
bool has_text(struct json_object *object, const char *key, const char *text);

// Returns the only object of a list whose member has this text.
struct json_object *pick(struct json_object *array, const char *key, const char *text);

// Compares the last command's output, `value`, with what `docactl help --json` says of `command`.
void check_table(const char *command, struct json_object *value);

// Returns the list that `command` prints, checked in that way. `second` is its second word, or
// NULL.
struct json_object *list_of(const struct daemon *daemon, const char *command, const char *second);

// ---- a program of the host -------------------------------------------------------------------

#define MEMORY_SIZE 12345

void fill(uint8_t memory[MEMORY_SIZE]);

// Exports memory of the first function, filled as above, to be read by the DPU.
struct host_program {
    struct child *child;
    uint64_t address;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t desc_size;
    char id[24]; // the export's id, as docactl writes it
};

struct host_program start_host_program(void);
void end_host_program(struct host_program *p);

#endif
