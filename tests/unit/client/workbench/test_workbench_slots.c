// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Slots of threads, when all are used: the writer frees those that were left, and this test is the
// writer.

#include "unit.h"

#include "session.h"
#include "writer.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

const unsigned function_count = 0;
static atomic_bool stop;
static unsigned answered; // flushes
static pthread_t writer;

bool writer_is_alive(pid_t pid)
{
    (void)pid;
    return true;
}

void writer_run(const struct outputs *outputs)
{
    (void)outputs;
}

static void free_ended(void)
{
    for (unsigned i = 0; i < SLOTS_MAX; i++) {
        if (segment->state[i] != SLOT_ENDED)
            continue;
        segment->state[i] = SLOT_FREE;
        segment->slot_changes++;
    }
}

static void *write_all(void *of)
{
    (void)of;
    for (;;) {
        uint32_t seen = segment->doorbell, wanted = segment->flush_wanted;
        if (stop)
            return NULL;
        if (wanted == segment->flush_done) {
            syscall(SYS_futex, &segment->doorbell, FUTEX_WAIT, seen, NULL, NULL, 0);
            continue;
        }
        free_ended();
        answered++;
        segment->flush_done = wanted;
        syscall(SYS_futex, &segment->flush_done, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

static void set_up(void)
{
    segment = mmap(NULL, SEGMENT_BYTES, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(segment, MAP_FAILED);
    for (unsigned i = 0; i < SLOTS_MAX; i++)
        segment->state[i] = SLOT_USED;
    stop = false;
    answered = 0;
    ck_assert_int_eq(pthread_create(&writer, NULL, write_all, NULL), 0);
}

static void tear_down(void)
{
    stop = true;
    session_ring();
    pthread_join(writer, NULL);
    munmap(segment, SEGMENT_BYTES);
}

START_TEST(slots_do_not_overlap)
{
    ck_assert_uint_eq(slot_offset(0), 0);
    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        ck_assert_uint_eq(slot_offset(i) % 4096, 0);
        ck_assert_uint_eq(slot_offset(i + 1),
                          slot_offset(i) + sizeof(struct slot) + slot_ring_bytes(i));
    }
}
END_TEST

START_TEST(a_thread_waits_for_a_slot_that_was_left)
{
    segment->state[LARGE_SLOTS + 3] = SLOT_ENDED;
    struct slot *slot = session_claim();
    ck_assert_ptr_eq(slot, slot_at(LARGE_SLOTS + 3));
    ck_assert_uint_eq(slot->ring_bytes, SMALL_RING);
    ck_assert_int_eq(slot->pid, getpid());
    ck_assert_uint_eq(answered, 1);
    session_end_slot(slot);
    ck_assert_uint_eq(segment->state[LARGE_SLOTS + 3], SLOT_ENDED);
    ck_assert_ptr_eq(session_claim(), slot);
}
END_TEST

START_TEST(no_thread_waits_twice_while_all_are_alive)
{
    ck_assert_ptr_null(session_claim());
    ck_assert_uint_eq(answered, 1);
    for (unsigned i = 0; i < 10; i++)
        ck_assert_ptr_null(session_claim());
    ck_assert_uint_eq(answered, 1);
    session_end_slot(slot_at(0)); // its number is 0
    ck_assert_ptr_eq(session_claim(), slot_at(0));
    ck_assert_uint_eq(slot_at(0)->ring_bytes, LARGE_RING);
    ck_assert_ptr_null(session_claim());
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("workbench_slots");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, slots_do_not_overlap);
    tcase_add_test(cases, a_thread_waits_for_a_slot_that_was_left);
    tcase_add_test(cases, no_thread_waits_twice_while_all_are_alive);
    return unit_run_case("workbench_slots", cases);
}
