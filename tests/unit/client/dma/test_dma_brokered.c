// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA jobs whose bytes go through engines, which the test plays: every mixture of mapped
// and brokered bytes, engines that fail, and waiting for them.

#include "dma_rig.h"
#include "log_capture.h"
#include "queue/broker.h"
#include "unit.h"

#include <poll.h>
#include <string.h>

// ---- imports: brokered bytes ---------------------------------------------------------------

START_TEST(every_mixture_of_mapped_and_brokered)
{
    enum { MOST = 300000 };
    static const struct {
        size_t n, head, tail;
    } kinds[] = {{6, 6, 0},         {6, 2, 2},          {5000, 0, 10},   {5000, 4000, 0},
                 {70000, 70000, 0}, {200000, 1, 70000}, {MOST, MOST, 0}, {MOST, 65536, 65537},
                 {MOST, 100, 100}};
    uint8_t *a = malloc(MOST), *b = malloc(MOST);
    struct doca_mmap from, to, here = local_map(b, MOST);
    setup();
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
            size_t n = kinds[i].n < kinds[k].n ? kinds[i].n : kinds[k].n;
            fill(a, MOST, (unsigned)(i + k));
            // Twice: engines of one daemon, and of two.
            for (int two = 0; two < 2; two++) {
                brokered_import(&from, a, kinds[i].n, kinds[i].head, kinds[i].tail, node_a);
                brokered_import(&to, b, kinds[k].n, kinds[k].head, kinds[k].tail,
                                two ? node_b : node_a);
                struct doca_buf *s = buffer(&from, shifted(a), kinds[i].n, n);
                struct doca_buf *d = buffer(&to, shifted(b), kinds[k].n, 0);
                memset(b, 0, MOST);
                ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS);
                ck_assert_mem_eq(a, b, n);
                ck_assert_uint_eq(d->data_len, n);
                ck_assert(n == MOST || b[n] == 0);
                drop(d);
                // and between what is brokered and what is local
                d = buffer(&here, b, MOST, 0);
                memset(b, 0, MOST);
                ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS);
                ck_assert_mem_eq(a, b, n);
                memset(a, 0, MOST);
                doca_buf_reset_data_len(s);
                ck_assert_int_eq(copy_served(d, s), DOCA_SUCCESS);
                ck_assert_mem_eq(a, b, n);
                drop(s);
                drop(d);
                release(&from);
                release(&to);
            }
        }
    }
    // One queue pair for each node, however many imports there were.
    ck_assert_uint_eq(fake_engines_made, 2);
    teardown();
    free(a);
    free(b);
}
END_TEST

START_TEST(small_buffers_in_a_list_over_a_brokered_import)
{
    uint8_t a[400], b[400] = {0};
    struct doca_mmap from, here = local_map(b, 400);
    setup();
    fill(a, 400, 77);
    brokered_import(&from, a, 400, 100, 90, node_a);
    struct doca_buf *s = buffer(&from, shifted(a), 37, 37), *d = buffer(&here, b, 23, 0);
    for (size_t at = 37; at < 400; at += 37) {
        size_t n = at + 37 < 400 ? 37 : 400 - at;
        doca_buf_list_chain(s, buffer(&from, shifted(a) + at, n, n));
    }
    for (size_t at = 23; at < 400; at += 23)
        doca_buf_list_chain(d, buffer(&here, b + at, at + 23 < 400 ? 23 : 400 - at, 0));
    ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS);
    ck_assert_mem_eq(a, b, 400);
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

START_TEST(brokered_jobs_overlap_and_do_not_hold_up_others)
{
    enum { JOBS = 40, N = 100 }; // more than there are chunks
    static uint8_t a[JOBS * N], b[JOBS * N], c[N], e[N];
    struct doca_mmap from, here = local_map(b, sizeof(b)), plain = local_map(c, N);
    struct doca_mmap out = local_map(e, N);
    struct doca_buf *s[JOBS], *d[JOBS];
    bool seen[JOBS] = {0};
    uint64_t id;

    setup();
    fill(a, sizeof(a), 4);
    fill(c, N, 5);
    brokered_import(&from, a, sizeof(a), sizeof(a), 0, node_a);
    for (size_t i = 0; i < JOBS; i++) {
        s[i] = buffer(&from, shifted(a) + i * N, N, N);
        d[i] = buffer(&here, b + i * N, N, 0);
        submit(s[i], d[i], i);
    }
    struct doca_buf *ps = buffer(&plain, c, N, N), *pd = buffer(&out, e, N, 0);
    submit(ps, pd, 1000);
    ck_assert_int_eq(retrieve(&id), DOCA_SUCCESS);
    ck_assert_uint_eq(id, 1000); // past 40 that wait
    ck_assert_mem_eq(c, e, N);
    ck_assert_int_eq(retrieve(&id), DOCA_ERROR_AGAIN);
    // All chunks are on their way at once.
    ck_assert_uint_eq(fake_serve(&fake_engines[0], SHIFT, 1000, DOCA_SUCCESS), QP_CHUNKS);
    for (int done = 0; done < JOBS;) {
        if (retrieve(&id) == DOCA_SUCCESS) {
            ck_assert_uint_lt(id, JOBS);
            ck_assert(!seen[id]);
            seen[id] = true;
            ck_assert_mem_eq(a + id * N, b + id * N, N);
            done++;
        } else {
            fake_serve(&fake_engines[0], SHIFT, 1, DOCA_SUCCESS);
        }
    }
    for (size_t i = 0; i < JOBS; i++) {
        drop(s[i]);
        drop(d[i]);
    }
    drop(ps);
    drop(pd);
    release(&from);
    teardown();
}
END_TEST

