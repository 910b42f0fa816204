// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What loaded objects take from others.

#include "compress_tasks/references.h"
#include "unit.h"

#include <dlfcn.h>
#include <string.h>

static const char *const names[] = {
    "malloc",               // Check's library
    "free",                 // the same
    "gnu_get_libc_version", // defined, and not used
    "references_each",      // the program's own
    "_nss_compat_setpwent", // defined by what is loaded later
    "innetgr",              // and used by it
};
static unsigned seen[sizeof(names) / sizeof(names[0])];

static void count(const char *name, void *arg)
{
    ck_assert_ptr_eq(arg, seen);
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0)
            seen[i]++;
}

START_TEST(what_is_used)
{
    // The code under test is the program's, whose own references do not count.
    ck_assert(!references_each(count, seen));
    ck_assert_uint_gt(seen[0], 0);
    ck_assert_uint_gt(seen[1], 0);
    ck_assert_uint_eq(seen[2], 0);
    ck_assert_uint_eq(seen[3], 0);
    ck_assert_uint_eq(seen[5], 0);
}
END_TEST

START_TEST(what_is_loaded_later)
{
    ck_assert(references_are_new());
    ck_assert(!references_are_new());
    ck_assert_ptr_nonnull(dlopen("libnss_compat.so.2", RTLD_LAZY));
    ck_assert(references_are_new());
    ck_assert(!references_are_new());
    references_each(count, seen);
    ck_assert_uint_eq(seen[4], 0);
    ck_assert_uint_gt(seen[5], 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("references");

    tcase_add_test(tcase, what_is_used);
    tcase_add_test(tcase, what_is_loaded_later);
    return unit_run_case("references", tcase);
}
