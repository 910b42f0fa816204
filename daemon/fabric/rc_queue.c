// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_queue.h"

#include "cleanup.h"
#include "node.h"
#include "peer.h"
#include "queue_pair.h"

#include <doca_types.h>
#include <event2/event.h>
#include <string.h>

#define RECVS     128u // more than can be in flight: QP_ENTRIES
#define BATCH     32   // completions before others get their turn
#define DATA_SIZE ((size_t)QP_CHUNKS * QP_CHUNK_SIZE)

// Longer than a busy machine keeps a process, or a virtual machine, waiting.
#define RETRY_TIMEOUT 17 // 0.54 s
#define RETRIES       6  // 7 means forever on Soft-RoCE
#define RNR_RETRIES   7  // forever; receives are always posted
#define RNR_TIMER     12 // 0.64 ms

// Registered memory for headers.
struct rc_control {
    uint8_t sends[RC_SENDS][CARRIER_HEADER_MAX];
    uint8_t recvs[RECVS][CARRIER_HEADER_MAX];
};

// wr_id: the index of a receive, or this flag with the index of a send.
#define ID_SEND (UINT64_C(1) << 32)

#define SLOT(index) ((index) % RC_SENDS)

static bool post_recv(struct rc_queue *q, uint64_t index)
{
    struct ibv_sge sge = {.addr = (uintptr_t)q->parts.control->recvs[index],
                          .length = CARRIER_HEADER_MAX,
                          .lkey = q->parts.control_mr->lkey};
    struct ibv_recv_wr wr = {.wr_id = index, .sg_list = &sge, .num_sge = 1}, *bad;
    return ibv_post_recv(q->parts.rc.qp, &wr, &bad) == 0;
}

static void fail(struct rc_queue *q, const char *why)
{
    if (q->failed)
        return;
    q->failed = true;
    event_del(q->completions);
    q->carrier.owner->cut(q->carrier.arg, why);
}

// ---- sending ----------------------------------------------------------------------------

struct rc_bytes rc_queue_data(const struct rc_queue *q, uint32_t offset, uint32_t length)
{
    return (struct rc_bytes){.local = q->data + offset,
                             .key = q->parts.data_mr->lkey,
                             .length = length,
                             .offset = offset};
}

static bool post(struct rc_queue *q, struct ibv_send_wr *first, void *context)
{
    struct ibv_send_wr *bad;

    if (ibv_post_send(q->parts.rc.qp, first, &bad) != 0)
        return false;
    q->contexts[SLOT(q->next_send)] = context;
    q->next_send++;
    q->unsent++;
    return true;
}

static struct ibv_sge sge_of(const struct rc_bytes *bytes)
{
    return (struct ibv_sge){
        .addr = (uintptr_t)bytes->local, .length = bytes->length, .lkey = bytes->key};
}

// Work requests that report their completion have an index; that is the last one of each
// message.
static struct ibv_send_wr request(const struct rc_queue *q, enum ibv_wr_opcode opcode,
                                  struct ibv_sge *sge)
{
    return (struct ibv_send_wr){.wr_id = ID_SEND | SLOT(q->next_send),
                                .sg_list = sge,
                                .num_sge = 1,
                                .opcode = opcode,
                                .send_flags = IBV_SEND_SIGNALED};
}

bool rc_queue_send(struct rc_queue *q, const void *header, size_t size,
                   const struct rc_bytes *bytes, void *context)
{
    if (q->failed || q->unsent >= RC_SENDS || size > CARRIER_HEADER_MAX)
        return false;
    uint8_t *slot = q->parts.control->sends[SLOT(q->next_send)];
    struct ibv_sge head = {
        .addr = (uintptr_t)slot, .length = (uint32_t)size, .lkey = q->parts.control_mr->lkey};
    struct ibv_send_wr send = request(q, IBV_WR_SEND, &head);

    memcpy(slot, header, size);
    if (!bytes)
        return post(q, &send, context);
    struct ibv_sge sge = sge_of(bytes);
    struct ibv_send_wr write = request(q, IBV_WR_RDMA_WRITE, &sge);
    write.send_flags = 0; // complete when the next request is
    write.next = &send;
    write.wr.rdma.remote_addr = q->data_there + bytes->offset;
    write.wr.rdma.rkey = q->key_there;
    return post(q, &write, context);
}

static bool send_data(struct carrier *carrier, const void *header, size_t size, uint32_t offset,
                      uint32_t length)
{
    struct rc_queue *q = container_of(carrier, struct rc_queue, carrier);
    struct rc_bytes bytes = rc_queue_data(q, offset, length);
    return rc_queue_send(q, header, size, length ? &bytes : NULL, NULL);
}

