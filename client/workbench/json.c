// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The trace as a timeline in Chrome's trace-event format, which Perfetto and chrome://tracing open.
// Calls and callbacks are slices of their threads. Each context has a track with its tasks, from
// submission to completion (a second track for tasks that are in flight at the same time, and so
// on); arrows lead from the call that submitted a task to it and on to its completion, and from
// messages and exports to their receivers and importers. Traces of several programs can be in one
// file: their numbers differ, but for the two ends of an arrow between programs.

#include "events.h"
#include "session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TRACKS_FROM 10000000   // above any thread id
#define TRACKS_DPU  1000000000 // added to those of the DPU's program of a pair
#define LANES       64

static bool any; // event so far
static struct track {
    struct track *next;
    uint64_t id;
} * named;

static void write_bytes(FILE *out, const char *text, size_t size)
{
    fputc('"', out);
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c >= 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void write_escaped(FILE *out, const char *text)
{
    write_bytes(out, text, strlen(text));
}

// Begins an event; the caller writes further members and the brace.
static void begin_event(FILE *out, const char *phase, pid_t pid, uint64_t tid, uint64_t ns)
{
    fprintf(out, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%" PRIu64 ",\"ts\":%" PRIu64 ".%03" PRIu64,
            any ? ",\n" : "", phase, (int)pid, tid, ns / 1000, ns % 1000);
    any = true;
}

static void write_duration(FILE *out, uint64_t ns)
{
    fprintf(out, ",\"dur\":%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
}

// A value, as a string: `what` writes it.
#define WRITE_TEXT(out, what, ...)                                                                 \
    do {                                                                                           \
        char *text = NULL;                                                                         \
        size_t size;                                                                               \
        FILE *memory = open_memstream(&text, &size);                                               \
        if (memory) {                                                                              \
            what(memory, __VA_ARGS__);                                                             \
            fclose(memory);                                                                        \
        }                                                                                          \
        write_escaped(out, text ? text : "");                                                      \
        free(text);                                                                                \
    } while (0)

static void write_arguments(FILE *out, const struct reading *reading, bool with_result)
{
    const char *comma = "";
    fputs(",\"args\":{", out);
    for (unsigned i = 0; i < reading->function->count; i++) {
        fprintf(out, "%s\"%s\":", comma, reading->function->parameters[i].name);
        WRITE_TEXT(out, value_write_argument, reading, i);
        comma = ",";
    }
    if (with_result && reading->function->result.kind != VALUE_NOTHING) {
        fprintf(out, "%s\"result\":", comma);
        WRITE_TEXT(out, value_write_result, reading);
        comma = ",";
    }
    if (reading->record->present & RECORD_INJECTED) {
        fprintf(out, "%s\"injected\":true", comma);
        comma = ",";
    }
    if (reading->record->count > 1)
        fprintf(out, "%s\"calls\":%" PRIu32, comma, reading->record->count);
    fputc('}', out);
}

static void flow_event(FILE *out, const char *phase, uint64_t flow, pid_t pid, uint64_t tid,
                       uint64_t ns)
{
    begin_event(out, phase, pid, tid, ns);
    fprintf(out, ",\"id\":\"0x%" PRIx64 "\",\"name\":\"task\",\"cat\":\"task\",\"bp\":\"e\"}",
            (uint64_t)segment->root << 32 | flow);
}

static void link(FILE *out, const struct link *link)
{
    begin_event(out, link->from ? "s" : "f", link->pid, (uint64_t)link->tid, link->at);
    fprintf(out, ",\"id\":\"0x%" PRIx64 "\",\"name\":\"%s\",\"cat\":\"link\",\"bp\":\"e\"}",
            link->id, link->what);
}

// ---- tracks of contexts

static uint64_t first_track(void)
{
    return TRACKS_FROM + (segment->side[0] == 'd' ? TRACKS_DPU : 0);
}

static uint64_t track_of(const struct object *context, unsigned lane)
{
    return first_track() + (uint64_t)(context ? context->serial : 0) * LANES + lane;
}

static void write_track_name(FILE *out, const struct object *context, unsigned lane)
{
    if (context)
        value_write_object(out, context);
    else
        fputs("tasks", out);
    if (lane)
        fprintf(out, " (%u)", lane + 1);
}

// Returns whether the track, or the process, has a name already; it has one afterwards.
static bool is_named(uint64_t id)
{
    for (const struct track *track = named; track; track = track->next)
        if (track->id == id)
            return true;
    struct track *new = malloc(sizeof(*new));
    if (!new)
        return true;
    *new = (struct track){named, id};
    named = new;
    return false;
}

// Returns the track of a context, which gets its name first.
static uint64_t use_track(FILE *out, pid_t pid, const struct object *context, unsigned lane)
{
    uint64_t id = track_of(context, lane);
    if (is_named(id))
        return id;
    begin_event(out, "M", pid, id, 0);
    fputs(",\"name\":\"thread_name\",\"args\":{\"name\":", out);
    WRITE_TEXT(out, write_track_name, context, lane);
    fputs("}}", out);
    return id;
}

// Names the process by its side, if it has one.
static void name_process(FILE *out, pid_t pid)
{
    if (!segment->side[0] || is_named((uint64_t)pid))
        return;
    begin_event(out, "M", pid, 0, 0);
    fprintf(out, ",\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}", segment->side);
}

// Lines of docad have a track of their own, in the first process.
static uint64_t use_docads_track(FILE *out)
{
    uint64_t track = first_track() - 1;
    if (is_named(track))
        return track;
    begin_event(out, "M", segment->root, track, 0);
    fputs(",\"name\":\"thread_name\",\"args\":{\"name\":\"docad\"}}", out);
    return track;
}

// ---- output

static void begin(FILE *out)
{
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
}

static void call(FILE *out, const struct reading *reading, const struct moment *at, uint64_t flow)
{
    name_process(out, reading->pid);
    begin_event(out, "X", reading->pid, (uint64_t)reading->tid, at->began);
    write_duration(out, at->ended - at->began);
    fprintf(out, ",\"cat\":\"call\",\"name\":\"%s\"", reading->function->name);
    write_arguments(out, reading, true);
    fputc('}', out);
    if (flow)
        flow_event(out, "s", flow, reading->pid, (uint64_t)reading->tid, at->began);
}

static void callback_end(FILE *out, const struct reading *reading, const struct moment *at)
{
    begin_event(out, "X", reading->pid, (uint64_t)reading->tid, at->began);
    write_duration(out, at->ended - at->began);
    fprintf(out, ",\"cat\":\"callback\",\"name\":\"%s\"", reading->function->name);
    write_arguments(out, reading, false);
    fputc('}', out);
}

static void completion(FILE *out, const struct completion *completion)
{
    uint64_t track = use_track(out, completion->pid, completion->owner, completion->lane);
    uint64_t duration = completion->completed - completion->submitted;
    begin_event(out, "X", completion->pid, track, completion->submitted);
    write_duration(out, duration);
    fprintf(out, ",\"cat\":\"task\",\"name\":\"%s\",\"args\":{\"task\":", completion->type);
    if (completion->task)
        WRITE_TEXT(out, value_write_object, completion->task);
    else
        fputs("\"a job\"", out);
    if (completion->bytes)
        fprintf(out, ",\"bytes\":%" PRIu64, completion->bytes);
    if (completion->has_status)
        fprintf(out, ",\"status\":\"%s\"", value_error_name(completion->status));
    fputs("}}", out);
    flow_event(out, "t", completion->flow, completion->pid, track, completion->submitted);
    flow_event(out, "f", completion->flow, completion->pid, (uint64_t)completion->tid,
               completion->completed);
}

static void state(FILE *out, const struct object *context, uint32_t before, pid_t tid,
                  unsigned depth, uint64_t at)
{
    (void)before;
    (void)tid;
    (void)depth;
    uint64_t track = use_track(out, context->pid, context, 0);
    begin_event(out, "i", context->pid, track, at);
    fprintf(out, ",\"s\":\"t\",\"cat\":\"state\",\"name\":\"%s\"}",
            value_state_name(context->state));
}

static void message(FILE *out, const struct message *message)
{
    uint64_t track = message->tid ? (uint64_t)message->tid : use_docads_track(out);
    begin_event(out, "i", message->tid ? message->pid : segment->root, track, message->at);
    fprintf(out,
            ",\"s\":\"t\",\"cat\":\"log\",\"name\":\"%s\",\"args\":{\"text\":", message->level);
    write_bytes(out, message->text.bytes, message->text.size);
    fputs("}}", out);
}

static void fault(FILE *out, const struct injected *fault)
{
    begin_event(out, "i", fault->pid, (uint64_t)fault->tid, fault->at);
    fprintf(out,
            ",\"s\":\"t\",\"cat\":\"fault\",\"name\":\"fault %" PRIu64 "\",\"args\":{\"place\":",
            fault->number);
    write_escaped(out, fault->place);
    fputs(",\"happened\":", out);
    write_escaped(out, fault->happened);
    fputs(",\"rule\":", out);
    write_escaped(out, fault->rule);
    fputs("}}", out);
}

static void open_call(FILE *out, const struct reading *reading, uint64_t at)
{
    begin_event(out, "B", reading->pid, (uint64_t)reading->tid, at);
    fprintf(out, ",\"cat\":\"call\",\"name\":\"%s\"", reading->function->name);
    write_arguments(out, reading, false);
    fputc('}', out);
}

static void end(FILE *out, uint64_t lost)
{
    // The start by the machine's clock: traces of several programs fit together by it.
    fprintf(out,
            "\n],\"otherData\":{\"lost\":%" PRIu64 ",\"start_us\":%" PRIu64 ".%03" PRIu64 "}}\n",
            lost, segment->ns_origin / 1000, segment->ns_origin % 1000);
    while (named) {
        struct track *track = named;
        named = track->next;
        free(track);
    }
}

const struct output output_json = {
    .begin = begin,
    .call = call,
    .callback_end = callback_end,
    .completion = completion,
    .state = state,
    .link = link,
    .message = message,
    .fault = fault,
    .open = open_call,
    .end = end,
};
