#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the authors
#
# Package: libmicrohttpd-dev and libmicrohttpd12 0.9.75-6, Debian 12.
#
# Behaviour: RFC 9112 says that a server accepts the absolute form of a request target, "GET
# http://host/metrics HTTP/1.1", which is what clients send that have an HTTP proxy configured.
# libmicrohttpd gives the handler the whole of it as the URL, "http://host/metrics", while it has
# removed the query and decoded %-escapes, so the URL looks ready for a comparison. It also gives
# "//metrics" as it is.
#
# Output:
#     200 for the URL /metrics
#     200 for the URL /metrics
#     404 for the URL http://host/metrics
#     404 for the URL //metrics
#
# Why it matters: An exporter that compares the URL with "/metrics" answers 404 to a Prometheus
# whose proxy_url names the exporter's own host, or to a proxy that passes the absolute form on.
#
# What to do: Skip "http://" and the authority before comparing the path.

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
fetch libmicrohttpd-dev=0.9.75-6 libmicrohttpd12=0.9.75-6
lib=root/usr/lib/x86_64-linux-gnu

cat >program.c <<'EOF'
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum MHD_Result handler(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                               const char *version, const char *data, size_t *size, void **state)
{
    (void)cls, (void)method, (void)version, (void)data, (void)size;
    if (!*state) {
        *state = connection;
        return MHD_YES;
    }
    int status = strcmp(url, "/metrics") ? MHD_HTTP_NOT_FOUND : MHD_HTTP_OK;
    printf("%d for the URL %s\n", status, url);
    struct MHD_Response *r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result = MHD_queue_response(connection, status, r);
    MHD_destroy_response(r);
    return result;
}

static void request(int port, const char *target)
{
    struct sockaddr_in address = { AF_INET, htons(port), { htonl(INADDR_LOOPBACK) }, { 0 } };
    char text[300];
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0 || connect(s, (struct sockaddr *)&address, sizeof(address)))
        return;
    int n = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: host\r\nConnection: close\r\n\r\n", target);
    if (write(s, text, n) == n)
        while (read(s, text, sizeof(text)) > 0)
            ;
    close(s);
}

int main(void)
{
    struct sockaddr_in address = { AF_INET, 0, { htonl(INADDR_LOOPBACK) }, { 0 } };
    struct MHD_Daemon *d = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handler, NULL,
                                            MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_END);
    int port = MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT)->port;
    request(port, "/metrics");
    request(port, "/m%65trics?x=1");
    request(port, "http://host/metrics");
    request(port, "//metrics");
    MHD_stop_daemon(d);
}
EOF
cc -O1 -Wall -Iroot/usr/include -o program program.c \
    -L"$lib" -l:libmicrohttpd.so.12 -Wl,--unresolved-symbols=ignore-in-shared-libs
if LD_LIBRARY_PATH=$lib ldd program | grep 'not found'; then
    skip "libraries are missing"
fi
LD_LIBRARY_PATH=$lib ./program >seen

cat >expected <<'EOF'
200 for the URL /metrics
200 for the URL /metrics
404 for the URL http://host/metrics
404 for the URL //metrics
EOF
diff -u expected seen || fail "the behaviour is another one"
cat seen
