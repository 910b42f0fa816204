// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fd_store_socket.h"

#include "cleanup.h"
#include "fd_reaper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#define SLOTS_EACH PACKET_FDS_MAX // slots that are made at a time
#define BUFFER     (64 << 20)     // requested; the kernel limits it

struct packet {
    uint64_t key;
    uid_t uid;
    bool dropped;
};

// Packets in the socket's queue. A packet may be there twice after a restart.
#define RING (2 * SLOT_PACKETS)

struct fd_store_slot {
    struct list room_link, clean_link;
    int fd;
    uint32_t index;
    unsigned first, count, dropped; // of the ring, in the order of the queue
    struct packet ring[RING];
};

static struct packet *packet_of(struct fd_store_slot *slot, unsigned i)
{
    return &slot->ring[(slot->first + i) % RING];
}

// ---- sockets --------------------------------------------------------------------------

// Removes packets that other processes sent to the name before the socket was connected.
static void empty(int fd)
{
    char byte;
    ssize_t n;
    do {
        struct fd_list fds;
        n = packet_recv(fd, &byte, sizeof(byte), &fds, MSG_DONTWAIT);
        if (n >= 0)
            fd_list_close(&fds);
    } while (n != -EAGAIN && n != -ENOMEM);
}

// Makes a socket that is connected to itself: no other socket can send to it.
static int make_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size = sizeof(address);
    const int buffer = BUFFER;

    cleanup_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address.sun_family)) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) < 0 ||
        connect(fd, (struct sockaddr *)&address, size) < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
    empty(fd);
    return steal_fd(&fd);
}

static bool is_own_socket(int fd)
{
    struct sockaddr_un own = {0}, other = {0};
    socklen_t own_size = sizeof(own), other_size = sizeof(other);
    int type;
    socklen_t size = sizeof(type);

    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM &&
           getsockname(fd, (struct sockaddr *)&own, &own_size) == 0 &&
           getpeername(fd, (struct sockaddr *)&other, &other_size) == 0 &&
           own.sun_family == AF_UNIX && own_size == other_size &&
           own_size > sizeof(own.sun_family) && memcmp(&own, &other, own_size) == 0;
}

// Peeks at all packets in turn, and removes none.
static void peek_all(int fd, bool (*seen)(void *arg, uint64_t key, struct fd_list *fds), void *arg)
{
    int from_first = 0, off = -1;
    struct fd_list fds;
    uint64_t key;

    setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &from_first, sizeof(from_first));
    while (packet_recv(fd, &key, sizeof(key), &fds, MSG_PEEK | MSG_DONTWAIT) == sizeof(key)) {
        bool more = seen(arg, key, &fds);
        fd_list_close(&fds);
        if (!more)
            break;
    }
    setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &off, sizeof(off));
}

// ---- store sockets --------------------------------------------------------------------------

void fd_store_sockets_init(struct fd_store_sockets *sockets)
{
    memset(sockets, 0, sizeof(*sockets));
    list_init(&sockets->with_room);
    list_init(&sockets->to_clean);
}

void fd_store_sockets_close(struct fd_store_sockets *sockets)
{
    for (size_t i = 0; i < sockets->n_slots; i++) {
        close(sockets->slots[i]->fd);
        free(sockets->slots[i]);
    }
    for (size_t i = 0; i < sockets->n_sockets; i++)
        close(sockets->fds[i]);
    free(sockets->slots);
    fd_store_sockets_init(sockets);
}

int fd_store_sockets_new(struct fd_store_sockets *sockets, size_t n)
{
    for (; sockets->n_sockets < n; sockets->n_sockets++) {
        int fd = make_socket();
        if (fd < 0)
            return fd;
        sockets->fds[sockets->n_sockets] = fd;
    }
    return 0;
}

// ---- slots ----------------------------------------------------------------------------

