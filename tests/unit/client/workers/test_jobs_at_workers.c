// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Jobs of the 2.2 interface of each computing library that are at workers while the process forks,
// a graph waits for them, or the program takes the context away.

#include "../dma/dma_rig.h"
#include "../worker_watch.h"
#include "unit.h"
#include "workers/workers.h"

#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_erasure_coding.h>
#include <doca_graph.h>
#include <doca_sha.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE   ((size_t)1 << 20) // all libraries hand this over
#define ROOM   (SIZE + ((size_t)1 << 16))
#define N_JOBS 3
#define N_DATA 4
#define N_RDNC 2

#define OK(call) ck_assert_int_eq((call), DOCA_SUCCESS)

static struct doca_compress *compress;
static struct doca_sha *sha;
static struct doca_ec *ec;
static struct doca_matrix *matrix;

static struct doca_ctx *lib_ctx;
static int job_type;
static uint8_t *source, *results[N_JOBS], expected[ROOM];
static size_t n_expected;
static struct doca_mmap source_map, result_maps[N_JOBS];
static struct doca_buf *src, *dst[N_JOBS];
static union {
    struct doca_job base;
    struct doca_compress_deflate_job deflate;
    struct doca_sha_job sha;
    struct doca_ec_job_create create;
} jobs[N_JOBS];

// ---- the libraries -----------------------------------------------------------------------

static void compress_open(void)
{
    OK(doca_compress_create(&compress));
    lib_ctx = doca_compress_as_ctx(compress);
    job_type = DOCA_COMPRESS_DEFLATE_JOB;
}

static void compress_job(unsigned i)
{
    jobs[i].deflate.src_buff = src;
    jobs[i].deflate.dst_buff = dst[i];
}

static doca_error_t compress_close(void)
{
    return doca_compress_destroy(compress);
}

static void sha_open(void)
{
    OK(doca_sha_create(&sha));
    lib_ctx = doca_sha_as_ctx(sha);
    job_type = DOCA_SHA_JOB_SHA256;
}

static void sha_job(unsigned i)
{
    jobs[i].sha.req_buf = src;
    jobs[i].sha.resp_buf = dst[i];
    jobs[i].sha.flags = 0;
}

static doca_error_t sha_close(void)
{
    return doca_sha_destroy(sha);
}

static void ec_open(void)
{
    OK(doca_ec_create(&ec));
    lib_ctx = doca_ec_as_ctx(ec);
    job_type = DOCA_EC_JOB_CREATE;
}

static void ec_job(unsigned i)
{
    jobs[i].create.create_matrix = matrix;
    jobs[i].create.src_original_data_buff = src;
    jobs[i].create.dst_rdnc_buff = dst[i];
}

static doca_error_t ec_close(void)
{
    return doca_ec_destroy(ec);
}

static const struct library {
    void (*open)(void);
    void (*job)(unsigned i);
    doca_error_t (*close)(void);
    bool has_matrix;
} libraries[] = {{compress_open, compress_job, compress_close, false},
                 {sha_open, sha_job, sha_close, false},
                 {ec_open, ec_job, ec_close, true}};

static const struct library *with;

// ---- the setting -------------------------------------------------------------------------

static void take(int workers)
{
    workers_set_most(workers);
    OK(doca_ctx_workq_add(lib_ctx, workq));
    for (unsigned i = 0; i < N_JOBS; i++) {
        memset(results[i], 0xee, ROOM);
        dst[i]->data_len = 0;
    }
}

static doca_error_t submit_job(unsigned i)
{
    return doca_workq_submit(workq, &jobs[i].base);
}

