#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: check 0.15.2-2+b1 with libsubunit-dev 1.4.0-3, Debian 12.
#
# Behaviour: With CK_RUN_CASE, CK_RUN_SUITE or CK_INCLUDE_TAGS set to a name that no test has, a
# program with a failing test runs 0 checks, prints 100% and srunner_ntests_failed() returns 0.
#
# Output:
#     -=: run 1, failed 1
#     CK_RUN_CASE=gcm: run 1, failed 1
#     CK_RUN_CASE=aes-gcm: run 0, failed 0
#     CK_RUN_SUITE=Crypto: run 0, failed 0
#     CK_INCLUDE_TAGS=fast: run 0, failed 0
#
# Why it matters: A CI job or script that selects tests by name stays green for ever after
# somebody renames a case; the exit status of the usual main() is 0.
#
# What to do: Have main() also fail when srunner_ntests_run() is 0.

set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

skip() {
    echo "SKIPPED: $*"
    exit 77
}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

fetch() {
    apt-get download "$@" >apt.log 2>&1 || { apt-get update && apt-get download "$@"; } >>apt.log 2>&1 ||
        skip "no download of $*"
    for package in ./*.deb; do
        dpkg -x "$package" root
    done
}

[ "$(dpkg --print-architecture)" = amd64 ] || skip "packages of amd64 only"
command -v cc >/dev/null || skip "no C compiler"
fetch check=0.15.2-2+b1 libsubunit-dev=1.4.0-3
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

START_TEST(fails)
{
    ck_abort_msg("a failure");
}
END_TEST

static void report(const char *variable, const char *value)
{
    Suite *suite = suite_create("crypto");
    TCase *tcase = tcase_create("gcm");
    tcase_add_test(tcase, fails);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    if (variable)
        setenv(variable, value, 1);
    srunner_run_all(runner, CK_SILENT);
    if (variable)
        unsetenv(variable);
    printf("%s=%s: run %d, failed %d\n", variable ? variable : "-", value, srunner_ntests_run(runner),
           srunner_ntests_failed(runner));
    srunner_free(runner);
}

int main(void)
{
    report(NULL, "");
    report("CK_RUN_CASE", "gcm");
    report("CK_RUN_CASE", "aes-gcm");
    report("CK_RUN_SUITE", "Crypto");
    report("CK_INCLUDE_TAGS", "fast");
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    "$lib/libcheck.a" "$lib/libsubunit.a" -lm -lrt -lpthread
./program >seen

cat >expected <<'EOF'
-=: run 1, failed 1
CK_RUN_CASE=gcm: run 1, failed 1
CK_RUN_CASE=aes-gcm: run 0, failed 0
CK_RUN_SUITE=Crypto: run 0, failed 0
CK_INCLUDE_TAGS=fast: run 0, failed 0
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
