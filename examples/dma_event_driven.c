// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A work queue in an event loop: the program sleeps in epoll instead of polling.
//
//     DOCAD_SOCKET=dpu.sock dma_event_driven [-p DEVICE]
//
// This order loses no wake-up: arm, epoll_wait, clear, retrieve until nothing is left, and start
// again.

#include "common/dma_setup.h"
#include "common/example.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define JOBS  8
#define BLOCK 65536

struct memory {
    char from[JOBS][BLOCK], to[JOBS][BLOCK];
};

static void submit_all(struct dma_setup *setup, struct doca_buf *const from[JOBS],
                       struct doca_buf *const to[JOBS])
{
    for (uint64_t i = 0; i < JOBS; i++) {
        struct doca_dma_job_memcpy job = {
            .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = setup->ctx, .user_data.u64 = i},
            .dst_buff = to[i],
            .src_buff = from[i],
        };
        must(doca_workq_submit(setup->workq, &job.base), "cannot submit job %llu",
             (unsigned long long)i);
    }
}

// Retrieves the jobs that are done and returns their number.
static int retrieve_some(struct dma_setup *setup)
{
    struct doca_event event;
    doca_error_t result;
    int n = 0;
    while ((result = doca_workq_progress_retrieve(
                setup->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) != DOCA_ERROR_AGAIN) {
        if (result == DOCA_ERROR_IO_FAILED)
            must((doca_error_t)event.result.u64, "job %llu failed",
                 (unsigned long long)event.user_data.u64);
        must(result, "cannot retrieve an event");
        n++;
    }
    return n;
}

static void run_loop(struct dma_setup *setup, int jobs)
{
    doca_event_handle_t handle;
    must(doca_workq_get_event_handle(setup->workq, &handle), "cannot get the event handle");
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = handle};
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, handle, &event) < 0)
        fail("cannot wait for the event handle: %s", strerror(errno));
    for (int done = 0; done < jobs;) {
        must(doca_workq_event_handle_arm(setup->workq), "cannot arm the work queue");
        while (epoll_wait(epoll, &event, 1, -1) < 0) {
            if (errno != EINTR)
                fail("cannot wait: %s", strerror(errno));
        }
        must(doca_workq_event_handle_clear(setup->workq, handle), "cannot clear the event");
        done += retrieve_some(setup);
    }
    close(epoll);
}

int main(int argc, char **argv)
{
    help_option(argc, argv, "[-p DEVICE]",
                "Copies eight blocks by DMA and sleeps until they are done. -p names a device by "
                "its PCI address, interface or InfiniBand device.");
    const char *device = device_option(argc, argv);
    struct memory *m = calloc(1, sizeof(*m));
    if (!m)
        fail("no memory");
    for (int i = 0; i < JOBS; i++)
        memset(m->from[i], 'a' + i, BLOCK);

    struct dma_setup setup;
    dma_setup(&setup, device, JOBS, 2 * JOBS, true);
    struct doca_mmap *map = map_local(&setup, m, sizeof(*m));
    struct doca_buf *from[JOBS], *to[JOBS];
    for (int i = 0; i < JOBS; i++) {
        must(doca_buf_inventory_buf_by_data(setup.inventory, map, m->from[i], BLOCK, &from[i]),
             "cannot make a source buffer");
        must(doca_buf_inventory_buf_by_addr(setup.inventory, map, m->to[i], BLOCK, &to[i]),
             "cannot make a destination buffer");
    }

    submit_all(&setup, from, to);
    run_loop(&setup, JOBS);
    if (memcmp(m->from, m->to, sizeof(m->from)) != 0)
        fail("the copy differs");
    printf("%d jobs of %d bytes done, woken by epoll\n", JOBS, BLOCK);

    for (int i = 0; i < JOBS; i++) {
        must(doca_buf_refcount_rm(from[i], NULL), "cannot give a buffer back");
        must(doca_buf_refcount_rm(to[i], NULL), "cannot give a buffer back");
    }
    must(doca_mmap_destroy(map), "cannot destroy the memory map");
    dma_teardown(&setup);
    free(m);
    return EXIT_SUCCESS;
}
