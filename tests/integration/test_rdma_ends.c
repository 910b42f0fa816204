// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// RDMA: connecting, failing, and what happens when something goes.

#include "log_lines.h"
#include "rdma_setting.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

// ---- connecting

static void refuses_bad_blobs(struct peer *p, struct peer *q)
{
    struct blob own = peer_export(p), other = peer_export(q), map = peer_export_map(q);
    ck_assert_error(doca_rdma_connect(p->rdma, own.bytes, own.length), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_rdma_connect(p->rdma, map.bytes, map.length), DOCA_ERROR_INVALID_VALUE);
    for (size_t n = 0; n < other.length; n++)
        ck_assert_error(doca_rdma_connect(p->rdma, other.bytes, n), DOCA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < other.length; i++) {
        struct blob bad = other;
        bad.bytes[i] ^= 0x10;
        ck_assert_error(doca_rdma_connect(p->rdma, bad.bytes, bad.length),
                        DOCA_ERROR_INVALID_VALUE);
    }
    ck_assert_error(doca_rdma_connect(NULL, other.bytes, other.length), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_INIT);
    ck_assert_error(doca_rdma_destroy(p->rdma), DOCA_ERROR_BAD_STATE);
    struct doca_buf *b = peer_buf(p, 0, 8);
    ck_assert_error(peer_try_send(p, b, NULL), DOCA_ERROR_BAD_STATE);
    drop(b);
    // The details are from before the restart.
    peer_restart(q);
    ck_assert_error(doca_rdma_connect(p->rdma, other.bytes, other.length),
                    DOCA_ERROR_CONNECTION_ABORTED);
    // Two instances of one process; receives may be submitted before.
    ck_assert_success(peer_try_recv(q, NULL));
    ck_assert_error(peer_poll(q), DOCA_ERROR_AGAIN);
    other = peer_export(q);
    peer_connect(p, &other);
    ck_assert_error(doca_rdma_connect(p->rdma, other.bytes, other.length), DOCA_ERROR_BAD_STATE);
    ck_assert_success(peer_try_send(p, NULL, NULL));
    ck_assert_error(peer_poll(p), DOCA_ERROR_AGAIN); // the other side has not connected yet
    own = peer_export(p);
    peer_connect(q, &own);
    ck_assert_success(peer_wait(q));
    ck_assert_success(peer_wait(p));
    peer_close(p);
    ck_assert_int_eq(peer_state(q), DOCA_RDMA_STATE_ERROR);
}

START_TEST(connection_details)
{
    run_in_one(_i ? ONE_NODE_EVENTS : ONE_NODE, refuses_bad_blobs);
}
END_TEST

// ---- failures

static void sends_too_much(struct peer *p)
{
    for (int i = 0; i < 10; i++) {
        meet(p);
        ck_assert_success(peer_send(p, 0, 16));
        ck_assert_error(peer_send(p, 0, 17), DOCA_ERROR_CONNECTION_ABORTED);
        ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
        peer_restart(p);
    }
}

static void receives_too_little(struct peer *p)
{
    for (int i = 0; i < 10; i++) {
        struct doca_buf *room[3];
        meet(p);
        for (int k = 0; k < 3; k++) {
            room[k] = peer_room(p, 0, 16);
            ck_assert_success(peer_try_recv(p, room[k]));
        }
        ck_assert_success(peer_wait(p));
        ck_assert_error(peer_wait(p), DOCA_ERROR_INVALID_VALUE);
        ck_assert_error(peer_wait(p), DOCA_ERROR_CONNECTION_ABORTED);
        ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
        ck_assert_error(peer_try_recv(p, room[0]), DOCA_ERROR_BAD_STATE);
        for (int k = 0; k < 3; k++)
            drop(room[k]);
        peer_restart(p);
    }
}

START_TEST(fail_and_connect_again)
{
    struct peers both = peers_plan(_i);
    peers_start(&both, sends_too_much, receives_too_little);
    for (int i = 0; i < 10; i++)
        peers_join(both.near, both.far);
    peers_end(&both);
}
END_TEST

