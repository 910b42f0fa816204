// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// libevent's memory: what it keeps does not lie between the objects of sessions.

#include "cleanup.h"
#include "event_memory.h"
#include "unit.h"

#include <event2/event.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FILES 500

static void ignore(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
}

static void watch(struct event_base *base, int fd)
{
    struct event *event = event_new(base, fd, EV_READ | EV_PERSIST, ignore, NULL);
    ck_assert_ptr_nonnull(event);
    ck_assert_int_eq(event_add(event, NULL), 0);
    event_free(event);
}

// Between two counts of the bytes that malloc has handed out, each descriptor had an event.
START_TEST(descriptors_leave_nothing_in_malloc)
{
    struct event_base *base = event_base_new();
    int fds[FILES];

    for (int i = 0; i < FILES; i++)
        ck_assert_int_ge(fds[i] = eventfd(0, EFD_CLOEXEC), 0);
    watch(base, fds[FILES - 1]); // the table by numbers has its size now
    size_t small = event_memory_count(), bytes = mallinfo2().uordblks;
    for (int i = 0; i < FILES - 1; i++)
        watch(base, fds[i]);
    ck_assert_uint_eq(mallinfo2().uordblks, bytes);
    ck_assert_uint_eq(event_memory_count(), small + FILES - 1);
    for (int i = 0; i < FILES; i++)
        close(fds[i]);
    event_base_free(base);
    ck_assert_uint_le(event_memory_count(), small);
}
END_TEST

START_TEST(small_blocks_are_used_again_and_grow)
{
    size_t before = event_memory_count();
    char *first = event_memory_take(8), *second = event_memory_take(32);
    ck_assert_int_eq(second - first, 32);
    event_memory_give(first);
    ck_assert_ptr_eq(event_memory_take(1), first);
    memset(second, 7, 32);
    ck_assert_ptr_eq(event_memory_resize(second, 20), second);
    char *large = event_memory_resize(second, 4000);
    for (int i = 0; i < 32; i++)
        ck_assert_int_eq(large[i], 7);
    ck_assert_uint_eq(event_memory_count(), before + 1);
    large = event_memory_resize(large, 8000);
    ck_assert_int_eq(large[31], 7);
    event_memory_give(large);
    event_memory_give(first);
    ck_assert_uint_eq(event_memory_count(), before);
    char *from_nothing = event_memory_resize(NULL, 5);
    ck_assert_ptr_nonnull(from_nothing);
    event_memory_give(from_nothing);
    event_memory_give(NULL);
}
END_TEST

int main(void)
{
    event_memory_init();
    TCase *tcase = tcase_create("event_memory");
    tcase_add_test(tcase, descriptors_leave_nothing_in_malloc);
    tcase_add_test(tcase, small_blocks_are_used_again_and_grow);
    return unit_run_case("event_memory", tcase);
}
