// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Metrics of quotas: what users and linked nodes have, and the most that they may have.

#ifndef DAEMON_METRICS_QUOTAS_H
#define DAEMON_METRICS_QUOTAS_H

#include <stdio.h>

// Writes only those users who are nearest to the limit of some quota: a collector keeps each of the
// series.
#define METRICS_USERS_MAX 64

struct node;

void metrics_write_quotas(FILE *f, const struct node *node);

#endif
