// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sync events with real daemons: what is refused, counters in the library's page and in the
// application's memory, and both modes.

#include "child.h"
#include "nodes.h"
#include "events.h"
#include "run.h"

#include "cleanup.h"

#include <pthread.h>
#include <string.h>

// ---- what is refused ------------------------------------------------------------------

static void check_nulls(struct doca_sync_event *event, struct doca_dev *dev)
{
    const doca_error_t invalid = DOCA_ERROR_INVALID_VALUE;
    const uint8_t *data;
    struct doca_sync_event *made;
    size_t size;
    uint64_t n;

    ck_assert_error(doca_sync_event_create(NULL), invalid);
    ck_assert_error(doca_sync_event_destroy(NULL), invalid);
    ck_assert_error(doca_sync_event_publisher_add_location_cpu(event, NULL), invalid);
    ck_assert_error(doca_sync_event_publisher_add_location_cpu(NULL, dev), invalid);
    ck_assert_error(doca_sync_event_publisher_add_location_dpu(NULL), invalid);
    ck_assert_error(doca_sync_event_subscriber_add_location_cpu(event, NULL), invalid);
    ck_assert_error(doca_sync_event_subscriber_add_location_dpu(NULL), invalid);
    ck_assert_error(doca_sync_event_set_addr(event, NULL), invalid);
    ck_assert_error(doca_sync_event_start(NULL), invalid);
    ck_assert_error(doca_sync_event_stop(NULL), invalid);
    ck_assert_ptr_null(doca_sync_event_as_ctx(NULL));
    ck_assert_error(doca_sync_event_get(event, NULL), invalid);
    ck_assert_error(doca_sync_event_get(NULL, &n), invalid);
    ck_assert_error(doca_sync_event_update_add(event, 1, NULL), invalid);
    ck_assert_error(doca_sync_event_update_set(NULL, 1), invalid);
    ck_assert_error(doca_sync_event_wait_gt(NULL, 0, 0), invalid);
    ck_assert_error(doca_sync_event_wait_gt_yield(NULL, 0, 0), invalid);
    ck_assert_error(doca_sync_event_export_to_dpu(event, dev, NULL, &size), invalid);
    ck_assert_error(doca_sync_event_export_to_dpu(event, NULL, &data, &size), invalid);
    ck_assert_error(doca_sync_event_create_from_export(dev, NULL, 1, &made), invalid);
    ck_assert_error(doca_sync_event_export_remote(event, NULL), invalid);
}

static void check_no_dpa_no_gpu(struct doca_sync_event *event, struct doca_devinfo *info)
{
    const doca_error_t none = DOCA_ERROR_NOT_SUPPORTED;
    struct doca_dpa *dpa = (struct doca_dpa *)event;
    struct doca_gpu *gpu = (struct doca_gpu *)event;
    doca_dpa_dev_sync_event_t on_dpa;
    doca_gpu_dev_sync_event_t *on_gpu;

    ck_assert_error(doca_sync_event_publisher_add_location_dpa(event, dpa), none);
    ck_assert_error(doca_sync_event_publisher_add_location_gpu(event, gpu), none);
    ck_assert_error(doca_sync_event_subscriber_add_location_dpa(event, dpa), none);
    ck_assert_error(doca_sync_event_subscriber_add_location_gpu(event, gpu), none);
    ck_assert_error(doca_sync_event_subscriber_add_location_gpu(event, NULL),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_sync_event_export_to_dpa(event, dpa, &on_dpa), none);
    ck_assert_error(doca_sync_event_export_to_gpu(event, gpu, &on_gpu), none);
    ck_assert_error(doca_sync_event_get_export_to_dpa_supported(info), none);
    ck_assert_error(doca_sync_event_get_export_to_gpu_supported(info), none);
    ck_assert_error(doca_sync_event_get_export_to_dpa_supported(NULL), DOCA_ERROR_INVALID_VALUE);
}

