#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libsystemd-dev and libsystemd0 252.39-1~deb12u2 (sd-bus), Debian 12.
#
# Behaviour: sd_bus_error_get_errno() and the return values of sd_bus_call() make EACCES (13,
# "Permission denied") of org.freedesktop.DBus.Error.Failed, the name for a failure without a
# reason. A name that sd-bus does not have becomes EIO. The way from an errno to a name and back
# changes EPERM to EACCES, ETIME to ETIMEDOUT, and ENETRESET and ECONNABORTED to ECONNRESET; an
# unknown method or object becomes EBADR, which is 53.
#
# Output:
#     org.freedesktop.DBus.Error.Failed: EACCES
#     com.example.Error.Busy: EIO
#     org.freedesktop.DBus.Error.UnknownMethod: EBADR
#     org.freedesktop.DBus.Error.UnknownObject: EBADR
#     EPERM is sent as org.freedesktop.DBus.Error.AccessDenied and received as EACCES
#     ETIME is sent as org.freedesktop.DBus.Error.Timeout and received as ETIMEDOUT
#     ENETRESET is sent as org.freedesktop.DBus.Error.Disconnected and received as ECONNRESET
#     ECONNABORTED is sent as org.freedesktop.DBus.Error.Disconnected and received as ECONNRESET
#
# Why it matters: A client that prints strerror() of what sd_bus_call() returned blames
# permissions, and people change the policy of the bus or run as root, when a service of any kind
# failed for any reason. A retry that depends on EPERM or ENETRESET never happens.
#
# What to do: Print the name and message of the sd_bus_error, decide by sd_bus_error_has_name(),
# and let services reply with names of their own.

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
fetch libsystemd-dev=252.39-1~deb12u2 libsystemd0=252.39-1~deb12u2
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

int main(void)
{
    static const char *const names[] = { "org.freedesktop.DBus.Error.Failed", "com.example.Error.Busy",
                                         "org.freedesktop.DBus.Error.UnknownMethod",
                                         "org.freedesktop.DBus.Error.UnknownObject" };
    for (int i = 0; i < 4; i++) {
        sd_bus_error e = SD_BUS_ERROR_NULL;
        sd_bus_error_set(&e, names[i], "the device did not answer");
        printf("%s: %s\n", names[i], strerrorname_np(sd_bus_error_get_errno(&e)));
        sd_bus_error_free(&e);
    }
    for (int i = 1; i < 134; i++) {
        sd_bus_error e = SD_BUS_ERROR_NULL;
        sd_bus_error_set_errno(&e, i);
        int back = sd_bus_error_get_errno(&e);
        if (strerrorname_np(i) && back != i)
            printf("%s is sent as %s and received as %s\n", strerrorname_np(i), e.name, strerrorname_np(back));
        sd_bus_error_free(&e);
    }
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -L"$lib" -l:libsystemd.so.0 -Wl,--unresolved-symbols=ignore-in-shared-libs
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
LD_LIBRARY_PATH=$lib ./program >seen

cat >expected <<'EOF'
org.freedesktop.DBus.Error.Failed: EACCES
com.example.Error.Busy: EIO
org.freedesktop.DBus.Error.UnknownMethod: EBADR
org.freedesktop.DBus.Error.UnknownObject: EBADR
EPERM is sent as org.freedesktop.DBus.Error.AccessDenied and received as EACCES
ETIME is sent as org.freedesktop.DBus.Error.Timeout and received as ETIMEDOUT
ENETRESET is sent as org.freedesktop.DBus.Error.Disconnected and received as ECONNRESET
ECONNABORTED is sent as org.freedesktop.DBus.Error.Disconnected and received as ECONNRESET
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
