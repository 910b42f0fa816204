// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "overlap.h"

#include <string.h>

#define COMPARED_MAX 1024 // newest tasks in flight that another one is compared with

static bool any_overlap(const struct stretch *a, unsigned a_count, const struct stretch *b,
                        unsigned b_count)
{
    for (unsigned i = 0; i < a_count; i++)
        for (unsigned j = 0; j < b_count; j++)
            if (stretches_overlap(&a[i], &b[j]))
                return true;
    return false;
}

static bool over_sources(const struct stretch *bytes, unsigned count, const struct flight *of)
{
    for (unsigned i = 0; i < of->source_count; i++)
        if (any_overlap(bytes, count, &of->sources[i].bytes, 1))
            return true;
    return false;
}

// Returns whether the context lets one task see what the other one has done.
static bool in_order(const struct flight *a, const struct flight *b)
{
    return a->context && a->context == b->context && a->keeps_order && b->keeps_order;
}

static bool are_same(const struct stretch *a, const struct stretch *b)
{
    return a->space == b->space && a->start == b->start && a->end == b->end;
}

// Both copy the same bytes to the same place, as benchmarks do: it does not matter which is last.
static bool do_the_same(const struct flight *a, const struct flight *b)
{
    bool same = a->source_count && a->written_count == b->written_count &&
                a->source_count == b->source_count && strcmp(a->type, b->type) == 0;
    for (unsigned i = 0; same && i < a->source_count; i++)
        same = are_same(&a->sources[i].bytes, &b->sources[i].bytes);
    for (unsigned i = 0; same && i < a->written_count; i++)
        same = are_same(&a->written[i], &b->written[i]);
    return same;
}

// The destinations of DMA tasks in one context count: their order is not promised by each release.
static bool both_write(const struct flight *a, const struct flight *b)
{
    bool is_rdma = a->type[0] == 'r';
    return !(is_rdma && in_order(a, b)) &&
           any_overlap(a->written, a->written_count, b->written, b->written_count) &&
           !do_the_same(a, b);
}

bool overlap_find(const struct flight *added, struct overlap *found)
{
    unsigned count = 0;
    for (const struct flight *each = flights; each && count++ < COMPARED_MAX; each = each->next) {
        *found = (struct overlap){RULE_DESTINATIONS_OVERLAP, each};
        if (both_write(added, each))
            return true;
        if (in_order(added, each))
            continue;
        found->rule = RULE_DESTINATION_OVER_SOURCE;
        if (over_sources(added->written, added->written_count, each))
            return true;
        found->rule = RULE_ORDER_BETWEEN_CONTEXTS;
        if (over_sources(each->written, each->written_count, added))
            return true;
    }
    return false;
}

static bool may_disturb(const struct flight *by, const struct flight *what)
{
    return by->may_write_anywhere || over_sources(by->room, by->room_count, what);
}

void overlap_disturb(struct flight *added)
{
    unsigned count = 0;
    added->may_be_disturbed |= may_disturb(added, added) || flight_count > COMPARED_MAX;
    for (struct flight *each = flights; each; each = each->next) {
        if (count++ >= COMPARED_MAX) { // it is not known what the two do to each other
            each->may_be_disturbed = true;
            continue;
        }
        added->may_be_disturbed |= may_disturb(each, added);
        each->may_be_disturbed |= may_disturb(added, each);
    }
}
