// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Keeping sessions.

#include "kept.h"

#include "connection.h"
#include "log.h"
#include "memory_file.h"
#include "node.h"
#include "service.h"
#include "session.h"
#include "user.h"

#include <inttypes.h>
#include <string.h>

#define OPEN_MAX 1024 // representors

void kept_session(struct session *session)
{
    Docad__KeptSession what = DOCAD__KEPT_SESSION__INIT;
    Docad__Kept record;
    Docad__KeptName *names, **list;
    int fds[2] = {connection_fd(session->connection), session->activity.fd};

    if (!keep_is_on())
        return;
    what.program = session->program;
    what.tool = session->tool;
    what.since_ms = session->since_ms;
    what.open = session->open;
    what.n_open = session->node->n_functions;
    what.memory = session->memory ? session->memory->id : 0;
    names = calloc(OPEN_MAX, sizeof(*names));
    list = calloc(OPEN_MAX, sizeof(Docad__KeptName *));
    if (names && list) {
        what.n_representors = session_kept_representors(session, names, list, OPEN_MAX);
        what.representors = list;
        kept_init(&record, session->id, session, &session->kept);
        record.what_case = DOCAD__KEPT__WHAT_CLIENT;
        record.client = &what;
        keep_put(&session->kept, &record, fds, 2);
    }
    free(names);
    free(list);
}

void kept_session_restore(struct node *node, struct keep_item *item)
{
    const Docad__KeptSession *m = item->record->client;
    struct connection *connection;

    if (item->fds.count != 2 || connection_new(&connection, node->base, fd_list_take(&item->fds, 0),
                                               node_limits(node)->value[LIMIT_QUEUED_OUTPUT]) < 0)
        return;
    struct user *user = user_get(&node->users, connection_uid(connection));
    struct session *session =
        user ? session_restore(node, connection, user, item->record->id, m, item->fds.fds[1])
             : NULL;
    user_unref(user);
    if (!session) {
        log_error("session %" PRIu64 " of %s cannot be taken up: out of memory", item->record->id,
                  m->program);
        connection_free(connection);
        return;
    }
    fd_list_take(&item->fds, 1);
    keep_take(item, &session->kept);
}
