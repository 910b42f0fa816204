// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "events.h"

#include <stdlib.h>
#include <string.h>

#define OUTPUTS_MAX 2
#define LANES_MAX   64
#define IO_FAILED   17 // DOCA_ERROR_IO_FAILED

static struct {
    const struct output *output;
    FILE *out;
} outputs[OUTPUTS_MAX];
static unsigned output_count;
static uint64_t flows; // submissions so far

#define EACH_OUTPUT(what, ...)                                                                     \
    for (unsigned o = 0; o < output_count; o++)                                                    \
        if (outputs[o].output->what)                                                               \
    outputs[o].output->what(outputs[o].out, __VA_ARGS__)

void events_add_output(const struct output *output, FILE *out)
{
    outputs[output_count].output = output;
    outputs[output_count++].out = out;
    if (output->begin)
        output->begin(out);
}

static struct moment moment_of(const struct record *record)
{
    uint64_t began = writer_ns(record->began);
    uint64_t ended = writer_ns(record->ended);
    uint64_t spent = writer_ns(record->began + record->spent) - began;
    // The polls after the last one that was timed are taken to be as long as the others.
    uint32_t timed = record->count / POLLS_TIMED * POLLS_TIMED;
    if (function_is_poll(functions[record->function]))
        spent = timed ? spent / timed * record->count : spent * record->count;
    return (struct moment){began, ended, spent};
}

static bool succeeded(const struct reading *reading)
{
    return reading->function->result.kind != VALUE_ERROR || reading->record->result == 0;
}

static bool is_named(const struct parameter *parameter, const char *name)
{
    return strcmp(parameter->name, name) == 0;
}

// ---- objects

static struct object *argument_object(const struct reading *reading, unsigned parameter)
{
    const struct parameter *of = &reading->function->parameters[parameter];
    if (of->kind != VALUE_OBJECT)
        return NULL;
    if (!of->out)
        return object_get(reading->pid, reading->words[parameter], of->type);
    if (!(reading->record->present >> parameter & 1))
        return NULL;
    return object_get(reading->pid, reading->values[parameter], of->type);
}

static struct object *first_object(const struct reading *reading)
{
    return reading->function->count ? argument_object(reading, 0) : NULL;
}

// Gives the objects that the call has made a name and an owner.
static void enter_objects(const struct reading *reading)
{
    const struct function *function = reading->function;
    for (unsigned i = 0; i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        if (!of->out || of->kind != VALUE_OBJECT || !(reading->record->present >> i & 1) ||
            !function->makes)
            continue;
        struct object *made = object_made(reading->pid, reading->values[i], of->type);
        if (!made)
            continue;
        made->created = true;
        if (i > 0)
            made->owner = argument_object(reading, 0);
    }
    if (function->role == ROLE_ALIAS && reading->record->result && function->count)
        object_alias(reading->pid, reading->record->result, first_object(reading));
}

static void leave_objects(const struct reading *reading)
{
    enum function_role role = reading->function->role;
    struct object *object =
        reading->function->count ? argument_object(reading, reading->function->object) : NULL;
    if (!object || !succeeded(reading))
        return;
    if (role == ROLE_HOLD)
        object->references++;
    if (role == ROLE_RELEASE)
        object->references--;
    if (role == ROLE_DESTROY || (role == ROLE_RELEASE && object->references == 0))
        object->alive = false;
}

// Notes the bytes of buffers, and of tasks by their source: from the arguments of the calls that
// make them or set their data.
static void note_bytes(const struct reading *reading)
{
    const struct function *function = reading->function;
    struct object *buffer = NULL, *task = NULL, *source = NULL;
    uint64_t length = UINT64_MAX;
    if (!strstr(function->name, "buf") && !strstr(function->name, "task"))
        return;
    for (unsigned i = 0; i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        struct object *object = argument_object(reading, i);
        if (of->kind == VALUE_NUMBER && !of->out &&
            (is_named(of, "data_len") ||
             (is_named(of, "len") && !strstr(function->name, "_by_addr"))))
            length = reading->words[i];
        if (object && strcmp(of->type, "buf") == 0)
            buffer = object;
        if (object && strcmp(of->type, "buf") == 0 &&
            (strncmp(of->name, "src", 3) == 0 || is_named(of, "buf")))
            source = object;
        if (object && strstr(of->type, "task") && (of->out || strstr(function->name, "_set_src")))
            task = object;
    }
    if (task) {
        task->source = source;
        task->bytes = length == UINT64_MAX ? 0 : length;
    } else if (buffer && length != UINT64_MAX) {
        buffer->bytes = length;
    }
}

// ---- tasks

static unsigned take_lane(struct object *owner)
{
    unsigned lane = 0;
    while (owner && lane < LANES_MAX - 1 && owner->lanes >> lane & 1)
        lane++;
    if (owner)
        owner->lanes |= (uint64_t)1 << lane;
    return lane;
}

static void complete(struct object *task, uint64_t status, const struct reading *reading,
                     uint64_t at, unsigned depth)
{
    struct completion completion = {
        .type = task->type,
        .task = task,
        .owner = task->owner,
        .lane = task->lane,
        .flow = task->flow,
        .submitted = writer_ns(task->submitted),
        .completed = writer_ns(at),
        .has_status = status != UINT64_MAX,
        .status = status,
        .bytes = status == 0 ? (task->source ? task->source->bytes : task->bytes) : 0,
        .pid = reading->pid,
        .submitter = task->submitter,
        .tid = reading->tid,
        .depth = depth,
    };
    task->in_flight = false;
    if (task->owner)
        task->owner->lanes &= ~((uint64_t)1 << task->lane);
    EACH_OUTPUT(completion, &completion);
}

