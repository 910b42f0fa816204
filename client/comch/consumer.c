// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The life of a consumer.

#include "consumer.h"

#include "cleanup.h"
#include "comch.h"
#include "core/refused.h"
#include "mmap/mmap_object.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

// Consumers of several threads may share a map, whose exports are a list.
static pthread_mutex_t exporting = PTHREAD_MUTEX_INITIALIZER;

// ---- messages of the other thread
// ----------------------------------------------------------------

void comch_consumer_notify(struct doca_comch_consumer *consumer, enum comch_reply reply,
                           const struct comch_packet *packet)
{
    uint32_t quiet = COMCH_CONSUMER_QUIET;

    if (reply == COMCH_CONSUMER_LOST) {
        atomic_store_explicit(&consumer->reply, reply, memory_order_release);
    } else {
        // A second answer is one too many, and is ignored.
        if (atomic_load_explicit(&consumer->reply, memory_order_relaxed) != quiet)
            return;
        consumer->details_size = packet ? packet->endpoint_size : 0;
        if (packet)
            memcpy(consumer->details, packet->endpoint, packet->endpoint_size);
        // Release: the details, or the channel, are visible. It fails if the connection has ended.
        atomic_compare_exchange_strong_explicit(&consumer->reply, &quiet, reply,
                                                memory_order_release, memory_order_relaxed);
    }
    cc_event_set(consumer->wake_fd);
}

// ---- polling ---------------------------------------------------------------------------------

static struct doca_comch_consumer *consumer_of(struct work_source *source)
{
    return container_of(source, struct doca_comch_consumer, rdma.source);
}

static void lose(struct doca_comch_consumer *consumer, doca_error_t error, const char *why)
{
    if (consumer->lost == DOCA_SUCCESS) {
        log_own_warning("Comch on %s: consumer %u ends: %s (%s)", dev_name(consumer->ctx.device),
                        consumer->id, why, doca_error_get_name(error));
        consumer->lost = error;
    }
    pe_post(consumer->ctx.pe, &consumer->event);
}

static doca_error_t open_rings(struct doca_comch_consumer *consumer, struct errtext *err)
{
    struct comch_relayed *relayed = consumer->relayed;

    doca_error_t e =
        relayed ? comch_relayed_join(consumer, err)
                : rdma_end_connect(&consumer->rdma, consumer->details, consumer->details_size, err);
    if (e != DOCA_SUCCESS)
        return e;
    consumer->messages = relayed ? relayed->messages : comch_messages_in(consumer->rdma.rx);
    consumer->receives = relayed ? relayed->receives : comch_receives_in(consumer->rdma.tx);
    return DOCA_SUCCESS;
}

static void join(struct doca_comch_consumer *consumer)
{
    struct errtext err = {""};

    doca_error_t e = open_rings(consumer, &err);
    if (e == DOCA_SUCCESS)
        pe_post(consumer->ctx.pe, &consumer->event);
    else if (e != DOCA_ERROR_AGAIN)
        lose(consumer, e, err.s);
}

static void check_end(struct doca_comch_consumer *consumer)
{
    doca_error_t error = rdma_check(&consumer->rdma);

    if (atomic_load_explicit(&consumer->reply, memory_order_relaxed) == COMCH_CONSUMER_LOST)
        error = DOCA_ERROR_CONNECTION_RESET;
    if (error != DOCA_SUCCESS)
        lose(consumer, error, "the connection has ended, or docad does not offer it any more");
}

// A polling consumer only notices here that docad has ended.
static void poll_starting(struct doca_comch_consumer *consumer)
{
    // Acquire: the details.
    switch (atomic_load_explicit(&consumer->reply, memory_order_acquire)) {
    case COMCH_CONSUMER_QUIET:
        check_end(consumer);
        break;
    case COMCH_CONSUMER_ANSWERED:
        if (consumer->receives)
            check_end(consumer);
        else if (consumer->lost == DOCA_SUCCESS)
            join(consumer);
        break;
    case COMCH_CONSUMER_REFUSED:
        lose(consumer, DOCA_ERROR_NOT_PERMITTED,
             "the two sides could not connect; the log of one of them says why");
        break;
    case COMCH_CONSUMER_LOST:
        lose(consumer, DOCA_ERROR_CONNECTION_RESET, "the connection has ended");
        break;
    }
}

