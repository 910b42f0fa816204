// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Linked nodes that go and come back, and what they then say that they go on with. The nodes are
// fakes.

#include "protocol.h"

#include "cleanup.h"
#include "deadline.h"
#include "message.h"
#include "rdma_desc.h"

#include <poll.h>
#include <string.h>

#define RUN_SIZE 16 // of a number that stands for a docad

static struct daemon *docad;

static void start_waiting_for(int grace_ms)
{
    char text[64];
    env_setup();
    snprintf(text, sizeof(text), "peer_grace_ms = %d\n", grace_ms);
    struct path config = temp_file("docad.conf", text);
    docad = daemon_start(&(struct daemon_options){.role = "dpu", .config = config.s});
    remove(config.s);
}

// docad waits for a node as long as the tests do.
static void setup(void)
{
    start_waiting_for(HARNESS_LIMIT_MS);
}

static void setup_impatient(void)
{
    start_waiting_for(1);
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
    size_t n_functions;
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

// The node's messages so far have been handled.
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
    hello.n_functions = node->n_functions;
    hello.run = (ProtobufCBinaryData){sizeof(run), run};
    hello.resumable = true;
    ck_assert_int_eq(fake_hello(node->sock, &hello), DOCA_SUCCESS);
    settle(node); // docad's own words
}

static void go(struct returning *node)
{
    close_fdp(&node->sock);
}

static void wait_logged(const char *text)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!daemon_logged(docad, text))
        ck_assert_msg(deadline_pause(deadline), "never logged: %s", text);
}

// docad drops the link, and says why.
static void expect_end(struct returning *node, const char *why)
{
    bool ended = false;
    while (!ended) {
        struct pollfd p = {.fd = node->sock, .events = POLLIN};
        answer_drop();
        ck_assert_msg(poll(&p, 1, HARNESS_LIMIT_MS) == 1, "the link does not end");
        ended = message_recv(node->sock, &answer, &answer_fds, 0) != 1;
    }
    wait_logged(why);
    go(node);
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
    fake_publish(x.sock, "of-x", &d);
    settle(&x);
    come(&y);
    fake_publish(y.sock, "of-y", &d);
    settle(&y);
    go(&x);
    go(&y);
    daemon_wait_links(docad, 0);
    ck_assert_int_eq(lookup(s.sock, "of-x", 0), DOCA_SUCCESS);
    ck_assert_int_eq(state_table_read(s.states, to_x.slot, to_x.id), SLOT_LIVE);

    come(&x);
    come(&y);
    fake_publish(y.sock, "of-y", &d);
    resume_with_nothing(&y);
    ck_assert_int_eq(lookup(s.sock, "of-x", 0), DOCA_SUCCESS); // until x has spoken
    resume_with_nothing(&x);
    assert_refused(lookup(s.sock, "of-x", 0), DOCA_ERROR_NOT_FOUND, "a name that x has no more");
    ck_assert_int_eq(lookup(s.sock, "of-y", 0), DOCA_SUCCESS);
    ck_assert_int_eq(state_table_read(s.states, to_x.slot, to_x.id), SLOT_OWNER_GONE);

    Docad__PeerUnpublish gone = DOCAD__PEER_UNPUBLISH__INIT;
    gone.name = (char *)"of-y";
    post_raw(y.sock, 0, DOCAD__MESSAGE__BODY_PEER_UNPUBLISH, &gone, NULL, 0);
    settle(&y);
    go(&x);
    go(&y);
    session_end(&s);
}
END_TEST

START_TEST(a_node_that_does_not_come_back)
{
    struct raw_session s = session_start(docad);
    struct descriptor d = fake_descriptor(9);
    struct returning x = node_named("x");
    come(&x);
    wait_logged("linked to host node x: 0 functions, dialled by it\n");
    fake_publish(x.sock, "of-x", &d);
    settle(&x);
    go(&x);
    wait_logged("is down: closed by the other side; waiting for it to come back\n");
    wait_logged("node x did not come back within 1 ms (peer_grace_ms): imports from it and its "
                "channels have ended\n");
    assert_refused(lookup(s.sock, "of-x", 0), DOCA_ERROR_NOT_FOUND, "a name of x");
    session_end(&s);
}
END_TEST

