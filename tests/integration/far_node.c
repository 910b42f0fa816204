// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "far_node.h"

#include "cleanup.h"
#include "deadline.h"

#include <stdlib.h>
#include <string.h>

#define SENDS 256u
#define RECVS 64u

struct far_memory {
    uint8_t data[FAR_DATA_SIZE];
    uint8_t out[FAR_HEADER];
    uint8_t in[RECVS][64];
};

#define ID_SEND UINT64_MAX

// ---- the link ------------------------------------------------------------------------------

void far_say(struct far_node *node, uint64_t serial, Docad__Message__BodyCase body,
             const void *payload)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    message.serial = serial;
    message.body_case = body;
    message.ok = (Docad__Empty *)payload; // all members of the union are pointers
    tls_client_send(&node->link, &message);
}

static void hear_any(struct far_node *node)
{
    answer_drop();
    answer = tls_client_receive(&node->link);
    ck_assert_msg(answer != NULL, "docad has closed the link, or says nothing");
}

void far_hear(struct far_node *node, Docad__Message__BodyCase body)
{
    do
        hear_any(node);
    while (answer->body_case != body);
}

doca_error_t far_call(struct far_node *node, Docad__Message__BodyCase body, const void *payload)
{
    static uint64_t serial = 1;
    far_say(node, ++serial, body, payload);
    do
        hear_any(node);
    while (answer->serial != serial);
    return answer->body_case == DOCAD__MESSAGE__BODY_ERROR ? (doca_error_t)answer->error->code
                                                           : DOCA_SUCCESS;
}

static void send_hello(struct far_node *node, const char *name, const uint8_t id[NODE_ID_SIZE])
{
    Docad__PeerHello hello = fake_hello_fields();
    hello.node.data = (uint8_t *)id;
    hello.name = (char *)name;
    hello.role = (char *)"dpu";
    far_say(node, 1, DOCAD__MESSAGE__BODY_PEER_HELLO, &hello);
    far_hear(node, DOCAD__MESSAGE__BODY_PEER_HELLO_REPLY);
}

static void open_device(struct far_node *node, const char *name)
{
    struct verbs_port port;
    struct errtext err = {""};
    doca_error_t r = verbs_device_open(&node->device, name, 1, &err);
    if (r == DOCA_SUCCESS)
        r = verbs_port_query(node->device.context, 1, &port, &err);
    ck_assert_msg(r == DOCA_SUCCESS, "%s", err.s);
    const struct verbs_gid *gid = verbs_gid_choose(port.gids, port.n_gids, NULL, 0);
    ck_assert_ptr_nonnull(gid);
    node->gid = *gid;
    node->memory = calloc(1, sizeof(*node->memory));
    ck_assert_ptr_nonnull(node->memory);
    r = verbs_register(&node->device, node->memory, sizeof(*node->memory),
                       DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_WRITE, &node->registered,
                       &err);
    ck_assert_msg(r == DOCA_SUCCESS, "%s", err.s);
}

void far_start(struct far_node *node, const char *name, const uint8_t id[NODE_ID_SIZE],
               const char *device, const char *host, uint16_t port, const char *certificates)
{
    char crt[256], key[256];
    *node = (struct far_node){0};
    snprintf(crt, sizeof(crt), "%s/%s.crt", certificates, name);
    snprintf(key, sizeof(key), "%s/%s.key", certificates, name);
    open_device(node, device);
    ck_assert(tls_client_start(&node->link, host, port, crt, key));
    send_hello(node, name, id);
}

void far_let_go(struct far_node *node)
{
    if (node->registered)
        ibv_dereg_mr(node->registered);
    node->registered = NULL;
    verbs_device_close(&node->device);
}

void far_stop(struct far_node *node)
{
    tls_client_stop(&node->link);
    far_let_go(node);
    free(node->memory);
}

// ---- queue pairs ---------------------------------------------------------------------------

static void post_recv(struct far_pair *pair, uint64_t index)
{
    struct far_node *node = pair->node;
    struct ibv_sge sge = {.addr = (uintptr_t)node->memory->in[index],
                          .length = sizeof(node->memory->in[index]),
                          .lkey = node->registered->lkey};
    struct ibv_recv_wr wr = {.wr_id = index, .sg_list = &sge, .num_sge = 1}, *bad;
    ck_assert_int_eq(ibv_post_recv(pair->rc.qp, &wr, &bad), 0);
}

