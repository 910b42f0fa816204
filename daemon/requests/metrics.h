// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The counters of a running docad, as OpenMetrics text.
//
// Programs may lie about the numbers that they count themselves (common/work_stats.h), so docad
// only adds them up and shows them.

#ifndef DAEMON_METRICS_H
#define DAEMON_METRICS_H

struct node;
struct session_work;

// Makes the text, which the caller frees; NULL if memory runs out. `work` is the sum of all
// programs' work: work_walk.h.
char *metrics_text(const struct node *node, const struct session_work *work);

#endif
