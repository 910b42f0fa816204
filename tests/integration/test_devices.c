// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices and representors of real daemons: lists, properties, opening and closing, and
// what becomes of them when daemons or processes come and go.

#include "child.h"
#include "client.h"
#include "daemon.h"
#include "deadline.h"
#include "log_lines.h"
#include "run.h"
#include "text_names.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))

static struct daemon *host(void)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){0});
    daemon_use(daemon);
    return daemon;
}

static struct daemon *dpu(void)
{
    struct daemon *daemon = daemon_start(&(struct daemon_options){.role = "dpu"});
    daemon_use(daemon);
    return daemon;
}

static struct doca_dev_rep *open_rep(struct doca_dev *dev, const char *pci)
{
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep = NULL;
    uint32_t n;
    OK(doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &list, &n));
    for (uint32_t i = 0; i < n && !rep; i++) {
        uint8_t equal;
        OK(doca_devinfo_rep_get_is_pci_addr_equal(list[i], pci, &equal));
        if (equal)
            OK(doca_dev_rep_open(list[i], &rep));
    }
    OK(doca_devinfo_rep_list_destroy(list));
    return rep;
}

// ---- no daemon ------------------------------------------------------------------

START_TEST(no_daemon)
{
    struct doca_devinfo **list = (void *)1;
    uint32_t n = 77;
    struct path nowhere = temp_path("nobody.sock");
    setenv("DOCAD_SOCKET", nowhere.s, 1);

    int64_t start = now_ms();
    REFUSED(DOCA_ERROR_NOT_FOUND, doca_devinfo_list_create(&list, &n));
    ck_assert_int_lt(now_ms() - start, 5000);
    ck_assert_ptr_eq(list, (void *)1);
    ck_assert_uint_eq(n, 77);
}
END_TEST

START_TEST(no_daemon_says_what_to_do)
{
    struct path nowhere = temp_path("nobody.sock");
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct doca_devinfo **list;
        uint32_t n;
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        setenv("DOCAD_SOCKET", nowhere.s, 1);
        doca_devinfo_list_create(&list, &n);
        fflush(NULL);
        _exit(0);
    }
    close(ends[1]);
    char text[4096] = "";
    size_t used = 0;
    for (ssize_t got; (got = read(ends[0], text + used, sizeof(text) - 1 - used)) > 0;)
        used += (size_t)got;
    close(ends[0]);
    waitpid(pid, NULL, 0);
    assert_names(text, "doca_devinfo_list_create");
    assert_names(text, nowhere.s);
}
END_TEST

// ---- lists and properties ----------------------------------------------------------

START_TEST(host_functions)
{
    static const char *const expected[] = {"0000:0b:00.0", "0000:0b:00.2", "0000:0b:00.3",
                                           "0000:0b:00.1", "0000:0b:00.4"};
    struct doca_devinfo **list;
    uint32_t n;
    host();
    OK(doca_devinfo_list_create(&list, &n));
    ck_assert_uint_eq(n, 5);
    ck_assert_ptr_null(list[5]);
    for (uint32_t i = 0; i < n; i++) {
        char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
        uint8_t flag = 7;
        uint16_t lid = 3;
        OK(doca_devinfo_get_pci_addr_str(list[i], pci));
        ck_assert_str_eq(pci, expected[i]);
        OK(doca_devinfo_get_is_mmap_export_dpu_supported(list[i], &flag));
        ck_assert_uint_eq(flag, 1);
        OK(doca_devinfo_get_is_mmap_from_export_dpu_supported(list[i], &flag));
        ck_assert_uint_eq(flag, 0);
        OK(doca_devinfo_get_is_hotplug_manager_supported(list[i], &flag));
        ck_assert_uint_eq(flag, 0);
        OK(doca_devinfo_rep_get_is_list_all_supported(list[i], &flag));
        ck_assert_uint_eq(flag, 0);
        OK(doca_devinfo_rep_get_is_list_net_supported(list[i], &flag));
        ck_assert_uint_eq(flag, 0);
        OK(doca_devinfo_rep_get_is_list_emulated_supported(list[i], &flag));
        ck_assert_uint_eq(flag, 0);
        REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_devinfo_get_lid(list[i], &lid));
        ck_assert_uint_eq(lid, 3);
    }
    OK(doca_devinfo_list_destroy(list));
}
END_TEST

