// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps with real daemons: states and errors, registration, exports, and imports
// that live and die with what they import. What moves the bytes is tested elsewhere.

#include "child.h"
#include "core/memory.h"
#include "daemon.h"
#include "deadline.h"
#include "request.h"
#include "run.h"

#include <doca_buf.h>
#include <doca_dev.h>
#include <doca_docad.h>
#include <doca_mmap.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))
#define BAD                 DOCA_ERROR_INVALID_VALUE

#define DESC_MAX 256

static void use(const struct daemon *daemon)
{
    ck_assert_int_eq(setenv("DOCAD_SOCKET", daemon->socket.s, 1), 0);
}

static struct daemon *host(void)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){0});
    use(daemon);
    return daemon;
}

static struct doca_dev *open_at(const char *pci)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;
    OK(doca_devinfo_list_create(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        uint8_t equal;
        OK(doca_devinfo_get_is_pci_addr_equal(list[i], pci, &equal));
        if (equal)
            OK(doca_dev_open(list[i], &dev));
    }
    OK(doca_devinfo_list_destroy(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

static struct doca_mmap *make(void *address, size_t length, uint32_t access, struct doca_dev *dev)
{
    struct doca_mmap *mmap;
    OK(doca_mmap_create(NULL, &mmap));
    OK(doca_mmap_set_memrange(mmap, address, length));
    OK(doca_mmap_set_permissions(mmap, access));
    if (dev)
        OK(doca_mmap_dev_add(mmap, dev));
    return mmap;
}

static struct doca_mmap *started(void *address, size_t length, uint32_t access,
                                 struct doca_dev *dev)
{
    struct doca_mmap *mmap = make(address, length, access, dev);
    OK(doca_mmap_start(mmap));
    return mmap;
}

// ---- the object ------------------------------------------------------------------

START_TEST(defaults)
{
    union doca_data data = {.u64 = 0x1234567890abcdef}, got = {0};
    struct doca_mmap *mmap;
    uint32_t n = 7;
    uint8_t flag = 7;
    void *address = (void *)1;
    size_t length = 1;
    OK(doca_mmap_create(&data, &mmap));
    data.u64 = 0;
    OK(doca_mmap_get_user_data(mmap, &got));
    ck_assert_uint_eq(got.u64, 0x1234567890abcdef);
    OK(doca_mmap_get_max_num_devices(mmap, &n));
    ck_assert_uint_eq(n, 16);
    OK(doca_mmap_get_num_bufs(mmap, &n));
    ck_assert_uint_eq(n, 0);
    OK(doca_mmap_get_exported(mmap, &flag));
    ck_assert_uint_eq(flag, 0);
    flag = 7;
    OK(doca_mmap_get_from_export(mmap, &flag));
    ck_assert_uint_eq(flag, 0);
    REFUSED(DOCA_ERROR_BAD_STATE, doca_mmap_get_memrange(mmap, &address, &length));
    ck_assert_ptr_eq(address, (void *)1);
    REFUSED(BAD, doca_mmap_start(mmap));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap));
    OK(doca_mmap_destroy(mmap));

    OK(doca_mmap_create(NULL, &mmap));
    OK(doca_mmap_get_user_data(mmap, &got));
    ck_assert_uint_eq(got.u64, 0);
    OK(doca_mmap_destroy(mmap));
}
END_TEST

static void never(void *address, size_t length, void *opaque)
{
    (void)address;
    (void)length;
    (void)opaque;
    ck_abort_msg("the free callback was called");
}

START_TEST(null_arguments)
{
    struct doca_mmap *mmap;
    struct daemon *daemon = host();
    struct doca_dev *dev = open_at("0b:00.0");
    char byte;
    void *p;
    const void *desc;
    size_t n;
    uint32_t u32;
    uint8_t u8;
    union doca_data data;
    OK(doca_mmap_create(NULL, &mmap));
    REFUSED(BAD, doca_mmap_create(NULL, NULL));
    REFUSED(BAD, doca_mmap_destroy(NULL));
    REFUSED(BAD, doca_mmap_start(NULL));
    REFUSED(BAD, doca_mmap_stop(NULL));
    REFUSED(BAD, doca_mmap_dev_add(NULL, dev));
    REFUSED(BAD, doca_mmap_dev_add(mmap, NULL));
    REFUSED(BAD, doca_mmap_dev_rm(NULL, dev));
    REFUSED(BAD, doca_mmap_dev_rm(mmap, NULL));
    REFUSED(BAD, doca_mmap_dev_rm(mmap, dev));
    REFUSED(BAD, doca_mmap_export_dpu(NULL, dev, &desc, &n));
    REFUSED(BAD, doca_mmap_export_dpu(mmap, NULL, &desc, &n));
    REFUSED(BAD, doca_mmap_export_dpu(mmap, dev, NULL, &n));
    REFUSED(BAD, doca_mmap_export_rdma(mmap, dev, &desc, NULL));
    REFUSED(BAD, doca_mmap_create_from_export(NULL, NULL, 4, dev, &mmap));
    REFUSED(BAD, doca_mmap_create_from_export(NULL, "abcd", 0, dev, &mmap));
    REFUSED(BAD, doca_mmap_create_from_export(NULL, "abcd", 4, NULL, &mmap));
    REFUSED(BAD, doca_mmap_create_from_export(NULL, "abcd", 4, dev, NULL));
    REFUSED(BAD, doca_mmap_create_from_export(NULL, "abcd", 4, dev, &mmap));
    REFUSED(BAD, doca_mmap_set_memrange(NULL, &byte, 1));
    REFUSED(BAD, doca_mmap_set_memrange(mmap, NULL, 1));
    REFUSED(BAD, doca_mmap_set_memrange(mmap, &byte, 0));
    REFUSED(BAD, doca_mmap_set_memrange(mmap, &byte, SIZE_MAX));
    REFUSED(BAD, doca_mmap_set_dmabuf_memrange(NULL, 0, 0, 1));
    REFUSED(BAD, doca_mmap_set_dmabuf_memrange(mmap, -1, 0, 1));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_set_dmabuf_memrange(mmap, 0, 0, 1));
    REFUSED(BAD, doca_mmap_get_memrange(mmap, NULL, &n));
    REFUSED(BAD, doca_mmap_get_memrange(mmap, &p, NULL));
    REFUSED(BAD, doca_mmap_set_free_cb(NULL, never, NULL));
    REFUSED(BAD, doca_mmap_set_free_cb(mmap, NULL, NULL));
    REFUSED(BAD, doca_mmap_get_user_data(NULL, &data));
    REFUSED(BAD, doca_mmap_get_user_data(mmap, NULL));
    REFUSED(BAD, doca_mmap_get_max_num_devices(mmap, NULL));
    REFUSED(BAD, doca_mmap_get_num_bufs(NULL, &u32));
    REFUSED(BAD, doca_mmap_get_exported(NULL, &u8));
    REFUSED(BAD, doca_mmap_get_from_export(mmap, NULL));
    REFUSED(BAD, doca_mmap_set_max_num_devices(mmap, 0));
    REFUSED(BAD, doca_mmap_set_permissions(NULL, 0));
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(dev));
    assert_baseline(daemon);
}
END_TEST

