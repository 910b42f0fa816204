// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Copies by the engine between memory files: what it copies, what it refuses, and what a
// grant that ends does to a copy under way.

#include "cleanup.h"
#include "engine_copy.h"
#include "engine_rig.h"
#include "memfd.h"
#include "segments.h"
#include "unit.h"

#include <doca_error.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u
#define SIZE (4u << 20)
#define FROM 0x100000000u // as if another process had it there
#define TO   0x200000001u

int __real_munmap(void *at, size_t size);
int __wrap_munmap(void *at, size_t size);

static pthread_t loop;                   // the thread of the test is that of the loop
static _Atomic size_t unmapped, largest; // by other threads: in all, and at once
static _Atomic size_t unmapped_by_loop;

int __wrap_munmap(void *at, size_t size)
{
    if (pthread_equal(pthread_self(), loop)) {
        atomic_fetch_add(&unmapped_by_loop, size);
    } else {
        atomic_fetch_add(&unmapped, size);
        if (size > atomic_load(&largest))
            atomic_store(&largest, size);
    }
    return __real_munmap(at, size);
}

static struct engine_importer *importer;
static struct engine_queue_pair *qp;
static struct qp_client client;
static uint8_t *source, *target; // the files' bytes
static uint32_t from_key, to_key;

// The file is mapped at the addresses given, but for a hole of one page in the middle, which
// is brokered.
static uint32_t window(uint8_t **bytes, uint64_t address, bool writable)
{
    struct segment items[] = {
        {address, SIZE / 2, 0, true},
        {address + SIZE / 2, PAGE, 0, false},
        {address + SIZE / 2 + PAGE, SIZE / 2, SIZE / 2, true},
    };
    const struct segments segments = {
        .items = items, .count = ARRAY_SIZE(items), .memfd_size = SIZE};
    struct engine_window *made;
    uint32_t key;

    cleanup_fd int fd = memfd_create_sealed("test", SIZE);
    ck_assert_int_ge(fd, 0);
    *bytes = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(*bytes, MAP_FAILED);
    ck_assert_int_eq(engine_window_new(&made, fd, &segments, writable), 0);
    struct engine_range range = {.window = made,
                                 .allowed = 1u << QP_READ | (writable ? 1u << QP_WRITE : 0)};
    ck_assert_int_eq(engine_grant_add(importer, &range, &key), 0);
    return key;
}

static void setup(void)
{
    rig_start();
    importer = importer_new(1000);
    from_key = window(&source, FROM, false);
    to_key = window(&target, TO, true);
    for (size_t i = 0; i < SIZE; i++)
        source[i] = (uint8_t)(i * 7 + i / 256);
    qp = importer_open(importer, &client);
}

static void teardown(void)
{
    importers_end(&importer, 1);
    rig_stop();
    qp_client_fini(&client);
    munmap(source, SIZE);
    munmap(target, SIZE);
}

static void post(const struct qp_copy *copy, uint32_t tag)
{
    memcpy(client.shared->data[tag], copy, sizeof(*copy));
    struct qp_request r = {
        .length = sizeof(*copy), .offset = tag * QP_CHUNK_SIZE, .tag = tag, .opcode = QP_COPY};
    ck_assert(qp_post(&client, &r));
    qp_ring(&client);
}

static uint32_t copy(struct qp_copy what)
{
    static uint32_t tag;
    tag = (tag + 1) % QP_CHUNKS;
    post(&what, tag);
    struct qp_completion c = wait_completion(&client);
    ck_assert_uint_eq(c.tag, tag);
    return c.status;
}

START_TEST(copies_to_the_byte)
{
    static const uint64_t lengths[] = {1, 4095, 65537, 300000, SIZE / 2 - 9};
    setup();
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        memset(target, 0xee, SIZE);
        ck_assert_uint_eq(copy((struct qp_copy){FROM + 5, TO + 8, lengths[i], from_key, to_key}),
                          DOCA_SUCCESS);
        ck_assert_mem_eq(target + 8, source + 5, lengths[i]);
        ck_assert_uint_eq(target[7], 0xee);
        ck_assert_uint_eq(target[8 + lengths[i]], 0xee);
    }
    // Behind the hole the file goes on, a page earlier.
    ck_assert_uint_eq(copy((struct qp_copy){FROM + SIZE / 2 + PAGE, TO, 70000, from_key, to_key}),
                      DOCA_SUCCESS);
    ck_assert_mem_eq(target, source + SIZE / 2, 70000);
    teardown();
}
END_TEST

static const struct {
    const char *what;
    struct qp_copy copy; // a key of 1 is the source's, of 2 the target's
    uint32_t status;
} bad[] = {
    {"nothing", {FROM, TO, 0, 1, 2}, DOCA_ERROR_INVALID_VALUE},
    {"a length that wraps", {FROM, TO, UINT64_MAX - 16, 1, 2}, DOCA_ERROR_INVALID_VALUE},
    {"before the source", {FROM - 1, TO, 8, 1, 2}, DOCA_ERROR_NOT_PERMITTED},
    {"behind the source", {FROM + SIZE + PAGE, TO, 1, 1, 2}, DOCA_ERROR_NOT_PERMITTED},
    {"before the target", {FROM, TO - 1, 8, 1, 2}, DOCA_ERROR_NOT_PERMITTED},
    {"into the source's hole", {FROM + SIZE / 2, TO, 1, 1, 2}, DOCA_ERROR_NOT_PERMITTED},
    {"over the target's edge", {FROM, TO + SIZE / 2 - 8, 9, 1, 2}, DOCA_ERROR_NOT_PERMITTED},
    {"to what may only be read", {FROM, FROM + 64, 8, 1, 1}, DOCA_ERROR_NOT_PERMITTED},
    {"a key that never was", {FROM, TO, 8, 77, 2}, DOCA_ERROR_NOT_PERMITTED},
    {"a guessed key", {FROM, TO, 8, 1, 0x10002}, DOCA_ERROR_NOT_PERMITTED},
};

