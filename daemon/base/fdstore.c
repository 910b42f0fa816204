// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fdstore.h"

#include "cleanup.h"
#include "fd_reaper.h"
#include "fd_store_socket.h"
#include "log.h"
#include "notify.h"
#include "record_file.h"
#include "user.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <string.h>

#define PREFIX     "docad-"
#define RECORDS    PREFIX "records"
#define SOCKETS    PREFIX "shelf" // earlier releases used this name
#define RESERVED   1024           // places that each user may have, however many others have
#define SPARE      4096           // places for docad's own records, and for changes
#define CLEAN_MS   1
#define CLEAN_EACH 4  // slots that are cleaned at a time
#define TRIM_EACH  64 // chunks of records that give their memory back at a time

static struct {
    bool on;
    unsigned max;
    uint64_t last_version;
    int passed_file;
    bool passed;     // the manager has descriptors of the store
    bool missed;     // memory ran out before all of them were added
    unsigned former; // objects in the former layout
    struct record_file file;
    struct fd_store_sockets sockets;
    struct event *clean;
} store = {.passed_file = -1, .file = RECORD_FILE_CLOSED};

void fdstore_init(void)
{
    const char *text = getenv("FDSTORE");
    unsigned long long max = text ? strtoull(text, NULL, 10) : 0;
    store.on = max > 0 && notify_is_on();
    store.passed = false;
    store.former = 0;
    store.last_version = 0;
    store.max = max < FD_STORE_SOCKETS_MAX + 1 ? (unsigned)max : FD_STORE_SOCKETS_MAX + 1;
    fd_store_sockets_init(&store.sockets);
}

bool fdstore_is_on(void)
{
    return store.on;
}

// ---- removing --------------------------------------------------------

static void clean_soon(void)
{
    struct timeval delay = {.tv_usec = CLEAN_MS * 1000};
    if (!store.clean) // a slot that cannot be cleaned now must not hold up the start
        fd_store_sockets_clean(&store.sockets, (unsigned)store.sockets.n_slots);
    else if (!event_pending(store.clean, EV_TIMEOUT, NULL))
        event_add(store.clean, &delay);
}

static void on_clean(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    if (fd_store_sockets_clean(&store.sockets, CLEAN_EACH))
        clean_soon();
}

void fdstore_begin(struct event_base *base)
{
    if (store.on)
        store.clean = event_new(base, -1, 0, on_clean, NULL);
    if (store.clean)
        clean_soon();
}

void fdstore_end(void)
{
    if (store.clean)
        event_free(store.clean);
    store.clean = NULL;
    record_file_close(&store.file);
    fd_store_sockets_close(&store.sockets);
}

static void drop_fds(const struct stored *stored)
{
    if (!stored->n_fds)
        return;
    fd_store_sockets_drop(&store.sockets, stored->slot, stored->key,
                          stored->user ? stored->user->uid : FD_REAPER_NO_UID);
    clean_soon();
}

static void erase(struct stored *stored)
{
    record_file_erase(&store.file, stored->place);
    if (stored->user)
        limit_give(&stored->user->record_places, stored->n_places);
    stored->place = RECORD_PLACE_NONE;
}

void fdstore_drop(struct stored *stored)
{
    if (!stored->place)
        return;
    erase(stored);
    drop_fds(stored);
}

bool fdstore_trim(void)
{
    return store.file.fd >= 0 && record_file_trim(&store.file, TRIM_EACH);
}

// ---- objects --------------------------------------------------------------------------

// Checks that the user does not get more places than are left for all afterwards. So there is room
// for users who come later, and for changes of existing records.
static doca_error_t check_share(const struct user *user, uint32_t need, struct errtext *err)
{
    uint64_t room = record_file_free(&store.file), own = user ? user->record_places : 0;

    if (!user)
        return DOCA_SUCCESS;
    room = room > SPARE ? room - SPARE : 0;
    if (need <= room && (own + need <= RESERVED || own + need <= room))
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                       "docad has no room to keep it through a restart: this user has %" PRIu64
                       " of %u places for records, and %" PRIu64 " are left for all; end objects "
                       "that are not needed",
                       own, RECORD_PLACES_MAX, room);
}

