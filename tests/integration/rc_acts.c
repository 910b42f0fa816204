// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rc_acts.h"

// ---- messages and accesses ------------------------------------------------------------------

void far_sends(struct far_pair *pair, size_t size)
{
    static uint8_t bytes[FAR_HEADER];
    far_send(pair, bytes, size, 1);
}

void empty_message(struct far_pair *pair)
{
    far_sends(pair, 0);
}

static void long_message(struct far_pair *pair)
{
    far_sends(pair, 65);
}

static void very_long_message(struct far_pair *pair)
{
    far_sends(pair, FAR_HEADER);
}

// The daemon never looks at bytes that such a write has no room for: the length is the write's.
static void write_with_immediate(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE_WITH_IMM, pair->data_there, pair->key_there, 1 << 20);
}

static void short_write_with_immediate(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE_WITH_IMM, pair->data_there, pair->key_there,
               sizeof(struct qp_request));
}

static void immediate_only(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE_WITH_IMM, 0, 0, 0);
}

static void write_beyond_the_data(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE, pair->data_there + FAR_DATA_SIZE - 4, pair->key_there, 8);
}

static void write_elsewhere(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE, pair->data_there - 4096, pair->key_there, 8);
}

static void write_with_a_wrong_key(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE, pair->data_there, pair->key_there ^ 0x55, 8);
}

const struct act wrong_acts[WRONG_ACTS] = {
    {"a message too long", long_message},
    {"a message much too long", very_long_message},
    {"a write with immediate", write_with_immediate},
    {"a short write with immediate", short_write_with_immediate},
    {"an immediate only", immediate_only},
    {"a write beyond the data", write_beyond_the_data},
    {"a write elsewhere", write_elsewhere},
    {"a write with a wrong key", write_with_a_wrong_key},
};

// ---- addresses ------------------------------------------------------------------------------

static void no_number(Docad__RcAddress *rc)
{
    rc->qpn = 0;
}

static void no_mtu(Docad__RcAddress *rc)
{
    rc->mtu = 0;
}

static void huge_mtu(Docad__RcAddress *rc)
{
    rc->mtu = 0x105;
}

static void short_gid(Docad__RcAddress *rc)
{
    rc->gid.len--;
}

static void other_link_layer(Docad__RcAddress *rc)
{
    rc->ethernet = !rc->ethernet;
}

const rc_change_fn wrong_addresses[WRONG_ADDRESSES] = {no_number, no_mtu, huge_mtu, short_gid,
                                                       other_link_layer};

void out_of_reach(Docad__RcAddress *rc)
{
    static uint8_t gid[VERBS_GID_SIZE] = {[10] = 0xff, 0xff, 10, 99, 99, 99};
    rc->gid.data = gid;
}
