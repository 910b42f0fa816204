#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: prometheus 2.42.0+ds-5+deb12u1 (promtool), Debian 12.
#
# Behaviour: "promtool check metrics" ends with status 0 for a page that has the same series twice
# with different values, and for one whose samples of a family are not together. It fails (status
# 3, "no help text") on the counter of an OpenMetrics page, where HELP and TYPE have the name
# without _total, and (status 1) on an exemplar, a line end of CR LF and a missing line end of the
# last line.
#
# Output:
#     a series twice: 0
#     a family in two places: 0
#     text format, HELP of a_total: 0
#     OpenMetrics, HELP of a: 3
#     OpenMetrics with an exemplar: 1
#     no line end of the last line: 1
#     lines that end with CR LF: 1
#
# Why it matters: It is the tool with which exporters are tested. The fault that costs data, one
# series from two objects with equal labels, passes, and a correct OpenMetrics page does not.
#
# What to do: Test for duplicates yourself (sort the series without their values and look for
# equal ones, uniq -d), and check OpenMetrics pages with a parser of that format.

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
fetch prometheus=2.42.0+ds-5+deb12u1

report() {
    status=0
    printf '%b' "$2" | root/usr/bin/promtool check metrics >/dev/null 2>&1 || status=$?
    echo "$1: $status"
}

gauge='# HELP a x\n# TYPE a gauge\n'
{
    report "a series twice" "${gauge}a{d=\"p0\"} 1\na{d=\"p0\"} 2\n"
    report "a family in two places" "${gauge}a{d=\"p0\"} 1\n# HELP b x\n# TYPE b gauge\nb 1\na{d=\"p1\"} 2\n"
    report "text format, HELP of a_total" '# HELP a_total x\n# TYPE a_total counter\na_total 1\n'
    report "OpenMetrics, HELP of a" '# HELP a x\n# TYPE a counter\na_total 1\n# EOF\n'
    report "OpenMetrics with an exemplar" '# HELP a_total x\n# TYPE a_total counter\na_total 1 # {t="x"} 1\n'
    report "no line end of the last line" "${gauge}a 1"
    report "lines that end with CR LF" '# HELP a x\r\n# TYPE a gauge\r\na 1\r\n'
} >seen

cat >expected <<'EOF'
a series twice: 0
a family in two places: 0
text format, HELP of a_total: 0
OpenMetrics, HELP of a: 3
OpenMetrics with an exemplar: 1
no line end of the last line: 1
lines that end with CR LF: 1
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
