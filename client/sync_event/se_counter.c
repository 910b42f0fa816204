// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The counter's page, and waking.

#include "sync_event.h"

#include "memfd.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

doca_error_t se_page_map(struct doca_sync_event *event, struct errtext *err)
{
    void *page = mmap(NULL, SYNC_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, event->page_fd, 0);
    if (page == MAP_FAILED)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot map the event's page: %s",
                           strerror(errno));
    event->page = page;
    return DOCA_SUCCESS;
}

doca_error_t se_page_new(struct doca_sync_event *event, struct errtext *err)
{
    int fd = memfd_create_sealed("docad-sync-event", SYNC_PAGE_SIZE);
    if (fd < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot make the event's page: %s",
                           strerror(-fd));
    event->page_fd = fd;
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, event->wake) < 0) {
        event->wake[0] = event->wake[1] = -1;
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot make the event's sockets: %s",
                           strerror(errno));
    }
    doca_error_t e = se_page_map(event, err);
    if (e != DOCA_SUCCESS)
        return e;
    event->page->magic = SYNC_PAGE_MAGIC;
    event->page->version = SYNC_PAGE_VERSION;
    event->word = &event->page->value;
    return DOCA_SUCCESS;
}

__attribute__((noinline, cold)) void se_wake(struct doca_sync_event *event)
{
    sync_page_wake(event->page, event->wake);
}

// More messages than a socket can hold.
#define WAKE_QUEUE 1024

bool se_wake_room(struct doca_sync_event *event)
{
    const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    struct pollfd p = {.fd = event->wake[0], .events = POLLOUT};
    char byte = 0;

    if (poll(&p, 1, 0) != 0)
        return true;
    for (unsigned n = 0; n < WAKE_QUEUE && recv(event->wake[1], &byte, 1, flags) >= 0; n++)
        ;
    // A sleeper that had not seen the earlier messages sees this.
    ssize_t sent = send(event->wake[0], &byte, 1, flags);
    (void)sent; // it is full again: another thread wakes them
    return false;
}

doca_error_t se_alive_for_sure(struct doca_sync_event *event)
{
    struct pollfd p = {.fd = event->import.lifeline, .events = POLLIN | POLLRDHUP};
    doca_error_t e = se_alive(event);
    if (e != DOCA_SUCCESS || !event->imported)
        return e;
    int n = poll(&p, 1, 0);
    if (n <= 0)
        return DOCA_SUCCESS;
    // docad writes the reason before it closes; if there is none, docad itself has gone.
    e = se_alive(event);
    if (e == DOCA_SUCCESS)
        atomic_store(&event->cut_off, true);
    return e == DOCA_SUCCESS ? DOCA_ERROR_NOT_CONNECTED : e;
}
