// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The end of an object that others may use in any number: of a region with its exports and their
// imports, say. It ends in pieces, in turns (loop_sched.h) of the user who asks for it, so that
// other users do not wait for all of it. The user who asks gets the answer after the last piece.
//
// From the beginning until then the object has an ending. A request that would begin to use the
// object checks that, and is refused.

#ifndef DAEMON_ENDING_H
#define DAEMON_ENDING_H

#include "errtext.h"
#include "list.h"

#include <stdbool.h>

struct ending;
struct node;
struct request;
struct grace_period;
struct user;

#define ENDING_STEPS 16 // objects that end in one piece

// The object that ends.
struct ending_root {
    void *object;
    struct ending **ending; // in the object; NULL while it has none
    // Ends up to *steps parts of the object, which is counted down. Returns false if parts are
    // left. The last call frees the object, which calls ending_leave(). `grace` may be NULL.
    bool (*some)(void *object, struct grace_period *grace, unsigned *steps);
};

// Begins with the first piece. The turns are the user's. `grace` (may be NULL) begins after
// the last piece. If memory runs out, all of the object ends before this returns.
void ending_begin(struct node *node, const struct ending_root *root, struct user *user,
                  struct grace_period *grace);

// Ends the object for a request, which is answered when the object is not used any more. The grace
// period is one of the request, or NULL if memory has run out. Returns DOCA_SUCCESS.
doca_error_t ending_request(const struct request *request, const struct ending_root *root,
                            struct grace_period *grace);

// Called when the object is freed, for whatever reason. Takes NULL.
void ending_leave(struct ending *ending);

// Returns the grace period that waits for the end of the object; NULL if there is none. Takes NULL.
struct grace_period *ending_grace_period(const struct ending *ending);

#endif
