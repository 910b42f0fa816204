// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "export_desc.h"
#include "unit.h"

#include <doca_error.h>
#include <string.h>

static struct export_desc sample(size_t vuid_length)
{
    struct export_desc d = {.export_id = 0x1122334455667788,
                            .address = 0x7fff12345678,
                            .length = 6,
                            .access = 16,
                            .target = 1,
                            .pci_address = "0000:0b:00.0"};
    memset(d.node, 0xab, sizeof(d.node));
    memset(d.token, 0xcd, sizeof(d.token));
    memset(d.vuid, 'V', vuid_length);
    return d;
}

START_TEST(round_trip_within_256_bytes)
{
    // The largest of everything: a VUID of 127 characters, all 64 bits used.
    struct export_desc d = sample(127), out;
    uint8_t buf[EXPORT_DESC_SIZE_MAX];
    size_t size = 0;
    d.address = d.length = UINT64_MAX;
    d.access = 0x3f;
    ck_assert_int_eq(export_desc_encode(&d, buf, &size), DOCA_SUCCESS);
    ck_assert_uint_le(size, EXPORT_DESC_SIZE_MAX);
    ck_assert_int_eq(export_desc_decode(buf, size, &out, NULL), DOCA_SUCCESS);
    ck_assert_mem_eq(&d, &out, sizeof(d));
}
END_TEST

START_TEST(every_truncation_is_refused)
{
    struct export_desc d = sample(20), out, untouched;
    uint8_t buf[EXPORT_DESC_SIZE_MAX];
    struct errtext err;
    size_t size;
    memset(&untouched, 0x55, sizeof(untouched));
    out = untouched;
    ck_assert_int_eq(export_desc_encode(&d, buf, &size), DOCA_SUCCESS);
    for (size_t n = 0; n < size; n++) {
        err.s[0] = '\0';
        ck_assert_msg(export_desc_decode(buf, n, &out, &err) == DOCA_ERROR_INVALID_VALUE,
                      "accepted %zu of %zu bytes", n, size);
        ck_assert_str_ne(err.s, "");
        ck_assert_mem_eq(&out, &untouched, sizeof(out));
    }
}
END_TEST

START_TEST(every_flipped_bit_is_refused)
{
    struct export_desc d = sample(20), out, untouched;
    uint8_t buf[EXPORT_DESC_SIZE_MAX];
    size_t size;
    memset(&untouched, 0x55, sizeof(untouched));
    out = untouched;
    ck_assert_int_eq(export_desc_encode(&d, buf, &size), DOCA_SUCCESS);
    for (size_t bit = 0; bit < size * 8; bit++) {
        buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
        doca_error_t r = export_desc_decode(buf, size, &out, NULL);
        ck_assert_msg(r == DOCA_ERROR_INVALID_VALUE || r == DOCA_ERROR_UNSUPPORTED_VERSION,
                      "bit %zu flipped gave %d", bit, (int)r);
        ck_assert_mem_eq(&out, &untouched, sizeof(out));
        buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}
END_TEST

START_TEST(garbage_is_refused)
{
    uint8_t buf[EXPORT_DESC_SIZE_MAX + 1] = {0};
    struct export_desc out;
    ck_assert_int_eq(export_desc_decode(buf, 0, &out, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(export_desc_decode(buf, sizeof(buf), &out, NULL), DOCA_ERROR_INVALID_VALUE);
    srand(1);
    for (int i = 0; i < 10000; i++) {
        size_t n = (size_t)rand() % EXPORT_DESC_SIZE_MAX + 1;
        for (size_t k = 0; k < n; k++)
            buf[k] = (uint8_t)rand();
        ck_assert_int_ne(export_desc_decode(buf, n, &out, NULL), DOCA_SUCCESS);
    }
}
END_TEST

UNIT_MAIN("export_desc", round_trip_within_256_bytes, every_truncation_is_refused,
          every_flipped_bit_is_refused, garbage_is_refused)
