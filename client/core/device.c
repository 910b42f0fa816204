// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Open devices. There is one object for each function and session. It lives until the application
// has closed every open device and the last library object has released it.

#include "core/device_card.h"
#include "core/device_domain.h"
#include "core/device_list.h"
#include "core/device_object.h"
#include "core/process.h"
#include "core/report.h"
#include "verbs_device.h"

#include <stdatomic.h>
#include <doca_rdma_bridge.h>
#include <stdlib.h>
#include <string.h>

struct doca_dev {
    struct list link;           // in `devices`
    _Atomic unsigned refs;      // library objects, and one while opens > 0
    unsigned opens;             // the application's opens; under `opening`
    struct doca_devinfo *info;  // the first that it was opened through
    struct doca_devinfo *infos; // all of them
    struct verbs_device verbs;  // of an ibverbs device
};

// Changed under `opening`, which also keeps docad's view of a function in step with ours.
static struct list devices = {&devices, &devices};
static struct call_lock opening = CALL_LOCK_INIT;

const Docad__Function *dev_function(const struct doca_dev *dev)
{
    return dev->info->function;
}

const struct doca_devinfo *dev_devinfo(const struct doca_dev *dev)
{
    return dev->info;
}

struct session *dev_session(const struct doca_dev *dev)
{
    return dev->info->session;
}

const struct verbs_device *dev_verbs(const struct doca_dev *dev)
{
    return dev->verbs.context ? &dev->verbs : NULL;
}

doca_error_t dev_known(const struct doca_dev *dev, struct errtext *err)
{
    if (dev_session(dev))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                       "device %s was made from a protection domain: only memory maps "
                       "can use it",
                       dev_function(dev)->name);
}

// ---- opening and closing, under `opening` ------------------------------------------

static struct doca_dev *dev_find(const struct doca_devinfo *devinfo)
{
    struct doca_dev *dev;
    list_for_each (dev, &devices, link)
        if (dev_session(dev) == devinfo->session && dev_function(dev)->id == devinfo->function->id)
            return dev;
    return NULL;
}

// Keeps the info as long as the device, because its list may be destroyed first.
static void dev_hold_info(struct doca_dev *dev, struct doca_devinfo *devinfo)
{
    if (devinfo->opened == dev)
        return;
    devinfo->opened = dev;
    devinfo->next_opened = dev->infos;
    dev->infos = devinfo_ref(devinfo);
}

static doca_error_t ask_open(const struct doca_devinfo *devinfo, struct errtext *err)
{
    Docad__FunctionOpen ask = DOCAD__FUNCTION_OPEN__INIT;

    ask.function_id = devinfo->function->id;
    return session_call(devinfo->session, message_of(FUNCTION_OPEN, function_open, &ask), NULL, 0,
                        NULL, NULL, err);
}

static void ask_close(const struct doca_devinfo *devinfo)
{
    Docad__FunctionClose ask = DOCAD__FUNCTION_CLOSE__INIT;

    ask.function_id = devinfo->function->id;
    // A daemon that has ended has closed the device already.
    session_call(devinfo->session, message_of(FUNCTION_CLOSE, function_close, &ask), NULL, 0, NULL,
                 NULL, NULL);
}

// docad decides whether the device may be opened, the kernel whether it can be.
static doca_error_t open_function(const struct doca_devinfo *devinfo, struct verbs_device *verbs,
                                  struct errtext *err)
{
    const Docad__Function *function = devinfo->function;

    doca_error_t e = ask_open(devinfo, err);
    if (e != DOCA_SUCCESS || function->backing != DOCAD__BACKING__VERBS)
        return e;
    if (!function->verbs)
        e = errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad does not describe the ibverbs device");
    else
        e = verbs_device_open(verbs, function->ibdev, (uint8_t)function->verbs->port, err);
    if (e != DOCA_SUCCESS)
        ask_close(devinfo);
    return e;
}

static void hold(struct doca_dev *dev, struct doca_devinfo *devinfo)
{
    dev->info = devinfo;
    dev_hold_info(dev, devinfo);
    process_lock();
    list_append(&devices, &dev->link);
    process_unlock();
}

