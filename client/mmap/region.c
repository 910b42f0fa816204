// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A started map's registration with docad, and requests to docad about it.

#include "cleanup.h"
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
    int memory; // /proc/self/mem, if it is sent along
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

// The descriptors go in the protocol's order. A map that no other process may reach has at most the
// file, for the engine's copies.
static doca_error_t fill_fds(struct registration *r, const struct doca_mmap *mmap,
                             struct session *session, struct errtext *err)
{
    const struct backing *b = mmap->backing;

    bool shared = access_has_others(mmap->memory.access);
    // On other machines, and where others may write but not read, nothing is mapped.
    bool brokered = b->brokered || b->memfd >= 0;
    if (shared && brokered && !session_memory_given(session)) {
        r->memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
        if (r->memory < 0 && b->brokered)
            return errtext_set(
                err, errno == EMFILE ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_NOT_PERMITTED,
                "cannot open /proc/self/mem, through which docad reaches memory with "
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

static bool wants_copies(const struct doca_mmap *mmap)
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
    r->request.copies = wants_copies(mmap);
    doca_error_t e = fill_lists(r, mmap, err);
    if (e == DOCA_SUCCESS)
        e = fill_fds(r, mmap, session, err);
    if (e == DOCA_SUCCESS)
        e = session_call(session, &r->message, r->fds, r->n_fds, &reply, NULL, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (reply->body_case != DOCAD__MESSAGE__BODY_REGION_REGISTER_REPLY)
        return errtext_set(err, DOCA_ERROR_UNEXPECTED, "docad's answer has the wrong type");
    if (r->request.has_memory_fd)
        session_set_memory_given(session);
    mmap->region_id = reply->region_register_reply->region_id;
    copies_take(&mmap->memory, session, reply->region_register_reply->copy_key,
                reply->region_register_reply->copy_writable);
    return DOCA_SUCCESS;
}

static doca_error_t register_with_docad(struct doca_mmap *mmap, struct errtext *err)
{
    struct session *session = mmap_session(mmap);
    if (!session)
        return DOCA_SUCCESS; // none of its devices belongs to docad: no importer can reach the
                             // memory
    cleanup(registration_fini) struct registration r = {.memory = -1};
    doca_error_t e = register_region(&r, mmap, session, err);
    if (e == DOCA_SUCCESS)
        mmap->session = session_ref(session);
    return e;
}

void region_free_exports(struct doca_mmap *mmap)
{
    while (mmap->exports) {
        struct mmap_export *export = mmap->exports;
        mmap->exports = export->next;
        free(export);
    }
}

static void unregister(struct doca_mmap *mmap)
{
    Docad__RegionUnregister ask = DOCAD__REGION_UNREGISTER__INIT;

    region_free_exports(mmap);
    copies_give(&mmap->memory);
    if (!mmap->session)
        return;
    ask.region_id = mmap->region_id;
    // If docad has ended, or does not answer (then the session ends), the region has ended, too.
    session_call(mmap->session, message_of(REGION_UNREGISTER, region_unregister, &ask), NULL, 0,
                 NULL, NULL, NULL);
    mmap->session = session_unref(mmap->session);
}

// ---- with its backing and keys -------------------------------------------------------

doca_error_t region_start(struct doca_mmap *mmap, struct errtext *err)
{
    struct backing *backing = NULL;
    int r;

    uint32_t access = mmap->memory.access;

    // If docad copies, the memory moves to a memory file even if no other process reaches it.
    if (wants_copies(mmap) && !access_has_others(access))
        access |= ACCESS_OF_ENGINE;
    doca_error_t e = backing_new(mmap->memory.start, mmap->memory.length, access, &backing, err);
    if (e != DOCA_SUCCESS)
        return e;
    mmap->backing = backing;
    e = keys_make(mmap, err); // of the pages at their new address
    if (e == DOCA_SUCCESS)
        e = register_with_docad(mmap, err);
    if (e == DOCA_SUCCESS && (r = backing_seal(backing, access)) < 0) {
        e = errtext_set(err, DOCA_ERROR_NO_MEMORY, "cannot seal the memory file: %s", strerror(-r));
        unregister(mmap);
    }
    if (e != DOCA_SUCCESS) {
        keys_drop(mmap);
        mmap->backing = backing_free(backing);
        return e;
    }
    return DOCA_SUCCESS;
}

void region_stop(struct doca_mmap *mmap)
{
    // Unregisters first: when docad has released it, no process writes to the pages that move back.
    unregister(mmap);
    keys_drop(mmap);
    mmap->backing = backing_free(mmap->backing);
}

// ---- exports --------------------------------------------------------------------------

doca_error_t region_ask_export(const struct doca_mmap *mmap, const struct doca_dev *dev,
                               Docad__ExportCreate *ask, const int *fds, size_t n_fds,
                               struct exported *out, struct errtext *err)
{
    cleanup_message Docad__Message *reply = NULL;

    ask->region_id = mmap->region_id;
    ask->function_id = dev_function(dev)->id;
    doca_error_t e = session_call(mmap->session, message_of(EXPORT_CREATE, export_create, ask), fds,
                                  n_fds, &reply, NULL, err);
    if (e != DOCA_SUCCESS)
        return e;
    const Docad__ExportCreateReply *made = reply->export_create_reply;
    if (reply->body_case != DOCAD__MESSAGE__BODY_EXPORT_CREATE_REPLY || made->descriptor.len == 0 ||
        made->descriptor.len > sizeof(out->desc) ||
        (made->holders_id && made->holders_slot >= session_state_table(mmap->session)->slots))
        return errtext_set(err, DOCA_ERROR_DRIVER, "docad's answer has the wrong type");
    out->holders_id = made->holders_id;
    out->holders_slot = made->holders_slot;
    out->id = made->export_id;
    out->length = made->descriptor.len;
    memcpy(out->desc, made->descriptor.data, out->length);
    return DOCA_SUCCESS;
}
