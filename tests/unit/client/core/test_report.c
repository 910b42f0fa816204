// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tests what a public function says of an argument that must not be NULL, or 0, but is.

#include "unit.h"

#include "core/report.h"
#include "log_capture.h"

#include <string.h>

static doca_error_t one(const void *map)
{
    return REFUSED_NULL(map);
}

static doca_error_t four(const void *map, size_t len, void (*call)(void), uint32_t n)
{
    return REFUSED_NULL(map, len, call, n);
}

static doca_error_t for_another(const void *map)
{
    return REFUSED_NULL_OF("doca_other", map);
}

static void function(void)
{
}

static void assert_said(const struct standard *s, doca_error_t result, const char *text)
{
    ck_assert_int_eq(result, DOCA_ERROR_INVALID_VALUE);
    ck_assert_msg(strstr(log_text(s->err), text), "not \"%s\", but: %s", text, log_text(s->err));
    truncate_to_nothing(s->err);
}

START_TEST(the_argument_is_named)
{
    struct standard s = standard_capture();
    assert_said(&s, one(NULL), "one: map is NULL (DOCA_ERROR_INVALID_VALUE)");
    assert_said(&s, four(NULL, 0, NULL, 0), "four: map is NULL ");
    assert_said(&s, four(&s, 0, NULL, 0), "four: len is 0 ");
    assert_said(&s, four(&s, 1, NULL, 0), "four: call is NULL ");
    assert_said(&s, four(&s, 1, function, 0), "four: n is 0 ");
    assert_said(&s, for_another(NULL), "doca_other: map is NULL ");
}
END_TEST

UNIT_MAIN("report", the_argument_is_named)
