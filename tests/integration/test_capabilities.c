// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Confirms by trying what getters report of a device or an object: on functions with the
// capability and on functions without it.

#include "child.h"
#include "client.h"
#include "run.h"

#include <check.h>
#include <doca_comm_channel.h>
#include <doca_compress.h>
#include <doca_sha.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 4096

static const char host_config[] = "function \"pf0\" { type = pf  pci = 0b:00.0  port = 0 }\n"
                                  "function \"pf1\" { type = pf  pci = 0b:00.1  port = 1\n"
                                  "  can_export_dpu = no }\n"
                                  "function \"pf2\" { type = pf  pci = 0b:00.2  port = 2\n"
                                  "  can_dma = no }\n";
static const char dpu_config[] = "function \"p0\" { type = pf  pci = 03:00.0  port = 0 }\n"
                                 "function \"p1\" { type = pf  pci = 03:00.1  port = 1\n"
                                 "  can_import_dpu = no  can_list_reps = no }\n"
                                 "function \"p2\" { type = pf  pci = 03:00.2  port = 2\n"
                                 "  can_dma = no }\n";

struct handout {
    size_t desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

typedef doca_error_t getter(const struct doca_devinfo *devinfo, uint8_t *supported);

// How often a capability was found to be there, and not to be there.
struct tally {
    unsigned yes, no;
};

static void agree(struct tally *tally, const char *what, bool said, doca_error_t tried)
{
    ck_assert_msg(tried == (said ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED),
                  "%s is %ssupported, it is said, and trying it gives %s", what, said ? "" : "not ",
                  doca_get_error_name(tried));
    (*(said ? &tally->yes : &tally->no))++;
}

static bool says(getter *get, struct doca_dev *dev)
{
    uint8_t supported = 2;
    ck_assert_success(get(doca_dev_as_devinfo(dev), &supported));
    ck_assert_uint_le(supported, 1);
    return supported;
}

// ---- devices ------------------------------------------------------------------------------

static doca_error_t try_dma(struct doca_dev *dev)
{
    struct doca_dma *dma;
    ck_assert_success(doca_dma_create(&dma));
    doca_error_t e = doca_ctx_dev_add(doca_dma_as_ctx(dma), dev);
    ck_assert_success(doca_dma_destroy(dma));
    return e;
}

static doca_error_t try_reps(struct doca_dev *dev, int filter)
{
    struct doca_devinfo_rep **list;
    uint32_t n;
    doca_error_t e = doca_devinfo_rep_list_create(dev, filter, &list, &n);
    if (e == DOCA_SUCCESS)
        ck_assert_success(doca_devinfo_rep_list_destroy(list));
    return e;
}

static doca_error_t try_import(struct doca_dev *dev, const struct handout *given)
{
    struct doca_mmap *mmap;
    doca_error_t e = doca_mmap_create_from_export(NULL, given->desc, given->desc_len, dev, &mmap);
    if (e == DOCA_SUCCESS)
        ck_assert_success(doca_mmap_destroy(mmap));
    return e;
}

struct tallies {
    struct tally dma, reps, export, import;
};

static void compare(struct doca_dev *dev, struct tallies *t)
{
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    doca_error_t dma = doca_dma_job_get_supported(info, DOCA_DMA_JOB_MEMCPY);
    uint64_t size;
    uint32_t elements;

    ck_assert(dma == DOCA_SUCCESS || dma == DOCA_ERROR_NOT_SUPPORTED);
    agree(&t->dma, "DMA", dma == DOCA_SUCCESS, try_dma(dev));
    ck_assert_error(doca_dma_get_max_buf_size(info, &size), dma);
    ck_assert_error(doca_dma_get_max_list_buf_num_elem(info, &elements), dma);
    agree(&t->reps, "listing all", says(doca_devinfo_rep_get_is_list_all_supported, dev),
          try_reps(dev, DOCA_DEV_REP_FILTER_ALL));
    agree(&t->reps, "listing net", says(doca_devinfo_rep_get_is_list_net_supported, dev),
          try_reps(dev, DOCA_DEV_REP_FILTER_NET));
    agree(&t->reps, "listing emulated", says(doca_devinfo_rep_get_is_list_emulated_supported, dev),
          try_reps(dev, DOCA_DEV_REP_FILTER_EMULATED));
}

// Exports a page for the device. Keeps the descriptor in *out if that is empty.
static doca_error_t try_export(struct doca_dev *dev, void *memory, struct doca_mmap **mmap,
                               struct handout *out)
{
    const void *desc;
    size_t length;
    ck_assert_success(doca_mmap_create(NULL, mmap));
    ck_assert_success(doca_mmap_set_memrange(*mmap, memory, SIZE));
    ck_assert_success(doca_mmap_set_permissions(*mmap, DOCA_ACCESS_DPU_READ_WRITE));
    ck_assert_success(doca_mmap_dev_add(*mmap, dev));
    ck_assert_success(doca_mmap_start(*mmap));
    doca_error_t e = doca_mmap_export_dpu(*mmap, dev, &desc, &length);
    if (e == DOCA_SUCCESS && out->desc_len == 0) {
        memcpy(out->desc, desc, length);
        out->desc_len = length;
    }
    return e;
}

static int is_host(struct child *self, void *arg)
{
    static const char *const addresses[] = {HOST_PF0, HOST_PF1, "0b:00.2"};
    struct doca_mmap *mmaps[3];
    struct doca_dev *devs[3];
    struct handout out = {.desc_len = 0};
    struct tallies t = {{0}, {0}, {0}, {0}};
    (void)arg;
    for (int i = 0; i < 3; i++) {
        devs[i] = client_open(addresses[i]);
        compare(devs[i], &t);
        agree(&t.export, "exporting to the DPU",
              says(doca_devinfo_get_is_mmap_export_dpu_supported, devs[i]),
              try_export(devs[i], pages_new(SIZE), &mmaps[i], &out));
    }
    ck_assert(t.dma.yes && t.dma.no && t.export.yes && t.export.no && !t.reps.yes);
    child_send(self, &out, sizeof(out));
    child_wait(self, "end");
    for (int i = 0; i < 3; i++) {
        ck_assert_error(try_import(devs[i], &out), DOCA_ERROR_NOT_SUPPORTED);
        ck_assert(!says(doca_devinfo_get_is_mmap_from_export_dpu_supported, devs[i]));
        ck_assert_success(doca_mmap_destroy(mmaps[i]));
        ck_assert_success(doca_dev_close(devs[i]));
    }
    return 0;
}

static int is_dpu(struct child *self, void *arg)
{
    static const char *const addresses[] = {DPU_P0, DPU_P1};
    const struct handout *given = arg;
    struct tallies t = {{0}, {0}, {0}, {0}};
    struct handout none = {.desc_len = 0};
    (void)self;
    for (int i = 0; i < 2; i++) {
        struct doca_mmap *mmap;
        struct doca_dev *dev = client_open(addresses[i]);
        compare(dev, &t);
        // Imports what port 0 of the host exported; p1 is on another port and could not import it
        // anyway.
        agree(&t.import, "importing", says(doca_devinfo_get_is_mmap_from_export_dpu_supported, dev),
              try_import(dev, given));
        agree(&t.export, "exporting", says(doca_devinfo_get_is_mmap_export_dpu_supported, dev),
              try_export(dev, pages_new(SIZE), &mmap, &none));
        ck_assert_success(doca_mmap_destroy(mmap));
        ck_assert_success(doca_dev_close(dev));
    }
    struct doca_dev *no_dma = client_open("03:00.2");
    compare(no_dma, &t);
    ck_assert_success(doca_dev_close(no_dma));
    ck_assert(t.dma.yes && t.dma.no && t.reps.yes && t.reps.no && t.import.yes && t.import.no &&
              !t.export.yes);
    return 0;
}

START_TEST(devices)
{
    struct path host_path = temp_file("host.conf", host_config);
    struct path dpu_path = temp_file("dpu.conf", dpu_config);
    struct daemon *host = daemon_start(&(struct daemon_options){.config = host_path.s});
    struct daemon *dpu = daemon_start(&(struct daemon_options){
        .role = "dpu", .label = "dpu", .config = dpu_path.s, .peers = {host->socket.s}});
    struct handout given;
    daemon_wait_links(host, 1);
    daemon_wait_links(dpu, 1);
    struct child *exporter = child_start(host, "host", is_host, NULL);
    ck_assert_uint_eq(child_receive(exporter, &given, sizeof(given)), sizeof(given));
    child_join(child_start(dpu, "dpu", is_dpu, &given));
    child_tell(exporter, "end");
    child_join(exporter);
    assert_baseline(host);
    assert_baseline(dpu);
    unlink(host_path.s);
    unlink(dpu_path.s);
}
END_TEST

// ---- objects ----------------------------------------------------------------------------------

// Takes exactly as many as the device reports, and not one more.
static void devices_of_a_map(uint32_t most)
{
    static const char *const addresses[] = {HOST_PF0, HOST_PF1, "0b:00.2", "0b:00.3"};
    struct doca_dev *devs[4];
    struct doca_mmap *mmap;
    uint32_t said;
    ck_assert_success(doca_mmap_create(NULL, &mmap));
    ck_assert_success(doca_mmap_set_max_num_devices(mmap, most));
    ck_assert_success(doca_mmap_get_max_num_devices(mmap, &said));
    ck_assert_uint_eq(said, most);
    for (uint32_t i = 0; i < 4; i++) {
        devs[i] = client_open(addresses[i]);
        ck_assert_error(doca_mmap_dev_add(mmap, devs[i]),
                        i < said ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
    }
    ck_assert_success(doca_mmap_dev_rm(mmap, devs[0]));
    ck_assert_success(doca_mmap_dev_add(mmap, devs[3]));
    ck_assert_success(doca_mmap_destroy(mmap));
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_success(doca_dev_close(devs[i]));
}

static void number_of_buffers(void)
{
    static uint8_t memory[64];
    struct doca_buf_inventory *inventory;
    struct doca_mmap *mmap;
    struct doca_buf *bufs[5];
    uint32_t n;
    ck_assert_success(doca_mmap_create(NULL, &mmap));
    ck_assert_success(doca_mmap_set_memrange(mmap, memory, sizeof(memory)));
    ck_assert_success(doca_mmap_start(mmap));
    ck_assert_success(doca_buf_inventory_create(NULL, 5, 0, &inventory));
    ck_assert_success(doca_buf_inventory_start(inventory));
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert_success(doca_mmap_get_num_bufs(mmap, &n));
        ck_assert_uint_eq(n, i);
        ck_assert_success(
            doca_buf_inventory_buf_by_addr(inventory, mmap, memory, sizeof(memory), &bufs[i]));
        ck_assert_error(doca_mmap_destroy(mmap), DOCA_ERROR_NOT_PERMITTED);
    }
    for (uint32_t i = 0; i < 5; i++)
        ck_assert_success(doca_buf_refcount_rm(bufs[i], NULL));
    ck_assert_success(doca_mmap_get_num_bufs(mmap, &n));
    ck_assert_uint_eq(n, 0);
    ck_assert_success(doca_mmap_destroy(mmap));
    ck_assert_success(doca_buf_inventory_destroy(inventory));
}

static void modes_of_a_queue(void)
{
    struct doca_dev *dev = client_open(HOST_PF0);
    struct doca_workq *workq;
    struct doca_dma *dma;
    uint8_t supported, on;
    ck_assert_success(doca_dma_create(&dma));
    ck_assert_success(doca_ctx_dev_add(doca_dma_as_ctx(dma), dev));
    ck_assert_success(doca_ctx_start(doca_dma_as_ctx(dma)));
    ck_assert_success(doca_ctx_get_event_driven_supported(doca_dma_as_ctx(dma), &supported));
    ck_assert_success(doca_workq_create(1, &workq));
    ck_assert_success(doca_workq_set_event_driven_enable(workq, 1));
    ck_assert_success(doca_workq_get_event_driven_enable(workq, &on));
    ck_assert_uint_eq(on, 1);
    ck_assert_error(doca_ctx_workq_add(doca_dma_as_ctx(dma), workq),
                    supported ? DOCA_SUCCESS : DOCA_ERROR_INITIALIZATION);
    ck_assert_success(doca_ctx_workq_rm(doca_dma_as_ctx(dma), workq));
    ck_assert_success(doca_workq_destroy(workq));
    ck_assert_success(doca_dma_destroy(dma));
    ck_assert_success(doca_dev_close(dev));
}

static int looks_at_objects(struct child *self, void *arg)
{
    (void)self;
    (void)arg;
    devices_of_a_map(1);
    devices_of_a_map(3);
    number_of_buffers();
    modes_of_a_queue();
    return 0;
}

START_TEST(objects)
{
    struct daemon *host = daemon_start(&(struct daemon_options){.role = "host"});
    child_join(child_start(host, "host", looks_at_objects, NULL));
    assert_baseline(host);
}
END_TEST

// ---- cards --------------------------------------------------------------------------------

#define CARD_LIMIT ((size_t)2 << 20) // of bluefield-3

static int exports_more(struct child *self, void *arg)
{
    struct exporter e;
    struct handout out = {.desc_len = 0};
    (void)arg;
    exporter_start(&e, HOST_PF0, pages_new(2 * CARD_LIMIT), 2 * CARD_LIMIT,
                   DOCA_ACCESS_DPU_READ_WRITE);
    memcpy(out.desc, e.desc, e.desc_len);
    out.desc_len = e.desc_len;
    child_send(self, &out, sizeof(out));
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

static doca_error_t try_sha(struct doca_dev *dev)
{
    struct doca_sha *sha;
    ck_assert_success(doca_sha_create(&sha));
    doca_error_t e = doca_ctx_dev_add(doca_sha_as_ctx(sha), dev);
    ck_assert_success(doca_sha_destroy(sha));
    return e;
}

// The bytes that the device says, and not one more; software copies them all.
static int copies_too_much(struct child *self, void *arg)
{
    const struct handout *given = arg;
    struct copier c;
    uint64_t size;
    (void)self;
    copier_start(&c, DPU_P0, 2 * CARD_LIMIT);
    struct doca_devinfo *info = doca_dev_as_devinfo(c.dev);
    ck_assert_success(doca_dma_get_max_buf_size(info, &size));
    bool is_card = size == CARD_LIMIT;
    copier_import(&c, given->desc, given->desc_len);
    ck_assert_success(copier_read(&c, 0, CARD_LIMIT));
    ck_assert_error(copier_read(&c, 0, CARD_LIMIT + 1),
                    is_card ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS);
    ck_assert_success(copier_read(&c, 0, CARD_LIMIT));
    ck_assert_error(doca_sha_job_get_supported(info, DOCA_SHA_JOB_SHA256),
                    is_card ? DOCA_ERROR_NOT_SUPPORTED : DOCA_SUCCESS);
    ck_assert_error(try_sha(c.dev), is_card ? DOCA_ERROR_NOT_SUPPORTED : DOCA_SUCCESS);
    copier_release(&c);
    copier_stop(&c);
    return is_card;
}

static int copies_as_software(struct child *self, void *arg)
{
    ck_assert_int_eq(setenv("DOCAD_CARD", "software", 1), 0);
    ck_assert_int_eq(copies_too_much(self, arg), 0);
    return 0;
}

static int copies_as_card(struct child *self, void *arg)
{
    ck_assert_int_eq(copies_too_much(self, arg), 1);
    return 0;
}

// All jobs take lists of this length.
static int asks_for_lists(struct child *self, void *arg)
{
    uint32_t n;
    (void)self;
    ck_assert_int_eq(setenv("DOCAD_CARD", arg, 1), 0);
    struct doca_dev *dev = client_open(DPU_P0);
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    ck_assert_success(doca_compress_get_max_list_buf_num_elem(info, &n));
    ck_assert_uint_eq(n, 5);
    ck_assert_success(doca_dev_close(dev));
    return 0;
}

// A context of compression takes the device of a card that has any part of it.
static int adds_to_compression(struct child *self, void *arg)
{
    static const struct {
        const char *card;
        doca_error_t code;
    } cases[] = {{"connectx-7", DOCA_ERROR_NOT_SUPPORTED},
                 {"bluefield-3/2.2", DOCA_SUCCESS},
                 {"software", DOCA_SUCCESS}};

    (void)self;
    (void)arg;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct doca_compress *compress;
        ck_assert_int_eq(setenv("DOCAD_CARD", cases[i].card, 1), 0);
        struct doca_dev *dev = client_open(DPU_P0);
        ck_assert_success(doca_compress_create(&compress));
        ck_assert_error(doca_ctx_dev_add(doca_compress_as_ctx(compress), dev), cases[i].code);
        ck_assert_success(doca_compress_destroy(compress));
        ck_assert_success(doca_dev_close(dev));
    }
    return 0;
}

static struct doca_dev *open_named(const char *name)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t n;

