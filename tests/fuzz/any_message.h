// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Makes messages of the protocol from the bytes of an input, by the descriptors of protobuf-c:
// whatever the bytes are, the message is well formed. Most fields are what a program would write
// there: values that docad has said, remembered by the kind of object that a field names. Others
// are odd.

#ifndef FUZZ_ANY_MESSAGE_H
#define FUZZ_ANY_MESSAGE_H

#include "input.h"

#include <protobuf-c/protobuf-c.h>

enum value_kind {
    VALUE_NONE,
    VALUE_FUNCTION,
    VALUE_REPRESENTOR,
    VALUE_REGION,
    VALUE_EXPORT,
    VALUE_IMPORT,
    VALUE_KEY,
    VALUE_GRANT,
    VALUE_QUEUE_PAIR,
    VALUE_ENDPOINT,
    VALUE_CHANNEL,
    VALUE_SESSION,
    VALUE_KINDS,
};

enum bytes_kind {
    BYTES_NONE,
    BYTES_NODE,
    BYTES_TOKEN,
    BYTES_DESCRIPTOR,
    BYTES_RDMA_DESCRIPTOR,
    BYTES_KINDS,
};

void values_forget(void);
void values_know(enum value_kind kind, uint64_t value);
void values_know_bytes(enum bytes_kind kind, const void *bytes, size_t size);

// The value that was learned last, or the one `back` before it; 0 if there is none.
uint64_t values_last(enum value_kind kind, unsigned back);

// Chooses a value: the last one if there are no more bytes.
uint64_t values_pick(enum value_kind kind, struct input *in);

// Makes a message; free it with protobuf_c_message_free_unpacked(). Members of a "oneof" are left
// out.
ProtobufCMessage *any_message(const ProtobufCMessageDescriptor *type, struct input *in);

// Remembers what a message names.
void learn_message(const ProtobufCMessage *message);

#endif