static void close_rings(struct doca_comch_consumer *consumer)
{
    comch_consumer_close(consumer,
                         consumer->lost != DOCA_SUCCESS ? consumer->lost : DOCA_ERROR_SHUTDOWN);
}

static void poll_consumer(struct work_source *source)
{
    struct doca_comch_consumer *consumer = consumer_of(source);

    switch (consumer->ctx.state) {
    case DOCA_CTX_STATE_STARTING:
        poll_starting(consumer);
        break;
    case DOCA_CTX_STATE_RUNNING:
        if (consumer->lost == DOCA_SUCCESS && !comch_consumer_take(consumer))
            check_end(consumer);
        if (consumer->lost != DOCA_SUCCESS)
            pe_post(consumer->ctx.pe, &consumer->event);
        break;
    case DOCA_CTX_STATE_STOPPING:
        close_rings(consumer);
        break;
    default:
        break;
    }
}

// Between machines, messages on their way move first. What has arrived counts, even if the channel
// has ended.
static void poll_relayed(struct work_source *source)
{
    struct doca_comch_consumer *consumer = consumer_of(source);
    bool any = false;

    if (consumer->ctx.state == DOCA_CTX_STATE_RUNNING && consumer->lost == DOCA_SUCCESS) {
        doca_error_t e = comch_relayed_pump(consumer, &any);
        any = comch_consumer_take(consumer) || any;
        while (e != DOCA_SUCCESS && comch_consumer_take(consumer))
            ;
        if (e != DOCA_SUCCESS)
            lose(consumer, e,
                 e == DOCA_ERROR_IO_FAILED ? "the other side breaks the rules of its channel"
                                           : "its channel has ended");
    }
    if (!any)
        poll_consumer(source);
}

// ---- sleeping --------------------------------------------------------------------------------

static bool arm(struct work_source *source)
{
    struct doca_comch_consumer *consumer = consumer_of(source);
    uint32_t reply = atomic_load_explicit(&consumer->reply, memory_order_relaxed);

    if (consumer->lost != DOCA_SUCCESS)
        return false;
    if (consumer->ctx.state != DOCA_CTX_STATE_RUNNING)
        return consumer->ctx.state == DOCA_CTX_STATE_STOPPING || reply != COMCH_CONSUMER_QUIET;
    return rdma_arm(source) || reply == COMCH_CONSUMER_LOST || comch_consumer_has_message(consumer);
}

static void clear(struct work_source *source)
{
    struct doca_comch_consumer *consumer = consumer_of(source);

    cc_event_reset(consumer->wake_fd);
    if (consumer->lost == DOCA_SUCCESS) {
        doca_error_t error = rdma_check_descriptors(&consumer->rdma);
        while (error != DOCA_SUCCESS && consumer->receives && comch_consumer_take(consumer))
            ;
        if (error != DOCA_SUCCESS)
            lose(consumer, error, "the connection has ended, or docad does not offer it any more");
    }
}

static bool arm_relayed(struct work_source *source)
{
    struct doca_comch_consumer *consumer = consumer_of(source);

    if (consumer->relayed->draining)
        return comch_relayed_arm(consumer);
    return arm(source) || (consumer->receives && comch_relayed_arm(consumer));
}

static void clear_relayed(struct work_source *source)
{
    struct doca_comch_consumer *consumer = consumer_of(source);

    if (consumer->receives)
        cc_events_quiet(consumer->relayed->ep);
    clear(source);
}

static const struct rdma_transport transport = {
    .source = {.poll = poll_consumer, .arm = arm, .clear = clear},
};

static const struct rdma_transport relayed_transport = {
    .source = {.poll = poll_relayed, .arm = arm_relayed, .clear = clear_relayed},
};

// ---- start and stop ----------------------------------------------------------------------------

static uint32_t slots_for(uint32_t tasks)
{
    uint32_t slots = COMCH_SLOTS_MIN;

    while (slots < tasks)
        slots *= 2;
    return slots;
}

