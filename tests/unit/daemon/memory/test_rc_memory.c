// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tests which parts of a region are registered with a device, and when registrations end,
// without a device: registering and deregistering are counted here, and can be made to fail or
// to wait.

#include "cleanup.h"
#include "config.h"
#include "memfd.h"
#include "node.h"
#include "rc_device.h"
#include "rc_memory.h"
#include "rc_registration.h"
#include "region.h"
#include "session.h"
#include "unit.h"
#include "user.h"

#include <doca_types.h>
#include <event2/event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PAGE    4096u
#define ADDRESS 0x100000000u // as if another process had it there

static struct event_base *base;
static struct rc_device device;
static struct config config;
static struct node node = {.config = &config};
static struct user user;
static struct session session = {.node = &node, .user = &user};
static struct region region;
static struct segment segments[3];
static uint8_t *bytes;

static atomic_int registered, ended;
static bool fails;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; // held: registering waits
static uint32_t last_access;

doca_error_t __wrap_verbs_register(const struct verbs_device *d, void *address, size_t length,
                                   uint32_t access, struct ibv_mr **out, struct errtext *err);
int __wrap_ibv_dereg_mr(struct ibv_mr *mr);

doca_error_t __wrap_verbs_register(const struct verbs_device *d, void *address, size_t length,
                                   uint32_t access, struct ibv_mr **out, struct errtext *err)
{
    (void)d;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    if (fails)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "RLIMIT_MEMLOCK");
    struct ibv_mr *mr = calloc(1, sizeof(*mr));
    mr->addr = address;
    mr->length = length;
    mr->lkey = (uint32_t)++registered;
    last_access = access;
    *out = mr;
    return DOCA_SUCCESS;
}

int __wrap_ibv_dereg_mr(struct ibv_mr *mr)
{
    free(mr);
    ended++;
    return 0;
}

// Pages, a brokered one in the middle, more pages.
static void setup(void)
{
    base = event_base_new();
    device = (struct rc_device){.references = 1, .name = "fake"};
    list_init(&device.in_node);
    list_init(&device.queues);
    list_init(&device.tables);
    device.chores = chores_new(base, "test-chores");
    ck_assert_ptr_nonnull(device.chores);
    limits_init(&config.limits);
    user = (struct user){.references = 1};
    segments[0] = (struct segment){ADDRESS, 4 * PAGE, 0, true};
    segments[1] = (struct segment){ADDRESS + 4 * PAGE, PAGE, 0, false};
    segments[2] = (struct segment){ADDRESS + 5 * PAGE, 3 * PAGE, 4 * PAGE, true};
    region = (struct region){.object.session = &session,
                             .object.node = &node,
                             .address = ADDRESS,
                             .length = 8 * PAGE,
                             .access = DOCA_ACCESS_DPU_READ_WRITE,
                             .segments = {.items = segments, .count = 3, .memfd_size = 7 * PAGE},
                             .memfd = memfd_create_sealed("test", 7 * PAGE)};
    ck_assert_int_ge(region.memfd, 0);
    bytes = mmap(NULL, 7 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, region.memfd, 0);
    ck_assert_ptr_ne(bytes, MAP_FAILED);
    memset(bytes, 0, 7 * PAGE);
    rc_memory_init(&region.rc, &region);
    registered = ended = 0;
    fails = false;
}

// All that was begun is done, and nobody has the device any more.
static void teardown(void)
{
    ck_assert(chores_free(device.chores));
    ck_assert_int_eq(registered, ended);
    ck_assert_uint_eq(device.references, 1);
    ck_assert_uint_eq(user.references, 1);
    ck_assert_uint_eq(user.pinned_bytes, 0);
    ck_assert(list_empty(&device.tables) && list_empty(&region.rc.tables));
    munmap(bytes, 7 * PAGE);
    close_fdp(&region.memfd);
    event_base_free(base);
}

static bool hold(uint64_t offset, uint32_t length, struct rc_held *out)
{
    return rc_memory_hold(&region.rc, &device, ADDRESS + offset, length, out);
}

// Asks for it, and waits until it is registered.
static struct rc_held hold_soon(uint64_t offset, uint32_t length)
{
    struct rc_held held;
    while (!hold(offset, length, &held))
        event_base_loop(base, EVLOOP_ONCE);
    return held;
}

