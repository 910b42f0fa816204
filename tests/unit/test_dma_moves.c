// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA jobs on maps that consist of what a test says, with engines that the test plays:
// every mixture of mapped and brokered bytes, every way to fail.

#include "buf/buf.h"
#include "dma/dma_job.h"
#include "fake_core.h"
#include "unit.h"
#include "work/broker.h"
#include "work/broker_queue.h"

#include <doca_buf_inventory.h>
#include <doca_dma.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// From our addresses to those of an owner. Volatile, so that the compiler does not take
// the sums for addresses of ours.
static const volatile ptrdiff_t SHIFT = (ptrdiff_t)1 << 40;

static const uint8_t node_a[NODE_ID_SIZE] = "node a", node_b[NODE_ID_SIZE] = "node b";

static struct doca_dma *dma;
static struct doca_ctx *ctx;
static struct doca_workq *workq;
static struct doca_buf_inventory *inventory;

static void setup_mode(bool event_driven)
{
    ck_assert_int_eq(doca_dma_create(&dma), DOCA_SUCCESS);
    ctx = doca_dma_as_ctx(dma);
    ck_assert_int_eq(doca_ctx_dev_add(ctx, &fake_dev), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_start(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_create(64, &workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_set_event_driven_enable(workq, event_driven), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_workq_add(ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_create(NULL, 256, 0, &inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_inventory_start(inventory), DOCA_SUCCESS);
}

static void setup(void)
{
    setup_mode(false);
}

static void teardown(void)
{
    ck_assert_int_eq(doca_ctx_workq_rm(ctx, workq), DOCA_SUCCESS);
    ck_assert_int_eq(doca_workq_destroy(workq), DOCA_SUCCESS);
    ck_assert_uint_eq(fake_engines_open, 0);
    ck_assert_int_eq(doca_buf_inventory_destroy(inventory), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_stop(ctx), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_destroy(dma), DOCA_SUCCESS); // with its device
    ck_assert_uint_eq(fake_dev.refs, 1);
}

static struct doca_buf *buffer(struct doca_mmap *map, const void *addr, size_t len, size_t data_len)
{
    struct doca_buf *buf;
    ck_assert_int_eq(doca_buf_inventory_buf_by_args(inventory, map, (void *)addr, len, (void *)addr,
                                                    data_len, &buf),
                     DOCA_SUCCESS);
    return buf;
}

static void drop(struct doca_buf *buf)
{
    ck_assert_int_eq(doca_buf_refcount_rm(buf, NULL), DOCA_SUCCESS);
}

static doca_error_t try_submit(const struct doca_buf *src, struct doca_buf *dst, uint64_t id)
{
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = ctx, .user_data.u64 = id},
        .src_buff = src,
        .dst_buff = dst};
    return doca_workq_submit(workq, &job.base);
}

static void submit(const struct doca_buf *src, struct doca_buf *dst, uint64_t id)
{
    ck_assert_int_eq(try_submit(src, dst, id), DOCA_SUCCESS);
}

static doca_error_t retrieve(uint64_t *id)
{
    struct doca_event event = {0};
    doca_error_t r = doca_workq_progress_retrieve(workq, &event, 0);
    if (r == DOCA_ERROR_AGAIN)
        return r;
    ck_assert_int_eq(event.type, DOCA_DMA_JOB_MEMCPY);
    ck_assert_int_eq(r, event.result.u64 == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_IO_FAILED);
    if (id)
        *id = event.user_data.u64;
    return (doca_error_t)event.result.u64;
}

// Submits, and retrieves at once.
static doca_error_t copy(const struct doca_buf *src, struct doca_buf *dst)
{
    submit(src, dst, 1);
    return retrieve(NULL);
}

static void serve_all(void)
{
    for (unsigned i = 0; i < fake_engines_made; i++)
        if (fake_engines[i].open)
            fake_serve(&fake_engines[i], SHIFT, 1, DOCA_SUCCESS);
}

// The same with the engines at work.
static doca_error_t copy_served(const struct doca_buf *src, struct doca_buf *dst)
{
    doca_error_t r;
    submit(src, dst, 1);
    while ((r = retrieve(NULL)) == DOCA_ERROR_AGAIN)
        serve_all();
    return r;
}

static void fill(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 131 + i / 253 + seed);
}

static struct doca_mmap local_map(void *p, size_t n)
{
    return fake_map(p, n, DOCA_ACCESS_LOCAL_READ_WRITE);
}

// ---- mapped from end to end ------------------------------------------------------------

START_TEST(data_is_appended)
{
    uint8_t src[100], dst[100] = {0};
    struct doca_mmap from = local_map(src, sizeof(src)), to = local_map(dst, sizeof(dst));
    setup();
    fill(src, sizeof(src), 1);
    struct doca_buf *s = buffer(&from, src, 100, 0), *d = buffer(&to, dst, 100, 0);
    ck_assert_int_eq(doca_buf_set_data(s, src + 7, 30), DOCA_SUCCESS);
    ck_assert_int_eq(doca_buf_set_data(d, dst + 10, 5), DOCA_SUCCESS);
    ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
    ck_assert_ptr_eq(d->data, dst + 10);
    ck_assert_uint_eq(d->data_len, 35);
    ck_assert_uint_eq(s->data_len, 30);
    ck_assert_mem_eq(dst + 15, src + 7, 30);
    for (size_t i = 0; i < 100; i++)
        ck_assert(i >= 15 && i < 45 ? true : dst[i] == 0);
    // again, behind it; then there is no room; then it is emptied
    ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
    ck_assert_uint_eq(d->data_len, 65);
    ck_assert_mem_eq(dst + 45, src + 7, 30);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(d->data_len, 65);
    ck_assert_int_eq(doca_buf_reset_data_len(d), DOCA_SUCCESS);
    ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
    ck_assert_uint_eq(d->data_len, 30);
    ck_assert_mem_eq(dst + 10, src + 7, 30);
    drop(s);
    drop(d);
    teardown();
}
END_TEST

START_TEST(every_size_fits_exactly_or_not)
{
    static const size_t sizes[] = {1,
                                   2,
                                   6,
                                   63,
                                   64,
                                   65,
                                   4095,
                                   4097,
                                   65537,
                                   DMA_STEP - 1,
                                   DMA_STEP,
                                   DMA_STEP + 1,
                                   3 * DMA_STEP + 5};
    size_t most = 3 * DMA_STEP + 64;
    uint8_t *src = malloc(most), *dst = malloc(most);
    struct doca_mmap from = local_map(src, most), to = local_map(dst, most);
    setup();
    fill(src, most, 3);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        size_t n = sizes[i], at = i % 4;
        memset(dst, 0, most);
        struct doca_buf *s = buffer(&from, src + i, n, n), *d = buffer(&to, dst + at, n, 0);
        ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
        ck_assert_uint_eq(d->data_len, n);
        ck_assert_mem_eq(dst + at, src + i, n);
        ck_assert_uint_eq(dst[at + n], 0);
        drop(d);
        if (n > 1) { // one byte too few
            d = buffer(&to, dst + at, n - 1, 0);
            ck_assert_int_eq(copy(s, d), DOCA_ERROR_INVALID_VALUE);
            ck_assert_uint_eq(d->data_len, 0);
            drop(d);
        }
        drop(s);
    }
    teardown();
    free(src);
    free(dst);
}
END_TEST

