// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The settings of an instance, and the limits of devices.

#include "core/device_card.h"
#include "core/refused.h"
#include "rdma.h"

// ---- setting ---------------------------------------------------------------------------------

static uint32_t round_up(uint32_t n)
{
    return n < 2 ? 1 : 1u << (32 - __builtin_clz(n - 1));
}

static doca_error_t not_started(const struct doca_rdma *rdma, struct errtext *err)
{
    return rdma->ctx.started ? errtext_set(err, DOCA_ERROR_BAD_STATE,
                                           "the instance is started; stop it before you change it")
                             : DOCA_SUCCESS;
}

static doca_error_t wrong_if(bool wrong, doca_error_t error, const char *why, struct errtext *err)
{
    return wrong ? errtext_set(err, error, "%s", why) : DOCA_SUCCESS;
}

// Sets a field of an instance that is not started, if `check` is DOCA_SUCCESS. Otherwise `err` has
// the reason.
#define SET(rdma, field, value, check)                                                             \
    do {                                                                                           \
        struct errtext err = {""};                                                                 \
        if (!(rdma))                                                                               \
            return REFUSED_NULL(rdma);                                                             \
        pthread_mutex_lock(&(rdma)->ctx.lock);                                                     \
        doca_error_t result = not_started(rdma, &err);                                             \
        if (result == DOCA_SUCCESS)                                                                \
            result = (check);                                                                      \
        if (result == DOCA_SUCCESS)                                                                \
            (rdma)->field = (value);                                                               \
        pthread_mutex_unlock(&(rdma)->ctx.lock);                                                   \
        return report(__func__, result, &err);                                                     \
    } while (0)

// Returns NULL without a device: then only the limits for all devices are known.
static const Docad__Function *device_function(const struct doca_rdma *rdma)
{
    return rdma->ctx.device ? dev_function(rdma->ctx.device) : NULL;
}

typedef uint32_t (*queue_max_fn)(const Docad__Function *function, const struct card *card);

static doca_error_t check_size(const struct doca_rdma *rdma, uint32_t size, queue_max_fn queue_max,
                               struct errtext *err)
{
    const Docad__Function *function = device_function(rdma);
    uint32_t most = queue_max(function, dev_card(rdma->ctx.device));

    if (size > 0 && size <= most)
        return DOCA_SUCCESS;
    return errtext_set(err, size ? DOCA_ERROR_NOT_SUPPORTED : DOCA_ERROR_INVALID_VALUE,
                       "the queue size must be 1 to %u%s%s", most, function ? " on " : "",
                       function ? function->ibdev : "");
}

doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size)
{
    SET(rdma, end.set.send_size, round_up(send_queue_size),
        check_size(rdma, send_queue_size, rdma_send_queue_max, &err));
}

static doca_error_t check_receives(const struct doca_rdma *rdma, uint32_t size, struct errtext *err)
{
    const struct card *card = dev_card(rdma->ctx.device);

    if (size && !card_has(card, CARD_RDMA_SET_RECV))
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED, RDMA_NO_RECV_SIZE, card->name);
    return check_size(rdma, size, rdma_recv_queue_max, err);
}

doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size)
{
    SET(rdma, end.set.recv_size, round_up(recv_queue_size),
        check_receives(rdma, recv_queue_size, &err));
}

static doca_error_t wrong_transport(enum doca_rdma_transport_type type)
{
    return (unsigned)type <= DOCA_RDMA_TRANSPORT_DC ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type)
{
    doca_error_t wrong = wrong_transport(transport_type);
    SET(rdma, end.set.dc, transport_type == DOCA_RDMA_TRANSPORT_DC,
        wrong_if(wrong != DOCA_SUCCESS, wrong, "there is no such transport", &err));
}

doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu)
{
    doca_error_t wrong = mtu == DOCA_MTU_SIZE_RAW_ETHERNET            ? DOCA_ERROR_NOT_SUPPORTED
                         : (unsigned)mtu > DOCA_MTU_SIZE_RAW_ETHERNET ? DOCA_ERROR_INVALID_VALUE
                                                                      : DOCA_SUCCESS;
    SET(rdma, end.set.mtu, (uint8_t)mtu,
        wrong_if(wrong != DOCA_SUCCESS, wrong, "the value is not an RDMA MTU", &err));
}

