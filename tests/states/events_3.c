// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events of DOCA 3, on the host, and their tasks.

#include "tables.h"
#include "objects.h"

#include "client.h"

#include <check.h>
#include <doca_pe.h>
#include <doca_sync_event.h>
#include <string.h>

enum { FRESH, CONFIGURED, STARTED, RUNNING, BUSY, STOPPED };

static struct {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_sync_event *event;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf;
    struct doca_sync_event_task_get *get;
    struct doca_sync_event_task_notify_set *set;
    struct doca_sync_event_task_notify_add *add;
    struct doca_sync_event_task_wait_gt *gt;
    struct doca_sync_event_task_wait_eq *eq;
    struct doca_sync_event_task_wait_neq *neq;
    uint64_t word, answer;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_sync_event_as_ctx(w.event);
}

#define CALLBACK(type)                                                                             \
    static void type##_over(struct doca_sync_event_task_##type *task, union doca_data data,        \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        (void)task;                                                                                \
        (void)data;                                                                                \
        (void)ctx_data;                                                                            \
    }

CALLBACK(get)
CALLBACK(notify_set)
CALLBACK(notify_add)
CALLBACK(wait_gt)
CALLBACK(wait_eq)
CALLBACK(wait_neq)

// ---- the states --------------------------------------------------------------------------

static void make(void)
{
    w.dev = client_open(HOST_PF0);
    w.word = 1;
    w.mmap = map_new(NULL, &w.word, sizeof(w.word), true);
    ck_assert_success(doca_buf_inventory_create(1, &w.inventory));
    ck_assert_success(doca_buf_inventory_start(w.inventory));
    ck_assert_success(doca_buf_inventory_buf_get_by_data(w.inventory, w.mmap, &w.word, 8, &w.buf));
    ck_assert_success(doca_pe_create(&w.pe));
    ck_assert_success(doca_sync_event_create(&w.event));
}

static void configure(void)
{
    ck_assert_success(doca_sync_event_add_publisher_location_remote_pci(w.event));
    ck_assert_success(doca_sync_event_add_subscriber_location_cpu(w.event, w.dev));
}

static void allocate(void)
{
    const union doca_data none = {0};
    ck_assert_success(doca_sync_event_task_get_alloc_init(w.event, &w.answer, none, &w.get));
    ck_assert_success(doca_sync_event_task_notify_set_alloc_init(w.event, 1, none, &w.set));
    ck_assert_success(
        doca_sync_event_task_notify_add_alloc_init(w.event, 1, &w.answer, none, &w.add));
    ck_assert_success(doca_sync_event_task_wait_gt_alloc_init(w.event, 7, 0xff, none, &w.gt));
    ck_assert_success(doca_sync_event_task_wait_eq_alloc_init(w.event, 7, 0xff, none, &w.eq));
    ck_assert_success(doca_sync_event_task_wait_neq_alloc_init(w.event, 0, 0xff, none, &w.neq));
}

static void run(void)
{
    ck_assert_success(doca_pe_connect_ctx(w.pe, ctx()));
    ck_assert_success(doca_sync_event_task_get_set_conf(w.event, get_over, get_over, 2));
    ck_assert_success(
        doca_sync_event_task_notify_set_set_conf(w.event, notify_set_over, notify_set_over, 2));
    ck_assert_success(
        doca_sync_event_task_notify_add_set_conf(w.event, notify_add_over, notify_add_over, 2));
    ck_assert_success(
        doca_sync_event_task_wait_gt_set_conf(w.event, wait_gt_over, wait_gt_over, 2));
    ck_assert_success(
        doca_sync_event_task_wait_eq_set_conf(w.event, wait_eq_over, wait_eq_over, 2));
    ck_assert_success(
        doca_sync_event_task_wait_neq_set_conf(w.event, wait_neq_over, wait_neq_over, 2));
    ck_assert_success(doca_ctx_start(ctx()));
    allocate();
}

static void enter(unsigned state)
{
    make();
    if (state >= CONFIGURED)
        configure();
    if (state == STARTED || state == STOPPED) {
        ck_assert_success(doca_sync_event_start(w.event));
        ck_assert_success(doca_sync_event_update_set(w.event, 1)); // so that waits end
    }
    if (state == STOPPED)
        ck_assert_success(doca_sync_event_stop(w.event));
    if (state == RUNNING || state == BUSY)
        run();
    if (state == BUSY) // with a wait that does not end
        ck_assert_success(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(w.eq)));
}

