// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs of the 1.3 interface, for tests that are themselves of a later one. `arg` is the
// PCI address of their device.

#ifndef INTEGRATION_EARLIER_PEER_H
#define INTEGRATION_EARLIER_PEER_H

#include "child.h"

// Like be_later_exporter() of later_peer.h.
int be_earlier_exporter(struct child *self, void *arg);

// Like be_later_importer(), but it receives the address (8 bytes) after the descriptor.
int be_earlier_importer(struct child *self, void *arg);

#endif