static doca_error_t check_permissions(const struct doca_rdma *rdma, uint32_t permissions,
                                      struct errtext *err)
{
    const uint32_t known = DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_READ |
                           DOCA_ACCESS_RDMA_WRITE | DOCA_ACCESS_RDMA_ATOMIC;
    doca_error_t r = wrong_if(permissions & ~known, DOCA_ERROR_INVALID_VALUE,
                              "the mask has bits that are not RDMA permissions", err);
    return r == DOCA_SUCCESS ? wrong_if(!rdma->ctx.device, DOCA_ERROR_BAD_STATE,
                                        "the instance has no device yet", err)
                             : r;
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions)
{
    SET(rdma, end.set.permissions, permissions, check_permissions(rdma, permissions, &err));
}

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, bool grh_enabled)
{
    SET(rdma, end.set.grh, grh_enabled, DOCA_SUCCESS);
}

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
    SET(rdma, end.set.gid_choice, gid_index + 1,
        wrong_if(gid_index >= rdma_gids(device_function(rdma), dev_card(rdma->ctx.device)),
                 DOCA_ERROR_INVALID_VALUE, "the device has no GID with this index", &err));
}

static doca_error_t check_chain(const struct doca_rdma *rdma, uint32_t length, struct errtext *err)
{
    uint32_t most = rdma_list_max(device_function(rdma), dev_card(rdma->ctx.device));
    return length > 0 && length <= most ? DOCA_SUCCESS
                                        : errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                                                      "the list must have 1 to %u buffers", most);
}

doca_error_t doca_rdma_set_recv_buf_chain_len(struct doca_rdma *rdma, uint32_t recv_buf_chain_len)
{
    SET(rdma, end.set.recv_chain, recv_buf_chain_len, check_chain(rdma, recv_buf_chain_len, &err));
}

doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl)
{
    SET(rdma, end.set.sl, sl,
        wrong_if(sl > 15, DOCA_ERROR_INVALID_VALUE, "the service level must be 0 to 15", &err));
}

// ---- getting ---------------------------------------------------------------------------------

#define GET(rdma, out, value)                                                                      \
    do {                                                                                           \
        struct errtext err = {""};                                                                 \
        if (!(rdma) || !(out))                                                                     \
            return REFUSED_NULL(rdma, out);                                                        \
        struct doca_rdma *mine = (struct doca_rdma *)(rdma); /* only to lock it */                 \
        pthread_mutex_lock(&mine->ctx.lock);                                                       \
        doca_error_t result = DOCA_SUCCESS;                                                        \
        if (mine->ctx.device)                                                                      \
            *(out) = (value);                                                                      \
        else                                                                                       \
            result = errtext_set(&err, DOCA_ERROR_BAD_STATE, "the instance has no device yet");    \
        pthread_mutex_unlock(&mine->ctx.lock);                                                     \
        return report(__func__, result, &err);                                                     \
    } while (0)

doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size)
{
    GET(rdma, send_queue_size, rdma->end.set.send_size);
}

doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size)
{
    GET(rdma, recv_queue_size, rdma->end.set.recv_size);
}

doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type *transport_type)
{
    GET(rdma, transport_type, rdma->end.set.dc ? DOCA_RDMA_TRANSPORT_DC : DOCA_RDMA_TRANSPORT_RC);
}

doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu)
{
    GET(rdma, mtu, (enum doca_mtu_size)rdma->end.set.mtu);
}

doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions)
{
    GET(rdma, permissions, rdma->end.set.permissions);
}

doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled)
{
    GET(rdma, grh_enabled, rdma->end.set.grh);
}

doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index)
{
    GET(rdma, gid_index, rdma->end.set.gid_choice ? rdma->end.set.gid_choice - 1 : 0);
}

doca_error_t doca_rdma_get_recv_buf_chain_len(const struct doca_rdma *rdma,
                                              uint32_t *recv_buf_chain_len)
{
    GET(rdma, recv_buf_chain_len, rdma->end.set.recv_chain);
}

doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl)
{
    GET(rdma, sl, rdma->end.set.sl);
}

static bool connection_broken(const struct rdma_end *rdma)
{
    return (rdma->their &&
            rdma_stage_over(atomic_load_explicit(&rdma->their->stage, memory_order_relaxed))) ||
           (rdma->transport->broken && rdma->transport->broken(rdma));
}

// Detects the end of the other side, or of the device, even if there is no job.
static enum rdma_state current_state(const struct rdma_end *rdma)
{
    enum rdma_state state = rdma_state(rdma);

    if (state != RDMA_STATE_INIT && state != RDMA_STATE_CONNECTED)
        return state;
    if (state_table_read(rdma->table, rdma->slot, rdma->endpoint) != SLOT_LIVE)
        return RDMA_STATE_ERROR;
    return state == RDMA_STATE_CONNECTED && connection_broken(rdma) ? RDMA_STATE_ERROR : state;
}

doca_error_t doca_rdma_get_state(const struct doca_rdma *rdma, enum doca_rdma_state *state)
{
    GET(rdma, state, (enum doca_rdma_state)current_state(&rdma->end));
}