START_TEST(dpu_functions)
{
    struct doca_devinfo **list;
    uint32_t n;
    dpu();
    OK(doca_devinfo_list_create(&list, &n));
    ck_assert_uint_eq(n, 4);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t from, export, all, net, emulated;
        OK(doca_devinfo_get_is_mmap_from_export_dpu_supported(list[i], &from));
        OK(doca_devinfo_get_is_mmap_export_dpu_supported(list[i], &export));
        OK(doca_devinfo_rep_get_is_list_all_supported(list[i], &all));
        OK(doca_devinfo_rep_get_is_list_net_supported(list[i], &net));
        OK(doca_devinfo_rep_get_is_list_emulated_supported(list[i], &emulated));
        ck_assert_uint_eq(from, i < 2); // p0 and p1, then the sub-functions
        ck_assert_uint_eq(all, i < 2);
        ck_assert_uint_eq(net, i < 2);
        ck_assert_uint_eq(emulated, 0);
        ck_assert_uint_eq(export, 0);
    }
    OK(doca_devinfo_list_destroy(list));
}
END_TEST

START_TEST(pci_forms)
{
    struct doca_devinfo **list;
    uint32_t n;
    uint8_t equal;
    host();
    OK(doca_devinfo_list_create(&list, &n));
    static const char *const same[] = {"0b:00.0", "0B:00.0", "0000:0b:00.0", "0000:0B:00.0"};
    static const char *const other[] = {"0b:00.1", "0001:0b:00.0", "0c:00.0", "0b:01.0"};
    static const char *const bad[] = {"",         "0b:00",        "0b:00.0 ",      " 0b:00.0",
                                      "0b:00.8",  "0b:20.0",      "000:0b:00.0",   "0000:0b:00.0x",
                                      "0b:00:0",  "0000.0b:00.0", "hello",         "0g:00.0",
                                      "00b:00.0", "b:00.0",       "00000:0b:00.0", "mlx5_0"};
    for (size_t i = 0; i < 4; i++) {
        equal = 7;
        OK(doca_devinfo_get_is_pci_addr_equal(list[0], same[i], &equal));
        ck_assert_msg(equal == 1, "%s", same[i]);
        equal = 7;
        OK(doca_devinfo_get_is_pci_addr_equal(list[0], other[i], &equal));
        ck_assert_msg(equal == 0, "%s", other[i]);
    }
    equal = 7;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        REFUSED(DOCA_ERROR_INVALID_VALUE,
                doca_devinfo_get_is_pci_addr_equal(list[0], bad[i], &equal));
    ck_assert_uint_eq(equal, 7);
    OK(doca_devinfo_list_destroy(list));
}
END_TEST

// Programs ask all devices, one after the other.
START_TEST(a_wrong_pci_address_is_told_once)
{
    struct doca_devinfo **list;
    uint32_t n;
    uint8_t equal;
    host();
    OK(doca_devinfo_list_create(&list, &n));
    ck_assert_uint_gt(n, 1);
    log_lines_catch();
    for (uint32_t i = 0; i < n; i++)
        REFUSED(DOCA_ERROR_INVALID_VALUE,
                doca_devinfo_get_is_pci_addr_equal(list[i], "mlx5_0", &equal));
    ck_assert_uint_eq(log_lines("\"mlx5_0\" is not a PCI address"), 1);
    REFUSED(DOCA_ERROR_INVALID_VALUE,
            doca_devinfo_get_is_pci_addr_equal(list[0], "mlx5_1", &equal));
    ck_assert_uint_eq(log_lines("\"mlx5_1\" is not a PCI address"), 1);
    ck_assert_uint_eq(log_lines(""), 2);
    OK(doca_devinfo_list_destroy(list));
}
END_TEST