START_TEST(permissions)
{
    struct doca_mmap *mmap;
    OK(doca_mmap_create(NULL, &mmap));
    for (uint32_t mask = 0; mask < 64; mask++)
        REFUSED((mask & 0x30) == 0x30 ? BAD : DOCA_SUCCESS, doca_mmap_set_permissions(mmap, mask));
    REFUSED(BAD, doca_mmap_set_permissions(mmap, 64));
    REFUSED(BAD, doca_mmap_set_permissions(mmap, UINT32_MAX));
    OK(doca_mmap_destroy(mmap));
}
END_TEST

START_TEST(states)
{
    struct daemon *daemon = host();
    struct doca_dev *dev = open_at("0b:00.0"), *other = open_at("0b:00.1");
    char text[64], more[64];
    void *address;
    size_t length;
    struct doca_mmap *mmap = make(text, sizeof(text), DOCA_ACCESS_LOCAL_READ_WRITE, dev);

    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(mmap, more, sizeof(more)));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_dmabuf_memrange(mmap, 0, 0, 1));
    REFUSED(DOCA_ERROR_IN_USE, doca_mmap_dev_add(mmap, dev));
    OK(doca_mmap_dev_add(mmap, other));
    REFUSED(BAD, doca_mmap_set_max_num_devices(mmap, 1));
    OK(doca_mmap_dev_rm(mmap, other));
    OK(doca_mmap_set_max_num_devices(mmap, 1));
    REFUSED(DOCA_ERROR_NO_MEMORY, doca_mmap_dev_add(mmap, other));

    OK(doca_mmap_start(mmap));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(mmap));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_mmap_set_memrange(mmap, more, sizeof(more)));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_mmap_set_dmabuf_memrange(mmap, 0, 0, 1));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_add(mmap, other));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(mmap, dev));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap, 4));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_mmap_set_permissions(mmap, 0));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_mmap_set_free_cb(mmap, never, NULL));
    OK(doca_mmap_get_memrange(mmap, &address, &length));
    ck_assert_ptr_eq(address, text);
    ck_assert_uint_eq(length, sizeof(text));

    OK(doca_mmap_stop(mmap));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap, 4));
    OK(doca_mmap_set_permissions(mmap, 0));
    OK(doca_mmap_dev_rm(mmap, dev));
    OK(doca_mmap_dev_add(mmap, other));
    OK(doca_mmap_start(mmap));
    // The device first, then the started map: programs do.
    OK(doca_dev_close(other));
    REFUSED(DOCA_ERROR_IN_USE, doca_dev_close(other));
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(dev));
    assert_baseline(daemon);
}
END_TEST