static void waits_for_the_end(struct peer *p)
{
    meet(p);
    struct doca_buf *room = peer_room(p, 0, 64), *data = peer_buf(p, 64, 64);
    for (int i = 0; i < 4; i++) {
        ck_assert_success(peer_try_recv(p, room));
        ck_assert_success(peer_try_send(p, data, NULL));
    }
    ck_assert_error(peer_poll(p), DOCA_ERROR_AGAIN);
    child_tell(p->self, "waiting");
    for (int i = 0; i < 8; i++) {
        doca_error_t r = peer_wait(p);
        ck_assert_msg(r == DOCA_ERROR_CONNECTION_RESET || r == DOCA_ERROR_NOT_CONNECTED, "%s",
                      doca_get_error_name(r));
    }
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
    drop(room);
    drop(data);
    child_tell(p->self, "ended");
    child_wait(p->self, "leave");
}

static void leaves(struct peer *p)
{
    meet(p);
    child_wait(p->self, "leave");
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
    struct peers both = peers_run(setting, waits_for_the_end, leaves);
    child_wait(both.near, "waiting");
    int64_t from = now_ms();
    take_away(end, both.far);
    child_wait(both.near, "ended");
    assert_prompt(setting, end_names[end], from);
    if (end == DAEMON_STOPPED)
        daemon_ended(far_node);
    if (end <= KILLED && near_node != far_node)
        assert_baseline(far_node);
    child_tell(both.near, "leave");
    if (end > KILLED)
        child_tell(both.far, "leave");
    child_join(both.near);
    if (end != KILLED)
        child_join(both.far);
    if (end > KILLED) // it takes away what a killed one left
        daemon_restart(end == OWN_DAEMON_KILLED ? near_node : far_node);
    setting_assert_baseline();
}
END_TEST

// ---- revoked memory

static uint8_t brokered[3 * 65536] = {1};

// Its memory goes, it stays.
static void takes_its_memory_back(struct peer *p)
{
    meet(p);
    child_wait(p->self, "take it back");
    ck_assert_success(doca_mmap_stop(p->map));
    child_wait(p->self, "leave");
}

// Submits a read, and returns what the next job that is over ended with.
static doca_error_t read_on(struct peer *p, struct doca_buf *dst, struct doca_buf *src)
{
    ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_READ, dst, src));
    return peer_wait(p);
}

static void reads_until_it_may_not(struct peer *p)
{
    doca_error_t r;
    unsigned failed = 0, flushed = 0;
    meet(p);
    struct doca_buf *room = peer_room(p, 0, 64), *dst = peer_buf(p, 4096, 100000),
                    *src = peer_remote_buf(p, 0, 100000);
    for (int i = 0; i < 4; i++)
        ck_assert_success(peer_try_recv(p, room));
    ck_assert_success(read_on(p, dst, src));
    child_tell(p->self, "reading");
    while ((r = read_on(p, dst, src)) == DOCA_SUCCESS)
        ;
    for (int i = 0; i < 5; i++) { // the read, and the receives
        if (i)
            r = peer_wait(p);
        failed += r == DOCA_ERROR_CONNECTION_RESET;
        flushed += r == DOCA_ERROR_CONNECTION_ABORTED;
    }
    ck_assert_uint_eq(failed, 1);
    ck_assert_uint_eq(flushed, 4);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
    child_tell(p->self, "ended");
    child_wait(p->self, "leave");
    drop(room);
    drop(dst);
    drop(src);
}

#define AT_ONCE 16

