// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The users to whom a published name is offered, besides its publisher: all users, or some users
// and groups.

#ifndef COMMON_AUDIENCE_H
#define COMMON_AUDIENCE_H

#include "errtext.h"

#include "docad.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AUDIENCE_MAX 16 // users, and groups

struct audience {
    bool all;
    uint32_t uids[AUDIENCE_MAX], gids[AUDIENCE_MAX];
    size_t n_uids, n_gids;
};

// Reads "all", or users and :groups by name or number, as in "alice,1000,:video". NULL offers the
// name to no other user. DOCA_ERROR_INVALID_VALUE: the text says what is wrong, or which user does
// not exist. It may query the machine's user database, which takes time.
doca_error_t audience_parse(const char *text, struct audience *out, struct errtext *err);

// Finds a user by name or number. May take time, too.
bool audience_find_user(const char *name, uint32_t *uid);

// Reads the audience from a message; NULL offers the name to no other user.
// DOCA_ERROR_INVALID_VALUE if it names too many.
doca_error_t audience_of_message(const Docad__Audience *message, struct audience *out,
                                 struct errtext *err);

// Points into `audience`.
Docad__Audience audience_message(const struct audience *audience);

#endif
