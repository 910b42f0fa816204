// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#ifndef DAEMON_KINDS_H
#define DAEMON_KINDS_H

#include "kind.h"

// The kinds of objects that a node has, and NULL.
extern const struct object_kind *const kinds[];

#endif
