/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
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
/** A sync event task: wait gt. */
struct doca_sync_event_task_wait_gt;
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
typedef void (*doca_sync_event_task_wait_gt_completion_cb_t)(
    struct doca_sync_event_task_wait_gt *task, union doca_data task_user_data,
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
 * Makes an event whose value is 0. It needs a publisher and a subscriber location, and is then
 * started, by doca_sync_event_start() or as a context.
 *
 * @param event receives the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL;
 *   DOCA_ERROR_NO_MEMORY memory or descriptors ran out.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create(struct doca_sync_event **event)
    DOCA_3_SYMBOL(sync_event_create);

/**
 * Makes an event from the export of a program on the other side of PCI, with the same value. It
 * needs no locations, but must be started.
 *
 * @param dev the physical function of a DPU to which it was exported.
 * @param data the descriptor; not needed afterwards.
 * @param sz its length in bytes.
 * @param event receives the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the descriptor is truncated, altered, or not
 *     of an event;
 *   DOCA_ERROR_NOT_SUPPORTED the device is not a physical function of a DPU, or not the one for
 *     it;
 *   DOCA_ERROR_NO_MEMORY memory, or a quota of docad, ran out;
 *   DOCA_ERROR_UNSUPPORTED_VERSION a later version has made the descriptor;
 *   DOCA_ERROR_NOT_FOUND it is of a node that was never linked;
 *   DOCA_ERROR_NOT_PERMITTED the export was revoked, or its owner has gone;
 *   DOCA_ERROR_DRIVER docad, or the one of the owner, is out of reach.
 *
 * Source: table; UNSUPPORTED_VERSION and the errors after it are our choice. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event)
    DOCA_3_SYMBOL(sync_event_create_from_export);

/**
 * Says whether events that programs on the other side of PCI have exported can be imported on the
 * device: physical functions of a DPU can.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS if they can;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Makes what RDMA tasks need to read, set and add to an event of another program, from the
 * descriptor of doca_sync_event_export_to_remote_net().
 *
 * @param dev the device on which the tasks run.
 * @param data the descriptor; not needed afterwards.
 * @param sz its length in bytes.
 * @param event receives the remote event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the descriptor is truncated, altered, or not of an
 *     event for a network;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here;
 *   DOCA_ERROR_NO_MEMORY if memory, or a quota of docad, ran out;
 *   DOCA_ERROR_UNSUPPORTED_VERSION if a later version has made the descriptor;
 *   DOCA_ERROR_NOT_FOUND if it is of a node that was never linked;
 *   DOCA_ERROR_NOT_PERMITTED if the export was revoked, its owner has gone, or docad's policy
 *     forbids it;
 *   DOCA_ERROR_DRIVER if docad, or that of the owner, is out of reach.
 *
 * Source: table; UNSUPPORTED_VERSION and the errors after it are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
                                              struct doca_sync_event_remote_net **event);

/**
 * Says whether RDMA tasks on the device can use events that programs have exported to a network:
 * they can on every device.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Frees an event and ends its exports: waits and tasks of those who imported it fail with
 * DOCA_ERROR_CONNECTION_RESET. An event that doca_sync_event_start() has started need not be
 * stopped. Memory of doca_sync_event_set_addr() is the program's again.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, or its context is not idle: nothing has happened.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
    DOCA_3_SYMBOL(sync_event_destroy);

/**
 * Frees a remote event. No task that uses it may be in flight. The event of the owner is not
 * changed.
 *
 * @param event the remote event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/**
 * Says that the publisher, which changes the value, is a program of this node. An event of one's
 * own has one publisher location.
 *
 * @param event the event.
 * @param dev a device of this node.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, the event is started or was imported, or has
 *     such a location.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
                                                        struct doca_gpu *gpu);

/**
 * Says that the publisher is a program on the other side of PCI, to which the event will be
 * exported; programs of this node may change the value all the same.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, started or imported, or has such a location.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event);

/**
 * Says that the publisher is a program at the other end of an RDMA connection, to which the event
 * will be exported; programs of this node may change the value all the same. The event's device is
 * that of its subscriber location.
 *
 * @param event the event, not started.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if event is NULL, started or imported, or has a publisher location;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);

/**
 * Says that the subscriber, which reads the value and waits, is a program of this node. An event
 * of one's own has one subscriber location.
 *
 * @param event the event.
 * @param dev a device of this node.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, the event is started or was imported, or has
 *     such a location.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
                                                         struct doca_gpu *gpu);

/**
 * Says that the subscriber is a program on the other side of PCI, to which the event will be
 * exported; programs of this node may wait all the same.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, started or imported, or has such a location.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event);

/**
 * Puts the value of an event that is not started into memory of the program, with what is there.
 * Without this call the library provides the memory. From the first export on change it through
 * the event only.
 *
 * @param event the event.
 * @param addr 8 bytes, valid until the event is destroyed. If it is not a multiple of 8, each
 *   access takes a lock.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the event is started or exported;
 *   DOCA_ERROR_NOT_SUPPORTED the event was imported.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr)
    DOCA_3_SYMBOL(sync_event_set_addr);

/**
 * As doca_sync_event_set_addr(), with the data section of a buffer, which must be 8 bytes long. The
 * event takes no reference of it: the memory must stay valid, the buffer need not.
 *
 * @param event the event.
 * @param buf the buffer: in no list, of a map with DOCA_ACCESS_FLAG_LOCAL_READ_WRITE.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer was given back;
 *   DOCA_ERROR_BAD_STATE the event is started or exported;
 *   DOCA_ERROR_NOT_PERMITTED the buffer's data section is not 8 bytes of it, or the buffer is in a
 *     list, in memory that cannot be written, or in memory that was imported;
 *   DOCA_ERROR_NOT_SUPPORTED the event was imported.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf);

/**
 * Starts an event for calls that work at once: get, update and wait. It has no tasks then.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL or started, or lacks a location.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_start(struct doca_sync_event *event) DOCA_3_SYMBOL(sync_event_start);

/**
 * Ends what doca_sync_event_start() began; the event can be started again, also as a context.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, or was not started by that call.
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
 * Says whether events on the device have tasks that read the value: they do on every device.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE devinfo is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the callbacks of tasks that read the value, and makes the tasks, on an event that is not
 * started. Another call replaces them.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the number is 0 or more than 65,536;
 *   DOCA_ERROR_NOT_PERMITTED the event is started, either way;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NO_MEMORY there is no memory for so many.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_get_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
    doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task that reads the value.
 *
 * @param event the event.
 * @param ret_val_ptr where the value is put before the callback.
 * @param user_data data of the program, carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY all tasks are taken;
 *   DOCA_ERROR_BAD_STATE the event's context does not run, or was started without such tasks;
 *   DOCA_ERROR_INVALID_VALUE event or task is NULL.
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
 * Sets where a task that is not in flight puts the value.
 *
 * @param task the task.
 * @param ret_val_ptr where the value is put.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
                                              uint64_t *ret_val_ptr);

/**
 * Where the task puts the value.
 *
 * @param task the task.
 * @return the pointer; NULL if task is NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task);

/**
 * Says whether events on the device have tasks that set the value: they do on every device.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE devinfo is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the callbacks of tasks that set the value, and makes the tasks, on an event that is not
 * started. Another call replaces them.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the number is 0 or more than 65,536;
 *   DOCA_ERROR_NOT_PERMITTED the event is started, either way;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NO_MEMORY there is no memory for so many.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_set_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_set_completion_cb_t completion_cb,
    doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task that sets the value.
 *
 * @param event the event.
 * @param set_val the new value.
 * @param user_data data of the program, carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY all tasks are taken;
 *   DOCA_ERROR_BAD_STATE the event's context does not run, or was started without such tasks;
 *   DOCA_ERROR_INVALID_VALUE event or task is NULL.
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
 * Sets to what a task that is not in flight sets the value.
 *
 * @param task the task.
 * @param set_val the new value.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
                                                 uint64_t set_val);

/**
 * To what the task sets the value.
 *
 * @param task the task.
 * @return it; 0 if task is NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task);

/**
 * Says whether events on the device have tasks that add to the value: they do on every device.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE devinfo is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the callbacks of tasks that add to the value, and makes the tasks, on an event that is not
 * started. Another call replaces them.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the number is 0 or more than 65,536;
 *   DOCA_ERROR_NOT_PERMITTED the event is started, either way;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NO_MEMORY there is no memory for so many.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_add_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_add_completion_cb_t completion_cb,
    doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task that adds to the value in one atomic step.
 *
 * @param event the event.
 * @param inc_val what to add.
 * @param fetched_val_ptr where the value before is put; may be NULL (our choice).
 * @param user_data data of the program, carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY all tasks are taken;
 *   DOCA_ERROR_BAD_STATE the event's context does not run, or was started without such tasks;
 *   DOCA_ERROR_INVALID_VALUE event or task is NULL.
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
 * Sets what a task that is not in flight adds.
 *
 * @param task the task.
 * @param inc_val what to add.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
                                                 uint64_t inc_val);

/**
 * What the task adds.
 *
 * @param task the task.
 * @return it; 0 if task is NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task);

/**
 * Sets where a task that is not in flight puts the value before.
 *
 * @param task the task.
 * @param fetched_val_ptr where the value before is put; may be NULL (our choice).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_fetched_val_ptr(
    struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr);

/**
 * Where the task puts the value before.
 *
 * @param task the task.
 * @return the pointer; NULL if there is none, or task is NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
    const struct doca_sync_event_task_notify_add *task);

/**
 * Says whether events on the device have tasks that wait until it is greater: they do on every
 * device.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE devinfo is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table of 2.6. Since: 2.5; not in the tables of 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_gt_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the callbacks of tasks that wait until it is greater, and makes the tasks, on an event that
 * is not started. Another call replaces them.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the number is 0 or more than 65,536;
 *   DOCA_ERROR_NOT_PERMITTED the event is started, either way;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NO_MEMORY there is no memory for so many.
 *
 * Source: table of 2.6. Since: 2.5; not in the tables of 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_gt_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_gt_completion_cb_t completion_cb,
    doca_sync_event_task_wait_gt_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task that is done when the value, seen through the mask, is greater than wait_val.
 * In event-driven mode it costs nothing until the value changes.
 *
 * @param event the event.
 * @param wait_val what it must exceed.
 * @param mask the bits that count: all, or 1, 2, 4 or 8 neighbouring bytes of 0xff.
 *   doca_task_try_submit() checks it; here any mask works.
 * @param user_data data of the program, carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY all tasks are taken;
 *   DOCA_ERROR_BAD_STATE the event's context does not run, or was started without such tasks;
 *   DOCA_ERROR_INVALID_VALUE event or task is NULL.
 *
 * Source: table of 2.6. Since: 2.5; not in the tables of 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_gt_alloc_init(struct doca_sync_event *event,
                                                     uint64_t wait_val, uint64_t mask,
                                                     union doca_data user_data,
                                                     struct doca_sync_event_task_wait_gt **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table of 2.6. Since: 2.5; not in the tables of 3.0.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_wait_gt_as_doca_task(struct doca_sync_event_task_wait_gt *task);

/**
 * Sets with what a task that is not in flight compares the value.
 *
 * @param task the task.
 * @param wait_val the number to compare with.
 *
 * Source: table of 2.6. Since: 2.5; not in the tables of 3.0.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_gt_set_wait_val(struct doca_sync_event_task_wait_gt *task,
                                               uint64_t wait_val);

/**
 * With what the task compares the value.
 *
 * @param task the task.
 * @return it; 0 if task is NULL.
 *
 * Source: table of 2.6. Since: 2.5; not in the tables of 3.0.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_gt_get_wait_val(const struct doca_sync_event_task_wait_gt *task);

/**
 * Sets which bits count for a task that is not in flight.
 *
 * @param task the task.
 * @param mask the bits that count.
 *
 * Source: table of 2.6. Since: 2.5; not in the tables of 3.0.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_gt_set_mask(struct doca_sync_event_task_wait_gt *task,
                                           uint64_t mask);

/**
 * Which bits count for the task.
 *
 * @param task the task.
 * @return them; 0 if task is NULL.
 *
 * Source: table of 2.6. Since: 2.5; not in the tables of 3.0.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_gt_get_mask(const struct doca_sync_event_task_wait_gt *task);

/**
 * Says whether events on the device have tasks that wait for a value: they do on every device.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE devinfo is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the callbacks of tasks that wait for a value, and makes the tasks, on an event that is not
 * started. Another call replaces them.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the number is 0 or more than 65,536;
 *   DOCA_ERROR_NOT_PERMITTED the event is started, either way;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NO_MEMORY there is no memory for so many.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_eq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task that is done when the value, seen through the mask, is equal to (wait_val & mask).
 * In event-driven mode it costs nothing until the value changes.
 *
 * @param event the event.
 * @param wait_val what to wait for.
 * @param mask the bits that count: all, or 1, 2, 4 or 8 neighbouring bytes of 0xff.
 *   doca_task_try_submit() checks it; here any mask works.
 * @param user_data data of the program, carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY all tasks are taken;
 *   DOCA_ERROR_BAD_STATE the event's context does not run, or was started without such tasks;
 *   DOCA_ERROR_INVALID_VALUE event or task is NULL.
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
 * Sets with what a task that is not in flight compares the value.
 *
 * @param task the task.
 * @param wait_val the number to compare with.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
                                               uint64_t wait_val);

/**
 * With what the task compares the value.
 *
 * @param task the task.
 * @return it; 0 if task is NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task);

/**
 * Sets which bits count for a task that is not in flight.
 *
 * @param task the task.
 * @param mask the bits that count.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task,
                                           uint64_t mask);

/**
 * Which bits count for the task.
 *
 * @param task the task.
 * @return them; 0 if task is NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task);

/**
 * Says whether events on the device have tasks that wait for a change: they do on every device.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE devinfo is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo);

/**
 * Sets the callbacks of tasks that wait for a change, and makes the tasks, on an event that is not
 * started. Another call replaces them.
 *
 * @param event the event.
 * @param completion_cb called for each task that was done.
 * @param error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the number is 0 or more than 65,536;
 *   DOCA_ERROR_NOT_PERMITTED the event is started, either way;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are allocated;
 *   DOCA_ERROR_NO_MEMORY there is no memory for so many.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_neq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks);

/**
 * Takes a task that is done when the value, seen through the mask, differs from (wait_val & mask).
 * In event-driven mode it costs nothing until the value changes.
 *
 * @param event the event.
 * @param wait_val what it must differ from.
 * @param mask the bits that count: all, or 1, 2, 4 or 8 neighbouring bytes of 0xff.
 *   doca_task_try_submit() checks it; here any mask works.
 * @param user_data data of the program, carried and never interpreted.
 * @param task receives the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY all tasks are taken;
 *   DOCA_ERROR_BAD_STATE the event's context does not run, or was started without such tasks;
 *   DOCA_ERROR_INVALID_VALUE event or task is NULL.
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
 * Sets with what a task that is not in flight compares the value.
 *
 * @param task the task.
 * @param wait_val the number to compare with.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
                                                uint64_t wait_val);

/**
 * With what the task compares the value.
 *
 * @param task the task.
 * @return it; 0 if task is NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task);

/**
 * Sets which bits count for a task that is not in flight.
 *
 * @param task the task.
 * @param mask the bits that count.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
                                            uint64_t mask);

/**
 * Which bits count for the task.
 *
 * @param task the task.
 * @return them; 0 if task is NULL.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task);

/**
 * Returns a descriptor by which a program on the other side of PCI makes its event, with
 * doca_sync_event_create_from_export(). It has at most 256 bytes, belongs to the event, and is
 * valid until the event is destroyed. A second call returns the same. Whoever has it may import
 * the event.
 *
 * @param event the event.
 * @param dev a device of this node.
 * @param data receives where the descriptor is.
 * @param sz receives its length in bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the event was imported, is not started, or
 *     has no location on the other side;
 *   DOCA_ERROR_NOT_SUPPORTED nobody is on the other side of the device;
 *   DOCA_ERROR_NO_MEMORY memory, or a quota of docad, ran out;
 *   DOCA_ERROR_DRIVER docad has gone, or failed.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
                                                  struct doca_dev *dev, const uint8_t **data,
                                                  size_t *sz);

/**
 * Says whether events can be exported across PCI with the device: functions of a host can.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS if they can;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
                                            doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * Says whether programs of a DPA can use events on the device: there is no DPA here.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_ERROR_NOT_SUPPORTED on every device;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
                                            doca_gpu_dev_sync_event_t **gpu_dev_se);

/**
 * Says whether programs of a GPU can use events on the device: there is no GPU here.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_ERROR_NOT_SUPPORTED on every device;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Returns a descriptor by which a program at the other end of an RDMA connection makes its remote
 * event, with doca_sync_event_remote_net_create_from_export(). It has at most 256 bytes, belongs to
 * the event, and is valid until the event is destroyed. A second call returns the same. Whoever has
 * it may change the value.
 *
 * @param event the event: started, with a remote publisher and a location on the CPU.
 * @param data receives where the descriptor is.
 * @param sz receives its length in bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if an argument is NULL, or the event was imported, is not started, has
 *     no device, or another publisher;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here;
 *   DOCA_ERROR_NO_MEMORY if memory, or a quota of docad, ran out;
 *   DOCA_ERROR_DRIVER if docad has gone, refuses, or failed.
 *
 * Source: table; DRIVER: our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
                                                  const uint8_t **data, size_t *sz);

/**
 * Says whether events can be exported to a network with the device: they can with every device.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_dpa *dpa,
                                          doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/**
 * Says whether programs of a DPA can use events on the device: there is no DPA here.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_ERROR_NOT_SUPPORTED on every device;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
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
 * @return DOCA_ERROR_NOT_SUPPORTED, whatever the arguments are. The table also names
 *   DOCA_ERROR_INVALID_VALUE and DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_get_gpu_handle(struct doca_sync_event_remote_net *event,
                                          struct doca_gpu *gpu,
                                          doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);

/**
 * Says whether programs of a GPU can use events on the device: there is no GPU here.
 *
 * @param devinfo the device, from a list of devices.
 * @return DOCA_ERROR_NOT_SUPPORTED on every device;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Reads the value of an event that doca_sync_event_start() has started.
 *
 * @param event the event.
 * @param value receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the event is not started so;
 *   DOCA_ERROR_NOT_PERMITTED the event was imported, and its export is revoked;
 *   DOCA_ERROR_CONNECTION_RESET its owner has gone;
 *   DOCA_ERROR_NOT_CONNECTED a docad on the way is out of reach.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
    DOCA_3_SYMBOL(sync_event_get);

/**
 * Adds to the value of an event that doca_sync_event_start() has started, in one atomic step;
 * beyond 2^64 it begins again at 0. Whoever waits sees it.
 *
 * @param event the event.
 * @param value what to add.
 * @param fetched receives the value before.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the event is not started so;
 *   DOCA_ERROR_NOT_PERMITTED the event was imported, and its export is revoked;
 *   DOCA_ERROR_CONNECTION_RESET its owner has gone;
 *   DOCA_ERROR_NOT_CONNECTED a docad on the way is out of reach.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched) DOCA_3_SYMBOL(sync_event_update_add);

/**
 * Sets the value of an event that doca_sync_event_start() has started. Whoever waits sees it.
 *
 * @param event the event.
 * @param value the new value.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, or not started so;
 *   DOCA_ERROR_NOT_PERMITTED the event was imported, and its export is revoked;
 *   DOCA_ERROR_CONNECTION_RESET its owner has gone;
 *   DOCA_ERROR_NOT_CONNECTED a docad on the way is out of reach.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
    DOCA_3_SYMBOL(sync_event_update_set);

/**
 * Waits until the event's value, seen through the mask, is greater than `value`. It uses the CPU
 * all the time, and yields it to other threads after long waits. A wait of the owner ends as well
 * when nobody is left who could change the value.
 *
 * @param event the event.
 * @param value the value that it must exceed.
 * @param mask the bits that count; any will do (our choice).
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, or not started by doca_sync_event_start();
 *   DOCA_ERROR_NOT_PERMITTED the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET the owner of an imported event has gone, or the last program that
 *     had imported one's own;
 *   DOCA_ERROR_NOT_CONNECTED a docad on the way is out of reach.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
    DOCA_3_SYMBOL(sync_event_wait_gt);

/**
 * Waits until the event's value, seen through the mask, is greater than `value`. It yields the CPU
 * after each look. A wait of the owner ends as well when nobody is left who could change the
 * value.
 *
 * @param event the event.
 * @param value the value that it must exceed.
 * @param mask the bits that count; any will do (our choice).
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, or not started by doca_sync_event_start();
 *   DOCA_ERROR_NOT_PERMITTED the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET the owner of an imported event has gone, or the last program that
 *     had imported one's own;
 *   DOCA_ERROR_NOT_CONNECTED a docad on the way is out of reach.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask) DOCA_3_SYMBOL(sync_event_wait_gt_yield);

/**
 * Waits until the event's value, seen through the mask, is equal to (value & mask). It uses the
 * CPU all the time, and yields it to other threads after long waits. A wait of the owner ends as
 * well when nobody is left who could change the value.
 *
 * @param event the event.
 * @param value what to wait for.
 * @param mask the bits that count; any will do (our choice).
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, or not started by doca_sync_event_start();
 *   DOCA_ERROR_NOT_PERMITTED the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET the owner of an imported event has gone, or the last program that
 *     had imported one's own;
 *   DOCA_ERROR_NOT_CONNECTED a docad on the way is out of reach.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * Waits until the event's value, seen through the mask, is equal to (value & mask). It yields the
 * CPU after each look. A wait of the owner ends as well when nobody is left who could change the
 * value.
 *
 * @param event the event.
 * @param value what to wait for.
 * @param mask the bits that count; any will do (our choice).
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, or not started by doca_sync_event_start();
 *   DOCA_ERROR_NOT_PERMITTED the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET the owner of an imported event has gone, or the last program that
 *     had imported one's own;
 *   DOCA_ERROR_NOT_CONNECTED a docad on the way is out of reach.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask);

/**
 * Waits until the event's value, seen through the mask, differs from (value & mask). It uses the
 * CPU all the time, and yields it to other threads after long waits. A wait of the owner ends as
 * well when nobody is left who could change the value.
 *
 * @param event the event.
 * @param value what it must differ from.
 * @param mask the bits that count; any will do (our choice).
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, or not started by doca_sync_event_start();
 *   DOCA_ERROR_NOT_PERMITTED the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET the owner of an imported event has gone, or the last program that
 *     had imported one's own;
 *   DOCA_ERROR_NOT_CONNECTED a docad on the way is out of reach.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * Waits until the event's value, seen through the mask, differs from (value & mask). It yields the
 * CPU after each look. A wait of the owner ends as well when nobody is left who could change the
 * value.
 *
 * @param event the event.
 * @param value what it must differ from.
 * @param mask the bits that count; any will do (our choice).
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE event is NULL, or not started by doca_sync_event_start();
 *   DOCA_ERROR_NOT_PERMITTED the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET the owner of an imported event has gone, or the last program that
 *     had imported one's own;
 *   DOCA_ERROR_NOT_CONNECTED a docad on the way is out of reach.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
                                            uint64_t mask);

/* Names that 2.5 and 2.6 have for functions above. */
#define doca_sync_event_add_publisher_location_dpu doca_sync_event_add_publisher_location_remote_pci
#define doca_sync_event_add_subscriber_location_dpu                                                \
    doca_sync_event_add_subscriber_location_remote_pci
#define doca_sync_event_export_to_dpu doca_sync_event_export_to_remote_pci
#define doca_sync_event_cap_is_export_to_dpu_supported                                             \
    doca_sync_event_cap_is_export_to_remote_pci_supported

#ifdef __cplusplus
}
#endif

#endif /* DOCA_SYNC_EVENT_H_ */
