// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Plays the daemon of another machine: it links to docad by TLS and connects queue pairs to
// docad's as another daemon would (see daemon/fabric/rc_queue.h). The test decides what it sends
// over them.

#ifndef INTEGRATION_FAR_NODE_H
#define INTEGRATION_FAR_NODE_H

#include "protocol.h"
#include "queue_pair.h"
#include "tls_client.h"
#include "verbs_rc.h"

#define FAR_HEADER    4096u // the most that a test sends as a header
#define FAR_DATA_SIZE (QP_CHUNKS * QP_CHUNK_SIZE)

struct far_node {
    struct tls_client link;
    struct verbs_device device;
    struct verbs_gid gid;
    struct far_memory *memory; // the memory of all its queue pairs
    struct ibv_mr *registered;
};

// One of its queue pairs.
struct far_pair {
    struct far_node *node;
    struct verbs_rc rc;
    uint64_t id;         // docad's, or the one that docad was told
    uint64_t data_there; // docad's data area
    uint32_t key_there;
};

// Links as the DPU node of this name and id, with that name's certificate of the directory, over
// this device, which has the address.
void far_start(struct far_node *node, const char *name, const uint8_t id[NODE_ID_SIZE],
               const char *device, const char *host, uint16_t port, const char *certificates);
void far_stop(struct far_node *node);
// Lets go of the device, once its queue pairs have ended.
void far_let_go(struct far_node *node);

// ---- the link ------------------------------------------------------------------------------

void far_say(struct far_node *node, uint64_t serial, Docad__Message__BodyCase body,
             const void *payload);
// Stores the next message of this kind in `answer` and drops others.
void far_hear(struct far_node *node, Docad__Message__BodyCase body);
// Sends a request and returns its code; the reply is in `answer`.
doca_error_t far_call(struct far_node *node, Docad__Message__BodyCase body, const void *payload);

// ---- queue pairs ---------------------------------------------------------------------------

void far_pair_make(struct far_pair *pair, struct far_node *node);
void far_pair_end(struct far_pair *pair);
// Makes the description for docad, which points into the pair.
void far_pair_describe(struct far_pair *pair, Docad__RcAddress *out);
void far_pair_connect(struct far_pair *pair, const Docad__RcAddress *there);

uint8_t *far_data(struct far_pair *pair); // its data area

// Sends a header `times` times.
void far_send(struct far_pair *pair, const void *header, size_t size, unsigned times);
// Reads or writes docad's memory, from `there` on; with or without immediate data.
void far_access(struct far_pair *pair, enum ibv_wr_opcode opcode, uint64_t there, uint32_t key,
                uint32_t length);

// Waits until what was sent, read or written last is over.
enum ibv_wc_status far_status(struct far_pair *pair);

// Waits for a header of this size.
void far_receive(struct far_pair *pair, void *header, size_t size);

#endif
