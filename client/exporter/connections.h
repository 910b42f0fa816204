// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The connections of a server. A connection beyond the limit ends the oldest one, so clients that
// keep connections open, and send or read slowly, cannot lock others out.

#ifndef EXPORTER_CONNECTIONS_H
#define EXPORTER_CONNECTIONS_H

#include "list.h"

#include <microhttpd.h>
#include <pthread.h>

#define CONNECTIONS_MAX 64u

struct connections {
    pthread_mutex_t lock; // the server has several threads
    struct list oldest_first;
    unsigned n;
};

void connections_init(struct connections *connections);

// Called when the server has ended.
void connections_fini(struct connections *connections);

// An MHD_NotifyConnectionCallback; `arg` is the struct connections.
void connections_changed(void *arg, struct MHD_Connection *connection, void **state,
                         enum MHD_ConnectionNotificationCode what);

// Called when a complete request has come: answering it may take as long as a daemon hangs, and the
// connection must not be ended during that.
void connections_hold(struct connections *connections, struct MHD_Connection *connection);

// The answer is complete: from now on the connection is the youngest.
void connections_release(struct connections *connections, struct MHD_Connection *connection);

#endif
