// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "any_message.h"

#include "export_desc.h"
#include "rdma_desc.h"

#include <stdlib.h>
#include <unistd.h>

#define KNOWN     16 // the last ones of each kind
#define BYTES_MAX 300
#define DEPTH_MAX 4
#define ARRAY(a)  (sizeof(a) / sizeof((a)[0]))

// ---- what is known ------------------------------------------------------------------------

static struct {
    uint64_t list[KNOWN];
    unsigned n;
} values[VALUE_KINDS];

static struct {
    struct {
        uint8_t bytes[BYTES_MAX];
        size_t size;
    } list[KNOWN];
    unsigned n;
} strings[BYTES_KINDS];

void values_forget(void)
{
    memset(values, 0, sizeof(values));
    memset(strings, 0, sizeof(strings));
}

void values_know(enum value_kind kind, uint64_t value)
{
    if (kind == VALUE_NONE || !value)
        return;
    for (unsigned i = 0; i < KNOWN; i++)
        if (values[kind].list[i] == value)
            return;
    values[kind].list[values[kind].n++ % KNOWN] = value;
}

void values_know_bytes(enum bytes_kind kind, const void *bytes, size_t size)
{
    if (kind == BYTES_NONE || !size || size > BYTES_MAX)
        return;
    for (unsigned i = 0; i < KNOWN; i++)
        if (strings[kind].list[i].size == size &&
            memcmp(strings[kind].list[i].bytes, bytes, size) == 0)
            return;
    unsigned at = strings[kind].n++ % KNOWN;
    memcpy(strings[kind].list[at].bytes, bytes, size);
    strings[kind].list[at].size = size;
}

uint64_t values_last(enum value_kind kind, unsigned back)
{
    unsigned n = values[kind].n < KNOWN ? values[kind].n : KNOWN;
    return n ? values[kind].list[(values[kind].n - 1 - back % n) % KNOWN] : 0;
}

uint64_t values_pick(enum value_kind kind, struct input *in)
{
    uint8_t how = input_u8(in);
    if (how < 0xe0)
        return values_last(kind, how < 0x80 ? 0 : how);
    return how < 0xf0 ? values_last(how % VALUE_KINDS, how / VALUE_KINDS) : input_odd(in);
}

// ---- what fields are about ----------------------------------------------------------------

static const struct {
    const char *field;
    enum value_kind kind;
} value_fields[] = {
    {"function_id", VALUE_FUNCTION},
    {"function_ids", VALUE_FUNCTION},
    {"function", VALUE_FUNCTION},
    {"parent_function", VALUE_FUNCTION},
    {"representor_id", VALUE_REPRESENTOR},
    {"region_id", VALUE_REGION},
    {"region", VALUE_REGION},
    {"export_id", VALUE_EXPORT},
    {"export", VALUE_EXPORT},
    {"import_id", VALUE_IMPORT},
    {"import", VALUE_IMPORT},
    {"grant_key", VALUE_KEY},
    {"copy_key", VALUE_KEY},
    {"key", VALUE_KEY},
    {"grant_id", VALUE_GRANT},
    {"grant", VALUE_GRANT},
    {"queue_pair_id", VALUE_QUEUE_PAIR},
    {"link", VALUE_QUEUE_PAIR},
    {"queue", VALUE_QUEUE_PAIR},
    {"endpoint_id", VALUE_ENDPOINT},
    {"endpoint", VALUE_ENDPOINT},
    {"from_endpoint", VALUE_ENDPOINT},
    {"other_id", VALUE_ENDPOINT},
    {"channel_id", VALUE_CHANNEL},
    {"service_id", VALUE_CHANNEL},
    {"id", VALUE_CHANNEL},
    {"shared_id", VALUE_CHANNEL},
    {"service", VALUE_CHANNEL},
    {"channel", VALUE_CHANNEL},
    {"other", VALUE_CHANNEL},
    {"session_id", VALUE_SESSION},
    {"importer", VALUE_SESSION},
    {"session", VALUE_SESSION},
    {"memory", VALUE_SESSION},
};

static const struct {
    const char *field;
    uint64_t usual;
} usual_numbers[] = {
    {"length", 4096},      {"access", 2},      {"target", 1},
    {"max_message", 1024}, {"send_queue", 16}, {"recv_queue", 16},
    {"version_min", 1},    {"version_max", 9}, {"permissions", 7},
    {"timeout_ms", 1},     {"version", 1},     {"mtu", 3},
    {"qpn", 16},           {"port", 5},        {"address", 0x10000},
    {"max_list", 16},      {"next_id", 100},   {"next_export_id", 100},
};

