// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "remote_pending.h"

#include "cleanup.h"
#include "memfd.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MAGIC 0x31504344u // "DCP1"

_Static_assert(QP_ENTRIES == 64, "one number for each bit of `used`");

static uint64_t bit(uint32_t number)
{
    return UINT64_C(1) << number;
}

// ---- the file ---------------------------------------------------------------------------

static int map(struct remote_pending **out, int fd)
{
    void *p = mmap(NULL, sizeof(struct remote_pending), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return -errno;
    *out = p;
    return 0;
}

int remote_pending_new(struct remote_pending **out, int *fd)
{
    cleanup_fd int file = memfd_create_sealed("docad-pending", sizeof(struct remote_pending));
    int r = file < 0 ? file : map(out, file);
    if (r < 0)
        return r;
    (*out)->magic = MAGIC;
    (*out)->completing = REMOTE_NONE;
    *fd = steal_fd(&file);
    return 0;
}

static void repair_counts(struct remote_pending *p, struct qp_server *ring)
{
    // A completion that was written but not recorded.
    if (p->completing < QP_ENTRIES && ring->completion_head == p->completed + 1) {
        p->used &= ~bit(p->completing);
        p->completed++;
    }
    p->completing = REMOTE_NONE;
    for (uint32_t i = 0; i < QP_ENTRIES; i++) {
        // A request that was being taken is still in the ring.
        if ((int32_t)(p->entries[i].order - p->taken) >= 0)
            p->used &= ~bit(i);
    }
    // Requests that are here must not be taken from the ring again.
    ring->tail = p->taken;
    atomic_store_explicit(&ring->shared->request_tail, ring->tail, memory_order_relaxed);
}

int remote_pending_open(struct remote_pending **out, int fd, struct qp_server *ring)
{
    int r = memfd_check(fd, sizeof(struct remote_pending), 1);
    if (r == 0)
        r = map(out, fd);
    if (r < 0)
        return r;
    if ((*out)->magic != MAGIC) {
        remote_pending_close(*out);
        return -EPROTO;
    }
    repair_counts(*out, ring);
    return 0;
}

void remote_pending_close(struct remote_pending *pending)
{
    if (pending)
        munmap(pending, sizeof(*pending));
}

// ---- requests ---------------------------------------------------------------------------

uint32_t remote_pending_free_number(const struct remote_pending *p)
{
    uint64_t used = p->used;
    return ~used ? (uint32_t)__builtin_ctzll(~used) : REMOTE_NONE;
}

int remote_pending_take(struct remote_pending *p, struct qp_server *ring, uint32_t number)
{
    struct remote_entry *entry = &p->entries[number];
    int n = qp_server_next(ring, &entry->request);
    if (n <= 0)
        return n;
    entry->order = p->taken;
    p->used |= bit(number);
    p->taken++; // from here on the request is ours
    return n;
}

const struct qp_request *remote_pending_get(struct remote_pending *p, uint32_t number)
{
    return number < QP_ENTRIES && (p->used & bit(number)) ? &p->entries[number].request : NULL;
}

int remote_pending_complete(struct remote_pending *p, struct qp_server *ring, uint32_t number,
                            uint32_t status)
{
    p->completing = number;
    int r = qp_server_complete(ring, p->entries[number].request.tag, status);
    if (r < 0)
        return r;
    p->used &= ~bit(number);
    p->completed++;
    p->completing = REMOTE_NONE;
    return 0;
}

unsigned remote_pending_list(const struct remote_pending *p, uint32_t numbers[QP_ENTRIES])
{
    unsigned n = 0;
    for (uint32_t i = 0; i < QP_ENTRIES; i++) {
        if (!(p->used & bit(i)))
            continue;
        unsigned at = n++;
        for (; at > 0 && (int32_t)(p->entries[numbers[at - 1]].order - p->entries[i].order) > 0;
             at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = i;
    }
    return n;
}