static doca_error_t describe_memory(const struct doca_comch_consumer *consumer,
                                    struct comch_packet *packet, struct errtext *err)
{
    struct errtext why = {""};
    struct mmap_export *export;

    packet->endpoint_size = (uint32_t)consumer->rdma.details_size;
    memcpy(packet->endpoint, consumer->rdma.details, consumer->rdma.details_size);
    pthread_mutex_lock(&exporting);
    doca_error_t e =
        mmap_lend(consumer->map, consumer->ctx.device, consumer->beside, &export, &why);
    if (e == DOCA_SUCCESS) {
        _Static_assert(sizeof(export->made.desc) <= sizeof(packet->memory), "fits");
        memcpy(packet->memory, export->made.desc, export->made.length);
        packet->memory_size = (uint32_t) export->made.length;
    }
    pthread_mutex_unlock(&exporting);
    return e == DOCA_SUCCESS
               ? e
               : errtext_set(err, e, "the other side cannot be given the consumer's memory: %s",
                             why.s);
}

static doca_error_t describe_channel(const struct doca_comch_consumer *consumer,
                                     struct comch_packet *packet, struct errtext *err)
{
    doca_error_t e = comch_relayed_make_key(consumer->relayed, err);
    memcpy(packet->key, consumer->relayed->key, sizeof(packet->key));
    return e;
}

// Announces the consumer, to which the path delivers answers from then on.
static doca_error_t announce(struct doca_comch_consumer *consumer, struct errtext *err)
{
    struct comch_path *path = consumer->path;
    struct comch_packet packet = {.kind = COMCH_PACKET_CONSUMER,
                                  .id = consumer->id,
                                  .slots = consumer->slots,
                                  .imm_length = consumer->imm_length};

    doca_error_t e = consumer->relayed ? describe_channel(consumer, &packet, err)
                                       : describe_memory(consumer, &packet, err);
    if (e != DOCA_SUCCESS)
        return e;
    pthread_mutex_lock(&path->lock);
    if (path->unable)
        e = errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                        "the other side has no fast path: its library, or one of the docads "
                        "between them, is older");
    else if (!comch_path_post_locked(path, &packet))
        e = errtext_set(err, DOCA_ERROR_BAD_STATE, "the connection has ended");
    else
        path->consumers[consumer->id] = consumer;
    pthread_mutex_unlock(&path->lock);
    return e;
}

static doca_error_t make_wake_fd(struct doca_comch_consumer *consumer, struct errtext *err)
{
    struct epoll_event event = {.events = EPOLLIN};

    consumer->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    consumer->severed = (struct severed){.fds = {&consumer->wake_fd}};
    severed_add(&consumer->severed);
    if (consumer->wake_fd >= 0 && epoll_ctl(consumer->ctx.pe->executor.epoll_fd, EPOLL_CTL_ADD,
                                            consumer->wake_fd, &event) == 0)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INITIALIZATION, "cannot make an event descriptor: %s",
                       strerror(errno));
}

static void release(struct doca_comch_consumer *consumer)
{
    if (consumer->rdma.link)
        rdma_end_detach(&consumer->rdma);
    if (consumer->rdma.session)
        rdma_end_close(&consumer->rdma);
    severed_remove(&consumer->severed);
    close_fdp(&consumer->wake_fd);
    consumer->receives = NULL;
    consumer->messages = NULL;
    consumer->relayed = comch_relayed_free(consumer->relayed);
    consumer->end_packet = comch_outgoing_free(consumer->end_packet);
}

static doca_error_t open_end(struct doca_comch_consumer *consumer, struct errtext *err)
{
    rdma_end_init(&consumer->rdma);
    consumer->rdma.comch =
        (struct rdma_comch){RDMA_CONSUMER, consumer->path->channel, consumer->id};
    if (consumer->path->is_relayed) // by its channel; the endpoint is for lists
        consumer->relayed = comch_relayed_new(consumer->slots, true);
    if (consumer->path->is_relayed && !consumer->relayed)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    doca_error_t e = rdma_end_open(&consumer->rdma, consumer->ctx.device,
                                   consumer->relayed ? &relayed_transport : &transport, err);
    if (e != DOCA_SUCCESS)
        return e;
    // The program's threads may wait for long, or never.
    consumer->rdma.shows_late = true;
    return rdma_end_attach(&consumer->rdma, &consumer->ctx.link, err);
}

