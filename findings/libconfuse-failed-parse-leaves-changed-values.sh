#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libconfuse-dev 3.3-3, Debian 12.
#
# Behaviour: When cfg_parse_buf() fails at a wrong value, the options are neither the defaults nor
# all as before: what stood before the error is set, a list is cut at the error, and the integer
# that could not be read is 0, not its default. An integer is read with the base that its prefix
# says: 010 is 8, and 08 is the error.
#
# Output:
#     limit = 010: success, depth 64, limit 8, devices p0 p1
#     depth = 7 limit = 08: failure, depth 7, limit 0, devices p0 p1
#     devices = {a b}: failure, depth 64, limit 100, devices a
#
# Why it matters: A daemon that reports the error of a reload and goes on with the same cfg_t runs
# with a limit of 0 and half a list, which no file ever said.
#
# What to do: Parse into a new cfg_t, and replace the one in use only after success.

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
fetch libconfuse-dev=3.3-3
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <confuse.h>
#include <stdio.h>

static void report(const char *text)
{
    cfg_opt_t options[] = { CFG_INT("depth", 64, CFGF_NONE), CFG_INT("limit", 100, CFGF_NONE),
                            CFG_STR_LIST("devices", "{p0, p1}", CFGF_NONE), CFG_END() };
    cfg_t *cfg = cfg_init(options, CFGF_NONE);
    int result = cfg_parse_buf(cfg, text);
    printf("%s: %s, depth %ld, limit %ld, devices", text, result == CFG_SUCCESS ? "success" : "failure",
           cfg_getint(cfg, "depth"), cfg_getint(cfg, "limit"));
    for (unsigned i = 0; i < cfg_size(cfg, "devices"); i++)
        printf(" %s", cfg_getnstr(cfg, "devices", i));
    printf("\n");
    cfg_free(cfg);
}

int main(void)
{
    report("limit = 010");
    report("depth = 7 limit = 08");
    report("devices = {a b}");
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    "$lib/libconfuse.a"
./program >seen 2>errors

cat >expected <<'EOF'
limit = 010: success, depth 64, limit 8, devices p0 p1
depth = 7 limit = 08: failure, depth 7, limit 0, devices p0 p1
devices = {a b}: failure, depth 64, limit 100, devices a
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
