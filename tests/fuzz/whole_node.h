// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A whole node in this process, with clients and linked nodes at the other ends of its
// connections: they are the steps of an input. They send messages of any contents, with any
// descriptors, write into the memory and sockets that they get, and leave. When all have left,
// nothing of them may remain: no object, no charge, no descriptor.

#ifndef FUZZ_WHOLE_NODE_H
#define FUZZ_WHOLE_NODE_H

#include "input.h"

struct whole_node_play {
    const char *role;
    // Numbers of the messages that clients and linked nodes send, each as often as it is here.
    const uint8_t *client_bodies, *peer_bodies;
    size_t n_client_bodies, n_peer_bodies;
    bool peers;      // there are linked nodes,
    bool bytes_only; // and their links carry no descriptors
    bool keeps;      // docad keeps its objects for the next one
};

// What the target plays. The functions that libFuzzer calls are in whole_node.c.
extern const struct whole_node_play whole_node_play;

#endif
