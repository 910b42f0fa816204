// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Work queues of the 1.5 interface: whatever depth they are given, they take as many jobs as
// programs written for 1.5 submit before they retrieve the first event.

#include "compat15/compat15.h"
#include "core/report.h"
#include "work/workq.h"

#define CAPACITY_MIN 1024

// A depth of 0 stays 0, which is refused.
static uint32_t capacity_of(uint32_t depth)
{
    return depth && depth < CAPACITY_MIN ? CAPACITY_MIN : depth;
}

doca_error_t doca_1_5_workq_create(uint32_t depth, struct doca_workq **workq)
{
    static const char function[] = "doca_workq_create";
    struct errtext err;

    if (!workq)
        return REFUSED_NULL_OF(function, workq);
    return report(function, workq_new(workq, depth, capacity_of(depth), &err), &err);
}

doca_error_t doca_workq_set_depth(struct doca_workq *workq, uint32_t depth)
{
    struct errtext err;

    if (!workq)
        return REFUSED_NULL(workq);
    return report(__func__, workq_set_depth(workq, depth, capacity_of(depth), &err), &err);
}
