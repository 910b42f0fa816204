// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs of DOCA 3 on devices that imitate a card: what the card does not have on one side, or in
// the library that the program uses, and what it logs.

#include "child.h"
#include "nodes.h"
#include "run.h"

#include <doca_aes_gcm.h>
#include <doca_comch.h>
#include <doca_compress.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_docad.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>
#include <doca_sha.h>
#include <doca_sync_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))

static struct doca_dev *open_named(const char *name)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n = 0;

    OK(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        char of_it[DOCA_DEVINFO_IFACE_NAME_SIZE];
        OK(doca_devinfo_get_iface_name(list[i], of_it, sizeof(of_it)));
        if (strcmp(of_it, name) == 0)
            OK(doca_dev_open(list[i], &dev));
    }
    OK(doca_devinfo_destroy_list(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

static enum doca_ctx_states state_of(const struct doca_ctx *ctx)
{
    enum doca_ctx_states state;
    OK(doca_ctx_get_state(ctx, &state));
    return state;
}

// ---- what the library logs ---------------------------------------------------------------------

#define LINES_MAX 32u

static char lines[LINES_MAX][512];
static uint32_t levels[LINES_MAX];
static unsigned n_lines;

static void watch(uint32_t level, const char *text)
{
    ck_assert_uint_lt(n_lines, LINES_MAX);
    snprintf(lines[n_lines], sizeof(lines[0]), "%s", text);
    levels[n_lines++] = level;
}

// The lines of this level with a text.
static unsigned count(uint32_t level, const char *text)
{
    unsigned n = 0;

    for (unsigned i = 0; i < n_lines; i++)
        n += levels[i] == level && strstr(lines[i], text);
    return n;
}

static unsigned errors(const char *text)
{
    return count(DOCA_LOG_LEVEL_ERROR, text);
}

struct setting {
    const char *card, *device; // NULL: software
    bool works;
};

static struct doca_dev *begin(const struct setting *setting)
{
    if (setting->card)
        ck_assert_int_eq(setenv("DOCAD_CARD", setting->card, 1), 0);
    OK(docad_log_watch(watch));
    return open_named(setting->device);
}

// ---- RDMA on the Arm side ----------------------------------------------------------------------

static int starts_rdma(struct child *self, void *arg)
{
    const struct setting *setting = arg;
    struct doca_dev *dev = begin(setting);
    struct doca_rdma *rdma;
    struct doca_pe *pe;

    (void)self;
    ck_assert_int_eq(doca_rdma_cap_task_send_is_supported(doca_dev_as_devinfo(dev)),
                     setting->works ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED);
    OK(doca_pe_create(&pe));
    OK(doca_rdma_create(dev, &rdma));
    OK(doca_pe_connect_ctx(pe, doca_rdma_as_ctx(rdma)));
    REFUSED(setting->works ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED,
            doca_ctx_start(doca_rdma_as_ctx(rdma)));
    if (!setting->works) {
        ck_assert_int_eq(state_of(doca_rdma_as_ctx(rdma)), DOCA_CTX_STATE_IDLE);
        ck_assert_uint_eq(errors("bluefield-3"), 1);
    }
    OK(doca_ctx_stop(doca_rdma_as_ctx(rdma)));
    OK(doca_rdma_destroy(rdma));
    OK(doca_pe_destroy(pe));
    OK(doca_dev_close(dev));
    return 0;
}

START_TEST(a_pf_of_the_arm_side_starts_no_rdma)
{
    static const struct setting settings[] = {
        {"bluefield-3", "p0", false}, {"bluefield-3", "p0s0", true}, {NULL, "p0", true}};
    struct setting setting = settings[_i];
    child_join(child_start(nodes.dpu, "dpu", starts_rdma, &setting));
}
END_TEST

// ---- Comch clients of a DPU --------------------------------------------------------------------

static int makes_client(struct child *self, void *arg)
{
    const struct setting *setting = arg;
    struct doca_dev *dev = begin(setting);
    struct doca_comch_client *client;

    (void)self;
    REFUSED(setting->works ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED,
            doca_comch_cap_client_is_supported(doca_dev_as_devinfo(dev)));
    REFUSED(setting->works ? DOCA_SUCCESS : DOCA_ERROR_INITIALIZATION,
            doca_comch_client_create(dev, "server", &client));
    if (setting->works)
        OK(doca_comch_client_destroy(client));
    else
        ck_assert_uint_eq(errors("bluefield-2"), 1);
    OK(doca_dev_close(dev));
    return 0;
}

START_TEST(comch_clients_are_on_the_host)
{
    static const struct setting settings[] = {{"bluefield-2", "p0s0", false},
                                              {NULL, "p0s0", true},
                                              {"software,reorder=1", "p0s0", true},
                                              {"bluefield-2", "pf0", true}};
    struct setting setting = settings[_i];
    const struct daemon *daemon = setting.device[1] == 'f' ? nodes.host : nodes.dpu;
    child_join(child_start(daemon, "program", makes_client, &setting));
}
END_TEST

// ---- what the card lacks -----------------------------------------------------------------------

// The tables of codes name NOT_SUPPORTED for the creation of AES-GCM contexts; contexts of other
// libraries can be made, say how many tasks they take, and refuse to have any.
static int uses_what_is_absent(struct child *self, void *arg)
{
    const struct setting *setting = arg;
    struct doca_dev *dev = begin(setting);
    struct doca_aes_gcm *gcm = NULL;
    struct doca_sha *sha;
    struct doca_dma *dma;
    uint32_t n = 0;

    (void)self;
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_aes_gcm_create(dev, &gcm));
    ck_assert_ptr_null(gcm);
    ck_assert_uint_eq(errors("connectx-7"), 1);
    OK(doca_sha_create(dev, &sha));
    OK(doca_sha_cap_get_max_num_tasks(sha, &n));
    ck_assert_uint_gt(n, 0);
    OK(doca_sha_destroy(sha));
    OK(doca_dma_create(dev, &dma));
    OK(doca_dma_cap_get_max_num_tasks(dma, &n));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED,
            doca_dma_task_memcpy_set_conf(dma, (void *)free, (void *)free, 1));
    ck_assert_uint_eq(errors("connectx-7"), 2);
    OK(doca_dma_destroy(dma));
    OK(doca_dev_close(dev));
    return 0;
}

