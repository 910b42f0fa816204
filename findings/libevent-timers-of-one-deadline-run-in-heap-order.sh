#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libevent-dev 2.1.12-stable-8+deb12u1, Debian 12.
#
# Behaviour: Eight timers that are added one after another, with one timeout, in one callback have
# the same deadline (libevent takes the time once per pass of the loop). They do not run in the
# order of addition: a, then h, g, f, e, d, c, b. If the same timeout comes from
# event_base_init_common_timeout(), they run in the order of addition.
#
# Output:
#     timeout of 1 ms: a h g f e d c b
#     common timeout of 1 ms: a b c d e f g h
#
# Why it matters: Timers that stand for a queue (retries, completions that are delivered later,
# messages that are delayed by a fixed time) come in another order than they were queued, as soon
# as more than two share a pass of the loop. With one or two, as in a test, the order is right.
#
# What to do: Use a common timeout where order counts, or one timer and a list of your own.

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
fetch libevent-dev=2.1.12-stable-8+deb12u1
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <event2/event.h>
#include <stdio.h>

enum { COUNT = 8 };
static struct event *timers[COUNT];
static char names[COUNT][2];

static void fire(evutil_socket_t fd, short what, void *name)
{
    (void)fd, (void)what;
    printf(" %s", (char *)name);
}

static void add_all(evutil_socket_t fd, short what, void *timeout)
{
    (void)fd, (void)what;
    for (int i = 0; i < COUNT; i++)
        event_add(timers[i], timeout);
}

int main(void)
{
    struct event_base *base = event_base_new();
    struct timeval now = { 0, 0 }, timeout = { 0, 1000 };
    for (int i = 0; i < COUNT; i++) {
        names[i][0] = 'a' + i;
        timers[i] = evtimer_new(base, fire, names[i]);
    }
    printf("timeout of 1 ms:");
    event_base_once(base, -1, EV_TIMEOUT, add_all, &timeout, &now);
    event_base_dispatch(base);
    printf("\ncommon timeout of 1 ms:");
    const struct timeval *common = event_base_init_common_timeout(base, &timeout);
    event_base_once(base, -1, EV_TIMEOUT, add_all, (void *)common, &now);
    event_base_dispatch(base);
    printf("\n");
    for (int i = 0; i < COUNT; i++)
        event_free(timers[i]);
    event_base_free(base);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    "$lib/libevent.a" -lpthread
./program >seen

cat >expected <<'EOF'
timeout of 1 ms: a h g f e d c b
common timeout of 1 ms: a b c d e f g h
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
