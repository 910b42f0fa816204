// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a reload changes, by key.

#include "loaded.h"

#include "config_changes.h"

static struct config was, is;
static char found[4096];

static void note(void *arg, const char *text)
{
    size_t used = strlen(found);
    ck_assert_ptr_eq(arg, &was);
    snprintf(found + used, sizeof(found) - used, "%s\n", text);
}

static void assert_changes(const char *before, const char *after, unsigned n, const char *text)
{
    char errors[1024];
    ck_assert_msg(load_text(&was, before, errors, sizeof(errors)), "%s", errors);
    ck_assert_msg(load_text(&is, after, errors, sizeof(errors)), "%s", errors);
    found[0] = '\0';
    ck_assert_uint_eq(config_changes(&was, &is, note, &was), n);
    ck_assert_str_eq(found, text);
}

START_TEST(options)
{
    assert_changes("", "", 0, "");
    assert_changes("role = host\n", "", 0, ""); // the default
    assert_changes("", "log_level = debug\nlimits { sessions_per_uid = 8 }\n", 2,
                   "log_level = debug (was info)\n"
                   "limits.sessions_per_uid = 8 (was 16384)\n");
    assert_changes("tls { certificate = a key = b authority = c }\n",
                   "tls { certificate = x key = b authority = c revoked = d }\n", 2,
                   "tls.certificate = \"x\" (was \"a\")\ntls.revoked = \"d\" (was not set)\n");
}
END_TEST

START_TEST(sections_with_titles)
{
    assert_changes("policy \"a\" { users = { 1 } }\npolicy \"b\" { export = { dpu } }\n",
                   "policy \"b\" { export = { dpu, rdma } open = {} }\npolicy \"c\" {}\n", 4,
                   "policy \"a\" was removed\n"
                   "policy \"b\": open = {} (was not set)\n"
                   "policy \"b\": export = {\"dpu\", \"rdma\"} (was {\"dpu\"})\n"
                   "policy \"c\" is new\n");
    assert_changes("peer \"a\" { socket = /x }\n", "peer \"a\" { socket = /y }\n", 1,
                   "peer \"a\": socket = \"/y\" (was \"/x\")\n");
    // Functions that come and go are reported where that is done.
    assert_changes("function \"a\" { type = pf pci = 0b:00.0 }\n",
                   "function \"b\" { type = pf pci = 0b:00.0 }\n", 0, "");
    assert_changes("function \"a\" { type = pf pci = 0b:00.0 }\n",
                   "function \"a\" { type = pf pci = 0b:00.1 }\n", 1,
                   "function \"a\": pci = \"0000:0b:00.1\" (was \"0000:0b:00.0\")\n");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("config_changes");
    tcase_add_test(tcase, options);
    tcase_add_test(tcase, sections_with_titles);
    return unit_run_case("config_changes", tcase);
}
