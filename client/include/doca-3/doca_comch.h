// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
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
 * when the last one has gone, or the server has disconnected it.
 *
 * Client: start is DOCA_ERROR_IN_PROGRESS. The client tries until its server has taken it (RUNNING)
 * or it is stopped. Stop ends the connection, and ends in progress. When the server goes, the
 * client moves to STOPPING and IDLE by itself; messages that came before are delivered first.
 *
 * Send tasks end when the message is on its way in the other side's queue, from where it is taken
 * even if the sender has gone. While the queue is full, they wait. The memory of the message is the
 * program's again when the task has been submitted. Messages keep their order. Tasks for a
 * connection that has ended fail with DOCA_ERROR_CONNECTION_RESET, tasks of a context that stops
 * with DOCA_ERROR_SHUTDOWN.
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
    DOCA_COMCH_COUNTER_RECV_BYTES = 4,    /**< bytes received */
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
 * User data of a connection.
 *
 * @param connection the connection.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
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
 * The greatest name length that the device allows.
 *
 * @param devinfo the device.
 * @param max_name_len where to put the greatest name length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                             uint32_t *max_name_len);

/**
 * The greatest message size that the device allows.
 *
 * @param devinfo the device.
 * @param size where to put the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);

/**
 * The greatest receive queue size that the device allows.
 *
 * @param devinfo the device.
 * @param size where to put the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                    uint32_t *size);

/**
 * The greatest clients that the device allows.
 *
 * @param devinfo the device.
 * @param num_clients where to put the number of clients.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                            uint32_t *num_clients);

/**
 * Server on a DPU device for one representor, under a name.
 *
 * @param dev the device.
 * @param repr the representor.
 * @param name the name.
 * @param comch_server where to put the server.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_INITIALIZATION a resource could not be set up.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                      const char *name, struct doca_comch_server **comch_server);

/**
 * Frees the server; it must be idle.
 *
 * @param comch_server the server.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_IN_USE something still uses the object.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/**
 * Tells whether the device can do this: server.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the greatest message size of the server. Allowed before the start.
 *
 * @param comch_server the server.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
                                                uint32_t size);

/**
 * The greatest message size that the server allows.
 *
 * @param comch_server the server.
 * @param size where to put the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
                                                uint32_t *size);

/**
 * Sets the receive queue size of the server. Allowed before the start.
 *
 * @param comch_server the server.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
                                                   uint32_t size);

/**
 * Reads the receive queue size of the server.
 *
 * @param comch_server the server.
 * @param size where to put the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
                                                   uint32_t *size);

/**
 * Reads the device of the server.
 *
 * @param comch_server the server.
 * @param dev where to put the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
                                          struct doca_dev **dev);

/**
 * Reads the device representor of the server.
 *
 * @param comch_server the server.
 * @param rep where to put the representor.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
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
 * Server closes one connection. The disconnect event follows, in progress.
 *
 * @param comch_server the server.
 * @param connection the connection.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_IN_USE something still uses the object;
 *   DOCA_ERROR_AGAIN not now: try later.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
                                          struct doca_comch_connection *connection);

/**
 * Client of the server of that name; the host side.
 *
 * @param dev the device.
 * @param name the name.
 * @param comch_client where to put the client.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_INITIALIZATION a resource could not be set up.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
                                      struct doca_comch_client **comch_client);

/**
 * Frees the client; it must be idle.
 *
 * @param comch_client the client.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_IN_USE something still uses the object.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/**
 * Tells whether the device can do this: client.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the greatest message size of the client. Allowed before the start.
 *
 * @param comch_client the client.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
                                                uint32_t size);

/**
 * The greatest message size that the client allows.
 *
 * @param comch_client the client.
 * @param size where to put the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
                                                uint32_t *size);

/**
 * Sets the receive queue size of the client. Allowed before the start.
 *
 * @param comch_client the client.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
                                                   uint32_t size);

/**
 * Reads the receive queue size of the client.
 *
 * @param comch_client the client.
 * @param size where to put the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
                                                   uint32_t *size);

/**
 * Reads the device of the client.
 *
 * @param comch_client the client.
 * @param dev where to put the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
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
 * The connection, once the client context runs.
 *
 * @param comch_client the client.
 * @param connection where to put the connection.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
                                              struct doca_comch_connection **connection);

/**
 * The greatest send tasks that the device allows.
 *
 * @param devinfo the device.
 * @param max_send_tasks where to put the greatest send tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                               uint32_t *max_send_tasks);

/**
 * Before start: the success and the error callback of send tasks and how many can exist at
 * once.
 *
 * @param comch_server the server.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param num_send_tasks the number of send tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_set_conf(
    struct doca_comch_server *comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Before start: the success and the error callback of send tasks and how many can exist at
 * once.
 *
 * @param comch_client the client.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param num_send_tasks the number of send tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_client_task_send_set_conf(
    struct doca_comch_client *comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/**
 * Takes a send task from the pool and fills it; DOCA_ERROR_NO_MEMORY when all are out.
 *
 * @param comch_server the server.
 * @param peer the connection to send over.
 * @param msg the bytes of the message.
 * @param len the length.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);

/**
 * Takes a send task from the pool and fills it; DOCA_ERROR_NO_MEMORY when all are out.
 *
 * @param comch_client the client.
 * @param peer the connection to send over.
 * @param msg the bytes of the message.
 * @param len the length.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no such tasks.
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
 * Before start: callback for each message of a client.
 *
 * @param comch_server the server.
 * @param recv_event_cb the function to call.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t
doca_comch_server_event_msg_recv_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Before start: callback for each message of the server.
 *
 * @param comch_client the client.
 * @param recv_event_cb the function to call.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t
doca_comch_client_event_msg_recv_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_msg_recv_cb_t recv_event_cb);

/**
 * Before start: callbacks for a client that connected and for one that went.
 *
 * @param comch_server the server.
 * @param connect_event_cb the function to call.
 * @param disconnect_event_cb the function to call.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_server_event_connection_status_changed_register(
    struct doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

/**
 * Refreshes the counters of a connection.
 *
 * @param comch_connection the connection.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_CONNECTION_INPROGRESS the connection is being made;
 *   DOCA_ERROR_CONNECTION_ABORTED the connection has ended.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection);

/**
 * Reads the counter of the connection.
 *
 * @param comch_connection the connection.
 * @param counter_type the counter type.
 * @param counter_value where to put the counter value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
                                               enum doca_comch_counter counter_type,
                                               uint64_t *counter_value);

/**
 * Callbacks for a new and for an expired remote consumer id.
 *
 * @param comch_server the server.
 * @param new_consumer_event_cb called when there is a new consumer.
 * @param expired_consumer_event_cb called when a consumer has gone.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t
doca_comch_server_event_consumer_register(struct doca_comch_server *comch_server,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/**
 * Callbacks for a new and for an expired remote consumer id.
 *
 * @param comch_client the client.
 * @param new_consumer_event_cb called when there is a new consumer.
 * @param expired_consumer_event_cb called when a consumer has gone.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_STABLE
doca_error_t
doca_comch_client_event_consumer_register(struct doca_comch_client *comch_client,
                                          doca_comch_event_consumer_cb_t new_consumer_event_cb,
                                          doca_comch_event_consumer_cb_t expired_consumer_event_cb);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_H_ */
