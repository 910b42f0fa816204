// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One side of a game of sync events, written for the 2.2 interface. It contains no type that
// differs between interfaces.

#ifndef INTEGRATION_EVENT_2_2_H
#define INTEGRATION_EVENT_2_2_H

#include "child.h"

#define EVENT_ROUNDS 100u

// Child functions. The owner sends the test an export; the other side receives it. Both count up
// to EVENT_ROUNDS in turns: the owner sets odd numbers.
int event_2_2_owner(struct child *self, void *arg);
int event_2_2_user(struct child *self, void *arg);

#endif
