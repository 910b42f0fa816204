// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs of the 2.2 interface, of each computing library, on a device that imitates a card: they end
// as without one, with a seed in their order, alone and in graphs, and a program that sleeps is
// woken for all of them. Without workers (even _i), and with them.

#include "../dma/dma_rig.h"
#include "unit.h"
#include "workers/workers.h"

#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_erasure_coding.h>
#include <doca_graph.h>
#include <doca_sha.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SHORT  ((size_t)4096)
#define LONG   ((size_t)600064) // all libraries hand this over
#define ROOM   ((size_t)700000)
#define N_JOBS 4
#define N_DATA 4
#define N_RDNC 2

#define OK(call) ck_assert_int_eq((call), DOCA_SUCCESS)

static struct doca_compress *compress;
static struct doca_sha *sha;
static struct doca_ec *ec;
static struct doca_matrix *matrix;

static struct doca_ctx *lib_ctx;
static doca_event_handle_t handle;
static bool sleeps, has_threads;
static union {
    struct doca_job base;
    struct doca_compress_deflate_job deflate;
    struct doca_sha_job sha;
    struct doca_ec_job_create create;
} jobs[N_JOBS];
static struct one {
    uint8_t *from, *to, *expected;
    size_t n, n_expected;
    struct doca_mmap source, target;
    struct doca_buf *src, *dst;
} ones[N_JOBS];

// ---- the libraries -----------------------------------------------------------------------

static void compress_open(void)
{
    OK(doca_compress_create(&compress));
    lib_ctx = doca_compress_as_ctx(compress);
}

static void compress_job(unsigned i)
{
    jobs[i].deflate.src_buff = ones[i].src;
    jobs[i].deflate.dst_buff = ones[i].dst;
}

static doca_error_t compress_close(void)
{
    return doca_compress_destroy(compress);
}

static void sha_open(void)
{
    OK(doca_sha_create(&sha));
    lib_ctx = doca_sha_as_ctx(sha);
}

static void sha_job(unsigned i)
{
    jobs[i].sha.req_buf = ones[i].src;
    jobs[i].sha.resp_buf = ones[i].dst;
}

static doca_error_t sha_close(void)
{
    return doca_sha_destroy(sha);
}

static void ec_open(void)
{
    OK(doca_ec_create(&ec));
    lib_ctx = doca_ec_as_ctx(ec);
}

static void ec_job(unsigned i)
{
    jobs[i].create.create_matrix = matrix;
    jobs[i].create.src_original_data_buff = ones[i].src;
    jobs[i].create.dst_rdnc_buff = ones[i].dst;
}

static doca_error_t ec_close(void)
{
    return doca_ec_destroy(ec);
}

static const struct library {
    int type;
    void (*open)(void);
    void (*job)(unsigned i);
    doca_error_t (*close)(void);
} libraries[] = {{DOCA_COMPRESS_DEFLATE_JOB, compress_open, compress_job, compress_close},
                 {DOCA_SHA_JOB_SHA256, sha_open, sha_job, sha_close},
                 {DOCA_EC_JOB_CREATE, ec_open, ec_job, ec_close}};

static const struct library *with;

static const struct {
    const char *lines;
    bool seed;
} cards[] = {{"reorder = 7\n", true},
             {"optimize_reports = yes\n", false},
             {"timing = yes\nec.create.model = yes\n", false}};

// ---- the setting -------------------------------------------------------------------------

static void open_with(const char *lines, int workers)
{
    char why[CARD_WHY_SIZE];

    card_init(&fake_card);
    ck_assert_msg(card_parse(lines, "", &fake_card, why), "%s", why);
    with->open();
    OK(doca_ctx_dev_add(lib_ctx, &fake_dev));
    OK(doca_ctx_start(lib_ctx));
    if (with->type == DOCA_EC_JOB_CREATE)
        OK(doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_CAUCHY, N_DATA, N_RDNC, &matrix));
    workers_set_most(workers);
    OK(doca_ctx_workq_add(lib_ctx, workq));
    for (unsigned i = 0; i < N_JOBS; i++) {
        struct one *one = &ones[i];
        memset(one->to, 0, ROOM);
        one->source = local_map(one->from, ROOM);
        one->target = local_map(one->to, ROOM);
        one->src = buffer(&one->source, one->from, one->n, one->n);
        one->dst = buffer(&one->target, one->to, ROOM, 0);
        memset(&jobs[i], 0, sizeof(jobs[i]));
        jobs[i].base = (struct doca_job){.type = with->type, .ctx = lib_ctx, .user_data.u64 = i};
        with->job(i);
    }
}

static void close_all(void)
{
    for (unsigned i = 0; i < N_JOBS; i++) {
        drop(ones[i].src);
        drop(ones[i].dst);
    }
    if (with->type == DOCA_EC_JOB_CREATE)
        OK(doca_ec_matrix_destroy(matrix));
    OK(doca_ctx_workq_rm(lib_ctx, workq));
    OK(doca_ctx_stop(lib_ctx));
    OK(with->close());
    card_init(&fake_card);
}

// Only workers and timers can still have work to do.
static void sleep_until_woken(void)
{
    OK(doca_workq_event_handle_arm(workq));
    ck_assert_int_eq(
        poll(&(struct pollfd){.fd = handle, .events = POLLIN}, 1, has_threads ? -1 : 0), 1);
    OK(doca_workq_event_handle_clear(workq, handle));
}

