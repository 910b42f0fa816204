// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// No request of one user costs time that grows with what another user has. Mallory has very many
// objects, each in a page of its own, and alice sends each request of the protocol: a request may
// touch the few of mallory's objects that are next to alice's in lists and trees.

#include "announcement.h"
#include "cleanup.h"
#include "connection.h"
#include "export_desc.h"
#include "kinds.h"
#include "memfd.h"
#include "message.h"
#include "peer.h"
#include "peer_life.h"
#include "peer_link.h"
#include "publication.h"
#include "qpair.h"
#include "session_requests.h"
#include "session_rig.h"
#include "grace_period.h"
#include "touched.h"
#include "loop_sched.h"
#include "unit.h"
#include "user.h"
#include "work_walk.h"

#include <doca_types.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define ALICE      4711
#define MALLORY    4712
#define MANY       1500u // objects of a kind, or:
#define SOME       200u  // where each takes descriptors
#define SESSIONS   100u
#define MANY_THERE 600u // sessions on a linked node, each of which imports
#define FEW        150u // a tree of MANY is some 25 deep, and a request looks into several

// ---- objects in pages of their own ----------------------------------------------------------

static bool paged;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    return paged && n == 1 && size >= 64 && size <= 4096 ? touched_new() : __real_calloc(n, size);
}

// ---- requests -------------------------------------------------------------------------------

// The client, and the objects that it has been given.
struct sender {
    struct rig_session *rig;
    uint64_t region, export, import, qpair, endpoint, listener, other_session;
    struct bytes {
        uint8_t data[512];
        size_t size;
    } descriptor, rdma_descriptor, before; // `before` is the RDMA descriptor before that
    bool mapped;                           // regions are
    uint8_t token[EXPORT_TOKEN_SIZE];      // of the latest export
    uint64_t importer, grant;              // of a linked node's user
    uid_t uid;
    uint32_t port, list_kind, timeout_ms;
    char name[32];
};

static struct rig_session alice_rig, alice_other, mallory_rig, *mallory_rigs[SESSIONS];
static struct sender alice, mallory;
static bool was_sent[COUNTERS_REQUESTS];

static void copy_bytes(struct bytes *to, ProtobufCBinaryData from)
{
    ck_assert_uint_le(from.len, sizeof(to->data));
    memcpy(to->data, from.data, from.len);
    to->size = from.len;
}

static void take_token(struct sender *s)
{
    struct export_desc desc;
    ck_assert_int_eq(export_desc_decode(s->descriptor.data, s->descriptor.size, &desc, NULL),
                     DOCA_SUCCESS);
    memcpy(s->token, desc.token, sizeof(s->token));
}

static void take_answer(struct sender *s, const Docad__Message *m)
{
    switch (m->body_case) {
    case DOCAD__MESSAGE__BODY_REGION_REGISTER_REPLY:
        s->region = m->region_register_reply->region_id;
        break;
    case DOCAD__MESSAGE__BODY_EXPORT_CREATE_REPLY:
        s->export = m->export_create_reply->export_id;
        copy_bytes(&s->descriptor, m->export_create_reply->descriptor);
        take_token(s);
        break;
    case DOCAD__MESSAGE__BODY_PEER_IMPORT_REPLY:
        s->grant = m->peer_import_reply->grant_id;
        break;
    case DOCAD__MESSAGE__BODY_IMPORT_CREATE_REPLY:
        s->import = m->import_create_reply->import_id;
        break;
    case DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE_REPLY:
        s->qpair = m->queue_pair_create_reply->queue_pair_id;
        break;
    case DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE_REPLY:
        s->endpoint = m->rdma_endpoint_create_reply->endpoint_id;
        s->before = s->rdma_descriptor;
        copy_bytes(&s->rdma_descriptor, m->rdma_endpoint_create_reply->descriptor);
        break;
    case DOCAD__MESSAGE__BODY_RDMA_LISTEN_REPLY:
        s->listener = m->rdma_listen_reply->listener_id;
        break;
    default:
        break;
    }
}

static void take_answers(struct sender *s)
{
    while (rig_has_answer(s->rig)) {
        cleanup_message Docad__Message *answer = rig_answer(s->rig);
        take_answer(s, answer);
    }
}