// The job goes on with what its buffers said when it was submitted.
START_TEST(buffers_changed_under_way)
{
    enum { N = 3000000 }; // more than fits into the chunks at once
    uint8_t *a = malloc(N), *b = malloc(N);
    struct doca_mmap from, here = local_map(b, N);
    setup();
    brokered_import(&from, a, N, N, 0, node_a);
    for (int what = 0; what < 4; what++) {
        struct doca_buf *s = buffer(&from, shifted(a), N, N), *d = buffer(&here, b, N, 0);
        fill(a, N, (unsigned)what);
        submit(s, d, 1);
        ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
        switch (what) {
        case 0:
            doca_buf_reset_data_len(s);
            break;
        case 1:
            doca_buf_set_data(s, shifted(a), SIZE_MAX);
            break;
        case 2:
            doca_buf_set_data(d, b + N, 0);
            break;
        case 3:
            doca_buf_set_data(d, b - N, N);
            break;
        }
        doca_error_t r;
        while ((r = retrieve(NULL)) == DOCA_ERROR_AGAIN)
            serve_all();
        ck_assert_int_eq(r, DOCA_SUCCESS);
        ck_assert_mem_eq(b, a, N);
        // The length is that of the job only where the destination is as it was.
        ck_assert_uint_eq(d->data_len, what == 2 ? 0 : N);
        drop(s);
        drop(d);
    }
    release(&from);
    teardown();
    free(a);
    free(b);
}
END_TEST

// ---- engines that fail -------------------------------------------------------------------

START_TEST(an_engines_refusal_becomes_the_jobs_error)
{
    static const struct {
        uint32_t status;
        doca_error_t error;
    } cases[] = {{DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_NOT_PERMITTED},
                 {DOCA_ERROR_CONNECTION_RESET, DOCA_ERROR_CONNECTION_RESET},
                 {DOCA_ERROR_NOT_CONNECTED, DOCA_ERROR_NOT_CONNECTED},
                 {DOCA_ERROR_IO_FAILED, DOCA_ERROR_IO_FAILED},
                 {DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_IO_FAILED},
                 {DOCA_ERROR_AGAIN, DOCA_ERROR_IO_FAILED},
                 {0xdeadbeef, DOCA_ERROR_IO_FAILED}};
    static uint8_t a[200000], b[200000];
    struct doca_mmap from, here = local_map(b, sizeof(b));
    setup();
    fill(a, sizeof(a), 1);
    brokered_import(&from, a, sizeof(a), sizeof(a), 0, node_a);
    struct doca_buf *s = buffer(&from, shifted(a), sizeof(a), sizeof(a));
    struct doca_buf *d = buffer(&here, b, sizeof(b), 0);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        for (int second = 0; second < 2; second++) { // the first piece fails, or the second
            submit(s, d, 1);
            ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
            if (second)
                fake_serve(&fake_engines[0], SHIFT, 1, DOCA_SUCCESS);
            fake_serve(&fake_engines[0], SHIFT, 1, cases[i].status);
            // It ends only when none of its pieces is on the way any more.
            ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
            fake_serve(&fake_engines[0], SHIFT, 1000, DOCA_SUCCESS);
            ck_assert_int_eq(retrieve(NULL), cases[i].error);
            ck_assert_uint_eq(d->data_len, 0);
        }
    }
    ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS); // the queue pair is in order
    ck_assert_mem_eq(a, b, sizeof(a));
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

