// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fault_lives.h"

#include "client.h"
#include "deadline.h"

#include <doca_comm_channel.h>
#include <doca_rdma.h>
#include <doca_sync_event.h>

#include <check.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE     (64u << 10)
#define COPY     (16u << 10)
#define LIMIT_MS 20000

#define DO(call)                                                                                   \
    do {                                                                                           \
        if ((call) != DOCA_SUCCESS)                                                                \
            return false;                                                                          \
    } while (0)

// All that a side of any life has.
struct side {
    struct doca_dev *dev;
    struct doca_dev_rep *rep;
    struct doca_mmap *map, *remote;
    struct doca_buf_inventory *inventory;
    struct doca_dma *dma;
    struct doca_rdma *rdma;
    struct doca_sync_event *event;
    bool event_started;
    struct doca_comm_channel_ep_t *ep;
    struct doca_comm_channel_addr_t *peer;
    struct doca_ctx *ctx;
    bool ctx_started, attached;
    struct doca_workq *workq;
    struct doca_buf *buf[2];
};

// Lies in a private file mapping in part, so that docad moves some of the bytes itself.
static uint8_t fault_memory[2][SIZE] = {{1}, {1}};

static void *side_new(void)
{
    static struct side side;
    memset(&side, 0, sizeof(side));
    return &side;
}

static void end_context(struct side *s)
{
    if (s->attached)
        doca_ctx_workq_rm(s->ctx, s->workq);
    for (int i = 0; i < 2; i++)
        if (s->buf[i])
            doca_buf_refcount_rm(s->buf[i], NULL);
    if (s->ctx_started)
        doca_ctx_stop(s->ctx);
    if (s->workq)
        doca_workq_destroy(s->workq);
    if (s->dma)
        doca_dma_destroy(s->dma);
    if (s->rdma)
        doca_rdma_destroy(s->rdma);
}

static void side_end(void *side)
{
    struct side *s = side;

    end_context(s);
    if (s->event_started)
        doca_sync_event_stop(s->event);
    if (s->event)
        doca_sync_event_destroy(s->event);
    if (s->ep)
        doca_comm_channel_ep_destroy(s->ep);
    if (s->inventory)
        doca_buf_inventory_destroy(s->inventory);
    if (s->remote)
        doca_mmap_destroy(s->remote);
    if (s->map)
        doca_mmap_destroy(s->map);
    if (s->rep)
        doca_dev_rep_close(s->rep);
    if (s->dev)
        doca_dev_close(s->dev);
}

// ---- steps ------------------------------------------------------------------------------------

static bool open_dev(struct side *s, const char *pci)
{
    struct doca_devinfo **list;
    uint32_t n;
    uint8_t equal;
    doca_error_t r = DOCA_ERROR_NOT_FOUND;

    DO(doca_devinfo_list_create(&list, &n));
    for (uint32_t i = 0; i < n && r == DOCA_ERROR_NOT_FOUND; i++)
        if (doca_devinfo_get_is_pci_addr_equal(list[i], pci, &equal) == DOCA_SUCCESS && equal)
            r = doca_dev_open(list[i], &s->dev);
    doca_devinfo_list_destroy(list);
    return r == DOCA_SUCCESS;
}

static bool open_map(struct side *s, uint8_t *memory, uint32_t access)
{
    DO(doca_mmap_create(NULL, &s->map));
    DO(doca_mmap_set_memrange(s->map, memory, SIZE));
    DO(doca_mmap_set_permissions(s->map, access));
    DO(doca_mmap_dev_add(s->map, s->dev));
    DO(doca_mmap_start(s->map));
    return true;
}

static bool open_inventory(struct side *s)
{
    DO(doca_buf_inventory_create(NULL, 4, DOCA_BUF_EXTENSION_NONE, &s->inventory));
    DO(doca_buf_inventory_start(s->inventory));
    return true;
}

