// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events of one's own, on the host, and their tasks, of DOCA 3.

#include "task_world.h"

#include <doca_sync_event.h>
#include <string.h>

enum { S_FRESH, S_CONFIGURED, S_STARTED, S_RUNNING, S_BUSY, S_STOPPED };

static struct {
    struct doca_sync_event *event;
    uint64_t word, answer;
    bool runs;
} w;

static struct doca_ctx *ctx(void)
{
    return doca_sync_event_as_ctx(w.event);
}

// ---- what each generation does in its own way

#if GENERATION == 3
// In the order of tw.tasks.
static const char *const kinds[] = {"_task_wait_eq_",    "_task_get_",     "_task_notify_set_",
                                    "_task_notify_add_", "_task_wait_gt_", "_task_wait_neq_"};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

TASK_CALLBACK(get_over, doca_sync_event_task_get)
TASK_CALLBACK(notify_set_over, doca_sync_event_task_notify_set)
TASK_CALLBACK(notify_add_over, doca_sync_event_task_notify_add)
TASK_CALLBACK(wait_gt_over, doca_sync_event_task_wait_gt)
TASK_CALLBACK(wait_eq_over, doca_sync_event_task_wait_eq)
TASK_CALLBACK(wait_neq_over, doca_sync_event_task_wait_neq)

#define TAKE(name, ...)                                                                            \
    do {                                                                                           \
        struct doca_sync_event_task_##name *task;                                                  \
        ck_assert_success(doca_sync_event_task_##name##_alloc_init(w.event, __VA_ARGS__,           \
                                                                   (union doca_data){0}, &task));  \
        tw.tasks[tw.n_tasks++] = doca_sync_event_task_##name##_as_doca_task(task);                 \
    } while (0)
