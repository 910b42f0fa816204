// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The additional parts of an export that is a sync event: the timer by which its holders wake each
// other, and the page, if the counter is not in the page but in the application's memory. The owner
// may request a notification when no other session holds the event any more: a word of the state
// table then reports it.

#ifndef DAEMON_SYNC_EVENT_H
#define DAEMON_SYNC_EVENT_H

#include <record.pb-c.h>

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

// The descriptors for an importer: the page, and the timer.
#define SYNC_EVENT_FDS 2

// Takes the descriptors that came with the request. For an export to another target there
// must be none, and *out becomes NULL.
doca_error_t sync_event_new(struct sync_event **out, const struct region *region,
                            const Docad__ExportCreate *request, struct fd_list *fds,
                            struct errtext *err);
struct sync_event *sync_event_free(struct sync_event *event); // takes NULL, returns NULL

// The word that reports to the owner whether others hold the event; the id is 0 without a request.
struct sync_event_watch {
    uint64_t id;
    uint32_t slot;
};
struct sync_event_watch sync_event_watch(const struct sync_event *event);

// Called when a session other than the owner's has imported the event, or has released it; `state`
// is reported to the owner after the last one.
void sync_event_taken(struct sync_event *event);
void sync_event_given_back(struct sync_event *event, enum slot_state state);

// Called when its export ends: reports that to the owner, and nothing more about other holders.
void sync_event_ended(struct sync_event *event, enum slot_state state);

// Lists the descriptors to keep through a restart, and restores the event from them. The event
// keeps the descriptors; NULL if they do not form an event. Its holders are restored after it.
size_t sync_event_stored_fds(const struct sync_event *event, int fds[SYNC_EVENT_FDS],
                             protobuf_c_boolean *has_page);
struct sync_event *sync_event_restore(struct session *session, const Docad__ExportRecord *m,
                                      struct fd_list *fds);

// Gets the descriptors for an importer; the export keeps them.
void sync_event_fds(const struct export *export, int fds[SYNC_EVENT_FDS]);

// Checks whether these descriptors from a linked node may be given to an importer, and whether
// the rest of the message fits them.
bool sync_event_check(const struct fd_list *fds, bool has_memfd, uint64_t length);

#endif
