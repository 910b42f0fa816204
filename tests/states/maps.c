// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps, of 2.2 and of DOCA 3. Those of 1.5 have other states: see maps_1_5.c.

#include "objects.h"

#include <string.h>
#include <sys/mman.h>

#define SIZE 8192

enum {
    FRESH,
    RANGED,
    CONFIGURED,
    STARTED,
    BUSY,
    EXPORTED,
    STOPPED,
    EARLY,
    UNCOUNTED, // thread-safe
    IMPORTED,
    IMPORTED_BUSY
};

static struct {
    struct doca_dev *dev;
    struct doca_mmap *mmap;
    struct doca_buf_inventory *inventory;
    struct doca_buf *buf;
    uint8_t *memory;
} m;

static const union doca_data user_data = {.u64 = 77};

static void take_buf(void *address)
{
    m.inventory = inventory_new(1);
    ck_assert_success(doca_buf_inventory_start(m.inventory));
    ck_assert_success(doca_buf_inventory_buf_get_by_addr(m.inventory, m.mmap, address, 16, &m.buf));
}

static void enter_imported(unsigned state)
{
    void *address;
    size_t length;
    m.dev = client_open(DPU_P0);
    ck_assert_success(
        doca_mmap_create_from_export(&user_data, exported_desc, exported_desc_len, m.dev, &m.mmap));
    ck_assert_success(doca_mmap_get_memrange(m.mmap, &address, &length));
    if (state == IMPORTED_BUSY)
        take_buf(address);
}

static void configure(void)
{
    ck_assert_success(doca_mmap_add_dev(m.mmap, m.dev));
    ck_assert_success(doca_mmap_set_permissions(m.mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                                            DOCA_ACCESS_FLAG_PCI_READ_WRITE |
                                                            DOCA_ACCESS_FLAG_RDMA_READ));
}

static void enter_mmap(unsigned state)
{
    const void *desc;
    size_t length;

    m.memory = pages_new(SIZE);
    if (state >= IMPORTED) {
        enter_imported(state);
        return;
    }
    m.dev = client_open(HOST_PF0);
    OF_2_2(ck_assert_success(doca_mmap_create(&user_data, &m.mmap));)
    OF_3(ck_assert_success(doca_mmap_create(&m.mmap));)
    OF_3(ck_assert_success(doca_mmap_set_user_data(m.mmap, user_data));)
    if (state >= RANGED)
        ck_assert_success(doca_mmap_set_memrange(m.mmap, m.memory, SIZE));
    if (state >= CONFIGURED)
        configure();
    OF_3(if (state == UNCOUNTED) ck_assert_success(doca_mmap_enable_thread_safety(m.mmap));)
    if (state >= STARTED && state != EARLY)
        ck_assert_success(doca_mmap_start(m.mmap));
    if (state == BUSY || state == EARLY || state == UNCOUNTED)
        take_buf(m.memory);
    if (state == EXPORTED)
        ck_assert_success(doca_mmap_export_pci(m.mmap, m.dev, &desc, &length));
    if (state == STOPPED)
        ck_assert_success(doca_mmap_stop(m.mmap));
}

static void leave_mmap(void)
{
    if (m.buf)
        ck_assert_success(doca_buf_dec_refcount(m.buf, NULL));
    if (m.inventory)
        ck_assert_success(doca_buf_inventory_destroy(m.inventory));
    if (m.mmap)
        ck_assert_success(doca_mmap_destroy(m.mmap));
    ck_assert_success(doca_dev_close(m.dev));
    munmap(m.memory, SIZE);
    m.buf = NULL;
    m.inventory = NULL;
    m.mmap = NULL;
}

static void freed(void *address, size_t length, void *opaque)
{
    (void)address;
    (void)length;
    (void)opaque;
}

// Numbers, and objects of the program.
static enum given argue_setting(const char *function, const char *param, uint64_t *value)
{
    bool gets = strstr(function, "_get_");

    if (same(param, "len") && !gets) {
        *value = SIZE;
        return GIVEN;
    }
    if (same(param, "max_num_devices") && !gets) {
        *value = 8;
        return GIVEN;
    }
    if (same(param, "token_sz")) {
        *value = 1;
        return GIVEN;
    }
    *value = 0; // permissions: reading; the descriptor of standard input; no offset
    return same(param, "access_mask") || same(param, "dmabuf_fd") || same(param, "dmabuf_offset") ||
                   same(param, "offset") || same(param, "dpa_addr") ||
                   same(function, "doca_mmap_set_user_data")
               ? GIVEN
               : GIVEN_NONE;
}

static enum given argue_mmap(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "mmap"))
        return GIVE(m.mmap);
    if (same(param, "dev"))
        return GIVE(m.dev);
    if (same(param, "devinfo"))
        return GIVE(doca_dev_as_devinfo(m.dev));
    if (same(function, "doca_mmap_create_from_export")) {
        if (same(param, "export_desc"))
            return GIVE(exported_desc);
        *value = exported_desc_len;
        return same(param, "export_desc_len") ? GIVEN : GIVEN_NONE;
    }
    if (same(param, "addr") && !same(function, "doca_mmap_get_memrange"))
        return GIVE(m.memory);
    if (same(param, "free_cb"))
        return GIVE(freed);
    return argue_setting(function, param, value);
}

