// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sync_event.h"

#include "cleanup.h"
#include "fd_reaper.h"
#include "export.h"
#include "export_desc.h"
#include "memfd.h"
#include "node.h"
#include "region.h"
#include "session.h"
#include "sync_page.h"
#include "user.h"

#include <string.h>

struct sync_event {
    struct session *session; // the owner's session, which outlives the event
    struct user *user;       // charged
    int page;                // -1: the page is the region's memory file
    int timer;
    struct sync_event_watch watch;
    unsigned holders; // grants of other sessions
    bool ended;       // the owner was notified of the end
};

static bool is_page(int fd)
{
    return memfd_check(fd, SYNC_PAGE_SIZE, 1) == 0;
}

// Either the counter is in the page, and then the page is the region; or the region is the
// counter.
static doca_error_t check_new(const struct region *region, bool has_page, const struct fd_list *fds,
                              struct errtext *err)
{
    if (fds->count != 1 + (size_t)has_page || !sync_timer_is(fds->fds[has_page]))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "a sync event needs a timer, and before it a page if the request says "
                           "that it has one; install docad and libdoca-client of the same release");
    if (has_page ? region->length != SYNC_VALUE_SIZE || region->memfd >= 0 || !is_page(fds->fds[0])
                 : region->length != SYNC_PAGE_SIZE || region->memfd < 0 || !is_page(region->memfd))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the region is neither a sync event's page nor a counter with a page "
                           "beside it");
    return DOCA_SUCCESS;
}

static doca_error_t begin_watch(struct sync_event *event, struct session *session,
                                struct errtext *err)
{
    struct node *node = session->node;

    doca_error_t r = session_take_slot(session, &event->watch.slot, err);
    if (r != DOCA_SUCCESS)
        return r;
    event->watch.id = node_next_id(node);
    state_slot_set(&node->slots, event->watch.slot, event->watch.id, SLOT_LIVE);
    return DOCA_SUCCESS;
}

doca_error_t sync_event_new(struct sync_event **out, const struct region *region,
                            const Docad__ExportCreate *request, struct fd_list *fds,
                            struct errtext *err)
{
    struct user *user = region->object.session->user;

    *out = NULL;
    if (!export_is_event(request->target))
        return DOCA_SUCCESS;
    doca_error_t r = check_new(region, request->has_page, fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct sync_event *event = calloc(1, sizeof(*event));
    if (!event)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    r = limit_take(node_limits(region->object.session->node), LIMIT_DESCRIPTORS, &user->descriptors,
                   SYNC_EVENT_FDS, err);
    if (r != DOCA_SUCCESS) {
        free(event);
        return r;
    }
    r = request->watch_holders ? begin_watch(event, region->object.session, err) : DOCA_SUCCESS;
    if (r != DOCA_SUCCESS) {
        limit_give(&user->descriptors, SYNC_EVENT_FDS);
        free(event);
        return r;
    }
    size_t i = 0;
    event->session = region->object.session;
    event->user = user_ref(user);
    event->page = request->has_page ? fd_list_take(fds, i++) : -1;
    event->timer = fd_list_take(fds, i);
    *out = event;
    return DOCA_SUCCESS;
}

struct sync_event *sync_event_free(struct sync_event *event)
{
    if (!event)
        return NULL;
    if (event->watch.id)
        session_give_slot(event->session, event->watch.slot);
    fd_reaper_close(event->page, event->user->uid);
    fd_reaper_close(event->timer, event->user->uid);
    limit_give(&event->user->descriptors, SYNC_EVENT_FDS);
    user_unref(event->user);
    free(event);
    return NULL;
}

size_t sync_event_stored_fds(const struct sync_event *event, int fds[SYNC_EVENT_FDS],
                             protobuf_c_boolean *has_page)
{
    size_t n = 0;
    *has_page = event->page >= 0;
    if (event->page >= 0)
        fds[n++] = event->page;
    fds[n++] = event->timer;
    return n;
}

struct sync_event_watch sync_event_watch(const struct sync_event *event)
{
    return event->watch;
}

void sync_event_taken(struct sync_event *event)
{
    if (event->holders++ == 0 && event->watch.id)
        state_slot_set(&event->session->node->slots, event->watch.slot, event->watch.id, SLOT_LIVE);
}

// Wakes all threads that wait for the counter, even if the page says that there are none, because
// other writers may have left it wrong.
static void wake(const struct sync_event *event)
{
    sync_timer_wake(event->timer);
}

static void notify_owner(const struct sync_event *event, enum slot_state state)
{
    if (!event->watch.id || event->ended)
        return;
    // Set the state first: a process that wakes up reads it.
    state_slot_set(&event->session->node->slots, event->watch.slot, event->watch.id, state);
    wake(event);
}

void sync_event_given_back(struct sync_event *event, enum slot_state state)
{
    if (--event->holders == 0)
        notify_owner(event, state);
}

void sync_event_ended(struct sync_event *event, enum slot_state state)
{
    notify_owner(event, state);
    event->ended = true;
}

static bool take_up_watch(struct sync_event *event, struct session *session,
                          const Docad__ExportRecord *m)
{
    enum slot_state state;

    if (!m->holders_id)
        return true;
    if (!state_slot_claim(&session->node->slots, m->holders_slot, m->holders_id, &state))
        return false;
    event->watch = (struct sync_event_watch){m->holders_id, m->holders_slot};
    session->user->slots++;
    return true;
}

struct sync_event *sync_event_restore(struct session *session, const Docad__ExportRecord *m,
                                      struct fd_list *fds)
{
    size_t i = 0;
    struct sync_event *event =
        fds->count == 1 + (size_t)m->has_page ? calloc(1, sizeof(*event)) : NULL;
    if (!event)
        return NULL;
    if (!take_up_watch(event, session, m)) {
        free(event);
        return NULL;
    }
    event->session = session;
    event->user = user_ref(session->user);
    session->user->descriptors += SYNC_EVENT_FDS;
    event->page = m->has_page ? fd_list_take(fds, i++) : -1;
    event->timer = fd_list_take(fds, i);
    return event;
}

void sync_event_fds(const struct export *export, int fds[SYNC_EVENT_FDS])
{
    const struct sync_event *event = export->sync_event;
    fds[0] = event->page >= 0 ? event->page : export->region->memfd;
    fds[1] = event->timer;
}

bool sync_event_check(const struct fd_list *fds, bool has_memfd, uint64_t length)
{
    return fds->count == SYNC_EVENT_FDS && is_page(fds->fds[0]) && sync_timer_is(fds->fds[1]) &&
           length == (has_memfd ? SYNC_PAGE_SIZE : SYNC_VALUE_SIZE);
}
