// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A started map as docad knows it: registration and exports.

#include "cleanup.h"
#include "core/report.h"
#include "mmap/chunks.h"
#include "mmap/copies.h"
#include "mmap/mmap_object.h"

#include <doca_types.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

// ---- registration -------------------------------------------------------------------

// Everything that a RegionRegister points to.
struct registration {
    Docad__Message message;
    Docad__RegionRegister request;
    Docad__Segment *segments;
    Docad__Segment **segment_list;
    uint32_t *functions;
    int fds[3];
    size_t n_fds;
    int memory; // /proc/self/mem, if it goes along
};

static void registration_fini(struct registration *r)
{
    free(r->segments);
    free(r->segment_list);
    free(r->functions);
    close_fdp(&r->memory);
}

static doca_error_t fill_lists(struct registration *r, const struct doca_mmap *mmap,
                               struct errtext *err)
{
    const struct backing *b = mmap->backing;

    r->segments = calloc(b->n_parts, sizeof(*r->segments));
    r->segment_list = calloc(b->n_parts, sizeof(Docad__Segment *));
    r->functions = calloc(mmap->n_devices, sizeof(*r->functions));
    if (!r->segments || !r->segment_list || !r->functions)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < b->n_parts; i++) {
        docad__segment__init(&r->segments[i]);
        r->segments[i].address = b->parts[i].start;
        r->segments[i].length = b->parts[i].length;
        r->segments[i].mapped = b->parts[i].mapped;
        r->segments[i].offset = b->parts[i].offset;
        r->segment_list[i] = &r->segments[i];
    }
    for (uint32_t i = 0; i < mmap->n_devices; i++)
        if (dev_session(mmap->devices[i]))
            r->functions[r->request.n_function_ids++] = dev_function(mmap->devices[i])->id;
    r->request.segments = r->segment_list;
    r->request.n_segments = b->n_parts;
    r->request.function_ids = r->functions;
    return DOCA_SUCCESS;
}

// The descriptors go in the order that the protocol has them. Of a map that nobody else may
// reach there is at most the file, for the engine's copies.
static doca_error_t fill_fds(struct registration *r, const struct doca_mmap *mmap,
                             struct session *session, struct errtext *err)
{
    const struct backing *b = mmap->backing;

    bool shared = access_has_others(mmap->memory.access);
    // On other machines, and where others may write and not read, nothing is mapped.
    bool brokered = b->brokered || b->memfd >= 0;
    if (shared && brokered && !session_memory_given(session)) {
        r->memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
        if (r->memory < 0 && b->brokered)
            return errtext_set(err,
                               errno == EMFILE ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_NOT_PERMITTED,
                               "cannot open /proc/self/mem, through which docad reaches what has "
                               "no memory file: %s; a process that changed its user must be made "
                               "dumpable (prctl PR_SET_DUMPABLE)",
                               strerror(errno));
        r->request.has_memory_fd = r->memory >= 0;
        if (r->memory >= 0)
            r->fds[r->n_fds++] = r->memory;
    }
    if (b->memfd >= 0) {
        r->request.has_memfd = true;
        r->fds[r->n_fds++] = b->memfd;
    }
    if (b->memfd_ro >= 0) {
        r->request.has_memfd_ro = true;
        r->fds[r->n_fds++] = b->memfd_ro;
    }
    return DOCA_SUCCESS;
}

bool region_wants_copies(const struct doca_mmap *mmap)
{
    return mmap_session(mmap) && mmap->memory.length > session_copies_over(mmap_session(mmap));
}

static doca_error_t register_region(struct registration *r, struct doca_mmap *mmap,
                                    struct session *session, struct errtext *err)
{
    cleanup_message Docad__Message *reply = NULL;