// The fields of requests by their names, whichever message they are of.
static uint64_t number_of(const struct sender *s, const char *field)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"function_id", RIG_FUNCTION},
        {"region_id", s->region},
        {"export_id", s->export},
        {"import_id", s->import},
        {"queue_pair_id", s->qpair},
        {"endpoint_id", s->endpoint},
        {"listener_id", s->listener},
        {"session_id", s->other_session},
        {"address", 0x10000},
        {"length", 4096},
        {"access", s->mapped ? DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE : 0},
        {"has_memfd", s->mapped},
        {"target", DOCAD__EXPORT_TARGET__TARGET_RDMA},
        {"port", s->port},
        {"kind", s->list_kind},
        {"timeout_ms", s->timeout_ms},
        {"max_message", 64},
        {"send_queue", 8},
        {"recv_queue", 8},
        {"importer", s->importer},
        {"grant_id", s->grant},
        {"uid", s->uid},
        {"pid", 1},
        {"exact_gids", true},
        {"state", SLOT_REVOKED},
    };
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        if (strcmp(numbers[i].name, field) == 0)
            return numbers[i].value;
    return 0;
}

static ProtobufCBinaryData bytes_of(struct sender *s, const char *message, const char *field)
{
    if (strcmp(field, "node") == 0)
        return (ProtobufCBinaryData){NODE_ID_SIZE, rig_node.id};
    if (strcmp(field, "token") == 0)
        return (ProtobufCBinaryData){sizeof(s->token), s->token};
    if (strcmp(field, "descriptor") != 0)
        return (ProtobufCBinaryData){0};
    struct bytes *b = strcmp(message, "RdmaConnect") == 0 ? &s->before : &s->descriptor;
    return (ProtobufCBinaryData){b->size, b->data};
}

static void fill_one(struct sender *s, const ProtobufCMessage *m, const ProtobufCFieldDescriptor *f)
{
    char *at = (char *)(uintptr_t)m + f->offset;
    uint64_t number = number_of(s, f->name);

    switch (f->type) {
    case PROTOBUF_C_TYPE_STRING:
        *(char **)at = strcmp(f->name, "name") == 0 ? s->name : (char *)"";
        break;
    case PROTOBUF_C_TYPE_BYTES:
        *(ProtobufCBinaryData *)at = bytes_of(s, m->descriptor->short_name, f->name);
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        memcpy(at, &number, 8);
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_ENUM:
    case PROTOBUF_C_TYPE_BOOL:
        memcpy(at, &(uint32_t){(uint32_t)number}, 4);
        break;
    default:
        break;
    }
}

static void fill_region(Docad__RegionRegister *m, const struct sender *s, struct fd_list *fds)
{
    static Docad__Segment segment, *segments[] = {&segment};
    static uint32_t function = RIG_FUNCTION;
    docad__segment__init(&segment);
    segment.address = m->address;
    segment.length = m->length;
    segment.mapped = s->mapped;
    m->segments = segments;
    m->n_segments = 1;
    m->function_ids = &function;
    m->n_function_ids = s->mapped;
    if (s->mapped)
        fds->fds[fds->count++] = memfd_create_sealed("region", m->length);
}

static const ProtobufCFieldDescriptor *body_of(Docad__Message__BodyCase body)
{
    return protobuf_c_message_descriptor_get_field(&docad__message__descriptor, body);
}

// Makes the message from the protocol's descriptors, with its body in `m`.
static void make_message(struct sender *s, Docad__Message__BodyCase body, Docad__Message *out,
                         ProtobufCMessage *m, size_t size)
{
    const ProtobufCMessageDescriptor *type = body_of(body)->descriptor;

    ck_assert_uint_le(type->sizeof_message, size);
    type->message_init(m);
    for (unsigned i = 0; i < type->n_fields; i++)
        if (type->fields[i].label != PROTOBUF_C_LABEL_REPEATED)
            fill_one(s, m, &type->fields[i]);
    docad__message__init(out);
    out->body_case = body;
    memcpy((char *)out + body_of(body)->offset, &m, sizeof(m));
    was_sent[body] = true;
}