static bool open_context(struct side *s, struct doca_ctx *ctx)
{
    s->ctx = ctx;
    DO(doca_ctx_start(ctx));
    s->ctx_started = true;
    DO(doca_workq_create(4, &s->workq));
    DO(doca_workq_set_event_driven_enable(s->workq, 1));
    doca_event_handle_t handle;
    DO(doca_workq_get_event_handle(s->workq, &handle));
    DO(doca_ctx_workq_add(ctx, s->workq));
    s->attached = true;
    return true;
}

static void note(struct words *out, const void *bytes, size_t length)
{
    ck_assert_uint_le(length, sizeof(out->bytes));
    memcpy(out->bytes, bytes, length);
    out->length = length;
}

// One step of the work queue: false once a job has ended.
static bool unfinished(struct side *s, doca_error_t *result)
{
    struct doca_event event = {0};
    struct doca_rdma_result rdma;
    if (s->rdma)
        event.result.ptr = &rdma;
    *result = doca_workq_progress_retrieve(s->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
    return *result == DOCA_ERROR_AGAIN;
}

static bool run(struct side *s, const struct doca_job *job)
{
    int64_t deadline = deadline_in(LIMIT_MS);
    doca_error_t r;
    DO(doca_workq_submit(s->workq, job));
    while (unfinished(s, &r)) {
        ck_assert_msg(now_ms() < deadline, "a job hangs");
        doca_workq_event_handle_arm(s->workq);
        sched_yield();
    }
    return r == DOCA_SUCCESS;
}

// ---- memory -----------------------------------------------------------------------------------

static bool memory_offer(void *side, struct words *out)
{
    struct side *s = side;
    const void *desc;
    size_t length;
    if (!open_dev(s, HOST_PF0) || !open_map(s, fault_memory[0] + 100, DOCA_ACCESS_DPU_READ_WRITE))
        return false;
    DO(doca_mmap_export_dpu(s->map, s->dev, &desc, &length));
    note(out, desc, length);
    return true;
}

static bool memory_take(void *side, const struct words *in, struct words *out)
{
    struct side *s = side;
    (void)out;
    if (!open_dev(s, DPU_P0) || !open_map(s, fault_memory[1], DOCA_ACCESS_LOCAL_READ_WRITE) ||
        !open_inventory(s))
        return false;
    DO(doca_dma_create(&s->dma));
    DO(doca_ctx_dev_add(doca_dma_as_ctx(s->dma), s->dev));
    if (!open_context(s, doca_dma_as_ctx(s->dma)))
        return false;
    DO(doca_mmap_create_from_export(NULL, in->bytes, in->length, s->dev, &s->remote));
    return true;
}

static bool copy(struct side *s, struct doca_mmap *to, uint8_t *to_at, struct doca_mmap *from,
                 uint8_t *from_at)
{
    DO(doca_buf_inventory_buf_by_addr(s->inventory, to, to_at, COPY, &s->buf[0]));
    DO(doca_buf_inventory_buf_by_data(s->inventory, from, from_at, COPY, &s->buf[1]));
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = s->ctx},
        .dst_buff = s->buf[0],
        .src_buff = s->buf[1],
    };
    bool ok = run(s, &job.base);
    for (int i = 0; i < 2; i++) {
        doca_buf_refcount_rm(s->buf[i], NULL);
        s->buf[i] = NULL;
    }
    return ok;
}

static bool memory_use(void *side)
{
    struct side *s = side;
    uint8_t *at;
    size_t length;
    DO(doca_mmap_get_memrange(s->remote, (void **)&at, &length));
    return copy(s, s->map, fault_memory[1], s->remote, at) &&
           copy(s, s->remote, at + length - COPY, s->map, fault_memory[1]);
}

// ---- a sync event -------------------------------------------------------------------------------