START_TEST(a_failure_is_told)
{
    static uint8_t a[8192], b[8192];
    struct doca_mmap from, here = local_map(b, sizeof(b));
    setup();
    brokered_import(&from, a, sizeof(a), sizeof(a), 0, node_a);
    struct doca_buf *s = buffer(&from, shifted(a), sizeof(a), sizeof(a));
    struct doca_buf *d = buffer(&here, b, sizeof(b), 0);
    struct standard captured = standard_capture();
    submit(s, d, 1);
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
    fake_serve(&fake_engines[0], SHIFT, 1, DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_NOT_PERMITTED);
    assert_matches(log_text(captured.err),
                   "DMA on fake0: a memcpy failed: the export was revoked, or does not allow it; "
                   "8192 bytes were to be copied \\(DOCA_ERROR_NOT_PERMITTED\\)");
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

START_TEST(a_dead_queue_pair_fails_its_jobs_and_is_replaced)
{
    static uint8_t a[100], b[100], c[100];
    struct doca_mmap from, again, to, here = local_map(b, 100);
    static const struct {
        enum slot_state state; // FREE: docad dies instead
        doca_error_t error;
    } ends[] = {{SLOT_PEER_GONE, DOCA_ERROR_NOT_CONNECTED},
                {SLOT_OWNER_GONE, DOCA_ERROR_CONNECTION_RESET},
                {SLOT_FREE, DOCA_ERROR_NOT_CONNECTED}};
    setup();
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        fake_alive = true;
        brokered_import(&from, a, 100, 100, 0, node_a);
        brokered_import(&to, c, 100, 100, 0, node_b);
        struct fake_engine *engine = &fake_engines[fake_engines_made - (i ? 1 : 2)];
        struct doca_buf *s = buffer(&from, shifted(a), 100, 100), *d = buffer(&here, b, 100, 0);
        struct doca_buf *far = buffer(&to, shifted(c), 100, 0);
        submit(s, d, 1);
        submit(s, far, 2); // on its first half
        ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
        if (ends[i].state == SLOT_FREE)
            fake_alive = false;
        else
            fake_set_state(engine->id, ends[i].state);
        doca_error_t r;
        int polls = 0;
        while ((r = retrieve(NULL)) == DOCA_ERROR_AGAIN && polls < 5000)
            polls++;
        ck_assert_int_eq(r, ends[i].error);
        while ((r = retrieve(NULL)) == DOCA_ERROR_AGAIN && polls < 5000)
            polls++;
        ck_assert_int_eq(r, ends[i].error);
        ck_assert_uint_eq(d->data_len, 0);
        ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_CONNECTED); // nobody there
        fake_alive = true;
        brokered_import(&again, a, 100, 100, 0, node_a); // a new import brings it back
        drop(s);
        s = buffer(&again, shifted(a), 100, 100);
        fill(a, 100, (unsigned)i);
        ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS);
        ck_assert_mem_eq(a, b, 100);
        drop(s);
        drop(d);
        drop(far);
        release(&from);
        release(&again);
        release(&to);
    }
    teardown();
}
END_TEST

START_TEST(impossible_completions_fail_the_queue_pair)
{
    static uint8_t a[100], b[100];
    struct doca_mmap from, here = local_map(b, 100);
    for (int kind = 0; kind < 5; kind++) {
        setup();
        brokered_import(&from, a, 100, 100, 0, node_a);
        struct fake_engine *engine = &fake_engines[fake_engines_made - 1];
        struct qp_shared *shared = engine->server.shared;
        struct doca_buf *s = buffer(&from, shifted(a), 100, 100), *d = buffer(&here, b, 100, 0);
        submit(s, d, 1);
        ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
        switch (kind) {
        case 0: // more than was asked for
            atomic_store(&shared->completion_head, 2);
            break;
        case 1: // behind what was taken
            atomic_store(&shared->completion_head, UINT32_MAX);
            break;
        case 2: // a tag that is no chunk
            shared->completions[0].tag = QP_CHUNKS;
            atomic_store(&shared->completion_head, 1);
            break;
        case 3: // a chunk that nobody uses
            shared->completions[0].tag = 3;
            atomic_store(&shared->completion_head, 1);
            break;
        case 4: // a tag that only looks like one
            shared->completions[0].tag = UINT32_MAX & ~(QP_CHUNKS - 1);
            atomic_store(&shared->completion_head, 1);
            break;
        }
        ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_IO_FAILED);
        ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_CONNECTED); // no other queue pair
        ck_assert_uint_eq(d->data_len, 0);
        drop(s);
        drop(d);
        release(&from);
        teardown();
    }
}
END_TEST