// Calls the handler of a request as a session does.
static doca_error_t send_request(struct sender *s, Docad__Message__BodyCase body)
{
    const struct kind_request *found = session_find_request(&rig_node, body);
    Docad__Message message;
    struct errtext err = {.s = ""};
    struct fd_list fds = FD_LIST_EMPTY;
    struct request request = {&s->rig->session, &message, &fds, &err};
    _Alignas(16) char bytes[512];
    ProtobufCMessage *m = (ProtobufCMessage *)bytes;

    ck_assert_ptr_nonnull(found);
    make_message(s, body, &message, m, sizeof(bytes));
    if (body == DOCAD__MESSAGE__BODY_REGION_REGISTER)
        fill_region((Docad__RegionRegister *)m, s, &fds);
    if (body == DOCAD__MESSAGE__BODY_EXPORT_CREATE)
        ((Docad__ExportCreate *)m)->import_id = 0; // the region's
    message.serial = ++s->rig->session.serial;
    doca_error_t r = found->fn(&request);
    ck_assert_msg(r != DOCA_ERROR_NO_MEMORY, "%s: %s", found->name, err.s);
    fd_list_close(&fds);
    return r;
}

// ---- what mallory has -------------------------------------------------------------------------

#define BODY(name) DOCAD__MESSAGE__BODY_##name

static void have(Docad__Message__BodyCase body, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        snprintf(mallory.name, sizeof(mallory.name), "name-%u", i);
        mallory.port = i + 1;
        doca_error_t r = send_request(&mallory, body);
        ck_assert_msg(r == DOCA_SUCCESS, "%s: %d", session_find_request(&rig_node, body)->name, r);
        take_answers(&mallory);
    }
}

static void have_sessions(void)
{
    for (unsigned i = 0; i < SESSIONS; i++) {
        struct errtext err;
        struct rig_session *rig = mallory_rigs[i] = touched_new();
        ck_assert_uint_le(sizeof(*rig), 4096);
        rig_session_begin(rig);
        rig_session_be(rig, MALLORY);
        ck_assert_int_eq(monitor_begin(&rig->session, &err), DOCA_SUCCESS);
    }
}

static void have_much(void)
{
    paged = true;
    have_sessions();
    have(BODY(REGION_REGISTER), MANY);
    mallory.mapped = true;
    have(BODY(REGION_REGISTER), 1);
    have(BODY(EXPORT_CREATE), MANY);
    have(BODY(IMPORT_CREATE), MANY);
    have(BODY(PUBLISH), MANY);
    have(BODY(QUEUE_PAIR_CREATE), SOME);
    have(BODY(RDMA_ENDPOINT_CREATE), SOME);
    have(BODY(RDMA_LISTEN), SOME);
    mallory.timeout_ms = 1000000;
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(mallory.name, sizeof(mallory.name), "later-%u", i);
        ck_assert_int_eq(send_request(&mallory, BODY(LOOKUP)), DOCA_SUCCESS);
    }
    paged = false;
    memset(was_sent, 0, sizeof(was_sent));
}

// ---- a linked node ------------------------------------------------------------------------------

static struct peer *peer;
static int peer_sock; // the linked node's end
static struct sender bob, mallory_there;
static uint64_t serial_there;

static void link_up(void)
{
    struct connection *connection;
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    peer_sock = pair[1];
    ck_assert_int_eq(connection_new(&connection, rig_node.base, pair[0], UINT64_MAX), 0);
    peer = peer_new(&rig_node, NULL);
    ck_assert_ptr_nonnull(peer);
    peer->connection = connection;
    peer->state = PEER_LINKED;
    peer->known = true;
    peer->id_there[0] = 2;
    strcpy(peer->name, "there");
    announcement_begin(peer);
    bob = (struct sender){.uid = ALICE, .importer = 1};
    mallory_there = (struct sender){.uid = MALLORY, .importer = 100};
}

static void send_there(struct sender *s, Docad__Message__BodyCase body)
{
    Docad__Message message;
    struct fd_list fds = FD_LIST_EMPTY;
    _Alignas(16) char bytes[1024];

    make_message(s, body, &message, (ProtobufCMessage *)bytes, sizeof(bytes));
    message.serial = ++serial_there;
    peer_dispatch(peer, &message, &fds);
    fd_list_close(&fds);
}

static void take_answers_there(struct sender *s)
{
    struct pollfd fd = {.fd = peer_sock, .events = POLLIN};
    while (poll(&fd, 1, 0) == 1) {
        cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
        cleanup_message Docad__Message *answer = NULL;
        ck_assert_int_gt(message_recv(peer_sock, &answer, &fds, MSG_DONTWAIT), 0);
        take_answer(s, answer);
    }
}

