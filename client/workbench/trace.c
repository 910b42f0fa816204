// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The thread of the program puts what it calls into its ring, as words: names and text are made by
// the writer process (events.c).

#include "trace.h"
#include "ring.h"
#include "states.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define IO_FAILED 17 // DOCA_ERROR_IO_FAILED

static __thread struct slot *own_slot __attribute__((tls_model("initial-exec")));
static __thread uint32_t own_depth __attribute__((tls_model("initial-exec")));
// Where the stack was in each of the calls that have not returned.
static __thread uintptr_t own_frames[OPEN_MAX] __attribute__((tls_model("initial-exec")));
static __thread bool recording __attribute__((tls_model("initial-exec")));
static pthread_key_t at_thread_end;

// ---- threads and processes

static void end_thread(void *of)
{
    struct slot *slot = of;
    ring_put_last(slot);
    own_slot = NULL;
    session_end_slot(slot);
}

static struct slot *claim(void)
{
    int saved = errno;
    own_slot = session_claim();
    if (own_slot)
        pthread_setspecific(at_thread_end, own_slot);
    errno = saved;
    return own_slot;
}

// The child has a slot of its own from the start, so that the writer goes on as long as it lives.
static void in_child(void)
{
    recording = false;
    states_in_child();
    pthread_setspecific(at_thread_end, NULL);
    claim();
}

static bool start(void)
{
    if (!session_start())
        return false;
    pthread_key_create(&at_thread_end, end_thread);
    pthread_atfork(NULL, NULL, in_child);
    claim();
    return true;
}

__attribute__((destructor)) static void end(void)
{
    if (!segment)
        return;
    if (own_slot)
        ring_put_last(own_slot);
    session_flush();
    session_report();
}

// Returns this thread's slot; NULL in a signal handler that has interrupted a recording, or if
// there is no slot.
static struct slot *slot_take(void)
{
    struct slot *slot = own_slot ? own_slot : claim();
    if (!slot || recording) {
        atomic_fetch_add(&segment->threads_lost, 1);
        return NULL;
    }
    recording = true;
    atomic_signal_fence(memory_order_seq_cst);
    return slot;
}

static void slot_give(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    recording = false;
}

// ---- records

struct writing {
    struct record *record;
    uint8_t *to;
};

static void put_word(struct writing *w, uint64_t word)
{
    memcpy(w->to, &word, sizeof(word));
    w->to += sizeof(word);
}

// Returns the number of bytes copied, or -1. The program may pass an address that is none, for
// which the function returns an error; and the rules of a container may forbid the system call.
static ssize_t copy_memory(void *to, uint64_t address, size_t size)
{
    int saved = errno;
    struct iovec here = {to, size};
    struct iovec there = {(void *)(uintptr_t)address, size}; // NOLINT(performance-no-int-to-ptr)
    ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    errno = saved;
    return n;
}

static void put_bytes(struct writing *w, uint64_t address, size_t size, bool is_string)
{
    uint8_t *count = w->to;
    w->to += sizeof(uint64_t);
    size_t there = 0;
    bool unreadable = false;
    // Up to the end of a page at a time: what follows may not be there.
    while (address && there < size) {
        size_t part = 4096 - (address + there) % 4096;
        if (part > size - there)
            part = size - there;
        ssize_t n = copy_memory(w->to + there, address + there, part);
        unreadable = n < 0;
        if (unreadable)
            break;
        size_t length = is_string ? strnlen((char *)w->to + there, (size_t)n) : (size_t)n;
        there += length;
        if (length < part)
            break;
    }
    uint64_t word = unreadable && !there ? PIECE_UNREADABLE : there;
    memcpy(count, &word, sizeof(word));
    size_t padded = (there + 7) & ~(size_t)7;
    memset(w->to + there, 0, padded - there);
    w->to += padded;
}

static uint64_t value_at(uint64_t address, unsigned bytes)
{
    uint64_t value = 0;
    // The function has succeeded: it has written there.
    memcpy(&value, (void *)(uintptr_t)address, bytes); // NOLINT(performance-no-int-to-ptr)
    return value;
}

static bool succeeded(const struct call *call)
{
    enum value_kind kind = call->function->result.kind;
    return !call->failed && (kind != VALUE_ERROR || call->result == 0);
}

