// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The addresses of ibverbs devices: GIDs of Ethernet ports are addresses of a network interface.

#include "cm_device.h"
#include "rdma/verbs.h"

#include <arpa/inet.h>
#include <string.h>

static const uint8_t v4[12] = {[10] = 0xff, [11] = 0xff};

static bool is_v4(const uint8_t bytes[16])
{
    return memcmp(bytes, v4, sizeof(v4)) == 0;
}

static bool is_link_local(const uint8_t bytes[16])
{
    return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

static bool is_loopback(const uint8_t bytes[16])
{
    return is_v4(bytes) ? bytes[12] == 127
                        : memcmp(bytes, &in6addr_loopback, sizeof(in6addr_loopback)) == 0;
}

static union cm_place make(const uint8_t bytes[16], unsigned interface)
{
    union cm_place place = {0};

    if (is_v4(bytes)) {
        place.v4.sin_family = AF_INET;
        memcpy(&place.v4.sin_addr, bytes + sizeof(v4), 4);
        return place;
    }
    place.v6.sin6_family = AF_INET6;
    memcpy(&place.v6.sin6_addr, bytes, 16);
    if (is_link_local(bytes))
        place.v6.sin6_scope_id = interface;
    return place;
}

union cm_place cm_place_any(void)
{
    return (union cm_place){.v6 = {.sin6_family = AF_INET6}};
}

void cm_place_set_port(union cm_place *place, uint16_t port)
{
    if (place->any.sa_family == AF_INET)
        place->v4.sin_port = htons(port);
    else
        place->v6.sin6_port = htons(port);
}

void cm_place_bytes(const struct sockaddr *place, uint8_t bytes[16])
{
    const union cm_place *p = (const void *)place;

    memset(bytes, 0, 16);
    if (place->sa_family == AF_INET6)
        memcpy(bytes, &p->v6.sin6_addr, 16);
    if (place->sa_family != AF_INET)
        return;
    memcpy(bytes, v4, sizeof(v4));
    memcpy(bytes + sizeof(v4), &p->v4.sin_addr, 4);
}

// ---- a port's ----------------------------------------------------------------------------------

static const union cm_place *find(const struct cm_places *places, const uint8_t bytes[16])
{
    uint8_t its[16];

    for (unsigned i = 0; i < places->n; i++) {
        cm_place_bytes(&places->at[i].any, its);
        if (memcmp(its, bytes, sizeof(its)) == 0)
            return &places->at[i];
    }
    return NULL;
}

// A GID has one entry for each version of RoCE.
static void add(struct cm_places *places, const struct verbs_gid *gid)
{
    if (gid && places->n < CM_PLACES_MAX && !find(places, gid->raw))
        places->at[places->n++] = make(gid->raw, places->interface);
}

doca_error_t cm_places_find(const struct doca_rdma *rdma, struct cm_places *out,
                            struct errtext *err)
{
    const struct verbs_device *device = dev_verbs(rdma->ctx.device);
    const Docad__FunctionVerbs *settings = dev_function(rdma->ctx.device)->verbs;
    struct verbs_port port;

    doca_error_t r = verbs_port_query(device->context, device->port, &port, err);
    if (r != DOCA_SUCCESS)
        return r;
    *out = (struct cm_places){.interface = port.interface};
    if (port.attr.link_layer != IBV_LINK_LAYER_ETHERNET)
        return DOCA_SUCCESS;
    if (rdma->set.gid_choice)
        add(out, verbs_gid_by_index(port.gids, port.n_gids, rdma->set.gid_choice - 1));
    add(out,
        verbs_gid_choose(port.gids, port.n_gids, settings->address.data, settings->address.len));
    for (size_t i = 0; i < port.n_gids; i++)
        add(out, &port.gids[i]);
    if (!out->n)
        return errtext_set(err, DOCA_ERROR_CONNECTION_ABORTED,
                           "%s has no address; give its network interface one",
                           dev_name(rdma->ctx.device));
    return DOCA_SUCCESS;
}

// ---- a call's ----------------------------------------------------------------------------------

// An address of this machine without a device is taken for the port's own. (A port has a GID of its
// own even if its network interface has no such address.)
static bool means_ours(const struct cm_places *places, const uint8_t bytes[16])
{
    if (!places->n)
        return false;
    return find(places, bytes) ? is_link_local(bytes) : is_loopback(bytes);
}

const union cm_place *cm_place_of_call(const struct cm_places *places,
                                       const struct doca_rdma_addr *addr, union cm_place *to)
{
    uint8_t bytes[16], its[16];

    *to = means_ours(places, addr->bytes) ? places->at[0] : make(addr->bytes, places->interface);
    cm_place_bytes(&to->any, bytes);
    cm_place_set_port(to, addr->port);
    for (unsigned i = 0; i < places->n; i++) {
        cm_place_bytes(&places->at[i].any, its);
        if (is_v4(its) == is_v4(bytes) && is_link_local(its) == is_link_local(bytes))
            return &places->at[i];
    }
    return NULL;
}
