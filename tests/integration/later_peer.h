// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs of the 2.2 interface, for tests that are themselves of an earlier one.

#ifndef INTEGRATION_LATER_PEER_H
#define INTEGRATION_LATER_PEER_H

#include "child.h"

#define LATER_SIZE 100000

// Exports LATER_SIZE bytes, byte i being i * 7, and sends the descriptor, then the address
// (8 bytes). When told "check", it checks that byte 1 is 'w'. Ends when told "end".
int be_later_exporter(struct child *self, void *arg);

// Receives a descriptor; expects LATER_SIZE bytes as above behind it, writes a 'w' to byte 1
// of it, and says "done". `arg` is the PCI address of its device, or NULL for the DPU's p0.
int be_later_importer(struct child *self, void *arg);

// The same with the descriptor that is published under the name `arg`. Reports the text that is
// there.
int be_later_lookup(struct child *self, void *arg);

#endif