static void put_values(struct writing *w, const struct call *call)
{
    for (unsigned i = 0; i < call->function->count; i++) {
        const struct parameter *parameter = &call->function->parameters[i];
        if (!parameter->out || !call->arguments[i] || parameter->kind == VALUE_TEXT ||
            parameter->kind == VALUE_EVENT)
            continue;
        w->record->present |= 1U << i;
        put_word(w, value_at(call->arguments[i], parameter->bytes));
    }
}

static void put_texts(struct writing *w, const struct call *call, bool good)
{
    unsigned values = call->function->count;
    for (unsigned i = 0; i < call->function->count; i++) {
        const struct parameter *parameter = &call->function->parameters[i];
        uint64_t address = call->arguments[i];
        bool written = w->record->present >> i & 1;
        if (parameter->kind == VALUE_STRING)
            put_bytes(w,
                      !parameter->out ? address
                      : written       ? w->record->words[values]
                                      : 0,
                      TEXT_MAX, true);
        else if (parameter->kind == VALUE_TEXT)
            put_bytes(w, good ? address : 0, TEXT_MAX, true);
        else if (parameter->kind == VALUE_JOB)
            put_bytes(w, good ? address : 0, parameter->bytes, false);
        else if (parameter->kind == VALUE_EVENT) // that of a failed job, too
            put_bytes(w, good || call->result == IO_FAILED ? address : 0, parameter->bytes, false);
        values += written;
    }
    if (call->function->result.kind == VALUE_STRING)
        put_bytes(w, call->result, TEXT_MAX, true);
}

static void put_head(struct writing *w, const struct call *call, enum record_kind kind,
                     uint64_t now)
{
    *w->record = (struct record){
        .function = call->function->id,
        .kind = (uint8_t)kind,
        .depth = (uint8_t)call->depth,
        .count = 1,
        .present = call->failed ? RECORD_INJECTED : 0,
        .began = call->began,
        .ended = now,
        .spent = now - call->began,
        .result = call->result,
    };
    w->to = (uint8_t *)w->record->words;
    for (unsigned i = 0; i < call->function->count; i++)
        put_word(w, call->arguments[i]);
}

static void put_all(struct writing *w, const struct call *call, enum record_kind kind, uint64_t now)
{
    put_head(w, call, kind, now);
    if (kind == RECORD_CALL) {
        bool good = succeeded(call);
        if (good)
            put_values(w, call);
        if (call->function->texts)
            put_texts(w, call, good);
    }
    w->record->size = (uint32_t)(w->to - (uint8_t *)w->record);
}

static bool is_like(const struct record *a, const struct record *b)
{
    return a->size == b->size && a->function == b->function && a->depth == b->depth &&
           a->present == b->present && a->result == b->result &&
           memcmp(a->words, b->words, a->size - sizeof(*a)) == 0;
}

// A call whose size is not known before, or that may be the first of many.
static void record_first(struct slot *slot, const struct call *call, enum record_kind kind)
{
    uint8_t room[RECORD_MAX] __attribute__((aligned(8)));
    struct writing w = {.record = (struct record *)room};
    struct record *last = slot_last(slot);
    bool repeated = kind == RECORD_CALL && call->function->repeated;
    put_all(&w, call, kind, clock_now());
    if (repeated && last->size && is_like(last, w.record)) {
        last->count++;
        last->ended = w.record->ended;
        last->spent += w.record->spent;
        return;
    }
    ring_put_last(slot);
    struct record *to = repeated ? last : ring_reserve(slot, w.record->size);
    if (to)
        memcpy(to, w.record, w.record->size);
    if (to && !repeated)
        ring_publish(slot, w.record->size);
}

// The usual case: words only, and not repeated.
static void record_words(struct slot *slot, const struct call *call, enum record_kind kind)
{
    uint64_t now = clock_now();
    unsigned values = kind == RECORD_CALL ? call->function->outs : 0;
    uint32_t most =
        (uint32_t)(sizeof(struct record) + (call->function->count + values) * sizeof(uint64_t));
    ring_put_last(slot);
    struct writing w = {.record = ring_reserve(slot, most)};
    if (!w.record)
        return;
    put_head(&w, call, kind, now);
    if (values && succeeded(call))
        put_values(&w, call);
    w.record->size = (uint32_t)(w.to - (uint8_t *)w.record);
    ring_publish(slot, w.record->size);
}

