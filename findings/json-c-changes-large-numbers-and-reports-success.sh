#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libjson-c-dev 0.16-2, Debian 12.
#
# Behaviour: json-c parses an integer beyond 64 bits with json_tokener_success, also with
# JSON_TOKENER_STRICT: it becomes 18446744073709551615 or -9223372036854775808, and is written
# back as that. json_object_get_int64() of a number above 2^63-1 returns 2^63-1,
# json_object_get_uint64() of -1 returns 0, json_object_get_int() of 5000000000 returns
# 2147483647, with errno 0. json_object_int_inc() of 2^64-1 by 1 returns 1 (success) and changes
# nothing.
#
# Output:
#     18446744073709551616: success, ERANGE: 1, written as 18446744073709551615
#     -9223372036854775809: success, ERANGE: 1, written as -9223372036854775808
#     18446744073709551615: success, get_int64 9223372036854775807, int_inc by 1: 1, then 18446744073709551615, errno 0
#     -1: success, get_uint64 0, errno 0
#     5000000000: success, get_int 2147483647, errno 0
#
# Why it matters: Byte counters and 64-bit keys of RDMA and storage tools are JSON numbers. A tool
# that reads, adds and writes them reports a full value that looks plausible, and no call has
# failed.
#
# What to do: Read with json_object_get_uint64(), compare the value with the limit before adding,
# and take numbers that can exceed 64 bits as strings. After parsing check errno, which is ERANGE
# for the integer that was changed.

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
fetch libjson-c-dev=0.16-2
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

static json_object *parse(const char *text)
{
    json_tokener *t = json_tokener_new();
    json_tokener_set_flags(t, JSON_TOKENER_STRICT);
    errno = 0;
    json_object *o = json_tokener_parse_ex(t, text, (int)strlen(text) + 1);
    printf("%s: %s", text, json_tokener_get_error(t) == json_tokener_success ? "success" : "error");
    json_tokener_free(t);
    return o;
}

int main(void)
{
    json_object *o = parse("18446744073709551616");
    printf(", ERANGE: %d, written as %s\n", errno == ERANGE, json_object_to_json_string(o));
    o = parse("-9223372036854775809");
    printf(", ERANGE: %d, written as %s\n", errno == ERANGE, json_object_to_json_string(o));
    o = parse("18446744073709551615");
    errno = 0;
    printf(", get_int64 %lld", (long long)json_object_get_int64(o));
    int changed = json_object_int_inc(o, 1);
    printf(", int_inc by 1: %d, then %s, errno %d\n", changed, json_object_to_json_string(o), errno);
    o = parse("-1");
    printf(", get_uint64 %llu, errno %d\n", (unsigned long long)json_object_get_uint64(o), errno);
    o = parse("5000000000");
    printf(", get_int %d, errno %d\n", json_object_get_int(o), errno);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    "$lib/libjson-c.a" -lm
./program >seen

cat >expected <<'EOF'
18446744073709551616: success, ERANGE: 1, written as 18446744073709551615
-9223372036854775809: success, ERANGE: 1, written as -9223372036854775808
18446744073709551615: success, get_int64 9223372036854775807, int_inc by 1: 1, then 18446744073709551615, errno 0
-1: success, get_uint64 0, errno 0
5000000000: success, get_int 2147483647, errno 0
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
