// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA contexts of every interface.

#ifndef CLIENT_DMA_DMA_H
#define CLIENT_DMA_DMA_H

#include "work/ctx.h"

#include <doca_dma.h>

// doca_dma_create() for contexts whose jobs are of this `kind`.
doca_error_t dma_create(const struct ctx_ops *kind, struct doca_dma **dma);

#endif
