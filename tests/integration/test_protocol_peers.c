// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two nodes and raw requests, and a fake linked node: it hangs, answers late or with nonsense,
// comes twice, and goes in the middle of things.

#include "protocol.h"

#include "cleanup.h"
#include "deadline.h"
#include "memfd.h"
#include "rdma_desc.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct daemon *dpu;

static void setup(void)
{
    env_setup();
    dpu = daemon_start(&(struct daemon_options){.role = "dpu"});
}

static void teardown(void)
{
    answer_drop();
    if (dpu->pid)
        assert_baseline(dpu);
    env_teardown();
}

// ---- hello --------------------------------------------------------------------------------

static void no_change(Docad__PeerHello *hello)
{
    (void)hello;
}

static void set_version(Docad__PeerHello *hello)
{
    hello->version_min = hello->version_max = 7;
}

static void set_short_id(Docad__PeerHello *hello)
{
    hello->node.len--;
}

static void set_no_name(Docad__PeerHello *hello)
{
    hello->name = (char *)"";
}

static void set_role(Docad__PeerHello *hello)
{
    hello->role = (char *)"switch";
}

static void set_function_id(Docad__PeerHello *hello)
{
    hello->functions[0]->id = 0;
}

static void set_function_address(Docad__PeerHello *hello)
{
    hello->functions[0]->pci_address = (char *)"99:00";
}

static void set_functions_twice(Docad__PeerHello *hello)
{
    static Docad__Function *twice[2];
    twice[0] = twice[1] = hello->functions[0];
    hello->functions = twice;
    hello->n_functions = 2;
}

static const struct {
    const char *name;
    void (*change)(Docad__PeerHello *hello);
    doca_error_t expected;
} hellos[] = {
    {"good", no_change, DOCA_SUCCESS},
    {"version", set_version, DOCA_ERROR_UNSUPPORTED_VERSION},
    {"short id", set_short_id, DOCA_ERROR_INVALID_VALUE},
    {"no name", set_no_name, DOCA_ERROR_INVALID_VALUE},
    {"role", set_role, DOCA_ERROR_INVALID_VALUE},
    {"function id", set_function_id, DOCA_ERROR_INVALID_VALUE},
    {"function address", set_function_address, DOCA_ERROR_INVALID_VALUE},
    {"function twice", set_functions_twice, DOCA_ERROR_INVALID_VALUE},
};

START_TEST(hello_field)
{
    int sock = raw_connect(dpu->socket.s);
    Docad__PeerHello hello = fake_hello_fields();
    hellos[_i].change(&hello);
    assert_refused(fake_hello(sock, &hello), hellos[_i].expected, hellos[_i].name);
    daemon_wait_links(dpu, hellos[_i].expected == DOCA_SUCCESS);
    if (hellos[_i].expected != DOCA_SUCCESS)
        raw_expect_closed(sock);
    close(sock);
    daemon_wait_links(dpu, 0);
}
END_TEST

START_TEST(hello_of_the_node_itself)
{
    struct raw_session s = session_start(dpu);
    int sock = raw_connect(dpu->socket.s);
    Docad__PeerHello hello = fake_hello_fields();
    hello.node.data = s.node;
    assert_refused(fake_hello(sock, &hello), DOCA_ERROR_INVALID_VALUE, "itself");
    close(sock);
    session_end(&s);
}
END_TEST

START_TEST(dials_itself)
{
    struct path socket = temp_path("self.sock");
    struct daemon *self = daemon_start(
        &(struct daemon_options){.label = "self", .socket = socket.s, .peers = {socket.s}});
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (!daemon_logged(self, "itself"))
        ck_assert(deadline_pause(deadline));
    daemon_wait_links(self, 0);
}
END_TEST

static int listen_as_docad(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    ck_assert_int_eq(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(sock, 1), 0);
    return sock;
}

static void answer_hello(int sock)
{
    Docad__PeerHello hello = fake_hello_fields();
    Docad__PeerHelloReply reply = DOCAD__PEER_HELLO_REPLY__INIT;
    receive_any(sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_HELLO);
    reply.version = 1;
    reply.node = hello.node;
    reply.name = hello.name;
    reply.role = hello.role;
    reply.functions = hello.functions;
    reply.n_functions = hello.n_functions;
    post_raw(sock, answer->serial, DOCAD__MESSAGE__BODY_PEER_HELLO_REPLY, &reply, NULL, 0);
}

