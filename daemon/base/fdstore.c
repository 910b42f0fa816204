// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fdstore.h"

#include "cleanup.h"
#include "log.h"
#include "notify.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define NAME_PREFIX "docad-"
#define UNSENT_MAX  1024 // removals that the manager has not accepted yet

static struct {
    bool on;
    bool full; // already logged
    uint64_t max, count;
    uint64_t last_version;
    uint64_t unsent[UNSENT_MAX];
    size_t n_unsent;
} store;

void fdstore_init(void)
{
    const char *text = getenv("FDSTORE");
    unsigned long long max = text ? strtoull(text, NULL, 10) : 0;
    memset(&store, 0, sizeof(store));
    store.on = max > 0 && notify_is_on();
    store.max = max;
}

bool fdstore_is_on(void)
{
    return store.on;
}

static bool remove_name(uint64_t name)
{
    return notify_send_fd(-1, "FDSTOREREMOVE=1\nFDNAME=" NAME_PREFIX "%llx",
                          (unsigned long long)name);
}

// Sends the removals that failed before. An object that is left in the store would come
// back after a restart.
static void remove_unsent(void)
{
    while (store.n_unsent && remove_name(store.unsent[store.n_unsent - 1]))
        store.n_unsent--;
}

static void remove_from_store(uint64_t name)
{
    remove_unsent();
    store.count--;
    if (store.n_unsent == 0 && remove_name(name))
        return;
    if (store.n_unsent < UNSENT_MAX)
        store.unsent[store.n_unsent++] = name;
    else
        log_limited(LOG_LEVEL_ERROR, "the service manager does not read docad's messages");
}

static int make_capsule(const Docad__Record *record, const int *fds, size_t n_fds)
{
    cleanup_free uint8_t *packed = malloc(PACKET_SIZE_MAX);
    int pair[2];

    if (!packed)
        return -ENOMEM;
    size_t size = docad__record__get_packed_size(record);
    if (size > PACKET_SIZE_MAX)
        return -EMSGSIZE;
    docad__record__pack(record, packed);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    int r = packet_send(pair[0], packed, size, fds, n_fds, MSG_DONTWAIT);
    close(pair[0]); // the packet stays in the queue of the other end
    if (r < 0) {
        close(pair[1]);
        return r;
    }
    return pair[1];
}

void fdstore_put(struct stored *stored, Docad__Record *record, const int *fds, size_t n_fds)
{
    if (!store.on)
        return;
    if (!stored->name && store.count >= store.max) {
        if (!store.full)
            log_error(
                "the service manager keeps no more than %llu descriptors for docad: new objects do "
                "not survive a restart; raise FileDescriptorStoreMax= (and FDSTORE) in the unit",
                (unsigned long long)store.max);
        store.full = true;
        return;
    }
    remove_unsent();
    record->version = ++store.last_version;
    cleanup_fd int capsule = make_capsule(record, fds, n_fds);
    // FDPOLL=0: the capsule's other end is closed, but that must not make the manager
    // remove it.
    if (capsule < 0 || !notify_send_fd(capsule, "FDSTORE=1\nFDPOLL=0\nFDNAME=" NAME_PREFIX "%llx",
                                       (unsigned long long)record->version)) {
        log_limited(LOG_LEVEL_ERROR, "a descriptor cannot be kept through a restart: %s",
                    capsule < 0 ? strerror(-capsule) : "the service manager does not accept it");
        return;
    }
    uint64_t old = stored->name;
    stored->name = record->version;
    store.count++;
    if (old)
        remove_from_store(old);
}

void record_init(Docad__Record *record, uint64_t id, uint64_t session_id,
                 const struct stored *stored)
{
    docad__record__init(record);
    record->id = id;
    record->session = session_id;
    record->serial = stored->serial;
}

void fdstore_drop(struct stored *stored)
{
    if (stored->name)
        remove_from_store(stored->name);
    stored->name = 0;
}

// ---- at the start ---------------------------------------------------------------------

static int read_capsule(int fd, struct stored_item *item)
{
    cleanup_free uint8_t *packed = malloc(PACKET_SIZE_MAX);
    if (!packed)
        return -ENOMEM;
    ssize_t n = packet_recv(fd, packed, PACKET_SIZE_MAX, &item->fds, MSG_PEEK | MSG_DONTWAIT);
    if (n <= 0)
        return n < 0 ? (int)n : -EPROTO;
    item->record = docad__record__unpack(NULL, (size_t)n, packed);
    if (item->record)
        return 0;
    fd_list_close(&item->fds);
    return -EPROTO;
}

bool fdstore_receive(struct stored_items *items, int fd, const char *name)
{
    struct stored_item item = {.fds = FD_LIST_EMPTY};

    if (strncmp(name, NAME_PREFIX, strlen(NAME_PREFIX)) != 0)
        return false;
    item.name = strtoull(name + strlen(NAME_PREFIX), NULL, 16);
    if (item.name > store.last_version)
        store.last_version = item.name;
    store.count++;
    int r = read_capsule(fd, &item);
    close(fd);
    struct stored_item *more =
        r < 0 ? NULL : reallocarray(items->items, items->count + 1, sizeof(*more));
    if (more) {
        items->items = more;
        more[items->count++] = item;
        return true;
    }
    log_error("%s, which the service manager kept, cannot be read: %s", name,
              r < 0 ? strerror(-r) : "out of memory");
    if (r == 0) {
        docad__record__free_unpacked(item.record, NULL);
        fd_list_close(&item.fds);
    }
    remove_from_store(item.name);
    return true;
}

static int compare(const void *a, const void *b)
{
    const Docad__Record *l = ((const struct stored_item *)a)->record,
                        *r = ((const struct stored_item *)b)->record;
    if (l->what_case != r->what_case)
        return l->what_case < r->what_case ? -1 : 1;
    if (l->id != r->id)
        return l->id < r->id ? -1 : 1;
    return l->version < r->version ? -1 : l->version > r->version;
}

static void item_free(struct stored_item *item)
{
    docad__record__free_unpacked(item->record, NULL);
    fd_list_close(&item->fds);
    if (!item->taken)
        remove_from_store(item->name);
}

void fdstore_sort(struct stored_items *items)
{
    size_t n = 0;
    if (items->count)
        qsort(items->items, items->count, sizeof(*items->items), compare);
    for (size_t i = 0; i < items->count; i++) {
        const Docad__Record *r = items->items[i].record;
        const Docad__Record *next = i + 1 < items->count ? items->items[i + 1].record : NULL;
        if (next && next->what_case == r->what_case && next->id == r->id)
            item_free(&items->items[i]); // docad died after it stored the newer record and before
                                         // it removed the older
        else
            items->items[n++] = items->items[i];
    }
    items->count = n;
}

void fdstore_take(struct stored_item *item, struct stored *stored)
{
    stored->name = item->name;
    stored->serial = item->record->serial;
    item->taken = true;
}

void fdstore_items_free(struct stored_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        item_free(&items->items[i]);
    free(items->items);
    *items = (struct stored_items){0};
}