START_TEST(a_scribbler_harms_nobody_but_itself)
{
    static uint8_t a[300000], b[300000];
    struct doca_mmap from, to, here = local_map(b, sizeof(b));
    unsigned seed = 1;
    for (int round = 0; round < 40; round++) {
        setup();
        brokered_import(&from, a, sizeof(a), sizeof(a), 0, node_a);
        brokered_import(&to, b, sizeof(b), sizeof(b), 0, node_b);
        struct fake_engine *engine = &fake_engines[fake_engines_made - 2];
        struct doca_buf *s = buffer(&from, shifted(a), sizeof(a), sizeof(a));
        struct doca_buf *d[2] = {buffer(&here, b, sizeof(b), 0),
                                 buffer(&to, shifted(b), sizeof(b), 0)};
        submit(s, d[0], 1);
        submit(s, d[1], 2);
        int ended = 0;
        for (int polls = 0; ended < 2 && polls < 10000; polls++) {
            uint8_t *page = (uint8_t *)engine->server.shared;
            seed = seed * 1103515245 + 12345;
            if (engine->open) // a queue pair that failed is taken away
                page[64 + (seed >> 8) % 4000] = (uint8_t)(seed >> 24); // behind the magic
            if (retrieve(NULL) != DOCA_ERROR_AGAIN)
                ended++;
            if (polls > 9000)
                fake_set_state(engine->id, SLOT_PEER_GONE);
            fake_serve(&fake_engines[fake_engines_made - 1], SHIFT, 1, DOCA_SUCCESS);
        }
        ck_assert_int_eq(ended, 2);
        drop(s);
        drop(d[0]);
        drop(d[1]);
        release(&from);
        release(&to);
        teardown();
    }
}
END_TEST

START_TEST(a_node_out_of_reach_fails_only_its_jobs)
{
    static uint8_t a[100], b[100];
    struct doca_mmap from, here = local_map(b, 100);
    struct errtext err;
    struct broker_node *node = NULL;
    setup();
    ck_assert_int_eq(doca_ctx_workq_rm(ctx, workq), DOCA_SUCCESS);
    brokered_import(&from, a, 100, 100, 0, node_a); // no work queue: no queue pair yet
    ck_assert_uint_eq(fake_engines_made, 0);
    fake_create_error = DOCA_ERROR_NO_MEMORY;
    ck_assert_int_eq(doca_ctx_workq_add(ctx, workq), DOCA_ERROR_NO_MEMORY);
    fake_create_error = DOCA_ERROR_UNKNOWN;
    ck_assert_int_eq(doca_ctx_workq_add(ctx, workq), DOCA_ERROR_INITIALIZATION);
    ck_assert_int_eq(doca_ctx_workq_rm(ctx, workq), DOCA_ERROR_NOT_FOUND);
    fake_create_error = DOCA_ERROR_NOT_CONNECTED;
    ck_assert_int_eq(doca_ctx_workq_add(ctx, workq), DOCA_SUCCESS);
    struct doca_buf *s = buffer(&from, shifted(a), 100, 100), *d = buffer(&here, b, 100, 0);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_CONNECTED);
    // An import that needs a queue pair and cannot have it fails, and leaves nothing.
    ck_assert_int_eq(broker_node_get(fake_session, node_b, &node, &err), DOCA_ERROR_NOT_CONNECTED);
    ck_assert_ptr_null(node);
    fake_create_error = DOCA_SUCCESS;
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

START_TEST(queue_pairs_of_no_use_do_not_pile_up)
{
    static uint8_t a[100], b[100];
    struct doca_mmap from, here = local_map(b, 100);
    struct doca_buf *d;
    uint8_t node[NODE_ID_SIZE] = "node 0";
    setup();
    d = buffer(&here, b, 100, 0);
    for (int i = 0; i < 60; i++) {
        node[5] = (uint8_t)i;
        brokered_import(&from, a, 100, 100, 0, node);
        struct doca_buf *s = buffer(&from, shifted(a), 100, 100);
        doca_buf_reset_data_len(d);
        ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS);
        drop(s);
        release(&from);
        ck_assert_uint_le(fake_engines_open, 12);
    }
    drop(d);
    teardown();
}
END_TEST

// ---- event-driven mode ---------------------------------------------------------------------

static bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

