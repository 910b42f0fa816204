/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_cc.h
 * Comch as 2.5 and 2.6 have it: servers, clients and their messages.
 *
 * The objects are those that later releases call comch, and behave as doca_comch.h of DOCA 3 says:
 * a server is a context on a DPU, for one function of the host and under a name; a client is a
 * context on that function, and tries until its server has taken it. In 2.5 sizes are a size_t, and
 * numbers of tasks are given by their logarithm.
 *
 * Send tasks end when the message is in the queue of the other side. Tasks for a connection that
 * has ended fail with DOCA_ERROR_CONNECTION_RESET, tasks of a context that stops with
 * DOCA_ERROR_SHUTDOWN.
 *
 * Source: table of differences. Since: 2.5; 2.7 has doca_comch.h.
 */
#ifndef DOCA_CC_H_
#define DOCA_CC_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device. */
struct doca_dev;
/** A representor. */
struct doca_dev_rep;
/** A device of a list. */
struct doca_devinfo;
/** A connection. */
struct doca_cc_connection;
/** A server. */
struct doca_cc_server;
/** A client. */
struct doca_cc_client;
/** A message has come. */
struct doca_cc_event_msg_recv;
/** A client has come or gone. */
struct doca_cc_event_connection_status_changed;
/** A consumer has come or gone. */
struct doca_cc_event_consumer;
/** A context. */
struct doca_ctx;
/** A task. */
struct doca_task;

#if DOCA_USE_VERSION == 25
/** A size, or a number of things. */
typedef size_t doca_cc_size_t;
/** Whether something succeeded. */
typedef bool doca_cc_bool_t;
#define DOCA_CC_SYMBOL(name) __asm__("doca_2_5_cc_" #name)
/** A task that sends a message. */
struct doca_cc_send_task;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_cc_send_task_comp_handler)(struct doca_cc_send_task *task,
                                               union doca_data task_user_data,
                                               union doca_data ctx_user_data);
#else
/** A size, or a number of things. */
typedef uint32_t doca_cc_size_t;
/** Whether something succeeded. */
typedef uint8_t doca_cc_bool_t;
#define DOCA_CC_SYMBOL(name) __asm__("doca_comch_" #name)
/** A task that sends a message. */
struct doca_cc_task_send;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_cc_task_send_completion_cb_t)(struct doca_cc_task_send *task,
                                                  union doca_data task_user_data,
                                                  union doca_data ctx_user_data);
#endif

/** Counters of a connection. */
enum doca_cc_counter {
    DOCA_CC_COUNTER_SENT_MESSAGES = 1, /**< messages sent */
    DOCA_CC_COUNTER_SENT_BYTES = 2,    /**< bytes sent */
    DOCA_CC_COUNTER_RECV_MESSAGES = 3, /**< messages received */
    DOCA_CC_COUNTER_RECV_BYTES = 4     /**< bytes received */
};

/** Called with each message: the bytes are valid during the call. */
typedef void (*doca_cc_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event,
                                            uint8_t *recv_buffer, doca_cc_size_t msg_len,
                                            struct doca_cc_connection *cc_connection);

/** Called when a client has come or gone. */
typedef void (*doca_cc_event_connection_status_changed_cb_t)(
    struct doca_cc_event_connection_status_changed *event, struct doca_cc_connection *cc_connection,
    doca_cc_bool_t change_successful);

/** Called when a consumer of the other side has come or gone. */
typedef void (*doca_cc_event_consumer_cb_t)(struct doca_cc_event_consumer *event,
                                            struct doca_cc_connection *cc_connection, uint32_t id);

