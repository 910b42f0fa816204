#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: systemd 252.39-1~deb12u2 (systemd-analyze) with libsystemd-shared 252.39-1~deb12u2,
# Debian 12.
#
# Behaviour: "systemd-analyze verify" prints a line for a misspelt key, a misspelt section, a
# Type= that does not exist and a limit that cannot be read, and returns 0. With
# --recursive-errors=no it returns 1. A program that is missing is status 1 without the option.
# The units of limits differ: LimitMEMLOCK=8M is accepted, LimitNOFILE=1M is not, and
# MemoryMax=1Gb is not.
#
# Output:
#     right unit: lines 0, 0, with --recursive-errors=no 0
#     LimitMEMLOCK=8M: lines 0, 0, with --recursive-errors=no 0
#     LimitMEMLOCK=unlimited: lines 1, 0, with --recursive-errors=no 1
#     LimitNOFILE=1M: lines 1, 0, with --recursive-errors=no 1
#     MemoryMax=1Gb: lines 1, 0, with --recursive-errors=no 1
#     Type=notifi: lines 1, 0, with --recursive-errors=no 1
#     Restrat=always: lines 1, 0, with --recursive-errors=no 1
#
# Why it matters: The unit of an RDMA daemon lives from LimitMEMLOCK=. If it is written
# "unlimited", as ulimit has it, the check of the package passes, and the daemon starts with the
# default limit and fails at its first large registration. The word is "infinity".
#
# What to do: Call it with --recursive-errors=no in tests, or fail on any output.

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
fetch systemd=252.39-1~deb12u2 libsystemd-shared=252.39-1~deb12u2

LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu/systemd
export LD_LIBRARY_PATH
if ldd root/usr/bin/systemd-analyze | grep -q 'not found'; then
    skip "no libraries of systemd-analyze"
fi
report() {
    printf '[Service]\nExecStart=/bin/true\n%s\n' "$2" >test.service
    status=0 strict=0
    lines=$(root/usr/bin/systemd-analyze verify ./test.service 2>&1 | grep -c test.service:) || true
    root/usr/bin/systemd-analyze verify ./test.service >/dev/null 2>&1 || status=$?
    root/usr/bin/systemd-analyze --recursive-errors=no verify ./test.service >/dev/null 2>&1 || strict=$?
    echo "$1: lines $lines, $status, with --recursive-errors=no $strict"
}
{
    report "right unit" "Restart=always"
    for line in LimitMEMLOCK=8M LimitMEMLOCK=unlimited LimitNOFILE=1M MemoryMax=1Gb Type=notifi Restrat=always; do
        report "$line" "$line"
    done
} >seen

cat >expected <<'EOF'
right unit: lines 0, 0, with --recursive-errors=no 0
LimitMEMLOCK=8M: lines 0, 0, with --recursive-errors=no 0
LimitMEMLOCK=unlimited: lines 1, 0, with --recursive-errors=no 1
LimitNOFILE=1M: lines 1, 0, with --recursive-errors=no 1
MemoryMax=1Gb: lines 1, 0, with --recursive-errors=no 1
Type=notifi: lines 1, 0, with --recursive-errors=no 1
Restrat=always: lines 1, 0, with --recursive-errors=no 1
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
