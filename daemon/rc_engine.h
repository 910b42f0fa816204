// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The other end of an rc_client: requests that come from another machine are put into the
// ring of a queue pair that this node's engine serves, as a client here would, and the
// engine's answers go back. The engine checks each as it checks a client's.

#ifndef DAEMON_RC_ENGINE_H
#define DAEMON_RC_ENGINE_H

#include "docad.pb-c.h"
#include "errtext.h"

struct peer;
struct rc_engine;

// It has ended; called once, from the loop, and may free it.
typedef void (*rc_engine_ended_fn)(void *arg, const char *why);

// Takes over the three descriptors that the engine made for the client.
doca_error_t rc_engine_new(struct rc_engine **out, const struct peer *peer, int fds[3],
                           const Docad__RcAddress *there, rc_engine_ended_fn ended, void *arg,
                           struct errtext *err);
struct rc_engine *rc_engine_free(struct rc_engine *engine); // takes NULL, returns NULL

void rc_engine_describe(struct rc_engine *engine, Docad__RcAddress *out);

#endif
