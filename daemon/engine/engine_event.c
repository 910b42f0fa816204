// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine_event.h"

#include "cleanup.h"
#include "fd_reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

int engine_event_new(struct engine_event **out, const int fds[2], bool counter_in_page, uid_t uid)
{
    cleanup_fd int timer = fcntl(fds[1], F_DUPFD_CLOEXEC, 0);
    if (timer < 0)
        return -errno;
    struct engine_event *event = calloc(1, sizeof(*event));
    if (!event)
        return -ENOMEM;
    void *page = mmap(NULL, SYNC_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
    if (page == MAP_FAILED) {
        int r = -errno;
        free(event);
        return r;
    }
    *event = (struct engine_event){
        .page = page, .timer = steal_fd(&timer), .counter_in_page = counter_in_page, .uid = uid};
    *out = event;
    return 0;
}

struct engine_event *engine_event_free(struct engine_event *event)
{
    if (!event)
        return NULL;
    munmap(event->page, SYNC_PAGE_SIZE);
    fd_reaper_close(event->timer, event->uid);
    free(event);
    return NULL;
}
