// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The same of DOCA 2.6, whose channels have sizes in 32 bits.

#define DOCA_2_6
#include "rdma-2.5.c"
