// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors that the service manager passes to a program that it starts: sd_listen_fds(3), whose
// protocol other managers speak, too. They are taken without libsystemd, which a system may lack.

#ifndef COMMON_PASSED_H
#define COMMON_PASSED_H

#include <stdbool.h>

#define PASSED_FIRST 3 // the others follow it

// How many descriptors were passed to this process. They are closed on exec from then on. `*names`
// gets one name for each, "unknown" where the manager gave none; the caller frees them and the
// array. Later calls find nothing: what the program starts is passed nothing. On failure nothing is
// taken, and the result is -1 with errno: EINVAL for numbers that mean nothing, ENOMEM.
int passed_take(char ***names);

// Returns whether the descriptor is a SOCK_SEQPACKET Unix socket that listens.
bool passed_is_listener(int fd);

#endif
