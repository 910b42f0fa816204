// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Readers of metrics: their users share the places.

#include "metrics_socket.h"

#include "cleanup.h"
#include "kinds.h"
#include "session_rig.h"
#include "stepped_clock.h"
#include "loop_sched.h"
#include "unit.h"
#include "user.h"
#include "work_walk.h"

#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ALICE   4711
#define MALLORY 4712
#define PLACES  128 // of all readers
#define BATCH   50  // fewer than may wait to be accepted

// Who connects, as docad sees it.
static uid_t reader_uid;

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *size);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
    int r = __real_getsockopt(fd, level, name, value, size);
    if (r == 0 && level == SOL_SOCKET && name == SO_PEERCRED)
        ((struct ucred *)value)->uid = reader_uid;
    return r;
}

static bool full; // the sockets of readers who do not read

ssize_t __real_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
    if (!full)
        return __real_send(fd, bytes, size, flags);
    errno = EAGAIN;
    return -1;
}

static struct user *alice, *mallory;
static char directory[] = "/tmp/docad-metrics-XXXXXX";
static int readers[4 * BATCH];
static unsigned n_readers;

static void begin(void)
{
    ck_assert_ptr_nonnull(mkdtemp(directory));
    rig_begin(kinds);
    rig_node.sched = sched_new(rig_node.base);
    snprintf(rig_config.metrics_socket, sizeof(rig_config.metrics_socket), "%s/m.sock", directory);
    alice = user_get(&rig_node.users, ALICE);
    mallory = user_get(&rig_node.users, MALLORY);
    rig_node.metrics_socket = metrics_socket_new(&rig_node);
    ck_assert_ptr_nonnull(rig_node.metrics_socket);
}

static void end(void)
{
    metrics_socket_free(rig_node.metrics_socket);
    while (n_readers > 0)
        close(readers[--n_readers]);
    user_unref(alice);
    user_unref(mallory);
    rig_node.work_walk = work_walk_free(rig_node.work_walk);
    rig_node.sched = sched_free(rig_node.sched);
    rig_end();
    ck_assert_int_eq(rmdir(directory), 0);
}

static void connect_many(uid_t uid, unsigned n)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    reader_uid = uid;
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", rig_config.metrics_socket);
    for (unsigned i = 0; i < n; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
        readers[n_readers++] = fd;
    }
    for (int i = 0; i < 100; i++) // until all are accepted
        event_base_loop(rig_node.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

// What the reader has got, without the end of its text if docad has more for it.
static size_t read_some(int fd, bool *over)
{
    char bytes[65536];
    ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
    *over = n == 0;
    return n > 0 ? (size_t)n : 0;
}

START_TEST(users_share_the_places)
{
    bool over;

    full = true;
    for (int i = 0; i < 3; i++)
        connect_many(MALLORY, BATCH);
    ck_assert_uint_eq(mallory->n_visits, PLACES / 2);
    read_some(readers[0], &over);
    ck_assert(!over); // it waits
    read_some(readers[3 * BATCH - 1], &over);
    ck_assert(over); // there was no place for it
    connect_many(ALICE, 10);
    ck_assert_uint_eq(alice->n_visits, 10);
    full = false;
    for (int i = 0; i < 100 && alice->n_visits + mallory->n_visits > 0; i++)
        event_base_loop(rig_node.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
    ck_assert_uint_eq(alice->n_visits + mallory->n_visits, 0);
    ck_assert_uint_gt(read_some(readers[0], &over), 1000);
    ck_assert_uint_gt(read_some(readers[n_readers - 1], &over), 1000);
}
END_TEST

// The text is made in turns of who reads it.
START_TEST(readers_are_served_in_turns_of_their_user)
{
    connect_many(ALICE, 1);
    bool over;
    ck_assert_uint_gt(read_some(readers[0], &over), 1000);
    ck_assert_uint_eq(alice->n_visits, 0);
    alice->sched.throttled_until_ns = UINT64_MAX; // it has had long turns
    connect_many(ALICE, 1);
    ck_assert_uint_eq(alice->n_visits, 1);
    ck_assert_uint_eq(read_some(readers[1], &over), 0);
    ck_assert(!over);
    connect_many(MALLORY, 1);
    ck_assert_uint_gt(read_some(readers[2], &over), 1000);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("metrics socket");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, users_share_the_places);
    tcase_add_test(tcase, readers_are_served_in_turns_of_their_user);
    return unit_run_case("metrics socket", tcase);
}
