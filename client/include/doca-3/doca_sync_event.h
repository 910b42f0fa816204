// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_sync_event.h
 * Sync events: numbers that programs set, add to, and wait for.
 */
#ifndef DOCA_SYNC_EVENT_H_
#define DOCA_SYNC_EVENT_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context. */
struct doca_ctx;
/** A device. */
struct doca_dev;
/** A device. */
struct doca_devinfo;
/** A DPA. */
struct doca_dpa;
/** A GPU. */
struct doca_gpu;
/** An event. */
struct doca_sync_event;
/** A remote event. */
struct doca_sync_event_remote_net;
/** A DPA sync event. */
struct doca_dpa_sync_event;
/** A buffer. */
struct doca_buf;
/** A GPU sync event. */
struct doca_gpu_sync_event;
/** A sync event task: get. */
struct doca_sync_event_task_get;
/** A sync event task: notify set. */
struct doca_sync_event_task_notify_set;
/** A sync event task: notify add. */
struct doca_sync_event_task_notify_add;
/** A sync event task: wait eq. */
struct doca_sync_event_task_wait_eq;
/** A sync event task: wait neq. */
struct doca_sync_event_task_wait_neq;
/** A task. */
struct doca_task;

/** A handle for GPU or DPA programs. */
typedef uint64_t doca_dpa_dev_sync_event_t;

/** A handle for GPU or DPA programs. */
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;

/** A handle for GPU or DPA programs. */
typedef uint64_t doca_gpu_dev_sync_event_t;

