// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "read_texts.h"

#include "cleanup.h"
#include "clock.h"
#include "copy_text.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#define STEP 65536u

// A docad that hangs accepts no connection: after some of them, connect() would block.
static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    cleanup_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    copy_text(address.sun_path, path);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return -1;
    return steal_fd(&fd);
}

static void give_up(struct reading *r)
{
    close_fdp(&r->fd);
    free(r->text);
    r->text = NULL;
}

// Closes the connection at the end of the text, and gives it up if there is an error.
static void take(struct reading *r)
{
    char *more = r->size + STEP <= TEXT_MAX ? realloc(r->text, r->size + STEP) : NULL;
    if (!more) {
        give_up(r);
        return;
    }
    r->text = more;
    ssize_t n = recv(r->fd, more + r->size, STEP - 1, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n < 0) {
        give_up(r);
        return;
    }
    r->size += (size_t)n;
    more[r->size] = '\0';
    if (n == 0)
        close_fdp(&r->fd);
}

// Incomplete texts are discarded.
static void give_up_rest(struct reading *readings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (readings[i].fd >= 0)
            give_up(&readings[i]);
}

// Returns false if none is left, or the time is over.
static bool wait_for_some(struct pollfd *polled, const struct reading *readings, size_t n,
                          uint64_t deadline_ms)
{
    uint64_t now = clock_ms();
    bool left = false;
    for (size_t i = 0; i < n; i++) {
        polled[i] = (struct pollfd){.fd = readings[i].fd, .events = POLLIN};
        left = left || readings[i].fd >= 0;
    }
    if (!left || now >= deadline_ms)
        return false;
    int r = poll(polled, n, (int)(deadline_ms - now));
    return r >= 0 || errno == EINTR;
}

bool read_texts(struct reading *readings, size_t n, uint64_t deadline_ms)
{
    cleanup_free struct pollfd *polled = calloc(n + 1, sizeof(*polled));
    if (!polled)
        return false;
    for (size_t i = 0; i < n; i++)
        readings[i].fd = connect_to(readings[i].path);
    while (wait_for_some(polled, readings, n, deadline_ms))
        for (size_t i = 0; i < n; i++)
            if (polled[i].revents)
                take(&readings[i]);
    give_up_rest(readings, n);
    return true;
}
