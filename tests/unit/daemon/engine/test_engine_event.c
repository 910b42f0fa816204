// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A sync event's counter as the engine changes it for those who map nothing of it: beside
// others who change it by atomic instructions, and waking those who sleep.

#include "cleanup.h"
#include "engine_event.h"
#include "engine_rig.h"
#include "memfd.h"
#include "unit.h"
#include "shared_file.h"

#include <doca_error.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <poll.h>
#include <sys/timerfd.h>

#define ADDRESS 0x10000ull // as the owner has its counter; nobody is there

static struct engine_importer *importer;
static struct qp_client client;
static struct sync_page *page;
static int fds[2];

static void setup(void)
{
    rig_start();
    importer = importer_new(1000);
    importer_open(importer, &client);
    fds[0] = memfd_create_sealed("page", SYNC_PAGE_SIZE);
    ck_assert_int_ge(fds[0], 0);
    fds[1] = sync_timer_new();
    ck_assert_int_ge(fds[1], 0);
    page = mmap(NULL, SYNC_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
    ck_assert_ptr_ne(page, MAP_FAILED);
}

static void teardown(void)
{
    qp_client_fini(&client);
    importers_end(&importer, 1);
    rig_stop();
    munmap(page, SYNC_PAGE_SIZE);
    for (int i = 0; i < 2; i++)
        close_fdp(&fds[i]);
}

static uint32_t grant(struct engine_range range, bool counter_in_page)
{
    uint32_t key;
    range.owner = 1;
    range.length = SYNC_VALUE_SIZE;
    range.allowed = 1u << QP_READ | 1u << QP_FETCH_ADD | 1u << QP_CMP_SWP;
    range.any_word = true;
    ck_assert_int_eq(engine_event_new(&range.event, fds, counter_in_page, 0), 0);
    ck_assert_int_eq(engine_grant_add(importer, &range, &key), 0);
    return key;
}

static uint32_t grant_page(void)
{
    return grant((struct engine_range){.address = ADDRESS}, true);
}

static uint32_t run(struct qp_request r)
{
    struct qp_completion c;
    ck_assert(qp_post(&client, &r));
    qp_ring(&client);
    while (!qp_poll(&client, &c))
        sched_yield();
    return c.status;
}

// The previous value of the counter.
static uint64_t change(enum qp_opcode opcode, uint64_t address, uint32_t key, uint64_t operand,
                       uint64_t compare)
{
    struct qp_atomic word = {.operand = operand, .compare = compare};
    memcpy(client.shared->data[0], &word, sizeof(word));
    ck_assert_uint_eq(
        run((struct qp_request){.address = address, .length = 8, .key = key, .opcode = opcode}),
        DOCA_SUCCESS);
    memcpy(&word, client.shared->data[0], sizeof(word));
    return word.operand;
}

// Was the timer set? It expires at once, but not in the call that sets it.
static bool wakes(void)
{
    struct pollfd p = {.fd = fds[1], .events = POLLIN};
    uint64_t times;
    return poll(&p, 1, 60000) == 1 && read(fds[1], &times, sizeof(times)) == sizeof(times);
}

static bool is_quiet(void)
{
    struct itimerspec now;
    uint64_t times;
    ck_assert_int_eq(timerfd_gettime(fds[1], &now), 0);
    return now.it_value.tv_nsec == 0 && read(fds[1], &times, sizeof(times)) < 0;
}

START_TEST(changes_the_counter_in_the_page)
{
    setup();
    uint32_t key = grant_page();
    atomic_store(&page->value, UINT64_MAX);
    ck_assert_uint_eq(change(QP_READ, ADDRESS, key, 0, 0), UINT64_MAX);
    ck_assert_uint_eq(change(QP_FETCH_ADD, ADDRESS, key, 8, 99), UINT64_MAX);
    ck_assert_uint_eq(atomic_load(&page->value), 7);
    ck_assert_uint_eq(change(QP_CMP_SWP, ADDRESS, key, 50, 6), 7); // it is not 6
    ck_assert_uint_eq(atomic_load(&page->value), 7);
    ck_assert_uint_eq(change(QP_CMP_SWP, ADDRESS, key, 50, 7), 7);
    ck_assert_uint_eq(change(QP_READ, ADDRESS, key, 0, 0), 50);
    teardown();
}
END_TEST

START_TEST(only_the_counter_and_only_whole)
{
    setup();
    uint32_t key = grant_page();
    struct qp_request r = {.address = ADDRESS, .length = 8, .key = key, .opcode = QP_WRITE};
    ck_assert_uint_eq(run(r), DOCA_ERROR_NOT_PERMITTED);
    for (r.opcode = QP_READ; r.opcode <= QP_CMP_SWP; r.opcode += 2) {
        r.address = ADDRESS;
        // A part of it would be read beyond the end of the data area.
        r.offset = QP_CHUNKS * QP_CHUNK_SIZE - 4;
        r.length = 4;
        ck_assert_uint_eq(run(r), DOCA_ERROR_INVALID_VALUE);
        r.offset = 0;
        r.length = 8;
        r.address = ADDRESS + 4;
        ck_assert_uint_eq(run(r), DOCA_ERROR_NOT_PERMITTED);
    }
    teardown();
}
END_TEST

static void check_wakes(uint64_t address, uint32_t key)
{
    atomic_store(&page->sleeping, 1);
    change(QP_READ, address, key, 0, 0);
    change(QP_FETCH_ADD, address, key, 0, 0);
    change(QP_CMP_SWP, address, key, 1, 2); // it is 0
    ck_assert(is_quiet());
    ck_assert_uint_eq(atomic_load(&page->sleeping), 1);
    change(QP_FETCH_ADD, address, key, 3, 0);
    ck_assert(wakes());
    ck_assert_uint_eq(atomic_load(&page->sleeping), 0);
    ck_assert_uint_eq(atomic_load(&page->wakes), 1);
    change(QP_CMP_SWP, address, key, 5, 3); // nobody sleeps
    ck_assert(is_quiet());
    atomic_store(&page->sleeping, 1);
    change(QP_CMP_SWP, address, key, 6, 5);
    ck_assert(wakes());
    ck_assert_uint_eq(atomic_load(&page->wakes), 2);
}

START_TEST(wakes_who_sleeps_when_it_has_changed)
{
    static uint64_t word;
    struct shared_fd *memory = shared_file("/proc/self/mem");
    setup();
    check_wakes(ADDRESS, grant_page());
    atomic_store(&page->wakes, 0);
    word = 0; // and where it is in memory of the application's
    uint32_t key =
        grant((struct engine_range){.owner_memory = memory, .address = (uintptr_t)&word}, false);
    check_wakes((uintptr_t)&word, key);
    ck_assert_uint_eq(word, 6);
    teardown();
    shared_fd_unref(memory);
}
END_TEST

enum { ADDS = 20000 };

static void *add_here(void *arg)
{
    for (int i = 0; i < ADDS; i++)
        atomic_fetch_add(&page->value, 1);
    return arg;
}

START_TEST(no_addition_is_lost_beside_others)
{
    pthread_t thread;
    setup();
    uint32_t key = grant_page();
    pthread_create(&thread, NULL, add_here, NULL);
    for (int i = 0; i < ADDS / 10; i++)
        change(QP_FETCH_ADD, ADDRESS, key, 1ull << 32, 0);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(atomic_load(&page->value), ((uint64_t)ADDS / 10 << 32) + ADDS);
    teardown();
}
END_TEST

// The grant keeps what it needs until it is dropped.
START_TEST(outlives_the_descriptors_that_it_came_with)
{
    int dropped = 0;
    setup();
    uint32_t key = grant_page();
    close_fdp(&fds[0]);
    atomic_store(&page->sleeping, 1);
    change(QP_FETCH_ADD, ADDRESS, key, 1, 0);
    ck_assert(wakes());
    engine_grant_drop(importer, key, DOCA_ERROR_NOT_PERMITTED, count_call, &dropped);
    run_loop_until(&dropped, 1);
    ck_assert_uint_eq(
        run((struct qp_request){.address = ADDRESS, .length = 8, .key = key, .opcode = QP_READ}),
        DOCA_ERROR_NOT_PERMITTED);
    teardown();
}
END_TEST

UNIT_MAIN("engine event", changes_the_counter_in_the_page, only_the_counter_and_only_whole,
          wakes_who_sleeps_when_it_has_changed, no_addition_is_lost_beside_others,
          outlives_the_descriptors_that_it_came_with)
