// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fake_rdma.h"

#include "list.h"

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#undef ibv_get_device_list
#undef ibv_query_port
#undef ibv_reg_mr

#define DEVICES  3
#define QUEUES   64
#define KEYS     256
#define ENTRIES  512
#define FIRST_QP 16

struct context {
    struct ibv_context context;
    struct ibv_device device;
    struct list in_device;
    struct fake *fake;
    enum ibv_event_type event;
    int events[2];
};

static struct fake {
    const char *name;
    unsigned ports;
    bool gone, refuses, down;
    unsigned n_gids;
    struct list contexts;
} devices[DEVICES];

struct queue {
    struct ibv_qp qp;
    struct ibv_recv_wr recvs[ENTRIES];
    struct ibv_sge places[ENTRIES];
    unsigned first, n;
    uint32_t there;
};

struct completions {
    struct ibv_cq cq;
    struct ibv_wc list[ENTRIES];
    unsigned first, n;
    bool armed;
};

struct channel {
    struct ibv_comp_channel channel;
    int other;
    struct completions *cq;
};

static struct queue *queues[QUEUES];
static struct ibv_mr *keys[KEYS];
static enum ibv_wc_status next_status;
static int next_failure; // of what is made or changed next
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// ---- devices --------------------------------------------------------------------------------

void fake_rdma_repair(void)
{
    static const char *const names[DEVICES] = {"fake0", "fake1", "fake2"};
    for (unsigned i = 0; i < DEVICES; i++) {
        struct fake *f = &devices[i];
        if (!f->name)
            list_init(&f->contexts);
        f->name = names[i];
        f->ports = i == 0 ? 2 : 1;
        f->n_gids = i + 1;
        f->gone = f->refuses = f->down = false;
    }
    next_status = IBV_WC_SUCCESS;
    next_failure = 0;
}

static void say_event(struct fake *f, enum ibv_event_type type)
{
    struct context *c;
    list_for_each (c, &f->contexts, in_device) {
        c->event = type;
        if (write(c->events[1], "", 1) != 1)
            return;
    }
}

void fake_rdma_disturb(struct input *in)
{
    uint8_t what = input_u8(in), more = input_u8(in);
    struct fake *f = &devices[what >> 4 & 3 ? (what >> 4) % DEVICES : 0];
    switch (what & 7) {
    case 0:
        next_status = more % (IBV_WC_GENERAL_ERR + 1);
        break;
    case 1:
        next_failure = more % 4 == 0   ? ENOMEM
                       : more % 4 == 1 ? EIO
                       : more % 4 == 2 ? EPERM
                                       : ENOSPC;
        break;
    case 2:
        f->gone = more & 1;
        break;
    case 3:
        f->refuses = more & 1;
        break;
    case 4:
        f->down = more & 1;
        say_event(f, f->down ? IBV_EVENT_PORT_ERR : IBV_EVENT_PORT_ACTIVE);
        break;
    case 5:
        f->n_gids = more % 300;
        say_event(f, IBV_EVENT_GID_CHANGE);
        break;
    default:
        say_event(f, more & 1 ? IBV_EVENT_DEVICE_FATAL : (enum ibv_event_type)(more % 20));
        break;
    }
}

struct ibv_device **ibv_get_device_list(int *n)
{
    struct ibv_device **list = calloc(DEVICES + 1, sizeof(struct ibv_device *));
    int count = 0;
    for (int i = 0; list && i < DEVICES; i++) {
        if (devices[i].gone)
            continue;
        struct ibv_device *made = list[count] = calloc(1, sizeof(*made));
        if (!made)
            break;
        count++;
        snprintf(made->name, sizeof(made->name), "%s", devices[i].name);
        snprintf(made->dev_name, sizeof(made->dev_name), "uverbs-fake%d", i);
    }
    *n = count;
    return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
    for (struct ibv_device **device = list; *device; device++)
        free(*device);
    free(list);
}

