// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#ifndef COMMON_PLURAL_H
#define COMMON_PLURAL_H

// The end of a noun, and the verb, for a number of things: "1 buffer is", "2 buffers are".
#define PLURAL(n) ((n) == 1 ? "" : "s")
#define IS_ARE(n) ((n) == 1 ? "is" : "are")

#endif
