// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fd_shelf.h"

#include "cleanup.h"
#include "fd_reaper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#define BOXES_EACH PACKET_FDS_MAX // boxes that are made, and put on a shelf, at a time
#define BUFFER     (64 << 20)     // wanted; the kernel gives what it allows

struct packet {
    uint64_t key;
    uid_t uid;
    bool dropped;
};

// What the socket has in its queue. A packet may be there twice after a restart.
#define RING (2 * BOX_PACKETS)

struct fd_box {
    struct list room_link, clean_link;
    int fd;
    uint32_t index;
    unsigned first, count, dropped; // of the ring, in the order of the queue
    struct packet ring[RING];
};

static struct packet *packet_of(struct fd_box *box, unsigned i)
{
    return &box->ring[(box->first + i) % RING];
}

// ---- sockets --------------------------------------------------------------------------

// Removes what others may have sent to the name before the socket was connected.
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

// Nobody but itself can send to a socket that is connected to itself.
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

// Looks at one packet after the other and leaves all of them where they are.
static void look_at_all(int fd, bool (*seen)(void *arg, uint64_t key, struct fd_list *fds),
                        void *arg)
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

// ---- shelves --------------------------------------------------------------------------

void fd_shelf_init(struct fd_shelf *shelf)
{
    memset(shelf, 0, sizeof(*shelf));
    list_init(&shelf->with_room);
    list_init(&shelf->to_clean);
}

void fd_shelf_close(struct fd_shelf *shelf)
{
    for (size_t i = 0; i < shelf->n_boxes; i++) {
        close(shelf->boxes[i]->fd);
        free(shelf->boxes[i]);
    }
    for (size_t i = 0; i < shelf->n_shelves; i++)
        close(shelf->shelves[i]);
    free(shelf->boxes);
    fd_shelf_init(shelf);
}

int fd_shelf_new(struct fd_shelf *shelf, size_t n)
{
    for (; shelf->n_shelves < n; shelf->n_shelves++) {
        int fd = make_socket();
        if (fd < 0)
            return fd;
        shelf->shelves[shelf->n_shelves] = fd;
    }
    return 0;
}

// ---- boxes ----------------------------------------------------------------------------

// Takes the descriptor, unless memory runs out.
static struct fd_box *add_box(struct fd_shelf *shelf, int fd)
{
    struct fd_box **more = reallocarray(shelf->boxes, shelf->n_boxes + 1, sizeof(*more));
    struct fd_box *box = calloc(1, sizeof(*box));

    shelf->boxes = more ? more : shelf->boxes;
    if (!more || !box) {
        free(box);
        return NULL;
    }
    box->fd = fd;
    box->index = (uint32_t)shelf->n_boxes;
    list_init(&box->clean_link);
    list_append(&shelf->with_room, &box->room_link);
    shelf->boxes[shelf->n_boxes++] = box;
    return box;
}

// Puts the boxes on a shelf that has room for them.
static int put_on_shelf(struct fd_shelf *shelf, const int *fds, size_t n)
{
    uint64_t key = shelf->n_boxes;
    int r = -EAGAIN;
    while (shelf->filling < shelf->n_shelves) {
        r = packet_send(shelf->shelves[shelf->filling], &key, sizeof(key), fds, n, MSG_DONTWAIT);
        if (r != -EAGAIN)
            break;
        shelf->filling++;
    }
    return r;
}

static int make_boxes(struct fd_shelf *shelf)
{
    struct fd_list made = FD_LIST_EMPTY;
    int r = 0;

    while (r >= 0 && made.count < BOXES_EACH) {
        r = make_socket();
        if (r >= 0)
            made.fds[made.count++] = r;
    }
    if (r >= 0)
        r = put_on_shelf(shelf, made.fds, made.count);
    for (size_t i = 0; r >= 0 && i < made.count; i++)
        if (add_box(shelf, made.fds[i]))
            made.fds[i] = -1;
        else
            r = -ENOMEM;
    fd_list_close(&made);
    return r;
}

int fd_shelf_put(struct fd_shelf *shelf, uint64_t key, const int *fds, size_t n_fds, uint32_t *out)
{
    if (list_empty(&shelf->with_room)) {
        int r = make_boxes(shelf);
        if (r < 0)
            return r;
    }
    struct fd_box *box = list_entry(shelf->with_room.next, struct fd_box, room_link);
    int r = packet_send(box->fd, &key, sizeof(key), fds, n_fds, MSG_DONTWAIT);
    if (r < 0)
        return r;
    *packet_of(box, box->count++) = (struct packet){.key = key};
    if (box->count == BOX_PACKETS)
        list_remove(&box->room_link);
    *out = box->index;
    return 0;
}

static void drop(struct fd_shelf *shelf, struct fd_box *box, struct packet *p, uid_t uid)
{
    p->uid = uid;
    p->dropped = true;
    if (box->dropped++ == 0)
        list_append(&shelf->to_clean, &box->clean_link);
}

