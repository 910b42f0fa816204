// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "node.h"
#include "session_requests.h"

static doca_error_t on_second_hello(struct request *request)
{
    return errtext_set(request->err, DOCA_ERROR_BAD_STATE,
                       "hello was already sent on this connection");
}

// Requests about no kind of object.
static const struct kind_request requests[] = {
    {DOCAD__MESSAGE__BODY_HELLO, "Hello", on_second_hello},
    {DOCAD__MESSAGE__BODY_PEER_HELLO, "PeerHello", on_second_hello},
    {DOCAD__MESSAGE__BODY_ACTIVITY_PAGE, "ActivityPage", on_activity_page},
    {DOCAD__MESSAGE__BODY_FUNCTION_LIST, "FunctionList", on_function_list},
    {DOCAD__MESSAGE__BODY_FUNCTION_OPEN, "FunctionOpen", on_function_open},
    {DOCAD__MESSAGE__BODY_FUNCTION_CLOSE, "FunctionClose", on_function_close},
    {DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, "RepresentorList", on_representor_list},
    {DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN, "RepresentorOpen", on_representor_open},
    {DOCAD__MESSAGE__BODY_REPRESENTOR_CLOSE, "RepresentorClose", on_representor_close},
    {DOCAD__MESSAGE__BODY_LIST, "List", on_list},
    {DOCAD__MESSAGE__BODY_STATUS, "Status", on_status},
    {DOCAD__MESSAGE__BODY_MONITOR, "Monitor", on_monitor},
    {DOCAD__MESSAGE__BODY_METRICS, "Metrics", on_metrics},
    {DOCAD__MESSAGE__BODY_LOG_LEVEL, "LogLevel", on_log_level},
    {DOCAD__MESSAGE__BODY_RELOAD, "Reload", on_reload},
    {DOCAD__MESSAGE__BODY_POLICY_TEST, "PolicyTest", on_policy_test},
    {DOCAD__MESSAGE__BODY_EXPORT_GET, "ExportGet", on_export_get},
    {DOCAD__MESSAGE__BODY_EXPORT_REVOKE, "ExportRevoke", on_export_revoke},
    {DOCAD__MESSAGE__BODY_SESSION_END, "SessionEnd", on_session_end},
    {0},
};

static const struct kind_request *find(const struct kind_request *list,
                                       Docad__Message__BodyCase body)
{
    for (; list && list->fn; list++)
        if (list->body == body)
            return list;
    return NULL;
}

const struct kind_request *session_find_request(const struct node *node,
                                                Docad__Message__BodyCase body)
{
    const struct kind_request *found = find(requests, body);
    for (const struct object_kind *const *kind = node->kinds; !found && *kind; kind++)
        found = find((*kind)->requests, body);
    return found;
}
