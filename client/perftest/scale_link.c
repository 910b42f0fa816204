// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "scale_link.h"

#include "access.h"
#include "cleanup.h"
#include "memfd.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION   1 // each node has one with this id
#define PAGE       4096
#define TIMEOUT_MS 60000
#define SHARED     64 // bytes of a brokered region

static bool failed(struct problem *problem, const char *what, enum call_end end,
                   const Docad__Message *reply)
{
    if (end == CALL_DONE && reply->body_case == DOCAD__MESSAGE__BODY_ERROR)
        return problem_set(problem, "%s: %s", what, reply->error->text);
    if (end == CALL_DONE)
        return problem_set(problem, "%s: docad gave an answer that does not belong to it", what);
    return problem_set(problem, "%s: %s", what,
                       end == CALL_TIMED_OUT ? "docad did not answer in time"
                                             : "the connection with docad has failed");
}

// Sends the request; with `expected` 0, any answer but an error will do.
static bool ask(struct link *link, const char *what, Docad__Message *request, const int *fds,
                size_t n_fds, Docad__Message__BodyCase expected, Docad__Message **reply,
                struct problem *problem)
{
    cleanup_fdlist struct fd_list received = FD_LIST_EMPTY;
    cleanup_message Docad__Message *answer = NULL;
    enum call_end end =
        call_exchange(&link->line, request, fds, n_fds, TIMEOUT_MS, &answer, &received);
    if (end != CALL_DONE || answer->body_case == DOCAD__MESSAGE__BODY_ERROR ||
        (expected && answer->body_case != expected))
        return failed(problem, what, end, answer);
    if (reply)
        *reply = steal_ptr(answer);
    return true;
}

bool link_open(struct link *link, const char *socket, bool tool, struct problem *problem)
{
    cleanup_fdlist struct fd_list received = FD_LIST_EMPTY;
    cleanup_message Docad__Message *hello = NULL;
    Docad__FunctionOpen open = DOCAD__FUNCTION_OPEN__INIT;

    *link = (struct link){.line.sock = -1};
    enum call_end end = call_open(&link->line, socket, tool, TIMEOUT_MS, 0, &hello, &received);
    if (end != CALL_DONE || hello->body_case != DOCAD__MESSAGE__BODY_HELLO_REPLY)
        return failed(problem, "hello", end, hello);
    link->id = hello->hello_reply->session_id;
    open.function_id = FUNCTION;
    return tool || ask(link, "opening the device", message_of(FUNCTION_OPEN, function_open, &open),
                       NULL, 0, 0, NULL, problem);
}

void link_close(struct link *link)
{
    call_close(&link->line);
    link->has_memory = false;
}

// ---- regions and exports --------------------------------------------------------------------

static bool register_brokered(struct link *link, Docad__RegionRegister *m, Docad__Message **reply,
                              struct problem *problem)
{
    static char bytes[SHARED];
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *segments[] = {&segment};
    cleanup_fd int memory = link->has_memory ? -1 : open("/proc/self/mem", O_RDWR | O_CLOEXEC);

    m->address = segment.address = (uintptr_t)bytes;
    m->length = segment.length = SHARED;
    m->segments = segments;
    m->n_segments = 1;
    m->access = ACCESS_DPU_READ_WRITE;
    m->has_memory_fd = memory >= 0;
    bool ok =
        ask(link, "registering memory", message_of(REGION_REGISTER, region_register, m), &memory,
            m->has_memory_fd, DOCAD__MESSAGE__BODY_REGION_REGISTER_REPLY, reply, problem);
    link->has_memory |= ok;
    return ok;
}

static bool register_mapped(struct link *link, Docad__RegionRegister *m, Docad__Message **reply,
                            struct problem *problem)
{
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *segments[] = {&segment};
    cleanup_fd int file = memfd_create_sealed("doca-perftest", PAGE);
    cleanup_fd int read_only = file < 0 ? -1 : memfd_reopen_readonly(file);
    if (read_only < 0)
        return problem_set(problem, "cannot make a memory file");
    m->address = segment.address = 16 * PAGE; // docad does not read it
    m->length = segment.length = PAGE;
    segment.mapped = true;
    m->segments = segments;
    m->n_segments = 1;
    m->access = ACCESS_DPU_READ_ONLY;
    m->has_memfd = m->has_memfd_ro = true;
    return ask(link, "registering memory", message_of(REGION_REGISTER, region_register, m),
               (int[]){file, read_only}, 2, DOCAD__MESSAGE__BODY_REGION_REGISTER_REPLY, reply,
               problem);
}

bool link_register(struct link *link, enum backing backing, uint64_t *region,
                   struct problem *problem)
{
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    cleanup_message Docad__Message *reply = NULL;
    uint32_t function = FUNCTION;

    m.function_ids = &function;
    m.n_function_ids = 1;
    if (backing == BACKING_MAPPED ? !register_mapped(link, &m, &reply, problem)
                                  : !register_brokered(link, &m, &reply, problem))
        return false;
    *region = reply->region_register_reply->region_id;
    return true;
}