void fd_shelf_drop(struct fd_shelf *shelf, uint32_t index, uint64_t key, uid_t uid)
{
    struct fd_box *box = shelf->boxes[index];
    for (unsigned i = 0; i < box->count; i++) {
        struct packet *p = packet_of(box, i);
        if (p->key == key && !p->dropped) {
            drop(shelf, box, p, uid);
            return;
        }
    }
}

// ---- cleaning -------------------------------------------------------------------------

static void take_out(struct fd_box *box, uid_t uid)
{
    struct fd_list fds;
    uint64_t key;
    fd_reaper_receive_from(uid);
    if (packet_recv(box->fd, &key, sizeof(key), &fds, MSG_DONTWAIT) >= 0)
        fd_list_close(&fds);
}

// Moves the first packet behind the last. One of the two holds the descriptors open throughout, so
// that no close here is the last one.
static bool turn(struct fd_box *box)
{
    struct fd_list fds;
    uint64_t key;
    if (packet_recv(box->fd, &key, sizeof(key), &fds, MSG_PEEK | MSG_DONTWAIT) != sizeof(key))
        return false;
    int r = packet_send(box->fd, &key, sizeof(key), fds.fds, fds.count, MSG_DONTWAIT);
    for (size_t i = 0; i < fds.count; i++)
        close(fds.fds[i]);
    return r == 0 && recv(box->fd, &key, sizeof(key), MSG_DONTWAIT) == sizeof(key);
}

// False if it cannot be done now.
static bool clean_box(struct fd_box *box)
{
    while (box->dropped > 0) {
        struct packet packet = *packet_of(box, 0);
        if (packet.dropped)
            take_out(box, packet.uid);
        else if (!turn(box))
            return false;
        box->first = (box->first + 1) % RING;
        box->count -= packet.dropped;
        box->dropped -= packet.dropped;
        if (!packet.dropped)
            *packet_of(box, box->count - 1) = packet;
    }
    return true;
}

bool fd_shelf_clean(struct fd_shelf *shelf, unsigned boxes)
{
    for (; boxes > 0 && !list_empty(&shelf->to_clean); boxes--) {
        struct fd_box *box = list_entry(shelf->to_clean.next, struct fd_box, clean_link);
        list_remove(&box->clean_link);
        if (!clean_box(box)) {
            list_append(&shelf->to_clean, &box->clean_link);
            return true;
        }
        if (box->count < BOX_PACKETS && !list_linked(&box->room_link))
            list_append(&shelf->with_room, &box->room_link);
    }
    return !list_empty(&shelf->to_clean);
}

// ---- what an earlier process left -------------------------------------------------------

struct adding {
    struct fd_shelf *shelf;
    bool missed; // a box, because memory ran out
};

static bool see_box(void *arg, uint64_t key, struct fd_list *fds)
{
    struct adding *adding = arg;
    (void)key;
    for (size_t i = 0; i < fds->count; i++) {
        if (!is_own_socket(fds->fds[i]))
            continue;
        if (add_box(adding->shelf, fds->fds[i]))
            fds->fds[i] = -1;
        else
            adding->missed = true;
    }
    return !adding->missed;
}

int fd_shelf_add(struct fd_shelf *shelf, int fd)
{
    if (!is_own_socket(fd))
        return -EPROTO;
    if (shelf->n_shelves == FD_SHELVES)
        return -E2BIG;
    struct adding adding = {.shelf = shelf};
    look_at_all(fd, see_box, &adding);
    if (adding.missed)
        return -ENOMEM;
    shelf->shelves[shelf->n_shelves++] = fd;
    return 0;
}

struct reading {
    struct fd_shelf *shelf;
    struct fd_box *box;
    bool (*found)(void *arg, uint64_t key, uint32_t box, struct fd_list *fds);
    void *arg;
};

static bool see_packet(void *arg, uint64_t key, struct fd_list *fds)
{
    struct reading *r = arg;
    struct fd_box *box = r->box;
    struct packet *p = packet_of(box, box->count++);

    *p = (struct packet){.key = key};
    if (!r->found(r->arg, key, box->index, fds))
        drop(r->shelf, box, p, FD_REAPER_NO_UID);
    return box->count < RING;
}

void fd_shelf_read(struct fd_shelf *shelf,
                   bool (*found)(void *arg, uint64_t key, uint32_t box, struct fd_list *fds),
                   void *arg)
{
    for (size_t i = 0; i < shelf->n_boxes; i++) {
        struct fd_box *box = shelf->boxes[i];
        look_at_all(box->fd, see_packet, &(struct reading){shelf, box, found, arg});
        if (box->count >= BOX_PACKETS)
            list_remove(&box->room_link);
    }
}
