// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs of DOCA 3 on devices that imitate a card, with real nodes: hosts that end while a DMA
// context of the DPU copies from several of them, permissions of maps, and sync events of a card
// without RDMA.

#include "child.h"
#include "nodes.h"
#include "run.h"

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_sync_event.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))

#define HOST_PF0 "0b:00.0"
#define DPU_P0   "03:00.0"
#define SIZE     ((size_t)8192)
#define HOSTS    2
#define TASKS    4

static struct doca_dev *open_by(const char *pci)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n = 0;

    OK(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        uint8_t equal = 0;
        OK(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
        if (equal)
            OK(doca_dev_open(list[i], &dev));
    }
    OK(doca_devinfo_destroy_list(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

static struct doca_mmap *make_map(void *memory, struct doca_dev *dev, uint32_t access)
{
    struct doca_mmap *map;

    OK(doca_mmap_create(&map));
    OK(doca_mmap_add_dev(map, dev));
    OK(doca_mmap_set_permissions(map, access));
    OK(doca_mmap_set_memrange(map, memory, SIZE));
    OK(doca_mmap_start(map));
    return map;
}

// ---- hosts that end ----------------------------------------------------------------------------

struct handout {
    uint8_t desc[512];
    size_t size;
    uint8_t *memory;
};

// A host that exports a byte, until it is killed, or asked to end.
static int exports(struct child *self, void *arg)
{
    struct handout out = {.size = 0};
    const void *desc;

    (void)arg;
    out.memory = aligned_alloc(4096, SIZE);
    ck_assert_ptr_nonnull(out.memory);
    memset(out.memory, 0x5a, SIZE);
    struct doca_dev *dev = open_by(HOST_PF0);
    struct doca_mmap *map = make_map(
        out.memory, dev, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE);
    OK(doca_mmap_export_pci(map, dev, &desc, &out.size));
    ck_assert_uint_le(out.size, sizeof(out.desc));
    memcpy(out.desc, desc, out.size);
    child_send(self, &out, sizeof(out));
    child_wait(self, "end");
    OK(doca_mmap_destroy(map));
    OK(doca_dev_close(dev));
    free(out.memory);
    return 0;
}

static doca_error_t results[TASKS];
static unsigned n_ended;

static void ended(struct doca_dma_task_memcpy *task, union doca_data data, union doca_data ctx_data)
{
    (void)ctx_data;
    results[data.u64] = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    n_ended++;
}

struct dpu {
    struct doca_dev *dev;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_ctx *ctx;
    struct doca_buf_inventory *inventory;
    struct doca_mmap *own, *hosts[HOSTS];
    uint8_t *memory, *there[HOSTS];
};

static void open_dpu(struct dpu *dpu, const struct handout *given)
{
    dpu->dev = open_by(DPU_P0);
    dpu->memory = aligned_alloc(4096, SIZE);
    ck_assert_ptr_nonnull(dpu->memory);
    dpu->own = make_map(dpu->memory, dpu->dev, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    for (unsigned i = 0; i < HOSTS; i++) {
        OK(doca_mmap_create_from_export(NULL, given[i].desc, given[i].size, dpu->dev,
                                        &dpu->hosts[i]));
        dpu->there[i] = given[i].memory;
    }
    OK(doca_buf_inventory_create(2 * TASKS, &dpu->inventory));
    OK(doca_buf_inventory_start(dpu->inventory));
    OK(doca_pe_create(&dpu->pe));
    OK(doca_dma_create(dpu->dev, &dpu->dma));
    dpu->ctx = doca_dma_as_ctx(dpu->dma);
    OK(doca_pe_connect_ctx(dpu->pe, dpu->ctx));
    OK(doca_dma_task_memcpy_set_conf(dpu->dma, ended, ended, TASKS));
    OK(doca_ctx_start(dpu->ctx));
}

static void close_dpu(struct dpu *dpu)
{
    OK(doca_ctx_stop(dpu->ctx));
    OK(doca_dma_destroy(dpu->dma));
    OK(doca_pe_destroy(dpu->pe));
    OK(doca_buf_inventory_destroy(dpu->inventory));
    OK(doca_mmap_destroy(dpu->own));
    for (unsigned i = 0; i < HOSTS; i++)
        OK(doca_mmap_destroy(dpu->hosts[i]));
    OK(doca_dev_close(dpu->dev));
    free(dpu->memory);
}

static enum doca_ctx_states state_of(const struct dpu *dpu)
{
    enum doca_ctx_states state;
    OK(doca_ctx_get_state(dpu->ctx, &state));
    return state;
}

// Copies a byte of each of these hosts, in this order.
static void copy_from(struct dpu *dpu, const unsigned *hosts, unsigned n)
{
    struct doca_buf *from[TASKS], *to[TASKS];

    n_ended = 0;
    for (unsigned i = 0; i < n; i++) {
        struct doca_dma_task_memcpy *task;
        OK(doca_buf_inventory_buf_get_by_data(dpu->inventory, dpu->hosts[hosts[i]],
                                              dpu->there[hosts[i]], 1, &from[i]));
        OK(doca_buf_inventory_buf_get_by_addr(dpu->inventory, dpu->own, &dpu->memory[i], 1,
                                              &to[i]));
        OK(doca_dma_task_memcpy_alloc_init(dpu->dma, from[i], to[i], (union doca_data){.u64 = i},
                                           &task));
        OK(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    }
    while (n_ended < n)
        (void)doca_pe_progress(dpu->pe);
    for (unsigned i = 0; i < n; i++) {
        OK(doca_buf_dec_refcount(from[i], NULL));
        OK(doca_buf_dec_refcount(to[i], NULL));
    }
}

struct setting {
    const char *card;
    struct handout hosts[HOSTS];
};

// The first host ends. The context that copies from both stops, and starts again for the other.
static int copies(struct child *self, void *arg)
{
    static const unsigned both[] = {0, 1, 1}, second[] = {1};
    const struct setting *setting = arg;
    struct dpu dpu = {.dev = NULL};
    bool is_card = setting->card != NULL;

    if (is_card)
        ck_assert_int_eq(setenv("DOCAD_CARD", setting->card, 1), 0);
    open_dpu(&dpu, setting->hosts);
    copy_from(&dpu, both, 3);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(results[i], DOCA_SUCCESS);
    ck_assert_uint_eq(dpu.memory[0], 0x5a);
    child_tell(self, "copied");
    child_wait(self, "killed");
    do // until docad has noticed the host's end
        copy_from(&dpu, both, 3);
    while (results[0] == DOCA_SUCCESS);
    ck_assert_int_eq(results[0], is_card ? DOCA_ERROR_IO_FAILED : DOCA_ERROR_CONNECTION_RESET);
    for (unsigned i = 1; i < 3; i++)
        ck_assert_int_eq(results[i], is_card ? DOCA_ERROR_IO_FAILED : DOCA_ERROR_SHUTDOWN);
    ck_assert_int_eq(state_of(&dpu), DOCA_CTX_STATE_IDLE);
    OK(doca_ctx_start(dpu.ctx));
    copy_from(&dpu, second, 1);
    ck_assert_int_eq(results[0], DOCA_SUCCESS);
    ck_assert_int_eq(state_of(&dpu), DOCA_CTX_STATE_RUNNING);
    close_dpu(&dpu);
    return 0;
}

START_TEST(a_host_that_ends_stops_the_context)
{
    static const char *const cards[] = {NULL, "bluefield-3", "bluefield-3,reorder=1"};
    struct child *hosts[HOSTS];
    struct setting setting = {.card = cards[_i]};

    // With this seed the first host's task is first: there is one context.
    for (unsigned i = 0; i < HOSTS; i++) {
        hosts[i] = child_start(nodes.host, i ? "second host" : "first host", exports, NULL);
        child_receive(hosts[i], &setting.hosts[i], sizeof(setting.hosts[i]));
    }
    struct child *dpu = child_start(nodes.dpu, "dpu", copies, &setting);
    child_wait(dpu, "copied");
    child_kill(hosts[0]);
    child_tell(dpu, "killed");
    child_join(dpu);
    child_tell(hosts[1], "end");
    child_join(hosts[1]);
}
END_TEST

// ---- permissions -------------------------------------------------------------------------------

#define RELAXED DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING

static int sets_permissions(struct child *self, void *arg)
{
    const char *card = arg;
    struct doca_mmap *map;
    const void *desc;
    size_t size;
    doca_error_t refusal = card ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;

    (void)self;
    if (card)
        ck_assert_int_eq(setenv("DOCAD_CARD", card, 1), 0);
    uint8_t *memory = aligned_alloc(4096, SIZE);
    ck_assert_ptr_nonnull(memory);
    struct doca_dev *dev = open_by(HOST_PF0);
    OK(doca_mmap_create(&map));
    OK(doca_mmap_set_memrange(map, memory, SIZE));
    OK(doca_mmap_set_permissions(map, RELAXED | DOCA_ACCESS_FLAG_PCI_READ_WRITE)); // no device
    OK(doca_mmap_add_dev(map, dev));
    REFUSED(refusal, doca_mmap_start(map));
    if (!card)
        OK(doca_mmap_stop(map));
    REFUSED(refusal, doca_mmap_set_permissions(map, RELAXED | DOCA_ACCESS_FLAG_PCI_READ_WRITE));
    REFUSED(refusal, doca_mmap_set_permissions(map, RELAXED | DOCA_ACCESS_FLAG_PCI_READ_ONLY));
    OK(doca_mmap_set_permissions(map, RELAXED | DOCA_ACCESS_FLAG_RDMA_READ));
    OK(doca_mmap_set_permissions(map, RELAXED));
    OK(doca_mmap_start(map));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_pci(map, dev, &desc, &size));
    OK(doca_mmap_stop(map));
    OK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE)); // and without it
    OK(doca_mmap_start(map));
    OK(doca_mmap_export_pci(map, dev, &desc, &size));
    OK(doca_mmap_destroy(map));
    OK(doca_dev_close(dev));
    free(memory);
    return 0;
}

START_TEST(relaxed_ordering_stands_alone)
{
    static char card[] = "bluefield-3";
    child_join(child_start(nodes.host, "program", sets_permissions, _i ? card : NULL));
}
END_TEST

// ---- sync events -------------------------------------------------------------------------------

// The other side would reach them by RDMA.
static int has_no_remote_events(struct child *self, void *arg)
{
    struct doca_sync_event_remote_net *remote;
    struct doca_sync_event *event;
    const uint8_t *desc;
    size_t size;

    (void)self, (void)arg;
    ck_assert_int_eq(setenv("DOCAD_CARD", "software,rdma=no", 1), 0);
    struct doca_dev *dev = open_by(HOST_PF0);
    const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_cap_is_export_to_remote_net_supported(info));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED,
            doca_sync_event_cap_remote_net_is_create_from_export_supported(info));
    OK(doca_sync_event_cap_task_get_is_supported(info));
    OK(doca_sync_event_create(&event));
    OK(doca_sync_event_add_publisher_location_remote_net(event));
    OK(doca_sync_event_add_subscriber_location_cpu(event, dev));
    OK(doca_sync_event_start(event));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_export_to_remote_net(event, &desc, &size));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_sync_event_remote_net_create_from_export(
                                          dev, (const uint8_t *)"export", 6, &remote));
    OK(doca_sync_event_stop(event));
    OK(doca_sync_event_destroy(event));
    OK(doca_dev_close(dev));
    return 0;
}

START_TEST(no_remote_events_without_rdma)
{
    child_join(child_start(nodes.host, "program", has_no_remote_events, NULL));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_cards");
    TCase *tcase = case_near_shared(suite);
    tcase_add_loop_test(tcase, a_host_that_ends_stops_the_context, 0, 3);
    tcase_add_loop_test(tcase, relaxed_ordering_stands_alone, 0, 2);
    tcase_add_test(tcase, no_remote_events_without_rdma);
    return run_suite(suite);
}
