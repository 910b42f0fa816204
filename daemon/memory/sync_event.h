// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What an export of a sync event has beyond that of memory: the sockets through which its
// holders wake each other, and the page, if the counter is not in it but in memory of the
// application's. The owner may have asked to be told when nobody else holds the event any
// more: then a word of the state table says so.

#ifndef DAEMON_SYNC_EVENT_H
#define DAEMON_SYNC_EVENT_H

#include <kept.pb-c.h>

#include "errtext.h"
#include "message.h"
#include "state_table.h"

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

// Where its owner finds out whether others hold it; an id of 0 if it has not asked.
struct sync_event_watch {
    uint64_t id;
    uint32_t slot;
};
struct sync_event_watch sync_event_watch(const struct sync_event *event);

// A session other than the owner's has imported it, or has it no more; `state` is what the
// owner is told when that was the last one.
void sync_event_taken(struct sync_event *event);
void sync_event_given_back(struct sync_event *event, enum slot_state state);

// Its export ends: the owner is told so, and nothing more of those who hold it.
void sync_event_ended(struct sync_event *event, enum slot_state state);

// What is kept through a restart, and back. They stay the event's; NULL if they are none. Those
// who hold it are restored after it.
size_t sync_event_kept_fds(const struct sync_event *event, int fds[SYNC_EVENT_FDS],
                           protobuf_c_boolean *has_page);
struct sync_event *sync_event_restore(struct session *session, const Docad__KeptExport *kept,
                                      struct fd_list *fds);

// The descriptors for an importer; they stay the export's.
void sync_event_fds(const struct export *export, int fds[SYNC_EVENT_FDS]);

// Are these, from a linked node, what an importer may be given? Does what they come with
// fit?
bool sync_event_check(const struct fd_list *fds, bool has_memfd, uint64_t length);

#endif
