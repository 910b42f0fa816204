// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Describes a port of an ibverbs device as a function, according to sysfs and ibverbs.

#ifndef DAEMON_VERBS_FUNCTION_H
#define DAEMON_VERBS_FUNCTION_H

#include "function.h"
#include "verbs_device.h"

struct config;

// Returns whether the configuration offers the device, or this one of its ports.
bool verbs_device_offered(const struct config *config, const char *device);
bool verbs_function_offered(const struct config *config, const char *device, uint8_t port);

// Logs sections that name ports which the device does not have.
void verbs_warn_of_ports(const struct config *config, const char *device, uint8_t n_ports);

// Finds its name: the name of its section in the configuration, or one made from the device's
// name.
void verbs_function_name(const struct config *config, const char *device, uint8_t port,
                         char name[FUNCTION_NAME_SIZE]);

// Describes the port as a function with this id, according to the configuration, and otherwise
// to sysfs and ibverbs. The caller owns its GIDs.
doca_error_t verbs_function_make(struct function *out, struct ibv_context *context, uint8_t port,
                                 uint32_t id, const struct config *config, struct errtext *err);

#endif
