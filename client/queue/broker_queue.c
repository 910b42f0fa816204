// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "broker_queue.h"

#include "bytes_only.h"
#include "cleanup.h"
#include "core/idle.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

// Checking the daemon costs a system call: it is done once in this many polls without a
// completion.
#define ALIVE_EVERY 1024

_Static_assert(QP_CHUNKS == 32, "free_chunks is a word of 32 bits");
_Static_assert(QP_CHUNKS <= QP_ENTRIES, "a piece with a chunk always finds room in the ring");

static void destroy_queue_pair(struct session *session, uint64_t id)
{
    Docad__QueuePairDestroy destroy = DOCAD__QUEUE_PAIR_DESTROY__INIT;

    destroy.queue_pair_id = id;
    // If docad has ended, the queue pair has ended, too.
    session_call(session, message_of(QUEUE_PAIR_DESTROY, queue_pair_destroy, &destroy), NULL, 0,
                 NULL, NULL, NULL);
}

static doca_error_t create_queue_pair(struct broker_queue *queue, const uint8_t node[NODE_ID_SIZE],
                                      struct errtext *err)
{
    Docad__QueuePairCreate create = DOCAD__QUEUE_PAIR_CREATE__INIT;
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;

    create.node = (ProtobufCBinaryData){.len = NODE_ID_SIZE, .data = (uint8_t *)node};
    doca_error_t r =
        session_call(queue->session, message_of(QUEUE_PAIR_CREATE, queue_pair_create, &create),
                     NULL, 0, &reply, &fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (reply->body_case != DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE_REPLY)
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad's answer is not a queue pair");
    queue->id = reply->queue_pair_create_reply->queue_pair_id;
    queue->slot = reply->queue_pair_create_reply->state_slot;
    int n = queue->slot < queue->table->slots
                ? qp_client_init(&queue->qp, fd_list_take(&fds, 0), fd_list_take(&fds, 1),
                                 fd_list_take(&fds, 2))
                : -EPROTO;
    if (n < 0) {
        destroy_queue_pair(queue->session, queue->id);
        return errtext_set(err, n == -ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_UNEXPECTED,
                           "cannot use the queue pair that docad made: %s", strerror(-n));
    }
    queue->severed = (struct severed){.pages = queue->qp.shared,
                                      .length = sizeof(*queue->qp.shared),
                                      .fds = {&queue->qp.doorbell, &queue->qp.channel}};
    severed_add(&queue->severed);
    return DOCA_SUCCESS;
}

static doca_error_t add_channel(struct broker_queue *queue, int epoll_fd, struct errtext *err)
{
    struct epoll_event event = {.events = EPOLLIN};

    if (epoll_fd < 0)
        return DOCA_SUCCESS;
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, queue->qp.channel, &event) < 0)
        return errtext_set(err, DOCA_ERROR_OPERATING_SYSTEM,
                           "cannot wait for a queue pair's channel: %s", strerror(errno));
    queue->epoll_fd = epoll_fd;
    return DOCA_SUCCESS;
}

static void drop_channel(struct broker_queue *queue)
{
    if (queue->epoll_fd >= 0)
        epoll_ctl(queue->epoll_fd, EPOLL_CTL_DEL, queue->qp.channel, NULL);
    queue->epoll_fd = -1;
}

doca_error_t broker_queue_new(struct broker_queue **out, struct session *session,
                              const uint8_t node[NODE_ID_SIZE], int epoll_fd, struct errtext *err)
{
    struct broker_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for a queue pair");
    queue->epoll_fd = -1;
    queue->session = session_ref(session);
    queue->table = session_state_table(session);
    queue->free_chunks = UINT32_MAX;
    for (uint32_t i = 0; i < QP_CHUNKS; i++) {
        queue->pieces[i].queue = queue;
        queue->pieces[i].chunk = i;
    }
    doca_error_t r = create_queue_pair(queue, node, err);
    if (r == DOCA_SUCCESS)
        r = add_channel(queue, epoll_fd, err);
    if (r != DOCA_SUCCESS) {
        broker_queue_free(queue);
        return r;
    }
    *out = queue;
    return DOCA_SUCCESS;
}

struct broker_queue *broker_queue_free(struct broker_queue *queue)
{
    if (!queue)
        return NULL;
    drop_channel(queue);
    severed_remove(&queue->severed);
    if (queue->qp.shared) {
        qp_client_fini(&queue->qp);
        destroy_queue_pair(queue->session, queue->id);
    }
    session_unref(queue->session);
    free(queue);
    return NULL;
}

// ---- pieces --------------------------------------------------------------------------

struct broker_piece *broker_piece_take(struct broker_queue *queue)
{
    if (!queue->free_chunks)
        return NULL;
    uint32_t chunk = (uint32_t)__builtin_ctz(queue->free_chunks);
    queue->free_chunks &= queue->free_chunks - 1;
    return &queue->pieces[chunk];
}

void broker_piece_put(struct broker_piece *piece)
{
    piece->queue->free_chunks |= 1u << piece->chunk;
}