static bool event_offer(void *side, struct words *out)
{
    struct side *s = side;
    const uint8_t *desc;
    size_t length;
    if (!open_dev(s, HOST_PF0))
        return false;
    DO(doca_sync_event_create(&s->event));
    DO(doca_sync_event_publisher_add_location_dpu(s->event));
    DO(doca_sync_event_subscriber_add_location_cpu(s->event, s->dev));
    DO(doca_sync_event_start(s->event));
    s->event_started = true;
    DO(doca_sync_event_export_to_dpu(s->event, s->dev, &desc, &length));
    note(out, desc, length);
    return true;
}

static bool event_take(void *side, const struct words *in, struct words *out)
{
    struct side *s = side;
    (void)out;
    if (!open_dev(s, DPU_P0))
        return false;
    DO(doca_sync_event_create_from_export(s->dev, in->bytes, in->length, &s->event));
    DO(doca_sync_event_start(s->event));
    s->event_started = true;
    return true;
}

static bool event_use(void *side)
{
    struct side *s = side;
    uint64_t value;
    DO(doca_sync_event_update_set(s->event, 4));
    DO(doca_sync_event_update_add(s->event, 3, &value));
    DO(doca_sync_event_get(s->event, &value));
    ck_assert_uint_eq(value, 7);
    return true;
}

// ---- a Comm Channel
// -------------------------------------------------------------------------------

static bool open_endpoint(struct side *s)
{
    DO(doca_comm_channel_ep_create(&s->ep));
    DO(doca_comm_channel_ep_set_device(s->ep, s->dev));
    DO(doca_comm_channel_ep_set_max_msg_size(s->ep, 64));
    return true;
}

static bool open_rep(struct side *s, const char *pci)
{
    struct doca_devinfo_rep **list;
    uint32_t n;
    uint8_t equal;
    doca_error_t r = DOCA_ERROR_NOT_FOUND;

    DO(doca_devinfo_rep_list_create(s->dev, DOCA_DEV_REP_FILTER_NET, &list, &n));
    for (uint32_t i = 0; i < n && r == DOCA_ERROR_NOT_FOUND; i++)
        if (doca_devinfo_rep_get_is_pci_addr_equal(list[i], pci, &equal) == DOCA_SUCCESS && equal)
            r = doca_dev_rep_open(list[i], &s->rep);
    doca_devinfo_rep_list_destroy(list);
    return r == DOCA_SUCCESS;
}

static bool channel_offer(void *side, struct words *out)
{
    struct side *s = side;
    doca_event_channel_t send, receive;
    if (!open_dev(s, DPU_P0) || !open_rep(s, HOST_PF0) || !open_endpoint(s))
        return false;
    DO(doca_comm_channel_ep_set_device_rep(s->ep, s->rep));
    DO(doca_comm_channel_ep_listen(s->ep, "faults"));
    DO(doca_comm_channel_ep_get_event_channel(s->ep, &send, &receive));
    note(out, "faults", 7);
    return true;
}

static bool channel_take(void *side, const struct words *in, struct words *out)
{
    struct side *s = side;
    (void)out;
    if (!open_dev(s, HOST_PF0) || !open_endpoint(s))
        return false;
    DO(doca_comm_channel_ep_connect(s->ep, (const char *)in->bytes, &s->peer));
    return true;
}

// Sends back what comes.
static bool channel_serve(void *side)
{
    struct side *s = side;
    struct doca_comm_channel_addr_t *from;
    char text[64];
    size_t length = sizeof(text);
    doca_error_t r = doca_comm_channel_ep_recvfrom(s->ep, text, &length, 0, &from);
    if (r == DOCA_SUCCESS)
        doca_comm_channel_ep_sendto(s->ep, text, length, 0, from);
    return true;
}