#define CONFIGURE(name)                                                                            \
    ck_assert_success(doca_sync_event_task_##name##_set_conf(w.event, name##_over, name##_over, 2))

static void run(void)
{
    w.runs = true;
    ck_assert_success(doca_pe_connect_ctx(tw.pe, ctx()));
    CONFIGURE(wait_eq);
    CONFIGURE(get);
    CONFIGURE(notify_set);
    CONFIGURE(notify_add);
    CONFIGURE(wait_gt);
    CONFIGURE(wait_neq);
    ck_assert_success(doca_ctx_start(ctx()));
    TAKE(wait_eq, 7, 0xff);
    TAKE(get, &w.answer);
    TAKE(notify_set, 1);
    TAKE(notify_add, 1, &w.answer);
    TAKE(wait_gt, 7, 0xff);
    TAKE(wait_neq, 0, 0xff);
}

static void stop(void)
{
    enum doca_ctx_states state;
    ck_assert_success(doca_ctx_get_state(ctx(), &state));
    if (state == DOCA_CTX_STATE_IDLE)
        return;
    while (doca_ctx_stop(ctx()) == DOCA_ERROR_IN_PROGRESS)
        (void)doca_pe_progress(tw.pe);
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

static enum given argue_more(const char *function, const char *param, uint64_t *value)
{
    static void *const over[] = {wait_eq_over,    get_over,     notify_set_over,
                                 notify_add_over, wait_gt_over, wait_neq_over};
    unsigned kind = 0;

    while (kind < N_KINDS - 1 && !strstr(function, kinds[kind]))
        kind++;
    if (same(param, "buf"))
        return GIVE(tw.src);
    if (same(param, "completion_cb") || same(param, "error_cb"))
        return GIVE(over[kind]);
    if (same(param, "task") && !strstr(function, "_alloc_init"))
        return GIVE(tw.tasks[kind]);
    if (same(param, "ret_val_ptr") || same(param, "fetched_val_ptr"))
        return GIVE(&w.answer);
    *value = number_for(function, param);
    bool pointer = same(param, "data") || same(param, "task") || same(param, "fetched") ||
                   same(function, "doca_sync_event_get") ||
                   (same(param, "sz") && strstr(function, "_export_to_")) || strstr(param, "dpa") ||
                   strstr(param, "gpu");
    return pointer ? GIVEN_NONE : GIVEN;
}
#else
static void run(void)
{
    w.runs = true;
    ck_assert_success(doca_ctx_start(ctx()));
    ck_assert_success(doca_ctx_workq_add(ctx(), tw.workq));
}

static void stop(void)
{
    ck_assert_success(doca_ctx_workq_rm(ctx(), tw.workq));
}

static enum given argue_more(const char *function, const char *param, uint64_t *value)
{
    bool imports = same(function, "doca_sync_event_create_from_export");

    if (imports && same(param, "data"))
        return GIVE(exported_desc); // of memory, hence of no event
    *value = same(param, "mask")   ? UINT64_MAX
             : same(param, "type") ? DOCA_SYNC_EVENT_JOB_WAIT_GT
             : imports             ? exported_desc_len
                                   : 0;
    return same(param, "mask") || same(param, "type") || (imports && same(param, "sz")) ||
                   (same(param, "value") && !same(function, "doca_sync_event_get"))
               ? GIVEN
               : GIVEN_NONE;
}
#endif

// ---- the states

static void make(void)
{
    task_world_make();
    ck_assert_success(doca_buf_set_data(tw.src, tw.memory, 8));
    w.word = 1;
    w.runs = false;
    ck_assert_success(doca_sync_event_create(&w.event));
}

static void configure(void)
{
    ck_assert_success(doca_sync_event_add_publisher_location_remote_pci(w.event));
    ck_assert_success(doca_sync_event_add_subscriber_location_cpu(w.event, tw.dev));
}

static void enter(unsigned state)
{
    make();
    if (state >= S_CONFIGURED)
        configure();
    if (state == S_STARTED || state == S_STOPPED) {
        ck_assert_success(doca_sync_event_start(w.event));
        ck_assert_success(doca_sync_event_update_set(w.event, 1)); // so that waits end
    }
    if (state == S_STOPPED)
        ck_assert_success(doca_sync_event_stop(w.event));
    if (state == S_RUNNING || state == S_BUSY)
        run();
    // With a wait that does not end.
    OF_3(if (state == S_BUSY) ck_assert_success(doca_task_submit(tw.tasks[0]));)
}

static void leave(void)
{
    if (w.event) {
        if (w.runs)
            stop();
        ck_assert_success(doca_sync_event_destroy(w.event));
    }
    w.event = NULL;
    task_world_end();
}

// ---- arguments

static enum given argue(const char *function, const char *param, uint64_t *value)
{
    bool makes = same(function, "doca_sync_event_create") ||
                 strstr(function, "create_from_export") || strstr(function, "remote_net_");

    // No state of this event makes a remote one.
    if (same(function, "doca_sync_event_remote_net_destroy"))
        return GIVE(NULL);
    if (same(param, "event"))
        return makes && !strstr(function, "location") ? GIVEN_NONE : GIVE(w.event);
    if (same(param, "addr"))
        return GIVE(&w.word);
    enum given given = task_world_argument(param, value);
    return given == GIVEN ? given : argue_more(function, param, value);
}

static const struct lifetime lifetimes[] = {
    {"doca_sync_event_create", "doca_sync_event_destroy", &w.event},
    {NULL},
};

// ---- the table

// In synchronous mode.
#define AT_ONCE INVALID, INVALID, OK, INVALID, INVALID, INVALID
// Each side has one location.
#define ONCE    OK, INVALID, INVALID, INVALID, INVALID, INVALID
#define EXPORTS INVALID, INVALID, OK, OK, OK, INVALID
// What all kinds of tasks have.
#define KIND(name, pointers)                                                                       \
    ROW_OF_3("doca_sync_event_cap_task_" name "_is_supported", ANY(OK)),                           \
        ROW_OF_3("doca_sync_event_task_" name "_set_conf", {OK, OK, PERMIT, PERMIT, PERMIT, OK}),  \
        ROW_OF_3("doca_sync_event_task_" name "_alloc_init", {STATE, STATE, STATE, OK, OK, STATE}, \
                 pointers)

static const struct row rows[] = {
    // fresh, configured, started, running, busy, stopped
    {"doca_sync_event_create", ANY(OK)},
    // A host imports nothing from a host.
    {"doca_sync_event_create_from_export", ANY(INVALID)},
    {FN(doca_sync_event_cap_is_create_from_export_supported), ANY(UNSUPP)},
    {"doca_sync_event_destroy", {OK, OK, OK, INVALID, INVALID, OK}},
    {FN(doca_sync_event_add_publisher_location_cpu), {ONCE}},
    {FN(doca_sync_event_add_publisher_location_remote_pci), {ONCE}},
    {FN(doca_sync_event_add_subscriber_location_cpu), {ONCE}},
    {FN(doca_sync_event_add_subscriber_location_remote_pci), {ONCE}},
    {"doca_sync_event_set_addr", {OK, OK, STATE, STATE, STATE, OK}},
    {"doca_sync_event_start", {INVALID, OK, INVALID, INVALID, INVALID, OK}},
    {"doca_sync_event_stop", {AT_ONCE}},
    // No context of an event that is used without one.
    {"doca_sync_event_as_ctx", {OK, OK, EITHER(INVALID, STATE), OK, OK, EITHER(INVALID, STATE)}},
    {FN(doca_sync_event_export_to_remote_pci), {EXPORTS}},
    {FN(doca_sync_event_cap_is_export_to_remote_pci_supported), ANY(OK)},
    {"doca_sync_event_get", {AT_ONCE}},
    {"doca_sync_event_update_add", {AT_ONCE}},
    {"doca_sync_event_update_set", {AT_ONCE}},
    {"doca_sync_event_wait_gt", {AT_ONCE}},
    {"doca_sync_event_wait_gt_yield", {AT_ONCE}},

    ROW_OF_2_2("doca_sync_event_publisher_add_location_dpa", ANY(UNSUPP)),
    ROW_OF_2_2("doca_sync_event_publisher_add_location_gpu", ANY(UNSUPP)),
    ROW_OF_2_2("doca_sync_event_subscriber_add_location_dpa", ANY(UNSUPP)),
    ROW_OF_2_2("doca_sync_event_subscriber_add_location_gpu", ANY(UNSUPP)),
    ROW_OF_2_2("doca_sync_event_job_get_supported", ANY(OK)),
    ROW_OF_2_2("doca_sync_event_export_to_dpa", ANY(UNSUPP)),
    ROW_OF_2_2("doca_sync_event_get_export_to_dpa_supported", ANY(UNSUPP)),
    ROW_OF_2_2("doca_sync_event_export_to_gpu", ANY(UNSUPP)),
    ROW_OF_2_2("doca_sync_event_get_export_to_gpu_supported", ANY(UNSUPP)),
    ROW_OF_2_2("doca_sync_event_export_remote", {EXPORTS}),

    // The event's publisher is on the DPU.
    ROW_OF_3("doca_sync_event_export_to_remote_net", ANY(INVALID)),
    ROW_OF_3("doca_sync_event_add_publisher_location_remote_net", {ONCE}),
    ROW_OF_3("doca_sync_event_set_doca_buf", {OK, OK, STATE, STATE, STATE, OK}),
    ROW_OF_3("doca_sync_event_remote_net_create_from_export", ANY(INVALID)),
    ROW_OF_3("doca_sync_event_remote_net_destroy", ANY(INVALID)),
    ROW_OF_3("doca_sync_event_wait_eq", {AT_ONCE}),
    ROW_OF_3("doca_sync_event_wait_eq_yield", {AT_ONCE}),
    ROW_OF_3("doca_sync_event_wait_neq", {AT_ONCE}),
    ROW_OF_3("doca_sync_event_wait_neq_yield", {AT_ONCE}),
    ROW_OF_3("doca_sync_event_cap_is_export_to_remote_net_supported", ANY(OK)),
    ROW_OF_3("doca_sync_event_cap_remote_net_is_create_from_export_supported", ANY(OK)),
    KIND("get", "ret_val_ptr"),
    KIND("notify_set", NULL),
    KIND("notify_add", "fetched_val_ptr"),
    KIND("wait_gt", NULL),
    KIND("wait_eq", NULL),
    KIND("wait_neq", NULL),
};

GROUP(sync_events) = {
    .name = "sync event",
    .states = {"fresh", "configured", "started", "running", EITHER("", "busy"), "stopped"},
    ROWS(rows),
    .probe = "doca_sync_event_start",
    .enter = enter,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

#if GENERATION == 3
// ---- tasks

static void enter_task(unsigned state)
{
    make();
    configure();
    run();
    for (unsigned i = 0; state == IN_FLIGHT && i < tw.n_tasks; i++)
        ck_assert_success(doca_task_submit(tw.tasks[i]));
}

#define TASK(what)        "doca_sync_event_task_" what, ANY(OK)
#define FIELD(task, what) ROW(TASK(task "_set_" what)), ROW(TASK(task "_get_" what))
#define WAIT(name)        ROW(TASK(name "_as_doca_task")), FIELD(name, "wait_val"), FIELD(name, "mask")

static const struct row task_rows[] = {
    {TASK("get_as_doca_task")},
    {TASK("get_set_ret_val_ptr"), "ret_val_ptr"},
    {TASK("get_get_ret_val_ptr")},
    {TASK("notify_set_as_doca_task")},
    FIELD("notify_set", "set_val"),
    {TASK("notify_add_as_doca_task")},
    FIELD("notify_add", "inc_val"),
    {TASK("notify_add_set_fetched_val_ptr"), "fetched_val_ptr"},
    {TASK("notify_add_get_fetched_val_ptr")},
    WAIT("wait_gt"),
    WAIT("wait_eq"),
    WAIT("wait_neq"),
};

GROUP(sync_event_tasks) = {
    .name = "sync event task",
    .states = {"allocated", "in flight"},
    ROWS(task_rows),
    .enter = enter_task,
    .leave = leave,
    .argument = argue,
    .lifetimes = lifetimes,
};

// ---- for other hardware

#define NEVER(function, pointers)                                                                  \
    {                                                                                              \
        function, ANY(UNSUPP), pointers                                                            \
    }

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
    .lifetimes = lifetimes,
};
#endif
