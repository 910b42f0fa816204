/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_comch.h
 * Comch: messages between programs of the host and of the DPU.
 *
 * A server is a context on a DPU, for one function of the host and under a name; a client is a
 * context on that function. Before start a function for messages has to be registered, else
 * doca_ctx_start() returns DOCA_ERROR_BAD_STATE. Both belong to the thread of their engine.
 *
 * Server: start is DOCA_SUCCESS and RUNNING at once; DOCA_ERROR_NOT_PERMITTED if the name is taken.
 * Each client is a connect event, and its end (it stops, or its process dies) a disconnect event.
 * Stop is DOCA_ERROR_IN_PROGRESS while there are clients: the server takes no new ones, and is idle
 * when the last one has gone, or the server has disconnected it. If docad goes, nobody can connect
 * any more: when no client is left, the server moves to STOPPING and IDLE by itself (our choice).
 *
 * Client: start is DOCA_ERROR_IN_PROGRESS. The client tries until its server has taken it (RUNNING)
 * or it is stopped. Stop ends the connection, and ends in progress. When the server goes, the
 * client moves to STOPPING and IDLE by itself; messages that came before are delivered first.
 *
 * Send tasks end when the message is on its way in the other side's queue, from where it is taken
 * even if the sender has gone. While the queue is full, they wait. The memory of the message is the
 * program's again when the task has been submitted. No message of a server or client is empty: a
 * length of 0 is DOCA_ERROR_INVALID_VALUE (our choice); producers send messages without bytes.
 * Messages keep their order. Tasks for a connection that has ended fail with
 * DOCA_ERROR_CONNECTION_RESET, tasks of a context that stops with DOCA_ERROR_SHUTDOWN.
 *
 * Consumers and producers (doca_comch_consumer.h, doca_comch_producer.h) are made on a connection.
 * When a consumer of the other side runs, the server or client is told its id, and told again when
 * that consumer has stopped; not when the whole connection has ended. A server does not disconnect
 * a client on whose connection it has consumers or producers (DOCA_ERROR_IN_USE).
 */
#ifndef DOCA_COMCH_H_
#define DOCA_COMCH_H_

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
/** A device. */
struct doca_devinfo;
/** A connection. */
struct doca_comch_connection;
/** A server. */
struct doca_comch_server;
/** A client. */
struct doca_comch_client;
/** A comch task: send. */
struct doca_comch_task_send;
/** A comch event message receive. */
struct doca_comch_event_msg_recv;
/** A comch event connection status changed. */
struct doca_comch_event_connection_status_changed;
/** A comch event consumer. */
struct doca_comch_event_consumer;
/** A context. */
struct doca_ctx;
/** A task. */
struct doca_task;

/** Counters of a connection. */
enum doca_comch_counter {
    DOCA_COMCH_COUNTER_SENT_MESSAGES = 1, /**< messages sent */
    DOCA_COMCH_COUNTER_SENT_BYTES = 2,    /**< bytes sent */
    DOCA_COMCH_COUNTER_RECV_MESSAGES = 3, /**< messages received */
    DOCA_COMCH_COUNTER_RECV_BYTES = 4     /**< bytes received */
};

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/** Called with each message: the bytes are valid during the call. */
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
                                               uint8_t *recv_buffer, uint32_t msg_len,
                                               struct doca_comch_connection *comch_connection);

/** Called when a client has come or gone. */
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
    struct doca_comch_event_connection_status_changed *event,
    struct doca_comch_connection *comch_connection, uint8_t change_successful);

/** Called when a consumer of the other side has come or gone. */
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
                                               struct doca_comch_connection *comch_connection,
                                               uint32_t id);

