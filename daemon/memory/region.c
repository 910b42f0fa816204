// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "region.h"

#include "access.h"
#include "cleanup.h"
#include "fd_reaper.h"
#include "config.h"
#include "ending.h"
#include "export.h"
#include "node.h"
#include "process_memories.h"
#include "session.h"
#include "grace_period.h"
#include "user.h"

#include <assert.h>

_Static_assert(ARRAY_SIZE(((struct region *)0)->functions) >= FUNCTIONS_MAX, "all functions");

static doca_error_t take_functions(struct region *region, const Docad__RegionRegister *request,
                                   struct errtext *err)
{
    if (request->n_function_ids > FUNCTIONS_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%zu functions named, at most %d exist",
                           request->n_function_ids, FUNCTIONS_MAX);
    for (size_t i = 0; i < request->n_function_ids; i++) {
        const struct function *f;
        doca_error_t r =
            session_open_function(region->object.session, request->function_ids[i], &f, err);
        if (r != DOCA_SUCCESS)
            return r;
        if (region_has_function(region, f))
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "function %s is named twice",
                               f->name);
        region->functions[region->n_functions++] = f;
    }
    return DOCA_SUCCESS;
}

static doca_error_t check_flags(const Docad__RegionRegister *m, const struct fd_list *fds,
                                const struct segments *segments, struct errtext *err)
{
    size_t expected = (size_t)m->has_memory_fd + m->has_memfd + m->has_memfd_ro;
    if (fds->count != expected)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%zu file descriptors came, but the request names %zu", fds->count,
                           expected);
    if (m->has_memfd_ro && !m->has_memfd)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "a read-only memory file without the memory file itself");
    if (m->has_memfd != (segments->memfd_size > 0))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           m->has_memfd ? "a memory file, but no mapped segment"
                                        : "mapped segments, but no memory file");
    return DOCA_SUCCESS;
}

// Returns whether docad only needs the read-only descriptor: others only read the memory, and
// neither the engine nor an RDMA device maps it.
static bool keeps_read_only(const struct region *region, const Docad__RegionRegister *m)
{
    const struct node *node = region->object.node;
    return m->has_memfd_ro && !access_lets_write(m->access) && !node->tls &&
           !(m->copies && node->config->engine.copies_over);
}

static doca_error_t check(struct region *region, const Docad__RegionRegister *m,
                          const struct fd_list *fds, struct errtext *err)
{
    if (!access_is_valid(m->access))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "access flags 0x%x: unknown, or DPU_READ_ONLY with DPU_READ_WRITE",
                           m->access);
    doca_error_t r = take_functions(region, m, err);
    if (r == DOCA_SUCCESS)
        r = segments_read(m->address, m->length, m->segments, m->n_segments, &region->segments,
                          err);
    if (r == DOCA_SUCCESS)
        r = check_flags(m, fds, &region->segments, err);
    if (r != DOCA_SUCCESS)
        return r;
    region->address = m->address;
    region->length = m->length;
    region->access = m->access;
    region->n_files = (unsigned)m->has_memfd + m->has_memfd_ro - keeps_read_only(region, m);
    bool shared = m->access & (ACCESS_RDMA | ACCESS_DPU);
    if (shared && region->segments.brokered_bytes && !m->has_memory_fd &&
        !region->object.session->memory)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "brokered segments that others may reach, but no memory descriptor; "
                           "send /proc/self/mem with it");
    return DOCA_SUCCESS;
}

static doca_error_t take_memory(struct session *s, struct fd_list *fds, struct process_memory **out,
                                struct errtext *err)
{
    struct process_memory *memory;

    doca_error_t r = process_memory_new(&memory, fds->fds[0], node_limits(s->node), s->user, err);
    if (r != DOCA_SUCCESS)
        return r;
    fd_list_take(fds, 0);
    memory->id = node_next_id(s->node);
    r = process_memory_keep(memory, err);
    if (r != DOCA_SUCCESS)
        memory = process_memory_unref(memory);
    *out = memory;
    return r;
}

// Takes the descriptors, in the order of the message.
static doca_error_t take_descriptors(struct region *region, const Docad__RegionRegister *m,
                                     struct fd_list *fds, struct errtext *err)
{
    struct session *s = region->object.session;
    struct process_memory *memory = NULL;
    size_t file = m->has_memory_fd, file_ro = file + 1;

    doca_error_t r = DOCA_SUCCESS;
    if (m->has_memfd)
        r = memory_file_check(fds->fds[file], m->has_memfd_ro ? fds->fds[file_ro] : -1,
                              region->segments.memfd_size, region->access, err);
    if (r == DOCA_SUCCESS && m->has_memory_fd)
        r = take_memory(s, fds, &memory, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (m->has_memfd && !keeps_read_only(region, m))
        region->memfd = fd_list_take(fds, file); // otherwise it is closed with the request
    if (m->has_memfd_ro)
        region->memfd_ro = fd_list_take(fds, file_ro);
    if (memory) {
        process_memory_unref(s->memory);
        s->memory = memory;
        struct errtext failed;
        fdstore_note(session_keep(s, &failed), &failed);
    }
    region->memory = s->memory ? process_memory_ref(s->memory) : NULL;
    return DOCA_SUCCESS;
}

// ---- lifetime -------------------------------------------------------------------------

struct region *region_make(struct session *session)
{
    struct region *region = calloc(1, sizeof(*region));
    if (!region)
        return NULL;
    object_init(&region->object, DOCAD__RECORD__WHAT_REGION, session->node, session);
    region->memfd = region->memfd_ro = -1;
    list_init(&region->exports);
    list_init(&region->grace_periods);
    rc_memory_init(&region->rc, region);
    return region;
}

struct region *region_drop(struct region *region)
{
    grace_periods_unlink(&region->grace_periods);
    rc_memory_unmap(&region->rc);
    fd_reaper_close(region->memfd, region->object.session->user->uid); // it may have many pages
    fd_reaper_close(region->memfd_ro, region->object.session->user->uid);
    process_memory_unref(region->memory);
    segments_fini(&region->segments);
    free(region);
    return NULL;
}

static uint64_t size_of(const struct region *region)
{
    return sizeof(*region) + region->segments.count * sizeof(*region->segments.items);
}

doca_error_t region_enter(struct region *region, uint64_t id, const struct limits *limits,
                          struct errtext *err)
{
    struct session *session = region->object.session;
    struct user *user = session->user;
    const struct charge charges[] = {{LIMIT_REGIONS, &session->n_regions, 1},
                                     {LIMIT_DESCRIPTORS, &user->descriptors, region->n_files},
                                     {LIMIT_REGION_BYTES, &user->region_bytes, region->length},
                                     {LIMIT_METADATA, &user->metadata, size_of(region)}};

