// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks on a device whose card has `timing = yes`, by a clock that the tests move: when they are
// reported, and that a program which sleeps gets a timer for it.

#include "../dma/dma_rig.h"
#include "queue/card_clock.h"
#include "unit.h"

#include <doca_ctx.h>
#include <doca_pe.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>

#define TASKS_MAX 32
#define BYTES     1000

static uint64_t now;   // of the card's clock, in ns
static uint64_t timer; // when the last timer expires; 0: none was set
static unsigned n_timers;

static struct doca_pe *pe;
static struct doca_dma *libs[2];
static uint8_t from[TASKS_MAX * BYTES], to[TASKS_MAX * BYTES];
static struct doca_mmap from_map, to_map;
static struct doca_buf *sources[TASKS_MAX], *targets[TASKS_MAX];
static unsigned n_tasks, n_ended;

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *value,
                           struct itimerspec *old);

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *value,
                           struct itimerspec *old)
{
    (void)fd;
    (void)old;
    ck_assert_int_eq(flags, TFD_TIMER_ABSTIME);
    timer = (uint64_t)value->it_value.tv_sec * 1000000000u + (uint64_t)value->it_value.tv_nsec;
    n_timers++;
    return 0;
}

static uint64_t test_clock(void)
{
    return now;
}

static void done(struct doca_dma_task_memcpy *task, union doca_data data, union doca_data ctx_data)
{
    (void)ctx_data;
    ck_assert_uint_eq(data.u64, n_ended); // in their order
    ck_assert_int_eq(doca_task_get_status(doca_dma_task_memcpy_as_task(task)), DOCA_SUCCESS);
    n_ended++;
    doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void begin(const char *lines)
{
    char why[CARD_WHY_SIZE];

    card_clock_now = test_clock;
    now += 1000000000; // the engines are idle
    timer = n_timers = 0;
    card_init(&fake_card);
    ck_assert_msg(card_parse(lines, "", &fake_card, why), "%s", why);
    setup();
    from_map = local_map(from, sizeof(from));
    to_map = local_map(to, sizeof(to));
    n_tasks = n_ended = 0;
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(doca_dma_create(&fake_dev, &libs[i]), DOCA_SUCCESS);
        ck_assert_int_eq(doca_pe_connect_ctx(pe, doca_dma_as_ctx(libs[i])), DOCA_SUCCESS);
        ck_assert_int_eq(doca_dma_task_memcpy_set_conf(libs[i], done, done, TASKS_MAX),
                         DOCA_SUCCESS);
        ck_assert_int_eq(doca_ctx_start(doca_dma_as_ctx(libs[i])), DOCA_SUCCESS);
    }
}

static void end(void)
{
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(doca_ctx_stop(doca_dma_as_ctx(libs[i])), DOCA_SUCCESS);
        ck_assert_int_eq(doca_dma_destroy(libs[i]), DOCA_SUCCESS);
    }
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
    for (unsigned i = 0; i < n_tasks; i++) {
        drop(sources[i]);
        drop(targets[i]);
    }
    teardown();
    card_init(&fake_card);
}

