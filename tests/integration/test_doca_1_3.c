// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The 1.3 interface: properties, life cycles, chunks and jobs. One generation imports the exports
// of the other.

#include "doca_1_3.h"

#include "later_peer.h"
#include "nodes.h"
#include "run.h"

#include <json-c/json.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- devices ---------------------------------------------------------------------------

static int look_at_devices(struct child *self, void *arg)
{
    static const struct {
        enum doca_devinfo_property property;
        uint32_t size;
        const char *text;
    } wanted[] = {{DOCA_DEVINFO_PROPERTY_VUID, 128, "HOSTS0D0F0"},
                  {DOCA_DEVINFO_PROPERTY_IFACE_NAME, 256, "pf0"},
                  {DOCA_DEVINFO_PROPERTY_IBDEV_NAME, 64, "docad_0"},
                  {DOCA_DEVINFO_PROPERTY_IPV4_ADDR, 4, "\xc0\xa8\x64\x01"}};
    struct doca_devinfo **list, *again;
    uint8_t value[256], padded[256];
    uint32_t n = 77, caps = 77;
    (void)self;
    (void)arg;
    ck_assert_success(doca_devinfo_list_create(&list, &n));
    ck_assert_uint_eq(n, 5);
    ck_assert_ptr_null(list[n]); // for programs that do not ask how many
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
        memset(value, 0xa5, sizeof(value));
        memset(padded, 0, sizeof(padded));
        memcpy(padded, wanted[i].text, strlen(wanted[i].text));
        ck_assert_success(
            doca_devinfo_property_get(list[0], wanted[i].property, value, wanted[i].size));
        ck_assert_mem_eq(value, padded, wanted[i].size);
        memset(value, 0xa5, sizeof(value));
        ck_assert_error(
            doca_devinfo_property_get(list[0], wanted[i].property, value, wanted[i].size - 1),
            DOCA_ERROR_INVALID_VALUE);
        ck_assert_int_eq(value[0], 0xa5);
    }
    ck_assert_success(
        doca_devinfo_property_get(list[0], DOCA_DEVINFO_PROPERTY_IPV6_ADDR, value, 16));
    ck_assert_int_eq(value[0], 0xfe);
    struct doca_pci_bdf bdf;
    ck_assert_uint_eq(sizeof(bdf), 2);
    ck_assert_success(doca_devinfo_property_get(list[2], DOCA_DEVINFO_PROPERTY_PCI_ADDR,
                                                (uint8_t *)&bdf, sizeof(bdf)));
    ck_assert_uint_eq(bdf.bus, 0x0b);
    ck_assert_uint_eq(bdf.device, 0);
    ck_assert_error(doca_devinfo_property_get(list[0], (enum doca_devinfo_property)99, value, 4),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_devinfo_property_get(NULL, DOCA_DEVINFO_PROPERTY_VUID, value, 128),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_devinfo_property_get(list[0], DOCA_DEVINFO_PROPERTY_VUID, NULL, 128),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_dma_devinfo_caps_get(list[0], &caps));
    ck_assert_uint_eq(caps, DOCA_DMA_CAP_HW_OFFLOAD);
    ck_assert_error(doca_dma_devinfo_caps_get(NULL, &caps), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_dma_devinfo_caps_get(list[0], NULL), DOCA_ERROR_INVALID_VALUE);

    struct doca_dev *dev, *same;
    struct doca_devinfo_remote **remotes;
    ck_assert_success(doca_dev_open(list[0], &dev));
    ck_assert_success(doca_dev_open(list[0], &same));
    ck_assert_ptr_eq(dev, same);
    ck_assert_success(doca_devinfo_list_destroy(list));
    ck_assert_success(doca_dev_as_devinfo(dev, &again));
    ck_assert_success(doca_devinfo_property_get(again, DOCA_DEVINFO_PROPERTY_VUID, value, 128));
    ck_assert_error(doca_dev_as_devinfo(NULL, &again), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_dev_as_devinfo(dev, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_devinfo_remote_list_create(dev, &remotes), DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_success(doca_dev_close(dev));
    ck_assert_success(doca_dev_close(same));
    ck_assert_error(doca_dev_open(NULL, &dev), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_dev_close(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_devinfo_list_create(&list));
    ck_assert_success(doca_devinfo_list_destroy(list));
    return 0;
}

static int look_at_remotes(struct child *self, void *arg)
{
    struct doca_devinfo_remote **list, *again;
    struct doca_dev_remote *remote;
    struct doca_dev *dev = open_1_3(DPU_P0);
    struct doca_pci_bdf bdf;
    uint8_t vuid[128], of_open[128];
    uint32_t n = 0;
    (void)self;
    (void)arg;
    ck_assert_success(doca_devinfo_remote_list_create(dev, DOCA_DEV_REMOTE_FILTER_NET, &list, &n));
    ck_assert_uint_eq(n, 4); // of the host pf0 with its two VFs, and the own SF
    ck_assert_ptr_null(list[n]);
    // The list outlives the device.
    ck_assert_success(doca_dev_close(dev));
    struct doca_devinfo_remote *info = NULL;
    for (uint32_t i = 0; i < n; i++) {
        memset(vuid, 0xa5, sizeof(vuid));
        ck_assert_success(doca_devinfo_remote_property_get(
            list[i], DOCA_DEVINFO_REMOTE_PROPERTY_VUID, vuid, 128));
        if (strcmp((char *)vuid, "HOSTS0D0F1") == 0)
            info = list[i];
        ck_assert_int_eq(vuid[127], 0);
    }
    ck_assert_ptr_nonnull(info);
    ck_assert_success(doca_devinfo_remote_property_get(info, DOCA_DEVINFO_REMOTE_PROPERTY_PCI_ADDR,
                                                       (uint8_t *)&bdf, sizeof(bdf)));
    ck_assert_uint_eq(bdf.bus, 0x0b);
    ck_assert_uint_eq(bdf.function, 2);
    ck_assert_error(
        doca_devinfo_remote_property_get(info, DOCA_DEVINFO_REMOTE_PROPERTY_VUID, vuid, 127),
        DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(
        doca_devinfo_remote_property_get(info, (enum doca_devinfo_remote_property)9, vuid, 128),
        DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_dev_remote_open(info, &remote));
    ck_assert_success(doca_devinfo_remote_list_destroy(list));
    ck_assert_success(doca_dev_remote_as_devinfo(remote, &again));
    ck_assert_success(
        doca_devinfo_remote_property_get(again, DOCA_DEVINFO_REMOTE_PROPERTY_VUID, of_open, 128));
    ck_assert_str_eq((char *)of_open, "HOSTS0D0F1");
    ck_assert_success(doca_dev_remote_close(remote));
    ck_assert_error(doca_dev_remote_open(NULL, &remote), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_dev_remote_close(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_dev_remote_as_devinfo(NULL, &again), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_devinfo_remote_list_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_devinfo_remote_list_create(NULL, &list), DOCA_ERROR_INVALID_VALUE);
    return 0;
}

START_TEST(devices)
{
    child_join(child_start(nodes.host, "host", look_at_devices, NULL));
    child_join(child_start(nodes.dpu, "dpu", look_at_remotes, NULL));
}
END_TEST

// ---- other properties ---------------------------------------------------------------------

static int look_at_properties(struct child *self, void *arg)
{
    struct rig_1_3 r;
    struct doca_workq *workq;
    uint8_t name[DOCA_PROPERTY_NAME_SIZE];
    uint32_t value, large = UINT32_MAX, zero = 0;
    (void)self;
    (void)arg;
    rig_open(&r, HOST_PF0, 5);
    uint8_t *bytes = (uint8_t *)&value;
    struct doca_buf_inventory *i = r.inventory;
    ck_assert_success(doca_buf_inventory_property_get(i, DOCA_BUF_INVENTORY_NAME, name, 128));
    ck_assert_str_eq((char *)name, "buffers");
    ck_assert_success(
        doca_buf_inventory_property_get(i, DOCA_BUF_INVENTORY_NUM_ELEMENTS, bytes, 4));
    ck_assert_uint_eq(value, 5);
    ck_assert_success(
        doca_buf_inventory_property_get(i, DOCA_BUF_INVENTORY_NUM_FREE_ELEMENTS, bytes, 4));
    ck_assert_uint_eq(value, 5);
    ck_assert_success(doca_buf_inventory_property_get(i, DOCA_BUF_INVENTORY_EXTENSIONS, bytes, 4));
    ck_assert_uint_eq(value, DOCA_BUF_EXTENSION_NONE);
    ck_assert_error(doca_buf_inventory_property_get(i, DOCA_BUF_INVENTORY_EXTENSIONS, bytes, 8),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_buf_inventory_property_set(i, DOCA_BUF_INVENTORY_NUM_ELEMENTS, bytes, 4),
                    DOCA_ERROR_NOT_PERMITTED);
    ck_assert_error(
        doca_buf_inventory_property_set(i, (enum doca_buf_inventory_property)50, bytes, 4),
        DOCA_ERROR_INVALID_VALUE);

    // The depth can change while the queue has no context; the new depth is then used.
    ck_assert_success(doca_workq_create(1, &workq));
    value = 3;
    ck_assert_success(doca_workq_property_set(workq, DOCA_WORKQ_DEPTH, bytes, 4));
    value = 0;
    ck_assert_success(doca_workq_property_get(workq, DOCA_WORKQ_DEPTH, bytes, 4));
    ck_assert_uint_eq(value, 3);
    ck_assert_error(doca_workq_property_set(workq, DOCA_WORKQ_DEPTH, (uint8_t *)&zero, 4),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_workq_property_set(workq, DOCA_WORKQ_DEPTH, (uint8_t *)&large, 4),
                    DOCA_ERROR_NO_MEMORY);
    ck_assert_error(doca_workq_property_set(workq, DOCA_WORKQ_DEPTH, bytes, 2),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_workq_property_set(workq, (enum doca_workq_property)8, bytes, 4),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_ctx_workq_add(r.ctx, workq));
    ck_assert_error(doca_workq_property_set(workq, DOCA_WORKQ_DEPTH, bytes, 4),
                    DOCA_ERROR_BAD_STATE);
    uint8_t memory[100] = "abc";
    struct doca_mmap *map = map_1_3(r.dev, 1, memory, sizeof(memory));
    struct doca_buf *from = buf_1_3(&r, map, memory, 10), *to = buf_1_3(&r, map, memory + 50, 10);
    struct doca_dma_job_memcpy job = job_1_3(&r, from, to, 3);
    for (int n = 0; n < 3; n++)
        ck_assert_success(doca_workq_submit(workq, &job.base));
    ck_assert_error(doca_workq_submit(workq, &job.base), DOCA_ERROR_NO_MEMORY);
    for (int n = 0; n < 3; n++)
        ck_assert_success(retrieve_1_3(workq));
    ck_assert_str_eq((char *)memory + 50, "abc");
    ck_assert_success(doca_ctx_workq_rm(r.ctx, workq));
    ck_assert_success(doca_workq_destroy(workq));
    ck_assert_success(doca_buf_refcount_rm(from, NULL));
    ck_assert_success(doca_buf_refcount_rm(to, NULL));
    ck_assert_success(doca_mmap_destroy(map));
    rig_close(&r);
    return 0;
}

START_TEST(inventories_and_work_queues)
{
    child_join(child_start(nodes.host, "properties", look_at_properties, NULL));
}
END_TEST

// ---- jobs ---------------------------------------------------------------------------------

static int copy_things(struct child *self, void *arg)
{
    static uint8_t from[3 << 20], to[3 << 20];
    struct rig_1_3 r;
    (void)self;
    (void)arg;
    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (uint8_t)(i * 13 >> 3);
    rig_open(&r, DPU_P0, 4);
    struct doca_mmap *map = map_1_3(r.dev, 2, from, sizeof(from));
    ck_assert_success(doca_mmap_populate(map, (char *)to, sizeof(to), 4096, NULL, NULL));
    struct doca_buf *a = buf_1_3(&r, map, from + 1, sizeof(from) - 1);
    struct doca_buf *b = buf_1_3(&r, map, to + 7, sizeof(to) - 7);

    // Copies from start to start, again and again; the bytes behind stay as they are.
    static const size_t sizes[] = {1, 64, 4097, 1 << 20, (1 << 20) + 1, sizeof(to) - 7};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        memset(to, 0xee, sizeof(to));
        for (int n = 0; n < 3; n++)
            ck_assert_success(copy_1_3(&r, a, b, sizes[i]));
        ck_assert_mem_eq(to + 7, from + 1, sizes[i]);
        ck_assert_int_eq(to[6], 0xee);
        ck_assert(sizes[i] == sizeof(to) - 7 || to[7 + sizes[i]] == 0xee);
    }
    // Too many bytes, or none, give an event that says so.
    ck_assert_error(copy_1_3(&r, a, b, sizeof(to) - 6), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(copy_1_3(&r, b, a, sizeof(to)), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(copy_1_3(&r, a, b, UINT64_MAX), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(copy_1_3(&r, a, b, 0), DOCA_ERROR_INVALID_VALUE);
    // Copies a range onto itself.
    struct doca_buf *c = buf_1_3(&r, map, from + 11, sizeof(from) - 11);
    memcpy(to, from, sizeof(to));
    ck_assert_success(copy_1_3(&r, a, c, 2 << 20));
    ck_assert_mem_eq(from + 11, to + 1, 2 << 20);
    // A job without its buffers is refused.
    struct doca_dma_job_memcpy job = job_1_3(&r, NULL, b, 1);
    ck_assert_error(doca_workq_submit(r.workq, &job.base), DOCA_ERROR_INVALID_VALUE);

    // Removing a device ends its jobs; adding one makes jobs possible again.
    ck_assert_success(doca_mmap_dev_rm(map, r.dev));
    ck_assert_error(copy_1_3(&r, a, b, 5), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_success(doca_mmap_dev_add(map, r.dev));
    ck_assert_success(copy_1_3(&r, a, b, 5));
    // Buffers of a stopped map can still be used.
    ck_assert_success(doca_mmap_stop(map));
    ck_assert_success(copy_1_3(&r, a, b, 5));

    uint8_t *head;
    size_t length;
    uint16_t references = 7;
    ck_assert_success(doca_buf_head_get(a, &head));
    ck_assert_ptr_eq(head, from + 1);
    ck_assert_success(doca_buf_len_get(a, &length));
    ck_assert_uint_eq(length, sizeof(from) - 1);
    ck_assert_success(doca_buf_refcount_get(a, &references));
    ck_assert_uint_eq(references, 1);
    ck_assert_error(doca_buf_head_get(NULL, &head), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_buf_len_get(a, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_buf_refcount_get(NULL, &references), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_mmap_destroy(map), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_success(doca_buf_refcount_rm(a, &references));
    ck_assert_success(doca_buf_refcount_rm(b, NULL));
    ck_assert_success(doca_buf_refcount_rm(c, NULL));
    ck_assert_success(doca_mmap_destroy(map));
    rig_close(&r);
    return 0;
}

START_TEST(jobs)
{
    child_join(child_start(nodes.dpu, "copier", copy_things, NULL));
}
END_TEST

// ---- many chunks --------------------------------------------------------------------------

#define CHUNKS 10000

static unsigned n_freed;

static void free_next(void *address, size_t length, void *opaque)
{
    // In the order in which they came.
    ck_assert_uint_eq((uintptr_t)opaque, n_freed++);
    ck_assert_uint_eq(length, 100 + n_freed % 50);
    free(address);
}

static int fill_a_map(struct child *self, void *arg)
{
    static uint8_t *chunks[CHUNKS];
    struct rig_1_3 r;
    struct doca_buf *buf;
    (void)self;
    (void)arg;
    rig_open(&r, HOST_PF0, 2);
    struct doca_mmap *map = empty_map_1_3(CHUNKS);
    for (uintptr_t i = 0; i < CHUNKS; i++) {
        size_t length = 100 + (i + 1) % 50;
        if (i == CHUNKS / 2) // before or behind the chunks is all the same
            ck_assert_success(doca_mmap_dev_add(map, r.dev));
        chunks[i] = malloc(length);
        memset(chunks[i], (int)i, length);
        ck_assert_success(
            doca_mmap_populate(map, (char *)chunks[i], length, 4096, free_next, (void *)i));
    }
    ck_assert_error(doca_mmap_populate(map, (char *)chunks[0], 1, 4096, NULL, NULL),
                    DOCA_ERROR_NO_MEMORY);
    for (unsigned i = 0; i < 20000; i++) {
        unsigned x = i * 7919 % CHUNKS, y = i * 104729 % CHUNKS;
        if (x == y)
            continue;
        struct doca_buf *a = buf_1_3(&r, map, chunks[x] + 10, 90);
        struct doca_buf *b = buf_1_3(&r, map, chunks[y] + 5, 90);
        ck_assert_success(copy_1_3(&r, a, b, 90));
        ck_assert_int_eq(memcmp(chunks[x] + 10, chunks[y] + 5, 90), 0);
        ck_assert_success(doca_buf_refcount_rm(a, NULL));
        ck_assert_success(doca_buf_refcount_rm(b, NULL));
        ck_assert_error(
            doca_buf_inventory_buf_by_addr(r.inventory, map, (char *)chunks[x], 150, &buf),
            DOCA_ERROR_INVALID_VALUE);
    }
    ck_assert_success(doca_mmap_destroy(map));
    ck_assert_uint_eq(n_freed, CHUNKS);
    rig_close(&r);
    return 0;
}

START_TEST(many_chunks)
{
    struct daemon_counts counts;
    struct child *child = child_start(nodes.host, "filler", fill_a_map, NULL);
    child_join(child);
    daemon_counts(nodes.host, &counts);
    ck_assert_uint_eq(counts.regions, 0);
}
END_TEST

static int populate_badly(struct child *self, void *arg)
{
    struct doca_mmap *map = empty_map_1_3(10);
    char *pages = mmap(NULL, 5 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)self;
    (void)arg;
    mprotect(pages + 4096, 4096, PROT_READ);
    mprotect(pages + 2 * 4096, 4096, PROT_NONE);
    mprotect(pages + 4 * 4096, 4096, PROT_NONE);
    ck_assert_success(doca_mmap_populate(map, pages, 4096, 4096, NULL, NULL));
    static const struct {
        size_t at, length, page;
    } bad[] = {{0, 4097, 4096},     {4096, 10, 4096},
               {8192, 1, 4096},     {3 * 4096, 8192, 4096},
               {0, 0, 4096},        {0, 10, 0},
               {0, 10, 4095},       {0, 10, 6000},
               {0, 10, 64},         {0, SIZE_MAX - 10, 4096},
               {0, 3 * 4096, 4096}, {0, 10, 3}};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        ck_assert_error(
            doca_mmap_populate(map, pages + bad[i].at, bad[i].length, bad[i].page, NULL, NULL),
            DOCA_ERROR_INVALID_VALUE);
    // The pages are known to be usable, and then one is unmapped.
    ck_assert_success(doca_mmap_populate(map, pages + 3 * 4096, 4096, 1 << 21, NULL, NULL));
    munmap(pages, 4096);
    ck_assert_error(doca_mmap_populate(map, pages, 4096, 4096, NULL, NULL),
                    DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_mmap_populate(NULL, pages, 1, 4096, NULL, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_error(doca_mmap_populate(map, NULL, 1, 4096, NULL, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_success(doca_mmap_destroy(map));

    // Devices may only read it.
    uint32_t flags = DOCA_MMAP_ACCESS_LOCAL_READ_ONLY | DOCA_MMAP_ACCESS_DPU_READ_ONLY;
    ck_assert_success(doca_mmap_create(NULL, &map));
    ck_assert_success(doca_mmap_property_set(map, DOCA_MMAP_ACCESS_FLAGS, (uint8_t *)&flags, 4));
    ck_assert_success(doca_mmap_start(map));
    ck_assert_success(doca_mmap_populate(map, pages + 4096, 10, 4096, NULL, NULL));
    ck_assert_success(doca_mmap_destroy(map));
    munmap(pages + 4096, 4 * 4096);
    return 0;
}

START_TEST(chunks_that_are_none)
{
    child_join(child_start(nodes.host, "populate", populate_badly, NULL));
}
END_TEST

// ---- exports -------------------------------------------------------------------------------

static uint8_t brokered[LATER_SIZE] = {1};

// Either side may be the exporter.
static const char *exporter_pci = HOST_PF0, *importer_pci = DPU_P0;

// Exports LATER_SIZE bytes as the later one does, brokered ones if `arg` is given.
static int be_exporter(struct child *self, void *arg)
{
    uint8_t *memory = arg ? brokered : malloc(LATER_SIZE), *desc, *other = NULL;
    struct doca_dev *dev = open_1_3(exporter_pci);
    size_t size;
    for (size_t i = 0; i < LATER_SIZE; i++)
        memory[i] = (uint8_t)(i * 7);
    struct doca_mmap *map = map_1_3(dev, 1, memory, LATER_SIZE);
    ck_assert_success(doca_mmap_export(map, dev, &desc, &size));
    ck_assert_uint_eq(strlen((char *)desc) + 1, size);
    ck_assert_uint_le(size, DOCAD_EXPORT_DESC_SIZE);
    // Once.
    ck_assert_error(doca_mmap_export(map, dev, &other, &size), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_ptr_null(other);

    json_object *object = json_tokener_parse((char *)desc), *value;
    ck_assert(json_object_object_get_ex(object, "addr", &value));
    ck_assert_int_eq(json_object_get_int64(value), (int64_t)(uintptr_t)memory);
    ck_assert(json_object_object_get_ex(object, "len", &value));
    ck_assert_int_eq(json_object_get_int64(value), LATER_SIZE);
    json_object_put(object);

    child_send(self, desc, size);
    child_wait(self, "check");
    ck_assert_int_eq(memory[1], 'w');
    // The export continues while the map is stopped.
    ck_assert_success(doca_mmap_stop(map));
    child_tell(self, "stopped");
    child_wait(self, "end");
    ck_assert_success(doca_mmap_destroy(map));
    free(desc); // also after the map
    ck_assert_success(doca_dev_close(dev));
    for (size_t i = 2; i < LATER_SIZE; i++)
        ck_assert_msg(memory[i] == (uint8_t)(i * 7), "byte %zu", i);
    if (!arg)
        free(memory);
    return 0;
}

// Reads what was exported and writes one byte. `arg` says that the exporter uses a later
// interface, whose descriptor does not contain the address.
static int be_importer(struct child *self, void *arg)
{
    uint8_t *memory = malloc(LATER_SIZE), *address = NULL;
    char desc[1024] = {0};
    struct rig_1_3 r;
    struct doca_mmap *remote;
    size_t size = child_receive(self, desc, sizeof(desc));
    rig_open(&r, importer_pci, 2);
    if (arg) {
        child_tell(self, "address");
        child_receive(self, &address, sizeof(address));
    } else {
        json_object *object = json_tokener_parse(desc), *value;
        ck_assert(json_object_object_get_ex(object, "addr", &value));
        address = (uint8_t *)(uintptr_t)json_object_get_int64(value);
        json_object_put(object);
        size = strlen(desc) + 1;
    }
    ck_assert_success(
        doca_mmap_create_from_export("remote", (uint8_t *)desc, size, r.dev, &remote));
    struct doca_mmap *local = map_1_3(r.dev, 1, memory, LATER_SIZE);
    struct doca_buf *from = buf_1_3(&r, remote, address, LATER_SIZE);
    struct doca_buf *to = buf_1_3(&r, local, memory, LATER_SIZE);
    ck_assert_success(copy_1_3(&r, from, to, LATER_SIZE));
    for (size_t i = 0; i < LATER_SIZE; i++)
        ck_assert_msg(memory[i] == (uint8_t)(i * 7), "byte %zu", i);
    // Copies a part of it, and back.
    memset(memory, 'x', LATER_SIZE);
    ck_assert_success(copy_1_3(&r, from, to, 1000));
    ck_assert_int_eq(memory[999], (uint8_t)(999 * 7));
    ck_assert_int_eq(memory[1000], 'x');
    memory[1] = 'w';
    ck_assert_success(copy_1_3(&r, to, from, 2));
    child_tell(self, "done");
    child_wait(self, "again");
    ck_assert_success(copy_1_3(&r, from, to, 2));
    child_tell(self, "read");
    child_wait(self, "ended");
    // The job ends with an event that has the reason.
    doca_error_t e = copy_1_3(&r, from, to, 2);
    ck_assert_msg(e == DOCA_ERROR_NOT_PERMITTED || e == DOCA_ERROR_CONNECTION_RESET, "%s",
                  doca_get_error_name(e));
    ck_assert_success(doca_buf_refcount_rm(from, NULL));
    ck_assert_success(doca_buf_refcount_rm(to, NULL));
    ck_assert_success(doca_mmap_destroy(remote));
    ck_assert_success(doca_mmap_destroy(local));
    rig_close(&r);
    free(memory);
    return 0;
}

// Messages that `from` sends go to `to`.
static void hand_over(struct child *from, struct child *to)
{
    char bytes[1024];
    size_t size = child_receive(from, bytes, sizeof(bytes));
    child_send(to, bytes, size);
}

START_TEST(sender_and_receiver)
{
    bool from_dpu = _i / 2;
    exporter_pci = from_dpu ? DPU_P0 : HOST_PF0;
    importer_pci = from_dpu ? HOST_PF0 : DPU_P0;
    struct child *host = child_start(from_dpu ? nodes.dpu : nodes.host, "exporter", be_exporter,
                                     _i % 2 ? brokered : NULL);
    struct child *dpu =
        child_start(from_dpu ? nodes.host : nodes.dpu, "importer", be_importer, NULL);
    hand_over(host, dpu);
    child_wait(dpu, "done");
    child_tell(host, "check");
    child_wait(host, "stopped");
    child_tell(dpu, "again");
    child_wait(dpu, "read");
    child_tell(host, "end");
    child_join(host);
    child_tell(dpu, "ended");
    child_join(dpu);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

START_TEST(a_later_program_imports)
{
    struct child *host = child_start(nodes.host, "exporter", be_exporter, NULL);
    struct child *dpu = child_start(nodes.dpu, "importer", be_later_importer, NULL);
    hand_over(host, dpu);
    child_wait(dpu, "done");
    child_join(dpu);
    child_tell(host, "check");
    child_wait(host, "stopped");
    child_tell(host, "end");
    child_join(host);
}
END_TEST

START_TEST(a_later_program_exports)
{
    struct child *host = child_start(nodes.host, "exporter", be_later_exporter, NULL);
    struct child *dpu = child_start(nodes.dpu, "importer", be_importer, brokered);
    hand_over(host, dpu);
    child_wait(dpu, "address");
    child_tell(host, "address");
    hand_over(host, dpu);
    child_wait(dpu, "done");
    child_tell(host, "check");
    child_tell(dpu, "again");
    child_wait(dpu, "read");
    child_tell(host, "end");
    child_join(host);
    child_tell(dpu, "ended");
    child_join(dpu);
}
END_TEST

// A node whose configuration lets another of its functions import.
START_TEST(two_functions_of_one_node)
{
    struct path config =
        temp_file("both.conf", "function \"pf0\" { type = pf  pci = 0b:00.0  port = 0 }\n"
                               "function \"p0\" { type = pf  pci = 03:00.0  port = 1\n"
                               "  can_import_dpu = yes }\n");
    struct daemon *both = daemon_start(&(struct daemon_options){.config = config.s});
    struct child *from = child_start(both, "exporter", be_exporter, NULL);
    struct child *to = child_start(both, "importer", be_importer, NULL);
    hand_over(from, to);
    child_wait(to, "done");
    child_tell(from, "check");
    child_wait(from, "stopped");
    child_tell(to, "again");
    child_wait(to, "read");
    child_tell(from, "end");
    child_join(from);
    child_tell(to, "ended");
    child_join(to);
    assert_baseline(both);
    unlink(config.s);
}
END_TEST

// ---- every call in every state of a map -----------------------------------------------------

static int try_states(struct child *self, void *arg)
{
    struct states_1_3 s = {.on_dpu = arg != NULL};
    s.desc_size = child_receive(self, s.desc, sizeof(s.desc));
    states_1_3_run(&s);
    return 0;
}

START_TEST(maps_in_every_state)
{
    struct child *host = child_start(nodes.host, "exporter", be_later_exporter, NULL);
    char desc[256];
    size_t size = child_receive(host, desc, sizeof(desc));
    for (int on_dpu = 0; on_dpu < 2; on_dpu++) {
        struct child *child = child_start(on_dpu ? nodes.dpu : nodes.host, "states", try_states,
                                          on_dpu ? brokered : NULL);
        child_send(child, desc, size);
        child_join(child);
    }
    child_kill(host);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca_1_3");
    TCase *tcase = tcase_create("doca_1_3");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, devices);
    tcase_add_test(tcase, inventories_and_work_queues);
    tcase_add_test(tcase, jobs);
    tcase_add_test(tcase, many_chunks);
    tcase_add_test(tcase, chunks_that_are_none);
    tcase_add_loop_test(tcase, sender_and_receiver, 0, 4);
    tcase_add_test(tcase, a_later_program_imports);
    tcase_add_test(tcase, a_later_program_exports);
    tcase_add_test(tcase, maps_in_every_state);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("one_node");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, two_functions_of_one_node);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
