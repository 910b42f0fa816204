// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad's address space, and the number of mappings that Linux allows, as users share them. A
// memory file that a program passes costs nothing, however large, until it is used; but mapping it
// in docad takes addresses. A file that does not fit is not mapped: the program copies by itself,
// or the bytes are read through the file.

#ifndef DAEMON_ADDRESS_SPACE_H
#define DAEMON_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct user;

// Charges one mapping of this size. Returns false if too little would be left for other users.
bool address_space_take(struct user *user, uint64_t bytes);
void address_space_give(struct user *user, uint64_t bytes);

#endif
