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

doca_error_t se_page_map(struct doca_sync_event *event, struct errtext *err)
{
    void *page = mmap(NULL, SYNC_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, event->page_fd, 0);
    if (page == MAP_FAILED)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot map the event's page: %s",
                           strerror(errno));
    event->page = page;
    event->severed = (struct severed){
        .pages = page, .length = SYNC_PAGE_SIZE, .fds = {&event->timer, &event->import.lifeline}};
    severed_add(&event->severed);
    return DOCA_SUCCESS;
}

doca_error_t se_page_new(struct doca_sync_event *event, struct errtext *err)
{
    int fd = memfd_create_sealed("docad-sync-event", SYNC_PAGE_SIZE);
    if (fd < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot make the event's page: %s",
                           strerror(-fd));
    event->page_fd = fd;
    fd = sync_timer_new();
    if (fd < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot make the event's timer: %s",
                           strerror(-fd));
    event->timer = fd;
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
    sync_page_wake(event->page, event->timer);
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
    // docad writes the reason before it closes; if there is none, docad itself has ended.
    e = se_alive(event);
    if (e == DOCA_SUCCESS)
        atomic_store(&event->cut_off, true);
    return e == DOCA_SUCCESS ? DOCA_ERROR_NOT_CONNECTED : e;
}
