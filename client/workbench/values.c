// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "values.h"
#include "put.h"

#include <inttypes.h>
#include <string.h>

// ---- reading

struct piece_reader {
    const uint8_t *at, *end;
};

static struct piece next_piece(struct piece_reader *reader)
{
    uint64_t size;
    struct piece piece = {0};
    if ((size_t)(reader->end - reader->at) < sizeof(size))
        return piece;
    memcpy(&size, reader->at, sizeof(size));
    reader->at += sizeof(size);
    if (size > (size_t)(reader->end - reader->at))
        return piece;
    piece = (struct piece){(const char *)reader->at, size};
    reader->at += (size + 7) & ~(uint64_t)7;
    if (reader->at > reader->end)
        reader->at = reader->end;
    return piece;
}

static bool has_piece(enum value_kind kind)
{
    return kind == VALUE_STRING || kind == VALUE_TEXT || kind == VALUE_JOB || kind == VALUE_EVENT ||
           kind == VALUE_BYTES;
}

bool reading_init(struct reading *reading, const struct record *record, pid_t pid, pid_t tid)
{
    if (record->size < sizeof(*record) || record->function >= function_count || !record->count)
        return false;
    const struct function *function = functions[record->function];
    unsigned count = function->count, values = count;
    uint32_t written = record->present & ((1U << count) - 1);
    if (record->present & RECORD_PEER)
        values = count + 1;
    if (record->size - sizeof(*record) <
        (values + (unsigned)__builtin_popcount(written)) * sizeof(uint64_t))
        return false;
    *reading = (struct reading){.function = function, .record = record, .pid = pid, .tid = tid};
    memcpy(reading->words, record->words, count * sizeof(uint64_t));
    if (record->present & RECORD_PEER)
        reading->peer = record->words[count];
    for (unsigned i = 0; i < count; i++)
        if (record->present >> i & 1)
            reading->values[i] = record->words[values++];
    struct piece_reader reader = {(const uint8_t *)&record->words[values],
                                  (const uint8_t *)record + record->size};
    for (unsigned i = 0; i < count; i++)
        if (has_piece(function->parameters[i].kind))
            reading->pieces[i] = next_piece(&reader);
    if (function->result.kind == VALUE_STRING)
        reading->result = next_piece(&reader);
    return true;
}

bool reading_message(const struct record *record, struct piece *text)
{
    if (record->size < sizeof(*record) + 2 * sizeof(uint64_t))
        return false;
    struct piece_reader reader = {(const uint8_t *)&record->words[1],
                                  (const uint8_t *)record + record->size};
    *text = next_piece(&reader);
    return text->bytes;
}

uint64_t reading_hash(const struct reading *reading, unsigned parameter)
{
    uint64_t hash = 0;
    if (reading->function->parameters[parameter].kind == VALUE_BYTES &&
        reading->pieces[parameter].size == sizeof(hash))
        memcpy(&hash, reading->pieces[parameter].bytes, sizeof(hash));
    return hash;
}

// The beginnings of struct doca_job and struct doca_event, which all generations that have them
// share.
struct job {
    int32_t type, flags;
    uint64_t context, user_data;
};

struct event {
    int32_t type;
    uint64_t user_data, result;
};

bool reading_job(const struct reading *reading, unsigned parameter, struct job_words *words)
{
    enum value_kind kind = reading->function->parameters[parameter].kind;
    const struct piece *piece = &reading->pieces[parameter];
    struct job job;
    struct event event;
    if (kind == VALUE_JOB && piece->size >= sizeof(job)) {
        memcpy(&job, piece->bytes, sizeof(job));
        *words = (struct job_words){job.type, job.context, job.user_data, 0};
        return true;
    }
    if (kind == VALUE_EVENT && piece->size >= sizeof(event)) {
        memcpy(&event, piece->bytes, sizeof(event));
        *words = (struct job_words){event.type, 0, event.user_data, event.result};
        return true;
    }
    return false;
}

// ---- writing

static const char *constant_name(const struct constant *constants, int64_t value)
{
    for (; constants && constants->name; constants++)
        if (constants->value == value)
            return constants->name;
    return NULL;
}

const char *value_error_name(uint64_t error)
{
    const char *name = constant_name(constants_doca_error, (int64_t)error);
    return name ? name : "an unknown error";
}

const char *value_job_name(const struct constant *types, int32_t type)
{
    const char *name = constant_name(types, type);
    return name ? name : "a job of an unknown type";
}

const char *value_level_name(uint32_t level)
{
    return level <= 20   ? "critical"
           : level <= 30 ? "error"
           : level <= 40 ? "warning"
           : level <= 50 ? "info"
                         : "debug";
}

const char *value_state_name(uint32_t state)
{
    const char *name = constant_name(constants_states, state);
    return name ? name + strlen("DOCA_CTX_STATE_") : "?";
}

void value_write_object(FILE *out, const struct object *object)
{
    if (!object) {
        put_text(out, "NULL");
        return;
    }
    put_text(out, object->type);
    put_number(out, object->number);
}

