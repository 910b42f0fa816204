// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "clock_pair.h"

#define TRIES 16

struct clock_pair clock_pair_take(uint64_t (*counter)(void), uint64_t (*ns)(void))
{
    struct clock_pair best = {0};
    uint64_t shortest = UINT64_MAX;
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t before = counter();
        uint64_t at = ns();
        uint64_t between = counter() - before;
        if (between >= shortest)
            continue;
        shortest = between;
        best = (struct clock_pair){before + between / 2, at};
    }
    return best;
}

double clock_pair_rate(const struct clock_pair *from, const struct clock_pair *to)
{
    if (to->counter <= from->counter || to->ns <= from->ns)
        return 1;
    return (double)(to->ns - from->ns) / (double)(to->counter - from->counter);
}
