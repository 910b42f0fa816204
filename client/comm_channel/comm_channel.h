// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// An endpoint of the Comm Channel, and the addresses of its peers.
//
// docad passes on a channel as a socket for the messages, a socket for wake-ups, and a page in
// which each side counts what it has sent and the messages that it has received; from then on the
// two processes communicate without docad. A message is one packet, or one record in a ring behind
// the page if the receiver polls (see cc_ring.h). The number of messages in flight is limited by
// the sender's send queue plus the receiver's receive queue; the kernel may have room for fewer
// large ones.

#ifndef CLIENT_COMM_CHANNEL_H
#define CLIENT_COMM_CHANNEL_H

#include "cc_ring.h"
#include "channel_page.h"
#include "clock.h"
#include "core/alive.h"
#include "core/device.h"
#include "core/idle.h"
#include "core/severed.h"
#include "list.h"

// Nothing here depends on the generation of the interface: DOCA 3 talks over this as well.

enum cc_role {
    CC_NONE,
    CC_SERVICE,
    CC_CLIENT,
};

struct cc_counters {
    uint64_t send_messages, send_bytes, recv_messages, recv_bytes, in_flight;
};

struct doca_comm_channel_addr_t {
    struct list link; // ep->peers, or ep->pending until the service takes it
    struct doca_comm_channel_ep_t *ep;
    uint64_t id; // docad's number
    uint64_t user_data;

    int sock, wake;  // -1 once the peer has ended
    bool bytes_only; // the kernel keeps descriptors out of both
    bool relayed;    // by docad: the peer is on another machine
    bool keyed;      // of a client that gave a key: not one of the program's
    uint8_t key[CHANNEL_KEY_SIZE];
    struct channel_page *page;
    size_t mapped; // bytes, with the rings
    struct severed severed;
    struct channel_side *mine, *theirs;
    // Packets, see channel_page.h.
    _Atomic uint64_t *put_count; // ours: we write it
    const _Atomic uint64_t *came_count;
    uint64_t put, came, got; // sent; that they had sent when it was last read; received
    uint64_t asked_ms;       // when the kernel was last asked although nothing seems to have come
    uint32_t peer_max_message;
    uint64_t window; // messages that may be in flight
    uint64_t seen;   // messages that the peer had taken at the last check
    struct cc_ring ring;

    bool open;      // the service has taken the connection
    bool gone;      // the other side has ended
    bool lost;      // without disconnecting, and not reported yet
    bool blocked;   // the last message did not fit
    uint64_t taken; // when the peer had taken this many
    struct cc_counters now, snapshot;
};

// Nothing counts packets of this length.
#define CC_PACKET_SIZE CHANNEL_PACKET_SIZE

#define CC_QUEUE_DEFAULT 64 // messages, of either queue

_Static_assert(CC_PACKET_SIZE > CHANNEL_MESSAGE_MAX, "no message has this length");

// Checking a channel that has nothing, or no room, is a system call of 100 to 300 ns; reading a
// count takes some 10.
#define CC_CALL_NS 150
#define CC_POLL_NS 10

struct doca_comm_channel_ep_t {
    struct alive alive;
    struct doca_dev *dev;
    struct doca_dev_rep *rep;
    uint16_t max_message, send_queue, recv_queue;
    bool takes_packets; // cc_take() returns them; set before the endpoint is connected
    bool waits;         // sending and receiving wait: the 1.3 interface
    bool asks_again;    // a client, until there is a service
    uint64_t waiting;   // its wait, as docad knows it; 0: none
    uint64_t since_ms;  // when it asked first
    bool keyed;         // a client, which shows the service this key
    uint8_t key[CHANNEL_KEY_SIZE];

    enum cc_role role;
    struct session *session;
    uint64_t service_id;
    int accept_sock; // new connections; -1 once docad has ended
    struct list peers, pending;
    struct doca_comm_channel_addr_t *current; // the last one that had a message
    struct doca_comm_channel_addr_t *apart;   // the one that is not in recv_epoll
    unsigned streak;
    struct cc_polled polled;
    struct idle sending, receiving, connecting;
    bool watched; // the program waits for recv_epoll: every peer is in it

    // Level-triggered: readable while there is something to receive; after arming, while there may
    // be room. Edge-triggered: the events of a service's clients.
    int recv_epoll, send_epoll, service_epoll;
    int recv_now, send_now; // eventfds in the first two
    struct severed severed; // of these five, and of accept_sock

    struct doca_comm_channel_addr_t **list; // of the last snapshot
    uint32_t n_list, n_pending;
};

doca_error_t cc_endpoint_new(struct doca_comm_channel_ep_t **ep, struct errtext *err);
// Ends its channels. Takes NULL, returns NULL.
struct doca_comm_channel_ep_t *cc_endpoint_free(struct doca_comm_channel_ep_t *ep);

// ---- addresses ----------------------------------------------------------------------

// docad's description of a channel that it passes on.
struct cc_introduction {
    uint64_t id;
    uint32_t max_message, recv_queue; // of the other side
    bool relayed;
    ProtobufCBinaryData key; // empty: none
};

// Takes the three descriptors from the list and adds the address to `list`.
doca_error_t cc_address_new(struct doca_comm_channel_addr_t **out,
                            struct doca_comm_channel_ep_t *ep, struct list *list,
                            const struct cc_introduction *introduction, struct fd_list *fds,
                            struct errtext *err);
// Closes the channel, and notifies the other side. Takes NULL, returns NULL.
struct doca_comm_channel_addr_t *cc_address_free(struct doca_comm_channel_addr_t *address);

// Moves a channel that waits for its service to an endpoint of its own, which another thread may
// use. `to` is a new endpoint. Returns false if the kernel has no memory.
bool cc_address_move(struct doca_comm_channel_addr_t *address, struct doca_comm_channel_ep_t *to);