START_TEST(what_is_not_allowed_is_refused)
{
    static uint8_t untouched[SIZE / 2 - 8];
    setup();
    memset(untouched, 0xee, sizeof(untouched));
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct qp_copy what = bad[i].copy;
        what.from_key = what.from_key == 1 ? from_key : what.from_key;
        what.to_key = what.to_key == 1 ? from_key : what.to_key == 2 ? to_key : what.to_key;
        memset(target, 0xee, SIZE);
        ck_assert_msg(copy(what) == bad[i].status, "%s", bad[i].what);
        // At most what was allowed has been copied; a good one works still.
        ck_assert_mem_eq(target, untouched, sizeof(untouched));
        ck_assert_uint_eq(copy((struct qp_copy){FROM, TO, 64, from_key, to_key}), DOCA_SUCCESS);
        ck_assert_mem_eq(target, source, 64);
    }
    teardown();
}
END_TEST

// A key is for one kind of request; lengths and offsets of the request itself.
START_TEST(requests_that_make_no_sense_are_refused)
{
    struct qp_request r = {.address = FROM, .length = 8, .key = from_key, .opcode = QP_READ};
    setup();
    ck_assert(qp_post(&client, &r));
    qp_ring(&client);
    ck_assert_uint_eq(wait_completion(&client).status, DOCA_ERROR_NOT_PERMITTED);
    r = (struct qp_request){.length = sizeof(struct qp_copy) - 1, .opcode = QP_COPY};
    ck_assert(qp_post(&client, &r));
    qp_ring(&client);
    ck_assert_uint_eq(wait_completion(&client).status, DOCA_ERROR_INVALID_VALUE);
    r = (struct qp_request){.length = sizeof(struct qp_copy),
                            .offset = QP_CHUNKS * QP_CHUNK_SIZE - 1,
                            .opcode = QP_COPY};
    ck_assert(qp_post(&client, &r));
    qp_ring(&client);
    ck_assert_uint_eq(wait_completion(&client).status, DOCA_ERROR_INVALID_VALUE);
    teardown();
}
END_TEST

// However often it is tried: once the end of the grant is told, no byte changes, and what was
// under way has failed or was over.
START_TEST(no_byte_moves_after_the_end_of_a_grant)
{
    static uint8_t theirs[SIZE];

    memset(theirs, 0xdd, SIZE);
    setup();
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t key = to_key;
        int ended = 0;
        memset(target, 0xee, SIZE);
        post(&(struct qp_copy){FROM, TO, SIZE / 2, from_key, key}, 0);
        while (round % 2 && *(volatile uint8_t *)target == 0xee)
            sched_yield();
        engine_grant_drop(importer, round % 4 < 2 ? key : from_key, DOCA_ERROR_NOT_PERMITTED,
                          count_call, &ended);
        run_loop_until(&ended, 1);
        memset(target, 0xdd, SIZE);
        uint32_t status = wait_completion(&client).status;
        ck_assert(status == DOCA_SUCCESS || status == DOCA_ERROR_NOT_PERMITTED);
        ck_assert_mem_eq(target, theirs, SIZE);
        uint8_t **bytes = round % 4 < 2 ? &target : &source;
        munmap(*bytes, SIZE);
        if (round % 4 < 2)
            to_key = window(&target, TO, true);
        else
            from_key = window(&source, FROM, false);
    }
    teardown();
}
END_TEST

// The sanitizers see what is used afterwards, or kept.
START_TEST(all_may_end_under_way)
{
    for (int drop = 0; drop < 2; drop++) {
        setup();
        for (uint32_t i = 0; i < QP_CHUNKS; i++)
            post(&(struct qp_copy){FROM, TO, SIZE / 2, from_key, to_key}, i);
        if (drop)
            engine_queue_pair_drop(qp);
        teardown();
    }
}
END_TEST

#define BIG ((size_t)256 << 20)

// A big window is unmapped by a thread, a piece at a time, so that nobody else waits long.
START_TEST(windows_are_unmapped_elsewhere)
{
    struct segment item = {FROM, BIG, 0, true};
    const struct segments segments = {.items = &item, .count = 1, .memfd_size = BIG};
    struct engine_window *made;
    uint32_t key;

    loop = pthread_self();
    rig_start();
    importer = importer_new(1000);
    cleanup_fd int fd = memfd_create_sealed("test", BIG);
    ck_assert_int_eq(engine_window_new(&made, fd, &segments, false), 0);
    struct engine_range range = {.window = made, .allowed = 1u << QP_READ};
    ck_assert_int_eq(engine_grant_add(importer, &range, &key), 0);
    int ended = 0;
    engine_grant_drop(importer, key, DOCA_ERROR_NOT_PERMITTED, count_call, &ended);
    run_loop_until(&ended, 1);
    importers_end(&importer, 1);
    rig_stop();
    ck_assert_uint_eq(atomic_load(&unmapped), BIG);
    ck_assert_uint_le(atomic_load(&largest), BIG / 8);
    ck_assert_uint_lt(atomic_load(&unmapped_by_loop), BIG);
}
END_TEST

UNIT_MAIN("engine_copy", windows_are_unmapped_elsewhere, copies_to_the_byte,
          what_is_not_allowed_is_refused, requests_that_make_no_sense_are_refused,
          no_byte_moves_after_the_end_of_a_grant, all_may_end_under_way)
