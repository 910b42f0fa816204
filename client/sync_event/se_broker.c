// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A counter behind an engine.

#include "sync_event.h"

#include "queue/broker.h"

#include <poll.h>
#include <sched.h>
#include <string.h>

#define FAR_SPINS      64
#define ALIVE_CHECK_MS 1000

doca_error_t se_broker_error(const struct doca_sync_event *event, doca_error_t status)
{
    const struct se_import *import = &event->import;
    enum slot_state state = state_table_read(import->table, import->slot, import->id);
    return state != SLOT_LIVE ? slot_state_error(state) : status;
}

static void on_done(struct broker_piece *piece, doca_error_t status)
{
    struct se_request *request = piece->owner;
    struct qp_atomic word;

    memcpy(&word, broker_piece_data(piece), sizeof(word));
    broker_piece_put(piece);
    request->posted = false;
    if (status != DOCA_SUCCESS) {
        request->error = se_broker_error(request->event, status);
        request->done = true;
        return;
    }
    // Read once: from here on it is our own copy.
    uint64_t before = word.operand;
    bool known = request->know && before == request->seen;
    request->seen = before;
    request->know = true;
    request->done = request->operation != SE_SET || known;
}

bool se_request_go(struct se_request *request, struct broker_queue *queue)
{
    struct doca_sync_event *event = request->event;
    enum qp_opcode opcode = QP_READ;

    if (request->posted || request->done)
        return true;
    struct broker_piece *piece = broker_piece_take(queue);
    if (!piece)
        return false;
    struct qp_atomic word = {.operand = request->value, .compare = request->seen};
    if (request->operation == SE_ADD) {
        opcode = QP_FETCH_ADD;
    } else if (request->operation == SE_SET && request->know) {
        opcode = QP_CMP_SWP;
    } else if (event->broker.address % SYNC_VALUE_SIZE) {
        opcode = QP_FETCH_ADD; // of 0: a read that never sees half a change
        word.operand = 0;
    }
    memcpy(broker_piece_data(piece), &word, sizeof(word));
    piece->owner = request;
    piece->length = SYNC_VALUE_SIZE;
    request->posted = true;
    doca_error_t e =
        broker_piece_post(piece, opcode, event->broker.address, event->broker.key, on_done);
    if (e != DOCA_SUCCESS) {
        broker_piece_put(piece);
        request->posted = false;
        request->done = true;
        request->error = se_broker_error(event, e);
        return true;
    }
    broker_queue_ring(queue);
    return true;
}

bool se_request_locked(struct se_request *request)
{
    struct doca_sync_event *event = request->event;
    uint64_t after = request->value;

    pthread_mutex_lock(&event->broker.turn);
    bool ours = se_reach(event) == SE_LOCKED;
    if (ours) {
        memcpy(&request->seen, event->user, sizeof(request->seen));
        if (request->operation == SE_ADD)
            after += request->seen;
        if (request->operation == SE_ADD || request->operation == SE_SET)
            memcpy(event->user, &after, sizeof(after));
    }
    pthread_mutex_unlock(&event->broker.turn);
    return ours;
}

// An answer from far away takes time, and docad may need this very processor for it.
static void await_far(struct broker_queue *queue)
{
    struct pollfd p = {.fd = queue->qp.channel, .events = POLLIN};
    if (!broker_queue_arm(queue) && poll(&p, 1, ALIVE_CHECK_MS) > 0)
        broker_queue_clear(queue);
}

doca_error_t se_request_run(struct se_request *request)
{
    struct se_broker *broker = &request->event->broker;

    pthread_mutex_lock(&broker->turn);
    while (!request->done) {
        se_request_go(request, broker->queue);
        for (unsigned n = 1; request->posted; n++) {
            broker_queue_poll(broker->queue);
            if (request->posted && request->event->far && n >= FAR_SPINS)
                await_far(broker->queue);
            else if (n % 1024 == 0)
                sched_yield(); // the engine may need the processor
        }
    }
    pthread_mutex_unlock(&broker->turn);
    return request->error;
}