static void submit_task(const struct reading *reading)
{
    struct object *task = first_object(reading);
    if (!task)
        return;
    task->submitted = reading->record->began;
    task->submitter = reading->tid;
    task->flow = ++flows;
    task->lane = take_lane(task->owner);
    task->in_flight = true;
    // It may have come back before the call that submitted it did.
    if (task->early >= reading->record->began)
        complete(task, UINT64_MAX, reading, task->early, reading->record->depth);
    task->early = 0;
}

// ---- jobs of the first generations

struct job_in_flight {
    struct job_in_flight *next;
    pid_t pid;
    uint64_t workq;
    struct job_words job;
    struct object *owner;
    uint64_t submitted, flow;
    pid_t submitter;
    unsigned lane;
};
static struct job_in_flight *jobs, **jobs_end = &jobs;

static void submit_job(const struct reading *reading)
{
    struct job_in_flight *new = calloc(1, sizeof(*new));
    if (!new || !reading_job(reading, 1, &new->job)) {
        free(new);
        return;
    }
    new->pid = reading->pid;
    new->workq = reading->words[0];
    new->owner = object_get(reading->pid, new->job.context, "ctx");
    new->submitted = reading->record->began;
    new->submitter = reading->tid;
    new->flow = ++flows;
    new->lane = take_lane(new->owner);
    *jobs_end = new;
    jobs_end = &new->next;
}

static void complete_job(const struct reading *reading)
{
    struct job_words event;
    if (!reading_job(reading, 1, &event))
        return;
    struct job_in_flight **at = &jobs;
    while (*at && ((*at)->pid != reading->pid || (*at)->workq != reading->words[0] ||
                   (*at)->job.type != event.type || (*at)->job.user_data != event.user_data))
        at = &(*at)->next;
    struct job_in_flight *job = *at;
    if (!job)
        return;
    *at = job->next;
    if (!*at)
        jobs_end = at;
    struct completion completion = {
        .type = "job",
        .owner = job->owner,
        .job_type = event.type,
        .lane = job->lane,
        .flow = job->flow,
        .submitted = writer_ns(job->submitted),
        .completed = writer_ns(reading->record->ended),
        .has_status = true,
        .status = reading->record->result == 0 ? 0 : event.result,
        .pid = reading->pid,
        .submitter = job->submitter,
        .tid = reading->tid,
        .depth = reading->record->depth,
    };
    if (job->owner)
        job->owner->lanes &= ~((uint64_t)1 << job->lane);
    free(job);
    EACH_OUTPUT(completion, &completion);
}

// ---- states

static void state(struct object *context, uint32_t now, pid_t tid, unsigned depth, uint64_t at)
{
    if (!context || context->state == now)
        return;
    uint32_t before = context->state;
    context->state = now;
    EACH_OUTPUT(state, context, before, tid, depth, writer_ns(at));
}

// ---- records

static void call(const struct reading *reading)
{
    const struct record *record = reading->record;
    struct moment at = moment_of(record);
    enum function_role role = reading->function->role;
    bool is_job =
        reading->function->count > 1 && (reading->function->parameters[1].kind == VALUE_JOB ||
                                         reading->function->parameters[1].kind == VALUE_EVENT);
    bool submits = role == ROLE_SUBMIT && succeeded(reading);
    if (succeeded(reading)) {
        enter_objects(reading);
        note_bytes(reading);
    }
    if (role == ROLE_PROGRESS && is_job && (record->result == 0 || record->result == IO_FAILED))
        complete_job(reading);
    EACH_OUTPUT(call, reading, &at, submits ? flows + 1 : 0);
    if (submits && is_job)
        submit_job(reading);
    else if (submits)
        submit_task(reading);
    leave_objects(reading);
}

static void callback(const struct reading *reading)
{
    struct moment at = moment_of(reading->record);
    const struct function *function = reading->function;
    if (strcmp(function->name, "doca_ctx_state_changed_callback_t") == 0)
        state(argument_object(reading, 1), (uint32_t)reading->words[3], reading->tid,
              reading->record->depth, reading->record->began);
    struct object *first = first_object(reading);
    if (first && first->in_flight)
        complete(first, reading->record->result, reading, reading->record->began,
                 reading->record->depth);
    else if (first && strstr(function->name, "completion_cb"))
        first->early = reading->record->began;
    EACH_OUTPUT(callback, reading, &at);
}

void events_record(const struct record *record, pid_t pid, pid_t tid)
{
    struct reading reading;
    if (record->kind == RECORD_STATE && record->size >= sizeof(*record) + 2 * sizeof(uint64_t)) {
        state(object_get(pid, record->words[0], "ctx"), (uint32_t)record->words[1], tid,
              record->depth, record->began);
        return;
    }
    if (!reading_init(&reading, record, pid, tid))
        return;
    if (record->kind == RECORD_CALL) {
        call(&reading);
    } else if (record->kind == RECORD_CALLBACK) {
        callback(&reading);
    } else if (record->kind == RECORD_RETURN) {
        struct moment at = moment_of(record);
        EACH_OUTPUT(callback_end, &reading, &at);
    }
}

void events_open(const struct open_call *open, pid_t pid, pid_t tid)
{
    static const struct record none;
    if (open->function >= function_count)
        return;
    struct reading reading = {
        .function = functions[open->function], .record = &none, .pid = pid, .tid = tid};
    memcpy(reading.words, open->arguments, sizeof(reading.words));
    EACH_OUTPUT(open, &reading, writer_ns(open->began));
}

void events_end(uint64_t lost)
{
    EACH_OUTPUT(end, lost);
    while (jobs) {
        struct job_in_flight *job = jobs;
        jobs = job->next;
        free(job);
    }
    objects_free();
}
