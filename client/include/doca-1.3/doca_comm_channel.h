/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_comm_channel.h
 * The differences of the 1.3 interface from the later doca_comm_channel.h, which includes
 * this file for programs of the 1.3 interface: an endpoint gets its properties when it is
 * made, needs no device, and waits while it sends and receives, unless told otherwise.
 * Everything else is the same; a struct doca_dev_remote may be cast to a struct
 * doca_dev_rep.
 *
 * Since 1.3.
 */
#ifndef DOCA_1_3_COMM_CHANNEL_H_
#define DOCA_1_3_COMM_CHANNEL_H_

#include "doca_properties.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of an endpoint. Later interfaces know only endpoints with this one. */
enum doca_comm_channel_init_flags {
    DOCA_CC_INIT_FLAG_NONBLOCK = 1 /**< sending and receiving do not wait */
};

/** One more flag of sending and receiving. */
enum doca_comm_channel_msg_wait_flags {
    DOCA_CC_MSG_FLAG_DONTWAIT = 1 /**< this call does not wait */
};

/** The properties of an endpoint. */
struct doca_comm_channel_init_attr {
    uint32_t cookie;  /**< not used: no event of ours carries it */
    uint32_t flags;   /**< 0, or DOCA_CC_INIT_FLAG_NONBLOCK */
    uint32_t maxmsgs; /**< how many messages either queue holds; 0: as many as in 2.2 */
    uint32_t msgsize; /**< how many bytes a message may have; 0: as many as can be */
};

/**
 * Makes an endpoint.
 *
 * @param attr its properties; may be freed afterwards.
 * @param ep [out] the endpoint; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, unknown flags, or more messages than
 *     doca_comm_channel_get_max_send_queue_size() says;
 *   DOCA_ERROR_NOT_PERMITTED if msgsize is more than
 *     doca_comm_channel_get_max_message_size() says;
 *   DOCA_ERROR_NO_MEMORY, DOCA_ERROR_INITIALIZATION, DOCA_ERROR_DRIVER as in 2.2.
 *
 * Source: guide; INVALID_VALUE and the meaning of 0 are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr,
                                         struct doca_comm_channel_ep_t **ep)
    DOCA_1_3_SYMBOL(comm_channel_ep_create);

/**
 * As in 2.2; an endpoint without a device gets the first device that has remote devices of
 * a host, and the first of these.
 *
 * @param local_ep an endpoint.
 * @param name of the service.
 * @return as in 2.2, and DOCA_ERROR_NOT_SUPPORTED if no device has remote devices.
 *
 * Source: guide; the device is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name)
    DOCA_1_3_SYMBOL(comm_channel_ep_listen);

/**
 * As in 2.2; an endpoint without a device gets the first device.
 *
 * @param local_ep an endpoint.
 * @param name of the service.
 * @param peer_addr [out] the service's address.
 * @return as in 2.2.
 *
 * Source: guide; the device is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
                                          struct doca_comm_channel_addr_t **peer_addr)
    DOCA_1_3_SYMBOL(comm_channel_ep_connect);

/**
 * As in 2.2; waits until there is room for the message, unless a flag says otherwise.
 *
 * @param local_ep an endpoint that listens or was connected.
 * @param msg, len the message.
 * @param flags 0, or DOCA_CC_MSG_FLAG_DONTWAIT.
 * @param peer_addr the receiver.
 * @return as in 2.2; DOCA_ERROR_AGAIN only if the call does not wait;
 *   DOCA_ERROR_UNKNOWN if waiting failed.
 *
 * Source: guide. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg,
                                         size_t len, int flags,
                                         struct doca_comm_channel_addr_t *peer_addr)
    DOCA_1_3_SYMBOL(comm_channel_ep_sendto);

/**
 * As in 2.2; waits for a message, unless a flag says otherwise. A service accepts
 * connections meanwhile.
 *
 * @param local_ep an endpoint that listens or was connected.
 * @param msg room for the message.
 * @param len [in, out] size of the room; number of bytes received.
 * @param flags 0, or DOCA_CC_MSG_FLAG_DONTWAIT.
 * @param peer_addr [out] the sender.
 * @return as in 2.2; DOCA_ERROR_AGAIN only if the call does not wait;
 *   DOCA_ERROR_UNKNOWN if waiting failed.
 *
 * Source: guide. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
                                           size_t *len, int flags,
                                           struct doca_comm_channel_addr_t **peer_addr)
    DOCA_1_3_SYMBOL(comm_channel_ep_recvfrom);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_1_3_COMM_CHANNEL_H_ */
