// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "session_again.h"

#include "node.h"
#include "session.h"

static bool counts(Docad__Message__BodyCase body)
{
    return body == DOCAD__MESSAGE__BODY_FUNCTION_OPEN ||
           body == DOCAD__MESSAGE__BODY_FUNCTION_CLOSE ||
           body == DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN ||
           body == DOCAD__MESSAGE__BODY_REPRESENTOR_CLOSE;
}

bool session_undo(struct session *session, const Docad__Message *request)
{
    if (counts(request->body_case))
        return session->stored.serial == request->serial;
    session_end_objects(session, request->serial);
    return false;
}

bool session_was_done(const Docad__Message *request, doca_error_t error)
{
    switch (request->body_case) {
    case DOCAD__MESSAGE__BODY_REGION_UNREGISTER:
    case DOCAD__MESSAGE__BODY_IMPORT_RELEASE:
    case DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY:
    case DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_DESTROY:
    case DOCAD__MESSAGE__BODY_RDMA_LISTEN_END:
    case DOCAD__MESSAGE__BODY_CHANNEL_CLOSE:
    case DOCAD__MESSAGE__BODY_UNPUBLISH:
    case DOCAD__MESSAGE__BODY_EXPORT_REVOKE:
    case DOCAD__MESSAGE__BODY_SESSION_END:
        return error == DOCA_ERROR_NOT_FOUND;
    default:
        return false;
    }
}
