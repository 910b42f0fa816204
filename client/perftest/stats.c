// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "stats.h"

#include "clock.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_ticks(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

double median(double *values, size_t n)
{
    if (n == 0)
        return 0;
    qsort(values, n, sizeof(*values), compare_doubles);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Nearest rank: the smallest value that at least this part of all does not exceed.
static double at_rank(const uint32_t *sorted, size_t n, double part)
{
    size_t rank = (size_t)ceil(part * (double)n);
    return ticks_to_ns(sorted[rank ? rank - 1 : 0]);
}

void spread_of(struct spread *out, uint32_t *ticks, size_t n)
{
    double sum = 0, squares = 0;

    *out = (struct spread){0};
    if (n == 0)
        return;
    qsort(ticks, n, sizeof(*ticks), compare_ticks);
    for (size_t i = 0; i < n; i++)
        sum += ticks_to_ns(ticks[i]);
    out->average = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double off = ticks_to_ns(ticks[i]) - out->average;
        squares += off * off;
    }
    out->deviation = sqrt(squares / (double)n);
    out->min = ticks_to_ns(ticks[0]);
    out->p50 = at_rank(ticks, n, 0.5);
    out->p90 = at_rank(ticks, n, 0.9);
    out->p99 = at_rank(ticks, n, 0.99);
    out->p999 = at_rank(ticks, n, 0.999);
    out->max = ticks_to_ns(ticks[n - 1]);
}