START_TEST(addresses_and_names)
{
    struct doca_devinfo **list;
    uint32_t n;
    uint8_t ipv4[8] = {0}, ipv6[20] = {0}, mac[8] = {0};
    char name[256], all_x[256];
    host();
    OK(doca_devinfo_list_create(&list, &n));

    OK(doca_devinfo_get_ipv4_addr(list[1], ipv4, 4));
    ck_assert_mem_eq(ipv4, ((uint8_t[]){192, 168, 100, 2}), 4);
    ck_assert_uint_eq(ipv4[4], 0);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv4_addr(list[1], ipv4, 3));
    OK(doca_devinfo_get_ipv6_addr(list[1], ipv6, 20));
    ck_assert_mem_eq(ipv6, ((uint8_t[]){0xfe, 0x80}), 2);
    ck_assert_uint_eq(ipv6[16], 0);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ipv6_addr(list[1], ipv6, 15));
    OK(doca_devinfo_get_mac_addr(list[1], mac, 6));
    ck_assert_uint_eq(mac[0], 2);
    ck_assert_uint_eq(mac[6], 0);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_mac_addr(list[1], mac, 5));

    memset(all_x, 'x', sizeof(all_x));
    memset(name, 'x', sizeof(name));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_iface_name(list[1], name, 255));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_devinfo_get_ibdev_name(list[1], name, 63));
    ck_assert_mem_eq(name, all_x, sizeof(name));
    OK(doca_devinfo_get_iface_name(list[1], name, 256));
    ck_assert_str_eq(name, "pf0vf0");
    OK(doca_devinfo_get_ibdev_name(list[1], name, 64));
    ck_assert_int_eq(strncmp(name, "docad_", 6), 0);
    OK(doca_devinfo_list_destroy(list));
}
END_TEST

START_TEST(null_arguments)
{
    struct doca_devinfo **list;
    struct doca_devinfo_rep **reps;
    struct doca_dev *dev;
    uint32_t n;
    uint8_t flag, bytes[256];
    uint16_t lid;
    enum doca_pci_func_type type;
    const doca_error_t bad = DOCA_ERROR_INVALID_VALUE;
    host();
    REFUSED(bad, doca_devinfo_list_create(NULL, &n));
    REFUSED(bad, doca_devinfo_list_create(&list, NULL));
    REFUSED(bad, doca_devinfo_list_destroy(NULL));
    REFUSED(bad, doca_devinfo_rep_list_create(NULL, 0, &reps, &n));
    REFUSED(bad, doca_devinfo_rep_list_destroy(NULL));
    REFUSED(bad, doca_dev_open(NULL, &dev));
    REFUSED(bad, doca_dev_close(NULL));
    REFUSED(bad, doca_dev_rep_open(NULL, NULL));
    REFUSED(bad, doca_dev_rep_close(NULL));
    ck_assert_ptr_null(doca_dev_as_devinfo(NULL));
    ck_assert_ptr_null(doca_dev_rep_as_devinfo(NULL));
    REFUSED(bad, doca_devinfo_get_pci_addr_str(NULL, (char *)bytes));
    REFUSED(bad, doca_devinfo_get_is_pci_addr_equal(NULL, "0b:00.0", &flag));
    REFUSED(bad, doca_devinfo_get_ipv4_addr(NULL, bytes, 256));
    REFUSED(bad, doca_devinfo_get_ipv6_addr(NULL, bytes, 256));
    REFUSED(bad, doca_devinfo_get_mac_addr(NULL, bytes, 256));
    REFUSED(bad, doca_devinfo_get_iface_name(NULL, (char *)bytes, 256));
    REFUSED(bad, doca_devinfo_get_ibdev_name(NULL, (char *)bytes, 256));
    REFUSED(bad, doca_devinfo_get_lid(NULL, &lid));
    REFUSED(bad, doca_devinfo_get_is_hotplug_manager_supported(NULL, &flag));
    REFUSED(bad, doca_devinfo_get_is_mmap_export_dpu_supported(NULL, &flag));
    REFUSED(bad, doca_devinfo_get_is_mmap_from_export_dpu_supported(NULL, &flag));
    REFUSED(bad, doca_devinfo_rep_get_is_list_all_supported(NULL, &flag));
    REFUSED(bad, doca_devinfo_rep_get_is_list_net_supported(NULL, &flag));
    REFUSED(bad, doca_devinfo_rep_get_is_list_emulated_supported(NULL, &flag));
    REFUSED(bad, doca_devinfo_rep_get_vuid(NULL, (char *)bytes, 128));
    REFUSED(bad, doca_devinfo_rep_get_pci_addr_str(NULL, (char *)bytes));
    REFUSED(bad, doca_devinfo_rep_get_pci_func_type(NULL, &type));
    REFUSED(bad, doca_devinfo_rep_get_is_pci_addr_equal(NULL, "0b:00.0", &flag));

    OK(doca_devinfo_list_create(&list, &n));
    REFUSED(bad, doca_dev_open(list[0], NULL));
    REFUSED(bad, doca_devinfo_get_pci_addr_str(list[0], NULL));
    REFUSED(bad, doca_devinfo_get_is_pci_addr_equal(list[0], NULL, &flag));
    REFUSED(bad, doca_devinfo_get_is_pci_addr_equal(list[0], "0b:00.0", NULL));
    REFUSED(bad, doca_devinfo_get_ipv4_addr(list[0], NULL, 4));
    REFUSED(bad, doca_devinfo_get_ipv6_addr(list[0], NULL, 16));
    REFUSED(bad, doca_devinfo_get_mac_addr(list[0], NULL, 6));
    REFUSED(bad, doca_devinfo_get_iface_name(list[0], NULL, 256));
    REFUSED(bad, doca_devinfo_get_ibdev_name(list[0], NULL, 64));
    REFUSED(bad, doca_devinfo_get_lid(list[0], NULL));
    REFUSED(bad, doca_devinfo_get_is_mmap_export_dpu_supported(list[0], NULL));
    REFUSED(bad, doca_devinfo_rep_get_is_list_all_supported(list[0], NULL));
    OK(doca_devinfo_list_destroy(list));
}
END_TEST