void far_pair_make(struct far_pair *pair, struct far_node *node)
{
    struct verbs_rc_plan plan = {.device = &node->device,
                                 .sends = SENDS,
                                 .recvs = RECVS,
                                 .send_list = 1,
                                 .recv_list = 1,
                                 .access = DOCA_ACCESS_RDMA_WRITE,
                                 .mtu = IBV_MTU_1024,
                                 .gid = &node->gid,
                                 .timeout = 14,
                                 .retries = 6,
                                 .rnr_retries = 7,
                                 .rnr_timer = 12};
    struct errtext err = {""};
    *pair = (struct far_pair){.node = node};
    ck_assert_msg(verbs_rc_make(&pair->rc, &plan, &err) == DOCA_SUCCESS, "%s", err.s);
    for (uint64_t i = 0; i < RECVS; i++)
        post_recv(pair, i);
}

void far_pair_end(struct far_pair *pair)
{
    verbs_rc_destroy(&pair->rc);
}

void far_pair_describe(struct far_pair *pair, Docad__RcAddress *out)
{
    const struct verbs_address *own = &pair->rc.own;
    docad__rc_address__init(out);
    out->qpn = own->qpn;
    out->psn = own->psn;
    out->lid = own->lid;
    out->mtu = own->mtu;
    out->ethernet = own->ethernet;
    out->gid = (ProtobufCBinaryData){VERBS_GID_SIZE, pair->rc.own.gid};
    out->data_address = (uintptr_t)pair->node->memory->data;
    out->data_key = pair->node->registered->rkey;
}

void far_pair_connect(struct far_pair *pair, const Docad__RcAddress *there)
{
    struct verbs_address address = {.qpn = there->qpn,
                                    .psn = there->psn,
                                    .lid = (uint16_t)there->lid,
                                    .mtu = (uint8_t)there->mtu,
                                    .ethernet = there->ethernet};
    struct errtext err = {""};
    ck_assert_uint_eq(there->gid.len, VERBS_GID_SIZE);
    memcpy(address.gid, there->gid.data, VERBS_GID_SIZE);
    pair->data_there = there->data_address;
    pair->key_there = there->data_key;
    ck_assert_msg(verbs_rc_connect(&pair->rc, &address, &err) == DOCA_SUCCESS, "%s", err.s);
}

uint8_t *far_data(struct far_pair *pair)
{
    return pair->node->memory->data;
}

static void post_work(struct far_pair *pair, struct ibv_send_wr *wr, const void *from, size_t size)
{
    struct ibv_sge sge = {
        .addr = (uintptr_t)from, .length = (uint32_t)size, .lkey = pair->node->registered->lkey};
    struct ibv_send_wr *bad;
    wr->wr_id = ID_SEND;
    wr->sg_list = &sge;
    wr->num_sge = size ? 1 : 0; // to some devices a length of 0 is 2 GiB
    wr->send_flags = IBV_SEND_SIGNALED;
    ck_assert_int_eq(ibv_post_send(pair->rc.qp, wr, &bad), 0);
}

void far_send(struct far_pair *pair, const void *header, size_t size, unsigned times)
{
    uint8_t *out = pair->node->memory->out;
    ck_assert_uint_le(size, FAR_HEADER);
    memcpy(out, header, size);
    while (times--) {
        struct ibv_send_wr wr = {.opcode = IBV_WR_SEND};
        post_work(pair, &wr, out, size);
    }
}

void far_access(struct far_pair *pair, enum ibv_wr_opcode opcode, uint64_t there, uint32_t key,
                uint32_t length)
{
    struct ibv_send_wr wr = {.opcode = opcode, .wr.rdma = {.remote_addr = there, .rkey = key}};
    post_work(pair, &wr, far_data(pair), length);
}

static struct ibv_wc next_completion(struct far_pair *pair)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct ibv_wc wc;
    int n;
    while ((n = ibv_poll_cq(pair->rc.cq, 1, &wc)) == 0)
        ck_assert_msg(deadline_pause(deadline), "docad sends nothing");
    ck_assert_int_eq(n, 1);
    return wc;
}

enum ibv_wc_status far_status(struct far_pair *pair)
{
    struct ibv_wc wc = next_completion(pair);
    ck_assert_uint_eq(wc.wr_id, ID_SEND);
    return wc.status;
}

void far_receive(struct far_pair *pair, void *header, size_t size)
{
    struct ibv_wc wc;
    do {
        wc = next_completion(pair);
        ck_assert_msg(wc.status == IBV_WC_SUCCESS, "%s", ibv_wc_status_str(wc.status));
    } while (wc.wr_id == ID_SEND);
    ck_assert_uint_eq(wc.byte_len, size);
    memcpy(header, pair->node->memory->in[wc.wr_id], size);
    post_recv(pair, wc.wr_id);
}
