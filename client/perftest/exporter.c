// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "exporter.h"

#include "device.h"

#include <doca_mmap.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

struct exporter {
    struct memory memory;
    struct doca_dev *dev;
    struct doca_mmap *map;
};

static void export_end(struct exporter *ex)
{
    if (ex->map)
        doca_mmap_destroy(ex->map);
    if (ex->dev)
        doca_dev_close(ex->dev);
    memory_close(&ex->memory);
}

// A unique name: the daemon may be in use.
static bool publish(const void *desc, size_t len, struct export_reply *reply)
{
    uint64_t random;
    if (getrandom(&random, sizeof(random), 0) != sizeof(random))
        return problem_set(&reply->problem, "getrandom: %s", strerror(errno));
    snprintf(reply->name, sizeof(reply->name), "doca-perftest-%016" PRIx64, random);
    DOCA_TRY(&reply->problem, docad_export_publish, reply->name, desc, len);
    return true;
}

static bool export_begin(struct exporter *ex, const struct export_request *request,
                         const void **desc, size_t *len, struct problem *problem)
{
    if (!memory_open(&ex->memory, request->kind, request->size, problem))
        return false;
    pattern_fill(ex->memory.at, ex->memory.size);
    if (!device_open(&ex->dev, DEVICE_EXPORTS, problem))
        return false;
    DOCA_TRY(problem, doca_mmap_create, NULL, &ex->map);
    DOCA_TRY(problem, doca_mmap_set_permissions, ex->map, DOCA_ACCESS_DPU_READ_WRITE);
    DOCA_TRY(problem, doca_mmap_set_memrange, ex->map, ex->memory.at, ex->memory.size);
    DOCA_TRY(problem, doca_mmap_dev_add, ex->map, ex->dev);
    DOCA_TRY(problem, doca_mmap_start, ex->map);
    DOCA_TRY(problem, doca_mmap_export_dpu, ex->map, ex->dev, desc, len);
    return true;
}

static bool export_and_publish(struct exporter *ex, const struct export_request *request,
                               struct export_reply *reply)
{
    const void *desc;
    size_t len;
    if (!export_begin(ex, request, &desc, &len, &reply->problem))
        return false;
    reply->address = (uint64_t)(uintptr_t)ex->memory.at;
    return publish(desc, len, reply);
}

int exporter_serve(int channel)
{
    struct exporter exporter = {0};
    struct export_request request;
    struct export_reply reply = {0};
    ssize_t n;

    // Allows the measuring process to compare with process_vm_readv(2).
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    if (recv(channel, &request, sizeof(request), 0) != sizeof(request))
        return 1;
    reply.ok = export_and_publish(&exporter, &request, &reply);
    // A further request, for another importer, is for the same memory.
    do {
        n = send(channel, &reply, sizeof(reply), MSG_NOSIGNAL);
        while (n > 0 && (n = recv(channel, &request, sizeof(request), 0)) < 0 && errno == EINTR)
            n = 1;
    } while (n > 0);
    export_end(&exporter);
    close(channel);
    return reply.ok ? 0 : 1;
}

int exporter_serve_remote(int channel, const struct remote_request *request)
{
    const struct export_request wanted = {.kind = request->memory, .size = request->size};
    struct exporter exporter = {0};
    struct problem problem = {0};
    const void *desc;
    size_t len;
    char byte;

    bool ok = export_begin(&exporter, &wanted, &desc, &len, &problem);
    ok = remote_answer(channel, ok, &problem) && ok;
    ok = ok && remote_send_export(channel, (uint64_t)(uintptr_t)exporter.memory.at, desc, len);
    if (ok)
        remote_recv(channel, &byte, 1, -1); // until the client has ended
    export_end(&exporter);
    remote_close(channel);
    return ok ? 0 : 1;
}

bool exporter_ask(int channel, enum memory_kind kind, uint64_t size, struct export_reply *reply,
                  struct problem *problem)
{
    struct export_request request = {.kind = kind, .size = size};
    if (send(channel, &request, sizeof(request), MSG_NOSIGNAL) != sizeof(request) ||
        recv(channel, reply, sizeof(*reply), 0) != sizeof(*reply))
        return problem_set(problem, "the exporting process has ended");
    if (!reply->ok)
        return problem_set(problem, "the exporting process: %.360s", reply->problem.s);
    return true;
}
