// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program of DOCA 2.5: two RDMA contexts without connection objects, which stay STARTING until
// they are connected, and a server and its sizes as 2.5 has them.

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DOCA_2_6
typedef uint32_t cc_size;
#define NUMBER_OF_TASKS doca_cc_consumer_cap_get_max_num_tasks
#else
typedef size_t cc_size;
#define NUMBER_OF_TASKS doca_cc_consumer_cap_get_max_log_num_tasks
#endif

#define SIZE ((size_t)1 << 16)

static void expect(const char *what, doca_error_t is, doca_error_t wanted)
{
    if (is == wanted)
        return;
    fprintf(stderr, "%s: %s, not %s\n", what, doca_error_get_name(is), doca_error_get_name(wanted));
    exit(1);
}
#define EXPECT(wanted, call) expect(#call, call, wanted)
#define OK(call)             EXPECT(DOCA_SUCCESS, call)

struct side {
    struct doca_rdma *rdma;
    struct doca_ctx *ctx;
    const void *details;
    size_t size;
    char states[8]; // S(tarting), R(unning), and so on
    unsigned n_states, done;
};

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                          enum doca_ctx_states prev, enum doca_ctx_states next)
{
    struct side *side = user_data.ptr;

    (void)ctx, (void)prev;
    if (side->n_states < sizeof(side->states) - 1)
        side->states[side->n_states++] = "isRt"[next];
    // As the samples of 2.5 do.
    if (next == DOCA_CTX_STATE_STARTING)
        OK(doca_rdma_export(side->rdma, &side->details, &side->size));
}

#define ENDS(name)                                                                                 \
    static void name##_done(struct doca_rdma_task_##name *task, union doca_data task_data,         \
                            union doca_data ctx_data)                                              \
    {                                                                                              \
        (void)task_data;                                                                           \
        ((struct side *)ctx_data.ptr)->done++;                                                     \
        doca_task_free(doca_rdma_task_##name##_as_task(task));                                     \
    }                                                                                              \
    static void name##_failed(struct doca_rdma_task_##name *task, union doca_data task_data,       \
                              union doca_data ctx_data)                                            \
    {                                                                                              \
        (void)task_data, (void)ctx_data;                                                           \
        expect(#name, doca_task_get_status(doca_rdma_task_##name##_as_task(task)), DOCA_SUCCESS);  \
    }
ENDS(receive)
ENDS(send)
ENDS(write)
ENDS(atomic_fetch_add)

static void open_side(struct side *s, struct doca_dev *dev, struct doca_pe *pe)
{
    OK(doca_rdma_create(dev, &s->rdma));
    s->ctx = doca_rdma_as_ctx(s->rdma);
    OK(doca_rdma_set_permissions(s->rdma, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                              DOCA_ACCESS_FLAG_RDMA_WRITE |
                                              DOCA_ACCESS_FLAG_RDMA_ATOMIC));
    OK(doca_pe_connect_ctx(pe, s->ctx));
    OK(doca_ctx_set_user_data(s->ctx, (union doca_data){.ptr = s}));
    OK(doca_ctx_set_state_changed_cb(s->ctx, state_changed));
    OK(doca_rdma_task_receive_set_conf(s->rdma, receive_done, receive_failed, 4));
    OK(doca_rdma_task_send_set_conf(s->rdma, send_done, send_failed, 4));
    OK(doca_rdma_task_write_set_conf(s->rdma, write_done, write_failed, 4));
    OK(doca_rdma_task_atomic_fetch_add_set_conf(s->rdma, atomic_fetch_add_done,
                                                atomic_fetch_add_failed, 4));
}

static void start(struct side *s)
{
    enum doca_ctx_states state;
    struct doca_rdma_task_send *task;
    const void *details;
    size_t size;

    EXPECT(DOCA_ERROR_BAD_STATE, doca_rdma_export(s->rdma, &details, &size));
    EXPECT(DOCA_ERROR_BAD_STATE,
           doca_rdma_task_send_allocate_init(s->rdma, NULL, (union doca_data){0}, &task));
    EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(s->ctx));
    OK(doca_ctx_get_state(s->ctx, &state));
    if (state != DOCA_CTX_STATE_STARTING || !s->size)
        exit(2);
}

static void until(struct doca_pe *pe, struct side *s, enum doca_ctx_states wanted)
{
    enum doca_ctx_states state;

    for (;;) {
        OK(doca_ctx_get_state(s->ctx, &state));
        if (state == wanted)
            return;
        doca_pe_progress(pe);
    }
}

static struct doca_dev *open_first(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;
    cc_size sizes[4], untouched;

    memset(&untouched, 0x7f, sizeof(untouched));

    OK(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++)
        if (doca_rdma_cap_task_send_is_supported(list[i]) == DOCA_SUCCESS)
            OK(doca_dev_open(list[i], &dev));
    // All bits are written, and no other.
    memset(sizes, 0x7f, sizeof(sizes));
    OK(doca_cc_cap_get_max_msg_size(doca_dev_as_devinfo(dev), &sizes[0]));
    OK(NUMBER_OF_TASKS(doca_dev_as_devinfo(dev), &sizes[2]));
    if (sizes[0] > 1 << 20 || sizes[2] > 1 << 20 || sizes[1] != untouched || sizes[3] != untouched)
        exit(3);
    OK(doca_devinfo_destroy_list(list));
    return dev;
}