// It behaves as if another one always took its place.
START_TEST(links_that_end_at_once_are_dialled_ever_less_often)
{
    enum { LINKS = 8, LEAST_MS = 1000 };
    struct path socket = temp_path("brief.sock");
    cleanup_fd int listener = listen_as_docad(socket.s);
    struct daemon *dialler =
        daemon_start(&(struct daemon_options){.label = "dialler", .peers = {socket.s}});
    int64_t begin = now_ms();
    for (int i = 0; i < LINKS; i++) {
        cleanup_fd int link = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        answer_hello(link);
    }
    ck_assert_int_ge(now_ms() - begin, LEAST_MS);
    ck_assert(daemon_logged(dialler, "linked to host node fake"));
    daemon_stop(dialler);
    unlink(socket.s);
}
END_TEST

// A new link of the same node takes the place of one that nobody noticed to be dead.
START_TEST(link_is_replaced)
{
    int first = fake_link(dpu), second = fake_link(dpu);
    raw_expect_closed(first);
    daemon_wait_links(dpu, 1);
    close(first);
    close(second);
    daemon_wait_links(dpu, 0);
}
END_TEST

START_TEST(answer_to_nothing)
{
    int sock = fake_link(dpu);
    Docad__Empty ok = DOCAD__EMPTY__INIT;
    post_raw(sock, 4711, DOCAD__MESSAGE__BODY_OK, &ok, NULL, 0);
    raw_expect_closed(sock);
    close(sock);
}
END_TEST

START_TEST(representors_of_a_link)
{
    struct raw_session s = session_start(dpu);
    Docad__RepresentorList list = DOCAD__REPRESENTOR_LIST__INIT;
    Docad__RepresentorOpen open = DOCAD__REPRESENTOR_OPEN__INIT;
    Docad__RepresentorClose close_ = DOCAD__REPRESENTOR_CLOSE__INIT;
    list.function_id = open_function(s.sock, "p0");
    int sock = fake_link(dpu);
    ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &list), DOCA_SUCCESS);
    const Docad__RepresentorListReply *reply = answer->representor_list_reply;
    ck_assert_uint_eq(reply->n_representors, 2);
    ck_assert_str_eq(reply->representors[0]->name, "pf0sf0");
    ck_assert_str_eq(reply->representors[1]->name, "hpf0");
    ck_assert_str_eq(reply->representors[1]->vuid, "FAKE");
    ck_assert_mem_eq(reply->representors[1]->node.data, fake_node, NODE_ID_SIZE);
    open.representor_id = close_.representor_id = reply->representors[1]->id;
    ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN, &open), DOCA_SUCCESS);

    Docad__PeerFunctions none = DOCAD__PEER_FUNCTIONS__INIT; // it has no function any more
    post_raw(sock, 0, DOCAD__MESSAGE__BODY_PEER_FUNCTIONS, &none, NULL, 0);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    do {
        ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &list), DOCA_SUCCESS);
        ck_assert(deadline_pause(deadline));
    } while (answer->representor_list_reply->n_representors != 1);
    assert_refused(call(s.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN, &open), DOCA_ERROR_NOT_FOUND,
                   "gone");
    ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_REPRESENTOR_CLOSE, &close_), DOCA_SUCCESS);
    close(sock);
    session_end(&s);
}
END_TEST

// ---- a session asks, the linked node answers as it likes ---------------------------------------

struct asking {
    struct raw_session session;
    struct descriptor d;
    uint32_t function;
    uint64_t serial; // of the import
    int link;
    uint64_t peer_serial; // of what the daemon asked the linked node
};

static void ask_again(struct asking *a)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    m.descriptor = (ProtobufCBinaryData){a->d.size, a->d.bytes};
    m.function_id = a->function;
    a->serial = post(a->session.sock, DOCAD__MESSAGE__BODY_IMPORT_CREATE, &m);
    receive_any(a->link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_IMPORT);
    ck_assert_uint_eq(answer->peer_import->export_id, 9);
    ck_assert_uint_eq(answer->peer_import->importer, a->session.id);
    ck_assert_str_eq(answer->peer_import->function_pci, "0000:03:00.0");
    a->peer_serial = answer->serial;
}

