// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices and representors of DOCA 3, of real daemons.

#include "daemon.h"
#include "env.h"
#include "run.h"

#include <doca_clock.h>
#include <doca_dev.h>

#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))
#define INVALID(call)       REFUSED(DOCA_ERROR_INVALID_VALUE, call)

static void use_host(void)
{
    daemon_use(daemon_start(&(struct daemon_options){0}));
}

static struct doca_devinfo **list_of(uint32_t expected)
{
    struct doca_devinfo **list = NULL;
    uint32_t n = 0;
    OK(doca_devinfo_create_list(&list, &n));
    ck_assert_uint_eq(n, expected);
    ck_assert_ptr_null(list[n]);
    return list;
}

static struct doca_dev *open_by(const char *pci)
{
    struct doca_devinfo **list = NULL;
    struct doca_dev *dev = NULL;
    uint32_t n = 0;
    OK(doca_devinfo_create_list(&list, &n));
    for (uint32_t i = 0; i < n && !dev; i++) {
        uint8_t equal = 7;
        OK(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
        if (equal)
            OK(doca_dev_open(list[i], &dev));
    }
    OK(doca_devinfo_destroy_list(list));
    ck_assert_ptr_nonnull(dev);
    return dev;
}

START_TEST(functions_of_a_host)
{
    static const enum doca_pci_func_type types[] = {DOCA_PCI_FUNC_TYPE_PF, DOCA_PCI_FUNC_TYPE_VF,
                                                    DOCA_PCI_FUNC_TYPE_VF, DOCA_PCI_FUNC_TYPE_PF,
                                                    DOCA_PCI_FUNC_TYPE_VF};
    use_host();
    struct doca_devinfo **list = list_of(5);
    for (int i = 0; i < 5; i++) {
        enum doca_pci_func_type type = (enum doca_pci_func_type)9;
        uint32_t number = 77;
        uint16_t id = 0, other;
        uint8_t flag = 7;
        OK(doca_devinfo_get_pci_func_type(list[i], &type));
        ck_assert_int_eq(type, types[i]);
        REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_sf_index(list[i], &number));
        ck_assert_uint_eq(number, 77);
        OK(doca_devinfo_get_vhca_id(list[i], &id));
        for (int j = 0; j < i; j++) {
            OK(doca_devinfo_get_vhca_id(list[j], &other));
            ck_assert_uint_ne(id, other);
        }
        OK(doca_devinfo_get_uplink_ib_port(list[i], &id));
        ck_assert_uint_eq(id, 1);
        OK(doca_devinfo_cap_is_hotplug_manager_supported(list[i], &flag));
        ck_assert_uint_eq(flag, 0);
        flag = 7;
        OK(doca_devinfo_rep_cap_is_filter_net_supported(list[i], &flag));
        ck_assert_uint_eq(flag, 0);
        char pci[DOCA_DEVINFO_PCI_ADDR_SIZE] = "untouched";
        REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_data_direct_pci_dev(list[i], pci));
        ck_assert_str_eq(pci, "untouched");
    }
    OK(doca_devinfo_destroy_list(list));
}
END_TEST

START_TEST(what_software_has_not)
{
    use_host();
    struct doca_devinfo **list = list_of(5);
    uint64_t rate = 77;
    uint32_t index = 77;
    REFUSED(DOCA_ERROR_DRIVER, doca_devinfo_get_active_rate(list[0], &rate));
    ck_assert_uint_eq(rate, 77);
    REFUSED(DOCA_ERROR_OPERATING_SYSTEM, doca_devinfo_get_iface_index(list[0], &index));
    ck_assert_uint_eq(index, 77);
    struct doca_dev *dev;
    OK(doca_dev_open(list[0], &dev));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_dev_accelerate_resource_reclaim(dev));
    OK(doca_dev_close(dev));
    OK(doca_devinfo_destroy_list(list));
}
END_TEST

START_TEST(the_form_of_addresses)
{
    use_host();
    struct doca_devinfo **list = list_of(5);
    uint8_t equal = 7;
    OK(doca_devinfo_is_equal_pci_addr(list[0], "0b:00.0", &equal));
    ck_assert_uint_eq(equal, 1);
    OK(doca_devinfo_is_equal_pci_addr(list[0], "0000:0b:00.1", &equal));
    ck_assert_uint_eq(equal, 0);
    INVALID(doca_devinfo_is_equal_pci_addr(list[0], "pf0", &equal));
    OK(doca_devinfo_destroy_list(list));
}
END_TEST

