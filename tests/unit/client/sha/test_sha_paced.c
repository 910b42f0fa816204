// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA jobs of the 2.2 interface on a device that imitates a card: with a seed jobs, and segments of
// a message, are executed and reported in the order of their submission, whether the polling thread
// or a worker computes them. Programs that poll, and programs that sleep (_i).

#include "fake_sha.h"
#include "unit.h"

#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define LONG_SIZE  (3 * SHA_STEP)
#define JOBS       6
#define SEEDS      3
#define POLLS_SOON 8 // enough for a short job that nothing is in the way of

static uint8_t out[JOBS][64];
static uint8_t *large;
static struct doca_mmap out_map, large_map;
static struct doca_buf *req[JOBS], *resp[JOBS];
static doca_event_handle_t handle;

static void begin(const char *lines, int workers, bool event_driven)
{
    char why[CARD_WHY_SIZE];

    card_init(&fake_card);
    ck_assert_msg(card_parse(lines, "", &fake_card, why), "%s", why);
    fake_sha_workers = workers;
    fake_sha_setup(16, event_driven);
    if (event_driven)
        ck_assert_int_eq(doca_workq_get_event_handle(fake_workq, &handle), DOCA_SUCCESS);
    large = malloc(LONG_SIZE);
    ck_assert_ptr_nonnull(large);
    fake_sha_fill(large, LONG_SIZE, 5);
    large_map = fake_map(large, LONG_SIZE, DOCA_ACCESS_LOCAL_READ_WRITE);
    out_map = fake_map(out, sizeof(out), DOCA_ACCESS_LOCAL_READ_WRITE);
}

static void end(void)
{
    for (size_t i = 0; i < JOBS; i++) {
        fake_drop(req[i]);
        fake_drop(resp[i]);
    }
    fake_sha_teardown();
    free(large);
    card_init(&fake_card);
}

static void sleep_until_woken(void)
{
    struct pollfd p = {.fd = handle, .events = POLLIN};

    ck_assert_int_eq(doca_workq_event_handle_arm(fake_workq), DOCA_SUCCESS);
    ck_assert_int_eq(poll(&p, 1, fake_sha_workers ? -1 : 0), 1); // without workers it is its turn
    ck_assert_int_eq(doca_workq_event_handle_clear(fake_workq, handle), DOCA_SUCCESS);
}

static uint64_t next(bool sleeps)
{
    doca_error_t r;
    uint64_t id;

    do {
        if (sleeps)
            sleep_until_woken();
        else
            sched_yield();
    } while ((r = fake_sha_retrieve(&id)) == DOCA_ERROR_AGAIN);
    ck_assert_int_eq(r, DOCA_SUCCESS);
    return id;
}

static void take(size_t i, size_t at, size_t size)
{
    req[i] = fake_buffer(&large_map, large + at, size, size);
    resp[i] = fake_buffer(&out_map, out[i], 64, 0);
}

static void submit_all(const size_t sizes[JOBS])
{
    for (size_t i = 0; i < JOBS; i++) {
        take(i, i, sizes[i]);
        ck_assert_int_eq(fake_sha_submit(DOCA_SHA_JOB_SHA256, req[i], resp[i], i), DOCA_SUCCESS);
    }
}

static void check_all(const size_t sizes[JOBS])
{
    for (size_t i = 0; i < JOBS; i++)
        fake_sha_check(DOCA_SHA_JOB_SHA256, large + i, sizes[i], out[i]);
}

// Short and long ones in turn: the first are computed by polls, the others by workers.
static const size_t mixed[JOBS] = {64, 2 * SHA_OFFLOAD_FROM, 128, 192, SHA_STEP, 640};

START_TEST(a_seed_keeps_the_order_of_jobs)
{
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        char line[32];
        snprintf(line, sizeof(line), "reorder = %u\n", seed);
        begin(line, 2, _i);
        submit_all(mixed);
        for (size_t i = 0; i < JOBS; i++)
            ck_assert_uint_eq(next(_i), i);
        check_all(mixed);
        end();
    }
}
END_TEST

START_TEST(segments_come_one_after_the_other)
{
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct doca_sha_partial_session *s;
        char line[32];
        size_t at = 0;
        uint64_t id;
        snprintf(line, sizeof(line), "reorder = %u\n", seed);
        begin(line, 2, _i);
        ck_assert_int_eq(doca_sha_partial_session_create(fake_sha, fake_workq, &s), DOCA_SUCCESS);
        for (size_t i = 0; i < JOBS; i++) {
            take(i, at, mixed[i]);
            at += mixed[i];
            ck_assert_int_eq(
                fake_sha_segment(DOCA_SHA_JOB_SHA256_PARTIAL, s, req[i], resp[i], i == JOBS - 1, i),
                DOCA_SUCCESS);
        }
        // The first one waits for no other.
        doca_error_t r = DOCA_ERROR_AGAIN;
        for (unsigned i = 0; i < POLLS_SOON && r == DOCA_ERROR_AGAIN; i++)
            r = fake_sha_retrieve(&id);
        ck_assert_int_eq(r, DOCA_SUCCESS);
        ck_assert_uint_eq(id, 0);
        for (size_t i = 1; i < JOBS; i++)
            ck_assert_uint_eq(next(_i), i);
        fake_sha_check(DOCA_SHA_JOB_SHA256, large, at, out[JOBS - 1]);
        ck_assert_int_eq(doca_sha_partial_session_destroy(fake_sha, fake_workq, s), DOCA_SUCCESS);
        end();
    }
}
END_TEST

// A job of several steps, which only the polling thread computes: it is woken for each step.
START_TEST(a_job_of_many_steps_wakes_its_thread)
{
    static const char *const cards[] = {"reorder = 3\n", "optimize_reports = yes\n",
                                        "timing = yes\n"};
    const size_t sizes[JOBS] = {LONG_SIZE - 1, 64, 64, 64, 64, 64};

    for (size_t card = 0; card < sizeof(cards) / sizeof(cards[0]); card++) {
        begin(cards[card], 0, _i);
        submit_all(sizes);
        bool seen[JOBS] = {false};
        for (size_t i = 0; i < JOBS; i++)
            seen[next(_i)] = true;
        for (size_t i = 0; i < JOBS; i++)
            ck_assert(seen[i]);
        check_all(sizes);
        end();
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("sha_paced");
    tcase_add_loop_test(tcase, a_seed_keeps_the_order_of_jobs, 0, 2);
    tcase_add_loop_test(tcase, segments_come_one_after_the_other, 0, 2);
    tcase_add_loop_test(tcase, a_job_of_many_steps_wakes_its_thread, 0, 2);
    return unit_run_case("sha_paced", tcase);
}
