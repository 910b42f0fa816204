// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA: connecting, failing, and what happens when something goes.

#include "log_lines.h"
#include "rdma_setting.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

// ---- connecting -----------------------------------------------------------------------------

static int refuses_bad_blobs(struct child *self, void *arg)
{
    struct peer p, q;
    (void)self;
    peer_open(&p, arg);
    peer_open(&q, arg);
    struct blob own = peer_export(&p), other = peer_export(&q), map = peer_export_map(&q);
    ck_assert_error(doca_rdma_connect(p.rdma, own.bytes, own.length), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_rdma_connect(p.rdma, map.bytes, map.length), DOCA_ERROR_INVALID_VALUE);
    for (size_t n = 0; n < other.length; n++)
        ck_assert_error(doca_rdma_connect(p.rdma, other.bytes, n), DOCA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < other.length; i++) {
        struct blob bad = other;
        bad.bytes[i] ^= 0x10;
        ck_assert_error(doca_rdma_connect(p.rdma, bad.bytes, bad.length), DOCA_ERROR_INVALID_VALUE);
    }
    ck_assert_error(doca_rdma_connect(NULL, other.bytes, other.length), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_INIT);
    ck_assert_error(doca_rdma_destroy(p.rdma), DOCA_ERROR_BAD_STATE);
    struct doca_buf *b = peer_buf(&p, 0, 8);
    ck_assert_error(peer_try_send(&p, b, NULL), DOCA_ERROR_BAD_STATE);
    drop(b);
    // The details are from before the restart.
    peer_restart(&q);
    ck_assert_error(doca_rdma_connect(p.rdma, other.bytes, other.length),
                    DOCA_ERROR_CONNECTION_ABORTED);
    // Two instances of one process; receives may be submitted before.
    ck_assert_success(peer_try_recv(&q, NULL));
    ck_assert_error(peer_poll(&q), DOCA_ERROR_AGAIN);
    other = peer_export(&q);
    peer_connect(&p, &other);
    ck_assert_error(doca_rdma_connect(p.rdma, other.bytes, other.length), DOCA_ERROR_BAD_STATE);
    ck_assert_success(peer_try_send(&p, NULL, NULL));
    ck_assert_error(peer_poll(&p), DOCA_ERROR_AGAIN); // the other side has not connected yet
    own = peer_export(&p);
    peer_connect(&q, &own);
    ck_assert_success(peer_wait(&q));
    ck_assert_success(peer_wait(&p));
    peer_close(&p);
    ck_assert_int_eq(peer_state(&q), DOCA_RDMA_STATE_ERROR);
    peer_close(&q);
    return 0;
}

START_TEST(connection_details)
{
    struct peer_plan plan = near_plan(_i ? ONE_NODE_EVENTS : ONE_NODE);
    setting_start(ONE_NODE);
    plan.pci = HOST_PF0;
    child_join(child_start(near_node, "both", refuses_bad_blobs, &plan));
    assert_baseline(near_node);
}
END_TEST

// ---- failures -------------------------------------------------------------------------------

static int sends_too_much(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    for (int i = 0; i < 10; i++) {
        peer_meet(&p, self);
        ck_assert_success(peer_send(&p, 0, 16));
        ck_assert_error(peer_send(&p, 0, 17), DOCA_ERROR_CONNECTION_ABORTED);
        ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_ERROR);
        peer_restart(&p);
    }
    peer_close(&p);
    return 0;
}

static int receives_too_little(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    for (int i = 0; i < 10; i++) {
        struct doca_buf *room[3];
        peer_meet(&p, self);
        for (int k = 0; k < 3; k++) {
            room[k] = peer_room(&p, 0, 16);
            ck_assert_success(peer_try_recv(&p, room[k]));
        }
        ck_assert_success(peer_wait(&p));
        ck_assert_error(peer_wait(&p), DOCA_ERROR_INVALID_VALUE);
        ck_assert_error(peer_wait(&p), DOCA_ERROR_CONNECTION_ABORTED);
        ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_ERROR);
        ck_assert_error(peer_try_recv(&p, room[0]), DOCA_ERROR_BAD_STATE);
        for (int k = 0; k < 3; k++)
            drop(room[k]);
        peer_restart(&p);
    }
    peer_close(&p);
    return 0;
}