    docad__message__init(&r->message);
    docad__region_register__init(&r->request);
    r->message.body_case = DOCAD__MESSAGE__BODY_REGION_REGISTER;
    r->message.region_register = &r->request;
    r->request.address = mmap->memory.start;
    r->request.length = mmap->memory.length;
    r->request.access = mmap->memory.access;
    r->request.copies = region_wants_copies(mmap);
    doca_error_t e = fill_lists(r, mmap, err);
    if (e == DOCA_SUCCESS)
        e = fill_fds(r, mmap, session, err);
    if (e == DOCA_SUCCESS)
        e = session_call(session, &r->message, r->fds, r->n_fds, &reply, NULL, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (reply->body_case != DOCAD__MESSAGE__BODY_REGION_REGISTER_REPLY)
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad answered something else");
    if (r->request.has_memory_fd)
        session_set_memory_given(session);
    mmap->region_id = reply->region_register_reply->region_id;
    copies_take(&mmap->memory, session, reply->region_register_reply->copy_key,
                reply->region_register_reply->copy_writable);
    return DOCA_SUCCESS;
}

doca_error_t region_start(struct doca_mmap *mmap, struct errtext *err)
{
    struct session *session = mmap_session(mmap);
    if (!session)
        return DOCA_SUCCESS; // no device that docad knows, nobody who could reach it
    cleanup(registration_fini) struct registration r = {.memory = -1};
    doca_error_t e = register_region(&r, mmap, session, err);
    if (e == DOCA_SUCCESS)
        mmap->session = session_ref(session);
    return e;
}

void region_stop(struct doca_mmap *mmap)
{
    Docad__RegionUnregister ask = DOCAD__REGION_UNREGISTER__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;

    while (mmap->exports) {
        struct mmap_export *export = mmap->exports;
        mmap->exports = export->next;
        free(export);
    }
    copies_give(&mmap->memory);
    if (!mmap->session)
        return;
    ask.region_id = mmap->region_id;
    request.body_case = DOCAD__MESSAGE__BODY_REGION_UNREGISTER;
    request.region_unregister = &ask;
    // If docad has gone, or does not answer (then the session ends), so has the region.
    session_call(mmap->session, &request, NULL, 0, NULL, NULL, NULL);
    mmap->session = session_unref(mmap->session);
}

// ---- exports --------------------------------------------------------------------------

static doca_error_t may_export(const struct doca_mmap *mmap, const struct doca_dev *dev,
                               Docad__ExportTarget target, struct errtext *err)
{
    const uint32_t dpu = DOCA_ACCESS_DPU_READ_ONLY | DOCA_ACCESS_DPU_READ_WRITE;
    const uint32_t rdma = DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE | DOCA_ACCESS_RDMA_ATOMIC;
    bool to_dpu = target == DOCAD__EXPORT_TARGET__TARGET_DPU;

    if (mmap->memory.imported)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED, "an imported map cannot be exported");
    if (!mmap->started)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the map is not started; call doca_mmap_start() first");
    if (!mmap_has_device(mmap, dev))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the map does not have device %s; call doca_mmap_dev_add() before it "
                           "is started",
                           dev_function(dev)->name);
    if (mmap->chunks && mmap->chunks->n != 1)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "the map has %u chunks; only a map of one can be exported",
                           mmap->chunks->n);
    if (!(mmap->memory.access & (to_dpu ? dpu : rdma)))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the map's permissions (%#x) have no DOCA_ACCESS_%s_ flag",
                           mmap->memory.access, to_dpu ? "DPU" : "RDMA");
    doca_error_t e = dev_known(dev, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (to_dpu && !dev_function(dev)->can_export_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "device %s cannot export to a DPU: only functions of a host can",
                           dev_function(dev)->name);
    return DOCA_SUCCESS;
}

// Processors and an ibverbs device do not see each other's atomic changes: a word is one's or
// the other's.
static doca_error_t check_atomics(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                  Docad__ExportTarget target, struct errtext *err)
{
    if (target != DOCAD__EXPORT_TARGET__TARGET_RDMA ||
        !(mmap->memory.access & DOCA_ACCESS_RDMA_ATOMIC))
        return DOCA_SUCCESS;
    for (const struct mmap_export *x = mmap->exports; x; x = x->next)
        if (x->target == target && !dev_verbs(x->dev) != !dev_verbs(dev))
            return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                               "the map has DOCA_ACCESS_RDMA_ATOMIC and is exported on %s; %s, %s, "
                               "would change its words behind that one's back: use two maps, or "
                               "leave the permission out",
                               dev_name(x->dev), dev_name(dev),
                               dev_verbs(dev) ? "an ibverbs device" : "a software function");
    return DOCA_SUCCESS;
}

doca_error_t region_ask_export(const struct doca_mmap *mmap, const struct doca_dev *dev,
                               Docad__ExportCreate *ask, const int *fds, size_t n_fds,
                               struct exported *out, struct errtext *err)
{
    cleanup_message Docad__Message *reply = NULL;
    Docad__Message request = DOCAD__MESSAGE__INIT;

    ask->region_id = mmap->region_id;
    ask->function_id = dev_function(dev)->id;
    request.body_case = DOCAD__MESSAGE__BODY_EXPORT_CREATE;
    request.export_create = ask;
    doca_error_t e = session_call(mmap->session, &request, fds, n_fds, &reply, NULL, err);
    if (e != DOCA_SUCCESS)
        return e;
    const Docad__ExportCreateReply *made = reply->export_create_reply;
    if (reply->body_case != DOCAD__MESSAGE__BODY_EXPORT_CREATE_REPLY || made->descriptor.len == 0 ||
        made->descriptor.len > sizeof(out->desc))
        return errtext_set(err, DOCA_ERROR_DRIVER, "docad answered something else");
    out->id = made->export_id;
    out->length = made->descriptor.len;
    memcpy(out->desc, made->descriptor.data, out->length);
    return DOCA_SUCCESS;
}

