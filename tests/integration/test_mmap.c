// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps with a real daemon: states and errors, registration, exports. Imports have
// a test of their own; what moves the bytes is tested elsewhere.

#include "client.h"
#include "daemon.h"
#include "mmap/memory.h"
#include "request.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))
#define BAD                 DOCA_ERROR_INVALID_VALUE

static struct daemon *host(void)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){0});
    daemon_use(daemon);
    return daemon;
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
    struct doca_dev *dev = client_open(HOST_PF0);
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
    struct doca_dev *dev = client_open(HOST_PF0), *other = client_open(HOST_PF1);
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
    struct doca_dev *dev = client_open(HOST_PF0);
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
    struct doca_dev *dev = client_open(HOST_PF0);
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
    struct doca_dev *pf0 = client_open(HOST_PF0), *pf1 = client_open(HOST_PF1),
                    *vf = client_open("0b:00.2");
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
    ck_assert_uint_le(a_size, DOCAD_EXPORT_DESC_SIZE);
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
    ck_assert_uint_le(a_size, DOCAD_EXPORT_DESC_SIZE);
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
    daemon_use(daemon);
    struct doca_dev *dev = client_open(DPU_P0);
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

// Returns docad's view of the only region that exists.
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
    struct doca_dev *dev = client_open(HOST_PF0);
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
    struct doca_dev *dev = client_open(HOST_PF0), *fresh;
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
    fresh = client_open(HOST_PF0);
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
int main(void)
{
    Suite *suite = suite_create("mmap");
    TCase *tcase = tcase_create("mmap");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    const TTest *const tests[] = {
        defaults, null_arguments,    permissions,  states,          free_callback, bad_memory,
        exports,  dpu_cannot_export, registration, without_devices, live_buffers,  daemon_gone,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
