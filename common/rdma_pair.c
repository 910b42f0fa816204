// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_pair.h"

#include "cleanup.h"
#include "memfd.h"

#include <errno.h>
#include <sys/mman.h>

// Pairs that are made one after the other begin far apart.
static uint32_t next_first(void)
{
    static _Atomic uint32_t made;
    return atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) * 11 % RDMA_ENTRIES;
}

int rdma_pair_create(void)
{
    cleanup_fd int fd = memfd_create_sealed("docad-rdma-pair", sizeof(struct rdma_pair_shared));
    uint32_t head[3] = {RDMA_PAIR_MAGIC, RDMA_PAIR_VERSION, next_first()};

    if (fd < 0)
        return fd;
    if (pwrite(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
        return -errno;
    return steal_fd(&fd);
}

struct rdma_pair_shared *rdma_pair_map(int fd, uint32_t *first)
{
    int r = memfd_check(fd, sizeof(struct rdma_pair_shared), 1);
    if (r < 0) {
        errno = -r;
        return NULL;
    }
    struct rdma_pair_shared *pair =
        mmap(NULL, sizeof(*pair), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (pair == MAP_FAILED)
        return NULL;
    if (pair->magic != RDMA_PAIR_MAGIC || pair->version != RDMA_PAIR_VERSION) {
        rdma_pair_unmap(pair);
        errno = EPROTO;
        return NULL;
    }
    *first = *(volatile uint32_t *)&pair->first % RDMA_ENTRIES;
    return pair;
}

void rdma_pair_unmap(struct rdma_pair_shared *pair)
{
    if (pair)
        munmap(pair, sizeof(*pair));
}
