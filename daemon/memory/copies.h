// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Copies by the engine on behalf of a session: what the engine may use of a region of its
// own, or of an import. The administrator turns them on (engine, copies_over), the session
// asks for them; if they cannot be had, it copies by itself.

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

// Maps the file for the engine, for writing if it may. On failure there are no copies.
void copies_open(struct copies *copies, struct session *session, int memfd,
                 const struct segments *segments, bool writable);

// No more of them: those under way fail with `error`. `done` (may be NULL) is called when no
// byte can move any more, at once if there are none.
void copies_close(struct copies *copies, doca_error_t error, void (*done)(void *arg), void *arg);

// `copies` goes, and so does `arg`: nobody calls `done` with it any more.
void copies_forget(struct copies *copies, const void *arg);

#endif
