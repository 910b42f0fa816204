// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The addresses of docad, and the number of mappings that Linux allows it, as users share them. A
// memory file that a program passes costs it nothing, however large, until it is used; but
// where docad maps it, it takes addresses. What finds no place is not mapped, and docad does
// without: the program copies by itself, or the bytes go another way.

#ifndef DAEMON_ADDRESS_SPACE_H
#define DAEMON_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct user;

// Takes one mapping of this size. Returns false if too little would be left for other users.
bool address_space_take(struct user *user, uint64_t bytes);
void address_space_give(struct user *user, uint64_t bytes);

#endif
