#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: systemd 252.39-1~deb12u2 (systemd-socket-activate) with libsystemd-shared
# 252.39-1~deb12u2, Debian 12.
#
# Behaviour: systemd-socket-activate does not pass its environment on: the daemon gets TERM, PATH,
# HOME and USER of it, where set, and the variables of the activation, nothing else. A variable
# comes through only if it is named with -E (--setenv=NAME passes the value on). A daemon that is
# started directly, by env or by timeout, gets all.
#
# Output:
#     without -E: LISTEN_FDS=1
#     with -E: LISTEN_FDS=1 UCX_TLS=self
#
# Why it matters: Tests of socket activation run a daemon in this way, and ASAN_OPTIONS,
# LD_LIBRARY_PATH, UCX_TLS or IBV_FORK_SAFE, which the test has set, are not there: the daemon
# runs with another library or with defaults, and a sanitizer reports nothing to the log that the
# test reads.
#
# What to do: Name each variable with -E, or start "env NAME=VALUE daemon" behind
# systemd-socket-activate.

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
fetch systemd=252.39-1~deb12u2 libsystemd-shared=252.39-1~deb12u2
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Connects to a socket that is about to be made, for at most ten seconds.
int main(int argc, char **argv)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", argv[argc - 1]);
    for (int i = 0; i < 1000; i++) {
        if (!connect(s, (struct sockaddr *)&address, sizeof(address)))
            return 0;
        usleep(10000);
    }
    return 1;
}
EOF
cc -O1 -Wall -o program program.c
tool=root/usr/bin/systemd-socket-activate
LD_LIBRARY_PATH=$lib/systemd
export LD_LIBRARY_PATH
if ldd "$tool" | grep 'not found'; then
    skip "no libraries of systemd-socket-activate"
fi
report() {
    UCX_TLS=self ASAN_OPTIONS=log_path=x timeout 20 "$tool" --listen="$PWD/socket" "${@:2}" env >"$1.env" 2>"$1.log" &
    ./program socket || fail "no socket: $(cat "$1.log")"
    wait $! || fail "no activation: $(cat "$1.log")"
    echo "$1: $(grep -E '^(LISTEN_FDS|LD_LIBRARY_PATH|UCX_TLS|ASAN_OPTIONS)=' "$1.env" | sort | xargs)"
    rm -f socket
}
{
    report "without -E"
    report "with -E" -E UCX_TLS
} >seen

cat >expected <<'EOF'
without -E: LISTEN_FDS=1
with -E: LISTEN_FDS=1 UCX_TLS=self
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
