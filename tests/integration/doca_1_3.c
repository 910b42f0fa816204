// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "doca_1_3.h"

#include "deadline.h"

#include <stdio.h>

struct doca_dev *open_1_3(const char *pci_address)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    struct doca_pci_bdf bdf;
    uint32_t n;
    unsigned bus, device, function;
    ck_assert_int_eq(sscanf(pci_address, "%x:%x.%x", &bus, &device, &function), 3);
    ck_assert_success(doca_devinfo_list_create(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        ck_assert_success(doca_devinfo_property_get(list[i], DOCA_DEVINFO_PROPERTY_PCI_ADDR,
                                                    (uint8_t *)&bdf, sizeof(bdf)));
        if (bdf.bus == bus && bdf.device == device && bdf.function == function)
            ck_assert_success(doca_dev_open(list[i], &dev));
    }
    ck_assert_ptr_nonnull(dev);
    ck_assert_success(doca_devinfo_list_destroy(list));
    return dev;
}

void rig_open(struct rig_1_3 *r, const char *pci_address, size_t buffers)
{
    r->dev = open_1_3(pci_address);
    ck_assert_success(doca_dma_create(&r->dma));
    r->ctx = doca_dma_as_ctx(r->dma);
    ck_assert_success(doca_ctx_dev_add(r->ctx, r->dev));
    ck_assert_success(doca_ctx_start(r->ctx));
    ck_assert_success(doca_workq_create(8, &r->workq));
    ck_assert_success(doca_ctx_workq_add(r->ctx, r->workq));
    ck_assert_success(
        doca_buf_inventory_create("buffers", buffers, DOCA_BUF_EXTENSION_NONE, &r->inventory));
    ck_assert_success(doca_buf_inventory_start(r->inventory));
}

void rig_close(struct rig_1_3 *r)
{
    ck_assert_success(doca_ctx_workq_rm(r->ctx, r->workq));
    ck_assert_success(doca_ctx_stop(r->ctx));
    ck_assert_success(doca_ctx_dev_rm(r->ctx, r->dev));
    ck_assert_success(doca_workq_destroy(r->workq));
    ck_assert_success(doca_dma_destroy(r->dma));
    ck_assert_success(doca_buf_inventory_destroy(r->inventory));
    ck_assert_success(doca_dev_close(r->dev));
}

struct doca_mmap *empty_map_1_3(uint32_t max_chunks)
{
    struct doca_mmap *map;
    ck_assert_success(doca_mmap_create("map", &map));
    ck_assert_success(doca_mmap_property_set(map, DOCA_MMAP_MAX_NUM_CHUNKS,
                                             (const uint8_t *)&max_chunks, sizeof(max_chunks)));
    ck_assert_success(doca_mmap_start(map));
    return map;
}

struct doca_mmap *map_1_3(struct doca_dev *dev, uint32_t max_chunks, void *memory, size_t size)
{
    struct doca_mmap *map = empty_map_1_3(max_chunks);
    ck_assert_success(doca_mmap_dev_add(map, dev));
    ck_assert_success(doca_mmap_populate(map, memory, size, 4096, NULL, NULL));
    return map;
}

struct doca_buf *buf_1_3(struct rig_1_3 *r, struct doca_mmap *map, void *address, size_t size)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_by_addr(r->inventory, map, address, size, &buf));
    return buf;
}

struct doca_dma_job_memcpy job_1_3(struct rig_1_3 *r, struct doca_buf *from, struct doca_buf *to,
                                   uint64_t n)
{
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .flags = DOCA_JOB_FLAGS_NONE, .ctx = r->ctx},
        .dst_buff = to,
        .src_buff = from,
        .num_bytes_to_copy = n};
    return job;
}

doca_error_t retrieve_1_3(struct doca_workq *workq)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct doca_event event = {0};
    doca_error_t e;
    while ((e = doca_workq_progress_retrieve(workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE)) ==
           DOCA_ERROR_AGAIN)
        ck_assert_int_gt(deadline_left(deadline), 0);
    ck_assert_success(e);
    ck_assert_int_eq(event.type, DOCA_DMA_JOB_MEMCPY);
    return (doca_error_t)event.result.u64;
}