static void stop(void)
{
    enum doca_ctx_states state;
    ck_assert_success(doca_ctx_get_state(ctx(), &state));
    if (state == DOCA_CTX_STATE_IDLE)
        return;
    while (doca_ctx_stop(ctx()) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(w.pe);
}

static void leave(void)
{
    if (w.event) {
        if (w.get)
            stop();
        ck_assert_success(doca_sync_event_destroy(w.event));
    }
    ck_assert_success(doca_pe_destroy(w.pe));
    ck_assert_success(doca_buf_dec_refcount(w.buf, NULL));
    ck_assert_success(doca_buf_inventory_destroy(w.inventory));
    ck_assert_success(doca_mmap_destroy(w.mmap));
    ck_assert_success(doca_dev_close(w.dev));
    w.event = NULL;
    w.get = NULL;
}

// ---- arguments ---------------------------------------------------------------------------

#define IS(type) strstr(function, "_task_" #type "_")

static enum given argue_callback(const char *function, uint64_t *value)
{
    return IS(get)          ? GIVE(get_over)
           : IS(notify_set) ? GIVE(notify_set_over)
           : IS(notify_add) ? GIVE(notify_add_over)
           : IS(wait_gt)    ? GIVE(wait_gt_over)
           : IS(wait_eq)    ? GIVE(wait_eq_over)
                            : GIVE(wait_neq_over);
}

static enum given argue_task(const char *function, uint64_t *value)
{
    return IS(get)          ? GIVE(w.get)
           : IS(notify_set) ? GIVE(w.set)
           : IS(notify_add) ? GIVE(w.add)
           : IS(wait_gt)    ? GIVE(w.gt)
           : IS(wait_eq)    ? GIVE(w.eq)
                            : GIVE(w.neq);
}

// The value that ends a wait for the counter at 1; of tasks, and of everything else, any will do.
static uint64_t number_for(const char *function, const char *param)
{
    if (same(param, "sz") || same(param, "num_tasks"))
        return 1;
    if (same(param, "mask"))
        return 0xff;
    return strstr(function, "wait_gt") || strstr(function, "wait_neq") ? 0 : 1;
}

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool makes = same(function, "doca_sync_event_create") ||
                 strstr(function, "create_from_export") || strstr(function, "remote_net_");

    // No state of this event makes a remote one.
    if (same(function, "doca_sync_event_remote_net_destroy"))
        return GIVE(NULL);
    if (same(param, "event"))
        return makes && !strstr(function, "location") ? GIVEN_NONE : GIVE(w.event);
    if (same(param, "dev"))
        return GIVE(w.dev);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(w.dev));
    if (same(param, "buf"))
        return GIVE(w.buf);
    if (same(param, "addr"))
        return GIVE(&w.word);
    if (same(param, "completion_cb") || same(param, "error_cb"))
        return argue_callback(function, value);
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return argue_task(function, value);
    if (same(param, "ret_val_ptr") || same(param, "fetched_val_ptr"))
        return GIVE(&w.answer);
    *value = number_for(function, param);
    bool pointer = same(param, "data") || same(param, "task") || same(param, "fetched") ||
                   same(function, "doca_sync_event_get") ||
                   (same(param, "sz") && strstr(function, "_export_to_")) || strstr(param, "dpa") ||
                   strstr(param, "gpu");
    return pointer ? GIVEN_NONE : GIVEN;
}

static const struct life lives[] = {
    {"doca_sync_event_create", "doca_sync_event_destroy", &w.event},
    {NULL},
};

// ---- the table ---------------------------------------------------------------------------

// In synchronous mode.
#define AT_ONCE INVALID, INVALID, OK, INVALID, INVALID, INVALID
// Each side has one location.
#define ONCE  OK, INVALID, INVALID, INVALID, INVALID, INVALID
#define CONF  OK, OK, PERMIT, PERMIT, PERMIT, OK
#define ALLOC STATE, STATE, STATE, OK, OK, STATE
#define NEVER(function, pointers)                                                                  \
    {                                                                                              \
        function, ANY(UNSUPP), pointers                                                            \
    }

