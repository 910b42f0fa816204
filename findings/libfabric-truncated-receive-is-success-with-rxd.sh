#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libfabric-dev and libfabric1 1.17.0-3, Debian 12.
#
# Behaviour: A tagged message of 10 bytes that arrives for a receive of 5 bytes is reported in
# three ways by three providers of libfabric. "sockets" gives an error entry with FI_ETRUNC, len
# 10 and olen 5 (olen is the number of bytes that did not fit, says the manual). "tcp;ofi_rxm"
# gives FI_ETRUNC with len 0 and olen 0, and the sender a success. "udp;ofi_rxd" gives a normal
# completion of 5 bytes: the loss of the other five is not reported to either side.
#
# Output:
#     sockets: error FI_ETRUNC, len 10, olen 5
#     tcp;ofi_rxm: error FI_ETRUNC, len 0, olen 0
#     udp;ofi_rxd: completion, len 5
#
# Why it matters: Protocols that receive into buffers of the largest message, and treat a longer
# one as an error, never see that error with rxd: a cut message passes as a whole one. Code that
# computes the length of the message from olen works with one provider.
#
# What to do: Send the length of each message in its header and compare it with the length of the
# completion; use FI_ETRUNC only as a hint.

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
fetch libfabric-dev=1.17.0-3 libfabric1=1.17.0-3
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct fid_cq *cq;
static int received;

static int poll_cq(void)
{
    struct fi_cq_tagged_entry entry;
    ssize_t n = fi_cq_read(cq, &entry, 1);
    if (n == 1 && entry.flags & FI_RECV) {
        printf("completion, len %zu\n", entry.len);
        received = 1;
    } else if (n == -FI_EAVAIL) {
        struct fi_cq_err_entry error = { 0 };
        fi_cq_readerr(cq, &error, 0);
        printf("error %s, len %zu, olen %zu\n", error.err == FI_ETRUNC ? "FI_ETRUNC" : fi_strerror(error.err),
               error.len, error.olen);
        received = 1;
    }
    return received;
}

int main(int argc, char **argv)
{
    static char in[100], out[100] = "0123456789", name[200];
    struct fi_info *info, *hints = fi_allocinfo();
    hints->fabric_attr->prov_name = strdup(argv[argc - 1]);
    hints->ep_attr->type = FI_EP_RDM;
    hints->caps = FI_TAGGED;
    if (fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", NULL, FI_SOURCE, hints, &info))
        return 77;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_ep *ep;
    struct fi_cq_attr cq_attr = { .size = 16, .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_NONE };
    struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
    size_t name_size = sizeof(name);
    fi_addr_t self;
    if (fi_fabric(info->fabric_attr, &fabric, NULL) || fi_domain(fabric, info, &domain, NULL) ||
        fi_cq_open(domain, &cq_attr, &cq, NULL) || fi_av_open(domain, &av_attr, &av, NULL) ||
        fi_endpoint(domain, info, &ep, NULL) || fi_ep_bind(ep, &cq->fid, FI_SEND | FI_RECV) ||
        fi_ep_bind(ep, &av->fid, 0) || fi_enable(ep) || fi_getname(&ep->fid, name, &name_size) ||
        fi_av_insert(av, name, 1, &self, 0, NULL) != 1)
        return 77;
    printf("%s: ", argv[argc - 1]);
    time_t end = time(NULL) + 20;
    fi_trecv(ep, in, 5, NULL, FI_ADDR_UNSPEC, 1, 0, in);
    while (fi_tsend(ep, out, 10, NULL, self, 1, out) == -FI_EAGAIN && time(NULL) < end)
        poll_cq();
    while (!poll_cq() && time(NULL) < end)
        ;
    if (!received)
        printf("nothing received\n");
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -L"$lib" -l:libfabric.so.1 -Wl,--unresolved-symbols=ignore-in-shared-libs
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
for provider in sockets 'tcp;ofi_rxm' 'udp;ofi_rxd'; do
    LD_LIBRARY_PATH=$lib FI_LOG_LEVEL=none ./program "$provider" || skip "no provider $provider"
done >seen

cat >expected <<'EOF'
sockets: error FI_ETRUNC, len 10, olen 5
tcp;ofi_rxm: error FI_ETRUNC, len 0, olen 0
udp;ofi_rxd: completion, len 5
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