// A session imports on p0, and the linked node has been asked.
static struct asking ask_import(void)
{
    struct asking a = {.session = session_start(dpu), .d = fake_descriptor(9)};
    a.function = open_function(a.session.sock, "p0");
    a.link = fake_link(dpu);
    ask_again(&a);
    return a;
}

static void asking_end(struct asking *a)
{
    session_end(&a->session);
    close_fdp(&a->link);
}

static void expect_import(struct asking *a, doca_error_t expected)
{
    receive_any(a->session.sock);
    ck_assert_uint_eq(answer->serial, a->serial);
    doca_error_t r = answer->body_case == DOCAD__MESSAGE__BODY_ERROR
                         ? (doca_error_t)answer->error->code
                         : DOCA_SUCCESS;
    assert_refused(r, expected, "import");
}

// The good answer: one mapped page.
static struct {
    Docad__PeerImportReply m;
    Docad__Segment segment;
    Docad__Segment *list[1];
    int fd;
} grant;

static void prepare_grant(void)
{
    docad__peer_import_reply__init(&grant.m);
    docad__segment__init(&grant.segment);
    grant.list[0] = &grant.segment;
    grant.segment.address = grant.m.address = 0x10000;
    grant.segment.length = grant.m.length = 4096;
    grant.segment.mapped = true;
    grant.m.grant_id = 77;
    grant.m.access = DOCA_ACCESS_DPU_READ_WRITE;
    grant.m.segments = grant.list;
    grant.m.n_segments = 1;
    grant.m.has_memfd = true;
    grant.fd = memfd_create_sealed("grant", 4096);
}

static void send_grant(const struct asking *a)
{
    post_raw(a->link, a->peer_serial, DOCAD__MESSAGE__BODY_PEER_IMPORT_REPLY, &grant.m, &grant.fd,
             1);
    close(grant.fd);
}

static void expect_release(int link)
{
    receive_any(link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_IMPORT_RELEASE);
    ck_assert_uint_eq(answer->peer_import_release->grant_id, 77);
}

START_TEST(import_is_granted)
{
    struct asking a = ask_import();
    prepare_grant();
    send_grant(&a);
    expect_import(&a, DOCA_SUCCESS);
    const Docad__ImportCreateReply *reply = answer->import_create_reply;
    uint64_t id = reply->import_id;
    uint32_t slot = reply->state_slot;
    ck_assert_mem_eq(reply->owner_node.data, fake_node, NODE_ID_SIZE);
    ck_assert_uint_eq(reply->n_segments, 1);
    ck_assert_int_eq(memfd_check(answer_fds.fds[0], 4096, 1), 0);
    ck_assert_int_eq(state_table_read(a.session.states, slot, id), SLOT_LIVE);

    Docad__PeerGrantEnded ended = DOCAD__PEER_GRANT_ENDED__INIT;
    ended.grant_id = 77;
    ended.state = SLOT_REVOKED;
    post_raw(a.link, 5, DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED, &ended, NULL, 0);
    receive_any(a.link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_OK);
    ck_assert_uint_eq(answer->serial, 5);
    ck_assert_int_eq(state_table_read(a.session.states, slot, id), SLOT_REVOKED);
    asking_end(&a);
}
END_TEST

