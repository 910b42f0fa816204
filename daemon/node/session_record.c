// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "session.h"

#include "cleanup.h"
#include "connection.h"
#include "memory_file.h"
#include "node.h"
#include "session_representors.h"

#include <stdlib.h>

#define OPEN_MAX 1024 // open representors

void session_keep(struct session *session)
{
    Docad__KeptSession what = DOCAD__KEPT_SESSION__INIT;
    Docad__Kept record;
    int fds[2] = {connection_fd(session->connection), session->activity.fd};

    if (!keep_is_on())
        return;
    cleanup_free Docad__KeptName *names = calloc(OPEN_MAX, sizeof(*names));
    cleanup_free Docad__KeptName **list = calloc(OPEN_MAX, sizeof(Docad__KeptName *));
    if (!names || !list)
        return;
    what.program = session->program;
    what.tool = session->tool;
    what.since_ms = session->since_ms;
    what.open = session->open;
    what.n_open = session->node->n_functions;
    what.memory = session->memory ? session->memory->id : 0;
    what.n_representors = session_representors_to_names(session, names, list, OPEN_MAX);
    what.representors = list;
    keep_record_init(&record, session->id, session->id, &session->kept);
    record.what_case = DOCAD__KEPT__WHAT_CLIENT;
    record.client = &what;
    keep_put(&session->kept, &record, fds, 2);
}
