// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices and representors, of 2.2 and of DOCA 3.

#include "objects.h"

#include <doca_dev.h>

// ---- devices

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
    ck_assert_success(doca_devinfo_create_list(&d.list, &n));
    for (d.opens = 0; d.opens < (state == LISTED ? 0 : state == OPEN_TWICE ? 2 : 1); d.opens++)
        ck_assert_success(doca_dev_open(d.list[0], &d.dev));
    if (state == HELD) {
        d.holder = dma_new(d.dev);
        ck_assert_success(doca_dev_close(d.dev));
        d.opens--;
    }
    if (state == UNLISTED || state == HELD) {
        ck_assert_success(doca_devinfo_destroy_list(d.list));
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
        ck_assert_success(doca_devinfo_destroy_list(d.list));
    d.list = NULL;
    d.dev = NULL;
    d.holder = NULL;
}

static enum given argue_device(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "dev_list"))
        return GIVE_OBJECT(d.list);
    if (same(param, "devinfo"))
        return GIVE(d.list ? d.list[0] : doca_dev_as_devinfo(d.dev));
    if (same(param, "dev") && !same(function, "doca_dev_open"))
        return GIVE_OBJECT(d.dev);
    if (same(param, "pci_addr_str") && same(function, FN(doca_devinfo_is_equal_pci_addr)))
        return GIVE(HOST_PF0);
    *value = same(param, "size")       ? 256
             : same(param, "job_type") ? EITHER(DOCA_DMA_JOB_MEMCPY, 0)
                                       : 0;
    return same(param, "size") || same(param, "job_type") || same(param, "filter") ? GIVEN
                                                                                   : GIVEN_NONE;
}

static void device_succeeded(const char *function, const uint64_t *a)
{
    if (same(function, "doca_dev_close") && a[0] && --d.opens == 0)
        d.dev = NULL;
    else if (same(function, "doca_dev_open")) {
        struct doca_dev *dev = *(struct doca_dev **)(uintptr_t)a[1];
        ck_assert(!d.dev || dev == d.dev); // one object, however often it is opened
        d.dev = dev;
        d.opens++;
    }
}

static const struct row device_rows[] = {
    //                             listed  open    twice   unlisted held
    {FN(doca_devinfo_create_list), ANY(OK)},
    {FN(doca_devinfo_destroy_list), {OK, OK, OK, ABSENT, ABSENT}},
    {"doca_dev_open", ANY(OK)},
    {"doca_dev_close", {ABSENT, OK, OK, OK, IN_USE}, EITHER(NULL, "dev"), OK},
    {"doca_dev_as_devinfo", {ABSENT, OK, OK, OK, OK}},
    {"doca_devinfo_get_pci_addr_str", ANY(OK)},
    {FN(doca_devinfo_is_equal_pci_addr), ANY(OK)},
    {"doca_devinfo_get_ipv4_addr", ANY(OK)},
    {"doca_devinfo_get_ipv6_addr", ANY(OK)},
    {"doca_devinfo_get_mac_addr", ANY(OK)},
    {"doca_devinfo_get_iface_name", ANY(OK)},
    {"doca_devinfo_get_ibdev_name", ANY(OK)},
    {"doca_devinfo_get_lid", ANY(UNSUPP)},
    {FN(doca_devinfo_cap_is_hotplug_manager_supported), ANY(OK)},
    {FN(doca_devinfo_rep_cap_is_filter_all_supported), ANY(OK)},
    {FN(doca_devinfo_rep_cap_is_filter_net_supported), ANY(OK)},
    {FN(doca_devinfo_rep_cap_is_filter_emulated_supported), ANY(OK)},
    // A host's: its functions have no representors.
    {FN(doca_devinfo_rep_create_list), {ABSENT, UNSUPP, UNSUPP, UNSUPP, UNSUPP}},

    ROW_OF_2_2("doca_devinfo_get_is_mmap_export_dpu_supported", ANY(OK)),
    ROW_OF_2_2("doca_devinfo_get_is_mmap_from_export_dpu_supported", ANY(OK)),
    ROW_OF_2_2("doca_dma_job_get_supported", ANY(OK)),
    ROW_OF_2_2("doca_dma_get_max_list_buf_num_elem", ANY(OK)),
    ROW_OF_2_2("doca_dma_get_max_buf_size", ANY(OK)),

    ROW_OF_3("doca_dev_accelerate_resource_reclaim", {ABSENT, UNSUPP, UNSUPP, UNSUPP, UNSUPP}),
    ROW_OF_3("doca_devinfo_get_iface_index", ANY(SYSTEM)),
    ROW_OF_3("doca_devinfo_get_active_rate", ANY(DRIVER)),
    ROW_OF_3("doca_devinfo_get_vhca_id", ANY(OK)),
    ROW_OF_3("doca_devinfo_get_pci_func_type", ANY(OK)),
    ROW_OF_3("doca_devinfo_get_sf_index", ANY(UNSUPP)),
    ROW_OF_3("doca_devinfo_get_uplink_ib_port", ANY(OK)),
    ROW_OF_3("doca_devinfo_get_data_direct_pci_dev", ANY(UNSUPP)),
    ROW_OF_3("doca_devinfo_cap_is_notification_moderation_supported", ANY(OK)),
    ROW_OF_3("doca_devinfo_cap_is_accelerate_resource_reclaim_supported", ANY(OK)),
};