static doca_error_t dev_new(struct doca_devinfo *devinfo, struct doca_dev **out,
                            struct errtext *err)
{
    struct doca_dev *dev = calloc(1, sizeof(*dev));
    if (!dev)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    doca_error_t e = open_function(devinfo, &dev->verbs, err);
    if (e != DOCA_SUCCESS) {
        free(dev);
        return e;
    }
    hold(dev, devinfo);
    *out = dev;
    return DOCA_SUCCESS;
}

static void dev_free(struct doca_dev *dev)
{
    process_lock();
    list_remove(&dev->link);
    process_unlock();
    verbs_device_close(&dev->verbs);
    if (dev_session(dev))
        ask_close(dev->info);
    while (dev->infos) {
        struct doca_devinfo *devinfo = dev->infos;
        dev->infos = devinfo->next_opened;
        devinfo->opened = NULL;
        devinfo_unref(devinfo);
    }
    free(dev);
}

static void dev_unref_locked(struct doca_dev *dev)
{
    if (atomic_fetch_sub(&dev->refs, 1) == 1)
        dev_free(dev);
}

static doca_error_t dev_open(struct doca_devinfo *devinfo, struct doca_dev **out,
                             struct errtext *err)
{
    struct doca_dev *dev = dev_find(devinfo);
    doca_error_t e = dev ? DOCA_SUCCESS : dev_new(devinfo, &dev, err);
    if (e != DOCA_SUCCESS)
        return e;
    dev_hold_info(dev, devinfo);
    if (dev->opens++ == 0)
        atomic_fetch_add(&dev->refs, 1);
    *out = dev;
    return DOCA_SUCCESS;
}

// ---- interface -----------------------------------------------------------

struct doca_dev *dev_ref(struct doca_dev *dev)
{
    atomic_fetch_add(&dev->refs, 1);
    return dev;
}

struct doca_dev *dev_unref(struct doca_dev *dev)
{
    if (!dev)
        return NULL;
    // Only the last reference needs the lock: if every one took it, the end of each object would
    // wait for any thread that is waiting for docad.
    unsigned refs = atomic_load(&dev->refs);
    while (refs > 1)
        if (atomic_compare_exchange_weak(&dev->refs, &refs, refs - 1))
            return NULL;
    call_lock(&opening);
    dev_unref_locked(dev);
    call_unlock(&opening);
    return NULL;
}

// Maps docad's answer to a code of doca_dev_open().
static doca_error_t open_code(doca_error_t e)
{
    if (e == DOCA_ERROR_NOT_FOUND)
        return DOCA_ERROR_INVALID_VALUE;
    if (e == DOCA_ERROR_TIME_OUT)
        return DOCA_ERROR_NOT_CONNECTED;
    return CODE_AMONG(e, DOCA_ERROR_INITIALIZATION, DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NO_MEMORY,
                      DOCA_ERROR_NOT_CONNECTED);
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
    struct errtext err = {""};

    if (!devinfo || !dev)
        return REFUSED_NULL(devinfo, dev);
    call_lock(&opening);
    doca_error_t e = dev_open(devinfo, dev, &err);
    call_unlock(&opening);
    return report(__func__, open_code(e), &err);
}

// Only compares the address: the device may be freed.
static bool is_there(const struct doca_dev *device)
{
    const struct doca_dev *dev;

    list_for_each (dev, &devices, link)
        if (dev == device)
            return true;
    return false;
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
    return dev ? dev_close(__func__, dev) : REFUSED_NULL(dev);
}

doca_error_t dev_close(const char *function, struct doca_dev *dev)
{
    struct errtext err = {""};
    doca_error_t e = DOCA_SUCCESS;

    call_lock(&opening);
    if (!is_there(dev))
        e = errtext_set(&err, DOCA_ERROR_INVALID_VALUE, "the device was closed already");
    else if (dev->opens == 0)
        e = errtext_set(&err, DOCA_ERROR_IN_USE,
                        "device %s was closed as often as it was opened; memory maps or library "
                        "objects still hold it",
                        dev_function(dev)->name);
    else if (--dev->opens == 0)
        dev_unref_locked(dev);
    call_unlock(&opening);
    return report(function, e, &err);
}

struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
{
    return dev && dev_session(dev) ? dev->info : NULL;
}

// ---- the bridge to rdma-core ---------------------------------------------------------

static struct doca_dev *find_domain(const struct ibv_pd *pd)
{
    struct doca_dev *dev;
    list_for_each (dev, &devices, link)
        if (!dev_session(dev) && dev->verbs.pd == pd)
            return dev;
    return NULL;
}

// The card of a program that opens a protection domain; docad has no function for it.
static doca_error_t domain_card(struct card *card, struct errtext *err)
{
    bool given;

    doca_error_t e = card_of_environment(card, &given, err);
    if (e == DOCA_SUCCESS && !given)
        card_init(card);
    return e;
}

// Makes an info without a session, for a function without capabilities.
static struct doca_devinfo *domain_info(const struct ibv_pd *pd)
{
    struct doca_devinfo *devinfo = calloc(1, sizeof(*devinfo));
    Docad__Function *function = calloc(1, sizeof(*function));
    const char *name = ibv_get_device_name(pd->context->device);

    if (!devinfo || !function) {
        free(devinfo);
        free(function);
        return NULL;
    }
    docad__function__init(function);
    function->name = strdup(name);
    function->ibdev = strdup(name);
    function->backing = DOCAD__BACKING__VERBS;
    atomic_init(&devinfo->refs, 1);
    devinfo->function = function;
    return function->name && function->ibdev ? devinfo : devinfo_unref(devinfo);
}

static doca_error_t open_domain(struct ibv_pd *pd, struct doca_dev **out, struct errtext *err)
{
    struct doca_dev *dev = find_domain(pd);

    if (!dev) {
        struct doca_devinfo *devinfo = domain_info(pd);
        dev = devinfo ? calloc(1, sizeof(*dev)) : NULL;
        if (!dev) {
            devinfo_unref(devinfo);
            return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
        }
        doca_error_t e = domain_card(&devinfo->card, err);
        if (e != DOCA_SUCCESS) {
            free(dev);
            devinfo_unref(devinfo);
            return e;
        }
        dev->verbs = (struct verbs_device){.context = pd->context, .pd = pd, .borrowed = true};
        hold(dev, devinfo);
        devinfo_unref(devinfo); // the device has it now
    }
    if (dev->opens++ == 0)
        atomic_fetch_add(&dev->refs, 1);
    *out = dev;
    return DOCA_SUCCESS;
}

doca_error_t dev_open_domain(const char *function, struct ibv_pd *pd, struct doca_dev **dev)
{
    struct errtext err = {""};

    if (!pd || !dev)
        return REFUSED_NULL_OF(function, pd, dev);
    call_lock(&opening);
    doca_error_t e = open_domain(pd, dev, &err);
    call_unlock(&opening);
    return report(function, e, &err);
}

doca_error_t dev_domain(const char *function, const struct doca_dev *dev, struct ibv_pd **pd)
{
    struct errtext err = {""};

    if (!dev || !pd)
        return REFUSED_NULL_OF(function, dev, pd);
    if (!dev_verbs(dev))
        return report(function,
                      errtext_set(&err, DOCA_ERROR_BAD_STATE,
                                  "device %s is a software function, which has no protection "
                                  "domain; a device whose doca_devinfo_get_ibdev_name() is an "
                                  "ibverbs device has one",
                                  dev_function(dev)->name),
                      &err);
    *pd = dev->verbs.pd;
    return DOCA_SUCCESS;
}

doca_error_t doca_dev_open_from_pd(struct ibv_pd *pd, struct doca_dev **dev)
{
    return dev_open_domain(__func__, pd, dev);
}

doca_error_t doca_dev_get_pd(const struct doca_dev *dev, struct ibv_pd **pd)
{
    return dev_domain(__func__, dev, pd);
}
