// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rig.h"

#include "clock.h"
#include "device.h"
#include "exporter.h"
#include "remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define LINK_MS         20000 // until the two nodes are linked
#define SILENT_NS       20000000000u
#define TRIES_PER_CHECK (1u << 20) // retrievals between two checks of the clock

// ---- memory ---------------------------------------------------------------------------------

static bool open_map(struct rig *rig, struct memory *memory, struct doca_mmap **map,
                     struct problem *problem)
{
    DOCA_TRY(problem, doca_mmap_create, NULL, map);
    DOCA_TRY(problem, doca_mmap_set_memrange, *map, memory->at, memory->size);
    DOCA_TRY(problem, doca_mmap_dev_add, *map, rig->dev);
    DOCA_TRY(problem, doca_mmap_start, *map);
    return true;
}

static bool open_remote(struct rig *rig, const char *server, struct problem *problem)
{
    const struct remote_request request = {
        .kind = REMOTE_EXPORT, .size = rig->region, .memory = rig->plan.memory};
    struct remote_export export;

    if (!remote_open(&rig->remote, server, &request, problem) ||
        !remote_recv_export(rig->remote, &export, problem))
        return false;
    DOCA_TRY(problem, doca_mmap_create_from_export, NULL, export.desc, export.len, rig->dev,
             &rig->source_map);
    rig->from = (char *)(uintptr_t) export.address;
    return true;
}

static bool open_import(struct rig *rig, int exporter, struct problem *problem)
{
    struct export_reply reply;

    if (!exporter_ask(exporter, rig->plan.memory, rig->region, &reply, problem))
        return false;
    rig->desc_len = sizeof(rig->desc);
    DOCA_TRY(problem, docad_export_lookup, reply.name, LINK_MS, rig->desc, &rig->desc_len);
    DOCA_TRY(problem, doca_mmap_create_from_export, NULL, rig->desc, rig->desc_len, rig->dev,
             &rig->source_map);
    rig->from = (char *)(uintptr_t)reply.address;
    return true;
}

static bool open_memory(struct rig *rig, struct run *run, struct problem *problem)
{
    const struct rig_plan *plan = &rig->plan;
    rig->region = plan->footprint / plan->size * plan->size;
    if (!memory_open(&rig->target, MEMORY_MAPPED, rig->region, problem) ||
        !open_map(rig, &rig->target, &rig->target_map, problem))
        return false;
    if (run->options->server)
        return open_remote(rig, run->options->server, problem);
    if (plan->path == PATH_IMPORT)
        return open_import(rig, run->exporter, problem);
    if (!memory_open(&rig->source, plan->memory, rig->region, problem))
        return false;
    pattern_fill(rig->source.at, rig->region);
    rig->from = rig->source.at;
    return open_map(rig, &rig->source, &rig->source_map, problem);
}

// ---- context, work queue, buffers ------------------------------------------------------------

static bool get_handle(struct rig *rig, struct problem *problem)
{
    if (rig->tasks) {
        rig->handle = task_rig_handle(rig->tasks);
        return true;
    }
    DOCA_TRY(problem, doca_workq_set_event_driven_enable, rig->workq, 1);
    DOCA_TRY(problem, doca_workq_get_event_handle, rig->workq, &rig->handle);
    return true;
}

static bool open_events(struct rig *rig, struct problem *problem)
{
    if (!get_handle(rig, problem))
        return false;
    rig->epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    if (rig->epoll < 0 || epoll_ctl(rig->epoll, EPOLL_CTL_ADD, rig->handle, &event) < 0)
        return problem_set(problem, "epoll: %s", strerror(errno));
    return true;
}

static bool open_tasks(struct rig *rig, struct problem *problem)
{
    const struct rig_plan *plan = &rig->plan;

    return task_rig_open(&rig->tasks, rig->dev, plan->contexts, plan->depth, rig->free,
                         &rig->n_free, problem) &&
           (!plan->event || open_events(rig, problem));
}

static bool open_context(struct rig *rig, struct problem *problem)
{
    if (rig->plan.contexts)
        return open_tasks(rig, problem);
    DOCA_TRY(problem, doca_dma_create, &rig->dma);
    rig->ctx = doca_dma_as_ctx(rig->dma);
    DOCA_TRY(problem, doca_ctx_dev_add, rig->ctx, rig->dev);
    DOCA_TRY(problem, doca_ctx_start, rig->ctx);
    rig->started = true;
    DOCA_TRY(problem, doca_workq_create, rig->plan.depth, &rig->workq);
    if (rig->plan.event && !open_events(rig, problem))
        return false;
    DOCA_TRY(problem, doca_ctx_workq_add, rig->ctx, rig->workq);
    rig->attached = true;
    return true;
}

