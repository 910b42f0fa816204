// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a program did, in numbers: by function, by type of task, and what it left behind.

#include "bytes.h"
#include "events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_MAX 256
#define PARTS     16 // of each power of two, in histograms

// Times, in classes whose width is at most 1/PARTS of their value.
struct histogram {
    uint64_t counts[64 * PARTS];
    uint64_t total;
    uint64_t least, most;
};

struct row {
    const char *name;
    uint64_t calls, errors, ns, bytes;
    uint64_t timed; // the number of calls that were timed, to which `ns` belongs
    struct histogram *times;
};

static struct row *rows; // of each function
static struct row tasks[TASKS_MAX];
static struct row
    messages[TASKS_MAX]; // by the call or the callback; `calls` is how many there were
static uint64_t polls, completions;

static unsigned class_of(uint64_t ns)
{
    if (ns < PARTS)
        return (unsigned)ns;
    unsigned power = 63 - (unsigned)__builtin_clzll(ns);
    return (power - 3) * PARTS + (unsigned)(ns >> (power - 4) & (PARTS - 1));
}

static uint64_t middle_of(unsigned class)
{
    if (class < PARTS)
        return class;
    unsigned power = class / PARTS + 3;
    uint64_t from = (uint64_t)1 << power | (uint64_t)(class % PARTS) << (power - 4);
    return from + ((uint64_t)1 << (power - 4)) / 2;
}

static void add_time(struct row *row, uint64_t ns, uint64_t count)
{
    if (!row->times)
        row->times = calloc(1, sizeof(*row->times));
    struct histogram *times = row->times;
    if (!times)
        return;
    times->least = times->total && times->least < ns ? times->least : ns;
    times->most = times->most > ns ? times->most : ns;
    times->counts[class_of(ns)] += count;
    times->total += count;
}

// The middle of a class may be beyond all times in it, of which there may be one.
static uint64_t quantile(const struct histogram *times, unsigned percent)
{
    uint64_t below = 0, wanted = (times->total * percent + 99) / 100;
    unsigned at = 0;
    while (at < 64 * PARTS - 1 && (below += times->counts[at]) < wanted)
        at++;
    uint64_t middle = middle_of(at);
    return middle < times->least ? times->least : middle > times->most ? times->most : middle;
}

// ---- events

static void begin(FILE *out)
{
    (void)out;
    rows = calloc(function_count, sizeof(*rows));
}

static struct row *row_of(struct row of[TASKS_MAX], const char *name)
{
    for (unsigned i = 0; i < TASKS_MAX; i++) {
        if (!of[i].name)
            of[i].name = name;
        if (strcmp(of[i].name, name) == 0)
            return &of[i];
    }
    return NULL;
}

static void count_message(const struct reading *reading)
{
    uint64_t bytes = bytes_of_message(reading);
    struct row *row = bytes ? row_of(messages, reading->function->name) : NULL;
    if (!row)
        return;
    row->calls += reading->record->count;
    row->bytes += bytes * reading->record->count;
}

static void callback(FILE *out, const struct reading *reading, const struct moment *at)
{
    (void)out;
    (void)at;
    count_message(reading);
}

static void call(FILE *out, const struct reading *reading, const struct moment *at, uint64_t flow)
{
    (void)out;
    (void)flow;
    const struct record *record = reading->record;
    if (!rows)
        return;
    count_message(reading);
    struct row *row = &rows[record->function];
    row->name = reading->function->name;
    row->calls += record->count;
    if (!(record->present & RECORD_UNTIMED)) {
        row->ns += at->spent;
        row->timed += record->count;
        add_time(row, at->spent / record->count, record->count);
    }
    // AGAIN and IN_PROGRESS are answers
    if (reading->function->result.kind == VALUE_ERROR && record->result != 0 &&
        record->result != 5 && record->result != 26)
        row->errors += record->count;
    if (reading->function->role == ROLE_PROGRESS)
        polls += record->count;
}

static void completion(FILE *out, const struct completion *completion)
{
    (void)out;
    struct row *row = row_of(tasks, completion->type);
    completions++;
    if (!row)
        return;
    uint64_t ns = completion->completed - completion->submitted;
    row->calls++;
    row->errors += completion->has_status && completion->status != 0;
    row->bytes += completion->bytes;
    row->ns += ns;
    row->timed++;
    add_time(row, ns, 1);
}