struct freed {
    void *address;
    size_t length;
    int calls;
};

static void on_free(void *address, size_t length, void *opaque)
{
    struct freed *freed = opaque;
    freed->address = address;
    freed->length = length;
    freed->calls++;
    munmap(address, length);
}

START_TEST(free_callback)
{
    struct daemon *daemon = host();
    struct doca_dev *dev = open_at("0b:00.0");
    struct freed freed = {0};
    size_t size = 3 * 4096;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct doca_mmap *mmap = make(p, size, DOCA_ACCESS_DPU_READ_WRITE, dev);
    OK(doca_mmap_set_free_cb(mmap, never, NULL));
    OK(doca_mmap_set_free_cb(mmap, on_free, &freed));
    OK(doca_mmap_destroy(mmap)); // never started: not called
    ck_assert_int_eq(freed.calls, 0);

    mmap = make(p, size, DOCA_ACCESS_DPU_READ_WRITE, dev);
    OK(doca_mmap_set_free_cb(mmap, on_free, &freed));
    OK(doca_mmap_start(mmap));
    OK(doca_mmap_stop(mmap));
    ck_assert_int_eq(freed.calls, 0);
    OK(doca_mmap_destroy(mmap));
    ck_assert_int_eq(freed.calls, 1);
    ck_assert_ptr_eq(freed.address, p);
    ck_assert_uint_eq(freed.length, size);
    OK(doca_dev_close(dev));
    assert_baseline(daemon);
}
END_TEST

// New memory at an address.
static void *mmap_page(void *at)
{
    return mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

START_TEST(bad_memory)
{
    struct daemon *daemon = host();
    struct doca_dev *dev = open_at("0b:00.0");
    size_t size = 4 * 4096;
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(p, 3, size);
    struct doca_mmap *mmap = make(p, size, DOCA_ACCESS_DPU_READ_WRITE, dev);
    munmap(p + 4096, 4096);
    REFUSED(BAD, doca_mmap_start(mmap));
    REFUSED(BAD, doca_mmap_start(mmap));
    ck_assert_int_eq(p[0], 3);
    // Once it is all there, the same map starts.
    ck_assert_ptr_eq(mmap_page(p + 4096), p + 4096);
    OK(doca_mmap_start(mmap));
    OK(doca_mmap_destroy(mmap));

    mmap = started(p + 2 * 4096, 4096, DOCA_ACCESS_DPU_READ_ONLY, dev);
    OK(doca_mmap_destroy(mmap));
    ck_assert_int_eq(mprotect(p, 4096, PROT_READ), 0);
    mmap = make(p, 4096, DOCA_ACCESS_DPU_READ_WRITE, dev);
    REFUSED(BAD, doca_mmap_start(mmap));
    OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_DPU_READ_ONLY));
    OK(doca_mmap_start(mmap));
    OK(doca_mmap_destroy(mmap));
    mmap = make((void *)0x1000, 64, DOCA_ACCESS_LOCAL_READ_ONLY, dev);
    REFUSED(BAD, doca_mmap_start(mmap));
    OK(doca_mmap_destroy(mmap));
    munmap(p, size);
    OK(doca_dev_close(dev));
    assert_baseline(daemon);
}
END_TEST