static int fake_poll_cq(struct ibv_cq *cq, int max, struct ibv_wc *wc);
static int fake_arm(struct ibv_cq *cq, int solicited);
static int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
static int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
    for (int i = 0; i < DEVICES; i++) {
        struct fake *f = &devices[i];
        if (f->gone || f->refuses || strcmp(f->name, device->name) != 0)
            continue;
        struct context *made = calloc(1, sizeof(*made));
        if (!made)
            break;
        if (pipe2(made->events, O_CLOEXEC | O_NONBLOCK) < 0)
            abort();
        made->fake = f;
        made->device = *device;
        made->context.device = &made->device;
        made->context.async_fd = made->events[0];
        made->context.ops.poll_cq = fake_poll_cq;
        made->context.ops.req_notify_cq = fake_arm;
        made->context.ops.post_send = fake_post_send;
        made->context.ops.post_recv = fake_post_recv;
        list_append(&f->contexts, &made->in_device);
        return &made->context;
    }
    errno = EACCES; // or there is no memory
    return NULL;
}

int ibv_close_device(struct ibv_context *context)
{
    struct context *c = container_of(context, struct context, context);
    list_remove(&c->in_device);
    close(c->events[0]);
    close(c->events[1]);
    free(c);
    return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
    const struct context *c = container_of(context, struct context, context);
    if (c->fake->gone)
        return EIO;
    *attr = (struct ibv_device_attr){.phys_port_cnt = (uint8_t)c->fake->ports,
                                     .max_qp_wr = 1024,
                                     .max_cqe = 4096,
                                     .max_sge = 16,
                                     .max_qp_rd_atom = 16,
                                     .max_qp_init_rd_atom = 16,
                                     .atomic_cap = IBV_ATOMIC_HCA};
    return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t number, struct _compat_ibv_port_attr *out)
{
    const struct context *c = container_of(context, struct context, context);
    struct ibv_port_attr *attr = (struct ibv_port_attr *)out;
    if (number == 0 || number > c->fake->ports)
        return EINVAL;
    attr->state = c->fake->down ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
    attr->active_mtu = IBV_MTU_1024;
    attr->max_msg_sz = 1u << 30;
    attr->link_layer = IBV_LINK_LAYER_ETHERNET;
    attr->gid_tbl_len = 300;
    return 0;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max,
                             uint32_t flags, size_t entry_size)
{
    const struct context *c = container_of(context, struct context, context);
    size_t n = c->fake->n_gids;
    (void)flags;
    (void)entry_size;
    if (n > max)
        return -EINVAL;
    for (unsigned i = 0; i < n; i++) {
        uint8_t raw[16] = {[10] = 0xff, [11] = 0xff, 127, 0, (uint8_t)(i >> 8), (uint8_t)(i + 1)};
        entries[i] =
            (struct ibv_gid_entry){.gid_index = i, .port_num = 1, .gid_type = IBV_GID_TYPE_ROCE_V2};
        memcpy(entries[i].gid.raw, raw, sizeof(raw));
    }
    return (ssize_t)n;
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    struct context *c = container_of(context, struct context, context);
    char drop;
    if (read(c->events[0], &drop, 1) != 1)
        return -1;
    *event = (struct ibv_async_event){.event_type = c->event};
    return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}

// ---- what is made -----------------------------------------------------------------------------

