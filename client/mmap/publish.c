// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Export descriptors by name.

#include "audience.h"
#include "cleanup.h"
#include "core/connection.h"
#include "core/report.h"
#include "core/session.h"
#include "export_text.h"
#include "owned_name.h"

#include <doca_docad.h>
#include <string.h>

_Static_assert(DOCAD_NAME_LENGTH_MAX == OWNED_NAME_MAX, "names are as long everywhere");

// Codes that are passed on to the caller; all others mean that docad failed.
static doca_error_t public_code(doca_error_t e)
{
    return CODE_AMONG(e, DOCA_ERROR_DRIVER, DOCA_ERROR_INVALID_VALUE,
                      DOCA_ERROR_UNSUPPORTED_VERSION, DOCA_ERROR_ALREADY_EXIST,
                      DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_NOT_FOUND, DOCA_ERROR_NO_MEMORY,
                      DOCA_ERROR_NOT_CONNECTED, DOCA_ERROR_TIME_OUT);
}

static doca_error_t call(Docad__Message *request, struct errtext *err)
{
    struct session *session;
    doca_error_t e = session_get(&session, err);
    if (e != DOCA_SUCCESS)
        return e;
    e = session_call(session, request, NULL, 0, NULL, NULL, err);
    session_unref(session);
    return e;
}

static doca_error_t publish(const char *function, const char *name, const void *desc, size_t len,
                            const char *to)
{
    struct errtext err = {""};
    struct export_desc decoded;
    struct audience audience;
    uint8_t of_text[EXPORT_DESC_SIZE_MAX];
    char asked[OWNED_NAME_SIZE];
    Docad__Publish ask = DOCAD__PUBLISH__INIT;

    doca_error_t e = owned_name_resolve(name, asked, &err);
    if (e == DOCA_SUCCESS)
        e = audience_parse(to, &audience, &err);
    if (e == DOCA_SUCCESS)
        e = export_desc_of(&desc, &len, of_text, &err);
    if (e == DOCA_SUCCESS)
        e = export_desc_decode(desc, len, &decoded, &err);
    if (e != DOCA_SUCCESS)
        return report(function, e, &err);
    Docad__Audience offered = audience_message(&audience);
    ask.name = asked;
    ask.descriptor = (ProtobufCBinaryData){len, (uint8_t *)desc};
    ask.to = &offered;
    return report(function, public_code(call(message_of(PUBLISH, publish, &ask), &err)), &err);
}

doca_error_t docad_export_publish(const char *name, const void *desc, size_t len)
{
    if (!name || !desc)
        return REFUSED_NULL(name, desc);
    return publish(__func__, name, desc, len, NULL);
}

doca_error_t docad_export_publish_to(const char *name, const void *desc, size_t len, const char *to)
{
    if (!name || !desc)
        return REFUSED_NULL(name, desc);
    return publish(__func__, name, desc, len, to);
}

doca_error_t docad_export_unpublish(const char *name)
{
    struct errtext err = {""};
    char asked[OWNED_NAME_SIZE];
    Docad__Unpublish ask = DOCAD__UNPUBLISH__INIT;

    if (!name)
        return REFUSED_NULL(name);
    doca_error_t e = owned_name_resolve(name, asked, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    ask.name = asked;
    return report(__func__, public_code(call(message_of(UNPUBLISH, unpublish, &ask), &err)), &err);
}

// Uses a connection of its own: the session's would be busy while docad waits.
static doca_error_t lookup(const char *name, uint32_t timeout_ms, Docad__Message **reply,
                           struct errtext *err)
{
    cleanup_message Docad__Message *hello = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    struct connection connection;
    Docad__Lookup ask = DOCAD__LOOKUP__INIT;
    bool broken = false;

    doca_error_t e = connection_open(&connection, true, &hello, &fds, err);
    if (e != DOCA_SUCCESS)
        return e;
    ask.name = (char *)name;
    ask.timeout_ms = timeout_ms;
    e = connection_call(&connection, message_of(LOOKUP, lookup, &ask), NULL, 0,
                        (int64_t)timeout_ms + CONNECTION_TIMEOUT_MS, reply, NULL, &broken, err);
    connection_close(&connection);
    if (e == DOCA_SUCCESS && (*reply)->body_case != DOCAD__MESSAGE__BODY_LOOKUP_REPLY)
        e = errtext_set(err, DOCA_ERROR_DRIVER, "docad's answer has the wrong type");
    return e;
}

doca_error_t docad_export_lookup(const char *name, uint32_t timeout_ms, void *desc, size_t *len)
{
    struct errtext err = {""};
    cleanup_message Docad__Message *reply = NULL;
    char asked[OWNED_NAME_SIZE];

    if (!name || !desc || !len)
        return REFUSED_NULL(name, desc, len);
    doca_error_t e = owned_name_resolve(name, asked, &err);
    if (e == DOCA_SUCCESS)
        e = lookup(asked, timeout_ms, &reply, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, public_code(e), &err);
    const ProtobufCBinaryData *found = &reply->lookup_reply->descriptor;
    if (found->len > *len)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_INVALID_VALUE,
                                  "the descriptor has %zu bytes, there is room for %zu; %d are "
                                  "always enough",
                                  found->len, *len, DOCAD_EXPORT_DESC_SIZE),
                      &err);
    memcpy(desc, found->data, found->len);
    *len = found->len;
    return DOCA_SUCCESS;
}