/**
 * Sets data of the program on a connection, also from within its callbacks.
 *
 * @param connection the connection.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table; the error is our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
                                                 union doca_data user_data);

/**
 * Reads the user data of the connection.
 *
 * @param connection the connection.
 * @return the data.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection);

/**
 * Server a connection belongs to (NULL for a client connection).
 *
 * @param connection the connection.
 * @return the server.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
struct doca_comch_server *
doca_comch_server_get_server_ctx(const struct doca_comch_connection *connection);

/**
 * Client a connection belongs to.
 *
 * @param connection the connection.
 * @return the client.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
struct doca_comch_client *
doca_comch_client_get_client_ctx(const struct doca_comch_connection *connection);

/**
 * The greatest length of a server's name, in bytes with the terminating zero: 128 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_name_len receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                             uint32_t *max_name_len);

/**
 * The greatest number of bytes of a message: 4080 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);

/**
 * The greatest number of messages in the queue for those that were not received: 8192 on every
 * device.
 *
 * @param devinfo the device, from a list of devices.
 * @param size receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                    uint32_t *size);

/**
 * The greatest number of clients that a server may have at once: 512 on every device. The server
 * turns away who comes then, and its log says so; the client's context stays STARTING, and keeps
 * trying until there is room, or it is stopped.
 *
 * @param devinfo the device, from a list of devices.
 * @param num_clients receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                            uint32_t *num_clients);

/**
 * Makes a server for one function of the host, under a name. The name is taken when the server
 * starts.
 *
 * @param dev a PF of a DPU.
 * @param repr the representor of the function, from a list of this device.
 * @param name 1 to 127 bytes; it is copied.
 * @param comch_server receives the server.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, for a name of another length, or a representor of another
 *     device;
 *   DOCA_ERROR_NO_MEMORY if there is no memory;
 *   DOCA_ERROR_INITIALIZATION if the device has no representors, or has gone.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                      const char *name, struct doca_comch_server **comch_server);

/**
 * Frees a server that is idle, with its tasks and its connections that have ended.
 *
 * @param comch_server the server.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_IN_USE unless it is idle: nothing is changed.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/**
 * Says whether servers can be made on the device: PFs of a DPU can, which have representors.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS if they can;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how long the messages may be that an idle server sends and receives. The default is 4080
 * bytes.
 *
 * @param comch_server the server.
 * @param size 1 to doca_comch_cap_get_max_msg_size().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for another size;
 *   DOCA_ERROR_BAD_STATE unless the server is idle.
 *
 * Source: table; the default is our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
                                                uint32_t size);

/**
 * Returns how long the messages of the server may be. In any state.
 *
 * @param comch_server the server.
 * @param size receives the number of bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
                                                uint32_t *size);

/**
 * Says how many messages the other side of each connection may send ahead of an idle server. The
 * default is 64; other numbers are rounded up to a power of two.
 *
 * @param comch_server the server.
 * @param size 1 to doca_comch_cap_get_max_recv_queue_size().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for another number;
 *   DOCA_ERROR_BAD_STATE unless the server is idle.
 *
 * Source: table; the default is our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
                                                   uint32_t size);

/**
 * Returns how many messages may be sent ahead of the server, as it was set. In any state.
 *
 * @param comch_server the server.
 * @param size receives the number of messages.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
                                                   uint32_t *size);

/**
 * Returns the device of the server. In any state.
 *
 * @param comch_server the server.
 * @param dev receives it; it is not the program's to close.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
                                          struct doca_dev **dev);

/**
 * Returns the representor that the server was made for. In any state.
 *
 * @param comch_server the server.
 * @param rep receives it; it is not the program's to close.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
                                              struct doca_dev_rep **rep);

/**
 * The context of the server: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param comch_server the server.
 * @return the context.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/**
 * Ends the connection to one client. The disconnect event follows, in progress; the client moves
 * to STOPPING and IDLE.
 *
 * @param comch_server the server.
 * @param connection a connection of the server that has not ended.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the server has no such connection, or it has ended;
 *   DOCA_ERROR_IN_USE if there are consumers or producers on it: destroy them first;
 *   DOCA_ERROR_AGAIN is named by the table, and not returned here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
                                          struct doca_comch_connection *connection);

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
 * @param comch_client receives the client.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for a name of another length;
 *   DOCA_ERROR_NO_MEMORY if there is no memory;
 *   DOCA_ERROR_INITIALIZATION if the device is a PF of a DPU, or any function of a DPU that
 *     imitates a card (docad-cards(7)), or has gone.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
                                      struct doca_comch_client **comch_client);

/**
 * Frees a client that is idle, with its tasks and its connections that have ended.
 *
 * @param comch_client the client.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_IN_USE unless it is idle: nothing is changed.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/**
 * Says whether clients can be made on the device: those can that have a representor on a DPU,
 * functions of a host and SFs of a DPU.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS if they can;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how long the messages may be that an idle client sends and receives. The default is 4080
 * bytes.
 *
 * @param comch_client the client.
 * @param size 1 to doca_comch_cap_get_max_msg_size().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for another size;
 *   DOCA_ERROR_BAD_STATE unless the client is idle.
 *
 * Source: table; the default is our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
                                                uint32_t size);

/**
 * Returns how long the messages of the client may be. In any state.
 *
 * @param comch_client the client.
 * @param size receives the number of bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
                                                uint32_t *size);

/**
 * Says how many messages the other side of each connection may send ahead of an idle client. The
 * default is 64; other numbers are rounded up to a power of two.
 *
 * @param comch_client the client.
 * @param size 1 to doca_comch_cap_get_max_recv_queue_size().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for another number;
 *   DOCA_ERROR_BAD_STATE unless the client is idle.
 *
 * Source: table; the default is our choice. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
                                                   uint32_t size);

/**
 * Returns how many messages may be sent ahead of the client, as it was set. In any state.
 *
 * @param comch_client the client.
 * @param size receives the number of messages.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
                                                   uint32_t *size);

/**
 * Returns the device of the client. In any state.
 *
 * @param comch_client the client.
 * @param dev receives it; it is not the program's to close.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
                                          struct doca_dev **dev);

/**
 * The context of the client: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param comch_client the client.
 * @return the context.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);

/**
 * Returns the client's connection.
 *
 * @param comch_client the client.
 * @param connection receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the client is connected, which it is while its context runs.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
                                              struct doca_comch_connection **connection);

/**
 * The greatest number of send tasks of a server or a client: 8192 on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @param max_send_tasks receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table; the figure is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                               uint32_t *max_send_tasks);

/**
 * Says how many send tasks an idle server has, and what is called for them. A second call replaces
 * the tasks of the first. The two functions may be the same.
 *
 * @param comch_server the server.
 * @param task_completion_cb called for each task whose message is in the queue of the other side.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param num_send_tasks 1 to doca_comch_cap_get_max_send_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the server is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_set_conf(
    struct doca_comch_server *comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Says how many send tasks an idle client has, and what is called for them. A second call replaces
 * the tasks of the first. The two functions may be the same.
 *
 * @param comch_client the client.
 * @param task_completion_cb called for each task whose message is in the queue of the other side.
 * @param task_error_cb called for each task that failed, or was flushed.
 * @param num_send_tasks 1 to doca_comch_cap_get_max_send_tasks().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another number;
 *   DOCA_ERROR_BAD_STATE unless the client is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice).
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_set_conf(
    struct doca_comch_client *comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Takes a send task of a server that runs. What it can fail with stands at the top of this file.
 *
 * @param comch_server the server.
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
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);

/**
 * Takes a send task of a client that runs. What it can fail with stands at the top of this file.
 *
 * @param comch_client the client.
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
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

/**
 * Sets what an idle server calls for each message of a client. The bytes are valid during the
 * call. A server cannot start without it.
 *
 * @param comch_server the server.
 * @param recv_event_cb called for each message.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the server is idle.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t
doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Sets what an idle client calls for each message of the server. The bytes are valid during the
 * call. A client cannot start without it.
 *
 * @param comch_client the client.
 * @param recv_event_cb called for each message.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the client is idle.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t
doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Sets what an idle server calls when a client has connected, and when one has gone, by itself or
 * not.
 *
 * @param comch_server the server.
 * @param connect_event_cb called for each client that connects.
 * @param disconnect_event_cb called once for each whose connection has ended.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the server is idle.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_connection_status_changed_register(
    struct doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/** Its name in 2.7. */
