// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The Comm Channel: services by name on the functions of representors, and the channels between a
// service and its clients.
//
// docad connects the two processes: it makes a channel's sockets and page, passes one end to each,
// and keeps only a record. Their messages do not pass through docad, except over a link that
// carries no descriptors (see channel_relay.h).

#ifndef DAEMON_CHANNEL_H
#define DAEMON_CHANNEL_H

#include "channel_page.h"
#include "fd_reaper.h"
#include "function.h"
#include "idmap.h"
#include "in_flight.h"
#include "list.h"
#include "message.h"
#include "object.h"
#include "session.h"

#include <sys/types.h>

#define CHANNEL_FDS 3 // descriptors of one side: messages, wake-ups, page

struct channel_relay;
struct limits;
struct node;
struct object_kind;
struct peer;
struct peer_request;

struct channel_sizes {
    uint32_t max_message, send_queue, recv_queue;
};

// What a client requests.
struct channel_options {
    struct channel_sizes sizes;
    bool takes_packets, takes_ring;
    bool keyed; // the service's library waits for it by this key, and takes it as it is
    uint8_t key[CHANNEL_KEY_SIZE];
};

struct channel_service {
    struct object object;
    struct tree_node by_place;
    uint8_t node_id[NODE_ID_SIZE]; // node of the function that it serves
    char vuid[sizeof(((struct function *)0)->vuid)];
    char pci[PCI_ADDRESS_TEXT_SIZE];
    char representor[FUNCTION_NAME_SIZE + 16];
    char name[CHANNEL_NAME_SIZE];
    struct channel_sizes sizes;
    bool takes_packets, takes_ring;
    int accept_fd; // docad's end of the accept socket
    bool stopped;  // its session has ended: it is not found any more
    struct in_flight in_flight;
    struct list channels;
    unsigned n_channels;
    uint32_t max_clients; // the limit that the service itself set; 0: none
};

// One side's part of a channel. Each part ends with the other.
struct channel {
    struct object object;
    struct idmap_node named; // while it is shared with a linked node: peer_named.h
    enum channel_side_index side;
    struct list in_service;
    struct channel_service *service; // the service, in the service's part
    struct channel *other;           // the other part, if it is on this node
    struct peer *peer;               // or the node of the other part: channel_share()
    struct idmap_node shared;        // in peer->channels, by the id between the two nodes: the id
                                     // of the service's part
    char name[CHANNEL_NAME_SIZE];
    char peer_node[64];
    pid_t peer_pid;
    struct user *client; // in the service's part, who has connected; of this node or the linked one

    struct channel_relay *relay; // relays messages over a link without descriptors,
    void (*release_relay)(struct channel_relay *relay); // called before the record ends

    struct peer_request *request;   // the request to a linked node
    uint64_t asked_peer;            // id of that node
    uint64_t serial;                // serial of the client's request
    struct channel_options options; // the client's, while requests to other nodes are pending
    const struct function *function;
    char on[FUNCTION_NAME_SIZE + 16]; // the client's function, or the service's representor
    bool asks_again;                  // a client, until there is a service: channel_wait()
    uint64_t since_ms;                // when it began to wait
};

// Frees the service and its channels. Takes NULL, returns NULL.
struct channel_service *channel_service_free(struct channel_service *service);

// Ends one of its channels; when none is left, frees it.
void channel_service_end_one(struct channel_service *service);

// Ends both parts, and notifies a linked node. Takes NULL, returns NULL.
struct channel *channel_free(struct channel *channel);

// Writes the names of some services for the function, in quotes; nothing if it has none. As many as
// fit.
void channel_services_name(const struct node *node, const uint8_t node_id[NODE_ID_SIZE],
                           const char *vuid, char *text, size_t size);

// Finds the service with this name for the function; NULL if there is none.
struct channel_service *channel_service_find(const struct node *node,
                                             const uint8_t node_id[NODE_ID_SIZE], const char *vuid,
                                             const char *name);

// Checks the name of a service: 1 to CHANNEL_NAME_SIZE - 1 bytes.
doca_error_t channel_check_name(const char *name, struct errtext *err);
doca_error_t channel_check_sizes(const struct channel_sizes *sizes, struct errtext *err);
// Fills in and checks all of the options but its sizes.
doca_error_t channel_check_options(struct channel_options *options, bool takes_packets,
                                   const ProtobufCBinaryData *key, struct errtext *err);

