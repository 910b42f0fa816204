// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "bytes.h"

#include "core/process.h"

void bytes_find(const struct doca_buf *buf, const uint8_t *address, size_t length,
                struct bytes *out)
{
    uintptr_t at = (uintptr_t)address;

    *out = (struct bytes){.memory = buf->memory, .address = at, .length = length};
    if (buf->flags & BUF_DIRECT) {
        out->local = (uint8_t *)at + buf->to_local;
        return;
    }
    const struct memory_part *part = memory_part_at(buf->memory, at);
    size_t into = at - part->start;
    if (part->length - into < length)
        out->length = part->length - into;
    out->local = part->local ? part->local + into : NULL;
}

static const char *state_text(doca_error_t state)
{
    switch (state) {
    case DOCA_ERROR_NOT_PERMITTED:
        return "was revoked";
    case DOCA_ERROR_CONNECTION_RESET:
        return process_generation()
                   ? "has ended with its owner, or belongs to the process that this "
                     "one was forked from"
                   : "has ended with its owner";
    default:
        return "cannot be reached";
    }
}

doca_error_t bytes_check(const struct work_link *link, const struct doca_buf *buf, bool write,
                         const char *side, struct errtext *err)
{
    if (!buf_settle(buf))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "the %s's memory map " BUF_NOT_STARTED,
                           side);
    if (!buf_has_device(buf, link->device))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the context's device was not added to the %s's memory map", side);
    if (!(buf->flags & (write ? BUF_WRITABLE : BUF_READABLE)))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the %s's %s does not allow %s; its access flags are %#x", side,
                           buf->memory->imported ? "export" : "memory map",
                           write ? "writing" : "reading", buf->memory->access);
    doca_error_t state = memory_state(buf->memory);
    if (state != DOCA_SUCCESS)
        return errtext_set(err, state, "the %s's export %s", side, state_text(state));
    return DOCA_SUCCESS;
}

const char *bytes_error_text(doca_error_t error)
{
    switch (error) {
    case DOCA_ERROR_NOT_PERMITTED:
        return "the export was revoked, or does not allow it";
    case DOCA_ERROR_CONNECTION_RESET:
        return "the process that owns the memory has ended";
    case DOCA_ERROR_NOT_CONNECTED:
        return "the owner's docad cannot be reached";
    case DOCA_ERROR_INVALID_VALUE:
        return "its buffers were changed while it was in flight";
    default:
        return "the engine could not move the bytes";
    }
}