START_TEST(sub_functions_have_an_index)
{
    struct path config = temp_file("dpu.conf", "function \"p0\" { type = pf pci = 03:00.0 }\n"
                                               "function \"en3f0pf0sf7\" { type = sf port = 0 }\n"
                                               "function \"scalable\" { type = sf port = 0 }\n");
    daemon_use(daemon_start(&(struct daemon_options){.role = "dpu", .config = config.s}));
    struct doca_devinfo **list = list_of(3);
    uint32_t index = 77;
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_sf_index(list[0], &index));
    OK(doca_devinfo_get_sf_index(list[1], &index));
    ck_assert_uint_eq(index, 7);
    REFUSED(DOCA_ERROR_DRIVER, doca_devinfo_get_sf_index(list[2], &index));
    ck_assert_uint_eq(index, 7);
    OK(doca_devinfo_destroy_list(list));
    unlink(config.s);
}
END_TEST

// ---- representors ---------------------------------------------------------------

static void link_host_and_dpu(void)
{
    daemon_use(node_pair_start().dpu);
}

START_TEST(representors)
{
    struct doca_devinfo_rep **list = NULL;
    uint32_t n = 0;
    link_host_and_dpu();
    struct doca_dev *dev = open_by("03:00.0");
    uint8_t flag = 7;
    OK(doca_devinfo_rep_cap_is_filter_all_supported(doca_dev_as_devinfo(dev), &flag));
    ck_assert_uint_eq(flag, 1);
    OK(doca_devinfo_rep_cap_is_filter_net_supported(doca_dev_as_devinfo(dev), &flag));
    ck_assert_uint_eq(flag, 1);
    OK(doca_devinfo_rep_cap_is_filter_emulated_supported(doca_dev_as_devinfo(dev), &flag));
    ck_assert_uint_eq(flag, 0);
    REFUSED(DOCA_ERROR_NOT_SUPPORTED,
            doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_EMULATED, &list, &n));
    INVALID(doca_devinfo_rep_create_list(dev, 1, &list, &n));
    OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n));
    ck_assert_uint_eq(n, 4); // p0s0 of the DPU; pf0, pf0vf0, pf0vf1 of the host

    uint32_t number = 77;
    char pf[DOCA_DEVINFO_REP_VUID_SIZE], vuid[DOCA_DEVINFO_REP_VUID_SIZE];
    OK(doca_devinfo_rep_get_vuid(list[1], pf, sizeof(pf)));
    OK(doca_devinfo_rep_get_total_vfs(list[1], &number));
    ck_assert_uint_eq(number, 2);
    INVALID(doca_devinfo_rep_get_vf_index(list[1], &number));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_devinfo_rep_get_total_vfs(list[2], &number));
    INVALID(doca_devinfo_rep_get_sf_index(list[1], &number));
    for (uint32_t i = 0; i < n; i++) {
        char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
        uint16_t id = 0, port = 0;
        OK(doca_devinfo_rep_get_pf_index(list[i], &number));
        ck_assert_uint_eq(number, 0);
        OK(doca_devinfo_rep_get_host_index(list[i], &number));
        ck_assert_uint_eq(number, 0);
        OK(doca_devinfo_rep_get_pf_vuid(list[i], vuid, sizeof(vuid)));
        ck_assert_int_eq(strcmp(vuid, pf) == 0, i > 0);
        INVALID(doca_devinfo_rep_get_pf_vuid(list[i], vuid, 127));
        OK(doca_devinfo_rep_get_is_hotplug(list[i], &flag));
        ck_assert_uint_eq(flag, 0);
        OK(doca_devinfo_rep_get_is_uplink_representor(list[i], &flag));
        ck_assert_uint_eq(flag, 0);
        OK(doca_devinfo_rep_get_iface_name(list[i], name, sizeof(name)));
        ck_assert_uint_gt(strlen(name), 0);
        INVALID(doca_devinfo_rep_get_iface_name(list[i], name, 10));
        REFUSED(DOCA_ERROR_OPERATING_SYSTEM, doca_devinfo_rep_get_iface_index(list[i], &number));
        OK(doca_devinfo_rep_get_vhca_id(list[i], &id));
        OK(doca_devinfo_rep_get_ib_port(list[i], &port));
        ck_assert_uint_gt(port, 1);
        REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_rep_get_data_direct_pci_dev(list[i], vuid));
        if (i == 0)
            OK(doca_devinfo_rep_get_sf_index(list[i], &number));
        else if (i > 1)
            OK(doca_devinfo_rep_get_vf_index(list[i], &number));
        ck_assert_uint_eq(number, i == 3);
        OK(doca_devinfo_rep_is_equal_pci_addr(list[i], "0b:00.0", &flag));
        ck_assert_uint_eq(flag, i == 1);
    }
    struct doca_dev_rep *rep;
    OK(doca_dev_rep_open(list[1], &rep));
    OK(doca_devinfo_rep_destroy_list(list));
    OK(doca_dev_rep_close(rep));
    OK(doca_dev_close(dev));
}
END_TEST

