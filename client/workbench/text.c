// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The trace as text, one line a call, as strace prints it.

#include "events.h"

#include <inttypes.h>

static void begin_line(FILE *out, pid_t tid, uint64_t at, unsigned depth)
{
    fprintf(out, "%d +%" PRIu64 ".%06" PRIu64 " %*s", (int)tid, at / 1000000000,
            at % 1000000000 / 1000, 2 * (int)depth, "");
}

static void write_call(FILE *out, const struct reading *reading)
{
    fprintf(out, "%s(", reading->function->name);
    for (unsigned i = 0; i < reading->function->count; i++) {
        fprintf(out, "%s%s=", i ? ", " : "", reading->function->parameters[i].name);
        value_write_argument(out, reading, i);
    }
    fputc(')', out);
}

static void call(FILE *out, const struct reading *reading, const struct moment *at, uint64_t flow)
{
    (void)flow;
    begin_line(out, reading->tid, at->began, reading->record->depth);
    write_call(out, reading);
    if (reading->function->result.kind != VALUE_NOTHING) {
        fputs(" = ", out);
        value_write_result(out, reading);
    }
    if (reading->record->present & RECORD_INJECTED)
        fputs(" (injected)", out);
    if (reading->record->count > 1) {
        fputs(" x ", out);
        value_write_count(out, reading->record->count);
    }
    if (reading->record->present & RECORD_UNTIMED) {
        fputc('\n', out);
        return;
    }
    fputs(" <", out);
    value_write_time(out, at->spent);
    fputs(">\n", out);
}

static void callback(FILE *out, const struct reading *reading, const struct moment *at)
{
    begin_line(out, reading->tid, at->began, reading->record->depth);
    fputs("callback ", out);
    write_call(out, reading);
    fputc('\n', out);
}

static void completion(FILE *out, const struct completion *completion)
{
    begin_line(out, completion->tid, completion->completed, completion->depth);
    fputs("--- ", out);
    if (completion->task)
        value_write_object(out, completion->task);
    else
        fputs(completion->type, out);
    if (completion->owner) {
        fputs(" of ", out);
        value_write_object(out, completion->owner);
    }
    fputs(" completed", out);
    if (completion->has_status)
        fprintf(out, ": %s", value_error_name(completion->status));
    if (completion->bytes) {
        fputs(", ", out);
        value_write_count(out, completion->bytes);
        fputs(" bytes", out);
    }
    fputs(", ", out);
    value_write_time(out, completion->completed - completion->submitted);
    fputs(" after submission ---\n", out);
}

static void state(FILE *out, const struct object *context, uint32_t before, pid_t tid,
                  unsigned depth, uint64_t at)
{
    begin_line(out, tid, at, depth);
    fputs("--- ", out);
    value_write_object(out, context);
    if (before != STATE_UNKNOWN)
        fprintf(out, ": %s -> %s ---\n", value_state_name(before),
                value_state_name(context->state));
    else
        fprintf(out, ": %s ---\n", value_state_name(context->state));
}

static void message(FILE *out, const struct message *message)
{
    if (message->tid)
        begin_line(out, message->tid, message->at, message->depth);
    else
        fprintf(out, "docad +%" PRIu64 ".%06" PRIu64 " ", message->at / 1000000000,
                message->at % 1000000000 / 1000);
    if (message->tid)
        fprintf(out, "--- %s: ", message->level);
    else
        fputs("--- ", out);
    for (size_t i = 0; i < message->text.size; i++) {
        unsigned char c = (unsigned char)message->text.bytes[i];
        fputc(c < ' ' || c == 0x7f ? '?' : c, out);
    }
    fputs(" ---\n", out);
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
    fputs(" <unfinished ...>\n", out);
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