/** A handle for GPU or DPA programs. */
typedef uint64_t doca_gpu_dev_sync_event_remote_net_t;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_sync_event_task_get_completion_cb_t)(struct doca_sync_event_task_get *task,
                                                         union doca_data task_user_data,
                                                         union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_sync_event_task_notify_set_completion_cb_t)(
    struct doca_sync_event_task_notify_set *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_sync_event_task_notify_add_completion_cb_t)(
    struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_sync_event_task_wait_eq_completion_cb_t)(
    struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_sync_event_task_wait_neq_completion_cb_t)(
    struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * A 64-bit event, to be given a publisher and a subscriber location before start.
 *
 * @param event where to put the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create(struct doca_sync_event **event)
    DOCA_3_SYMBOL(sync_event_create);

/**
 * Event of the other side of PCI.
 *
 * @param dev the device.
 * @param data where the data begins.
 * @param sz the size.
 * @param event where to put the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event)
    DOCA_3_SYMBOL(sync_event_create_from_export);

/**
 * Tells whether this is supported: create from export.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Event of a network peer, for RDMA sync event tasks.
 *
 * @param dev the device.
 * @param data where the data begins.
 * @param sz the size.
 * @param event where to put the remote event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
                                              struct doca_sync_event_remote_net **event);

/**
 * Tells whether this is supported: create from export.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Frees the sync event; it must be idle.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
    DOCA_3_SYMBOL(sync_event_destroy);

/**
 * Frees the sync event remote net; it must be idle.
 *
 * @param event the remote event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/**
 * Before start: the publisher is this CPU.
 *
 * @param event the event.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev);

/**
 * Before start: the publisher is a DPA.
 *
 * @param event the event.
 * @param dpa the DPA.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa);

/**
 * Before start: the publisher is a GPU.
 *
 * @param event the event.
 * @param gpu the GPU.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
                                                        struct doca_gpu *gpu);

/**
 * Before start: the publisher is on the other side of PCI.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event);

/**
 * Before start: the publisher is a network peer.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);

/**
 * Before start: the subscriber is this CPU.
 *
 * @param event the event.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev);

/**
 * Before start: the subscriber is a DPA.
 *
 * @param event the event.
 * @param dpa the DPA.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa);

/**
 * Before start: the subscriber is a GPU.
 *
 * @param event the event.
 * @param gpu the GPU.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
                                                         struct doca_gpu *gpu);

/**
 * Before start: the subscriber is on the other side of PCI.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event);

/**
 * Sets the address of the event. Allowed before the start.
 *
 * @param event the event.
 * @param addr where to put the address.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr)
    DOCA_3_SYMBOL(sync_event_set_addr);

/**
 * Sets the doca buffer of the event. Allowed before the start.
 *
 * @param event the event.
 * @param buf the buffer.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf);

/**
 * Sync event start.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_start(struct doca_sync_event *event) DOCA_3_SYMBOL(sync_event_start);

/**
 * Sync event stop.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_stop(struct doca_sync_event *event) DOCA_3_SYMBOL(sync_event_stop);

/**
 * The context of the event: the same object, for the functions of doca_ctx.h and doca_pe.h.
 *
 * @param event the event.
 * @return the context.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
    DOCA_3_SYMBOL(sync_event_as_ctx);

/**
 * Tells whether the device can do this: get.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * Before start: the success and the error callback of get tasks and how many can exist at
 * once.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_get_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
    doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a get task from the pool and fills it; DOCA_ERROR_NO_MEMORY when all are out.
 *
 * @param event the event.
 * @param ret_val_ptr where to put the ret val ptr.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the context does not run.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event,
                                                 uint64_t *ret_val_ptr, union doca_data user_data,
                                                 struct doca_sync_event_task_get **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task);

/**
 * Changes the ret val ptr of a task that is not submitted.
 *
 * @param task the task.
 * @param ret_val_ptr where to put the ret val ptr.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
                                              uint64_t *ret_val_ptr);

/**
 * The ret val ptr of the task.
 *
 * @param task the task.
 * @return the get ret val ptr.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task);

/**
 * Tells whether the device can do this: notify set.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo);

/**
 * Before start: the success and the error callback of notify set tasks and how many can
 * exist at once.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_set_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_set_completion_cb_t completion_cb,
    doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a notify set task from the pool and fills it; DOCA_ERROR_NO_MEMORY when all are
 * out.
 *
 * @param event the event.
 * @param set_val the set val.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the context does not run.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t set_val,
                                           union doca_data user_data,
                                           struct doca_sync_event_task_notify_set **task);

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
doca_sync_event_task_notify_set_as_doca_task(struct doca_sync_event_task_notify_set *task);

/**
 * Changes the set set val of a task that is not submitted.
 *
 * @param task the task.
 * @param set_val the set val.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
                                                 uint64_t set_val);

/**
 * Changes the get set val of a task that is not submitted.
 *
 * @param task the task.
 * @return the set val.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task);

/**
 * Tells whether the device can do this: notify add.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * Before start: the success and the error callback of notify add tasks and how many can
 * exist at once.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_add_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_add_completion_cb_t completion_cb,
    doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a notify add task from the pool and fills it; DOCA_ERROR_NO_MEMORY when all are
 * out.
 *
 * @param event the event.
 * @param inc_val the inc val.
 * @param fetched_val_ptr where to put the fetched val ptr.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the context does not run.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t inc_val,
                                           uint64_t *fetched_val_ptr, union doca_data user_data,
                                           struct doca_sync_event_task_notify_add **task);

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
doca_sync_event_task_notify_add_as_doca_task(struct doca_sync_event_task_notify_add *task);

/**
 * Changes the inc val of a task that is not submitted.
 *
 * @param task the task.
 * @param inc_val the inc val.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
                                                 uint64_t inc_val);

/**
 * The inc val of the task.
 *
 * @param task the task.
 * @return the inc val.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task);

/**
 * Changes the fetched val ptr of a task that is not submitted.
 *
 * @param task the task.
 * @param fetched_val_ptr where to put the fetched val ptr.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_fetched_val_ptr(
    struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr);

/**
 * The fetched val ptr of the task.
 *
 * @param task the task.
 * @return the fetched val ptr.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
    const struct doca_sync_event_task_notify_add *task);

/**
 * Tells whether the device can do this: wait eq.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo);

/**
 * Before start: the success and the error callback of wait eq tasks and how many can exist
 * at once.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_eq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a wait eq task from the pool and fills it; DOCA_ERROR_NO_MEMORY when all are out.
 *
 * @param event the event.
 * @param wait_val the wait val.
 * @param mask the mask.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the context does not run.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event,
                                                     uint64_t wait_val, uint64_t mask,
                                                     union doca_data user_data,
                                                     struct doca_sync_event_task_wait_eq **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_wait_eq_as_doca_task(struct doca_sync_event_task_wait_eq *task);

/**
 * Changes the wait val of a task that is not submitted.
 *
 * @param task the task.
 * @param wait_val the wait val.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
                                               uint64_t wait_val);

/**
 * The wait val of the task.
 *
 * @param task the task.
 * @return the wait val.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task);

/**
 * Changes the mask of a task that is not submitted.
 *
 * @param task the task.
 * @param mask the mask.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task,
                                           uint64_t mask);

/**
 * The mask of the task.
 *
 * @param task the task.
 * @return the mask.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task);

/**
 * Tells whether the device can do this: wait neq.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo);

/**
 * Before start: the success and the error callback of wait neq tasks and how many can exist
 * at once.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_neq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a wait neq task from the pool and fills it; DOCA_ERROR_NO_MEMORY when all are out.
 *
 * @param event the event.
 * @param wait_val the wait val.
 * @param mask the mask.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_BAD_STATE the context does not run.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event,
                                                      uint64_t wait_val, uint64_t mask,
                                                      union doca_data user_data,
                                                      struct doca_sync_event_task_wait_neq **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_wait_neq_as_doca_task(struct doca_sync_event_task_wait_neq *task);

/**
 * Changes the wait val of a task that is not submitted.
 *
 * @param task the task.
 * @param wait_val the wait val.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
                                                uint64_t wait_val);

/**
 * The wait val of the task.
 *
 * @param task the task.
 * @return the wait val.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task);

/**
 * Changes the mask of a task that is not submitted.
 *
 * @param task the task.
 * @param mask the mask.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
                                            uint64_t mask);

/**
 * The mask of the task.
 *
 * @param task the task.
 * @return the mask.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task);

/**
 * Descriptor for the other side of PCI (2.2: export_to_dpu).
 *
 * @param event the event.
 * @param dev the device.
 * @param data where to put the data.
 * @param sz where to put the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
                                                  struct doca_dev *dev, const uint8_t **data,
                                                  size_t *sz);

/**
 * Tells whether this is supported: export to remote pci.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param event the event.
 * @param dpa the DPA.
 * @param dpa_dev_se_handle where to put the DPA device se handle.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
                                            doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param event the event.
 * @param gpu the GPU.
 * @param gpu_dev_se where to put the GPU device se.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
                                            doca_gpu_dev_sync_event_t **gpu_dev_se);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Descriptor for RDMA peers.
 *
 * @param event the event.
 * @param data where to put the data.
 * @param sz where to put the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
                                                  const uint8_t **data, size_t *sz);

/**
 * Tells whether this is supported: export to remote net.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_export_to_remote_net_supported(const struct doca_devinfo *devinfo);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param event the remote event.
 * @param dpa the DPA.
 * @param dpa_remote_event where to put the DPA remote event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_dpa *dpa,
                                          doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param event the remote event.
 * @param gpu the GPU.
 * @param gpu_remote_event where to put the GPU remote event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_get_gpu_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_gpu *gpu,
                                          doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Sync event get.
 *
 * @param event the event.
 * @param value where to put the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
    DOCA_3_SYMBOL(sync_event_get);

/**
 * Sync event update add.
 *
 * @param event the event.
 * @param value the value.
 * @param fetched where to put the fetched.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched) DOCA_3_SYMBOL(sync_event_update_add);

/**
 * Sync event update set.
 *
 * @param event the event.
 * @param value the value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
    DOCA_3_SYMBOL(sync_event_update_set);

/**
 * Sync event wait gt.
 *
 * @param event the event.
 * @param value the value.
 * @param mask the mask.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
    DOCA_3_SYMBOL(sync_event_wait_gt);

/**
 * Sync event wait gt yield.
 *
 * @param event the event.
 * @param value the value.
 * @param mask the mask.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask) DOCA_3_SYMBOL(sync_event_wait_gt_yield);

/**
 * Blocks until (value & mask) equals; busy.
 *
 * @param event the event.
 * @param value the value.
 * @param mask the mask.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * The same, yielding the CPU.
 *
 * @param event the event.
 * @param value the value.
 * @param mask the mask.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask);

/**
 * Blocks until (value & mask) differs; busy.
 *
 * @param event the event.
 * @param value the value.
 * @param mask the mask.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * The same, yielding.
 *
 * @param event the event.
 * @param value the value.
 * @param mask the mask.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
                                            uint64_t mask);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_SYNC_EVENT_H_ */