// Makes only a record: the service's part, or (NULL) a client's.
doca_error_t channel_new(struct channel **out, struct session *session,
                         struct channel_service *service, const char *name, struct errtext *err);

// The two ends of a channel, by enum channel_side_index; -1 where there is none.
struct channel_ends {
    int fds[2][CHANNEL_FDS];
    uid_t uid; // whose process has got some of them, or will
};

#define CHANNEL_ENDS_NONE                                                                          \
    {                                                                                              \
        .fds = {{-1, -1, -1}, {-1, -1, -1}}, .uid = FD_REAPER_NO_UID,                              \
    }

// 0 or -errno.
int channel_ends_make(struct channel_ends *ends, const struct channel_sizes *client,
                      const struct channel_sizes *service, bool ring);
void channel_ends_close(struct channel_ends *ends);
// The error for that: there may be room later, when others have given something back.
doca_error_t channel_not_made(const struct channel_options *options, int error,
                              struct errtext *err);

// The text for a client when there is no room now. Only Comch takes packets, and retries; the Comm
// Channel's functions, those of older libraries too, do not handle such an answer.
static inline doca_error_t channel_no_room(const struct channel_options *options)
{
    return options->takes_packets ? DOCA_ERROR_AGAIN : DOCA_ERROR_NO_MEMORY;
}

// The sizes on the service's side.
static inline const struct channel_sizes *channel_sizes_there(const struct channel_service *service,
                                                              const struct channel_options *options)
{
    return options->keyed ? &options->sizes : &service->sizes;
}

// Makes a channel, and passes the service its end. *out is the service's part, and `fds` are the
// client's end, which the caller owns. `user` is the client's, on this node or on `peer`.
doca_error_t channel_introduce(struct channel **out, struct channel_service *service,
                               struct user *user, const struct peer *peer,
                               const struct channel_options *options, int fds[CHANNEL_FDS],
                               struct errtext *err);

// Handlers of the client's requests.
doca_error_t on_channel_listen(struct request *request);
doca_error_t on_channel_connect(struct request *request);
doca_error_t on_channel_close(struct request *request);

// ---- channel_wait.c ----------------------------------------------------------------------

// Says whether it is a client's that is not connected: it asks another node, or asks again.
bool channel_is_waiting(const struct channel *channel);
uint64_t channel_waiting_ms(const struct channel *channel);

// Finds the channel that the client was told to wait with; NULL if there is none.
struct channel *channel_wait_find(struct session *session, uint64_t id);

// Notes what the client says of its wait.
void channel_wait_begin(struct channel *channel, const Docad__ChannelConnect *message);

// Answers a client that asks again, whose channel stays. False: it does not, or this refusal is
// final.
bool channel_wait(struct channel *channel, doca_error_t code, const char *text);

// ---- linked nodes -----------------------------------------------------------------------

void channel_peer_connect(struct peer *peer, const Docad__Message *message);
void channel_peer_ended(struct peer *peer, const Docad__Message *message);

// The other part of the channel is on that node. DOCA_ERROR_DRIVER if the node shares another
// channel by this id.
doca_error_t channel_share(struct channel *channel, struct peer *peer, uint64_t shared_id,
                           struct errtext *err);

// Ends that without notifying the node. Does nothing for a channel that is not shared.
void channel_unshare(struct channel *channel);

// Notifies the peer that no session waits for this channel any more.
void channel_release_remote(struct peer *peer, uint64_t shared_id);

// ---- kind.h -----------------------------------------------------------------------------

extern const struct object_kind service_kind, channel_kind;

// Each of these stores its record.
doca_error_t channel_service_keep(struct channel_service *service, struct errtext *err);
doca_error_t channel_keep(struct channel *channel, struct errtext *err);

// Returns NULL if memory is short. Where it listens is set before it is entered.
struct channel_service *channel_service_make(struct session *session);
struct channel *channel_make(struct session *session, enum channel_side_index side,
                             const char *name);

doca_error_t channel_service_enter(struct channel_service *service, uint64_t id,
                                   const struct limits *limits, struct errtext *err);

// The same for a channel, which is also added to the service (may be NULL).
doca_error_t channel_enter(struct channel *channel, uint64_t id, struct channel_service *service,
                           const struct limits *limits, struct errtext *err);

#endif