// The node serves queue pairs of mallory's.
static void have_queue_pairs_there(void)
{
    struct errtext err;
    for (unsigned i = 0; i < MANY_THERE; i++) {
        struct qpair *qp = qpair_make(&rig_node, &mallory_rig.session);
        ck_assert_int_eq(qpair_enter(qp, node_next_id(&rig_node), NULL, &err), DOCA_SUCCESS);
        qpair_set_state(qp, SLOT_LIVE);
        qp->peer = peer;
        list_append(&peer->qpairs, &qp->in_peer);
        qpair_set_there(qp, 1000 + i);
    }
}

// Imports of mallory's sessions there, and the names that it has published there.
static void have_much_there(void)
{
    paged = true;
    have_queue_pairs_there();
    mallory_there.export = mallory.export;
    mallory_there.descriptor = mallory.descriptor;
    take_token(&mallory_there);
    for (unsigned i = 0; i < MANY_THERE; i++) {
        mallory_there.importer = 100 + i;
        mallory_there.uid = MALLORY + i; // a linked node may name any users
        snprintf(mallory_there.name, sizeof(mallory_there.name), "there-%u", i);
        mallory_there.grant = 0;
        send_there(&mallory_there, BODY(PEER_IMPORT));
        take_answers_there(&mallory_there);
        ck_assert_uint_ne(mallory_there.grant, 0);
        send_there(&mallory_there, BODY(PEER_PUBLISH));
    }
    paged = false;
    memset(was_sent, 0, sizeof(was_sent));
}

static void link_down(void)
{
    peers_free_all(&rig_node);
    close_fdp(&peer_sock);
}

// ---- alice ------------------------------------------------------------------------------------

static void begin(void)
{
    rig_begin(kinds);
    rig_node.sched = sched_new(rig_node.base);
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        rig_config.limits.value[i] = LIMIT_UNLIMITED;
    rig_config.limits.users = &rig_node.users.list;
    alice.rig = &alice_rig;
    mallory.rig = &mallory_rig;
    rig_session_begin(&alice_rig);
    rig_session_begin(&alice_other);
    rig_session_begin(&mallory_rig);
    rig_session_be(&alice_rig, ALICE);
    rig_session_be(&alice_other, ALICE);
    rig_session_be(&mallory_rig, MALLORY);
    alice.other_session = alice_other.session.id;
    alice.mapped = true;
    have_much();
}

static void stop(struct rig_session *rig)
{
    struct list *grace_periods = &rig->session.grace_periods;
    work_wait_end(&rig->session.metrics);
    while (!list_empty(grace_periods))
        grace_period_cancel(list_entry(grace_periods->next, struct grace_period, in_session));
    rig_session_end(rig);
}

static void end(void)
{
    alice_other.session.ended_for = NULL;
    for (unsigned i = 0; i < SESSIONS; i++) {
        stop(mallory_rigs[i]);
        free(mallory_rigs[i]);
    }
    stop(&mallory_rig);
    stop(&alice_other);
    stop(&alice_rig);
    publications_free_all(&rig_node);
    grace_period_free_all(&rig_node);
    rig_node.work_walk = work_walk_free(rig_node.work_walk);
    rig_node.sched = sched_free(rig_node.sched);
    rig_end();
}

static void check(Docad__Message__BodyCase body, bool succeeds)
{
    const char *name = session_find_request(&rig_node, body)->name;

    touched_begin();
    doca_error_t r = send_request(&alice, body);
    size_t touched = touched_end();
    if (getenv("DOCAD_TEST_STEPS"))
        fprintf(stderr, "%-20s %4zu, result %d\n", name, touched, r);
    ck_assert_msg(touched <= FEW, "%s touches %zu objects of another user", name, touched);
    ck_assert_msg(!succeeds || r == DOCA_SUCCESS, "%s: %d", name, r);
    take_answers(&alice);
}

