// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "verbs_gid.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static bool is_ipv4(const struct verbs_gid *gid)
{
    return memcmp(gid->raw, mapped, sizeof(mapped)) == 0;
}

static bool is_link_local(const struct verbs_gid *gid)
{
    return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

const char *verbs_gid_format(const struct verbs_gid *gid, char text[VERBS_GID_TEXT_SIZE])
{
    static const char *const types[] = {"InfiniBand", "RoCE v1", "RoCE v2"};
    bool v4 = is_ipv4(gid);
    char address[INET6_ADDRSTRLEN] = "";

    inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? gid->raw + sizeof(mapped) : gid->raw, address,
              sizeof(address));
    snprintf(text, VERBS_GID_TEXT_SIZE, "GID %u (%s, %s)", gid->index, address,
             gid->type <= VERBS_GID_ROCE_V2 ? types[gid->type] : "of an unknown type");
    return text;
}

static bool has_address(const struct verbs_gid *gid, const uint8_t *address, size_t size)
{
    if (size == 0)
        return true;
    if (size == 4)
        return is_ipv4(gid) && memcmp(gid->raw + sizeof(mapped), address, size) == 0;
    return size == VERBS_GID_SIZE && memcmp(gid->raw, address, size) == 0;
}

static unsigned worth(const struct verbs_gid *gid)
{
    return gid->type * 4 + (is_ipv4(gid) ? 2 : is_link_local(gid) ? 0 : 1);
}

const struct verbs_gid *verbs_gid_choose(const struct verbs_gid *gids, size_t n,
                                         const uint8_t *address, size_t size)
{
    const struct verbs_gid *best = NULL;

    for (size_t i = 0; i < n; i++)
        if (has_address(&gids[i], address, size) && (!best || worth(&gids[i]) > worth(best)))
            best = &gids[i];
    return best;
}

const struct verbs_gid *verbs_gid_by_index(const struct verbs_gid *gids, size_t n, uint32_t index)
{
    for (size_t i = 0; i < n; i++)
        if (gids[i].index == index)
            return &gids[i];
    return NULL;
}
