// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices and protection domains, for all generations. `function` is the public function that the
// program called.

#ifndef CLIENT_CORE_DEVICE_DOMAIN_H
#define CLIENT_CORE_DEVICE_DOMAIN_H

#include "core/device.h"

struct ibv_pd;

doca_error_t dev_domain(const char *function, const struct doca_dev *dev, struct ibv_pd **pd);
doca_error_t dev_open_domain(const char *function, struct ibv_pd *pd, struct doca_dev **dev);

#endif