// ---- opening and closing --------------------------------------------------------------

START_TEST(one_handle)
{
    struct daemon *daemon = host();
    struct doca_devinfo **a, **b;
    struct doca_dev *first, *second, *third, *other;
    uint32_t n;
    OK(doca_devinfo_list_create(&a, &n));
    OK(doca_devinfo_list_create(&b, &n));
    OK(doca_dev_open(a[0], &first));
    OK(doca_dev_open(b[0], &second));
    OK(doca_dev_open(a[1], &other));
    ck_assert_ptr_eq(first, second);
    ck_assert_ptr_ne(first, other);
    // Entries that were opened outlive their lists, both of them.
    struct doca_devinfo *from_a = a[0], *from_b = b[0];
    OK(doca_devinfo_list_destroy(a));
    OK(doca_devinfo_list_destroy(b));
    uint8_t equal = 0;
    OK(doca_devinfo_get_is_pci_addr_equal(from_a, "0b:00.0", &equal));
    ck_assert_uint_eq(equal, 1);
    OK(doca_devinfo_get_is_pci_addr_equal(from_b, "0b:00.0", &equal));
    ck_assert_uint_eq(equal, 1);
    OK(doca_dev_open(doca_dev_as_devinfo(first), &third));
    ck_assert_ptr_eq(first, third);

    OK(doca_dev_close(third));
    OK(doca_dev_close(second));
    OK(doca_devinfo_get_is_pci_addr_equal(doca_dev_as_devinfo(first), "0b:00.0", &equal));
    OK(doca_dev_close(first));
    OK(doca_dev_close(other));
    assert_baseline(daemon);
}
END_TEST

START_TEST(nothing_stays)
{
    struct daemon *daemon = host();
    struct daemon_counts counts;
    for (int i = 0; i < 50; i++) {
        struct doca_dev *dev = client_open(i & 1 ? "0b:00.1" : "0000:0b:00.4");
        OK(doca_dev_close(dev));
    }
    struct doca_dev *dev = client_open(HOST_PF0);
    daemon_counts(daemon, &counts);
    ck_assert_uint_eq(counts.sessions, 1);
    OK(doca_dev_close(dev));
    assert_baseline(daemon);
}
END_TEST