static enum value_kind value_of(const char *field)
{
    for (size_t i = 0; i < ARRAY(value_fields); i++)
        if (strcmp(value_fields[i].field, field) == 0)
            return value_fields[i].kind;
    return VALUE_NONE;
}

static uint64_t usual_number(const char *field)
{
    if (strcmp(field, "uid") == 0 || strcmp(field, "uids") == 0)
        return getuid();
    if (strcmp(field, "pid") == 0)
        return (uint64_t)getpid();
    for (size_t i = 0; i < ARRAY(usual_numbers); i++)
        if (strcmp(usual_numbers[i].field, field) == 0)
            return usual_numbers[i].usual;
    return 0;
}

static enum bytes_kind bytes_of(const char *field)
{
    if (strstr(field, "token"))
        return BYTES_TOKEN;
    if (strcmp(field, "descriptor") == 0)
        return BYTES_DESCRIPTOR;
    return strstr(field, "node") || strcmp(field, "run") == 0 ? BYTES_NODE : BYTES_NONE;
}

// ---- one field ----------------------------------------------------------------------------

static uint64_t any_number(const char *field, struct input *in)
{
    enum value_kind kind = value_of(field);
    if (kind != VALUE_NONE)
        return values_pick(kind, in);
    uint8_t how = input_u8(in);
    if (how < 0x80)
        return usual_number(field);
    return how < 0xc0 ? how & 0x3f : input_odd(in);
}

static char *any_text(const char *field, struct input *in)
{
    static const char *const texts[] = {
        "svc", "pf0", "p0",   "pf0vf0", "0000:0b:00.0", "0000:03:00.0", "peer0",      "host",
        "dpu", "",    "info", "debug",  "VUID-A",       "a\x1b[31mb\n", "\xff\xfe%s", "docad_0"};
    uint8_t how = input_u8(in);
    size_t size = how < 0xe0 ? 0 : how < 0xfc ? input_u8(in) % 40 : input_u16(in) % 3000;

    if (how < 0x80 && strstr(field, "pci"))
        return strdup(how & 1 ? "0000:03:00.0" : "0000:0b:00.0");
    if (how < 0xe0)
        return strdup(texts[how % ARRAY(texts)]);
    char *text = malloc(size + 1);
    for (size_t i = 0; i < size; i++) {
        text[i] = (char)input_u8(in);
        text[i] = text[i] ? text[i] : (char)(0x20 + i % 0x5f);
    }
    text[size] = 0;
    return text;
}

static ProtobufCBinaryData any_bytes(const char *field, struct input *in)
{
    enum bytes_kind kind = bytes_of(field);
    uint8_t how = input_u8(in);
    ProtobufCBinaryData out;

    if (kind == BYTES_DESCRIPTOR && how >= 0x60 && how < 0x80)
        kind = BYTES_RDMA_DESCRIPTOR;
    if (how < 0xe0 && kind != BYTES_NONE && strings[kind].n) {
        unsigned n = strings[kind].n < KNOWN ? strings[kind].n : KNOWN;
        unsigned at = (strings[kind].n - 1 - (how < 0x40 ? 0 : how % n)) % KNOWN;
        out.len = strings[kind].list[at].size;
        out.data = malloc(out.len);
        memcpy(out.data, strings[kind].list[at].bytes, out.len);
        if (how >= 0xd0)
            out.data[input_u16(in) % out.len] ^= (uint8_t)(1 + input_u8(in));
        return out;
    }
    static const size_t sizes[] = {16, 0, 4, 6, 8, 32, 1, 15};
    out.len = how < 0xf0 ? sizes[how % 8] : input_u16(in) % 5000;
    out.data = malloc(out.len + 1);
    size_t n = out.len < 64 ? out.len : 64;
    memset(out.data, how, out.len);
    input_bytes(in, out.data, n);
    return out;
}

static ProtobufCMessage *make(const ProtobufCMessageDescriptor *type, struct input *in,
                              unsigned depth);