static void write_string(FILE *out, const struct piece *piece)
{
    put(out, '"');
    for (size_t i = 0; i < piece->size; i++) {
        unsigned char c = (unsigned char)piece->bytes[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '\n')
            put_text(out, "\\n");
        else if (c < ' ' || c >= 0x7f)
            fprintf(out, "\\x%02x", c);
        else
            put(out, (char)c);
    }
    put_text(out, piece->size == TEXT_MAX ? "\"..." : "\"");
}

static void write_job(FILE *out, const struct reading *reading, unsigned parameter)
{
    struct job_words job;
    if (!reading_job(reading, parameter, &job)) {
        put_hex(out, reading->words[parameter]);
        return;
    }
    const char *name = constant_name(reading->function->parameters[parameter].constants, job.type);
    if (name)
        fprintf(out, "{type=%s", name);
    else
        fprintf(out, "{type=%" PRId32, job.type);
    if (job.context) {
        put_text(out, ", ctx=");
        value_write_object(out, object_get(reading->pid, job.context, "ctx"));
    }
    fprintf(out, ", user_data=0x%" PRIx64 "%s", job.user_data, job.context ? "}" : "");
    if (!job.context)
        fprintf(out, ", result=0x%" PRIx64 "}", job.result);
}

static void write_address(FILE *out, uint64_t word)
{
    if (word)
        put_hex(out, word);
    else
        put_text(out, "NULL");
}

static int64_t extended(uint64_t word, unsigned bytes)
{
    return bytes == 4 || bytes == 0 ? (int32_t)word : (int64_t)word;
}

static void write_enum(FILE *out, const struct parameter *parameter, uint64_t word)
{
    const char *name = constant_name(parameter->constants, (int32_t)word);
    if (name)
        put_text(out, name);
    else
        put_signed(out, (int32_t)word);
}

static void write_value(FILE *out, const struct parameter *parameter, uint64_t word,
                        const struct piece *piece, pid_t pid)
{
    double real;
    switch (parameter->kind) {
    case VALUE_NOTHING:
        put_text(out, "?");
        break;
    case VALUE_NUMBER:
        put_number(out, word);
        break;
    case VALUE_SIGNED:
        put_signed(out, extended(word, parameter->bytes));
        break;
    case VALUE_BOOL:
        put_text(out, word & 0xff ? "true" : "false");
        break;
    case VALUE_ERROR:
        put_text(out, value_error_name((uint32_t)word));
        break;
    case VALUE_ENUM:
        write_enum(out, parameter, word);
        break;
    case VALUE_OBJECT:
        value_write_object(out, object_get(pid, word, parameter->type));
        break;
    case VALUE_STRING:
    case VALUE_TEXT:
        if (word && piece->bytes)
            write_string(out, piece);
        else
            write_address(out, word);
        break;
    case VALUE_REAL:
        memcpy(&real, &word, sizeof(real));
        fprintf(out, "%g", real);
        break;
    case VALUE_DATA:
        put_hex(out, word);
        break;
    default:
        write_address(out, word);
    }
}

void value_write_argument(FILE *out, const struct reading *reading, unsigned parameter)
{
    const struct parameter *of = &reading->function->parameters[parameter];
    uint64_t word = reading->words[parameter];
    const struct piece *piece = &reading->pieces[parameter];
    if (of->kind == VALUE_JOB || of->kind == VALUE_EVENT) {
        write_job(out, reading, parameter);
        return;
    }
    if (of->kind == VALUE_TEXT && !piece->size) {
        write_address(out, word);
        return;
    }
    if (!of->out || of->kind == VALUE_TEXT) {
        write_value(out, of, word, piece, reading->pid);
    } else if (!(reading->record->present >> parameter & 1)) {
        write_address(out, word);
    } else {
        put(out, '[');
        write_value(out, of, reading->values[parameter], piece, reading->pid);
        put(out, ']');
    }
    // The same descriptor has the same number in the trace of another program.
    if (reading_hash(reading, parameter))
        fprintf(out, "#%08" PRIx32, (uint32_t)reading_hash(reading, parameter));
}

void value_write_result(FILE *out, const struct reading *reading)
{
    write_value(out, &reading->function->result, reading->record->result, &reading->result,
                reading->pid);
}

void value_write_time(FILE *out, uint64_t ns)
{
    static const struct {
        uint64_t unit; // ns
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
    unsigned i = 0;
    while (i < 3 && ns < units[i].unit)
        i++;
    if (i == 3) {
        put_number(out, ns);
        put_text(out, "ns");
        return;
    }
    // One digit behind the point, or two of a second.
    unsigned digits = i ? 1 : 2;
    uint64_t parts = i ? 10 : 100, step = units[i].unit / parts, rounded = (ns + step / 2) / step;
    put_number(out, rounded / parts);
    put(out, '.');
    put_digits(out, rounded % parts, digits);
    put_text(out, units[i].name);
}

void value_write_count(FILE *out, uint64_t number)
{
    if (number < 1000) {
        put_number(out, number);
        return;
    }
    value_write_count(out, number / 1000);
    put(out, ',');
    put_digits(out, number % 1000, 3);
}
