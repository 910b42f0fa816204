// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "loopback.h"

#include "example.h"

#include <errno.h>
#include <string.h>

// Returns an address of the port: the last one if it has several, which is RoCE v2 over IP on
// Ethernet.
static struct ibv_gid_entry find_gid(struct ibv_context *context)
{
    struct ibv_gid_entry entries[64], found = {0};
    ssize_t n = ibv_query_gid_table(context, entries, 64, 0);

    for (ssize_t i = 0; i < n; i++)
        if (entries[i].port_num == 1)
            found = entries[i];
    if (!found.port_num)
        fail("port 1 of %s has no address", ibv_get_device_name(context->device));
    return found;
}

static struct ibv_qp *make(struct ibv_pd *pd, struct ibv_cq *cq)
{
    struct ibv_qp_init_attr attr = {
        .send_cq = cq,
        .recv_cq = cq,
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};

    struct ibv_qp *qp = ibv_create_qp(pd, &attr);
    if (!qp)
        fail("cannot make a queue pair: %s", strerror(errno));
    return qp;
}

static void connect_to(struct ibv_qp *qp, const struct ibv_qp *other)
{
    struct ibv_gid_entry gid = find_gid(qp->context);
    struct ibv_port_attr port;
    if (ibv_query_port(qp->context, 1, &port) != 0)
        fail("cannot ask for the port");
    struct ibv_qp_attr init = {
        .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_LOCAL_WRITE};
    struct ibv_qp_attr receive = {
        .qp_state = IBV_QPS_RTR,
        .path_mtu = port.active_mtu,
        .dest_qp_num = other->qp_num,
        .max_dest_rd_atomic = 1,
        .min_rnr_timer = 1,
        .ah_attr = {
            .is_global = 1,
            .dlid = port.lid,
            .port_num = 1,
            .grh = {.dgid = gid.gid, .sgid_index = (uint8_t)gid.gid_index, .hop_limit = 64}}};
    struct ibv_qp_attr send = {
        .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};

    if (ibv_modify_qp(qp, &init,
                      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) != 0 ||
        ibv_modify_qp(qp, &receive,
                      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                          IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) != 0 ||
        ibv_modify_qp(qp, &send,
                      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                          IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC) != 0)
        fail("cannot connect a queue pair: %s", strerror(errno));
}

void loopback_open(struct loopback *loopback, struct ibv_pd *pd)
{
    loopback->cq = ibv_create_cq(pd->context, 2, NULL, NULL, 0);
    if (!loopback->cq)
        fail("cannot make a completion queue: %s", strerror(errno));
    loopback->sender = make(pd, loopback->cq);
    loopback->receiver = make(pd, loopback->cq);
    connect_to(loopback->sender, loopback->receiver);
    connect_to(loopback->receiver, loopback->sender);
}

void loopback_close(struct loopback *loopback)
{
    ibv_destroy_qp(loopback->sender);
    ibv_destroy_qp(loopback->receiver);
    ibv_destroy_cq(loopback->cq);
}

void loopback_send(struct loopback *loopback, const void *from, uint32_t from_key, void *to,
                   uint32_t to_key, uint32_t size)
{
    struct ibv_sge source = {.addr = (uintptr_t)from, .length = size, .lkey = from_key};
    struct ibv_sge room = {.addr = (uintptr_t)to, .length = size, .lkey = to_key};
    struct ibv_recv_wr recv = {.sg_list = &room, .num_sge = 1}, *bad_recv;
    struct ibv_send_wr send = {.sg_list = &source,
                               .num_sge = 1,
                               .opcode = IBV_WR_SEND,
                               .send_flags = IBV_SEND_SIGNALED},
                       *bad_send;
    struct ibv_wc wc;

    if (ibv_post_recv(loopback->receiver, &recv, &bad_recv) != 0 ||
        ibv_post_send(loopback->sender, &send, &bad_send) != 0)
        fail("cannot post a work request");
    for (int done = 0; done < 2;) {
        int n = ibv_poll_cq(loopback->cq, 1, &wc);
        if (n < 0 || (n > 0 && wc.status != IBV_WC_SUCCESS))
            fail("a work request failed: %s",
                 n < 0 ? "no completions" : ibv_wc_status_str(wc.status));
        done += n;
    }
}
