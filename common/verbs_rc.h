// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A reliable connection of ibverbs: its queue pair with one completion queue for both
// directions, from making to connecting, and what its completions mean.

#ifndef COMMON_VERBS_RC_H
#define COMMON_VERBS_RC_H

#include "verbs_address.h"
#include "verbs_device.h"

struct verbs_rc_plan {
    const struct verbs_device *device;
    uint32_t sends, recvs;  // work requests
    struct ibv_srq *shared; // the receives are posted there instead of on the queue pair; or NULL
    uint32_t send_list, recv_list; // scatter-gather elements of one
    uint32_t inline_size;          // the requested size
    uint32_t access;               // enum doca_access_flags that the other side has
    bool events;                   // with a completion channel
    uint8_t mtu;                   // enum ibv_mtu, the largest wanted
    const struct verbs_gid *gid;   // NULL: on InfiniBand, connect without
    uint8_t service_level;
    uint8_t timeout, retries, rnr_retries, rnr_timer; // as ibverbs defines them
};

struct verbs_rc {
    struct ibv_qp *qp;
    struct ibv_cq *cq;
    struct ibv_comp_channel *channel; // or NULL
    uint32_t inline_size;             // bytes that sends may carry inline
    struct verbs_rc_plan plan;        // the device stays open, the GID need not stay
    uint8_t port;
    uint32_t gid_index;
    bool has_gid;
    struct verbs_address own, other;
};

// Makes the queue pair, ready for receives (IBV_QPS_INIT).
doca_error_t verbs_rc_make(struct verbs_rc *rc, const struct verbs_rc_plan *plan,
                           struct errtext *err);
void verbs_rc_destroy(struct verbs_rc *rc); // may be called again
// Only the queue pair: what it has completed can still be polled.
void verbs_rc_destroy_pair(struct verbs_rc *rc);

// Connects it to the other side's queue pair.
doca_error_t verbs_rc_connect(struct verbs_rc *rc, const struct verbs_address *other,
                              struct errtext *err);

// Connects it with the attributes that a connection manager has negotiated for the states
// IBV_QPS_RTR and IBV_QPS_RTS.
doca_error_t verbs_rc_connect_by(struct verbs_rc *rc, const struct ibv_qp_attr *receive,
                                 const struct ibv_qp_attr *send, struct errtext *err);

// Connects again a queue pair that has failed, and whose work requests were all flushed, as
// if nothing had been sent. Post receives again after verbs_rc_again(), and sends after
// verbs_rc_connect().
doca_error_t verbs_rc_again(struct verbs_rc *rc, struct errtext *err);

// Flushes outstanding work requests. Returns false if the device was removed: nothing will
// complete.
bool verbs_rc_fail(struct verbs_rc *rc);

// ---- completions --------------------------------------------------------------------------

// The result of a job whose work request ended with this status.
doca_error_t verbs_status_error(enum ibv_wc_status status);
// The meaning of the status.
const char *verbs_status_text(enum ibv_wc_status status);

#endif
