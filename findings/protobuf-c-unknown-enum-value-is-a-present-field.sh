#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libprotobuf-c-dev and protobuf-c-compiler 1.4.1-1+b1 with protobuf-compiler
# 3.21.12-3+deb12u1, Debian 12.
#
# Behaviour: A field of an enumeration of proto2 that comes with a number which the enumeration
# does not have is set by protobuf-c: has_mode is 1 and mode is 5, a value that no case of a
# switch has. The definition of the format (closed enumerations) and Google's libraries keep such
# a value as an unknown field and leave the field absent, so that its default holds.
#
# Output:
#     unpacked: 1, has_mode 1, mode 5, unknown fields 0
#     in the descriptor: 0
#     absent: has_mode 0, mode 1
#
# Why it matters: A daemon that is older than its peer gets an enumerator that it does not know as
# if it were valid: tables that have one entry per enumerator are read beyond their end if it
# trusts the generated type, and "has_mode" does not protect it.
#
# What to do: Check each received enumeration with protobuf_c_enum_descriptor_get_value(), which
# returns NULL for unknown numbers.

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
fetch libprotobuf-c-dev=1.4.1-1+b1 \
    protobuf-c-compiler=1.4.1-1+b1 \
    protobuf-compiler=3.21.12-3+deb12u1 \
    libprotoc32=3.21.12-3+deb12u1 \
    libprotobuf32=3.21.12-3+deb12u1
lib=root/usr/lib/x86_64-linux-gnu

cat >m.proto <<'EOF'
syntax = "proto2";
enum Mode { OFF = 0; SLOW = 1; FAST = 2; }
message M { optional Mode mode = 1 [default = SLOW]; }
EOF
LD_LIBRARY_PATH=$lib PATH=$PWD/root/usr/bin:$PATH
export LD_LIBRARY_PATH PATH
protoc --c_out=. m.proto
cat >program.c <<'EOF'
#include "m.pb-c.h"
#include <stdio.h>

int main(void)
{
    static const uint8_t wire[] = { 0x08, 5 };
    M *m = m__unpack(NULL, sizeof(wire), wire);
    printf("unpacked: %d, has_mode %d, mode %d, unknown fields %u\n", m != NULL, m->has_mode, m->mode,
           m->base.n_unknown_fields);
    printf("in the descriptor: %d\n", protobuf_c_enum_descriptor_get_value(&mode__descriptor, m->mode) != NULL);
    m__free_unpacked(m, NULL);
    m = m__unpack(NULL, 0, NULL);
    printf("absent: has_mode %d, mode %d\n", m->has_mode, m->mode);
    m__free_unpacked(m, NULL);
}
EOF
cc -O1 -Iroot/usr/include -o program program.c m.pb-c.c "$lib/libprotobuf-c.a"
./program >seen

cat >expected <<'EOF'
unpacked: 1, has_mode 1, mode 5, unknown fields 0
in the descriptor: 0
absent: has_mode 0, mode 1
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