static void put_field(const ProtobufCFieldDescriptor *f, void *at, struct input *in, unsigned depth)
{
    switch (f->type) {
    case PROTOBUF_C_TYPE_STRING:
        *(char **)at = any_text(f->name, in);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        *(ProtobufCBinaryData *)at = any_bytes(f->name, in);
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        *(ProtobufCMessage **)at = make(f->descriptor, in, depth + 1);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        *(protobuf_c_boolean *)at = input_u8(in) & 1;
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        *(uint64_t *)at = any_number(f->name, in);
        break;
    default:
        *(uint32_t *)at = (uint32_t)any_number(f->name, in);
        break;
    }
}

static size_t size_of(const ProtobufCFieldDescriptor *f)
{
    switch (f->type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return sizeof(uint64_t);
    case PROTOBUF_C_TYPE_BOOL:
        return sizeof(protobuf_c_boolean);
    default:
        return sizeof(uint32_t);
    }
}

// ---- messages -----------------------------------------------------------------------------

static void put_list(const ProtobufCFieldDescriptor *f, char *message, struct input *in,
                     unsigned depth)
{
    uint8_t how = input_u8(in);
    size_t n = how < 0xc0 ? (how + 1u) % 4 : how < 0xf8 ? how % 32 : 1030;

    if (!n || depth > DEPTH_MAX || (f->type == PROTOBUF_C_TYPE_MESSAGE && n > 32))
        return;
    char *list = calloc(n, size_of(f));
    for (size_t i = 0; i < n; i++)
        put_field(f, list + i * size_of(f), in, depth);
    *(size_t *)(message + f->quantifier_offset) = n;
    *(void **)(message + f->offset) = list;
}

static ProtobufCMessage *make(const ProtobufCMessageDescriptor *type, struct input *in,
                              unsigned depth)
{
    ProtobufCMessage *message = calloc(1, type->sizeof_message);
    type->message_init(message);
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &type->fields[i];
        char *at = (char *)message + f->offset;
        if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
            continue;
        if (f->label == PROTOBUF_C_LABEL_REPEATED)
            put_list(f, (char *)message, in, depth);
        else if (f->type != PROTOBUF_C_TYPE_MESSAGE || (depth < DEPTH_MAX && input_u8(in) < 0x80))
            put_field(f, at, in, depth);
    }
    return message;
}

ProtobufCMessage *any_message(const ProtobufCMessageDescriptor *type, struct input *in)
{
    return make(type, in, 0);
}

// ---- what an answer names -------------------------------------------------------------------

static void learn_bytes(const char *field, const ProtobufCBinaryData *bytes)
{
    struct export_desc desc;
    struct rdma_desc rdma;

    if (bytes_of(field) != BYTES_DESCRIPTOR) {
        values_know_bytes(bytes_of(field), bytes->data, bytes->len);
    } else if (export_desc_decode(bytes->data, bytes->len, &desc, NULL) == DOCA_SUCCESS) {
        values_know_bytes(BYTES_DESCRIPTOR, bytes->data, bytes->len);
        values_know_bytes(BYTES_TOKEN, desc.token, sizeof(desc.token));
        values_know(VALUE_EXPORT, desc.export_id);
    } else if (rdma_desc_decode(bytes->data, bytes->len, &rdma, NULL) == DOCA_SUCCESS) {
        values_know_bytes(BYTES_RDMA_DESCRIPTOR, bytes->data, bytes->len);
        values_know_bytes(BYTES_TOKEN, rdma.token, sizeof(rdma.token));
        values_know(VALUE_ENDPOINT, rdma.endpoint_id);
    }
}

static void learn_field(const ProtobufCFieldDescriptor *f, const void *at)
{
    switch (f->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        if (*(ProtobufCMessage *const *)at)
            learn_message(*(ProtobufCMessage *const *)at);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        learn_bytes(f->name, at);
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        values_know(value_of(f->name), *(const uint64_t *)at);
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        values_know(value_of(f->name), *(const uint32_t *)at);
        break;
    default:
        break;
    }
}

void learn_message(const ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *type = message->descriptor;
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &type->fields[i];
        const char *at = (const char *)message + f->offset;
        const char *quantifier = (const char *)message + f->quantifier_offset;
        if ((f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) && *(const uint32_t *)quantifier != f->id)
            continue;
        if (f->label != PROTOBUF_C_LABEL_REPEATED) {
            learn_field(f, at);
            continue;
        }
        size_t n = *(const size_t *)quantifier;
        for (size_t j = 0; j < n && j < KNOWN; j++)
            learn_field(f, *(const char *const *)at + j * size_of(f));
    }
}
