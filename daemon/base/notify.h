// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Messages to the service manager, if one started docad: an sd_notify(3) that never waits.
// A manager that does not read for a while misses the messages of that time.

#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdbool.h>

// Finds the manager's socket in $NOTIFY_SOCKET. Without one nothing is ever sent.
void notify_init(void);
void notify_fini(void);
bool notify_is_on(void);

// Sends one message: assignments, one per line. Returns false if it was not sent.
bool notify_send(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The same with a descriptor, which the caller keeps. This one waits a short time for the
// manager.
bool notify_send_fd(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