START_TEST(lists_are_gathered_and_scattered)
{
    uint8_t src[1000], dst[1000], expected[1000];
    struct doca_mmap from = local_map(src, 1000), to = local_map(dst, 1000);
    setup();
    fill(src, 1000, 9);
    // Source: 10, 0, 300 and 7 bytes. Destination: tailrooms of 5, 0, 200 and 400.
    struct doca_buf *s[4] = {buffer(&from, src, 50, 10), buffer(&from, src + 50, 50, 0),
                             buffer(&from, src + 100, 400, 300), buffer(&from, src + 600, 7, 7)};
    struct doca_buf *d[4] = {buffer(&to, dst, 20, 15), buffer(&to, dst + 20, 30, 30),
                             buffer(&to, dst + 100, 200, 0), buffer(&to, dst + 400, 500, 100)};
    for (int i = 1; i < 4; i++) {
        ck_assert_int_eq(doca_buf_list_chain(s[0], s[i]), DOCA_SUCCESS);
        ck_assert_int_eq(doca_buf_list_chain(d[0], d[i]), DOCA_SUCCESS);
    }
    uint8_t gathered[317];
    memcpy(gathered, src, 10);
    memcpy(gathered + 10, src + 100, 300);
    memcpy(gathered + 310, src + 600, 7);
    memset(dst, 0xee, 1000);
    memcpy(expected, dst, 1000);
    memcpy(expected + 15, gathered, 5);
    memcpy(expected + 100, gathered + 5, 200);
    memcpy(expected + 500, gathered + 205, 112);
    ck_assert_int_eq(copy(s[0], d[0]), DOCA_SUCCESS);
    ck_assert_mem_eq(dst, expected, 1000);
    static const size_t lens[] = {20, 30, 200, 212};
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(d[i]->data_len, lens[i]);
    // 288 bytes are left: a second time it does not fit, and nothing changes.
    ck_assert_int_eq(copy(s[0], d[0]), DOCA_ERROR_INVALID_VALUE);
    ck_assert_mem_eq(dst, expected, 1000);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(d[i]->data_len, lens[i]);
    // From a buffer within the list on.
    ck_assert_int_eq(copy(s[3], d[3]), DOCA_SUCCESS);
    ck_assert_uint_eq(d[3]->data_len, 219);
    ck_assert_mem_eq(dst + 612, src + 600, 7);
    drop(s[0]);
    drop(d[0]);
    teardown();
}
END_TEST

START_TEST(lists_have_a_limit)
{
    uint8_t src[DMA_LIST_MAX + 1], dst[2 * DMA_LIST_MAX] = {0};
    struct doca_mmap from = local_map(src, sizeof(src)), to = local_map(dst, sizeof(dst));
    uint32_t max;
    setup();
    fill(src, sizeof(src), 1);
    ck_assert_int_eq(doca_dma_get_max_list_buf_num_elem((struct doca_devinfo *)&fake_dev, &max),
                     DOCA_SUCCESS);
    ck_assert_uint_eq(max, DMA_LIST_MAX);
    struct doca_buf *s = buffer(&from, src, 1, 1), *d = buffer(&to, dst, 2, 0), *more;
    for (uint32_t i = 1; i < max; i++) {
        ck_assert_int_eq(doca_buf_list_chain(s, buffer(&from, src + i, 1, 1)), DOCA_SUCCESS);
        ck_assert_int_eq(doca_buf_list_chain(d, buffer(&to, dst + 2 * i, 2, 1)), DOCA_SUCCESS);
    }
    ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
    ck_assert_mem_eq(dst, src, 2);
    for (uint32_t i = 2; i < max; i++)
        ck_assert_uint_eq(dst[2 * i - 1], src[i]);
    more = buffer(&from, src + max, 1, 1);
    ck_assert_int_eq(doca_buf_list_chain(s, more), DOCA_SUCCESS);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_INVALID_VALUE);
    drop(s);
    s = buffer(&from, src, 1, 1);
    ck_assert_int_eq(doca_buf_list_chain(d, buffer(&to, dst, 100, 0)), DOCA_SUCCESS);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_INVALID_VALUE);
    drop(s);
    drop(d);
    teardown();
}
END_TEST

