// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// When all clients and linked nodes have left, nothing of them may remain.

#ifndef FUZZ_LEFT_OVER_H
#define FUZZ_LEFT_OVER_H

#include "node.h"

// No object, no charge. `links` may stay, with what they are charged.
bool left_over_nothing(const struct node *node, bool links);

void left_over_say(const struct node *node);

#endif
