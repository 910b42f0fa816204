// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the writer of a trace makes of records, whole and damaged, and the names of objects.

#include "unit.h"

#include "values.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// ---- a table of two functions

const struct constant constants_doca_error[] = {{"DOCA_SUCCESS", 0}, {"DOCA_ERROR_AGAIN", 5}, {0}};
const struct constant constants_states[] = {{"DOCA_CTX_STATE_IDLE", 0}, {0}};

static const struct parameter made_parameters[] = {
    {"name", VALUE_STRING},
    {"size", VALUE_SIGNED},
    {"thing", VALUE_OBJECT, .out = true, .bytes = 8, .type = "thing"},
};
static const struct function made = {
    "doca_thing_create", .result = {"", VALUE_ERROR}, .parameters = made_parameters,
    .count = 3,          .role = ROLE_NONE,           .texts = true};
static const struct function none = {"doca_nothing", .result = {"", VALUE_NOTHING}};
const struct function *const functions[] = {&made, &none};
const unsigned function_count = 2;
_Atomic(void *) next_functions[2];

// A record with what follows it.
struct whole {
    uint64_t head[sizeof(struct record) / sizeof(uint64_t)];
    uint64_t words[3], value, size;
    char text[16];
};

static struct record *record_of(struct whole *whole)
{
    return (struct record *)whole->head;
}

static struct whole a_record(void)
{
    struct whole whole = {
        .words = {0x1000, (uint64_t)-7, 0x2000},
        .value = 0x5000,
        .size = 9,
        .text = "a \"b\"\n\x01\\c",
    };
    struct record *record = record_of(&whole);
    record->size = sizeof(whole);
    record->kind = RECORD_CALL;
    record->count = 1;
    record->present = 1U << 2;
    return whole;
}

static struct reading reading;

static bool reads(struct whole *whole)
{
    // Just as much as the record says is there, so that a sanitizer sees what is read beyond it.
    size_t size = record_of(whole)->size;
    struct record *copy = malloc(size > sizeof(*copy) ? size : sizeof(*copy));
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, whole, size > sizeof(*copy) ? size : sizeof(*copy));
    bool whether = reading_init(&reading, copy, 1, 1);
    free(copy);
    return whether;
}

static const char *written(struct whole *whole, int parameter)
{
    static char text[256];
    FILE *out = fmemopen(text, sizeof(text), "w");
    ck_assert(out && reading_init(&reading, record_of(whole), 1, 1));
    if (parameter < 0)
        value_write_result(out, &reading);
    else
        value_write_argument(out, &reading, (unsigned)parameter);
    fclose(out);
    return text;
}

START_TEST(arguments_and_results_as_text)
{
    struct whole whole = a_record();
    ck_assert_str_eq(written(&whole, 0), "\"a \\\"b\\\"\\n\\x01\\\\c\"");
    ck_assert_str_eq(written(&whole, 1), "-7");
    ck_assert_str_eq(written(&whole, 2), "[thing1]");
    ck_assert_str_eq(written(&whole, -1), "DOCA_SUCCESS");
    record_of(&whole)->present = 0;
    record_of(&whole)->result = 5;
    ck_assert_str_eq(written(&whole, 2), "0x2000");
    ck_assert_str_eq(written(&whole, -1), "DOCA_ERROR_AGAIN");
    objects_free();
}
END_TEST

START_TEST(damaged_records_are_refused)
{
    struct whole whole = a_record();
    ck_assert(reads(&whole));
    for (uint32_t size = 0; size < sizeof(struct record) + 4 * sizeof(uint64_t); size += 8) {
        record_of(&whole)->size = size;
        ck_assert(!reads(&whole));
    }
    whole = a_record();
    record_of(&whole)->function = 2;
    ck_assert(!reads(&whole));
    whole = a_record();
    record_of(&whole)->count = 0;
    ck_assert(!reads(&whole));
}
END_TEST

START_TEST(texts_end_with_the_record)
{
    struct whole whole = a_record();
    whole.size = UINT64_MAX;
    ck_assert(reads(&whole));
    ck_assert_ptr_null(reading.pieces[0].bytes);
    whole.size = 9;
    record_of(&whole)->size = offsetof(struct whole, size);
    ck_assert(reads(&whole));
    ck_assert_ptr_null(reading.pieces[0].bytes);
    record_of(&whole)->size = sizeof(whole);
    record_of(&whole)->present = UINT32_MAX; // bits of parameters that there are not
    ck_assert(reads(&whole));
}
END_TEST

// ---- objects

START_TEST(names_stay_the_same_while_objects_live)
{
    const struct object *first = object_made(1, 0x100, "dma");
    ck_assert_uint_eq(first->number, 1);
    ck_assert_ptr_eq(object_get(1, 0x100, "ctx"), first);
    ck_assert_uint_eq(object_made(1, 0x200, "dma")->number, 2);
    ck_assert_uint_eq(object_get(2, 0x100, "dma")->number, 3); // another process
    ck_assert_uint_eq(object_made(1, 0x100, "dma")->number, 1);
    object_get(1, 0x100, "dma")->alive = false;
    ck_assert_uint_eq(object_get(1, 0x100, "dma")->number, 1);
    ck_assert_uint_eq(object_made(1, 0x100, "dma")->number, 4);
    ck_assert_ptr_null(object_get(1, 0, "dma"));
    objects_free();
}
END_TEST

START_TEST(a_base_has_the_name_of_its_object)
{
    struct object *dma = object_made(1, 0x100, "base");
    object_alias(1, 0x140, dma);
    ck_assert_ptr_eq(object_get(1, 0x140, "ctx"), dma);
    dma->alive = false;
    ck_assert_str_eq(object_made(1, 0x140, "pe")->type, "pe");
    for (uint64_t i = 1; i < 5000; i++) // more than the table has at first
        ck_assert_uint_eq(object_made(3, i * 64, "task")->number, i);
    for (uint64_t i = 1; i < 5000; i++)
        ck_assert_uint_eq(object_get(3, i * 64, "task")->number, i);
    objects_free();
}
END_TEST

START_TEST(times_and_numbers)
{
    char text[128] = "";
    FILE *out = fmemopen(text, sizeof(text), "w");
    const uint64_t times[] = {999, 1500, 2500000, 3000000000};
    for (unsigned i = 0; i < 4; i++) {
        value_write_time(out, times[i]);
        fputc(' ', out);
    }
    value_write_count(out, 7);
    fputc(' ', out);
    value_write_count(out, 1234567);
    fputc(' ', out);
    value_write_count(out, 1000005);
    fclose(out);
    ck_assert_str_eq(text, "999ns 1.5us 2.5ms 3.00s 7 1,234,567 1,000,005");
}
END_TEST

UNIT_MAIN("workbench_values", arguments_and_results_as_text, damaged_records_are_refused,
          texts_end_with_the_record, times_and_numbers, names_stay_the_same_while_objects_live,
          a_base_has_the_name_of_its_object)
