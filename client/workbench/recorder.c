// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "recorder.h"
#include "jobs.h"
#include "ring.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define IO_FAILED 17 // DOCA_ERROR_IO_FAILED

// ---- the parts of a record

struct writing {
    struct record *record;
    uint8_t *to;
};

static void put_word(struct writing *w, uint64_t word)
{
    memcpy(w->to, &word, sizeof(word));
    w->to += sizeof(word);
}

// Returns the number of bytes copied, or -1. The program may pass an invalid address, for which the
// function returns an error; and the rules of a container may forbid the system call.
static ssize_t copy_memory(void *to, uint64_t address, size_t size)
{
    int saved = errno;
    struct iovec here = {to, size};
    struct iovec there = {(void *)(uintptr_t)address, size}; // NOLINT(performance-no-int-to-ptr)
    ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    errno = saved;
    return n;
}

static void put_string(struct writing *w, uint64_t address, size_t size)
{
    uint8_t *count = w->to;
    w->to += sizeof(uint64_t);
    size_t there = 0;
    bool unreadable = false;
    // Copies up to the end of a page at a time: the next page may not exist.
    while (address && there < size) {
        size_t part = 4096 - (address + there) % 4096;
        if (part > size - there)
            part = size - there;
        ssize_t n = copy_memory(w->to + there, address + there, part);
        unreadable = n < 0;
        if (unreadable)
            break;
        size_t length = strnlen((char *)w->to + there, (size_t)n);
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

// The function has succeeded: it has read, or written, all of that.
static const void *memory_at(uint64_t address)
{
    return (const void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

static void put_memory(struct writing *w, uint64_t address, size_t size)
{
    size_t padded = (size + 7) & ~(size_t)7;
    put_word(w, address ? size : 0);
    if (!address || !size)
        return;
    memset(w->to + padded - sizeof(uint64_t), 0, sizeof(uint64_t));
    memcpy(w->to, memory_at(address), size);
    w->to += padded;
}

static uint64_t value_at(uint64_t address, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, memory_at(address), bytes);
    return value;
}

// Hashes a descriptor (FNV-1a), without zeros at its end: a program may hand on a larger array.
static void put_hash(struct writing *w, const struct call *call, unsigned parameter)
{
    const struct parameter *of = &call->function->parameters[parameter];
    const struct parameter *size_of = &call->function->parameters[of->size];
    uint64_t address = call->arguments[parameter], size = call->arguments[of->size];
    uint64_t hash = 0xcbf29ce484222325U;
    if (address && of->out)
        address = value_at(address, of->bytes);
    if (size_of->out)
        size = size ? value_at(size, size_of->bytes) : 0;
    const uint8_t *bytes = memory_at(address);
    while (address && size && !bytes[size - 1])
        size--;
    for (uint64_t i = 0; address && i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3U;
    put_memory(w, address ? (uintptr_t)&hash : 0, sizeof(hash));
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
            put_string(w,
                       !parameter->out ? address
                       : written       ? w->record->words[values]
                                       : 0,
                       TEXT_MAX);
        else if (parameter->kind == VALUE_TEXT)
            put_string(w, good ? address : 0, TEXT_MAX);
        else if (parameter->kind == VALUE_JOB) // with its buffers
            put_memory(w, good ? address : 0, good ? job_bytes(address) : 0);
        else if (parameter->kind == VALUE_EVENT) // that of a failed job, too
            put_memory(w, good || call->result == IO_FAILED ? address : 0, parameter->bytes);
        else if (parameter->kind == VALUE_BYTES && good)
            put_hash(w, call, i);
        else if (parameter->kind == VALUE_BYTES)
            put_word(w, 0);
        values += written;
    }
    if (call->function->result.kind == VALUE_STRING)
        put_string(w, call->result, TEXT_MAX);
}

// Returns when the call has returned. Reading the clock takes longer than many functions that only
// read or change a member of a buffer or a task, so it is read for one in POLLS_TIMED calls of
// those. The clock was already read at the beginning of a callback.
static uint64_t end_of(struct slot *slot, const struct call *call, enum record_kind kind,
                       uint32_t *present)
{
    if (kind == RECORD_CALLBACK)
        return call->began;
    if (kind == RECORD_CALL && call->function->quick && ++slot->quick % POLLS_TIMED) {
        *present |= RECORD_UNTIMED;
        return call->began;
    }
    return clock_now();
}

// Returns the address after the arguments.
static uint64_t *put_head(struct record *record, const struct call *call, enum record_kind kind,
                          uint64_t ended, uint32_t present)
{
    const unsigned count = call->function->count;
    const uint64_t *arguments = call->arguments;
    uint64_t *to = record->words;
    record->function = call->function->id;
    record->kind = (uint8_t)kind;
    record->depth = (uint8_t)call->depth;
    record->count = 1;
    record->present = present | (call->failed ? RECORD_INJECTED : 0);
    record->began = call->began;
    record->ended = ended;
    record->spent = ended - call->began;
    record->result = call->result;
    for (unsigned i = 0; i < count; i++)
        *to++ = arguments[i];
    if (kind == RECORD_CALLBACK && call->peer) {
        record->present |= RECORD_PEER;
        *to++ = call->peer;
    }
    return to;
}

// ---- whole records

static void put_all(struct writing *w, const struct call *call, enum record_kind kind,
                    uint64_t ended, uint32_t present)
{
    w->to = (uint8_t *)put_head(w->record, call, kind, ended, present);
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
           ((a->present ^ b->present) & ~RECORD_UNTIMED) == 0 && a->result == b->result &&
           memcmp(a->words, b->words, a->size - sizeof(*a)) == 0;
}

// If not all of some equal calls are timed, the first timed one represents the others.
static void add_call(struct record *last, const struct record *record)
{
    bool timed = !(record->present & RECORD_UNTIMED);
    if (timed && (last->present & RECORD_UNTIMED)) {
        last->present &= ~RECORD_UNTIMED;
        last->spent = record->spent * last->count;
    }
    if (!(last->present & RECORD_UNTIMED))
        last->spent += timed ? record->spent : last->spent / last->count;
    last->count++;
    last->ended = record->ended;
}

// One record can stand for many such calls.
static bool is_repeated(const struct call *call, enum record_kind kind)
{
    const struct function *function = call->function;
    bool delivered = function->delivers && (call->result == 0 || call->result == IO_FAILED);
    return kind == RECORD_CALL && function->repeated && !delivered;
}

// A call whose size is not known before, or that may be the first of many.
static void record_first(struct slot *slot, const struct call *call, enum record_kind kind)
{
    uint8_t room[RECORD_MAX] __attribute__((aligned(8)));
    struct writing w = {.record = (struct record *)room};
    struct record *last = slot_last(slot);
    bool repeated = is_repeated(call, kind);
    uint32_t present = 0;
    uint64_t ended = end_of(slot, call, kind, &present);
    put_all(&w, call, kind, ended, present);
    if (repeated && last->size && is_like(last, w.record)) {
        add_call(last, w.record);
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
    uint32_t present = 0;
    uint64_t ended = end_of(slot, call, kind, &present);
    unsigned values = kind == RECORD_CALL ? call->function->outs : 0;
    uint32_t most = (uint32_t)(sizeof(struct record) +
                               (call->function->count + values + 1U) * sizeof(uint64_t)); // a peer
    if (slot_last(slot)->size)
        ring_put_last(slot);
    struct record *record = ring_reserve(slot, most);
    if (!record)
        return;
    uint64_t *end = put_head(record, call, kind, ended, present);
    if (values && succeeded(call)) {
        struct writing w = {record, (uint8_t *)end};
        put_values(&w, call);
        end = (uint64_t *)w.to;
    }
    record->size = (uint32_t)((uint8_t *)end - (uint8_t *)record);
    ring_publish(slot, record->size);
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

void recorder_call(struct slot *slot, const struct call *call, enum record_kind kind)
{
    const struct function *function = call->function;
    bool repeated = is_repeated(call, kind);
    if (repeated && function_is_poll(function) && add_poll(slot, call))
        return;
    if (repeated || (kind == RECORD_CALL && function->texts))
        record_first(slot, call, kind);
    else
        record_words(slot, call, kind);
}

void recorder_words(struct slot *slot, enum record_kind kind, uint32_t depth, uint64_t first,
                    uint64_t second)
{
    const uint32_t size = sizeof(struct record) + 2 * sizeof(uint64_t);
    ring_put_last(slot);
    struct record *to = ring_reserve(slot, size);
    if (!to)
        return;
    uint64_t now = clock_now();
    *to = (struct record){
        .size = size,
        .kind = (uint8_t)kind,
        .depth = (uint8_t)depth,
        .count = 1,
        .began = now,
        .ended = now,
    };
    to->words[0] = first;
    to->words[1] = second;
    ring_publish(slot, size);
}

void recorder_message(struct slot *slot, uint32_t depth, uint32_t level, const char *text)
{
    size_t length = strnlen(text, MESSAGE_MAX), padded = (length + 7) & ~(size_t)7;
    uint32_t size = (uint32_t)(sizeof(struct record) + 2 * sizeof(uint64_t) + padded);
    ring_put_last(slot);
    struct record *to = ring_reserve(slot, size);
    if (!to)
        return;
    uint64_t now = clock_now();
    *to = (struct record){
        .size = size,
        .kind = RECORD_MESSAGE,
        .depth = (uint8_t)depth,
        .count = 1,
        .began = now,
        .ended = now,
    };
    struct writing w = {to, (uint8_t *)to->words};
    put_word(&w, level);
    put_memory(&w, (uintptr_t)text, length);
    ring_publish(slot, size);
}

void recorder_fault(struct slot *slot, uint32_t depth, uint64_t number, const char *const texts[3])
{
    uint8_t room[RECORD_MAX] __attribute__((aligned(8)));
    uint64_t now = clock_now();
    struct writing w = {.record = (struct record *)room,
                        .to = (uint8_t *)((struct record *)room)->words};
    *w.record = (struct record){
        .kind = RECORD_FAULT,
        .depth = (uint8_t)depth,
        .count = 1,
        .began = now,
        .ended = now,
    };
    put_word(&w, number);
    for (unsigned i = 0; i < 3; i++)
        put_memory(&w, (uintptr_t)texts[i], strnlen(texts[i], TEXT_MAX));
    uint32_t size = (uint32_t)(w.to - room);
    w.record->size = size;
    ring_put_last(slot);
    struct record *to = ring_reserve(slot, size);
    if (!to)
        return;
    memcpy(to, room, size);
    ring_publish(slot, size);
}