static int refuses(struct child *self, void *arg)
{
    const doca_error_t invalid = DOCA_ERROR_INVALID_VALUE;
    struct doca_dev *dev = client_open(HOST_PF0);
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    struct doca_sync_event *event;
    struct doca_sync_event_remote remote;
    const uint8_t *data;
    size_t size;
    uint64_t n, memory[2] = {0};
    (void)self;
    (void)arg;

    ck_assert_success(doca_sync_event_create(&event));
    check_nulls(event, dev);
    check_no_dpa_no_gpu(event, info);
    ck_assert_success(doca_sync_event_get_export_to_dpu_supported(info));
    ck_assert_error(doca_sync_event_get_create_from_export_supported(info),
                    DOCA_ERROR_NOT_SUPPORTED);
    for (int type = DOCA_SYNC_EVENT_JOB_WAIT_GT; type <= DOCA_SYNC_EVENT_JOB_UPDATE_ADD; type++)
        ck_assert_success(
            doca_sync_event_job_get_supported(info, (enum doca_sync_event_job_types)type));
    ck_assert_error(doca_sync_event_job_get_supported(info, (enum doca_sync_event_job_types)1),
                    invalid);

    // Nothing works before the event is started, and it cannot be started without its locations.
    ck_assert_error(doca_sync_event_start(event), invalid);
    ck_assert_success(doca_sync_event_publisher_add_location_cpu(event, dev));
    ck_assert_error(doca_sync_event_publisher_add_location_dpu(event), invalid);
    ck_assert_error(doca_sync_event_start(event), invalid);
    ck_assert_success(doca_sync_event_subscriber_add_location_cpu(event, dev));
    ck_assert_error(doca_sync_event_get(event, &n), invalid);
    ck_assert_error(doca_sync_event_update_set(event, 1), invalid);
    ck_assert_error(doca_sync_event_wait_gt(event, 0, UINT64_MAX), invalid);
    ck_assert_error(doca_sync_event_export_remote(event, &remote), invalid);
    ck_assert_error(doca_sync_event_stop(event), invalid);

    // Once started, it stays as it is.
    ck_assert_success(doca_sync_event_start(event));
    ck_assert_error(doca_sync_event_start(event), invalid);
    ck_assert_ptr_null(doca_sync_event_as_ctx(event));
    ck_assert_error(doca_sync_event_publisher_add_location_cpu(event, dev), invalid);
    ck_assert_error(doca_sync_event_set_addr(event, memory), DOCA_ERROR_BAD_STATE);
    ck_assert_success(doca_sync_event_export_remote(event, &remote));
    ck_assert_error(doca_sync_event_export_to_dpu(event, dev, &data, &size), invalid); // CPU only
    ck_assert_success(doca_sync_event_stop(event));
    ck_assert_error(doca_sync_event_stop(event), invalid);
    ck_assert_success(doca_dev_close(dev));
    ck_assert_success(doca_sync_event_destroy(event));
    return 0;
}

START_TEST(what_is_refused)
{
    child_join(child_start(nodes.host, "program", refuses, NULL));
    assert_baseline(nodes.host);
}
END_TEST

// ---- within one process ---------------------------------------------------------------

static uint8_t pages[8192] __attribute__((aligned(4096)));

// The application's counter lies in them: aligned, within a cache line, in two of
// them, in two pages. 0: the library has it.
static const unsigned offsets[] = {0, 8, 3, 61, 4093};

static void *memory_at(unsigned offset)
{
    return offset ? pages + offset : NULL;
}

static struct doca_sync_event *local_event(struct doca_dev *dev, void *memory)
{
    struct doca_sync_event *event;
    ck_assert_success(doca_sync_event_create(&event));
    ck_assert_success(doca_sync_event_publisher_add_location_cpu(event, dev));
    ck_assert_success(doca_sync_event_subscriber_add_location_cpu(event, dev));
    if (memory)
        ck_assert_success(doca_sync_event_set_addr(event, memory));
    return event;
}

static void *adds_a_thousand(void *arg)
{
    uint64_t before;
    for (int i = 0; i < 1000; i++)
        ck_assert_success(doca_sync_event_update_add(arg, 1, &before));
    return NULL;
}

static void *waits_for_2000(void *arg)
{
    ck_assert_success(doca_sync_event_wait_gt_yield(arg, 2000, UINT64_MAX));
    return NULL;
}

