// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "verbs_rc.h"

#include "random_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const char *name_of(const struct verbs_rc *rc)
{
    return ibv_get_device_name(rc->cq->context->device);
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

#define READS_MAX 16u // more at a time than keeps a link busy

// ---- making -----------------------------------------------------------------------------

static doca_error_t make_queue(struct verbs_rc *rc, const struct verbs_rc_plan *plan,
                               struct errtext *err)
{
    struct ibv_context *context = plan->device->context;
    const char *name = ibv_get_device_name(context->device);

    if (plan->events) {
        rc->channel = ibv_create_comp_channel(context);
        if (!rc->channel)
            return verbs_failed(errno, "make a completion channel", name, 0, err);
        int flags = fcntl(rc->channel->fd, F_GETFL);
        if (flags < 0 || fcntl(rc->channel->fd, F_SETFL, flags | O_NONBLOCK) < 0)
            return verbs_failed(errno, "make a completion channel", name, 0, err);
    }
    rc->cq = ibv_create_cq(context, (int)(plan->sends + plan->recvs), NULL, rc->channel, 0);
    return rc->cq ? DOCA_SUCCESS : verbs_failed(errno, "make a completion queue", name, 0, err);
}

// Not every device takes as much inline data as requested; trying finds the maximum.
static doca_error_t make_pair(struct verbs_rc *rc, const struct verbs_rc_plan *plan,
                              struct errtext *err)
{
    struct ibv_qp_init_attr attr = {
        .send_cq = rc->cq, .recv_cq = rc->cq, .srq = plan->shared, .qp_type = IBV_QPT_RC};

    for (uint32_t size = plan->inline_size;; size /= 2) {
        attr.cap = (struct ibv_qp_cap){.max_send_wr = plan->sends,
                                       .max_recv_wr = plan->shared ? 0 : plan->recvs,
                                       .max_send_sge = plan->send_list,
                                       .max_recv_sge = plan->shared ? 0 : plan->recv_list,
                                       .max_inline_data = size};
        rc->qp = ibv_create_qp(plan->device->pd, &attr);
        if (rc->qp || size == 0)
            break;
    }
    if (!rc->qp)
        return verbs_failed(errno, "make a queue pair", name_of(rc), 0, err);
    rc->inline_size = attr.cap.max_inline_data;
    return DOCA_SUCCESS;
}

static doca_error_t modify(struct verbs_rc *rc, struct ibv_qp_attr *attr, int mask,
                           const char *what, struct errtext *err)
{
    int error = ibv_modify_qp(rc->qp, attr, mask);
    return error ? verbs_failed(error, what, name_of(rc), 0, err) : DOCA_SUCCESS;
}

static doca_error_t to_init(struct verbs_rc *rc, struct errtext *err)
{
    // Local writing is a separate right in queue pairs, and always granted.
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
                               .port_num = rc->port,
                               .qp_access_flags =
                                   verbs_access(rc->plan.access) | IBV_ACCESS_LOCAL_WRITE};
    return modify(rc, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
                  "prepare a queue pair", err);
}

static doca_error_t describe(struct verbs_rc *rc, struct errtext *err)
{
    struct ibv_port_attr port;

    int error = ibv_query_port(rc->qp->context, rc->port, &port);
    if (error)
        return verbs_failed(error, "be asked for its port", name_of(rc), 0, err);
    if (!random_bytes(&rc->own.psn, sizeof(rc->own.psn)))
        return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM, "cannot get random numbers");
    rc->own.psn &= 0xffffff;
    rc->own.qpn = rc->qp->qp_num;
    rc->own.lid = port.lid;
    rc->own.ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
    rc->own.mtu = (uint8_t)min_u32(rc->plan.mtu, port.active_mtu);
    rc->own.reads = (uint8_t)min_u32((uint32_t)rc->plan.device->limits.max_qp_rd_atom, READS_MAX);
    if (!rc->has_gid && rc->own.ethernet)
        return errtext_set(err, DOCA_ERROR_DRIVER,
                           "%s: port %u has no GID; give its network interface an address",
                           name_of(rc), rc->port);
    return DOCA_SUCCESS;
}

doca_error_t verbs_rc_make(struct verbs_rc *rc, const struct verbs_rc_plan *plan,
                           struct errtext *err)
{
    struct verbs_rc made = {.plan = *plan, .port = plan->device->port};

