// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A sync event whose page others write: the counter changes as it likes, and the flags are false,
// before a look and between two. Every call returns, what a call writes arrives, and a wait ends
// only with a counter that it may end with.

#include "cleanup.h"
#include "sync_event/se_context.h"
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

static struct doca_sync_event *event;
static struct sync_page *page; // as others have it
static struct doca_workq *workq;
static doca_event_handle_t handle;

enum mode { CALLS, POLLING, SLEEPING };

static void setup(enum mode mode)
{
    ck_assert_int_eq(doca_sync_event_create(&event), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sync_event_publisher_add_location_dpu(event), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sync_event_subscriber_add_location_dpu(event), DOCA_SUCCESS);
    page = mmap(NULL, SYNC_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, event->page_fd, 0);
    ck_assert_ptr_ne(page, MAP_FAILED);
    if (mode == CALLS) {
        ck_assert_int_eq(doca_sync_event_start(event), DOCA_SUCCESS);
        return;
    }
    struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
    ck_assert_int_eq(doca_ctx_start(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_create(4, &workq), DOCA_SUCCESS);
    if (mode == SLEEPING)
        ck_assert_int_eq(doca_workq_get_event_handle(workq, &handle), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(ctx, workq), DOCA_SUCCESS);
}

static void teardown(void)
{
    if (workq) {
        ck_assert_int_eq(doca_ctx_workq_rm(event->ctx, workq), DOCA_SUCCESS);
        ck_assert_int_eq(doca_workq_destroy(workq), DOCA_SUCCESS);
    } else {
        ck_assert_int_eq(doca_sync_event_stop(event), DOCA_SUCCESS);
    }
    workq = NULL;
    munmap(page, SYNC_PAGE_SIZE);
    ck_assert_int_eq(doca_sync_event_destroy(event), DOCA_SUCCESS);
}

// Was the timer set? It expires at once, but not in the call that sets it.
static bool wakes(void)
{
    struct pollfd p = {.fd = event->timer, .events = POLLIN};
    uint64_t times;
    return poll(&p, 1, 60000) == 1 && read(event->timer, &times, sizeof(times)) == sizeof(times);
}

// ---- calls ---------------------------------------------------------------------------------

START_TEST(counter_at_its_ends)
{
    static const uint64_t values[] = {0, 1, INT64_MAX, 1ull << 63, UINT64_MAX};
    setup(CALLS);
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        uint64_t value = 0;
        atomic_store(&page->value, values[i]);
        ck_assert_int_eq(doca_sync_event_get(event, &value), DOCA_SUCCESS);
        ck_assert_uint_eq(value, values[i]);
        ck_assert_int_eq(doca_sync_event_update_add(event, 5, &value), DOCA_SUCCESS);
        ck_assert_uint_eq(value, values[i]);
        ck_assert_uint_eq(atomic_load(&page->value), values[i] + 5); // it wraps
        atomic_store(&page->value, UINT64_MAX);
        ck_assert_int_eq(doca_sync_event_wait_gt(event, UINT64_MAX - 1, UINT64_MAX), DOCA_SUCCESS);
        ck_assert_int_eq(doca_sync_event_wait_gt_yield(event, 0, 1ull << 63), DOCA_SUCCESS);
    }
    teardown();
}
END_TEST

// Any value in the flag means that somebody sleeps, and only once.
START_TEST(flags_that_there_are_none_of)
{
    static const uint32_t flags[] = {1, 2, INT32_MAX, UINT32_MAX};
    setup(CALLS);
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        atomic_store(&page->sleeping, flags[i]);
        atomic_store(&page->wakes, UINT32_MAX); // it wraps
        for (uint64_t k = 0; k < 3; k++)
            ck_assert_int_eq(doca_sync_event_update_set(event, k), DOCA_SUCCESS);
        ck_assert(wakes());
        ck_assert_uint_eq(atomic_load(&page->sleeping), 0);
        ck_assert_uint_eq(atomic_load(&page->wakes), 0);
    }
    teardown();
}
END_TEST

// Nobody ever reads, and somebody always seems to sleep.
START_TEST(always_somebody_to_wake)
{
    uint64_t value;
    setup(CALLS);
    for (uint64_t i = 0; i < 4000; i++) {
        atomic_store(&page->sleeping, 1);
        ck_assert_int_eq(doca_sync_event_update_set(event, i), DOCA_SUCCESS);
        ck_assert_int_eq(doca_sync_event_get(event, &value), DOCA_SUCCESS);
        ck_assert_uint_eq(value, i);
    }
    ck_assert(wakes());
    teardown();
}
END_TEST

// Whoever holds the timer may set it to any time.
START_TEST(a_timer_that_others_set)
{
    setup(CALLS);
    for (uint64_t i = 0; i < 10; i++) {
        struct itimerspec odd = {.it_value.tv_sec = i % 3 ? INT32_MAX : 0,
                                 .it_interval.tv_nsec = 1};
        ck_assert_int_eq(timerfd_settime(event->timer, i % 2 ? TFD_TIMER_ABSTIME : 0, &odd, NULL),
                         0);
        atomic_store(&page->sleeping, 1);
        ck_assert_int_eq(doca_sync_event_update_set(event, i), DOCA_SUCCESS);
    }
    ck_assert_uint_eq(atomic_load(&page->value), 9);
    teardown();
}
END_TEST