// ---- exports ----------------------------------------------------------------------

START_TEST(exports)
{
    struct daemon *daemon = host();
    struct doca_dev *pf0 = open_at("0b:00.0"), *pf1 = open_at("0b:00.1"), *vf = open_at("0b:00.2");
    struct daemon_counts counts;
    const void *a, *b, *c, *none = (void *)1;
    size_t a_size, b_size, c_size, size = 9;
    char text[6] = "hello";
    uint8_t exported;
    struct doca_mmap *mmap = make(text, sizeof(text), DOCA_ACCESS_DPU_READ_ONLY, pf0);
    OK(doca_mmap_dev_add(mmap, pf1));

    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_dpu(mmap, pf0, &none, &size));
    OK(doca_mmap_start(mmap));
    REFUSED(BAD, doca_mmap_export_dpu(mmap, vf, &none, &size));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_rdma(mmap, pf0, &none, &size));
    ck_assert_ptr_eq(none, (void *)1);
    ck_assert_uint_eq(size, 9);
    OK(doca_mmap_get_exported(mmap, &exported));
    ck_assert_uint_eq(exported, 0);

    OK(doca_mmap_export_dpu(mmap, pf0, &a, &a_size));
    OK(doca_mmap_export_dpu(mmap, pf1, &b, &b_size));
    OK(doca_mmap_export_dpu(mmap, pf0, &c, &c_size));
    ck_assert_uint_le(a_size, DESC_MAX);
    ck_assert_ptr_eq(a, c);
    ck_assert_uint_eq(a_size, c_size);
    ck_assert_ptr_ne(a, b);
    OK(doca_mmap_get_exported(mmap, &exported));
    ck_assert_uint_eq(exported, 1);
    daemon_counts(daemon, &counts);
    ck_assert_uint_eq(counts.regions, 1);
    ck_assert_uint_eq(counts.exports, 2);

    OK(doca_mmap_stop(mmap));
    OK(doca_mmap_get_exported(mmap, &exported));
    ck_assert_uint_eq(exported, 0);
    daemon_counts(daemon, &counts);
    ck_assert_uint_eq(counts.regions, 0);
    ck_assert_uint_eq(counts.exports, 0);
    OK(doca_mmap_set_permissions(mmap, DOCA_ACCESS_RDMA_READ));
    OK(doca_mmap_start(mmap));
    OK(doca_mmap_export_rdma(mmap, pf0, &a, &a_size));
    ck_assert_uint_le(a_size, DESC_MAX);
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_dpu(mmap, pf0, &none, &size));
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(pf0));
    OK(doca_dev_close(pf1));
    OK(doca_dev_close(vf));
    assert_baseline(daemon);
}
END_TEST

START_TEST(dpu_cannot_export)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){.role = "dpu"});
    use(daemon);
    struct doca_dev *dev = open_at("03:00.0");
    char text[6] = "hello";
    const void *desc;
    size_t size;
    struct doca_mmap *mmap = started(text, sizeof(text), DOCA_ACCESS_DPU_READ_ONLY, dev);
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_export_dpu(mmap, dev, &desc, &size));
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(dev));
    assert_baseline(daemon);
}
END_TEST

// What docad believes of the only region there is.
static void region_info(const struct daemon *daemon, uint64_t *mapped, uint64_t *brokered)
{
    int sock = raw_hello(daemon->socket.s);
    Docad__Message *reply = raw_list(sock, DOCAD__LIST__KIND__REGIONS, 0);
    ck_assert_uint_eq(reply->list_reply->n_regions, 1);
    *mapped = reply->list_reply->regions[0]->mapped_bytes;
    *brokered = reply->list_reply->regions[0]->brokered_bytes;
    docad__message__free_unpacked(reply, NULL);
    close(sock);
}