START_TEST(fail_and_connect_again)
{
    struct peer_plan ours = near_plan(_i), theirs = far_plan(_i);
    setting_start(_i);
    struct child *a = child_start(near_node, "near", sends_too_much, &ours);
    struct child *b = child_start(far_node, "far", receives_too_little, &theirs);
    for (int i = 0; i < 10; i++)
        peers_join(a, b);
    child_join(a);
    child_join(b);
    setting_assert_baseline();
}
END_TEST

static int waits_for_the_end(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    struct doca_buf *room = peer_room(&p, 0, 64), *data = peer_buf(&p, 64, 64);
    for (int i = 0; i < 4; i++) {
        ck_assert_success(peer_try_recv(&p, room));
        ck_assert_success(peer_try_send(&p, data, NULL));
    }
    ck_assert_error(peer_poll(&p), DOCA_ERROR_AGAIN);
    child_tell(self, "waiting");
    for (int i = 0; i < 8; i++) {
        doca_error_t r = peer_wait(&p);
        ck_assert_msg(r == DOCA_ERROR_CONNECTION_RESET || r == DOCA_ERROR_NOT_CONNECTED, "%s",
                      doca_get_error_name(r));
    }
    ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_ERROR);
    drop(room);
    drop(data);
    child_tell(self, "ended");
    child_wait(self, "leave");
    peer_close(&p);
    return 0;
}

static int leaves(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    child_wait(self, "leave");
    peer_close(&p);
    return 0;
}

// How it ends. The last way needs two nodes: on one node the previous one is used.
enum { EXITS, KILLED, DAEMON_KILLED, DAEMON_STOPPED, OWN_DAEMON_KILLED, ENDS };
static const char *const end_names[] = {"process exits", "process killed", "daemon killed",
                                        "daemon stopped", "own daemon killed"};
#define PROMPT_MS 100

static void take_away(int end, struct child *other)
{
    if (end == EXITS)
        child_tell(other, "leave");
    else if (end == KILLED)
        child_kill(other);
    else if (end == DAEMON_STOPPED)
        ck_assert_int_eq(kill(far_node->pid, SIGTERM), 0);
    else
        daemon_kill(end == DAEMON_KILLED ? far_node : near_node);
}

// The promised time is a tenth of the limit here, because machines that run tests are busy. It is
// a hundredth on ibverbs devices, because those of the tests are emulated.
static void assert_prompt(int setting, const char *end, int64_t from)
{
    int64_t took = now_ms() - from;
    printf("%s, %s, %s: all jobs were over after %lld ms\n", end,
           on_two_nodes(setting) ? "two nodes" : "one node",
           setting >= ONE_NODE_EVENTS ? "events" : "polling", (long long)took);
    ck_assert_int_lt(took, (peer_function() ? 100 : 10) * PROMPT_MS);
}

START_TEST(the_other_side_goes)
{
    int setting = _i % SETTINGS, end = _i / SETTINGS;
    struct peer_plan ours = near_plan(setting), theirs = far_plan(setting);
    setting_start(setting);
    struct child *a = child_start(near_node, "near", waits_for_the_end, &ours);
    struct child *b = child_start(far_node, "far", leaves, &theirs);
    peers_join(a, b);
    child_wait(a, "waiting");
    int64_t from = now_ms();
    take_away(end, b);
    child_wait(a, "ended");
    assert_prompt(setting, end_names[end], from);
    if (end == DAEMON_STOPPED)
        daemon_ended(far_node);
    if (end <= KILLED && near_node != far_node)
        assert_baseline(far_node);
    child_tell(a, "leave");
    if (end > KILLED)
        child_tell(b, "leave");
    child_join(a);
    if (end != KILLED)
        child_join(b);
    if (end > KILLED) // it takes away what a killed one left
        daemon_restart(end == OWN_DAEMON_KILLED ? near_node : far_node);
    setting_assert_baseline();
}
END_TEST