START_TEST(what_a_card_lacks_is_refused_with_the_codes_of_the_tables)
{
    struct setting setting = {.card = "connectx-7", .device = "pf0"};
    child_join(child_start(nodes.host, "host", uses_what_is_absent, &setting));
}
END_TEST

// ---- a stop of sync events ---------------------------------------------------------------------

static void ignore(struct doca_sync_event_task_get *task, union doca_data data,
                   union doca_data ctx_data)
{
    (void)task;
    (void)data;
    (void)ctx_data;
}

static int stops_event(struct child *self, void *arg)
{
    const struct setting *setting = arg;
    struct doca_dev *dev = begin(setting);
    struct doca_sync_event_task_get *task;
    struct doca_sync_event *event;
    struct doca_pe *pe;
    uint64_t value;

    (void)self;
    OK(doca_pe_create(&pe));
    OK(doca_sync_event_create(&event));
    OK(doca_sync_event_add_publisher_location_cpu(event, dev));
    OK(doca_sync_event_add_subscriber_location_cpu(event, dev));
    struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
    OK(doca_pe_connect_ctx(pe, ctx));
    OK(doca_sync_event_task_get_set_conf(event, ignore, ignore, 1));
    OK(doca_ctx_start(ctx));
    OK(doca_sync_event_task_get_alloc_init(event, &value, (union doca_data){.u64 = 0}, &task));
    REFUSED(setting->works ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(ctx));
    ck_assert_int_eq(state_of(ctx), setting->works ? DOCA_CTX_STATE_IDLE : DOCA_CTX_STATE_STOPPING);
    doca_task_free(doca_sync_event_task_get_as_doca_task(task));
    (void)doca_pe_progress(pe);
    ck_assert_int_eq(state_of(ctx), DOCA_CTX_STATE_IDLE);
    OK(doca_sync_event_destroy(event));
    OK(doca_pe_destroy(pe));
    OK(doca_dev_close(dev));
    return 0;
}

START_TEST(a_sync_event_waits_for_its_tasks)
{
    static const struct setting settings[] = {{"bluefield-3", "p0", false}, {NULL, "p0", true}};
    struct setting setting = settings[_i];
    child_join(child_start(nodes.dpu, "dpu", stops_event, &setting));
}
END_TEST

// ---- memory ranges -----------------------------------------------------------------------------

#define RANGE ((size_t)4096)

static void make_map(struct doca_dev *dev, uint8_t *memory, bool device_first)
{
    struct doca_mmap *map;

    OK(doca_mmap_create(&map));
    if (device_first)
        OK(doca_mmap_add_dev(map, dev));
    OK(doca_mmap_set_memrange(map, memory, RANGE));
    if (!device_first)
        OK(doca_mmap_add_dev(map, dev));
    OK(doca_mmap_start(map));
    OK(doca_mmap_destroy(map));
}

static int maps_memory(struct child *self, void *arg)
{
    const struct setting *setting = arg;
    struct doca_dev *dev = begin(setting);
    uint8_t *memory = aligned_alloc(64, 2 * RANGE);

    (void)self;
    ck_assert_ptr_nonnull(memory);
    make_map(dev, memory, true);
    ck_assert_uint_eq(count(DOCA_LOG_LEVEL_WARNING, "not a multiple"), 0);
    make_map(dev, memory + 1, true);
    ck_assert_uint_eq(count(DOCA_LOG_LEVEL_WARNING, "not a multiple"), setting->works ? 0 : 1);
    make_map(dev, memory + 63, false);
    ck_assert_uint_eq(count(DOCA_LOG_LEVEL_WARNING, "not a multiple"), setting->works ? 0 : 2);
    free(memory);
    OK(doca_dev_close(dev));
    return 0;
}

START_TEST(a_range_that_is_not_aligned_is_logged)
{
    static const struct setting settings[] = {{"bluefield-3", "pf0", false}, {NULL, "pf0", true}};
    struct setting setting = settings[_i];
    child_join(child_start(nodes.host, "host", maps_memory, &setting));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_cards_lack");
    TCase *tcase = case_near_shared(suite);
    tcase_add_loop_test(tcase, a_pf_of_the_arm_side_starts_no_rdma, 0, 3);
    tcase_add_loop_test(tcase, comch_clients_are_on_the_host, 0, 4);
    tcase_add_test(tcase, what_a_card_lacks_is_refused_with_the_codes_of_the_tables);
    tcase_add_loop_test(tcase, a_sync_event_waits_for_its_tasks, 0, 2);
    tcase_add_loop_test(tcase, a_range_that_is_not_aligned_is_logged, 0, 2);
    return run_suite(suite);
}
