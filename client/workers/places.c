// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "workers/places.h"

#include "core/session.h"

static struct worker_places *all;

static void release(struct worker_places *places)
{
    while (places->n > 0)
        session_activity_put(places->session, places->slots[--places->n]);
    session_unref(places->session);
    free(places);
}

static struct worker_places *make(struct session *session, uint32_t n)
{
    struct errtext err;
    struct worker_places *places = calloc(1, sizeof(*places));

    if (!places)
        return NULL;
    places->session = session_ref(session);
    for (; places->n < n; places->n++) {
        if (session_activity_take(session, &places->slots[places->n], &err) == DOCA_SUCCESS)
            continue;
        release(places);
        return NULL;
    }
    places->next = all;
    return all = places;
}

struct worker_places *worker_places_get(struct session *session, uint32_t n)
{
    struct worker_places *places = all;

    if (!session || !n)
        return NULL;
    while (places && places->session != session)
        places = places->next;
    if (!places)
        places = make(session, n);
    if (places)
        places->ports++;
    return places;
}

struct worker_places *worker_places_put(struct worker_places *places)
{
    struct worker_places **at = &all;

    if (!places || --places->ports > 0)
        return NULL;
    while (*at != places)
        at = &(*at)->next;
    *at = places->next;
    release(places);
    return NULL;
}
