// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A buffer as the rest of the library sees it.

#ifndef CLIENT_BUF_BUF_H
#define CLIENT_BUF_BUF_H

#include "access.h"
#include "mmap/memory.h"

#include <doca_buf.h>

struct buf_allocator;

enum buf_flags {
    BUF_DIRECT = 1,   // every byte is mapped here: address + to_local
    BUF_READABLE = 2, // DMA may read the map
    BUF_WRITABLE = 4, // DMA may write the map
    BUF_IMPORTED = 8, // its memory has a state that may change
    BUF_EARLY = 16,   // taken before its map was started: neither readable nor writable yet
    BUF_AWAITED = 32, // `gone` is set
};

struct doca_buf {
    // The part that jobs use: one cache line.
    uint8_t *data;
    size_t data_len;
    uint8_t *head;
    size_t len;
    ptrdiff_t to_local;
    struct doca_buf *next;         // in its list; in the free list while it is free
    const struct doca_dev *device; // a device that is known to be among the map's
    uint16_t refcount;             // 0: free
    uint8_t flags;
    uint32_t generation; // changes when the buffer is released or moved, see struct buf_stamp
    // Other fields.
    _Alignas(64) const struct memory *memory;
    struct doca_mmap *mmap;
    union {
        struct doca_buf *prev;
        struct doca_buf *original; // of a copy that a job holds
    };
    struct buf_allocator *allocator;
    struct buf_count *count; // its counter, or NULL: counted with other buffers of the map
    union {
        bool *gone;        // set for a task that waits for its release: see buf_await()
        struct buf_stamp { // of a copy that a job holds: its original's
            uint32_t generation, ended;
        } stamp;
    };
};

_Static_assert(sizeof(struct doca_buf) == 128, "two cache lines");

// Returns the flags of a buffer of this process's own memory. What devices may write across PCI,
// this process's contexts may write, too.
static inline uint8_t buf_local_flags(const struct memory *memory)
{
    return BUF_DIRECT | BUF_READABLE |
           (memory->access & (ACCESS_LOCAL_READ_WRITE | ACCESS_DPU_READ_WRITE) ? BUF_WRITABLE : 0);
}

// Completes a buffer of an imported map.
__attribute__((noinline)) void buf_place_imported(struct doca_buf *buf);

// Points a buffer into a map. The range must lie in the map.
static inline void buf_place(struct doca_buf *buf, struct doca_mmap *mmap, uint8_t *head,
                             size_t len, uint8_t *data, size_t data_len)
{
    const struct memory *memory = mmap_memory(mmap);

    buf->mmap = mmap;
    buf->memory = memory;
    buf->head = head;
    buf->len = len;
    buf->data = data;
    buf->data_len = data_len;
    buf->device = NULL;
    buf->to_local = 0;
    buf->flags = buf_local_flags(memory);
    if (memory->imported)
        buf_place_imported(buf);
}

// The same while the map is not started, which is when its flags are final: see buf_settle().
void buf_place_early(struct doca_buf *buf, struct doca_mmap *mmap, uint8_t *head, size_t len,
                     uint8_t *data, size_t data_len);

// Returns false if the buffer's map is still not started. Jobs of buffers that lack a flag
// call this before they fail.
bool buf_settle(const struct doca_buf *buf);

#define BUF_NOT_STARTED "is not started; call doca_mmap_start() before the job"

// Returns the part of an imported range in which the address lies; there must be one.
const struct memory_part *memory_part_at(const struct memory *memory, uintptr_t address);

// Called by a task that still needs the buffer, although the program may release it: *gone is set
// when the buffer is released, until the task is over. For one task at a time.
static inline void buf_await(struct doca_buf *buf, bool *gone)
{
    buf->gone = gone;
    buf->flags |= BUF_AWAITED;
}

static inline void buf_await_no_more(struct doca_buf *buf)
{
    buf->flags &= (uint8_t)~BUF_AWAITED;
}

// Queries the map, and caches the answer if it is yes.
bool buf_learn_device(const struct doca_buf *buf, const struct doca_dev *device);

// Returns false for a buffer that was released: programs pass those by mistake.
static inline bool buf_is_out(const struct doca_buf *buf)
{
    return buf && buf->refcount;
}

static inline struct doca_buf *buf_list_last(struct doca_buf *buf)
{
    while (buf->next)
        buf = buf->next;
    return buf;
}

// Returns whether the buffer's map has the device. The map is queried once for each buffer that is
// allocated: it keeps its devices while it has buffers.
static inline bool buf_has_device(const struct doca_buf *buf, const struct doca_dev *device)
{
    return __builtin_expect(buf->device == device, 1) || buf_learn_device(buf, device);
}

// Finds a buffer's data; false if it lies outside the buffer: programs may set any address.
static inline bool buf_sound(const struct doca_buf *buf)
{
    size_t before = (size_t)(buf->data - buf->head);
    return before <= buf->len && buf->data_len <= buf->len - before;
}

// Returns whether n bytes from there lie in the buffer.
static inline bool buf_holds(const struct doca_buf *buf, const uint8_t *start, uint64_t n)
{
    size_t before = (size_t)(start - buf->head);
    return before <= buf->len && n <= buf->len - before;
}

static inline uint8_t *buf_tail(const struct doca_buf *buf)
{
    return buf->data + buf->data_len;
}

// The buffer must be sound.
static inline size_t buf_tailroom(const struct doca_buf *buf)
{
    return buf->len - (size_t)(buf_tail(buf) - buf->head);
}

// ---- buffers that jobs have used before -----------------------------------------------

// The number of inventories and pools that have ended, with their buffers.
extern _Atomic uint32_t buf_allocators_ended;

// Returns whether this is an allocated buffer of an existing inventory or pool. Takes the process
// lock.
bool buf_exists(const struct doca_buf *buf) __attribute__((noinline, cold));

static inline struct buf_stamp buf_stamp(const struct doca_buf *buf)
{
    return (struct buf_stamp){
        .generation = buf->generation,
        .ended = atomic_load_explicit(&buf_allocators_ended, memory_order_relaxed)};
}

// Returns whether a buffer, which may not exist any more, was neither released nor moved since
// then.
static inline bool buf_is_same(const struct doca_buf *buf, struct buf_stamp then)
{
    return (__builtin_expect(atomic_load_explicit(&buf_allocators_ended, memory_order_relaxed) ==
                                 then.ended,
                             1) ||
            buf_exists(buf)) &&
           buf->generation == then.generation;
}

// Returns whether the memory may still be touched: DOCA_SUCCESS, or the error of the job.
static inline doca_error_t memory_state(const struct memory *memory)
{
    enum slot_state state = SLOT_LIVE;
    if (memory->imported)
        state = state_table_read(memory->table, memory->slot, memory->import_id);
    return __builtin_expect(state == SLOT_LIVE, 1) ? DOCA_SUCCESS : slot_state_error(state);
}

#endif