// clang-format off
#define NONE EITHER(INVALID, FOUND)
#define THERE EITHER(IN_USE, EXISTS)
static const struct row mmap_rows[] = {
    //                        fresh    ranged   config.  started busy    exported stopped early   thread-safe imported busy
    {"doca_mmap_create", ANY(OK), EITHER("user_data", NULL)},
    // A host imports nothing from a host.
    {"doca_mmap_create_from_export",
                             {UNSUPP,  UNSUPP,  UNSUPP,  UNSUPP, UNSUPP, UNSUPP, UNSUPP, UNSUPP, UNSUPP, OK,     OK},
                          "user_data"},
    {"doca_mmap_destroy",    {OK,      OK,      OK,      OK,     PERMIT, OK,     OK,     PERMIT, OK,     OK,     PERMIT}},
    {"doca_mmap_start",      {INVALID, OK,      OK,      PERMIT, PERMIT, PERMIT, OK,     OK,     PERMIT, PERMIT, PERMIT}},
    {"doca_mmap_stop",       {PERMIT,  PERMIT,  PERMIT,  OK,     PERMIT, OK,     PERMIT, PERMIT, OK,     OK,     PERMIT}},
    {FN(doca_mmap_add_dev),  {OK,      OK,      THERE,   PERMIT, PERMIT, PERMIT, THERE,  THERE,  PERMIT, PERMIT, PERMIT}},
    {FN(doca_mmap_rm_dev),   {NONE,    NONE,    OK,      PERMIT, PERMIT, PERMIT, OK,     OK,     PERMIT, PERMIT, PERMIT}},
    {FN(doca_mmap_export_pci),
                             {PERMIT,  PERMIT,  PERMIT,  OK,     OK,     OK,     PERMIT, PERMIT, OK,     PERMIT, PERMIT}},
    {"doca_mmap_export_rdma",{PERMIT,  PERMIT,  PERMIT,  OK,     OK,     OK,     PERMIT, PERMIT, OK,     OK,     OK}},
    {"doca_mmap_set_memrange",
                             {OK,      PERMIT,  PERMIT,  STATE,  STATE,  STATE,  PERMIT, PERMIT, STATE,  PERMIT, PERMIT}},
    {"doca_mmap_set_dmabuf_memrange",
                             {UNSUPP,  PERMIT,  PERMIT,  STATE,  STATE,  STATE,  PERMIT, PERMIT, STATE,  PERMIT, PERMIT},
                          EITHER(NULL, "addr")},
    {"doca_mmap_get_memrange",
                             {STATE,   OK,      OK,      OK,     OK,     OK,     OK,     OK,     OK,     OK,     OK}},
    {"doca_mmap_set_free_cb",{OK,      OK,      OK,      STATE,  STATE,  STATE,  OK,     OK,     STATE,  STATE,  STATE},
                          "opaque"},
    {"doca_mmap_set_max_num_devices",
                             {OK,      OK,      OK,      PERMIT, PERMIT, PERMIT, PERMIT, OK,     PERMIT, PERMIT, PERMIT}},
    {"doca_mmap_set_permissions",
                             {OK,      OK,      OK,      STATE,  STATE,  STATE,  OK,     OK,     STATE,  STATE,  STATE}},
    {"doca_mmap_get_user_data", ANY(OK)},
    {"doca_mmap_get_max_num_devices", ANY(OK)},
    {"doca_mmap_get_num_bufs", ANY(OK)},
    {"doca_mmap_get_exported", ANY(OK)},
    {"doca_mmap_get_from_export", ANY(OK)},
    ROW_OF_3("doca_mmap_set_dpa_memrange",
                             {UNSUPP,  PERMIT,  PERMIT,  STATE,  STATE,  STATE,  PERMIT, PERMIT, STATE,  PERMIT, PERMIT}),
    ROW_OF_3("doca_mmap_dev_get_dpa_handle",
                             {PERMIT,  PERMIT,  PERMIT,  UNSUPP, UNSUPP, UNSUPP, PERMIT, PERMIT, UNSUPP, UNSUPP, UNSUPP}),
    ROW_OF_3("doca_mmap_get_mkey",
                             {INVALID, INVALID, INVALID, UNSUPP, UNSUPP, UNSUPP, INVALID, INVALID, UNSUPP, UNSUPP, UNSUPP}),
    ROW_OF_3("doca_mmap_set_user_data",
                             {OK,      OK,      OK,      STATE,  STATE,  STATE,  OK,     OK,     STATE,  STATE,  STATE}),
    ROW_OF_3("doca_mmap_enable_thread_safety",
                             {OK,      OK,      OK,      PERMIT, PERMIT, PERMIT, OK,     PERMIT, PERMIT, OK,     PERMIT}),
    ROW_OF_3("doca_mmap_set_export_access_token",
                             {FOUND,   FOUND,   INVALID, STATE,  STATE,  STATE,  INVALID, INVALID, STATE, STATE, STATE}),
    ROW_OF_3("doca_mmap_cap_is_export_pci_supported", ANY(OK)),
    ROW_OF_3("doca_mmap_cap_is_create_from_export_pci_supported", ANY(OK)),
    ROW_OF_3("doca_mmap_cap_get_max_export_access_token_size", ANY(OK)),
};
// clang-format on

GROUP(mmaps) = {
    .name = "mmap",
    .states = {"fresh", "with its range", "configured", "started", "with buffers", "exported",
               "stopped", "with buffers, not started", EITHER("", "thread-safe with buffers"),
               "imported", "imported with buffers"},
    .on_dpu = 1 << IMPORTED | 1 << IMPORTED_BUSY,
    ROWS(mmap_rows),
    .probe = "doca_mmap_start",
    .enter = enter_mmap,
    .leave = leave_mmap,
    .argument = argue_mmap,
    LIFETIMES({"doca_mmap_create", "doca_mmap_destroy", &m.mmap},
              {"doca_mmap_create_from_export", "doca_mmap_destroy", NULL}),
};
