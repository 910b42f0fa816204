// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Which callbacks take too long, by clocks and counts that the test sets: the load of the machine
// never makes one too long.

#include "unit.h"

#include "callback_timing.h"
#include "load.h"
#include "thread_times.h"

#define MS 1000000

static struct thread_times now;
static int64_t queued, stolen; // of all threads and CPUs so far
static int64_t reading_takes;  // ns
static bool unknown;           // what the load is
static unsigned readings;

struct thread_times thread_times_now(void)
{
    return now;
}

int64_t thread_times_wall(void)
{
    return now.wall;
}

void load_read(struct load_mark *mark)
{
    *mark = (struct load_mark){.stolen = stolen, .threads = 1, .thread = {{1, queued}}};
    now.wall += reading_takes;
    readings++;
}

int64_t load_queued(const struct load_mark *before, const struct load_mark *after)
{
    return unknown ? LOAD_UNKNOWN : after->thread[0].queued - before->thread[0].queued;
}

int64_t load_stolen(const struct load_mark *before, const struct load_mark *after)
{
    return after->stolen - before->stolen;
}

static const struct function progress = {.name = "progress", .role = ROLE_PROGRESS};
static const struct function other = {.name = "other"};
static struct call poll_call = {&progress}, other_call = {&other};

static void setup(void)
{
    now = (struct thread_times){.wall = 1000 * (int64_t)MS};
    queued = stolen = reading_takes = 0;
    unknown = false;
    readings = 0;
}

static void begin(void)
{
    now.wall += 20 * MS; // what was known is too old
    callback_timing_enter(&poll_call);
    callback_timing_begin();
}

static bool end(void)
{
    int64_t wall = 0, cpu = 0;
    bool too_long = callback_timing_end(&wall, &cpu);
    callback_timing_leave(&poll_call);
    return too_long;
}

// Most take this long, and no system call is made then.
static void work(int64_t ns)
{
    now.wall += ns;
    now.cpu += ns;
}

static void sleep_for(int64_t ns)
{
    now.wall += ns;
    now.waits++;
}

START_TEST(computing)
{
    begin();
    work(MS - 1);
    ck_assert(!end());
    begin();
    work(MS);
    ck_assert(end());
}
END_TEST

START_TEST(blocking)
{
    begin();
    sleep_for(MS - 1);
    ck_assert(!end());
    begin();
    sleep_for(MS);
    ck_assert(end());
    // Several times count together.
    begin();
    for (int i = 0; i < 4; i++)
        sleep_for(MS / 4);
    ck_assert(end());
}
END_TEST

START_TEST(others_have_the_cpu)
{
    begin();
    work(MS / 2);
    now.wall += 500 * (int64_t)MS; // preempted
    ck_assert(!end());
    begin();
    sleep_for(500 * (int64_t)MS); // it sleeps a moment, or waits for a lock; a CPU is late
    queued += 500 * (int64_t)MS - MS / 2;
    ck_assert(!end());
    begin();
    sleep_for(500 * (int64_t)MS);
    queued += 100 * (int64_t)MS;
    ck_assert(end());
}
END_TEST

START_TEST(the_host_has_the_cpu)
{
    begin();
    work(30 * MS); // the kernel counts what is stolen, too
    stolen += 30 * MS;
    ck_assert(!end());
    begin();
    sleep_for(30 * MS);
    stolen += 30 * MS;
    ck_assert(!end());
    begin();
    work(50 * MS);
    stolen += 30 * MS;
    ck_assert(end());
}
END_TEST

START_TEST(what_is_not_known_excuses)
{
    unknown = true;
    begin();
    sleep_for(500 * (int64_t)MS);
    ck_assert(!end());
    begin();
    work(2 * MS); // that is its own
    ck_assert(end());
}
END_TEST

START_TEST(pages_that_are_read_in)
{
    begin();
    sleep_for(5 * MS);
    now.faults++;
    ck_assert(!end());
}
END_TEST

START_TEST(calls_of_doca)
{
    begin();
    work(MS / 2);
    for (int i = 0; i < 3; i++) {
        callback_timing_enter(&other_call);
        work(5 * MS);
        sleep_for(5 * MS);
        callback_timing_leave(&other_call);
    }
    ck_assert(!end());
    begin();
    callback_timing_enter(&other_call);
    work(5 * MS);
    callback_timing_leave(&other_call);
    work(MS);
    ck_assert(end());
}
END_TEST

// A callback that polls, and is called for the next task.
START_TEST(nested)
{
    begin();
    work(MS / 2);
    callback_timing_enter(&poll_call);
    callback_timing_begin();
    work(2 * MS);
    ck_assert(end());
    work(MS / 4);
    ck_assert(!end());
}
END_TEST

START_TEST(callbacks_outside_of_polls)
{
    callback_timing_begin();
    work(5 * MS);
    int64_t wall, cpu;
    ck_assert(!callback_timing_end(&wall, &cpu));
}
END_TEST

static void short_ones(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        callback_timing_enter(&poll_call);
        callback_timing_begin();
        work(1000);
        ck_assert(!end());
    }
}

// Reading the load takes longer than short callbacks do.
START_TEST(readings_are_few)
{
    short_ones(1000); // 1 ms
    ck_assert_uint_eq(readings, 1);
    short_ones(9000);
    ck_assert_uint_le(readings, 2);
    setup();
    now.wall += 1000 * (int64_t)MS;
    reading_takes = MS;
    short_ones(20000); // 20 ms
    ck_assert_uint_eq(readings, 1);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("workbench_timing");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, computing);
    tcase_add_test(tcase, blocking);
    tcase_add_test(tcase, others_have_the_cpu);
    tcase_add_test(tcase, the_host_has_the_cpu);
    tcase_add_test(tcase, what_is_not_known_excuses);
    tcase_add_test(tcase, pages_that_are_read_in);
    tcase_add_test(tcase, calls_of_doca);
    tcase_add_test(tcase, nested);
    tcase_add_test(tcase, callbacks_outside_of_polls);
    tcase_add_test(tcase, readings_are_few);
    return unit_run_case("workbench_timing", tcase);
}