doca_error_t copy_1_3(struct rig_1_3 *r, struct doca_buf *from, struct doca_buf *to, uint64_t n)
{
    struct doca_dma_job_memcpy job = job_1_3(r, from, to, n);
    ck_assert_success(doca_workq_submit(r->workq, &job.base));
    memset(&job, 0xa5, sizeof(job)); // it was copied
    return retrieve_1_3(r->workq);
}

// ---- states ------------------------------------------------------------------------------

#define SIZE 8192

enum { FRESH, STARTED, CHUNK, READY, BUSY, TWO, EXPORTED, STOPPED, IMPORTED, STATES };

static struct {
    struct doca_mmap *mmap;
    struct doca_dev *dev;
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf;
    uint8_t *memory, *desc;
    char *head; // where a buffer may be
} m;

static void enter(const struct states_1_3 *s, int state)
{
    size_t size;
    m.memory = calloc(1, SIZE);
    m.head = (char *)m.memory;
    m.dev = open_1_3(s->on_dpu ? DPU_P0 : HOST_PF0);
    ck_assert_success(doca_buf_inventory_create(NULL, 2, 0, &m.inventory));
    ck_assert_success(doca_buf_inventory_start(m.inventory));
    if (state == IMPORTED) {
        ck_assert_success(doca_mmap_create_from_export("i", s->desc, s->desc_size, m.dev, &m.mmap));
        return;
    }
    ck_assert_success(doca_mmap_create("name", &m.mmap));
    if (state == TWO) {
        uint32_t two = 2;
        ck_assert_success(
            doca_mmap_property_set(m.mmap, DOCA_MMAP_MAX_NUM_CHUNKS, (uint8_t *)&two, 4));
    }
    if (state >= STARTED)
        ck_assert_success(doca_mmap_start(m.mmap));
    if (state >= CHUNK)
        ck_assert_success(doca_mmap_populate(m.mmap, m.head, SIZE / 2, 4096, NULL, NULL));
    if (state >= READY)
        ck_assert_success(doca_mmap_dev_add(m.mmap, m.dev));
    if (state == BUSY)
        ck_assert_success(doca_buf_inventory_buf_by_addr(m.inventory, m.mmap, m.head, 16, &m.buf));
    if (state == TWO)
        ck_assert_success(doca_mmap_populate(m.mmap, m.head, SIZE, 4096, NULL, NULL));
    if (state == EXPORTED)
        ck_assert_success(doca_mmap_export(m.mmap, m.dev, &m.desc, &size));
    if (state == STOPPED)
        ck_assert_success(doca_mmap_stop(m.mmap));
}

static void leave(void)
{
    if (m.buf)
        ck_assert_success(doca_buf_refcount_rm(m.buf, NULL));
    ck_assert_success(doca_buf_inventory_destroy(m.inventory));
    if (m.mmap)
        ck_assert_success(doca_mmap_destroy(m.mmap));
    ck_assert_success(doca_dev_close(m.dev));
    free(m.memory);
    free(m.desc);
    memset(&m, 0, sizeof(m));
}

static doca_error_t do_destroy(void)
{
    doca_error_t e = doca_mmap_destroy(m.mmap);
    if (e == DOCA_SUCCESS)
        m.mmap = NULL;
    return e;
}
static doca_error_t do_start(void)
{
    return doca_mmap_start(m.mmap);
}
static doca_error_t do_stop(void)
{
    return doca_mmap_stop(m.mmap);
}
static doca_error_t do_dev_add(void)
{
    return doca_mmap_dev_add(m.mmap, m.dev);
}
static doca_error_t do_dev_rm(void)
{
    return doca_mmap_dev_rm(m.mmap, m.dev);
}
static doca_error_t do_populate(void)
{
    return doca_mmap_populate(m.mmap, m.head + 5, 10, 4096, NULL, NULL);
}
static doca_error_t do_export(void)
{
    size_t size = 77;
    doca_error_t e = doca_mmap_export(m.mmap, m.dev, &m.desc, &size);
    ck_assert((e == DOCA_SUCCESS) == (size != 77));
    return e;
}
static doca_error_t set_number(enum doca_mmap_property property, uint32_t value)
{
    return doca_mmap_property_set(m.mmap, property, (uint8_t *)&value, sizeof(value));
}
static doca_error_t do_set_chunks(void)
{
    return set_number(DOCA_MMAP_MAX_NUM_CHUNKS, UINT32_MAX);
}
static doca_error_t do_set_devices(void)
{
    return set_number(DOCA_MMAP_MAX_NUM_DEVICES, 3);
}
static doca_error_t do_set_access(void)
{
    return set_number(DOCA_MMAP_ACCESS_FLAGS, DOCA_MMAP_ACCESS_DPU_READ_ONLY);
}
static doca_error_t do_set_wrong_access(void)
{
    return set_number(DOCA_MMAP_ACCESS_FLAGS, 1 << 20);
}
static doca_error_t do_set_exported(void)
{
    return set_number(DOCA_MMAP_EXPORTED, 1);
}
static doca_error_t do_set_unknown(void)
{
    return set_number((enum doca_mmap_property)1000, 1);
}
static doca_error_t do_buf(void)
{
    struct doca_buf *buf;
    doca_error_t e = doca_buf_inventory_buf_by_addr(m.inventory, m.mmap, m.head + 1, 16, &buf);
    if (e == DOCA_SUCCESS)
        ck_assert_success(doca_buf_refcount_rm(buf, NULL));
    return e;
}

