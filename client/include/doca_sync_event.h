/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_sync_event.h
 * Sync events: 64-bit counters that programs of the host and of the DPU change, read and wait for.
 *
 * An event is made on the host, started, and exported to the DPU; the DPU makes its own event from
 * the export and starts it. Changing and reading are single atomic instructions, unless the
 * counter lies in memory of the application: then docad does them. Events are thread safe, except
 * that nobody may use an event that is being stopped or destroyed.
 *
 * When the owner of an event or its docad goes, programs that have imported the event get an
 * error, even if they are waiting.
 *
 * The owner's waits end with an error, within 100 ms, once no program is left that could change
 * the counter. These programs could:
 *   - the owner's own program, in any thread, if the event has a publisher location on this
 *     node: its waits then never end this way. A publisher on the DPU says that the program
 *     itself does not change the counter, and that its waits are for others;
 *   - every program that has imported an export of the event;
 *   - every program that may still import an export that no other program has imported yet,
 *     as long as docad, which would serve that import, is there.
 *     would serve that, is there.
 * No program is left for an export when the last importer gives it back or ends
 * (DOCA_ERROR_CONNECTION_RESET), when the last importer's node is out of reach
 * (DOCA_ERROR_NOT_CONNECTED), when the export is revoked (DOCA_ERROR_NOT_PERMITTED), or when the
 * owner's docad has gone (DOCA_ERROR_NOT_CONNECTED); a docad that restarts and keeps its state has
 * not gone. A wait ends when no program is left for any export. A wait for an event that was not
 * exported has no limit. A counter that is past the threshold ends a wait with success, even if
 * everybody has gone. When the event is imported again, waits work as before. Reading and changing
 * the counter do not depend on others.
 *
 * Every call returns DOCA_ERROR_INVALID_VALUE for a NULL argument.
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

/** Sync events as other processing units know them. */
struct doca_dpa_sync_event;
struct doca_gpu_sync_event;

/** A DPA, a GPU. There are none here. */
struct doca_dpa;
struct doca_gpu;

/** Handles on other processing units. */
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
    DOCA_SYNC_EVENT_JOB_UPDATE_ADD  /**< struct doca_sync_event_job_update_add */
};

/**
 * The contents of event.result. If a job fails, doca_workq_progress_retrieve() returns
 * DOCA_ERROR_IO_FAILED, with the reason here: NOT_PERMITTED if an imported event was revoked,
 * CONNECTION_RESET if its owner has gone, NOT_CONNECTED if a docad on the way to the owner is out
 * of reach, IO_FAILED if memory of the application could not be reached. The owner's waits fail
 * with one of the first three if no program is left that could change the counter.
 */
struct doca_sync_event_result {
    doca_error_t result; /**< DOCA_SUCCESS, or why the job failed. */
};

/**
 * Waits until (counter & mask) > value. On hardware both sides of the comparison stay below 255;
 * here any value will do. In event-driven mode the wait costs nothing until the counter changes;
 * it then does not notice changes of an application's own memory that bypass the event.
 */
struct doca_sync_event_job_wait {
    struct doca_job base; /**< type is DOCA_SYNC_EVENT_JOB_WAIT_GT. */
    uint64_t value;       /**< The threshold. */
    uint64_t mask;        /**< The bits of the counter to compare. */
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
 * Makes an event whose counter is 0. Set a publisher and a subscriber location, then start it. No
 * docad needs to run for this call.
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
 * Makes an event from the export of a program of the host, with the same counter. It needs no
 * configuration, but must be started.
 *
 * @param dev the physical function of a DPU with the same port as the function on which the event
 *   was exported.
 * @param data the descriptor; not needed afterwards.
 * @param sz its length in bytes.
 * @param event receives the event.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the descriptor is truncated, altered, or not
 *   of an event;
 *   DOCA_ERROR_NOT_SUPPORTED if the device cannot import events, or not this one;
 *   DOCA_ERROR_NO_MEMORY also for a quota of docad's;
 *   DOCA_ERROR_UNSUPPORTED_VERSION if a later version has made the descriptor;
 *   DOCA_ERROR_NOT_FOUND if it is of a node that was never linked;
 *   DOCA_ERROR_NOT_PERMITTED if it was revoked, or its owner has gone;
 *   DOCA_ERROR_DRIVER if docad, or the owner's, is out of reach.
 *
 * Source: table; UNSUPPORTED_VERSION and the errors after it are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
                                                size_t sz, struct doca_sync_event **event);

