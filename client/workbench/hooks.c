// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The hooks of the workbench.

#include "faults.h"
#include "rule_check.h"
#include "trace.h"
#include "workbench.h"

#include <stddef.h>

// The trace stands first: it sees a call before, and its result after, the others. It sees
// callbacks as the others have changed them.
const struct hook *const all_hooks[] = {&trace_hook, &check_hook, &faults_hook, NULL};