START_TEST(overlaps_are_as_memmove)
{
    size_t n = 2 * DMA_STEP + 100, most = n + 1000;
    uint8_t *p = malloc(most), *expected = malloc(most);
    struct doca_mmap map = local_map(p, most);
    static const struct {
        size_t from, to, length;
    } cases[] = {{0, 1, 100}, {1, 0, 100}, {0, 1000, 0}, {1000, 0, 0}, {0, 1, 0}, {5, 5, 0}};
    setup();
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        size_t length = cases[i].length ? cases[i].length : n;
        fill(p, most, (unsigned)i);
        memcpy(expected, p, most);
        memmove(expected + cases[i].to, expected + cases[i].from, length);
        struct doca_buf *s = buffer(&map, p + cases[i].from, length, length);
        struct doca_buf *d = buffer(&map, p + cases[i].to, length, 0);
        ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
        ck_assert_mem_eq(p, expected, most);
        drop(s);
        drop(d);
    }
    teardown();
    free(p);
    free(expected);
}
END_TEST

// ---- what is refused ---------------------------------------------------------------------

START_TEST(buffers_are_checked_at_submission)
{
    uint8_t p[10];
    struct doca_mmap map = local_map(p, 10);
    setup();
    struct doca_buf *s = buffer(&map, p, 5, 5), *d = buffer(&map, p + 5, 5, 0);
    ck_assert_int_eq(try_submit(NULL, d, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(try_submit(s, NULL, 1), DOCA_ERROR_INVALID_VALUE);
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY + 1, .ctx = ctx}, .src_buff = s, .dst_buff = d};
    ck_assert_int_eq(doca_workq_submit(workq, &job.base), DOCA_ERROR_INVALID_VALUE);
    drop(d);
    ck_assert_int_eq(try_submit(s, d, 1), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
    drop(s);
    teardown();
}
END_TEST

START_TEST(access_is_checked)
{
    uint8_t a[64], b[64];
    struct doca_mmap from, to, import;
    static const struct {
        uint32_t access;
        bool read, write;
    } imports[] = {
        {DOCA_ACCESS_DPU_READ_ONLY, true, false},
        {DOCA_ACCESS_DPU_READ_WRITE, true, true},
        {DOCA_ACCESS_LOCAL_READ_WRITE, false, false},
        {DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE, false, false},
    };
    setup();
    from = fake_map(a, 64, DOCA_ACCESS_LOCAL_READ_ONLY);
    to = fake_map(b, 64, DOCA_ACCESS_LOCAL_READ_ONLY);
    struct doca_buf *s = buffer(&from, a, 64, 64), *d = buffer(&to, b, 64, 0);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(d->data_len, 0);
    drop(d);
    to.memory.access = DOCA_ACCESS_DPU_READ_WRITE; // not ours to write
    d = buffer(&to, b, 64, 0);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED);
    drop(d);
    to.memory.access = DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_DPU_READ_ONLY;
    d = buffer(&to, b, 64, 0);
    ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
    for (size_t i = 0; i < ARRAY_SIZE(imports); i++) {
        fake_import(&import, b, 64, imports[i].access, SHIFT);
        struct doca_buf *remote = buffer(&import, b + SHIFT, 64, 64);
        doca_buf_reset_data_len(d);
        ck_assert_int_eq(copy(remote, d),
                         imports[i].read ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
        doca_buf_reset_data_len(remote);
        ck_assert_int_eq(copy(s, remote),
                         imports[i].write ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
        drop(remote);
    }
    drop(s);
    drop(d);
    teardown();
}
END_TEST

START_TEST(the_device_must_be_the_maps)
{
    uint8_t a[64], b[64];
    struct doca_mmap from = local_map(a, 64), to = local_map(b, 64);
    setup();
    fill(a, 64, 1);
    struct doca_buf *s = buffer(&from, a, 64, 64), *d = buffer(&to, b, 64, 0);
    from.devices[0] = &fake_other_dev;
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED);
    from.devices[1] = &fake_dev; // one of several
    to.devices[0] = NULL;
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_uint_eq(d->data_len, 0);
    to.devices[0] = &fake_dev;
    ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
    drop(s);
    drop(d);
    // A buffer taken anew knows nothing of its predecessor's map.
    struct doca_mmap foreign = local_map(a, 64);
    foreign.devices[0] = &fake_other_dev;
    s = buffer(&foreign, a, 64, 64);
    d = buffer(&foreign, a, 64, 0);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED);
    drop(s);
    drop(d);
    teardown();
}
END_TEST

