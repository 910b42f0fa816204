// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The part of test_absent.c that is compiled with the headers of DOCA 3.

#ifndef TESTS_ABSENT_3_H
#define TESTS_ABSENT_3_H

#include <stdbool.h>

struct doca_dev;

void absent_of_3(struct doca_dev *dev, bool has_deflate);

#endif
