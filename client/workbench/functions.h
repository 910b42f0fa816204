// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptions of DOCA's functions, which make-workbench writes from the public headers.

#ifndef WORKBENCH_FUNCTIONS_H
#define WORKBENCH_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define PARAMETERS_MAX 16 // make-workbench checks it

enum value_kind {
    VALUE_NOTHING, // void
    VALUE_NUMBER,
    VALUE_SIGNED,
    VALUE_BOOL,
    VALUE_ERROR, // doca_error_t
    VALUE_ENUM,
    VALUE_DATA,   // union doca_data
    VALUE_STRING, // const char *
    VALUE_TEXT,   // char *, which the function fills in
    VALUE_OBJECT, // a pointer to an opaque structure, or a list of such
    VALUE_POINTER,
    VALUE_CALLBACK,
    VALUE_REAL,  // double
    VALUE_JOB,   // const struct doca_job *
    VALUE_EVENT, // struct doca_event *
    VALUE_BYTES, // a descriptor, of which the trace has a hash
};

// What a task or a job does with the bytes of a buffer, or a function with the buffer.
enum buffer_use {
    USE_NONE,        // not a buffer
    USE_SOURCE,      // it is read (const)
    USE_DESTINATION, // it is written
    USE_RESULT,      // the second one that is written
};

// A value of an enumeration; the last of an array has no name.
struct constant {
    const char *name;
    int64_t value;
};

// Traits of a function by its name, for the rules (make-workbench has the patterns).
enum function_trait {
    TRAIT_CLEANS = 1U << 0,  // it ends something, or only queries
    TRAIT_REPAIRS = 1U << 1, // it may set what made another call fail
    TRAIT_STARTS = 1U << 2,
    TRAIT_STOPS = 1U << 3,
    TRAIT_OF_TASK = 1U << 4,
    TRAIT_OF_MAP = 1U << 5,
    TRAIT_ASKS_MAP = 1U << 6,
    TRAIT_SETS_RIGHTS = 1U << 7,
    TRAIT_EXPORTS = 1U << 8, // a map
    TRAIT_MAKES_SAFE = 1U << 9,
    TRAIT_CHAINS = 1U << 10, // or unchains
    TRAIT_UNCHAINS = 1U << 11,
    TRAIT_CONNECTS = 1U << 12, // a context with its engine
    TRAIT_LEAVES_WORKQ = 1U << 13,
    TRAIT_OF_GRAPH = 1U << 14,
    TRAIT_RUNS_GRAPH = 1U << 15,
    TRAIT_FREES_TASK = 1U << 16,
    TRAIT_READS_STATUS = 1U << 17,
    TRAIT_TAKES_FLAGS = 1U << 18, // of a submission
    TRAIT_FLUSHES = 1U << 19,
    TRAIT_REQUESTS = 1U << 20, // a notification
    TRAIT_CLEARS = 1U << 21,   // notifications
    TRAIT_GETS_HANDLE = 1U << 22,
    TRAIT_COUNTS = 1U << 23,
    TRAIT_IMPORTS = 1U << 24,    // a map
    TRAIT_SETS_TASKS = 1U << 25, // the number of tasks of a type and their callbacks
    TRAIT_UP_TO_1_5 = 1U << 26,  // of the interface of that release or an older one
    TRAIT_OF_3 = 1U << 27,
    TRAIT_SETS_NODE = 1U << 28,       // the task of a node of a graph
    TRAIT_ADDS_OTHER_NODE = 1U << 29, // to a graph: one that is no task
};

// What the name of a function or a callback says, for the writer (make-workbench has the patterns).
enum function_note {
    NOTE_BYTES = 1U << 0, // it may change what a buffer or a task has
    NOTE_BY_ADDRESS = 1U << 1,
    NOTE_RECEIVES = 1U << 2,
    NOTE_SETS_BUFFER = 1U << 3, // of a task
    NOTE_RESETS_LENGTH = 1U << 4,
    NOTE_MOVES_MESSAGE = 1U << 5,
    NOTE_COMCH = 1U << 6, // of that library, and so the others
    NOTE_COMM_CHANNEL = 1U << 7,
    NOTE_RDMA = 1U << 8,
    NOTE_CONNECTION = 1U << 9, // a callback about one of RDMA that was made
    NOTE_COMPLETION = 1U << 10,
    NOTE_NAMES_PEER = 1U << 11, // it may make a task that is for one connection or consumer
};

