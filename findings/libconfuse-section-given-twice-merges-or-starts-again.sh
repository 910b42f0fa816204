#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libconfuse-dev 3.3-3, Debian 12.
#
# Behaviour: If a configuration has a section twice, libconfuse merges the two when the section
# has no title: u { x = 1 } and then u { y = 2 } gives x 1 and y 2. When the section has titles
# (CFGF_MULTI and CFGF_TITLE), the second one with the same title replaces the first: x is the
# default again. Both are accepted without a message; CFGF_NO_TITLE_DUPES is what makes the second
# one an error.
#
# Output:
#     no title: accepted, sections 1, x 1, y 2
#     same title: accepted, sections 1, x 100, y 2
#     same title, CFGF_NO_TITLE_DUPES: refused
#
# Why it matters: A daemon of which a file in conf.d/ extends a section per device (device
# "mlx5_0" { ... }) loses what the main file said about that device, such as its limits, while
# global sections keep theirs.
#
# What to do: Declare sections with titles as CFGF_NO_TITLE_DUPES, so that the second one is
# refused, or document that it replaces the first.

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

static void report(const char *name, cfg_flag_t flags, const char *text)
{
    cfg_opt_t section[] = { CFG_INT("x", 100, CFGF_NONE), CFG_INT("y", 100, CFGF_NONE), CFG_END() };
    cfg_opt_t options[] = { CFG_SEC("s", section, flags), CFG_END() };
    cfg_t *cfg = cfg_init(options, CFGF_NONE);
    int result = cfg_parse_buf(cfg, text);
    printf("%s: %s", name, result == CFG_SUCCESS ? "accepted" : "refused");
    if (result == CFG_SUCCESS)
        printf(", sections %u, x %ld, y %ld", cfg_size(cfg, "s"), cfg_getint(cfg_getnsec(cfg, "s", 0), "x"),
               cfg_getint(cfg_getnsec(cfg, "s", 0), "y"));
    printf("\n");
    cfg_free(cfg);
}

int main(void)
{
    report("no title", CFGF_NONE, "s { x = 1 }\ns { y = 2 }\n");
    report("same title", CFGF_MULTI | CFGF_TITLE, "s a { x = 1 }\ns a { y = 2 }\n");
    report("same title, CFGF_NO_TITLE_DUPES", CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES,
           "s a { x = 1 }\ns a { y = 2 }\n");
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    "$lib/libconfuse.a"
./program >seen 2>errors

cat >expected <<'EOF'
no title: accepted, sections 1, x 1, y 2
same title: accepted, sections 1, x 100, y 2
same title, CFGF_NO_TITLE_DUPES: refused
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
