// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Reading the ring of a thread, whole and damaged.

#include "unit.h"

#include "cursor.h"

#include <stdlib.h>

static struct slot *slot;

static void set_up(void)
{
    slot = aligned_alloc(4096, sizeof(*slot));
    ck_assert_ptr_nonnull(slot);
}

static void tear_down(void)
{
    free(slot);
}

// The cursor at a record of this size and kind, `to_end` bytes before the end of the ring.
static struct cursor at(uint32_t to_end, uint32_t size, enum record_kind kind)
{
    struct record *record = (struct record *)(slot->ring + RING_BYTES - to_end);
    record->size = size;
    record->kind = (uint8_t)kind;
    return (struct cursor){slot, RING_BYTES - to_end, RING_BYTES};
}

static bool is_refused(uint32_t to_end, uint32_t size, enum record_kind kind)
{
    struct cursor cursor = at(to_end, size, kind);
    return !cursor_record(&cursor) && cursor.at == cursor.end;
}

START_TEST(records_are_read_in_turn)
{
    const uint32_t size = sizeof(struct record) + 8;
    at(8, 8, RECORD_PADDING);
    at(8 + size, size, RECORD_CALLBACK);
    struct cursor cursor = at(8 + 2 * size, size, RECORD_CALL);
    const struct record *first = cursor_record(&cursor);
    ck_assert_ptr_nonnull(first);
    ck_assert_uint_eq(first->kind, RECORD_CALL);
    cursor.at += first->size;
    const struct record *second = cursor_record(&cursor);
    ck_assert_ptr_nonnull(second);
    ck_assert_uint_eq(second->kind, RECORD_CALLBACK);
    cursor.at += second->size;
    ck_assert_ptr_null(cursor_record(&cursor));
    ck_assert_uint_eq(cursor.at, cursor.end);
}
END_TEST

START_TEST(records_beyond_the_ring_are_refused)
{
    ck_assert(is_refused(64, 72, RECORD_CALL));
    ck_assert(is_refused(64, 72, RECORD_PADDING));
    ck_assert(is_refused(64, UINT32_MAX & ~7U, RECORD_PADDING));
}
END_TEST

START_TEST(sizes_that_no_record_has_are_refused)
{
    ck_assert(is_refused(4096, 0, RECORD_CALL));
    ck_assert(is_refused(4096, 0, RECORD_PADDING));
    ck_assert(is_refused(4096, sizeof(struct record) + 4, RECORD_CALL));
    ck_assert(is_refused(4096, sizeof(struct record) - 8, RECORD_CALL));
    // Its other members would be beyond the end of the ring.
    ck_assert(is_refused(8, 8, RECORD_CALL));
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("workbench_cursor");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, records_are_read_in_turn);
    tcase_add_test(cases, records_beyond_the_ring_are_refused);
    tcase_add_test(cases, sizes_that_no_record_has_are_refused);
    return unit_run_case("workbench_cursor", cases);
}
