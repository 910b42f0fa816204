// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "flood_share.h"

#include "cleanup.h"
#include "flood_session.h"

#include <doca_types.h>

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

// ---- exports

bool flood_register(int sock, const void *memory, size_t size, struct flood_export *out)
{
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *segments[] = {&segment};
    Docad__RegionRegister region = DOCAD__REGION_REGISTER__INIT;
    cleanup_fd int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

    region.address = segment.address = (uintptr_t)memory;
    region.length = segment.length = size;
    region.access = DOCA_ACCESS_DPU_READ_ONLY | DOCA_ACCESS_RDMA_READ;
    region.segments = segments;
    region.n_segments = 1;
    region.n_function_ids = 1;
    region.function_ids = &(uint32_t){1};
    region.has_memory_fd = true;
    cleanup_message Docad__Message *reply =
        flood_ask(sock, message_of(REGION_REGISTER, region_register, &region), &fd, 1, NULL);
    if (reply)
        out->region_id = reply->region_register_reply->region_id;
    return reply != NULL;
}

bool flood_export_region(int sock, Docad__ExportTarget target, struct flood_export *export)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    m.region_id = export->region_id;
    m.function_id = 1;
    m.target = target;
    cleanup_message Docad__Message *reply =
        flood_ask(sock, message_of(EXPORT_CREATE, export_create, &m), NULL, 0, NULL);
    const ProtobufCBinaryData *descriptor = reply ? &reply->export_create_reply->descriptor : NULL;
    if (!descriptor || descriptor->len > sizeof(export->descriptor))
        return false;
    memcpy(export->descriptor, descriptor->data, descriptor->len);
    export->size = descriptor->len;
    return true;
}

bool flood_export(int sock, const void *memory, size_t size, Docad__ExportTarget target,
                  struct flood_export *out)
{
    return flood_register(sock, memory, size, out) && flood_export_region(sock, target, out);
}

bool flood_publish(int sock, const char *name, const struct flood_export *export,
                   Docad__Audience *to)
{
    Docad__Publish m = DOCAD__PUBLISH__INIT;
    m.name = (char *)name;
    m.descriptor = (ProtobufCBinaryData){export->size, (uint8_t *)export->descriptor};
    m.to = to;
    cleanup_message Docad__Message *reply =
        flood_ask(sock, message_of(PUBLISH, publish, &m), NULL, 0, NULL);
    return reply != NULL;
}

// ---- imports

struct imports {
    const struct flood_export *export;
    uint64_t *ids;
    uint32_t key;
};

static bool send_import(int sock, size_t i, void *arg)
{
    const struct imports *imports = arg;
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    Docad__Message *message = message_of(IMPORT_CREATE, import_create, &m);
    (void)i;
    m.descriptor =
        (ProtobufCBinaryData){imports->export->size, (uint8_t *)imports->export->descriptor};
    m.function_id = 1;
    message->serial = 1;
    return message_send(sock, message, NULL, 0, MSG_NOSIGNAL) == 0;
}

static void take_import(const Docad__Message *reply, size_t i, void *arg)
{
    struct imports *imports = arg;
    imports->ids[i] = reply->import_create_reply->import_id;
    imports->key = reply->import_create_reply->grant_key;
}

bool flood_import(int sock, const struct flood_export *export, uint32_t *key)
{
    uint64_t id;
    struct imports imports = {.export = export, .ids = &id};
    size_t n = flood_ask_many(sock, 1, send_import, take_import, &imports);
    *key = imports.key;
    return n == 1;
}

size_t flood_import_many(int sock, const struct flood_export *export, size_t n, uint64_t *ids)
{
    struct imports imports = {.export = export, .ids = ids};
    return flood_ask_many(sock, n, send_import, take_import, &imports);
}

static bool send_release(int sock, size_t i, void *arg)
{
    const uint64_t *ids = arg;
    Docad__ImportRelease m = DOCAD__IMPORT_RELEASE__INIT;
    Docad__Message *message = message_of(IMPORT_RELEASE, import_release, &m);
    m.import_id = ids[i];
    message->serial = 1;
    return message_send(sock, message, NULL, 0, MSG_NOSIGNAL) == 0;
}

size_t flood_release_many(int sock, const uint64_t *ids, size_t n)
{
    return flood_ask_many(sock, n, send_release, NULL, (void *)ids);
}
