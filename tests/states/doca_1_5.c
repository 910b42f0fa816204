// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The 1.5 interface has these in forms of its own: devices, DMA contexts, work queues, the
// log. Its maps and buffers have files of their own.

#include "task_world.h"

#include <doca_log.h>

// ---- devices

static struct {
    struct doca_dev *dev;
    struct doca_devinfo_rep **reps; // on the DPU
    uint32_t n_reps;
} d;

static void enter_device(unsigned state)
{
    d.dev = client_open(state ? DPU_P0 : HOST_PF0);
    if (state)
        ck_assert_success(
            doca_devinfo_rep_list_create(d.dev, DOCA_DEV_REP_FILTER_NET, &d.reps, &d.n_reps));
}

static void leave_device(void)
{
    if (d.reps)
        ck_assert_success(doca_devinfo_rep_list_destroy(d.reps));
    ck_assert_success(doca_dev_close(d.dev));
    d.reps = NULL;
}

static enum given argue_device(const char *function, const char *param, uint64_t *value)
{
    (void)function;
    if (same(param, "dev"))
        return GIVE(d.dev);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(d.dev));
    if (same(param, "devinfo_rep"))
        return GIVE_OBJECT(d.reps ? d.reps[0] : NULL);
    *value = DOCA_DEV_REP_FILTER_NET;
    return same(param, "filter") ? GIVEN : GIVEN_NONE;
}

static void device_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_devinfo_rep_list_create"))
        ck_assert_success(
            doca_devinfo_rep_list_destroy(*(struct doca_devinfo_rep ***)(uintptr_t)a[2]));
}

static const struct row device_rows[] = {
    {"doca_devinfo_get_pci_addr", ANY(OK)},
    {"doca_devinfo_get_is_mmap_export_supported", ANY(OK)},
    {"doca_devinfo_get_is_mmap_from_export_supported", ANY(OK)},
    {"doca_devinfo_rep_get_is_list_virtio_fs_supported", ANY(OK)},
    {"doca_devinfo_rep_get_is_list_virtio_net_supported", ANY(OK)},
    {"doca_devinfo_rep_get_is_list_virtio_blk_supported", ANY(OK)},
    {"doca_devinfo_rep_get_is_list_nvme_supported", ANY(OK)},
    {"doca_devinfo_rep_get_pci_addr", {ABSENT, OK}},
    {"doca_devinfo_rep_list_create", {UNSUPP, OK}},
};

GROUP(devices) = {
    .name = "device",
    .states = {"of the host", "of the DPU"},
    .on_dpu = 1 << 1,
    ROWS(device_rows),
    .enter = enter_device,
    .leave = leave_device,
    .argument = argue_device,
    .succeeded = device_succeeded,
};

// ---- contexts and work queues

static struct doca_dma *dma;

static struct doca_ctx *ctx(void)
{
    return dma ? doca_dma_as_ctx(dma) : NULL;
}

static void create(void)
{
    ck_assert_success(doca_dma_create(&dma));
}

static const struct lifetime lifetimes[] = {
    {"doca_dma_create", "doca_dma_destroy", &dma},
    {NULL},
};

TASK_LIBRARY

static enum given argue_work(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "dma"))
        return GIVE(dma);
    if (same(param, "workq"))
        return same(function, "doca_workq_create") ? GIVEN_NONE : GIVE(tw.workq);
    if (same(param, "devinfo"))
        return task_world_argument(param, value);
    if (same(param, "depth")) {
        *value = 5;
        return GIVEN;
    }
    *value = DOCA_DMA_JOB_MEMCPY;
    return same(param, "job_type") ? GIVEN : GIVEN_NONE;
}

static void work_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_workq_create"))
        ck_assert_success(doca_workq_destroy(*(struct doca_workq **)(uintptr_t)a[1]));
}

static const struct row dma_rows[] = {
    // made, connected, running, busy, stopped, started
    {"doca_dma_create", ANY(OK)},
    {"doca_dma_destroy", {OK, OK, IN_USE, OK, OK, OK}},
    {"doca_dma_job_get_supported", ANY(OK)},
    {"doca_dma_as_ctx", ANY(OK)},
    {"doca_dma_get_max_list_buf_num_elem", ANY(OK)},
    {"doca_dma_get_max_buf_size", ANY(OK)},
};

GROUP(dmas) = {
    .name = "DMA",
    .states = {CONTEXT_STATES},
    ROWS(dma_rows),
    .probe = "doca_dma_destroy",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue_work,
    .lifetimes = lifetimes,
};

static const struct row workq_rows[] = {
    // made, connected, running, busy, stopped, started
    {"doca_workq_create", ANY(OK)},
    {"doca_workq_set_depth", {OK, OK, STATE, OK, OK, OK}},
};

GROUP(workqs) = {
    .name = "work queue",
    .states = {CONTEXT_STATES},
    ROWS(workq_rows),
    .probe = "doca_workq_set_depth",
    .enter = enter_ctx,
    .leave = leave,
    .argument = argue_work,
    .succeeded = work_succeeded,
};

// ---- the log

static void enter_log(unsigned state)
{
    (void)state;
}

static void leave_log(void)
{
}

static enum given argue_log(const char *function, const char *param, uint64_t *value)
{
    (void)function;
    if (same(param, "stream"))
        return GIVE(stderr);
    return same(param, "source_name") ? GIVE("STATES") : GIVEN_NONE;
}

static void log_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_log_source_register"))
        ck_assert_success(doca_log_source_destroy(*(int *)(uintptr_t)a[1]));
}

static const struct row log_rows[] = {
    {"doca_log_stream_redirect", {OK}},
    {"doca_log_source_register", {OK}},
};

GROUP(logs) = {
    .name = "log",
    .states = {"any"},
    ROWS(log_rows),
    .logs_nothing = true,
    .enter = enter_log,
    .leave = leave_log,
    .argument = argue_log,
    .succeeded = log_succeeded,
};