START_TEST(data_outside_its_buffer_is_refused)
{
    uint8_t a[300], b[300];
    struct doca_mmap from = local_map(a, 300), to = local_map(b, 300);
    static const struct {
        ptrdiff_t at;
        size_t n;
    } wrong[] = {{-1, 5}, {0, 101}, {96, 5}, {101, 0}, {50, SIZE_MAX}, {100, SIZE_MAX}, {-1, 1}};
    setup();
    struct doca_buf *s = buffer(&from, a + 100, 100, 5), *d = buffer(&to, b + 100, 100, 0);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        doca_buf_set_data(s, a + 100 + wrong[i].at, wrong[i].n);
        ck_assert_int_eq(copy(s, d), DOCA_ERROR_INVALID_VALUE);
        doca_buf_set_data(s, a + 100, 5);
        doca_buf_set_data(d, b + 100 + wrong[i].at, wrong[i].n);
        ck_assert_int_eq(copy(s, d), DOCA_ERROR_INVALID_VALUE);
        doca_buf_set_data(d, b + 100, 0);
    }
    doca_buf_set_data(s, a + 100, 0); // nothing to copy
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_INVALID_VALUE);
    ck_assert_uint_eq(d->data_len, 0);
    drop(s);
    drop(d);
    teardown();
}
END_TEST

START_TEST(the_largest_size_is_what_it_says)
{
    uint64_t max;
    size_t range = (size_t)1 << 42;
    setup();
    ck_assert_int_eq(doca_dma_get_max_buf_size((struct doca_devinfo *)&fake_dev, &max),
                     DOCA_SUCCESS);
    ck_assert_uint_eq(max, DMA_SIZE_MAX);
    // Addresses suffice: what is too much is refused before a byte is touched.
    struct doca_mmap map = local_map((void *)0x10000, range);
    struct doca_buf *s = buffer(&map, (void *)0x10000, range, max + 1);
    struct doca_buf *d = buffer(&map, (void *)0x10000, range, 0);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_INVALID_VALUE);
    drop(s);
    drop(d);
    teardown();
}
END_TEST