// ---- revoked memory -------------------------------------------------------------------------

static uint8_t brokered[3 * 65536] = {1};

// Its memory goes, it stays.
static int takes_its_memory_back(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    child_wait(self, "take it back");
    ck_assert_success(doca_mmap_stop(p.map));
    child_wait(self, "leave");
    peer_close(&p);
    return 0;
}

// Submits a read, and returns what the next job that is over ended with.
static doca_error_t read_on(struct peer *p, struct doca_buf *dst, struct doca_buf *src)
{
    ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_READ, dst, src));
    return peer_wait(p);
}

static int reads_until_it_may_not(struct child *self, void *arg)
{
    struct peer p;
    doca_error_t r;
    unsigned failed = 0, flushed = 0;
    peer_open(&p, arg);
    peer_meet(&p, self);
    struct doca_buf *room = peer_room(&p, 0, 64), *dst = peer_buf(&p, 4096, 100000),
                    *src = peer_remote_buf(&p, 0, 100000);
    for (int i = 0; i < 4; i++)
        ck_assert_success(peer_try_recv(&p, room));
    ck_assert_success(read_on(&p, dst, src));
    child_tell(self, "reading");
    while ((r = read_on(&p, dst, src)) == DOCA_SUCCESS)
        ;
    for (int i = 0; i < 5; i++) { // the read, and the receives
        if (i)
            r = peer_wait(&p);
        failed += r == DOCA_ERROR_CONNECTION_RESET;
        flushed += r == DOCA_ERROR_CONNECTION_ABORTED;
    }
    ck_assert_uint_eq(failed, 1);
    ck_assert_uint_eq(flushed, 4);
    ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_ERROR);
    child_tell(self, "ended");
    child_wait(self, "leave");
    drop(room);
    drop(dst);
    drop(src);
    peer_close(&p);
    return 0;
}

#define AT_ONCE 16

// One read is always under way, and takes most of the time that there is.
static int reads_all_the_time(struct child *self, void *arg)
{
    struct peer p;
    doca_error_t r;
    unsigned reads = 0;
    peer_open(&p, arg);
    peer_meet(&p, self);
    struct doca_buf *dst = peer_buf(&p, 0, p.size), *src = peer_remote_buf(&p, 0, p.size);
    for (; reads < AT_ONCE; reads++)
        ck_assert_success(peer_try_access(&p, DOCA_RDMA_JOB_READ, dst, src));
    child_tell(self, "reading");
    // The instance may be in error before all that has succeeded is retrieved.
    while ((r = peer_wait(&p)) == DOCA_SUCCESS)
        reads -= peer_try_access(&p, DOCA_RDMA_JOB_READ, dst, src) != DOCA_SUCCESS;
    ck_assert_error(r, DOCA_ERROR_CONNECTION_RESET);
    while (--reads)
        ck_assert_error(peer_wait(&p), DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_error(peer_poll(&p), DOCA_ERROR_AGAIN);
    ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_ERROR);
    child_tell(self, "ended");
    child_wait(self, "leave");
    drop(dst);
    drop(src);
    peer_close(&p);
    return 0;
}

// Mapped memory in the first half of the settings, brokered in the second.
static void run_memory_goes(int i, child_fn reads)
{
    int setting = i % SETTINGS;
    struct peer_plan ours = near_plan(setting), theirs = far_plan(setting);
    if (i >= SETTINGS) {
        ours.memory = brokered;
        ours.size = theirs.size = sizeof(brokered);
    }
    setting_start(setting);
    struct child *owner = child_start(near_node, "owner", takes_its_memory_back, &ours);
    struct child *other = child_start(far_node, "other", reads, &theirs);
    peers_join(owner, other);
    child_wait(other, "reading");
    int64_t from = now_ms();
    child_tell(owner, "take it back");
    child_wait(other, "ended");
    assert_prompt(setting, "memory taken back", from);
    child_tell(other, "leave");
    child_tell(owner, "leave");
    child_join(other);
    child_join(owner);
    setting_assert_baseline();
}

