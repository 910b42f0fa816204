// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "objects.h"

struct doca_dma *dma_new(struct doca_dev *dev)
{
    struct doca_dma *dma;
    OF_3(ck_assert_success(doca_dma_create(dev, &dma)));
    BEFORE_3(ck_assert_success(doca_dma_create(&dma)));
    BEFORE_3(ck_assert_success(doca_ctx_dev_add(doca_dma_as_ctx(dma), dev)));
    return dma;
}
