// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What every command of docactl receives, and how a command ends.

#ifndef DOCACTL_DOCACTL_H
#define DOCACTL_DOCACTL_H

#include "call.h"
#include "options.h"
#include "output.h"

#include <doca_error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The exit statuses of the program: part of its interface, and listed in its help.
enum outcome {
    OUTCOME_DONE = 0,
    OUTCOME_REFUSED = 1,
    OUTCOME_USAGE = 2,
    OUTCOME_NO_DAEMON = 3,
    OUTCOME_TIMED_OUT = 4,
};

struct ctl;

struct command {
    const char *name;                  // one or two words: "exports show"
    const char *arguments;             // "ID", or NULL
    const char *summary;               // one line
    const char *detail;                // more text for `help COMMAND`, or NULL
    const struct option_spec *options; // its own, or NULL
    size_t min_arguments, max_arguments;
    enum outcome (*run)(struct ctl *ctl);
    enum shape shape; // the form of what --json prints
    const struct column *fields;
};

extern const struct command ctl_commands[];
extern const size_t n_ctl_commands;

struct ctl {
    const struct command *command; // NULL until it was read
    struct arguments args;         // the words after the command
    bool json;
    const char *socket;  // as given, or NULL
    uint32_t timeout_ms; // how long the daemon may take to answer

    struct call_line line; // closed until connected
    char socket_path[128];
    char node_name[64];
    bool left; // the daemon closed the connection

    doca_error_t error; // what failed, printed once by main()
    char error_text[512];
};

// Stores why the command failed and returns `outcome`, so that a function can end with `return
// ctl_fail(…)`. The text has what failed, with which object, why, and the remedy; it may contain
// untrusted bytes.
enum outcome ctl_fail(struct ctl *ctl, enum outcome outcome, doca_error_t error, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));

// The option --count; UINT64_MAX without it.
enum outcome ctl_take_count(struct ctl *ctl, uint64_t *count);

// The command's first argument as an export's id.
enum outcome take_id(struct ctl *ctl, uint64_t *id);

// The table that `help --json` prints, as an array: what all commands print and take.
struct json_object *help_table(void);
void help_overview(void);
void help_command(const struct command *command);
// Prints the help of all commands that start with `words`; false if there is none.
bool help_topic(const char *const *words, size_t n);
// Prints the manual page ("man") or completions ("bash", "zsh"); false if there is no such
// format.
bool help_as(const char *format);
bool completion_print(const char *shell);

#endif
