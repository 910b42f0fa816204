// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad tells the service manager that started it, if one did: sd_notify(3) that never
// waits. A manager that does not read for a while misses what it is told meanwhile.

#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdbool.h>

// Finds the manager's socket in $NOTIFY_SOCKET. Without one nothing is ever sent.
void notify_init(void);
void notify_fini(void);
bool notify_is_on(void);

// One message: assignments, each on a line of its own. False if it did not go out.
bool notify_send(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The same with a descriptor, which stays the caller's. It is given a little time.
bool notify_send_fd(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
