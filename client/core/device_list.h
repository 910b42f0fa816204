// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The common part of all interfaces for lists of devices and of representors. `function` is the
// public function that the program called.

#ifndef CLIENT_CORE_DEVICE_LIST_H
#define CLIENT_CORE_DEVICE_LIST_H

#include "core/device.h"

doca_error_t devinfo_list_make(const char *function, struct doca_devinfo ***list, uint32_t *count);
doca_error_t devinfo_list_free(const char *function, struct doca_devinfo **list);
doca_error_t devinfo_pci_equal(const char *function, const struct doca_devinfo *devinfo,
                               const char *pci_addr_str, uint8_t *is_equal);

// Closes a device that the application has opened.
doca_error_t dev_close(const char *function, struct doca_dev *dev);

// `filter` is 0, or bits of an enumeration that is the same in all interfaces.
doca_error_t devinfo_rep_list_make(const char *function, struct doca_dev *dev, int filter,
                                   struct doca_devinfo_rep ***list, uint32_t *count);
doca_error_t devinfo_rep_list_free(const char *function, struct doca_devinfo_rep **list);
doca_error_t devinfo_rep_pci_equal(const char *function, const struct doca_devinfo_rep *rep,
                                   const char *pci_addr_str, uint8_t *is_equal);

// docad's description, and the device under which it is listed.
const Docad__Representor *devinfo_rep_representor(const struct doca_devinfo_rep *rep);
const struct doca_dev *devinfo_rep_parent(const struct doca_devinfo_rep *rep);

// Requests the representors under a device from docad. The reply is of the right type.
doca_error_t representors_ask(const struct doca_dev *dev, Docad__Message **reply,
                              struct errtext *err);

// Copies a name into a buffer of `size` bytes, which must have at least `room`, the documented
// size, even for a short name.
doca_error_t devinfo_copy_name(const char *function, const char *name, uint32_t room, char *out,
                               uint32_t size);

#endif