static bool made_fails(void)
{
    errno = next_failure;
    next_failure = 0;
    return errno != 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
    struct ibv_pd *pd = made_fails() ? NULL : calloc(1, sizeof(*pd));
    if (pd)
        pd->context = context;
    return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
    free(pd);
    return 0;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *at, size_t length, uint64_t iova,
                                unsigned access)
{
    struct ibv_mr *mr = made_fails() ? NULL : calloc(1, sizeof(*mr));
    (void)iova;
    (void)access;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 1; mr && i < KEYS && !mr->pd; i++) {
        if (keys[i])
            continue;
        *mr = (struct ibv_mr){
            .context = pd->context, .pd = pd, .addr = at, .length = length, .lkey = i, .rkey = i};
        keys[i] = mr;
    }
    pthread_mutex_unlock(&lock);
    if (mr && !mr->pd) {
        free(mr);
        errno = ENOMEM;
        return NULL;
    }
    return mr;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
    pthread_mutex_lock(&lock);
    keys[mr->lkey] = NULL;
    pthread_mutex_unlock(&lock);
    free(mr);
    return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
    struct channel *made = made_fails() ? NULL : calloc(1, sizeof(*made));
    int pipe[2];
    if (!made)
        return NULL;
    if (pipe2(pipe, O_CLOEXEC | O_NONBLOCK) < 0)
        abort();
    made->channel.context = context;
    made->channel.fd = pipe[0];
    made->other = pipe[1];
    return &made->channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
    struct channel *c = container_of(channel, struct channel, channel);
    close(c->channel.fd);
    close(c->other);
    free(c);
    return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *arg,
                             struct ibv_comp_channel *channel, int vector)
{
    struct completions *made = made_fails() ? NULL : calloc(1, sizeof(*made));
    (void)entries;
    (void)vector;
    if (!made)
        return NULL;
    made->cq.context = context;
    made->cq.channel = channel;
    made->cq.cq_context = arg;
    if (channel)
        container_of(channel, struct channel, channel)->cq = made;
    return &made->cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
    free(container_of(cq, struct completions, cq));
    return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
    struct queue *made = made_fails() ? NULL : calloc(1, sizeof(*made));
    unsigned i = 0;

    if (!made)
        return NULL;
    pthread_mutex_lock(&lock);
    while (i < QUEUES && queues[i])
        i++;
    if (i < QUEUES)
        queues[i] = made;
    pthread_mutex_unlock(&lock);
    if (i == QUEUES) {
        free(made);
        errno = ENOMEM;
        return NULL;
    }
    made->qp.context = pd->context;
    made->qp.send_cq = made->qp.recv_cq = attr->send_cq;
    made->qp.qp_num = FIRST_QP + i;
    return &made->qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
    struct queue *q = container_of(qp, struct queue, qp);
    pthread_mutex_lock(&lock);
    queues[qp->qp_num - FIRST_QP] = NULL;
    pthread_mutex_unlock(&lock);
    free(q);
    return 0;
}

// ---- what moves -------------------------------------------------------------------------------

static void complete(struct ibv_cq *cq, const struct ibv_wc *wc)
{
    struct completions *c = container_of(cq, struct completions, cq);
    if (c->n < ENTRIES)
        c->list[(c->first + c->n++) % ENTRIES] = *wc;
    if (!c->armed || !cq->channel)
        return;
    c->armed = false;
    if (write(container_of(cq->channel, struct channel, channel)->other, "", 1) != 1)
        return;
}

static void fail_queue(struct queue *q)
{
    q->qp.state = IBV_QPS_ERR;
    for (; q->n; q->n--, q->first++) {
        const struct ibv_wc wc = {.wr_id = q->recvs[q->first % ENTRIES].wr_id,
                                  .status = IBV_WC_WR_FLUSH_ERR,
                                  .qp_num = q->qp.qp_num};
        complete(q->qp.recv_cq, &wc);
    }
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    struct queue *q = container_of(qp, struct queue, qp);
    int error = made_fails() ? errno : 0;
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    if (mask & IBV_QP_DEST_QPN)
        q->there = attr->dest_qp_num;
    if (attr->qp_state == IBV_QPS_ERR)
        fail_queue(q);
    if (attr->qp_state == IBV_QPS_RESET)
        q->n = 0;
    qp->state = attr->qp_state;
    pthread_mutex_unlock(&lock);
    return 0;
}

static bool is_of(const struct ibv_sge *sge, uint32_t key)
{
    const struct ibv_mr *mr = key < KEYS ? keys[key] : NULL;
    uint64_t at = mr ? (uintptr_t)mr->addr : 0;
    return mr && sge->addr >= at && sge->length <= mr->length &&
           sge->addr - at <= mr->length - sge->length;
}

