// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command server: does the other side's part for clients on linked machines, one at a time.

#ifndef PERFTEST_SERVER_H
#define PERFTEST_SERVER_H

#include "remote.h"
#include "supervisor.h"

bool supervise_server(struct supervisor *sup, const struct options *options,
                      struct problem *problem);

#endif
