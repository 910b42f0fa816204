// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Calls of a program to DOCA, as the wrappers of libdocad-workbench see them, and what can be
// hooked into them. The library is preloaded. It defines each function of libdoca-client with its
// version, and calls the next definition.
//
// A call that libdoca-client itself makes to one of its functions is passed on and not seen.

#ifndef WORKBENCH_WORKBENCH_H
#define WORKBENCH_WORKBENCH_H

#include "functions.h"

#define WRAPPER __attribute__((visibility("default"), noinline, used))

struct call {
    const struct function *function;
    uint64_t *arguments; // one word for each parameter
    uint64_t result;     // after the call; 0 for void
    void *next;          // the function, or the program's callback
    bool outer;          // the program's own call: hooks see it
    bool failed;         // a hook has given the result, and the function was not called
    uint32_t depth;      // for the trace: 0 unless made in a callback
    uint64_t began;      // for the trace
    uint64_t peer;       // for the trace: enum function_peer
};

// Called by a wrapper. Returns false: a hook has given the result.
bool call_begin(struct call *call);
void call_end(struct call *call);
// Called around a callback of the program.
void callback_begin(struct call *call);
void callback_end(struct call *call);

// Returns whether this thread is in a function of DOCA, or in a hook, and not in a callback of the
// program.
bool call_is_inside(void);

// Returns the definition that a wrapper calls; ends the program if there is none.
void *function_next(const struct function *function);
// Returns the next definition of a symbol; NULL if there is none.
void *symbol_next(const char *symbol, const char *version);

// Functions that are called before and after each call.
struct hook {
    // Called once: returns whether the environment enables it.
    bool (*start)(void);
    // Returns the error with which the call fails instead of being made, or 0. It counts for
    // functions that return doca_error_t. The first hook that returns an error decides; the others
    // are called, too.
    int (*before)(struct call *call);
    void (*after)(struct call *call); // in reverse order
    // Around callbacks, in reverse order before them; may be NULL.
    void (*callback_before)(struct call *call);
    void (*callback_after)(struct call *call);
};

// All hooks, in the order of `before` (hooks.c). A NULL ends them.
extern const struct hook *const all_hooks[];

// ---- callbacks

// One function of each type of callback for each function of the program that is registered for it.
// A program that has more functions of one type is called directly for the others.
// clang-format off
#define CALLBACK_SLOTS(X)                                                                          \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)         \
    X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
// clang-format on
#define CALLBACKS_MAX 32

struct callbacks {
    _Atomic(void *) programs[CALLBACKS_MAX];
};

// Returns the number of the function in place of the program's; -1 for NULL, or if there is no
// room.
int callbacks_put(struct callbacks *callbacks, void *program);
// Returns whether there was no room at some time, so that completions may not be seen.
bool callbacks_missed(void);
void *callbacks_get(struct callbacks *callbacks, unsigned slot);

#endif
