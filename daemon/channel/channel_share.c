// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The channels that this node shares with a linked one.

#include "channel.h"

#include "peer.h"

doca_error_t channel_share(struct channel *channel, struct peer *peer, uint64_t shared_id,
                           struct errtext *err)
{
    if (idmap_find(&peer->channels, shared_id))
        return errtext_set(err, DOCA_ERROR_DRIVER, "node %s uses one id for two channels",
                           peer->name);
    channel->peer = peer;
    idmap_add(&peer->channels, &channel->shared, shared_id);
    peer_named_add(peer, NAMED_CHANNELS, &channel->named);
    return DOCA_SUCCESS;
}

void channel_unshare(struct channel *channel)
{
    if (!channel->peer)
        return;
    idmap_remove(&channel->peer->channels, &channel->shared);
    peer_named_remove(channel->peer, NAMED_CHANNELS, &channel->named);
    channel->peer = NULL;
}

void channel_release_remote(struct peer *peer, uint64_t shared_id)
{
    Docad__PeerChannelEnded ended = DOCAD__PEER_CHANNEL_ENDED__INIT;
    ended.channel_id = shared_id;
    peer_send(peer, message_of(PEER_CHANNEL_ENDED, peer_channel_ended, &ended));
}
