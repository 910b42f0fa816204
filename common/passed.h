// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors that the service manager passes to a program that it starts: sd_listen_fds(3), whose
// protocol other managers speak, too. They are taken without libsystemd, which a system may lack.

#ifndef COMMON_PASSED_H
#define COMMON_PASSED_H

#include <stdbool.h>

#define PASSED_FIRST 3 // the others follow it

// Returns how many descriptors were passed to this process, and makes them close-on-exec. `*names`
// gets one name for each, "unknown" where the manager gave none; the caller frees them and the
// array. Later calls find nothing, and children of the program are passed nothing. On failure
// nothing is taken, and the result is -1 with errno: EINVAL for invalid numbers, ENOMEM.
int passed_take(char ***names);

// Returns whether the descriptor is a SOCK_SEQPACKET Unix socket that listens.
bool passed_is_listener(int fd);

#endif
