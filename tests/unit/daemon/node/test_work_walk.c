// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The sum of the work of all sessions, which is made in pieces.

#include "session_rig.h"
#include "stepped_clock.h"
#include "loop_sched.h"
#include "unit.h"
#include "user.h"
#include "work_walk.h"

#include <event2/event.h>

#define MANY        100u // more than are read at a time
#define PIECES_MOST 6    // in one turn, by the clock below
#define PIECE       8u

static unsigned reads;

void __real_session_work_add(const struct session *session, struct session_work *sum);
void __wrap_session_work_add(const struct session *session, struct session_work *sum);
void __wrap_session_work_add(const struct session *session, struct session_work *sum)
{
    reads++;
    __real_session_work_add(session, sum);
}

static const struct object_kind *const kinds[] = {NULL};
static struct rig_session sessions[MANY];
static unsigned n_sessions;

static void begin(void)
{
    rig_begin(kinds);
    rig_node.sched = sched_new(rig_node.base);
    n_sessions = reads = 0;
}

static void end(void)
{
    while (n_sessions > 0)
        rig_session_end(&sessions[--n_sessions]);
    rig_node.work_walk = work_walk_free(rig_node.work_walk);
    rig_node.sched = sched_free(rig_node.sched);
    rig_end();
}

// Each of which has done one job.
static void begin_sessions(unsigned n)
{
    while (n_sessions < n) {
        struct rig_session *rig = &sessions[n_sessions++];
        rig_session_begin(rig);
        struct activity *shared = (struct activity *)(uintptr_t)rig->session.activity.shared;
        shared->places = 1;
        shared->stats[0].library = WORK_LIBRARY_NONE + 1;
        shared->stats[0].in_use = 1;
        shared->stats[0].jobs = 1;
    }
}

static void end_last_session(void)
{
    struct session *session = &sessions[n_sessions - 1].session;
    session_work_end(session, &rig_node.counters.ended);
    work_walk_session_ended(session);
    rig_session_end(&sessions[--n_sessions]);
}

struct reader {
    struct work_wait wait;
    struct user *user;
    unsigned taken;
    uint64_t jobs;
};

static bool take_sum(struct sched_item *turn)
{
    struct reader *r = container_of(turn, struct reader, wait.turn);
    r->taken++;
    r->jobs = work_wait_sum(&rig_node)->of[WORK_LIBRARY_NONE + 1].jobs;
    return false;
}

static void reader_begin(struct reader *r, uid_t uid)
{
    *r = (struct reader){.user = user_get(&rig_node.users, uid)};
    work_wait_init(&r->wait);
    r->wait.turn =
        (struct sched_item){.take = take_sum, .sched = rig_node.sched, .user = &r->user->sched};
    list_init(&r->wait.turn.in_user);
    ck_assert(work_wait_begin(&rig_node, &r->wait));
}

static void reader_end(struct reader *r)
{
    work_wait_end(&r->wait);
    user_unref(r->user);
}

static void loop(void)
{
    event_base_loop(rig_node.base, EVLOOP_NONBLOCK);
}

START_TEST(few_are_read_at_once)
{
    struct reader reader;
    begin_sessions(3);
    reader_begin(&reader, 4711);
    ck_assert_uint_eq(reader.taken, 1);
    ck_assert_uint_eq(reader.jobs, 3);
    end_last_session();
    ck_assert(!work_waits(&reader.wait));
    ck_assert(work_wait_begin(&rig_node, &reader.wait));
    ck_assert_uint_eq(reader.jobs, 3);
    reader_end(&reader);
}
END_TEST

// Another user's turns come between the pieces.
struct watcher {
    struct sched_item turn;
    struct user *user;
    unsigned before, n_turns;
};

static bool watch(struct sched_item *turn)
{
    struct watcher *w = container_of(turn, struct watcher, turn);
    ck_assert_uint_le(reads - w->before, PIECES_MOST * PIECE);
    w->before = reads;
    w->n_turns++;
    return reads < MANY;
}

START_TEST(many_are_read_in_pieces)
{
    struct reader reader;
    struct watcher w = {.user = user_get(&rig_node.users, 4712)};

    begin_sessions(MANY);
    w.turn = (struct sched_item){.take = watch, .sched = rig_node.sched, .user = &w.user->sched};
    list_init(&w.turn.in_user);
    reader_begin(&reader, 4711);
    ck_assert_uint_eq(reads, 0);
    sched_queue(&w.turn);
    while (!reader.taken)
        loop();
    ck_assert_uint_eq(reader.jobs, MANY);
    ck_assert_uint_eq(reads, MANY);
    ck_assert_uint_ge(w.n_turns, MANY / (PIECES_MOST * PIECE));
    sched_dequeue(&w.turn);
    reader_end(&reader);
    user_unref(w.user);
}
END_TEST

START_TEST(those_who_come_together_share_the_sum)
{
    struct reader readers[40];

    begin_sessions(MANY);
    for (unsigned i = 0; i < ARRAY_SIZE(readers); i++)
        reader_begin(&readers[i], 4711 + i % 3);
    for (unsigned i = 0; i < 1000; i++)
        loop();
    for (unsigned i = 0; i < ARRAY_SIZE(readers); i++) {
        ck_assert_uint_eq(readers[i].taken, 1);
        ck_assert_uint_eq(readers[i].jobs, MANY);
        reader_end(&readers[i]);
    }
    // The first had one of its own: the others had come when that had begun.
    ck_assert_uint_eq(reads, 2 * MANY);
}
END_TEST

static unsigned ended;

static bool end_one(struct sched_item *turn)
{
    (void)turn;
    if (ended < MANY / 2)
        end_last_session();
    return ++ended < MANY / 2;
}

// Sessions that end while the sum is made count once, whether they were read or not.
START_TEST(sessions_that_end_before_the_walk_count_once)
{
    struct reader reader;
    struct user *user = user_get(&rig_node.users, 4712);
    struct sched_item turn = {.take = end_one, .sched = rig_node.sched, .user = &user->sched};

    list_init(&turn.in_user);
    begin_sessions(MANY);
    reader_begin(&reader, 4711);
    sched_queue(&turn);
    while (!reader.taken)
        loop();
    ck_assert_uint_eq(reader.jobs, MANY);
    ck_assert_uint_lt(reads, MANY); // some had ended before
    sched_dequeue(&turn);
    reader_end(&reader);
    user_unref(user);
}
END_TEST

START_TEST(who_goes_is_not_informed)
{
    struct reader stays, goes;
    begin_sessions(MANY);
    reader_begin(&goes, 4711);
    reader_begin(&stays, 4711);
    reader_end(&goes);
    while (!stays.taken)
        loop();
    ck_assert_uint_eq(goes.taken, 0);
    reader_end(&stays);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("work walk");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, few_are_read_at_once);
    tcase_add_test(tcase, many_are_read_in_pieces);
    tcase_add_test(tcase, those_who_come_together_share_the_sum);
    tcase_add_test(tcase, sessions_that_end_before_the_walk_count_once);
    tcase_add_test(tcase, who_goes_is_not_informed);
    return unit_run_case("work walk", tcase);
}
