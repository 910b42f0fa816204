// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Makes JSON from docad's messages, by table: a member takes its value from the message's field
// of the same name. And cells for people, where there may be a million, without JSON in between.

#include "fields.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static const void *at(const ProtobufCMessage *message, unsigned offset)
{
    return (const char *)message + offset;
}

static const ProtobufCFieldDescriptor *field_of(const ProtobufCMessage *message,
                                                const struct column *column)
{
    return protobuf_c_message_descriptor_get_field_by_name(
        message->descriptor, column->source ? column->source : column->key);
}

static size_t count_of(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    size_t n;
    memcpy(&n, at(message, field->quantifier_offset), sizeof(n));
    return n;
}

static uint64_t number_of(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return *(const uint64_t *)at(message, field->offset);
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_ENUM:
        return *(const uint32_t *)at(message, field->offset);
    case PROTOBUF_C_TYPE_BOOL:
        return (uint64_t) * (const protobuf_c_boolean *)at(message, field->offset);
    default:
        return 0;
    }
}

static void put_address(struct json_object *object, const char *key, const ProtobufCBinaryData *b)
{
    char text[INET6_ADDRSTRLEN] = "";
    if (b->len == 4 || b->len == 16)
        inet_ntop(b->len == 4 ? AF_INET : AF_INET6, b->data, text, sizeof(text));
    put_text(object, key, text);
}

static void put_mac(struct json_object *object, const char *key, const ProtobufCBinaryData *b)
{
    char text[24] = "";
    if (b->len == 6)
        snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", b->data[0], b->data[1],
                 b->data[2], b->data[3], b->data[4], b->data[5]);
    put_text(object, key, text);
}

static struct json_object *objects(const ProtobufCMessage *message,
                                   const ProtobufCFieldDescriptor *field,
                                   const struct column *members)
{
    struct json_object *array = json_object_new_array();
    ProtobufCMessage *const *list = *(ProtobufCMessage *const *const *)at(message, field->offset);
    for (size_t i = 0; i < count_of(message, field); i++)
        json_object_array_add(array, message_to_json(list[i], members));
    return array;
}

// A message that is missing makes no member.
static void put_object(struct json_object *object, const struct column *c,
                       const ProtobufCMessage *message)
{
    if (message)
        json_object_object_add(object, c->key, message_to_json(message, c->members));
}

static void put_member(struct json_object *object, const struct column *c,
                       const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    uint64_t number = number_of(message, field);
    const void *value = at(message, field->offset);

    switch (c->format) {
    case COLUMN_TEXT:
        put_text(object, c->key, *(const char *const *)value);
        break;
    case COLUMN_YES_NO:
        put_bool(object, c->key, number != 0);
        break;
    case COLUMN_LIST:
        put_texts(object, c->key, *(const char *const *const *)value, count_of(message, field));
        break;
    case COLUMN_ID:
        put_export_id(object, c->key, number);
        break;
    case COLUMN_ACCESS:
        put_access(object, c->key, (uint32_t)number);
        break;
    case COLUMN_ENUM:
        put_text(object, c->key, number < c->n_names ? c->names[number] : "unknown");
        break;
    case COLUMN_HEX:
        put_hex(object, c->key, ((const ProtobufCBinaryData *)value)->data,
                ((const ProtobufCBinaryData *)value)->len);
        break;
    case COLUMN_MAC:
        put_mac(object, c->key, value);
        break;
    case COLUMN_IP:
        put_address(object, c->key, value);
        break;
    case COLUMN_LIMIT:
        json_object_object_add(object, c->key,
                               number == UINT64_MAX ? NULL : json_object_new_uint64(number));
        break;
    case COLUMN_OBJECTS:
        json_object_object_add(object, c->key, objects(message, field, c->members));
        break;
    case COLUMN_OBJECT:
        put_object(object, c, *(const ProtobufCMessage *const *)value);
        break;
    default:
        put_number(object, c->key, number);
        break;
    }
}

struct json_object *message_to_json(const ProtobufCMessage *message, const struct column *columns)
{
    struct json_object *object = json_object_new_object();
    for (const struct column *c = columns; c->key; c++) {
        const ProtobufCFieldDescriptor *field = field_of(message, c);
        if (c->put)
            c->put(object, c, message);
        else if (field)
            put_member(object, c, message, field);
    }
    return object;
}

// ---- cells -------------------------------------------------------------------------------------

#define CELL_SIZE 256

// Such a text is the same in JSON and on every terminal.
static bool is_plain(const char *text)
{
    const char *c = text;
    while (*c > ' ' && *c < 0x7f && *c != '\\')
        c++;
    return *c == '\0' && c > text;
}

// Returns false: it does not fit, or a text is not plain.
static bool join_plain(char out[CELL_SIZE], const char *const *texts, size_t n)
{
    size_t used = 0;

    strcpy(out, "-");
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(texts[i]);
        if (length + 2 > CELL_SIZE - used || !is_plain(texts[i]))
            return false;
        if (i > 0)
            out[used++] = ',';
        memcpy(out + used, texts[i], length + 1);
        used += length;
    }
    return true;
}

// Returns false: it takes JSON.
static bool quick_cell(char out[CELL_SIZE], const ProtobufCMessage *message,
                       const struct column *column)
{
    const ProtobufCFieldDescriptor *field = column->put ? NULL : field_of(message, column);
    const char *names[ACCESS_NAMES_MAX];

    if (!field)
        return false;
    const void *value = at(message, field->offset);
    uint64_t number = number_of(message, field);
    switch (column->format) {
    case COLUMN_TEXT:
        return join_plain(out, value, 1);
    case COLUMN_LIST:
        return join_plain(out, *(const char *const *const *)value, count_of(message, field));
    case COLUMN_ACCESS:
        return join_plain(out, names, access_names(names, (uint32_t)number));
    case COLUMN_ENUM:
        return number < column->n_names && join_plain(out, &column->names[number], 1);
    case COLUMN_OBJECTS:
        snprintf(out, CELL_SIZE, "%zu", count_of(message, field));
        return true;
    case COLUMN_ID:
        text_export_id(out, number);
        return true;
    default:
        return output_number(out, column, number);
    }
}

char *message_cell(const ProtobufCMessage *message, const struct column *column)
{
    char quick[CELL_SIZE];

    if (quick_cell(quick, message, column))
        return strdup(quick);
    const struct column alone[] = {*column, COLUMNS_END};
    struct json_object *object = message_to_json(message, alone);
    char *cell = output_cell(object, column);
    json_object_put(object);
    return cell;
}

const char *column_type(const struct column *column)
{
    switch (column->format) {
    case COLUMN_NUMBER:
    case COLUMN_ADDRESS:
    case COLUMN_BYTES:
    case COLUMN_DURATION:
        return "integer";
    case COLUMN_LIMIT:
        return "integer or null";
    case COLUMN_FRACTION:
    case COLUMN_PERCENT:
        return "number";
    case COLUMN_YES_NO:
        return "boolean";
    case COLUMN_LIST:
    case COLUMN_ACCESS:
        return "array of strings";
    case COLUMN_COUNT:
    case COLUMN_OBJECTS:
        return "array of objects";
    case COLUMN_OBJECT:
    case COLUMN_LABELS:
        return "object";
    default:
        return "string";
    }
}
