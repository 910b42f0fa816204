// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices, for the rest of the library.

#ifndef CLIENT_CORE_DEVICE_H
#define CLIENT_CORE_DEVICE_H

#include "session.h"

#include <doca_dev.h>

// docad's description of a function; valid as long as the device or info.
const Docad__Function *dev_function(const struct doca_dev *dev);
const Docad__Function *devinfo_function(const struct doca_devinfo *devinfo);
struct session *dev_session(const struct doca_dev *dev);
const struct doca_devinfo *dev_devinfo(const struct doca_dev *dev);

// The name of a device in log lines: an ibverbs device has the system's name, others
// docactl's.
static inline const char *dev_name(const struct doca_dev *dev)
{
    const Docad__Function *function = dev_function(dev);
    return function->backing == DOCAD__BACKING__VERBS ? function->ibdev : function->name;
}

// The open ibverbs device; NULL for a software function.
struct verbs_device;
const struct verbs_device *dev_verbs(const struct doca_dev *dev);

// Returns DOCA_SUCCESS, unless the device was made from a protection domain: such a device is not
// docad's and has no session.
doca_error_t dev_known(const struct doca_dev *dev, struct errtext *err);

// A library object that was given a device keeps it until it releases it, even if the application
// closes the device first (programs do).
struct doca_dev *dev_ref(struct doca_dev *dev);
struct doca_dev *dev_unref(struct doca_dev *dev); // takes NULL, returns NULL

// The same for representors.
const Docad__Representor *dev_rep_representor(const struct doca_dev_rep *rep);
struct session *dev_rep_session(const struct doca_dev_rep *rep);
struct doca_dev_rep *dev_rep_ref(struct doca_dev_rep *rep);
struct doca_dev_rep *dev_rep_unref(struct doca_dev_rep *rep); // takes NULL, returns NULL

#endif