static uint64_t next(void)
{
    struct doca_event event;
    doca_error_t r;

    do {
        if (sleeps)
            sleep_until_woken();
        else
            sched_yield();
    } while ((r = doca_workq_progress_retrieve(workq, &event, 0)) == DOCA_ERROR_AGAIN);
    OK(r);
    ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
    return event.user_data.u64;
}

static void check_result(const struct one *one)
{
    ck_assert_uint_eq(one->dst->data_len, one->n_expected);
    ck_assert_mem_eq(one->to, one->expected, one->n_expected);
}

// What the jobs make of their sources without a card.
static void make_expected(void)
{
    open_with("", 0);
    for (unsigned i = 0; i < N_JOBS; i++)
        OK(doca_workq_submit(workq, &jobs[i].base));
    for (unsigned i = 0; i < N_JOBS; i++)
        (void)next();
    for (unsigned i = 0; i < N_JOBS; i++) {
        struct one *one = &ones[i];
        one->n_expected = one->dst->data_len;
        ck_assert_uint_gt(one->n_expected, 0);
        memcpy(one->expected, one->to, one->n_expected);
    }
    close_all();
}

static void begin(const struct library *library, bool event_driven)
{
    setup_mode(event_driven); // buffers and the work queue come from there
    if (event_driven)
        OK(doca_workq_get_event_handle(workq, &handle));
    sleeps = event_driven;
    with = library;
    for (unsigned i = 0; i < N_JOBS; i++) {
        struct one *one = &ones[i];
        uint8_t **const memory[] = {&one->from, &one->to, &one->expected};
        for (unsigned k = 0; k < 3; k++)
            ck_assert_ptr_nonnull(*memory[k] = calloc(1, ROOM));
        one->n = i == 1 ? LONG : SHORT;
        fill(one->from, one->n, i);
    }
    make_expected();
}

static void end(void)
{
    for (unsigned i = 0; i < N_JOBS; i++) {
        free(ones[i].from);
        free(ones[i].to);
        free(ones[i].expected);
    }
    teardown();
}

// ---- tests -------------------------------------------------------------------------------

#define N_LIBRARIES ((int)(sizeof(libraries) / sizeof(libraries[0])))
#define N_CARDS     (sizeof(cards) / sizeof(cards[0]))

static void for_each_card(int which, void (*run)(bool seed))
{
    begin(&libraries[which / 4], which / 2 % 2);
    for (size_t card = 0; card < N_CARDS; card++) {
        int workers = which % 2 * 2;
        has_threads = workers || card == N_CARDS - 1; // a timer wakes, too
        open_with(cards[card].lines, workers);
        run(cards[card].seed);
        close_all();
        has_threads = false;
    }
    end();
}

static void run_alone(bool seed)
{
    bool seen[N_JOBS] = {false};

    for (unsigned i = 0; i < N_JOBS; i++)
        OK(doca_workq_submit(workq, &jobs[i].base));
    for (unsigned i = 0; i < N_JOBS; i++) {
        uint64_t id = next();
        seen[id] = true;
        if (seed)
            ck_assert_uint_eq(id, i);
    }
    for (unsigned i = 0; i < N_JOBS; i++) {
        ck_assert(seen[i]);
        check_result(&ones[i]);
    }
}

START_TEST(all_jobs_end)
{
    for_each_card(_i, run_alone);
}
END_TEST

// One job after the other, and then one more job outside of the graph.
static void run_in_graph(bool seed)
{
    struct doca_graph_node *nodes[N_JOBS - 1];
    struct doca_graph_instance *instance;
    struct doca_event events[N_JOBS - 1];
    struct doca_graph *graph;

    (void)seed;
    OK(doca_graph_create(&graph));
    for (unsigned i = 0; i < N_JOBS - 1; i++) {
        OK(doca_graph_ctx_node_create(graph, with->type, lib_ctx, &nodes[i]));
        if (i > 0)
            OK(doca_graph_add_dependency(graph, nodes[i - 1], nodes[i]));
    }
    OK(doca_graph_start(graph));
    OK(doca_graph_workq_add(graph, workq));
    OK(doca_graph_instance_create(graph, &instance));
    for (unsigned i = 0; i < N_JOBS - 1; i++)
        OK(doca_graph_instance_set_ctx_node_data(instance, nodes[i], &jobs[i].base, &events[i]));
    OK(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 7}));
    OK(doca_workq_submit(workq, &jobs[N_JOBS - 1].base));
    ck_assert_uint_eq(next() + next(), 7 + N_JOBS - 1);
    for (unsigned i = 0; i < N_JOBS; i++)
        check_result(&ones[i]);
    OK(doca_graph_instance_destroy(instance));
    OK(doca_graph_workq_rm(graph, workq));
    OK(doca_graph_stop(graph));
    OK(doca_graph_destroy(graph));
}

START_TEST(a_graph_of_them_ends)
{
    for_each_card(_i, run_in_graph);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("paced_jobs");

    tcase_add_loop_test(tcase, all_jobs_end, 0, 4 * N_LIBRARIES);
    tcase_add_loop_test(tcase, a_graph_of_them_ends, 0, 4 * N_LIBRARIES);
    return unit_run_case("paced_jobs", tcase);
}