static bool all_are(const void *p, size_t size, uint8_t value)
{
    const uint8_t *bytes = p;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

START_TEST(registration)
{
    struct daemon *daemon = host();
    struct doca_dev *dev = open_at("0b:00.0");
    size_t page = 4096, size = 300 * page + 100;
    uint64_t mapped, brokered;
    uint8_t *p = malloc(size);
    memset(p, 0x31, size);

    static const uint32_t shared[] = {
        DOCA_ACCESS_DPU_READ_ONLY, DOCA_ACCESS_DPU_READ_WRITE, DOCA_ACCESS_RDMA_READ,
        DOCA_ACCESS_DPU_READ_ONLY | DOCA_ACCESS_RDMA_WRITE,
        DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_ATOMIC | DOCA_ACCESS_LOCAL_READ_WRITE};
    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
        struct doca_mmap *mmap = started(p, size, shared[i], dev);
        region_info(daemon, &mapped, &brokered);
        ck_assert_uint_ge(mapped, 299 * page);
        ck_assert_uint_eq(mapped + brokered, size);
        ck_assert_uint_eq(p[0] + p[size - 1], 0x62);
        memset(p, 0x31, size);
        OK(doca_mmap_destroy(mmap));
    }
    struct doca_mmap *mmap = started(p, size, DOCA_ACCESS_LOCAL_READ_WRITE, dev);
    region_info(daemon, &mapped, &brokered);
    ck_assert_uint_eq(mapped, 0);
    OK(doca_mmap_destroy(mmap));
    ck_assert(all_are(p, size, 0x31));
    free(p);
    OK(doca_dev_close(dev));
    assert_baseline(daemon);
}
END_TEST

START_TEST(without_devices)
{
    char text[64];
    struct doca_mmap *mmap = started(text, sizeof(text), DOCA_ACCESS_LOCAL_READ_WRITE, NULL);
    ck_assert(mmap_usable(mmap));
    OK(doca_mmap_stop(mmap));
    ck_assert(!mmap_usable(mmap));
    OK(doca_mmap_destroy(mmap));
}
END_TEST

START_TEST(live_buffers)
{
    char text[64];
    uint32_t n;
    struct doca_mmap *mmap = started(text, sizeof(text), DOCA_ACCESS_LOCAL_READ_WRITE, NULL);
    mmap_buf_get(mmap);
    mmap_buf_get(mmap);
    OK(doca_mmap_get_num_bufs(mmap, &n));
    ck_assert_uint_eq(n, 2);
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_stop(mmap));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
    ck_assert(mmap_usable(mmap));
    mmap_buf_put(mmap);
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_destroy(mmap));
    mmap_buf_put(mmap);
    OK(doca_mmap_destroy(mmap));
}
END_TEST

START_TEST(daemon_gone)
{
    struct daemon *daemon = host();
    struct doca_dev *dev = open_at("0b:00.0"), *fresh;
    const void *desc;
    size_t size, length = 10 * 4096;
    char *p = malloc(length);
    memset(p, 5, length);
    struct doca_mmap *mmap = started(p, length, DOCA_ACCESS_DPU_READ_WRITE, dev);
    struct doca_mmap *idle = make(p, length, DOCA_ACCESS_DPU_READ_WRITE, dev);
    daemon_kill(daemon);
    REFUSED(DOCA_ERROR_DRIVER, doca_mmap_export_dpu(mmap, dev, &desc, &size));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(idle));
    daemon_restart(daemon);
    fresh = open_at("0b:00.0");
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_dev_add(idle, fresh));
    OK(doca_mmap_dev_rm(idle, dev));
    OK(doca_mmap_dev_add(idle, fresh));
    OK(doca_mmap_stop(mmap));
    OK(doca_mmap_start(idle));
    OK(doca_mmap_destroy(idle));
    OK(doca_mmap_destroy(mmap));
    ck_assert(all_are(p, length, 5));
    free(p);
    OK(doca_dev_close(fresh));
    OK(doca_dev_close(dev));
    assert_baseline(daemon);
}
END_TEST

