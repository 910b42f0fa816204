#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: liberasurecode-dev and liberasurecode1 1.6.2-1, libisal2 2.30.0-5, libjerasure2
# 2.0.0+2017.04.10.git.de1739cc84-2, libgf-complete1 1.0.2+2017.04.10.git.ea75cdf-9, Debian 12.
#
# Behaviour: liberasurecode makes an instance of the backend isa_l_rs_vand for 10 data and 5
# parity fragments with hd 6, that is, any 5 of the 15 may be lost. Of the 3003 sets of 10
# fragments, 10 cannot be decoded: liberasurecode_decode() returns -1. The backends
# isa_l_rs_cauchy, jerasure_rs_vand and liberasurecode_rs_vand, which have the same arguments,
# decode all 3003.
#
# Output:
#     isa_l_rs_vand: 3003 sets, 10 not decoded, 0 wrong
#     isa_l_rs_cauchy: 3003 sets, 0 not decoded, 0 wrong
#     jerasure_rs_vand: 3003 sets, 0 not decoded, 0 wrong
#     liberasurecode_rs_vand: 3003 sets, 0 not decoded, 0 wrong
#
# Why it matters: Nothing fails when the instance is made, when data is written, or in tests that
# remove a few fragments; the loss shows when the wrong five fragments are gone. ISA-L warns of
# such matrices at gf_gen_rs_matrix(), but a user of liberasurecode (object stores) does not see
# ISA-L.
#
# What to do: Use isa_l_rs_cauchy for 5 parity fragments or more, or try all sets for a geometry,
# as this script does, before data is written with it.

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
fetch liberasurecode-dev=1.6.2-1 \
    liberasurecode1=1.6.2-1 \
    libisal2=2.30.0-5 \
    libjerasure2=2.0.0+2017.04.10.git.de1739cc84-2 \
    libgf-complete1=1.0.2+2017.04.10.git.ea75cdf-9
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <erasurecode.h>
#include <stdio.h>
#include <string.h>

enum { K = 10, M = 5, SIZE = 1000 };

static void report(const char *name, ec_backend_id_t backend)
{
    struct ec_args args = { .k = K, .m = M, .w = 8, .hd = M + 1, .ct = CHKSUM_NONE };
    char data[SIZE], **parts, **parities;
    uint64_t length;
    for (int i = 0; i < SIZE; i++)
        data[i] = (char)(i * 31 + i / 7);
    int desc = liberasurecode_instance_create(backend, &args);
    if (desc <= 0 || liberasurecode_encode(desc, data, SIZE, &parts, &parities, &length)) {
        printf("%s: no instance\n", name);
        return;
    }
    int sets = 0, failed = 0, wrong = 0;
    for (int mask = 0; mask < 1 << (K + M); mask++) {
        char *left[K], *out;
        uint64_t out_length;
        int n = 0;
        if (__builtin_popcount(mask) != K)
            continue;
        for (int i = 0; i < K + M; i++)
            if (mask >> i & 1)
                left[n++] = i < K ? parts[i] : parities[i - K];
        sets++;
        if (liberasurecode_decode(desc, left, K, length, 0, &out, &out_length)) {
            failed++;
            continue;
        }
        wrong += out_length != SIZE || memcmp(out, data, SIZE);
        liberasurecode_decode_cleanup(desc, out);
    }
    printf("%s: %d sets, %d not decoded, %d wrong\n", name, sets, failed, wrong);
    liberasurecode_encode_cleanup(desc, parts, parities);
    liberasurecode_instance_destroy(desc);
}

int main(void)
{
    report("isa_l_rs_vand", EC_BACKEND_ISA_L_RS_VAND);
    report("isa_l_rs_cauchy", EC_BACKEND_ISA_L_RS_CAUCHY);
    report("jerasure_rs_vand", EC_BACKEND_JERASURE_RS_VAND);
    report("liberasurecode_rs_vand", EC_BACKEND_LIBERASURECODE_RS_VAND);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -Iroot/usr/include/liberasurecode -L"$lib" -Wl,-rpath-link,"$lib" -lerasurecode
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
LD_LIBRARY_PATH=$lib ./program >seen 2>/dev/null

cat >expected <<'EOF'
isa_l_rs_vand: 3003 sets, 10 not decoded, 0 wrong
isa_l_rs_cauchy: 3003 sets, 0 not decoded, 0 wrong
jerasure_rs_vand: 3003 sets, 0 not decoded, 0 wrong
liberasurecode_rs_vand: 3003 sets, 0 not decoded, 0 wrong
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