// Each buffer spans the whole region; a job moves the data within it.
static bool get_source(struct rig *rig, struct doca_buf **out, struct problem *problem)
{
    DOCA_TRY(problem, doca_buf_inventory_buf_by_args, rig->inventory, rig->source_map, rig->from,
             rig->region, rig->from, rig->plan.size, out);
    return true;
}

static bool open_jobs(struct rig *rig, struct problem *problem)
{
    uint32_t depth = rig->plan.depth;
    DOCA_TRY(problem, doca_buf_inventory_create, NULL, 2 * (size_t)depth, DOCA_BUF_EXTENSION_NONE,
             &rig->inventory);
    DOCA_TRY(problem, doca_buf_inventory_start, rig->inventory);
    for (uint32_t i = 0; i < depth; i++) {
        struct rig_job *job = &rig->jobs[i];
        if (!get_source(rig, &job->from, problem))
            return false;
        DOCA_TRY(problem, doca_buf_inventory_buf_by_addr, rig->inventory, rig->target_map,
                 rig->target.at, rig->region, &job->to);
        job->job = (struct doca_dma_job_memcpy){
            .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = rig->ctx, .user_data.u64 = i},
            .dst_buff = job->to,
            .src_buff = job->from,
        };
        if (rig->tasks && !task_rig_task(rig->tasks, i, job->from, job->to, &job->task, problem))
            return false;
        rig->free[rig->n_free++] = depth - 1 - i;
    }
    return true;
}

static bool open_lists(struct rig *rig, struct problem *problem)
{
    rig->jobs = calloc(rig->plan.depth, sizeof(*rig->jobs));
    rig->free = calloc(rig->plan.depth, sizeof(*rig->free));
    return (rig->jobs && rig->free) || problem_set(problem, "out of memory");
}

bool rig_open(struct rig *rig, const struct rig_plan *plan, struct run *run)
{
    struct problem *problem = &run->result->problem;
    *rig = (struct rig){.plan = *plan, .epoll = -1, .remote = -1};
    return device_open(&rig->dev, plan->path == PATH_IMPORT ? DEVICE_IMPORTS : DEVICE_COPIES,
                       problem) &&
           open_memory(rig, run, problem) && open_lists(rig, problem) &&
           open_context(rig, problem) && open_jobs(rig, problem);
}

// Tasks keep the buffers that they were made with: only jobs can have others.
bool rig_import_again(struct rig *rig, struct problem *problem)
{
    uint32_t depth = rig->plan.depth;

    for (uint32_t i = 0; i < depth; i++) {
        DOCA_TRY(problem, doca_buf_refcount_rm, rig->jobs[i].from, NULL);
        rig->jobs[i].from = NULL;
    }
    DOCA_TRY(problem, doca_mmap_destroy, rig->source_map);
    rig->source_map = NULL;
    DOCA_TRY(problem, doca_mmap_create_from_export, NULL, rig->desc, rig->desc_len, rig->dev,
             &rig->source_map);
    for (uint32_t i = 0; i < depth; i++) {
        if (!get_source(rig, &rig->jobs[i].from, problem))
            return false;
        rig->jobs[i].job.src_buff = rig->jobs[i].from;
    }
    return true;
}

void rig_close(struct rig *rig)
{
    for (uint32_t i = 0; rig->jobs && i < rig->plan.depth; i++) {
        if (rig->jobs[i].from)
            doca_buf_refcount_rm(rig->jobs[i].from, NULL);
        if (rig->jobs[i].to)
            doca_buf_refcount_rm(rig->jobs[i].to, NULL);
        task_rig_free(rig->jobs[i].task);
    }
    if (rig->inventory)
        doca_buf_inventory_destroy(rig->inventory);
    if (rig->attached)
        doca_ctx_workq_rm(rig->ctx, rig->workq);
    if (rig->epoll >= 0)
        close(rig->epoll);
    task_rig_close(rig->tasks);
    free(rig->jobs);
    free(rig->free);
    if (rig->workq)
        doca_workq_destroy(rig->workq);
    if (rig->started)
        doca_ctx_stop(rig->ctx);
    if (rig->dma)
        doca_dma_destroy(rig->dma);
    if (rig->source_map)
        doca_mmap_destroy(rig->source_map);
    if (rig->target_map)
        doca_mmap_destroy(rig->target_map);
    if (rig->dev)
        doca_dev_close(rig->dev);
    memory_close(&rig->source);
    memory_close(&rig->target);
    remote_close(rig->remote);
    *rig = (struct rig){.epoll = -1, .remote = -1};
}

// ---- jobs ------------------------------------------------------------------------------------

struct rig_job *rig_prepare(struct rig *rig)
{
    struct rig_job *job = &rig->jobs[rig->free[--rig->n_free]];
    size_t at = rig->at, size = rig->plan.size;
    // The calls only fail for NULL; buffers stay within the region.
    if (rig->region != size)
        doca_buf_set_data(job->from, rig->from + at, size);
    doca_buf_set_data(job->to, rig->target.at + at, 0);
    at += size;
    rig->at = at == rig->region ? 0 : at;
    return job;
}