// ---- clocks ------------------------------------------------------------------------

static int64_t ns(const union doca_clock_timespec_t *at)
{
    return (int64_t)at->ts.tv_sec * 1000000000 + at->ts.tv_nsec;
}

START_TEST(clocks)
{
    use_host();
    struct doca_dev *dev = open_by("0b:00.0");
    struct doca_devinfo *info = doca_dev_as_devinfo(dev);
    struct doca_clock *clock = NULL;
    OK(doca_clock_cap_nic_free_running_is_supported(info));
    OK(doca_clock_cap_nic_real_time_is_supported(info));
    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_clock_cap_nic_dpa_timer_is_supported(info));
    OK(doca_clock_create(dev, &clock));
    OK(doca_dev_close(dev)); // the clock keeps it

    static const uint64_t all[] = {
        DOCA_CLOCK_NIC_FREE_RUNNING, DOCA_CLOCK_NIC_REAL_TIME,  DOCA_CLOCK_HOST_COUNTER_CYCLES,
        DOCA_CLOCK_HOST_REAL_TIME,   DOCA_CLOCK_HOST_MONOTONIC, DOCA_CLOCK_HOST_MONOTONIC_RAW,
    };
    for (int i = 0; i < 6; i++) {
        union doca_clock_timespec_t first = {0}, primary = {0}, nic = {0};
        uint64_t margin = 0;
        OK(doca_clock_get_timestamp(clock, all[i], &first));
        OK(doca_clock_get_crosstimestamp(clock, all[i], DOCA_CLOCK_NIC_FREE_RUNNING, &primary, &nic,
                                         &margin));
        if (all[i] == DOCA_CLOCK_HOST_COUNTER_CYCLES)
            ck_assert_uint_le(first.counter, primary.counter);
        else if (all[i] != DOCA_CLOCK_HOST_REAL_TIME && all[i] != DOCA_CLOCK_NIC_REAL_TIME)
            ck_assert_int_le(ns(&first), ns(&primary));
        ck_assert_uint_gt(margin, 0);
        if (all[i] == DOCA_CLOCK_HOST_MONOTONIC_RAW) { // the same clock: within the margin
            int64_t apart = ns(&primary) - ns(&nic);
            ck_assert_int_le(llabs(apart), (int64_t)margin);
        }
    }
    union doca_clock_timespec_t at = {.counter = 77}, other = at;
    uint64_t margin = 77;
    REFUSED(DOCA_ERROR_NOT_SUPPORTED,
            doca_clock_get_timestamp(clock, DOCA_CLOCK_NIC_DPA_TIMER, &at));
    INVALID(doca_clock_get_timestamp(clock, 3, &at));
    INVALID(doca_clock_get_timestamp(NULL, 1, &at));
    INVALID(doca_clock_get_timestamp(clock, 1, NULL));
    INVALID(
        doca_clock_get_crosstimestamp(clock, 1, DOCA_CLOCK_HOST_MONOTONIC, &at, &other, &margin));
    INVALID(doca_clock_get_crosstimestamp(clock, 3, 1, &at, &other, &margin));
    REFUSED(
        DOCA_ERROR_NOT_SUPPORTED,
        doca_clock_get_crosstimestamp(clock, 1, DOCA_CLOCK_NIC_DPA_TIMER, &at, &other, &margin));
    INVALID(doca_clock_get_crosstimestamp(NULL, 1, 1, &at, &other, &margin));
    INVALID(doca_clock_get_crosstimestamp(clock, 1, 1, NULL, &other, &margin));
    INVALID(doca_clock_get_crosstimestamp(clock, 1, 1, &at, NULL, &margin));
    INVALID(doca_clock_get_crosstimestamp(clock, 1, 1, &at, &other, NULL));
    ck_assert(at.counter == 77 && other.counter == 77 && margin == 77);
    INVALID(doca_clock_cap_nic_free_running_is_supported(NULL));
    INVALID(doca_clock_create(NULL, &clock));
    OK(doca_clock_destroy(clock));
    INVALID(doca_clock_destroy(NULL));
}
END_TEST

// ---- NULL for each pointer -----------------------------------------------------------

