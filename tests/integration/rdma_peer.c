// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_peer.h"

#include "deadline.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void pattern(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

bool is_pattern(const uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != (uint8_t)(i * 7 + i / 251 + seed))
            return false;
    return true;
}

// ---- life

static void attach(struct peer *p)
{
    ck_assert_success(doca_ctx_start(p->ctx));
    ck_assert_success(doca_workq_create(256, &p->workq));
    if (p->plan.event) {
        ck_assert_success(doca_workq_set_event_driven_enable(p->workq, 1));
        ck_assert_success(doca_workq_get_event_handle(p->workq, &p->handle));
    }
    ck_assert_success(doca_ctx_workq_add(p->ctx, p->workq));
}

static void detach(struct peer *p)
{
    ck_assert_success(doca_ctx_workq_rm(p->ctx, p->workq));
    ck_assert_success(doca_workq_destroy(p->workq));
    ck_assert_success(doca_ctx_stop(p->ctx));
}

const char *peer_function(void)
{
    return getenv("DOCAD_TEST_FUNCTION");
}

// The same tests run on another function of both nodes, by its IB device's name.
static struct doca_dev *open_device(const char *pci, bool software)
{
    char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    struct doca_dev *dev = NULL;
    struct doca_devinfo **list;
    uint32_t n;

    if (software || !peer_function())
        return client_open(pci);
    ck_assert_success(doca_devinfo_list_create(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        ck_assert_success(doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)));
        if (strcmp(name, peer_function()) == 0)
            ck_assert_success(doca_dev_open(list[i], &dev));
    }
    ck_assert_success(doca_devinfo_list_destroy(list));
    ck_assert_msg(dev != NULL, "there is no device %s", peer_function());
    return dev;
}

void peer_open(struct peer *p, const struct peer_plan *plan)
{
    *p = (struct peer){.plan = *plan, .size = plan->size ? plan->size : 1 << 20};
    p->memory = plan->memory ? plan->memory : pages_new(p->size);
    p->dev = open_device(plan->pci ? plan->pci : HOST_PF0, plan->software);
    ck_assert_success(doca_mmap_create(NULL, &p->map));
    ck_assert_success(doca_mmap_set_permissions(p->map, plan->map ? plan->map : RDMA_MAP));
    ck_assert_success(doca_mmap_set_memrange(p->map, p->memory, p->size));
    ck_assert_success(doca_mmap_dev_add(p->map, p->dev));
    if (plan->also) {
        p->also = client_open(plan->also);
        ck_assert_success(doca_mmap_dev_add(p->map, p->also));
    }
    ck_assert_success(doca_mmap_start(p->map));
    ck_assert_success(doca_buf_inventory_create(NULL, 256, DOCA_BUF_EXTENSION_NONE, &p->inventory));
    ck_assert_success(doca_buf_inventory_start(p->inventory));
    ck_assert_success(doca_rdma_create(&p->rdma));
    p->ctx = doca_rdma_as_ctx(p->rdma);
    ck_assert_success(doca_ctx_dev_add(p->ctx, p->dev));
    ck_assert_success(
        doca_rdma_set_permissions(p->rdma, plan->instance ? plan->instance : RDMA_ALL));
    if (plan->queue) {
        ck_assert_success(doca_rdma_set_send_queue_size(p->rdma, plan->queue));
        ck_assert_success(doca_rdma_set_recv_queue_size(p->rdma, plan->queue));
    }
    if (plan->chain)
        ck_assert_success(doca_rdma_set_recv_buf_chain_len(p->rdma, plan->chain));
    attach(p);
}

void peer_close(struct peer *p)
{
    detach(p);
    if (p->remote)
        ck_assert_success(doca_mmap_destroy(p->remote));
    ck_assert_success(doca_buf_inventory_destroy(p->inventory));
    ck_assert_success(doca_mmap_destroy(p->map));
    ck_assert_success(doca_dev_close(p->dev));
    if (p->also)
        ck_assert_success(doca_dev_close(p->also));
    ck_assert_success(doca_rdma_destroy(p->rdma));
    p->rdma = NULL;
    if (!p->plan.memory)
        munmap(p->memory, p->size);
}

void peer_restart(struct peer *p)
{
    detach(p);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_RESET);
    attach(p);
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_INIT);
}

// ---- meeting