// What another node says of memory that is handed on is checked as if a client had said it.
START_TEST(what_is_handed_on)
{
    enum { GOOD, NOTHING, OTHER_TARGET, OTHER_ID, OTHER_NODE, TOO_LONG, WAYS };
    static uint8_t bytes[EXPORT_DESC_SIZE_MAX + 100];
    struct asking a = ask_import();
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    prepare_grant();
    send_grant(&a);
    expect_import(&a, DOCA_SUCCESS);
    m.import_id = answer->import_create_reply->import_id;
    m.function_id = open_function(a.session.sock, "p0");
    m.target = DOCAD__EXPORT_TARGET__TARGET_RDMA;
    for (int way = WAYS - 1; way >= GOOD; way--) {
        struct descriptor d = fake_descriptor(5);
        struct export_desc desc;
        Docad__PeerExportCreateReply reply = DOCAD__PEER_EXPORT_CREATE_REPLY__INIT;
        ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &desc, NULL), DOCA_SUCCESS);
        desc.target = way == OTHER_TARGET ? DOCAD__EXPORT_TARGET__TARGET_DPU
                                          : DOCAD__EXPORT_TARGET__TARGET_RDMA;
        desc.node[0] ^= way == OTHER_NODE;
        ck_assert_int_eq(export_desc_encode(&desc, bytes, &d.size), DOCA_SUCCESS);
        reply.export_id = way == OTHER_ID ? 6 : 5;
        reply.descriptor.data = bytes;
        reply.descriptor.len = way == NOTHING ? 0 : way == TOO_LONG ? sizeof(bytes) : d.size;
        post(a.session.sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &m);
        receive_any(a.link);
        ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_EXPORT_CREATE);
        ck_assert_uint_eq(answer->peer_export_create->grant_id, 77);
        post_raw(a.link, answer->serial, DOCAD__MESSAGE__BODY_PEER_EXPORT_CREATE_REPLY, &reply,
                 NULL, 0);
        receive_any(a.session.sock);
        ck_assert_msg((answer->body_case == DOCAD__MESSAGE__BODY_EXPORT_CREATE_REPLY) ==
                          (way == GOOD),
                      "way %d", way);
        if (way != GOOD)
            ck_assert_int_eq(answer->error->code, DOCA_ERROR_DRIVER);
    }
    asking_end(&a);
}
END_TEST

// A second import gets the grant of the first: it is refused, and the first one stays.
START_TEST(grant_is_given_twice)
{
    struct asking a = ask_import();
    prepare_grant();
    send_grant(&a);
    expect_import(&a, DOCA_SUCCESS);
    uint64_t id = answer->import_create_reply->import_id;
    uint32_t slot = answer->import_create_reply->state_slot;

    ask_again(&a);
    prepare_grant();
    send_grant(&a);
    expect_import(&a, DOCA_ERROR_DRIVER);
    ck_assert_int_eq(state_table_read(a.session.states, slot, id), SLOT_LIVE);
    // Nothing was given back: the answer to this is the next that comes.
    Docad__PeerGrantEnded ended = DOCAD__PEER_GRANT_ENDED__INIT;
    ended.grant_id = 78;
    post_raw(a.link, 5, DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED, &ended, NULL, 0);
    receive_any(a.link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_OK);
    asking_end(&a);
}
END_TEST

START_TEST(import_given_back_when_its_session_ends)
{
    struct asking a = ask_import();
    prepare_grant();
    send_grant(&a);
    expect_import(&a, DOCA_SUCCESS);
    session_end(&a.session);
    expect_release(a.link);
    close(a.link);
}
END_TEST

START_TEST(import_link_drops)
{
    struct asking a = ask_import();
    close_fdp(&a.link);
    expect_import(&a, DOCA_ERROR_DRIVER);
    assert_refused(import_on(a.session.sock, &a.d, a.function), DOCA_ERROR_DRIVER, "known node");
    asking_end(&a);
}
END_TEST

START_TEST(import_refused_by_owner)
{
    struct asking a = ask_import();
    Docad__Error error = DOCAD__ERROR__INIT;
    error.code = DOCA_ERROR_NOT_PERMITTED;
    error.text = (char *)"revoked";
    post_raw(a.link, a.peer_serial, DOCAD__MESSAGE__BODY_ERROR, &error, NULL, 0);
    expect_import(&a, DOCA_ERROR_NOT_PERMITTED);
    asking_end(&a);
}
END_TEST

START_TEST(import_refused_with_no_error)
{
    struct asking a = ask_import();
    Docad__Error error = DOCAD__ERROR__INIT;
    post_raw(a.link, a.peer_serial, DOCAD__MESSAGE__BODY_ERROR, &error, NULL, 0);
    expect_import(&a, DOCA_ERROR_DRIVER);
    asking_end(&a);
}
END_TEST

