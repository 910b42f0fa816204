// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Export descriptors as texts: there and back, and whatever else comes.

#include "cleanup.h"
#include "export_text.h"
#include "unit.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

static uint8_t desc[EXPORT_DESC_SIZE_MAX];
static size_t desc_size;
static char text[EXPORT_TEXT_SIZE];
static size_t text_size;

static void make(uint64_t address, uint64_t length, size_t vuid)
{
    struct export_desc d = {.export_id = UINT64_MAX, .address = address, .length = length};
    struct errtext err;
    memset(d.node, 0xee, sizeof(d.node));
    memset(d.token, 0xff, sizeof(d.token));
    memset(d.vuid, 'V', vuid);
    strcpy(d.pci_address, "0000:0b:00.0");
    ck_assert_int_eq(export_desc_encode(&d, desc, &desc_size), DOCA_SUCCESS);
    ck_assert_int_eq(export_text_encode(desc, desc_size, text, &text_size, &err), DOCA_SUCCESS);
}

static doca_error_t decode(const void *bytes, size_t size)
{
    uint8_t got[EXPORT_DESC_SIZE_MAX];
    size_t got_size = 77;
    struct errtext err;
    doca_error_t e = export_text_decode(bytes, size, got, &got_size, &err);
    if (e != DOCA_SUCCESS)
        return e;
    ck_assert_uint_eq(got_size, desc_size);
    ck_assert_mem_eq(got, desc, desc_size);
    return e;
}

START_TEST(there_and_back)
{
    // Every length of padding; the longest must fit.
    for (size_t vuid = 0; vuid < 100; vuid++) {
        make(0x7fffdeadbeef, 6 + vuid, vuid);
        ck_assert_uint_le(text_size, EXPORT_TEXT_SIZE);
        ck_assert_uint_eq(strlen(text) + 1, text_size);
        ck_assert(export_is_text(text, text_size));
        ck_assert(!export_is_text(desc, desc_size));
        ck_assert_int_eq(decode(text, text_size), DOCA_SUCCESS);
        ck_assert_int_eq(decode(text, text_size - 1), DOCA_SUCCESS);
    }
}
END_TEST

START_TEST(programs_can_read_it)
{
    make(0x7fffdeadbeef, 123456789012, 20);
    json_object *object = json_tokener_parse(text), *addr, *len;
    ck_assert_ptr_nonnull(object);
    ck_assert(json_object_object_get_ex(object, "addr", &addr));
    ck_assert(json_object_object_get_ex(object, "len", &len));
    ck_assert_int_eq(json_object_get_int64(addr), 0x7fffdeadbeef);
    ck_assert_int_eq(json_object_get_int64(len), 123456789012);
    // Written again by another program, with something added.
    json_object_object_add(object, "more", json_object_new_string("words"));
    const char *again = json_object_to_json_string(object);
    ck_assert_int_eq(decode(again, strlen(again) + 1), DOCA_SUCCESS);
    json_object_put(object);

    // In the form in which it is received into a zeroed array.
    char array[1024] = {0};
    memcpy(array, text, text_size);
    ck_assert_int_eq(decode(array, sizeof(array)), DOCA_SUCCESS);
}
END_TEST

