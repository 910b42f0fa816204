// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The connection to a daemon: one request, one answer, within a time limit.

#ifndef DOCACTL_CONNECTION_H
#define DOCACTL_CONNECTION_H

#include "docactl.h"
#include "message.h"

// Connects and says hello. Connected already: nothing happens.
enum outcome connection_open(struct ctl *ctl);
void connection_close(struct ctl *ctl);

// Sends `request` (connecting first) and waits for its answer, which must be of the
// given kind; `extra_ms` is added to the time limit for requests that wait by
// themselves. On success the caller owns *reply.
enum outcome connection_call(struct ctl *ctl, Docad__Message *request, uint32_t extra_ms,
                             Docad__Message__BodyCase kind, Docad__Message **reply);

// Waits, for ever, for a message that answers no request: the caller owns *out.
enum outcome connection_next(struct ctl *ctl, Docad__Message **out);

// Calls `add` with every page of a list.
enum outcome connection_list(struct ctl *ctl, Docad__List__Kind kind,
                             void (*add)(const Docad__ListReply *page, void *arg), void *arg);

#endif
