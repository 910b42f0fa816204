// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices and representors.

#include "tables.h"

#include "client.h"

#include <check.h>
#include <doca_dev.h>

// ---- devices ---------------------------------------------------------------------------

enum { LISTED, OPEN, OPEN_TWICE, UNLISTED, HELD };

static struct {
    struct doca_devinfo **list;
    struct doca_dev *dev;
    unsigned opens;
    struct doca_dma *holder;
} d;

static void enter_device(unsigned state)
{
    uint32_t n;
    ck_assert_success(doca_devinfo_list_create(&d.list, &n));
    for (d.opens = 0; d.opens < (state == LISTED ? 0 : state == OPEN_TWICE ? 2 : 1); d.opens++)
        ck_assert_success(doca_dev_open(d.list[0], &d.dev));
    if (state == HELD) {
        ck_assert_success(doca_dma_create(&d.holder));
        ck_assert_success(doca_ctx_dev_add(doca_dma_as_ctx(d.holder), d.dev));
        ck_assert_success(doca_dev_close(d.dev));
        d.opens--;
    }
    if (state == UNLISTED || state == HELD) {
        ck_assert_success(doca_devinfo_list_destroy(d.list));
        d.list = NULL;
    }
}

static void leave_device(void)
{
    for (; d.opens; d.opens--)
        ck_assert_success(doca_dev_close(d.dev));
    if (d.holder) {
        ck_assert_error(doca_dev_close(d.dev), DOCA_ERROR_IN_USE);
        ck_assert_success(doca_dma_destroy(d.holder));
    }
    if (d.list)
        ck_assert_success(doca_devinfo_list_destroy(d.list));
    d.list = NULL;
    d.dev = NULL;
    d.holder = NULL;
}

static enum given argue_device(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "dev_list") && same(function, "doca_devinfo_list_destroy"))
        return GIVE_OBJECT(d.list);
    if (same(param, "devinfo"))
        return GIVE(d.list ? d.list[0] : doca_dev_as_devinfo(d.dev));
    if (same(param, "dev") && !same(function, "doca_dev_open"))
        return GIVE_OBJECT(d.dev);
    if (same(param, "pci_addr_str") && same(function, "doca_devinfo_get_is_pci_addr_equal"))
        return GIVE(HOST_PF0);
    *value = same(param, "size") ? 256 : same(param, "job_type") ? DOCA_DMA_JOB_MEMCPY : 0;
    return same(param, "size") || same(param, "job_type") || same(param, "filter") ? GIVEN
                                                                                   : GIVEN_NONE;
}

static void device_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_dev_close") && --d.opens == 0)
        d.dev = NULL;
    else if (same(function, "doca_dev_open")) {
        struct doca_dev *dev = *(struct doca_dev **)(uintptr_t)a[1];
        ck_assert(!d.dev || dev == d.dev); // one object, however often it is opened
        d.dev = dev;
        d.opens++;
    }
}

// In any state that has an info.

static const struct row device_rows[] = {
    //                             listed  open    twice   unlisted held
    {"doca_devinfo_list_create", ANY(OK)},
    {"doca_devinfo_list_destroy", {OK, OK, OK, ABSENT, ABSENT}},
    {"doca_dev_open", ANY(OK)},
    {"doca_dev_close", {ABSENT, OK, OK, OK, IN_USE}},
    {"doca_dev_as_devinfo", {ABSENT, OK, OK, OK, OK}},
    {"doca_devinfo_get_pci_addr_str", ANY(OK)},
    {"doca_devinfo_get_is_pci_addr_equal", ANY(OK)},
    {"doca_devinfo_get_ipv4_addr", ANY(OK)},
    {"doca_devinfo_get_ipv6_addr", ANY(OK)},
    {"doca_devinfo_get_mac_addr", ANY(OK)},
    {"doca_devinfo_get_iface_name", ANY(OK)},
    {"doca_devinfo_get_ibdev_name", ANY(OK)},
    {"doca_devinfo_get_lid", ANY(UNSUPP)},
    {"doca_devinfo_get_is_hotplug_manager_supported", ANY(OK)},
    {"doca_devinfo_get_is_mmap_export_dpu_supported", ANY(OK)},
    {"doca_devinfo_get_is_mmap_from_export_dpu_supported", ANY(OK)},
    {"doca_devinfo_rep_get_is_list_all_supported", ANY(OK)},
    {"doca_devinfo_rep_get_is_list_net_supported", ANY(OK)},
    {"doca_devinfo_rep_get_is_list_emulated_supported", ANY(OK)},
    // A host's: its functions have no representors.
    {"doca_devinfo_rep_list_create", {ABSENT, UNSUPP, UNSUPP, UNSUPP, UNSUPP}},
    {"doca_dma_job_get_supported", ANY(OK)},
    {"doca_dma_get_max_list_buf_num_elem", ANY(OK)},
    {"doca_dma_get_max_buf_size", ANY(OK)},
};

