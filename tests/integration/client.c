// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "client.h"

#include "deadline.h"

#include <check.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>

uint8_t brokered_memory[BROKERED_SIZE] = {1};

uint8_t *pages_new(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    return memory;
}

struct doca_dev *client_open(const char *pci_address)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;
    ck_assert_success(doca_devinfo_list_create(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        uint8_t equal;
        ck_assert_success(doca_devinfo_get_is_pci_addr_equal(list[i], pci_address, &equal));
        if (equal)
            ck_assert_success(doca_dev_open(list[i], &dev));
    }
    ck_assert_success(doca_devinfo_list_destroy(list));
    ck_assert_msg(dev != NULL, "there is no device %s", pci_address);
    return dev;
}

void workq_sleep(struct doca_workq *workq, doca_event_handle_t handle)
{
    struct pollfd p = {.fd = handle, .events = POLLIN};
    ck_assert_success(doca_workq_event_handle_arm(workq));
    ck_assert_msg(poll(&p, 1, HARNESS_LIMIT_MS) == 1, "nobody wakes the sleeper");
    ck_assert_success(doca_workq_event_handle_clear(workq, handle));
}

// ---- the host's side ---------------------------------------------------------------

void exporter_start(struct exporter *e, const char *pci_address, void *memory, size_t size,
                    uint32_t access)
{
    const void *desc;
    e->dev = client_open(pci_address);
    ck_assert_success(doca_mmap_create(NULL, &e->mmap));
    ck_assert_success(doca_mmap_set_memrange(e->mmap, memory, size));
    ck_assert_success(doca_mmap_set_permissions(e->mmap, access));
    ck_assert_success(doca_mmap_dev_add(e->mmap, e->dev));
    ck_assert_success(doca_mmap_start(e->mmap));
    ck_assert_success(doca_mmap_export_dpu(e->mmap, e->dev, &desc, &e->desc_len));
    ck_assert_uint_le(e->desc_len, sizeof(e->desc));
    memcpy(e->desc, desc, e->desc_len);
}

void exporter_stop(struct exporter *e)
{
    ck_assert_success(doca_mmap_destroy(e->mmap));
    ck_assert_success(doca_dev_close(e->dev));
}

// ---- the DPU's side ------------------------------------------------------------------

void copier_start(struct copier *c, const char *pci_address, size_t size)
{
    *c = (struct copier){.size = size, .memory = pages_new(size)};
    c->dev = client_open(pci_address);
    ck_assert_success(doca_dma_create(&c->dma));
    c->ctx = doca_dma_as_ctx(c->dma);
    ck_assert_success(doca_ctx_dev_add(c->ctx, c->dev));
    ck_assert_success(doca_ctx_start(c->ctx));
    ck_assert_success(doca_workq_create(4, &c->workq));
    ck_assert_success(doca_ctx_workq_add(c->ctx, c->workq));
    ck_assert_success(doca_buf_inventory_create(NULL, 4, DOCA_BUF_EXTENSION_NONE, &c->inventory));
    ck_assert_success(doca_buf_inventory_start(c->inventory));
    ck_assert_success(doca_mmap_create(NULL, &c->local));
    ck_assert_success(doca_mmap_set_memrange(c->local, c->memory, size));
    ck_assert_success(doca_mmap_dev_add(c->local, c->dev));
    ck_assert_success(doca_mmap_start(c->local));
}

void copier_stop(struct copier *c)
{
    copier_release(c);
    ck_assert_success(doca_mmap_destroy(c->local));
    ck_assert_success(doca_buf_inventory_destroy(c->inventory));
    ck_assert_success(doca_ctx_workq_rm(c->ctx, c->workq));
    ck_assert_success(doca_workq_destroy(c->workq));
    ck_assert_success(doca_ctx_stop(c->ctx));
    ck_assert_success(doca_dma_destroy(c->dma));
    ck_assert_success(doca_dev_close(c->dev));
    munmap(c->memory, c->size);
}

doca_error_t copier_try_import(struct copier *c, const void *desc, size_t desc_len)
{
    doca_error_t r = doca_mmap_create_from_export(NULL, desc, desc_len, c->dev, &c->remote);
    if (r == DOCA_SUCCESS)
        ck_assert_success(doca_mmap_get_memrange(c->remote, (void **)&c->address, &c->length));
    return r;
}

void copier_import(struct copier *c, const void *desc, size_t desc_len)
{
    ck_assert_success(copier_try_import(c, desc, desc_len));
}

void copier_release(struct copier *c)
{
    if (c->remote)
        ck_assert_success(doca_mmap_destroy(c->remote));
    c->remote = NULL;
}

static doca_error_t run_job(struct copier *c, struct doca_buf *dst, struct doca_buf *src)
{
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = c->ctx, .user_data = {.u64 = 7}},
        .dst_buff = dst,
        .src_buff = src,
    };
    struct doca_event event;
    doca_error_t result;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    ck_assert_success(doca_workq_submit(c->workq, &job.base));
    do {
        ck_assert_msg(now_ms() < deadline, "a job hangs");
        result = doca_workq_progress_retrieve(c->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
    } while (result == DOCA_ERROR_AGAIN);
    ck_assert_uint_eq(event.user_data.u64, 7);
    if (result == DOCA_SUCCESS)
        return DOCA_SUCCESS;
    ck_assert_error(result, DOCA_ERROR_IO_FAILED);
    ck_assert_uint_ne(event.result.u64, DOCA_SUCCESS);
    return (doca_error_t)event.result.u64;
}

static doca_error_t copy(struct copier *c, struct doca_mmap *to, void *to_address,
                         struct doca_mmap *from, void *from_address, size_t length)
{
    struct doca_buf *dst, *src;
    ck_assert_success(doca_buf_inventory_buf_by_addr(c->inventory, to, to_address, length, &dst));
    ck_assert_success(
        doca_buf_inventory_buf_by_data(c->inventory, from, from_address, length, &src));
    doca_error_t result = run_job(c, dst, src);
    ck_assert_success(doca_buf_refcount_rm(dst, NULL));
    ck_assert_success(doca_buf_refcount_rm(src, NULL));
    return result;
}

doca_error_t copier_read(struct copier *c, size_t offset, size_t length)
{
    return copy(c, c->local, c->memory, c->remote, c->address + offset, length);
}

doca_error_t copier_write(struct copier *c, size_t offset, size_t length)
{
    return copy(c, c->remote, c->address + offset, c->local, c->memory, length);
}

doca_error_t copier_read_until_error(struct copier *c)
{
    doca_error_t result;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    do {
        ck_assert_msg(now_ms() < deadline, "copies go on");
        result = copier_read(c, 0, c->length < c->size ? c->length : c->size);
    } while (result == DOCA_SUCCESS);
    return result;
}