START_TEST(capabilities_and_lives)
{
    struct doca_devinfo *can = (struct doca_devinfo *)&fake_dev;
    struct doca_devinfo *cannot = (struct doca_devinfo *)&fake_plain_dev;
    uint32_t n = 77;
    uint64_t size = 77;

    ck_assert_int_eq(doca_dma_job_get_supported(can, DOCA_DMA_JOB_MEMCPY), DOCA_SUCCESS);
    ck_assert_int_eq(doca_dma_job_get_supported(cannot, DOCA_DMA_JOB_MEMCPY),
                     DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_dma_job_get_supported(NULL, DOCA_DMA_JOB_MEMCPY),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_dma_job_get_supported(can, (enum doca_dma_job_types)5),
                     DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_dma_get_max_list_buf_num_elem(NULL, &n), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_dma_get_max_list_buf_num_elem(can, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_dma_get_max_list_buf_num_elem(cannot, &n), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_dma_get_max_buf_size(NULL, &size), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_dma_get_max_buf_size(can, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_dma_get_max_buf_size(cannot, &size), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_uint_eq(n, 77);
    ck_assert_uint_eq(size, 77);
    ck_assert_int_eq(doca_dma_create(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_dma_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(doca_dma_as_ctx(NULL));
    setup();
    ck_assert_int_eq(doca_dma_destroy(dma), DOCA_ERROR_IN_USE);
    ck_assert_ptr_eq(doca_dma_as_ctx(dma), ctx);
    struct doca_dma *second;
    ck_assert_int_eq(doca_dma_create(&second), DOCA_SUCCESS);
    ck_assert_int_eq(doca_ctx_dev_add(doca_dma_as_ctx(second), &fake_plain_dev),
                     DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_int_eq(doca_dma_destroy(second), DOCA_SUCCESS);
    teardown();
}
END_TEST

// ---- imports: their state -------------------------------------------------------------

START_TEST(jobs_see_the_end_of_an_export)
{
    uint8_t a[64], b[64];
    struct doca_mmap import, local = local_map(b, 64);
    static const struct {
        enum slot_state state;
        doca_error_t error;
    } ends[] = {{SLOT_REVOKED, DOCA_ERROR_NOT_PERMITTED},
                {SLOT_OWNER_GONE, DOCA_ERROR_CONNECTION_RESET},
                {SLOT_PEER_GONE, DOCA_ERROR_NOT_CONNECTED},
                {SLOT_FREE, DOCA_ERROR_CONNECTION_RESET}};
    setup();
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        fake_import(&import, a, 64, DOCA_ACCESS_DPU_READ_WRITE, SHIFT);
        struct doca_buf *remote = buffer(&import, a + SHIFT, 64, 32);
        struct doca_buf *here = buffer(&local, b, 64, 32);
        ck_assert_int_eq(copy(remote, here), DOCA_SUCCESS);
        doca_buf_set_data(here, b, 32);
        submit(remote, here, 1); // queued, and then it ends
        fake_set_state(import.memory.import_id, ends[i].state);
        ck_assert_int_eq(retrieve(NULL), ends[i].error);
        ck_assert_int_eq(copy(here, remote), ends[i].error);
        ck_assert_uint_eq(here->data_len, 32);
        ck_assert_uint_eq(remote->data_len, 32);
        drop(remote);
        drop(here);
    }
    teardown();
}
END_TEST

// ---- imports: brokered bytes ---------------------------------------------------------------

// An import of `n` bytes at `p` on node a or b, with the first `head` and the last `tail`
// bytes brokered.
static void brokered_import(struct doca_mmap *map, uint8_t *p, size_t n, size_t head, size_t tail,
                            const uint8_t *node)
{
    struct errtext err;
    fake_import(map, p, n, DOCA_ACCESS_DPU_READ_WRITE, SHIFT);
    map->memory.grant_key = 5;
    ck_assert_int_eq(broker_node_get(fake_session, node, &map->memory.broker, &err), DOCA_SUCCESS);
    if (head)
        fake_part(map, 0, false);
    if (head < n)
        fake_part(map, head, head + tail < n);
    if (tail && head + tail < n)
        fake_part(map, n - tail, false);
}

static void release(struct doca_mmap *map)
{
    map->memory.broker = broker_node_put(map->memory.broker);
}

START_TEST(every_mixture_of_mapped_and_brokered)
{
    enum { MOST = 300000 };
    static const struct {
        size_t n, head, tail;
    } kinds[] = {{6, 6, 0},         {6, 2, 2},          {5000, 0, 10},   {5000, 4000, 0},
                 {70000, 70000, 0}, {200000, 1, 70000}, {MOST, MOST, 0}, {MOST, 65536, 65537},
                 {MOST, 100, 100}};
    uint8_t *a = malloc(MOST), *b = malloc(MOST);
    struct doca_mmap from, to, here = local_map(b, MOST);
    setup();
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
            size_t n = kinds[i].n < kinds[k].n ? kinds[i].n : kinds[k].n;
            fill(a, MOST, (unsigned)(i + k));
            // Twice: engines of one daemon, and of two.
            for (int two = 0; two < 2; two++) {
                brokered_import(&from, a, kinds[i].n, kinds[i].head, kinds[i].tail, node_a);
                brokered_import(&to, b, kinds[k].n, kinds[k].head, kinds[k].tail,
                                two ? node_b : node_a);
                struct doca_buf *s = buffer(&from, a + SHIFT, kinds[i].n, n);
                struct doca_buf *d = buffer(&to, b + SHIFT, kinds[k].n, 0);
                memset(b, 0, MOST);
                ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS);
                ck_assert_mem_eq(a, b, n);
                ck_assert_uint_eq(d->data_len, n);
                ck_assert(n == MOST || b[n] == 0);
                drop(d);
                // and between what is brokered and what is local
                d = buffer(&here, b, MOST, 0);
                memset(b, 0, MOST);
                ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS);
                ck_assert_mem_eq(a, b, n);
                memset(a, 0, MOST);
                doca_buf_reset_data_len(s);
                ck_assert_int_eq(copy_served(d, s), DOCA_SUCCESS);
                ck_assert_mem_eq(a, b, n);
                drop(s);
                drop(d);
                release(&from);
                release(&to);
            }
        }
    }
    // One queue pair for each node, however many imports there were.
    ck_assert_uint_eq(fake_engines_made, 2);
    teardown();
    free(a);
    free(b);
}
END_TEST

START_TEST(small_buffers_in_a_list_over_a_brokered_import)
{
    uint8_t a[400], b[400] = {0};
    struct doca_mmap from, here = local_map(b, 400);
    setup();
    fill(a, 400, 77);
    brokered_import(&from, a, 400, 100, 90, node_a);
    struct doca_buf *s = buffer(&from, a + SHIFT, 37, 37), *d = buffer(&here, b, 23, 0);
    for (size_t at = 37; at < 400; at += 37) {
        size_t n = at + 37 < 400 ? 37 : 400 - at;
        doca_buf_list_chain(s, buffer(&from, a + SHIFT + at, n, n));
    }
    for (size_t at = 23; at < 400; at += 23)
        doca_buf_list_chain(d, buffer(&here, b + at, at + 23 < 400 ? 23 : 400 - at, 0));
    ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS);
    ck_assert_mem_eq(a, b, 400);
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

START_TEST(brokered_jobs_overlap_and_do_not_hold_up_others)
{
    enum { JOBS = 40, N = 100 }; // more than there are chunks
    static uint8_t a[JOBS * N], b[JOBS * N], c[N], e[N];
    struct doca_mmap from, here = local_map(b, sizeof(b)), plain = local_map(c, N);
    struct doca_mmap out = local_map(e, N);
    struct doca_buf *s[JOBS], *d[JOBS];
    bool seen[JOBS] = {0};
    uint64_t id;

    setup();
    fill(a, sizeof(a), 4);
    fill(c, N, 5);
    brokered_import(&from, a, sizeof(a), sizeof(a), 0, node_a);
    for (size_t i = 0; i < JOBS; i++) {
        s[i] = buffer(&from, a + SHIFT + i * N, N, N);
        d[i] = buffer(&here, b + i * N, N, 0);
        submit(s[i], d[i], i);
    }
    struct doca_buf *ps = buffer(&plain, c, N, N), *pd = buffer(&out, e, N, 0);
    submit(ps, pd, 1000);
    ck_assert_int_eq(retrieve(&id), DOCA_SUCCESS);
    ck_assert_uint_eq(id, 1000); // past 40 that wait
    ck_assert_mem_eq(c, e, N);
    ck_assert_int_eq(retrieve(&id), DOCA_ERROR_AGAIN);
    // All chunks are on their way at once.
    ck_assert_uint_eq(fake_serve(&fake_engines[0], SHIFT, 1000, DOCA_SUCCESS), QP_CHUNKS);
    for (int done = 0; done < JOBS;) {
        if (retrieve(&id) == DOCA_SUCCESS) {
            ck_assert_uint_lt(id, JOBS);
            ck_assert(!seen[id]);
            seen[id] = true;
            ck_assert_mem_eq(a + id * N, b + id * N, N);
            done++;
        } else {
            fake_serve(&fake_engines[0], SHIFT, 1, DOCA_SUCCESS);
        }
    }
    for (size_t i = 0; i < JOBS; i++) {
        drop(s[i]);
        drop(d[i]);
    }
    drop(ps);
    drop(pd);
    release(&from);
    teardown();
}
END_TEST

// Not allowed, and it must not hang or crash.
START_TEST(buffers_changed_under_way)
{
    enum { N = 3000000 }; // more than fits into the chunks at once
    uint8_t *a = malloc(N), *b = malloc(N);
    struct doca_mmap from, here = local_map(b, N);
    setup();
    brokered_import(&from, a, N, N, 0, node_a);
    for (int what = 0; what < 4; what++) {
        struct doca_buf *s = buffer(&from, a + SHIFT, N, N), *d = buffer(&here, b, N, 0);
        submit(s, d, 1);
        ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
        switch (what) {
        case 0:
            doca_buf_reset_data_len(s);
            break;
        case 1:
            doca_buf_set_data(s, a + SHIFT, SIZE_MAX);
            break;
        case 2:
            doca_buf_set_data(d, b + N, 0);
            break;
        case 3:
            doca_buf_set_data(d, b - N, N);
            break;
        }
        doca_error_t r;
        while ((r = retrieve(NULL)) == DOCA_ERROR_AGAIN)
            serve_all();
        ck_assert_int_eq(r, DOCA_ERROR_INVALID_VALUE);
        drop(s);
        drop(d);
    }
    release(&from);
    teardown();
    free(a);
    free(b);
}
END_TEST

// ---- engines that fail -------------------------------------------------------------------

START_TEST(an_engines_refusal_becomes_the_jobs_error)
{
    static const struct {
        uint32_t status;
        doca_error_t error;
    } cases[] = {{DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_NOT_PERMITTED},
                 {DOCA_ERROR_CONNECTION_RESET, DOCA_ERROR_CONNECTION_RESET},
                 {DOCA_ERROR_NOT_CONNECTED, DOCA_ERROR_NOT_CONNECTED},
                 {DOCA_ERROR_IO_FAILED, DOCA_ERROR_IO_FAILED},
                 {DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_IO_FAILED},
                 {DOCA_ERROR_AGAIN, DOCA_ERROR_IO_FAILED},
                 {0xdeadbeef, DOCA_ERROR_IO_FAILED}};
    static uint8_t a[200000], b[200000];
    struct doca_mmap from, here = local_map(b, sizeof(b));
    setup();
    fill(a, sizeof(a), 1);
    brokered_import(&from, a, sizeof(a), sizeof(a), 0, node_a);
    struct doca_buf *s = buffer(&from, a + SHIFT, sizeof(a), sizeof(a));
    struct doca_buf *d = buffer(&here, b, sizeof(b), 0);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        for (int second = 0; second < 2; second++) { // the first piece fails, or the second
            submit(s, d, 1);
            ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
            if (second)
                fake_serve(&fake_engines[0], SHIFT, 1, DOCA_SUCCESS);
            fake_serve(&fake_engines[0], SHIFT, 1, cases[i].status);
            // It ends only when none of its pieces is on the way any more.
            ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
            fake_serve(&fake_engines[0], SHIFT, 1000, DOCA_SUCCESS);
            ck_assert_int_eq(retrieve(NULL), cases[i].error);
            ck_assert_uint_eq(d->data_len, 0);
        }
    }
    ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS); // the queue pair is in order
    ck_assert_mem_eq(a, b, sizeof(a));
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

