// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "grace_period.h"

#include "clock.h"
#include "config.h"
#include "log.h"
#include "node.h"
#include "session.h"

#include <assert.h>
#include <event2/event.h>

static void answer(struct grace_period *s)
{
    struct session *session = s->session;
    if (!session)
        return;
    grace_period_cancel(s);
    session_reply_ok(session, s->serial);
}

static void destroy(struct grace_period *s)
{
    list_remove(&s->in_session);
    list_remove(&s->in_node);
    list_remove(&s->in_memory);
    if (s->timer)
        event_free(s->timer);
    free(s);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct grace_period *s = arg;
    (void)fd;
    (void)what;
    if (s->session)
        log_limited(LOG_LEVEL_WARNING,
                    "session %llu: answered although %u users of its memory have not released it "
                    "within %llu ms (release_limit_ms)",
                    (unsigned long long)s->session->id, s->holds,
                    (unsigned long long)s->node->config->release_limit_ms);
    answer(s);
}

struct grace_period *grace_period_new(struct session *session, uint64_t serial)
{
    struct node *node = session->node;
    struct grace_period *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    s->timer = event_new(node->base, -1, 0, on_timer, s);
    if (!s->timer) {
        free(s);
        return NULL;
    }
    s->node = node;
    s->session = session;
    s->serial = serial;
    list_init(&s->in_memory);
    s->holds = 1; // the first hold lasts until grace_period_start()
    list_append(&node->grace_periods, &s->in_node);
    list_append(&session->grace_periods, &s->in_session);
    return s;
}

void grace_period_start(struct grace_period *s, struct session *session, uint64_t serial)
{
    if (!s) {
        session_reply_ok(session, serial);
        return;
    }
    struct timeval limit = ms_to_timeval(s->node->config->release_limit_ms);
    event_add(s->timer, &limit);
    grace_period_release(s);
}

void grace_period_hold(struct grace_period *s)
{
    s->holds++;
}

void grace_period_release(void *arg)
{
    struct grace_period *s = arg;
    assert(s->holds > 0);
    if (--s->holds > 0)
        return;
    answer(s);
    struct grace_period *follower = s->follower;
    destroy(s);
    if (follower)
        grace_period_release(follower);
}

static struct grace_period *first_of(const struct list *of_memory)
{
    return list_entry(of_memory->next, struct grace_period, in_memory);
}

void grace_period_add_to(struct grace_period *s, struct list *of_memory)
{
    list_append(of_memory, &s->in_memory);
}

void grace_period_follow(struct grace_period *s, struct list *of_memory)
{
    while (!list_empty(of_memory)) {
        struct grace_period *earlier = first_of(of_memory);
        list_remove(&earlier->in_memory);
        earlier->follower = s;
        grace_period_hold(s);
    }
}

void grace_periods_unlink(struct list *of_memory)
{
    while (!list_empty(of_memory))
        list_remove(of_memory->next);
}

void grace_period_cancel(struct grace_period *s)
{
    s->session = NULL;
    list_remove(&s->in_session);
}

void grace_period_free_all(struct node *node)
{
    struct grace_period *s, *next;
    list_for_each_safe (s, next, &node->grace_periods, in_node)
        destroy(s);
}
