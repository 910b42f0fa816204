// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A socket on which clients arrive: all of them are accepted, and those who wait for a turn do not
// keep the loop busy.

#include "connection_rig.h"

#include "cleanup.h"
#include "clock.h"
#include "env.h"
#include "listener.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CLIENTS 100

// So many of the next calls fail so.
static struct failing {
    unsigned calls;
    int error;
} accepting, watching;

static bool fails(struct failing *failing)
{
    if (failing->calls == 0)
        return false;
    failing->calls--;
    errno = failing->error;
    return true;
}

int __real_accept4(int fd, struct sockaddr *from, socklen_t *size, int flags);
int __wrap_accept4(int fd, struct sockaddr *from, socklen_t *size, int flags);
int __wrap_accept4(int fd, struct sockaddr *from, socklen_t *size, int flags)
{
    return fails(&accepting) ? -1 : __real_accept4(fd, from, size, flags);
}

// Descriptors that are to be watched.
int __real_event_add(struct event *event, const struct timeval *after);
// The linker takes libevent's own calls for calls of this one, and wants to see it.
__attribute__((visibility("default"))) int __wrap_event_add(struct event *event,
                                                            const struct timeval *after);
int __wrap_event_add(struct event *event, const struct timeval *after)
{
    return event_get_fd(event) >= 0 && fails(&watching) ? -1 : __real_event_add(event, after);
}

static struct path path;
static struct listener *listener;
static struct sched_users t;
static unsigned accepted;

static void on_accepted(void *arg, int fd)
{
    uint64_t until = clock_ns() + *(const uint64_t *)arg;

    accepted++;
    close(fd);
    while (clock_ns() < until)
        ;
}

static void start(struct sched *sched, const uint64_t *burn_ns)
{
    struct errtext err;

    accepted = 0;
    ck_assert_int_eq(listener_new(&listener, path.s, 0600, &err), DOCA_SUCCESS);
    ck_assert(listener_start(listener, base, sched, on_accepted, (void *)(uintptr_t)burn_ns));
}

static void set_up(void)
{
    env_setup();
    setup_base();
    setup_sched(&t);
    path = temp_path("listener.sock");
}

static void tear_down(void)
{
    listener = listener_free(listener);
    sched_free(t.sched);
    event_base_free(base);
    env_teardown();
}

static int arrive(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    ck_assert_uint_lt(strlen(path.s), sizeof(to.sun_path));
    strcpy(to.sun_path, path.s);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static void everybody_is_accepted(struct sched *sched)
{
    static const uint64_t at_once;
    int fds[CLIENTS];

    start(sched, &at_once);
    for (unsigned twice = 1; twice <= 2; twice++) {
        for (size_t i = 0; i < CLIENTS; i++)
            fds[i] = arrive();
        run_until(accepted == twice * CLIENTS);
        for (size_t i = 0; i < CLIENTS; i++)
            close(fds[i]);
    }
}

START_TEST(all_are_accepted_in_turns)
{
    everybody_is_accepted(t.sched);
}
END_TEST

START_TEST(all_are_accepted_without_turns)
{
    everybody_is_accepted(NULL);
}
END_TEST

// Three wait when accepting fails so. Nobody comes after them: no other event tells of them.
static void three_come(int error)
{
    static const uint64_t at_once;
    int fds[3];

    start(t.sched, &at_once);
    accepting = (struct failing){1, error};
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        fds[i] = arrive();
    run_until(accepting.calls == 0);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        close(fds[i]); // what has come is accepted all the same
}

START_TEST(one_that_has_left_again_keeps_nobody_out)
{
    three_come(ECONNABORTED);
    run_until(accepted == 3);
}
END_TEST

START_TEST(accepts_again_when_a_descriptor_is_closed)
{
    three_come(EMFILE);
    ck_assert_uint_eq(accepted, 0);
    listener_resume(listener);
    run_until(accepted == 3);
}
END_TEST

START_TEST(accepts_again_after_a_pause)
{
    three_come(ENFILE);
    ck_assert_uint_eq(accepted, 0);
    run_until(accepted == 3);
}
END_TEST

// The kernel limits how many descriptors a user watches.
START_TEST(accepts_again_when_it_may_be_watched)
{
    three_come(EMFILE);
    watching = (struct failing){2, ENOSPC};
    if (_i)
        listener_resume(listener);
    run_until(accepted == 3);
    ck_assert_uint_eq(watching.calls, 0);
}
END_TEST

static bool take_nothing(struct sched_item *turn)
{
    (void)turn;
    return false;
}

// Each client takes long, so that the next one waits for a while.
START_TEST(clients_wait_quietly)
{
    static const uint64_t long_ns = 1000000;
    struct sched_item somebody = {.sched = t.sched, .user = &t.users[0], .take = take_nothing};
    int fds[4];

    list_init(&somebody.in_user);
    start(t.sched, &long_ns);
    unsigned waits = calls.waits;
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        fds[i] = arrive();
    sched_queue(&somebody); // a user who is alone does not rest
    run_until(accepted == ARRAY_SIZE(fds));
    ck_assert_uint_lt(calls.waits - waits, 20);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        close(fds[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("listener");
    TCase *tcase = tcase_create("listener");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, all_are_accepted_in_turns);
    tcase_add_test(tcase, all_are_accepted_without_turns);
    tcase_add_test(tcase, one_that_has_left_again_keeps_nobody_out);
    tcase_add_test(tcase, accepts_again_when_a_descriptor_is_closed);
    tcase_add_test(tcase, accepts_again_after_a_pause);
    tcase_add_loop_test(tcase, accepts_again_when_it_may_be_watched, 0, 2);
    tcase_add_test(tcase, clients_wait_quietly);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