START_TEST(a_part_is_registered_when_it_is_asked_for)
{
    struct rc_held held, other;
    setup();
    ck_assert_uint_eq(rc_memory_bytes(&region.rc), 0);
    ck_assert(!hold(PAGE + 1, 100, &held)); // copied meanwhile
    held = hold_soon(PAGE + 1, 100);
    ck_assert_int_eq(registered, 1);
    ck_assert_uint_eq(rc_memory_bytes(&region.rc), 4 * PAGE);
    ck_assert_uint_eq(last_access, DOCA_ACCESS_LOCAL_READ_WRITE); // nothing for others
    memset(bytes + PAGE + 1, 0x5a, 100);
    for (size_t i = 0; i < 100; i++)
        ck_assert_uint_eq(held.start[i], 0x5a);
    // Once for all.
    ck_assert(hold(0, 4 * PAGE, &other));
    ck_assert_uint_eq(other.key, held.key);
    other = (rc_registration_release(other.registration), hold_soon(7 * PAGE, PAGE));
    ck_assert_int_eq(registered, 2);
    ck_assert_uint_ne(other.key, held.key);
    ck_assert_ptr_eq(memset(other.start, 1, PAGE), other.start);
    ck_assert_uint_eq(bytes[6 * PAGE], 1);
    rc_registration_release(other.registration);
    rc_registration_release(held.registration);
    rc_memory_end(&region.rc);
    ck_assert_uint_eq(rc_memory_bytes(&region.rc), 0);
    teardown();
}
END_TEST

START_TEST(brokered_bytes_and_those_of_two_parts_are_not_held)
{
    static const struct {
        uint64_t offset;
        uint32_t length;
    } rows[] = {{4 * PAGE, 1},     {4 * PAGE, PAGE},     {4 * PAGE - 1, 2},
                {5 * PAGE - 1, 2}, {4 * PAGE - 8, 2000}, {PAGE, 4 * PAGE}};
    struct rc_held held;
    setup();
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
            ck_assert(!hold(rows[i].offset, rows[i].length, &held));
        ck_assert_int_eq(registered, round);
        // To the last byte, and from the first.
        held = hold_soon(4 * PAGE - 1, 1);
        rc_registration_release(held.registration);
    }
    held = hold_soon(5 * PAGE, 1);
    rc_registration_release(held.registration);
    rc_memory_end(&region.rc);
    teardown();
}
END_TEST

START_TEST(it_ends_after_the_last_hold)
{
    setup();
    struct rc_held held = hold_soon(0, 1), again;
    ck_assert(hold(0, 1, &again));
    rc_memory_end(&region.rc);
    rc_registration_release(held.registration);
    // The thread does all it has been told to before this chore of the second region's part.
    struct rc_held later = hold_soon(5 * PAGE, 1);
    ck_assert_int_eq(ended, 0);
    again.start[0] = 7;
    ck_assert_uint_eq(bytes[0], 7);
    rc_registration_release(again.registration);
    rc_registration_release(later.registration);
    rc_memory_end(&region.rc);
    teardown();
    ck_assert_int_eq(ended, 2);
}
END_TEST

START_TEST(it_ends_while_it_is_being_registered)
{
    struct rc_held held;
    setup();
    pthread_mutex_lock(&gate);
    ck_assert(!hold(0, 1, &held));
    ck_assert(!hold(0, 1, &held)); // not begun twice
    rc_memory_end(&region.rc);
    pthread_mutex_unlock(&gate);
    teardown();
    ck_assert_int_eq(ended, 1);
}
END_TEST

START_TEST(what_cannot_be_registered_is_tried_once)
{
    struct rc_held held;
    setup();
    fails = true;
    ck_assert(!hold(0, 1, &held));
    event_base_loop(base, EVLOOP_ONCE); // it was not
    fails = false;
    ck_assert(!hold(0, 1, &held));
    ck_assert(!hold(5 * PAGE, 1, &held));
    rc_memory_end(&region.rc);
    teardown();
    ck_assert_int_eq(registered, 0);
    // Anew, once others import it again.
    setup();
    held = hold_soon(0, 1);
    rc_registration_release(held.registration);
    rc_memory_end(&region.rc);
    teardown();
}
END_TEST

START_TEST(a_file_that_only_its_owner_writes_is_not_registered)
{
    struct rc_held held;
    setup();
    ck_assert_int_eq(memfd_seal_future_write(region.memfd), 0);
    ck_assert(!hold(0, 1, &held));
    ck_assert(!hold(0, 1, &held));
    rc_memory_end(&region.rc);
    teardown();
    ck_assert_int_eq(registered, 0);
}
END_TEST

// One byte is asked for: nothing is allocated for it.
START_TEST(holes_are_not_registered)
{
    struct rc_held held;
    struct stat before, after;
    setup();
    ck_assert_int_eq(madvise(bytes + PAGE, 3 * PAGE, MADV_REMOVE), 0);
    ck_assert_int_eq(fstat(region.memfd, &before), 0);
    for (int i = 0; i < 3; i++)
        ck_assert(!hold(0, 1, &held));
    rc_memory_end(&region.rc);
    ck_assert_int_eq(fstat(region.memfd, &after), 0);
    ck_assert_int_eq(after.st_blocks, before.st_blocks);
    teardown();
    ck_assert_int_eq(registered, 0);
}
END_TEST