bool link_unregister(struct link *link, uint64_t region, struct problem *problem)
{
    Docad__RegionUnregister m = DOCAD__REGION_UNREGISTER__INIT;
    m.region_id = region;
    return ask(link, "ending a region", message_of(REGION_UNREGISTER, region_unregister, &m), NULL,
               0, 0, NULL, problem);
}

bool link_export(struct link *link, uint64_t region, struct descriptor *out,
                 struct problem *problem)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    cleanup_message Docad__Message *reply = NULL;

    m.region_id = region;
    m.function_id = FUNCTION;
    m.target = DOCAD__EXPORT_TARGET__TARGET_DPU;
    if (!ask(link, "exporting", message_of(EXPORT_CREATE, export_create, &m), NULL, 0,
             DOCAD__MESSAGE__BODY_EXPORT_CREATE_REPLY, &reply, problem))
        return false;
    const ProtobufCBinaryData *descriptor = &reply->export_create_reply->descriptor;
    if (descriptor->len > sizeof(out->data))
        return problem_set(problem, "exporting: a descriptor of %zu bytes", descriptor->len);
    memcpy(out->data, descriptor->data, descriptor->len);
    out->size = descriptor->len;
    return true;
}

// ---- names ----------------------------------------------------------------------------------

bool link_publish(struct link *link, const char *name, const struct descriptor *descriptor,
                  struct problem *problem)
{
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){descriptor->size, (uint8_t *)descriptor->data};
    return ask(link, "publishing", message_of(PUBLISH, publish, &m), NULL, 0, 0, NULL, problem);
}

bool link_unpublish(struct link *link, const char *name, struct problem *problem)
{
    Docad__Unpublish m = DOCAD__UNPUBLISH__INIT;
    m.name = (char *)name;
    return ask(link, "unpublishing", message_of(UNPUBLISH, unpublish, &m), NULL, 0, 0, NULL,
               problem);
}

bool link_look_up(struct link *link, const char *name, struct problem *problem)
{
    Docad__Lookup m = DOCAD__LOOKUP__INIT;
    m.name = (char *)name;
    return ask(link, "looking up", message_of(LOOKUP, lookup, &m), NULL, 0,
               DOCAD__MESSAGE__BODY_LOOKUP_REPLY, NULL, problem);
}

// ---- imports --------------------------------------------------------------------------------

bool link_import(struct link *link, const struct descriptor *descriptor, uint64_t *import,
                 struct problem *problem)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    cleanup_message Docad__Message *reply = NULL;

    m.descriptor = (ProtobufCBinaryData){descriptor->size, (uint8_t *)descriptor->data};
    m.function_id = FUNCTION;
    if (!ask(link, "importing", message_of(IMPORT_CREATE, import_create, &m), NULL, 0,
             DOCAD__MESSAGE__BODY_IMPORT_CREATE_REPLY, &reply, problem))
        return false;
    *import = reply->import_create_reply->import_id;
    return true;
}

bool link_release(struct link *link, uint64_t import, struct problem *problem)
{
    Docad__ImportRelease m = DOCAD__IMPORT_RELEASE__INIT;
    m.import_id = import;
    return ask(link, "releasing an import", message_of(IMPORT_RELEASE, import_release, &m), NULL, 0,
               0, NULL, problem);
}

// ---- requests of tools -------------------------------------------------------------------------

bool link_metrics(struct link *link, struct problem *problem)
{
    Docad__Metrics m = DOCAD__METRICS__INIT;
    return ask(link, "metrics", message_of(METRICS, metrics, &m), NULL, 0,
               DOCAD__MESSAGE__BODY_METRICS_REPLY, NULL, problem);
}

bool link_list(struct link *link, uint64_t *n, struct problem *problem)
{
    Docad__List m = DOCAD__LIST__INIT;
    m.kind = DOCAD__LIST__KIND__EXPORTS;
    *n = 0;
    for (;;) {
        cleanup_message Docad__Message *reply = NULL;
        if (!ask(link, "listing", message_of(LIST, list, &m), NULL, 0,
                 DOCAD__MESSAGE__BODY_LIST_REPLY, &reply, problem))
            return false;
        *n += reply->list_reply->n_exports;
        if (!reply->list_reply->more || reply->list_reply->last == m.after)
            return true;
        m.after = reply->list_reply->last;
    }
}

bool link_count(struct link *link, uint64_t *exports, uint64_t *names, struct problem *problem)
{
    Docad__Status m = DOCAD__STATUS__INIT;
    cleanup_message Docad__Message *reply = NULL;
    if (!ask(link, "status", message_of(STATUS, status, &m), NULL, 0,
             DOCAD__MESSAGE__BODY_STATUS_REPLY, &reply, problem))
        return false;
    *exports = reply->status_reply->exports;
    *names = reply->status_reply->publications;
    return true;
}
