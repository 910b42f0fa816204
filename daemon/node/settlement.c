// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "settlement.h"

#include "clock.h"
#include "config.h"
#include "log.h"
#include "node.h"
#include "session.h"

#include <assert.h>
#include <event2/event.h>

static void answer(struct settlement *s)
{
    struct session *session = s->session;
    if (!session)
        return;
    settlement_forget(s);
    session_reply_ok(session, s->serial);
}

static void destroy(struct settlement *s)
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
    struct settlement *s = arg;
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

struct settlement *settlement_new(struct session *session, uint64_t serial)
{
    struct node *node = session->node;
    struct settlement *s = calloc(1, sizeof(*s));
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
    s->holds = 1; // the first hold lasts until settlement_begin()
    list_append(&node->settlements, &s->in_node);
    list_append(&session->settlements, &s->in_session);
    return s;
}

void settlement_begin(struct settlement *s, struct session *session, uint64_t serial)
{
    if (!s) {
        session_reply_ok(session, serial);
        return;
    }
    struct timeval limit = ms_to_timeval(s->node->config->release_limit_ms);
    event_add(s->timer, &limit);
    settlement_release(s);
}

void settlement_hold(struct settlement *s)
{
    s->holds++;
}

void settlement_release(void *arg)
{
    struct settlement *s = arg;
    assert(s->holds > 0);
    if (--s->holds > 0)
        return;
    answer(s);
    struct settlement *follower = s->follower;
    destroy(s);
    if (follower)
        settlement_release(follower);
}

static struct settlement *first_of(const struct list *of_memory)
{
    return list_entry(of_memory->next, struct settlement, in_memory);
}

void settlement_note(struct settlement *s, struct list *of_memory)
{
    list_append(of_memory, &s->in_memory);
}

void settlement_follow(struct settlement *s, struct list *of_memory)
{
    while (!list_empty(of_memory)) {
        struct settlement *earlier = first_of(of_memory);
        list_remove(&earlier->in_memory);
        earlier->follower = s;
        settlement_hold(s);
    }
}

void settlements_forget(struct list *of_memory)
{
    while (!list_empty(of_memory))
        list_remove(of_memory->next);
}

void settlement_forget(struct settlement *s)
{
    s->session = NULL;
    list_remove(&s->in_session);
}

void settlement_free_all(struct node *node)
{
    struct settlement *s, *next;
    list_for_each_safe (s, next, &node->settlements, in_node)
        destroy(s);
}