doca_error_t broker_piece_post(struct broker_piece *piece, enum qp_opcode opcode, uint64_t address,
                               uint32_t key,
                               void (*done)(struct broker_piece *piece, doca_error_t status))
{
    struct broker_queue *queue = piece->queue;

    if (broker_queue_error(queue) != DOCA_SUCCESS)
        return broker_queue_error(queue);
    // Cannot fail: there are more entries than chunks, and each request has a chunk.
    qp_post(&queue->qp, &(struct qp_request){.address = address,
                                             .length = piece->length,
                                             .key = key,
                                             .offset = piece->chunk * QP_CHUNK_SIZE,
                                             .tag = piece->chunk,
                                             .opcode = opcode});
    piece->done = done;
    queue->unrung = true;
    return DOCA_SUCCESS;
}

// The engine sleeps. Lets others run if that is of use. Returns true if it has taken the requests
// after that.
static bool yield_until_taken(struct broker_queue *queue)
{
    if (!idle_cpu_is_shared() || !wake_backoff_is_due(&queue->backoff))
        return false;
    sched_yield();
    bool taken = qp_all_taken(&queue->qp);
    wake_backoff_update(&queue->backoff, taken);
    return taken;
}

void broker_queue_ring(struct broker_queue *queue)
{
    if (!queue->unrung)
        return;
    queue->unrung = false;
    if (!qp_publish(&queue->qp) || yield_until_taken(queue))
        return;
    qp_wake(&queue->qp);
}

size_t broker_queue_under_way(const struct broker_queue *queue)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < QP_CHUNKS; i++)
        if (queue->pieces[i].done)
            bytes += queue->pieces[i].length;
    return bytes;
}

// ---- completions -----------------------------------------------------------------------

static void complete(struct broker_piece *piece, doca_error_t status)
{
    void (*done)(struct broker_piece * piece, doca_error_t status) = piece->done;
    piece->done = NULL;
    done(piece, status);
}

static void fail_queue(struct broker_queue *queue, doca_error_t error)
{
    atomic_store_explicit(&queue->error, error, memory_order_relaxed);
    queue->unrung = false;
    drop_channel(queue); // it stays readable, and would wake the application for nothing
    for (uint32_t i = 0; i < QP_CHUNKS; i++)
        if (queue->pieces[i].done)
            complete(&queue->pieces[i], error);
}

// Returns the error that an application gets for a status of the engine.
static doca_error_t known_error(uint32_t status)
{
    switch (status) {
    case DOCA_SUCCESS:
    case DOCA_ERROR_NOT_PERMITTED:
    case DOCA_ERROR_CONNECTION_RESET:
    case DOCA_ERROR_NOT_CONNECTED:
        return (doca_error_t)status;
    default:
        return DOCA_ERROR_IO_FAILED;
    }
}

// Nothing has arrived: checks whether the engine is still there.
static void check_end(struct broker_queue *queue)
{
    enum slot_state state = state_table_read(queue->table, queue->slot, queue->id);

    if (state != SLOT_LIVE)
        fail_queue(queue, slot_state_error(state));
    else if (++queue->empty_polls % ALIVE_EVERY == 0 && !session_alive(queue->session))
        fail_queue(queue, DOCA_ERROR_NOT_CONNECTED);
}

// There are more completions than requests: the writer of the page cannot be trusted.
static bool impossible_head(const struct broker_queue *queue)
{
    uint32_t head = atomic_load_explicit(&queue->qp.shared->completion_head, memory_order_relaxed);
    return head - queue->qp.completion_tail > qp_in_flight(&queue->qp);
}

// Takes the available completions. Returns false if there were none.
static bool take_completions(struct broker_queue *queue)
{
    struct qp_completion completion;
    bool any = false;

    if (impossible_head(queue)) {
        fail_queue(queue, DOCA_ERROR_IO_FAILED);
        return true;
    }
    while (qp_in_flight(&queue->qp) && qp_poll(&queue->qp, &completion)) {
        struct broker_piece *piece = &queue->pieces[completion.tag % QP_CHUNKS];
        any = true;
        if (completion.tag >= QP_CHUNKS || !piece->done) {
            fail_queue(queue, DOCA_ERROR_IO_FAILED);
            break;
        }
        complete(piece, known_error(completion.status));
    }
    return any;
}

void broker_queue_poll(struct broker_queue *queue)
{
    if (broker_queue_error(queue) != DOCA_SUCCESS || !qp_in_flight(&queue->qp))
        return;
    if (take_completions(queue))
        queue->empty_polls = 0;
    else
        check_end(queue);
}

bool broker_queue_arm(struct broker_queue *queue)
{
    if (broker_queue_error(queue) != DOCA_SUCCESS || !qp_in_flight(&queue->qp))
        return false;
    return qp_arm(&queue->qp) ||
           state_table_read(queue->table, queue->slot, queue->id) != SLOT_LIVE;
}

// The other end is closed. docad writes the reason before it closes the channel.
static void channel_closed(struct broker_queue *queue)
{
    enum slot_state state = state_table_read(queue->table, queue->slot, queue->id);

    take_completions(queue);
    if (broker_queue_error(queue) == DOCA_SUCCESS)
        fail_queue(queue, state == SLOT_LIVE ? DOCA_ERROR_NOT_CONNECTED : slot_state_error(state));
}

void broker_queue_clear(struct broker_queue *queue)
{
    if (broker_queue_error(queue) == DOCA_SUCCESS && !bytes_drain(queue->qp.channel))
        channel_closed(queue);
}
