// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Faults to inject, as the user names them:
//
//     rules     = [rule] { (";" | newline) [rule] }    "#" begins a comment, up to the newline
//     rule      = target ":" item { "," item }
//     target    = function | library "." task          "*" at its end: any characters
//               | "comch" | "comm_channel" | "rdma"    connections
//               | "export" | "import" | "link"         docad does these
//     item      = error                                NO_MEMORY, DOCA_ERROR_AGAIN
//               | "fatal"                              a task takes its context down
//               | "delay" duration                     200us, 5 ms (ns, us, ms, s)
//               | "stall until" signal                 SIGUSR2; "signal" is that one
//               | "drop" ["peer"] [after]              a connection
//               | "revoke" [after]                     an export
//               | "down" ["for" duration] [after]      a link; without a duration for good
//               | after
//               | ordinal                              only this one: 3rd
//               | "every" ordinal                      each 3rd
//               | number "times" | "once"              no more than these
//               | number "%" | "seed" number           by chance, the same for the same seed
//     after     = "after" number [unit]                none of the first ones
//     unit      = "messages" | "operations" | "imports"
//
//     dma.memcpy: IO_FAILED, fatal, 1 %, seed 7
//     doca_mmap_export_pci: NO_MEMORY, every 3rd; doca_buf_*: delay 200us
//     comch: drop peer after 100 messages; link: down for 2 s, after 10
//
// All conditions of a rule must hold. A rule counts the calls of all functions that its target
// matches, or the messages, operations or imports of its kind. What is not a failure (drop, revoke,
// down) follows what was counted, and "after 100" means the 100th, or with a chance or
// several times none before the 100th; without a condition it is the first.

#ifndef FAULT_SPEC_H
#define FAULT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAULT_RULES_MAX   64
#define FAULT_TARGET_MAX  72
#define FAULT_TEXT_MAX    128     // of a rule in messages; a longer one is cut there
#define FAULT_CHANCE_FULL 1000000 // 100 %
#define FAULT_ANY         (-1)    // in place of an error: fault_fitting_error()

enum fault_kind {
    FAULT_FUNCTION,
    FAULT_TASK,
    FAULT_COMCH,
    FAULT_COMM_CHANNEL,
    FAULT_RDMA,
    FAULT_EXPORT, // from here on docad's
    FAULT_IMPORT,
    FAULT_LINK,
};

enum fault_action {
    FAULT_FAILS, // or takes longer
    FAULT_DROP,
    FAULT_REVOKE,
    FAULT_DOWN,
};

struct fault_rule {
    enum fault_kind kind;
    enum fault_action action;
    char target[FAULT_TARGET_MAX]; // without the `*`
    bool any;                      // which was there: the target is the beginning of names
    bool fatal;                    // a task
    int error;                     // doca_error_t; 0: none
    int signal;                    // until which it stalls; 0: it does not
    uint64_t delay_ns;
    uint64_t down_ns; // 0: for good
    uint64_t after;
    uint64_t nth;   // after `after`; 0: any
    uint64_t every; // 0 and 1: each
    uint64_t times; // 0: any number
    uint32_t chance;
    uint64_t seed;
    unsigned line;     // where it stands
    size_t at, length; // in the text that was read
    char text[FAULT_TEXT_MAX];
};

struct fault_spec {
    struct fault_rule rules[FAULT_RULES_MAX];
    size_t count;
};

// A function that rules cannot name, and why.
struct fault_hint {
    const char *name;
    const char *text; // follows the name: "calls doca_x(): name that function"
};

// What targets may name. Without a list (NULL) any name is taken.
struct fault_names {
    const char *const *functions, *const *tasks;
    size_t function_count, task_count;
    const bool *can_fail; // whether each function returns an error; NULL: all do
    const struct fault_hint *hints;
    size_t hint_count;
};

struct fault_error {
    unsigned line, column; // from 1
    char text[320];
};

// Reads the rules. On failure *spec is undefined.
bool fault_spec_read(const char *text, const struct fault_names *names, struct fault_spec *spec,
                     struct fault_error *error);

static inline bool fault_is_of_node(enum fault_kind kind)
{
    return kind >= FAULT_EXPORT;
}

// The first rule that docad follows, or that it does not follow; NULL: there is none.
const struct fault_rule *fault_spec_find(const struct fault_spec *spec, bool of_node);

// ---- fault_words.c

// Returns the error with which a function or a task of this name may fail for no fault of its
// caller: without memory if it makes something, else because of the device.
int fault_fitting_error(const char *name);

// The name of an error that rules can name, without DOCA_ERROR_, or NULL.
const char *fault_error_name(int error);
// The error of this name, with DOCA_ERROR_ or without it; 0: none.
int fault_error_value(const char *name);
// All names by value; the first is NULL.
const char *const *fault_error_names(size_t *count);

// The name of a signal until which something can stall, or NULL.
const char *fault_signal_name(int number);
// Its number; 0: there is no such signal.
int fault_signal_value(const char *name);

#endif
