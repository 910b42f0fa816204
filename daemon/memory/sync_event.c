// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "sync_event.h"

#include "cleanup.h"
#include "closer.h"
#include "export.h"
#include "memfd.h"
#include "node.h"
#include "region.h"
#include "session.h"
#include "sync_page.h"
#include "user.h"

#include <string.h>
#include <sys/socket.h>

struct sync_event {
    struct user *user; // charged
    int page;          // -1: it is the region's memory file
    int wake[2];
};

static bool is_wake_socket(int fd)
{
    int domain = 0, type = 0;
    socklen_t size = sizeof(int);
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
           getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && domain == AF_UNIX &&
           type == SOCK_DGRAM;
}

static bool is_page(int fd)
{
    return memfd_check(fd, SYNC_PAGE_SIZE, 1) == 0;
}

// The counter is either in the page, which is then the region, or the region is the counter.
static doca_error_t check_new(const struct region *region, bool has_page, const struct fd_list *fds,
                              struct errtext *err)
{
    const int *wake = &fds->fds[has_page];

    if (fds->count != 2 + (size_t)has_page)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "a sync event comes with two sockets, and a page if it says so");
    if (!is_wake_socket(wake[0]) || !is_wake_socket(wake[1]))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "what wakes the holders of a sync event are Unix datagram sockets");
    if (has_page ? region->length != SYNC_VALUE_SIZE || region->memfd >= 0 || !is_page(fds->fds[0])
                 : region->length != SYNC_PAGE_SIZE || region->memfd < 0 || !is_page(region->memfd))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the region is neither a sync event's page nor a counter with a page "
                           "beside it");
    return DOCA_SUCCESS;
}

doca_error_t sync_event_new(struct sync_event **out, const struct region *region,
                            const Docad__ExportCreate *request, struct fd_list *fds,
                            struct errtext *err)
{
    struct user *user = region->session->user;

    *out = NULL;
    if (request->target != DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT)
        return DOCA_SUCCESS;
    doca_error_t r = check_new(region, request->has_page, fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    struct sync_event *event = calloc(1, sizeof(*event));
    if (!event)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    r = limit_take(node_limits(region->session->node), LIMIT_DESCRIPTORS, &user->descriptors,
                   SYNC_EVENT_FDS, err);
    if (r != DOCA_SUCCESS) {
        free(event);
        return r;
    }
    size_t i = 0;
    event->user = user_ref(user);
    event->page = request->has_page ? fd_list_take(fds, i++) : -1;
    event->wake[0] = fd_list_take(fds, i++);
    event->wake[1] = fd_list_take(fds, i);
    *out = event;
    return DOCA_SUCCESS;
}

struct sync_event *sync_event_free(struct sync_event *event)
{
    if (!event)
        return NULL;
    close_fdp(&event->page);
    closer_take(event->wake[0], event->user->uid);
    closer_take(event->wake[1], event->user->uid);
    limit_give(&event->user->descriptors, SYNC_EVENT_FDS);
    user_unref(event->user);
    free(event);
    return NULL;
}

size_t sync_event_kept_fds(const struct sync_event *event, int fds[SYNC_EVENT_FDS],
                           protobuf_c_boolean *has_page)
{
    size_t n = 0;
    *has_page = event->page >= 0;
    if (event->page >= 0)
        fds[n++] = event->page;
    fds[n++] = event->wake[0];
    fds[n++] = event->wake[1];
    return n;
}

struct sync_event *sync_event_restore(struct user *user, bool has_page, struct fd_list *fds)
{
    size_t i = 0;
    struct sync_event *event =
        fds->count == 2 + (size_t)has_page ? calloc(1, sizeof(*event)) : NULL;
    if (!event)
        return NULL;
    event->user = user_ref(user);
    user->descriptors += SYNC_EVENT_FDS;
    event->page = has_page ? fd_list_take(fds, i++) : -1;
    event->wake[0] = fd_list_take(fds, i++);
    event->wake[1] = fd_list_take(fds, i);
    return event;
}

void sync_event_fds(const struct export *export, int fds[SYNC_EVENT_FDS])
{
    const struct sync_event *event = export->sync_event;
    fds[0] = event->page >= 0 ? event->page : export->region->memfd;
    fds[1] = event->wake[0];
    fds[2] = event->wake[1];
}

bool sync_event_check(const struct fd_list *fds, bool has_memfd, uint64_t length)
{
    return fds->count == SYNC_EVENT_FDS && is_page(fds->fds[0]) && is_wake_socket(fds->fds[1]) &&
           is_wake_socket(fds->fds[2]) && length == (has_memfd ? SYNC_PAGE_SIZE : SYNC_VALUE_SIZE);
}