START_TEST(it_ends_for_one_node)
{
    static const uint8_t here[NODE_ID_SIZE] = "here";
    struct rc_device another = {.references = 1, .name = "another", .node_there = "another"};
    struct rc_held held, kept;
    setup();
    list_init(&another.tables);
    another.chores = device.chores;
    memcpy(device.node_there, here, sizeof(here));
    kept = hold_soon(0, 1);
    while (!rc_memory_hold(&region.rc, &another, ADDRESS, 1, &held))
        event_base_loop(base, EVLOOP_ONCE);
    rc_registration_release(held.registration);
    rc_memory_end_for(&region.rc, another.node_there);
    while (another.references > 1)
        event_base_loop(base, EVLOOP_ONCE);
    ck_assert_int_eq(ended, 1);
    rc_memory_end_for(&region.rc, another.node_there);
    ck_assert(hold(1, 1, &held));
    rc_registration_release(held.registration);
    rc_registration_release(kept.registration);
    rc_memory_end_for(&region.rc, here);
    teardown();
}
END_TEST

// With two devices and two parts, until everything is released.
static void pin_up_to(enum limit limit)
{
    struct rc_device another = {.references = 1, .name = "another"};
    struct rc_held held, none;
    setup();
    list_init(&another.tables);
    another.chores = device.chores;
    config.limits.value[limit] = 5 * PAGE;
    for (int i = 0; i < 2; i++) {
        held = hold_soon(0, 1);
        ck_assert_uint_eq(user.pinned_bytes, 4 * PAGE);
        ck_assert(!hold(5 * PAGE, 1, &none));
        ck_assert(!rc_memory_hold(&region.rc, &another, ADDRESS, 1, &none));
        ck_assert_uint_eq(user.pinned_bytes, 4 * PAGE);
        ck_assert(hold(4, 1, &none)); // what was registered before stays
        rc_registration_release(none.registration);
        rc_registration_release(held.registration);
        rc_memory_end(&region.rc);
        while (user.pinned_bytes > 0)
            event_base_loop(base, EVLOOP_ONCE);
    }
    ck_assert_uint_eq(another.references, 1);
    teardown();
    ck_assert_int_eq(registered, 2);
}

START_TEST(no_more_is_pinned_than_the_limits_let)
{
    pin_up_to(LIMIT_PINNED_BYTES);
    pin_up_to(LIMIT_ALL_PINNED_BYTES);
}
END_TEST

// Like the library with memory that others only read.
START_TEST(unless_it_was_mapped_before_it_was_sealed)
{
    setup();
    region.access = DOCA_ACCESS_DPU_READ_ONLY;
    rc_memory_map(&region.rc);
    ck_assert_int_eq(memfd_seal_future_write(region.memfd), 0);
    struct rc_held held = hold_soon(5 * PAGE + 3, 10);
    bytes[4 * PAGE + 3] = 0x77;
    ck_assert_uint_eq(held.start[0], 0x77);
    rc_memory_end(&region.rc);
    rc_memory_unmap(&region.rc);
    ck_assert_uint_eq(held.start[0], 0x77);
    rc_registration_release(held.registration);
    teardown();
    ck_assert_int_eq(registered, 1);
}
END_TEST

START_TEST(it_ends_with_the_device)
{
    setup();
    struct rc_held held = hold_soon(0, 1);
    rc_registration_release(held.registration);
    rc_device_end(&device);
    ck_assert(list_empty(&region.rc.tables));
    teardown();
    ck_assert_int_eq(ended, 1);
}
END_TEST

START_TEST(what_others_only_read_is_not_written)
{
    setup();
    region.access = DOCA_ACCESS_DPU_READ_ONLY;
    struct rc_held held = hold_soon(0, 1);
    ck_assert_uint_eq(last_access, 0);
    rc_registration_release(held.registration);
    rc_memory_end(&region.rc);
    teardown();
}
END_TEST

UNIT_MAIN("rc_memory", a_part_is_registered_when_it_is_asked_for,
          brokered_bytes_and_those_of_two_parts_are_not_held, it_ends_after_the_last_hold,
          it_ends_while_it_is_being_registered, what_cannot_be_registered_is_tried_once,
          a_file_that_only_its_owner_writes_is_not_registered,
          unless_it_was_mapped_before_it_was_sealed, holes_are_not_registered,
          no_more_is_pinned_than_the_limits_let, it_ends_for_one_node, it_ends_with_the_device,
          what_others_only_read_is_not_written)