static doca_error_t start(struct doca_ctx *ctx, struct errtext *err)
{
    struct doca_comch_consumer *consumer = comch_consumer_of(ctx);

    consumer->slots = slots_for(ctx->pools[0].n);
    consumer->posted = consumer->narrow = consumer->taken = 0;
    consumer->lost = DOCA_SUCCESS;
    consumer->closed = COMCH_OPEN;
    consumer->awaits_buffers = consumer->dropped = false;
    atomic_store(&consumer->reply, COMCH_CONSUMER_QUIET);
    work_fifo_init(&consumer->waiting);
    consumer->end_packet = comch_outgoing_new();
    doca_error_t e = consumer->end_packet ? make_wake_fd(consumer, err)
                                          : errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    if (e == DOCA_SUCCESS)
        e = open_end(consumer, err);
    if (e == DOCA_SUCCESS)
        e = announce(consumer, err);
    if (e != DOCA_SUCCESS) {
        release(consumer);
        return e;
    }
    pe_hold(ctx->pe);
    return DOCA_ERROR_IN_PROGRESS;
}

static void flush(struct doca_ctx *ctx)
{
    struct doca_comch_consumer *consumer = comch_consumer_of(ctx);

    while (consumer->receives && comch_consumer_take(consumer))
        ; // messages that have arrived count as received
    close_rings(consumer);
}

static void stopped(struct doca_ctx *ctx)
{
    struct doca_comch_consumer *consumer = comch_consumer_of(ctx);
    struct comch_path *path = consumer->path;
    struct comch_packet packet = {.kind = COMCH_PACKET_EXPIRED, .id = consumer->id};

    pthread_mutex_lock(&path->lock);
    path->consumers[consumer->id] = NULL;
    comch_path_post_in(path, steal_ptr(consumer->end_packet), &packet);
    pthread_mutex_unlock(&path->lock);
    pe_withdraw(ctx->pe, &consumer->event);
    pe_release(ctx->pe);
    release(consumer);
}

static void deliver(struct pe_event *event)
{
    struct doca_comch_consumer *consumer = container_of(event, struct doca_comch_consumer, event);

    if (consumer->lost == DOCA_SUCCESS)
        context_started(&consumer->ctx);
    else
        context_fail(&consumer->ctx);
}

// What the program receives after the drop must not depend on when it comes.
static bool lose_peer(struct doca_task *task)
{
    struct doca_comch_consumer *consumer = comch_consumer_of(task->item.link->ctx);

    if (consumer->lost != DOCA_SUCCESS || !comch_path_break(consumer->path))
        return false;
    consumer->dropped = true;
    lose(consumer, DOCA_ERROR_CONNECTION_RESET, "its peer was dropped");
    return true;
}

static const struct ctx_kind kind = {
    .name = "Comch consumer",
    .work = {.library = WORK_LIBRARY_COMCH,
             .prepare = comch_consumer_prepare,
             .execute = comch_consumer_post,
             .eager = true},
    .tasks = comch_consumer_tasks,
    .n_tasks = 1,
    .most_tasks = CARD_CONSUMER_TASKS,
    .start = start,
    .flush = flush,
    .stopped = stopped,
    .lose_peer = lose_peer,
};

// ---- the public interface ----------------------------------------------------------------------

static doca_error_t take_id(struct doca_comch_consumer *consumer, struct errtext *err)
{
    struct comch_path *path = consumer->path;
    doca_error_t e = DOCA_SUCCESS;

    pthread_mutex_lock(&path->lock);
    for (uint32_t id = 1; id <= COMCH_CONSUMERS_MAX && !consumer->id; id++)
        if (!(path->ids[id / 64] >> id % 64 & 1))
            consumer->id = id;
    if (!path->end)
        e = errtext_set(err, DOCA_ERROR_BAD_STATE, "the connection has ended");
    else if (!consumer->id)
        e = errtext_set(err, DOCA_ERROR_NO_MEMORY, "the connection has %u consumers already",
                        COMCH_CONSUMERS_MAX);
    else
        path->ids[consumer->id / 64] |= 1ull << consumer->id % 64;
    path->n_consumers += e == DOCA_SUCCESS;
    pthread_mutex_unlock(&path->lock);
    return e;
}

