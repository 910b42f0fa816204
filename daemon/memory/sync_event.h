// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What an export of a sync event has beyond that of memory: the sockets through which its
// holders wake each other, and the page, if the counter is not in it but in memory of the
// application's.

#ifndef DAEMON_SYNC_EVENT_H
#define DAEMON_SYNC_EVENT_H

#include "errtext.h"
#include "message.h"

#include <stdbool.h>
#include <stdint.h>

struct export;
struct region;
struct session;
struct sync_event;
struct user;

// What an importer gets: page, both ends for waking.
#define SYNC_EVENT_FDS 3

// Takes the descriptors that came with the request. For an export to another target there
// must be none, and *out becomes NULL.
doca_error_t sync_event_new(struct sync_event **out, const struct region *region,
                            const Docad__ExportCreate *request, struct fd_list *fds,
                            struct errtext *err);
struct sync_event *sync_event_free(struct sync_event *event); // takes NULL, returns NULL

// What is kept through a restart, and back. They stay the event's; NULL if they are none.
size_t sync_event_kept_fds(const struct sync_event *event, int fds[SYNC_EVENT_FDS],
                           protobuf_c_boolean *has_page);
struct sync_event *sync_event_restore(struct user *user, bool has_page, struct fd_list *fds);

// The descriptors for an importer; they stay the export's.
void sync_event_fds(const struct export *export, int fds[SYNC_EVENT_FDS]);

// Are these, from a linked node, what an importer may be given? Does what they come with
// fit?
bool sync_event_check(const struct fd_list *fds, bool has_memfd, uint64_t length);

#endif