// ---- the end

static void write_column(FILE *out, void (*write)(FILE *out, uint64_t number), uint64_t number)
{
    char text[64] = "";
    FILE *memory = fmemopen(text, sizeof(text), "w");
    if (memory) {
        write(memory, number);
        fclose(memory);
    }
    fprintf(out, " %12s", text);
}

// Calls of which none was timed have no times.
static void write_times(FILE *out, const struct row *row)
{
    if (!row->timed || !row->times) {
        fprintf(out, " %12s %12s %12s", "-", "-", "-");
        return;
    }
    write_column(out, value_write_time, quantile(row->times, 50));
    write_column(out, value_write_time, quantile(row->times, 99));
    write_column(out, value_write_time, row->ns);
}

static void write_row(FILE *out, const struct row *row, bool bytes)
{
    write_column(out, value_write_count, row->calls);
    write_column(out, value_write_count, row->errors);
    write_times(out, row);
    if (bytes)
        write_column(out, value_write_count, row->bytes);
    fprintf(out, "  %s\n", row->name);
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (!x->name != !y->name)
        return x->name ? -1 : 1; // those that were called stand first
    return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : 0;
}

struct left {
    const char *type;
    unsigned count;
};

// Tasks end with their context.
static bool is_left(const struct object *object)
{
    return object->created && object->alive && !strstr(object->type, "_list") &&
           (!object->owner || object->owner->alive || !strstr(object->type, "task"));
}

static void count_left(const struct object *object, void *of)
{
    struct left *left = of;
    for (unsigned i = 0; is_left(object) && i < TASKS_MAX; i++) {
        if (!left[i].type)
            left[i].type = object->type;
        if (strcmp(left[i].type, object->type) == 0) {
            left[i].count++;
            return;
        }
    }
}

static void write_left(FILE *out)
{
    static struct left left[TASKS_MAX];
    objects_each(count_left, left);
    fputs("\nalive at the end:", out);
    if (!left[0].type)
        fputs(" nothing", out);
    for (unsigned i = 0; i < TASKS_MAX && left[i].type; i++)
        fprintf(out, "%s %u %s", i ? "," : "", left[i].count, left[i].type);
    fputc('\n', out);
}

static void write_messages(FILE *out)
{
    if (messages[0].name)
        fprintf(out, "\n %12s %12s  messages\n", "count", "bytes");
    for (unsigned i = 0; i < TASKS_MAX && messages[i].name; i++) {
        write_column(out, value_write_count, messages[i].calls);
        write_column(out, value_write_count, messages[i].bytes);
        fprintf(out, "  %s\n", messages[i].name);
    }
}

// Calls that are not timed are taken to be as long as the others.
static void complete_times(void)
{
    for (unsigned i = 0; i < function_count; i++)
        if (rows[i].timed)
            rows[i].ns =
                (uint64_t)((double)rows[i].ns * (double)rows[i].calls / (double)rows[i].timed);
}

static void end(FILE *out, uint64_t lost)
{
    if (!rows)
        return;
    complete_times();
    qsort(rows, function_count, sizeof(*rows), by_time);
    fprintf(out, " %12s %12s %12s %12s %12s  function\n", "calls", "errors", "p50", "p99", "total");
    for (unsigned i = 0; i < function_count && rows[i].name; i++)
        write_row(out, &rows[i], false);
    if (tasks[0].name)
        fprintf(out, "\n %12s %12s %12s %12s %12s %12s  tasks, from submission to completion\n",
                "tasks", "errors", "p50", "p99", "total", "bytes");
    for (unsigned i = 0; i < TASKS_MAX && tasks[i].name; i++)
        write_row(out, &tasks[i], true);
    write_messages(out);
    if (completions)
        fprintf(out, "\n%.1f polls per completion\n", (double)polls / (double)completions);
    write_left(out);
    if (lost)
        fprintf(out, "%" PRIu64 " calls are missing: there was no room for them\n", lost);
    for (unsigned i = 0; i < function_count; i++)
        free(rows[i].times);
    free(rows);
    for (unsigned i = 0; i < TASKS_MAX; i++)
        free(tasks[i].times);
}

const struct output output_summary = {
    .begin = begin,
    .call = call,
    .callback = callback,
    .completion = completion,
    .end = end,
};
