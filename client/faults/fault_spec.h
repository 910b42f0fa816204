// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Faults to inject, as the user names them:
//
//     rules     = [rule] { (";" | newline) [rule] }        "#" begins a comment, up to the newline
//     rule      = target ":" item { "," item }
//     target    = function | library "." task              a "*" at its end stands for any
//     characters item      = error                                     the call fails: NO_MEMORY,
//     DOCA_ERROR_AGAIN
//               | "delay" duration                          it takes longer: 200us, 5 ms (ns, us,
//               ms, s) | ordinal                                   of the calls that match only
//               this one: 3rd | "every" ordinal                           each 3rd of them |
//               "after" number                            none of the first ones | number "times" |
//               "once"                   and no more than these | number "%" | "seed" number by
//               chance; the same calls for the same seed
//
//     dma.memcpy: IO_FAILED, 1 %, seed 7
//     doca_mmap_export_pci: NO_MEMORY, every 3rd; doca_buf_*: delay 200us
//
// All conditions of a rule must hold. A rule counts the calls of all functions that its target
// matches.

#ifndef FAULTS_FAULT_SPEC_H
#define FAULTS_FAULT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAULT_RULES_MAX   64
#define FAULT_TARGET_MAX  72
#define FAULT_CHANCE_FULL 1000000 // 100 %
#define FAULT_ANY         (-1)    // in place of an error: fault_fitting_error()

enum fault_kind { FAULT_FUNCTION, FAULT_TASK };

struct fault_rule {
    enum fault_kind kind;
    char target[FAULT_TARGET_MAX]; // without the `*`
    bool any;                      // which was there: the target is the beginning of names
    int error;                     // doca_error_t; 0: none
    uint64_t delay_ns;
    uint64_t after;
    uint64_t nth;   // after `after`; 0: any
    uint64_t every; // 0 and 1: each
    uint64_t times; // 0: any number
    uint32_t chance;
    uint64_t seed;
    unsigned line; // where it stands
};

struct fault_spec {
    struct fault_rule rules[FAULT_RULES_MAX];
    size_t count;
};

// What targets may name. Without a list (NULL) any name is taken.
struct fault_names {
    const char *const *functions, *const *tasks;
    size_t function_count, task_count;
};

struct fault_error {
    unsigned line, column; // from 1
    char text[320];
};

// Reads the rules. On failure *spec is undefined.
bool fault_spec_read(const char *text, const struct fault_names *names, struct fault_spec *spec,
                     struct fault_error *error);

// Returns the error with which a function or a task of this name may fail for no fault of its
// caller: without memory if it makes something, else because of the device.
int fault_fitting_error(const char *name);

// The name of an error that rules can name, without DOCA_ERROR_, or NULL.
const char *fault_error_name(int error);

#endif