struct blob peer_export(struct peer *p)
{
    struct blob blob;
    const void *bytes;
    ck_assert_success(doca_rdma_export(p->rdma, &bytes, &blob.length));
    ck_assert_uint_le(blob.length, sizeof(blob.bytes));
    memcpy(blob.bytes, bytes, blob.length);
    return blob;
}

struct blob peer_export_map_on(struct peer *p, struct doca_dev *dev)
{
    struct blob blob = {0};
    const void *bytes;
    if (!((p->plan.map ? p->plan.map : RDMA_MAP) & RDMA_ALL))
        return blob;
    ck_assert_success(doca_mmap_export_rdma(p->map, dev, &bytes, &blob.length));
    ck_assert_uint_le(blob.length, sizeof(blob.bytes));
    memcpy(blob.bytes, bytes, blob.length);
    return blob;
}

struct blob peer_export_map(struct peer *p)
{
    return peer_export_map_on(p, p->dev);
}

void peer_connect(struct peer *p, const struct blob *other)
{
    ck_assert_success(doca_rdma_connect(p->rdma, other->bytes, other->length));
    ck_assert_int_eq(peer_state(p), DOCA_RDMA_STATE_CONNECTED);
}

void peer_import(struct peer *p, const struct blob *map)
{
    if (p->remote)
        ck_assert_success(doca_mmap_destroy(p->remote));
    p->remote = NULL;
    if (!map->length)
        return;
    ck_assert_success(
        doca_mmap_create_from_export(NULL, map->bytes, map->length, p->dev, &p->remote));
    ck_assert_success(doca_mmap_get_memrange(p->remote, (void **)&p->address, &p->length));
}

void peer_meet(struct peer *p, struct child *self)
{
    struct blob mine[2] = {peer_export(p), peer_export_map(p)}, theirs[2];
    child_send(self, mine, sizeof(mine));
    ck_assert_uint_eq(child_receive(self, theirs, sizeof(theirs)), sizeof(theirs));
    peer_connect(p, &theirs[0]);
    peer_import(p, &theirs[1]);
    child_tell(self, "met");
    child_wait(self, "go");
}

void peers_join(struct child *a, struct child *b)
{
    struct blob of_a[2], of_b[2];
    ck_assert_uint_eq(child_receive(a, of_a, sizeof(of_a)), sizeof(of_a));
    ck_assert_uint_eq(child_receive(b, of_b, sizeof(of_b)), sizeof(of_b));
    child_send(a, of_b, sizeof(of_b));
    child_send(b, of_a, sizeof(of_a));
    child_wait(a, "met");
    child_wait(b, "met");
    child_tell(a, "go");
    child_tell(b, "go");
}

enum doca_rdma_state peer_state(struct peer *p)
{
    enum doca_rdma_state state;
    ck_assert_success(doca_rdma_get_state(p->rdma, &state));
    return state;
}

// ---- jobs

static struct doca_buf *buf(struct peer *p, struct doca_mmap *map, uint8_t *at, size_t length,
                            size_t data)
{
    struct doca_buf *out;
    ck_assert_success(
        doca_buf_inventory_buf_by_args(p->inventory, map, at, length, at, data, &out));
    return out;
}

struct doca_buf *peer_buf(struct peer *p, size_t offset, size_t length)
{
    return buf(p, p->map, p->memory + offset, length, length);
}

struct doca_buf *peer_room(struct peer *p, size_t offset, size_t length)
{
    return buf(p, p->map, p->memory + offset, length, 0);
}

struct doca_buf *peer_remote_buf(struct peer *p, size_t offset, size_t length)
{
    return buf(p, p->remote, p->address + offset, length, length);
}

void drop(struct doca_buf *b)
{
    if (b)
        ck_assert_success(doca_buf_refcount_rm(b, NULL));
}

#define BASE(p, t)                                                                                 \
    {                                                                                              \
        .type = (int)(t), .ctx = (p)->ctx, .user_data.u64 = 7                                      \
    }

doca_error_t peer_try_recv(struct peer *p, struct doca_buf *dst)
{
    struct doca_rdma_job_recv job = {.base = BASE(p, DOCA_RDMA_JOB_RECV), .dst_buff = dst};
    return doca_workq_submit(p->workq, &job.base);
}

doca_error_t peer_try_send(struct peer *p, struct doca_buf *src, const uint32_t *immediate)
{
    struct doca_rdma_job_send job = {
        .base = BASE(p, immediate ? DOCA_RDMA_JOB_SEND_IMM : DOCA_RDMA_JOB_SEND),
        .src_buff = src,
        .immediate_data = immediate ? *immediate : 0};
    return doca_workq_submit(p->workq, &job.base);
}

