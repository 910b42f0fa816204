// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "peer_named.h"

#include "peer.h"

#include <assert.h>

void peer_named_add(struct peer *peer, enum named kind, struct idmap_node *object)
{
    idmap_add(&peer->named.kinds[kind], object, ++peer->named.last);
}

void peer_named_remove(struct peer *peer, enum named kind, struct idmap_node *object)
{
    idmap_remove(&peer->named.kinds[kind], object);
}

void peer_named_mark(struct peer *peer)
{
    peer->named.marked = peer->named.last;
}

void peer_named_again(struct peer *peer, enum named kind, struct idmap_node *object)
{
    peer_named_remove(peer, kind, object);
    peer_named_add(peer, kind, object);
}

bool peer_named_is_missing(const struct peer *peer, const struct idmap_node *object)
{
    return object->id <= peer->named.marked;
}

struct idmap_node *peer_named_missing(const struct peer *peer, enum named kind)
{
    struct idmap_node *first = idmap_first(&peer->named.kinds[kind]);
    return first && peer_named_is_missing(peer, first) ? first : NULL;
}

void peer_named_adopt(struct peer *to, struct peer *from)
{
    for (size_t i = 0; i < NAMED_KINDS; i++)
        assert(to->named.kinds[i].count == 0);
    to->named = from->named;
    from->named = (struct peer_named){0};
}