START_TEST(no_representors_on_host)
{
    struct doca_devinfo_rep **list = (void *)1;
    uint32_t n = 5;
    host();
    struct doca_dev *dev = client_open(HOST_PF0);
    REFUSED(DOCA_ERROR_NOT_SUPPORTED,
            doca_devinfo_rep_list_create(dev, DOCA_DEV_REP_FILTER_NET, &list, &n));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_list_create(dev, 1, &list, &n));
    ck_assert_ptr_eq(list, (void *)1);
    ck_assert_uint_eq(n, 5);
    OK(doca_dev_close(dev));
}
END_TEST

START_TEST(representors)
{
    struct node_pair pair = node_pair_start();
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep, *again;
    uint32_t n;
    daemon_use(pair.dpu);
    struct doca_dev *p0 = client_open(DPU_P0), *p1 = client_open(DPU_P1);

    static const struct {
        int filter;
        doca_error_t result;
    } filters[] = {
        {DOCA_DEV_REP_FILTER_ALL, DOCA_SUCCESS},
        {DOCA_DEV_REP_FILTER_NET, DOCA_SUCCESS},
        {DOCA_DEV_REP_FILTER_NET | DOCA_DEV_REP_FILTER_EMULATED, DOCA_SUCCESS},
        {DOCA_DEV_REP_FILTER_EMULATED, DOCA_ERROR_NOT_SUPPORTED},
        {1, DOCA_ERROR_INVALID_VALUE},
        {DOCA_DEV_REP_FILTER_NET | 8, DOCA_ERROR_INVALID_VALUE},
        {-1, DOCA_ERROR_INVALID_VALUE},
    };
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
        REFUSED(filters[i].result, doca_devinfo_rep_list_create(p0, filters[i].filter, &list, &n));
        if (filters[i].result == DOCA_SUCCESS) {
            ck_assert_uint_eq(n, 4); // hpf0, hpf0vf0, hpf0vf1, pf0sf0
            OK(doca_devinfo_rep_list_destroy(list));
        }
    }
    OK(doca_devinfo_rep_list_create(p1, DOCA_DEV_REP_FILTER_NET, &list, &n));
    ck_assert_uint_eq(n, 3); // hpf1, hpf1vf0, pf1sf0
    OK(doca_devinfo_rep_list_destroy(list));

    OK(doca_devinfo_rep_list_create(p0, DOCA_DEV_REP_FILTER_NET, &list, &n));
    struct doca_devinfo_rep *vf = NULL;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t equal;
        OK(doca_devinfo_rep_get_is_pci_addr_equal(list[i], "0B:00.3", &equal));
        if (equal)
            vf = list[i];
    }
    ck_assert_ptr_nonnull(vf);
    char pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE], vuid[DOCA_DEVINFO_REP_VUID_SIZE];
    enum doca_pci_func_type type;
    uint8_t equal = 7;
    OK(doca_devinfo_rep_get_pci_addr_str(vf, pci));
    ck_assert_str_eq(pci, "0000:0b:00.3");
    OK(doca_devinfo_rep_get_pci_func_type(vf, &type));
    ck_assert_int_eq(type, DOCA_PCI_FUNC_VF);
    OK(doca_devinfo_rep_get_vuid(vf, vuid, sizeof(vuid)));
    ck_assert_int_gt(strlen(vuid), 0);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_vuid(vf, vuid, 127));
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_devinfo_rep_get_is_pci_addr_equal(vf, "x", &equal));
    ck_assert_uint_eq(equal, 7);
    REFUSED(DOCA_ERROR_INVALID_VALUE, doca_dev_rep_open(vf, NULL));

    OK(doca_dev_rep_open(vf, &rep));
    OK(doca_devinfo_rep_list_destroy(list));
    again = open_rep(p0, "0000:0b:00.3");
    ck_assert_ptr_eq(rep, again);
    OK(doca_dev_rep_close(again));
    // The device may be closed first.
    OK(doca_dev_close(p0));
    OK(doca_devinfo_rep_get_pci_addr_str(doca_dev_rep_as_devinfo(rep), pci));
    ck_assert_str_eq(pci, "0000:0b:00.3");
    OK(doca_dev_rep_close(rep));
    OK(doca_dev_close(p1));
    assert_baseline(pair.dpu);
}
END_TEST

