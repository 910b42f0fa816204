// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The hooks of the workbench.

#include "faults.h"
#include "rule_callbacks.h"
#include "rule_check.h"
#include "trace.h"
#include "workbench.h"

#include <stddef.h>

// The timing of callbacks stands first, and counts nothing that the others do. The trace sees a
// call before, and its result after, those that follow. It sees callbacks as these have changed
// them.
const struct hook *const all_hooks[] = {&timing_hook, &trace_hook, &check_hook, &faults_hook, NULL};
