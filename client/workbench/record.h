// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory that a traced program and its writer process share: a ring of records for each thread.
// Its contents outlive the program, however that ends.

#ifndef WORKBENCH_RECORD_H
#define WORKBENCH_RECORD_H

#include "functions.h"

#include <stdatomic.h>
#include <sys/types.h>

#define SLOTS_MAX        4096 // threads at one time; the calls of others are counted as lost
#define LARGE_SLOTS      128  // the first slots, which have larger rings
#define LARGE_RING       (512U * 1024)
#define SMALL_RING       (64U * 1024)
#define RECORD_MAX       4096       // bytes of one record
#define OPEN_MAX         8          // nested calls (in callbacks of calls) that are remembered
#define TEXT_MAX         200        // bytes of a string
#define MESSAGE_MAX      1000       // bytes of a line of a log
#define PIECE_UNREADABLE UINT64_MAX // size of a string whose bytes could not be read
#define RECORD_INJECTED  (1U << 31) // a hook has made the call fail
#define RECORD_UNTIMED   (1U << 29) // `ended` is `began`: the clock was not read at the end
#define RECORD_PEER      (1U << 30) // a callback's last word is an object: enum function_peer
#define POLLS_TIMED      16 // equal polls, or calls of quick functions, of which one is timed
#define SEGMENT_TAG      0x64636472

enum record_kind {
    RECORD_PADDING, // up to the end of the ring
    RECORD_CALL,
    RECORD_CALLBACK, // a callback begins; result: the task's status
    RECORD_RETURN,   // a callback has returned
    RECORD_STATE,    // words: a context, and its state
    RECORD_CONSUMER, // words: a consumer of Comch, and its number
    RECORD_MESSAGE,  // words: a level of the log, and a string
    RECORD_FAULT,    // words: its number; then three strings: where, what happens, and the rule
};

struct record {
    uint32_t size; // bytes, a multiple of 8
    uint16_t function;
    uint8_t kind;
    uint8_t depth;
    uint32_t count; // equal calls that this record stands for
    // Bit i: parameter i has a value after the call, in `words`. Or RECORD_INJECTED...
    uint32_t present;
    uint64_t began; // clock_now()
    uint64_t ended; // when the last of the calls did
    uint64_t spent; // in all of the calls
    uint64_t result;
    // Three parts: the arguments; the values after the call, one for each bit in `present`; the
    // strings, texts, jobs, events and hashes of bytes of the arguments and of the result. A string
    // is a word with its size in bytes, or PIECE_UNREADABLE, and the bytes, padded to whole words.
    uint64_t words[];
};

// A call that has not returned.
struct open_call {
    uint64_t began;
    uint32_t function;
    uint64_t arguments[PARAMETERS_MAX];
};

enum slot_state { SLOT_FREE, SLOT_USED, SLOT_ENDED };

// What one thread shares with the writer process. The thread writes everything but `tail`.
struct slot {
    pid_t pid, tid;
    uint32_t number;        // of the slot
    uint32_t ring_bytes;    // a power of two
    _Atomic uint32_t depth; // calls in `open`
    _Atomic uint64_t lost;  // records for which there was no room
    uint32_t quick;         // calls of quick functions
    uint64_t tail_seen;     // `tail` when it was last read, which the writer changes often
    struct open_call open[OPEN_MAX];
    _Atomic uint64_t head __attribute__((aligned(64))); // bytes that were ever put into the ring
    _Atomic uint64_t tail __attribute__((aligned(64))); // bytes that were ever read from it
    // A record that is not in the ring yet: the last call, if its function is called repeatedly.
    // Equal calls are added to it. Its size is 0 if there is none.
    uint8_t last[RECORD_MAX] __attribute__((aligned(8)));
    uint8_t ring[] __attribute__((aligned(4096)));
};

static inline struct record *slot_last(struct slot *slot)
{
    return (struct record *)slot->last;
}

struct segment {
    uint32_t tag;
    uint32_t functions;  // of the library that made it
    uint64_t clock_base; // clock_now() at the start
    uint64_t ns_base;    // CLOCK_MONOTONIC then
    uint64_t ns_origin;  // CLOCK_MONOTONIC at what the trace calls 0, which may be earlier
    bool by_counter;     // clock_now() reads the processor's counter
    pid_t root;          // the first process
    char side[8];        // host or dpu, of a pair; else empty
    pid_t writer;
    _Atomic uint32_t doorbell;         // futex: the writer waits for a change
    _Atomic uint32_t flush_wanted;     // a thread waits until all that it recorded is written
    _Atomic uint32_t flush_done;       // futex
    _Atomic uint32_t slots;            // that were ever used
    _Atomic uint32_t slot_changes;     // slots that were left or freed so far
    _Atomic int write_error;           // errno of a write that failed; 0 again when it is reported
    _Atomic uint64_t threads_lost;     // calls of threads without a slot
    _Atomic uint32_t state[SLOTS_MAX]; // enum slot_state
    uint8_t memory[] __attribute__((aligned(4096))); // of the slots
};

// Set by session.c.
extern struct segment *segment;

// The writer takes the size from the number, because the program can write to the slot.
static inline uint32_t slot_ring_bytes(uint32_t number)
{
    return number < LARGE_SLOTS ? LARGE_RING : SMALL_RING;
}

// Returns where a slot begins, in segment->memory.
static inline size_t slot_offset(uint32_t number)
{
    uint32_t large = number < LARGE_SLOTS ? number : LARGE_SLOTS;
    return number * sizeof(struct slot) + (size_t)large * LARGE_RING +
           (size_t)(number - large) * SMALL_RING;
}

#define SEGMENT_BYTES (sizeof(struct segment) + slot_offset(SLOTS_MAX))

static inline struct slot *slot_at(uint32_t number)
{
    return (struct slot *)(segment->memory + slot_offset(number));
}

// The time in units of the segment's clock.
static inline uint64_t clock_now(void);
uint64_t clock_of_kernel(void); // CLOCK_MONOTONIC, in ns

#if defined(__x86_64__)
#include <x86intrin.h>
static inline uint64_t clock_counter(void)
{
    return __rdtsc();
}
#elif defined(__aarch64__)
static inline uint64_t clock_counter(void)
{
    uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
}
#else
static inline uint64_t clock_counter(void)
{
    return clock_of_kernel();
}
#endif

static inline uint64_t clock_now(void)
{
    return segment->by_counter ? clock_counter() : clock_of_kernel();
}

#endif
