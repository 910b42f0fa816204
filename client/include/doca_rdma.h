/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_rdma.h
 * RDMA: jobs that send messages between two connected instances, and read, write and
 * change each other's memory.
 *
 * An instance is a context with one device and one work queue. Start it, export its connection
 * details and carry them to the other side; each side connects with the details of the other. Both
 * may be processes of one node or of two linked nodes.
 *
 * Jobs of an instance other than receives take effect, and complete, in the order in which they
 * were submitted; so do its receives. A job is on its way when doca_workq_submit() returns; for
 * long messages both sides may have to ask for events. A message waits until the other side has
 * submitted a receive for it. Receives may be submitted before the instance is connected.
 *
 * The two sides connect in either order. Jobs of every kind that are submitted before the other
 * side has connected wait until it has: before the other side has chosen this instance, nothing is
 * sent to it, and its memory is neither read nor changed. On a software function a waiting job on
 * remote memory begins when its own side asks for events; a work queue in event-driven mode is
 * woken for that. If the other side stops or goes without having connected, the jobs fail with
 * DOCA_ERROR_CONNECTION_RESET. If a side stops before its jobs are done, it withdraws the waiting
 * jobs, and the other side's doca_rdma_connect() then returns DOCA_ERROR_CONNECTION_ABORTED. If a
 * side stops only after its jobs are done, the other side's doca_rdma_connect() succeeds, although
 * the state may be DOCA_RDMA_STATE_ERROR when it returns.
 *
 * A local buffer belongs to a local memory map, whose permissions include
 * DOCA_ACCESS_LOCAL_READ_WRITE; a remote buffer belongs to a map that the other side exported with
 * doca_mmap_export_rdma(). The instance's device must have been added to the map.
 *
 * Both the memory map and the instance of the memory's owner must allow a job. The owner's docad
 * enforces the permissions of the map, even against processes of other users that do not use this
 * library. (DOCA_ACCESS_RDMA_ATOMIC alone amounts to reading and writing: any word can be added to,
 * and the result is returned.) The other side's library checks the permissions of the instance.
 *
 * On a function backed by an ibverbs device an instance is a reliable connection of libibverbs. Its
 * other side is such a function too, of this node or of any machine that the device reaches, even
 * if the two nodes are not linked; in that case the end of the other side is noticed only when
 * something is sent to it. Jobs wait for the other side to connect here too, because the device of
 * a side that has not connected answers nothing; if the two nodes are not linked, they wait for a
 * minute at most. Soft-RoCE counts the time that a message waits for a receive as if the other side
 * did not answer. Once the other side has been heard from, a message waits no longer than the
 * retries of docad.conf(5) take (half a second by default), but forever if retries are 7.
 *
 * An ibverbs device may be removed, or fail, while it is used: jobs pending on it end with
 * DOCA_ERROR_IO_FAILED, and the event handle of a work queue wakes threads that sleep. The program
 * then stops its instances and memory maps and closes the device: most devices are gone only after
 * their users have closed them. While a port is down its instances stay connected. Sending fails
 * once the retries are used up, on Soft-RoCE at once with DOCA_ERROR_IO_FAILED. A program that only
 * receives is not told, and goes on receiving when the port is up again.
 *
 * A failed job brings its instance, and the connected one, to DOCA_RDMA_STATE_ERROR, as does the
 * end of the other side. All pending jobs are flushed: they fail. Stop, start, export and connect
 * to use the instance again. The results of a failed job, in struct doca_rdma_result, are:
 *   DOCA_ERROR_INVALID_VALUE: a message longer than the receive's buffers, or than the
 *   memory that a job names; data placed outside its buffer; a list too long; an atomic
 *   job on an address that is not a multiple of 8, or whose result has not 8 bytes;
 *   DOCA_ERROR_NOT_PERMITTED: permissions of the map, or of the other instance, forbid it;
 *   the map was not started, or lacks the device; the export was revoked; docad does not offer the
 *   device any more;
 *   DOCA_ERROR_CONNECTION_RESET: the other side, or the owner of the memory, has gone; on an
 *   ibverbs device also: it does not answer, or had no receive for as long as messages wait
 *   (retries and rnr_retries of docad.conf(5));
 *   DOCA_ERROR_NOT_CONNECTED: a docad is out of reach;
 *   DOCA_ERROR_CONNECTION_ABORTED: flushed, because another job had failed on either side;
 *   DOCA_ERROR_IO_FAILED: the bytes could not be moved, the connection was corrupted, or the
 *   device was removed or has failed.
 *
 * Since 2.2.
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15 /* instead of this file */
#include "doca-1.5/doca_rdma.h"
#endif
#ifndef DOCA_RDMA_H_
#define DOCA_RDMA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An RDMA instance. */
struct doca_rdma;