START_TEST(a_dead_queue_pair_fails_its_jobs_and_is_replaced)
{
    static uint8_t a[100], b[100], c[100];
    struct doca_mmap from, again, to, here = local_map(b, 100);
    static const struct {
        enum slot_state state; // FREE: docad dies instead
        doca_error_t error;
    } ends[] = {{SLOT_PEER_GONE, DOCA_ERROR_NOT_CONNECTED},
                {SLOT_OWNER_GONE, DOCA_ERROR_CONNECTION_RESET},
                {SLOT_FREE, DOCA_ERROR_NOT_CONNECTED}};
    setup();
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        fake_alive = true;
        brokered_import(&from, a, 100, 100, 0, node_a);
        brokered_import(&to, c, 100, 100, 0, node_b);
        struct fake_engine *engine = &fake_engines[fake_engines_made - (i ? 1 : 2)];
        struct doca_buf *s = buffer(&from, a + SHIFT, 100, 100), *d = buffer(&here, b, 100, 0);
        struct doca_buf *far = buffer(&to, c + SHIFT, 100, 0);
        submit(s, d, 1);
        submit(s, far, 2); // on its first half
        ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
        if (ends[i].state == SLOT_FREE)
            fake_alive = false;
        else
            fake_set_state(engine->id, ends[i].state);
        doca_error_t r;
        int polls = 0;
        while ((r = retrieve(NULL)) == DOCA_ERROR_AGAIN && polls < 5000)
            polls++;
        ck_assert_int_eq(r, ends[i].error);
        while ((r = retrieve(NULL)) == DOCA_ERROR_AGAIN && polls < 5000)
            polls++;
        ck_assert_int_eq(r, ends[i].error);
        ck_assert_uint_eq(d->data_len, 0);
        ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_CONNECTED); // nobody there
        fake_alive = true;
        brokered_import(&again, a, 100, 100, 0, node_a); // a new import brings it back
        drop(s);
        s = buffer(&again, a + SHIFT, 100, 100);
        fill(a, 100, (unsigned)i);
        ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS);
        ck_assert_mem_eq(a, b, 100);
        drop(s);
        drop(d);
        drop(far);
        release(&from);
        release(&again);
        release(&to);
    }
    teardown();
}
END_TEST

