// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How large a copy must be for docad's engine to make it.

#ifndef CLIENT_CORE_COPIES_OVER_H
#define CLIENT_CORE_COPIES_OVER_H

#include <stdint.h>

// Jobs of more bytes than this may be handed to the engine; UINT64_MAX: none. What docad
// offers (0: it makes no copies), unless $DOCAD_COPIES_OVER says otherwise: bytes, also with
// K, M, G or T; none for 0, "never" or "unlimited".
uint64_t copies_over(uint64_t offered);

#endif
