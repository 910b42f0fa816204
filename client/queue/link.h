// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The resources of a context at an executor: queue pairs to engines, a slot on its session's
// activity page, and a slot for its counts.

#ifndef CLIENT_QUEUE_LINK_H
#define CLIENT_QUEUE_LINK_H

#include "executor.h"

// Completes a link whose ctx, ops, device and executor are set, and appends it to the executor's
// links. `counting` is the device whose docad counts the context's work; NULL: the docad of the
// executor's other links. On failure the link is closed: DOCA_ERROR_NO_MEMORY, or
// DOCA_ERROR_INITIALIZATION if docad refuses queue pairs.
doca_error_t work_link_open(struct work_link *link, const struct doca_dev *counting, uint32_t depth,
                            struct errtext *err);

// Releases all of that. The link must have no items in flight. It may be closed already.
void work_link_close(struct work_link *link);

#endif
