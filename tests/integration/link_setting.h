// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The setting for tests of queue pairs whose bytes go over the daemons' link: a docad, and a
// linked node that is not a docad.

#ifndef INTEGRATION_LINK_SETTING_H
#define INTEGRATION_LINK_SETTING_H

#include "protocol.h"

#define OWN_QUEUE 77u // the fake node's id for the queue pair
#define DATA_SIZE (QP_CHUNKS * QP_CHUNK_SIZE)

extern struct daemon *docad;
extern int fake;          // its link
extern bool fake_returns; // it may come back; to be said before it starts

// docad has this role.
void link_start(const char *role);
void link_stop(void);

// The fake node links, once more, in this role.
void link_as(const char *role);

void send_frame(uint64_t queue, uint32_t offset, const void *data, size_t n, const void *header,
                size_t size);
// The next message must be one of these; returns it, as if it were PeerQueuePairData.
const Docad__PeerQueuePairData *expect(Docad__Message__BodyCase body);

#endif