/** The address of a peer, for transports that are not supported yet. */
struct doca_rdma_addr;

/** The state of an instance. */
enum doca_rdma_state {
    DOCA_RDMA_STATE_RESET = 0, /**< Not started. */
    DOCA_RDMA_STATE_INIT,      /**< Started: it may be exported and connected. */
    DOCA_RDMA_STATE_CONNECTED, /**< Connected: jobs may be submitted. */
    DOCA_RDMA_STATE_ERROR      /**< Failed, must be stopped: jobs are refused. */
};

/** Transports. */
enum doca_rdma_transport_type {
    DOCA_RDMA_TRANSPORT_RC, /**< Reliable connection. */
    DOCA_RDMA_TRANSPORT_DC  /**< Dynamic connection. */
};

/** Jobs of an RDMA instance. */
enum doca_rdma_job_types {
    DOCA_RDMA_JOB_RECV = DOCA_ACTION_RDMA_FIRST + 1, /**< struct doca_rdma_job_recv */
    DOCA_RDMA_JOB_SEND,                              /**< struct doca_rdma_job_send */
    DOCA_RDMA_JOB_SEND_IMM,                          /**< struct doca_rdma_job_send */
    DOCA_RDMA_JOB_READ,                              /**< struct doca_rdma_job_read_write */
    DOCA_RDMA_JOB_WRITE,                             /**< struct doca_rdma_job_read_write */
    DOCA_RDMA_JOB_WRITE_IMM,                         /**< struct doca_rdma_job_read_write */
    DOCA_RDMA_JOB_ATOMIC_CMP_SWP,                    /**< struct doca_rdma_job_atomic */
    DOCA_RDMA_JOB_ATOMIC_FETCH_ADD                   /**< struct doca_rdma_job_atomic */
};

/** The kind of message that a receive has received. */
enum doca_rdma_opcode_t {
    DOCA_RDMA_OPCODE_RECV_SEND = 0,      /**< DOCA_RDMA_JOB_SEND */
    DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM, /**< DOCA_RDMA_JOB_SEND_IMM */
    DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM /**< DOCA_RDMA_JOB_WRITE_IMM */
};

/** A GID. */
struct doca_rdma_gid {
    uint8_t raw[DOCA_GID_BYTE_LENGTH]; /**< in network byte order */
};

/**
 * Receives one message. It is written to the buffers, from the beginning of the data of each to the
 * buffer's end; afterwards their data lengths are the bytes written. A NULL buffer receives empty
 * messages, and the immediate data of writes.
 *
 * doca_workq_submit() returns, for all jobs of RDMA,
 *   DOCA_ERROR_INVALID_VALUE for a type that is not an RDMA job, for a buffer that was given back,
 *   and for a source of a read or write, or a buffer of an atomic, without the other buffer;
 *   DOCA_ERROR_BAD_STATE in DOCA_RDMA_STATE_ERROR and, except for receives, in
 *   DOCA_RDMA_STATE_INIT;
 *   DOCA_ERROR_NO_MEMORY when the send or receive queue is full.
 *
 * Source: table and guide; the errors are our choice.
 */
