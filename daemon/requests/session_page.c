// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The activity page of a session. Sessions that only export never request one, and cost less.

#include "cleanup.h"
#include "fdstore.h"
#include "node.h"
#include "session_requests.h"

#include <inttypes.h>

static doca_error_t make_page(struct session *session, struct errtext *err)
{
    if (activity_page_init(&session->activity, session->node->base, session) < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory or descriptors");
    doca_error_t r = session_keep(session, err);
    if (r != DOCA_SUCCESS)
        activity_page_fini(&session->activity);
    return r;
}

// A client that had no memory for the page that it got sends the request again.
static doca_error_t need_page(struct session *session, struct errtext *err)
{
    struct activity_page *page = &session->activity;

    if (page->fd >= 0)
        return DOCA_SUCCESS;
    if (page->shared && !list_empty(&page->waits))
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "docad waits for threads on the activity page of session %" PRIu64
                           "; ask again",
                           session->id);
    activity_page_fini(page);
    return make_page(session, err);
}

// Repeated after a restart, it answers with the existing page.
doca_error_t on_activity_page(struct request *request)
{
    struct session *session = request->session;
    Docad__ActivityPageReply reply = DOCAD__ACTIVITY_PAGE_REPLY__INIT;

    doca_error_t r = need_page(session, request->err);
    if (r != DOCA_SUCCESS)
        return r;
    session_reply(session, request->message->serial,
                  message_of(ACTIVITY_PAGE_REPLY, activity_page_reply, &reply),
                  &session->activity.fd, 1);
    if (!fdstore_is_on())
        close_fdp(&session->activity.fd); // the mapping remains
    return DOCA_SUCCESS;
}