doca_error_t peer_try_access(struct peer *p, int type, struct doca_buf *dst, struct doca_buf *src)
{
    struct doca_rdma_job_read_write job = {
        .base = BASE(p, type), .dst_buff = dst, .src_buff = src, .immediate_data = 0xABCD};
    return doca_workq_submit(p->workq, &job.base);
}

doca_error_t peer_try_atomic(struct peer *p, int type, struct doca_buf *word, struct doca_buf *out,
                             uint64_t operand, uint64_t compare)
{
    struct doca_rdma_job_atomic job = {.base = BASE(p, type),
                                       .cmp_or_add_dest_buff = word,
                                       .result_buff = out,
                                       .swap_or_add_data = operand,
                                       .cmp_data = compare};
    return doca_workq_submit(p->workq, &job.base);
}

doca_error_t peer_poll(struct peer *p)
{
    p->event.result.ptr = &p->result;
    doca_error_t r = doca_workq_progress_retrieve(p->workq, &p->event, 0);
    if (r == DOCA_ERROR_AGAIN)
        return r;
    ck_assert(r == DOCA_SUCCESS || r == DOCA_ERROR_IO_FAILED);
    ck_assert_ptr_eq(p->event.result.ptr, &p->result);
    ck_assert_uint_eq(p->event.user_data.u64, 7);
    ck_assert_int_eq(r == DOCA_SUCCESS, p->result.result == DOCA_SUCCESS);
    return p->result.result;
}

void peer_sleep(struct peer *p)
{
    workq_sleep(p->workq, p->handle);
}

doca_error_t peer_wait(struct peer *p)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    doca_error_t r;
    while ((r = peer_poll(p)) == DOCA_ERROR_AGAIN) {
        ck_assert_msg(now_ms() < deadline, "a job hangs");
        if (p->plan.event)
            peer_sleep(p);
    }
    return r;
}

// The job's buffers go, and what it ended with is returned.
static doca_error_t run(struct peer *p, doca_error_t submitted, struct doca_buf *a,
                        struct doca_buf *b)
{
    ck_assert_success(submitted);
    doca_error_t r = peer_wait(p);
    drop(a);
    drop(b);
    return r;
}

doca_error_t peer_send(struct peer *p, size_t offset, size_t length)
{
    struct doca_buf *src = length ? peer_buf(p, offset, length) : NULL;
    return run(p, peer_try_send(p, src, NULL), src, NULL);
}

doca_error_t peer_recv(struct peer *p, size_t offset, size_t length)
{
    struct doca_buf *dst = length ? peer_room(p, offset, length) : NULL;
    return run(p, peer_try_recv(p, dst), dst, NULL);
}

doca_error_t peer_read(struct peer *p, size_t to, size_t from, size_t length)
{
    struct doca_buf *dst = peer_buf(p, to, length), *src = peer_remote_buf(p, from, length);
    return run(p, peer_try_access(p, DOCA_RDMA_JOB_READ, dst, src), dst, src);
}

doca_error_t peer_write(struct peer *p, size_t to, size_t from, size_t length)
{
    struct doca_buf *dst = peer_remote_buf(p, to, length), *src = peer_buf(p, from, length);
    return run(p, peer_try_access(p, DOCA_RDMA_JOB_WRITE, dst, src), dst, src);
}

static doca_error_t atomic(struct peer *p, int type, size_t offset, uint64_t operand,
                           uint64_t compare, uint64_t *before)
{
    size_t last = p->size - 8;
    struct doca_buf *word = peer_remote_buf(p, offset, 8), *out = peer_buf(p, last, 8);
    doca_error_t r = run(p, peer_try_atomic(p, type, word, out, operand, compare), word, out);
    memcpy(before, p->memory + last, sizeof(*before));
    return r;
}

doca_error_t peer_add(struct peer *p, size_t offset, uint64_t operand, uint64_t *before)
{
    return atomic(p, DOCA_RDMA_JOB_ATOMIC_FETCH_ADD, offset, operand, 0, before);
}

doca_error_t peer_swap(struct peer *p, size_t offset, uint64_t compare, uint64_t value,
                       uint64_t *before)
{
    return atomic(p, DOCA_RDMA_JOB_ATOMIC_CMP_SWP, offset, value, compare, before);
}
