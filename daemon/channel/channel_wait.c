// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Clients that ask again until there is a service: the channel that one of them asks for stays, as
// an object of its session, so that tools can list it. It becomes the connection.

#include "channel.h"

#include "clock.h"
#include "node.h"
#include "session.h"

bool channel_is_waiting(const struct channel *channel)
{
    return channel->side == CHANNEL_CLIENT && !channel->other && !channel->peer;
}

uint64_t channel_waiting_ms(const struct channel *channel)
{
    return clock_ms() - channel->since_ms;
}

struct channel *channel_wait_find(struct session *session, uint64_t id)
{
    struct channel *channel = id ? OBJECT_OF_SESSION(session, CHANNEL, id, struct channel) : NULL;

    return channel && channel_is_waiting(channel) && !channel->request ? channel : NULL;
}

// The client may have waited for another docad before, which has been restarted.
void channel_wait_begin(struct channel *channel, const Docad__ChannelConnect *m)
{
    uint64_t now = clock_ms();

    channel->asks_again = m->asks_again;
    channel->since_ms = m->waited_ms < now ? now - m->waited_ms : 0;
}

// What may pass: there is no service, or no room now.
static bool may_wait(const struct channel *channel, doca_error_t code)
{
    return channel->asks_again && channel_is_waiting(channel) &&
           (code == DOCA_ERROR_CONNECTION_ABORTED || code == DOCA_ERROR_AGAIN);
}

bool channel_wait(struct channel *channel, doca_error_t code, const char *text)
{
    Docad__ChannelConnectReply reply = DOCAD__CHANNEL_CONNECT_REPLY__INIT;
    Docad__Error waits = DOCAD__ERROR__INIT;

    if (!may_wait(channel, code))
        return false;
    waits.code = code;
    waits.text = (char *)text;
    reply.channel_id = channel->object.id;
    reply.waits = &waits;
    session_reply(channel->object.session, channel->serial,
                  message_of(CHANNEL_CONNECT_REPLY, channel_connect_reply, &reply), NULL, 0);
    return true;
}
