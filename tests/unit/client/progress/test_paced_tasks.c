// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tasks of each computing library on a device that imitates a card: whatever the card, and wherever
// the bytes are, they end as without one, with a seed in their order, and a program that sleeps is
// woken for all of them.

#include "computing.h"
#include "queue/card_clock.h"
#include "unit.h"
#include "workers/workers.h"

#include <doca_ctx.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SHORT   ((size_t)4096)
#define LONG    ((size_t)599936) // all libraries hand this over to workers
#define ROOM    ((size_t)700000)
#define LONGEST 1 // the task that is long
#define SOME    16

#define OK(call) ck_assert_int_eq((call), DOCA_SUCCESS)

static const struct {
    const char *lines;
    bool seed, timing;
} cards[] = {
    {"reorder = 7\n", true, false},
    {"optimize_reports = yes\ntasks_need_flush = yes\n", false, false},
    {"timing = yes\nec.create.model = yes\ncompress.decompress_deflate.time.task_ns = 1000\n",
     false, true},
    {"timing = yes\nec.create.model = yes\nreorder = 5\noptimize_reports = yes\n"
     "tasks_need_flush = yes\n",
     true, true},
};

static const uint32_t flags[COMPUTING_TASKS] = {
    DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS | DOCA_TASK_SUBMIT_FLAG_FLUSH,
    DOCA_TASK_SUBMIT_FLAG_NONE,
    DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS,
    DOCA_TASK_SUBMIT_FLAG_FLUSH,
};

static struct one {
    uint8_t *from, *to, *expected;
    size_t n, n_expected;
    struct doca_mmap source, target;
    struct doca_buf *src, *dst;
    struct doca_task *task;
} ones[COMPUTING_TASKS];

static const struct computing *with;
static struct doca_pe *pe;
static struct doca_ctx *lib_ctx;
static unsigned ended[COMPUTING_TASKS], n_ended;

static void over(struct doca_task *task)
{
    for (unsigned i = 0; i < COMPUTING_TASKS; i++)
        if (ones[i].task == task)
            ended[n_ended++] = i;
}

static enum doca_ctx_states state(void)
{
    enum doca_ctx_states now;
    OK(doca_ctx_get_state(lib_ctx, &now));
    return now;
}

static void open_with(const struct computing *of, const char *lines, int workers)
{
    char why[CARD_WHY_SIZE];

    card_init(&fake_card);
    ck_assert_msg(card_parse(lines, "", &fake_card, why), "%s", why);
    with = of;
    n_ended = 0;
    OK(doca_pe_create(&pe));
    lib_ctx = with->open();
    OK(doca_pe_connect_ctx(pe, lib_ctx));
    workers_set_most(workers);
    OK(doca_ctx_start(lib_ctx));
    if (with->begin)
        with->begin();
}

static void close_all(void)
{
    if (with->end)
        with->end();
    OK(doca_ctx_stop(lib_ctx));
    OK(with->close());
    OK(doca_pe_destroy(pe));
    card_init(&fake_card);
}

// ---- tasks -----------------------------------------------------------------------------

static struct doca_buf *place(struct doca_mmap *map, uint8_t *bytes, size_t n, bool brokered)
{
    if (brokered)
        brokered_import(map, bytes, ROOM, ROOM, 0, node_a);
    else
        *map = local_map(bytes, ROOM);
    return buffer(map, brokered ? shifted(bytes) : bytes, n ? n : ROOM, n);
}

static void take(struct one *one, bool brokered)
{
    memset(one->to, 0, ROOM);
    one->src = place(&one->source, one->from, one->n, brokered);
    one->dst = place(&one->target, one->to, 0, brokered);
    one->task = with->task(one->src, one->dst);
}

static void give_back(struct one *one, bool brokered)
{
    doca_task_free(one->task);
    drop(one->src);
    drop(one->dst);
    if (brokered) {
        release(&one->source);
        release(&one->target);
    }
}

static void check_result(const struct one *one)
{
    OK(doca_task_get_status(one->task));
    ck_assert_uint_eq(one->dst->data_len, one->n_expected);
    ck_assert_mem_eq(one->to, one->expected, one->n_expected);
}

// What a task makes of its source without a card.
static void make_expected(const struct computing *of, struct one *one)
{
    open_with(of, "", 0);
    take(one, false);
    OK(doca_task_submit(one->task));
    while (!n_ended)
        doca_pe_progress(pe);
    OK(doca_task_get_status(one->task));
    one->n_expected = one->dst->data_len;
    memcpy(one->expected, one->to, one->n_expected);
    give_back(one, false);
    close_all();
}

static void begin(const struct computing *of)
{
    computing_over = over;
    setup(); // buffers come from there
    for (unsigned i = 0; i < COMPUTING_TASKS; i++) {
        struct one *one = &ones[i];
        uint8_t **const memory[] = {&one->from, &one->to, &one->expected};
        for (unsigned k = 0; k < 3; k++)
            ck_assert_ptr_nonnull(*memory[k] = calloc(1, ROOM));
        one->n = i == LONGEST ? LONG : SHORT;
        for (size_t k = 0; k < one->n; k++)
            one->from[k] = (uint8_t)((i + k * 7) % 251 & 15);
        if (of->input) {
            make_expected(of->input, one);
            memcpy(one->from, one->expected, one->n_expected);
            one->n = one->n_expected;
        }
        make_expected(of, one);
    }
}