START_TEST(what_goes_on_is_said_once)
{
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;
    struct returning x = node_named("x");
    come(&x);
    resume.more = true;
    post_raw(x.sock, 0, DOCAD__MESSAGE__BODY_PEER_RESUME, &resume, NULL, 0);
    resume.more = false;
    post_raw(x.sock, 0, DOCAD__MESSAGE__BODY_PEER_RESUME, &resume, NULL, 0);
    settle(&x);
    post_raw(x.sock, 0, DOCAD__MESSAGE__BODY_PEER_RESUME, &resume, NULL, 0);
    expect_end(&x, "it named twice what it continues with");
    come(&x); // once more
    resume_with_nothing(&x);
    go(&x);
}
END_TEST

// docad says that objects which it does not know have ended, and keeps nothing about them: such
// an end needs no answer. The same holds for channels.
START_TEST(unknown_ids_leave_nothing)
{
    enum { IDS = 1000, TIMES = 24 };
    static uint64_t ids[IDS];
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;
    struct returning x = node_named("x");
    unsigned grants = 0, channels = 0;
    come(&x);
    for (uint64_t i = 0; i < IDS; i++)
        ids[i] = (i * 7919) % IDS + 1000000;
    resume.more = true;
    for (unsigned i = 0; i < TIMES; i++) {
        resume.grants = i % 2 ? ids : NULL;
        resume.n_grants = i % 2 ? IDS : 0;
        resume.channels = i % 2 ? NULL : ids;
        resume.n_channels = i % 2 ? 0 : IDS;
        post_raw(x.sock, 0, DOCAD__MESSAGE__BODY_PEER_RESUME, &resume, NULL, 0);
    }
    while (grants + channels < IDS * TIMES) {
        receive_any(x.sock);
        ck_assert_uint_eq(answer->serial, 0);
        grants += answer->body_case == DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED;
        channels += answer->body_case == DOCAD__MESSAGE__BODY_PEER_CHANNEL_ENDED;
    }
    ck_assert_uint_eq(grants, IDS * TIMES / 2);
    settle(&x);
    go(&x);
}
END_TEST

// Makes a service for the node's function, with the socket where connections arrive.
static int listen_for(const struct raw_session *s, const char *name)
{
    Docad__RepresentorList list = DOCAD__REPRESENTOR_LIST__INIT;
    Docad__RepresentorOpen open = DOCAD__REPRESENTOR_OPEN__INIT;
    Docad__ChannelListen listen = DOCAD__CHANNEL_LISTEN__INIT;
    list.function_id = listen.function_id = open_function(s->sock, "p0");
    ck_assert_int_eq(call(s->sock, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &list), DOCA_SUCCESS);
    const Docad__RepresentorListReply *reply = answer->representor_list_reply;
    for (size_t i = 0; i < reply->n_representors; i++)
        if (strcmp(reply->representors[i]->vuid, "FAKE") == 0)
            open.representor_id = listen.representor_id = reply->representors[i]->id;
    ck_assert_int_eq(call(s->sock, DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN, &open), DOCA_SUCCESS);
    listen.name = (char *)name;
    listen.max_message = listen.send_queue = listen.recv_queue = 64;
    ck_assert_int_eq(call(s->sock, DOCAD__MESSAGE__BODY_CHANNEL_LISTEN, &listen), DOCA_SUCCESS);
    return fd_list_take(&answer_fds, 0);
}

static uint64_t connect_channel(const struct returning *node, const char *name)
{
    Docad__PeerChannelConnect m = DOCAD__PEER_CHANNEL_CONNECT__INIT;
    m.vuid = (char *)"FAKE";
    m.name = (char *)name;
    m.max_message = m.send_queue = m.recv_queue = 64;
    ck_assert_int_eq(call(node->sock, DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT, &m), DOCA_SUCCESS);
    return answer->peer_channel_connect_reply->channel_id;
}