START_TEST(memory_goes)
{
    run_memory_goes(_i, reads_until_it_may_not);
}
END_TEST

START_TEST(memory_goes_under_reads)
{
    run_memory_goes(_i, reads_all_the_time);
}
END_TEST

// ---- nodes that are not linked ----------------------------------------------------------------
//
// Only ibverbs devices reach those.

static void start_unlinked(int events, struct peer_plan *ours, struct peer_plan *theirs)
{
    near_node = daemon_start(&(struct daemon_options){0});
    far_node = daemon_start(&(struct daemon_options){.role = "dpu"});
    *ours = near_plan(events ? TWO_NODES_EVENTS : TWO_NODES);
    *theirs = far_plan(events ? TWO_NODES_EVENTS : TWO_NODES);
}

static int sends_into_the_void(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    ck_assert_success(peer_send(&p, 0, 8));
    child_tell(self, "waiting");
    child_wait(self, "send");
    ck_assert_error(peer_send(&p, 0, 8), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_ERROR);
    peer_close(&p);
    return 0;
}

static int takes_one_message(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    ck_assert_success(peer_recv(&p, 0, 64));
    child_tell(self, "received");
    child_wait(self, "leave");
    return 1;
}

// Nothing reports the end of the other side: retries run out.
START_TEST(the_other_side_goes_untold)
{
    if (!peer_function())
        return;
    struct peer_plan ours, theirs;
    start_unlinked(_i, &ours, &theirs);
    struct child *a = child_start(near_node, "near", sends_into_the_void, &ours);
    struct child *b = child_start(far_node, "far", takes_one_message, &theirs);
    peers_join(a, b);
    child_wait(a, "waiting");
    child_wait(b, "received");
    child_kill(b);
    child_tell(a, "send");
    child_join(a);
    setting_assert_baseline();
}
END_TEST

static int reads_without_a_word(struct child *self, void *arg)
{
    struct peer p;
    doca_error_t r;
    peer_open(&p, arg);
    peer_meet(&p, self);
    ck_assert_success(peer_read(&p, 0, 0, p.size));
    child_tell(self, "reading");
    while ((r = peer_read(&p, 0, 0, p.size)) == DOCA_SUCCESS)
        ;
    ck_assert_msg(r == DOCA_ERROR_NOT_PERMITTED || r == DOCA_ERROR_CONNECTION_RESET, "%s",
                  doca_get_error_name(r));
    ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_ERROR);
    peer_close(&p);
    return 0;
}

static int sees_its_state(struct child *self, void *arg)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    child_wait(self, "take it back");
    ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_CONNECTED);
    ck_assert_success(doca_mmap_stop(p.map));
    while (peer_state(&p) != DOCA_RDMA_STATE_ERROR)
        ck_assert_msg(deadline_pause(deadline), "the state stays as it was");
    peer_close(&p);
    return 0;
}

// Here only the devices know that the memory went under a read. The owner has no jobs.
START_TEST(memory_goes_untold)
{
    if (!peer_function())
        return;
    struct peer_plan ours, theirs;
    start_unlinked(_i, &ours, &theirs);
    struct child *owner = child_start(near_node, "owner", sees_its_state, &ours);
    struct child *other = child_start(far_node, "other", reads_without_a_word, &theirs);
    peers_join(owner, other);
    child_wait(other, "reading");
    child_tell(owner, "take it back");
    child_join(other);
    child_join(owner);
    setting_assert_baseline();
}
END_TEST

// ---- an end as it should be ---------------------------------------------------------------------

static int stays(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    for (unsigned waiting = 0; waiting < 2; waiting++) {
        peer_meet(&p, self);
        ck_assert_success(peer_send(&p, 0, 64));
        struct doca_buf *room = waiting ? peer_room(&p, 0, 64) : NULL;
        if (room)
            ck_assert_success(peer_try_recv(&p, room));
        log_lines_catch();
        child_tell(self, "leave");
        while (peer_state(&p) != DOCA_RDMA_STATE_ERROR)
            peer_sleep(&p);
        // The state may be known before the work queue has looked.
        ck_assert_success(doca_workq_event_handle_clear(p.workq, p.handle));
        ck_assert_error(peer_poll(&p), waiting ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_AGAIN);
        ck_assert_uint_eq(log_lines("the connection ended"), waiting);
        ck_assert_uint_eq(log_lines(""), waiting);
        drop(room);
        peer_restart(&p);
    }
    peer_close(&p);
    return 0;
}