// In the forms that editors, `echo` and other systems leave in a file.
START_TEST(lines_end_as_they_may)
{
    static const struct {
        const char *bytes;
        size_t n;
    } ends[] = {{"\n", 1},   {"\r\n", 2}, {"\n\n", 2},    {" \t\n", 3},
                {"\n\0", 2}, {"\0\n", 2}, {"\0\r\n\0", 4}};
    make(0x1000, 5, 3);
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        char line[EXPORT_TEXT_SIZE + 8];
        memcpy(line, text, text_size - 1);
        memcpy(line + text_size - 1, ends[i].bytes, ends[i].n);
        ck_assert_msg(decode(line, text_size - 1 + ends[i].n) == DOCA_SUCCESS, "end %zu", i);
        memcpy(line + text_size - 1 + ends[i].n, "x", 1);
        ck_assert_int_eq(decode(line, text_size + ends[i].n), DOCA_ERROR_INVALID_VALUE);
    }
    ck_assert_int_eq(decode("\r\n", 2), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(altered_ones_are_refused)
{
    make(0x100000, 4096, 20);
    for (size_t i = 0; i < text_size - 1; i++) {
        char copy[EXPORT_TEXT_SIZE];
        memcpy(copy, text, text_size);
        copy[i] = copy[i] == 'A' ? 'B' : copy[i] == '1' ? '2' : 'A';
        doca_error_t e = decode(copy, text_size);
        ck_assert_msg(e == DOCA_ERROR_INVALID_VALUE || e == DOCA_ERROR_UNSUPPORTED_VERSION,
                      "byte %zu: %s", i, copy);
        // Copied, so that reading too far is seen.
        char *cut = malloc(i + 1);
        memcpy(cut, text, i);
        ck_assert_int_eq(decode(cut, i), DOCA_ERROR_INVALID_VALUE);
        free(cut);
    }
}
END_TEST

START_TEST(others_are_refused)
{
    static const char *const texts[] = {"",
                                        "{",
                                        "{}",
                                        "[]",
                                        "null",
                                        "{\"addr\":1,\"len\":2}",
                                        "{\"export\":\"\"}",
                                        "{\"export\":5}",
                                        "{\"export\":\"AAAA\"}",
                                        "{\"export\":\"====\"}",
                                        "{\"addr\":1,\"len\":2,\"export\":\"AAAAAAAA\"}",
                                        "{\"addr\":\"1\",\"len\":[],\"export\":\"????\"}",
                                        "{\"a\":{\"b\":[[[[[[[[{}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_int_eq(decode(texts[i], strlen(texts[i]) + 1), DOCA_ERROR_INVALID_VALUE);
    make(1, 1, 1);
    char *large = malloc(100000);
    memset(large, '[', 100000);
    large[0] = '{';
    ck_assert_int_eq(decode(large, 100000), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(decode(large, EXPORT_TEXT_SIZE_MAX), DOCA_ERROR_INVALID_VALUE);
    memset(large, 'A', 4000);
    memcpy(large, "{\"export\":\"", 11);
    memcpy(large + 4000, "\"}", 3);
    ck_assert_int_eq(decode(large, 4003), DOCA_ERROR_INVALID_VALUE);
    free(large);
    // Two texts behind each other, and a zero in the middle.
    char two[2 * EXPORT_TEXT_SIZE];
    memcpy(two, text, text_size - 1);
    memcpy(two + text_size - 1, text, text_size);
    ck_assert_int_eq(decode(two, 2 * text_size - 1), DOCA_ERROR_INVALID_VALUE);
    memcpy(two, text, text_size);
    memcpy(two + text_size, text, text_size);
    ck_assert_int_eq(decode(two, 2 * text_size), DOCA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(either_form_is_taken)
{
    uint8_t room[EXPORT_DESC_SIZE_MAX];
    struct errtext err;
    make(0x1000, 5, 3);
    const void *bytes = desc;
    size_t size = desc_size;
    ck_assert_int_eq(export_desc_of(&bytes, &size, room, &err), DOCA_SUCCESS);
    ck_assert_ptr_eq(bytes, desc);
    ck_assert_uint_eq(size, desc_size);
    bytes = text;
    size = text_size;
    ck_assert_int_eq(export_desc_of(&bytes, &size, room, &err), DOCA_SUCCESS);
    ck_assert_ptr_eq(bytes, room);
    ck_assert_uint_eq(size, desc_size);
    ck_assert_mem_eq(room, desc, desc_size);
    bytes = "{x";
    size = 2;
    ck_assert_int_eq(export_desc_of(&bytes, &size, room, &err), DOCA_ERROR_INVALID_VALUE);
    bytes = NULL;
    size = 0;
    ck_assert_int_eq(export_desc_of(&bytes, &size, room, &err), DOCA_SUCCESS);
}
END_TEST

UNIT_MAIN("export_text", there_and_back, programs_can_read_it, lines_end_as_they_may,
          altered_ones_are_refused, others_are_refused, either_form_is_taken)
