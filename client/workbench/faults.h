// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Faults: calls that fail without being made, that take longer, and tasks that complete with an
// error.

#ifndef WORKBENCH_FAULTS_H
#define WORKBENCH_FAULTS_H

#include "workbench.h"

extern const struct hook faults_hook;

#endif