START_TEST(nothing_is_null)
{
    link_host_and_dpu();
    struct doca_devinfo **list = list_of(4), **no_list = (void *)1;
    struct doca_devinfo *info = list[0];
    struct doca_dev *dev = open_by("03:00.0");
    struct doca_devinfo_rep **reps;
    uint32_t n = 0;
    OK(doca_devinfo_rep_create_list(dev, 0, &reps, &n));
    struct doca_devinfo_rep *rep = reps[1];

    n = 77;
    uint8_t flag = 7;
    uint16_t word = 77;
    uint64_t rate = 77;
    enum doca_pci_func_type type = (enum doca_pci_func_type)9;
    char text[DOCA_DEVINFO_IFACE_NAME_SIZE] = "untouched";
    INVALID(doca_devinfo_create_list(NULL, &n));
    INVALID(doca_devinfo_create_list(&no_list, NULL));
    INVALID(doca_devinfo_destroy_list(NULL));
    INVALID(doca_devinfo_rep_create_list(NULL, 0, &reps, &n));
    INVALID(doca_devinfo_rep_create_list(dev, 0, NULL, &n));
    INVALID(doca_devinfo_rep_create_list(dev, 0, &reps, NULL));
    INVALID(doca_devinfo_rep_destroy_list(NULL));
    INVALID(doca_dev_accelerate_resource_reclaim(NULL));
    OK(doca_dev_close(NULL)); // as programs do
    INVALID(doca_devinfo_is_equal_pci_addr(NULL, "03:00.0", &flag));
    INVALID(doca_devinfo_is_equal_pci_addr(info, NULL, &flag));
    INVALID(doca_devinfo_is_equal_pci_addr(info, "03:00.0", NULL));
    INVALID(doca_devinfo_rep_is_equal_pci_addr(NULL, "03:00.0", &flag));
    INVALID(doca_devinfo_rep_is_equal_pci_addr(rep, NULL, &flag));
    INVALID(doca_devinfo_rep_is_equal_pci_addr(rep, "03:00.0", NULL));
#define OF_INFO(function, out)                                                                     \
    INVALID(function(NULL, out));                                                                  \
    INVALID(function(info, NULL))
#define OF_REP(function, out)                                                                      \
    INVALID(function(NULL, out));                                                                  \
    INVALID(function(rep, NULL))
    OF_INFO(doca_devinfo_get_active_rate, &rate);
    OF_INFO(doca_devinfo_get_vhca_id, &word);
    OF_INFO(doca_devinfo_get_uplink_ib_port, &word);
    OF_INFO(doca_devinfo_get_pci_func_type, &type);
    OF_INFO(doca_devinfo_get_sf_index, &n);
    OF_INFO(doca_devinfo_get_iface_index, &n);
    OF_INFO(doca_devinfo_get_data_direct_pci_dev, text);
    OF_INFO(doca_devinfo_cap_is_hotplug_manager_supported, &flag);
    OF_INFO(doca_devinfo_cap_is_notification_moderation_supported, &flag);
    OF_INFO(doca_devinfo_cap_is_accelerate_resource_reclaim_supported, &flag);
    OF_INFO(doca_devinfo_rep_cap_is_filter_all_supported, &flag);
    OF_INFO(doca_devinfo_rep_cap_is_filter_net_supported, &flag);
    OF_INFO(doca_devinfo_rep_cap_is_filter_emulated_supported, &flag);
    OF_REP(doca_devinfo_rep_get_is_hotplug, &flag);
    OF_REP(doca_devinfo_rep_get_is_uplink_representor, &flag);
    OF_REP(doca_devinfo_rep_get_vhca_id, &word);
    OF_REP(doca_devinfo_rep_get_ib_port, &word);
    OF_REP(doca_devinfo_rep_get_iface_index, &n);
    OF_REP(doca_devinfo_rep_get_host_index, &n);
    OF_REP(doca_devinfo_rep_get_pf_index, &n);
    OF_REP(doca_devinfo_rep_get_vf_index, &n);
    OF_REP(doca_devinfo_rep_get_sf_index, &n);
    OF_REP(doca_devinfo_rep_get_total_vfs, &n);
    OF_REP(doca_devinfo_rep_get_data_direct_pci_dev, text);
    INVALID(doca_devinfo_rep_get_iface_name(NULL, text, sizeof(text)));
    INVALID(doca_devinfo_rep_get_iface_name(rep, NULL, sizeof(text)));
    INVALID(doca_devinfo_rep_get_pf_vuid(NULL, text, sizeof(text)));
    INVALID(doca_devinfo_rep_get_pf_vuid(rep, NULL, sizeof(text)));
    ck_assert_ptr_eq(no_list, (void *)1);
    ck_assert(n == 77 && flag == 7 && word == 77 && rate == 77 && type == 9);
    ck_assert_str_eq(text, "untouched");
    OK(doca_devinfo_rep_destroy_list(reps));
    OK(doca_devinfo_destroy_list(list));
    OK(doca_dev_close(dev));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doca3_devices");
    TCase *tcase = tcase_create("doca3_devices");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    const TTest *const tests[] = {
        functions_of_a_host,   what_software_has_not,
        the_form_of_addresses, sub_functions_have_an_index,
        representors,          clocks,
        nothing_is_null,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
