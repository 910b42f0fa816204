// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A port of an ibverbs device as a function: what sysfs and ibverbs say of it.

#ifndef DAEMON_VERBS_FUNCTION_H
#define DAEMON_VERBS_FUNCTION_H

#include "function.h"
#include "verbs_device.h"

struct config;

// Does the configuration offer the device, or of its ports this one?
bool verbs_device_offered(const struct config *config, const char *device);
bool verbs_function_offered(const struct config *config, const char *device, uint8_t port);

// In the log: sections that name ports which the device does not have.
void verbs_warn_of_ports(const struct config *config, const char *device, uint8_t n_ports);

// Its name: that of its section in the configuration, or one after the device.
void verbs_function_name(const struct config *config, const char *device, uint8_t port,
                         char name[FUNCTION_NAME_SIZE]);

// The port as a function with this id: what the configuration says of it, and what it leaves
// open as sysfs and ibverbs have it. Its GIDs are the caller's.
doca_error_t verbs_function_make(struct function *out, struct ibv_context *context, uint8_t port,
                                 uint32_t id, const struct config *config, struct errtext *err);

#endif