/**
 * Says whether events can be imported on the device.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot: it is not a physical function of a DPU.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_create_from_export_supported(const struct doca_devinfo *devinfo);

/**
 * Destroys an event, started or not, with its exports: its importers get
 * DOCA_ERROR_CONNECTION_RESET. Memory given to doca_sync_event_set_addr() belongs to the
 * application again.
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
 * Says that the publisher (which changes the counter) is a program of this node, possibly the
 * event's owner. There is one publisher location.
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
 * Would make a DPA the publisher. There are none here.
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
 * Would make a GPU the publisher. There are none here.
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
 * Says that the publisher (which changes the counter) is a program of the DPU, to which the event
 * will be exported; programs of this node may change it all the same. There is one publisher
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
doca_error_t doca_sync_event_publisher_add_location_dpu(struct doca_sync_event *event);

/**
 * Says that the subscriber (which reads the counter and waits) is a program of this node. There is
 * one subscriber location.
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
 * Would make a DPA the subscriber. There are none here.
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
 * Would make a GPU the subscriber. There are none here.
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
 * Says that the subscriber (which reads the counter and waits) is a program of the DPU, to which
 * the event will be exported; programs of this node may read it all the same. There is one
 * subscriber location.
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
 * Places the counter in memory of the application, with the value that is there. Without this call
 * the library provides the memory. The memory must stay valid until the event is destroyed. From
 * the first export on change it through events only, because docad then does all changes.
 *
 * Memory that is not aligned to 8 bytes costs a lock for each operation before the first export.
 * Threads that read it without the event may see half a change; the event's own functions and jobs
 * do not.
 *
 * @param event an event of one's own that is not started.
 * @param addr 8 bytes anywhere, at any address.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_BAD_STATE if the event is started or exported;
 *   DOCA_ERROR_NOT_SUPPORTED if it was imported.
 *
 * Source: table; which error means what is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr);

/**
 * Starts the event in synchronous mode, for the calls below from any thread. It then cannot be
 * used through work queues.
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
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if it was not started that way.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/**
 * Returns the event as a context, for asynchronous mode. It takes no device, and takes jobs
 * through work queues in either mode. doca_ctx_start() starts it, and returns
 * DOCA_ERROR_INVALID_VALUE if a location is missing.
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
 * Says whether a device's events can execute a job.
 *
 * @param devinfo the device.
 * @param type which job.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a type that is not a sync event job;
 *   DOCA_ERROR_NOT_SUPPORTED is not answered here: all devices can.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_job_get_supported(struct doca_devinfo *devinfo,
                                               enum doca_sync_event_job_types type);

/**
 * Offers the event to programs of the DPU. The descriptor is at most 256 bytes long. Anybody who
 * shows it to the right docad may import the event, until it is revoked or destroyed. Further
 * calls for the same device return the same descriptor.
 *
 * @param event a started event of one's own that has a location on the DPU.
 * @param dev the function of the host to export it on.
 * @param data receives the descriptor, which belongs to the event.
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
 * Says whether events can be exported to the DPU on the device.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if they cannot: it is not a function of a host.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_export_to_dpu_supported(const struct doca_devinfo *devinfo);

/**
 * Would export the event to a DPA. There are none here.
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
 * Says whether events can be exported to a DPA.
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
 * Would export the event to a GPU. There are none here.
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
 * Says whether events can be exported to a GPU.
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
 * Returns a handle of the event. Nothing here takes one yet.
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
 * Adds to the counter, atomically among all users of the event.
 *
 * @param event an event that is started in synchronous mode.
 * @param value what to add; beyond 2^64 it starts again at 0.
 * @param fetched receives the previous value of the counter.
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
 * Waits until (counter & mask) > value, for as long as some program could change the counter. If
 * the condition holds already, returns at once; the wait may miss a value that is quickly
 * overwritten. The thread uses its whole processor, but yields it to others after every few
 * thousand looks.
 *
 * @param event an event that is started in synchronous mode.
 * @param value the threshold.
 * @param mask the bits of the counter that count.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the event is not started in synchronous mode;
 *   DOCA_ERROR_NOT_PERMITTED if the imported event, or the owner's last export, was revoked;
 *   DOCA_ERROR_CONNECTION_RESET if its owner has gone, or the last program that the owner could
 *   wait for;
 *   DOCA_ERROR_NOT_CONNECTED if a docad on the way to the owner is out of reach, or the owner's
 *   own, or that of the last program that the owner could wait for.
 *
 * Source: table; the errors after INVALID_VALUE are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/**
 * Does the same, but lets others use the processor after each look.
 *
 * @param event an event that is started in synchronous mode.
 * @param value the threshold.
 * @param mask the bits of the counter that count.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the event is not started in synchronous mode;
 *   DOCA_ERROR_NOT_PERMITTED if the imported event, or the owner's last export, was revoked;
 *   DOCA_ERROR_CONNECTION_RESET if its owner has gone, or the last program that the owner could
 *   wait for;
 *   DOCA_ERROR_NOT_CONNECTED if a docad on the way to the owner is out of reach, or the owner's
 *   own, or that of the last program that the owner could wait for.
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
