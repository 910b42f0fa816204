// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The thread of the program puts what it calls into its ring, as words: names and text are made by
// the writer process (events.c).

#include "trace.h"
#include "peers.h"
#include "recorder.h"
#include "ring.h"
#include "states.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

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
    peers_in_child();
    pthread_setspecific(at_thread_end, NULL);
    claim();
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

// ---- other records

static void trace_words(enum record_kind kind, uint64_t first, uint64_t second)
{
    struct slot *slot = slot_take();
    if (!slot)
        return;
    recorder_words(slot, kind, own_depth, first, second);
    slot_give();
}

void trace_state(uint64_t context, uint64_t state)
{
    trace_words(RECORD_STATE, context, state);
}

void trace_consumer(uint64_t consumer, uint64_t id)
{
    trace_words(RECORD_CONSUMER, consumer, id);
}

void trace_fault(uint64_t number, const char *place, const char *happened, const char *rule)
{
    struct slot *slot = segment ? slot_take() : NULL;
    if (!slot)
        return;
    recorder_fault(slot, own_depth, number, (const char *const[]){place, happened, rule});
    slot_give();
}

// A line of the library's log. Equal ones that follow each other are in the trace once.
static void on_message(uint32_t level, const char *text)
{
    static __thread uint64_t last __attribute__((tls_model("initial-exec")));
    uint64_t hash = level;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3U;
    struct slot *slot = hash != last ? slot_take() : NULL;
    if (!slot)
        return;
    last = hash;
    recorder_message(slot, own_depth, level, text);
    slot_give();
}

// The library may come with a plugin, long after the start.
static void watch_messages(void)
{
    static atomic_bool watched;
    if (atomic_load_explicit(&watched, memory_order_relaxed))
        return;
    int (*watch)(void (*)(uint32_t, const char *)) =
        (int (*)(void (*)(uint32_t, const char *)))symbol_next("docad_log_watch", "DOCAD_0.1");
    if (watch)
        atomic_store_explicit(&watched, watch(on_message) == 0, memory_order_relaxed);
}

// ---- start and end

static bool start(void)
{
    if (!session_start())
        return false;
    pthread_key_create(&at_thread_end, end_thread);
    pthread_atfork(NULL, NULL, in_child);
    claim();
    watch_messages();
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
    if (call->function->makes)
        watch_messages();
    return 0;
}

static void after(struct call *call)
{
    struct slot *slot = own_slot && call->began ? slot_take() : NULL;
    if (slot) {
        recorder_call(slot, call, RECORD_CALL);
        own_depth = call->depth;
        if (call->depth < OPEN_MAX)
            atomic_store_explicit(&slot->depth, call->depth, memory_order_release);
        slot_give();
    }
    if (call->function->role == ROLE_PROGRESS || call->function->role == ROLE_STATE)
        states_after(call);
    else if (call->function->role == ROLE_ALIAS)
        peers_after(call);
}

static void callback_before(struct call *call)
{
    call->result = states_of_callback(call);
    call->peer = peers_of_callback(call);
    struct slot *slot = slot_take();
    if (!slot)
        return;
    call->depth = own_depth;
    call->began = clock_now();
    recorder_call(slot, call, RECORD_CALLBACK);
    slot_give();
}

static void callback_after(struct call *call)
{
    struct slot *slot = own_slot && call->began ? slot_take() : NULL;
    if (slot) {
        own_depth = call->depth;
        recorder_call(slot, call, RECORD_RETURN);
        slot_give();
    }
}

const struct hook trace_hook = {start, before, after, callback_before, callback_after};