START_TEST(representors_go_with_the_host)
{
    struct node_pair pair = node_pair_start();
    struct doca_devinfo_rep **list;
    struct doca_dev_rep *rep, *gone = (void *)1;
    uint32_t n;
    daemon_use(pair.dpu);
    struct doca_dev *p0 = client_open(DPU_P0);
    rep = open_rep(p0, "0b:00.0");
    ck_assert_ptr_nonnull(rep);
    OK(doca_devinfo_rep_list_create(p0, DOCA_DEV_REP_FILTER_NET, &list, &n));
    ck_assert_uint_eq(n, 4);
    daemon_kill(pair.host);
    daemon_wait_links(pair.dpu, 0);

    // A listed device that is not open cannot be opened; an open one can be closed.
    for (uint32_t i = 0; i < n; i++) {
        enum doca_pci_func_type type;
        uint8_t vf = 0;
        OK(doca_devinfo_rep_get_pci_func_type(list[i], &type));
        OK(doca_devinfo_rep_get_is_pci_addr_equal(list[i], "0b:00.2", &vf));
        if (vf)
            REFUSED(DOCA_ERROR_INVALID_VALUE, doca_dev_rep_open(list[i], &gone));
    }
    ck_assert_ptr_eq(gone, (void *)1);
    OK(doca_devinfo_rep_list_destroy(list));
    OK(doca_devinfo_rep_list_create(p0, DOCA_DEV_REP_FILTER_ALL, &list, &n));
    ck_assert_uint_eq(n, 1); // its own sub-function's
    OK(doca_devinfo_rep_list_destroy(list));
    OK(doca_dev_rep_close(rep));

    // They come back with it.
    daemon_restart(pair.host);
    daemon_wait_links(pair.dpu, 1);
    rep = open_rep(p0, "0b:00.0");
    ck_assert_ptr_nonnull(rep);
    OK(doca_dev_rep_close(rep));
    OK(doca_dev_close(p0));
    assert_baseline(pair.dpu);
}
END_TEST

// ---- daemons that go, processes that fork ------------------------------------------------

START_TEST(daemon_restarted)
{
    struct daemon *daemon = host();
    struct doca_devinfo **old, **list;
    struct doca_dev *dev, *none = (void *)1, *fresh;
    uint32_t n;
    OK(doca_devinfo_list_create(&old, &n));
    OK(doca_dev_open(old[0], &dev));
    daemon_kill(daemon);

    REFUSED(DOCA_ERROR_NOT_CONNECTED, doca_dev_open(old[1], &none));
    ck_assert_ptr_eq(none, (void *)1);
    REFUSED(DOCA_ERROR_NOT_FOUND, doca_devinfo_list_create(&list, &n));
    daemon_restart(daemon);
    // Objects of the old daemon stay as they are; a new list shows the new daemon.
    REFUSED(DOCA_ERROR_NOT_CONNECTED, doca_dev_open(old[1], &none));
    OK(doca_devinfo_list_create(&list, &n));
    ck_assert_uint_eq(n, 5);
    OK(doca_dev_open(list[0], &fresh));
    ck_assert_ptr_ne(fresh, dev);
    OK(doca_devinfo_list_destroy(list));
    OK(doca_devinfo_list_destroy(old));
    OK(doca_dev_close(dev));
    OK(doca_dev_close(fresh));
    assert_baseline(daemon);
}
END_TEST

static int longest_wait_ms; // of the library; 0: all waits are as long as wanted