static bool channel_use(void *side)
{
    struct side *s = side;
    struct doca_comm_channel_addr_t *from;
    char text[64] = "hello";
    int64_t deadline = deadline_in(LIMIT_MS);
    doca_error_t r;

    while ((r = doca_comm_channel_ep_sendto(s->ep, text, 6, 0, s->peer)) == DOCA_ERROR_AGAIN)
        ck_assert_msg(now_ms() < deadline, "there is never room");
    DO(r);
    do {
        size_t length = sizeof(text);
        r = doca_comm_channel_ep_recvfrom(s->ep, text, &length, 0, &from);
        // A service that cannot take the connection loses it, and another one may follow.
        if (r == DOCA_ERROR_AGAIN &&
            doca_comm_channel_peer_addr_update_info(s->peer) == DOCA_ERROR_CONNECTION_ABORTED)
            return false;
        ck_assert_msg(now_ms() < deadline, "nothing comes back");
    } while (r == DOCA_ERROR_AGAIN);
    return r == DOCA_SUCCESS;
}

// ---- an RDMA pair
// -----------------------------------------------------------------------------------

#define RDMA_ACCESS (DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE | DOCA_ACCESS_LOCAL_READ_WRITE)

static bool rdma_open(struct side *s, const char *pci, uint8_t *memory, struct words *out)
{
    const void *details;
    size_t length;
    if (!open_dev(s, pci) || !open_map(s, memory, RDMA_ACCESS) || !open_inventory(s))
        return false;
    DO(doca_rdma_create(&s->rdma));
    DO(doca_ctx_dev_add(doca_rdma_as_ctx(s->rdma), s->dev));
    DO(doca_rdma_set_permissions(s->rdma, DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE));
    if (!open_context(s, doca_rdma_as_ctx(s->rdma)))
        return false;
    DO(doca_rdma_export(s->rdma, &details, &length));
    note(out, details, length);
    return true;
}

static bool rdma_offer(void *side, struct words *out)
{
    return rdma_open(side, HOST_PF0, fault_memory[0], out);
}

static bool rdma_take(void *side, const struct words *in, struct words *out)
{
    struct side *s = side;
    if (!rdma_open(s, DPU_P0, fault_memory[1], out))
        return false;
    DO(doca_rdma_connect(s->rdma, in->bytes, in->length));
    return true;
}

static bool rdma_join(void *side, const struct words *in)
{
    struct side *s = side;
    DO(doca_rdma_connect(s->rdma, in->bytes, in->length));
    DO(doca_buf_inventory_buf_by_addr(s->inventory, s->map, fault_memory[0], COPY, &s->buf[0]));
    struct doca_rdma_job_recv job = {.base = {.type = DOCA_RDMA_JOB_RECV, .ctx = s->ctx},
                                     .dst_buff = s->buf[0]};
    DO(doca_workq_submit(s->workq, &job.base));
    return true;
}

static bool rdma_serve(void *side)
{
    doca_error_t r;
    return unfinished(side, &r);
}

static bool rdma_use(void *side)
{
    struct side *s = side;
    DO(doca_buf_inventory_buf_by_data(s->inventory, s->map, fault_memory[1], COPY, &s->buf[0]));
    struct doca_rdma_job_send job = {.base = {.type = DOCA_RDMA_JOB_SEND, .ctx = s->ctx},
                                     .src_buff = s->buf[0]};
    return run(s, &job.base);
}

_Atomic bool *fault_first_is_over;

static const struct life memory = {"memory", false, side_new,   memory_offer, memory_take,
                                   NULL,     NULL,  memory_use, side_end};

static const struct life event = {"sync event", false, side_new,  event_offer, event_take,
                                  NULL,         NULL,  event_use, side_end};

static const struct life channel = {"channel",     true,         side_new,
                                    channel_offer, channel_take, NULL,
                                    channel_serve, channel_use,  side_end};

static const struct life rdma = {"RDMA",    false,      side_new, rdma_offer, rdma_take,
                                 rdma_join, rdma_serve, rdma_use, side_end};

const struct life *const fault_lives[FAULT_LIVES] = {
    &memory,          &event, &channel, &rdma, &fault_life_address, &fault_life_net_event,
    &fault_life_comch};
