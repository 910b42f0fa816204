// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "events.h"
#include "bytes.h"
#include "links.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUTS_MAX 2
#define LANES_MAX   64
#define UNKNOWN     1  // DOCA_ERROR_UNKNOWN
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
    // Only some polls were timed. The others are assumed to take as long as those on average.
    uint32_t timed = record->count / POLLS_TIMED * POLLS_TIMED;
    if (function_is_poll(functions[record->function]))
        spent = timed ? spent / timed * record->count : spent * record->count;
    return (struct moment){began, ended, spent};
}

bool reading_succeeded(const struct reading *reading)
{
    return reading->function->result.kind != VALUE_ERROR || reading->record->result == 0;
}

// ---- objects

struct object *reading_object(const struct reading *reading, unsigned parameter)
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
    return reading->function->count ? reading_object(reading, 0) : NULL;
}

// Enters the objects that the call has created, with their names and owner.
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
            made->owner = reading_object(reading, 0);
    }
    if (function->role == ROLE_ALIAS && reading->record->result && function->count)
        object_alias(reading->pid, reading->record->result, first_object(reading));
}

static void note_callbacks(const struct reading *reading)
{
    struct object *graph = first_object(reading);
    if (!graph || strcmp(reading->function->name, "doca_graph_set_conf") != 0)
        return;
    graph->on_success = reading->words[1];
    graph->on_error = reading->words[2];
}

static void leave_objects(const struct reading *reading)
{
    enum function_role role = reading->function->role;
    struct object *object =
        reading->function->count ? reading_object(reading, reading->function->object) : NULL;
    if (!object || !reading_succeeded(reading))
        return;
    if (role == ROLE_HOLD)
        object->references++;
    if (role == ROLE_RELEASE)
        object->references--;
    if (role == ROLE_DESTROY || (role == ROLE_RELEASE && object->references == 0))
        bytes_end_list(object);
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
        .bytes = status == 0 ? bytes_completed(task) : 0,
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
    task->bytes = bytes_submitted(task);
    links_submitted(reading, task);
    // Its completion may have been recorded before the call that submitted it returned.
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
    const struct constant *types;
    struct object *owner;
    uint64_t submitted, flow;
    struct job_data bytes;
    pid_t submitter;
    unsigned lane;
    bool is_graph;
};
static struct job_in_flight *jobs, **jobs_end = &jobs;

// A graph of DOCA 2.2 is submitted without a job, and its event is like that of one.
static bool read_job(const struct reading *reading, struct job_in_flight *job)
{
    if (reading_job(reading, 1, &job->job)) {
        job->owner = object_get(reading->pid, job->job.context, "ctx");
        job->types = reading->function->parameters[1].constants;
        job->bytes = bytes_of_job(reading, 1);
        return true;
    }
    job->owner = reading_object(reading, 1);
    job->job.user_data = reading->words[2];
    job->is_graph = true;
    return job->owner;
}

static void submit_job(const struct reading *reading)
{
    struct job_in_flight *new = calloc(1, sizeof(*new));
    if (!new || !read_job(reading, new)) {
        free(new);
        return;
    }
    new->pid = reading->pid;
    new->workq = reading->words[0];
    new->submitted = reading->record->began;
    new->submitter = reading->tid;
    new->flow = ++flows;
    new->lane = take_lane(new->owner);
    *jobs_end = new;
    jobs_end = &new->next;
    if (!new->is_graph)
        links_job_submitted(reading, new->owner, value_job_name(new->types, new->job.type));
}

static bool is_of(const struct job_in_flight *job, const struct reading *reading,
                  const struct job_words *event)
{
    return job->pid == reading->pid && job->workq == reading->words[0] &&
           (job->is_graph || job->job.type == event->type) &&
           job->job.user_data == event->user_data;
}