static struct doca_buf *part(struct doca_buf_inventory *inventory, struct doca_mmap *map,
                             uint8_t *at, size_t room, size_t data)
{
    struct doca_buf *buf;

    OK(doca_buf_inventory_buf_get_by_addr(inventory, map, at, room, &buf));
    OK(doca_buf_set_data(buf, at, data));
    return buf;
}

static void work(struct doca_pe *pe, struct side *a, struct side *b, struct doca_dev *dev)
{
    static _Alignas(4096) uint8_t memory[SIZE];
    const union doca_data none = {0};
    struct doca_mmap *map, *remote;
    struct doca_buf_inventory *inventory;
    struct doca_rdma_task_receive *receive;
    struct doca_rdma_task_send *send;
    struct doca_rdma_task_write *write;
    struct doca_rdma_task_atomic_fetch_add *add;
    const void *desc;
    size_t size;

    OK(doca_mmap_create(&map));
    OK(doca_mmap_add_dev(map, dev));
    OK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                          DOCA_ACCESS_FLAG_RDMA_WRITE |
                                          DOCA_ACCESS_FLAG_RDMA_ATOMIC));
    OK(doca_mmap_set_memrange(map, memory, SIZE));
    OK(doca_mmap_start(map));
    OK(doca_mmap_export_rdma(map, dev, &desc, &size));
    OK(doca_mmap_create_from_export(NULL, desc, size, dev, &remote));
    OK(doca_buf_inventory_create(8, &inventory));
    OK(doca_buf_inventory_start(inventory));
    struct doca_buf *bufs[] = {
        part(inventory, map, memory, 64, 64),
        part(inventory, map, memory + 4096, 64, 0),
        part(inventory, remote, memory + 8192, 64, 0),
        part(inventory, remote, memory + 12288, 8, 0),
        part(inventory, map, memory + 16384, 8, 0),
    };
    memset(memory, 0, SIZE);
    memset(memory, 0x5a, 64);
    OK(doca_rdma_task_receive_allocate_init(b->rdma, bufs[1], none, &receive));
    OK(doca_task_submit(doca_rdma_task_receive_as_task(receive)));
    OK(doca_rdma_task_send_allocate_init(a->rdma, bufs[0], none, &send));
    OK(doca_task_submit(doca_rdma_task_send_as_task(send)));
    OK(doca_rdma_task_write_allocate_init(a->rdma, bufs[0], bufs[2], none, &write));
    OK(doca_task_submit(doca_rdma_task_write_as_task(write)));
    OK(doca_rdma_task_atomic_fetch_add_allocate_init(a->rdma, bufs[3], bufs[4], 7, none, &add));
    OK(doca_task_submit(doca_rdma_task_atomic_fetch_add_as_task(add)));
    while (a->done < 3 || b->done < 1)
        doca_pe_progress(pe);
    if (memcmp(memory, memory + 4096, 64) != 0 || memcmp(memory, memory + 8192, 64) != 0 ||
        memory[12288] != 7)
        exit(4);
    for (unsigned i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
        OK(doca_buf_dec_refcount(bufs[i], NULL));
    OK(doca_buf_inventory_destroy(inventory));
    OK(doca_mmap_destroy(remote));
    OK(doca_mmap_destroy(map));
}

int main(void)
{
    struct side sides[2] = {0};
    struct doca_pe *pe;
    struct doca_dev *dev = open_first();

    OK(doca_pe_create(&pe));
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < 2; i++) {
            if (!again)
                open_side(&sides[i], dev, pe);
            sides[i].done = sides[i].n_states = 0;
            memset(sides[i].states, 0, sizeof(sides[i].states));
            start(&sides[i]);
        }
        for (int i = 0; i < 2; i++)
            OK(doca_rdma_connect(sides[i].rdma, sides[!i].details, sides[!i].size));
        for (int i = 0; i < 2; i++) {
            EXPECT(DOCA_ERROR_BAD_STATE,
                   doca_rdma_connect(sides[i].rdma, sides[!i].details, sides[!i].size));
            until(pe, &sides[i], DOCA_CTX_STATE_RUNNING);
        }
        work(pe, &sides[0], &sides[1], dev);
        for (int i = 0; i < 2; i++) {
            doca_ctx_stop(sides[i].ctx);
            until(pe, &sides[i], DOCA_CTX_STATE_IDLE);
        }
        printf("states: %s %s\n", sides[0].states, sides[1].states);
    }
    // One that is stopped before it was connected.
    EXPECT(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(sides[0].ctx));
    doca_ctx_stop(sides[0].ctx);
    until(pe, &sides[0], DOCA_CTX_STATE_IDLE);
    for (int i = 0; i < 2; i++)
        OK(doca_rdma_destroy(sides[i].rdma));
    OK(doca_pe_destroy(pe));
    OK(doca_dev_close(dev));
    puts("done");
    return 0;
}
