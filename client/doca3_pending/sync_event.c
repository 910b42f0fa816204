// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_sync_event.h of DOCA 3 has and the library does not do yet: whoever implements a
// function deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_sync_event_remote_net_create_from_export)
PENDING(doca_sync_event_remote_net_destroy)
PENDING(doca_sync_event_add_publisher_location_remote_net)
PENDING(doca_sync_event_export_to_remote_net)
