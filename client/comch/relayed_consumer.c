// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "relayed.h"

#include "comch.h"
#include "consumer.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#define ROOMS_MAX ((CHANNEL_MESSAGE_MAX - sizeof(struct comch_frame)) / sizeof(uint32_t))
#define BATCH     64 // frames, before other contexts have their turn

// ---- joining -----------------------------------------------------------------------------------

// Gets the name of the server that the client is connected to. Returns false if the connection has
// ended.
static bool find_server(struct comch_path *path, char name[CHANNEL_NAME_SIZE])
{
    pthread_mutex_lock(&path->lock);
    bool lives = path->end;
    if (lives)
        memcpy(name, path->end->name, CHANNEL_NAME_SIZE);
    pthread_mutex_unlock(&path->lock);
    return lives;
}

doca_error_t comch_relayed_join(struct doca_comch_consumer *consumer, struct errtext *err)
{
    struct comch_relayed *relayed = consumer->relayed;
    char name[CHANNEL_NAME_SIZE];
    doca_error_t e = DOCA_SUCCESS;

    if (!relayed->ep && !find_server(consumer->path, name))
        return errtext_set(err, DOCA_ERROR_CONNECTION_RESET, "the connection has ended");
    if (!relayed->ep)
        e = comch_relayed_connect(relayed, consumer->ctx.device, name, err);
    if (e != DOCA_SUCCESS || cc_address_open(relayed->to))
        return e;
    return cc_address_hung_up(relayed->to) ? errtext_set(err, DOCA_ERROR_CONNECTION_RESET,
                                                         "the server has not taken its channel")
                                           : DOCA_ERROR_AGAIN;
}

// ---- posted receives ---------------------------------------------------------------------------

static uint32_t room_of(const struct comch_relayed *relayed, uint32_t number)
{
    const struct comch_posted *at = &relayed->receives->at[number & (relayed->slots - 1)];
    uint64_t room = atomic_load_explicit(&at->room, memory_order_relaxed);
    return room < COMCH_BUFFER_MAX ? (uint32_t)room : COMCH_BUFFER_MAX;
}

// DOCA_ERROR_AGAIN: there is no room in the channel.
static doca_error_t announce_some(struct doca_comch_consumer *consumer, const char **why)
{
    struct comch_relayed *relayed = consumer->relayed;
    struct {
        struct comch_frame frame;
        uint32_t rooms[ROOMS_MAX];
    } m = {.frame = {.kind = htole32(COMCH_FRAME_POSTED), .number = htole32(relayed->announced)}};
    uint32_t n = consumer->posted - relayed->announced;

    n = n < ROOMS_MAX ? n : (uint32_t)ROOMS_MAX;
    for (uint32_t i = 0; i < n; i++)
        m.rooms[i] = htole32(room_of(relayed, relayed->announced + i));
    m.frame.length = htole32(n);
    doca_error_t e = cc_put(relayed->to, &m, sizeof(m.frame) + n * sizeof(m.rooms[0]), why);
    if (e == DOCA_SUCCESS)
        relayed->announced += n;
    return e;
}

static doca_error_t announce_posted(struct doca_comch_consumer *consumer)
{
    const char *why = "";
    doca_error_t e = DOCA_SUCCESS;

    while (e == DOCA_SUCCESS && consumer->relayed->announced != consumer->posted)
        e = announce_some(consumer, &why);
    if (e == DOCA_SUCCESS || e == DOCA_ERROR_AGAIN)
        return DOCA_SUCCESS;
    return DOCA_ERROR_CONNECTION_RESET; // the channel has ended
}

// ---- arrived frames --------------------------------------------------------------------------

struct piece {
    struct comch_frame frame; // in the machine's byte order
    const uint8_t *imm, *bytes;
    uint32_t n;
};

// Returns false if it is not well-formed.
static bool read_piece(struct piece *piece, const uint8_t *message, size_t size)
{
    struct comch_frame f;

    if (size < sizeof(f))
        return false;
    memcpy(&f, message, sizeof(f));
    piece->frame =
        (struct comch_frame){le32toh(f.kind),   le32toh(f.number),   le32toh(f.length),
                             le32toh(f.offset), le32toh(f.producer), le32toh(f.imm_length)};
    if (piece->frame.kind != COMCH_FRAME_BYTES || piece->frame.imm_length > COMCH_IMM_MAX ||
        piece->frame.imm_length > size - sizeof(f))
        return false;
    piece->imm = message + sizeof(f);
    piece->bytes = piece->imm + piece->frame.imm_length;
    piece->n = (uint32_t)(size - sizeof(f)) - piece->frame.imm_length;
    return true;
}

