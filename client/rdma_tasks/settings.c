// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The settings of an RDMA context. Those of the transport have no effect on software functions, but
// keep their limits.

#include "core/device_card.h"
#include "core/refused.h"
#include "rdma_context.h"

static doca_error_t unless(bool fine, doca_error_t error, const char *why, struct errtext *err)
{
    return fine ? DOCA_SUCCESS : errtext_set(err, error, "%s", why);
}

// Sets a field of an idle context if `check` is DOCA_SUCCESS. Otherwise `err` has the reason.
#define SET(rdma, field, value, check)                                                             \
    do {                                                                                           \
        struct errtext err = {""};                                                                 \
        if (!(rdma))                                                                               \
            return REFUSED_NULL(rdma);                                                             \
        doca_error_t result = context_configurable(&(rdma)->ctx, &err);                            \
        if (result == DOCA_SUCCESS)                                                                \
            result = (check);                                                                      \
        if (result == DOCA_SUCCESS)                                                                \
            (rdma)->field = (value);                                                               \
        return report(__func__, result, &err);                                                     \
    } while (0)

#define GET(rdma, out, value)                                                                      \
    do {                                                                                           \
        if (!(rdma) || !(out))                                                                     \
            return REFUSED_NULL(rdma, out);                                                        \
        *(out) = (value);                                                                          \
        return DOCA_SUCCESS;                                                                       \
    } while (0)

static const Docad__Function *function_of(const struct doca_rdma *rdma)
{
    return dev_function(rdma->ctx.device);
}

// ---- queues and lists --------------------------------------------------------------------------

static doca_error_t check_queue(uint32_t size, uint32_t most, struct errtext *err)
{
    if (size > 0 && size <= most)
        return DOCA_SUCCESS;
    return errtext_set(err, size ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE,
                       "the queue size must be 1 to %u", most);
}

static doca_error_t check_sends(const struct doca_rdma *rdma, uint32_t size, struct errtext *err)
{
    return check_queue(size, rdma_send_queue_max(function_of(rdma), dev_card(rdma->ctx.device)),
                       err);
}

static doca_error_t check_receives(const struct doca_rdma *rdma, uint32_t size, struct errtext *err)
{
    const struct card *card = dev_card(rdma->ctx.device);

    if (size && !card_has(card, CARD_RDMA_SET_RECV))
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, RDMA_NO_RECV_SIZE, card->name);
    return check_queue(size, rdma_recv_queue_max(function_of(rdma), card), err);
}

static uint32_t round_up(uint32_t n)
{
    return n < 2 ? 1 : 1u << (32 - __builtin_clz(n - 1));
}

doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size)
{
    SET(rdma, set.send_size, round_up(send_queue_size), check_sends(rdma, send_queue_size, &err));
}

doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size)
{
    SET(rdma, set.recv_size, round_up(recv_queue_size),
        check_receives(rdma, recv_queue_size, &err));
}

doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size)
{
    GET(rdma, send_queue_size, rdma->set.send_size);
}

doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size)
{
    GET(rdma, recv_queue_size, rdma->set.recv_size);
}

static doca_error_t check_list(const struct doca_rdma *rdma, uint32_t length, struct errtext *err)
{
    uint32_t most = rdma_list_max(function_of(rdma), dev_card(rdma->ctx.device));

    if (length > 0 && length <= most)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "a list must have 1 to %u buffers", most);
}

doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
                                                 uint32_t max_send_buf_list_len)
{
    SET(rdma, send_chain, max_send_buf_list_len, check_list(rdma, max_send_buf_list_len, &err));
}

doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
                                                 uint32_t *max_send_buf_list_len)
{
    GET(rdma, max_send_buf_list_len, rdma->send_chain);
}

doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
                                                         uint32_t buf_list_len)
{
    SET(rdma, set.recv_chain, buf_list_len, check_list(rdma, buf_list_len, &err));
}

doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
                                                         uint32_t *buf_list_len)
{
    GET(rdma, buf_list_len, rdma->set.recv_chain);
}

// ---- connections -------------------------------------------------------------------------------

doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma, uint16_t max_num_connections)
{
    SET(rdma, max_connections, max_num_connections,
        unless(max_num_connections > 0, DOCA_ERROR_INVALID_VALUE,
               "there must be room for a connection", &err));
}

doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t *max_num_connections)
{
    GET(rdma, max_num_connections, rdma->max_connections);
}

doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma, uint16_t timeout)
{
    SET(rdma, cm.timeout_ms, timeout,
        unless(timeout > 0, DOCA_ERROR_INVALID_VALUE, "the timeout must be 1 to 65535 ms", &err));
}

doca_error_t doca_rdma_get_connection_request_timeout(const struct doca_rdma *rdma,
                                                      uint16_t *timeout)
{
    GET(rdma, timeout, rdma->cm.timeout_ms);
}

static doca_error_t check_permissions(uint32_t permissions, struct errtext *err)
{
    const uint32_t known = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
                           DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC;

    return unless(!(permissions & ~known), DOCA_ERROR_INVALID_VALUE,
                  "the mask has bits that are not RDMA permissions", err);
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions)
{
    SET(rdma, set.permissions, permissions, check_permissions(permissions, &err));
}

doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions)
{
    GET(rdma, permissions, rdma->set.permissions);
}

// ---- the transport -----------------------------------------------------------------------------

static doca_error_t check_transport(enum doca_rdma_transport_type type, struct errtext *err)
{
    return unless((unsigned)type <= DOCA_RDMA_TRANSPORT_TYPE_DC, DOCA_ERROR_INVALID_VALUE,
                  "there is no such transport", err);
}

doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type)
{
    SET(rdma, set.dc, transport_type == DOCA_RDMA_TRANSPORT_TYPE_DC,
        check_transport(transport_type, &err));
}

doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type *transport_type)
{
    GET(rdma, transport_type,
        rdma->set.dc ? DOCA_RDMA_TRANSPORT_TYPE_DC : DOCA_RDMA_TRANSPORT_TYPE_RC);
}

static doca_error_t check_mtu(enum doca_mtu_size mtu, struct errtext *err)
{
    if (mtu == DOCA_MTU_SIZE_RAW_ETHERNET)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, "that is not an MTU of RDMA");
    return unless((unsigned)mtu < DOCA_MTU_SIZE_RAW_ETHERNET, DOCA_ERROR_INVALID_VALUE,
                  "there is no such MTU", err);
}

doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu)
{
    SET(rdma, set.mtu, (uint8_t)mtu, check_mtu(mtu, &err));
}

doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu)
{
    GET(rdma, mtu, (enum doca_mtu_size)rdma->set.mtu);
}

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
{
    SET(rdma, set.grh, grh_enabled,
        unless(grh_enabled < 2, DOCA_ERROR_INVALID_VALUE, "it is neither 0 nor 1", &err));
}

doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled)
{
    GET(rdma, grh_enabled, rdma->set.grh);
}

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
    SET(rdma, set.gid_choice, gid_index + 1,
        unless(gid_index < rdma_gids(function_of(rdma), dev_card(rdma->ctx.device)),
               DOCA_ERROR_INVALID_VALUE, "the device has no GID with this index", &err));
}

doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index)
{
    GET(rdma, gid_index, rdma->set.gid_choice ? rdma->set.gid_choice - 1 : 0);
}

doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl)
{
    SET(rdma, set.sl, sl,
        unless(sl < 16, DOCA_ERROR_INVALID_VALUE, "the service level must be 0 to 15", &err));
}

doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl)
{
    GET(rdma, sl, rdma->set.sl);
}

static uint8_t rnr_retries(const struct doca_rdma *rdma)
{
    const Docad__FunctionVerbs *verbs = function_of(rdma)->verbs;

    if (rdma->set.rnr_choice)
        return rdma->set.rnr_choice - 1;
    return verbs ? (uint8_t)verbs->rnr_retries : 7;
}

doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count)
{
    SET(rdma, set.rnr_choice, (uint8_t)(rnr_retry_count + 1),
        unless(rnr_retry_count < 8, DOCA_ERROR_INVALID_VALUE, "the count must be 0 to 7", &err));
}

doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count)
{
    GET(rdma, rnr_retry_count, rnr_retries(rdma));
}
