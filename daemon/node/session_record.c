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

doca_error_t session_keep(struct session *session, struct errtext *err)
{
    Docad__SessionRecord what = DOCAD__SESSION_RECORD__INIT;
    Docad__Record record;
    int fds[2] = {connection_fd(session->connection), session->activity.fd};
    const size_t n_fds = session->activity.fd < 0 ? 1 : 2;

    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    bool same = session->stored.place && session->stored.n_fds == n_fds;
    cleanup_free Docad__NameRecord *names = calloc(OPEN_MAX, sizeof(*names));
    cleanup_free Docad__NameRecord **list = calloc(OPEN_MAX, sizeof(Docad__NameRecord *));
    if (!names || !list)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    what.program = session->program;
    what.tool = session->tool;
    what.since_ms = session->since_ms;
    what.open = session->open;
    what.n_open = session->node->n_functions;
    what.memory = session->memory ? session->memory->id : 0;
    what.n_representors = session_representors_to_names(session, names, list, OPEN_MAX);
    what.representors = list;
    record_init(&record, session->id, session->id, &session->stored);
    record.what_case = DOCAD__RECORD__WHAT_CLIENT;
    record.client = &what;
    return fdstore_put(&session->stored, &record, session->user, same ? NULL : fds, n_fds, err);
}