#define OK      DOCA_SUCCESS
#define PERMIT  DOCA_ERROR_NOT_PERMITTED
#define INVALID DOCA_ERROR_INVALID_VALUE
#define NO_MEM  DOCA_ERROR_NO_MEMORY
#define IN_USE  DOCA_ERROR_IN_USE
#define UNSUPP  DOCA_ERROR_NOT_SUPPORTED

// clang-format off
static const struct {
    const char *name;
    doca_error_t (*call)(void);
    doca_error_t expected[STATES];
} table[] = {
    //                                    fresh    started  chunk    ready    busy     two      exported stopped  imported
    {"destroy", do_destroy,              {OK,      OK,      OK,      OK,      PERMIT,  OK,      OK,      OK,      OK}},
    {"start", do_start,                  {OK,      PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  OK,      PERMIT}},
    {"stop", do_stop,                    {PERMIT,  OK,      OK,      OK,      OK,      OK,      OK,      PERMIT,  OK}},
    {"dev_add", do_dev_add,              {PERMIT,  OK,      OK,      IN_USE,  IN_USE,  IN_USE,  PERMIT,  PERMIT,  PERMIT}},
    {"dev_rm", do_dev_rm,                {PERMIT,  INVALID, INVALID, OK,      OK,      OK,      PERMIT,  PERMIT,  PERMIT}},
    {"populate", do_populate,            {PERMIT,  OK,      NO_MEM,  NO_MEM,  NO_MEM,  NO_MEM,  PERMIT,  PERMIT,  PERMIT}},
    {"export", do_export,                {PERMIT,  INVALID, INVALID, OK,      OK,      UNSUPP,  PERMIT,  PERMIT,  PERMIT}},
    {"set chunks", do_set_chunks,        {OK,      PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT}},
    {"set devices", do_set_devices,      {OK,      PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT}},
    {"set access", do_set_access,        {OK,      PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT}},
    {"wrong access", do_set_wrong_access,{INVALID, PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT}},
    {"set exported", do_set_exported,    {PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT,  PERMIT}},
    {"set unknown", do_set_unknown,      {INVALID, INVALID, INVALID, INVALID, INVALID, INVALID, INVALID, INVALID, INVALID}},
    {"buffer", do_buf,                   {INVALID, INVALID, OK,      OK,      OK,      OK,      OK,      INVALID, INVALID}},
};
// clang-format on

struct sight {
    uint32_t chunks, devices, bufs, access;
    uint8_t exported, imported, name[DOCA_PROPERTY_NAME_SIZE];
};

static void get(enum doca_mmap_property property, void *value, uint32_t size)
{
    ck_assert_success(doca_mmap_property_get(m.mmap, property, value, size));
    ck_assert_error(doca_mmap_property_get(m.mmap, property, value, size - 1), INVALID);
    ck_assert_error(doca_mmap_property_get(m.mmap, property, NULL, size), INVALID);
    ck_assert_error(doca_mmap_property_get(NULL, property, value, size), INVALID);
}