static int stops_when_told(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    for (int i = 0; i < 2; i++) {
        peer_meet(&p, self);
        ck_assert_success(peer_recv(&p, 0, 64));
        child_wait(self, "leave");
        peer_restart(&p);
    }
    peer_close(&p);
    return 0;
}

// Is it worth a log line that the other side stops? Only for a side that still waits for
// something.
START_TEST(an_end_without_jobs_is_silent)
{
    if (peer_function())
        return;
    int setting = _i ? TWO_NODES_EVENTS : ONE_NODE_EVENTS;
    struct peer_plan ours = near_plan(setting), theirs = far_plan(setting);
    setting_start(setting);
    struct child *a = child_start(near_node, "near", stays, &ours);
    struct child *b = child_start(far_node, "far", stops_when_told, &theirs);
    for (int i = 0; i < 2; i++) {
        peers_join(a, b);
        child_wait(a, "leave");
        child_tell(b, "leave");
    }
    child_join(a);
    child_join(b);
    setting_assert_baseline();
}
END_TEST

// ---- the function is no longer offered ---------------------------------------------------------

#define FUNCTION(name, pci) "function \"" name "\" {\n type = pf\n pci = \"" pci "\"\n}\n"

// It looks when it is told to.
static int loses_its_function(struct child *self, void *arg)
{
    struct peer p;
    peer_open(&p, arg);
    peer_meet(&p, self);
    for (int i = 0; i < 4; i++)
        ck_assert_success(peer_try_recv(&p, NULL));
    child_tell(self, "waiting");
    child_wait(self, "look");
    for (int i = 0; i < 4; i++)
        ck_assert_error(peer_wait(&p), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(peer_state(&p), DOCA_RDMA_STATE_ERROR);
    child_tell(self, "ended");
    child_wait(self, "leave");
    peer_close(&p);
    return 0;
}

// docad tells both sides the reason, and not that the other one has failed, whichever side is
// first.
START_TEST(the_function_goes)
{
    if (peer_function())
        return;
    struct peer_plan plan = near_plan(_i ? ONE_NODE_EVENTS : ONE_NODE);
    struct path config = temp_file("ends.conf", FUNCTION("pf0", HOST_PF0));
    near_node = far_node = daemon_start(&(struct daemon_options){.config = config.s});
    struct child *a = child_start(near_node, "first", loses_its_function, &plan);
    struct child *b = child_start(near_node, "second", loses_its_function, &plan);
    peers_join(a, b);
    child_wait(a, "waiting");
    child_wait(b, "waiting");
    child_tell(a, "look");
    temp_file("ends.conf", FUNCTION("pf1", HOST_PF1));
    ck_assert_int_eq(kill(near_node->pid, SIGHUP), 0);
    child_wait(a, "ended");
    child_tell(b, "look");
    child_wait(b, "ended");
    child_tell(a, "leave");
    child_tell(b, "leave");
    child_join(a);
    child_join(b);
    setting_assert_baseline();
    unlink(config.s);
}
END_TEST

static Suite *rdma_suite(void)
{
    Suite *suite = suite_create("rdma ends");
    ADD(suite, connection_details, 2);
    ADD(suite, fail_and_connect_again, SETTINGS);
    ADD(suite, the_other_side_goes, ENDS * SETTINGS);
    ADD(suite, memory_goes, 2 * SETTINGS);
    ADD(suite, memory_goes_under_reads, 2 * SETTINGS);
    ADD(suite, the_other_side_goes_untold, 2);
    ADD(suite, memory_goes_untold, 2);
    ADD(suite, the_function_goes, 2);
    ADD(suite, an_end_without_jobs_is_silent, 2);
    return suite;
}

int main(void)
{
    return run_suite(rdma_suite());
}
