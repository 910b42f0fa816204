// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// DMA jobs on mapped memory: what is copied where, what is refused, what ends.

#include "dma/dma_job.h"
#include "dma_rig.h"
#include "unit.h"

#include <string.h>

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

START_TEST(a_map_is_started_after_its_buffers_are_taken)
{
    uint8_t src[64], dst[64] = {0};
    struct doca_mmap from = local_map(src, sizeof(src)), to = local_map(dst, sizeof(dst));
    setup();
    fill(src, sizeof(src), 1);
    from.usable = to.usable = false;
    to.memory.access = 0;
    struct doca_buf *s = buffer(&from, src, 32, 32), *d = buffer(&to, dst, 64, 0);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED);
    from.usable = true;
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED);
    to.devices[0] = NULL; // taken from it before the start
    to.usable = true;
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED);
    to.devices[0] = &fake_dev;
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED); // not for writing
    ck_assert_uint_eq(d->data_len, 0);
    drop(d);
    to.usable = false;
    d = buffer(&to, dst, 64, 0);
    to.memory.access = DOCA_ACCESS_LOCAL_READ_WRITE;
    to.usable = true;
    for (int i = 0; i < 2; i++) // the first job finds out, the second knows
        ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
    ck_assert_uint_eq(d->data_len, 64);
    ck_assert_mem_eq(dst, src, 32);
    ck_assert_mem_eq(dst + 32, src, 32);
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
    // Starts at a buffer within the list.
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
    to.memory.access = DOCA_ACCESS_RDMA_WRITE; // not ours to write
    d = buffer(&to, b, 64, 0);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED);
    drop(d);
    to.memory.access = DOCA_ACCESS_DPU_READ_ONLY;
    d = buffer(&to, b, 64, 0);
    ck_assert_int_eq(copy(s, d), DOCA_ERROR_NOT_PERMITTED);
    drop(d);
    to.memory.access = DOCA_ACCESS_DPU_READ_WRITE; // devices may write, ours among them
    d = buffer(&to, b, 64, 0);
    ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
    drop(d);
    to.memory.access = DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_DPU_READ_ONLY;
    d = buffer(&to, b, 64, 0);
    ck_assert_int_eq(copy(s, d), DOCA_SUCCESS);
    for (size_t i = 0; i < ARRAY_SIZE(imports); i++) {
        fake_import(&import, b, 64, imports[i].access, SHIFT);
        struct doca_buf *remote = buffer(&import, shifted(b), 64, 64);
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
    drop(d);
    d = buffer(&to, b, 64, 0); // one that has learnt nothing of its map
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
    // The addresses need not exist: a job that is too large is refused before a byte is touched.
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
        struct doca_buf *remote = buffer(&import, shifted(a), 64, 32);
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

UNIT_MAIN("dma_moves", data_is_appended, a_map_is_started_after_its_buffers_are_taken,
          every_size_fits_exactly_or_not, lists_are_gathered_and_scattered, lists_have_a_limit,
          overlaps_are_as_memmove, buffers_are_checked_at_submission, access_is_checked,
          the_device_must_be_the_maps, data_outside_its_buffer_is_refused,
          the_largest_size_is_what_it_says, capabilities_and_lives, jobs_see_the_end_of_an_export)
