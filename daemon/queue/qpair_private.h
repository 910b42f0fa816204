// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What qpair.c and qpair_remote.c share.

#ifndef DAEMON_QPAIR_PRIVATE_H
#define DAEMON_QPAIR_PRIVATE_H

#include "qpair.h"

// The client's queue pair is ready; the descriptors stay the caller's.
void qpair_answer(struct qpair *qp, const int fds[QPAIR_FDS]);
// There is none.
void qpair_refuse(struct qpair *qp, doca_error_t code, const char *text);

// Asks the node of `peer` for one; answered later.
doca_error_t qpair_begin_remote(struct qpair *qp, struct peer *peer, struct errtext *err);
void qpair_stop_renewal(struct qpair *qp);

#endif