/**
 * Sets data of the program on a connection, also from within its callbacks.
 *
 * @param connection the connection.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *connection,
                                              union doca_data user_data)
    DOCA_LATER_SYMBOL(comch_connection_set_user_data);

/**
 * Reads the user data of the connection.
 *
 * @param connection the connection.
 * @return the data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
union doca_data doca_cc_connection_get_user_data(const struct doca_cc_connection *connection)
    DOCA_LATER_SYMBOL(comch_connection_get_user_data);

/**
 * Server a connection belongs to (NULL for a client connection).
 *
 * @param connection the connection.
 * @return the server.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_cc_server *doca_cc_server_get_server_ctx(const struct doca_cc_connection *connection)
    DOCA_LATER_SYMBOL(comch_server_get_server_ctx);

/**
 * Client a connection belongs to.
 *
 * @param connection the connection.
 * @return the client.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_cc_client *doca_cc_client_get_client_ctx(const struct doca_cc_connection *connection)
    DOCA_LATER_SYMBOL(comch_client_get_client_ctx);

/**
 * The greatest length of a server's name, in bytes with the terminating zero: 128 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_name_len receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                          uint32_t *max_name_len)
    DOCA_LATER_SYMBOL(comch_cap_get_max_name_len);

/**
 * The greatest number of bytes of a message: 4080 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, doca_cc_size_t *size)
    DOCA_CC_SYMBOL(cap_get_max_msg_size);

/**
 * The greatest number of messages in the queue for those that were not received: 8192 on every
 * device.
 *
 * @param devinfo the device, from a list of devices.
 * @param size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                 doca_cc_size_t *size)
    DOCA_CC_SYMBOL(cap_get_max_recv_queue_size);

/**
 * The greatest number of clients that a server may have at a time: 512 on every device. The server
 * turns away who comes then, and its log says so; the client's context stays STARTING, and keeps
 * trying until there is room, or it is stopped.
 *
 * @param devinfo the device, from a list of devices.
 * @param num_clients receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                         doca_cc_size_t *num_clients)
    DOCA_CC_SYMBOL(cap_get_max_clients);

/**
 * Makes a server for one function of the host, under a name. The name is taken when the server
 * starts.
 *
 * @param dev a PF of a DPU.
 * @param repr the representor of the function, from a list of this device.
 * @param name 1 to 127 bytes; it is copied.
 * @param cc_server receives the server.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, for a name of another length, or a representor of another
 *     device;
 *   DOCA_ERROR_NO_MEMORY if there is no memory;
 *   DOCA_ERROR_INITIALIZATION if the device has no representors, or has gone.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                   const char *name, struct doca_cc_server **cc_server)
    DOCA_LATER_SYMBOL(comch_server_create);

/**
 * Frees a server that is idle, with its tasks and its connections that have ended.
 *
 * @param cc_server the server.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_IN_USE unless it is idle: nothing is changed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_destroy(struct doca_cc_server *cc_server)
    DOCA_LATER_SYMBOL(comch_server_destroy);

/**
 * Says whether servers can be made on the device: PFs of a DPU can, which have representors.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS if they can;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_server_is_supported(const struct doca_devinfo *devinfo)
    DOCA_LATER_SYMBOL(comch_cap_server_is_supported);

/**
 * Says how long the messages may be that an idle server sends and receives. The default is 4080
 * bytes.
 *
 * @param cc_server the server.
 * @param size 1 to doca_cc_cap_get_max_msg_size().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for another size;
 *   DOCA_ERROR_BAD_STATE unless the server is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server, doca_cc_size_t size)
    DOCA_CC_SYMBOL(server_set_max_msg_size);

/**
 * Returns how long the messages of the server may be. In any state.
 *
 * @param cc_server the server.
 * @param size receives the number of bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server,
                                             doca_cc_size_t *size)
    DOCA_CC_SYMBOL(server_get_max_msg_size);

/**
 * Says how many messages the other side of each connection may send ahead of an idle server. The
 * default is 64; other numbers are rounded up to a power of two.
 *
 * @param cc_server the server.
 * @param size 1 to doca_cc_cap_get_max_recv_queue_size().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for another number;
 *   DOCA_ERROR_BAD_STATE unless the server is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server,
                                                doca_cc_size_t size)
    DOCA_CC_SYMBOL(server_set_recv_queue_size);

/**
 * Returns how many messages may be sent ahead of the server, as it was set. In any state.
 *
 * @param cc_server the server.
 * @param size receives the number of messages.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server,
                                                doca_cc_size_t *size)
    DOCA_CC_SYMBOL(server_get_recv_queue_size);

/**
 * Returns the device of the server. In any state.
 *
 * @param cc_server the server.
 * @param dev receives it; it is not the program's to close.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_get_device(const struct doca_cc_server *cc_server,
                                       struct doca_dev **dev)
    DOCA_LATER_SYMBOL(comch_server_get_device);

/**
 * Returns the representor that the server was made for. In any state.
 *
 * @param cc_server the server.
 * @param repr receives it; it is not the program's to close.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_get_device_repr(const struct doca_cc_server *cc_server,
                                            struct doca_dev_rep **repr)
    DOCA_LATER_SYMBOL(comch_server_get_device_rep);

/**
 * The context of the server: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param cc_server the server.
 * @return the context.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *cc_server)
    DOCA_LATER_SYMBOL(comch_server_as_ctx);

/**
 * Makes a client of the server of this name, which need not be there yet.
 *
 * doca_ctx_start() answers DOCA_ERROR_IN_PROGRESS, and the client tries again while the server is
 * not there, does not look at its clients, or has as many as it may have, and while the server or a
 * daemon has no descriptors for one more. It answers DOCA_ERROR_INITIALIZATION if this process has
 * no descriptors left, or its session may have no more channels. A client that has been started
 * outlasts that, too. The log says what a client waits for.
 *
 * @param dev a function of the host, or an SF of a DPU.
 * @param name 1 to 127 bytes; it is copied.
 * @param cc_client receives the client.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for a name of another length;
 *   DOCA_ERROR_NO_MEMORY if there is no memory;
 *   DOCA_ERROR_INITIALIZATION if the device is a PF of a DPU, or has gone.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name,
                                   struct doca_cc_client **cc_client)
    DOCA_LATER_SYMBOL(comch_client_create);

/**
 * Frees a client that is idle, with its tasks and its connections that have ended.
 *
 * @param cc_client the client.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_IN_USE unless it is idle: nothing is changed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_destroy(struct doca_cc_client *cc_client)
    DOCA_LATER_SYMBOL(comch_client_destroy);

/**
 * Says whether clients can be made on the device: those can that have a representor on a DPU,
 * functions of a host and SFs of a DPU.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS if they can;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_client_is_supported(const struct doca_devinfo *devinfo)
    DOCA_LATER_SYMBOL(comch_cap_client_is_supported);

/**
 * Says how long the messages may be that an idle client sends and receives. The default is 4080
 * bytes.
 *
 * @param cc_client the client.
 * @param size 1 to doca_cc_cap_get_max_msg_size().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for another size;
 *   DOCA_ERROR_BAD_STATE unless the client is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client, doca_cc_size_t size)
    DOCA_CC_SYMBOL(client_set_max_msg_size);

/**
 * Returns how long the messages of the client may be. In any state.
 *
 * @param cc_client the client.
 * @param size receives the number of bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client,
                                             doca_cc_size_t *size)
    DOCA_CC_SYMBOL(client_get_max_msg_size);

/**
 * Says how many messages the other side of each connection may send ahead of an idle client. The
 * default is 64; other numbers are rounded up to a power of two.
 *
 * @param cc_client the client.
 * @param size 1 to doca_cc_cap_get_max_recv_queue_size().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for another number;
 *   DOCA_ERROR_BAD_STATE unless the client is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client,
                                                doca_cc_size_t size)
    DOCA_CC_SYMBOL(client_set_recv_queue_size);

/**
 * Returns how many messages may be sent ahead of the client, as it was set. In any state.
 *
 * @param cc_client the client.
 * @param size receives the number of messages.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
                                                doca_cc_size_t *size)
    DOCA_CC_SYMBOL(client_get_recv_queue_size);

/**
 * Returns the device of the client. In any state.
 *
 * @param cc_client the client.
 * @param dev receives it; it is not the program's to close.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_get_device(const struct doca_cc_client *cc_client,
                                       struct doca_dev **dev)
    DOCA_LATER_SYMBOL(comch_client_get_device);

/**
 * The context of the client: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param cc_client the client.
 * @return the context.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *cc_client)
    DOCA_LATER_SYMBOL(comch_client_as_ctx);

/**
 * Returns the client's connection.
 *
 * @param cc_client the client.
 * @param connection receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the client is connected, which it is while its context runs.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *cc_client,
                                           struct doca_cc_connection **connection)
    DOCA_LATER_SYMBOL(comch_client_get_connection);

/**
 * The greatest number of send tasks of a server or a client: 8192 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_send_tasks receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                            doca_cc_size_t *max_send_tasks)
    DOCA_CC_SYMBOL(cap_get_max_send_tasks);

/**
 * Sets what an idle server calls for each message of a client. The bytes are valid during the
 * call. A server cannot start without it.
 *
 * @param cc_server the server.
 * @param recv_event_cb called for each message.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the server is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *cc_server,
                                                    doca_cc_event_msg_recv_cb_t recv_event_cb)
    DOCA_LATER_SYMBOL(comch_server_event_msg_recv_register);

/**
 * Sets what an idle client calls for each message of the server. The bytes are valid during the
 * call. A client cannot start without it.
 *
 * @param cc_client the client.
 * @param recv_event_cb called for each message.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the client is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client,
                                                    doca_cc_event_msg_recv_cb_t recv_event_cb)
    DOCA_LATER_SYMBOL(comch_client_event_msg_recv_register);

/**
 * Sets what an idle server calls when a client has connected, and when one has gone, by itself or
 * not.
 *
 * @param cc_server the server.
 * @param connect_event_cb called for each client that connects.
 * @param disconnect_event_cb called once for each whose connection has ended.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the server is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_event_connection_register(
    struct doca_cc_server *cc_server, doca_cc_event_connection_status_changed_cb_t connect_event_cb,
    doca_cc_event_connection_status_changed_cb_t disconnect_event_cb)
    DOCA_LATER_SYMBOL(comch_server_event_connection_status_changed_register);

/**
 * Brings the counters of a connection up to date.
 *
 * @param cc_connection the connection.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_CONNECTION_INPROGRESS is named by the table, and not returned here;
 *   DOCA_ERROR_CONNECTION_ABORTED if it has ended: the counters are those of its end.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_connection_update_info(struct doca_cc_connection *cc_connection)
    DOCA_LATER_SYMBOL(comch_connection_update_info);

/**
 * Returns a counter of a connection, as of the latest doca_cc_connection_update_info(), or of
 * its end. What the fast path moves is not counted.
 *
 * @param cc_connection the connection.
 * @param counter_type which one.
 * @param counter_value receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such counter.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_connection_get_counter(const struct doca_cc_connection *cc_connection,
                                            enum doca_cc_counter counter_type,
                                            uint64_t *counter_value)
    DOCA_LATER_SYMBOL(comch_connection_get_counter);

/**
 * Sets what an idle server calls when a client has a new consumer, to which producers may send
 * from then on, and when one has stopped.
 *
 * @param cc_server the server.
 * @param new_consumer_event_cb called with the id of a new consumer.
 * @param expired_consumer_event_cb called with the id of one that has stopped.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the server is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_cc_server_event_consumer_register(struct doca_cc_server *cc_server,
                                       doca_cc_event_consumer_cb_t new_consumer_event_cb,
                                       doca_cc_event_consumer_cb_t expired_consumer_event_cb)
    DOCA_LATER_SYMBOL(comch_server_event_consumer_register);

/**
 * Sets what an idle client calls when the server has a new consumer, to which producers may send
 * from then on, and when one has stopped.
 *
 * @param cc_client the client.
 * @param new_consumer_event_cb called with the id of a new consumer.
 * @param expired_consumer_event_cb called with the id of one that has stopped.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the client is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_cc_client_event_consumer_register(struct doca_cc_client *cc_client,
                                       doca_cc_event_consumer_cb_t new_consumer_event_cb,
                                       doca_cc_event_consumer_cb_t expired_consumer_event_cb)
    DOCA_LATER_SYMBOL(comch_client_event_consumer_register);

#if DOCA_USE_VERSION == 25
/**
 * Says how many send tasks an idle server has, and what is called for them. A second call replaces
 * the tasks of the first. The two functions may be the same.
 *
 * @param cc_server the server.
 * @param task_completion_cb called for each task whose message is in the queue of the other side.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param log_num_tasks the base-2 logarithm of their number, at most that of the greatest.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the server is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_send_task_set_conf(struct doca_cc_server *cc_server,
                                               doca_cc_send_task_comp_handler task_completion_cb,
                                               doca_cc_send_task_comp_handler task_error_cb,
                                               uint8_t log_num_tasks)
    DOCA_2_5_SYMBOL(cc_server_send_task_set_conf);

/**
 * Says how many send tasks an idle client has, and what is called for them. A second call replaces
 * the tasks of the first. The two functions may be the same.
 *
 * @param cc_client the client.
 * @param task_completion_cb called for each task whose message is in the queue of the other side.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param log_num_tasks the base-2 logarithm of their number, at most that of the greatest.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the client is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_send_task_set_conf(struct doca_cc_client *cc_client,
                                               doca_cc_send_task_comp_handler task_completion_cb,
                                               doca_cc_send_task_comp_handler task_error_cb,
                                               uint8_t log_num_tasks)
    DOCA_2_5_SYMBOL(cc_client_send_task_set_conf);

/**
 * Takes a send task of a server that runs. What it can fail with stands at the top of this file.
 *
 * @param cc_server the server.
 * @param peer the connection to send over.
 * @param msg the message: it is the program's again when the task has been submitted.
 * @param len its bytes: 1 to the maximum of both sides.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, for another length, or for a connection of another server
 *     or client;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the server does not run, or has no tasks.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_send_task_alloc_init(struct doca_cc_server *cc_server,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 size_t len, struct doca_cc_send_task **task)
    DOCA_2_5_SYMBOL(cc_server_send_task_alloc_init);

/**
 * Takes a send task of a client that runs. What it can fail with stands at the top of this file.
 *
 * @param cc_client the client.
 * @param peer the connection to send over.
 * @param msg the message: it is the program's again when the task has been submitted.
 * @param len its bytes: 1 to the maximum of both sides.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, for another length, or for a connection of another server
 *     or client;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the client does not run, or has no tasks.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *cc_client,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 size_t len, struct doca_cc_send_task **task)
    DOCA_2_5_SYMBOL(cc_client_send_task_alloc_init);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5; 2.6 has another name for it.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task)
    DOCA_LATER_SYMBOL(comch_task_send_as_task);

#else
/**
 * Says how many send tasks an idle server has, and what is called for them. A second call replaces
 * the tasks of the first. The two functions may be the same.
 *
 * @param cc_server the server.
 * @param task_completion_cb called for each task whose message is in the queue of the other side.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param num_send_tasks 1 to doca_cc_cap_get_max_send_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the server is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_task_send_set_conf(struct doca_cc_server *cc_server,
                                               doca_cc_task_send_completion_cb_t task_completion_cb,
                                               doca_cc_task_send_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks)
    DOCA_LATER_SYMBOL(comch_server_task_send_set_conf);

/**
 * Says how many send tasks an idle client has, and what is called for them. A second call replaces
 * the tasks of the first. The two functions may be the same.
 *
 * @param cc_client the client.
 * @param task_completion_cb called for each task whose message is in the queue of the other side.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param num_send_tasks 1 to doca_cc_cap_get_max_send_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the client is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_task_send_set_conf(struct doca_cc_client *cc_client,
                                               doca_cc_task_send_completion_cb_t task_completion_cb,
                                               doca_cc_task_send_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks)
    DOCA_LATER_SYMBOL(comch_client_task_send_set_conf);

/**
 * Takes a send task of a server that runs. What it can fail with stands at the top of this file.
 *
 * @param cc_server the server.
 * @param peer the connection to send over.
 * @param msg the message: it is the program's again when the task has been submitted.
 * @param len its bytes: 1 to the maximum of both sides.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, for another length, or for a connection of another server
 *     or client;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the server does not run, or has no tasks.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_task_send_alloc_init(struct doca_cc_server *cc_server,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 uint32_t len, struct doca_cc_task_send **task)
    DOCA_LATER_SYMBOL(comch_server_task_send_alloc_init);

/**
 * Takes a send task of a client that runs. What it can fail with stands at the top of this file.
 *
 * @param cc_client the client.
 * @param peer the connection to send over.
 * @param msg the message: it is the program's again when the task has been submitted.
 * @param len its bytes: 1 to the maximum of both sides.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, for another length, or for a connection of another server
 *     or client;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the client does not run, or has no tasks.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *cc_client,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 uint32_t len, struct doca_cc_task_send **task)
    DOCA_LATER_SYMBOL(comch_client_task_send_alloc_init);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task)
    DOCA_LATER_SYMBOL(comch_task_send_as_task);

#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CC_H_ */