static doca_error_t put_fds(struct stored *next, const int *fds, size_t n_fds, struct errtext *err)
{
    next->key = next->version;
    int r = n_fds ? fd_store_sockets_put(&store.sockets, next->key, fds, n_fds, &next->slot) : 0;
    if (r < 0)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "its descriptors cannot be kept through a restart: %s%s", strerror(-r),
                           r == -ETOOMANYREFS || r == -EMFILE ? "; raise LimitNOFILE= in the unit"
                                                              : "");
    next->n_fds = (uint32_t)n_fds;
    return DOCA_SUCCESS;
}

static doca_error_t write_record(struct stored *next, const Docad__Record *record, size_t size,
                                 struct errtext *err)
{
    static uint8_t packed[PACKET_SIZE_MAX];

    docad__record__pack(record, packed);
    next->place = record_file_write(&store.file, &(struct record_view){.version = next->version,
                                                                       .key = next->key,
                                                                       .n_fds = next->n_fds,
                                                                       .bytes = packed,
                                                                       .size = size});
    if (next->place)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                       "docad is out of memory for records that last through a restart");
}

// Stores the new descriptors and record before it removes the old ones, so that one of the two is
// complete at any time.
static doca_error_t replace(struct stored *stored, struct stored *next, Docad__Record *record,
                            const int *fds, size_t n_fds, struct errtext *err)
{
    bool same = n_fds && !fds;
    doca_error_t r = same ? DOCA_SUCCESS : put_fds(next, fds, n_fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    r = write_record(next, record, docad__record__get_packed_size(record), err);
    if (r != DOCA_SUCCESS) {
        if (!same)
            drop_fds(next);
        return r;
    }
    if (stored->place)
        erase(stored);
    else
        stored->n_fds = 0;
    if (!same)
        drop_fds(stored);
    return DOCA_SUCCESS;
}

doca_error_t fdstore_put(struct stored *stored, Docad__Record *record, struct user *user,
                         const int *fds, size_t n_fds, struct errtext *err)
{
    struct stored next = *stored;
    doca_error_t r = DOCA_SUCCESS;

    if (!store.on)
        return DOCA_SUCCESS;
    size_t size = docad__record__get_packed_size(record);
    if (size > PACKET_SIZE_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "its record has %zu bytes; docad keeps at most %d through a restart",
                           size, PACKET_SIZE_MAX);
    next.n_places = record_file_need(size);
    next.version = ++store.last_version;
    next.user = user;
    if (!stored->place)
        r = check_share(user, next.n_places, err);
    if (r == DOCA_SUCCESS)
        r = replace(stored, &next, record, fds, n_fds, err);
    if (r != DOCA_SUCCESS)
        return r;
    if (user)
        user->record_places += next.n_places;
    *stored = next;
    return DOCA_SUCCESS;
}

void fdstore_note(doca_error_t result, const struct errtext *err)
{
    if (result != DOCA_SUCCESS)
        log_limited(LOG_LEVEL_ERROR, "a change will not survive a restart: %s", err->s);
}

void record_init(Docad__Record *record, uint64_t id, uint64_t session_id,
                 const struct stored *stored)
{
    docad__record__init(record);
    record->id = id;
    record->session = session_id;
    record->serial = stored->serial;
}

// ---- at the start ---------------------------------------------------------------------

static void remove_name(const char *name)
{
    if (store.passed)
        notify_send_fd(-1, "FDSTOREREMOVE=1\nFDNAME=%s", name);
}

// FDPOLL=0: nothing that happens to a descriptor makes the manager remove it.
static bool give(int fd, const char *name)
{
    return notify_send_fd(fd, "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", name);
}

bool fdstore_receive(int fd, const char *name)
{
    int r = 0;
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return false;
    store.passed = true;
    if (strcmp(name, RECORDS) == 0 && store.passed_file < 0) {
        store.passed_file = fd;
        return true;
    }
    if (strcmp(name, SOCKETS) == 0) {
        r = fd_store_sockets_add(&store.sockets, fd);
        store.missed = store.missed || r == -ENOMEM;
    } else {
        store.former++;
        remove_name(name);
        r = -EPROTO;
    }
    if (r < 0)
        close(fd); // the manager holds it until it has read that it should not
    return true;
}

bool fdstore_missed(void)
{
    return store.missed;
}

Docad__Record *record_read(const void *bytes, size_t size, size_t n_fds)
{
    Docad__Record *record =
        n_fds <= PACKET_FDS_MAX ? docad__record__unpack(NULL, size, bytes) : NULL;
    if (!record || (record->what_case != DOCAD__RECORD__WHAT__NOT_SET && record->id))
        return record;
    docad__record__free_unpacked(record, NULL);
    return NULL;
}

static bool found_record(void *arg, const struct record_view *view)
{
    struct stored_items *items = arg;
    Docad__Record *record = record_read(view->bytes, view->size, view->n_fds);
    if (!record)
        return false;
    if (items->count == items->room) {
        size_t room = items->room * 2 + 64;
        struct stored_item *more = reallocarray(items->items, room, sizeof(*more));
        if (!more) {
            docad__record__free_unpacked(record, NULL);
            return false;
        }
        items->items = more;
        items->room = room;
    }
    items->items[items->count++] = (struct stored_item){.record = record,
                                                        .stored = {.version = view->version,
                                                                   .serial = record->serial,
                                                                   .place = view->place,
                                                                   .n_places = view->n_places,
                                                                   .key = view->key,
                                                                   .n_fds = view->n_fds}};
    return true;
}

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_key(const void *a, const void *b)
{
    return order(((const struct stored_item *)a)->stored.key,
                 ((const struct stored_item *)b)->stored.key);
}

static int by_kind(const void *a, const void *b)
{
    const struct stored_item *l = a, *r = b;
    if (l->record->what_case != r->record->what_case)
        return order(l->record->what_case, r->record->what_case);
    if (l->record->id != r->record->id)
        return order(l->record->id, r->record->id);
    return order(l->stored.version, r->stored.version);
}

static void sort(struct stored_items *items, int (*compare)(const void *, const void *))
{
    if (items->count)
        qsort(items->items, items->count, sizeof(*items->items), compare);
}

// Also removes the item's record and descriptors from the store, unless fdstore_take() was called.
void stored_item_free(struct stored_item *item)
{
    if (!item->taken && item->stored.place)
        erase(&item->stored);
    if (!item->taken && item->has_fds)
        drop_fds(&item->stored);
    if (item->record)
        docad__record__free_unpacked(item->record, NULL);
    fd_list_close(&item->fds);
}

// docad may have died after it wrote a newer record of an object and before it removed the older.
static bool is_latest(const struct stored_item *item, const struct stored_item *next)
{
    return !next || next->record->what_case != item->record->what_case ||
           next->record->id != item->record->id;
}

static bool has_its_fds(const struct stored_item *item, const struct stored_item *next)
{
    (void)next;
    if (item->has_fds || !item->stored.n_fds)
        return true;
    log_limited(LOG_LEVEL_ERROR,
                "the descriptors of an object (%" PRIu64 ", of session %" PRIu64
                ") were not kept: it is dropped",
                item->record->id, item->record->session);
    return false;
}

static void remove_unless(struct stored_items *items,
                          bool (*wanted)(const struct stored_item *, const struct stored_item *))
{
    size_t n = 0;
    for (size_t i = 0; i < items->count; i++) {
        struct stored_item *item = &items->items[i];
        if (wanted(item, i + 1 < items->count ? item + 1 : NULL))
            items->items[n++] = *item;
        else
            stored_item_free(item);
    }
    items->count = n;
}

static void note_version(uint64_t version)
{
    if (version > store.last_version)
        store.last_version = version;
}

// The items are sorted by key.
static bool found_packet(void *arg, uint64_t key, uint32_t slot, struct fd_list *fds)
{
    struct stored_items *items = arg;
    struct stored_item wanted = {.stored = {.key = key}};
    note_version(key); // a key is never used again, either
    struct stored_item *item =
        items->count ? bsearch(&wanted, items->items, items->count, sizeof(*items->items), by_key)
                     : NULL;
    if (!item || item->has_fds || item->stored.n_fds != fds->count)
        return false;
    item->fds = *fds;
    item->stored.slot = slot;
    item->has_fds = true;
    fds->count = 0;
    return true;
}

static int read_store(struct stored_items *items)
{
    unsigned damaged;
    int r = record_file_open(&store.file, store.passed_file, found_record, items, &damaged);
    if (r < 0)
        return r;
    store.passed_file = -1;
    if (damaged)
        log_error("%u records of objects that the service manager kept are damaged: they are "
                  "dropped",
                  damaged);
    for (size_t i = 0; i < items->count; i++)
        note_version(items->items[i].stored.version);
    sort(items, by_kind);
    remove_unless(items, is_latest);
    sort(items, by_key);
    fd_store_sockets_read(&store.sockets, found_packet, items);
    sort(items, by_kind);
    remove_unless(items, has_its_fds);
    return 0;
}

static int make_store(void)
{
    int r = store.max > 1 ? record_file_new(&store.file) : -ENOSPC;
    remove_name(RECORDS);
    if (r == 0 && !give(store.file.fd, RECORDS))
        r = -EPIPE;
    return r;
}

static int make_sockets(void)
{
    int r = fd_store_sockets_new(&store.sockets, store.max - 1);
    remove_name(SOCKETS);
    for (size_t i = 0; r == 0 && i < store.sockets.n_sockets; i++)
        if (!give(store.sockets.fds[i], SOCKETS))
            r = -EPIPE;
    return r;
}

void fdstore_read(struct stored_items *items)
{
    int r = 0;
    if (store.former)
        log_error("the service manager kept %u objects of an earlier version of docad, which this "
                  "one cannot read: they are dropped, together with their clients",
                  store.former);
    if (store.on && store.passed_file >= 0)
        r = read_store(items);
    if (r < 0)
        log_error("what the service manager kept cannot be read: %s; it is dropped, together with "
                  "its clients",
                  strerror(-r));
    close_fdp(&store.passed_file);
    if (store.file.fd < 0)
        fd_store_sockets_close(&store.sockets);
    if (!store.on)
        return;
    r = store.file.fd < 0 ? make_store() : 0;
    if (r == 0 && !store.sockets.n_sockets)
        r = make_sockets();
    if (r == 0)
        return;
    log_error("no object survives a restart: %s",
              r == -ENOSPC  ? "FileDescriptorStoreMax= and FDSTORE in the unit must be at least 2"
              : r == -EPIPE ? "the service manager does not accept descriptors"
                            : strerror(-r));
    fdstore_items_free(items);
    fdstore_end();
    store.on = false;
}

void fdstore_take(struct stored_item *item, struct stored *stored, struct user *user)
{
    *stored = item->stored;
    stored->user = NULL;
    if (user)
        fdstore_charge(stored, user);
    item->taken = true;
}

void fdstore_charge(struct stored *stored, struct user *user)
{
    stored->user = user;
    user->record_places += stored->n_places;
}

void fdstore_items_free(struct stored_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        stored_item_free(&items->items[i]);
    free(items->items);
    *items = (struct stored_items){0};
}
