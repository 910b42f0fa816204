// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a context needs at an executor: queue pairs to engines, a place on its session's activity
// page, and a place for its counts.

#ifndef CLIENT_QUEUE_LINK_H
#define CLIENT_QUEUE_LINK_H

#include "executor.h"

// Completes a link whose ctx, ops, device and executor are set, and appends it to the executor's
// links. `counting` is the device whose docad shows what the context does; NULL: the docad of the
// executor's other links. On failure the link is closed.
// DOCA_ERROR_NO_MEMORY, or DOCA_ERROR_INITIALIZATION if docad refuses queue pairs.
doca_error_t work_link_open(struct work_link *link, const struct doca_dev *counting, uint32_t depth,
                            struct errtext *err);

// Gives all that back. The link has no items in flight. It may be closed already.
void work_link_close(struct work_link *link);

#endif