// ---- imports ------------------------------------------------------------------------

#define SHARED_SIZE (20 * 4096)

struct owner {
    uint32_t access;
    const char *pci;
};

// The host's side: exports a range, sends the descriptor, then does as it is told.
static int owner(struct child *self, void *arg)
{
    const struct owner *o = arg;
    struct doca_dev *dev = open_at(o->pci);
    uint8_t *block = malloc(SHARED_SIZE + 64), *p = block + 17; // not whole pages
    const void *desc;
    size_t size;
    for (size_t i = 0; i < SHARED_SIZE; i++)
        p[i] = (uint8_t)(i * 7);
    struct doca_mmap *mmap = started(p, SHARED_SIZE, o->access, dev);
    OK(doca_mmap_export_dpu(mmap, dev, &desc, &size));
    child_send(self, desc, size);
    child_wait(self, "look");
    child_send(self, p, 1);
    child_wait(self, "stop");
    OK(doca_mmap_stop(mmap));
    child_tell(self, "stopped");
    child_wait(self, "end");
    OK(doca_mmap_destroy(mmap));
    free(block);
    OK(doca_dev_close(dev));
    return 0;
}

static const struct memory_part *part_of(const struct memory *m, size_t at)
{
    for (size_t i = 0; i < m->n_parts; i++)
        if (m->start + at - m->parts[i].start < m->parts[i].length)
            return &m->parts[i];
    ck_abort_msg("byte %zu is nowhere", at);
}

START_TEST(import)
{
    const bool write = _i;
    struct node_pair pair = node_pair_start();
    struct owner o = {write ? DOCA_ACCESS_DPU_READ_WRITE : DOCA_ACCESS_DPU_READ_ONLY, "0b:00.2"};
    struct child *child = child_start(pair.host, "owner", owner, &o);
    uint8_t desc[DESC_MAX], flag;
    size_t size = child_receive(child, desc, sizeof(desc)), length;
    struct doca_mmap *mmap, *second, *none = (void *)1;
    union doca_data data = {.u64 = 42};
    void *address;
    const void *blob;
    use(pair.dpu);
    struct doca_dev *p0 = open_at("03:00.0"), *p1 = open_at("03:00.1");

    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_create_from_export(NULL, desc, size, p1, &none));
    ck_assert_ptr_eq(none, (void *)1);
    OK(doca_mmap_create_from_export(&data, desc, size, p0, &mmap));
    OK(doca_mmap_create_from_export(NULL, desc, size, p0, &second));
    memset(desc, 0, sizeof(desc));
    OK(doca_mmap_get_memrange(mmap, &address, &length));
    ck_assert_uint_eq(length, SHARED_SIZE);
    OK(doca_mmap_get_user_data(mmap, &data));
    ck_assert_uint_eq(data.u64, 42);
    OK(doca_mmap_get_from_export(mmap, &flag));
    ck_assert_uint_eq(flag, 1);
    ck_assert(mmap_usable(mmap));
    ck_assert(mmap_has_device(mmap, p0));
    ck_assert(!mmap_has_device(mmap, p1));

    const struct memory *m = mmap_memory(mmap);
    ck_assert(m->imported);
    ck_assert_uint_eq(m->access, o.access);
    ck_assert_uint_eq(m->start, (uintptr_t)address);
    ck_assert_int_eq(state_table_read(m->table, m->slot, m->import_id), SLOT_LIVE);
    ck_assert_ptr_nonnull(m->broker); // for the ends
    size_t local = 0;
    for (size_t i = 0; i < m->n_parts; i++) {
        const struct memory_part *part = &m->parts[i];
        for (size_t k = 0; part->local && k < part->length; k++)
            if (part->local[k] != (uint8_t)((part->start - m->start + k) * 7))
                ck_abort_msg("byte %zu of part %zu differs", k, i);
        local += part->local ? part->length : 0;
    }
    ck_assert_uint_ge(local, SHARED_SIZE - 2 * 4096);
    uint8_t *middle = part_of(m, SHARED_SIZE / 2)->local;
    if (write)
        middle[0] = 0xee;
    else
        ck_assert_int_ne(
            mprotect((void *)((uintptr_t)middle & ~4095ul), 4096, PROT_READ | PROT_WRITE), 0);

    // What is not for imported maps.
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(mmap));
    OK(doca_mmap_stop(mmap));
    OK(doca_mmap_stop(mmap));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(mmap, &data, 8));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_add(mmap, p1));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(mmap, p0));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_mmap_set_permissions(mmap, 0));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_mmap_set_free_cb(mmap, never, NULL));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap, 3));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_dpu(mmap, p0, &blob, &length));

    // A release of one leaves the other; the owner's stop ends it.
    OK(doca_mmap_destroy(second));
    ck_assert_int_eq(state_table_read(m->table, m->slot, m->import_id), SLOT_LIVE);
    OK(doca_dev_close(p0));
    child_tell(child, "look");
    child_receive(child, desc, sizeof(desc));
    child_tell(child, "stop");
    child_wait(child, "stopped");
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (state_table_read(m->table, m->slot, m->import_id) == SLOT_LIVE)
        ck_assert(deadline_pause(deadline));
    ck_assert_int_eq(state_table_read(m->table, m->slot, m->import_id), SLOT_OWNER_GONE);
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(p1));
    child_tell(child, "end");
    child_join(child);
    assert_baseline(pair.dpu);
    assert_baseline(pair.host);
}
END_TEST

