// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices, representors and clocks of DOCA 3.

#include "tables.h"

#include <check.h>
#include <doca_clock.h>
#include <doca_dev.h>
#include <string.h>

#define HOST_PF0                              "0b:00.0"
#define ck_assert_success(expression)         ck_assert_int_eq((expression), DOCA_SUCCESS)
#define ck_assert_error(expression, expected) ck_assert_int_eq((expression), (expected))

static struct doca_dev *open_first(struct doca_devinfo ***list)
{
    uint32_t n;
    struct doca_dev *dev = NULL;
    ck_assert_success(doca_devinfo_create_list(list, &n));
    ck_assert_success(doca_dev_open((*list)[0], &dev));
    return dev;
}

// ---- devices ---------------------------------------------------------------------------

enum { LISTED, OPEN, OPEN_TWICE, UNLISTED, HELD };

static struct {
    struct doca_devinfo **list;
    struct doca_dev *dev;
    unsigned opens;
    struct doca_clock *holder;
} d;

static void enter_device(unsigned state)
{
    uint32_t n;
    ck_assert_success(doca_devinfo_create_list(&d.list, &n));
    for (d.opens = 0; d.opens < (state == LISTED ? 0 : state == OPEN_TWICE ? 2 : 1); d.opens++)
        ck_assert_success(doca_dev_open(d.list[0], &d.dev));
    if (state == HELD) {
        ck_assert_success(doca_clock_create(d.dev, &d.holder));
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
        ck_assert_success(doca_clock_destroy(d.holder));
    }
    if (d.list)
        ck_assert_success(doca_devinfo_destroy_list(d.list));
    d.list = NULL;
    d.dev = NULL;
    d.holder = NULL;
}

static enum given argue_device(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "dev_list") && same(function, "doca_devinfo_destroy_list"))
        return GIVE_OBJECT(d.list);
    if (same(param, "devinfo"))
        return GIVE(d.list ? d.list[0] : doca_dev_as_devinfo(d.dev));
    if (same(param, "dev") && !same(function, "doca_dev_open"))
        return GIVE_OBJECT(d.dev);
    if (same(param, "pci_addr_str") && same(function, "doca_devinfo_is_equal_pci_addr"))
        return GIVE(HOST_PF0);
    *value = same(param, "size") ? 256 : 0;
    return same(param, "size") || same(param, "filter") ? GIVEN : GIVEN_NONE;
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

// In any state that has an info.
#define SYSTEM CELL(ERROR_OPERATING_SYSTEM)
#define DRIVER CELL(ERROR_DRIVER)

static const struct row device_rows[] = {
    //                             listed  open    twice   unlisted held
    {"doca_devinfo_create_list", ANY(OK)},
    {"doca_devinfo_destroy_list", {OK, OK, OK, ABSENT, ABSENT}},
    {"doca_dev_open", ANY(OK)},
    {"doca_dev_close", {ABSENT, OK, OK, OK, IN_USE}, "dev", OK},
    {"doca_dev_as_devinfo", {ABSENT, OK, OK, OK, OK}},
    {"doca_dev_accelerate_resource_reclaim", {ABSENT, UNSUPP, UNSUPP, UNSUPP, UNSUPP}},
    {"doca_devinfo_get_pci_addr_str", ANY(OK)},
    {"doca_devinfo_is_equal_pci_addr", ANY(OK)},
    {"doca_devinfo_get_ipv4_addr", ANY(OK)},
    {"doca_devinfo_get_ipv6_addr", ANY(OK)},
    {"doca_devinfo_get_mac_addr", ANY(OK)},
    {"doca_devinfo_get_iface_name", ANY(OK)},
    {"doca_devinfo_get_iface_index", ANY(SYSTEM)},
    {"doca_devinfo_get_ibdev_name", ANY(OK)},
    {"doca_devinfo_get_lid", ANY(UNSUPP)},
    {"doca_devinfo_get_active_rate", ANY(DRIVER)},
    {"doca_devinfo_get_vhca_id", ANY(OK)},
    {"doca_devinfo_get_pci_func_type", ANY(OK)},
    {"doca_devinfo_get_sf_index", ANY(UNSUPP)},
    {"doca_devinfo_get_uplink_ib_port", ANY(OK)},
    {"doca_devinfo_get_data_direct_pci_dev", ANY(UNSUPP)},
    {"doca_devinfo_cap_is_hotplug_manager_supported", ANY(OK)},
    {"doca_devinfo_cap_is_notification_moderation_supported", ANY(OK)},
    {"doca_devinfo_cap_is_accelerate_resource_reclaim_supported", ANY(OK)},
    {"doca_devinfo_rep_cap_is_filter_all_supported", ANY(OK)},
    {"doca_devinfo_rep_cap_is_filter_net_supported", ANY(OK)},
    {"doca_devinfo_rep_cap_is_filter_emulated_supported", ANY(OK)},
    // A host's: its functions have no representors.
    {"doca_devinfo_rep_create_list", {ABSENT, UNSUPP, UNSUPP, UNSUPP, UNSUPP}},
};

GROUP(devices) = {
    .name = "device",
    .states = {"listed", "open", "opened twice", "open without list", "closed but held"},
    ROWS(device_rows),
    .probe = "doca_dev_close",
    .enter = enter_device,
    .leave = leave_device,
    .argument = argue_device,
    LIVES({"doca_devinfo_create_list", "doca_devinfo_destroy_list", &d.list}),
    .succeeded = device_succeeded,
};

// ---- representors -------------------------------------------------------------------------

enum { REP_LISTED, REP_OPEN, REP_OPEN_TWICE, REP_UNLISTED, REP_ORPHAN };
enum { A_SF, A_PF, A_VF }; // their order in a list

