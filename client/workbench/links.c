// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "links.h"
#include "events.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_OF(word) ((uint16_t)(word))

// ---- numbers

static uint64_t add_word(uint64_t hash, uint64_t word)
{
    for (unsigned i = 0; i < 64; i += 8)
        hash = (hash ^ (word >> i & 0xff)) * 0x100000001b3U;
    return hash;
}

static uint64_t number(const char *what, uint64_t first, uint64_t second)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (; *what; what++)
        hash = add_word(hash, (unsigned char)*what);
    return add_word(add_word(hash, first), second);
}

static uint64_t hash_of(const struct piece *text)
{
    uint64_t hash = number("name", text->size, 0);
    for (size_t i = 0; i < text->size; i++)
        hash = add_word(hash, (unsigned char)text->bytes[i]);
    return hash;
}

// ---- counters of what has a number

static struct counter {
    uint64_t key, count;
} * counters; // a hash table with `room` places; key 0 is free
static size_t room, used;

static struct counter *slot_of(struct counter *table, size_t size, uint64_t key)
{
    size_t at = (size_t)(key >> 7) & (size - 1);
    while (table[at].key && table[at].key != key)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static void grow(void)
{
    size_t more = room ? 2 * room : 64;
    struct counter *table = calloc(more, sizeof(*table));
    if (!table)
        abort(); // of the writer: the program goes on
    for (size_t i = 0; i < room; i++)
        if (counters[i].key)
            *slot_of(table, more, counters[i].key) = counters[i];
    free(counters);
    counters = table;
    room = more;
}

// Returns how often that has been counted before.
static uint64_t count(uint64_t key)
{
    if (2 * used >= room)
        grow();
    struct counter *counter = slot_of(counters, room, key);
    used += !counter->key;
    counter->key = key;
    return counter->count++;
}

// ---- ends of arrows

static void write_end(const struct reading *reading, const char *what, uint64_t id, bool from)
{
    struct link link = {
        .what = what,
        .id = id,
        .from = from,
        .pid = reading->pid,
        .tid = reading->tid,
        .at = writer_ns(from ? reading->record->began : reading->record->ended),
    };
    events_link(&link);
}

// The next message in a direction.
static void write_message(const struct reading *reading, uint64_t direction, bool from)
{
    uint64_t before = direction ? count(number(from ? "sent" : "received", direction, 0)) : 0;
    if (direction)
        write_end(reading, "message", number("message", direction, before), from);
}

// ---- arguments

static int find_parameter(const struct reading *reading, const char *name)
{
    for (unsigned i = 0; i < reading->function->count; i++)
        if (strcmp(reading->function->parameters[i].name, name) == 0)
            return (int)i;
    return -1;
}

// Returns the last object whose type has this end.
static struct object *find_object(const struct reading *reading, const char *end)
{
    struct object *found = NULL;
    for (unsigned i = 0; i < reading->function->count; i++) {
        const char *type = reading->function->parameters[i].type;
        size_t length = type ? strlen(type) : 0, size = strlen(end);
        if (length >= size && strcmp(type + length - size, end) == 0)
            found = reading_object(reading, i);
    }
    return found;
}

// ---- connections by the name of a service, or by a port

// Each side counts its connections to a service.
static void number_connection(struct object *connection, uint64_t service, bool server)
{
    uint64_t before = count(number(server ? "server" : "client", service, 0));
    uint64_t up = number("up", service, before), down = number("down", service, before);
    connection->sent = server ? down : up;
    connection->received = server ? up : down;
}

static struct object *last_client;

static void know_comch(const struct reading *reading, struct object *connection)
{
    const struct object *end = last_client;
    if (connection->sent && strstr(reading->function->name, "status_changed")) {
        connection->sent = connection->received = 0; // it has ended
        return;
    }
    if (reading->peer)
        end = object_get(reading->pid, reading->peer, "comch_server");
    if (!connection->sent && end && end->pid == reading->pid)
        number_connection(connection, end->name, reading->peer);
}

// The one context that waits for a connection by a port.
static struct object *listener, *caller;

static void know_rdma(struct object *connection)
{
    struct object *end = caller ? caller : listener;
    if (connection->sent || !end || !end->name)
        return;
    number_connection(connection, end->name, end == listener);
    end->connection = connection;
    caller = NULL;
}

// ---- calls

static void comch_call(const struct reading *reading, const char *name)
{
    struct object *first = reading_object(reading, 0);
    struct object *connection = find_object(reading, "comch_connection");
    int text = find_parameter(reading, "name");
    bool server = strstr(name, "comch_server_create");
    if (server || strstr(name, "comch_client_create")) {
        struct object *made = find_object(reading, server ? "comch_server" : "comch_client");
        if (!made || text < 0)
            return;
        made->name = hash_of(&reading->pieces[text]);
        if (!server)
            last_client = made;
    } else if (strstr(name, "comch_client_get_connection") && connection && first) {
        if (!connection->sent)
            number_connection(connection, first->name, false);
    } else if (strstr(name, "_consumer_create") || strstr(name, "_producer_create")) {
        struct object *made = reading_object(reading, reading->function->count - 1U);
        if (made)
            made->connection = first;
    }
}

static void channel_call(const struct reading *reading, const char *name)
{
    struct object *end = reading_object(reading, 0);
    struct object *peer = find_object(reading, "comm_channel_addr_t");
    int text = find_parameter(reading, "name");
    bool sends = strstr(name, "_sendto");
    if (!end)
        return;
    if (text >= 0)
        end->name = hash_of(&reading->pieces[text]);
    if (!peer)
        return;
    if (strstr(name, "_disconnect"))
        peer->sent = peer->received = 0;
    else if (!peer->sent)
        number_connection(peer, end->name, !strstr(name, "_connect"));
    if (sends || strstr(name, "_recvfrom"))
        write_message(reading, sends ? peer->sent : peer->received, sends);
}

// The descriptors of both sides name a connection. Before DOCA 3 a context has one.
static void rdma_call(const struct reading *reading, const char *name)
{
    struct object *rdma = reading_object(reading, 0);
    struct object *connection = find_object(reading, "rdma_connection");
    uint64_t hash = reading->function->count > 1 ? reading_hash(reading, 1) : 0;
    int port = find_parameter(reading, "port");
    if (!connection)
        connection = rdma;
    if (!rdma)
        return;
    if (strcmp(name, "doca_rdma_export") == 0) {
        connection->name = hash;
    } else if (strcmp(name, "doca_rdma_connect") == 0) {
        connection->sent = number("rdma", connection->name, hash);
        connection->received = number("rdma", hash, connection->name);
        rdma->connection = connection;
    } else if (strstr(name, "rdma_addr_create") && port >= 0) {
        struct object *made = find_object(reading, "rdma_addr");
        if (made)
            made->name = number("port", NUMBER_OF(reading->words[port]), 0);
    } else if (strstr(name, "start_listen_to_port") && port >= 0) {
        rdma->name = number("port", NUMBER_OF(reading->words[port]), 0);
        listener = rdma;
    } else if (strstr(name, "rdma_connect_to_addr")) {
        const struct object *address = find_object(reading, "rdma_addr");
        rdma->name = address ? address->name : 0;
        caller = rdma;
    }
}

static void task_call(const struct reading *reading)
{
    struct object *task = find_object(reading, "comch_task_send");
    struct object *connection = find_object(reading, "_connection");
    int consumer = find_parameter(reading, "consumer_id");
    for (unsigned i = 0; i < reading->function->count && !task; i++) {
        const char *type = reading->function->parameters[i].type;
        if (type && strstr(type, "_task_"))
            task = reading_object(reading, i);
    }
    if (task && connection)
        task->connection = connection;
    if (task && consumer >= 0)
        task->consumer = (uint32_t)reading->words[consumer];
}

static void export_call(const struct reading *reading, const char *name)
{
    bool exports = strstr(name, "_export") && !strstr(name, "_from_export");
    for (unsigned i = 0; i < reading->function->count; i++)
        if (reading_hash(reading, i) && strncmp(name, "doca_", 5) == 0 &&
            !strstr(name, "doca_rdma"))
            write_end(reading, "memory", number("memory", reading_hash(reading, i), 0), exports);
}

void links_call(const struct reading *reading)
{
    const struct function *function = reading->function;
    if (function->texts)
        export_call(reading, function->name);
    if (function_notes(function, NOTE_COMCH))
        comch_call(reading, function->name);
    else if (function_notes(function, NOTE_COMM_CHANNEL))
        channel_call(reading, function->name);
    else if (function_notes(function, NOTE_RDMA) && !function_has(function, TRAIT_OF_TASK))
        rdma_call(reading, function->name);
    if (function_notes(function, NOTE_NAMES_PEER))
        task_call(reading);
}

// ---- tasks

// Returns whether a task, or job, of RDMA takes a receive of the other side.
static bool is_message(const char *type)
{
    return strstr(type, "rdma_task_send") || strstr(type, "rdma_task_write_imm") ||
           strstr(type, "RDMA_JOB_SEND") || strstr(type, "RDMA_JOB_WRITE_IMM");
}

void links_submitted(const struct reading *reading, struct object *task)
{
    const struct object *owner = task->owner;
    if (is_message(task->type) || strcmp(task->type, "comch_task_send") == 0) {
        const struct object *connection = task->connection;
        if (!connection && owner)
            connection = owner->connection;
        if (connection)
            write_message(reading, connection->sent, true);
    } else if (strstr(task->type, "producer_task_send") && owner && owner->connection &&
               owner->connection->sent) {
        write_message(reading, number("consumer", owner->connection->sent, task->consumer), true);
    }
}

static void received(const struct reading *reading, const struct object *task)
{
    const struct object *owner = task->owner;
    if (strstr(task->type, "rdma_task_receive")) {
        const struct object *connection =
            reading->peer ? object_get(reading->pid, reading->peer, "rdma_connection")
            : owner       ? owner->connection
                          : NULL;
        if (connection)
            write_message(reading, connection->received, false);
    } else if (strstr(task->type, "consumer_task_post_recv") && owner && owner->connection &&
               owner->connection->received) {
        write_message(reading, number("consumer", owner->connection->received, owner->consumer),
                      false);
    }
}

void links_callback(const struct reading *reading)
{
    const struct function *function = reading->function;
    struct object *connection = NULL;
    if (function_notes(function, NOTE_COMCH | NOTE_RDMA))
        connection = find_object(reading, "_connection");
    if (connection && function->peer == PEER_SERVER)
        know_comch(reading, connection);
    else if (connection && function_notes(function, NOTE_CONNECTION))
        know_rdma(connection);
    if (connection && function_notes(function, NOTE_MOVES_MESSAGE))
        write_message(reading, connection->received, false);
    else if (function_notes(function, NOTE_COMPLETION) && reading->record->result == 0) {
        const struct object *task = reading_object(reading, 0);
        if (task)
            received(reading, task);
    }
}

// ---- jobs

static struct object *connection_of(struct object *context)
{
    return context && context->connection ? context->connection : context;
}

void links_job_submitted(const struct reading *reading, struct object *context, const char *type)
{
    const struct object *connection = connection_of(context);
    if (connection && is_message(type))
        write_message(reading, connection->sent, true);
}

void links_job_completed(const struct reading *reading, struct object *context, const char *type)
{
    const struct object *connection = connection_of(context);
    if (connection && strstr(type, "RDMA_JOB_RECV"))
        write_message(reading, connection->received, false);
}

void links_consumer(struct object *consumer, uint32_t id)
{
    if (consumer)
        consumer->consumer = id;
}

void links_free(void)
{
    free(counters);
    counters = NULL;
    room = used = 0;
    last_client = listener = caller = NULL;
}