// Takes the descriptor, unless memory runs out.
static struct fd_store_slot *add_slot(struct fd_store_sockets *sockets, int fd)
{
    struct fd_store_slot **more = reallocarray(sockets->slots, sockets->n_slots + 1, sizeof(*more));
    struct fd_store_slot *slot = calloc(1, sizeof(*slot));

    sockets->slots = more ? more : sockets->slots;
    if (!more || !slot) {
        free(slot);
        return NULL;
    }
    slot->fd = fd;
    slot->index = (uint32_t)sockets->n_slots;
    list_init(&slot->clean_link);
    list_append(&sockets->with_room, &slot->room_link);
    sockets->slots[sockets->n_slots++] = slot;
    return slot;
}

// Sends the slots into a store socket whose queue has room for them.
static int put_into_socket(struct fd_store_sockets *sockets, const int *fds, size_t n)
{
    uint64_t key = sockets->n_slots;
    int r = -EAGAIN;
    while (sockets->filling < sockets->n_sockets) {
        r = packet_send(sockets->fds[sockets->filling], &key, sizeof(key), fds, n, MSG_DONTWAIT);
        if (r != -EAGAIN)
            break;
        sockets->filling++;
    }
    return r;
}

static int make_slots(struct fd_store_sockets *sockets)
{
    struct fd_list made = FD_LIST_EMPTY;
    int r = 0;

    while (r >= 0 && made.count < SLOTS_EACH) {
        r = make_socket();
        if (r >= 0)
            made.fds[made.count++] = r;
    }
    if (r >= 0)
        r = put_into_socket(sockets, made.fds, made.count);
    for (size_t i = 0; r >= 0 && i < made.count; i++)
        if (add_slot(sockets, made.fds[i]))
            made.fds[i] = -1;
        else
            r = -ENOMEM;
    fd_list_close(&made);
    return r;
}

int fd_store_sockets_put(struct fd_store_sockets *sockets, uint64_t key, const int *fds,
                         size_t n_fds, uint32_t *out)
{
    if (list_empty(&sockets->with_room)) {
        int r = make_slots(sockets);
        if (r < 0)
            return r;
    }
    struct fd_store_slot *slot =
        list_entry(sockets->with_room.next, struct fd_store_slot, room_link);
    int r = packet_send(slot->fd, &key, sizeof(key), fds, n_fds, MSG_DONTWAIT);
    if (r < 0)
        return r;
    *packet_of(slot, slot->count++) = (struct packet){.key = key};
    if (slot->count == SLOT_PACKETS)
        list_remove(&slot->room_link);
    *out = slot->index;
    return 0;
}

static void drop(struct fd_store_sockets *sockets, struct fd_store_slot *slot, struct packet *p,
                 uid_t uid)
{
    p->uid = uid;
    p->dropped = true;
    if (slot->dropped++ == 0)
        list_append(&sockets->to_clean, &slot->clean_link);
}

void fd_store_sockets_drop(struct fd_store_sockets *sockets, uint32_t index, uint64_t key,
                           uid_t uid)
{
    struct fd_store_slot *slot = sockets->slots[index];
    for (unsigned i = 0; i < slot->count; i++) {
        struct packet *p = packet_of(slot, i);
        if (p->key == key && !p->dropped) {
            drop(sockets, slot, p, uid);
            return;
        }
    }
}

// ---- cleaning -------------------------------------------------------------------------

static void take_out(struct fd_store_slot *slot, uid_t uid)
{
    struct fd_list fds;
    uint64_t key;
    fd_reaper_receive_from(uid);
    if (packet_recv(slot->fd, &key, sizeof(key), &fds, MSG_DONTWAIT) >= 0)
        fd_list_close(&fds);
}