static doca_error_t check_map(const struct doca_mmap *map, const struct doca_dev *device,
                              struct errtext *err)
{
    if (!mmap_usable(map) || mmap_memory(map)->imported)
        return errtext_set(err, DOCA_ERROR_BAD_STATE,
                           "the consumer's map is not started, or belongs to another process");
    if (!mmap_has_device(map, device))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the consumer's map does not have the connection's device %s",
                           dev_name(device));
    if (!(mmap_memory(map)->access &
          (DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE)))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the consumer's map has neither DOCA_ACCESS_FLAG_PCI_READ_WRITE nor "
                           "DOCA_ACCESS_FLAG_RDMA_WRITE: producers of the other side write to it");
    return DOCA_SUCCESS;
}

// Returns whether the other side uses a function of this node: an SF of a DPU, where its PF serves.
static bool is_beside(const struct comch_end *end)
{
    if (!end->is_server)
        return session_on_dpu(dev_session(end->ctx.device));
    const ProtobufCBinaryData *of = &dev_rep_representor(end->rep)->node;
    return of->len == NODE_ID_SIZE &&
           memcmp(of->data, session_node(dev_rep_session(end->rep)), NODE_ID_SIZE) == 0;
}

doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer)
{
    struct errtext err;

    if (!comch_connection || !buf_mmap || !consumer)
        return REFUSED_NULL(comch_connection, buf_mmap, consumer);
    struct doca_dev *device = comch_connection->end->ctx.device;
    doca_error_t e = check_map(buf_mmap, device, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    struct doca_comch_consumer *made = aligned_alloc(64, (sizeof(*made) + 63) & ~(size_t)63);
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    *made = (struct doca_comch_consumer){
        .path = comch_path_ref(comch_connection->path),
        .map = buf_mmap,
        .beside = is_beside(comch_connection->end),
        .imm_length = (uint32_t)dev_most(device, CARD_CONSUMER_IMM, COMCH_IMM_MAX),
        .most_room = dev_card(device)->values[CARD_CONSUMER_BUF_SIZE],
        .wake_fd = -1,
        .event.deliver = deliver};
    e = take_id(made, &err);
    if (e != DOCA_SUCCESS) {
        comch_path_unref(made->path);
        free(made);
        return report(__func__, e, &err);
    }
    mmap_ref(buf_mmap);
    context_init(&made->ctx, &kind, device);
    *consumer = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer)
{
    struct errtext err;

    if (!consumer)
        return REFUSED_NULL(consumer);
    // The table names no other code for it.
    if (context_fini(&consumer->ctx, &err) != DOCA_SUCCESS)
        return report(__func__, DOCA_ERROR_INITIALIZATION, &err);
    struct comch_path *path = consumer->path;
    pthread_mutex_lock(&path->lock);
    path->ids[consumer->id / 64] &= ~(1ull << consumer->id % 64);
    path->n_consumers--;
    pthread_mutex_unlock(&path->lock);
    comch_path_unref(path);
    mmap_unref(consumer->map);
    free(consumer);
    return DOCA_SUCCESS;
}

struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer)
{
    return consumer ? &consumer->ctx : NULL;
}

doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id)
{
    if (!consumer || !id)
        return REFUSED_NULL(consumer, id);
    *id = consumer->id;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
                                                  uint32_t imm_data_len)
{
    struct errtext err;

    if (!consumer)
        return REFUSED_NULL(consumer);
    doca_error_t e = context_configurable(&consumer->ctx, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    if (imm_data_len > dev_most(consumer->ctx.device, CARD_CONSUMER_IMM, COMCH_IMM_MAX))
        return refused(__func__,
                       "immediate data can have 32 bytes at most, or what the card allows");
    consumer->imm_length = imm_data_len;
    return DOCA_SUCCESS;
}

doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
                                                  uint32_t *imm_data_len)
{
    if (!consumer || !imm_data_len)
        return REFUSED_NULL(consumer, imm_data_len);
    *imm_data_len = consumer->imm_length;
    return DOCA_SUCCESS;
}
