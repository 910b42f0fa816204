// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "copies.h"

#include "address_space.h"
#include "engine.h"
#include "engine_copy.h"
#include "fdstore.h"
#include "importer.h"
#include "queue_pair.h"
#include "session.h"
#include "user.h"

// Allocated together with the copies, so that ending them cannot fail.
struct copies_end {
    struct copies *copies; // NULL when the copies have ended
    struct user *user;     // whose share of docad's addresses the window uses
    uint64_t size;
    void (*done)(void *arg);
    void *arg;
};

static struct copies_end *end_new(struct user *user, uint64_t size)
{
    struct copies_end *end = calloc(1, sizeof(*end));
    if (!end || !address_space_take(user, size)) {
        free(end);
        return NULL;
    }
    end->user = user_ref(user);
    end->size = size;
    return end;
}

static void end_free(struct copies_end *end)
{
    address_space_give(end->user, end->size);
    user_unref(end->user);
    free(end);
}

static bool hand_to_engine(struct copies *copies, struct session *session,
                           struct engine_window *window)
{
    const uint32_t read = 1u << QP_READ, write = 1u << QP_WRITE;
    struct engine_range range = {.owner = session->id,
                                 .uid = session->user->uid,
                                 .allowed = copies->writable ? read | write : read,
                                 .window = window};
    struct importer *importer;
    struct errtext err;

    return session_importer(session, &importer, &err) == DOCA_SUCCESS &&
           engine_grant_add(importer->engine, &range, &copies->key) == 0;
}

void copies_open(struct copies *copies, struct session *session, int memfd,
                 const struct segments *segments, bool writable)
{
    struct copies made = {.writable = writable};
    struct engine_window *window;

    // They would not survive a restart, and jobs in progress must not notice a restart.
    if (fdstore_is_on())
        return;
    made.end = end_new(session->user, segments->memfd_size);
    if (!made.end)
        return;
    int r = engine_window_new(&window, memfd, segments, writable);
    if (r < 0 && writable) { // a file that only its owner may write
        made.writable = false;
        r = engine_window_new(&window, memfd, segments, false);
    }
    if (r == 0 && !hand_to_engine(&made, session, window)) {
        engine_window_free(window);
        r = -ENOMEM;
    }
    if (r < 0) {
        end_free(made.end);
        return;
    }
    made.session = session;
    *copies = made;
}

static void on_dropped(void *arg)
{
    struct copies_end *end = arg;
    if (end->copies)
        end->copies->end = NULL;
    if (end->done)
        end->done(end->arg);
    end_free(end);
}

void copies_close(struct copies *copies, doca_error_t error, void (*done)(void *arg), void *arg)
{
    struct session *session = copies->session;

    if (!session) {
        if (done)
            done(arg);
        return;
    }
    copies->end->copies = copies;
    copies->end->done = done;
    copies->end->arg = arg;
    copies->session = NULL;
    engine_grant_drop(session->importer->engine, copies->key, error, on_dropped, copies->end);
}

void copies_drop(struct copies *copies, const void *arg)
{
    struct copies_end *end = copies->end;
    if (!end)
        return;
    end->copies = NULL;
    if (end->arg == arg)
        end->done = NULL;
}