GROUP(devices) = {
    .name = "device",
    .states = {"listed", "open", "opened twice", "open without list", "closed but held"},
    ROWS(device_rows),
    .probe = "doca_dev_close",
    .enter = enter_device,
    .leave = leave_device,
    .argument = argue_device,
    LIVES({"doca_devinfo_list_create", "doca_devinfo_list_destroy", &d.list}),
    .succeeded = device_succeeded,
};

// ---- representors -------------------------------------------------------------------------

enum { REP_LISTED, REP_OPEN, REP_OPEN_TWICE, REP_UNLISTED, REP_ORPHAN };

static struct {
    struct doca_dev *dev;
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep;
    unsigned opens;
} r;

static void enter_rep(unsigned state)
{
    uint32_t n;
    r.dev = client_open(DPU_P0);
    ck_assert_success(doca_devinfo_rep_list_create(r.dev, DOCA_DEV_REP_FILTER_NET, &r.list, &n));
    ck_assert_uint_gt(n, 0);
    for (r.opens = 0; r.opens < (state == REP_LISTED       ? 0
                                 : state == REP_OPEN_TWICE ? 2
                                                           : 1);
         r.opens++)
        ck_assert_success(doca_dev_rep_open(r.list[0], &r.rep));
    if (state == REP_UNLISTED || state == REP_ORPHAN) {
        ck_assert_success(doca_devinfo_rep_list_destroy(r.list));
        r.list = NULL;
    }
    if (state == REP_ORPHAN) {
        ck_assert_success(doca_dev_close(r.dev));
        r.dev = NULL;
    }
}

static void leave_rep(void)
{
    for (; r.opens; r.opens--)
        ck_assert_success(doca_dev_rep_close(r.rep));
    if (r.list)
        ck_assert_success(doca_devinfo_rep_list_destroy(r.list));
    if (r.dev)
        ck_assert_success(doca_dev_close(r.dev));
    r.rep = NULL;
    r.list = NULL;
    r.dev = NULL;
}

static enum given argue_rep(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "dev_list_rep") && same(function, "doca_devinfo_rep_list_destroy"))
        return GIVE_OBJECT(r.list);
    if (same(param, "devinfo") || same(param, "devinfo_rep"))
        return GIVE(r.list ? r.list[0] : doca_dev_rep_as_devinfo(r.rep));
    if (same(param, "dev") && same(function, "doca_devinfo_rep_list_create"))
        return GIVE_OBJECT(r.dev);
    if (same(param, "dev") || (same(param, "dev_rep") && same(function, "doca_dev_rep_as_devinfo")))
        return GIVE_OBJECT(r.rep);
    if (same(param, "pci_addr_str") && same(function, "doca_devinfo_rep_get_is_pci_addr_equal"))
        return GIVE("0b:00.0");
    *value = same(param, "size") ? 256 : DOCA_DEV_REP_FILTER_NET;
    return same(param, "size") || same(param, "filter") ? GIVEN : GIVEN_NONE;
}

static void rep_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_dev_rep_close") && --r.opens == 0)
        r.rep = NULL;
    else if (same(function, "doca_dev_rep_open")) {
        struct doca_dev_rep *rep = *(struct doca_dev_rep **)(uintptr_t)a[1];
        ck_assert(!r.rep || rep == r.rep);
        r.rep = rep;
        r.opens++;
    }
}

static const struct row rep_rows[] = {
    //                                 listed open twice unlisted parent closed
    {"doca_devinfo_rep_list_create", {OK, OK, OK, OK, ABSENT}},
    {"doca_devinfo_rep_list_destroy", {OK, OK, OK, ABSENT, ABSENT}},
    {"doca_dev_rep_open", ANY(OK)},
    {"doca_dev_rep_close", {ABSENT, OK, OK, OK, OK}},
    {"doca_dev_rep_as_devinfo", {ABSENT, OK, OK, OK, OK}},
    {"doca_devinfo_rep_get_vuid", ANY(OK)},
    {"doca_devinfo_rep_get_pci_addr_str", ANY(OK)},
    {"doca_devinfo_rep_get_pci_func_type", ANY(OK)},
    {"doca_devinfo_rep_get_is_pci_addr_equal", ANY(OK)},
};

GROUP(representors) = {
    .name = "representor",
    .states = {"listed", "open", "opened twice", "open without list", "its device closed"},
    .on_dpu = ~0u,
    ROWS(rep_rows),
    .probe = "doca_dev_rep_close",
    .enter = enter_rep,
    .leave = leave_rep,
    .argument = argue_rep,
    LIVES({"doca_devinfo_rep_list_create", "doca_devinfo_rep_list_destroy", &r.list}),
    .succeeded = rep_succeeded,
};
