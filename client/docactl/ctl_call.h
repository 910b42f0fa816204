// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The connection to a daemon: one request, one answer, within a time limit.

#ifndef DOCACTL_CTL_CALL_H
#define DOCACTL_CTL_CALL_H

#include "docactl.h"
#include "message.h"

// Connects and sends Hello, unless it is connected already.
enum outcome ctl_open(struct ctl *ctl);
void ctl_close(struct ctl *ctl);

// Sends `request` (connecting first) and waits for its answer, which must be of the
// given kind; `extra_ms` is added to the time limit for requests that wait by
// themselves. On success the caller owns *reply.
enum outcome ctl_call(struct ctl *ctl, Docad__Message *request, uint32_t extra_ms,
                      Docad__Message__BodyCase kind, Docad__Message **reply);

// Reports that the server is no docad.
enum outcome ctl_foreign(struct ctl *ctl);

// Waits, without time limit, for a message that is not an answer: the caller owns *out.
enum outcome ctl_next(struct ctl *ctl, Docad__Message **out);

// Calls `add` with every page of a list.
enum outcome ctl_list(struct ctl *ctl, Docad__List__Kind kind,
                      void (*add)(const Docad__ListReply *page, void *arg), void *arg);

#endif