// Adds a poll that is like the last call to that. The clock is read for one of POLLS_TIMED only.
static bool add_poll(struct slot *slot, const struct call *call)
{
    struct record *last = slot_last(slot);
    if (!last->size || last->function != call->function->id || last->depth != call->depth ||
        last->result != call->result || call->failed)
        return false;
    for (unsigned i = 0; i < call->function->count; i++)
        if (last->words[i] != call->arguments[i])
            return false;
    if (++last->count % POLLS_TIMED == 0) {
        uint64_t now = clock_now(), spent = (now - call->began) * POLLS_TIMED;
        last->spent = last->count == POLLS_TIMED ? spent : last->spent + spent;
        last->ended = now;
    }
    return true;
}

static void record_call(struct slot *slot, const struct call *call, enum record_kind kind)
{
    const struct function *function = call->function;
    bool repeated = kind == RECORD_CALL && function->repeated;
    if (repeated && function_is_poll(function) && add_poll(slot, call))
        return;
    if (repeated || (kind == RECORD_CALL && function->texts))
        record_first(slot, call, kind);
    else
        record_words(slot, call, kind);
}

// ---- the hook

// A callback that throws an exception of C++, or calls longjmp(), leaves the calls that it was in:
// the stack is not below theirs any more. (A signal's own stack may look so, too: then calls in its
// handler are not indented.)
static void leave_frames(uintptr_t frame)
{
    while (own_depth && own_depth <= OPEN_MAX && own_frames[own_depth - 1] <= frame)
        own_depth--;
}

static int before(struct call *call)
{
    struct slot *slot = slot_take();
    if (slot) {
        uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
        leave_frames(frame);
        call->depth = own_depth++;
        call->began = clock_now();
        if (call->depth < OPEN_MAX) {
            own_frames[call->depth] = frame;
            struct open_call *open = &slot->open[call->depth];
            open->began = call->began;
            open->function = call->function->id;
            for (unsigned i = 0; i < call->function->count; i++)
                open->arguments[i] = call->arguments[i];
            atomic_store_explicit(&slot->depth, call->depth + 1, memory_order_release);
        }
        slot_give();
    }
    if (call->function->role == ROLE_DESTROY)
        states_before(call);
    return 0;
}

void trace_state(uint64_t context, uint64_t state)
{
    const uint32_t size = sizeof(struct record) + 2 * sizeof(uint64_t);
    struct slot *slot = slot_take();
    if (!slot)
        return;
    ring_put_last(slot);
    struct record *to = ring_reserve(slot, size);
    if (to) {
        uint64_t now = clock_now();
        *to = (struct record){
            .size = size,
            .kind = RECORD_STATE,
            .depth = (uint8_t)own_depth,
            .count = 1,
            .began = now,
            .ended = now,
        };
        to->words[0] = context;
        to->words[1] = state;
        ring_publish(slot, size);
    }
    slot_give();
}

static void after(struct call *call)
{
    struct slot *slot = own_slot && call->began ? slot_take() : NULL;
    if (slot) {
        record_call(slot, call, RECORD_CALL);
        own_depth = call->depth;
        if (call->depth < OPEN_MAX)
            atomic_store_explicit(&slot->depth, call->depth, memory_order_release);
        slot_give();
    }
    if (call->function->role == ROLE_PROGRESS || call->function->role == ROLE_STATE)
        states_after(call);
}

static void callback_before(struct call *call)
{
    call->result = states_of_callback(call);
    struct slot *slot = slot_take();
    if (!slot)
        return;
    call->depth = own_depth;
    call->began = clock_now();
    record_call(slot, call, RECORD_CALLBACK);
    slot_give();
}

static void callback_after(struct call *call)
{
    struct slot *slot = own_slot && call->began ? slot_take() : NULL;
    if (slot) {
        own_depth = call->depth;
        record_call(slot, call, RECORD_RETURN);
        slot_give();
    }
}

const struct hook trace_hook = {start, before, after, callback_before, callback_after};