static int counts_alone(struct child *self, void *arg)
{
    struct doca_dev *dev = client_open(HOST_PF0);
    uint64_t n = 5;
    uint8_t *memory = memory_at(*(const unsigned *)arg);
    if (memory)
        memcpy(memory, &n, sizeof(n));
    struct doca_sync_event *event = local_event(dev, memory);
    pthread_t threads[3];
    (void)self;

    ck_assert_success(doca_sync_event_start(event));
    ck_assert_success(doca_sync_event_get(event, &n));
    ck_assert_uint_eq(n, memory ? 5 : 0);
    ck_assert_success(doca_sync_event_update_set(event, 0));
    pthread_create(&threads[0], NULL, adds_a_thousand, event);
    pthread_create(&threads[1], NULL, adds_a_thousand, event);
    pthread_create(&threads[2], NULL, waits_for_2000, event);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    ck_assert_success(doca_sync_event_update_add(event, 1, &n));
    ck_assert_uint_eq(n, 2000);
    pthread_join(threads[2], NULL);
    n = 2001;
    ck_assert(!memory || memcmp(memory, &n, sizeof(n)) == 0);

    // The mask decides which bits count.
    ck_assert_success(doca_sync_event_update_set(event, 0xff00));
    ck_assert_success(doca_sync_event_wait_gt(event, 0xf0, 0xff00));
    ck_assert_success(doca_sync_event_update_set(event, UINT64_MAX));
    ck_assert_success(doca_sync_event_wait_gt(event, 0xfe, 0xff));
    ck_assert_success(doca_sync_event_wait_gt(event, UINT64_MAX - 1, UINT64_MAX));
    ck_assert_success(doca_sync_event_update_add(event, 2, &n));
    ck_assert_uint_eq(n, UINT64_MAX);
    ck_assert_success(doca_sync_event_get(event, &n));
    ck_assert_uint_eq(n, 1);
    ck_assert_success(doca_sync_event_stop(event));
    ck_assert_success(doca_sync_event_destroy(event));
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

START_TEST(within_a_process)
{
    unsigned offset = offsets[_i];
    child_join(child_start(nodes.host, "program", counts_alone, &offset));
}
END_TEST

// ---- jobs -----------------------------------------------------------------------------

static int refuses_jobs(struct child *self, void *arg)
{
    struct doca_dev *dev = client_open(HOST_PF0);
    struct doca_sync_event *event = local_event(dev, NULL);
    struct doca_sync_event *bare;
    struct doca_event out;
    struct jobs j;
    uint64_t n;
    (void)self;
    (void)arg;

    ck_assert_success(doca_sync_event_create(&bare));
    ck_assert_error(doca_ctx_start(doca_sync_event_as_ctx(bare)), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_ctx_dev_add(doca_sync_event_as_ctx(bare), dev), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_success(doca_sync_event_destroy(bare));

    jobs_open(&j, event, false);
    struct doca_sync_event_job_get get = {.base = job_base(&j, DOCA_SYNC_EVENT_JOB_GET)};
    ck_assert_error(doca_workq_submit(j.workq, &get.base), DOCA_ERROR_INVALID_VALUE);
    struct doca_sync_event_job_update_add add = {.base =
                                                     job_base(&j, DOCA_SYNC_EVENT_JOB_UPDATE_ADD)};
    ck_assert_error(doca_workq_submit(j.workq, &add.base), DOCA_ERROR_INVALID_VALUE);
    struct doca_job other = job_base(&j, DOCA_SYNC_EVENT_JOB_UPDATE_ADD + 1);
    ck_assert_error(doca_workq_submit(j.workq, &other), DOCA_ERROR_INVALID_VALUE);
    // The calls of the other mode, and ends that come too early.
    ck_assert_error(doca_sync_event_get(event, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_sync_event_start(event), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_sync_event_stop(event), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_sync_event_destroy(event), DOCA_ERROR_INVALID_VALUE);
    job_submit_wait(&j, 0, UINT64_MAX);
    ck_assert_error(doca_workq_progress_retrieve(j.workq, &out, 0), DOCA_ERROR_AGAIN);
    ck_assert_error(doca_ctx_workq_rm(j.ctx, j.workq), DOCA_ERROR_IN_USE);
    ck_assert_success(job_set(&j, 1) == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_UNKNOWN);
    ck_assert_success(jobs_next(&j, DOCA_SYNC_EVENT_JOB_WAIT_GT));
    jobs_close(&j);
    ck_assert_success(doca_sync_event_destroy(event));
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

static int works_alone(struct child *self, void *arg)
{
    struct doca_dev *dev = client_open(HOST_PF0);
    struct doca_sync_event *event = local_event(dev, memory_at(*(const unsigned *)arg));
    struct doca_event out;
    struct jobs j;
    (void)self;

    for (int event_driven = 0; event_driven < 2; event_driven++) {
        jobs_open(&j, event, event_driven);
        ck_assert_success(job_set(&j, 1));
        job_submit_wait(&j, 2, UINT64_MAX);
        ck_assert_error(doca_workq_progress_retrieve(j.workq, &out, 0), DOCA_ERROR_AGAIN);
        struct doca_sync_event_job_update_set set = {
            .base = job_base(&j, DOCA_SYNC_EVENT_JOB_UPDATE_SET), .value = 3};
        ck_assert_success(doca_workq_submit(j.workq, &set.base));
        // In either order.
        for (int i = 0; i < 2; i++)
            ck_assert_success(doca_workq_progress_retrieve(j.workq, &out, 0));
        ck_assert_uint_eq(job_add(&j, 4), 3);
        ck_assert_uint_eq(job_get(&j), 7);
        jobs_close(&j);
    }
    ck_assert_success(doca_sync_event_destroy(event));
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

START_TEST(jobs_within_a_process)
{
    unsigned offset = offsets[_i];
    child_join(child_start(nodes.host, "program", works_alone, &offset));
}
END_TEST

START_TEST(jobs_that_are_refused)
{
    child_join(child_start(nodes.host, "program", refuses_jobs, NULL));
}
END_TEST

// ---- host and DPU ---------------------------------------------------------------------

#define TURNS 40
#define ADDS  300

static int plays_on_the_host(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct owner o;
    owner_open(&o, plan, self);
    child_wait(self, "go");
    for (uint64_t i = 0; i < TURNS; i++) {
        owner_set(&o, plan, 2 * i + 1);
        owner_await_gt(&o, plan, 2 * i + 1);
    }
    child_tell(self, "played");
    child_wait(self, "add");
    for (int i = 0; i < ADDS; i++)
        owner_add(&o, plan, 1);
    child_tell(self, "added");
    child_wait(self, "look");
    ck_assert_uint_eq(owner_get(&o, plan), 2 * TURNS + 2 * ADDS);
    if (plan->own_memory) {
        uint64_t value;
        memcpy(&value, o.memory + plan->offset, sizeof(value));
        ck_assert_uint_eq(value, 2 * TURNS + 2 * ADDS);
        for (size_t i = 0; i < 8192; i++)
            ck_assert(o.memory[i] == 0 || i - plan->offset < sizeof(value));
    }
    owner_close(&o, plan);
    return 0;
}

static int plays_on_the_dpu(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    struct owner o;
    importer_open(&o, plan, self);
    child_tell(self, "imported");
    for (uint64_t i = 0; i < TURNS; i++) {
        owner_await_gt(&o, plan, 2 * i);
        ck_assert_uint_eq(owner_add(&o, plan, 1), 2 * i + 1);
    }
    child_tell(self, "played");
    child_wait(self, "add");
    for (int i = 0; i < ADDS; i++)
        owner_add(&o, plan, 1);
    child_tell(self, "added");
    child_wait(self, "look");
    ck_assert_uint_eq(owner_get(&o, plan), 2 * TURNS + 2 * ADDS);
    owner_close(&o, plan);
    return 0;
}

static void play(struct plan host_plan, struct plan dpu_plan)
{
    struct child *host = child_start(nodes.host, "host", plays_on_the_host, &host_plan);
    struct child *dpu = child_start(nodes.dpu, "dpu", plays_on_the_dpu, &dpu_plan);
    hand_over(host, dpu);
    child_wait(dpu, "imported");
    child_tell(host, "go");
    child_wait(host, "played");
    child_wait(dpu, "played");
    child_tell(host, "add");
    child_tell(dpu, "add");
    child_wait(host, "added");
    child_wait(dpu, "added");
    child_tell(dpu, "look");
    child_join(dpu);
    child_tell(host, "look");
    child_join(host);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}

// Each plan of the host with each plan of the DPU that goes with its memory.
START_TEST(back_and_forth)
{
    play(event_plans[_i / 3], event_plans[_i % 3]);
}
END_TEST

START_TEST(back_and_forth_apart)
{
    play(event_plans[_i], event_plans[(_i + _i / 3) % 3]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sync_event");
    TCase *tcase = tcase_create("sync_event");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, what_is_refused);
    tcase_add_loop_test(tcase, within_a_process, 0, (int)ARRAY_SIZE(offsets));
    tcase_add_loop_test(tcase, jobs_within_a_process, 0, (int)ARRAY_SIZE(offsets));
    tcase_add_test(tcase, jobs_that_are_refused);
    tcase_add_loop_test(tcase, back_and_forth, 0, EVENT_PLANS * 3);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("apart");
    tcase_add_checked_fixture(tcase, setup_apart, env_teardown);
    tcase_add_loop_test(tcase, back_and_forth_apart, 0, EVENT_PLANS);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
