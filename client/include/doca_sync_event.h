// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_sync_event.h
 * Sync events: a 64-bit counter that programs of the host and of the DPU change, read and
 * wait for.
 *
 * An event is made on the host, started, and exported to the DPU; there it is made from the
 * export and started. Changing and reading are single atomic instructions, unless the counter
 * lies in memory of the application's: then docad does it. Events are thread safe, except
 * that nobody may use an event that is being stopped or destroyed.
 *
 * When the owner goes, or its docad, those who have imported the event get an error, also
 * those who wait.
 *
 * The owner's waits end with an error, within 100 ms, once nobody is left who could change the
 * counter. These could:
 *   - the owner's own program, whichever of its threads, if the event has a publisher location on
 *     this node: then its waits do not end so. A publisher on the DPU says that the program itself
 *     does not, and that its waits are for others;
 *   - whoever has imported an export of the event;
 *   - whoever may still import an export that nobody else has imported yet, while docad, which
 *     would serve that, is there.
 * Nobody is left for an export when the last of those who had imported it gives it back or ends
 * (DOCA_ERROR_CONNECTION_RESET), when the node of that one is out of reach
 * (DOCA_ERROR_NOT_CONNECTED), when the export is revoked (DOCA_ERROR_NOT_PERMITTED), or when the
 * owner's docad has gone (DOCA_ERROR_NOT_CONNECTED); a docad that is restarted with what it had
 * has not. A wait ends when that is so of every export. An event that was not exported is waited
 * for without a limit. A counter that is past the threshold ends a wait with success, whoever has
 * gone; and when the event is imported again, waits go on as before. Reading and changing the
 * counter does not need others.
 *
 * Every call answers DOCA_ERROR_INVALID_VALUE to a NULL argument.
 *
 * Since 2.2.
 */
#ifndef DOCA_SYNC_EVENT_H_
#define DOCA_SYNC_EVENT_H_

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#error "DOCA 1.5 has no doca_sync_event.h"
#endif

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A sync event. */
struct doca_sync_event;

/** Sync events as other units know them. */
struct doca_dpa_sync_event;
struct doca_gpu_sync_event;

/** A DPA, a GPU. None can be had here. */
struct doca_dpa;
struct doca_gpu;

/** Handles of other units. */
typedef uint64_t doca_dpa_dev_sync_event_t;
typedef uint64_t doca_gpu_dev_sync_event_t;

/** A handle of an event. */
typedef struct doca_sync_event_remote {
    uint64_t data[2]; /**< Not to be interpreted. */
} doca_sync_event_remote_t;

/** Jobs of an event in asynchronous mode. */
enum doca_sync_event_job_types {
    DOCA_SYNC_EVENT_JOB_WAIT_GT = DOCA_ACTION_SYNC_EVENT_FIRST + 1, /**< doca_sync_event_job_wait */
    DOCA_SYNC_EVENT_JOB_GET,        /**< struct doca_sync_event_job_get */
    DOCA_SYNC_EVENT_JOB_UPDATE_SET, /**< struct doca_sync_event_job_update_set */
    DOCA_SYNC_EVENT_JOB_UPDATE_ADD, /**< struct doca_sync_event_job_update_add */
};

/**
 * What event.result holds. A failed job makes doca_workq_progress_retrieve() answer
 * DOCA_ERROR_IO_FAILED, with the reason here: NOT_PERMITTED if an imported event was revoked,
 * CONNECTION_RESET if its owner has gone, NOT_CONNECTED if a docad on the way to the owner is
 * out of reach, IO_FAILED if memory of the application's could not be reached. The owner's waits
 * fail with the first three of them if nobody is left who could change the counter.
 */
struct doca_sync_event_result {
    doca_error_t result; /**< DOCA_SUCCESS, or why the job failed. */
};

/**
 * Waits until (counter & mask) > value. On hardware both sides of the comparison stay below
 * 255; here any value will do. In event-driven mode the wait costs nothing until the counter
 * changes; changes of an application's own memory that do not go through an event are not
 * noticed then.
 */
struct doca_sync_event_job_wait {
    struct doca_job base; /**< type is DOCA_SYNC_EVENT_JOB_WAIT_GT. */
    uint64_t value;       /**< The threshold. */
    uint64_t mask;        /**< The bits of the counter that count. */
};

