#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
#
# Functions for tests in a virtual machine: . "$VM_SRC/tests/vm/lib.sh"
#
#   fail TEXT            ends the test: failed          skip TEXT    ends it: skipped
#   until_true SECONDS COMMAND...        repeats until it succeeds, else fails the test
#
#   rxe_add [NAME [NETDEV]]              an RDMA device; default rxe0 over eth0 or lo
#   rxe_add_dummy NAME NUMBER            one more, over a network interface of its own
#   rxe_gid [NAME]                       index of its IPv4 GID, once it is there
#   rxe_remove [NAME]    link_down       link_up       of the cable of a pair
#   rxe_load NAME; rxe_load_end          ib_write_bw over it within this machine, until ended
#   rxe_remove_begin NAME                new users no longer find it; returns while it is in use
#   rxe_remove_end                       waits until it has gone: the kernel waits for its users
#   perftest TOOL ARGUMENT...            for example ib_write_bw -s 4096: prints what the client
#                                        says; the server is the host, or also this machine
#
#   tell NAME [TEXT]                     a message for the other machine
#   hear NAME [SECONDS]                  waits for it, prints its text
#   meet NAME [SECONDS]                  waits until both are here
#
#   docad_start NAME ARGUMENT...         docad --socket $DOCAD_RUN/NAME.sock, and waits for it;
#                                        run by the command $DOCAD_UNDER, if that is set
#   docad_stop NAME
#   on NAME COMMAND...                   runs a program against that daemon
#   function_id NAME                     of a function of the daemon at $DOCAD_SOCKET
#   units_install                        the build's docad as units of systemd
#
#   tls_keys                             certificates of both machines, in /tmp/keys
#   tls_conf ADDRESS                     prints the configuration of a link; the host listens there,
#                                        for example at $host_ip
#   carry NAME MINE THEIRS               waits for the file MINE, makes the other one's THEIRS here
#
# Messages between the machines do not take the cable: they arrive also while it is down.

set -uo pipefail
export PATH=$VM_BUILD/bin:$PATH
DOCAD_RUN=/run/docad-test
rxe_default_netdev=lo
[ -z "$VM_ROLE" ] || rxe_default_netdev=eth0

# shellcheck disable=SC2034 # for tests
if [ "$VM_ROLE" = dpu ]; then host_ip=$VM_PEER; else host_ip=$VM_IP; fi

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
skip() { printf 'SKIPPED: %s\n' "$*"; exit 77; }

# The twentieth of a second, without another program.
pause_pipe=/tmp/pause
[ -p $pause_pipe ] || mkfifo $pause_pipe
pause() { read -rt 0.05 <>$pause_pipe || true; }

until_true() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || fail "in vain: $*"
        pause
    done
}

# ---- RDMA devices --------------------------------------------------------------------------

rxe_add() {
    local name=${1-rxe0} netdev=${2-$rxe_default_netdev}
    rdma link add "$name" type rxe netdev "$netdev" || fail "no device $name over $netdev"
    rxe_gid "$name" >/dev/null
}

rxe_add_dummy() {
    modprobe dummy numdummies=0 2>/dev/null
    ip link add "dummy$2" type dummy || fail "no dummy$2"
    ip addr add "10.1.$2.1/24" dev "dummy$2" || fail "no address of dummy$2"
    ip link set "dummy$2" up || fail "dummy$2 does not come up"
    rdma link add "$1" type rxe netdev "dummy$2" || fail "no device $1"
    VM_IP=10.1.$2.1 rxe_gid "$1" >/dev/null
}

rxe_remove() { rdma link delete "${1-rxe0}"; }

