// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Delegated exports. A DPU that has imported memory of a host may export it for RDMA to others. The
// export belongs to the node that owns the memory, like the host's own: its importers get their
// grants there. Whatever ends the grant of the delegating importer (a revocation, the end of either
// process, of the map or of the link) ends the export and its grants. The export and its record are
// charged to the delegating importer.

#ifndef DAEMON_DELEGATION_H
#define DAEMON_DELEGATION_H

#include "errtext.h"
#include "message.h"

struct export;
struct grant;
struct peer;
struct request;

// Finds or makes the export by which the importer delegates the grant. DOCA_ERROR_NOT_PERMITTED if
// its import cannot be delegated, or not to this target, or a tool has revoked the export.
doca_error_t delegation_get(struct export **out, struct grant *grant, uint32_t target,
                            struct errtext *err);

// Handles the ExportCreate of a session for one of its imports: answers it now, or when the node
// that owns the memory has answered.
doca_error_t delegation_request(struct request *request);

// Handles the PeerExportCreate of the importer's node.
void delegation_peer_request(struct peer *peer, const Docad__Message *message);

// Called when the grant was restored: finds the export that delegates it, and charges it.
void delegation_restore(struct grant *grant);

#endif
