// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// State tables: for every function, what it answers in each state of its object.
//
// A group is a kind of object with its states. Each cell of its table is tried on objects
// made for it: once as it stands, and once for every pointer argument with that argument
// NULL, which is INVALID_VALUE in any state unless the table says that NULL is allowed. A
// call that is refused must leave everything as it was: what getters say, the memory that
// its out-parameters point to, and what the group's probe answers; and it writes one line
// to the log.

#ifndef STATES_TABLES_H
#define STATES_TABLES_H

#include "calls.h"

#include <doca_error.h>
#include <stdbool.h>

#define STATES_MAX 12

// Cells. 0 is a cell that was forgotten.
#define CELL(code)   (1 + DOCA_##code)
#define OK           CELL(SUCCESS)
#define INVALID      CELL(ERROR_INVALID_VALUE)
#define PERMIT       CELL(ERROR_NOT_PERMITTED)
#define IN_USE       CELL(ERROR_IN_USE)
#define UNSUPP       CELL(ERROR_NOT_SUPPORTED)
#define NO_MEM       CELL(ERROR_NO_MEMORY)
#define STATE        CELL(ERROR_BAD_STATE)
#define FOUND        CELL(ERROR_NOT_FOUND)
#define INIT         CELL(ERROR_INITIALIZATION)
#define AGAIN        CELL(ERROR_AGAIN)
#define ABORTED      CELL(ERROR_CONNECTION_ABORTED)
#define NOT_CONN     CELL(ERROR_NOT_CONNECTED)
#define RESET        CELL(ERROR_CONNECTION_RESET)
#define SYSTEM       CELL(ERROR_OPERATING_SYSTEM)
#define DRIVER       CELL(ERROR_DRIVER)
#define EXISTS       CELL(ERROR_ALREADY_EXIST)
#define GOING        CELL(ERROR_IN_PROGRESS) // not a refusal
#define ABSENT       (-1)                    // in this state there is no object to call it with
#define ENDS         (-2)                    // ends the process, with status 0
#define IN_ANY_STATE 1000                    // added to the first cell, without others
// clang-format off
#define ANY(code) {IN_ANY_STATE + (code)}
#define ROW(...)  {__VA_ARGS__} // in macros, which are formatted badly with braces
// clang-format on

struct row {
    const char *function; // NULL: a row of other generations
    int cells[STATES_MAX];
    const char *may_be_null; // parameters, divided by spaces
    int null_cell;           // what those answer; 0: as if they were not NULL
};

// A function creates an object, as its last argument or as the list before its length, and another
// one destroys it.
struct lifetime {
    const char *create;
    const char *destroy; // called after `create`; NULL: `object` gets what was created
    void *object;        // a pointer; NULL after a call that has destroyed the object; may be NULL
};

enum node { ON_HOST, ON_DPU };

// What a group is about may not be part of a build (ISA-L, liblz4).
#ifdef DOCAD_HAVE_ISAL
#define WITHOUT_ISAL false
#else
#define WITHOUT_ISAL true
#endif
#ifdef DOCAD_HAVE_LZ4
#define WITHOUT_LZ4 false
#else
#define WITHOUT_LZ4 true
#endif

struct group {
    const char *name;
    bool left_out;                  // it is not
    const char *states[STATES_MAX]; // up to a NULL; "" is a state of other generations
    unsigned on_dpu;                // 1 << state: needs the DPU's side
    const struct row *rows;
    size_t n_rows;
    const char *probe; // a function that answers differently in different states
    bool logs_nothing; // refusals write no line
    void (*enter)(unsigned state);
    void (*leave)(void); // whatever a call has made of the objects
    // The argument for a parameter, except where a function of `lifetimes` puts what it creates.
    // GIVEN_NONE leaves it to the engine, which gives a pointer to memory; GIVEN_ABSENT: there is
    // no such object in this state.
    enum given {
        GIVEN,
        GIVEN_NONE,
        GIVEN_ABSENT
    } (*argument)(const char *function, const char *param, uint64_t *value);
    const struct lifetime *lifetimes; // up to one without names; may be NULL
    // Takes note of what else a call that has succeeded has made or ended. May be NULL.
    void (*succeeded)(const char *function, const uint64_t *arguments);
};

// Destroys the objects that are there.
void lifetimes_end(const struct lifetime *lifetimes);

#define ROWS(table) .rows = table, .n_rows = sizeof(table) / sizeof((table)[0])
// clang-format off
#define LIFETIMES(...) .lifetimes = (const struct lifetime[]) {__VA_ARGS__, {NULL}}
// clang-format on

// Defines a group, and adds it to those that are tried.
#define GROUP(name)                                                                                \
    static const struct group group_##name;                                                        \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        group_add(&group_##name);                                                                  \
    }                                                                                              \
    static const struct group group_##name

#define GROUPS_MAX 64
extern const struct group *groups[GROUPS_MAX];
extern size_t n_groups;

void group_add(const struct group *group);

// Tries every cell of the states that belong to this node.
void group_run(const struct group *group, enum node node);

// Fails for each function that no group has, or with a state or a parameter that is wrong.
void groups_check_complete(void);

// The descriptor of an export of a page on the host's pf0, by another process.
extern uint8_t exported_desc[256];
extern size_t exported_desc_len;
extern void *exported_address; // where it is in that process

#define GIVE(pointer) (*value = (uint64_t)(uintptr_t)(pointer), GIVEN)
// An object that may not be there.
#define GIVE_OBJECT(pointer) ((pointer) ? GIVE(pointer) : GIVEN_ABSENT)

static inline bool same(const char *a, const char *b)
{
    return __builtin_strcmp(a, b) == 0;
}

#endif
