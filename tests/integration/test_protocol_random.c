// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two linked nodes that send anything: every message that a node may send, with any fields,
// among them ids and tokens that docad has sent; good and bad answers to docad's requests; links
// that end and come back. Meanwhile a session works with them. docad continues, and nothing is
// left behind. $DOCAD_TEST_SEED and $DOCAD_TEST_ROUNDS choose the sequence and its length.

#include "protocol.h"

#include "cleanup.h"
#include "deadline.h"
#include "memfd.h"
#include "rdma_desc.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define RUN_SIZE 16

static struct daemon *docad;

static void setup(void)
{
    env_setup();
    struct path config = temp_file("docad.conf", "peer_grace_ms = 200\n");
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

// ---- chance -------------------------------------------------------------------------------

static uint64_t seed;

static uint64_t any(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static size_t below(size_t n)
{
    return (any() >> 11) % n;
}

static bool one_in(size_t n)
{
    return below(n) == 0;
}

// Numbers and bytes that docad has said.
#define HEARD 64
static uint64_t heard_numbers[HEARD];
static struct {
    size_t size;
    uint8_t bytes[EXPORT_DESC_SIZE_MAX];
} heard_bytes[HEARD];

static void hear_bytes(const void *bytes, size_t size)
{
    size_t i = below(HEARD);
    heard_bytes[i].size = size < EXPORT_DESC_SIZE_MAX ? size : EXPORT_DESC_SIZE_MAX;
    memcpy(heard_bytes[i].bytes, bytes, heard_bytes[i].size);
}

static uint64_t any_number(void)
{
    static const uint64_t odd[] = {
        0,         1, 2, 4095, 4096, 8192, 65536, 0x10000, 1u << 31, UINT32_MAX, UINT64_MAX - 4095,
        UINT64_MAX};
    switch (below(4)) {
    case 0:
        return odd[below(ARRAY_SIZE(odd))];
    case 1:
        return heard_numbers[below(HEARD)];
    default:
        return below(48);
    }
}

static char *any_text(void)
{
    static char long_one[300];
    static const char *const texts[] = {"",    "a",      "b",    "service",       "0000:99:00.0",
                                        "pf0", "FAKE",   "host", "dpu",           "0000:03:00.0",
                                        "a\n", "fake_0", "none", "0000:99:00.0x", long_one};
    memset(long_one, 'x', sizeof(long_one) - 1);
    return (char *)texts[below(ARRAY_SIZE(texts))];
}

static ProtobufCBinaryData any_bytes(void)
{
    static uint8_t noise[4096];
    if (!one_in(4)) {
        size_t i = below(HEARD);
        return (ProtobufCBinaryData){heard_bytes[i].size, heard_bytes[i].bytes};
    }
    for (size_t i = 0; i < 64; i++)
        noise[i] = (uint8_t)any();
    return (ProtobufCBinaryData){one_in(4) ? below(sizeof(noise)) : below(33), noise};
}

// ---- messages -------------------------------------------------------------------------------

// The memory of one message; the next one takes its place.
static _Alignas(16) uint8_t arena[1 << 18];
static size_t arena_used;

static void *take(size_t size)
{
    void *at = arena + arena_used;
    arena_used += (size + 15) / 16 * 16;
    ck_assert_uint_le(arena_used, sizeof(arena));
    memset(at, 0, size);
    return at;
}

static void *any_message(const ProtobufCMessageDescriptor *type);

static size_t size_of(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return sizeof(uint64_t);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    default:
        return sizeof(uint32_t);
    }
}

// Values that make sense in some fields.
static bool set_well(const ProtobufCFieldDescriptor *field, void *at)
{
    static const struct {
        const char *field, *text;
        uint32_t number;
    } good[] = {
        {"vuid", "FAKE", 0},       {"pci_address", "0000:99:00.0", 0},
        {"name", "service", 0},    {"iface", "pf0", 0},
        {"ibdev", "fake_0", 0},    {"port", NULL, 0},
        {"max_message", NULL, 64}, {"send_queue", NULL, 64},
        {"recv_queue", NULL, 64},  {"mtu", NULL, 3},
        {"qpn", NULL, 17},
    };
    if (strcmp(field->name, "gid") == 0) {
        static uint8_t gid[16] = "anywhere";
        *(ProtobufCBinaryData *)at = (ProtobufCBinaryData){sizeof(gid), gid};
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        if (strcmp(good[i].field, field->name) != 0)
            continue;
        if (good[i].text && field->type == PROTOBUF_C_TYPE_STRING)
            *(const char **)at = good[i].text;
        else if (!good[i].text && size_of(field) == sizeof(uint32_t))
            *(uint32_t *)at = good[i].number;
        else
            continue;
        return true;
    }
    return false;
}

static void set(const ProtobufCFieldDescriptor *field, void *at)
{
    if (one_in(2) && set_well(field, at))
        return;
    switch (field->type) {
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        *(uint64_t *)at = any_number();
        break;
    case PROTOBUF_C_TYPE_STRING:
        *(char **)at = any_text();
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        *(void **)at = any_message(field->descriptor);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        *(ProtobufCBinaryData *)at = any_bytes();
        break;
    case PROTOBUF_C_TYPE_BOOL:
        *(protobuf_c_boolean *)at = one_in(2);
        break;
    default:
        *(uint32_t *)at = (uint32_t)any_number();
    }
}

static void fill(ProtobufCMessage *message)
{
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        uint8_t *at = (uint8_t *)message + field->offset;
        if (field->label != PROTOBUF_C_LABEL_REPEATED) {
            if (field->type != PROTOBUF_C_TYPE_MESSAGE || one_in(2))
                set(field, at);
            continue;
        }
        size_t n = one_in(16) ? 40 : below(4), size = size_of(field);
        uint8_t *list = take(n * size + 1);
        for (size_t k = 0; k < n; k++)
            set(field, list + k * size);
        *(void **)at = list;
        *(size_t *)((uint8_t *)message + field->quantifier_offset) = n;
    }
}