bool rig_submit(struct rig *rig, struct rig_job *job, struct problem *problem)
{
    if (job->task)
        return task_rig_submit(job->task, problem);
    doca_error_t result = doca_workq_submit(rig->workq, &job->job.base);
    return result == DOCA_SUCCESS || problem_doca(problem, "doca_workq_submit", result);
}

bool rig_arm(struct rig *rig, struct problem *problem)
{
    if (rig->tasks)
        return task_rig_request(rig->tasks, problem);
    DOCA_TRY(problem, doca_workq_event_handle_arm, rig->workq);
    return true;
}

bool rig_clear(struct rig *rig, struct problem *problem)
{
    if (rig->tasks)
        return task_rig_clear(rig->tasks, problem);
    DOCA_TRY(problem, doca_workq_event_handle_clear, rig->workq, rig->handle);
    return true;
}

static bool wait_for_event(struct rig *rig, struct problem *problem)
{
    struct epoll_event event;
    if (!rig_arm(rig, problem))
        return false;
    int n = epoll_wait(rig->epoll, &event, 1, (int)(SILENT_NS / 1000000));
    if (n == 0)
        return problem_set(problem, "no completion for %u s", (unsigned)(SILENT_NS / 1000000000));
    if (n < 0 && errno != EINTR)
        return problem_set(problem, "epoll_wait: %s", strerror(errno));
    return rig_clear(rig, problem);
}

// Called after each of `tries` polls without success.
static bool wait_a_little(struct rig *rig, uint64_t *tries, uint64_t *since,
                          struct problem *problem)
{
    if (rig->plan.event && !wait_for_event(rig, problem))
        return false;
    if (++*tries % TRIES_PER_CHECK)
        return true;
    *since = *since ? *since : clock_ns();
    return clock_ns() - *since <= SILENT_NS ||
           problem_set(problem, "no completion for %u s", (unsigned)(SILENT_NS / 1000000000));
}

static bool retrieve_task(struct rig *rig, struct problem *problem)
{
    uint64_t tries = 0, since = 0;

    while (!task_rig_progress(rig->tasks))
        if (!wait_a_little(rig, &tries, &since, problem))
            return false;
    return !task_rig_failed(rig->tasks, problem);
}

bool rig_retrieve(struct rig *rig, struct problem *problem)
{
    struct doca_event event;
    doca_error_t result;
    uint64_t tries = 0, since = 0;

    if (rig->tasks)
        return retrieve_task(rig, problem);
    while ((result = doca_workq_progress_retrieve(
                rig->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) == DOCA_ERROR_AGAIN)
        if (!wait_a_little(rig, &tries, &since, problem))
            return false;
    if (result == DOCA_ERROR_IO_FAILED)
        return problem_doca(problem, "a job failed", (doca_error_t)event.result.u64);
    if (result != DOCA_SUCCESS)
        return problem_doca(problem, "doca_workq_progress_retrieve", result);
    rig->free[rig->n_free++] = (uint32_t)event.user_data.u64;
    return true;
}

bool rig_run(struct rig *rig, uint64_t n, uint32_t batch, struct problem *problem)
{
    uint64_t submitted = 0, retrieved = 0;
    while (retrieved < n) {
        uint64_t left = n - submitted;
        uint32_t now = left < batch ? (uint32_t)left : batch;
        while (now && rig->n_free >= now) {
            for (uint32_t i = 0; i < now; i++)
                if (!rig_submit(rig, rig_prepare(rig), problem))
                    return false;
            submitted += now;
            left = n - submitted;
            now = left < batch ? (uint32_t)left : batch;
        }
        // Runs until the next batch fits; at the end, until all jobs are back.
        do {
            if (!rig_retrieve(rig, problem))
                return false;
            retrieved++;
        } while (retrieved < submitted && (!now || rig->n_free < now));
    }
    return true;
}

// ---- verification ------------------------------------------------------------------------------

static bool check(struct rig *rig, size_t size, struct problem *problem)
{
    size_t wrong = pattern_check(rig->target.at, size);
    return wrong == size ||
           problem_set(problem, "the copy is wrong: byte %zu of %zu differs", wrong, size);
}

bool rig_check_jobs(struct rig *rig, uint64_t n, struct problem *problem)
{
    bool all = n >= rig->region / rig->plan.size;
    return check(rig, all ? rig->region : (size_t)n * rig->plan.size, problem);
}

bool rig_verify(struct rig *rig, struct problem *problem)
{
    memset(rig->target.at, 0, rig->region);
    rig->at = 0;
    return rig_run(rig, rig->region / rig->plan.size, 1, problem) &&
           check(rig, rig->region, problem);
}
