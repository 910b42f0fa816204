// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Imported maps: memory that another process exported, mapped here as far as possible.

#include "access.h"
#include "cleanup.h"
#include "core/report.h"
#include "export_text.h"
#include "memfd.h"
#include "mmap/copies.h"
#include "mmap/mmap_object.h"
#include "mmap/pages.h"
#include "queue/broker.h"

#include <doca_types.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define IMPORT_PARTS_MAX 4096

static doca_error_t nonsense(struct errtext *err, const char *what)
{
    return errtext_set(err, DOCA_ERROR_DRIVER, "docad describes the exported memory wrongly: %s",
                       what);
}

// ---- docad's answer ---------------------------------------------------------------

// Ascending, gapless, covering the range; mapped ones inside the file.
static doca_error_t check_segments(const Docad__ImportCreateReply *r, uint64_t file_size,
                                   struct errtext *err)
{
    uint64_t at = r->address;

    if (r->length == 0 || r->address + r->length < r->address || r->n_segments == 0 ||
        r->n_segments > IMPORT_PARTS_MAX)
        return nonsense(err, "its range or its number of parts is not valid");
    for (size_t i = 0; i < r->n_segments; i++) {
        const Docad__Segment *s = r->segments[i];
        if (s->address != at || s->length == 0 || s->length > r->address + r->length - at)
            return nonsense(err, "its parts do not fit together");
        if (s->mapped && (s->offset % page_size() != 0 || s->offset > file_size ||
                          s->length > file_size - s->offset))
            return nonsense(err, "a part is not in the memory file");
        at += s->length;
    }
    return at == r->address + r->length ? DOCA_SUCCESS : nonsense(err, "its parts end too early");
}

// The file comes from the exporting process: it must not be able to shrink while we use it.
static doca_error_t check_file(int fd, bool writable, struct stat *st, struct errtext *err)
{
    if (fstat(fd, st) < 0)
        return nonsense(err, strerror(errno));
    int r = memfd_check(fd, (uint64_t)st->st_size, writable);
    return r == 0
               ? DOCA_SUCCESS
               : errtext_set(err, DOCA_ERROR_DRIVER,
                             "the memory file of the export cannot be trusted: %s", strerror(-r));
}

// ---- mapping ----------------------------------------------------------------------------

static void unmap_parts(struct memory_part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (parts[i].local)
            munmap(parts[i].local, parts[i].length);
    free(parts);
}

static doca_error_t map_parts(struct doca_mmap *map, const Docad__ImportCreateReply *r, int fd,
                              const struct stat *st, struct errtext *err)
{
    int protection = PROT_READ | (access_lets_write(r->access) ? PROT_WRITE : 0);
    // Populates pages only if they exist: an owner that made a huge empty file must not make us
    // fill it.
    bool dense = fd >= 0 && (uint64_t)st->st_blocks * 512 >= (uint64_t)st->st_size;
    int flags = MAP_SHARED | (dense ? MAP_POPULATE : 0);

    struct memory_part *parts = calloc(r->n_segments, sizeof(*parts));
    if (!parts)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < r->n_segments; i++) {
        const Docad__Segment *s = r->segments[i];
        parts[i].start = s->address;
        parts[i].length = s->length;
        if (!s->mapped)
            continue;
        void *p = mmap(NULL, s->length, protection, flags, fd, (off_t)s->offset);
        if (p == MAP_FAILED) {
            doca_error_t e =
                errtext_set(err, errno == ENOMEM ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_DRIVER,
                            "cannot map %llu bytes of the exported memory: %s",
                            (unsigned long long)s->length, strerror(errno));
            unmap_parts(parts, i);
            return e;
        }
        parts[i].local = p;
    }
    map->parts = parts;
    map->memory.parts = parts;
    map->memory.n_parts = r->n_segments;
    return DOCA_SUCCESS;
}

static doca_error_t find_broker(struct doca_mmap *mmap, const Docad__ImportCreateReply *r,
                                struct errtext *err)
{
    struct broker_node *broker = NULL;
    bool needed = false;