START_TEST(impossible_completions_fail_the_queue_pair)
{
    static uint8_t a[100], b[100];
    struct doca_mmap from, here = local_map(b, 100);
    for (int kind = 0; kind < 5; kind++) {
        setup();
        brokered_import(&from, a, 100, 100, 0, node_a);
        struct fake_engine *engine = &fake_engines[fake_engines_made - 1];
        struct qp_shared *shared = engine->server.shared;
        struct doca_buf *s = buffer(&from, a + SHIFT, 100, 100), *d = buffer(&here, b, 100, 0);
        submit(s, d, 1);
        ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
        switch (kind) {
        case 0: // more than was asked for
            atomic_store(&shared->completion_head, 2);
            break;
        case 1: // behind what was taken
            atomic_store(&shared->completion_head, UINT32_MAX);
            break;
        case 2: // a tag that is no chunk
            shared->completions[0].tag = QP_CHUNKS;
            atomic_store(&shared->completion_head, 1);
            break;
        case 3: // a chunk that nobody uses
            shared->completions[0].tag = 3;
            atomic_store(&shared->completion_head, 1);
            break;
        case 4: // a tag that only looks like one
            shared->completions[0].tag = UINT32_MAX & ~(QP_CHUNKS - 1);
            atomic_store(&shared->completion_head, 1);
            break;
        }
        ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_IO_FAILED);
        ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_CONNECTED); // no other queue pair
        ck_assert_uint_eq(d->data_len, 0);
        drop(s);
        drop(d);
        release(&from);
        teardown();
    }
}
END_TEST

START_TEST(a_scribbler_harms_nobody_but_itself)
{
    static uint8_t a[300000], b[300000];
    struct doca_mmap from, to, here = local_map(b, sizeof(b));
    unsigned seed = 1;
    for (int round = 0; round < 40; round++) {
        setup();
        brokered_import(&from, a, sizeof(a), sizeof(a), 0, node_a);
        brokered_import(&to, b, sizeof(b), sizeof(b), 0, node_b);
        struct fake_engine *engine = &fake_engines[fake_engines_made - 2];
        struct doca_buf *s = buffer(&from, a + SHIFT, sizeof(a), sizeof(a));
        struct doca_buf *d[2] = {buffer(&here, b, sizeof(b), 0),
                                 buffer(&to, b + SHIFT, sizeof(b), 0)};
        submit(s, d[0], 1);
        submit(s, d[1], 2);
        int ended = 0;
        for (int polls = 0; ended < 2 && polls < 10000; polls++) {
            uint8_t *page = (uint8_t *)engine->server.shared;
            seed = seed * 1103515245 + 12345;
            if (engine->open) // a queue pair that failed is taken away
                page[64 + (seed >> 8) % 4000] = (uint8_t)(seed >> 24); // behind the magic
            if (retrieve(NULL) != DOCA_ERROR_AGAIN)
                ended++;
            if (polls > 9000)
                fake_set_state(engine->id, SLOT_PEER_GONE);
            fake_serve(&fake_engines[fake_engines_made - 1], SHIFT, 1, DOCA_SUCCESS);
        }
        ck_assert_int_eq(ended, 2);
        drop(s);
        drop(d[0]);
        drop(d[1]);
        release(&from);
        release(&to);
        teardown();
    }
}
END_TEST

START_TEST(a_node_out_of_reach_fails_only_its_jobs)
{
    static uint8_t a[100], b[100];
    struct doca_mmap from, here = local_map(b, 100);
    struct errtext err;
    struct broker_node *node = NULL;
    setup();
    ck_assert_int_eq(doca_ctx_workq_rm(ctx, workq), DOCA_SUCCESS);
    brokered_import(&from, a, 100, 100, 0, node_a); // no work queue: no queue pair yet
    ck_assert_uint_eq(fake_engines_made, 0);
    fake_create_error = DOCA_ERROR_NO_MEMORY;
    ck_assert_int_eq(doca_ctx_workq_add(ctx, workq), DOCA_ERROR_NO_MEMORY);
    fake_create_error = DOCA_ERROR_UNKNOWN;
    ck_assert_int_eq(doca_ctx_workq_add(ctx, workq), DOCA_ERROR_INITIALIZATION);
    ck_assert_int_eq(doca_ctx_workq_rm(ctx, workq), DOCA_ERROR_NOT_FOUND);
    fake_create_error = DOCA_ERROR_NOT_CONNECTED;
    ck_assert_int_eq(doca_ctx_workq_add(ctx, workq), DOCA_SUCCESS);
    struct doca_buf *s = buffer(&from, a + SHIFT, 100, 100), *d = buffer(&here, b, 100, 0);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_CONNECTED);
    // An import that needs a queue pair and cannot have it fails, and leaves nothing.
    ck_assert_int_eq(broker_node_get(fake_session, node_b, &node, &err), DOCA_ERROR_NOT_CONNECTED);
    ck_assert_ptr_null(node);
    fake_create_error = DOCA_SUCCESS;
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