static void complete_job(const struct reading *reading)
{
    struct job_words event;
    if (!reading_job(reading, 1, &event))
        return;
    struct job_in_flight **at = &jobs;
    while (*at && !is_of(*at, reading, &event))
        at = &(*at)->next;
    struct job_in_flight *job = *at;
    if (!job)
        return;
    *at = job->next;
    if (!*at)
        jobs_end = at;
    struct completion completion = {
        .type = value_job_name(reading->function->parameters[1].constants, event.type),
        .owner = job->owner,
        .lane = job->lane,
        .flow = job->flow,
        .submitted = writer_ns(job->submitted),
        .completed = writer_ns(reading->record->ended),
        .has_status = true,
        .status = reading->record->result == 0 ? 0 : event.result,
        .bytes = reading->record->result == 0 ? job->bytes.count : 0,
        .pid = reading->pid,
        .submitter = job->submitter,
        .tid = reading->tid,
        .depth = reading->record->depth,
    };
    if (job->owner)
        job->owner->lanes &= ~((uint64_t)1 << job->lane);
    if (completion.status == 0) {
        links_job_completed(reading, job->owner, completion.type);
        bytes_job_completed(&job->bytes);
    }
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

// Before DOCA 3 a context has two states, which start and stop.
static void state_of_2_2(const struct reading *reading)
{
    const char *name = reading->function->name;
    size_t length = strlen(name);
    bool starts = length > 6 && strcmp(name + length - 6, "_start") == 0;
    if (reading->function->role == ROLE_STATE &&
        strcmp(reading->function->version, "DOCA_3.0") != 0 && reading_succeeded(reading))
        state(first_object(reading), starts ? STATE_RUNNING : STATE_IDLE, reading->tid,
              reading->record->depth, reading->record->ended);
}

// ---- lines of logs

void events_docad_line(const char *line, size_t size, uint64_t ns)
{
    struct message message = {
        .level = "docad",
        .text = {line, size},
        .at = ns > segment->ns_origin ? ns - segment->ns_origin : 0,
    };
    EACH_OUTPUT(message, &message);
}

static void message(const struct record *record, pid_t pid, pid_t tid)
{
    struct message message = {.pid = pid, .tid = tid, .depth = record->depth};
    if (!reading_message(record, &message.text))
        return;
    message.level = value_level_name((uint32_t)record->words[0]);
    message.at = writer_ns(record->began);
    EACH_OUTPUT(message, &message);
}

void events_link(const struct link *link)
{
    EACH_OUTPUT(link, link);
}

// ---- records

static void call(const struct reading *reading)
{
    const struct record *record = reading->record;
    struct moment at = moment_of(record);
    enum function_role role = reading->function->role;
    const struct parameter *parameters = reading->function->parameters;
    bool is_job = reading->function->count > 1 &&
                  (parameters[1].kind == VALUE_JOB || parameters[1].kind == VALUE_EVENT ||
                   (parameters->kind == VALUE_OBJECT && strcmp(parameters->type, "workq") == 0));
    bool submits = role == ROLE_SUBMIT && reading_succeeded(reading);
    if (reading_succeeded(reading)) {
        enter_objects(reading);
        bytes_note(reading);
        note_callbacks(reading);
    }
    if (role == ROLE_PROGRESS && is_job && (record->result == 0 || record->result == IO_FAILED))
        complete_job(reading);
    EACH_OUTPUT(call, reading, &at, submits ? flows + 1 : 0);
    if (reading_succeeded(reading))
        links_call(reading);
    state_of_2_2(reading);
    if (submits && is_job)
        submit_job(reading);
    else if (submits)
        submit_task(reading);
    leave_objects(reading);
}

// Both callbacks of a graph have the same type. Which of the two it is shows whether the graph has
// failed.
static uint64_t status_of(const struct reading *reading, const struct object *first)
{
    const struct object *owner = first->owner;
    if (reading->function->peer != PEER_FUNCTION || !owner || owner->on_success == owner->on_error)
        return reading->record->result;
    return reading->peer == owner->on_error ? UNKNOWN : 0;
}

static void callback(const struct reading *reading)
{
    struct moment at = moment_of(reading->record);
    const struct function *function = reading->function;
    if (strcmp(function->name, "doca_ctx_state_changed_callback_t") == 0)
        state(reading_object(reading, 1), (uint32_t)reading->words[3], reading->tid,
              reading->record->depth, reading->record->began);
    struct object *first = first_object(reading);
    if (first && first->in_flight)
        complete(first, status_of(reading, first), reading, reading->record->began,
                 reading->record->depth);
    else if (first && strstr(function->name, "completion_cb"))
        first->early = reading->record->began;
    EACH_OUTPUT(callback, reading, &at);
    links_callback(reading);
}

// Takes the next string of a record, which the program can overwrite at any time.
static const uint8_t *take_text(const uint8_t *from, const uint8_t *end, char text[TEXT_MAX + 1])
{
    uint64_t size = 0;
    text[0] = '\0';
    if (!from || (size_t)(end - from) < sizeof(size))
        return NULL;
    memcpy(&size, from, sizeof(size));
    from += sizeof(size);
    if (size > TEXT_MAX || ((size + 7) & ~(uint64_t)7) > (size_t)(end - from))
        return NULL;
    memcpy(text, from, size);
    text[size] = '\0';
    return from + ((size + 7) & ~(uint64_t)7);
}

static void fault(const struct record *record, pid_t pid, pid_t tid)
{
    struct injected injected = {
        .pid = pid, .tid = tid, .depth = record->depth, .at = writer_ns(record->began)};
    const uint8_t *end = (const uint8_t *)record + record->size;
    const uint8_t *at = (const uint8_t *)(record->words + 1);
    injected.number = record->words[0];
    at = take_text(at, end, injected.place);
    at = take_text(at, end, injected.happened);
    (void)take_text(at, end, injected.rule);
    EACH_OUTPUT(fault, &injected);
}

void events_record(const struct record *record, pid_t pid, pid_t tid)
{
    struct reading reading;
    bool has_words = record->size >= sizeof(*record) + 2 * sizeof(uint64_t);
    if (record->kind == RECORD_STATE && has_words)
        state(object_get(pid, record->words[0], "ctx"), (uint32_t)record->words[1], tid,
              record->depth, record->began);
    else if (record->kind == RECORD_CONSUMER && has_words)
        links_consumer(object_get(pid, record->words[0], "comch_consumer"),
                       (uint32_t)record->words[1]);
    else if (record->kind == RECORD_MESSAGE)
        message(record, pid, tid);
    else if (record->kind == RECORD_FAULT && record->size >= sizeof(*record) + sizeof(uint64_t))
        fault(record, pid, tid);
    if (record->kind > RECORD_RETURN)
        return;
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
    links_free();
    objects_free();
}