static void end(void)
{
    for (unsigned i = 0; i < COMPUTING_TASKS; i++) {
        free(ones[i].from);
        free(ones[i].to);
        free(ones[i].expected);
    }
    teardown();
}

// ---- programs that poll, and those that sleep --------------------------------------------

static bool is_notified(int timeout)
{
    doca_notification_handle_t handle;
    OK(doca_pe_get_notification_handle(pe, &handle));
    return poll(&(struct pollfd){.fd = handle, .events = POLLIN}, 1, timeout) == 1;
}

static void request(void)
{
    OK(doca_pe_clear_notification(pe, 0));
    OK(doca_pe_request_notification(pe));
}

// Only engines, which the test plays, workers and timers can still have work to do.
static void sleep_until_notified(bool has_threads)
{
    request();
    bool notified = is_notified(0);
    for (unsigned i = 0; i < SOME && !notified; i++) {
        serve_all();
        notified = is_notified(0);
    }
    if (!notified && has_threads)
        notified = is_notified(-1);
    ck_assert(notified);
}

static void poll_all(bool sleeps, bool has_threads)
{
    while (n_ended < COMPUTING_TASKS) {
        if (sleeps)
            sleep_until_notified(has_threads);
        if (!doca_pe_progress(pe) && !sleeps) {
            serve_all();
            sched_yield();
        }
    }
}

static void run(unsigned card, bool sleeps, int workers, bool brokered)
{
    open_with(with, cards[card].lines, workers);
    for (unsigned i = 0; i < COMPUTING_TASKS; i++)
        take(&ones[i], brokered);
    for (unsigned i = 0; i < COMPUTING_TASKS; i++)
        OK(doca_task_submit_ex(ones[i].task, flags[i]));
    poll_all(sleeps, workers || cards[card].timing);
    for (unsigned i = 0; i < COMPUTING_TASKS; i++) {
        check_result(&ones[i]);
        if (cards[card].seed)
            ck_assert_uint_eq(ended[i], i);
        give_back(&ones[i], brokered);
    }
    close_all();
}

START_TEST(all_tasks_end)
{
    begin(&computing[_i / 2]);
    for (unsigned card = 0; card < sizeof(cards) / sizeof(cards[0]); card++)
        for (int workers = 0; workers <= 2; workers += 2)
            for (int brokered = 0; brokered < 2; brokered++)
                run(card, _i % 2, workers, brokered);
    end();
}
END_TEST

// ---- times -----------------------------------------------------------------------------

static uint64_t now; // of the card's clock, in ns

static uint64_t test_clock(void)
{
    return now;
}

START_TEST(a_decompression_takes_the_time_of_its_bytes)
{
    begin(&computing[1]);
    card_clock_now = test_clock;
    open_with(with, "timing = yes\ncompress.decompress_deflate.time.rate = 1000000000\n", 0);
    take(&ones[0], false);
    OK(doca_task_submit(ones[0].task));
    for (unsigned i = 0; i < 2 * SOME; i++) {
        ck_assert_uint_eq(doca_pe_progress(pe), 0);
        if (i == SOME)
            now += ones[0].n - 1;
    }
    now++;
    ck_assert_uint_eq(doca_pe_progress(pe), 1);
    check_result(&ones[0]);
    give_back(&ones[0], false);
    close_all();
    end();
}
END_TEST

// ---- stopping --------------------------------------------------------------------------

// The first task is at an engine; the others wait for the place that it has.
static void stop_early(const char *lines)
{
    open_with(with, lines, 0);
    for (unsigned i = 0; i < 3; i++) {
        take(&ones[i], true);
        OK(doca_task_submit(ones[i].task));
    }
    for (unsigned i = 0; i < SOME; i++)
        ck_assert_uint_eq(doca_pe_progress(pe), 0);
    request();
    ck_assert(!is_notified(0));
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_ERROR_IN_PROGRESS);
    ck_assert(is_notified(0));
    for (unsigned i = 0; i < SOME; i++)
        (void)doca_pe_progress(pe);
    ck_assert_uint_eq(n_ended, 2);
    for (unsigned i = 1; i < 3; i++)
        ck_assert_int_eq(doca_task_get_status(ones[i].task), DOCA_ERROR_SHUTDOWN);
    while (n_ended < 3) {
        serve_all();
        (void)doca_pe_progress(pe);
    }
    check_result(&ones[0]);
    ck_assert_int_eq(state(), DOCA_CTX_STATE_IDLE);
    for (unsigned i = 0; i < 3; i++)
        give_back(&ones[i], true);
    close_all();
}

START_TEST(a_stop_ends_what_waits_for_others)
{
    static const int kinds[] = {0, 1, 6, 7}; // compression and erasure coding

    begin(&computing[kinds[_i]]);
    stop_early("");
    stop_early("optimize_reports = yes\n");
    end();
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("paced_tasks");
    tcase_add_loop_test(tcase, all_tasks_end, 0, 2 * n_computing);
    tcase_add_test(tcase, a_decompression_takes_the_time_of_its_bytes);
    tcase_add_loop_test(tcase, a_stop_ends_what_waits_for_others, 0, 4);
    return unit_run_case("paced_tasks", tcase);
}
