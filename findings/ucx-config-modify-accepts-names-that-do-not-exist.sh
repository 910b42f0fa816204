#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libucx-dev and libucx0 1.13.1-1, Debian 12.
#
# Behaviour: ucp_config_modify() returns UCS_OK for an option that does not exist (RNDV_THRESHOLD
# for RNDV_THRESH, and UCX_TLS, with the prefix of the environment variable), and ucp_init() with
# that configuration returns UCS_OK, too; the option that was meant keeps its default. Wrong
# values of existing options are refused, but with gaps: RNDV_THRESH=-1 is infinite,
# KEEPALIVE_INTERVAL=10m is ten minutes although the message for wrong values lists s, us, ms and
# ns only, and switches take 1, y and yes, not "on" or "true".
#
# Output:
#     RNDV_THRESH=1k: Success, UCX_RNDV_THRESH=1K
#     RNDV_THRESH=1kib: Invalid parameter, UCX_RNDV_THRESH=auto
#     RNDV_THRESHOLD=1k: Success, not printed, ucp_init: Success
#     UCX_TLS=self: Success, not printed, ucp_init: Success
#     RNDV_THRESH=-1: Success, UCX_RNDV_THRESH=inf
#     KEEPALIVE_INTERVAL=10m: Success, UCX_KEEPALIVE_INTERVAL=600000000.00us
#     ADDRESS_DEBUG_INFO=yes: Success, UCX_ADDRESS_DEBUG_INFO=y
#     ADDRESS_DEBUG_INFO=on: Invalid parameter, UCX_ADDRESS_DEBUG_INFO=n
#
# Why it matters: A program that limits its transports or thresholds and checks each return value
# runs with others than it set, and finds out by its bandwidth.
#
# What to do: Print the configuration after the changes (ucp_config_print with
# UCS_CONFIG_PRINT_CONFIG) and look for each option in it, as this script does.

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
fetch libucx-dev=1.13.1-1 libucx0=1.13.1-1
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <stdio.h>
#include <string.h>
#include <ucp/api/ucp.h>

static void report(const char *name, const char *value)
{
    static char text[1 << 16];
    char line[100];
    ucp_config_t *config;
    ucp_context_h context;
    ucp_params_t params = { .field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_TAG };
    ucp_config_read(NULL, NULL, &config);
    ucs_status_t status = ucp_config_modify(config, name, value);
    FILE *f = fmemopen(text, sizeof(text), "w");
    ucp_config_print(config, f, NULL, UCS_CONFIG_PRINT_CONFIG);
    fclose(f);
    snprintf(line, sizeof(line), "UCX_%s=", name);
    const char *printed = strstr(text, line);
    printf("%s=%s: %s, %.*s", name, value, ucs_status_string(status), printed ? (int)strcspn(printed, "\n") : 11,
           printed ? printed : "not printed");
    if (!printed) {
        status = ucp_init(&params, config, &context);
        printf(", ucp_init: %s", ucs_status_string(status));
        if (status == UCS_OK)
            ucp_cleanup(context);
    }
    printf("\n");
    ucp_config_release(config);
}

int main(void)
{
    report("RNDV_THRESH", "1k");
    report("RNDV_THRESH", "1kib");
    report("RNDV_THRESHOLD", "1k");
    report("UCX_TLS", "self");
    report("RNDV_THRESH", "-1");
    report("KEEPALIVE_INTERVAL", "10m");
    report("ADDRESS_DEBUG_INFO", "yes");
    report("ADDRESS_DEBUG_INFO", "on");
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -L"$lib" -Wl,-rpath-link,"$lib" -lucp -lucs -Wl,--unresolved-symbols=ignore-in-shared-libs
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
LD_LIBRARY_PATH=$lib UCX_LOG_LEVEL=fatal ./program >seen

cat >expected <<'EOF'
RNDV_THRESH=1k: Success, UCX_RNDV_THRESH=1K
RNDV_THRESH=1kib: Invalid parameter, UCX_RNDV_THRESH=auto
RNDV_THRESHOLD=1k: Success, not printed, ucp_init: Success
UCX_TLS=self: Success, not printed, ucp_init: Success
RNDV_THRESH=-1: Success, UCX_RNDV_THRESH=inf
KEEPALIVE_INTERVAL=10m: Success, UCX_KEEPALIVE_INTERVAL=600000000.00us
ADDRESS_DEBUG_INFO=yes: Success, UCX_ADDRESS_DEBUG_INFO=y
ADDRESS_DEBUG_INFO=on: Invalid parameter, UCX_ADDRESS_DEBUG_INFO=n
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
