// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine_move.h"

#include "engine_event.h"
#include "shared_fd.h"

#include <doca_error.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

static uint32_t move(int memory_fd, const struct qp_request *r, uint8_t *data)
{
    size_t done = 0;
    while (done < r->length) {
        off_t at = (off_t)(r->address + done);
        ssize_t n = r->opcode == QP_READ ? pread(memory_fd, data + done, r->length - done, at)
                                         : pwrite(memory_fd, data + done, r->length - done, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0) // the address space no longer exists: its process ended or called exec
            return DOCA_ERROR_CONNECTION_RESET;
        if (n < 0) // not mapped there any more, or never writable
            return DOCA_ERROR_IO_FAILED;
        done += (size_t)n;
    }
    return DOCA_SUCCESS;
}

static void note(struct qp_intent *intent, enum qp_intent_state state)
{
    // Release: the intent's fields are written before its state; docad may be killed at any
    // point.
    atomic_store_explicit(&intent->state, state, memory_order_release);
}

// Returns whether an earlier engine did it. That engine wrote nothing else in between: it changed
// one word of an owner at a time.
static bool was_done(const struct qp_intent *intent, uint32_t sequence, uint64_t now,
                     uint64_t *before)
{
    uint32_t state = atomic_load_explicit(&intent->state, memory_order_acquire);
    *before = intent->before;
    return intent->sequence == sequence &&
           (state == QP_INTENT_DONE || (state == QP_INTENT_BEGUN && now == intent->after));
}

static bool is_atomic(const struct qp_request *r)
{
    return r->opcode == QP_FETCH_ADD || r->opcode == QP_CMP_SWP;
}

// Changes the counter of a sync event that all its users map. Queue pairs of another
// machine end with docad, so no request is ever carried out twice.
static uint32_t change_counter(_Atomic uint64_t *counter, const struct qp_request *r, uint8_t *data,
                               bool *changed)
{
    struct qp_atomic operands = {.operand = 0};
    uint64_t before;

    if (is_atomic(r))
        memcpy(&operands, data, sizeof(operands)); // read once
    if (r->opcode == QP_FETCH_ADD) {
        before =
            operands.operand ? atomic_fetch_add(counter, operands.operand) : atomic_load(counter);
        *changed = operands.operand != 0;
    } else if (r->opcode == QP_CMP_SWP) {
        before = operands.compare;
        *changed = atomic_compare_exchange_strong(counter, &before, operands.operand);
    } else {
        before = atomic_load(counter);
        *changed = false;
    }
    memcpy(data, &before, sizeof(before));
    return DOCA_SUCCESS;
}

// Reads, changes and writes one word. No other atomic operation comes in between.
static uint32_t change_word(const struct engine_grant *grant, const struct qp_request *r,
                            uint8_t *data, struct qp_intent *intent, uint32_t sequence, bool again,
                            bool *changed)
{
    pthread_mutex_t *lock = &grant->owner->words;
    int memory_fd = shared_fd_get(grant->owner_memory);
    struct qp_request one = *r;
    struct qp_atomic operands;
    uint64_t before, after = 0, then;

    memcpy(&operands, data, sizeof(operands)); // read once: the client may change it at any time
    pthread_mutex_lock(lock);
    one.opcode = QP_READ;
    uint32_t status = move(memory_fd, &one, (uint8_t *)&before);
    if (status == DOCA_SUCCESS && again && was_done(intent, sequence, before, &then)) {
        before = then;
    } else if (status == DOCA_SUCCESS) {
        bool change = r->opcode == QP_FETCH_ADD || before == operands.compare;
        after = r->opcode == QP_FETCH_ADD ? before + operands.operand : operands.operand;
        note(intent, QP_INTENT_NONE);
        intent->sequence = sequence;
        intent->before = before;
        intent->after = after;
        note(intent, change ? QP_INTENT_BEGUN : QP_INTENT_DONE);
        one.opcode = QP_WRITE;
        *changed = change && before != after;
        if (change) {
            status = move(memory_fd, &one, (uint8_t *)&after);
            note(intent, status == DOCA_SUCCESS ? QP_INTENT_DONE : QP_INTENT_NONE);
        }
    }
    pthread_mutex_unlock(lock);
    if (status == DOCA_SUCCESS)
        memcpy(data, &before, sizeof(before));
    *changed = *changed && status == DOCA_SUCCESS;
    return status;
}

// The number of bytes of the data area that the request uses.
static uint32_t data_size(const struct qp_request *r)
{
    return is_atomic(r) ? sizeof(struct qp_atomic) : r->length;
}

uint32_t engine_check(const struct engine_grant *grant, const struct qp_request *r)
{
    if (r->length == 0 || r->length > QP_CHUNK_SIZE ||
        (r->opcode != QP_READ && r->opcode != QP_WRITE && !is_atomic(r)))
        return DOCA_ERROR_INVALID_VALUE;
    if (is_atomic(r) && r->length != sizeof(uint64_t))
        return DOCA_ERROR_INVALID_VALUE;
    if (is_atomic(r) && r->address % sizeof(uint64_t) && !(grant && grant->any_word))
        return DOCA_ERROR_INVALID_VALUE;
    if (r->offset > QP_CHUNKS * QP_CHUNK_SIZE - data_size(r))
        return DOCA_ERROR_INVALID_VALUE;
    if (!grant || grant->window)
        return DOCA_ERROR_NOT_PERMITTED;
    if (grant->error != DOCA_SUCCESS)
        return grant->error;
    if (r->address < grant->address || r->length > grant->length ||
        r->address - grant->address > grant->length - r->length)
        return DOCA_ERROR_NOT_PERMITTED;
    if (!(grant->allowed >> r->opcode & 1))
        return DOCA_ERROR_NOT_PERMITTED;
    if (grant->event && r->length != SYNC_VALUE_SIZE)
        return DOCA_ERROR_INVALID_VALUE;
    return DOCA_SUCCESS;
}

uint32_t engine_move(const struct engine_grant *grant, const struct qp_request *r, uint8_t *data,
                     struct qp_intent *intent, uint32_t sequence, bool again)
{
    _Atomic uint64_t *counter = engine_event_counter(grant->event);
    bool changed = false;
    uint32_t status;

    if (counter)
        status = change_counter(counter, r, data, &changed);
    else if (is_atomic(r))
        status = change_word(grant, r, data, intent, sequence, again, &changed);
    else
        status = move(shared_fd_get(grant->owner_memory), r, data);
    if (changed)
        engine_event_changed(grant->event);
    return status;
}