# The one made of the IPv4 address: it comes some time after the address and the link.
rxe_gid() {
    local name=${1-rxe0} address=${VM_IP:-127.0.0.1} digits
    # shellcheck disable=SC2046,SC2086 # four numbers
    digits=$(printf 'ffff:%02x%02x:%02x%02x$' ${address//./ })
    until_true 30 grep -qi "$digits" "/sys/class/infiniband/$name/ports/1/gids" -r
    basename "$(grep -rilE "$digits" "/sys/class/infiniband/$name/ports/1/gids" 2>/dev/null | head -n 1)"
}

perftest_server() {
    local port=$1
    shift
    "$@" >/tmp/server 2>&1 &
    perftest_pid=$!
    until [ -n "$(ss -Hltn "sport = :$port")" ]; do
        kill -0 "$perftest_pid" 2>/dev/null || { cat /tmp/server; fail "$1: server"; }
        pause
    done
}

perftest_calls=0
perftest() {
    local tool=$1 port gid server=${VM_PEER:-127.0.0.1}
    shift
    # One port after the other: a closed one may linger. Both machines count the same.
    port=$((18515 + perftest_calls))
    perftest_calls=$((perftest_calls + 1))
    gid=$(rxe_gid) || exit
    local command=("$tool" -d rxe0 -x "$gid" -p "$port" -F "$@")
    if [ "$VM_ROLE" != dpu ]; then
        perftest_server "$port" "${command[@]}"
        [ -z "$VM_ROLE" ] || tell "perftest-$port"
    else
        hear "perftest-$port"
    fi
    if [ "$VM_ROLE" != host ]; then
        "${command[@]}" "$server" >/tmp/client 2>&1 || { cat /tmp/client; fail "$tool"; }
        grep -A 1 '#bytes' /tmp/client
    fi
    [ "$VM_ROLE" = dpu ] || wait "$perftest_pid" || { cat /tmp/server; fail "$tool: server"; }
}

load_pids=()
rxe_load() {
    local gid
    gid=$(rxe_gid "$1") || exit
    local command=(ib_write_bw -d "$1" -x "$gid" -p 18400 -F --run_infinitely)
    perftest_server 18400 "${command[@]}"
    "${command[@]}" 127.0.0.1 >/tmp/client 2>&1 &
    load_pids=("$perftest_pid" $!)
    until_true 60 rxe_sends_more_than "$1" 1000
}

rxe_load_runs() { kill -0 "${load_pids[@]}" 2>/dev/null; }

rxe_load_end() {
    kill -9 "${load_pids[@]}"
    wait "${load_pids[@]}" 2>/dev/null
    load_pids=()
}

rxe_is_offered() { ibv_devices | grep -qw "$1"; }
rxe_is_not_offered() { ! rxe_is_offered "$1"; }

rxe_remove_begin() {
    rdma link delete "$1" &
    removal_pid=$!
    until_true 60 rxe_is_not_offered "$1"
}

rxe_remove_end() { wait "$removal_pid" || fail "rdma link delete"; }

rxe_sends_more_than() {
    [ "$(cat "/sys/class/infiniband/$1/ports/1/hw_counters/sent_pkts")" -gt "$2" ]
}

link_down() { ip link set eth0 down; }
link_up() { ip link set eth0 up; }

# ---- the other machine ---------------------------------------------------------------------

tell() {
    printf '%s' "${2-}" >"/pair/$VM_ROLE.$1.new"
    mv "/pair/$VM_ROLE.$1.new" "/pair/$VM_ROLE.$1"
}

# A file that was there before another may show itself after it.
late() {
    local deadline=$((SECONDS + 4))
    until [ -e "$1" ]; do
        [ "$SECONDS" -lt "$deadline" ] || return 1
        ls /pair >/dev/null
        sleep 0.2
    done
}

hear() {
    local file=/pair/$VM_PEER_ROLE.$1 deadline=$((SECONDS + ${2-90}))
    until [ -e "$file" ]; do
        # Lines that it printed before it ended count.
        [ ! -e "/pair/$VM_PEER_ROLE.ended" ] || late "$file" || fail "the $VM_PEER_ROLE has ended, without \`$1\`"
        [ "$SECONDS" -lt "$deadline" ] || fail "nothing heard of \`$1\` from the $VM_PEER_ROLE"
        pause
    done
    cat "$file"
}

meet() {
    tell "$1"
    hear "$1" "${2-90}"
}

# ---- daemons ---------------------------------------------------------------------------------

docad_start() {
    local name=$1
    shift
    mkdir -p "$DOCAD_RUN"
    # shellcheck disable=SC2086 # words
    ${DOCAD_UNDER-} "$VM_BUILD/bin/docad" --socket "$DOCAD_RUN/$name.sock" "$@" >"/result/docad-$name.log" 2>&1 &
    echo $! >"$DOCAD_RUN/$name.pid"
    local deadline=$((SECONDS + 60))
    until on "$name" docactl ping >/dev/null 2>&1; do
        if [ "$SECONDS" -ge "$deadline" ] || ! kill -0 "$(cat "$DOCAD_RUN/$name.pid")" 2>/dev/null; then
            cat "/result/docad-$name.log"
            fail "docad $name did not start"
        fi
        pause
    done
}

docad_stop() {
    local pid
    pid=$(cat "$DOCAD_RUN/$1.pid")
    kill "$pid"
    wait "$pid"
}

on() {
    local name=$1
    shift
    DOCAD_SOCKET=$DOCAD_RUN/$name.sock "$@"
}

function_id() {
    docactl --json devices | tr -d ' \n' | grep -oE "\"id\":[0-9]+,\"name\":\"$1\"" | grep -oE '[0-9]+' | head -n 1
}

tls_keys() {
    local name
    if [ "$VM_ROLE" = host ]; then
        docactl certificates authority /tmp/keys >/dev/null || fail "no authority"
        for name in host dpu; do
            docactl certificates node $name /tmp/keys >/dev/null || fail "no certificate"
        done
        tell keys "$(tar -C /tmp -cz keys | base64 -w 0)"
    else
        hear keys 200 | base64 -d | tar -C /tmp -xz || fail "keys"
    fi
}

tls_conf() {
    echo "tls {"
    [ "$VM_ROLE" = dpu ] || echo "    listen = \"$1:18570\""
    echo "    certificate = \"/tmp/keys/$VM_ROLE.crt\""
    echo "    key = \"/tmp/keys/$VM_ROLE.key\""
    echo "    authority = \"/tmp/keys/authority.crt\""
    echo "}"
    [ "$VM_ROLE" = host ] || echo "peer \"host\" { address = \"$1:18570\" }"
}

carry() {
    local mine=$2 theirs=$3
    until_true 90 test -s "$mine"
    tell "$1" "$(base64 -w 0 "$mine")"
    hear "$1" >/tmp/heard || fail "no details"
    base64 -d /tmp/heard >"$theirs.new" && mv "$theirs.new" "$theirs"
}

units_install() {
    systemd-sysusers "$VM_SRC/systemd/sysusers.conf" || fail "no user"
    systemd-tmpfiles --create "$VM_SRC/systemd/tmpfiles.conf" || fail "no /run/docad"
    mkdir -p /etc/docad /run/systemd/system
    install -m 755 "$VM_BUILD/bin/docad" /usr/bin/docad || fail "cannot install docad"
    cp "$VM_BUILD"/systemd/*.conf /etc/docad || fail "no configuration"
    cp "$VM_BUILD"/systemd/docad*.service "$VM_BUILD"/systemd/docad*.socket /run/systemd/system
    sed -i -e "s#^ExecStart=[^ ]*#ExecStart=/usr/bin/docad#" \
        -e "s#[^ ]*/docad/docad.conf#/etc/docad/docad.conf#" \
        -e "s#[^ ]*/docad/%i.conf#/etc/docad/%i.conf#" /run/systemd/system/docad*.service
    systemctl daemon-reload
}