START_TEST(import_refused)
{
    struct node_pair pair = node_pair_start();
    struct owner o = {DOCA_ACCESS_DPU_READ_ONLY, "0b:00.0"};
    struct child *child = child_start(pair.host, "owner", owner, &o);
    uint8_t desc[DESC_MAX + 8] = {0};
    size_t size = child_receive(child, desc, DESC_MAX);
    struct doca_mmap *none = (void *)1, *mmap;
    use(pair.dpu);
    struct doca_dev *p0 = open_at("03:00.0");

    for (size_t n = 1; n < size; n++)
        REFUSED(BAD, doca_mmap_create_from_export(NULL, desc, n, p0, &none));
    REFUSED(BAD, doca_mmap_create_from_export(NULL, desc, DESC_MAX + 1, p0, &none));
    for (size_t i = 0; i < size; i++) {
        desc[i] ^= 0x40;
        doca_error_t e = doca_mmap_create_from_export(NULL, desc, size, p0, &none);
        ck_assert(e == BAD || e == DOCA_ERROR_UNSUPPORTED_VERSION);
        desc[i] ^= 0x40;
    }
    ck_assert_ptr_eq(none, (void *)1);

    // After its owner has gone it is of no use, and says so.
    OK(doca_mmap_create_from_export(NULL, desc, size, p0, &mmap));
    child_tell(child, "look");
    uint8_t byte;
    child_receive(child, &byte, 1);
    child_tell(child, "stop");
    child_wait(child, "stopped");
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_create_from_export(NULL, desc, size, p0, &none));
    child_tell(child, "end");
    child_join(child);
    daemon_stop(pair.host);
    daemon_wait_links(pair.dpu, 0);
    REFUSED(DOCA_ERROR_DRIVER, doca_mmap_create_from_export(NULL, desc, size, p0, &none));
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(p0));
    assert_baseline(pair.dpu);
}
END_TEST

START_TEST(owner_killed)
{
    struct node_pair pair = node_pair_start();
    struct owner o = {DOCA_ACCESS_DPU_READ_WRITE, "0b:00.4"};
    struct child *child = child_start(pair.host, "owner", owner, &o);
    uint8_t desc[DESC_MAX];
    size_t size = child_receive(child, desc, sizeof(desc));
    struct doca_mmap *mmap;
    use(pair.dpu);
    struct doca_dev *p1 = open_at("03:00.1");
    OK(doca_mmap_create_from_export(NULL, desc, size, p1, &mmap));
    const struct memory *m = mmap_memory(mmap);
    child_kill(child);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (state_table_read(m->table, m->slot, m->import_id) == SLOT_LIVE)
        ck_assert(deadline_pause(deadline));
    ck_assert_int_eq(state_table_read(m->table, m->slot, m->import_id), SLOT_OWNER_GONE);
    // The bytes stay mapped until the map goes: nothing faults.
    ck_assert_uint_eq(part_of(m, 8192)->local[0] & 0, 0);
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(p1));
    assert_baseline(pair.dpu);
    assert_baseline(pair.host);
}
END_TEST

