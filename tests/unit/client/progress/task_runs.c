// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "task_runs.h"

#include "../dma/dma_rig.h"
#include "workers/workers.h"

#include <check.h>
#include <sched.h>

struct doca_pe *pe;
struct doca_ctx *lib_ctx;
unsigned n_over;
doca_error_t last;

void task_over(struct doca_task *task, bool good)
{
    last = doca_task_get_status(task);
    ck_assert_int_eq(last == DOCA_SUCCESS, good);
    n_over++;
}

void setup_runs(struct doca_ctx *of)
{
    n_over = 0;
    lib_ctx = of;
    ck_assert_int_eq(doca_pe_create(&pe), DOCA_SUCCESS);
    ck_assert_int_eq(doca_pe_connect_ctx(pe, of), DOCA_SUCCESS);
}

void stop_runs(void)
{
    ck_assert_int_eq(doca_ctx_stop(lib_ctx), DOCA_SUCCESS);
}

void teardown_runs(void)
{
    ck_assert_int_eq(doca_pe_destroy(pe), DOCA_SUCCESS);
}

void start_with_workers(int n)
{
    workers_set_most(n);
    ck_assert_int_eq(doca_ctx_start(lib_ctx), DOCA_SUCCESS);
}

void use_workers(int n)
{
    stop_runs();
    start_with_workers(n);
}

doca_error_t run(struct doca_task *task)
{
    unsigned before = n_over;

    ck_assert_int_eq(doca_task_submit(task), DOCA_SUCCESS);
    while (n_over == before)
        if (!doca_pe_progress(pe)) {
            serve_all();
            sched_yield();
        }
    return last;
}

doca_error_t run_and_free(struct doca_task *task)
{
    doca_error_t r = run(task);

    doca_task_free(task);
    return r;
}
