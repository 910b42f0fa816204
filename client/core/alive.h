// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Objects that programs destroy. A program that destroys one twice gets an error: the library finds
// out by the object's address, and does not read freed memory.

#ifndef CLIENT_CORE_ALIVE_H
#define CLIENT_CORE_ALIVE_H

#include <stdbool.h>

// The member in the object.
struct alive {
    struct alive *next, **at;
};

#define ENDED_ALREADY "it was destroyed already"

void alive_begin(struct alive *alive);

// The caller frees the object afterwards.
void alive_end(struct alive *alive);

// Only compares the address.
bool alive_now(const struct alive *alive);

#endif