static const struct row rows[] = {
    // fresh, configured, started, running, busy, stopped
    {"doca_sync_event_create", ANY(OK)},
    // A host imports nothing from a host.
    {"doca_sync_event_create_from_export", ANY(INVALID)},
    {"doca_sync_event_destroy", {OK, OK, OK, INVALID, INVALID, OK}},
    {"doca_sync_event_add_publisher_location_cpu", {ONCE}},
    {"doca_sync_event_add_publisher_location_remote_pci", {ONCE}},
    {"doca_sync_event_add_publisher_location_remote_net", {ONCE}},
    {"doca_sync_event_add_subscriber_location_cpu", {ONCE}},
    {"doca_sync_event_add_subscriber_location_remote_pci", {ONCE}},
    {"doca_sync_event_set_addr", {OK, OK, STATE, STATE, STATE, OK}},
    {"doca_sync_event_set_doca_buf", {OK, OK, STATE, STATE, STATE, OK}},
    {"doca_sync_event_start", {INVALID, OK, INVALID, INVALID, INVALID, OK}},
    {"doca_sync_event_stop", {INVALID, INVALID, OK, INVALID, INVALID, INVALID}},
    // No context of an event that is used without one.
    {"doca_sync_event_as_ctx", {OK, OK, STATE, OK, OK, STATE}},
    {"doca_sync_event_export_to_remote_pci", {INVALID, INVALID, OK, OK, OK, INVALID}},
    // The event's publisher is on the DPU.
    {"doca_sync_event_export_to_remote_net", ANY(INVALID)},
    {"doca_sync_event_remote_net_create_from_export", ANY(INVALID)},
    {"doca_sync_event_remote_net_destroy", ANY(INVALID)},
    {"doca_sync_event_get", {AT_ONCE}},
    {"doca_sync_event_update_add", {AT_ONCE}},
    {"doca_sync_event_update_set", {AT_ONCE}},
    {"doca_sync_event_wait_gt", {AT_ONCE}},
    {"doca_sync_event_wait_gt_yield", {AT_ONCE}},
    {"doca_sync_event_wait_eq", {AT_ONCE}},
    {"doca_sync_event_wait_eq_yield", {AT_ONCE}},
    {"doca_sync_event_wait_neq", {AT_ONCE}},
    {"doca_sync_event_wait_neq_yield", {AT_ONCE}},
    {"doca_sync_event_task_get_set_conf", {CONF}},
    {"doca_sync_event_task_notify_set_set_conf", {CONF}},
    {"doca_sync_event_task_notify_add_set_conf", {CONF}},
    {"doca_sync_event_task_wait_gt_set_conf", {CONF}},
    {"doca_sync_event_task_wait_eq_set_conf", {CONF}},
    {"doca_sync_event_task_wait_neq_set_conf", {CONF}},
    {"doca_sync_event_task_get_alloc_init", {ALLOC}, "ret_val_ptr"},
    {"doca_sync_event_task_notify_set_alloc_init", {ALLOC}},
    {"doca_sync_event_task_notify_add_alloc_init", {ALLOC}, "fetched_val_ptr"},
    {"doca_sync_event_task_wait_gt_alloc_init", {ALLOC}},
    {"doca_sync_event_task_wait_eq_alloc_init", {ALLOC}},
    {"doca_sync_event_task_wait_neq_alloc_init", {ALLOC}},
    {"doca_sync_event_cap_is_create_from_export_supported", ANY(UNSUPP)},
    {"doca_sync_event_cap_is_export_to_remote_pci_supported", ANY(OK)},
    {"doca_sync_event_cap_is_export_to_remote_net_supported", ANY(OK)},
    {"doca_sync_event_cap_remote_net_is_create_from_export_supported", ANY(OK)},
    {"doca_sync_event_cap_task_get_is_supported", ANY(OK)},
    {"doca_sync_event_cap_task_notify_set_is_supported", ANY(OK)},
    {"doca_sync_event_cap_task_notify_add_is_supported", ANY(OK)},
    {"doca_sync_event_cap_task_wait_gt_is_supported", ANY(OK)},
    {"doca_sync_event_cap_task_wait_eq_is_supported", ANY(OK)},
    {"doca_sync_event_cap_task_wait_neq_is_supported", ANY(OK)},
};