    for (size_t i = 0; i < mmap->memory.n_parts; i++)
        needed |= mmap->memory.parts[i].local == NULL;
    if (!needed)
        return DOCA_SUCCESS;
    if (r->owner_node.len != NODE_ID_SIZE)
        return nonsense(err, "it does not name the owner's node");
    doca_error_t e =
        broker_node_get(dev_session(mmap->devices[0]), r->owner_node.data, &broker, err);
    if (e == DOCA_SUCCESS)
        mmap->memory.broker = broker;
    return e;
}

static doca_error_t take_reply(struct doca_mmap *mmap, const Docad__ImportCreateReply *r,
                               struct fd_list *fds, struct errtext *err)
{
    cleanup_fd int fd = fd_list_take(fds, 0);
    const struct state_table *table = session_state_table(mmap->session);
    struct stat st = {.st_size = 0};
    doca_error_t e = DOCA_SUCCESS;

    if (r->state_slot >= table->slots)
        return nonsense(err, "its state slot is not in the state table");
    if (fd >= 0)
        e = check_file(fd, access_lets_write(r->access), &st, err);
    if (e == DOCA_SUCCESS)
        e = check_segments(r, (uint64_t)st.st_size, err);
    if (e == DOCA_SUCCESS)
        e = map_parts(mmap, r, fd, &st, err);
    if (e == DOCA_SUCCESS)
        e = find_broker(mmap, r, err);
    if (e != DOCA_SUCCESS)
        return e;
    mmap->memory.start = r->address;
    mmap->memory.length = r->length;
    mmap->memory.access = r->access;
    mmap->memory.table = table;
    mmap->memory.slot = r->state_slot;
    mmap->memory.grant_key = r->grant_key;
    copies_take(&mmap->memory, mmap->session, r->copy_key, r->copy_writable);
    mmap->has_range = true;
    return DOCA_SUCCESS;
}

// ---- making and ending --------------------------------------------------------------------

static doca_error_t ask_import(struct doca_mmap *mmap, const void *desc, size_t length,
                               struct errtext *err)
{
    cleanup_message Docad__Message *reply = NULL;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    Docad__ImportCreate ask = DOCAD__IMPORT_CREATE__INIT;

    ask.descriptor = (ProtobufCBinaryData){length, (uint8_t *)desc};
    ask.function_id = dev_function(mmap->devices[0])->id;
    ask.copies = session_copies_over(mmap->session) != UINT64_MAX;
    doca_error_t e = session_call(mmap->session, message_of(IMPORT_CREATE, import_create, &ask),
                                  NULL, 0, &reply, &fds, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (reply->body_case != DOCAD__MESSAGE__BODY_IMPORT_CREATE_REPLY)
        return nonsense(err, "its answer has the wrong type");
    // From here on docad has the import: release it whatever happens.
    mmap->memory.imported = true;
    mmap->memory.import_id = reply->import_create_reply->import_id;
    return take_reply(mmap, reply->import_create_reply, &fds, err);
}

void import_release(struct doca_mmap *mmap)
{
    Docad__ImportRelease ask = DOCAD__IMPORT_RELEASE__INIT;

    unmap_parts(mmap->parts, mmap->memory.n_parts);
    broker_node_put(mmap->memory.broker);
    copies_give(&mmap->memory);
    keys_drop(mmap);
    region_free_exports(mmap);
    if (mmap->memory.import_id == 0)
        return; // docad does not have it
    ask.import_id = mmap->memory.import_id;
    // If docad has ended, the import has ended, too.
    session_call(mmap->session, message_of(IMPORT_RELEASE, import_release, &ask), NULL, 0, NULL,
                 NULL, NULL);
}

// ---- by remote key alone -----------------------------------------------------------------------

// One slot whose object, of id 0, is live forever: there is no docad that could end it.
static const _Alignas(64) uint64_t live_for_ever[9] = {[8] = SLOT_LIVE};

// Imports the export of a node that this docad is not linked to: the device reaches it
// nevertheless.
static doca_error_t import_by_key(struct doca_mmap *mmap, const struct export_desc *desc,
                                  struct errtext *err)
{
    struct memory_part *part = calloc(1, sizeof(*part));
    if (!part)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    *part = (struct memory_part){.start = desc->address, .length = desc->length};
    mmap->parts = part;
    mmap->memory = (struct memory){.start = desc->address,
                                   .length = desc->length,
                                   .access = desc->access,
                                   .imported = true,
                                   .parts = part,
                                   .n_parts = 1,
                                   .table = (const struct state_table *)live_for_ever};
    mmap->has_range = true;
    log_own_info("Memory at %#llx is used by its key on %s alone: this docad does not know its "
                 "owner's node, and will not see that the export is revoked",
                 (unsigned long long)desc->address, dev_name(mmap->devices[0]));
    return DOCA_SUCCESS;
}

static doca_error_t import_for_verbs(struct doca_mmap *mmap, const void *bytes, size_t length,
                                     const struct export_desc *desc, struct errtext *err)
{
    if (!desc->has_rkey)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "the memory was exported on a software function; ibverbs device %s "
                           "has no key for it",
                           dev_function(mmap->devices[0])->name);
    doca_error_t e = ask_import(mmap, bytes, length, err);
    // The owner's node is unknown here, out of reach, or on another machine.
    if (!mmap->memory.imported &&
        (e == DOCA_ERROR_NOT_FOUND || e == DOCA_ERROR_DRIVER || e == DOCA_ERROR_NOT_SUPPORTED))
        e = import_by_key(mmap, desc, err);
    return e == DOCA_SUCCESS ? keys_import(mmap, desc->rkey, err) : e;
}