static void *any_message(const ProtobufCMessageDescriptor *type)
{
    ProtobufCMessage *message = take(type->sizeof_message);
    type->message_init(message);
    fill(message);
    return message;
}

// Keeps the numbers and bytes that came, so that they can be sent again.
static void listen_to(const ProtobufCMessage *message)
{
    for (unsigned i = 0; message && i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        const uint8_t *at = (const uint8_t *)message + field->offset;
        if (field->label == PROTOBUF_C_LABEL_REPEATED) {
            size_t n = *(const size_t *)((const uint8_t *)message + field->quantifier_offset);
            if (field->type == PROTOBUF_C_TYPE_MESSAGE && n > 0)
                listen_to((*(const ProtobufCMessage *const *const *)at)[below(n)]);
            continue;
        }
        if (field->type == PROTOBUF_C_TYPE_UINT32 && strcmp(field->name, "id") == 0)
            heard_numbers[below(HEARD)] = *(const uint32_t *)at;
        else if (field->type == PROTOBUF_C_TYPE_UINT64)
            heard_numbers[below(HEARD)] = *(const uint64_t *)at;
        else if (field->type == PROTOBUF_C_TYPE_BYTES && ((const ProtobufCBinaryData *)at)->len)
            hear_bytes(((const ProtobufCBinaryData *)at)->data,
                       ((const ProtobufCBinaryData *)at)->len);
    }
}

// ---- nodes --------------------------------------------------------------------------------

struct stranger {
    uint8_t id[NODE_ID_SIZE];
    const char *name;
    int sock;       // -1: not linked
    uint64_t asked; // the serial of docad's last request, and what it was
    Docad__Message__BodyCase asked_what;
};

static struct stranger nodes[2] = {{.id = "a stranger", .name = "a", .sock = -1},
                                   {.id = "\xff\xff\xff\xff", .name = "b", .sock = -1}};

