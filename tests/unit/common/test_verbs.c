// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rdma_desc.h"
#include "verbs_device.h"
#include "verbs_rc.h"

#include <arpa/inet.h>
#include <check.h>
#include <doca_types.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "cleanup.h"
#include "text_names.h"
#include "unit.h"

// ---- which GID ------------------------------------------------------------------------------

static struct verbs_gid gid(uint32_t index, const char *address, uint32_t type)
{
    struct verbs_gid made = {.index = index, .type = type};
    ck_assert_int_eq(inet_pton(AF_INET6, address, made.raw), 1);
    return made;
}

// The GIDs of a RoCE port: each address once for each version.
static size_t make_table(struct verbs_gid out[6])
{
    out[0] = gid(0, "fe80::1", VERBS_GID_ROCE_V1);
    out[1] = gid(1, "fe80::1", VERBS_GID_ROCE_V2);
    out[2] = gid(2, "::ffff:10.0.0.1", VERBS_GID_ROCE_V1);
    out[3] = gid(3, "::ffff:10.0.0.1", VERBS_GID_ROCE_V2);
    out[4] = gid(5, "2001:db8::1", VERBS_GID_ROCE_V2);
    out[5] = gid(7, "::ffff:10.0.0.2", VERBS_GID_ROCE_V2);
    return 6;
}

START_TEST(best_gid)
{
    struct verbs_gid t[6];
    size_t n = make_table(t);
    ck_assert_uint_eq(verbs_gid_choose(t, n, NULL, 0)->index, 3); // the first of the best
    ck_assert_uint_eq(verbs_gid_choose(t, 1, NULL, 0)->index, 0);
    ck_assert_uint_eq(verbs_gid_choose(t, 2, NULL, 0)->index, 1);
    ck_assert_uint_eq(verbs_gid_choose(t + 4, 1, NULL, 0)->index, 5);
    struct verbs_gid link_local_first[] = {t[1], t[4]};
    ck_assert_uint_eq(verbs_gid_choose(link_local_first, 2, NULL, 0)->index, 5);
    ck_assert_ptr_null(verbs_gid_choose(t, 0, NULL, 0));
}
END_TEST

START_TEST(gid_by_address)
{
    struct verbs_gid t[6];
    size_t n = make_table(t);
    ck_assert_uint_eq(verbs_gid_choose(t, n, (uint8_t[]){10, 0, 0, 2}, 4)->index, 7);
    ck_assert_uint_eq(verbs_gid_choose(t, n, (uint8_t[]){10, 0, 0, 1}, 4)->index, 3);
    ck_assert_uint_eq(verbs_gid_choose(t, n, t[0].raw, 16)->index, 1);
    ck_assert_ptr_null(verbs_gid_choose(t, n, (uint8_t[]){10, 0, 0, 3}, 4));
    ck_assert_uint_eq(verbs_gid_by_index(t, n, 5)->index, 5);
    ck_assert_ptr_null(verbs_gid_by_index(t, n, 4));
}
END_TEST

START_TEST(gid_text)
{
    struct verbs_gid t[6];
    char text[VERBS_GID_TEXT_SIZE];
    make_table(t);
    ck_assert_str_eq(verbs_gid_format(&t[3], text), "GID 3 (10.0.0.1, RoCE v2)");
    ck_assert_str_eq(verbs_gid_format(&t[0], text), "GID 0 (fe80::1, RoCE v1)");
    t[0].type = 9;
    ck_assert_str_eq(verbs_gid_format(&t[0], text), "GID 0 (fe80::1, of an unknown type)");
}
END_TEST

// ---- errors -----------------------------------------------------------------------------------