static void submit_flagged(unsigned of, uint32_t flags)
{
    struct doca_dma_task_memcpy *task;
    unsigned i = n_tasks++;

    sources[i] = buffer(&from_map, &from[i * BYTES], BYTES, BYTES);
    targets[i] = buffer(&to_map, &to[i * BYTES], BYTES, 0);
    ck_assert_int_eq(doca_dma_task_memcpy_alloc_init(libs[of], sources[i], targets[i],
                                                     (union doca_data){.u64 = i}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit_ex(doca_dma_task_memcpy_as_task(task), flags), DOCA_SUCCESS);
}

static void submit_to(unsigned of)
{
    submit_flagged(of, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

// All that is due is reported, and nothing else.
static void expect(unsigned n)
{
    for (unsigned i = 0; i < 2 * TASKS_MAX; i++)
        (void)doca_pe_progress(pe);
    ck_assert_uint_eq(n_ended, n);
}

START_TEST(tasks_of_a_queue_follow_each_other)
{
    begin("timing = yes\ndma.local.task_ns = 100\n");
    for (unsigned i = 0; i < 4; i++)
        submit_to(0);
    expect(0);
    ck_assert_int_eq(memcmp(from, to, 4 * BYTES), 0); // copied while the program waits
    for (unsigned i = 1; i <= 4; i++) {
        now += 99;
        expect(i - 1);
        now += 1;
        expect(i);
    }
    now += 1000; // an idle queue does not save time up
    submit_to(0);
    now += 99;
    expect(4);
    now += 1;
    expect(5);
    end();
}
END_TEST

START_TEST(contexts_share_the_engine_and_not_the_queue)
{
    begin("timing = yes\ndma.local.task_ns = 100\n");
    submit_to(0);
    submit_to(1);
    now += 100;
    expect(2);
    end();
    begin("timing = yes\ndma.local.engine_ns = 100\n");
    submit_to(0);
    submit_to(1);
    now += 100;
    expect(1);
    now += 100;
    expect(2);
    end();
}
END_TEST

START_TEST(bytes_take_their_time)
{
    // 1000 bytes at 1 GB/s: 1000 ns, besides 50.
    begin("timing = yes\ndma.local.rate = 1000000000\ndma.local.overhead_ns = 50\n"
          "dma.local.engine_ns = 500\n");
    submit_to(0);
    now += 1049;
    expect(0);
    now += 1;
    expect(1);
    end();
    // The latency hides what two tasks take.
    begin("timing = yes\ndma.local.task_ns = 10\ndma.local.latency_ns = 500\n"
          "dma.local.latency_rate = 10000000000\n");
    submit_to(0);
    submit_to(0);
    now += 599;
    expect(0);
    now += 1;
    expect(2);
    end();
}
END_TEST

START_TEST(a_model_alone_changes_nothing)
{
    begin("dma.local.task_ns = 100\n");
    submit_to(0);
    expect(1);
    end();
    begin("timing = yes\ndma.read.task_ns = 100\n"); // not of this kind of copy
    submit_to(0);
    expect(1);
    end();
}
END_TEST

START_TEST(a_stop_does_not_wait_for_the_clock)
{
    begin("timing = yes\ndma.local.task_ns = 100\n");
    submit_to(0);
    expect(0);
    ck_assert_int_eq(doca_ctx_stop(doca_dma_as_ctx(libs[0])), DOCA_ERROR_IN_PROGRESS);
    expect(1);
    end();
}
END_TEST

static void request(void)
{
    ck_assert_int_eq(doca_pe_clear_notification(pe, 0), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_request_notification(pe), DOCA_SUCCESS);
}

START_TEST(a_sleeping_program_gets_a_timer)
{
    begin("timing = yes\ndma.local.task_ns = 100\n");
    uint64_t start = now;
    submit_to(0);
    submit_to(0);
    (void)doca_pe_progress(pe); // executes the first one
    (void)doca_pe_progress(pe);
    request();
    ck_assert_uint_eq(n_timers, 1);
    ck_assert_uint_eq(timer, start + 100);
    now += 100;
    expect(1);
    request();
    ck_assert_uint_eq(timer, start + 200);
    now += 100;
    expect(2);
    unsigned before = n_timers;
    request(); // for nothing
    ck_assert_uint_eq(n_timers, before);
    end();
}
END_TEST

// A task that is reported with a later one waits for that one's time, too: until then nothing
// wakes the program.
START_TEST(a_timer_waits_for_what_can_be_reported)
{
    begin("timing = yes\noptimize_reports = yes\ndma.local.task_ns = 100\n");
    uint64_t start = now;
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS | DOCA_TASK_SUBMIT_FLAG_FLUSH);
    submit_to(0);
    expect(0);
    for (unsigned i = 0; i < 2; i++) {
        request();
        ck_assert_uint_eq(timer, start + 200);
        now += 100;
        expect(2 * i);
    }
    submit_flagged(0, DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS | DOCA_TASK_SUBMIT_FLAG_FLUSH);
    expect(2);
    unsigned before = n_timers;
    request(); // nothing comes by itself
    ck_assert_uint_eq(n_timers, before);
    submit_to(0);
    now += 200;
    expect(4);
    end();
}
END_TEST

// The second task is done before the first, which waits for an engine, and due after it.
START_TEST(a_task_does_not_wait_for_a_later_one)
{
    struct doca_mmap import;
    struct doca_dma_task_memcpy *task;

    begin("timing = yes\ndma.local.task_ns = 100\ndma.read.task_ns = 100\n");
    brokered_import(&import, from, BYTES, BYTES, 0, node_a);
    unsigned i = n_tasks++;
    sources[i] = buffer(&import, shifted(from), BYTES, BYTES);
    targets[i] = buffer(&to_map, to, BYTES, 0);
    ck_assert_int_eq(doca_dma_task_memcpy_alloc_init(libs[0], sources[i], targets[i],
                                                     (union doca_data){.u64 = i}, &task),
                     DOCA_SUCCESS);
    ck_assert_int_eq(doca_task_submit(doca_dma_task_memcpy_as_task(task)), DOCA_SUCCESS);
    submit_to(0);
    now += 150;
    expect(0);
    serve_all();
    expect(1);
    now += 50;
    expect(2);
    end();
    release(&import);
}
END_TEST

// A queue that always has enough tasks reports them as fast as the model says.
static void check_rate(const char *card, uint64_t ns)
{
    char why[CARD_WHY_SIZE], lines[4096] = "timing = yes\n";
    const unsigned n = 4 * TASKS_MAX;
    struct card known;

    ck_assert(card_find(card, &known, why));
    for (int key = CARD_DMA_LOCAL_TASK_NS; key <= CARD_DMA_LOCAL_LATENCY_RATE; key++)
        snprintf(lines + strlen(lines), sizeof(lines) - strlen(lines), "%s = %llu\n",
                 card_key_infos[key].key, (unsigned long long)known.values[key]);
    uint64_t taken = 0;
    for (unsigned i = 0; i < n / TASKS_MAX; i++) {
        begin(lines);
        uint64_t start = now;
        for (unsigned k = 0; k < TASKS_MAX; k++)
            submit_to(0);
        while (n_ended < n_tasks) {
            now++;
            while (doca_pe_progress(pe))
                ;
        }
        taken += now - start;
        end();
    }
    ck_assert_uint_eq(taken, n * ns);
}

START_TEST(a_profile_has_its_rate)
{
    check_rate("bluefield-3", 270);
}
END_TEST

UNIT_MAIN("card_times", tasks_of_a_queue_follow_each_other,
          contexts_share_the_engine_and_not_the_queue, bytes_take_their_time,
          a_model_alone_changes_nothing, a_stop_does_not_wait_for_the_clock,
          a_sleeping_program_gets_a_timer, a_timer_waits_for_what_can_be_reported,
          a_task_does_not_wait_for_a_later_one, a_profile_has_its_rate)