struct doca_rdma_job_recv {
    struct doca_job base;      /**< type is DOCA_RDMA_JOB_RECV. */
    struct doca_buf *dst_buff; /**< Destination; a list of at most recv_buf_chain_len, or NULL. */
};

/**
 * Sends the data of the buffers as one message, which may be empty.
 *
 * Source: table and guide.
 */
struct doca_rdma_job_send {
    struct doca_job base;                        /**< DOCA_RDMA_JOB_SEND or _SEND_IMM. */
    struct doca_buf const *src_buff;             /**< Source; a list, or NULL. */
    doca_be32_t immediate_data;                  /**< For _SEND_IMM; handed over as it is. */
    struct doca_rdma_addr const *rdma_peer_addr; /**< Not used. */
};

/**
 * Reads or writes the other side's memory, from the beginning of the data of the one remote buffer;
 * the length of that data does not matter.
 *
 * A write takes the data of its source, a local list. If the source or both buffers are NULL,
 * nothing is written. DOCA_RDMA_JOB_WRITE_IMM also completes a receive of the other side, after the
 * bytes are there.
 *
 * A read fills the data of its destination, a local list. If the destination has no data (as after
 * doca_buf_inventory_buf_by_addr()), the read begins at its data address and takes as many bytes as
 * the source has data and the destination has room for; afterwards the data lengths are the bytes
 * read. If the source or both buffers are NULL, nothing is read.
 *
 * Source: table and guide; that destinations without data may be read to is our choice,
 * because programs do.
 */
struct doca_rdma_job_read_write {
    struct doca_job base;                        /**< DOCA_RDMA_JOB_READ, _WRITE or _WRITE_IMM. */
    struct doca_buf *dst_buff;                   /**< Destination. */
    struct doca_buf const *src_buff;             /**< Source. */
    doca_be32_t immediate_data;                  /**< For _WRITE_IMM; handed over as it is. */
    struct doca_rdma_addr const *rdma_peer_addr; /**< Not used. */
};

/**
 * Changes a word of the other side's memory, at an address that is a multiple of 8, and returns its
 * previous value.
 *
 * On a software function the change is atomic among the RDMA jobs of all processes on that word
 * and, if whole pages around it were exported, with the processors' atomic instructions. On an
 * ibverbs device it is atomic among the RDMA jobs that this device of the memory's owner serves,
 * but not with jobs of another device or with the processors' instructions. Therefore a map with
 * DOCA_ACCESS_RDMA_ATOMIC is exported either on the one kind of function or on the other, see
 * doca_mmap_export_rdma(); and memory that was exported on an ibverbs device cannot be changed
 * atomically through an import on a software function: DOCA_ERROR_NOT_PERMITTED.
 *
 * Source: table and guide.
 */
struct doca_rdma_job_atomic {
    struct doca_job base;                  /**< DOCA_RDMA_JOB_ATOMIC_CMP_SWP or _FETCH_ADD. */
    struct doca_buf *cmp_or_add_dest_buff; /**< Destination: the word is where its data begins. */
    struct doca_buf *result_buff; /**< Receives the previous value; 8 bytes of data, local. */
    uint64_t swap_or_add_data;    /**< The number to add, or the new value. */
    uint64_t cmp_data;            /**< _CMP_SWP changes the word only if it has this value. */
    struct doca_rdma_addr const *rdma_peer_addr; /**< Not used. */
};

/**
 * The result of a job. Before doca_workq_progress_retrieve() the program points event.result.ptr to
 * such a structure (or sets it to NULL). For an event of an RDMA job the call fills it in and
 * leaves the pointer as it was.
 *
 * Source: table and guide.
 */
