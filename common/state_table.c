// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "state_table.h"

#include "memfd.h"

#include <errno.h>
#include <sys/mman.h>

doca_error_t slot_state_error(enum slot_state state)
{
    switch (state) {
    case SLOT_LIVE:
        return DOCA_SUCCESS;
    case SLOT_REVOKED:
        return DOCA_ERROR_NOT_PERMITTED;
    case SLOT_PEER_GONE:
        return DOCA_ERROR_NOT_CONNECTED;
    case SLOT_DEVICE_GONE:
        return DOCA_ERROR_IO_FAILED;
    case SLOT_FREE:
    case SLOT_OWNER_GONE:
        break;
    }
    return DOCA_ERROR_CONNECTION_RESET;
}

const char *slot_state_name(enum slot_state state)
{
    static const char *const names[] = {
        [SLOT_FREE] = "free",           [SLOT_LIVE] = "live",
        [SLOT_REVOKED] = "revoked",     [SLOT_OWNER_GONE] = "owner-gone",
        [SLOT_PEER_GONE] = "peer-gone", [SLOT_DEVICE_GONE] = "device-gone",
    };
    return (unsigned)state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}

const struct state_table *state_table_map(int fd, uint32_t slots)
{
    if (slots == 0 || slots > 1u << 24) {
        errno = EINVAL;
        return NULL;
    }
    size_t size = state_table_size(slots);
    int r = memfd_check(fd, size, 0);
    if (r < 0) {
        errno = -r;
        return NULL;
    }
    struct state_table *table = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (table == MAP_FAILED)
        return NULL;
    if (table->magic != STATE_TABLE_MAGIC || table->version != STATE_TABLE_VERSION ||
        table->slots != slots) {
        munmap(table, size);
        errno = EPROTO;
        return NULL;
    }
    return table;
}

void state_table_unmap(const struct state_table *table, uint32_t slots)
{
    if (table)
        munmap((void *)table, state_table_size(slots));
}
