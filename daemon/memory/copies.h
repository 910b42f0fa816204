// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Copies by the engine on behalf of a session, from and to one of its regions or imports. The
// administrator enables them (engine, copies_over) and the session requests them; if they are not
// available, the session copies by itself.

#ifndef DAEMON_COPIES_H
#define DAEMON_COPIES_H

#include "segments.h"

struct copies_end;
struct session;

struct copies {
    struct session *session; // NULL: none
    uint32_t key;
    bool writable;
    struct copies_end *end;
};

// Maps the file for the engine, for writing if that is permitted. On failure there are no copies,
// and if it is more than the user's share of docad's addresses (address_space.h).
void copies_open(struct copies *copies, struct session *session, int memfd,
                 const struct segments *segments, bool writable);

// Ends the copies: those in progress fail with `error`. `done` (may be NULL) is called when no more
// bytes can move, which is before this returns if there are no copies.
void copies_close(struct copies *copies, doca_error_t error, void (*done)(void *arg), void *arg);

// `copies` and `arg` are about to be freed: `done` is not called with `arg` any more.
void copies_drop(struct copies *copies, const void *arg);

#endif
