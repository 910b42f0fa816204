// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Floods by a user with as many imports as docad allows. The flood "revocations" unregisters the
// imported region; "status" and "metrics socket" request figures that count the imports.

#include "cleanup.h"
#include "copy_text.h"
#include "flood_packet.h"
#include "flood_session.h"
#include "flood_share.h"
#include "floods.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define IMPORTS     65536 // state_slots_per_uid
#define EACH        4096  // grants_per_importer, of one session
#define SESSIONS    (IMPORTS / EACH)
#define CONNECTIONS 40

static uint8_t memory[4096];

struct importer {
    int sock;
    bool on_dpu;
    uint64_t ids[EACH];
    size_t n;
};

static struct importer importers[SESSIONS];

static int open_session(const char *path)
{
    cleanup_fd int sock = flood_session(path, false, NULL);
    return sock >= 0 && flood_open_function(sock) ? steal_fd(&sock) : -1;
}

// At least two, so that both nodes have one.
static size_t count_sessions(size_t imports)
{
    size_t n = (imports + EACH - 1) / EACH;
    return n < 2 ? 2 : n;
}

static bool open_importers(const struct flood_targets *at, size_t n, bool on_both)
{
    for (size_t i = 0; i < n; i++) {
        importers[i].on_dpu = on_both && i % 2 == 1;
        importers[i].sock = open_session(importers[i].on_dpu ? at->dpu : at->host);
        if (importers[i].sock < 0)
            return false;
    }
    return true;
}

// Imports of the host are by RDMA, those of the DPU across PCI. Returns how many there are.
static size_t import_all(size_t n, size_t imports, const struct flood_export *by_rdma,
                         const struct flood_export *across_pci)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        struct importer *importer = &importers[i];
        importer->n = flood_import_many(importer->sock, importer->on_dpu ? across_pci : by_rdma,
                                        imports * (i + 1) / n - imports * i / n, importer->ids);
        total += importer->n;
    }
    return total;
}

// ---- revocations

static bool unregister(int sock, uint64_t region)
{
    Docad__RegionUnregister m = DOCAD__REGION_UNREGISTER__INIT;
    m.region_id = region;
    cleanup_message Docad__Message *reply =
        flood_ask(sock, message_of(REGION_UNREGISTER, region_unregister, &m), NULL, 0, NULL);
    return reply != NULL;
}

void floods_run_revocations(const struct flood_targets *at)
{
    size_t imports = flood_part(at, IMPORTS), n = count_sessions(imports);
    struct flood_export by_rdma, across_pci;
    int owner = open_session(at->host);
    bool first = true;

    if (owner < 0 || !open_importers(at, n, true))
        return;
    for (;;) {
        if (!flood_export(owner, memory, sizeof(memory), DOCAD__EXPORT_TARGET__TARGET_RDMA,
                          &by_rdma))
            return;
        across_pci = by_rdma;
        if (!flood_export_region(owner, DOCAD__EXPORT_TARGET__TARGET_DPU, &across_pci))
            return;
        size_t total = import_all(n, imports, &by_rdma, &across_pci);
        if (first)
            flood_holds(at, total);
        first = false;
        usleep(at->pause_us);
        if (total == 0 || !unregister(owner, by_rdma.region_id))
            return;
        for (size_t i = 0; i < n; i++)
            flood_release_many(importers[i].sock, importers[i].ids, importers[i].n);
    }
}

// ---- counters of imports

static bool hold_imports(const struct flood_targets *at)
{
    size_t imports = flood_part(at, IMPORTS), n = count_sessions(imports);
    struct flood_export export;
    int owner = open_session(at->host);

    if (owner < 0 || !open_importers(at, n, false) ||
        !flood_export(owner, memory, sizeof(memory), DOCAD__EXPORT_TARGET__TARGET_RDMA, &export))
        return false;
    size_t total = import_all(n, imports, &export, NULL);
    if (total > 0)
        flood_holds(at, total);
    return total > 0;
}

void floods_run_status(const struct flood_targets *at)
{
    int socks[FLOOD_SESSIONS_MAX];
    Docad__Status m = DOCAD__STATUS__INIT;
    size_t n = flood_open_sessions(at->host, socks, FLOOD_SESSIONS_MAX, false);
    if (hold_imports(at))
        flood_with_packet(message_of(STATUS, status, &m), socks, n, NULL, 0);
}

// The metrics socket of docad's socket, where it is by default.
static void name_metrics_socket(const char *path, struct sockaddr_un *out)
{
    static const char end[] = ".sock";
    int n = (int)strlen(path), cut = (int)strlen(end);
    if (n > cut && strcmp(path + n - cut, end) == 0)
        n -= cut;
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(out->sun_path, sizeof(out->sun_path), "%.*s-metrics.sock", n, path);
}

// The oldest connection makes room for a new one; nothing is read.
void floods_run_metrics_socket(const struct flood_targets *at)
{
    int socks[CONNECTIONS];
    struct sockaddr_un address;

    name_metrics_socket(at->host, &address);
    memset(socks, -1, sizeof(socks));
    if (access(address.sun_path, W_OK) < 0 || !hold_imports(at))
        return;
    for (size_t i = 0;;) {
        cleanup_fd int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (sock < 0 || connect(sock, (struct sockaddr *)&address, sizeof(address)) < 0) {
            usleep(200); // docad has not accepted the earlier ones yet
            continue;
        }
        close_fdp(&socks[i]);
        socks[i] = steal_fd(&sock);
        i = (i + 1) % CONNECTIONS;
    }
}
