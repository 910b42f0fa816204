// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad counts while it runs, and all of it as OpenMetrics text.
//
// What programs count themselves (common/work_stats.h) is theirs to lie about: it is
// added up and shown, and nothing else.

#ifndef DAEMON_METRICS_H
#define DAEMON_METRICS_H

struct node;

// The text, which the caller frees; NULL without memory.
char *metrics_text(const struct node *node);

#endif
