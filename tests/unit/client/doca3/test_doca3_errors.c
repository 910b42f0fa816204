// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Status codes, versions, attributes and bit fields of DOCA 3, and functions that no software can
// do.

#include "unit.h"

#include <doca_bitfield.h>
#include <doca_error.h>
#include <doca_uar.h>
#include <doca_umem.h>
#include <doca_version.h>

#include <limits.h>
#include <string.h>

START_TEST(every_code_has_a_name_and_a_description)
{
    const char *unrecognized = doca_error_get_name((doca_error_t)31);
    for (int code = 0; code <= DOCA_ERROR_SKIPPED; code++) {
        const char *name = doca_error_get_name((doca_error_t)code);
        ck_assert_int_eq(strncmp(name, code ? "DOCA_ERROR_" : "DOCA_SUCCESS", 11), 0);
        for (int other = 0; other < code; other++) {
            ck_assert_str_ne(name, doca_error_get_name((doca_error_t)other));
            ck_assert_str_ne(doca_error_get_descr((doca_error_t)code),
                             doca_error_get_descr((doca_error_t)other));
        }
    }
    const int others[] = {31, 1000, -1, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        ck_assert_str_eq(doca_error_get_name((doca_error_t)others[i]), unrecognized);
        ck_assert_str_eq(doca_error_get_descr((doca_error_t)others[i]), unrecognized);
    }
}
END_TEST

START_TEST(names_are_spelt_as_in_the_header)
{
#define SPELT(code) ck_assert_str_eq(doca_error_get_name(code), #code)
    SPELT(DOCA_SUCCESS);
    SPELT(DOCA_ERROR_AGAIN);
    SPELT(DOCA_ERROR_IN_PROGRESS);
    SPELT(DOCA_ERROR_TOO_BIG);
    SPELT(DOCA_ERROR_AUTHENTICATION);
    SPELT(DOCA_ERROR_BAD_CONFIG);
    SPELT(DOCA_ERROR_SKIPPED);
}
END_TEST

START_TEST(propagate_keeps_the_first_failure)
{
    doca_error_t result = DOCA_SUCCESS;
    DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
    ck_assert(!DOCA_IS_ERROR(result));
    DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_SKIPPED);
    DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_EMPTY);
    DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
    ck_assert_int_eq(result, DOCA_ERROR_SKIPPED);
}
END_TEST

START_TEST(versions)
{
    ck_assert_str_eq(doca_version(), "3.0.0058");
    ck_assert_str_eq(doca_version_runtime(), doca_version()); // as samples compare them
    ck_assert(DOCA_VERSION_EQ_CURRENT(3, 0, 58));
    ck_assert(!DOCA_VERSION_EQ_CURRENT(2, 2, 80));
    ck_assert(DOCA_VERSION_LTE_CURRENT(2, 9, 1));
    ck_assert(!DOCA_VERSION_LTE_CURRENT(3, 1, 0));
    ck_assert_uint_eq(DOCA_VERSION_EXACT, 0x0300003a);
    _Static_assert(DOCA_VERSION_CALC(3, 1, 2) == 0x030107d0, "a constant");
}
END_TEST

struct stamped {
    DOCA_STRUCT_START;
    int value;
};

START_TEST(structures_carry_the_version)
{
    DOCA_STRUCT_DEF(stamped, s);
    ck_assert_uint_eq(DOCA_STRUCT_GET_VERSION(&s), DOCA_VERSION_EXACT);
    ck_assert_int_eq(s.value, 0);
    s = (struct stamped){.value = 7};
    DOCA_STRUCT_PTR_MEMSET_CTOR(&s);
    ck_assert_uint_eq(DOCA_STRUCT_GET_VERSION(&s), DOCA_VERSION_EXACT);
    ck_assert_int_eq(s.value, 0);
}
END_TEST

START_TEST(bit_fields)
{
    ck_assert_int_eq(DOCA_SHIFT(0x30), 4);
    ck_assert_int_eq(DOCA_U8_GENMASK(5, 4), 0x30);
    ck_assert_int_eq(DOCA_U8_GENMASK(7, 0), 0xff);
    ck_assert_int_eq(DOCA_U8_SET(0x30, 2), 0x20);
    ck_assert_int_eq(DOCA_U8_GET(0x30, 0xef), 2);
    ck_assert_int_eq(DOCA_BE16_GENMASK(11, 8), htons(0x0f00));
    ck_assert_int_eq(DOCA_BE16_SET(htons(0x0f00), 5), htons(0x0500));
    ck_assert_int_eq(DOCA_BE16_GET(htons(0x0f00), htons(0xa5c3)), 5);
    ck_assert_uint_eq(DOCA_BE32_GENMASK(31, 0), UINT32_MAX);
    ck_assert_uint_eq(DOCA_BE32_SET(htonl(0x00ff0000), 0x12), htonl(0x00120000));
    ck_assert_uint_eq(DOCA_BE32_GET(htonl(0x00ff0000), htonl(0x34127856)), 0x12);
    uint8_t byte = 1;
    DOCA_U8P_SET(0x30, 3, &byte);
    ck_assert_int_eq(byte, 0x31);
    doca_be32_t number;
    DOCA_BE32P_GENMASK(15, 8, &number);
    ck_assert_uint_eq(number, htonl(0xff00));
}
END_TEST

START_TEST(what_no_software_can_do)
{
    struct doca_uar *uar = (struct doca_uar *)&uar;
    ck_assert_int_eq(doca_uar_create(NULL, DOCA_UAR_ALLOCATION_TYPE_NONCACHE, &uar),
                     DOCA_ERROR_NOT_SUPPORTED);
    ck_assert_ptr_eq(uar, &uar);
    ck_assert_int_eq(doca_umem_destroy(NULL), DOCA_ERROR_NOT_SUPPORTED);
}
END_TEST

UNIT_MAIN("doca3_errors", every_code_has_a_name_and_a_description, names_are_spelt_as_in_the_header,
          propagate_keeps_the_first_failure, versions, structures_carry_the_version, bit_fields,
          what_no_software_can_do)
