// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "state_slots.h"

#include "cleanup.h"
#include "memfd.h"

#include <assert.h>
#include <errno.h>
#include <sys/mman.h>

int state_slots_init(struct state_slots *slots)
{
    size_t size = state_table_size(STATE_SLOTS);
    cleanup_fd int fd = memfd_create_sealed("docad-states", size);
    if (fd < 0)
        return fd;
    cleanup_free uint32_t *free_slots = malloc(STATE_SLOTS * sizeof(*free_slots));
    if (!free_slots)
        return -ENOMEM;
    struct state_table *table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (table == MAP_FAILED)
        return -errno;
    int r = memfd_seal_future_write(fd);
    int read_only = r < 0 ? r : memfd_reopen_readonly(fd);
    if (read_only < 0) {
        munmap(table, size);
        return read_only;
    }
    table->magic = STATE_TABLE_MAGIC;
    table->version = STATE_TABLE_VERSION;
    table->slots = STATE_SLOTS;
    for (uint32_t i = 0; i < STATE_SLOTS; i++)
        free_slots[i] = i;
    *slots = (struct state_slots){
        .table = table, .free = steal_ptr(free_slots), .n_free = STATE_SLOTS, .fd = read_only};
    return 0;
}

void state_slots_fini(struct state_slots *slots)
{
    if (!slots->table)
        return;
    assert(slots->n_free == STATE_SLOTS);
    munmap(slots->table, state_table_size(STATE_SLOTS));
    free(slots->free);
    close_fdp(&slots->fd);
    slots->table = NULL;
}

uint32_t state_slot_take(struct state_slots *slots)
{
    if (slots->n_free == 0)
        return STATE_SLOT_NONE;
    uint32_t slot = slots->free[slots->head];
    slots->head = (slots->head + 1) % STATE_SLOTS;
    slots->n_free--;
    return slot;
}

void state_slot_set(struct state_slots *slots, uint32_t slot, uint64_t id, enum slot_state state)
{
    // Release: pairs with the acquire in state_table_read(); what was taken away
    // before is away for whoever sees the new state.
    atomic_store_explicit(&slots->table->words[slot], state_word(id, state), memory_order_release);
}

void state_slot_give(struct state_slots *slots, uint32_t slot)
{
    state_slot_set(slots, slot, 0, SLOT_FREE);
    slots->free[(slots->head + slots->n_free) % STATE_SLOTS] = slot;
    slots->n_free++;
}
