// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "link.h"

#include "broker.h"
#include "core/device.h"
#include "pacer.h"

// An executor belongs to one thread, so one slot is enough for all its contexts.
static struct activity_slot *shared_slot(const struct work_link *link)
{
    const struct work_link *other;

    list_for_each (other, &link->executor->links, node)
        if (other != link && other->activity &&
            dev_session(other->device) == dev_session(link->device))
            return other->activity;
    return NULL;
}

static doca_error_t take_slot(struct work_link *link, struct errtext *err)
{
    if (!link->device || link->ops->touches_no_imports)
        return DOCA_SUCCESS;
    link->activity = shared_slot(link);
    if (link->activity)
        return DOCA_SUCCESS;
    return session_activity_take(dev_session(link->device), &link->activity, err);
}

// Returns the session whose docad counts the context's work. A graph may have no device, but its
// jobs are those of other contexts of the executor.
static struct session *counting_session(const struct work_link *link,
                                        const struct doca_dev *counting)
{
    const struct work_link *other;

    if (counting)
        return dev_session(counting);
    list_for_each (other, &link->executor->links, node)
        if (other->counter)
            return other->counter;
    return NULL;
}

static void take_stats(struct work_link *link, const struct doca_dev *counting, uint32_t depth)
{
    struct session *session = counting_session(link, counting);
    struct work_stats *stats = NULL;
    enum work_library library = link->ops->library ? link->ops->library : WORK_LIBRARY_OTHER;
    if (session)
        stats = session_stats_take(session, library, depth);
    link->stats = stats ? stats : &link->executor->uncounted;
    link->counter = stats ? session_ref(session) : NULL;
}

static void drop_stats(struct work_link *link)
{
    if (link->counter)
        session_stats_put(link->stats);
    link->counter = session_unref(link->counter);
}

doca_error_t work_link_open(struct work_link *link, const struct doca_dev *counting, uint32_t depth,
                            struct errtext *err)
{
    struct executor *executor = link->executor;
    doca_error_t r = DOCA_SUCCESS;

    list_init(&link->node);
    link->depth = depth;
    if (!executor->port)
        r = broker_port_open(executor, &executor->port, err);
    if (r != DOCA_SUCCESS)
        return r;
    link->port = executor->port;
    take_stats(link, counting, depth);
    list_append(&executor->links, &link->node);
    r = take_slot(link, err);
    if (r == DOCA_SUCCESS)
        r = pacer_attach(link, err);
    if (r != DOCA_SUCCESS)
        work_link_close(link);
    return r;
}

void work_link_close(struct work_link *link)
{
    struct executor *executor = link->executor;

    if (!list_linked(&link->node))
        return;
    pacer_detach(link);
    drop_stats(link);
    if (link->activity && !shared_slot(link))
        session_activity_put(dev_session(link->device), link->activity);
    link->activity = NULL;
    link->port = NULL;
    list_remove(&link->node);
    if (list_empty(&executor->links))
        executor->port = broker_port_close(executor->port);
}