GROUP(sync_events) = {
    .name = "sync event",
    .states = {"fresh", "configured", "started", "running", "busy", "stopped"},
    ROWS(rows),
    .probe = "doca_sync_event_start",
    .enter = enter,
    .leave = leave,
    .argument = argue,
    .lives = lives,
};

// ---- tasks -------------------------------------------------------------------------------

enum { ALLOCATED, IN_FLIGHT };

static struct doca_task *submitted(unsigned i)
{
    struct doca_task *all[] = {doca_sync_event_task_wait_eq_as_doca_task(w.eq),
                               doca_sync_event_task_get_as_doca_task(w.get),
                               doca_sync_event_task_notify_set_as_doca_task(w.set),
                               doca_sync_event_task_notify_add_as_doca_task(w.add),
                               doca_sync_event_task_wait_gt_as_doca_task(w.gt),
                               doca_sync_event_task_wait_neq_as_doca_task(w.neq)};
    return all[i];
}

static void enter_task(unsigned state)
{
    make();
    configure();
    run();
    for (unsigned i = 0; state == IN_FLIGHT && i < 6; i++)
        ck_assert_success(doca_task_submit(submitted(i)));
}

#define TASK(what)                                                                                 \
    {                                                                                              \
        "doca_sync_event_task_" what, ANY(OK)                                                      \
    }

static const struct row task_rows[] = {
    TASK("get_as_doca_task"),
    {"doca_sync_event_task_get_set_ret_val_ptr", ANY(OK), "ret_val_ptr"},
    TASK("get_get_ret_val_ptr"),
    TASK("notify_set_as_doca_task"),
    TASK("notify_set_set_set_val"),
    TASK("notify_set_get_set_val"),
    TASK("notify_add_as_doca_task"),
    TASK("notify_add_set_inc_val"),
    TASK("notify_add_get_inc_val"),
    {"doca_sync_event_task_notify_add_set_fetched_val_ptr", ANY(OK), "fetched_val_ptr"},
    TASK("notify_add_get_fetched_val_ptr"),
    TASK("wait_gt_as_doca_task"),
    TASK("wait_gt_set_wait_val"),
    TASK("wait_gt_get_wait_val"),
    TASK("wait_gt_set_mask"),
    TASK("wait_gt_get_mask"),
    TASK("wait_eq_as_doca_task"),
    TASK("wait_eq_set_wait_val"),
    TASK("wait_eq_get_wait_val"),
    TASK("wait_eq_set_mask"),
    TASK("wait_eq_get_mask"),
    TASK("wait_neq_as_doca_task"),
    TASK("wait_neq_set_wait_val"),
    TASK("wait_neq_get_wait_val"),
    TASK("wait_neq_set_mask"),
    TASK("wait_neq_get_mask"),
};

GROUP(sync_event_tasks) = {
    .name = "sync event task",
    .states = {"allocated", "in flight"},
    ROWS(task_rows),
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lives = lives,
};

// ---- for other hardware ------------------------------------------------------------------------

static const struct row never_rows[] = {
    NEVER("doca_sync_event_add_publisher_location_dpa", "event dpa"),
    NEVER("doca_sync_event_add_publisher_location_gpu", "event gpu"),
    NEVER("doca_sync_event_add_subscriber_location_dpa", "event dpa"),
    NEVER("doca_sync_event_add_subscriber_location_gpu", "event gpu"),
    NEVER("doca_sync_event_get_dpa_handle", "event dpa dpa_dev_se_handle"),
    NEVER("doca_sync_event_cap_is_export_to_dpa_supported", NULL),
    NEVER("doca_sync_event_get_gpu_handle", "event gpu gpu_dev_se"),
    NEVER("doca_sync_event_cap_is_export_to_gpu_supported", NULL),
    NEVER("doca_sync_event_remote_net_get_dpa_handle", "event dpa dpa_remote_event"),
    NEVER("doca_sync_event_cap_remote_net_is_export_to_dpa_supported", NULL),
    NEVER("doca_sync_event_remote_net_get_gpu_handle", "event gpu gpu_remote_event"),
    NEVER("doca_sync_event_cap_remote_net_is_export_to_gpu_supported", NULL),
};

GROUP(sync_event_hardware) = {
    .name = "sync event for what is not there",
    .states = {"fresh", "configured", "started", "running", "busy", "stopped"},
    ROWS(never_rows),
    .enter = enter,
    .leave = leave,
    .argument = argue,
    .lives = lives,
};
