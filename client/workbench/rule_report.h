// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad-run --check=rules writes: violations, one for each rule and place. The caller holds
// registry_lock.

#ifndef WORKBENCH_RULE_REPORT_H
#define WORKBENCH_RULE_REPORT_H

#include "registry.h"
#include "rules.h"

#define CHECK_STATUS 70 // of a program that a violation has ended

#define ENUM(name, id, what, remedy, why, guide) RULE_##name,
enum rule { RULES(ENUM) };
#undef ENUM

struct finding {
    enum rule rule;
    const struct function *function; // in which the program is
    const struct entry *object;      // that the finding is about, or NULL
    const struct entry *other;       // that it collides with, or NULL
    const struct stack *since;       // where that began, or NULL
    const char *began;               // what happened there: "the task in flight was submitted at"
    const char *detail;              // one line more, or NULL
    struct stack at;                 // empty: where the thread is now
};

// Opens the file that gets the violations, too; NULL: there is none.
void report_start(bool fatal, const char *path);
// Counts and writes a violation that the thread commits now. Does not return if violations are
// fatal.
void report(const struct finding *finding);
// For an object that is alive at the end. Is not fatal before report_end().
void report_left(const struct entry *entry);
// Writes how many there were. Ends the process if they are fatal and there were any.
void report_end(void);
void report_in_child(void);

#endif