// Moves the first packet behind the last. One of the two holds the descriptors open throughout, so
// that no close here is the last one.
static bool rotate(struct fd_store_slot *slot)
{
    struct fd_list fds;
    uint64_t key;
    if (packet_recv(slot->fd, &key, sizeof(key), &fds, MSG_PEEK | MSG_DONTWAIT) != sizeof(key))
        return false;
    int r = packet_send(slot->fd, &key, sizeof(key), fds.fds, fds.count, MSG_DONTWAIT);
    for (size_t i = 0; i < fds.count; i++)
        close(fds.fds[i]);
    return r == 0 && recv(slot->fd, &key, sizeof(key), MSG_DONTWAIT) == sizeof(key);
}

// Returns false if it cannot be done now.
static bool clean_slot(struct fd_store_slot *slot)
{
    while (slot->dropped > 0) {
        struct packet packet = *packet_of(slot, 0);
        if (packet.dropped)
            take_out(slot, packet.uid);
        else if (!rotate(slot))
            return false;
        slot->first = (slot->first + 1) % RING;
        slot->count -= packet.dropped;
        slot->dropped -= packet.dropped;
        if (!packet.dropped)
            *packet_of(slot, slot->count - 1) = packet;
    }
    return true;
}

bool fd_store_sockets_clean(struct fd_store_sockets *sockets, unsigned slots)
{
    for (; slots > 0 && !list_empty(&sockets->to_clean); slots--) {
        struct fd_store_slot *slot =
            list_entry(sockets->to_clean.next, struct fd_store_slot, clean_link);
        list_remove(&slot->clean_link);
        if (!clean_slot(slot)) {
            list_append(&sockets->to_clean, &slot->clean_link);
            return true;
        }
        if (slot->count < SLOT_PACKETS && !list_linked(&slot->room_link))
            list_append(&sockets->with_room, &slot->room_link);
    }
    return !list_empty(&sockets->to_clean);
}

// ---- adding and reading -------------------------------------------------------

struct adding {
    struct fd_store_sockets *sockets;
    bool missed; // a slot, because memory ran out
};

static bool see_slot(void *arg, uint64_t key, struct fd_list *fds)
{
    struct adding *adding = arg;
    (void)key;
    for (size_t i = 0; i < fds->count; i++) {
        if (!is_own_socket(fds->fds[i]))
            continue;
        if (add_slot(adding->sockets, fds->fds[i]))
            fds->fds[i] = -1;
        else
            adding->missed = true;
    }
    return !adding->missed;
}

int fd_store_sockets_add(struct fd_store_sockets *sockets, int fd)
{
    if (!is_own_socket(fd))
        return -EPROTO;
    if (sockets->n_sockets == FD_STORE_SOCKETS_MAX)
        return -E2BIG;
    struct adding adding = {.sockets = sockets};
    peek_all(fd, see_slot, &adding);
    if (adding.missed)
        return -ENOMEM;
    sockets->fds[sockets->n_sockets++] = fd;
    return 0;
}

struct reading {
    struct fd_store_sockets *sockets;
    struct fd_store_slot *slot;
    bool (*found)(void *arg, uint64_t key, uint32_t slot, struct fd_list *fds);
    void *arg;
};

static bool see_packet(void *arg, uint64_t key, struct fd_list *fds)
{
    struct reading *r = arg;
    struct fd_store_slot *slot = r->slot;
    struct packet *p = packet_of(slot, slot->count++);

    *p = (struct packet){.key = key};
    if (!r->found(r->arg, key, slot->index, fds))
        drop(r->sockets, slot, p, FD_REAPER_NO_UID);
    return slot->count < RING;
}

void fd_store_sockets_read(struct fd_store_sockets *sockets,
                           bool (*found)(void *arg, uint64_t key, uint32_t slot,
                                         struct fd_list *fds),
                           void *arg)
{
    for (size_t i = 0; i < sockets->n_slots; i++) {
        struct fd_store_slot *slot = sockets->slots[i];
        peek_all(slot->fd, see_packet, &(struct reading){sockets, slot, found, arg});
        if (slot->count >= SLOT_PACKETS)
            list_remove(&slot->room_link);
    }
}