// Only the ibverbs device on which it was exported changes its words atomically; this side only
// reads and writes them: see check_atomics() in mmap_export.c.
static doca_error_t import_for_software(struct doca_mmap *mmap, const void *bytes, size_t length,
                                        const struct export_desc *desc, struct errtext *err)
{
    doca_error_t e = ask_import(mmap, bytes, length, err);
    if (e == DOCA_SUCCESS && desc->has_rkey)
        mmap->memory.access &= ~(uint32_t)DOCA_ACCESS_RDMA_ATOMIC;
    return e;
}

doca_error_t import_create(const union doca_data *user_data, const void *desc, size_t length,
                           struct doca_dev *dev, struct doca_mmap **out, struct errtext *err)
{
    struct export_desc decoded;
    uint8_t of_text[EXPORT_DESC_SIZE_MAX];
    struct doca_mmap *mmap = NULL;

    doca_error_t e = export_desc_of(&desc, &length, of_text, err);
    // Decided here, so that it holds even if docad disagrees or has ended.
    if (e == DOCA_SUCCESS)
        e = export_desc_decode(desc, length, &decoded, err);
    if (e == DOCA_SUCCESS)
        e = dev_known(dev, err);
    if (e == DOCA_SUCCESS)
        e = mmap_new(user_data, &mmap, err);
    if (e != DOCA_SUCCESS)
        return e;
    e = mmap_add_device(mmap, dev, err);
    if (e == DOCA_SUCCESS) {
        mmap->session = session_ref(dev_session(dev));
        e = dev_verbs(dev) ? import_for_verbs(mmap, desc, length, &decoded, err)
                           : import_for_software(mmap, desc, length, &decoded, err);
    }
    if (e != DOCA_SUCCESS) {
        if (mmap->memory.imported)
            import_release(mmap);
        mmap_free(mmap);
        return e;
    }
    *out = mmap;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap)
{
    struct errtext err = {""};

    if (!export_desc || export_desc_len == 0 || !dev || !mmap)
        return REFUSED_NULL(export_desc, export_desc_len, dev, mmap);
    doca_error_t e = import_create(user_data, export_desc, export_desc_len, dev, mmap, &err);
    return report(__func__,
                  CODE_AMONG(e, DOCA_ERROR_DRIVER, DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NO_MEMORY,
                             DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_NOT_PERMITTED,
                             DOCA_ERROR_UNSUPPORTED_VERSION, DOCA_ERROR_NOT_FOUND),
                  &err);
}