GROUP(devices) = {
    .name = "device",
    .states = {"listed", "open", "opened twice", "open without list", "closed but held"},
    ROWS(device_rows),
    .probe = "doca_dev_close",
    .enter = enter_device,
    .leave = leave_device,
    .argument = argue_device,
    LIFETIMES({FN(doca_devinfo_create_list), FN(doca_devinfo_destroy_list), &d.list}),
    .succeeded = device_succeeded,
};

// ---- representors

enum { REP_LISTED, REP_OPEN, REP_OPEN_TWICE, REP_UNLISTED, REP_ORPHAN };
enum { A_SF, A_PF, A_VF }; // their order in a list

static struct {
    struct doca_dev *dev;
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep;
    unsigned opens;
} r;

static void enter_rep(unsigned state)
{
    unsigned opens = state == REP_LISTED ? 0 : state == REP_OPEN_TWICE ? 2 : 1;
    uint32_t n;
    r.dev = client_open(DPU_P0);
    ck_assert_success(
        doca_devinfo_rep_create_list(r.dev, DOCA_DEVINFO_REP_FILTER_NET, &r.list, &n));
    ck_assert_uint_gt(n, A_VF);
    for (r.opens = 0; r.opens < opens; r.opens++)
        ck_assert_success(doca_dev_rep_open(r.list[A_PF], &r.rep));
    if (state == REP_UNLISTED || state == REP_ORPHAN) {
        ck_assert_success(doca_devinfo_rep_destroy_list(r.list));
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
        ck_assert_success(doca_devinfo_rep_destroy_list(r.list));
    if (r.dev)
        ck_assert_success(doca_dev_close(r.dev));
    r.rep = NULL;
    r.list = NULL;
    r.dev = NULL;
}

static enum given argue_rep(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "dev_list_rep") || same(param, "dev_list"))
        return GIVE_OBJECT(r.list);
    if (same(param, "devinfo") || same(param, "devinfo_rep"))
        return GIVE(r.list ? r.list[A_PF] : doca_dev_rep_as_devinfo(r.rep));
    if (same(param, "dev") && same(function, FN(doca_devinfo_rep_create_list)))
        return GIVE_OBJECT(r.dev);
    if (same(param, "dev") || (same(param, "dev_rep") && same(function, "doca_dev_rep_as_devinfo")))
        return GIVE_OBJECT(r.rep);
    if (same(param, "pci_addr_str") && same(function, FN(doca_devinfo_rep_is_equal_pci_addr)))
        return GIVE("0b:00.0");
    *value = same(param, "size") ? 256 : DOCA_DEVINFO_REP_FILTER_NET;
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

// Of a physical function.
static const struct row rep_rows[] = {
    //                                 listed open twice unlisted parent closed
    {FN(doca_devinfo_rep_create_list), {OK, OK, OK, OK, ABSENT}},
    {FN(doca_devinfo_rep_destroy_list), {OK, OK, OK, ABSENT, ABSENT}},
    {"doca_dev_rep_open", ANY(OK)},
    {"doca_dev_rep_close", {ABSENT, OK, OK, OK, OK}},
    {"doca_dev_rep_as_devinfo", {ABSENT, OK, OK, OK, OK}},
    {"doca_devinfo_rep_get_vuid", ANY(OK)},
    {"doca_devinfo_rep_get_pci_addr_str", ANY(OK)},
    {"doca_devinfo_rep_get_pci_func_type", ANY(OK)},
    {FN(doca_devinfo_rep_is_equal_pci_addr), ANY(OK)},

    ROW_OF_3("doca_devinfo_rep_get_is_hotplug", ANY(OK)),
    ROW_OF_3("doca_devinfo_rep_get_is_uplink_representor", ANY(OK)),
    ROW_OF_3("doca_devinfo_rep_get_iface_name", ANY(OK)),
    ROW_OF_3("doca_devinfo_rep_get_iface_index", ANY(SYSTEM)),
    ROW_OF_3("doca_devinfo_rep_get_vhca_id", ANY(OK)),
    ROW_OF_3("doca_devinfo_rep_get_ib_port", ANY(OK)),
    ROW_OF_3("doca_devinfo_rep_get_host_index", ANY(OK)),
    ROW_OF_3("doca_devinfo_rep_get_pf_index", ANY(OK)),
    ROW_OF_3("doca_devinfo_rep_get_vf_index", ANY(INVALID)),
    ROW_OF_3("doca_devinfo_rep_get_sf_index", ANY(INVALID)),
    ROW_OF_3("doca_devinfo_rep_get_total_vfs", ANY(OK)),
    ROW_OF_3("doca_devinfo_rep_get_pf_vuid", ANY(OK)),
    ROW_OF_3("doca_devinfo_rep_get_data_direct_pci_dev", ANY(UNSUPP)),
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
    LIFETIMES({FN(doca_devinfo_rep_create_list), FN(doca_devinfo_rep_destroy_list), &r.list}),
    .succeeded = rep_succeeded,
};
