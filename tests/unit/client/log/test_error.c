// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Names and descriptions of status codes, and versions.

#include "unit.h"

#include <doca_common_defines.h>
#include <doca_error.h>
#include <doca_version.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char fallback[] = "unrecognized error code";

// The spelling of each name is held against the table by the conformance test.
static const char *const names[] = {
    "DOCA_SUCCESS",
    "DOCA_ERROR_UNKNOWN",
    "DOCA_ERROR_NOT_PERMITTED",
    "DOCA_ERROR_IN_USE",
    "DOCA_ERROR_NOT_SUPPORTED",
    "DOCA_ERROR_AGAIN",
    "DOCA_ERROR_INVALID_VALUE",
    "DOCA_ERROR_NO_MEMORY",
    "DOCA_ERROR_INITIALIZATION",
    "DOCA_ERROR_TIME_OUT",
    "DOCA_ERROR_SHUTDOWN",
    "DOCA_ERROR_CONNECTION_RESET",
    "DOCA_ERROR_CONNECTION_ABORTED",
    "DOCA_ERROR_CONNECTION_INPROGRESS",
    "DOCA_ERROR_NOT_CONNECTED",
    "DOCA_ERROR_NO_LOCK",
    "DOCA_ERROR_NOT_FOUND",
    "DOCA_ERROR_IO_FAILED",
    "DOCA_ERROR_BAD_STATE",
    "DOCA_ERROR_UNSUPPORTED_VERSION",
    "DOCA_ERROR_OPERATING_SYSTEM",
    "DOCA_ERROR_DRIVER",
    "DOCA_ERROR_UNEXPECTED",
    "DOCA_ERROR_ALREADY_EXIST",
    "DOCA_ERROR_FULL",
    "DOCA_ERROR_EMPTY",
    "DOCA_ERROR_IN_PROGRESS",
};
#define CODES ((int)(sizeof(names) / sizeof(names[0])))

START_TEST(every_code_has_its_name)
{
    ck_assert_int_eq(CODES, DOCA_ERROR_IN_PROGRESS + 1);
    for (int code = 0; code < CODES; code++)
        ck_assert_str_eq(doca_get_error_name(code), names[code]);
}
END_TEST

START_TEST(every_code_has_a_description_of_its_own)
{
    for (int code = 0; code < CODES; code++) {
        const char *text = doca_get_error_string(code);
        ck_assert_ptr_nonnull(text);
        ck_assert_int_gt(strlen(text), 3);
        ck_assert_str_ne(text, fallback);
        for (int other = 0; other < code; other++)
            ck_assert_str_ne(text, doca_get_error_string(other));
    }
}
END_TEST

START_TEST(other_values_are_unrecognized)
{
    const int others[] = {CODES, CODES + 1, 1000, -1, INT_MAX, INT_MIN};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        ck_assert_str_eq(doca_get_error_name((doca_error_t)others[i]), fallback);
        ck_assert_str_eq(doca_get_error_string((doca_error_t)others[i]), fallback);
    }
}
END_TEST

START_TEST(is_error)
{
    ck_assert(!DOCA_IS_ERROR(DOCA_SUCCESS));
    for (int code = 1; code < CODES; code++)
        ck_assert(DOCA_IS_ERROR((doca_error_t)code));
}
END_TEST

START_TEST(propagate_keeps_the_first_failure)
{
    doca_error_t result = DOCA_SUCCESS;
    DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
    ck_assert_int_eq(result, DOCA_SUCCESS);
    DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_FULL);
    DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_EMPTY);
    DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
    ck_assert_int_eq(result, DOCA_ERROR_FULL);
    if (result == DOCA_SUCCESS)
        DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_AGAIN);
    else
        result = DOCA_SUCCESS;
    ck_assert_int_eq(result, DOCA_SUCCESS);
}
END_TEST

START_TEST(versions)
{
    int major = -1, minor = -1, patch = -1, end = -1;
    ck_assert_str_eq(doca_version(), "2.2.0080");
    ck_assert_int_eq(sscanf(doca_version_runtime(), "%d.%d.%d%n", &major, &minor, &patch, &end), 3);
    ck_assert_int_eq(doca_version_runtime()[end], 0);
    ck_assert_uint_eq(DOCA_VERSION_NUM(major, minor, patch), DOCA_CURRENT_VERSION_NUM);
    ck_assert(DOCA_VERSION_EQ_CURRENT(2, 2, 80));
    ck_assert(!DOCA_VERSION_EQ_CURRENT(2, 2, 81));
    ck_assert(DOCA_VERSION_LTE_CURRENT(2, 2, 80));
    ck_assert(DOCA_VERSION_LTE_CURRENT(1, 255, 65535));
    ck_assert(!DOCA_VERSION_LTE_CURRENT(2, 2, 81));
    ck_assert(!DOCA_VERSION_LTE_CURRENT(2, 5, 0));
    ck_assert(!DOCA_VERSION_LTE_CURRENT(3, 0, 0));
    _Static_assert(sizeof(DOCA_VERSION_NUM(1, 2, 3)) == sizeof(size_t), "a size_t");
    _Static_assert(DOCA_VERSION_NUM(1, 2, 3) == 0x01020003, "a constant");
}
END_TEST

// A structure that carries the version it was built for.
struct stamped {
    DOCA_STRUCT_START;
    int value;
};

START_TEST(structures_carry_the_version)
{
    struct stamped listed = {DOCA_STRUCT_CTOR_LIST_START, .value = 7};
    ck_assert_uint_eq(DOCA_STRUCT_GET_VERSION(&listed), DOCA_CURRENT_VERSION_NUM);
    ck_assert_int_eq(listed.value, 7);

    struct stamped s = {.value = 7};
    DOCA_STRUCT_CTOR(s);
    ck_assert_uint_eq(DOCA_STRUCT_GET_VERSION(&s), DOCA_CURRENT_VERSION_NUM);
    ck_assert_int_eq(s.value, 7);
    DOCA_STRUCT_MEMSET_CTOR(s);
    ck_assert_uint_eq(DOCA_STRUCT_GET_VERSION(&s), DOCA_CURRENT_VERSION_NUM);
    ck_assert_int_eq(s.value, 0);

    struct stamped *p = &s;
    s = (struct stamped){.value = 7};
    DOCA_STRUCT_PTR_CTOR(p);
    ck_assert_uint_eq(DOCA_STRUCT_GET_VERSION(p), DOCA_CURRENT_VERSION_NUM);
    ck_assert_int_eq(s.value, 7);
    DOCA_STRUCT_PTR_MEMSET_CTOR(p);
    ck_assert_uint_eq(DOCA_STRUCT_GET_VERSION(p), DOCA_CURRENT_VERSION_NUM);
    ck_assert_int_eq(s.value, 0);
}
END_TEST

START_TEST(branch_hints_are_conditions)
{
    ck_assert_int_eq(doca_likely(42), 1);
    ck_assert_int_eq(doca_likely(0), 0);
    ck_assert_int_eq(doca_unlikely(42), 1);
    ck_assert_int_eq(doca_unlikely(0), 0);
}
END_TEST

UNIT_MAIN("error", every_code_has_its_name, every_code_has_a_description_of_its_own,
          other_values_are_unrecognized, is_error, propagate_keeps_the_first_failure, versions,
          structures_carry_the_version, branch_hints_are_conditions)