static doca_error_t ask_export(struct doca_mmap *mmap, struct mmap_export *export,
                               struct errtext *err)
{
    Docad__ExportCreate ask = DOCAD__EXPORT_CREATE__INIT;
    const struct memory_key *key = memory_key(&mmap->memory, export->dev);

    ask.target = export->target;
    if (key && export->target == DOCAD__EXPORT_TARGET__TARGET_RDMA) {
        ask.has_rkey = true;
        ask.rkey = key->rkey;
    }
    return region_ask_export(mmap, export->dev, &ask, NULL, 0, &export->made, err);
}

// Whoever had mapped the memory of an export that was revoked, and does not use the
// library, has it mapped still. It is for the application to say when the memory may move.
static doca_error_t check_live(struct doca_mmap *mmap, const struct mmap_export *export,
                               struct errtext *err)
{
    Docad__ExportGet ask = DOCAD__EXPORT_GET__INIT;
    Docad__Message request = DOCAD__MESSAGE__INIT;

    ask.export_id = export->made.id;
    request.body_case = DOCAD__MESSAGE__BODY_EXPORT_GET;
    request.export_get = &ask;
    if (session_call(mmap->session, &request, NULL, 0, NULL, NULL, err) != DOCA_ERROR_NOT_FOUND)
        return DOCA_SUCCESS; // also if docad has gone: the descriptor is what it was
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "the map's export was revoked; doca_mmap_stop() and doca_mmap_start() "
                       "move its memory away from those who had it, then it can be exported "
                       "again");
}

static doca_error_t get_export(struct doca_mmap *mmap, const struct doca_dev *dev,
                               Docad__ExportTarget target, struct mmap_export **out,
                               struct errtext *err)
{
    doca_error_t e;

    for (struct mmap_export *x = mmap->exports; x; x = x->next) {
        if (x->dev == dev && x->target == target) {
            e = check_live(mmap, x, err);
            if (e == DOCA_SUCCESS)
                *out = x;
            return e;
        }
    }
    e = check_atomics(mmap, dev, target, err);
    if (e != DOCA_SUCCESS)
        return e;
    cleanup_free struct mmap_export *export = calloc(1, sizeof(*export));
    if (!export)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    export->dev = dev;
    export->target = target;
    e = ask_export(mmap, export, err);
    if (e != DOCA_SUCCESS)
        return e;
    export->next = mmap->exports;
    *out = mmap->exports = export;
    export = NULL;
    return DOCA_SUCCESS;
}

doca_error_t region_export(struct doca_mmap *mmap, const struct doca_dev *dev,
                           Docad__ExportTarget target, struct mmap_export **out,
                           struct errtext *err)
{
    doca_error_t e = may_export(mmap, dev, target, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (mmap->session)
        return get_export(mmap, dev, target, out, err);
    // Its first export makes docad hear of it.
    e = mmap_register(mmap, err);
    if (e != DOCA_SUCCESS)
        return e;
    e = get_export(mmap, dev, target, out, err);
    if (e != DOCA_SUCCESS)
        mmap_unregister(mmap);
    return e;
}

static doca_error_t do_export(const char *function, struct doca_mmap *mmap,
                              const struct doca_dev *dev, Docad__ExportTarget target,
                              const void **export_desc, size_t *export_desc_len)
{
    struct errtext err = {""};
    struct mmap_export *export = NULL;

    if (!mmap || !dev || !export_desc || !export_desc_len)
        return REFUSED_NULL_OF(function, mmap, dev, export_desc, export_desc_len);
    doca_error_t e = region_export(mmap, dev, target, &export, &err);
    if (e != DOCA_SUCCESS)
        return report(function,
                      CODE_AMONG(e, DOCA_ERROR_DRIVER, DOCA_ERROR_INVALID_VALUE,
                                 DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_NO_MEMORY,
                                 DOCA_ERROR_NOT_SUPPORTED),
                      &err);
    *export_desc = export->made.desc;
    *export_desc_len = export->made.length;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len)
{
    return do_export(__func__, mmap, dev, DOCAD__EXPORT_TARGET__TARGET_DPU, export_desc,
                     export_desc_len);
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len)
{
    return do_export(__func__, mmap, dev, DOCAD__EXPORT_TARGET__TARGET_RDMA, export_desc,
                     export_desc_len);
}
