// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What doca_comch.h of DOCA 3 has and the library does not do yet: whoever implements a function
// deletes its line.

#include "doca3_pending/pending.h"

PENDING(doca_comch_server_event_consumer_register)
PENDING(doca_comch_client_event_consumer_register)
