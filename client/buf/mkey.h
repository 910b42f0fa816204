// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The keys of buffers on ibverbs devices, for all generations. `function` is the public function
// that the program called.

#ifndef CLIENT_BUF_MKEY_H
#define CLIENT_BUF_MKEY_H

#include "buf.h"

doca_error_t buf_mkey(const char *function, const struct doca_buf *buf, struct doca_dev *dev,
                      uint32_t *mkey);

#endif
