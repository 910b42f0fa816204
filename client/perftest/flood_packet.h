// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One request, sent in many sessions as fast as docad takes it.

#ifndef PERFTEST_FLOOD_PACKET_H
#define PERFTEST_FLOOD_PACKET_H

#include "message.h"

#include <stdbool.h>
#include <stddef.h>

#define FLOOD_SESSIONS_MAX 200

// Opens up to `n` sessions. Returns how many docad has granted.
size_t flood_open_sessions(const char *path, int *socks, size_t n, bool tool);

// Sends the message in `n` sessions, and discards the answers, also those of the listeners. Returns
// only if there is no session.
void flood_with_packet(Docad__Message *message, const int *socks, size_t n, const int *listeners,
                       size_t n_listeners);

#endif