// What kinds an object is of, by the name of its type.
enum type_bits {
    TYPE_LIST = 1U << 0,
    TYPE_TASK = 1U << 1,
    TYPE_BASE = 1U << 2, // a context or a task, whatever its library
    TYPE_WORKQ = 1U << 3,
    TYPE_ENGINE = 1U << 4, // a work queue, too
    TYPE_BUFFER = 1U << 5,
    TYPE_MAP = 1U << 6,
    TYPE_INVENTORY = 1U << 7, // a pool, too
    TYPE_DEVICE = 1U << 8,    // a representor, too
    TYPE_MATRIX = 1U << 9,
    TYPE_CONTEXT = 1U << 10, // a library's object that has a context
};

struct parameter {
    const char *name;
    enum value_kind kind; // of what the pointer points to, if `out` is set
    bool out;             // the function writes through the pointer
    uint8_t bytes;        // size of what it points to; 0 for strings
    const char *type;     // of an object: struct doca_TYPE
    uint16_t types;       // of an object: enum type_bits
    // The values of an enumeration; for a job or an event: the types of jobs.
    const struct constant *constants;
    enum buffer_use use; // of a buffer
    uint8_t size;        // of VALUE_BYTES: the parameter that has the number of bytes
};

// What a function does, as far as its name says it.
enum function_role {
    ROLE_NONE,
    ROLE_SUBMIT,   // of its first object, or of a job
    ROLE_PROGRESS, // polls for completions
    ROLE_STATE,    // starts or stops a context
    ROLE_DESTROY,  // of the object that it is about
    ROLE_HOLD,     // a reference to a buffer more,
    ROLE_RELEASE,  // or less
    ROLE_ALIAS,    // returns the context or task that its first object is
    ROLE_CHANGE,   // of a buffer or a task: what it says
    ROLE_CALLBACK, // not a function of DOCA but one of the program
};

// An object that a callback is about, though it is not among its arguments.
enum function_peer {
    PEER_NONE,
    PEER_SENDER,   // the connection by which a receive task has received
    PEER_SERVER,   // the server that has a connection; none if that is a client's
    PEER_FUNCTION, // the program's function itself
};

struct function {
    const char *name;    // as programs write it
    const char *symbol;  // of libdoca-client
    const char *version; // node of libdoca-client.map
    uint16_t id;         // index in functions[]
    struct parameter result;
    const struct parameter *parameters;
    uint8_t count;
    enum function_role role;
    uint8_t object; // the parameter that the function is about
    bool repeated;  // programs call it again and again with the same arguments
    bool delivers;  // it returns the event of a job, or a message
    bool texts;     // it has strings, jobs, events or bytes
    bool makes;     // the objects that it writes are new
    uint8_t outs;   // words that it writes through pointers, at most
    bool quick;     // it reads or changes a member of a buffer or a task, and does nothing else
    bool context;   // its first object is a context of DOCA 3
    enum function_peer peer;
    uint32_t traits; // enum function_trait
    uint16_t notes;  // enum function_note
};

static inline bool function_has(const struct function *function, enum function_trait trait)
{
    return function->traits & trait;
}

static inline bool function_notes(const struct function *function, enum function_note note)
{
    return function->notes & note;
}

// An object that the function is given.
static inline bool parameter_is_input(const struct parameter *of)
{
    return of->kind == VALUE_OBJECT && !of->out;
}

// A function of which one record counts many calls, and that takes the time of some of them only.
static inline bool function_is_poll(const struct function *function)
{
    return function->role == ROLE_PROGRESS && !function->texts && !function->outs;
}

extern const struct function *const functions[];
extern const unsigned function_count;
extern _Atomic(void *) next_functions[]; // what each wrapper calls; NULL: not looked up yet
extern const struct constant constants_doca_error[];
extern const struct constant constants_states[]; // enum doca_ctx_states

#endif
