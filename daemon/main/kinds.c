// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "kinds.h"

#include "channel.h"
#include "channel_relay.h"
#include "export.h"
#include "grant.h"
#include "import.h"
#include "importer.h"
#include "lookup.h"
#include "peer_life.h"
#include "process_memories.h"
#include "publication.h"
#include "qpair.h"
#include "rdma_endpoint.h"
#include "rdma_listener.h"
#include "region.h"
#include "representor.h"
#include "session_life.h"

// In the order in which they end with a session, a function or a link. A client whose imported
// memory ends must find its connection already closed, and so take that for the reason: therefore
// connections come before exports. An object on which others depend comes after those.
const struct object_kind *const kinds[] = {
    &session_kind,     &peer_kind,     &representor_kind, &lookup_kind,
    &publication_kind, &service_kind,  &relay_kind,       &channel_kind,
    &import_kind,      &listener_kind, &rdma_kind,        &qpair_kind,
    &grant_kind,       &export_kind,   &region_kind,      &memory_kind,
    &importer_kind,    NULL,
};