// The number of the next job that ends; its result must be this.
static uint64_t next(doca_error_t result)
{
    struct doca_event event;
    doca_error_t r;

    while ((r = doca_workq_progress_retrieve(workq, &event, 0)) == DOCA_ERROR_AGAIN)
        ;
    ck_assert_int_eq(r, result == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
    ck_assert_int_eq(event.type, job_type);
    ck_assert_uint_eq(event.result.u64, result);
    return event.user_data.u64;
}

static void assert_nothing_more(void)
{
    struct doca_event event;

    for (unsigned i = 0; i < 20; i++)
        ck_assert_int_eq(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
}

static void make_expected(void)
{
    take(0);
    OK(submit_job(0));
    ck_assert_uint_eq(next(DOCA_SUCCESS), 0);
    n_expected = dst[0]->data_len;
    ck_assert_uint_gt(n_expected, 0);
    memcpy(expected, results[0], n_expected);
    OK(doca_ctx_workq_rm(lib_ctx, workq));
}

// One worker, whose first job will get no further than to its source.
static void begin(const struct library *library)
{
    setup(); // buffers and the work queue come from there
    with = library;
    with->open();
    OK(doca_ctx_dev_add(lib_ctx, &fake_dev));
    OK(doca_ctx_start(lib_ctx));
    if (with->has_matrix)
        OK(doca_ec_matrix_create(ec, DOCA_CODING_MATRIX_CAUCHY, N_DATA, N_RDNC, &matrix));
    source = watched_pages(ROOM);
    fill(source, SIZE, 4);
    source_map = local_map(source, ROOM);
    src = buffer(&source_map, source, SIZE, SIZE);
    memset(jobs, 0, sizeof(jobs));
    for (unsigned i = 0; i < N_JOBS; i++) {
        results[i] = watched_pages(ROOM);
        result_maps[i] = local_map(results[i], ROOM);
        dst[i] = buffer(&result_maps[i], results[i], ROOM, 0);
        jobs[i].base = (struct doca_job){
            .type = job_type, .flags = DOCA_JOB_FLAGS_NONE, .ctx = lib_ctx, .user_data.u64 = i};
        with->job(i);
    }
    make_expected();
    take(1);
    gate_shut(source, ROOM);
}

static void end(void)
{
    if (with->has_matrix)
        OK(doca_ec_matrix_destroy(matrix));
    OK(doca_ctx_workq_rm(lib_ctx, workq));
    OK(doca_ctx_stop(lib_ctx));
    OK(with->close());
    for (unsigned i = 0; i < N_JOBS; i++) {
        drop(dst[i]);
        munmap(results[i], ROOM);
    }
    drop(src);
    munmap(source, ROOM);
    teardown();
}

static bool is_done(unsigned i)
{
    return dst[i]->data_len == n_expected && memcmp(results[i], expected, n_expected) == 0;
}

static bool is_untouched(unsigned i)
{
    for (size_t at = 0; at < ROOM; at++)
        if (results[i][at] != 0xee)
            return false;
    return dst[i]->data_len == 0;
}

// ---- tests -------------------------------------------------------------------------------

START_TEST(a_context_is_kept_while_workers_have_its_jobs)
{
    begin(&libraries[_i]);
    OK(submit_job(0));
    gate_wait();
    OK(submit_job(1));
    ck_assert_int_ne(doca_ctx_workq_rm(lib_ctx, workq), DOCA_SUCCESS);
    ck_assert_int_ne(doca_ctx_stop(lib_ctx), DOCA_SUCCESS);
    ck_assert_int_ne(with->close(), DOCA_SUCCESS);
    ck_assert_int_ne(doca_workq_destroy(workq), DOCA_SUCCESS);
    assert_nothing_more();
    gate_open();
    ck_assert_uint_eq(next(DOCA_SUCCESS), 0);
    ck_assert_uint_eq(next(DOCA_SUCCESS), 1);
    assert_nothing_more();
    ck_assert(is_done(0) && is_done(1) && is_untouched(2));
    end();
}
END_TEST

#ifndef __SANITIZE_THREAD__ // it allows no threads in the child of a process with threads
// In the child: the jobs of the parent fail, and another one is computed.
static int in_the_child(void)
{
    uint64_t first, second;

    gate_open();
    first = next(DOCA_ERROR_BAD_STATE);
    second = next(DOCA_ERROR_BAD_STATE);
    assert_nothing_more();
    if (first + second != 1 || !is_untouched(0) || !is_untouched(1))
        return 1;
    if (submit_job(2) != DOCA_SUCCESS || next(DOCA_SUCCESS) != 2 || !is_done(2))
        return 2;
    end();
    return 0;
}

START_TEST(a_child_is_told)
{
    int status;

    begin(&libraries[_i]);
    OK(submit_job(0));
    gate_wait();
    OK(submit_job(1));
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        _exit(in_the_child());
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    assert_nothing_more();
    gate_open();
    ck_assert_uint_eq(next(DOCA_SUCCESS), 0);
    ck_assert_uint_eq(next(DOCA_SUCCESS), 1);
    ck_assert(is_done(0) && is_done(1) && is_untouched(2));
    end();
}
END_TEST
#endif

static unsigned n_called;

static doca_error_t call(void *cookie, struct doca_event *event)
{
    (void)event;
    ck_assert_ptr_eq(cookie, &jobs[0]);
    ck_assert(is_done(0));
    n_called++;
    return DOCA_SUCCESS;
}

// A job, and then a call.
START_TEST(a_graph_waits_for_its_job)
{
    struct doca_graph_instance *instance;
    struct doca_event events[2], event;
    struct doca_graph_node *nodes[2];
    struct doca_graph *graph;
    doca_error_t r;

    begin(&libraries[_i]);
    n_called = 0;
    OK(doca_graph_create(&graph));
    OK(doca_graph_ctx_node_create(graph, job_type, lib_ctx, &nodes[0]));
    OK(doca_graph_user_node_create(graph, call, &nodes[1]));
    OK(doca_graph_add_dependency(graph, nodes[0], nodes[1]));
    OK(doca_graph_start(graph));
    OK(doca_graph_workq_add(graph, workq));
    OK(doca_graph_instance_create(graph, &instance));
    OK(doca_graph_instance_set_ctx_node_data(instance, nodes[0], &jobs[0].base, &events[0]));
    OK(doca_graph_instance_set_user_node_data(instance, nodes[1], &jobs[0], &events[1]));
    OK(doca_workq_graph_submit(workq, instance, (union doca_data){.u64 = 7}));
    while (!gate_reached())
        ck_assert_int_eq(doca_workq_progress_retrieve(workq, &event, 0), DOCA_ERROR_AGAIN);
    assert_nothing_more();
    ck_assert_uint_eq(n_called, 0);
    gate_open();
    while ((r = doca_workq_progress_retrieve(workq, &event, 0)) == DOCA_ERROR_AGAIN)
        ;
    OK(r);
    ck_assert_uint_eq(event.user_data.u64, 7);
    ck_assert_uint_eq(event.result.u64, DOCA_SUCCESS);
    ck_assert_uint_eq(n_called, 1);
    OK(doca_graph_instance_destroy(instance));
    OK(doca_graph_workq_rm(graph, workq));
    OK(doca_graph_stop(graph));
    OK(doca_graph_destroy(graph));
    end();
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("jobs_at_workers");
    const int n = sizeof(libraries) / sizeof(libraries[0]);

    tcase_add_loop_test(tcase, a_context_is_kept_while_workers_have_its_jobs, 0, n);
#ifndef __SANITIZE_THREAD__
    tcase_add_loop_test(tcase, a_child_is_told, 0, n);
#endif
    tcase_add_loop_test(tcase, a_graph_waits_for_its_job, 0, n);
    return unit_run_case("jobs_at_workers", tcase);
}
