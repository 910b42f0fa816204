/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_rdma.h
 * RDMA: connections, and tasks over them.
 *
 * Connections are made out of band, by doca_rdma_export() and doca_rdma_connect(), or by address
 * (RDMA CM). If one side is an ibverbs device, the other must be one, too. Tasks on sync events go
 * through docad there, which must know the owner's node. There the receives of a context are a
 * shared receive queue of the device, with room for all its receive tasks. Which connection's
 * message gets the next receive is the device's choice; while there is none, the sender's device
 * repeats it, as often as docad.conf(5) says (`rnr_retries`).
 *
 * The context. doca_ctx_start() succeeds before any connection exists; the program sees STARTING
 * and then RUNNING. doca_ctx_stop() ends all connections: tasks that are not done come back with
 * DOCA_ERROR_SHUTDOWN. After another start the program exports and connects anew.
 *
 * Connections by address. doca_rdma_set_connection_state_callbacks() first, on both sides. The
 * server listens to a port of its device. A function of software is called by its IPv4 or IPv6
 * address or by one of its GIDs (doca_rdma_cap_get_gid(), `docactl devices`), from its own node and
 * from nodes that are linked on the same machine. By an address of the machine itself (127.0.0.1,
 * ::1, the address of a network interface) the caller reaches any function of this machine that
 * listens to the port: of its own device if that does, else of its node, else of the linked nodes
 * in the order in which they were linked. The two sides need not be devices of one node, but nodes
 * on other machines are out of reach. `docactl listeners` shows who listens.
 *
 * The request callback accepts or rejects, at once or later. Then both sides are told that the
 * connection is established, and may submit tasks; or that it failed: it was rejected, nobody
 * listened in time, the other side has gone, or its context has as many connections as it may. A
 * caller may come before its server: it tries until the timeout of
 * doca_rdma_set_connection_request_timeout(). After a failure callback the connection no longer
 * exists.
 *
 * doca_rdma_connection_disconnect() on one side ends the connection: tasks that are not done fail
 * on both, and both are told once, after all their tasks that were done before. The other side
 * calls doca_rdma_connection_disconnect(), too, in that callback or later; until then the
 * connection counts. The death of the other program is told in the same way. doca_ctx_stop() ends
 * listeners, calls and connections without a callback; ends that happened before are told while the
 * context is STOPPING.
 *
 * When docad is restarted by a service manager that keeps its descriptors, listeners, calls and
 * connections stay. Otherwise they end with docad: connections are told, listeners are logged.
 *
 * Tasks. Work that is submitted when doca_rdma_connect() has returned waits until the other side
 * has connected, too. Receives belong to no connection: a receive task takes the next message,
 * whichever connection brings it. It may be submitted before there is one. A send is done when its
 * message was received. A receive or a send with NULL for its buffer, and a read or a write with
 * NULL for its source, moves no bytes; the destination may then be NULL, too. A source with NULL
 * for its destination is refused, as is an atomic task without one of its buffers. Only
 * local buffers may be lists. Messages, bytes that are read, and the value of a sync event go
 * behind the data of their buffer, and are data then: before the buffer is used again,
 * doca_buf_reset_data_len() makes room. The result of an atomic task or of an addition to a sync
 * event is written where the data of its buffer begin.
 *
 * Failures. A task that cannot be meant (a list that is too long, a buffer that is missing)
 * fails with DOCA_ERROR_INVALID_VALUE, and nothing else happens. Any other failure ends its
 * connection on both sides, as on real devices: its tasks come back with an error,
 * DOCA_ERROR_CONNECTION_ABORTED or the reason of its end (DOCA_ERROR_CONNECTION_RESET: the other
 * side was stopped, or has gone), and so do tasks that are submitted to it later. Other connections
 * of the context go on, and receives stay, except for one that a message was arriving in.
 */
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;
/** A device. */
struct doca_dev;
/** A device. */
struct doca_devinfo;
/** A remote event. */
struct doca_sync_event_remote_net;
/** An RDMA context. */
struct doca_rdma;
/** An address. */
struct doca_rdma_addr;
/** A connection. */
struct doca_rdma_connection;
/** A GPU device RDMA. */
struct doca_gpu_dev_rdma;
/** An RDMA task: receive. */
struct doca_rdma_task_receive;
/** An RDMA task: send. */
struct doca_rdma_task_send;
/** An RDMA task: send immediate. */
struct doca_rdma_task_send_imm;
/** An RDMA task: read. */
struct doca_rdma_task_read;
/** An RDMA task: write. */
struct doca_rdma_task_write;
/** An RDMA task: write immediate. */
struct doca_rdma_task_write_imm;
/** An RDMA task: atomic compare swap. */
struct doca_rdma_task_atomic_cmp_swp;
/** An RDMA task: atomic fetch add. */
struct doca_rdma_task_atomic_fetch_add;
/** An RDMA task: remote net sync event get. */
struct doca_rdma_task_remote_net_sync_event_get;
/** An RDMA task: remote net sync event notify set. */
struct doca_rdma_task_remote_net_sync_event_notify_set;
/** An RDMA task: remote net sync event notify add. */
struct doca_rdma_task_remote_net_sync_event_notify_add;
/** A DPA completion. */
struct doca_dpa_completion;
/** A context. */
struct doca_ctx;
/** A task. */
struct doca_task;

/** The GID of a port. */
struct doca_rdma_gid {
    uint8_t raw[DOCA_GID_BYTE_LENGTH]; /**< its bytes */
};

/** Transports. */
enum doca_rdma_transport_type {
    DOCA_RDMA_TRANSPORT_TYPE_RC = 0, /**< reliable connection */
    DOCA_RDMA_TRANSPORT_TYPE_DC = 1  /**< dynamically connected */
};

/** Kinds of addresses. */
enum doca_rdma_addr_type {
    DOCA_RDMA_ADDR_TYPE_IPv4 = 0, /**< IPv4 */
    DOCA_RDMA_ADDR_TYPE_IPv6 = 1, /**< IPv6 */
    DOCA_RDMA_ADDR_TYPE_GID = 2   /**< a GID */
};

/** What a receive task received. */
enum doca_rdma_opcode {
    DOCA_RDMA_OPCODE_RECV_SEND = 0,          /**< a send */
    DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM = 1, /**< a send with immediate data */
    DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM = 2 /**< a write with immediate data */
};

/** A handle for GPU or DPA programs. */
typedef uint64_t doca_dpa_dev_rdma_t;

/** Called when a client asks for a connection. */
typedef void (*doca_rdma_connection_request_cb_t)(struct doca_rdma_connection *rdma_connection,
                                                  union doca_data ctx_user_data);

/** Called when a connection stands. */
typedef void (*doca_rdma_connection_established_cb_t)(struct doca_rdma_connection *rdma_connection,
                                                      union doca_data connection_user_data,
                                                      union doca_data ctx_user_data);