// The fields that describe the page were read once; nothing depends on them later.
START_TEST(another_version_later)
{
    uint64_t value;
    setup(CALLS);
    page->magic = 0;
    page->version = UINT32_MAX;
    ck_assert_int_eq(doca_sync_event_update_set(event, 3), DOCA_SUCCESS);
    ck_assert_int_eq(doca_sync_event_get(event, &value), DOCA_SUCCESS);
    ck_assert_uint_eq(value, 3);
    teardown();
}
END_TEST

// ---- changed between looks -----------------------------------------------------------------

static _Atomic bool enough;

// The counter back and forth, and the flags with it.
static void *changes(void *arg)
{
    (void)arg;
    for (uint64_t i = 0; !atomic_load(&enough); i++) {
        static const uint64_t values[] = {7, 0, UINT64_MAX, 3, 1ull << 63};
        atomic_store(&page->value, values[i % ARRAY_SIZE(values)]);
        atomic_store(&page->sleeping, (uint32_t)(i % 3));
        atomic_store(&page->wakes, (uint32_t)(i * 0x10001));
    }
    return NULL;
}

static pthread_t start_changes(void)
{
    pthread_t thread;
    atomic_store(&enough, false);
    ck_assert_int_eq(pthread_create(&thread, NULL, changes, NULL), 0);
    return thread;
}

static void end_changes(pthread_t thread)
{
    atomic_store(&enough, true);
    pthread_join(thread, NULL);
}

START_TEST(calls_while_it_changes)
{
    uint64_t value;
    setup(CALLS);
    pthread_t thread = start_changes();
    for (int i = 0; i < 2000; i++) {
        ck_assert_int_eq(doca_sync_event_update_set(event, 9), DOCA_SUCCESS);
        ck_assert_int_eq(doca_sync_event_update_add(event, 1, &value), DOCA_SUCCESS);
        ck_assert_int_eq(doca_sync_event_get(event, &value), DOCA_SUCCESS);
        // Ends with one of the values that satisfy it; such a value always comes.
        ck_assert_int_eq(doca_sync_event_wait_gt(event, 5, UINT64_MAX), DOCA_SUCCESS);
    }
    end_changes(thread);
    ck_assert_int_eq(doca_sync_event_update_set(event, 11), DOCA_SUCCESS);
    ck_assert_uint_eq(atomic_load(&page->value), 11);
    teardown();
}
END_TEST

// ---- jobs ----------------------------------------------------------------------------------

static void submit_wait(uint64_t value, uint64_t mask)
{
    struct doca_sync_event_job_wait job = {
        .base = {.type = DOCA_SYNC_EVENT_JOB_WAIT_GT, .ctx = event->ctx},
        .value = value,
        .mask = mask};
    ck_assert_int_eq(doca_workq_submit(workq, &job.base), DOCA_SUCCESS);
}

static doca_error_t retrieve(void)
{
    struct doca_event done;
    return doca_workq_progress_retrieve(workq, &done, 0);
}

static bool is_readable(void)
{
    struct pollfd p = {.fd = handle, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static bool becomes_readable(void)
{
    struct pollfd p = {.fd = handle, .events = POLLIN};
    return poll(&p, 1, 60000) == 1;
}

// A sleeper goes by the counter, not by what flags claim.
START_TEST(flags_wake_nobody_for_good)
{
    setup(SLEEPING);
    submit_wait(5, UINT64_MAX);
    for (uint32_t i = 0; i < 20; i++) {
        atomic_store(&page->sleeping, i % 2 ? 0 : UINT32_MAX);
        atomic_store(&page->wakes, i % 3 ? i : UINT32_MAX - i);
        ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
        ck_assert(!is_readable()); // nothing has happened
        ck_assert_uint_eq(atomic_load(&page->sleeping), 1);
        sync_timer_wake(event->timer); // a lie
        ck_assert(becomes_readable());
        ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
        ck_assert_int_eq(retrieve(), DOCA_ERROR_AGAIN);
    }
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    atomic_store(&page->value, 6);
    se_changed(event); // as a writer does
    ck_assert(becomes_readable());
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    ck_assert_int_eq(retrieve(), DOCA_SUCCESS);
    teardown();
}
END_TEST

// A change whose writer did not wake: the next arming sees it.
START_TEST(a_wake_up_that_was_kept_back)
{
    setup(SLEEPING);
    submit_wait(5, UINT64_MAX);
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(!is_readable());
    atomic_store(&page->sleeping, 0);
    atomic_store(&page->value, 6);
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(becomes_readable());
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    ck_assert_int_eq(retrieve(), DOCA_SUCCESS);
    teardown();
}
END_TEST

static void run_while_it_changes(enum mode mode)
{
    setup(mode);
    pthread_t thread = start_changes();
    for (int i = 0; i < 500; i++) {
        doca_error_t r;
        submit_wait(5, UINT64_MAX);
        submit_wait(0, 1ull << 63);
        for (int left = 2; left > 0;) {
            if (mode == SLEEPING) {
                ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
                ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
            }
            r = retrieve();
            ck_assert(r == DOCA_SUCCESS || r == DOCA_ERROR_AGAIN);
            left -= r == DOCA_SUCCESS;
        }
        ck_assert_int_eq(retrieve(), DOCA_ERROR_AGAIN); // no job is done twice
    }
    end_changes(thread);
    teardown();
}

START_TEST(jobs_while_it_changes)
{
    run_while_it_changes(POLLING);
    run_while_it_changes(SLEEPING);
}
END_TEST

UNIT_MAIN("sync page", counter_at_its_ends, flags_that_there_are_none_of, always_somebody_to_wake,
          a_timer_that_others_set, another_version_later, calls_while_it_changes,
          flags_wake_nobody_for_good, a_wake_up_that_was_kept_back, jobs_while_it_changes)
