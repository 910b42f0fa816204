// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Negotiates the protocol version of a connection.

#ifndef DAEMON_VERSION_H
#define DAEMON_VERSION_H

#include "errtext.h"

#include <stdint.h>

// Chooses the highest version that both sides support. DOCA_ERROR_UNSUPPORTED_VERSION with both
// ranges if there is none; DOCA_ERROR_INVALID_VALUE if the minimum is above the maximum. `who` is
// for the text.
doca_error_t version_negotiate(const char *who, uint32_t min, uint32_t max, uint32_t *out,
                               struct errtext *err);

#endif
