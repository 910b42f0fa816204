// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "session_representors.h"

#include "session.h"

#include <stdlib.h>

#define OPEN_MAX 1024 // of one session, including those that were removed

struct open_representor {
    struct list in_session;
    uint32_t id, count;
};

static struct open_representor *find(const struct session *session, uint32_t id)
{
    struct open_representor *open;
    list_for_each (open, &session->representors, in_session) {
        if (open->id == id)
            return open;
    }
    return NULL;
}

static doca_error_t add(struct session *session, uint32_t id, struct errtext *err)
{
    if (session->n_representors == OPEN_MAX)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "%d representors are open, the most a session may have; close some",
                           OPEN_MAX);
    struct open_representor *open = calloc(1, sizeof(*open));
    if (!open)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    open->id = id;
    open->count = 1;
    list_append(&session->representors, &open->in_session);
    session->n_representors++;
    return DOCA_SUCCESS;
}

static void remove_representor(struct session *session, struct open_representor *open)
{
    list_remove(&open->in_session);
    session->n_representors--;
    free(open);
}

doca_error_t session_open_representor(struct session *session, uint32_t id, const char *name,
                                      struct errtext *err)
{
    struct open_representor *open = find(session, id);
    if (!open)
        return add(session, id, err);
    if (open->count == UINT32_MAX)
        return errtext_set(err, DOCA_ERROR_FULL, "representor %s: opened too many times", name);
    open->count++;
    return DOCA_SUCCESS;
}

bool session_close_representor(struct session *session, uint32_t id)
{
    struct open_representor *open = find(session, id);
    if (open && --open->count == 0)
        remove_representor(session, open);
    return open != NULL;
}

void session_close_representors(struct session *session)
{
    while (!list_empty(&session->representors))
        remove_representor(
            session, list_entry(session->representors.next, struct open_representor, in_session));
}

bool session_has_representor(const struct session *session, uint32_t id)
{
    return find(session, id) != NULL;
}

size_t session_representors_to_names(const struct session *session, Docad__NameRecord *names,
                                     Docad__NameRecord **list, size_t max)
{
    const struct open_representor *open;
    size_t n = 0;
    list_for_each (open, &session->representors, in_session) {
        for (uint32_t i = 0; i < open->count && n < max; i++) {
            list[n] = &names[n];
            docad__name_record__init(list[n]);
            list[n++]->id = open->id;
        }
    }
    return n;
}

void session_restore_representors(struct session *session, const Docad__SessionRecord *record)
{
    for (size_t i = 0; i < record->n_representors; i++)
        session_open_representor(session, (uint32_t)record->representors[i]->id, "", NULL);
}
