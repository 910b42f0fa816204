// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two programs at one sync event, each on its machine:
//
//     events host [ADDS]
//                      offers an event with its counter in the library's page, then one with
//                      memory of its own, then one whose memory is not aligned
//     events dpu [ADDS]
//                      imports each
//
// Both add to it, so many times, at the same time, and wait for each other: with calls and with
// jobs, polling and asleep. Then the host's goes in the midst of a wait.

#include "../../../examples/common/example.h"

#include <doca_ctx.h>
#include <doca_docad.h>
#include <doca_sync_event.h>

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS  3
#define WAIT_MS 60000

// The counter goes through these values.
#define ONE_ADDED  1ull         // by the host,
#define OTHER      (1ull << 20) // and by the DPU
#define LAST_ROUND (1ull << 40)

static int adds = 100; // of each side, to each event
static uint8_t memory[64] __attribute__((aligned(64)));

static void add_many(struct doca_sync_event *event, uint64_t value)
{
    uint64_t before;
    for (int i = 0; i < adds; i++)
        must(doca_sync_event_update_add(event, value, &before), "add");
}

static const char *name_of(int round)
{
    static char name[16];
    snprintf(name, sizeof(name), "event-%d", round);
    return name;
}

// A wait as a job, asleep.
static doca_error_t sleep_until(struct doca_sync_event *event, uint64_t value)
{
    struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
    struct doca_workq *workq;
    struct doca_event done;
    doca_event_handle_t handle;
    doca_error_t r;

    must(doca_ctx_start(ctx), "start");
    must(doca_workq_create(4, &workq), "work queue");
    must(doca_workq_get_event_handle(workq, &handle), "handle");
    must(doca_ctx_workq_add(ctx, workq), "workq_add");
    struct doca_sync_event_job_wait wait = {
        .base = {.type = DOCA_SYNC_EVENT_JOB_WAIT_GT, .ctx = ctx},
        .value = value,
        .mask = UINT64_MAX};
    must(doca_workq_submit(workq, &wait.base), "submit");
    while ((r = doca_workq_progress_retrieve(workq, &done, 0)) == DOCA_ERROR_AGAIN) {
        struct pollfd p = {.fd = handle, .events = POLLIN};
        must(doca_workq_event_handle_arm(workq), "arm");
        if (poll(&p, 1, WAIT_MS) != 1)
            fail("slept too long");
        must(doca_workq_event_handle_clear(workq, handle), "clear");
    }
    if (r == DOCA_ERROR_IO_FAILED)
        r = (doca_error_t)done.result.u64;
    must(doca_ctx_workq_rm(ctx, workq), "workq_rm");
    must(doca_workq_destroy(workq), "destroy");
    must(doca_ctx_stop(ctx), "stop");
    return r;
}

// ---- host -------------------------------------------------------------------------------

static struct doca_sync_event *offer(struct doca_dev *dev, int round)
{
    struct doca_sync_event *event;
    const uint8_t *desc;
    size_t size;

    must(doca_sync_event_create(&event), "create");
    must(doca_sync_event_publisher_add_location_dpu(event), "publisher");
    must(doca_sync_event_subscriber_add_location_cpu(event, dev), "subscriber");
    memset(memory, 0, sizeof(memory));
    if (round > 0)
        must(doca_sync_event_set_addr(event, (uint64_t *)(void *)(memory + (round > 1 ? 13 : 8))),
             "set_addr");
    must(doca_sync_event_start(event), "start");
    must(doca_sync_event_export_to_dpu(event, dev, &desc, &size), "export");
    must(docad_export_publish(name_of(round), desc, size), "publish");
    return event;
}

static int host(void)
{
    struct doca_dev *dev = open_device("0b:00.0");
    uint64_t value;
    for (int round = 0; round < ROUNDS; round++) {
        struct doca_sync_event *event = offer(dev, round);
        must(doca_sync_event_wait_gt_yield(event, 0, UINT64_MAX), "wait for the DPU");
        add_many(event, ONE_ADDED);
        must(doca_sync_event_wait_gt_yield(event, LAST_ROUND - 1, UINT64_MAX), "wait for the end");
        must(doca_sync_event_get(event, &value), "get");
        if (value != LAST_ROUND + 7)
            fail("the counter is %llx", (unsigned long long)value);
        sleep(1); // the DPU waits for what will not come
        must(doca_sync_event_stop(event), "stop");
        must(doca_sync_event_destroy(event), "destroy");
    }
    must(doca_dev_close(dev), "close");
    printf("host: the DPU was at %d events\n", ROUNDS);
    return 0;
}

// ---- DPU --------------------------------------------------------------------------------

static struct doca_sync_event *import(struct doca_dev *dev, int round)
{
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t size = sizeof(desc);
    struct doca_sync_event *event;
    must(docad_export_lookup(name_of(round), WAIT_MS, desc, &size), "lookup");
    must(doca_sync_event_create_from_export(dev, desc, size, &event), "import");
    return event;
}

static void time_gets(struct doca_sync_event *event)
{
    struct timespec from, to;
    uint64_t value;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < adds; i++)
        must(doca_sync_event_get(event, &value), "get");
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("dpu: a get takes %.1f us\n",
           ((double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3) /
               adds);
}

static void together(struct doca_sync_event *event)
{
    const uint64_t all = adds * (ONE_ADDED + OTHER);
    uint64_t value;

    must(doca_sync_event_start(event), "start");
    must(doca_sync_event_get(event, &value), "get");
    if (value != 0)
        fail("the counter begins with %llx", (unsigned long long)value);
    add_many(event, OTHER);
    must(doca_sync_event_wait_gt(event, all - 1, UINT64_MAX), "wait for the host");
    must(doca_sync_event_get(event, &value), "get");
    if (value != all)
        fail("%llx were added, not %llx", (unsigned long long)value, (unsigned long long)all);
    time_gets(event);
    must(doca_sync_event_update_set(event, LAST_ROUND + 7), "set");
    doca_error_t r = doca_sync_event_wait_gt_yield(event, UINT64_MAX - 1, UINT64_MAX);
    if (r != DOCA_ERROR_CONNECTION_RESET)
        fail("the host's event went, the wait ended with %s", doca_get_error_name(r));
    must(doca_sync_event_stop(event), "stop");
}

// Until the end is near, and then until the event goes.
static void *sleep_beside(void *event)
{
    must(sleep_until(event, LAST_ROUND - 1), "sleep");
    doca_error_t r = sleep_until(event, UINT64_MAX - 1);
    if (r != DOCA_ERROR_CONNECTION_RESET)
        fail("the host's event went, the sleep ended with %s", doca_get_error_name(r));
    must(doca_sync_event_destroy(event), "destroy");
    return NULL;
}

static int dpu(void)
{
    struct doca_dev *dev = open_device("03:00.0");
    for (int round = 0; round < ROUNDS; round++) {
        struct doca_sync_event *event = import(dev, round);
        pthread_t thread;
        pthread_create(&thread, NULL, sleep_beside, import(dev, round));
        together(event);
        pthread_join(thread, NULL);
        must(doca_sync_event_destroy(event), "destroy");
    }
    must(doca_dev_close(dev), "close");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        adds = atoi(argv[2]);
    if (argc >= 2 && strcmp(argv[1], "host") == 0)
        return host();
    if (argc >= 2 && strcmp(argv[1], "dpu") == 0)
        return dpu();
    fprintf(stderr, "Usage: %s host|dpu [ADDS]\n", argv[0]);
    return 2;
}
