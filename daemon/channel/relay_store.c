// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "relay_store.h"

#include "cleanup.h"
#include "memfd.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define MAGIC 0x32535244u // "DRS2"

// ---- the file ---------------------------------------------------------------------------

static int map(struct relay_store **out, int fd)
{
    void *p = mmap(NULL, sizeof(struct relay_store), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return -errno;
    *out = p;
    return 0;
}

int relay_store_new(struct relay_store **out, int *fd, uint32_t max_message)
{
    cleanup_fd int file = memfd_create_sealed("docad-relay", sizeof(struct relay_store));
    int r = file < 0 ? file : map(out, file);
    if (r < 0)
        return r;
    (*out)->magic = MAGIC;
    (*out)->max_message = max_message;
    (*out)->out[0].call.msg_len = RELAY_NOTHING;
    *fd = steal_fd(&file);
    return 0;
}

static void count_sent(struct relay_store *s, struct relay_slot *slot)
{
    slot->size = slot->call.msg_len;
    // The slot's message stays until the linked node has it.
    relay_store_sent(s, s->sent + 1)->call.msg_len = RELAY_NOTHING;
    atomic_fetch_add(&s->sent, 1);
}

// Counts moved messages that docad had no time to count.
static bool repair_counts(struct relay_store *s)
{
    struct relay_slot *slot = relay_store_sent(s, s->sent);
    if (!relay_store_is_full(s) && slot->call.msg_len != RELAY_NOTHING && slot->call.msg_len > 0) {
        if (slot->call.msg_len > s->max_message || slot->call.msg_hdr.msg_controllen > 0 ||
            (slot->call.msg_hdr.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
            return false; // a message that ends the channel
        count_sent(s, slot);
    }
    if (s->delivered < s->arrived &&
        s->in[s->delivered % RELAY_WINDOW].call.msg_len != RELAY_NOTHING)
        atomic_fetch_add(&s->delivered, 1);
    return true;
}

int relay_store_open(struct relay_store **out, int fd)
{
    int r = memfd_check(fd, sizeof(struct relay_store), 1);
    if (r == 0)
        r = map(out, fd);
    if (r < 0)
        return r;
    if ((*out)->magic == MAGIC && repair_counts(*out))
        return 0;
    relay_store_close(*out);
    return -EPROTO;
}

void relay_store_close(struct relay_store *store)
{
    if (store)
        munmap(store, sizeof(*store));
}

// ---- from the process -------------------------------------------------------------------

ssize_t relay_store_take(struct relay_store *s, int sock)
{
    struct relay_slot *slot = relay_store_sent(s, s->sent);
    int n = packet_brings_fds(sock);

    if (n != 0)
        return n < 0 ? n : PACKET_BRINGS_FDS;
    slot->part = (struct iovec){slot->data, s->max_message};
    slot->call = (struct mmsghdr){.msg_len = RELAY_NOTHING,
                                  .msg_hdr = {.msg_iov = &slot->part, .msg_iovlen = 1}};
    do {
        n = recvmmsg(sock, &slot->call, 1, MSG_DONTWAIT, NULL);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    if (slot->call.msg_hdr.msg_flags & MSG_TRUNC)
        return -EMSGSIZE;
    if (slot->call.msg_len == 0)
        return 0;
    count_sent(s, slot);
    return (ssize_t)slot->size;
}

// ---- to the process ---------------------------------------------------------------------

bool relay_store_arrive(struct relay_store *s, const void *data, size_t size)
{
    struct relay_slot *slot = &s->in[s->arrived % RELAY_WINDOW];

    if (size == 0 || size > s->max_message || s->arrived - s->delivered >= RELAY_WINDOW)
        return false;
    memcpy(slot->data, data, size);
    slot->size = (uint32_t)size;
    slot->call.msg_len = RELAY_NOTHING;
    atomic_fetch_add(&s->arrived, 1);
    return true;
}

// Returns false if there is no room.
static bool send_message(struct relay_store *s, int sock, struct relay_slot *slot)
{
    int n;

    slot->part = (struct iovec){slot->data, slot->size};
    slot->call = (struct mmsghdr){.msg_len = RELAY_NOTHING,
                                  .msg_hdr = {.msg_iov = &slot->part, .msg_iovlen = 1}};
    do {
        n = sendmmsg(sock, &slot->call, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == ENOBUFS))
        return false;
    if (n < 0)
        s->deaf = true; // messages that it had sent before can still be read
    return true;
}

bool relay_store_deliver(struct relay_store *s, int sock)
{
    while (s->delivered < s->arrived) {
        if (!s->deaf && !send_message(s, sock, &s->in[s->delivered % RELAY_WINDOW]))
            return false;
        atomic_fetch_add(&s->delivered, 1);
    }
    return true;
}
