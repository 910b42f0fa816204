/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_comm_channel.h
 * The Comm Channel: messages between programs of the host and of the DPU.
 *
 * A program of the DPU listens under a name on the representor of a function of the host;
 * programs of the host connect to that name on that function. docad introduces them; from
 * then on the two processes talk directly. No call here waits, except for docad while
 * listening, connecting, disconnecting and destroying.
 *
 * Over a link that carries no file descriptors, such as one between machines, the two
 * daemons relay the messages. Order, limits and counts are the same, but each side learns a
 * moment later what the other has done, and a channel ends with the link.
 *
 * An endpoint and the addresses of its peers belong to one thread at a time; meanwhile other
 * threads may wait for its event channels.
 *
 * Every call returns DOCA_ERROR_INVALID_VALUE for a NULL argument, unless it says otherwise.
 *
 * Since 2.2.
 */
#ifndef DOCA_COMM_CHANNEL_H_
#define DOCA_COMM_CHANNEL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An endpoint: a service's, or a client's. */
struct doca_comm_channel_ep_t;

/** The address of a peer of an endpoint. */
struct doca_comm_channel_addr_t;

/** A descriptor to wait for. */
typedef doca_event_handle_t doca_event_channel_t;

/** Flags of sending and receiving. */
enum doca_comm_channel_msg_flags {
    DOCA_CC_MSG_FLAG_NONE = 0 /**< None. */
};