    doca_error_t r = object_enter(&region->object, id, charges, ARRAY_SIZE(charges), limits, err);
    if (r != DOCA_SUCCESS)
        return r;
    session->region_bytes += region->length;
    session->node->region_bytes += region->length;
    session->node->mapped_bytes += region->segments.mapped_bytes;
    session->node->brokered_bytes += region->segments.brokered_bytes;
    return DOCA_SUCCESS;
}

static void region_leave(struct region *region)
{
    region->object.node->region_bytes -= region->length;
    region->object.node->mapped_bytes -= region->segments.mapped_bytes;
    region->object.node->brokered_bytes -= region->segments.brokered_bytes;
    region->object.session->region_bytes -= region->length;
    object_leave(&region->object);
}

static void open_ways(struct region *region, const Docad__RegionRegister *request)
{
    struct session *session = region->object.session;
    if (request->copies && session->node->config->engine.copies_over && region->memfd >= 0)
        copies_open(&region->copies, session, region->memfd, &region->segments, true);
    if (session->node->tls && (region->access & (ACCESS_RDMA | ACCESS_DPU)) &&
        !access_lets_write(region->access))
        rc_memory_map(&region->rc);
}

doca_error_t region_new(struct region **out, struct session *session,
                        const Docad__RegionRegister *request, struct fd_list *fds,
                        struct errtext *err)
{
    struct node *node = session->node;
    struct region *region = region_make(session);
    if (!region)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    doca_error_t r = check(region, request, fds, err);
    if (r == DOCA_SUCCESS)
        r = region_enter(region, node_next_id(node), node_limits(node), err);
    if (r != DOCA_SUCCESS) {
        region_drop(region);
        return r;
    }
    r = take_descriptors(region, request, fds, err);
    region->object.stored.serial = session->serial;
    if (r == DOCA_SUCCESS)
        r = region_keep(region, err);
    if (r != DOCA_SUCCESS) {
        region_leave(region);
        region_drop(region);
        return r;
    }
    open_ways(region, request);
    MONITOR(node, .event = "region-begin", .id = region->object.id, .owner = session,
            .bytes = region->length);
    *out = region;
    return DOCA_SUCCESS;
}

struct region *region_free(struct region *region, enum slot_state state, struct grace_period *grace)
{
    if (!region)
        return NULL;
    struct session *session = region->object.session;
    assert(list_empty(&region->exports));
    rc_memory_end(&region->rc);
    MONITOR(session->node, .event = "region-end", .id = region->object.id, .owner = session,
            .bytes = region->length);
    if (grace)
        grace_period_hold(grace);
    copies_close(&region->copies, slot_state_error(state), grace ? grace_period_release : NULL,
                 grace);
    copies_drop(&region->copies, region);
    ending_leave(region->ending);
    region_leave(region);
    return region_drop(region);
}

struct region *region_find(const struct session *session, uint64_t id)
{
    struct region *region = OBJECT_OF_SESSION(session, REGION, id, struct region);
    return region && !region->ending ? region : NULL;
}

bool region_has_function(const struct region *region, const struct function *function)
{
    for (size_t i = 0; i < region->n_functions; i++)
        if (region->functions[i] == function)
            return true;
    return false;
}

// ---- records --------------------------------------------------------------------------

doca_error_t region_keep(struct region *region, struct errtext *err)
{
    Docad__RegionRecord what = DOCAD__REGION_RECORD__INIT;
    Docad__Record record;
    uint32_t functions[ARRAY_SIZE(region->functions)];
    int fds[2];
    size_t n = 0;

    if (!fdstore_is_on())
        return DOCA_SUCCESS;
    cleanup_free Docad__Segment **segments = segments_to_messages(&region->segments);
    if (!segments)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "docad is out of memory");
    for (; what.n_functions < region->n_functions; what.n_functions++)
        functions[what.n_functions] = region->functions[what.n_functions]->id;
    what.functions = functions;
    what.address = region->address;
    what.length = region->length;
    what.access = region->access;
    what.segments = segments;
    what.n_segments = region->segments.count;
    what.memory = region->memory ? region->memory->id : 0;
    what.has_memfd = region->memfd >= 0;
    what.has_memfd_ro = region->memfd_ro >= 0;
    if (what.has_memfd)
        fds[n++] = region->memfd;
    if (what.has_memfd_ro)
        fds[n++] = region->memfd_ro;
    object_record(&region->object, &record);
    record.region = &what;
    return object_put(&region->object, &record, fds, n, err);
}
