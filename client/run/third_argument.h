// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// With how many arguments a program calls a function: nothing but its instructions tell that. A
// guess, for x86-64 and arm64.

#ifndef RUN_THIRD_ARGUMENT_H
#define RUN_THIRD_ARGUMENT_H

#include "elf_object.h"

// Says whether the object takes an address, of a variable, for the third argument of a call of this
// function of a shared library. False for other machines, and without section headers.
bool passes_third_address(const struct elf_object *object, const char *function);

#endif