// ---- capabilities --------------------------------------------------------------------------

#define REFUSED_TYPE refused(__func__, "the job's type is not an RDMA job")

doca_error_t doca_rdma_job_get_supported(const struct doca_devinfo *devinfo,
                                         enum doca_rdma_job_types job_type)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    if (!rdma_type_known((int)job_type))
        return REFUSED_TYPE;
    bool able = job_type >= DOCA_RDMA_JOB_ATOMIC_CMP_SWP
                    ? rdma_atomics(devinfo_function(devinfo), devinfo_card(devinfo))
                    : devinfo_has(devinfo, CARD_RDMA);
    return able ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED; // without a line: programs query this
}

static doca_error_t without_rdma(const char *function)
{
    return report_why(function, DOCA_ERROR_NOT_SUPPORTED,
                      "the card that the device imitates has no RDMA on this device");
}

// Returns from the function that uses it if the card has no RDMA.
#define NEED_RDMA(devinfo)                                                                         \
    do {                                                                                           \
        if (!devinfo_has((devinfo), CARD_RDMA))                                                    \
            return without_rdma(__func__);                                                         \
    } while (0)

doca_error_t doca_rdma_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                               uint32_t *max_recv_queue_size)
{
    if (!devinfo || !max_recv_queue_size)
        return REFUSED_NULL(devinfo, max_recv_queue_size);
    NEED_RDMA(devinfo);
    *max_recv_queue_size = rdma_recv_queue_max(devinfo_function(devinfo), devinfo_card(devinfo));
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_max_send_queue_size(const struct doca_devinfo *devinfo,
                                               uint32_t *max_send_queue_size)
{
    if (!devinfo || !max_send_queue_size)
        return REFUSED_NULL(devinfo, max_send_queue_size);
    NEED_RDMA(devinfo);
    *max_send_queue_size = rdma_send_queue_max(devinfo_function(devinfo), devinfo_card(devinfo));
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_max_message_size(const struct doca_devinfo *devinfo,
                                            uint32_t *max_message_size)
{
    if (!devinfo || !max_message_size)
        return REFUSED_NULL(devinfo, max_message_size);
    NEED_RDMA(devinfo);
    *max_message_size = rdma_message_max(devinfo_function(devinfo), devinfo_card(devinfo));
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_max_buf_chain_len(const struct doca_devinfo *devinfo,
                                             enum doca_rdma_job_types job_type,
                                             enum doca_rdma_transport_type transport_type,
                                             uint32_t *max_buf_chain_len)
{
    if (!devinfo || !max_buf_chain_len)
        return REFUSED_NULL(devinfo, max_buf_chain_len);
    if (!rdma_type_known((int)job_type))
        return REFUSED_TYPE;
    if (wrong_transport(transport_type) != DOCA_SUCCESS)
        return refused(__func__, "there is no such transport");
    NEED_RDMA(devinfo);
    *max_buf_chain_len = job_type >= DOCA_RDMA_JOB_ATOMIC_CMP_SWP
                             ? 1
                             : rdma_list_max(devinfo_function(devinfo), devinfo_card(devinfo));
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_transport_type_supported(const struct doca_devinfo *devinfo,
                                                    enum doca_rdma_transport_type transport_type)
{
    if (!devinfo)
        return REFUSED_NULL(devinfo);
    doca_error_t wrong = wrong_transport(transport_type);
    if (wrong == DOCA_SUCCESS && !devinfo_has(devinfo, CARD_RDMA))
        return DOCA_ERROR_NOT_SUPPORTED;
    // Without a line: programs query this for each device.
    return wrong == DOCA_SUCCESS ? wrong : refused(__func__, "there is no such transport");
}

doca_error_t doca_rdma_get_gid_table_size(struct doca_devinfo *devinfo, uint32_t *gid_table_size)
{
    if (!devinfo || !gid_table_size)
        return REFUSED_NULL(devinfo, gid_table_size);
    *gid_table_size = rdma_gids(devinfo_function(devinfo), devinfo_card(devinfo));
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_gid(struct doca_devinfo *devinfo, uint32_t start_index,
                               uint32_t num_entries, struct doca_rdma_gid *gid_array)
{
    if (!devinfo || !gid_array)
        return REFUSED_NULL(devinfo, gid_array);
    uint32_t n = rdma_gids(devinfo_function(devinfo), devinfo_card(devinfo));
    if (start_index > n || num_entries > n - start_index)
        return refused(__func__, "the entries go beyond the device's table of GIDs");
    for (uint32_t i = 0; i < num_entries; i++)
        rdma_gid(devinfo_function(devinfo), start_index + i, gid_array[i].raw);
    return DOCA_SUCCESS;
}
