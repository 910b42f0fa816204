// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A port of an ibverbs device as a function: what sysfs and ibverbs say of it.

#ifndef DAEMON_VERBS_FUNCTION_H
#define DAEMON_VERBS_FUNCTION_H

#include "function.h"
#include "verbs_device.h"

struct config;

// Fills in what the configuration left open (texts that are empty, addresses that are not
// there); `index` is the function's place in its node.
doca_error_t verbs_describe(struct function *function, struct ibv_context *context, uint8_t port,
                            size_t index, const struct config *config, struct errtext *err);

#endif