static size_t open_some(int fds[4])
{
    size_t n = one_in(2) ? 0 : below(5);
    for (size_t i = 0; i < n; i++) {
        int pair[2];
        if (one_in(2)) {
            fds[i] = memfd_create_sealed("any", one_in(2) ? 4096 : below(65536));
        } else {
            ck_assert_int_eq(socketpair(AF_UNIX, one_in(2) ? SOCK_STREAM : SOCK_SEQPACKET, 0, pair),
                             0);
            close(pair[1]);
            fds[i] = pair[0];
        }
    }
    return n;
}

static void say(int sock, const Docad__Message *message)
{
    int fds[4] = {0};
    size_t n = open_some(fds);
    message_send(sock, message, fds, n, MSG_DONTWAIT); // it may have been dropped
    for (size_t i = 0; i < n; i++)
        close(fds[i]);
}

static void come(struct stranger *node)
{
    uint8_t run[RUN_SIZE] = "the same docad";
    Docad__PeerHello hello = fake_hello_fields();
    Docad__Message message = DOCAD__MESSAGE__INIT;
    hello.node.data = node->id;
    hello.name = (char *)node->name;
    hello.role = one_in(4) ? (char *)"dpu" : (char *)"host";
    hello.no_descriptors = one_in(2);
    run[0] = (uint8_t)below(2);
    hello.run = (ProtobufCBinaryData){sizeof(run), run};
    hello.resumable = !one_in(3);
    hello.resumes_apart = !one_in(3);
    message.serial = 1;
    message.body_case = DOCAD__MESSAGE__BODY_PEER_HELLO;
    message.peer_hello = &hello;
    node->sock = raw_connect(docad->socket.s);
    node->asked = 0;
    say(node->sock, &message);
}

static const ProtobufCFieldDescriptor *body_named(const char *name)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field_by_name(&docad__message__descriptor, name);
    ck_assert_ptr_nonnull(field);
    return field;
}

static void say_body(int sock, uint64_t serial, const ProtobufCFieldDescriptor *body,
                     const void *payload)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    message.serial = serial;
    message.body_case = (Docad__Message__BodyCase)body->id;
    message.ok = (Docad__Empty *)payload; // all members of the union are pointers
    say(sock, &message);
}

static const ProtobufCFieldDescriptor *any_body(void)
{
    const ProtobufCMessageDescriptor *all = &docad__message__descriptor;
    for (;;) {
        const ProtobufCFieldDescriptor *field = &all->fields[below(all->n_fields)];
        if (field->type == PROTOBUF_C_TYPE_MESSAGE &&
            (strncmp(field->name, "peer_", 5) == 0 ? !strstr(field->name, "_reply") : one_in(200)))
            return field;
    }
}

// One page, mapped.
static void *good_grant(void)
{
    Docad__PeerImportReply *m = take(sizeof(*m));
    Docad__Segment *segment = take(sizeof(*segment));
    docad__peer_import_reply__init(m);
    docad__segment__init(segment);
    m->grant_id = below(48);
    m->address = segment->address = 0x10000;
    m->length = segment->length = 4096;
    m->access = DOCA_ACCESS_DPU_READ_WRITE;
    m->segments = take(sizeof(segment));
    m->segments[0] = segment;
    m->n_segments = 1;
    segment->mapped = m->has_memfd = one_in(2);
    return m;
}