// Is it there until now?
static bool close_channel(const struct raw_session *s, uint64_t id)
{
    Docad__ChannelClose m = DOCAD__CHANNEL_CLOSE__INIT;
    m.id = id;
    return call(s->sock, DOCAD__MESSAGE__BODY_CHANNEL_CLOSE, &m) == DOCA_SUCCESS;
}

START_TEST(channels_that_a_node_names_go_on)
{
    struct raw_session s = session_start(docad);
    struct returning x = node_named("x");
    x.n_functions = 1;
    come(&x);
    int arriving = listen_for(&s, "service");
    uint64_t first = connect_channel(&x, "service"), second = connect_channel(&x, "service"),
             third = connect_channel(&x, "service"), unknown = third + 1;
    go(&x);
    daemon_wait_links(docad, 0);
    come(&x);
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;
    uint64_t ids[] = {third, unknown, first};
    resume.channels = ids;
    resume.n_channels = ARRAY_SIZE(ids);
    post_raw(x.sock, 0, DOCAD__MESSAGE__BODY_PEER_RESUME, &resume, NULL, 0);
    receive_any(x.sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_CHANNEL_ENDED);
    ck_assert_uint_eq(answer->peer_channel_ended->channel_id, unknown);
    settle(&x);
    ck_assert(close_channel(&s, first));
    ck_assert(!close_channel(&s, second));
    ck_assert(close_channel(&s, third));
    for (unsigned i = 0; i < 2; i++) { // and nothing was said of the two before
        receive_any(x.sock);
        ck_assert_uint_eq(answer->peer_channel_ended->channel_id, i ? third : first);
    }
    close_fdp(&arriving);
    go(&x);
    session_end(&s);
}
END_TEST

// It imports, and never says that it has heard of the end.
START_TEST(ends_that_are_never_acknowledged)
{
    enum { GRANTS = 1100 };
    Docad__PeerImport import = DOCAD__PEER_IMPORT__INIT;
    struct raw_session s = session_start(docad), other = session_start(docad);
    struct returning x = node_named("x");
    struct export_desc desc;
    uint32_t f = open_function(s.sock, "p0");
    uint64_t region = register_mapped(s.sock, 4096, DOCA_ACCESS_RDMA_READ, f);
    struct descriptor d = export_to(s.sock, region, f, DOCAD__EXPORT_TARGET__TARGET_RDMA);
    ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &desc, NULL), DOCA_SUCCESS);
    come(&x);
    import.export_id = desc.export_id;
    import.token = (ProtobufCBinaryData){sizeof(desc.token), desc.token};
    import.importer = import.pid = 1;
    for (int i = 0; i < GRANTS; i++)
        ck_assert_int_eq(call(x.sock, DOCAD__MESSAGE__BODY_PEER_IMPORT, &import), DOCA_SUCCESS);
    session_end(&s);
    assert_refused(lookup(other.sock, "none", 0), DOCA_ERROR_NOT_FOUND, "nobody's name");
    expect_end(&x, "it has not acknowledged the end of");
    session_end(&other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("protocol_returns");
    TCase *tcase = tcase_create("protocol_returns"), *impatient = tcase_create("impatient");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, what_a_node_has_ended_ends_though_another_comes_back);
    tcase_add_test(tcase, what_goes_on_is_said_once);
    tcase_add_test(tcase, unknown_ids_leave_nothing);
    tcase_add_test(tcase, channels_that_a_node_names_go_on);
    tcase_add_test(tcase, ends_that_are_never_acknowledged);
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(impatient, setup_impatient, teardown);
    tcase_add_test(impatient, a_node_that_does_not_come_back);
    suite_add_tcase(suite, impatient);
    return run_suite(suite);
}
