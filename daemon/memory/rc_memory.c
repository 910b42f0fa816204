// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_memory.h"

#include "access.h"
#include "address_space.h"
#include "log.h"
#include "node.h"
#include "rc_device.h"
#include "rc_registration.h"
#include "region.h"
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

// A region's registrations with one device.
struct rc_table {
    struct list in_memory;
    struct rc_device_user user; // as user of the device
    struct rc_memory *memory;
    struct rc_device *device; // a reference
    bool failed;              // registering has failed: no other part is tried
    uint64_t bytes;
    struct entry {
        struct rc_table *table;
        struct rc_registration *registration; // NULL: not requested yet
    } parts[];                                // in the order of the region's segments
};

void rc_memory_init(struct rc_memory *memory, const struct region *region)
{
    *memory = (struct rc_memory){.region = region};
    list_init(&memory->tables);
}

void rc_memory_map(struct rc_memory *memory)
{
    const struct region *region = memory->region;

    struct user *user = region->object.session->user;
    uint64_t size = region->segments.memfd_size;

    if (region->memfd < 0 || !address_space_take(user, size))
        return;
    void *map =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, region->memfd, 0);
    if (map == MAP_FAILED)
        address_space_give(user, size);
    else
        memory->map = map;
}

void rc_memory_unmap(struct rc_memory *memory)
{
    if (!memory->map)
        return;
    munmap(memory->map, memory->region->segments.memfd_size); // unmapping is fast, since no page
                                                              // was touched
    memory->map = NULL;
    address_space_give(memory->region->object.session->user, memory->region->segments.memfd_size);
}

static struct rc_table *find_table(const struct rc_memory *memory, const struct rc_device *device)
{
    struct rc_table *table;
    list_for_each (table, &memory->tables, in_memory)
        if (table->device == device)
            return table;
    return NULL;
}

static void free_table(struct rc_table *table)
{
    table->memory->region->object.node->rdma_bytes -= table->bytes;
    for (size_t i = 0; i < table->memory->region->segments.count; i++)
        rc_registration_drop(table->parts[i].registration);
    list_remove(&table->in_memory);
    list_remove(&table->user.in_device);
    rc_device_put(table->device);
    free(table);
}

static void on_device_gone(struct rc_device_user *user)
{
    free_table(container_of(user, struct rc_table, user));
}

static struct rc_table *new_table(struct rc_memory *memory, struct rc_device *device)
{
    size_t n = memory->region->segments.count;
    struct rc_table *table = calloc(1, sizeof(*table) + n * sizeof(table->parts[0]));
    if (!table)
        return NULL;
    table->memory = memory;
    table->device = device;
    device->references++;
    for (size_t i = 0; i < n; i++)
        table->parts[i].table = table;
    list_append(&memory->tables, &table->in_memory);
    table->user.gone = on_device_gone;
    list_append(&device->tables, &table->user.in_device);
    return table;
}

void rc_memory_end(struct rc_memory *memory)
{
    struct rc_table *table, *next;
    list_for_each_safe (table, next, &memory->tables, in_memory)
        free_table(table);
}

void rc_memory_end_for(struct rc_memory *memory, const uint8_t node[NODE_ID_SIZE])
{
    struct rc_table *table, *next;
    list_for_each_safe (table, next, &memory->tables, in_memory)
        if (memcmp(table->device->node_there, node, NODE_ID_SIZE) == 0)
            free_table(table);
}

// ---- registering --------------------------------------------------------------------------

static void log_failure(struct rc_table *table, const char *why)
{
    const struct region *region = table->memory->region;

    table->failed = true;
    log_limited(
        LOG_LEVEL_WARNING,
        "region %" PRIu64
        " (pid %d): requests from other machines are copied, because it cannot be registered: %s",
        region->object.id, (int)region->object.session->pid, why);
}

static void on_settled(void *arg)
{
    struct entry *entry = arg;
    struct rc_table *table = entry->table;
    struct rc_registration *r = entry->registration;

    if (r->state == RC_REGISTERED) {
        table->bytes += r->mapping.length;
        table->memory->region->object.node->rdma_bytes += r->mapping.length;
        log_debug("region %" PRIu64 ": %" PRIu64 " bytes are registered with %s",
                  table->memory->region->object.id, r->mapping.length, table->device->name);
        return;
    }
    if (!table->failed)
        log_failure(table, r->err.s);
    entry->registration = rc_registration_drop(r);
}

// Maps for writing even memory that others only read, because the kernel registers nothing else. A
// sealed file cannot be mapped for writing, but an earlier mapping can be duplicated.
static void *map_part(const struct rc_memory *memory, const struct segment *s)
{
    if (memory->map)
        return mremap(memory->map + s->offset, 0, s->length, MREMAP_MAYMOVE);
    return mmap(NULL, s->length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                memory->region->memfd, (off_t)s->offset);
}

// Registering fills holes, at docad's expense. An owner that makes holes right now gains no more
// than the limits allow.
static bool is_filled(const struct region *region)
{
    struct stat st;
    return fstat(region->memfd, &st) == 0 && st.st_blocks >= (st.st_size + 511) / 512;
}

static void begin(struct rc_table *table, size_t index)
{
    const struct region *region = table->memory->region;
    const struct segment *s = &region->segments.items[index];
    struct entry *entry = &table->parts[index];
    struct errtext err;

    if (table->failed)
        return;
    if (!is_filled(region)) {
        log_failure(table, "its memory file has holes, which registering would fill");
        return;
    }
    void *map = map_part(table->memory, s);
    if (map == MAP_FAILED) {
        errtext_write(&err, "its memory file cannot be mapped for writing: %s", strerror(errno));
        log_failure(table, err.s);
        return;
    }
    const struct rc_mapping mapping = {.start = map,
                                       .length = s->length,
                                       .writable = access_lets_write(region->access),
                                       .user = region->object.session->user};
    entry->registration =
        rc_registration_new(table->device, &mapping, node_limits(region->object.session->node),
                            on_settled, entry, &err);
    if (entry->registration)
        return;
    munmap(map, s->length);
    log_failure(table, err.s);
}

// ---- finding ------------------------------------------------------------------------------

bool rc_memory_hold(struct rc_memory *memory, struct rc_device *device, uint64_t address,
                    uint32_t length, struct rc_held *out)
{
    const struct segments *segments = &memory->region->segments;
    const struct segment *s = segments_find(segments, address, length);

    if (!s || !s->mapped)
        return false;
    size_t index = (size_t)(s - segments->items);
    struct rc_table *table = find_table(memory, device);
    if (!table && !(table = new_table(memory, device)))
        return false;
    struct rc_registration *r = table->parts[index].registration;
    if (!r)
        begin(table, index);
    if (!r || r->state != RC_REGISTERED)
        return false;
    rc_registration_hold(r);
    *out = (struct rc_held){
        .registration = r, .start = r->mapping.start + (address - s->address), .key = r->mr->lkey};
    return true;
}

uint64_t rc_memory_bytes(const struct rc_memory *memory)
{
    const struct rc_table *table;
    uint64_t bytes = 0;
    list_for_each (table, &memory->tables, in_memory)
        bytes += table->bytes;
    return bytes;
}