static enum ibv_wc_status deliver(struct queue *to, const struct ibv_sge *sge)
{
    if (!to->n)
        return IBV_WC_RNR_RETRY_EXC_ERR;
    const struct ibv_recv_wr *recv = &to->recvs[to->first % ENTRIES];
    const struct ibv_sge *place = &to->places[to->first % ENTRIES];
    struct ibv_wc wc = {.wr_id = recv->wr_id,
                        .opcode = IBV_WC_RECV,
                        .byte_len = sge->length,
                        .qp_num = to->qp.qp_num};
    to->n--;
    to->first++;
    if (sge->length > place->length)
        wc.status = IBV_WC_LOC_LEN_ERR;
    else
        memcpy((void *)(uintptr_t)place->addr, (const void *)(uintptr_t)sge->addr, sge->length);
    complete(to->qp.recv_cq, &wc);
    return wc.status == IBV_WC_SUCCESS ? IBV_WC_SUCCESS : IBV_WC_REM_INV_REQ_ERR;
}

static enum ibv_wc_status move(const struct queue *q, const struct ibv_send_wr *wr)
{
    struct queue *to = q->there - FIRST_QP < QUEUES ? queues[q->there - FIRST_QP] : NULL;
    const struct ibv_sge *here = wr->sg_list;
    struct ibv_sge there = {.addr = wr->wr.rdma.remote_addr, .length = here->length};
    void *local = (void *)(uintptr_t)here->addr, *remote = (void *)(uintptr_t)there.addr;
    enum ibv_wc_status status = next_status;

    next_status = IBV_WC_SUCCESS;
    if (status != IBV_WC_SUCCESS)
        return status;
    if (!is_of(here, here->lkey))
        return IBV_WC_LOC_PROT_ERR;
    if (q->qp.state != IBV_QPS_RTS || !to || to->qp.state < IBV_QPS_RTR ||
        to->qp.state > IBV_QPS_RTS)
        return IBV_WC_RETRY_EXC_ERR;
    if (wr->opcode == IBV_WR_SEND)
        return deliver(to, here);
    if (!is_of(&there, wr->wr.rdma.rkey))
        return IBV_WC_REM_ACCESS_ERR;
    if (wr->opcode == IBV_WR_RDMA_READ)
        memmove(local, remote, here->length);
    else
        memmove(remote, local, here->length);
    return IBV_WC_SUCCESS;
}

static int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    struct queue *q = container_of(qp, struct queue, qp);
    if (made_fails()) {
        *bad = wr;
        return ENOMEM;
    }
    pthread_mutex_lock(&lock);
    for (; wr; wr = wr->next) {
        struct ibv_wc wc = {.wr_id = wr->wr_id, .qp_num = qp->qp_num};
        wc.status = qp->state == IBV_QPS_ERR ? IBV_WC_WR_FLUSH_ERR : move(q, wr);
        if (wc.status != IBV_WC_SUCCESS || wr->send_flags & IBV_SEND_SIGNALED)
            complete(qp->send_cq, &wc);
        if (wc.status != IBV_WC_SUCCESS)
            fail_queue(q);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

static int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct queue *q = container_of(qp, struct queue, qp);
    if (made_fails() || q->n == ENTRIES) {
        *bad = wr;
        return ENOMEM;
    }
    pthread_mutex_lock(&lock);
    q->places[(q->first + q->n) % ENTRIES] = *wr->sg_list;
    q->recvs[(q->first + q->n++) % ENTRIES] = *wr;
    if (qp->state == IBV_QPS_ERR)
        fail_queue(q);
    pthread_mutex_unlock(&lock);
    return 0;
}

static int fake_poll_cq(struct ibv_cq *cq, int max, struct ibv_wc *wc)
{
    struct completions *c = container_of(cq, struct completions, cq);
    int n = 0;
    pthread_mutex_lock(&lock);
    for (; n < max && c->n; n++, c->n--)
        wc[n] = c->list[c->first++ % ENTRIES];
    pthread_mutex_unlock(&lock);
    return n;
}

static int fake_arm(struct ibv_cq *cq, int solicited)
{
    (void)solicited;
    pthread_mutex_lock(&lock);
    container_of(cq, struct completions, cq)->armed = true;
    pthread_mutex_unlock(&lock);
    return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **arg)
{
    struct channel *c = container_of(channel, struct channel, channel);
    char drop;
    if (read(channel->fd, &drop, 1) != 1)
        return -1;
    *cq = &c->cq->cq;
    *arg = c->cq->cq.cq_context;
    return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned n)
{
    (void)cq;
    (void)n;
}