// Returns whether the message is one that a receive waits for, and the bytes are its next ones.
static bool belongs(const struct doca_comch_consumer *consumer, const struct piece *piece)
{
    const struct comch_relayed *relayed = consumer->relayed;
    const struct comch_frame *f = &piece->frame;
    uint32_t slot = f->number & (relayed->slots - 1);
    const struct rdma_entry *entry = &relayed->messages[slot];

    if (f->number - consumer->taken >= relayed->announced - consumer->taken ||
        (uint32_t)atomic_load_explicit(&entry->head, memory_order_relaxed) == f->number + 1)
        return false; // no receive waits for it, or it is complete
    if (f->offset != relayed->arriving[slot].bytes ||
        (f->offset && (f->imm_length || f->length != entry->length)))
        return false;
    return f->length <= room_of(relayed, f->number) && piece->n <= f->length - f->offset &&
           (piece->n || !f->length);
}

// Enters the piece into the rings, as a producer on this machine would.
static void enter(struct comch_relayed *relayed, const struct piece *piece)
{
    const struct comch_frame *f = &piece->frame;
    uint32_t slot = f->number & (relayed->slots - 1);
    struct rdma_entry *entry = &relayed->messages[slot];
    struct comch_arriving *arriving = &relayed->arriving[slot];
    uint64_t to = atomic_load_explicit(&relayed->receives->at[slot].address, memory_order_relaxed);

    if (piece->n && !(arriving->buf_gone && *arriving->buf_gone))
        memcpy((uint8_t *)(uintptr_t)to + f->offset, piece->bytes, piece->n);
    arriving->bytes += piece->n;
    if (f->offset == 0) {
        memcpy(entry->payload, piece->imm, f->imm_length);
        entry->length = f->length;
        entry->immediate = f->producer;
        arriving->imm_length = f->imm_length;
    }
    if (arriving->bytes != f->length)
        return;
    arriving->bytes = 0;
    atomic_store_explicit(
        &entry->head,
        rdma_head(f->number + 1, RDMA_MSG_SEND, COMCH_WRITTEN, (uint16_t)arriving->imm_length),
        memory_order_relaxed);
}

static doca_error_t take_frames(struct doca_comch_consumer *consumer, bool *any)
{
    uint8_t message[CHANNEL_MESSAGE_MAX];
    struct piece piece;

    for (unsigned i = 0; i < BATCH; i++) {
        size_t size = sizeof(message);
        doca_error_t e = cc_take(consumer->relayed->to, message, &size);
        if (e != DOCA_SUCCESS)
            return e == DOCA_ERROR_AGAIN ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_RESET;
        if (!read_piece(&piece, message, size) || !belongs(consumer, &piece))
            return DOCA_ERROR_IO_FAILED;
        enter(consumer->relayed, &piece);
        *any = true;
    }
    return DOCA_SUCCESS;
}

doca_error_t comch_relayed_pump(struct doca_comch_consumer *consumer, bool *any)
{
    if (consumer->relayed->to->gone)
        return DOCA_ERROR_CONNECTION_RESET;
    doca_error_t e = take_frames(consumer, any);
    return e == DOCA_SUCCESS ? announce_posted(consumer) : e;
}

// ---- closing -----------------------------------------------------------------------------------

bool comch_relayed_done(struct doca_comch_consumer *consumer)
{
    struct comch_relayed *relayed = consumer->relayed;
    uint32_t number = consumer->taken;

    relayed->draining = consumer->waiting.head && consumer->lost != DOCA_ERROR_IO_FAILED &&
                        cc_address_done(relayed->to);
    for (struct work_item *item = consumer->waiting.head; item && relayed->draining;
         item = item->next) {
        struct doca_comch_consumer_task_post_recv *task = (void *)item;
        task->buf_gone = false;
        relayed->arriving[number++ & (relayed->slots - 1)].buf_gone = &task->buf_gone;
    }
    return relayed->draining;
}

// The docads end the channel when all has come.
bool comch_relayed_drain(struct doca_comch_consumer *consumer)
{
    struct comch_relayed *relayed = consumer->relayed;
    bool any;

    if (relayed->draining)
        relayed->draining = take_frames(consumer, &any) == DOCA_SUCCESS;
    return !relayed->draining;
}

// ---- sleeping ----------------------------------------------------------------------------------

static bool add(const struct doca_comch_consumer *consumer, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};

    return epoll_ctl(consumer->ctx.pe->executor.epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ||
           errno == EEXIST;
}

bool comch_relayed_arm(struct doca_comch_consumer *consumer)
{
    struct doca_comm_channel_ep_t *ep = consumer->relayed->ep;
    bool blocked = false, watched = ep->watched;

    if (!watched)
        watched =
            cc_events_watch(ep) && add(consumer, ep->recv_epoll) && add(consumer, ep->send_epoll);
    cc_events_quiet(ep);
    return cc_events_want_room(ep, &blocked) || !watched || consumer->relayed->to->gone;
}