static const struct carrier_ops carrier_ops = {.send = send_data};

bool rc_queue_fetch(struct rc_queue *q, const struct rc_bytes *bytes, void *context)
{
    if (q->failed || q->unsent >= RC_SENDS)
        return false;
    struct ibv_sge sge = sge_of(bytes);
    struct ibv_send_wr read = request(q, IBV_WR_RDMA_READ, &sge);
    read.wr.rdma.remote_addr = q->data_there + bytes->offset;
    read.wr.rdma.rkey = q->key_there;
    return post(q, &read, context);
}

// ---- completions ------------------------------------------------------------------------

// Returns false if the queue was freed or has failed.
static bool complete(struct rc_queue *q, const struct ibv_wc *wc)
{
    uint8_t header[CARRIER_HEADER_MAX];

    if (wc->status != IBV_WC_SUCCESS) {
        fail(q, verbs_status_text(wc->status));
        return false;
    }
    if (wc->wr_id & ID_SEND) {
        void *context = q->contexts[wc->wr_id & ~ID_SEND];
        q->unsent--;
        return !context || q->carrier.owner->over(q->carrier.arg, context);
    }
    size_t size = wc->byte_len;
    // A write with immediate data completes a receive too, with its own length. And neither side
    // may send before both ends are known to be connected.
    if (wc->opcode != IBV_WC_RECV || size > sizeof(header) || q->connecting) {
        fail(q, "the other node sends something that is not a message");
        return false;
    }
    memcpy(header, q->parts.control->recvs[wc->wr_id], size);
    if (!post_recv(q, wc->wr_id)) {
        fail(q, "the device accepts no receives");
        return false;
    }
    return q->carrier.owner->received(q->carrier.arg, header, size);
}

static void on_completions(evutil_socket_t fd, short what, void *arg)
{
    struct rc_queue *q = arg;
    struct ibv_wc wc[BATCH];
    struct ibv_cq *cq;
    void *context;
    (void)fd;

    if ((what & EV_READ) && ibv_get_cq_event(q->parts.rc.channel, &cq, &context) == 0)
        ibv_ack_cq_events(q->parts.rc.cq, 1);
    // Ask for a notification before polling, so that no completion is missed after it.
    if (ibv_req_notify_cq(q->parts.rc.cq, 0) != 0) {
        fail(q, "the device was removed");
        return;
    }
    int n = ibv_poll_cq(q->parts.rc.cq, BATCH, wc);
    if (n < 0)
        fail(q, "the device was removed");
    if (n == BATCH)
        event_active(q->completions, EV_TIMEOUT, 0);
    for (int i = 0; i < n; i++)
        if (!complete(q, &wc[i]))
            return;
}

// ---- lifetime ---------------------------------------------------------------------------

static doca_error_t make_connection(struct rc_queue *q, const struct peer *peer, uint32_t access,
                                    struct errtext *err)
{
    struct verbs_rc_plan plan = {.sends = 2 * RC_SENDS,
                                 .recvs = RECVS,
                                 .send_list = 1,
                                 .recv_list = 1,
                                 .access = access,
                                 .events = true,
                                 .timeout = RETRY_TIMEOUT,
                                 .retries = RETRIES,
                                 .rnr_retries = RNR_RETRIES,
                                 .rnr_timer = RNR_TIMER};

    doca_error_t r = rc_device_get(&q->parts.device, peer, err);
    if (r != DOCA_SUCCESS)
        return r;
    plan.device = &q->parts.device->device;
    plan.mtu = q->parts.device->mtu;
    plan.gid = q->parts.device->has_gid ? &q->parts.device->gid : NULL;
    return verbs_rc_make(&q->parts.rc, &plan, err);
}

static doca_error_t register_memory(struct rc_queue *q, uint32_t access, struct errtext *err)
{
    q->parts.control = calloc(1, sizeof(*q->parts.control));
    if (!q->parts.control)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r =
        verbs_register(&q->parts.device->device, q->parts.control, sizeof(*q->parts.control),
                       DOCA_ACCESS_LOCAL_READ_WRITE, &q->parts.control_mr, err);
    if (r == DOCA_SUCCESS)
        r = verbs_register(&q->parts.device->device, q->data, DATA_SIZE,
                           DOCA_ACCESS_LOCAL_READ_WRITE | access, &q->parts.data_mr, err);
    return r;
}

