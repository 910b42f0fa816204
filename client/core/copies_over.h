// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The size from which on docad's engine makes copies.

#ifndef CLIENT_CORE_COPIES_OVER_H
#define CLIENT_CORE_COPIES_OVER_H

#include <stdint.h>

// Returns the size above which a job's bytes may be copied by the engine, UINT64_MAX for never. It
// is the size that docad offers (0: it makes no copies), unless $DOCAD_COPIES_OVER sets another:
// bytes, or a number with K, M, G or T; 0, "never" and "unlimited" mean never.
uint64_t copies_over(uint64_t offered);

#endif