// NULL: docad does not ask that.
static const char *answer_to(Docad__Message__BodyCase asked)
{
    static const struct {
        Docad__Message__BodyCase asked;
        const char *answer;
    } answers[] = {
        {DOCAD__MESSAGE__BODY_PEER_IMPORT, "peer_import_reply"},
        {DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, "peer_queue_pair_create_reply"},
        {DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT, "peer_channel_connect_reply"},
        {DOCAD__MESSAGE__BODY_PEER_RDMA_CONNECT, "peer_rdma_connect_reply"},
        {DOCAD__MESSAGE__BODY_PEER_GRANT_ENDED, "ok"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
        if (answers[i].asked == asked)
            return answers[i].answer;
    return NULL;
}

static void answer_request(struct stranger *node)
{
    const char *name = one_in(6) ? "error" : answer_to(node->asked_what);
    const ProtobufCFieldDescriptor *body = body_named(name);
    bool good = node->asked_what == DOCAD__MESSAGE__BODY_PEER_IMPORT && one_in(2) &&
                strcmp(name, "peer_import_reply") == 0;
    const void *payload = good ? good_grant() : any_message(body->descriptor);
    if (good && ((const Docad__PeerImportReply *)payload)->has_memfd) {
        int fd = memfd_create_sealed("grant", 4096);
        Docad__Message message = DOCAD__MESSAGE__INIT;
        message.serial = node->asked;
        message.body_case = DOCAD__MESSAGE__BODY_PEER_IMPORT_REPLY;
        message.peer_import_reply = (Docad__PeerImportReply *)payload;
        message_send(node->sock, &message, &fd, 1, MSG_DONTWAIT);
        close(fd);
    } else {
        say_body(node->sock, node->asked, body, payload);
    }
    node->asked = 0;
}

// Receives what has come. False once the link is down.
static bool drain(int sock, struct stranger *node)
{
    for (;;) {
        cleanup_message Docad__Message *m = NULL;
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        int r = message_recv(sock, &m, &fds, MSG_DONTWAIT);
        if (r == -EAGAIN)
            return true;
        if (r != 1)
            return false;
        listen_to((const ProtobufCMessage *)m->ok);
        if (node && m->serial && answer_to(m->body_case)) {
            node->asked = m->serial;
            node->asked_what = m->body_case;
        }
    }
}

static void act(struct stranger *node)
{
    if (node->sock < 0) {
        if (one_in(4))
            come(node);
        return;
    }
    if (!drain(node->sock, node) || one_in(200)) {
        close_fdp(&node->sock);
        return;
    }
    if (node->asked && !one_in(4)) {
        answer_request(node);
        return;
    }
    const ProtobufCFieldDescriptor *body = any_body();
    bool often_ends = strcmp(body->name, "peer_functions") == 0 || // they make no sense
                      strcmp(body->name, "peer_resume") == 0;      // said twice
    if (often_ends && !one_in(20))
        return;
    say_body(node->sock, one_in(2) ? 0 : any_number(), body, any_message(body->descriptor));
}

// ---- a session ------------------------------------------------------------------------------

struct worker {
    struct raw_session s;
    uint32_t function;
    int arriving;
};

static void ask(const struct worker *w, Docad__Message__BodyCase body, const void *payload)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    static uint64_t serial = 1u << 20;
    message.serial = ++serial;
    message.body_case = body;
    message.ok = (Docad__Empty *)payload;
    message_send(w->s.sock, &message, NULL, 0, MSG_DONTWAIT);
}

static void worker_start(struct worker *w)
{
    w->s = session_start(docad);
    w->function = open_function(w->s.sock, "p0");
    uint64_t region = register_mapped(w->s.sock, 8192,
                                      DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE, w->function);
    for (int i = 0; i < 8; i++) {
        struct export_desc desc;
        struct descriptor d =
            export_to(w->s.sock, region, w->function, DOCAD__EXPORT_TARGET__TARGET_RDMA);
        ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &desc, NULL), DOCA_SUCCESS);
        hear_bytes(desc.token, sizeof(desc.token));
        hear_bytes(d.bytes, d.size);
        heard_numbers[below(HEARD)] = desc.export_id;
    }
    Docad__RdmaEndpointCreate create = DOCAD__RDMA_ENDPOINT_CREATE__INIT;
    create.function_id = w->function;
    for (int i = 0; i < 4; i++) {
        struct rdma_desc desc;
        ck_assert_int_eq(call(w->s.sock, DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE, &create),
                         DOCA_SUCCESS);
        const ProtobufCBinaryData *b = &answer->rdma_endpoint_create_reply->descriptor;
        ck_assert_int_eq(rdma_desc_decode(b->data, b->len, &desc, NULL), DOCA_SUCCESS);
        hear_bytes(desc.token, sizeof(desc.token));
        heard_numbers[below(HEARD)] = desc.endpoint_id;
    }
    answer_drop();
}