static struct {
    struct doca_devinfo **devs;
    struct doca_dev *dev;
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep;
    unsigned opens;
} r;

static void enter_rep(unsigned state)
{
    uint32_t n;
    r.dev = open_first(&r.devs);
    ck_assert_success(
        doca_devinfo_rep_create_list(r.dev, DOCA_DEVINFO_REP_FILTER_NET, &r.list, &n));
    ck_assert_uint_gt(n, A_VF);
    for (r.opens = 0; r.opens < (state == REP_LISTED       ? 0
                                 : state == REP_OPEN_TWICE ? 2
                                                           : 1);
         r.opens++)
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
    ck_assert_success(doca_devinfo_destroy_list(r.devs));
    r.rep = NULL;
    r.list = NULL;
    r.dev = NULL;
}

static enum given argue_rep(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "dev_list_rep") && same(function, "doca_devinfo_rep_destroy_list"))
        return GIVE_OBJECT(r.list);
    if (same(param, "devinfo") || same(param, "devinfo_rep"))
        return GIVE(r.list ? r.list[A_PF] : doca_dev_rep_as_devinfo(r.rep));
    if (same(param, "dev") && same(function, "doca_devinfo_rep_create_list"))
        return GIVE_OBJECT(r.dev);
    if (same(param, "dev") || (same(param, "dev_rep") && same(function, "doca_dev_rep_as_devinfo")))
        return GIVE_OBJECT(r.rep);
    if (same(param, "pci_addr_str") && same(function, "doca_devinfo_rep_is_equal_pci_addr"))
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
    {"doca_devinfo_rep_create_list", {OK, OK, OK, OK, ABSENT}},
    {"doca_devinfo_rep_destroy_list", {OK, OK, OK, ABSENT, ABSENT}},
    {"doca_dev_rep_open", ANY(OK)},
    {"doca_dev_rep_close", {ABSENT, OK, OK, OK, OK}},
    {"doca_dev_rep_as_devinfo", {ABSENT, OK, OK, OK, OK}},
    {"doca_devinfo_rep_get_vuid", ANY(OK)},
    {"doca_devinfo_rep_get_pci_addr_str", ANY(OK)},
    {"doca_devinfo_rep_get_pci_func_type", ANY(OK)},
    {"doca_devinfo_rep_is_equal_pci_addr", ANY(OK)},
    {"doca_devinfo_rep_get_is_hotplug", ANY(OK)},
    {"doca_devinfo_rep_get_is_uplink_representor", ANY(OK)},
    {"doca_devinfo_rep_get_iface_name", ANY(OK)},
    {"doca_devinfo_rep_get_iface_index", ANY(SYSTEM)},
    {"doca_devinfo_rep_get_vhca_id", ANY(OK)},
    {"doca_devinfo_rep_get_ib_port", ANY(OK)},
    {"doca_devinfo_rep_get_host_index", ANY(OK)},
    {"doca_devinfo_rep_get_pf_index", ANY(OK)},
    {"doca_devinfo_rep_get_vf_index", ANY(INVALID)},
    {"doca_devinfo_rep_get_sf_index", ANY(INVALID)},
    {"doca_devinfo_rep_get_total_vfs", ANY(OK)},
    {"doca_devinfo_rep_get_pf_vuid", ANY(OK)},
    {"doca_devinfo_rep_get_data_direct_pci_dev", ANY(UNSUPP)},
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
    LIVES({"doca_devinfo_rep_create_list", "doca_devinfo_rep_destroy_list", &r.list}),
    .succeeded = rep_succeeded,
};

// ---- clocks ----------------------------------------------------------------------------------

static struct {
    struct doca_devinfo **devs;
    struct doca_dev *dev;
    struct doca_clock *clock;
} c;

static void enter_clock(unsigned state)
{
    c.dev = open_first(&c.devs);
    ck_assert_success(doca_clock_create(c.dev, &c.clock));
    if (state) // the device is closed
        ck_assert_success(doca_dev_close(c.dev));
    if (state)
        c.dev = NULL;
}

static void leave_clock(void)
{
    if (c.clock)
        ck_assert_success(doca_clock_destroy(c.clock));
    if (c.dev)
        ck_assert_success(doca_dev_close(c.dev));
    ck_assert_success(doca_devinfo_destroy_list(c.devs));
    c.clock = NULL;
}

static enum given argue_clock(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "devinfo"))
        return GIVE(c.devs[0]);
    if (same(param, "dev"))
        return GIVE_OBJECT(c.dev);
    if (same(param, "clock") && !same(function, "doca_clock_create"))
        return GIVE_OBJECT(c.clock);
    *value = DOCA_CLOCK_NIC_REAL_TIME;
    return strstr(param, "_type") ? GIVEN : GIVEN_NONE;
}

static const struct row clock_rows[] = {
    {"doca_clock_create", {OK, ABSENT}},
    {"doca_clock_destroy", ANY(OK)},
    {"doca_clock_get_timestamp", ANY(OK)},
    {"doca_clock_get_crosstimestamp", ANY(OK)},
    {"doca_clock_cap_nic_free_running_is_supported", ANY(OK)},
    {"doca_clock_cap_nic_real_time_is_supported", ANY(OK)},
    {"doca_clock_cap_nic_dpa_timer_is_supported", ANY(UNSUPP)},
};

GROUP(clocks) = {
    .name = "clock",
    .states = {"made", "its device closed"},
    ROWS(clock_rows),
    .enter = enter_clock,
    .leave = leave_clock,
    .argument = argue_clock,
    LIVES({"doca_clock_create", "doca_clock_destroy", &c.clock}),
};