// The daemon continues meanwhile, and a late grant is given back.
START_TEST(import_never_answered)
{
    struct asking a = ask_import();
    struct raw_session other = session_start(dpu);
    Docad__Status status = DOCAD__STATUS__INIT;
    ck_assert_int_eq(call(other.sock, DOCAD__MESSAGE__BODY_STATUS, &status), DOCA_SUCCESS);
    expect_import(&a, DOCA_ERROR_DRIVER);
    prepare_grant();
    send_grant(&a);
    expect_release(a.link);
    session_end(&other);
    asking_end(&a);
}
END_TEST

START_TEST(client_dies_while_owner_is_asked)
{
    struct asking a = ask_import();
    session_end(&a.session);
    assert_baseline(dpu);
    prepare_grant();
    send_grant(&a);
    expect_release(a.link);
    close(a.link);
}
END_TEST

static void spoil_segment(void)
{
    grant.segment.length = 100;
}

static void spoil_access(void)
{
    grant.m.access = 0x30;
}

static void spoil_memfd_flag(void)
{
    grant.m.has_memfd = false;
}

static void spoil_memfd(void)
{
    close(grant.fd);
    grant.fd = memfd_create_sealed("grant", 8192);
}

static void spoil_memfd_mode(void)
{
    int fd = memfd_reopen_readonly(grant.fd);
    close(grant.fd);
    grant.fd = fd;
}

static void (*const spoilt[])(void) = {spoil_segment, spoil_access, spoil_memfd_flag, spoil_memfd,
                                       spoil_memfd_mode};

START_TEST(import_answered_with_nonsense)
{
    struct raw_session other = session_start(dpu);
    unsigned before = daemon_settled_descriptors(dpu);
    struct asking a = ask_import();
    prepare_grant();
    spoilt[_i]();
    send_grant(&a);
    expect_import(&a, DOCA_ERROR_DRIVER);
    expect_release(a.link);
    asking_end(&a);
    daemon_wait_descriptors(dpu, before);
    session_end(&other);
}
END_TEST

START_TEST(answer_of_the_wrong_kind)
{
    struct asking a = ask_import();
    Docad__Empty ok = DOCAD__EMPTY__INIT;
    post_raw(a.link, a.peer_serial, DOCAD__MESSAGE__BODY_OK, &ok, NULL, 0);
    expect_import(&a, DOCA_ERROR_DRIVER);
    raw_expect_closed(a.link);
    asking_end(&a);
}
END_TEST

// ---- queue pairs of a linked node --------------------------------------------------------------

START_TEST(queue_pair_elsewhere)
{
    struct raw_session s = session_start(dpu);
    int link = fake_link(dpu);
    Docad__QueuePairCreate create = DOCAD__QUEUE_PAIR_CREATE__INIT;
    Docad__PeerQueuePairCreateReply there = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    Docad__PeerQueuePairFailed failed = DOCAD__PEER_QUEUE_PAIR_FAILED__INIT;
    Docad__QueuePairDestroy destroy = DOCAD__QUEUE_PAIR_DESTROY__INIT;
    create.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)fake_node};
    post(s.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &create);
    receive_any(link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    ck_assert_uint_eq(answer->peer_queue_pair_create->importer, s.id);
    there.queue_pair_id = failed.queue_pair_id = 3;
    const int fds[3] = {link, link, link};
    post_raw(link, answer->serial, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY, &there, fds,
             3);
    receive_any(s.sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE_REPLY);
    ck_assert_uint_eq(answer_fds.count, 3);
    uint64_t id = destroy.queue_pair_id = answer->queue_pair_create_reply->queue_pair_id;
    uint32_t slot = answer->queue_pair_create_reply->state_slot;
    ck_assert_int_eq(state_table_read(s.states, slot, id), SLOT_LIVE);

    post_raw(link, 0, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_FAILED, &failed, NULL, 0);
    receive_any(link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, 3);
    wait_state(&s, slot, id, SLOT_REVOKED);
    ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY, &destroy), DOCA_SUCCESS);
    close(link);
    session_end(&s);
}
END_TEST

// ---- a link that says it carries no descriptors ------------------------------------------------

