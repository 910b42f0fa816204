#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
#
# Functions for tests with programs that sleep (programs/asleep.c), after lib.sh:
#
#   sleeper NAME KIND OTHER DEVICE DOCAD   starts one, that connects to OTHER
#   begin NAME                             it may submit its jobs
#   all_asleep NAME...                     waits until they sleep
#   all_closed NAME...                     waits until they have closed all they have
#   said NAME COUNT PATTERN...             it has said that so often
#   all_end NAME...                        lets them end
#
# Their output is printed if the test fails.

declare -A sleepers

sleeper() {
    DOCAD_SOCKET=$DOCAD_RUN/$5.sock vm_asleep "$2" -p "$4" "/tmp/$1" "/tmp/$3" >"/tmp/$1.out" 2>&1 &
    sleepers[$1]=$!
}

begin() { : >"/tmp/$1.go"; }

is_asleep() { grep -qx asleep "/tmp/$1.out" && grep -q epoll_wait "/proc/${sleepers[$1]}/stack"; }
has_ended() { grep -qx closed "/tmp/$1.out" || ! kill -0 "${sleepers[$1]}"; }

all_asleep() {
    local name
    for name in "$@"; do
        until_true 60 is_asleep "$name"
    done
}

all_closed() {
    local name
    for name in "$@"; do
        until_true 60 has_ended "$name"
        kill -0 "${sleepers[$name]}" || fail "$name"
    done
}

said() {
    local name=$1 n=$2 found
    shift 2
    found=$(grep -c "$*" "/tmp/$name.out")
    [ "$found" = "$n" ] || fail "$name: says $found times, not $n: $*"
}

all_end() {
    local name
    for name in "$@"; do
        : >"/tmp/$name.end"
        wait "${sleepers[$name]}" || fail "$name"
    done
}

sleepers_show() {
    # shellcheck disable=SC2181 # the test's
    [ $? = 0 ] || tail -n 30 /tmp/*.out 2>/dev/null
}
trap sleepers_show EXIT