/** Reads the counter. */
struct doca_sync_event_job_get {
    struct doca_job base; /**< type is DOCA_SYNC_EVENT_JOB_GET. */
    uint64_t *value;      /**< Receives it before the job's event; never NULL. */
};

/** Sets the counter. */
struct doca_sync_event_job_update_set {
    struct doca_job base; /**< type is DOCA_SYNC_EVENT_JOB_UPDATE_SET. */
    uint64_t value;       /**< What to set it to. */
};

/** Adds to the counter. */
struct doca_sync_event_job_update_add {
    struct doca_job base; /**< type is DOCA_SYNC_EVENT_JOB_UPDATE_ADD. */
    uint64_t value;       /**< What to add. */
    uint64_t *fetched;    /**< Receives the counter before; never NULL. */
};

/**
 * Makes an event whose counter is 0. It takes a publisher and a subscriber location, and is
 * then started. No docad needs to run for it.
 *
 * @param event receives the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY also when the process has doca_ctx_get_max_num_ctx() contexts,
 *   among which events count.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create(struct doca_sync_event **event);

/**
 * Makes an event of what a program of the host has exported: the same counter. It is not
 * configured, but is to be started.
 *
 * @param dev the physical function of a DPU whose port is that of the function it was
 *   exported on.
 * @param data the descriptor; not needed afterwards.
 * @param sz its length in bytes.
 * @param event receives the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the descriptor is truncated, altered, or none
 *   of an event;
 *   DOCA_ERROR_NOT_SUPPORTED if the device cannot import events, or not this one;
 *   DOCA_ERROR_NO_MEMORY also for a quota of docad's;
 *   DOCA_ERROR_UNSUPPORTED_VERSION if a later version has made the descriptor;
 *   DOCA_ERROR_NOT_FOUND if it is of a node that was never linked;
 *   DOCA_ERROR_NOT_PERMITTED if it was revoked, or its owner has gone;
 *   DOCA_ERROR_DRIVER if docad, or the owner's, is out of reach.
 *
 * Source: table; from UNSUPPORTED_VERSION on our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event);

/**
 * Can events be imported on the device?
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot: it is no physical function of a DPU.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Destroys an event, started or not, with its exports: whoever has imported it finds
 * DOCA_ERROR_CONNECTION_RESET. Memory given to doca_sync_event_set_addr() is the
 * application's again.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or while it has work queues: nothing is changed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/**
 * The publisher (who changes the counter) is a program of this node, which may be the event's
 * owner. There is one publisher location.
 *
 * @param event an event of one's own that is not started.
 * @param dev a device of this node.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if the event is started or was imported, or has such
 *   a location;
 *   DOCA_ERROR_NOT_SUPPORTED if doca_dev_open_from_pd() has made the device.
 *
 * Source: table and guide; NOT_SUPPORTED is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_publisher_add_location_cpu(struct doca_sync_event *event,
                                                        struct doca_dev *dev);

/**
 * Would make a DPA the publisher. There is none here.
 *
 * @param event an event.
 * @param dpa a DPA.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise.
 *
 * Source: table; NOT_SUPPORTED is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_publisher_add_location_dpa(struct doca_sync_event *event,
                                                        struct doca_dpa *dpa);

/**
 * Would make a GPU the publisher. There is none here.
 *
 * @param event an event.
 * @param gpu a GPU.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise.
 *
 * Source: table; NOT_SUPPORTED is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_publisher_add_location_gpu(struct doca_sync_event *event,
                                                        struct doca_gpu *gpu);

/**
 * The publisher (who changes the counter) is a program of the DPU, to which the event will
 * be exported; programs of this node may act all the same. There is one publisher location.
 *
 * @param event an event of one's own that is not started.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if the event is started or was imported, or has such
 *   a location.
 *
 * Source: table and guide. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_publisher_add_location_dpu(struct doca_sync_event *event);

/**
 * The subscriber (who reads it and waits) is a program of this node. There is one
 * subscriber location.
 *
 * @param event an event of one's own that is not started.
 * @param dev a device of this node.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if the event is started or was imported, or has such
 *   a location;
 *   DOCA_ERROR_NOT_SUPPORTED if doca_dev_open_from_pd() has made the device.
 *
 * Source: table and guide; NOT_SUPPORTED is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_subscriber_add_location_cpu(struct doca_sync_event *event,
                                                         struct doca_dev *dev);

/**
 * Would make a DPA the subscriber. There is none here.
 *
 * @param event an event.
 * @param dpa a DPA.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise.
 *
 * Source: table; NOT_SUPPORTED is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_subscriber_add_location_dpa(struct doca_sync_event *event,
                                                         struct doca_dpa *dpa);

/**
 * Would make a GPU the subscriber. There is none here.
 *
 * @param event an event.
 * @param gpu a GPU.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise.
 *
 * Source: table; NOT_SUPPORTED is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_subscriber_add_location_gpu(struct doca_sync_event *event,
                                                         struct doca_gpu *gpu);

/**
 * The subscriber (who reads it and waits) is a program of the DPU, to which the event will
 * be exported; programs of this node may act all the same. There is one subscriber
 * location.
 *
 * @param event an event of one's own that is not started.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if the event is started or was imported, or has such
 *   a location.
 *
 * Source: table and guide. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_subscriber_add_location_dpu(struct doca_sync_event *event);

/**
 * Lets the counter lie in memory of the application's, with the value that is there.
 * Without it the library has memory for it. The memory stays as it is until the event is
 * destroyed; from the first export on it is changed through events only, since docad does
 * that for all of them.
 *
 * Memory that is not aligned to 8 bytes costs a lock for each operation before the first
 * export. Threads that read it without the event may see half a change there; the event's
 * own functions and jobs do not.
 *
 * @param event an event of one's own that is not started.
 * @param addr 8 bytes anywhere, at any address.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the event is started or exported;
 *   DOCA_ERROR_NOT_SUPPORTED if it was imported.
 *
 * Source: table; which error tells of what is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr);

/**
 * Starts the event in synchronous mode: for the calls below, from any thread. It cannot be
 * used through work queues then.
 *
 * @param event an event with both locations, or an imported one.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if a location is missing, or if it is started
 *   already.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/**
 * Stops an event that doca_sync_event_start() has started. Its exports stay.
 *
 * @param event the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if it was not so started.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/**
 * The event as a context, for asynchronous mode: it takes no device, is started by
 * doca_ctx_start(), which answers DOCA_ERROR_INVALID_VALUE if a location is missing, and
 * takes jobs through work queues in either mode.
 *
 * @param event the event.
 * @return its base, the same at each call; NULL for NULL, or if it was started in
 *   synchronous mode.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/**
 * Can a device's events execute a job?
 *
 * @param devinfo the device.
 * @param type which job.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a type that is none of a sync event's;
 *   DOCA_ERROR_NOT_SUPPORTED is not answered here: all devices can.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_job_get_supported(struct doca_devinfo *devinfo,
                                               enum doca_sync_event_job_types type);

/**
 * Offers the event to programs of the DPU. The descriptor is at most 256 bytes long;
 * whoever shows it to the right docad may import the event, until it is revoked or
 * destroyed. Asking again for the same device gives the same descriptor.
 *
 * @param event a started event of one's own that has a location on the DPU.
 * @param dev the function of the host to export it on.
 * @param data receives the descriptor, the event's.
 * @param sz receives its length in bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if it is not started, was imported, or has no
 *   location on the DPU;
 *   DOCA_ERROR_NOT_SUPPORTED if the device cannot export to a DPU;
 *   DOCA_ERROR_NO_MEMORY also for a quota of docad's;
 *   DOCA_ERROR_DRIVER if docad is out of reach.
 *
 * Source: table; DRIVER is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_dpu(struct doca_sync_event *event, struct doca_dev *dev,
                                           const uint8_t **data, size_t *sz);

/**
 * Can events be exported to the DPU on the device?
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot: it is no function of a host.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_export_to_dpu_supported(const struct doca_devinfo *devinfo);

/**
 * Would export the event to a DPA. There is none here.
 *
 * @param event the event.
 * @param dpa a DPA.
 * @param dpa_dev_se_handle would receive the handle.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise;
 *   DOCA_ERROR_NO_MEMORY is not answered here.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_dpa(struct doca_sync_event *event, struct doca_dpa *dpa,
                                           doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/**
 * Can events be exported to a DPA?
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise: there is none here.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/**
 * Would export the event to a GPU. There is none here.
 *
 * @param event the event.
 * @param gpu a GPU.
 * @param gpu_dev_se would receive the handle.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise;
 *   DOCA_ERROR_NO_MEMORY is not answered here.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_gpu(struct doca_sync_event *event, struct doca_gpu *gpu,
                                           doca_gpu_dev_sync_event_t **gpu_dev_se);

/**
 * Can events be exported to a GPU?
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED otherwise: there is none here.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/**
 * Gives a handle of the event. Nothing here takes one yet.
 *
 * @param event a started event of one's own.
 * @param handle receives the handle.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, if the event is not started, or was imported.
 *
 * Source: table; the states are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_remote(struct doca_sync_event *event,
                                           doca_sync_event_remote_t *handle);

/**
 * Reads the counter.
 *
 * @param event an event that is started in synchronous mode.
 * @param value receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the event is not started in synchronous mode;
 *   DOCA_ERROR_NOT_PERMITTED if the imported event was revoked;
 *   DOCA_ERROR_CONNECTION_RESET if its owner has gone;
 *   DOCA_ERROR_NOT_CONNECTED if a docad on the way to the owner is out of reach.
 *
 * Source: table; the errors after INVALID_VALUE are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/**
 * Adds to the counter, atomically among all who have the event.
 *
 * @param event an event that is started in synchronous mode.
 * @param value what to add; beyond 2^64 it starts again at 0.
 * @param fetched receives the counter before.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the event is not started in synchronous mode;
 *   DOCA_ERROR_NOT_PERMITTED if the imported event was revoked;
 *   DOCA_ERROR_CONNECTION_RESET if its owner has gone;
 *   DOCA_ERROR_NOT_CONNECTED if a docad on the way to the owner is out of reach.
 *
 * Source: table; the errors after INVALID_VALUE are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
                                        uint64_t *fetched);

/**
 * Sets the counter.
 *
 * @param event an event that is started in synchronous mode.
 * @param value what to set it to.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the event is not started in synchronous mode;
 *   DOCA_ERROR_NOT_PERMITTED if the imported event was revoked;
 *   DOCA_ERROR_CONNECTION_RESET if its owner has gone;
 *   DOCA_ERROR_NOT_CONNECTED if a docad on the way to the owner is out of reach.
 *
 * Source: table; the errors after INVALID_VALUE are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value);

/**
 * Waits until (counter & mask) > value, for as long as somebody could change the counter. If the
 * counter is past that already it returns at once; a value that another one overwrites quickly
 * may be missed. The thread uses all of its processor, which it offers to others every some
 * thousand looks.
 *
 * @param event an event that is started in synchronous mode.
 * @param value the threshold.
 * @param mask the bits of the counter that count.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the event is not started in synchronous mode;
 *   DOCA_ERROR_NOT_PERMITTED if the imported event, or the owner's last export, was revoked;
 *   DOCA_ERROR_CONNECTION_RESET if its owner has gone, or the last one that the owner could
 *   wait for;
 *   DOCA_ERROR_NOT_CONNECTED if a docad on the way to the owner is out of reach, or the
 *   owner's own, or that of the last one that it could wait for.
 *
 * Source: table; the errors after INVALID_VALUE are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * The same, but lets others use the processor after each look.
 *
 * @param event an event that is started in synchronous mode.
 * @param value the threshold.
 * @param mask the bits of the counter that count.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the event is not started in synchronous mode;
 *   DOCA_ERROR_NOT_PERMITTED if the imported event, or the owner's last export, was revoked;
 *   DOCA_ERROR_CONNECTION_RESET if its owner has gone, or the last one that the owner could
 *   wait for;
 *   DOCA_ERROR_NOT_CONNECTED if a docad on the way to the owner is out of reach, or the
 *   owner's own, or that of the last one that it could wait for.
 *
 * Source: table; the errors after INVALID_VALUE are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
                                           uint64_t mask);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_SYNC_EVENT_H_ */
