// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Waits of the program by poll(), ppoll(), epoll_wait() and epoll_pwait(). Their symbols have the
// versions of the C library: make-workbench reads them from it.

#ifndef WORKBENCH_WAITS_H
#define WORKBENCH_WAITS_H

#include "workbench.h"

// From now on waits are looked at.
void waits_start(void);

#endif
