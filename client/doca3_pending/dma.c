// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_dma.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_dma_set_ordered_completions)
PENDING(doca_dma_get_ordered_completions)
