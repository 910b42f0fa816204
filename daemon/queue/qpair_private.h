// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Shared by qpair.c and qpair_remote.c.

#ifndef DAEMON_QPAIR_PRIVATE_H
#define DAEMON_QPAIR_PRIVATE_H

#include "qpair.h"

// Answers the client that its queue pair is ready; the caller keeps the descriptors.
void qpair_answer(struct qpair *qp, const int fds[QPAIR_FDS]);
// Notifies the client that there is no queue pair.
void qpair_refuse(struct qpair *qp, doca_error_t code, const char *text);

// Requests a queue pair from the node of `peer`; the answer comes later.
doca_error_t qpair_begin_remote(struct qpair *qp, struct peer *peer, struct errtext *err);
void qpair_stop_renewal(struct qpair *qp);

#endif
