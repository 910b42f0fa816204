// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How an instance on an ibverbs device starts, connects, and stops.

#include "verbs.h"

#include "access.h"
#include "cleanup.h"
#include "clock.h"
#include "core/device_card.h"
#include "log/own.h"

#include <string.h>

#define INLINE_WANTED    220u // bytes: longer data should be fetched by the device
#define CONNECT_LIMIT_MS 60000u

static const struct verbs_gid *choose_gid(const struct rdma_end *rdma,
                                          const struct verbs_port *port,
                                          const Docad__FunctionVerbs *settings)
{
    if (rdma->set.gid_choice)
        return verbs_gid_by_index(port->gids, port->n_gids, rdma->set.gid_choice - 1);
    return verbs_gid_choose(port->gids, port->n_gids, settings->address.data,
                            settings->address.len);
}

// The GID, or NULL if none is needed.
static doca_error_t find_gid(const struct rdma_end *rdma, const struct verbs_port *port,
                             const Docad__Function *function, const struct verbs_gid **out,
                             struct errtext *err)
{
    bool ethernet = port->attr.link_layer == IBV_LINK_LAYER_ETHERNET;
    char text[VERBS_GID_TEXT_SIZE];

    if (!ethernet && !rdma->set.grh) {
        *out = NULL;
        return DOCA_SUCCESS;
    }
    const struct verbs_gid *gid = choose_gid(rdma, port, function->verbs);
    if (!gid)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "%s: port %u has %s; it has %zu GIDs, those of its network "
                           "interface's addresses",
                           function->ibdev, function->verbs->port,
                           rdma->set.gid_choice ? "no GID with the index that was set"
                                                : "no GID with the configured address",
                           port->n_gids);
    log_own_info("RDMA on %s port %u uses %s", function->ibdev, function->verbs->port,
                 verbs_gid_format(gid, text));
    *out = gid;
    return DOCA_SUCCESS;
}

static uint8_t mtu_of(enum doca_mtu_size mtu)
{
    return (uint8_t)(IBV_MTU_256 + ((int)mtu - DOCA_MTU_SIZE_256_BYTES));
}

static doca_error_t make(struct rdma_end *rdma, struct rdma_verbs *v, struct errtext *err)
{
    const struct verbs_device *device = dev_verbs(rdma->device);
    const Docad__Function *function = dev_function(rdma->device);
    const Docad__FunctionVerbs *settings = function->verbs;
    struct verbs_port port;

    doca_error_t r = verbs_port_query(device->context, device->port, &port, err);
    if (r != DOCA_SUCCESS)
        return r;
    uint32_t most = (uint32_t)device->limits.max_sge;
    v->list_max = most < VERBS_LIST_MAX ? most : VERBS_LIST_MAX;
    struct verbs_rc_plan plan = {.device = device,
                                 .sends = rdma->set.send_size,
                                 .recvs = rdma->set.recv_size,
                                 .send_list = v->list_max,
                                 .recv_list = rdma->set.recv_chain,
                                 .inline_size = INLINE_WANTED,
                                 .access = rdma->set.permissions,
                                 .events = true,
                                 .mtu = mtu_of(rdma->set.mtu),
                                 .service_level = (uint8_t)rdma->set.sl,
                                 .timeout = (uint8_t)settings->timeout,
                                 .retries = (uint8_t)settings->retries,
                                 .rnr_retries = rdma->set.rnr_choice
                                                    ? rdma->set.rnr_choice - 1
                                                    : (uint8_t)settings->rnr_retries,
                                 .rnr_timer = (uint8_t)settings->rnr_timer};
    if (rdma->shares_receives) {
        plan.shared = verbs_receives_queue(rdma->receives->verbs);
        plan.recvs = verbs_receives_room(rdma->receives->verbs);
    }
    r = find_gid(rdma, &port, function, &plan.gid, err);
    return r == DOCA_SUCCESS ? verbs_rc_make(&v->rc, &plan, err) : r;
}

static doca_error_t start(struct rdma_end *rdma, struct rdma_desc *own, struct errtext *err)
{
    cleanup_free struct rdma_verbs *v = calloc(1, sizeof(*v));
    if (!v)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    doca_error_t r = make(rdma, v, err);
    if (r != DOCA_SUCCESS)
        return r;
    own->has_verbs = true;
    own->verbs = v->rc.own;
    own->permissions = rdma->set.permissions;
    rdma->verbs = steal_ptr(v);
    return DOCA_SUCCESS;
}

static void stop(struct rdma_end *rdma)
{
    if (rdma->shares_receives && !rdma->verbs->dead)
        verbs_receives_leave(rdma->receives, &rdma->verbs->rc);
    verbs_rc_destroy(&rdma->verbs->rc);
    free(rdma->verbs);
    rdma->verbs = NULL;
}

static doca_error_t connect_pair(struct rdma_end *rdma, const struct rdma_desc *other, bool linked,
                                 struct errtext *err)
{
    struct rdma_verbs *v = rdma->verbs;

    doca_error_t r = verbs_rc_connect(&v->rc, &other->verbs, err);
    if (r != DOCA_SUCCESS)
        return r;
    v->deadline_ms = clock_ms() + CONNECT_LIMIT_MS;
    v->linked = linked;
    rdma->remote_permissions = other->permissions;
    if (!linked)
        log_own_info("RDMA on %s: docad does not know the other side; its end will be noticed "
                     "only when something is sent to it",
                     dev_function(rdma->device)->ibdev);
    return DOCA_SUCCESS;
}

doca_error_t verbs_connect_by(struct rdma_end *rdma, const struct ibv_qp_attr *receive,
                              const struct ibv_qp_attr *send, struct errtext *err)
{
    struct rdma_verbs *v = rdma->verbs;

    doca_error_t r = verbs_rc_connect_by(&v->rc, receive, send, err);
    if (r != DOCA_SUCCESS)
        return r;
    v->received = true;
    rdma->remote_permissions = ACCESS_RDMA; // whatever its device allows
    atomic_store(&rdma->state, RDMA_STATE_CONNECTED);
    return DOCA_SUCCESS;
}

// A queue pair is in error after the other side wrote where it must not, or after its device has
// stopped serving it. If nothing was posted, no completion reports that. The device's asynchronous
// events would: but a program that has its context by doca_rdma_bridge.h may wait for them, and
// each event can be read only once.
static bool broken(const struct rdma_end *rdma)
{
    const struct rdma_verbs *v = rdma->verbs;
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;

    return !atomic_load_explicit(&v->sent, memory_order_relaxed) &&
           (ibv_query_qp(v->rc.qp, &attr, IBV_QP_STATE, &init) != 0 ||
            attr.qp_state == IBV_QPS_ERR);
}

static int wakes(const struct rdma_end *rdma)
{
    return rdma->verbs->rc.channel->fd;
}

const struct rdma_transport rdma_on_verbs = {
    .source = {.poll = verbs_poll, .arm = verbs_arm, .clear = verbs_clear},
    .start = start,
    .stop = stop,
    .connect = connect_pair,
    .take_rest = verbs_take,
    .lose = verbs_lose,
    .leave = verbs_leave,
    .broken = broken,
    .wakes = wakes,
};
