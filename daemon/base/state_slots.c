// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "state_slots.h"

#include "cleanup.h"
#include "memfd.h"

#include <assert.h>
#include <errno.h>
#include <sys/mman.h>

int state_slots_init(struct state_slots *slots, bool lasting)
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
    int r = lasting ? 0 : memfd_seal_future_write(fd);
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
    slots->memfd = lasting ? steal_fd(&fd) : -1;
    return 0;
}

int state_slots_restore(struct state_slots *slots, int memfd)
{
    struct state_slots next = {.memfd = memfd};
    int r = memfd_check(memfd, state_table_size(STATE_SLOTS), 1);
    if (r < 0)
        return r;
    cleanup_fd int read_only = memfd_reopen_readonly(memfd);
    cleanup_free uint8_t *taken = calloc(1, STATE_SLOTS);
    cleanup_free uint32_t *free_slots = malloc(STATE_SLOTS * sizeof(*free_slots));
    if (read_only < 0)
        return read_only;
    if (!taken || !free_slots)
        return -ENOMEM;
    next.table =
        mmap(NULL, state_table_size(STATE_SLOTS), PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    if (next.table == MAP_FAILED)
        return -errno;
    if (next.table->magic != STATE_TABLE_MAGIC || next.table->version != STATE_TABLE_VERSION ||
        next.table->slots != STATE_SLOTS) {
        munmap(next.table, state_table_size(STATE_SLOTS));
        return -EPROTO;
    }
    next.fd = steal_fd(&read_only);
    next.taken = steal_ptr(taken);
    next.free = steal_ptr(free_slots);
    state_slots_fini(slots);
    *slots = next;
    return 0;
}

bool state_slot_claim(struct state_slots *slots, uint32_t slot, uint64_t id, enum slot_state *state)
{
    if (slot >= STATE_SLOTS || slots->taken[slot])
        return false;
    uint64_t word = atomic_load_explicit(&slots->table->words[slot], memory_order_relaxed);
    if (word >> 8 != id || (word & 0xff) == SLOT_FREE || (word & 0xff) > SLOT_PEER_GONE)
        return false;
    slots->taken[slot] = 1;
    *state = (enum slot_state)(word & 0xff);
    return true;
}

// Pages that were never touched stay untouched.
static void free_unclaimed(struct state_slots *slots)
{
    const off_t words = offsetof(struct state_table, words);
    off_t at = 0, end;
    while ((at = lseek(slots->memfd, at, SEEK_DATA)) >= 0 &&
           (end = lseek(slots->memfd, at, SEEK_HOLE)) >= 0) {
        for (off_t o = at < words ? words : at; o < end; o += 8) {
            uint32_t slot = (uint32_t)((o - words) / 8);
            if (slot < STATE_SLOTS && !slots->taken[slot] &&
                atomic_load_explicit(&slots->table->words[slot], memory_order_relaxed))
                state_slot_set(slots, slot, 0, SLOT_FREE);
        }
        at = end;
    }
}

void state_slots_settle(struct state_slots *slots)
{
    free_unclaimed(slots);
    slots->head = slots->n_free = 0;
    for (uint32_t i = 0; i < STATE_SLOTS; i++)
        if (!slots->taken[i])
            slots->free[slots->n_free++] = i;
    free(slots->taken);
    slots->taken = NULL;
}

void state_slots_fini(struct state_slots *slots)
{
    if (!slots->table)
        return;
    assert(slots->n_free == STATE_SLOTS);
    close_fdp(&slots->memfd);
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
    // Release: pairs with the acquire in state_table_read(). A reader that sees the new state sees
    // everything that was removed before this store as removed.
    atomic_store_explicit(&slots->table->words[slot], state_word(id, state), memory_order_release);
}

void state_slot_give(struct state_slots *slots, uint32_t slot)
{
    state_slot_set(slots, slot, 0, SLOT_FREE);
    slots->free[(slots->head + slots->n_free) % STATE_SLOTS] = slot;
    slots->n_free++;
}
