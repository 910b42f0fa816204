// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory that an importer hands on. A DPU that has imported memory of a host may export it for
// RDMA to others. The export is one of the node that owns the memory, beside the host's own: who
// imports it is granted the memory there, as everybody else, and whatever ends the grant of the one
// who hands it on (a revocation, the end of either process, of the map or of the link) ends that
// export and its grants. It is charged to the importer who asked for it, and so is its record.

#ifndef DAEMON_DELEGATION_H
#define DAEMON_DELEGATION_H

#include "errtext.h"
#include "message.h"

struct export;
struct grant;
struct peer;
struct request;

// Finds or makes the export by which the importer hands the grant on. DOCA_ERROR_NOT_PERMITTED if
// what it imported cannot be handed on, or not to this target, or a tool has revoked the export.
doca_error_t delegation_get(struct export **out, struct grant *grant, uint32_t target,
                            struct errtext *err);

// Handles the ExportCreate of a session for one of its imports: answers it now, or when the node
// that owns the memory has answered.
doca_error_t delegation_request(struct request *request);

// Handles the PeerExportCreate of the importer's node.
void delegation_peer_request(struct peer *peer, const Docad__Message *message);

// The grant was restored: finds the export that hands it on, and charges it.
void delegation_restore(struct grant *grant);

#endif