START_TEST(statuses)
{
    static const struct {
        enum ibv_wc_status status;
        doca_error_t error;
    } expected[] = {
        {IBV_WC_SUCCESS, DOCA_SUCCESS},
        {IBV_WC_LOC_LEN_ERR, DOCA_ERROR_INVALID_VALUE},
        {IBV_WC_REM_INV_REQ_ERR, DOCA_ERROR_INVALID_VALUE},
        {IBV_WC_LOC_PROT_ERR, DOCA_ERROR_NOT_PERMITTED},
        {IBV_WC_MW_BIND_ERR, DOCA_ERROR_NOT_PERMITTED},
        {IBV_WC_LOC_ACCESS_ERR, DOCA_ERROR_NOT_PERMITTED},
        {IBV_WC_REM_ACCESS_ERR, DOCA_ERROR_NOT_PERMITTED},
        {IBV_WC_RETRY_EXC_ERR, DOCA_ERROR_CONNECTION_RESET},
        {IBV_WC_RNR_RETRY_EXC_ERR, DOCA_ERROR_CONNECTION_RESET},
        {IBV_WC_RESP_TIMEOUT_ERR, DOCA_ERROR_CONNECTION_RESET},
        {IBV_WC_WR_FLUSH_ERR, DOCA_ERROR_CONNECTION_ABORTED},
        {IBV_WC_REM_OP_ERR, DOCA_ERROR_CONNECTION_ABORTED},
        {IBV_WC_REM_ABORT_ERR, DOCA_ERROR_CONNECTION_ABORTED},
        {IBV_WC_LOC_QP_OP_ERR, DOCA_ERROR_IO_FAILED},
        {IBV_WC_LOC_EEC_OP_ERR, DOCA_ERROR_IO_FAILED},
        {IBV_WC_BAD_RESP_ERR, DOCA_ERROR_IO_FAILED},
        {IBV_WC_LOC_RDD_VIOL_ERR, DOCA_ERROR_IO_FAILED},
        {IBV_WC_REM_INV_RD_REQ_ERR, DOCA_ERROR_IO_FAILED},
        {IBV_WC_INV_EECN_ERR, DOCA_ERROR_IO_FAILED},
        {IBV_WC_INV_EEC_STATE_ERR, DOCA_ERROR_IO_FAILED},
        {IBV_WC_FATAL_ERR, DOCA_ERROR_IO_FAILED},
        {IBV_WC_GENERAL_ERR, DOCA_ERROR_IO_FAILED},
        {(enum ibv_wc_status)1000, DOCA_ERROR_IO_FAILED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        ck_assert_int_eq(verbs_status_error(expected[i].status), expected[i].error);
    // Every status that ibverbs has is there, with a text of its own.
    for (int status = IBV_WC_SUCCESS; status <= IBV_WC_GENERAL_ERR; status++) {
        size_t i = 0;
        while (i < ARRAY_SIZE(expected) && (int)expected[i].status != status)
            i++;
        ck_assert_msg(i < ARRAY_SIZE(expected), "nothing is said of the status %d", status);
        ck_assert_str_ne(verbs_status_text((enum ibv_wc_status)status),
                         verbs_status_text((enum ibv_wc_status)1000));
    }
}
END_TEST

START_TEST(failures)
{
    struct errtext err;
    ck_assert_int_eq(verbs_failed(EFAULT, "register", "rxe0", 1, &err), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(verbs_failed(EPERM, "x", "rxe0", 0, &err), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_int_eq(verbs_failed(EINVAL, "x", "rxe0", 0, &err), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(verbs_failed(EIO, "x", "rxe0", 0, &err), DOCA_ERROR_DRIVER);
    assert_names(err.s, "rxe0");
}
END_TEST

// The text names the limit only where there is one.
START_TEST(short_of_memory)
{
    static const struct {
        const char *what;
        size_t bytes;
    } cases[] = {{"register 5000 bytes of memory", 5000}, {"make a queue pair", 0}};
    struct rlimit was;
    struct errtext err;
    ck_assert_int_eq(getrlimit(RLIMIT_MEMLOCK, &was), 0);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){65536, was.rlim_max}), 0);
        ck_assert_int_eq(verbs_failed(ENOMEM, cases[i].what, "rxe0", cases[i].bytes, &err),
                         DOCA_ERROR_NO_MEMORY);
        assert_names(err.s, "RLIMIT_MEMLOCK");
        // That there is none may be a matter of rights.
        if (setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) < 0)
            continue;
        ck_assert_int_eq(verbs_failed(ENOMEM, cases[i].what, "rxe0", cases[i].bytes, &err),
                         DOCA_ERROR_NO_MEMORY);
        ck_assert(!text_names(err.s, "RLIMIT_MEMLOCK"));
    }
    ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &was), 0);
}
END_TEST

