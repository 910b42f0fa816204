// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "trim.h"

#include "clock.h"
#include "fdstore.h"
#include "node.h"

#include <event2/event.h>
#include <malloc.h>

#define TRIM_BYTES    (4 << 20)
#define TRIM_LATER_MS 500 // after this, no client waits for the loop because of what has just ended
#define TRIM_SOON_MS  2

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct node *node = arg;
    (void)fd;
    (void)what;

    if (node->freed_bytes) {
        node->freed_bytes = 0;
        node->counters.trims++;
#ifdef __GLIBC__ // other C libraries return memory without a call
        malloc_trim(0);
#endif
    }
    struct timeval soon = ms_to_timeval(TRIM_SOON_MS);
    if (fdstore_trim())
        event_add(node->trim, &soon);
}

void trim_count(struct node *node, size_t bytes)
{
    node->freed_bytes += bytes;
    if (node->freed_bytes < TRIM_BYTES || !node->base)
        return;
    if (!node->trim)
        node->trim = event_new(node->base, -1, 0, on_timer, node);
    struct timeval later = ms_to_timeval(TRIM_LATER_MS);
    if (node->trim && !event_pending(node->trim, EV_TIMEOUT, NULL))
        event_add(node->trim, &later);
}

void trim_end(struct node *node)
{
    if (node->trim)
        event_free(node->trim);
    node->trim = NULL;
}