/**
 * Returns the room that the name of a service may take.
 *
 * @param max_service_name_len receives the number of bytes, including the terminating zero.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len);

/**
 * Returns the number of bytes that a message may have.
 *
 * @param devinfo the device.
 * @param max_message_size receives the number: 4080.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_UNEXPECTED is not answered here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
                                                    uint32_t *max_message_size);

/**
 * Returns the number of messages that a send queue may have.
 *
 * @param devinfo the device.
 * @param max_send_queue_size receives the number: 8192.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_UNEXPECTED is not answered here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
                                                       uint32_t *max_send_queue_size);

/**
 * Returns the number of messages that a receive queue may have.
 *
 * @param devinfo the device.
 * @param max_recv_queue_size receives the number: 8192.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_UNEXPECTED is not answered here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
                                                       uint32_t *max_recv_queue_size);

/**
 * Returns the number of clients that may be connected to a service at a time.
 *
 * @param devinfo the device.
 * @param max_num_connections receives the number: 1024.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device cannot have services: it is not a physical
 *   function of a DPU;
 *   DOCA_ERROR_UNEXPECTED is not answered here.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
                                                               uint32_t *max_num_connections);

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15 /* calls that wait, other arguments */
#include "doca-1.3/doca_comm_channel.h"
#else
/**
 * Makes an endpoint, without a device. doca_comm_channel_ep_listen() makes it a service's
 * endpoint, doca_comm_channel_ep_connect() a client's. No docad needs to run for this call.
 *
 * @param ep receives the endpoint.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_INITIALIZATION if the event descriptors cannot be made;
 *   DOCA_ERROR_DRIVER is not answered here.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);
#endif

/**
 * Returns the device of an endpoint.
 *
 * @param ep the endpoint.
 * @param device receives the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if none was set.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep,
                                             struct doca_dev **device);

/**
 * Returns the representor of a service's endpoint.
 *
 * @param ep the endpoint.
 * @param device_rep receives the representor.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if none was set.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_dev_rep **device_rep);

/**
 * Returns the length of the longest message that the endpoint sends or receives.
 *
 * @param ep the endpoint.
 * @param max_msg_size receives the number of bytes that was set, or 4080.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *ep,
                                                   uint16_t *max_msg_size);

/**
 * Returns the size of the send queue.
 *
 * @param ep the endpoint.
 * @param send_queue_size receives the number of messages that was set, rounded up to a power
 *   of two, or 64.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_send_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t *send_queue_size);

/**
 * Returns the size of the receive queue.
 *
 * @param ep the endpoint.
 * @param recv_queue_size receives the number of messages that was set, rounded up to a power
 *   of two, or 64.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_recv_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t *recv_queue_size);

/**
 * Sets the device: for a service a physical function of a DPU, for a client the function
 * whose representor the service has. The endpoint keeps it open until the endpoint is
 * destroyed.
 *
 * @param ep an endpoint that neither listens nor was connected.
 * @param device the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the endpoint listens or was connected already;
 *   DOCA_ERROR_NOT_SUPPORTED if doca_dev_open_from_pd() has made the device.
 *
 * Source: table; NOT_SUPPORTED is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep,
                                             struct doca_dev *device);

/**
 * Sets the representor that a service listens on. Clients have none. The endpoint keeps it
 * open until the endpoint is destroyed.
 *
 * @param ep an endpoint that neither listens nor was connected.
 * @param device_rep a representor of the endpoint's device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the endpoint listens or was connected already.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_dev_rep *device_rep);

/**
 * Sets the length of the longest message. No peer can send a longer one to this endpoint,
 * whatever the peer has set.
 *
 * @param ep an endpoint that neither listens nor was connected.
 * @param max_msg_size bytes, 1 to doca_comm_channel_get_max_message_size().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a size out of range;
 *   DOCA_ERROR_BAD_STATE if the endpoint listens or was connected already.
 *
 * Source: table; the range is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep,
                                                   uint16_t max_msg_size);

/**
 * Sets how many messages may wait to be sent, to each peer. Together with the peer's receive
 * queue this limits how many may be on their way; the kernel may hold fewer large messages.
 *
 * @param ep an endpoint that neither listens nor was connected.
 * @param send_queue_size messages, 1 to the limit of the device; rounded up to a power of
 *   two.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a size out of range;
 *   DOCA_ERROR_BAD_STATE if the endpoint listens or was connected already.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t send_queue_size);

/**
 * Sets how many messages may wait to be received, from each peer.
 *
 * @param ep an endpoint that neither listens nor was connected.
 * @param recv_queue_size messages, 1 to the limit of the device; rounded up to a power of
 *   two.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a size out of range;
 *   DOCA_ERROR_BAD_STATE if the endpoint listens or was connected already.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t recv_queue_size);

/**
 * Returns two descriptors to wait for, with poll, select or epoll. They belong to the
 * endpoint, and stay the same until it is destroyed. Do nothing with them but wait. The one
 * for receiving is readable while doca_comm_channel_ep_recvfrom() has something to report;
 * the one for sending as doca_comm_channel_ep_event_handle_arm_send() says. After a program
 * has asked for the one for receiving, messages cost it a little more.
 *
 * @param local_ep an endpoint that listens or was connected.
 * @param send_event_channel receives the descriptor for sending, or NULL.
 * @param recv_event_channel receives the descriptor for receiving, or NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for a NULL endpoint, or if both others are NULL;
 *   DOCA_ERROR_BAD_STATE before listening or connecting;
 *   DOCA_ERROR_NOT_FOUND if the kernel has no memory for the descriptor for receiving.
 *
 * Source: table; the meaning of NOT_FOUND is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *local_ep,
                                                    doca_event_channel_t *send_event_channel,
                                                    doca_event_channel_t *recv_event_channel);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * Returns a descriptor that becomes readable when a client connects or leaves, and when
 * docad goes. doca_comm_channel_ep_update_service_state_info() makes it unreadable again. It
 * belongs to the endpoint until that is destroyed.
 *
 * @param local_ep an endpoint that listens or was connected.
 * @param service_event_channel receives the descriptor.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE before listening;
 *   DOCA_ERROR_NOT_SUPPORTED for a client's endpoint.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_ep_get_service_event_channel(struct doca_comm_channel_ep_t *local_ep,
                                               doca_event_channel_t *service_event_channel);
#endif

/**
 * To be called after doca_comm_channel_ep_sendto() has returned DOCA_ERROR_AGAIN. The
 * descriptor for sending becomes readable once a peer that had no room takes a message,
 * accepts the connection or leaves, and at once if that has happened already or no peer
 * lacked room. It stays readable until it is armed again.
 *
 * @param local_ep an endpoint that listens or was connected.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or before listening or connecting.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep);

/**
 * To be called after doca_comm_channel_ep_recvfrom() has returned DOCA_ERROR_AGAIN. The
 * descriptor for receiving becomes readable with the next message or connection, and at once
 * if one is there already.
 *
 * @param local_ep an endpoint that listens or was connected.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or before listening or connecting.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep);

/**
 * Makes the endpoint a service. Clients on the function behind the representor find it by
 * its name. Does not wait. doca_comm_channel_ep_recvfrom() accepts connections. The service
 * ends with the endpoint, or with the process.
 *
 * @param local_ep an endpoint with a device and a representor.
 * @param name 1 to doca_comm_channel_get_max_service_name_len() - 1 bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a name too short or too long, or a representor of
 *   another device;
 *   DOCA_ERROR_DRIVER if docad is out of reach;
 *   DOCA_ERROR_NOT_SUPPORTED if the device has no representors;
 *   DOCA_ERROR_BAD_STATE without a device or a representor;
 *   DOCA_ERROR_NOT_PERMITTED if it listens or was connected already, or the representor has
 *   a service of this name;
 *   DOCA_ERROR_NO_MEMORY also for a quota of docad's;
 *   DOCA_ERROR_INITIALIZATION if the event descriptors cannot be set up;
 *   DOCA_ERROR_CONNECTION_ABORTED is not answered here.
 *
 * Source: table; which error means what is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name);

/**
 * Connects the endpoint to a service for its device's function. The connection exists when
 * this call returns, but the service may not have accepted it yet:
 * doca_comm_channel_peer_addr_update_info() tells. An endpoint whose connection was ended by
 * doca_comm_channel_ep_disconnect() may connect again.
 *
 * @param local_ep an endpoint with a device.
 * @param name the name of the service.
 * @param peer_addr receives the service's address, which belongs to the endpoint until it is
 *   disconnected.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a name too short or too long;
 *   DOCA_ERROR_DRIVER if docad, or the one of the DPU, is out of reach;
 *   DOCA_ERROR_NOT_SUPPORTED if the device is a physical function of a DPU, for which there
 *   are no services, or any function of a DPU that imitates a card (docad-cards(7));
 *   DOCA_ERROR_NOT_PERMITTED if it listens or is connected already;
 *   DOCA_ERROR_BAD_STATE without a device;
 *   DOCA_ERROR_NO_MEMORY also for a quota of docad's, or when the service has all the
 *   connections that it may have;
 *   DOCA_ERROR_INITIALIZATION is not answered here;
 *   DOCA_ERROR_CONNECTION_ABORTED if nobody listens on that name, or the service has too
 *   many connections to accept.
 *
 * Source: table; which error means what is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
                                          struct doca_comm_channel_addr_t **peer_addr);

/**
 * Sends one message, which is copied. Never waits. Messages to a peer arrive whole and in
 * order. A thread that has been answered AGAIN some hundred times in a row yields its CPU to
 * others: sched_yield(2).
 *
 * @param local_ep the endpoint.
 * @param msg the message.
 * @param len its length in bytes: 1 to the smaller of both sides' maxima.
 * @param flags DOCA_CC_MSG_FLAG_NONE.
 * @param peer_addr a peer of the endpoint.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_CONNECTED if peer_addr is NULL, or not a peer of this endpoint;
 *   DOCA_ERROR_INVALID_VALUE for NULL, unknown flags, or a length out of range;
 *   DOCA_ERROR_AGAIN if the limit of messages on their way is reached, or the service has
 *   not accepted the connection yet: nothing was sent;
 *   DOCA_ERROR_CONNECTION_RESET if the peer has gone: disconnect it;
 *   DOCA_ERROR_INITIALIZATION is not answered here;
 *   DOCA_ERROR_UNKNOWN if the kernel failed.
 *
 * Source: table; that no message is empty is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg,
                                         size_t len, int flags,
                                         struct doca_comm_channel_addr_t *peer_addr);

/**
 * Receives one message. Never waits. A service also accepts connections here, and serves its
 * clients in turns. A service learns once of each client that has gone without
 * disconnecting: the call returns CONNECTION_RESET, with the client's address in *peer_addr,
 * and the service goes on serving others. Messages that a peer sent before it left are
 * received first. A thread that has called it in vain some hundred times in a row yields its
 * CPU to others: sched_yield(2).
 *
 * @param local_ep an endpoint that listens or was connected.
 * @param msg room for the message.
 * @param len size of the room; receives the message's length on success, and is untouched
 *   otherwise.
 * @param flags DOCA_CC_MSG_FLAG_NONE.
 * @param peer_addr receives the sender's address, which stays valid until it is
 *   disconnected; untouched otherwise.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, unknown flags, no room, or if the message is longer
 *   than the room: a call with more room can still receive it;
 *   DOCA_ERROR_NOT_CONNECTED if the endpoint neither listens nor is connected;
 *   DOCA_ERROR_AGAIN if there is nothing to receive;
 *   DOCA_ERROR_CONNECTION_RESET for a client, if the service has gone or has ended the
 *   connection; for a service, see above, or if docad has gone and no client is left;
 *   DOCA_ERROR_INITIALIZATION is not answered here;
 *   DOCA_ERROR_UNKNOWN if the kernel failed.
 *
 * Source: table; the treatment of messages that are too long, and what a service is told,
 * are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
                                           size_t *len, int flags,
                                           struct doca_comm_channel_addr_t **peer_addr);

/**
 * Ends the connection to a peer, and its address. The peer can still receive messages that
 * were sent before. It need not exist any more.
 *
 * @param local_ep the endpoint.
 * @param peer_addr a peer of the endpoint; not to be used afterwards.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY is not answered here;
 *   DOCA_ERROR_NOT_CONNECTED if peer_addr is not a peer of this endpoint;
 *   DOCA_ERROR_UNKNOWN is not answered here.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
                                             struct doca_comm_channel_addr_t *peer_addr);

/**
 * Destroys an endpoint in any state: disconnects its peers, ends its service, closes its
 * event channels. Its device and representor may be closed already.
 *
 * @param local_ep the endpoint.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_CONNECTED for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep);

/**
 * Returns what the application has noted about a peer.
 *
 * @param peer_addr the address.
 * @param user_data receives it; 0 until it is set.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_get_user_data(struct doca_comm_channel_addr_t *peer_addr,
                                                       uint64_t *user_data);

/**
 * Notes something about a peer.
 *
 * @param peer_addr the address.
 * @param user_context any value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer_addr,
                                                       uint64_t user_context);

/**
 * Finds out the state of the connection, and takes the snapshot that the counters below are
 * read from.
 *
 * @param peer_addr the address.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_CONNECTION_INPROGRESS until the service has accepted the connection;
 *   DOCA_ERROR_CONNECTION_ABORTED if the peer has gone.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr);

/**
 * Returns the number of messages sent to a peer, as of the last
 * doca_comm_channel_peer_addr_update_info().
 *
 * @param peer_addr the address.
 * @param send_messages receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_peer_addr_get_send_messages(const struct doca_comm_channel_addr_t *peer_addr,
                                              uint64_t *send_messages);

/**
 * Returns the number of bytes sent to a peer, as of the last
 * doca_comm_channel_peer_addr_update_info().
 *
 * @param peer_addr the address.
 * @param send_bytes receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_peer_addr_get_send_bytes(const struct doca_comm_channel_addr_t *peer_addr,
                                           uint64_t *send_bytes);

/**
 * Returns the number of messages received from a peer, as of the last
 * doca_comm_channel_peer_addr_update_info().
 *
 * @param peer_addr the address.
 * @param recv_messages receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_peer_addr_get_recv_messages(const struct doca_comm_channel_addr_t *peer_addr,
                                              uint64_t *recv_messages);

/**
 * Returns the number of bytes received from a peer, as of the last
 * doca_comm_channel_peer_addr_update_info().
 *
 * @param peer_addr the address.
 * @param recv_bytes receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_peer_addr_get_recv_bytes(const struct doca_comm_channel_addr_t *peer_addr,
                                           uint64_t *recv_bytes);

/**
 * Returns the number of messages that the peer has not received yet, as of the last
 * doca_comm_channel_peer_addr_update_info().
 *
 * @param peer_addr the address.
 * @param send_in_flight_messages receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_in_flight_messages);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * Takes the snapshot of a service that the two calls below read from, and makes its event
 * channel unreadable until something new happens.
 *
 * @param local_ep a service's endpoint.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if it is not a service's endpoint;
 *   DOCA_ERROR_DRIVER if memory is short;
 *   DOCA_ERROR_AGAIN is not answered here;
 *   DOCA_ERROR_CONNECTION_RESET if docad has gone: connected clients stay connected, but no
 *   others can connect.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *local_ep);

/**
 * Returns the peers that were connected when the last snapshot was taken, in no order.
 *
 * @param local_ep a service's endpoint.
 * @param peer_addr_array receives an array, which belongs to the endpoint and is valid until
 *   the next snapshot.
 * @param peer_addr_array_len receives its length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if it is not a service's endpoint.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_ep_get_peer_addr_list(const struct doca_comm_channel_ep_t *local_ep,
                                        struct doca_comm_channel_addr_t ***peer_addr_array,
                                        uint32_t *peer_addr_array_len);

/**
 * Returns the number of connections that waited to be accepted when the last snapshot was
 * taken.
 *
 * @param local_ep a service's endpoint.
 * @param pending_connections receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if it is not a service's endpoint.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t
doca_comm_channel_ep_get_pending_connections(const struct doca_comm_channel_ep_t *local_ep,
                                             uint32_t *pending_connections);
#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMM_CHANNEL_H_ */
