// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The structures of a device and its info, only for the files that make them.

#ifndef CLIENT_CORE_DEVICE_OBJECT_H
#define CLIENT_CORE_DEVICE_OBJECT_H

#include "card.h"
#include "core/device.h"
#include "list.h"
#include "pci_address.h"

// Reference-counted: held by its list, and by the device that was opened through it.
struct doca_devinfo {
    _Atomic unsigned refs;
    struct session *session;
    Docad__Function *function;
    struct pci_address pci;
    struct card card;        // that the function imitates
    struct doca_dev *opened; // the device that holds it
    struct doca_devinfo *next_opened;
};

struct doca_devinfo *devinfo_ref(struct doca_devinfo *devinfo);
struct doca_devinfo *devinfo_unref(struct doca_devinfo *devinfo); // takes NULL, returns NULL

// Returns whether the text, in long or short form, is this address. DOCA_ERROR_INVALID_VALUE
// if it has neither form.
doca_error_t pci_text_equal(const struct pci_address *pci, const char *text, uint8_t *is_equal,
                            struct errtext *err);

#endif