// Those that need what others have made, in an order in which they succeed.
static const Docad__Message__BodyCase in_order[] = {
    BODY(FUNCTION_LIST),
    BODY(FUNCTION_OPEN),
    BODY(REGION_REGISTER),
    BODY(EXPORT_CREATE),
    BODY(EXPORT_GET),
    BODY(PUBLISH),
    BODY(LOOKUP),
    BODY(IMPORT_CREATE),
    BODY(IMPORT_RELEASE),
    BODY(UNPUBLISH),
    BODY(PUBLISH),
    BODY(EXPORT_REVOKE),
    BODY(EXPORT_CREATE),
    BODY(REGION_UNREGISTER),
    BODY(QUEUE_PAIR_CREATE),
    BODY(QUEUE_PAIR_DESTROY),
    BODY(RDMA_ENDPOINT_CREATE),
    BODY(RDMA_ENDPOINT_CREATE),
    BODY(RDMA_CONNECT),
    BODY(RDMA_ENDPOINT_DESTROY),
    BODY(RDMA_ENDPOINT_CREATE),
    BODY(RDMA_LISTEN),
    BODY(RDMA_LISTEN_END),
    BODY(MONITOR),
    BODY(STATUS),
    BODY(METRICS),
    BODY(LOG_LEVEL),
    BODY(SESSION_END),
    BODY(FUNCTION_CLOSE),
};

START_TEST(requests_touch_few_objects_of_others)
{
    snprintf(alice.name, sizeof(alice.name), "name-7"); // mallory has one, too
    alice.port = UINT16_MAX;
    for (size_t i = 0; i < ARRAY_SIZE(in_order); i++)
        check(in_order[i], true);
    for (alice.list_kind = 0; alice.list_kind <= DOCAD__LIST__KIND__RDMA_LISTENERS;
         alice.list_kind++)
        check(BODY(LIST), true);
    // All others of the protocol, also those that were not there when this test was written.
    for (unsigned i = 0; i < docad__message__descriptor.n_fields; i++) {
        uint32_t body = docad__message__descriptor.fields[i].id;
        if (body < COUNTERS_REQUESTS && !was_sent[body] &&
            session_find_request(&rig_node, (Docad__Message__BodyCase)body))
            check((Docad__Message__BodyCase)body, false);
    }
}
END_TEST

static void check_there(Docad__Message__BodyCase body)
{
    touched_begin();
    send_there(&bob, body);
    size_t touched = touched_end();
    if (getenv("DOCAD_TEST_STEPS"))
        fprintf(stderr, "%-28s %4zu\n", body_of(body)->name, touched);
    ck_assert_msg(touched <= FEW, "%s touches %zu objects of another user", body_of(body)->name,
                  touched);
    take_answers_there(&bob);
}

static const Docad__Message__BodyCase in_order_there[] = {
    BODY(PEER_IMPORT),
    BODY(PEER_QUEUE_PAIR_CREATE),
    BODY(PEER_EXPORT_CREATE),
    BODY(PEER_PUBLISH),
    BODY(PEER_UNPUBLISH),
    BODY(PEER_IMPORT_RELEASE),
    // It names all that the linked node has, and ends what it does not name.
    BODY(PEER_RESUME),
};

// The same for messages of a linked node, in which another user of it asks for something.
START_TEST(messages_touch_few_objects_of_others)
{
    link_up();
    have_much_there();
    send_request(&alice, BODY(REGION_REGISTER));
    take_answers(&alice);
    send_request(&alice, BODY(EXPORT_CREATE));
    take_answers(&alice);
    bob.export = alice.export;
    bob.descriptor = alice.descriptor;
    take_token(&bob);
    strcpy(bob.name, "there-7");
    for (size_t i = 0; i + 1 < ARRAY_SIZE(in_order_there); i++)
        check_there(in_order_there[i]);
    ck_assert_uint_ne(bob.grant, 0);
    was_sent[BODY(PEER_RESUME)] = true;
    for (unsigned i = 0; i < docad__message__descriptor.n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &docad__message__descriptor.fields[i];
        bool is_hello = strncmp(f->name, "peer_hello", 10) == 0;
        if (strncmp(f->name, "peer_", 5) == 0 && !is_hello && f->id < COUNTERS_REQUESTS &&
            !was_sent[f->id])
            check_there((Docad__Message__BodyCase)f->id);
    }
    link_down();
}
END_TEST

int main(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    TCase *tcase = tcase_create("request steps");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, requests_touch_few_objects_of_others);
    tcase_add_test(tcase, messages_touch_few_objects_of_others);
    return unit_run_case("request steps", tcase);
}
