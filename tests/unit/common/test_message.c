// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How much work a message may be.

#include "cleanup.h"
#include "message.h"
#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

static uint8_t bytes[PACKET_SIZE_MAX];

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

static long calls_left = LONG_MAX; // of malloc(), before memory runs out

void *__wrap_malloc(size_t size)
{
    return calls_left-- > 0 ? __real_malloc(size) : NULL;
}

static bool unpacks(size_t size)
{
    cleanup_message Docad__Message *message = NULL;
    return message_unpack(bytes, size, &message) == 0;
}

START_TEST(a_region_with_the_most_segments)
{
    enum { N = 1024 };
    static Docad__Segment segments[N], *list[N];
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    for (unsigned i = 0; i < N; i++) {
        docad__segment__init(&segments[i]);
        segments[i].address = UINT64_MAX - i;
        segments[i].length = segments[i].offset = UINT64_MAX;
        segments[i].mapped = true;
        list[i] = &segments[i];
    }
    m.segments = list;
    m.n_segments = N;
    Docad__Message *message = message_of(REGION_REGISTER, region_register, &m);
    size_t size = docad__message__get_packed_size(message);
    ck_assert_uint_le(size, sizeof(bytes));
    docad__message__pack(message, bytes);
    ck_assert(unpacks(size));
}
END_TEST

// A body in pieces is merged, at a cost that grows with the square of their number.
START_TEST(a_body_in_many_pieces)
{
    Docad__Status m = DOCAD__STATUS__INIT;
    Docad__Message *message = message_of(STATUS, status, &m);
    size_t size = docad__message__get_packed_size(message);
    docad__message__pack(message, bytes);
    for (unsigned n = 2; n <= 4; n++) {
        memcpy(bytes + (n - 1) * size, bytes, size);
        ck_assert(unpacks(n * size));
    }
    for (unsigned n = 5; n <= 1000; n++)
        memcpy(bytes + (n - 1) * size, bytes, size);
    ck_assert(!unpacks(1000 * size));
}
END_TEST

START_TEST(very_many_small_fields)
{
    const uint8_t segment[] = {5 << 3 | 2, 0};
    uint8_t *at = bytes;
    // RegionRegister of 60,000 bytes
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    uint8_t empty[16];
    size_t n = docad__message__pack(message_of(REGION_REGISTER, region_register, &m), empty);
    ck_assert_uint_ge(n, 2);
    memcpy(at, empty, n - 1); // the tag
    at += n - 1;
    *at++ = 0xe0; // 60000
    *at++ = 0xd4;
    *at++ = 0x03;
    for (unsigned i = 0; i < 30000; i++, at += 2)
        memcpy(at, segment, 2);
    ck_assert(!unpacks((size_t)(at - bytes)));
}
END_TEST

START_TEST(bytes_that_end_early)
{
    const uint8_t random[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    memcpy(bytes, random, sizeof(random));
    for (size_t i = 1; i <= sizeof(random); i++)
        ck_assert(!unpacks(i));
    ck_assert(unpacks(0)); // an empty message
}
END_TEST

// Memory that runs out is not the sender's mistake.
START_TEST(no_memory)
{
    Docad__Hello m = DOCAD__HELLO__INIT;
    m.program = (char *)"program";
    Docad__Message *unpacked = NULL, *message = message_of(HELLO, hello, &m);
    size_t size = docad__message__pack(message, bytes);
    int r = -ENOMEM;
    for (long n = 0; r < 0; n++) {
        calls_left = n;
        r = message_unpack(bytes, size, &unpacked);
        calls_left = LONG_MAX;
        ck_assert(r == 0 || r == -ENOMEM);
        ck_assert_int_eq(r == 0, n > 2); // the message, its body and a string
    }
    message_freep(&unpacked);
    bytes[0] = 0xff;
    ck_assert_int_eq(message_unpack(bytes, size, &unpacked), -EPROTO);
}
END_TEST

UNIT_MAIN("message", no_memory, a_region_with_the_most_segments, a_body_in_many_pieces,
          very_many_small_fields, bytes_that_end_early)
