// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "flights.h"
#include "graphs.h"
#include "jobs.h"

#include <stdlib.h>
#include <string.h>

#define SHA_LEAST 20 // bytes of a digest
#define TAG_MOST  16 // bytes of an AES-GCM tag

struct flight *flights;
unsigned flight_count;

static struct entry *buffer_of(const struct flight *flight, enum buffer_use use)
{
    return flight->buffers[use - 1];
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void note_type(struct flight *flight)
{
    const char *type = flight->type;
    flight->keeps_order = begins_with(type, "dma_") || begins_with(type, "rdma_");
    flight->writes_remotely =
        begins_with(type, "rdma_task_write") || begins_with(type, "rdma_job_write");
    flight->is_atomic = strstr(type, "_atomic");
}

// ---- bytes

// The number of bytes that a task appends to its destination for certain if it succeeds.
static uint64_t least_written(const struct flight *flight)
{
    const char *type = flight->type;
    uint64_t source = flight->source_bytes == UINT64_MAX ? 0 : flight->source_bytes;
    if (begins_with(type, "dma_") || flight->writes_remotely ||
        begins_with(type, "aes_gcm_task_encrypt"))
        return source;
    if (begins_with(type, "rdma_task_read") || begins_with(type, "rdma_job_read"))
        return source;
    if (begins_with(type, "aes_gcm_task_decrypt"))
        return source > TAG_MOST ? source - TAG_MOST : 0;
    if (strcmp(type, "sha_task_hash") == 0 || strcmp(type, "sha_job") == 0)
        return SHA_LEAST;
    return 0;
}

// Up to 1.5 a result replaces the data of its destination.
static bool is_appended(const struct flight *flight, const struct entry *buffer)
{
    return !flight->writes_remotely && !function_has(buffer->made_by, TRAIT_UP_TO_1_5);
}

struct filling {
    struct flight *flight;
    uint64_t left;                       // bytes that are written for certain
    unsigned sources_max, stretches_max; // that there is memory for; 0 if not all buffers are known
    unsigned members_max;
    enum buffer_use use; // of the list whose members are added
};

static bool add_source(const struct element *element, void *of)
{
    const struct filling *filling = of;
    struct flight *flight = filling->flight;
    if (flight->source_count == filling->sources_max)
        return false;
    uint64_t length = element->data_end - element->data;
    if (flight->source_bytes != UINT64_MAX && length > flight->source_bytes)
        length = flight->source_bytes; // as in a job of 1.3
    flight->sources[flight->source_count++] = (struct source){
        .bytes = {element->space, element->data, element->data + length},
    };
    return true;
}

static bool add_destination(const struct element *element, void *of)
{
    struct filling *filling = of;
    struct flight *flight = filling->flight;
    if (flight->room_count == filling->stretches_max) {
        flight->may_write_anywhere = true;
        return false;
    }
    uint64_t start = is_appended(flight, element->buffer) ? element->data_end : element->data;
    uint64_t room = element->end > start ? element->end - start : 0;
    uint64_t length = filling->left < room ? filling->left : room;
    flight->room[flight->room_count++] =
        (struct stretch){element->space, element->head, element->end};
    if (length)
        flight->written[flight->written_count++] =
            (struct stretch){element->space, start, start + length};
    flight->may_write_anywhere |= element->space == SPACE_UNKNOWN;
    filling->left -= length;
    return true;
}

static bool add_member(const struct element *element, void *of)
{
    struct filling *filling = of;
    struct flight *flight = filling->flight;
    if (element->buffer != buffer_of(flight, filling->use) &&
        flight->member_count < filling->members_max)
        flight->members[flight->member_count++] =
            (struct member){registry_find(element->buffer->address), filling->use};
    return true;
}

// Of a task of a graph. RDMA tasks may have one remote buffer.
static void count_members(struct entry *task, void *of)
{
    for (unsigned i = 0; i < BUFFERS_MAX && !begins_with(task->type, "rdma_"); i++)
        *(unsigned *)of += buffers_count(task->buffers[i]);
}

static void add_buffers(struct entry *task, void *of)
{
    struct filling *filling = of;
    for (enum buffer_use use = USE_SOURCE; use <= USE_RESULT; use++) {
        filling->use = use;
        if (!begins_with(task->type, "rdma_") && task->buffers[use - 1])
            buffers_each(task->buffers[use - 1], add_member, filling);
    }
}

static void add_members(struct filling *filling)
{
    for (enum buffer_use use = USE_SOURCE; use <= USE_RESULT; use++) {
        filling->use = use;
        if (buffer_of(filling->flight, use))
            buffers_each(buffer_of(filling->flight, use), add_member, filling);
    }
    if (filling->flight->task)
        graph_tasks_each(filling->flight->task, add_buffers, filling);
}

// Makes room for the bytes of all buffers, in one piece of memory. Returns NULL if there is none.
static struct flight *with_room(const struct flight *from, struct filling *filling)
{
    unsigned counts[BUFFERS_MAX], members = 0;
    for (unsigned i = 0; i < BUFFERS_MAX; i++) {
        counts[i] = buffers_count(from->buffers[i]);
        members += counts[i] > 1 ? counts[i] - 1 : 0;
    }
    if (from->task && from->task->node_tasks)
        graph_tasks_each(from->task, count_members, &members);
    unsigned sources = counts[USE_SOURCE - 1];
    unsigned others = counts[USE_DESTINATION - 1] + counts[USE_RESULT - 1];
    struct flight *flight =
        malloc(sizeof(*flight) + sources * sizeof(struct source) +
               2 * others * sizeof(struct stretch) + members * sizeof(struct member));
    if (!flight)
        return NULL;
    *flight = *from;
    flight->sources = (struct source *)(flight + 1);
    flight->written = (struct stretch *)(flight->sources + sources);
    flight->room = flight->written + others;
    flight->members = (struct member *)(flight->room + others);
    *filling = (struct filling){
        .flight = flight,
        .left = least_written(flight),
        .sources_max = sources,
        .stretches_max = others,
        .members_max = members,
    };
    return flight;
}

static struct flight *describe(struct flight *from)
{
    struct filling filling;
    note_type(from);
    if (from->source_bytes == UINT64_MAX)
        from->source_bytes = buffers_data(buffer_of(from, USE_SOURCE));
    struct flight *flight = with_room(from, &filling);
    if (!flight)
        return NULL;
    if (buffer_of(flight, USE_SOURCE))
        buffers_each(buffer_of(flight, USE_SOURCE), add_source, &filling);
    for (enum buffer_use use = USE_DESTINATION; use <= USE_RESULT; use++) {
        if (use == USE_RESULT || flight->is_atomic)
            filling.left = 0; // it is written where its data begins, or by many
        if (buffer_of(flight, use) &&
            !buffers_each(buffer_of(flight, use), add_destination, &filling))
            flight->may_write_anywhere = true;
    }
    if (filling.members_max)
        add_members(&filling);
    stack_take(&flight->submitted);
    return flight;
}

struct flight *flight_of_task(const struct call *call, struct entry *task)
{
    struct flight flight = {
        .task = task,
        .context = task->owner,
        .type = task->type,
        .matrix = task->matrix,
        .by = call->function,
        .source_bytes = UINT64_MAX,
    };
    memcpy(flight.buffers, task->buffers, sizeof(flight.buffers));
    return describe(&flight);
}

struct flight *flight_of_job(const struct call *call, struct entry *queue)
{
    struct job job;
    if (!call->arguments[1])
        return NULL; // the function refuses it
    job_read(call->arguments[1], &job);
    struct flight flight = {
        .queue = queue,
        .context = registry_find(job.context),
        .type = job.type ? job.type : "job",
        .job = job.number,
        .user_data = job.user_data,
        .matrix = registry_find(job.matrix),
        .source_bytes = job.length,
        .by = call->function,
    };
    for (unsigned i = 0; i < BUFFERS_MAX; i++) {
        flight.buffers[i] = job.buffers[i] ? registry_live(job.buffers[i], TYPE_BUFFER) : NULL;
        flight.may_write_anywhere |= job.buffers[i] && !flight.buffers[i];
    }
    return describe(&flight);
}

// ---- the list

void flight_drop(struct flight *flight)
{
    free(flight);
}

static void count_user(struct entry *buffer, enum buffer_use use, bool in_flight)
{
    bool writes = use != USE_SOURCE;
    if (in_flight) {
        buffer->users++;
        buffer->writers += writes;
    } else { // it may be another one at the same address
        buffer->users -= buffer->users > 0;
        buffer->writers -= writes && buffer->writers > 0;
    }
}

static void begin_in_graph(struct entry *task, void *of)
{
    if (!task->flight) {
        task->in_flight = true;
        task->flight = of;
    }
}

static void end_in_graph(struct entry *task, void *of)
{
    if (task->flight == of) {
        task->in_flight = false;
        task->flight = NULL;
    }
}

static void mark(struct flight *flight, bool in_flight)
{
    struct entry *task = flight->task;
    if (task) {
        task->in_flight = in_flight;
        task->flight = in_flight ? flight : NULL;
        if (task->node_tasks)
            graph_tasks_each(task, in_flight ? begin_in_graph : end_in_graph, flight);
    }
    struct member of;
    for (unsigned i = 0; flight_buffer(flight, i, &of); i++)
        if (of.buffer)
            count_user(of.buffer, of.use, in_flight);
    struct entry *engine = flight->queue     ? flight->queue
                           : flight->context ? flight->context->engine
                                             : NULL;
    if (engine && in_flight)
        engine->in_flight_count++;
    else if (engine && engine->in_flight_count)
        engine->in_flight_count--;
}

void flight_add(struct flight *flight)
{
    flight->previous = NULL;
    flight->next = flights;
    if (flights)
        flights->previous = flight;
    flights = flight;
    flight_count++;
    mark(flight, true);
}

void flight_end(struct flight *flight)
{
    mark(flight, false);
    if (flight->next)
        flight->next->previous = flight->previous;
    if (flight->previous)
        flight->previous->next = flight->next;
    else
        flights = flight->next;
    flight_count--;
    free(flight);
}

struct flight *flight_find_job(const struct entry *queue, int job, uint64_t user_data, bool newest)
{
    struct flight *found = NULL;
    for (struct flight *each = flights; each && !(newest && found); each = each->next)
        if (each->queue == queue && each->job == job && each->user_data == user_data)
            found = each;
    return found;
}

void flights_end_all(const struct entry *queue)
{
    for (struct flight *each = flights, *next; each; each = next) {
        next = each->next;
        if (!queue || each->queue == queue)
            flight_end(each);
    }
}
