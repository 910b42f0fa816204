// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The ibverbs devices of this machine, as functions of the node: each port is one. They are added
// and removed while docad runs; the kernel reports that (uevents, changes of addresses, the
// devices' own events), and docad scans again.
//
// docad only describes the devices and decides who may open them: clients open them themselves,
// and their data never passes through docad.

#ifndef DAEMON_VERBS_H
#define DAEMON_VERBS_H

#include "errtext.h"

#include <stdbool.h>

struct node;
struct verbs;

// Watches for changes from now on; verbs_scan() scans the existing devices. A machine without
// any device is fine.
doca_error_t verbs_new(struct verbs **out, struct node *node, struct errtext *err);
void verbs_scan(struct verbs *verbs);
// Returns whether there is a device of this name, offered or not.
bool verbs_is_there(const char *device);
// Called after the configuration was read again.
void verbs_reload(struct verbs *verbs);
struct verbs *verbs_free(struct verbs *verbs); // takes NULL, returns NULL

#endif