START_TEST(no_device)
{
    struct verbs_device device;
    struct errtext err;
    ck_assert_int_eq(verbs_device_open(&device, "there-is-no-such", 1, &err), DOCA_ERROR_NOT_FOUND);
    assert_names(err.s, "there-is-no-such");
}
END_TEST

START_TEST(access_flags)
{
    ck_assert_uint_eq(verbs_access(0), 0);
    ck_assert_uint_eq(verbs_access(DOCA_ACCESS_LOCAL_READ_WRITE), IBV_ACCESS_LOCAL_WRITE);
    ck_assert_uint_eq(verbs_access(DOCA_ACCESS_DPU_READ_WRITE), IBV_ACCESS_LOCAL_WRITE);
    ck_assert_uint_eq(verbs_access(DOCA_ACCESS_DPU_READ_ONLY), 0);
    ck_assert_uint_eq(verbs_access(DOCA_ACCESS_RDMA_READ), IBV_ACCESS_REMOTE_READ);
    // ibverbs wants the local right beside these.
    ck_assert_uint_eq(verbs_access(DOCA_ACCESS_RDMA_WRITE),
                      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    ck_assert_uint_eq(verbs_access(DOCA_ACCESS_RDMA_ATOMIC),
                      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
}
END_TEST

// ---- connection details ---------------------------------------------------------------------

static struct rdma_desc details(void)
{
    struct rdma_desc d = {.endpoint_id = UINT64_MAX >> 16, .has_verbs = true, .permissions = 0x1f};
    d.verbs = (struct verbs_address){
        .qpn = 0xffffff, .psn = 0xabcdef, .lid = 0xffff, .mtu = 5, .ethernet = true};
    memset(d.verbs.gid, 0xfe, sizeof(d.verbs.gid));
    memset(d.node, 7, sizeof(d.node));
    memset(d.token, 9, sizeof(d.token));
    strcpy(d.pci_address, "0000:0b:00.0");
    memset(d.vuid, 'x', sizeof(d.vuid) - 1); // the longest
    return d;
}

START_TEST(details_there_and_back)
{
    struct rdma_desc d = details(), out;
    uint8_t bytes[RDMA_DESC_SIZE_MAX];
    struct errtext err;
    size_t size = 0;
    ck_assert_int_eq(rdma_desc_encode(&d, bytes, &size), DOCA_SUCCESS);
    ck_assert_uint_le(size, RDMA_DESC_SIZE_MAX);
    ck_assert_int_eq(rdma_desc_decode(bytes, size, &out, &err), DOCA_SUCCESS);
    ck_assert(out.has_verbs && out.permissions == 0x1f && out.verbs.qpn == 0xffffff &&
              out.verbs.psn == 0xabcdef && out.verbs.lid == 0xffff && out.verbs.mtu == 5 &&
              out.verbs.ethernet);
    ck_assert_mem_eq(out.verbs.gid, d.verbs.gid, sizeof(d.verbs.gid));
}
END_TEST

START_TEST(details_that_make_no_sense)
{
    static const struct {
        uint32_t qpn, psn;
        uint8_t mtu;
    } wrong[] = {{0, 1, 3}, {1 << 24, 1, 3}, {1, 1 << 24, 3}, {1, 1, 0}, {1, 1, 6}};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct rdma_desc d = details(), out;
        uint8_t bytes[RDMA_DESC_SIZE_MAX];
        struct errtext err;
        size_t size = 0;
        d.verbs.qpn = wrong[i].qpn;
        d.verbs.psn = wrong[i].psn;
        d.verbs.mtu = wrong[i].mtu;
        ck_assert_int_eq(rdma_desc_encode(&d, bytes, &size), DOCA_SUCCESS);
        ck_assert_int_eq(rdma_desc_decode(bytes, size, &out, &err), DOCA_ERROR_INVALID_VALUE);
    }
}
END_TEST

UNIT_MAIN("verbs", best_gid, gid_by_address, gid_text, statuses, failures, short_of_memory,
          no_device, access_flags, details_there_and_back, details_that_make_no_sense)