#define doca_comch_server_event_connection_register                                                \
    doca_comch_server_event_connection_status_changed_register

/**
 * Brings the counters of a connection up to date.
 *
 * @param comch_connection the connection.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_CONNECTION_INPROGRESS is named by the table, and not returned here;
 *   DOCA_ERROR_CONNECTION_ABORTED if it has ended: the counters are those of its end.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection);

/**
 * Returns a counter of a connection, as of the latest doca_comch_connection_update_info(), or of
 * its end. What the fast path moves is not counted.
 *
 * @param comch_connection the connection.
 * @param counter_type which one.
 * @param counter_value receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such counter.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
                                               enum doca_comch_counter counter_type,
                                               uint64_t *counter_value);

/**
 * Sets what an idle server calls when a client has a new consumer, to which producers may send
 * from then on, and when one has stopped.
 *
 * @param comch_server the server.
 * @param new_consumer_event_cb called with the id of a new consumer.
 * @param expired_consumer_event_cb called with the id of one that has stopped.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the server is idle.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * Sets what an idle client calls when the server has a new consumer, to which producers may send
 * from then on, and when one has stopped.
 *
 * @param comch_client the client.
 * @param new_consumer_event_cb called with the id of a new consumer.
 * @param expired_consumer_event_cb called with the id of one that has stopped.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the client is idle.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/* The name that 2.7 has for a function above. */
#define doca_comch_server_event_connection_register                                                \
    doca_comch_server_event_connection_status_changed_register

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_H_ */
