// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Published names. Each user has a namespace: "frames" is a name of the requesting user,
// "1000/frames" one of uid 1000. The library and docactl also accept the user's name
// ("alice/frames"); docad only reads numbers, since the user database may take time.

#ifndef COMMON_OWNED_NAME_H
#define COMMON_OWNED_NAME_H

#include "errtext.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OWNED_NAME_MAX  255                       // bytes of the name itself
#define OWNED_NAME_SIZE (OWNED_NAME_MAX + 1 + 11) // room for "4294967295/NAME"

struct owned_name {
    bool has_owner;
    uint32_t uid;
    const char *name; // within the text
};

// Splits "NAME" or "UID/NAME". Returns false if the text before the "/" is no uid.
bool owned_name_split(const char *text, struct owned_name *out);

// Reads "NAME", "UID/NAME" or "USER/NAME" from user input, and writes the form that docad reads. It
// may query the machine's user database. DOCA_ERROR_INVALID_VALUE: the text says what is wrong.
doca_error_t owned_name_resolve(const char *text, char out[OWNED_NAME_SIZE], struct errtext *err);

// Writes the name as this user refers to it: without the uid if it is the user's own.
void owned_name_write(char *out, size_t size, const char *name, uint32_t owner, uint32_t user);

// Returns whether the name has only permitted bytes: letters, digits and . _ : @ + - of ASCII, so
// that no two names look alike.
bool owned_name_is_portable(const char *name);

#endif