    if (plan->gid) {
        made.has_gid = true;
        made.gid_index = plan->gid->index;
        memcpy(made.own.gid, plan->gid->raw, VERBS_GID_SIZE);
    }
    doca_error_t r = make_queue(&made, plan, err);
    if (r == DOCA_SUCCESS)
        r = make_pair(&made, plan, err);
    if (r == DOCA_SUCCESS)
        r = to_init(&made, err);
    if (r == DOCA_SUCCESS)
        r = describe(&made, err);
    if (r != DOCA_SUCCESS) {
        verbs_rc_destroy(&made);
        return r;
    }
    *rc = made;
    return DOCA_SUCCESS;
}

void verbs_rc_destroy_pair(struct verbs_rc *rc)
{
    if (rc->qp)
        ibv_destroy_qp(rc->qp);
    rc->qp = NULL;
}

void verbs_rc_destroy(struct verbs_rc *rc)
{
    verbs_rc_destroy_pair(rc);
    if (rc->cq)
        ibv_destroy_cq(rc->cq);
    if (rc->channel)
        ibv_destroy_comp_channel(rc->channel);
    *rc = (struct verbs_rc){0};
}

// ---- connecting ----------------------------------------------------------------------------

static doca_error_t to_receive(struct verbs_rc *rc, struct errtext *err)
{
    const struct verbs_address *other = &rc->other;
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
                               .path_mtu = (enum ibv_mtu)min_u32(rc->own.mtu, other->mtu),
                               .dest_qp_num = other->qpn,
                               .rq_psn = other->psn,
                               .max_dest_rd_atomic = rc->own.reads,
                               .min_rnr_timer = rc->plan.rnr_timer,
                               .ah_attr = {.dlid = other->lid,
                                           .sl = rc->plan.service_level,
                                           .is_global = rc->has_gid,
                                           .port_num = rc->port}};
    if (rc->has_gid) {
        memcpy(attr.ah_attr.grh.dgid.raw, other->gid, VERBS_GID_SIZE);
        attr.ah_attr.grh.sgid_index = (uint8_t)rc->gid_index;
        attr.ah_attr.grh.hop_limit = 64;
    }
    return modify(rc, &attr,
                  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
                  "reach the other side's queue pair", err);
}

static doca_error_t to_send(struct verbs_rc *rc, struct errtext *err)
{
    // More reads than the other side serves would be a protocol error.
    uint32_t served = rc->other.reads ? rc->other.reads : READS_MAX;
    uint32_t reads = min_u32((uint32_t)rc->plan.device->limits.max_qp_init_rd_atom, served);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS,
                               .sq_psn = rc->own.psn,
                               .timeout = rc->plan.timeout,
                               .retry_cnt = rc->plan.retries,
                               .rnr_retry = rc->plan.rnr_retries,
                               .max_rd_atomic = (uint8_t)min_u32(reads, READS_MAX)};
    return modify(rc, &attr,
                  IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                      IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
                  "start a queue pair", err);
}

doca_error_t verbs_rc_connect(struct verbs_rc *rc, const struct verbs_address *other,
                              struct errtext *err)
{
    if (other->ethernet != rc->own.ethernet)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "one side is on Ethernet and the other one on InfiniBand");
    rc->other = *other;
    doca_error_t r = to_receive(rc, err);
    return r == DOCA_SUCCESS ? to_send(rc, err) : r;
}

// Times and retries stay those of the plan. Both sides must have the same MTU: the manager's.
doca_error_t verbs_rc_connect_by(struct verbs_rc *rc, const struct ibv_qp_attr *receive,
                                 const struct ibv_qp_attr *send, struct errtext *err)
{
    const struct ibv_ah_attr *path = &receive->ah_attr;
    struct verbs_address other = {.qpn = receive->dest_qp_num,
                                  .psn = receive->rq_psn,
                                  .lid = path->dlid,
                                  .mtu = (uint8_t)receive->path_mtu,
                                  .ethernet = rc->own.ethernet,
                                  .reads = send->max_rd_atomic};

    rc->own.psn = send->sq_psn;
    rc->own.mtu = other.mtu;
    rc->own.reads = (uint8_t)min_u32(rc->own.reads, receive->max_dest_rd_atomic);
    rc->has_gid = path->is_global;
    if (rc->has_gid) {
        rc->gid_index = path->grh.sgid_index;
        memcpy(other.gid, path->grh.dgid.raw, VERBS_GID_SIZE);
    }
    return verbs_rc_connect(rc, &other, err);
}

doca_error_t verbs_rc_again(struct verbs_rc *rc, struct errtext *err)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};

    doca_error_t r = modify(rc, &attr, IBV_QP_STATE, "reset a queue pair", err);
    return r == DOCA_SUCCESS ? to_init(rc, err) : r;
}

bool verbs_rc_fail(struct verbs_rc *rc)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};

    return ibv_modify_qp(rc->qp, &attr, IBV_QP_STATE) == 0;
}
