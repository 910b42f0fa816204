#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libibverbs-dev 44.0-2, libibverbs1 44.0-2 with libnl-3-200 and libnl-route-3-200
# 3.7.0-0.2+b1, Debian 12.
#
# Behaviour: ibv_rate_to_mult() returns -1 for the rates of 14, 25, 56, 100, 112, 168, 200 and 300
# Gbit/s (FDR and EDR, and so for links of 100 and 200 Gbit/s), but converts the older and the
# newer ones (28, 50, 400 to 1200). The names are rounded: ibv_rate_to_mbps() says 425000 for
# IBV_RATE_400_GBPS and 103125 for IBV_RATE_100_GBPS, and the multiple of 400 is 160, which is
# 400000. mbps_to_ibv_rate(100000) is IBV_RATE_MAX (no limit).
#
# Output:
#     10: mult 4, mbps 10000
#     14: mult -1, mbps 14062
#     25: mult -1, mbps 25781
#     28: mult 11, mbps 28125
#     50: mult 20, mbps 53125
#     56: mult -1, mbps 56250
#     100: mult -1, mbps 103125
#     112: mult -1, mbps 112500
#     168: mult -1, mbps 168750
#     200: mult -1, mbps 206250
#     300: mult -1, mbps 309375
#     400: mult 160, mbps 425000
#     mbps_to_ibv_rate(100000) is IBV_RATE_MAX: 1
#
# Why it matters: The static rate of an address handle limits a sender to what a slower receiver
# takes. Code that computes it by the multiple of 2.5 Gbit/s, or from the speed in Mbit/s that
# ethtool or sysfs reports, silently gets -1 or "no limit" for the common links.
#
# What to do: Use ibv_rate_to_mbps() and compare sizes, with a table of your own from link speeds
# to rates; never pass the result of the mult functions on without a check.

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
fetch libibverbs-dev=44.0-2 \
    libibverbs1=44.0-2 \
    libnl-3-200=3.7.0-0.2+b1 \
    libnl-route-3-200=3.7.0-0.2+b1
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <infiniband/verbs.h>
#include <stdio.h>

int main(void)
{
    static const struct {
        const char *name;
        enum ibv_rate rate;
    } rates[] = {
        { "10", IBV_RATE_10_GBPS },   { "14", IBV_RATE_14_GBPS },   { "25", IBV_RATE_25_GBPS },
        { "28", IBV_RATE_28_GBPS },   { "50", IBV_RATE_50_GBPS },   { "56", IBV_RATE_56_GBPS },
        { "100", IBV_RATE_100_GBPS }, { "112", IBV_RATE_112_GBPS }, { "168", IBV_RATE_168_GBPS },
        { "200", IBV_RATE_200_GBPS }, { "300", IBV_RATE_300_GBPS }, { "400", IBV_RATE_400_GBPS },
    };
    for (unsigned i = 0; i < sizeof(rates) / sizeof(*rates); i++)
        printf("%s: mult %d, mbps %d\n", rates[i].name, ibv_rate_to_mult(rates[i].rate),
               ibv_rate_to_mbps(rates[i].rate));
    printf("mbps_to_ibv_rate(100000) is IBV_RATE_MAX: %d\n", mbps_to_ibv_rate(100000) == IBV_RATE_MAX);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -L"$lib" -Wl,-rpath-link,"$lib" -libverbs
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
LD_LIBRARY_PATH=$lib ./program >seen

cat >expected <<'EOF'
10: mult 4, mbps 10000
14: mult -1, mbps 14062
25: mult -1, mbps 25781
28: mult 11, mbps 28125
50: mult 20, mbps 53125
56: mult -1, mbps 56250
100: mult -1, mbps 103125
112: mult -1, mbps 112500
168: mult -1, mbps 168750
200: mult -1, mbps 206250
300: mult -1, mbps 309375
400: mult 160, mbps 425000
mbps_to_ibv_rate(100000) is IBV_RATE_MAX: 1
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