    ck_assert_success(doca_devinfo_list_create(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        char of_it[DOCA_DEVINFO_IFACE_NAME_SIZE];
        ck_assert_success(doca_devinfo_get_iface_name(list[i], of_it, sizeof(of_it)));
        if (strcmp(of_it, name) == 0)
            ck_assert_success(doca_dev_open(list[i], &dev));
    }
    ck_assert_success(doca_devinfo_list_destroy(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

// Clients of the Comm Channel are on the host of a card; SFs of a DPU of `software` can be some.
static int connects_on_dpu(struct child *self, void *arg)
{
    static const struct {
        const char *card;
        doca_error_t code;
    } cases[] = {{"bluefield-2/2.2", DOCA_ERROR_NOT_SUPPORTED},
                 {"software", DOCA_ERROR_CONNECTION_ABORTED}}; // there is no service

    (void)self;
    (void)arg;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct doca_comm_channel_ep_t *ep;
        struct doca_comm_channel_addr_t *peer = NULL;
        ck_assert_int_eq(setenv("DOCAD_CARD", cases[i].card, 1), 0);
        struct doca_dev *dev = open_named("p0s0");
        ck_assert_success(doca_comm_channel_ep_create(&ep));
        ck_assert_success(doca_comm_channel_ep_set_device(ep, dev));
        ck_assert_error(doca_comm_channel_ep_connect(ep, "service", &peer), cases[i].code);
        ck_assert_ptr_null(peer);
        ck_assert_success(doca_comm_channel_ep_destroy(ep));
        ck_assert_success(doca_dev_close(dev));
    }
    return 0;
}

START_TEST(cards)
{
    struct path dpu_path = temp_file("dpu.conf", "card = bluefield-3\n");
    struct daemon *host = daemon_start(&(struct daemon_options){.role = "host"});
    struct daemon *dpu = daemon_start(&(struct daemon_options){
        .role = "dpu", .label = "dpu", .config = dpu_path.s, .peers = {host->socket.s}});
    struct handout given;
    daemon_wait_links(host, 1);
    daemon_wait_links(dpu, 1);
    struct child *exporter = child_start(host, "host", exports_more, NULL);
    ck_assert_uint_eq(child_receive(exporter, &given, sizeof(given)), sizeof(given));
    child_join(child_start(dpu, "card", copies_as_card, &given));
    child_join(child_start(dpu, "software", copies_as_software, &given));
    struct path lists =
        temp_file("lists.conf", "compress.compress_deflate.max_buf_list_len = 5\n"
                                "compress.decompress_deflate.max_buf_list_len = 9\n");
    child_join(child_start(dpu, "lists", asks_for_lists, lists.s));
    unlink(lists.s);
    child_join(child_start(dpu, "compression", adds_to_compression, NULL));
    child_join(child_start(dpu, "Comm Channel", connects_on_dpu, NULL));
    child_tell(exporter, "end");
    child_join(exporter);
    assert_baseline(host);
    assert_baseline(dpu);
    unlink(dpu_path.s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("capabilities");
    TCase *tcase = tcase_create("capabilities");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, devices);
    tcase_add_test(tcase, objects);
    tcase_add_test(tcase, cards);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
