// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "shared_fd.h"

#include "cleanup.h"

#include <stdatomic.h>
#include <stdlib.h>

struct shared_fd {
    int fd;
    atomic_uint references;
};

struct shared_fd *shared_fd_new(int fd)
{
    struct shared_fd *shared = malloc(sizeof(*shared));
    if (!shared)
        return NULL;
    shared->fd = fd;
    atomic_init(&shared->references, 1);
    return shared;
}

struct shared_fd *shared_fd_ref(struct shared_fd *shared)
{
    if (shared)
        atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

// Whoever drops the last reference must see that the others have ended their use of it.
struct shared_fd *shared_fd_unref(struct shared_fd *shared)
{
    if (!shared || atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) > 1)
        return NULL;
    close_fdp(&shared->fd);
    free(shared);
    return NULL;
}

int shared_fd_get(const struct shared_fd *shared)
{
    return shared->fd;
}