// Stands in for the library's. It waits for ten seconds otherwise.
__attribute__((visibility("default"))) int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    struct timespec limit = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};
    if (longest_wait_ms && timeout_ms > longest_wait_ms) {
        longest_wait_ms = timeout_ms;
        limit = (struct timespec){.tv_nsec = 50 * 1000000L};
    }
    return (int)syscall(SYS_ppoll, fds, n, timeout_ms < 0 ? NULL : &limit, NULL, 0);
}

START_TEST(daemon_hangs)
{
    struct daemon *daemon = host();
    struct doca_devinfo **list, **again;
    struct doca_dev *dev = (void *)1;
    uint32_t n;
    OK(doca_devinfo_list_create(&list, &n));
    daemon_freeze(daemon);
    longest_wait_ms = 1000;
    REFUSED(DOCA_ERROR_NOT_CONNECTED, doca_dev_open(list[0], &dev));
    ck_assert_int_gt(longest_wait_ms, 1000); // a part of the ten seconds may be over
    ck_assert_int_le(longest_wait_ms, 10000);
    longest_wait_ms = 0;
    ck_assert_ptr_eq(dev, (void *)1);
    daemon_thaw(daemon);
    // The late answer belongs to a session that nobody uses any more.
    REFUSED(DOCA_ERROR_NOT_CONNECTED, doca_dev_open(list[0], &dev));
    OK(doca_devinfo_list_create(&again, &n));
    OK(doca_dev_open(again[0], &dev));
    OK(doca_dev_close(dev));
    OK(doca_devinfo_list_destroy(again));
    OK(doca_devinfo_list_destroy(list));
    assert_baseline(daemon);
}
END_TEST

START_TEST(forked)
{
    struct daemon *daemon = host();
    struct daemon_counts counts;
    struct doca_dev *dev = client_open(HOST_PF0);
    int go[2], ready[2], status;
    char c;
    ck_assert_int_eq(pipe(go), 0);
    ck_assert_int_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(go[1]);
        struct doca_dev *own = client_open(HOST_PF0);
        ck_assert_ptr_ne(own, dev);
        ck_assert_int_eq(write(ready[1], "1", 1), 1);
        ck_assert_int_eq(read(go[0], &c, 1), 0);
        OK(doca_dev_close(own));
        _exit(0);
    }
    ck_assert_int_eq(read(ready[0], &c, 1), 1);
    // Two processes, two sessions; the parent's continues and ends by itself.
    daemon_counts(daemon, &counts);
    ck_assert_uint_eq(counts.sessions, 2);
    struct doca_dev *other = client_open(HOST_PF1);
    OK(doca_dev_close(other));
    OK(doca_dev_close(dev));
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    do {
        daemon_counts(daemon, &counts);
    } while (counts.sessions != 1 && deadline_pause(deadline));
    ck_assert_uint_eq(counts.sessions, 1);
    close(go[1]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    close(go[0]);
    close(ready[0]);
    close(ready[1]);
    assert_baseline(daemon);
}
END_TEST

static void *opener(void *arg)
{
    const char *pci = arg;
    for (int i = 0; i < 40; i++) {
        struct doca_dev *a = client_open(pci), *b = client_open(HOST_PF0);
        char text[DOCA_DEVINFO_PCI_ADDR_SIZE];
        OK(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(a), text));
        ck_assert_str_eq(text + 5, pci);
        OK(doca_dev_close(b));
        OK(doca_dev_close(a));
    }
    return NULL;
}

START_TEST(threads)
{
    static const char *const pci[] = {"0b:00.0", "0b:00.0", "0b:00.1", "0b:00.2"};
    struct daemon *daemon = host();
    pthread_t ids[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&ids[i], NULL, opener, (void *)pci[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    assert_baseline(daemon);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("devices");
    TCase *tcase = tcase_create("devices");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    const TTest *const tests[] = {
        no_daemon,
        no_daemon_says_what_to_do,
        host_functions,
        dpu_functions,
        pci_forms,
        a_wrong_pci_address_is_told_once,
        addresses_and_names,
        null_arguments,
        one_handle,
        nothing_stays,
        no_representors_on_host,
        representors,
        representors_go_with_the_host,
        daemon_restarted,
        daemon_hangs,
        forked,
        threads,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