static doca_error_t start(struct rc_queue *q, struct event_base *base, struct errtext *err)
{
    for (uint64_t i = 0; i < RECVS; i++)
        if (!post_recv(q, i))
            return errtext_set(err, DOCA_ERROR_DRIVER, "%s accepts no receives",
                               q->parts.device->name);
    q->completions =
        event_new(base, q->parts.rc.channel->fd, EV_READ | EV_PERSIST, on_completions, q);
    if (!q->completions || event_add(q->completions, NULL) < 0 ||
        ibv_req_notify_cq(q->parts.rc.cq, 0) != 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    return DOCA_SUCCESS;
}

static void on_device_gone(struct rc_device_user *user)
{
    fail(container_of(user, struct rc_queue, user), "the device was removed");
}

doca_error_t rc_queue_init(struct rc_queue *queue, const struct peer *peer, void *data,
                           uint32_t access, const struct carrier_owner *owner, void *arg,
                           struct errtext *err)
{
    *queue = (struct rc_queue){.carrier = {&carrier_ops, owner, arg}, .data = data};
    queue->user.gone = on_device_gone;
    list_init(&queue->user.in_device);
    doca_error_t r = make_connection(queue, peer, access, err);
    if (r == DOCA_SUCCESS)
        r = register_memory(queue, access, err);
    if (r == DOCA_SUCCESS)
        r = start(queue, peer->node->base, err);
    if (r != DOCA_SUCCESS)
        rc_queue_fini(queue);
    else
        list_append(&queue->parts.device->queues, &queue->user.in_device);
    return r;
}

void rc_queue_fini(struct rc_queue *q)
{
    if (!q->carrier.ops)
        return; // not made, or freed
    list_remove(&q->user.in_device);
    if (q->completions)
        event_free(q->completions);
    if (q->connecting)
        rc_connect_abandon(q->connecting);
    else
        rc_parts_release(&q->parts);
    *q = (struct rc_queue){.failed = true};
}

void rc_queue_describe(struct rc_queue *q, Docad__RcAddress *out)
{
    const struct verbs_address *own = &q->parts.rc.own;
    docad__rc_address__init(out);
    out->qpn = own->qpn;
    out->psn = own->psn;
    out->lid = own->lid;
    out->mtu = own->mtu;
    out->ethernet = own->ethernet;
    out->gid = (ProtobufCBinaryData){VERBS_GID_SIZE, q->parts.rc.own.gid};
    out->data_address = (uintptr_t)q->data;
    out->data_key = q->parts.data_mr->rkey;
    out->reads = own->reads;
}

// ---- connecting -------------------------------------------------------------------------

static void on_connected(void *arg, const char *why)
{
    struct rc_queue *q = arg;

    q->connecting = NULL;
    if (!q->failed) // otherwise the owner was notified
        q->carrier.owner->connected(q->carrier.arg, why);
}

static doca_error_t check_address(const struct rc_queue *q, const Docad__RcAddress *there,
                                  struct errtext *err)
{
    if (there->gid.len != VERBS_GID_SIZE || there->qpn == 0 || there->mtu < IBV_MTU_256 ||
        there->mtu > IBV_MTU_4096)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the other node's description of its queue pair is not valid");
    if (there->ethernet != q->parts.rc.own.ethernet)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "one side is on Ethernet and the other one on InfiniBand");
    return DOCA_SUCCESS;
}

doca_error_t rc_queue_connect(struct rc_queue *q, const struct peer *peer,
                              const Docad__RcAddress *there, struct errtext *err)
{
    struct verbs_address *other = &q->parts.rc.other;

    if (q->failed || q->connecting || !q->parts.rc.qp)
        return errtext_set(err, DOCA_ERROR_DRIVER, "the device was removed");
    doca_error_t r = check_address(q, there, err);
    if (r == DOCA_SUCCESS)
        r = rc_device_check_reach(peer, err);
    if (r != DOCA_SUCCESS)
        return r;
    *other = (struct verbs_address){.qpn = there->qpn,
                                    .psn = there->psn,
                                    .lid = (uint16_t)there->lid,
                                    .mtu = (uint8_t)there->mtu,
                                    .ethernet = there->ethernet,
                                    .reads = there->reads > UINT8_MAX ? UINT8_MAX
                                                                      : (uint8_t)there->reads};
    memcpy(other->gid, there->gid.data, VERBS_GID_SIZE);
    q->data_there = there->data_address;
    q->key_there = there->data_key;
    return rc_connect_new(&q->connecting, &q->parts, on_connected, q, err);
}

bool rc_queue_avoid(const struct rc_queue *q, struct peer *peer, const char *why)
{
    if (!q->parts.rc.other.qpn)
        return false; // never connected
    rc_device_avoid(q->parts.device, peer, q->parts.rc.other.gid, why);
    return true;
}
