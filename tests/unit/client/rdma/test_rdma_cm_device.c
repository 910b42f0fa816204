// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What connections by librdmacm offer to other devices, and say of ports.

#include "rdma_tasks/cm_device.h"
#include "unit.h"

START_TEST(repeats_end)
{
    for (unsigned wanted = 0; wanted < 7; wanted++)
        ck_assert_uint_eq(cm_retries((uint8_t)wanted), wanted);
    ck_assert_uint_eq(cm_retries(7), 6);
    ck_assert_uint_eq(cm_retries(255), 6);
}
END_TEST

// A listener of one address makes the port EADDRNOTAVAIL for all addresses.
START_TEST(taken_ports)
{
    struct errtext err;

    ck_assert_int_eq(cm_listen_failed(EADDRINUSE, 4791, &err), DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert(strstr(err.s, "4791") && strstr(err.s, "taken"));
    ck_assert_int_eq(cm_listen_failed(EADDRNOTAVAIL, 4791, &err), DOCA_ERROR_CONNECTION_ABORTED);
    ck_assert(strstr(err.s, "4791") && strstr(err.s, "taken"));
    cm_listen_failed(EACCES, 4791, &err);
    ck_assert(strstr(err.s, strerror(EACCES)) && !strstr(err.s, "taken"));
}
END_TEST

UNIT_MAIN("rdma_cm_device", repeats_end, taken_ports)
