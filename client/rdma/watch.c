// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Checks whether the other side, the device and docad still exist, and ends the connection
// if one does not.

#include "rdma_end.h"

#include "bytes_only.h"
#include "clock.h"
#include "core/report.h"

#include <errno.h>
#include <sys/socket.h>

// Checking docad costs a system call, and the clock some ns: every 16th empty poll reads the clock,
// and checks docad if this much time has passed.
#define CLOCK_EVERY    16
#define ALIVE_EVERY_MS 20

static const char *reason(doca_error_t error)
{
    switch (error) {
    case DOCA_ERROR_IO_FAILED:
        return "the device was removed, or has failed";
    case DOCA_ERROR_NOT_PERMITTED:
        return "docad does not offer the device any more";
    case DOCA_ERROR_NOT_CONNECTED:
        return "a docad cannot be reached";
    case DOCA_ERROR_CONNECTION_ABORTED:
        return "a job of the other side failed";
    default:
        return "the other side was stopped, or has ended";
    }
}

// The other side stopped its instance, and has no pending jobs of ours.
static bool is_normal_end(const struct rdma_end *rdma)
{
    return atomic_load_explicit(&rdma->pair, memory_order_acquire) &&
           atomic_load_explicit(&rdma->their->stage, memory_order_relaxed) == RDMA_LEFT &&
           !rdma->n_sends && !rdma->receiving && (rdma->shares_receives || !rdma->receives->n);
}

void rdma_ended_now(struct rdma_end *rdma, doca_error_t error)
{
    if (rdma_state(rdma) == RDMA_STATE_ERROR)
        return;
    if (!is_normal_end(rdma))
        log_own_warning("RDMA on %s: the connection ended: %s (%s)", rdma_device_name(rdma),
                        reason(error), doca_get_error_name(error));
    rdma->transport->lose(rdma, error);
}

void rdma_ended(struct rdma_end *rdma, doca_error_t error)
{
    while (rdma_state(rdma) == RDMA_STATE_CONNECTED && rdma->transport->take_rest(rdma))
        ;
    rdma_ended_now(rdma, error);
}

static bool docad_gone(struct rdma_end *rdma)
{
    if (++rdma->empty_polls < CLOCK_EVERY)
        return false;
    rdma->empty_polls = 0;
    int64_t now_ms = (int64_t)clock_coarse_ms();
    if (now_ms - rdma->alive_ms < ALIVE_EVERY_MS)
        return false;
    rdma->alive_ms = now_ms;
    return !session_alive(rdma->session);
}

doca_error_t rdma_check(struct rdma_end *rdma)
{
    enum slot_state state = state_table_read(rdma->table, rdma->slot, rdma->endpoint);
    bool paired = atomic_load_explicit(&rdma->pair, memory_order_acquire) != NULL;

    // Acquire: messages that the other side has taken are counted before.
    uint32_t stage =
        paired ? atomic_load_explicit(&rdma->their->stage, memory_order_acquire) : RDMA_AWAITED;

    if (rdma_stage_over(stage))
        return stage == RDMA_LEFT ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_CONNECTION_ABORTED;
    if (state != SLOT_LIVE)
        return slot_state_error(state);
    return docad_gone(rdma) ? DOCA_ERROR_NOT_CONNECTED : DOCA_SUCCESS;
}

void rdma_check_end(struct rdma_end *rdma)
{
    doca_error_t error = rdma_check(rdma);
    if (error != DOCA_SUCCESS)
        rdma_ended(rdma, error);
}

doca_error_t rdma_check_descriptors(struct rdma_end *rdma)
{
    // docad writes the reason before it closes the lifeline.
    bool lifeline = !bytes_drain(rdma->lifeline);
    bool channel = rdma->channel >= 0 && !bytes_drain(rdma->channel);

    doca_error_t error = rdma_check(rdma);
    if (error != DOCA_SUCCESS)
        return error;
    return lifeline  ? DOCA_ERROR_NOT_CONNECTED
           : channel ? DOCA_ERROR_CONNECTION_RESET
                     : DOCA_SUCCESS;
}