// The node that asks should have refused this itself. This node refuses it, too, and keeps
// nothing.
START_TEST(rdma_without_descriptors)
{
    struct raw_session s = session_start(dpu);
    Docad__RdmaEndpointCreate create = DOCAD__RDMA_ENDPOINT_CREATE__INIT;
    struct rdma_desc desc;
    struct errtext err;
    create.function_id = open_function(s.sock, "p0");
    ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE, &create),
                     DOCA_SUCCESS);
    const ProtobufCBinaryData *bytes = &answer->rdma_endpoint_create_reply->descriptor;
    ck_assert_int_eq(rdma_desc_decode(bytes->data, bytes->len, &desc, &err), DOCA_SUCCESS);
    answer_drop();

    // The next request says that the answer has come: what was kept for that is closed.
    assert_refused(lookup(s.sock, "none", 0), DOCA_ERROR_NOT_FOUND, "nobody's name");
    answer_drop();

    unsigned before = daemon_settled_descriptors(dpu);
    int link = raw_connect(dpu->socket.s);
    Docad__PeerHello hello = fake_hello_fields();
    hello.no_descriptors = true;
    ck_assert_int_eq(fake_hello(link, &hello), DOCA_SUCCESS);
    Docad__PeerRdmaConnect m = DOCAD__PEER_RDMA_CONNECT__INIT;
    m.from_endpoint = 1;
    m.endpoint = desc.endpoint_id;
    m.from_token = m.token = (ProtobufCBinaryData){sizeof(desc.token), desc.token};
    assert_refused(call(link, DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT, &m), DOCA_ERROR_NOT_SUPPORTED,
                   "an RDMA connection");
    daemon_wait_links(dpu, 1);
    answer_drop();
    close(link);
    daemon_wait_descriptors(dpu, before);
    session_end(&s);
}
END_TEST

// ---- names of a linked node ----

START_TEST(names_of_a_link)
{
    struct raw_session s = session_start(dpu);
    struct descriptor d = fake_descriptor(9), bad = d;
    int link = fake_link(dpu);
    bad.bytes[20] ^= 1;
    fake_publish(link, "bad", &bad);
    fake_publish(link, "bad\n", &d);
    fake_publish(link, "a", &d);
    ck_assert_int_eq(lookup(s.sock, "a", HARNESS_LIMIT_MS), DOCA_SUCCESS);
    assert_refused(lookup(s.sock, "bad", 0), DOCA_ERROR_NOT_FOUND, "bad");
    assert_refused(publish(s.sock, "a", &d), DOCA_ERROR_ALREADY_EXIST, "taken there");
    assert_refused(unpublish(s.sock, "a"), DOCA_ERROR_NOT_FOUND, "published there");

    // This node tells the linked one which names are published here for its exports; a name goes
    // when the linked node says so.
    ck_assert_int_eq(publish(s.sock, "mine", &d), DOCA_SUCCESS);
    receive_any(link);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_PUBLISH);
    Docad__PeerUnpublish gone = DOCAD__PEER_UNPUBLISH__INIT;
    gone.name = (char *)"mine";
    post_raw(link, 0, DOCAD__MESSAGE__BODY_PEER_UNPUBLISH, &gone, NULL, 0);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (lookup(s.sock, "mine", 0) == DOCA_SUCCESS)
        ck_assert(deadline_pause(deadline));

    close(link);
    while (lookup(s.sock, "a", 0) == DOCA_SUCCESS)
        ck_assert(deadline_pause(deadline));
    session_end(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("protocol_peers");
    TCase *tcase = tcase_create("protocol_peers");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, hello_field, 0, ARRAY_SIZE(hellos));
    tcase_add_loop_test(tcase, import_answered_with_nonsense, 0, ARRAY_SIZE(spoilt));
    const TTest *const tests[] = {hello_of_the_node_itself,
                                  dials_itself,
                                  links_that_end_at_once_are_dialled_ever_less_often,
                                  link_is_replaced,
                                  answer_to_nothing,
                                  representors_of_a_link,
                                  import_is_granted,
                                  grant_is_given_twice,
                                  what_is_handed_on,
                                  import_given_back_when_its_session_ends,
                                  import_link_drops,
                                  import_refused_by_owner,
                                  import_refused_with_no_error,
                                  import_never_answered,
                                  client_dies_while_owner_is_asked,
                                  answer_of_the_wrong_kind,
                                  queue_pair_elsewhere,
                                  rdma_without_descriptors,
                                  names_of_a_link};
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
