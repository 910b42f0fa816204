// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Linked nodes that go and come back, and what they then say that they go on with. The nodes
// are none.

#include "protocol.h"

#include "cleanup.h"
#include "deadline.h"
#include "rdma_desc.h"

#include <string.h>

#define RUN_SIZE 16 // of a number that stands for a docad

static struct daemon *docad;

// docad waits for a node as long as the tests do.
static void setup(void)
{
    char text[64];
    env_setup();
    snprintf(text, sizeof(text), "peer_grace_ms = %d\n", HARNESS_LIMIT_MS);
    struct path config = temp_file("docad.conf", text);
    docad = daemon_start(&(struct daemon_options){.role = "dpu", .config = config.s});
    remove(config.s);
}

static void teardown(void)
{
    answer_drop();
    if (docad->pid)
        assert_baseline(docad);
    env_teardown();
}

// ---- a node that comes back ---------------------------------------------------------------

struct returning {
    uint8_t id[NODE_ID_SIZE]; // greater than docad's: docad makes the pairs
    char name[8];
    int sock;
};

static struct returning node_named(const char *name)
{
    struct returning node = {.sock = -1};
    memset(node.id, 0xff, sizeof(node.id));
    node.id[NODE_ID_SIZE - 1] = (uint8_t)name[0];
    snprintf(node.name, sizeof(node.name), "%s", name);
    return node;
}

// What the node has said so far has been looked at.
static void settle(const struct returning *node)
{
    Docad__PeerGrantEnded nothing = DOCAD__PEER_GRANT_ENDED__INIT;
    uint64_t serial = post(node->sock, DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED, &nothing);
    do {
        receive_any(node->sock);
    } while (answer->body_case != DOCAD__MESSAGE__BODY_OK || answer->serial != serial);
    answer_drop();
}

static void come(struct returning *node)
{
    uint8_t run[RUN_SIZE] = "the same docad";
    Docad__PeerHello hello = fake_hello_fields();
    node->sock = raw_connect(docad->socket.s);
    hello.node.data = node->id;
    hello.name = node->name;
    hello.n_functions = 0;
    hello.run = (ProtobufCBinaryData){sizeof(run), run};
    hello.resumable = true;
    ck_assert_int_eq(fake_hello(node->sock, &hello), DOCA_SUCCESS);
    settle(node); // docad's own words
}

static void go(struct returning *node)
{
    close_fdp(&node->sock);
}

static void resume_with_nothing(const struct returning *node)
{
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;
    post_raw(node->sock, 0, DOCAD__MESSAGE__BODY_PEER_RESUME, &resume, NULL, 0);
    settle(node);
}

// ---- an endpoint of a session, connected to one of the node's -------------------------------

struct connected {
    uint64_t id;
    uint32_t slot;
};

static struct connected connect_endpoint(const struct raw_session *s, struct returning *node)
{
    static uint8_t token[RDMA_TOKEN_SIZE] = "the node's";
    Docad__RdmaEndpointCreate create = DOCAD__RDMA_ENDPOINT_CREATE__INIT;
    Docad__PeerRdmaConnect there = DOCAD__PEER_RDMA_CONNECT__INIT;
    Docad__RdmaConnect here = DOCAD__RDMA_CONNECT__INIT;
    struct rdma_desc own, other = {.endpoint_id = 1, .pci_address = "0000:99:00.0", .vuid = "FAKE"};
    uint8_t bytes[RDMA_DESC_SIZE_MAX];
    size_t size;

    create.function_id = open_function(s->sock, "p0");
    ck_assert_int_eq(call(s->sock, DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE, &create),
                     DOCA_SUCCESS);
    const Docad__RdmaEndpointCreateReply *reply = answer->rdma_endpoint_create_reply;
    struct connected made = {.id = reply->endpoint_id, .slot = reply->state_slot};
    ck_assert_int_eq(rdma_desc_decode(reply->descriptor.data, reply->descriptor.len, &own, NULL),
                     DOCA_SUCCESS);

    there.from_endpoint = 1;
    there.from_token = (ProtobufCBinaryData){sizeof(token), token};
    there.endpoint = made.id;
    there.token = (ProtobufCBinaryData){sizeof(own.token), own.token};
    ck_assert_int_eq(call(node->sock, DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT, &there),
                     DOCA_SUCCESS);

    memcpy(other.node, node->id, sizeof(other.node));
    memcpy(other.token, token, sizeof(token));
    ck_assert_int_eq(rdma_desc_encode(&other, bytes, &size), DOCA_SUCCESS);
    here.endpoint_id = made.id;
    here.descriptor = (ProtobufCBinaryData){size, bytes};
    ck_assert_int_eq(call(s->sock, DOCAD__MESSAGE__BODY_RDMA_CONNECT, &here), DOCA_SUCCESS);
    answer_drop();
    return made;
}

// ---- tests ----------------------------------------------------------------------------------

// Another node comes back between a node's hello and what it goes on with.
START_TEST(what_a_node_has_ended_ends_though_another_comes_back)
{
    struct raw_session s = session_start(docad);
    struct descriptor d = fake_descriptor(9);
    struct returning x = node_named("x"), y = node_named("y");
    come(&x);
    struct connected to_x = connect_endpoint(&s, &x);
    fake_publish(x.sock, "of x", &d);
    settle(&x);
    come(&y);
    fake_publish(y.sock, "of y", &d);
    settle(&y);
    go(&x);
    go(&y);
    daemon_wait_links(docad, 0);
    ck_assert_int_eq(lookup(s.sock, "of x", 0), DOCA_SUCCESS);
    ck_assert_int_eq(state_table_read(s.states, to_x.slot, to_x.id), SLOT_LIVE);

    come(&x);
    come(&y);
    fake_publish(y.sock, "of y", &d);
    resume_with_nothing(&y);
    ck_assert_int_eq(lookup(s.sock, "of x", 0), DOCA_SUCCESS); // until x has spoken
    resume_with_nothing(&x);
    assert_refused(lookup(s.sock, "of x", 0), DOCA_ERROR_NOT_FOUND, "a name that x has no more");
    ck_assert_int_eq(lookup(s.sock, "of y", 0), DOCA_SUCCESS);
    ck_assert_int_eq(state_table_read(s.states, to_x.slot, to_x.id), SLOT_OWNER_GONE);

    Docad__PeerUnpublish gone = DOCAD__PEER_UNPUBLISH__INIT;
    gone.name = (char *)"of y";
    post_raw(y.sock, 0, DOCAD__MESSAGE__BODY_PEER_UNPUBLISH, &gone, NULL, 0);
    settle(&y);
    go(&x);
    go(&y);
    session_end(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("protocol_returns");
    TCase *tcase = tcase_create("protocol_returns");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, what_a_node_has_ended_ends_though_another_comes_back);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