// One read is always under way, and takes most of the time that there is.
static void reads_all_the_time(struct peer *p)
{
    doca_error_t r;
    unsigned reads = 0;
    meet(p);
    struct doca_buf *dst = peer_buf(p, 0, p->size), *src = peer_remote_buf(p, 0, p->size);
    for (; reads < AT_ONCE; reads++)
        ck_assert_success(peer_try_access(p, DOCA_RDMA_JOB_READ, dst, src));
    child_tell(p->self, "reading");
    // The instance may be in error before all that has succeeded is retrieved.
    while ((r = peer_wait(p)) == DOCA_SUCCESS)
        reads -= peer_try_access(p, DOCA_RDMA_JOB_READ, dst, src) != DOCA_SUCCESS;
    ck_assert_error(r, DOCA_ERROR_CONNECTION_RESET);
    while (--reads)
        ck_assert_error(peer_wait(p), DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert_error(peer_poll(p), DOCA_ERROR_AGAIN);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
    child_tell(p->self, "ended");
    child_wait(p->self, "leave");
    drop(dst);
    drop(src);
}

// Mapped memory in the first half of the settings, brokered in the second.
static void run_memory_goes(int i, peer_fn reads)
{
    struct peers both = peers_plan(i % SETTINGS);
    if (i >= SETTINGS) {
        both.ours.memory = brokered;
        both.ours.size = both.theirs.size = sizeof(brokered);
    }
    peers_meet(&both, takes_its_memory_back, reads);
    child_wait(both.far, "reading");
    int64_t from = now_ms();
    child_tell(both.near, "take it back");
    child_wait(both.far, "ended");
    assert_prompt(i % SETTINGS, "memory taken back", from);
    child_tell(both.far, "leave");
    child_tell(both.near, "leave");
    peers_end(&both);
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

// ---- nodes that are not linked
//
// Only ibverbs devices reach those.

static struct peers start_unlinked(int events, peer_fn near, peer_fn far)
{
    int setting = events ? TWO_NODES_EVENTS : TWO_NODES;
    struct peers both = {.ours = near_plan(setting), .theirs = far_plan(setting)};
    near_node = daemon_start(&(struct daemon_options){0});
    far_node = daemon_start(&(struct daemon_options){.role = "dpu"});
    peers_meet(&both, near, far);
    return both;
}

static void sends_into_the_void(struct peer *p)
{
    meet(p);
    ck_assert_success(peer_send(p, 0, 8));
    child_tell(p->self, "waiting");
    child_wait(p->self, "send");
    ck_assert_error(peer_send(p, 0, 8), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
}

static void takes_one_message(struct peer *p)
{
    meet(p);
    ck_assert_success(peer_recv(p, 0, 64));
    child_tell(p->self, "received");
    child_wait(p->self, "leave");
}

// Nothing reports the end of the other side: retries run out.
START_TEST(the_other_side_goes_untold)
{
    if (!peer_function())
        return;
    struct peers both = start_unlinked(_i, sends_into_the_void, takes_one_message);
    child_wait(both.near, "waiting");
    child_wait(both.far, "received");
    child_kill(both.far);
    child_tell(both.near, "send");
    child_join(both.near);
    setting_assert_baseline();
}
END_TEST

static void reads_without_a_word(struct peer *p)
{
    doca_error_t r;
    meet(p);
    ck_assert_success(peer_read(p, 0, 0, p->size));
    child_tell(p->self, "reading");
    while ((r = peer_read(p, 0, 0, p->size)) == DOCA_SUCCESS)
        ;
    ck_assert_msg(r == DOCA_ERROR_NOT_PERMITTED || r == DOCA_ERROR_CONNECTION_RESET, "%s",
                  doca_get_error_name(r));
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
}

static void sees_its_state(struct peer *p)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    meet(p);
    child_wait(p->self, "take it back");
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_CONNECTED);
    ck_assert_success(doca_mmap_stop(p->map));
    while (peer_state(p) != DOCA_RDMA_STATE_ERROR)
        ck_assert_msg(deadline_pause(deadline), "the state stays as it was");
}

// Here only the devices know that the memory went under a read. The owner has no jobs.
START_TEST(memory_goes_untold)
{
    if (!peer_function())
        return;
    struct peers both = start_unlinked(_i, sees_its_state, reads_without_a_word);
    child_wait(both.far, "reading");
    child_tell(both.near, "take it back");
    peers_end(&both);
}
END_TEST

// ---- an end as it should be

static void stays(struct peer *p)
{
    for (unsigned waiting = 0; waiting < 2; waiting++) {
        meet(p);
        ck_assert_success(peer_send(p, 0, 64));
        struct doca_buf *room = waiting ? peer_room(p, 0, 64) : NULL;
        if (room)
            ck_assert_success(peer_try_recv(p, room));
        log_lines_catch();
        child_tell(p->self, "leave");
        while (peer_state(p) != DOCA_RDMA_STATE_ERROR)
            peer_sleep(p);
        // The state may be known before the work queue has looked.
        ck_assert_success(doca_workq_event_handle_clear(p->workq, p->handle));
        ck_assert_error(peer_poll(p), waiting ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_AGAIN);
        ck_assert_uint_eq(log_lines("the connection ended"), waiting);
        ck_assert_uint_eq(log_lines(""), waiting);
        drop(room);
        peer_restart(p);
    }
}

static void stops_when_told(struct peer *p)
{
    for (int i = 0; i < 2; i++) {
        meet(p);
        ck_assert_success(peer_recv(p, 0, 64));
        child_wait(p->self, "leave");
        peer_restart(p);
    }
}

// Is it worth a log line that the other side stops? Only for a side that still waits for
// something.
START_TEST(an_end_without_jobs_is_silent)
{
    if (peer_function())
        return;
    struct peers both = peers_plan(_i ? TWO_NODES_EVENTS : ONE_NODE_EVENTS);
    peers_start(&both, stays, stops_when_told);
    for (int i = 0; i < 2; i++) {
        peers_join(both.near, both.far);
        child_wait(both.near, "leave");
        child_tell(both.far, "leave");
    }
    peers_end(&both);
}
END_TEST

// ---- the function is no longer offered

#define FUNCTION(name, pci) "function \"" name "\" {\n type = pf\n pci = \"" pci "\"\n}\n"

// It looks when it is told to.
static void loses_its_function(struct peer *p)
{
    meet(p);
    for (int i = 0; i < 4; i++)
        ck_assert_success(peer_try_recv(p, NULL));
    child_tell(p->self, "waiting");
    child_wait(p->self, "look");
    for (int i = 0; i < 4; i++)
        ck_assert_error(peer_wait(p), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_ERROR);
    child_tell(p->self, "ended");
    child_wait(p->self, "leave");
}

// docad tells both sides the reason, and not that the other one has failed, whichever side is
// first.
START_TEST(the_function_goes)
{
    if (peer_function())
        return;
    struct peer_plan plan = near_plan(_i ? ONE_NODE_EVENTS : ONE_NODE);
    struct peers both = {.ours = plan, .theirs = plan};
    struct path config = temp_file("ends.conf", FUNCTION("pf0", HOST_PF0));
    near_node = far_node = daemon_start(&(struct daemon_options){.config = config.s});
    peers_meet(&both, loses_its_function, loses_its_function);
    child_wait(both.near, "waiting");
    child_wait(both.far, "waiting");
    child_tell(both.near, "look");
    temp_file("ends.conf", FUNCTION("pf1", HOST_PF1));
    ck_assert_int_eq(kill(near_node->pid, SIGHUP), 0);
    child_wait(both.near, "ended");
    child_tell(both.far, "look");
    child_wait(both.far, "ended");
    child_tell(both.near, "leave");
    child_tell(both.far, "leave");
    peers_end(&both);
    unlink(config.s);
}
END_TEST

static Suite *rdma_suite(void)
{
    Suite *suite = suite_create("rdma ends");
    TCase *shared = setting_shared_case(suite);
    tcase_add_loop_test(shared, connection_details, 0, 2);
    tcase_add_loop_test(shared, fail_and_connect_again, 0, SETTINGS);
    ADD(suite, the_other_side_goes, ENDS * SETTINGS);
    tcase_add_loop_test(shared, memory_goes, 0, 2 * SETTINGS);
    tcase_add_loop_test(shared, memory_goes_under_reads, 0, 2 * SETTINGS);
    ADD(suite, the_other_side_goes_untold, 2);
    ADD(suite, memory_goes_untold, 2);
    ADD(suite, the_function_goes, 2);
    tcase_add_loop_test(shared, an_end_without_jobs_is_silent, 0, 2);
    return suite;
}

int main(void)
{
    return run_suite(rdma_suite());
}
