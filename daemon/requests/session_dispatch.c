// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "channel.h"
#include "cleanup.h"
#include "rdma_endpoint.h"
#include "session_requests.h"

static SESSION_REQUEST(on_second_hello)
{
    (void)session;
    (void)request;
    (void)fds;
    return errtext_set(err, DOCA_ERROR_BAD_STATE, "hello was said already on this connection");
}

static const struct {
    const char *name;
    session_request_fn fn;
} requests[] = {
    [DOCAD__MESSAGE__BODY_HELLO] = {"Hello", on_second_hello},
    [DOCAD__MESSAGE__BODY_PEER_HELLO] = {"PeerHello", on_second_hello},
    [DOCAD__MESSAGE__BODY_FUNCTION_LIST] = {"FunctionList", on_function_list},
    [DOCAD__MESSAGE__BODY_FUNCTION_OPEN] = {"FunctionOpen", on_function_open},
    [DOCAD__MESSAGE__BODY_FUNCTION_CLOSE] = {"FunctionClose", on_function_close},
    [DOCAD__MESSAGE__BODY_REPRESENTOR_LIST] = {"RepresentorList", on_representor_list},
    [DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN] = {"RepresentorOpen", on_representor_open},
    [DOCAD__MESSAGE__BODY_REPRESENTOR_CLOSE] = {"RepresentorClose", on_representor_close},
    [DOCAD__MESSAGE__BODY_REGION_REGISTER] = {"RegionRegister", on_region_register},
    [DOCAD__MESSAGE__BODY_REGION_UNREGISTER] = {"RegionUnregister", on_region_unregister},
    [DOCAD__MESSAGE__BODY_EXPORT_CREATE] = {"ExportCreate", on_export_create},
    [DOCAD__MESSAGE__BODY_IMPORT_CREATE] = {"ImportCreate", on_import_create},
    [DOCAD__MESSAGE__BODY_IMPORT_RELEASE] = {"ImportRelease", on_import_release},
    [DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE] = {"QueuePairCreate", on_queue_pair_create},
    [DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY] = {"QueuePairDestroy", on_queue_pair_destroy},
    [DOCAD__MESSAGE__BODY_PUBLISH] = {"Publish", on_publish},
    [DOCAD__MESSAGE__BODY_UNPUBLISH] = {"Unpublish", on_unpublish},
    [DOCAD__MESSAGE__BODY_LOOKUP] = {"Lookup", on_lookup},
    [DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE] = {"RdmaEndpointCreate", on_rdma_endpoint_create},
    [DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_DESTROY] = {"RdmaEndpointDestroy",
                                                    on_rdma_endpoint_destroy},
    [DOCAD__MESSAGE__BODY_CHANNEL_LISTEN] = {"ChannelListen", on_channel_listen},
    [DOCAD__MESSAGE__BODY_CHANNEL_CONNECT] = {"ChannelConnect", on_channel_connect},
    [DOCAD__MESSAGE__BODY_CHANNEL_CLOSE] = {"ChannelClose", on_channel_close},
    [DOCAD__MESSAGE__BODY_RDMA_CONNECT] = {"RdmaConnect", on_rdma_connect},
    [DOCAD__MESSAGE__BODY_LIST] = {"List", on_list},
    [DOCAD__MESSAGE__BODY_STATUS] = {"Status", on_status},
    [DOCAD__MESSAGE__BODY_MONITOR] = {"Monitor", on_monitor},
    [DOCAD__MESSAGE__BODY_METRICS] = {"Metrics", on_metrics},
    [DOCAD__MESSAGE__BODY_LOG_LEVEL] = {"LogLevel", on_log_level},
    [DOCAD__MESSAGE__BODY_RELOAD] = {"Reload", on_reload},
    [DOCAD__MESSAGE__BODY_EXPORT_GET] = {"ExportGet", on_export_get},
    [DOCAD__MESSAGE__BODY_EXPORT_REVOKE] = {"ExportRevoke", on_export_revoke},
};

session_request_fn session_find_request(Docad__Message__BodyCase body, const char **name)
{
    bool known = (size_t)body < ARRAY_SIZE(requests) && requests[body].fn;
    *name = known ? requests[body].name : "unknown request";
    return known ? requests[body].fn : NULL;
}