/** Called when a connection could not be made. */
typedef void (*doca_rdma_connection_failure_cb_t)(struct doca_rdma_connection *rdma_connection,
                                                  union doca_data connection_user_data,
                                                  union doca_data ctx_user_data);

/** Called when a connection has ended. */
typedef void (*doca_rdma_connection_disconnection_cb_t)(
    struct doca_rdma_connection *rdma_connection, union doca_data connection_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_receive_completion_cb_t)(struct doca_rdma_task_receive *task,
                                                       union doca_data task_user_data,
                                                       union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_send_completion_cb_t)(struct doca_rdma_task_send *task,
                                                    union doca_data task_user_data,
                                                    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_send_imm_completion_cb_t)(struct doca_rdma_task_send_imm *task,
                                                        union doca_data task_user_data,
                                                        union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_read_completion_cb_t)(struct doca_rdma_task_read *task,
                                                    union doca_data task_user_data,
                                                    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_write_completion_cb_t)(struct doca_rdma_task_write *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_write_imm_completion_cb_t)(struct doca_rdma_task_write_imm *task,
                                                         union doca_data task_user_data,
                                                         union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_atomic_cmp_swp_completion_cb_t)(
    struct doca_rdma_task_atomic_cmp_swp *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_atomic_fetch_add_completion_cb_t)(
    struct doca_rdma_task_atomic_fetch_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_remote_net_sync_event_get_completion_cb_t)(
    struct doca_rdma_task_remote_net_sync_event_get *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t)(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t)(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

#if DOCA_USE_VERSION >= 27
/**
 * Makes an RDMA context on the device, which need not have an RDMA card: software functions do
 * RDMA in memory.
 *
 * @param dev the device.
 * @param rdma where to put the RDMA context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY if there is no memory;
 *   DOCA_ERROR_INITIALIZATION if the device has gone.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
    DOCA_3_SYMBOL(rdma_create);
#endif

/**
 * Frees an RDMA context that is idle, with its tasks and connections.
 *
 * @param rdma the RDMA context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless it is idle: nothing is changed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_destroy(struct doca_rdma *rdma) DOCA_3_SYMBOL(rdma_destroy);

/**
 * The context of the RDMA context: the same object, for the functions of doca_ctx.h and
 * doca_pe.h.
 *
 * @param rdma the RDMA context.
 * @return the context.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma) DOCA_3_SYMBOL(rdma_as_ctx);

#if DOCA_USE_VERSION >= 27
/**
 * Makes a connection, and a descriptor by which the other side connects to it. The program brings
 * the descriptor there. Both last until the context is stopped; the descriptor has at most 256
 * bytes.
 *
 * @param rdma the RDMA context, which runs.
 * @param local_rdma_conn_details where to put the descriptor.
 * @param local_rdma_conn_details_size where to put its number of bytes.
 * @param rdma_connection where to put the connection.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the context does not run;
 *   DOCA_ERROR_CONNECTION_ABORTED docad refused it, or has gone. Each connection is one of the
 * queue pairs that a program may have: queue_pairs_per_session of docad.conf(5);
 *   DOCA_ERROR_NO_MEMORY out of memory;
 *   DOCA_ERROR_FULL the context has doca_rdma_set_max_num_connections() connections.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **local_rdma_conn_details,
                              size_t *local_rdma_conn_details_size,
                              struct doca_rdma_connection **rdma_connection)
    DOCA_3_SYMBOL(rdma_export);

/**
 * Connects a connection to the other side's. Tasks may be submitted as soon as this has returned:
 * they wait until the other side has done the same.
 *
 * @param rdma the RDMA context, which runs.
 * @param remote_rdma_conn_details the other side's descriptor.
 * @param remote_rdma_conn_details_size its number of bytes.
 * @param rdma_connection the connection, of doca_rdma_export().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, these bytes are no descriptor, or the context has
 *   no such connection;
 *   DOCA_ERROR_BAD_STATE the context does not run, or the connection was connected already;
 *   DOCA_ERROR_CONNECTION_ABORTED the other side has gone or has connected elsewhere, or docad
 *   refused it. The connection stays as it was, and may be tried again.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
                               size_t remote_rdma_conn_details_size,
                               struct doca_rdma_connection *rdma_connection)
    DOCA_3_SYMBOL(rdma_connect);
#endif

/**
 * Makes an address to connect to.
 *
 * @param addr_type the kind of address.
 * @param address its text: 192.0.2.1, 2001:db8::1, or a GID in the form of an IPv6 address.
 * @param port the port, not 0.
 * @param addr where to put the address, which the program destroys.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, the text is not such an address, it stands for
 *   every address (0.0.0.0, ::), or the port is 0;
 *   DOCA_ERROR_NO_MEMORY out of memory.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type, const char *address,
                                   uint16_t port, struct doca_rdma_addr **addr);

/**
 * Frees an address. Connections do not need it any more.
 *
 * @param addr the address, of doca_rdma_addr_create().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE it is NULL;
 *   DOCA_ERROR_BAD_STATE it belongs to a connection.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr);

/**
 * Listens to a port of the context's device: from now on callers appear in the request callback. A
 * context may listen to several ports, at most 64; a port of a device has one listener. Each is one
 * of the channels that a program may have: channels_per_session of docad.conf(5). Callers wait
 * until the engine makes progress: 128 at most, of which a user may have half of what others leave.
 *
 * On an ibverbs device librdmacm listens, at each address of the device's network interface; the
 * program needs /dev/infiniband/rdma_cm, and docad's limits do not apply.
 *
 * @param rdma the RDMA context, which runs.
 * @param port the port, not 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE the context is NULL, or the port is 0;
 *   DOCA_ERROR_BAD_STATE the context does not run, has no callback for requests, listens to the
 *   port already, or listens to 64;
 *   DOCA_ERROR_NOT_SUPPORTED the context's transport is DC; or the device is an ibverbs device, and
 *   the library was built without librdmacm, or the kernel's connection manager is not there;
 *   DOCA_ERROR_CONNECTION_ABORTED another context listens to the port, or docad refused it or has
 *   gone.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_start_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * Stops listening to a port. Callers that wait fail; connections and requests that the program
 * knows of stay.
 *
 * @param rdma the RDMA context.
 * @param port the port.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE the context is NULL, or does not listen to the port;
 *   DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_CONNECTION_ABORTED never.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_stop_listen_to_port(struct doca_rdma *rdma, uint16_t port);

/**
 * Accepts a request. The established or the failure callback follows.
 *
 * @param rdma_connection the connection, of the request callback.
 * @param private_data data for the other side, which only users of librdmacm can read; or NULL.
 * @param private_data_len their number of bytes, at most 196.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE the connection is NULL or not a request (any more), or the private
 * data are NULL although they have bytes, or are too long; DOCA_ERROR_CONNECTION_ABORTED the caller
 * has gone, or docad refuses an end for the connection: see doca_rdma_export(). If the caller has
 * gone, the connection no longer exists;
 *   DOCA_ERROR_NO_MEMORY never.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_accept(struct doca_rdma_connection *rdma_connection,
                                         void *private_data, uint8_t private_data_len);

/**
 * Refuses a request. The connection no longer exists afterwards.
 *
 * @param rdma_connection the connection, of the request callback.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE it is NULL, or not a request (any more);
 *   DOCA_ERROR_CONNECTION_ABORTED the caller has gone.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_reject(struct doca_rdma_connection *rdma_connection);

/**
 * Calls a listener. The established or the failure callback follows. On an ibverbs device the other
 * side may also be a program that uses librdmacm itself. A connection whose failure is being told,
 * or whose end after the program has disconnected it, does not count any more: the callback may
 * call again.
 *
 * @param rdma the RDMA context, which runs.
 * @param addr the address, which may be destroyed afterwards.
 * @param connection_user_data data of the program for the callbacks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no callbacks for connections;
 *   DOCA_ERROR_CONNECTION_ABORTED the context has doca_rdma_set_max_num_connections() connections,
 *   or docad refuses an end for one more (see doca_rdma_export()) or has gone;
 *   DOCA_ERROR_NOT_SUPPORTED as in doca_rdma_start_listen_to_port().
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect_to_addr(struct doca_rdma *rdma, struct doca_rdma_addr *addr,
                                       union doca_data connection_user_data);

/**
 * Ends a connection that is established. The disconnection callback follows on both sides, and the
 * connection no longer exists after it; on the side that was told of the other side's end, this
 * call ends it. A connection that was made out of band ends in the same way on this side; the tasks
 * of the other side fail. On Soft-RoCE the send of a message that was just received may be among
 * them, see docad-rdma(7).
 *
 * @param rdma_connection the connection.
 * @return DOCA_SUCCESS, also if it is called again before the callback has returned;
 *   DOCA_ERROR_INVALID_VALUE it is NULL, is not established, or no longer exists;
 *   DOCA_ERROR_CONNECTION_ABORTED never.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection);

/**
 * Makes a connection of a request that the program has taken with librdmacm, on an ibverbs device:
 * doca_rdma_bridge_accept() or doca_rdma_connection_reject() follows. From then on the id belongs
 * to the connection, and ends with it: when the program has disconnected the connection, or the
 * context has stopped. Its events still come to the program's event channel. The program
 * acknowledges them before it disconnects or stops (rdma_ack_cm_event()), since the end of an id
 * waits for that, and calls doca_rdma_connection_disconnect() when RDMA_CM_EVENT_DISCONNECTED has
 * come.
 *
 * @param rdma the RDMA context, which runs.
 * @param cm_id the id of RDMA_CM_EVENT_CONNECT_REQUEST. If the function fails it stays the
 * program's.
 * @param rdma_connection where to put the connection.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_FULL the context has doca_rdma_set_max_num_connections() connections;
 *   DOCA_ERROR_BAD_STATE the context does not run;
 *   DOCA_ERROR_NO_MEMORY out of memory;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the id is of another device or port;
 *   DOCA_ERROR_NOT_SUPPORTED the device is not an ibverbs device, the library was built without
 *   librdmacm, or the context's transport is DC;
 *   DOCA_ERROR_CONNECTION_ABORTED docad refuses an end for the connection: see doca_rdma_export().
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_prepare_connection(struct doca_rdma *rdma, struct rdma_cm_id *cm_id,
                                                 struct doca_rdma_connection **rdma_connection);

/**
 * Accepts the request of a connection that doca_rdma_bridge_prepare_connection() has made.
 *
 * @param rdma the RDMA context, which runs.
 * @param private_data data for the other side, or NULL.
 * @param private_data_len their number of bytes, at most 196.
 * @param rdma_connection the connection.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, the connection was not prepared or has been
 *   accepted, or the private data are too long;
 *   DOCA_ERROR_BAD_STATE the context does not run;
 *   DOCA_ERROR_NOT_SUPPORTED as in doca_rdma_bridge_prepare_connection();
 *   DOCA_ERROR_CONNECTION_ABORTED the caller has gone: doca_rdma_connection_disconnect() ends the
 *   connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_accept(struct doca_rdma *rdma, void *private_data,
                                     uint8_t private_data_len,
                                     struct doca_rdma_connection *rdma_connection);

/**
 * Says that RDMA_CM_EVENT_ESTABLISHED has come for a connection that doca_rdma_bridge_accept() has
 * accepted. The established callback follows, if the context has callbacks for connections.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the connection has not been accepted, is
 *   established, or has ended;
 *   DOCA_ERROR_NOT_SUPPORTED as in doca_rdma_bridge_prepare_connection().
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_bridge_established(struct doca_rdma *rdma,
                                          struct doca_rdma_connection *rdma_connection);

/**
 * How many receives a queue of the device may hold.
 *
 * @param devinfo the device.
 * @param max_recv_queue_size where to put the greatest receive queue size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_recv_queue_size);

/**
 * How many tasks other than receives a queue of the device may hold.
 *
 * @param devinfo the device.
 * @param max_send_queue_size where to put the greatest send queue size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_send_queue_size);

/**
 * How many buffers the local list of a task other than a receive may have on the device.
 *
 * @param devinfo the device.
 * @param max_send_buf_list_len where to put the greatest send buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
                                                     uint32_t *max_send_buf_list_len);

/**
 * How many bytes a message, or a read or write, may have on the device.
 *
 * @param devinfo the device.
 * @param max_message_size where to put the greatest message size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
                                                uint32_t *max_message_size);

#if DOCA_USE_VERSION >= 27
/**
 * How many GIDs the device has.
 *
 * @param devinfo the device.
 * @param gid_table_size where to put the GID table size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
                                              uint32_t *gid_table_size);

/**
 * Returns GIDs of the device, from one index on.
 *
 * @param devinfo the device.
 * @param start_index the start index.
 * @param num_entries the number of entries.
 * @param gid_array the GID.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the entries go beyond the table;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo, uint32_t start_index,
                                   uint32_t num_entries, struct doca_rdma_gid *gid_array);
#endif

/**
 * Says whether the device has this transport: both, on every device that has RDMA.
 *
 * @param devinfo the device.
 * @param transport_type the transport type.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such transport;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if the card that the device imitates has no RDMA on it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
                                          enum doca_rdma_transport_type transport_type);

/**
 * Sets the send queue size of the RDMA context. Allowed before the start; 128 unless it is set. It
 * is rounded up to a power of two. On software functions tasks are limited by their numbers alone,
 * see doca_rdma_task_send_set_conf().
 *
 * @param rdma the RDMA context.
 * @param send_queue_size the send queue size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for 0;
 *   DOCA_ERROR_NOT_SUPPORTED for more than the device can have;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size)
    DOCA_3_SYMBOL(rdma_set_send_queue_size);

/**
 * Sets the receive queue size of the RDMA context. Allowed before the start; 128 unless it is set.
 * As for sends, see doca_rdma_set_send_queue_size().
 *
 * @param rdma the RDMA context.
 * @param recv_queue_size the receive queue size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for 0;
 *   DOCA_ERROR_NOT_SUPPORTED for more than the device can have;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size)
    DOCA_3_SYMBOL(rdma_set_recv_queue_size);

/**
 * Sets how many buffers the local list of a task other than a receive may have. Allowed before the
 * start; 1 unless it is set.
 *
 * @param rdma the RDMA context.
 * @param max_send_buf_list_len the greatest send buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for a number that is not 1 to
 *     doca_rdma_cap_get_max_send_buf_list_len();
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
                                                 uint32_t max_send_buf_list_len);

/**
 * Sets the transport. Allowed before the start. The default is RC. DC is a reliable connection for
 * each peer, too (our choice), and is made by doca_rdma_export() and doca_rdma_connect() alone.
 * Both sides choose the same; nothing compares them.
 *
 * @param rdma the RDMA context.
 * @param transport_type the transport type.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such transport;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type)
    DOCA_3_SYMBOL(rdma_set_transport_type);

/**
 * Sets the MTU of an idle context. It has no effect on software functions.
 *
 * @param rdma the RDMA context.
 * @param mtu the MTU.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if there is no such MTU;
 *   DOCA_ERROR_NOT_SUPPORTED for DOCA_MTU_SIZE_RAW_ETHERNET;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_UNEXPECTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu)
    DOCA_3_SYMBOL(rdma_set_mtu);

/**
 * Sets what the other side of a connection may do with memory and sync events that were exported to
 * it: a mask of DOCA_ACCESS_FLAG_RDMA_*. DOCA_ACCESS_FLAG_LOCAL_READ_WRITE may be there, and says
 * nothing. A sync event is read with RDMA_READ, set with RDMA_WRITE, and added to with RDMA_ATOMIC
 * (our choice, after the programs that set both of the first two). A task for more fails with
 * DOCA_ERROR_NOT_PERMITTED, and ends its connection. Allowed before the start; nothing unless it
 * is set. It says nothing of sync events where an RDMA device made the connection by address or by
 * doca_rdma_bridge_*: that does not tell either side the permissions of the other.
 *
 * @param rdma the RDMA context.
 * @param permissions the permissions.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the mask has other bits;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions)
    DOCA_3_SYMBOL(rdma_set_permissions);

#if DOCA_USE_VERSION != 25
/**
 * Says whether packets of an idle context have a global routing header. It has no effect on
 * software functions.
 *
 * @param rdma the RDMA context.
 * @param grh_enabled the GRH enabled.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if it is neither 0 nor 1;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
    DOCA_3_SYMBOL(rdma_set_grh_enabled);
#endif

/**
 * Sets which GID of the device is used. Allowed before the start. It has no effect on software
 * functions.
 *
 * @param rdma the RDMA context.
 * @param gid_index the GID index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the device has no GID with this index;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
    DOCA_3_SYMBOL(rdma_set_gid_index);

/**
 * Sets the service level of an idle context: 0 to 15; 0 unless it is set. It has no effect on
 * software functions.
 *
 * @param rdma the RDMA context.
 * @param sl the service level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for more than 15;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl) DOCA_3_SYMBOL(rdma_set_sl);

/**
 * Sets how long a connection by address may take until it is established: for a caller from
 * doca_rdma_connect_to_addr(), for a server from doca_rdma_connection_accept(). Before start; the
 * default is 5000, our choice.
 *
 * @param rdma the RDMA context.
 * @param timeout in milliseconds, not 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE the context is NULL, or the timeout is 0;
 *   DOCA_ERROR_BAD_STATE the context is not idle.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_connection_request_timeout(struct doca_rdma *rdma, uint16_t timeout);

/**
 * Sets the user data of the connection, at any time. A new connection has 0.
 *
 * @param rdma_connection the connection.
 * @param connection_user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *rdma_connection,
                                                union doca_data connection_user_data);

/**
 * Sets how many connections the context may have from a start to the next stop. Allowed before the
 * start; 1 unless it is set.
 *
 * @param rdma the RDMA context.
 * @param max_num_connections the greatest number of connections, from 1.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for 0;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t max_num_connections);

/**
 * Sets how often an ibverbs device repeats a message for which the other side has no receive,
 * before the connection fails; 7 means forever. Without it, it is as docad.conf(5) says
 * (`rnr_retries`). On a software function such a message waits. Allowed before the start.
 *
 * @param rdma the RDMA context.
 * @param rnr_retry_count 0 to 7.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for more than 7;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here;
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count);

/**
 * Returns what doca_rdma_set_send_queue_size() has set, rounded up, or what holds without it. In
 * any state.
 *
 * @param rdma the RDMA context.
 * @param send_queue_size where to put the send queue size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size)
    DOCA_3_SYMBOL(rdma_get_send_queue_size);

/**
 * Returns what doca_rdma_set_recv_queue_size() has set, rounded up, or what holds without it. In
 * any state.
 *
 * @param rdma the RDMA context.
 * @param recv_queue_size where to put the receive queue size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size)
    DOCA_3_SYMBOL(rdma_get_recv_queue_size);

/**
 * Returns what doca_rdma_set_max_send_buf_list_len() has set, or 1. In any state.
 *
 * @param rdma the RDMA context.
 * @param max_send_buf_list_len where to put the greatest send buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
                                                 uint32_t *max_send_buf_list_len);

/**
 * Returns the transport. In any state.
 *
 * @param rdma the RDMA context.
 * @param transport_type where to put the transport type.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type *transport_type)
    DOCA_3_SYMBOL(rdma_get_transport_type);

/**
 * Returns the MTU that was set, or 4096 bytes. In any state.
 *
 * @param rdma the RDMA context.
 * @param mtu where to put the MTU.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu)
    DOCA_3_SYMBOL(rdma_get_mtu);

/**
 * Returns the permissions that were set, or 0. In any state.
 *
 * @param rdma the RDMA context.
 * @param permissions where to put the permissions.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions)
    DOCA_3_SYMBOL(rdma_get_permissions);

#if DOCA_USE_VERSION != 25
/**
 * Returns whether packets have a global routing header: 1 unless it was set. In any state.
 *
 * @param rdma the RDMA context.
 * @param grh_enabled where to put the GRH enabled.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled)
    DOCA_3_SYMBOL(rdma_get_grh_enabled);
#endif

/**
 * Returns the index of the GID that was set, or 0. In any state.
 *
 * @param rdma the RDMA context.
 * @param gid_index where to put the GID index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index)
    DOCA_3_SYMBOL(rdma_get_gid_index);

/**
 * Returns the service level that was set, or 0. In any state.
 *
 * @param rdma the RDMA context.
 * @param sl where to put the service level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl)
    DOCA_3_SYMBOL(rdma_get_sl);

#if DOCA_USE_VERSION >= 27
/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param rdma the RDMA context.
 * @param dpa_rdma where to put the DPA RDMA.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_BAD_STATE.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_dpa_handle(struct doca_rdma *rdma, doca_dpa_dev_rdma_t *dpa_rdma);
#endif

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param rdma the RDMA context.
 * @param gpu_rdma where to put the GPU device RDMA.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_BAD_STATE.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gpu_handle(struct doca_rdma *rdma, struct doca_gpu_dev_rdma **gpu_rdma);

/**
 * Reads what doca_rdma_set_connection_request_timeout() has set.
 *
 * @param rdma the RDMA context.
 * @param timeout where to put the milliseconds.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_connection_request_timeout(const struct doca_rdma *rdma,
                                                      uint16_t *timeout);

/**
 * Reads the address of a connection that was made by address: of a caller the one that it called,
 * of a server the address of the caller's device (IPv4 if it has one) and the port at which it
 * called.
 *
 * @param rdma_connection the connection.
 * @param addr where to put the address; it belongs to the connection.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the connection was not made by address.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_addr(const struct doca_rdma_connection *rdma_connection,
                                           struct doca_rdma_addr **addr);

/**
 * Reads an address.
 *
 * @param addr the address.
 * @param addr_type where to put the kind of address.
 * @param address where to put its text, which belongs to the address: as it was given to
 * doca_rdma_addr_create().
 * @param port where to put the port.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr,
                                       enum doca_rdma_addr_type *addr_type, const char **address,
                                       uint16_t *port);

/**
 * Returns the user data of the connection, or 0. At any time.
 *
 * @param rdma_connection the connection.
 * @param connection_user_data where to put the connection user data.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *rdma_connection,
                                                union doca_data *connection_user_data);

/**
 * Reads the number of the connection: 0 for the first one since the start, and so on.
 *
 * @param rdma_connection the connection.
 * @param connection_id where to put the connection id.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection,
                                         uint32_t *connection_id);

/**
 * Returns how many connections the context may have: 1 unless it was set. In any state.
 *
 * @param rdma the RDMA context.
 * @param max_num_connections where to put the greatest number of connections.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
                                               uint16_t *max_num_connections);

/**
 * Reads what doca_rdma_set_rnr_retry_count() has set, or what holds without it.
 *
 * @param rdma the RDMA context.
 * @param rnr_retry_count where to put the RNR retry count.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count);

/**
 * Sets what is called about connections by address. Before start; callers need it as well as
 * servers.
 *
 * @param rdma the RDMA context.
 * @param doca_rdma_connect_request_cb called for each caller; it, or the program later, accepts or
 * rejects. NULL if the context only calls, and does not listen.
 * @param doca_rdma_connect_established_cb called when a connection is established.
 * @param doca_rdma_connect_failure_cb called when a connection could not be made.
 * @param doca_rdma_disconnect_cb called when a connection that was established has ended.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE another argument is NULL;
 *   DOCA_ERROR_BAD_STATE the context is not idle (our choice: the table names no code).
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_connection_state_callbacks(
    struct doca_rdma *rdma, doca_rdma_connection_request_cb_t doca_rdma_connect_request_cb,
    doca_rdma_connection_established_cb_t doca_rdma_connect_established_cb,
    doca_rdma_connection_failure_cb_t doca_rdma_connect_failure_cb,
    doca_rdma_connection_disconnection_cb_t doca_rdma_disconnect_cb);

/**
 * Says whether the device has receive tasks: every device has.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo);

/**
 * How many buffers the list of a receive task may have on the device.
 *
 * @param devinfo the device.
 * @param transport_type the transport type.
 * @param max_buf_list_len where to put the greatest buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for a transport type that is unknown;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
                                                    enum doca_rdma_transport_type transport_type,
                                                    uint32_t *max_buf_list_len);

/**
 * Says how many receive tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_receive_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_receive_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

/**
 * Sets how many buffers the list of a receive task may have. Allowed before the start; 1 unless it
 * is set.
 *
 * @param rdma the RDMA context.
 * @param buf_list_len the buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or for a number that is not 1 to
 *     doca_rdma_cap_task_receive_get_max_dst_buf_list_len();
 *   DOCA_ERROR_BAD_STATE unless the context is idle.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
                                                         uint32_t buf_list_len);

/**
 * Reads how many buffers the list of a receive task may have.
 *
 * @param rdma the RDMA context.
 * @param buf_list_len where to put the buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
                                                         uint32_t *buf_list_len);

/**
 * Takes a receive task.
 *
 * @param rdma the RDMA context.
 * @param dst_buf the destination buffer: the message is appended to its data. NULL takes messages
 *   without data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
                                                  union doca_data user_data,
                                                  struct doca_rdma_task_receive **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task);

/**
 * Changes the destination buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buf the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_receive_set_dst_buf(struct doca_rdma_task_receive *task,
                                        struct doca_buf *dst_buf);

/**
 * The destination buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_receive_get_dst_buf(const struct doca_rdma_task_receive *task);

/**
 * The result opcode of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the result opcode.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
enum doca_rdma_opcode
doca_rdma_task_receive_get_result_opcode(const struct doca_rdma_task_receive *task);

/**
 * The number of bytes of the message, valid once it is completed. They are at the start of the
 * buffer's data, and are its data now; those of a write with immediate are where it wrote them.
 *
 * @param task the task.
 * @return the result length.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task);

/**
 * The result immediate data of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the result immediate data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task);

/**
 * The connection that brought the message, or whose end made the task fail; NULL if the task failed
 * otherwise. Valid once it is completed.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_receive_get_result_rdma_connection(const struct doca_rdma_task_receive *task);

/**
 * Says whether the device has send tasks: every device has.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many send tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_send_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_send_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

#if DOCA_USE_VERSION >= 27
/**
 * Takes a send task.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @param src_buf the source buffer, or NULL: the message is empty.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the connection or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *rdma_connection,
                                               const struct doca_buf *src_buf,
                                               union doca_data user_data,
                                               struct doca_rdma_task_send **task);
#endif

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_send_as_task(struct doca_rdma_task_send *task);

/**
 * Changes the source buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buf the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_set_src_buf(struct doca_rdma_task_send *task,
                                     const struct doca_buf *src_buf);

/**
 * The source buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_send_get_src_buf(const struct doca_rdma_task_send *task);

/**
 * Changes the RDMA connection of a task that is not submitted.
 *
 * @param task the task.
 * @param rdma_connection the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_set_rdma_connection(struct doca_rdma_task_send *task,
                                             struct doca_rdma_connection *rdma_connection);

/**
 * The RDMA connection of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_send_get_rdma_connection(const struct doca_rdma_task_send *task);

/**
 * Says whether the device has tasks that send with immediate data: every device has.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many tasks that send with immediate data an idle context has, and what is called for
 * them. A second call replaces the tasks of the first. The two functions may be the same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_imm_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_send_imm_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_send_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

#if DOCA_USE_VERSION >= 27
/**
 * Takes a send task with immediate data.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @param src_buf the source buffer, or NULL: the message is empty.
 * @param immediate_data the immediate data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the connection or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_send_imm_allocate_init(struct doca_rdma *rdma,
                                                   struct doca_rdma_connection *rdma_connection,
                                                   const struct doca_buf *src_buf,
                                                   doca_be32_t immediate_data,
                                                   union doca_data user_data,
                                                   struct doca_rdma_task_send_imm **task);
#endif

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_send_imm_as_task(struct doca_rdma_task_send_imm *task);

/**
 * Changes the source buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buf the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_src_buf(struct doca_rdma_task_send_imm *task,
                                         const struct doca_buf *src_buf);

/**
 * The source buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_rdma_task_send_imm_get_src_buf(const struct doca_rdma_task_send_imm *task);

/**
 * Changes the immediate data of a task that is not submitted.
 *
 * @param task the task.
 * @param immediate_data the immediate data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_immediate_data(struct doca_rdma_task_send_imm *task,
                                                doca_be32_t immediate_data);

/**
 * The immediate data of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the immediate data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_be32_t doca_rdma_task_send_imm_get_immediate_data(const struct doca_rdma_task_send_imm *task);

/**
 * Changes the RDMA connection of a task that is not submitted.
 *
 * @param task the task.
 * @param rdma_connection the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_send_imm_set_rdma_connection(struct doca_rdma_task_send_imm *task,
                                                 struct doca_rdma_connection *rdma_connection);

/**
 * The RDMA connection of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_send_imm_get_rdma_connection(const struct doca_rdma_task_send_imm *task);

/**
 * Says whether the device has read tasks: every device has.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many read tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_read_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_read_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_read_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

#if DOCA_USE_VERSION >= 27
/**
 * Takes a read task.
 *
 * It reads the data of the source, as far as the destination has room behind its own data, and
 * appends them. A source without data stands for all its bytes. If there is no room at all, the
 * task fails.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @param src_buf the source buffer, or NULL: nothing is read.
 * @param dst_buf the destination buffer; NULL is for a source that is NULL.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the connection or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
                                               struct doca_rdma_connection *rdma_connection,
                                               const struct doca_buf *src_buf,
                                               struct doca_buf *dst_buf, union doca_data user_data,
                                               struct doca_rdma_task_read **task);
#endif

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_read_as_task(struct doca_rdma_task_read *task);

/**
 * Changes the source buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buf the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_src_buf(struct doca_rdma_task_read *task,
                                     const struct doca_buf *src_buf);

/**
 * The source buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_read_get_src_buf(const struct doca_rdma_task_read *task);

/**
 * Changes the destination buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buf the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_dst_buf(struct doca_rdma_task_read *task, struct doca_buf *dst_buf);

/**
 * The destination buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_read_get_dst_buf(const struct doca_rdma_task_read *task);

/**
 * The result length of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the result length.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task);

/**
 * Changes the RDMA connection of a task that is not submitted.
 *
 * @param task the task.
 * @param rdma_connection the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_read_set_rdma_connection(struct doca_rdma_task_read *task,
                                             struct doca_rdma_connection *rdma_connection);

/**
 * The RDMA connection of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_read_get_rdma_connection(const struct doca_rdma_task_read *task);

/**
 * Says whether the device has write tasks: every device has.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many write tasks an idle context has, and what is called for them. A second call
 * replaces the tasks of the first. The two functions may be the same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_write_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_write_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

#if DOCA_USE_VERSION >= 27
/**
 * Takes a write task.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @param src_buf the source buffer, or NULL: nothing is written.
 * @param dst_buf the destination buffer; NULL is for a source that is NULL.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the connection or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_allocate_init(struct doca_rdma *rdma,
                                                struct doca_rdma_connection *rdma_connection,
                                                const struct doca_buf *src_buf,
                                                struct doca_buf *dst_buf, union doca_data user_data,
                                                struct doca_rdma_task_write **task);
#endif

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_write_as_task(struct doca_rdma_task_write *task);

/**
 * Changes the source buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buf the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_src_buf(struct doca_rdma_task_write *task,
                                      const struct doca_buf *src_buf);

/**
 * The source buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_write_get_src_buf(const struct doca_rdma_task_write *task);

/**
 * Changes the destination buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buf the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_dst_buf(struct doca_rdma_task_write *task, struct doca_buf *dst_buf);

/**
 * The destination buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_write_get_dst_buf(const struct doca_rdma_task_write *task);

/**
 * Changes the RDMA connection of a task that is not submitted.
 *
 * @param task the task.
 * @param rdma_connection the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_set_rdma_connection(struct doca_rdma_task_write *task,
                                              struct doca_rdma_connection *rdma_connection);

/**
 * The RDMA connection of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_write_get_rdma_connection(const struct doca_rdma_task_write *task);

/**
 * Says whether the device has tasks that write with immediate data: every device has.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many tasks that write with immediate data an idle context has, and what is called for
 * them. A second call replaces the tasks of the first. The two functions may be the same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_imm_set_conf(
    struct doca_rdma *rdma, doca_rdma_task_write_imm_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_write_imm_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

#if DOCA_USE_VERSION >= 27
/**
 * Takes a write task with immediate data.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @param src_buf the source buffer, or NULL: nothing is written.
 * @param dst_buf the destination buffer; NULL is for a source that is NULL.
 * @param immediate_data the immediate data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the connection or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_write_imm_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    const struct doca_buf *src_buf, struct doca_buf *dst_buf, doca_be32_t immediate_data,
    union doca_data user_data, struct doca_rdma_task_write_imm **task);
#endif

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_write_imm_as_task(struct doca_rdma_task_write_imm *task);

/**
 * Changes the source buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buf the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_src_buf(struct doca_rdma_task_write_imm *task,
                                          const struct doca_buf *src_buf);

/**
 * The source buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *
doca_rdma_task_write_imm_get_src_buf(const struct doca_rdma_task_write_imm *task);

/**
 * Changes the destination buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buf the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_dst_buf(struct doca_rdma_task_write_imm *task,
                                          struct doca_buf *dst_buf);

/**
 * The destination buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_write_imm_get_dst_buf(const struct doca_rdma_task_write_imm *task);

/**
 * Changes the immediate data of a task that is not submitted.
 *
 * @param task the task.
 * @param immediate_data the immediate data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_immediate_data(struct doca_rdma_task_write_imm *task,
                                                 doca_be32_t immediate_data);

/**
 * The immediate data of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the immediate data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_be32_t
doca_rdma_task_write_imm_get_immediate_data(const struct doca_rdma_task_write_imm *task);

/**
 * Changes the RDMA connection of a task that is not submitted.
 *
 * @param task the task.
 * @param rdma_connection the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_write_imm_set_rdma_connection(struct doca_rdma_task_write_imm *task,
                                                  struct doca_rdma_connection *rdma_connection);

/**
 * The RDMA connection of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_write_imm_get_rdma_connection(const struct doca_rdma_task_write_imm *task);

/**
 * Says whether the device has compare and swap tasks: software functions have, and ibverbs devices
 * with atomic operations.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if it has none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_atomic_cmp_swp_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many compare and swap tasks an idle context has, and what is called for them. A second
 * call replaces the tasks of the first. The two functions may be the same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_cmp_swp_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_atomic_cmp_swp_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_atomic_cmp_swp_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

#if DOCA_USE_VERSION >= 27
/**
 * Takes a compare and swap task.
 *
 * The destination is a word of 8 bytes of the other side, whose address is a multiple of 8. The
 * result gets what was in it before: it has 8 bytes of data, or none and room for 8.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @param dst_buf the destination buffer.
 * @param result_buf the result buffer.
 * @param cmp_data the compare data.
 * @param swap_data the swap data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the connection or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_cmp_swp_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t cmp_data, uint64_t swap_data, union doca_data user_data,
    struct doca_rdma_task_atomic_cmp_swp **task);
#endif

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_atomic_cmp_swp_as_task(struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Changes the destination buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buf the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_dst_buf(struct doca_rdma_task_atomic_cmp_swp *task,
                                               struct doca_buf *dst_buf);

/**
 * The destination buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_rdma_task_atomic_cmp_swp_get_dst_buf(const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Changes the result buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param result_buf the result buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_result_buf(struct doca_rdma_task_atomic_cmp_swp *task,
                                                  struct doca_buf *result_buf);

/**
 * The result buffer of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_rdma_task_atomic_cmp_swp_get_result_buf(const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Changes the compare data of a task that is not submitted.
 *
 * @param task the task.
 * @param cmp_data the compare data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_cmp_data(struct doca_rdma_task_atomic_cmp_swp *task,
                                                uint64_t cmp_data);

/**
 * The compare data of the task.
 *
 * @param task the task.
 * @return the compare data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_rdma_task_atomic_cmp_swp_get_cmp_data(const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Changes the swap data of a task that is not submitted.
 *
 * @param task the task.
 * @param swap_data the swap data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_swap_data(struct doca_rdma_task_atomic_cmp_swp *task,
                                                 uint64_t swap_data);

/**
 * The swap data of the task.
 *
 * @param task the task.
 * @return the swap data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_rdma_task_atomic_cmp_swp_get_swap_data(const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Changes the RDMA connection of a task that is not submitted.
 *
 * @param task the task.
 * @param rdma_connection the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_cmp_swp_set_rdma_connection(
    struct doca_rdma_task_atomic_cmp_swp *task, struct doca_rdma_connection *rdma_connection);

/**
 * The RDMA connection of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_atomic_cmp_swp_get_rdma_connection(const struct doca_rdma_task_atomic_cmp_swp *task);

/**
 * Says whether the device has fetch and add tasks: software functions have, and ibverbs devices
 * with atomic operations.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if it has none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_atomic_fetch_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many fetch and add tasks an idle context has, and what is called for them. A second
 * call replaces the tasks of the first. The two functions may be the same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_fetch_add_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_atomic_fetch_add_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_atomic_fetch_add_completion_cb_t error_task_completion_cb, uint32_t num_tasks);

#if DOCA_USE_VERSION >= 27
/**
 * Takes a fetch and add task.
 *
 * The destination is a word of 8 bytes of the other side, whose address is a multiple of 8. The
 * result gets what was in it before: it has 8 bytes of data, or none and room for 8.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @param dst_buf the destination buffer.
 * @param result_buf the result buffer.
 * @param add_data the add data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the connection or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_atomic_fetch_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection, struct doca_buf *dst_buf,
    struct doca_buf *result_buf, uint64_t add_data, union doca_data user_data,
    struct doca_rdma_task_atomic_fetch_add **task);
#endif

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_rdma_task_atomic_fetch_add_as_task(struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Changes the destination buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param dst_buf the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_dst_buf(struct doca_rdma_task_atomic_fetch_add *task,
                                                 struct doca_buf *dst_buf);

/**
 * The destination buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_rdma_task_atomic_fetch_add_get_dst_buf(const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Changes the result buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param result_buf the result buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_result_buf(struct doca_rdma_task_atomic_fetch_add *task,
                                                    struct doca_buf *result_buf);

/**
 * The result buffer of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_rdma_task_atomic_fetch_add_get_result_buf(const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Changes the add data of a task that is not submitted.
 *
 * @param task the task.
 * @param add_data the add data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_add_data(struct doca_rdma_task_atomic_fetch_add *task,
                                                  uint64_t add_data);

/**
 * The add data of the task.
 *
 * @param task the task.
 * @return the add data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_rdma_task_atomic_fetch_add_get_add_data(const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Changes the RDMA connection of a task that is not submitted.
 *
 * @param task the task.
 * @param rdma_connection the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_atomic_fetch_add_set_rdma_connection(
    struct doca_rdma_task_atomic_fetch_add *task, struct doca_rdma_connection *rdma_connection);

/**
 * The RDMA connection of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_atomic_fetch_add_get_rdma_connection(
    const struct doca_rdma_task_atomic_fetch_add *task);

/**
 * Says whether the device has tasks that read a sync event of the other side: every device has.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_rdma_cap_task_remote_net_sync_event_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * Says how many tasks that read a sync event of the other side an idle context has, and what is
 * called for them. A second call replaces the tasks of the first. The two functions may be the
 * same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE is named by the table, and not returned here;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_get_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_get_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_remote_net_sync_event_get_completion_cb_t error_task_completion_cb,
    uint32_t num_tasks);

#if DOCA_USE_VERSION >= 27
/**
 * Takes a task that reads a sync event of the other side.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @param event the remote event.
 * @param dst_buf the destination buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the connection, the event or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_get_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    const struct doca_sync_event_remote_net *event, struct doca_buf *dst_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_get **task);
#endif

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_remote_net_sync_event_get_as_task(
    struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * The set sync event of the task.
 *
 * @param task the task.
 * @param event the remote event.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_get_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_get *task,
    const struct doca_sync_event_remote_net *event);

/**
 * The get sync event of the task.
 *
 * @param task the task.
 * @return the remote event.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_get_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * The set destination buffer of the task.
 *
 * @param task the task.
 * @param dst_buf the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_get_set_dst_buf(
    struct doca_rdma_task_remote_net_sync_event_get *task, struct doca_buf *dst_buf);

/**
 * The get destination buffer of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_remote_net_sync_event_get_get_dst_buf(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * The get result length of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the get result length.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_rdma_task_remote_net_sync_event_get_get_result_len(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * The set RDMA connection of the task, valid once it is completed.
 *
 * @param task the task.
 * @param rdma_connection the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_get_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_get *task,
    struct doca_rdma_connection *rdma_connection);

/**
 * The get RDMA connection of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *doca_rdma_task_remote_net_sync_event_get_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_get *task);

/**
 * Says whether the device has tasks that set a sync event of the other side: every device has.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_set_is_supported(
    const struct doca_devinfo *devinfo);

/**
 * Says how many tasks that set a sync event of the other side an idle context has, and what is
 * called for them. A second call replaces the tasks of the first. The two functions may be the
 * same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_remote_net_sync_event_notify_set_completion_cb_t error_task_completion_cb,
    uint32_t num_tasks);

#if DOCA_USE_VERSION >= 27
/**
 * Takes a task that sets a sync event of the other side.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @param event the remote event.
 * @param src_buf the source buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the connection, the event or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_set_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    struct doca_sync_event_remote_net *event, const struct doca_buf *src_buf,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_set **task);
#endif

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_remote_net_sync_event_notify_set_as_task(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Changes the set sync event of a task that is not submitted.
 *
 * @param task the task.
 * @param event the remote event.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_set_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task,
    struct doca_sync_event_remote_net *event);

/**
 * Changes the get sync event of a task that is not submitted.
 *
 * @param task the task.
 * @return the remote event.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_set_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Changes the set RDMA connection of a task that is not submitted.
 *
 * @param task the task.
 * @param rdma_connection the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_set_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task,
    struct doca_rdma_connection *rdma_connection);

/**
 * Changes the get RDMA connection of a task that is not submitted.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_set_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Changes the set source buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param src_buf the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_set_set_src_buf(
    struct doca_rdma_task_remote_net_sync_event_notify_set *task, const struct doca_buf *src_buf);

/**
 * Changes the get source buffer of a task that is not submitted.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
const struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_set_get_src_buf(
    const struct doca_rdma_task_remote_net_sync_event_notify_set *task);

/**
 * Says whether the device has tasks that add to a sync event of the other side: every device has.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_cap_task_remote_net_sync_event_notify_add_is_supported(
    const struct doca_devinfo *devinfo);

/**
 * Says how many tasks that add to a sync event of the other side an idle context has, and what is
 * called for them. A second call replaces the tasks of the first. The two functions may be the
 * same.
 *
 * @param rdma the RDMA context.
 * @param successful_task_completion_cb called for each task that was done.
 * @param error_task_completion_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a number that is not 1 to 32768;
 *   DOCA_ERROR_BAD_STATE unless the context is idle;
 *   DOCA_ERROR_IN_USE while tasks of an earlier call are allocated (our choice);
 *   DOCA_ERROR_NO_MEMORY (our choice);
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_set_conf(
    struct doca_rdma *rdma,
    doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t successful_task_completion_cb,
    doca_rdma_task_remote_net_sync_event_notify_add_completion_cb_t error_task_completion_cb,
    uint32_t num_tasks);

#if DOCA_USE_VERSION >= 27
/**
 * Takes a task that adds to a sync event of the other side.
 *
 * @param rdma the RDMA context.
 * @param rdma_connection the connection.
 * @param event the remote event.
 * @param result_buf the result buffer.
 * @param add_data the add data.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if the context, the connection, the event or task is NULL;
 *   DOCA_ERROR_NO_MEMORY when all tasks are allocated;
 *   DOCA_ERROR_BAD_STATE if the context does not run, or has no such tasks.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_task_remote_net_sync_event_notify_add_allocate_init(
    struct doca_rdma *rdma, struct doca_rdma_connection *rdma_connection,
    struct doca_sync_event_remote_net *event, struct doca_buf *result_buf, uint64_t add_data,
    union doca_data user_data, struct doca_rdma_task_remote_net_sync_event_notify_add **task);
#endif

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_rdma_task_remote_net_sync_event_notify_add_as_task(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * Changes the sync event of a task that is not submitted.
 *
 * @param task the task.
 * @param event the remote event.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_sync_event(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task,
    struct doca_sync_event_remote_net *event);

/**
 * The sync event of the task.
 *
 * @param task the task.
 * @return the remote event.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_sync_event_remote_net *doca_rdma_task_remote_net_sync_event_notify_add_get_sync_event(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * Changes the result buffer of a task that is not submitted.
 *
 * @param task the task.
 * @param result_buf the result buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_result_buf(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, struct doca_buf *result_buf);

/**
 * The result buffer of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_rdma_task_remote_net_sync_event_notify_add_get_result_buf(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * Changes the add data of a task that is not submitted.
 *
 * @param task the task.
 * @param add_data the add data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_add_data(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task, uint64_t add_data);

/**
 * The add data of the task.
 *
 * @param task the task.
 * @return the add data.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t doca_rdma_task_remote_net_sync_event_notify_add_get_add_data(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * Changes the RDMA connection of a task that is not submitted.
 *
 * @param task the task.
 * @param rdma_connection the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_rdma_task_remote_net_sync_event_notify_add_set_rdma_connection(
    struct doca_rdma_task_remote_net_sync_event_notify_add *task,
    struct doca_rdma_connection *rdma_connection);

/**
 * The RDMA connection of the task, valid once it is completed.
 *
 * @param task the task.
 * @return the connection.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
const struct doca_rdma_connection *
doca_rdma_task_remote_net_sync_event_notify_add_get_rdma_connection(
    const struct doca_rdma_task_remote_net_sync_event_notify_add *task);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param rdma the RDMA context.
 * @param dpa_comp the DPA completion.
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_BAD_STATE.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_rdma_dpa_completion_attach(struct doca_rdma *rdma,
                                             struct doca_dpa_completion *dpa_comp);

/* Names that 2.5 has for functions above. */
#define doca_rdma_task_receive_get_result_length doca_rdma_task_receive_get_result_len
#define doca_rdma_task_read_get_result_length    doca_rdma_task_read_get_result_len
#define doca_rdma_task_remote_net_sync_event_get_get_result_length                                 \
    doca_rdma_task_remote_net_sync_event_get_get_result_len

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_H_ */
