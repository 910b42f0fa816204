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
    slot = aligned_alloc(4096, sizeof(*slot) + SMALL_RING);
    ck_assert_ptr_nonnull(slot);
}

static void tear_down(void)
{
    free(slot);
}

// The cursor at a record of this size and kind, `to_end` bytes before the end of the ring.
static struct cursor at(uint32_t to_end, uint32_t size, enum record_kind kind)
{
    struct record *record = (struct record *)(slot->ring + SMALL_RING - to_end);
    record->size = size;
    record->kind = (uint8_t)kind;
    return (struct cursor){slot, SMALL_RING, SMALL_RING - to_end, SMALL_RING, 0};
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

// ---- several rings

#define RINGS   7
#define RECORDS 5 // in each

static void put_record(struct slot *of, unsigned number, uint64_t ended)
{
    const uint32_t size = sizeof(struct record);
    struct record *record = (struct record *)(of->ring + (size_t)number * size);
    *record = (struct record){.size = size, .kind = RECORD_CALL, .ended = ended};
}

START_TEST(records_of_all_rings_are_read_in_the_order_of_their_ends)
{
    struct slot *slots[RINGS];
    struct cursor cursors[RINGS + 1], *heap[RINGS + 1];
    unsigned left = 0, read = 0;
    for (unsigned i = 0; i < RINGS; i++) {
        slots[i] = aligned_alloc(4096, sizeof(*slot) + 4096);
        ck_assert_ptr_nonnull(slots[i]);
        for (unsigned k = 0; k < RECORDS; k++)
            put_record(slots[i], k, 10 * k + (i * 5) % RINGS);
        cursors[i] = (struct cursor){slots[i], 4096, 0, RECORDS * sizeof(struct record), 0};
        cursors_add(heap, &left, &cursors[i]);
    }
    cursors[RINGS] = (struct cursor){slots[0], 4096, 0, 0, 0}; // an empty one
    cursors_add(heap, &left, &cursors[RINGS]);
    ck_assert_uint_eq(left, RINGS);
    for (; left; read++) {
        const struct record *record = cursor_record(heap[0]);
        ck_assert_ptr_nonnull(record);
        ck_assert_uint_eq(record->ended, 10 * (read / RINGS) + read % RINGS);
        heap[0]->at += record->size;
        cursors_moved(heap, &left);
    }
    ck_assert_uint_eq(read, RINGS * RECORDS);
    for (unsigned i = 0; i < RINGS; i++)
        free(slots[i]);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("workbench_cursor");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, records_are_read_in_turn);
    tcase_add_test(cases, records_beyond_the_ring_are_refused);
    tcase_add_test(cases, sizes_that_no_record_has_are_refused);
    tcase_add_test(cases, records_of_all_rings_are_read_in_the_order_of_their_ends);
    return unit_run_case("workbench_cursor", cases);
}
