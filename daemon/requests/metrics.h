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

// Makes the text, which the caller frees; NULL if memory runs out.
char *metrics_text(const struct node *node);

#endif