START_TEST(the_handle_wakes_for_brokered_jobs)
{
    static uint8_t a[200000], b[200000];
    struct doca_mmap from, here = local_map(b, sizeof(b));
    doca_event_handle_t handle;
    setup_mode(true);
    ck_assert_int_eq(doca_workq_get_event_handle(workq, &handle), DOCA_SUCCESS);
    fill(a, sizeof(a), 1);
    brokered_import(&from, a, sizeof(a), sizeof(a), 0, node_a); // after the port was opened
    struct doca_buf *s = buffer(&from, shifted(a), sizeof(a), sizeof(a));
    struct doca_buf *d = buffer(&here, b, sizeof(b), 0);
    submit(s, d, 1);
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS); // hands it over
    ck_assert(!readable(handle));
    doca_error_t r = DOCA_ERROR_AGAIN;
    for (int wakes = 0; r == DOCA_ERROR_AGAIN; wakes++) {
        ck_assert_int_lt(wakes, 10);
        ck_assert_uint_eq(fake_serve(&fake_engines[0], SHIFT, 1, DOCA_SUCCESS), 1);
        ck_assert(readable(handle));
        ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
        ck_assert(!readable(handle));
        r = retrieve(NULL);
        ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    }
    ck_assert_int_eq(r, DOCA_SUCCESS);
    ck_assert_mem_eq(a, b, sizeof(a));
    ck_assert(!readable(handle));

    // A completion that came before arming.
    doca_buf_reset_data_len(d);
    doca_buf_set_data(s, shifted(a), 10);
    submit(s, d, 2);
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(fake_serve(&fake_engines[0], SHIFT, 1, DOCA_SUCCESS), 1);
    ck_assert(!readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    ck_assert_int_eq(retrieve(NULL), DOCA_SUCCESS);
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

START_TEST(the_handle_wakes_when_the_engine_goes)
{
    static uint8_t a[100], b[100];
    struct doca_mmap from, here = local_map(b, 100);
    doca_event_handle_t handle;
    setup_mode(true);
    ck_assert_int_eq(doca_workq_get_event_handle(workq, &handle), DOCA_SUCCESS);
    brokered_import(&from, a, 100, 100, 0, node_a);
    struct doca_buf *s = buffer(&from, shifted(a), 100, 100), *d = buffer(&here, b, 100, 0);
    // The last completion and the end come together: what was done counts.
    submit(s, d, 1);
    submit(s, d, 2);
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(!readable(handle));
    ck_assert_uint_eq(fake_serve(&fake_engines[0], SHIFT, 1, DOCA_SUCCESS), 1);
    fake_set_state(fake_engines[0].id, SLOT_PEER_GONE);
    qp_server_fini(&fake_engines[0].server);
    ck_assert(readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    ck_assert_int_eq(retrieve(NULL), DOCA_SUCCESS);
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_NOT_CONNECTED);
    // and the closed channel does not wake for ever
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(!readable(handle));
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

// A 1.5 job has taken all that it needs of its buffers when it is submitted. The program may have
// given them back, and ended their inventory, before the engine is done.
START_TEST(jobs_of_1_5_outlast_their_buffers)
{
    uint8_t a[200], b[200] = {0};
    struct doca_mmap from, here = local_map(b, 200);
    doca_error_t r;
    setup_1_5();
    fill(a, 200, 15);
    brokered_import(&from, a, 200, 200, 0, node_a);
    struct doca_buf *s = buffer(&from, shifted(a), 200, 150), *d = buffer(&here, b, 200, 0);
    submit(s, d, 1);
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(d->data_len, 150);
    drop(s);
    drop(d);
    struct doca_buf *other = buffer(&here, b, 200, 7); // of the same memory as d or s
    struct doca_buf *another = buffer(&here, b, 200, 7);
    while ((r = retrieve(NULL)) == DOCA_ERROR_AGAIN)
        serve_all();
    ck_assert_int_eq(r, DOCA_SUCCESS);
    ck_assert_mem_eq(a, b, 150);
    ck_assert_uint_eq(other->data_len, 7);
    ck_assert_uint_eq(another->data_len, 7);
    drop(other);
    drop(another);
    release(&from);
    teardown();
}
END_TEST

UNIT_MAIN("dma_brokered", jobs_of_1_5_outlast_their_buffers, every_mixture_of_mapped_and_brokered,
          small_buffers_in_a_list_over_a_brokered_import,
          brokered_jobs_overlap_and_do_not_hold_up_others, buffers_changed_under_way,
          an_engines_refusal_becomes_the_jobs_error, a_failure_is_told,
          a_dead_queue_pair_fails_its_jobs_and_is_replaced,
          impossible_completions_fail_the_queue_pair, a_scribbler_harms_nobody_but_itself,
          a_node_out_of_reach_fails_only_its_jobs, queue_pairs_of_no_use_do_not_pile_up,
          the_handle_wakes_for_brokered_jobs, the_handle_wakes_when_the_engine_goes)