static struct sight look(void)
{
    struct sight s;
    memset(&s, 0, sizeof(s));
    get(DOCA_MMAP_MAX_NUM_CHUNKS, &s.chunks, 4);
    get(DOCA_MMAP_MAX_NUM_DEVICES, &s.devices, 4);
    get(DOCA_MMAP_NUM_BUFS, &s.bufs, 4);
    get(DOCA_MMAP_ACCESS_FLAGS, &s.access, 4);
    get(DOCA_MMAP_EXPORTED, &s.exported, 1);
    get(DOCA_MMAP_FROM_EXPORT, &s.imported, 1);
    get(DOCA_MMAP_NAME, s.name, sizeof(s.name));
    return s;
}

static void check_sight(const struct sight *s, int state)
{
    ck_assert_uint_eq(s->chunks, state == TWO ? 2 : 1);
    ck_assert_uint_eq(s->bufs, state == BUSY);
    ck_assert_uint_eq(s->exported, state == EXPORTED);
    ck_assert_uint_eq(s->imported, state == IMPORTED);
    ck_assert_str_eq((const char *)s->name, state == IMPORTED ? "i" : "name");
    if (state != IMPORTED) {
        ck_assert_uint_eq(s->devices, 1);
        ck_assert_uint_eq(s->access,
                          DOCA_MMAP_ACCESS_LOCAL_READ_WRITE | DOCA_MMAP_ACCESS_DPU_READ_WRITE);
    }
}

static void without_a_map(void)
{
    struct doca_mmap *made;
    uint8_t *desc;
    size_t size;
    ck_assert_error(doca_mmap_create("x", NULL), INVALID);
    ck_assert_error(doca_mmap_create_from_export("x", NULL, 5, m.dev, &made), INVALID);
    ck_assert_error(doca_mmap_create_from_export("x", (uint8_t *)"x", 0, m.dev, &made), INVALID);
    ck_assert_error(doca_mmap_create_from_export("x", (uint8_t *)"x", 1, NULL, &made), INVALID);
    ck_assert_error(doca_mmap_create_from_export("x", (uint8_t *)"x", 1, m.dev, NULL), INVALID);
    ck_assert_error(doca_mmap_create_from_export("x", (uint8_t *)"{}", 3, m.dev, &made), INVALID);
    ck_assert_error(doca_mmap_destroy(NULL), INVALID);
    ck_assert_error(doca_mmap_start(NULL), INVALID);
    ck_assert_error(doca_mmap_stop(NULL), INVALID);
    ck_assert_error(doca_mmap_dev_add(NULL, m.dev), INVALID);
    ck_assert_error(doca_mmap_dev_add(m.mmap, NULL), INVALID);
    ck_assert_error(doca_mmap_dev_rm(NULL, m.dev), INVALID);
    ck_assert_error(doca_mmap_dev_rm(m.mmap, NULL), INVALID);
    ck_assert_error(doca_mmap_export(NULL, m.dev, &desc, &size), INVALID);
    ck_assert_error(doca_mmap_export(m.mmap, NULL, &desc, &size), INVALID);
    ck_assert_error(doca_mmap_export(m.mmap, m.dev, NULL, &size), INVALID);
    ck_assert_error(doca_mmap_export(m.mmap, m.dev, &desc, NULL), INVALID);
    ck_assert_error(doca_mmap_property_set(NULL, DOCA_MMAP_ACCESS_FLAGS, (uint8_t *)"", 4),
                    INVALID);
    ck_assert_error(doca_mmap_property_set(m.mmap, DOCA_MMAP_ACCESS_FLAGS, NULL, 4), INVALID);
}

void states_1_3_run(struct states_1_3 *s)
{
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        for (int state = s->on_dpu ? IMPORTED : 0; state < (s->on_dpu ? STATES : IMPORTED);
             state++) {
            enter(s, state);
            struct sight before = look();
            check_sight(&before, state);
            doca_error_t got = table[i].call();
            ck_assert_msg(got == table[i].expected[state], "%s in state %d: %s", table[i].name,
                          state, doca_get_error_name(got));
            if (got != DOCA_SUCCESS) {
                struct sight after = look();
                ck_assert_mem_eq(&after, &before, sizeof(after));
            }
            leave();
        }
    }
    enter(s, s->on_dpu ? IMPORTED : READY);
    without_a_map();
    leave();
}
