// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Addresses: text and bytes.

#include "cleanup.h"
#include "cm.h"
#include "core/refused.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t v4[12] = {[10] = 0xff, [11] = 0xff};

static bool is_v4(const uint8_t bytes[16])
{
    return memcmp(bytes, v4, sizeof(v4)) == 0;
}

static bool read_text(struct doca_rdma_addr *addr, const char *text)
{
    if (addr->type != DOCA_RDMA_ADDR_TYPE_IPv4)
        return inet_pton(AF_INET6, text, addr->bytes) == 1;
    memcpy(addr->bytes, v4, sizeof(v4));
    return inet_pton(AF_INET, text, addr->bytes + sizeof(v4)) == 1;
}

static bool is_wildcard(const uint8_t bytes[16])
{
    static const uint8_t none[16];

    return memcmp(bytes, none, 16) == 0 || (is_v4(bytes) && memcmp(bytes + 12, none, 4) == 0);
}

static doca_error_t fill(struct doca_rdma_addr *addr, const char *text, struct errtext *err)
{
    static const char *const forms[] = {"an IPv4 address such as 192.0.2.1",
                                        "an IPv6 address such as 2001:db8::1",
                                        "a GID such as fe80::2ff:fe00:1"};

    if ((unsigned)addr->type > DOCA_RDMA_ADDR_TYPE_GID)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "there is no such kind of address");
    if (!addr->port)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "the port must be 1 to 65535");
    if (!read_text(addr, text))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "\"%.64s\" is not %s", text,
                           forms[addr->type]);
    if (is_wildcard(addr->bytes))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "\"%.64s\" stands for every address; it cannot be called", text);
    snprintf(addr->text, sizeof(addr->text), "%s", text); // no longer than what inet_pton() takes
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_addr_create(enum doca_rdma_addr_type addr_type, const char *address,
                                   uint16_t port, struct doca_rdma_addr **addr)
{
    struct errtext err;

    if (!address || !addr)
        return REFUSED_NULL(address, addr);
    cleanup_free struct doca_rdma_addr *made = calloc(1, sizeof(*made));
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    made->type = addr_type;
    made->port = port;
    doca_error_t r = fill(made, address, &err);
    if (r != DOCA_SUCCESS)
        return report(__func__, r, &err);
    alive_begin(&made->alive);
    *addr = steal_ptr(made);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_addr_destroy(struct doca_rdma_addr *addr)
{
    if (!addr)
        return REFUSED_NULL(addr);
    if (!alive_now(&addr->alive))
        return report_why(__func__, DOCA_ERROR_BAD_STATE,
                          "the address belongs to a connection, and ends with it, or it was "
                          "destroyed already");
    alive_end(&addr->alive);
    free(addr);
    return DOCA_SUCCESS;
}

doca_error_t doca_rdma_addr_get_params(struct doca_rdma_addr *addr,
                                       enum doca_rdma_addr_type *addr_type, const char **address,
                                       uint16_t *port)
{
    if (!addr || !addr_type || !address || !port)
        return REFUSED_NULL(addr, addr_type, address, port);
    *addr_type = addr->type;
    *address = addr->text;
    *port = addr->port;
    return DOCA_SUCCESS;
}

void cm_addr_set(struct doca_rdma_addr *addr, const uint8_t *bytes, size_t size)
{
    *addr = (struct doca_rdma_addr){.type = DOCA_RDMA_ADDR_TYPE_IPv6};
    if (size == sizeof(addr->bytes))
        memcpy(addr->bytes, bytes, sizeof(addr->bytes));
    if (is_v4(addr->bytes))
        addr->type = DOCA_RDMA_ADDR_TYPE_IPv4;
    inet_ntop(is_v4(addr->bytes) ? AF_INET : AF_INET6, addr->bytes + (is_v4(addr->bytes) ? 12 : 0),
              addr->text, sizeof(addr->text));
}

// ---- this machine ------------------------------------------------------------------------------

static bool is_loopback(const uint8_t bytes[16])
{
    return is_v4(bytes) ? bytes[12] == 127
                        : memcmp(bytes, &in6addr_loopback, sizeof(in6addr_loopback)) == 0;
}

static bool is_of(const struct sockaddr *of, const uint8_t bytes[16])
{
    if (of && of->sa_family == AF_INET && is_v4(bytes))
        return memcmp(&((const struct sockaddr_in *)(const void *)of)->sin_addr, bytes + 12, 4) ==
               0;
    return of && of->sa_family == AF_INET6 &&
           memcmp(&((const struct sockaddr_in6 *)(const void *)of)->sin6_addr, bytes, 16) == 0;
}

bool cm_is_here(const struct doca_rdma_addr *addr)
{
    struct ifaddrs *all;
    bool found = is_loopback(addr->bytes);

    if (found || getifaddrs(&all) < 0)
        return found;
    for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next)
        found = is_of(i->ifa_addr, addr->bytes);
    freeifaddrs(all);
    return found;
}