struct doca_rdma_result {
    doca_error_t result;                   /**< DOCA_SUCCESS, or why the job failed. */
    enum doca_rdma_opcode_t opcode;        /**< Of a receive. */
    uint32_t length;                       /**< Bytes received, sent, read or written. */
    struct doca_rdma_addr *rdma_peer_addr; /**< NULL. */
    doca_be32_t immediate_data;            /**< Of a receive, if the opcode says so. */
};

/**
 * Makes an RDMA instance, in state DOCA_RDMA_STATE_RESET. No docad needs to run for it.
 *
 * @param rdma receives the instance.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY, also when the process has doca_ctx_get_max_num_ctx() contexts;
 *   DOCA_ERROR_INITIALIZATION is never returned here.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_create(struct doca_rdma **rdma);

/**
 * Destroys a stopped instance, and frees the result of doca_rdma_export().
 *
 * @param rdma the instance.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE while the context is started, and then nothing is changed.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_destroy(struct doca_rdma *rdma);

/**
 * Returns the instance as a context. It takes one device and, while it is started, one work queue,
 * in either mode.
 *
 * @param rdma the instance.
 * @return its base, the same at each call; NULL for NULL.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma);

/**
 * Says whether a device can execute a job.
 *
 * @param devinfo the device.
 * @param job_type which job.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a type that is not an RDMA job;
 *   DOCA_ERROR_NOT_SUPPORTED if it cannot (atomics of some ibverbs devices);
 *   DOCA_ERROR_DRIVER is never returned here.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_job_get_supported(const struct doca_devinfo *devinfo,
                                         enum doca_rdma_job_types job_type);

/**
 * Returns the details that the other side needs for doca_rdma_connect(): at most 256 bytes, which
 * the application carries there. The instance must be started. The details name this start of this
 * instance, and are of no use after doca_ctx_stop(). Further calls return the same bytes.
 *
 * @param rdma the instance.
 * @param local_rdma_conn_details receives the bytes, which belong to the instance until it is
 *   stopped.
 * @param local_rdma_conn_details_size receives their number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE unless the context is started.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_export(const struct doca_rdma *rdma, const void **local_rdma_conn_details,
                              size_t *local_rdma_conn_details_size);

/**
 * Connects to the instance that exported the details. Each side calls it with the details of the
 * other, in any order: the first call succeeds as soon as the other side has exported, and jobs of
 * every kind that are submitted before the other side has connected wait for it. The state becomes
 * DOCA_RDMA_STATE_CONNECTED. From now on the other side may read and change the memory that it was
 * given: write what it should find there before this call.
 *
 * @param rdma the instance, in state DOCA_RDMA_STATE_INIT.
 * @param remote_rdma_conn_details the bytes; not needed afterwards.
 * @param remote_rdma_conn_details_size their number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, for bytes that are not exactly the result of
 *   doca_rdma_export(), and for the instance's own details;
 *   DOCA_ERROR_BAD_STATE in another state;
 *   DOCA_ERROR_CONNECTION_ABORTED if the other side was stopped, has gone, is connected to a third
 *   one, or is out of reach.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
                               size_t remote_rdma_conn_details_size);

/**
 * Returns the size of the largest receive queue: the number of receive jobs that may be in flight.
 *
 * @param devinfo the device.
 * @param max_recv_queue_size receives the number: 32768, or the limit of an ibverbs device if that
 *   is less.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is never returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                               uint32_t *max_recv_queue_size);

/**
 * Returns the size of the largest send queue: the number of other jobs that may be in flight.
 *
 * @param devinfo the device.
 * @param max_send_queue_size receives the number: 32768, or the limit of an ibverbs device if that
 *   is less.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is never returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_send_queue_size(const struct doca_devinfo *devinfo,
                                               uint32_t *max_send_queue_size);

/**
 * Returns the length of the longest message.
 *
 * @param devinfo the device.
 * @param max_message_size receives the number of bytes: 2 GiB, or the limit of an ibverbs device if
 *   that is less.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is never returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_message_size(const struct doca_devinfo *devinfo,
                                            uint32_t *max_message_size);

/**
 * Returns the number of buffers that the local list of a job may have.
 *
 * @param devinfo the device.
 * @param job_type which job.
 * @param transport_type over which transport.
 * @param max_buf_chain_len receives the number: 1 for atomic jobs, else 64, or the limit of an
 *   ibverbs device if that is less.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a type that is not an RDMA job, or a transport that is
 *   unknown;
 *   DOCA_ERROR_DRIVER is never returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_max_buf_chain_len(const struct doca_devinfo *devinfo,
                                             enum doca_rdma_job_types job_type,
                                             enum doca_rdma_transport_type transport_type,
                                             uint32_t *max_buf_chain_len);

/**
 * Returns the number of GIDs of a device. A software function has one from its IPv6 address, and
 * one from its IPv4 address; an ibverbs device has its table, which may have gaps (zeros).
 *
 * @param devinfo the device.
 * @param gid_table_size receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is never returned here.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gid_table_size(struct doca_devinfo *devinfo, uint32_t *gid_table_size);

/**
 * Returns some of a device's GIDs.
 *
 * @param devinfo the device.
 * @param start_index index of the first one.
 * @param num_entries how many.
 * @param gid_array receives them: room for num_entries.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or entries beyond the table;
 *   DOCA_ERROR_DRIVER is never returned here.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gid(struct doca_devinfo *devinfo, uint32_t start_index,
                               uint32_t num_entries, struct doca_rdma_gid *gid_array);

/**
 * Says whether a transport is supported.
 *
 * @param devinfo the device.
 * @param transport_type which.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or an unknown transport;
 *   DOCA_ERROR_NOT_SUPPORTED if the card that the device imitates has no RDMA on it;
 *   DOCA_ERROR_DRIVER is never returned here.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_transport_type_supported(const struct doca_devinfo *devinfo,
                                                    enum doca_rdma_transport_type transport_type);

/**
 * Sets the number of jobs other than receives that may be in flight. One more is refused with
 * DOCA_ERROR_NO_MEMORY.
 *
 * @param rdma the instance.
 * @param send_queue_size the number, which is rounded up to a power of two. The default is
 *   128.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or 0;
 *   DOCA_ERROR_BAD_STATE while the context is started;
 *   DOCA_ERROR_NOT_SUPPORTED above doca_rdma_get_max_send_queue_size() of the device. If that is
 *   added later, doca_ctx_start() returns this.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size);

/**
 * Sets the number of receive jobs that may be in flight. One more is refused with
 * DOCA_ERROR_NO_MEMORY.
 *
 * @param rdma the instance.
 * @param recv_queue_size the number, which is rounded up to a power of two. The default is
 *   128.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or 0;
 *   DOCA_ERROR_BAD_STATE while the context is started;
 *   DOCA_ERROR_NOT_SUPPORTED above doca_rdma_get_max_recv_queue_size() of the device. If that is
 *   added later, doca_ctx_start() returns this.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size);

/**
 * Sets the transport. DC is a reliable connection, too (our choice). Both sides choose the same;
 * nothing compares them.
 *
 * @param rdma the instance.
 * @param transport_type DOCA_RDMA_TRANSPORT_RC, which is the default, or DOCA_RDMA_TRANSPORT_DC.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or an unknown transport;
 *   DOCA_ERROR_BAD_STATE while the context is started;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type transport_type);

/**
 * Sets the largest path MTU. An ibverbs device uses the smallest of this value, the port's and the
 * other side's; a software function only keeps the value.
 *
 * @param rdma the instance.
 * @param mtu the MTU. The default is DOCA_MTU_SIZE_4K_BYTES.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or an unknown MTU;
 *   DOCA_ERROR_BAD_STATE while the context is started;
 *   DOCA_ERROR_NOT_SUPPORTED for DOCA_MTU_SIZE_RAW_ETHERNET;
 *   DOCA_ERROR_UNEXPECTED is never returned here.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu);

/**
 * Sets what the other side may do with this side's memory, besides what the memory map allows: a
 * mask of DOCA_ACCESS_RDMA_READ, _WRITE and _ATOMIC. DOCA_ACCESS_LOCAL_READ_WRITE is accepted and
 * permits the other side nothing. The default permits nothing.
 *
 * @param rdma the instance.
 * @param permissions the mask.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or another flag;
 *   DOCA_ERROR_BAD_STATE while the context is started, or has no device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions);

/**
 * Sets whether packets have a global header on InfiniBand; on Ethernet they always have one. A
 * software function only keeps the value.
 *
 * @param rdma the instance.
 * @param grh_enabled the default is true.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE while the context is started;
 *   DOCA_ERROR_NOT_SUPPORTED is never returned here.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, bool grh_enabled);

/**
 * Sets which GID of an ibverbs device's port is used; a software function only keeps the value. If
 * it is not set, the GID of the configured address is used, else the best GID;
 * doca_rdma_get_gid_index() then returns 0. doca_ctx_start() returns DOCA_ERROR_INITIALIZATION if
 * the table has no GID at this index.
 *
 * @param rdma the instance.
 * @param gid_index its index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or an index beyond the device's table;
 *   DOCA_ERROR_BAD_STATE while the context is started.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index);

/**
 * Sets the number of buffers that the list of a receive may have.
 *
 * @param rdma the instance.
 * @param recv_buf_chain_len the number. The default is 1.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or 0, or more than
 *   doca_rdma_get_max_buf_chain_len() of the device. If that is added later,
 *   doca_ctx_start() is refused as not supported;
 *   DOCA_ERROR_BAD_STATE while the context is started.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_recv_buf_chain_len(struct doca_rdma *rdma, uint32_t recv_buf_chain_len);

/**
 * Sets the service level of an ibverbs device's connection; a software function only keeps it.
 *
 * @param rdma the instance.
 * @param sl 0 to 15. The default is 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or more than 15;
 *   DOCA_ERROR_BAD_STATE while the context is started.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl);

/**
 * Returns the size of the send queue, rounded.
 *
 * @param rdma the instance.
 * @param send_queue_size receives the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE without a device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size);

/**
 * Returns the size of the receive queue, rounded.
 *
 * @param rdma the instance.
 * @param recv_queue_size receives the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE without a device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma, uint32_t *recv_queue_size);

/**
 * Returns the transport.
 *
 * @param rdma the instance.
 * @param transport_type receives the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE without a device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
                                          enum doca_rdma_transport_type *transport_type);

/**
 * Returns the path MTU.
 *
 * @param rdma the instance.
 * @param mtu receives the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE without a device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu);

/**
 * Returns the permissions.
 *
 * @param rdma the instance.
 * @param permissions receives the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE without a device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions);

/**
 * Says whether packets have a global header.
 *
 * @param rdma the instance.
 * @param grh_enabled receives the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE without a device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, bool *grh_enabled);

/**
 * Returns the index of the GID.
 *
 * @param rdma the instance.
 * @param gid_index receives the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE without a device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index);

/**
 * Returns the number of buffers that the list of a receive may have.
 *
 * @param rdma the instance.
 * @param recv_buf_chain_len receives the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE without a device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_recv_buf_chain_len(const struct doca_rdma *rdma,
                                              uint32_t *recv_buf_chain_len);

/**
 * Returns the service level.
 *
 * @param rdma the instance.
 * @param sl receives the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE without a device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl);

/**
 * Returns the state. It may change at any time while the instance is started. The call asks an
 * ibverbs device, so it shows a queue pair that failed by itself even if no job is pending that
 * would be flushed.
 *
 * @param rdma the instance.
 * @param state receives the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE without a device.
 *
 * Source: table and guide; limits and defaults are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_rdma_get_state(const struct doca_rdma *rdma, enum doca_rdma_state *state);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_RDMA_H_ */
