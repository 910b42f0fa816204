// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The trace as text, one line a call, as strace prints it.

#include "events.h"
#include "put.h"

#include <inttypes.h>

// As +1.000001, in seconds.
static void put_time(FILE *out, uint64_t at)
{
    put_text(out, " +");
    put_number(out, at / 1000000000);
    put(out, '.');
    put_digits(out, at % 1000000000 / 1000, 6);
    put(out, ' ');
}

static void begin_line(FILE *out, pid_t tid, uint64_t at, unsigned depth)
{
    put_number(out, (uint64_t)tid);
    put_time(out, at);
    for (unsigned i = 0; i < depth; i++)
        put_text(out, "  ");
}

static void write_call(FILE *out, const struct reading *reading)
{
    put_text(out, reading->function->name);
    put(out, '(');
    for (unsigned i = 0; i < reading->function->count; i++) {
        put_text(out, i ? ", " : "");
        put_text(out, reading->function->parameters[i].name);
        put(out, '=');
        value_write_argument(out, reading, i);
    }
    put(out, ')');
}

static void call(FILE *out, const struct reading *reading, const struct moment *at, uint64_t flow)
{
    (void)flow;
    begin_line(out, reading->tid, at->began, reading->record->depth);
    write_call(out, reading);
    if (reading->function->result.kind != VALUE_NOTHING) {
        put_text(out, " = ");
        value_write_result(out, reading);
    }
    if (reading->record->present & RECORD_INJECTED)
        put_text(out, " (injected)");
    if (reading->record->count > 1) {
        put_text(out, " x ");
        value_write_count(out, reading->record->count);
    }
    if (reading->record->present & RECORD_UNTIMED) {
        put(out, '\n');
        return;
    }
    put_text(out, " <");
    value_write_time(out, at->spent);
    put_text(out, ">\n");
}

static void callback(FILE *out, const struct reading *reading, const struct moment *at)
{
    begin_line(out, reading->tid, at->began, reading->record->depth);
    put_text(out, "callback ");
    write_call(out, reading);
    put(out, '\n');
}

static void completion(FILE *out, const struct completion *completion)
{
    begin_line(out, completion->tid, completion->completed, completion->depth);
    put_text(out, "--- ");
    if (completion->task)
        value_write_object(out, completion->task);
    else
        put_text(out, completion->type);
    if (completion->owner) {
        put_text(out, " of ");
        value_write_object(out, completion->owner);
    }
    put_text(out, " completed");
    if (completion->has_status)
        fprintf(out, ": %s", value_error_name(completion->status));
    if (completion->bytes) {
        put_text(out, ", ");
        value_write_count(out, completion->bytes);
        put_text(out, " bytes");
    }
    put_text(out, ", ");
    value_write_time(out, completion->completed - completion->submitted);
    put_text(out, " after submission ---\n");
}

static void state(FILE *out, const struct object *context, uint32_t before, pid_t tid,
                  unsigned depth, uint64_t at)
{
    begin_line(out, tid, at, depth);
    put_text(out, "--- ");
    value_write_object(out, context);
    if (before != STATE_UNKNOWN)
        fprintf(out, ": %s -> %s ---\n", value_state_name(before),
                value_state_name(context->state));
    else
        fprintf(out, ": %s ---\n", value_state_name(context->state));
}

static void message(FILE *out, const struct message *message)
{
    if (message->tid) {
        begin_line(out, message->tid, message->at, message->depth);
    } else {
        put_text(out, "docad");
        put_time(out, message->at);
    }
    if (message->tid)
        fprintf(out, "--- %s: ", message->level);
    else
        put_text(out, "--- ");
    for (size_t i = 0; i < message->text.size; i++) {
        unsigned char c = (unsigned char)message->text.bytes[i];
        put(out, c < ' ' || c == 0x7f ? '?' : (char)c);
    }
    put_text(out, " ---\n");
}

static void fault(FILE *out, const struct injected *fault)
{
    begin_line(out, fault->tid, fault->at, fault->depth);
    fprintf(out, "--- fault %" PRIu64 " injected: %s: %s, by '%s' ---\n", fault->number,
            fault->place, fault->happened, fault->rule);
}

static void open_call(FILE *out, const struct reading *reading, uint64_t at)
{
    begin_line(out, reading->tid, at, 0);
    write_call(out, reading);
    put_text(out, " <unfinished ...>\n");
}

static void end(FILE *out, uint64_t lost)
{
    if (lost)
        fprintf(out, "--- %" PRIu64 " calls are missing: there was no room for them ---\n", lost);
}

const struct output output_text = {
    .call = call,
    .callback = callback,
    .completion = completion,
    .state = state,
    .message = message,
    .fault = fault,
    .open = open_call,
    .end = end,
};