// The node's memory, engine, RDMA instance, representor.
static void work(struct worker *w)
{
    struct stranger *node = &nodes[below(ARRAY_SIZE(nodes))];
    drain(w->s.sock, NULL);
    switch (below(6)) {
    case 0: {
        struct export_desc desc = {.export_id = below(4),
                                   .address = 0x10000,
                                   .length = 4096,
                                   .access = DOCA_ACCESS_DPU_READ_WRITE,
                                   .target = DOCAD__EXPORT_TARGET__TARGET_DPU,
                                   .pci_address = "0000:99:00.0",
                                   .vuid = "FAKE"};
        uint8_t bytes[EXPORT_DESC_SIZE_MAX];
        Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
        size_t size;
        memcpy(desc.node, node->id, NODE_ID_SIZE);
        ck_assert_int_eq(export_desc_encode(&desc, bytes, &size), DOCA_SUCCESS);
        m.descriptor = (ProtobufCBinaryData){size, bytes};
        m.function_id = w->function;
        ask(w, DOCAD__MESSAGE__BODY_IMPORT_CREATE, &m);
        break;
    }
    case 1: {
        Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
        m.node = (ProtobufCBinaryData){NODE_ID_SIZE, node->id};
        ask(w, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m);
        break;
    }
    case 2: {
        struct rdma_desc desc = {.endpoint_id = below(8), .pci_address = "0", .vuid = "FAKE"};
        uint8_t bytes[RDMA_DESC_SIZE_MAX];
        Docad__RdmaConnect m = DOCAD__RDMA_CONNECT__INIT;
        size_t size;
        memcpy(desc.node, node->id, NODE_ID_SIZE);
        ck_assert_int_eq(rdma_desc_encode(&desc, bytes, &size), DOCA_SUCCESS);
        m.endpoint_id = any_number();
        m.descriptor = (ProtobufCBinaryData){size, bytes};
        ask(w, DOCAD__MESSAGE__BODY_RDMA_CONNECT, &m);
        break;
    }
    case 3: {
        Docad__RepresentorList list = DOCAD__REPRESENTOR_LIST__INIT;
        list.function_id = w->function;
        ask(w, DOCAD__MESSAGE__BODY_REPRESENTOR_LIST, &list);
        break;
    }
    case 4: {
        Docad__RepresentorOpen open = DOCAD__REPRESENTOR_OPEN__INIT;
        Docad__ChannelListen m = DOCAD__CHANNEL_LISTEN__INIT;
        open.representor_id = m.representor_id = (uint32_t)any_number();
        ask(w, DOCAD__MESSAGE__BODY_REPRESENTOR_OPEN, &open);
        m.function_id = w->function;
        m.name = (char *)"service";
        m.max_message = m.send_queue = m.recv_queue = 64;
        ask(w, DOCAD__MESSAGE__BODY_CHANNEL_LISTEN, &m);
        break;
    }
    default: {
        static const char *const ends[] = {"import_release", "queue_pair_destroy", "channel_close",
                                           "export_revoke",  "session_end",        "status"};
        const ProtobufCFieldDescriptor *body = body_named(ends[below(ARRAY_SIZE(ends))]);
        ask(w, (Docad__Message__BodyCase)body->id, any_message(body->descriptor));
    }
    }
}

// ---- the test ---------------------------------------------------------------------------------

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

START_TEST(anything)
{
    uint64_t rounds = number_from("DOCAD_TEST_ROUNDS", DOCAD_SANITIZER[0] ? 3000 : 10000);
    seed = number_from("DOCAD_TEST_SEED", 0x9e3779b97f4a7c15u) + (uint64_t)_i;
    struct worker w;
    worker_start(&w);
    for (uint64_t i = 0; i < rounds; i++) {
        arena_used = 0;
        if (one_in(8))
            work(&w);
        else
            act(&nodes[below(ARRAY_SIZE(nodes))]);
        if (one_in(64))
            daemon_assert_alive(docad);
        if (one_in(500)) {
            session_end(&w.s);
            worker_start(&w);
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
        close_fdp(&nodes[i].sock);
    session_end(&w.s);
    daemon_wait_links(docad, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("protocol_random");
    TCase *tcase = tcase_create("protocol_random");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, anything, 0, 4);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