START_TEST(queue_pairs_of_no_use_do_not_pile_up)
{
    static uint8_t a[100], b[100];
    struct doca_mmap from, here = local_map(b, 100);
    struct doca_buf *d;
    uint8_t node[NODE_ID_SIZE] = "node 0";
    setup();
    d = buffer(&here, b, 100, 0);
    for (int i = 0; i < 60; i++) {
        node[5] = (uint8_t)i;
        brokered_import(&from, a, 100, 100, 0, node);
        struct doca_buf *s = buffer(&from, a + SHIFT, 100, 100);
        doca_buf_reset_data_len(d);
        ck_assert_int_eq(copy_served(s, d), DOCA_SUCCESS);
        drop(s);
        release(&from);
        ck_assert_uint_le(fake_engines_open, 12);
    }
    drop(d);
    teardown();
}
END_TEST

// ---- event-driven mode ---------------------------------------------------------------------

static bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

START_TEST(the_handle_wakes_for_brokered_jobs)
{
    static uint8_t a[200000], b[200000];
    struct doca_mmap from, here = local_map(b, sizeof(b));
    doca_event_handle_t handle;
    setup_mode(true);
    ck_assert_int_eq(doca_workq_get_event_handle(workq, &handle), DOCA_SUCCESS);
    fill(a, sizeof(a), 1);
    brokered_import(&from, a, sizeof(a), sizeof(a), 0, node_a); // after the port was opened
    struct doca_buf *s = buffer(&from, a + SHIFT, sizeof(a), sizeof(a));
    struct doca_buf *d = buffer(&here, b, sizeof(b), 0);
    submit(s, d, 1);
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS); // hands it over
    ck_assert(!readable(handle));
    doca_error_t r = DOCA_ERROR_AGAIN;
    for (int wakes = 0; r == DOCA_ERROR_AGAIN; wakes++) {
        ck_assert_int_lt(wakes, 10);
        ck_assert_uint_eq(fake_serve(&fake_engines[0], SHIFT, 1, DOCA_SUCCESS), 1);
        ck_assert(readable(handle));
        ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
        ck_assert(!readable(handle));
        r = retrieve(NULL);
        ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    }
    ck_assert_int_eq(r, DOCA_SUCCESS);
    ck_assert_mem_eq(a, b, sizeof(a));
    ck_assert(!readable(handle));

    // A completion that came before arming.
    doca_buf_reset_data_len(d);
    doca_buf_set_data(s, a + SHIFT, 10);
    submit(s, d, 2);
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(fake_serve(&fake_engines[0], SHIFT, 1, DOCA_SUCCESS), 1);
    ck_assert(!readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    ck_assert_int_eq(retrieve(NULL), DOCA_SUCCESS);
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

START_TEST(the_handle_wakes_when_the_engine_goes)
{
    static uint8_t a[100], b[100];
    struct doca_mmap from, here = local_map(b, 100);
    doca_event_handle_t handle;
    setup_mode(true);
    ck_assert_int_eq(doca_workq_get_event_handle(workq, &handle), DOCA_SUCCESS);
    brokered_import(&from, a, 100, 100, 0, node_a);
    struct doca_buf *s = buffer(&from, a + SHIFT, 100, 100), *d = buffer(&here, b, 100, 0);
    // The last completion and the end come together: what was done counts.
    submit(s, d, 1);
    submit(s, d, 2);
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(!readable(handle));
    ck_assert_uint_eq(fake_serve(&fake_engines[0], SHIFT, 1, DOCA_SUCCESS), 1);
    fake_set_state(fake_engines[0].id, SLOT_PEER_GONE);
    qp_server_fini(&fake_engines[0].server);
    ck_assert(readable(handle));
    ck_assert_int_eq(doca_workq_event_handle_clear(workq, handle), DOCA_SUCCESS);
    ck_assert_int_eq(retrieve(NULL), DOCA_SUCCESS);
    ck_assert_int_eq(retrieve(NULL), DOCA_ERROR_NOT_CONNECTED);
    // and the closed channel does not wake for ever
    ck_assert_int_eq(doca_workq_event_handle_arm(workq), DOCA_SUCCESS);
    ck_assert(!readable(handle));
    drop(s);
    drop(d);
    release(&from);
    teardown();
}
END_TEST

UNIT_MAIN("dma_moves", data_is_appended, every_size_fits_exactly_or_not,
          lists_are_gathered_and_scattered, lists_have_a_limit, overlaps_are_as_memmove,
          buffers_are_checked_at_submission, access_is_checked, the_device_must_be_the_maps,
          data_outside_its_buffer_is_refused, the_largest_size_is_what_it_says,
          capabilities_and_lives, jobs_see_the_end_of_an_export,
          every_mixture_of_mapped_and_brokered, small_buffers_in_a_list_over_a_brokered_import,
          brokered_jobs_overlap_and_do_not_hold_up_others, buffers_changed_under_way,
          an_engines_refusal_becomes_the_jobs_error,
          a_dead_queue_pair_fails_its_jobs_and_is_replaced,
          impossible_completions_fail_the_queue_pair, a_scribbler_harms_nobody_but_itself,
          a_node_out_of_reach_fails_only_its_jobs, queue_pairs_of_no_use_do_not_pile_up,
          the_handle_wakes_for_brokered_jobs, the_handle_wakes_when_the_engine_goes)