// ---- names --------------------------------------------------------------------------

static int publisher(struct child *self, void *arg)
{
    (void)arg;
    char text[64] = "published";
    struct doca_dev *dev = open_at("0b:00.0");
    const void *desc;
    size_t size;
    struct doca_mmap *mmap = started(text, sizeof(text), DOCA_ACCESS_DPU_READ_ONLY, dev);
    OK(doca_mmap_export_dpu(mmap, dev, &desc, &size));
    child_wait(self, "publish");
    OK(docad_export_publish("a name", desc, size));
    REFUSED(DOCA_ERROR_ALREADY_EXIST, docad_export_publish("a name", desc, size));
    OK(docad_export_publish("another", desc, size));
    OK(docad_export_unpublish("another"));
    REFUSED(DOCA_ERROR_NOT_FOUND, docad_export_unpublish("another"));
    REFUSED(BAD, docad_export_publish("bad", "xyz", 3));
    child_send(self, desc, size);
    child_wait(self, "stop");
    OK(doca_mmap_destroy(mmap));
    child_tell(self, "stopped");
    OK(doca_dev_close(dev));
    return 0;
}

START_TEST(names)
{
    struct node_pair pair = node_pair_start();
    struct child *child = child_start(pair.host, "publisher", publisher, NULL);
    uint8_t desc[DESC_MAX], found[DESC_MAX];
    size_t size, room = sizeof(found);
    char name[DOCAD_NAME_LENGTH_MAX + 2];
    use(pair.dpu);
    memset(name, 'n', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    REFUSED(BAD, docad_export_lookup(NULL, 0, found, &room));
    REFUSED(BAD, docad_export_lookup("a name", 0, NULL, &room));
    REFUSED(BAD, docad_export_lookup("a name", 0, found, NULL));
    REFUSED(BAD, docad_export_lookup("", 0, found, &room));
    REFUSED(BAD, docad_export_lookup(name, 0, found, &room));
    REFUSED(BAD, docad_export_publish("a name", NULL, 3));
    REFUSED(BAD, docad_export_unpublish(NULL));
    REFUSED(DOCA_ERROR_NOT_FOUND, docad_export_lookup("a name", 0, found, &room));
    REFUSED(DOCA_ERROR_TIME_OUT, docad_export_lookup("a name", 50, found, &room));
    ck_assert_uint_eq(room, sizeof(found));

    child_tell(child, "publish");
    OK(docad_export_lookup("a name", HARNESS_LIMIT_MS, found, &room));
    size = child_receive(child, desc, sizeof(desc));
    ck_assert_uint_eq(size, room);
    ck_assert_mem_eq(desc, found, size);
    room = size - 1;
    REFUSED(BAD, docad_export_lookup("a name", 0, found, &room));
    ck_assert_uint_eq(room, size - 1);
    room = sizeof(found);

    struct doca_dev *p0 = open_at("03:00.0");
    struct doca_mmap *mmap;
    OK(doca_mmap_create_from_export(NULL, found, size, p0, &mmap));
    // Six dozen bytes on a stack: all of it through the engine.
    ck_assert_ptr_null(mmap_memory(mmap)->parts[0].local);
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(p0));

    child_tell(child, "stop");
    child_wait(child, "stopped");
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (docad_export_lookup("a name", 0, found, &room) == DOCA_SUCCESS)
        ck_assert(deadline_pause(deadline));
    child_join(child);
    assert_baseline(pair.host);
    assert_baseline(pair.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mmap");
    TCase *tcase = tcase_create("mmap");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    const TTest *const tests[] = {
        defaults,     null_arguments, permissions,       states,       free_callback,
        bad_memory,   exports,        dpu_cannot_export, registration, without_devices,
        live_buffers, daemon_gone,    import_refused,    owner_killed, names,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, import, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