// Called when the other side has ended: closes the sockets to it, and stores whether it had
// disconnected.
void cc_address_gone(struct doca_comm_channel_addr_t *address);

// Returns whether the other side has closed its end, or has died: a system call.
bool cc_address_hung_up(const struct doca_comm_channel_addr_t *address);

// Breaks the channel for both sides, as if each other's peer had died: the other side still gets
// what was sent before. For injected faults. Returns false if it has ended.
bool cc_address_break(struct doca_comm_channel_addr_t *address);

// Sends nothing more: the other side's messages, which cannot send more either, still come, and
// then its end. Returns false if no docad between the two makes that so.
bool cc_address_done(struct doca_comm_channel_addr_t *address);

// Returns whether the service has taken the connection.
bool cc_address_open(struct doca_comm_channel_addr_t *address);

// Tells docad that a service or a channel has ended, or a client's wait for one.
void cc_notify_closed(struct session *session, uint64_t id);

// Ends the channel to the peer, and notifies docad.
void cc_address_disconnect(struct doca_comm_channel_addr_t *address);

// Requests the service of this name. CONNECTION_ABORTED: there is none, or it does not accept
// clients. AGAIN, for endpoints that take packets, else NO_MEMORY: it has the maximum of clients,
// or docad has no room now.
doca_error_t cc_connect(struct doca_comm_channel_ep_t *ep, const char *name,
                        struct doca_comm_channel_addr_t **out, struct errtext *err);

// Returns whether the peer's counter shows that nothing has come since the last packet: cc_take()
// would find nothing. Costs no system call. Never true for an endpoint that waits for its
// descriptors.
bool cc_reports_nothing(struct doca_comm_channel_addr_t *address);

// The counter of a peer that was killed stops, and may be wrong: so the kernel is asked
// nevertheless, once in each tick of its clock. Returns true the first time in a tick.
static inline bool cc_tick(uint64_t *at_ms)
{
    uint64_t now = clock_coarse_ms();
    bool first = now != *at_ms;
    *at_ms = now;
    return first;
}

static inline bool cc_is_quiet(struct doca_comm_channel_addr_t *address)
{
    return cc_reports_nothing(address) && !cc_tick(&address->asked_ms);
}

// Receives a message of this peer: AGAIN if there is none, CONNECTION_RESET if it has ended,
// INVALID_VALUE if it is longer than *len.
doca_error_t cc_take(struct doca_comm_channel_addr_t *address, void *msg, size_t *len);

// Sends a message of a valid length to a peer whose channel is open: AGAIN if there is no room.
// *why is set for every other failure.
doca_error_t cc_put(struct doca_comm_channel_addr_t *address, const void *msg, size_t len,
                    const char **why);

// The same, but without asking the kernel whether the peer is alive when its queue is full. For
// callers that receive the peer's messages on the same thread, which detects that.
doca_error_t cc_put_receiving(struct doca_comm_channel_addr_t *address, const void *msg, size_t len,
                              const char **why);

// Sends a packet. Returns false: there is no room now, or the peer has ended.
bool cc_put_packet(struct doca_comm_channel_addr_t *address, const uint8_t packet[CC_PACKET_SIZE]);

// For a client whose service has accepted the connection.
bool cc_peer_takes_packets(const struct doca_comm_channel_addr_t *address);

// ---- services ---------------------------------------------------------------------------

doca_error_t cc_listen(struct doca_comm_channel_ep_t *ep, const char *name, struct errtext *err);

// Accepts the next connection from docad and adds it to ep->pending. NOT_FOUND if there is none,
// CONNECTION_RESET if docad has ended.
doca_error_t cc_service_next(struct doca_comm_channel_ep_t *ep, struct errtext *err);

// Accepts a pending connection.
void cc_service_accept(struct doca_comm_channel_addr_t *address);

// ---- descriptors ----------------------------------------------------------------------------

doca_error_t cc_events_open(struct doca_comm_channel_ep_t *ep, struct errtext *err);
void cc_events_close(struct doca_comm_channel_ep_t *ep);
int cc_events_add(struct doca_comm_channel_addr_t *address);
void cc_events_remove(const struct doca_comm_channel_addr_t *address);
int cc_events_add_service(struct doca_comm_channel_ep_t *ep);

// A socket in an epoll set makes each message more expensive for its sender, even if no thread
// waits for the set. So while only a service that polls its clients uses the set, the peer that it
// polls first anyway is not in it: apart() removes this peer, and join() puts all of them in again.
// A client needs no set before watch().
void cc_events_apart(struct doca_comm_channel_addr_t *address);
bool cc_events_join(struct doca_comm_channel_ep_t *ep);

// Messages of one peer while others may wait. A receiver that polls ep->current first counts them
// in ep->streak.
#define CC_STREAK_MAX 64u

// Called when a poll of the set has found this peer, and it had a message: makes it the current
// one, and removes it from the set if it alone sends much.
void cc_note_turn(struct doca_comm_channel_addr_t *address);

// The program is going to wait for recv_epoll. Returns false: the kernel has no memory for it.
bool cc_events_watch(struct doca_comm_channel_ep_t *ep);

// Undoes the wake-ups so far.
void cc_events_quiet(struct doca_comm_channel_ep_t *ep);

// Requests a wake-up from every peer that had no room: send_epoll becomes readable. Returns true if
// there may be room now. *blocked is set if any had none.
bool cc_events_want_room(struct doca_comm_channel_ep_t *ep, bool *blocked);

void cc_event_set(int eventfd);
void cc_event_reset(int eventfd);

// Wakes the other side, if it can be woken.
void cc_wake(const struct doca_comm_channel_addr_t *address);

#endif
