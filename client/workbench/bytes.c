// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "bytes.h"
#include "events.h"
#include "jobs.h"

#include <string.h>

#define LIST_MAX 65536 // buffers of a list that are counted

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_named(const struct parameter *parameter, const char *name)
{
    return strcmp(parameter->name, name) == 0;
}

// ---- lists

static struct object *last_of(struct object *list)
{
    for (unsigned i = 0; i < LIST_MAX && list->behind; i++)
        list = list->behind;
    return list;
}

static uint64_t bytes_of(const struct object *list)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < LIST_MAX && list; i++) {
        bytes += list->bytes;
        list = list->behind;
    }
    return bytes;
}

static void unchain(struct object *list, const struct object *rest)
{
    for (unsigned i = 0; i < LIST_MAX && list; i++, list = list->behind)
        if (list->behind == rest)
            list->behind = NULL;
}

void bytes_end_list(struct object *first)
{
    for (struct object *each = first, *next; each; each = next) {
        next = each->behind;
        each->behind = NULL;
        each->alive = false;
    }
}

// Returns whether the call makes one list of two, or two of one.
static bool note_list(const struct reading *reading)
{
    if (!function_has(reading->function, TRAIT_CHAINS))
        return false;
    struct object *list = reading_object(reading, 0);
    struct object *other = reading_object(reading, reading->function->count - 1U);
    if (!list || !other)
        return true;
    if (function_has(reading->function, TRAIT_UNCHAINS))
        unchain(list, other);
    else if (last_of(list) != other)
        last_of(list)->behind = other;
    return true;
}

// ---- buffers and tasks

// What the arguments of a call are.
struct found {
    struct object *buffer, *made, *task, *source, *destination;
    uint64_t length; // or UINT64_MAX
};

static void find_buffer(struct found *found, const struct parameter *of, struct object *object,
                        bool receives)
{
    if (of->out)
        found->made = object;
    else if (receives || begins_with(of->name, "dst"))
        found->destination = object;
    else if (!found->source)
        found->source = object;
    found->buffer = object;
}

static struct found find(const struct reading *reading)
{
    const struct function *function = reading->function;
    struct found found = {.length = UINT64_MAX};
    bool by_address = function_notes(function, NOTE_BY_ADDRESS);
    bool receives = function_notes(function, NOTE_RECEIVES);
    for (unsigned i = 0; i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        struct object *object = reading_object(reading, i);
        if (of->kind == VALUE_NUMBER && !of->out &&
            (is_named(of, "data_len") || (is_named(of, "len") && !by_address)))
            found.length = reading->words[i];
        else if (of->out && is_named(of, "data_len") && reading->record->present >> i & 1)
            found.length = reading->values[i]; // as the library says
        if (object && of->types & TYPE_BUFFER)
            find_buffer(&found, of, object, receives);
        if (object && of->types & TYPE_TASK &&
            (of->out || function_notes(function, NOTE_SETS_BUFFER)))
            found.task = object;
    }
    if (function_notes(function, NOTE_RESETS_LENGTH))
        found.length = 0;
    return found;
}

static void note_task(const struct reading *reading, const struct found *found)
{
    struct object *task = found->task;
    bool sets = !reading->function->makes;
    if (found->source || !sets)
        task->source = found->source;
    if (found->destination || !sets)
        task->destination = found->destination;
    if (found->length != UINT64_MAX)
        task->length = found->length;
    if (strstr(task->type, "_atomic_"))
        task->length = sizeof(uint64_t);
}

void bytes_note(const struct reading *reading)
{
    if (!function_notes(reading->function, NOTE_BYTES) || note_list(reading))
        return;
    struct found found = find(reading);
    if (found.task)
        note_task(reading, &found);
    else if (found.made && found.source) // a copy of a buffer
        found.made->bytes = found.source->bytes;
    else if (found.buffer && found.length != UINT64_MAX)
        found.buffer->bytes = found.length;
}

uint64_t bytes_submitted(const struct object *task)
{
    return task->length ? task->length : bytes_of(task->source);
}

uint64_t bytes_completed(struct object *task)
{
    bool copies = strstr(task->type, "memcpy") || strstr(task->type, "rdma_task_read");
    if (copies && task->destination && !task->destination->behind)
        task->destination->bytes += task->bytes;
    return task->bytes;
}

// ---- jobs

struct job_data bytes_of_job(const struct reading *reading, unsigned parameter)
{
    const struct piece *piece = &reading->pieces[parameter];
    uint64_t words[JOB_BYTES_MAX / sizeof(uint64_t)] = {0};
    struct job job;
    // The program can write where the record is.
    memcpy(words, piece->bytes, piece->size < sizeof(words) ? piece->size : sizeof(words));
    job_read((uintptr_t)words, &job);
    if (!job.type)
        return (struct job_data){0};
    uint64_t to = job.buffers[USE_DESTINATION - 1];
    bool copies = strstr(job.type, "memcpy") || strstr(job.type, "rdma_job_read");
    struct job_data bytes = {
        .to = copies ? object_get(reading->pid, to, "buf") : NULL,
        .count = job.length,
        .replaces = begins_with(reading->function->version, "DOCA_1"),
    };
    if (strstr(job.type, "_atomic"))
        bytes.count = sizeof(uint64_t);
    else if (job.length == UINT64_MAX)
        bytes.count = bytes_of(object_get(reading->pid, job.buffers[USE_SOURCE - 1], "buf"));
    return bytes;
}

void bytes_job_completed(const struct job_data *bytes)
{
    if (bytes->to && !bytes->to->behind)
        bytes->to->bytes = bytes->count + (bytes->replaces ? 0 : bytes->to->bytes);
}

// ---- messages

uint64_t bytes_of_message(const struct reading *reading)
{
    const struct function *function = reading->function;
    if (!function_notes(function, NOTE_MOVES_MESSAGE) || !reading_succeeded(reading))
        return 0;
    for (unsigned i = 0; i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        if (of->kind == VALUE_NUMBER && (is_named(of, "len") || is_named(of, "msg_len")))
            return of->out ? reading->values[i] : reading->words[i];
    }
    return 0;
}
