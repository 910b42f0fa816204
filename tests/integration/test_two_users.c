// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One user does its worst, and another is served. A user is all of its uids: what a process with a
// subordinate uid does counts as the user's. Needs root to be several users.

#include "users.h"

#include "channel_page.h"
#include "cleanup.h"
#include "deadline.h"
#include "memfd.h"
#include "sync_page.h"
#include "text_names.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct daemon_options host = {.role = "host"};

static doca_error_t hello_of(const struct daemon *daemon, uid_t uid, int *sock)
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    hello.version_min = hello.version_max = 1;
    users_be(uid);
    *sock = raw_connect(daemon->socket.s);
    users_be(0);
    return call(*sock, DOCAD__MESSAGE__BODY_HELLO, &hello);
}

static doca_error_t try_open(int sock)
{
    Docad__FunctionOpen m = DOCAD__FUNCTION_OPEN__INIT;
    m.function_id = 1;
    return call(sock, DOCAD__MESSAGE__BODY_FUNCTION_OPEN, &m);
}

// ---- subordinate uids -----------------------------------------------------------------------

static const uid_t uids_of_a[] = {USER_A, USER_SUB, USER_SUB + USERS_SUBS - 1, USER_INNER};

START_TEST(subordinate_uids_share_limits)
{
    enum { N = ARRAY_SIZE(uids_of_a) };
    struct daemon *daemon = users_daemon(&host, "sessions_per_uid = 4", "");
    struct raw_session sessions[N];
    int sock;

    for (size_t i = 0; i < N; i++)
        sessions[i] = session_of(daemon, uids_of_a[i]);
    for (size_t i = 0; i < N; i++) {
        ck_assert_int_eq(hello_of(daemon, uids_of_a[i], &sock), DOCA_ERROR_NO_MEMORY);
        assert_names(answer->error->text, "sessions_per_uid");
        close(sock);
    }
    // Neither of these is.
    struct raw_session b = session_of(daemon, USER_B);
    struct raw_session beyond = session_of(daemon, USER_SUB + USERS_SUBS);
    session_end(&b);
    session_end(&beyond);
    for (size_t i = 0; i < N; i++)
        session_end(&sessions[i]);
}
END_TEST

START_TEST(subordinate_uids_are_under_the_users_rules)
{
    struct daemon *daemon = users_daemon(&host, "",
                                         "policy \"a\" {\nusers = {\"64010\"}\nopen = {}\n}\n"
                                         "policy \"others\" {\n}\n");
    for (size_t i = 0; i < ARRAY_SIZE(uids_of_a); i++) {
        struct raw_session s = session_of(daemon, uids_of_a[i]);
        ck_assert_int_eq(try_open(s.sock), DOCA_ERROR_NOT_PERMITTED);
        session_end(&s);
    }
    struct raw_session b = session_of(daemon, USER_B);
    ck_assert_int_eq(try_open(b.sock), DOCA_SUCCESS);
    session_end(&b);
}
END_TEST

// The kernel does not let them trace their user, nor the user's root be root.
START_TEST(subordinate_uids_see_their_own)
{
    static char memory[64];
    struct daemon *daemon = users_daemon(&host, "", "");
    struct raw_session a = session_of(daemon, USER_A);
    uint32_t pf0 = open_function(a.sock, "pf0");
    register_brokered(a.sock, memory, sizeof(memory), DOCA_ACCESS_RDMA_READ, pf0);
    for (size_t i = 0; i < ARRAY_SIZE(uids_of_a); i++) {
        struct raw_session s = session_of(daemon, uids_of_a[i]);
        cleanup_message Docad__Message *m = raw_list(s.sock, DOCAD__LIST__KIND__REGIONS, 0);
        ck_assert_uint_eq(m->list_reply->n_regions, i == 0);
        cleanup_message Docad__Message *sessions = raw_list(s.sock, DOCAD__LIST__KIND__SESSIONS, 0);
        for (size_t k = 0; k < sessions->list_reply->n_sessions; k++)
            ck_assert_uint_eq(sessions->list_reply->sessions[k]->uid, uids_of_a[i]);
        session_end(&s);
    }
    session_end(&a);
}
END_TEST

// ---- one fills what it can, the other is served ---------------------------------------------

static char memory[64] = "what the other user copies";

// A session of user A that fills something, on the host or the DPU.
struct seat {
    struct raw_session session;
    uint32_t function;
    uint64_t region;
    struct descriptor d; // of an export of A on the host
};

static struct daemon *on_host, *on_dpu;

// Like session_of(), but docad may refuse it.
static bool try_session(const struct daemon *daemon, uid_t uid, struct raw_session *out)
{
    Docad__Hello hello = DOCAD__HELLO__INIT;
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    cleanup_message Docad__Message *reply = NULL;
    users_be(uid);
    cleanup_fd int sock = raw_connect(daemon->socket.s);
    users_be(0);
    hello.version_min = hello.version_max = 1;
    Docad__Message *message = message_of(HELLO, hello, &hello);
    message->serial = 1;
    if (message_send(sock, message, NULL, 0, MSG_NOSIGNAL) < 0 ||
        message_recv(sock, &reply, &fds, 0) != 1 ||
        reply->body_case != DOCAD__MESSAGE__BODY_HELLO_REPLY)
        return false;
    *out = (struct raw_session){.sock = steal_fd(&sock), .id = reply->hello_reply->session_id};
    memcpy(out->node, reply->hello_reply->node.data, NODE_ID_SIZE);
    return true;
}

static struct descriptor export_of(const struct raw_session *s)
{
    uint32_t pf0 = open_function(s->sock, "pf0");
    uint64_t region =
        register_brokered(s->sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_ONLY, pf0);
    return export_to(s->sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
}

static doca_error_t add_region(struct seat *s, int i)
{
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *list = &segment;
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    (void)i;
    m.address = segment.address = 0x1000;
    m.length = segment.length = 100;
    m.segments = &list;
    m.n_segments = 1;
    return call(s->session.sock, DOCAD__MESSAGE__BODY_REGION_REGISTER, &m);
}

static doca_error_t add_import(struct seat *s, int i)
{
    (void)i;
    return import_on(s->session.sock, &s->d, s->function);
}

static doca_error_t add_queue_pair(struct seat *s, int i)
{
    struct export_desc desc;
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    (void)i;
    ck_assert_int_eq(export_desc_decode(s->d.bytes, s->d.size, &desc, NULL), DOCA_SUCCESS);
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, desc.node};
    return call(s->session.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m);
}

static doca_error_t add_name(struct seat *s, int i)
{
    char name[32];
    snprintf(name, sizeof(name), "%llu-%d", (unsigned long long)s->session.id, i);
    return publish(s->session.sock, name, &s->d);
}

// Registers a page of its own, as register_mapped() does, but may be refused.
static doca_error_t add_page(struct seat *s)
{
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *list = &segment;
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    cleanup_fd int page = memfd_create_sealed("page", 4096);
    cleanup_fd int read_only = memfd_reopen_readonly(page);
    const int fds[] = {page, read_only};

    segment.address = m.address = 0x10000;
    segment.length = m.length = 4096;
    segment.mapped = m.has_memfd = m.has_memfd_ro = true;
    m.access = DOCA_ACCESS_DPU_READ_WRITE;
    m.function_ids = &s->function;
    m.n_function_ids = 1;
    m.segments = &list;
    m.n_segments = 1;
    doca_error_t r =
        call_with_fds(s->session.sock, DOCAD__MESSAGE__BODY_REGION_REGISTER, &m, fds, 2);
    if (r == DOCA_SUCCESS)
        s->region = answer->region_register_reply->region_id;
    return r;
}

// A counter for the other side, which costs docad descriptors.
static doca_error_t add_event(struct seat *s, int i)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    cleanup_fd int timer = sync_timer_new();
    doca_error_t r = add_page(s);
    (void)i;
    if (r != DOCA_SUCCESS)
        return r;
    m.region_id = s->region;
    m.function_id = s->function;
    m.target = DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT;
    return call_with_fds(s->session.sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &m, &timer, 1);
}

static doca_error_t add_listener(struct seat *s, int i)
{
    static uint32_t port = 1; // all users share them
    Docad__RdmaListen m = DOCAD__RDMA_LISTEN__INIT;
    (void)i;
    m.function_id = s->function;
    m.port = port++;
    return call(s->session.sock, DOCAD__MESSAGE__BODY_RDMA_LISTEN, &m);
}

static doca_error_t add_endpoint(struct seat *s, int i)
{
    Docad__RdmaEndpointCreate m = DOCAD__RDMA_ENDPOINT_CREATE__INIT;
    (void)i;
    m.function_id = s->function;
    return call(s->session.sock, DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE, &m);
}

// Memory that it has imported, exported once more.
static doca_error_t add_delegation(struct seat *s, int i)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    doca_error_t r = add_import(s, i);
    if (r != DOCA_SUCCESS)
        return r;
    m.import_id = answer->import_create_reply->import_id;
    m.function_id = s->function;
    m.target = DOCAD__EXPORT_TARGET__TARGET_RDMA;
    return call(s->session.sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &m);
}

static doca_error_t add_nothing(struct seat *s, int i)
{
    (void)s;
    (void)i;
    return DOCA_ERROR_NO_MEMORY; // the session itself is it
}

static const struct attack {
    const char *limits;
    bool far; // from the DPU
    doca_error_t (*add)(struct seat *s, int i);
} attacks[] = {
    {"sessions_per_uid = 9", false, add_nothing},
    {"region_bytes_per_uid = 3000", false, add_region},
    {"publications_per_uid = 9", false, add_name},
    {"descriptors_per_uid = 40", true, add_queue_pair},
    {"descriptors = 160", true, add_queue_pair},
    {"state_slots_per_uid = 20", true, add_import},
    {"state_slots_per_uid = 20", true, add_queue_pair},
    {"metadata_bytes_per_uid = 4M", false, add_region},
    {"metadata_bytes = 12M", false, add_nothing},
    {"metadata_bytes = 12M", false, add_region},
    {"metadata_bytes = 12M", false, add_name},
    {"metadata_bytes = 12M", true, add_import},
    {"metadata_bytes = 64M", true, add_queue_pair},
    {"importers_per_peer = 8", true, add_import},
    {"grants_per_peer = 8", true, add_import},
    {"queue_pairs_per_peer = 8", true, add_queue_pair},
    {"descriptors_per_peer = 40", true, add_queue_pair},
    {"publications_per_peer = 8\n publications_per_uid = 40", true, add_name},
    {"descriptors_per_uid = 40", false, add_event},
    {"descriptors = 160", false, add_event},
    {"metadata_bytes = 12M", false, add_event},
    {"descriptors_per_uid = 40", false, add_listener},
    {"listeners_per_uid = 9", false, add_listener},
    {"descriptors = 160", false, add_listener},
    {"metadata_bytes = 12M", false, add_listener},
    {"state_slots_per_uid = 20", false, add_endpoint},
    {"metadata_bytes = 12M", false, add_endpoint},
    {"grants_per_peer = 16", true, add_delegation},
    {"metadata_bytes = 12M", true, add_delegation},
};

#define SEATS 512 // each uid of A tries that many sessions
#define EACH  700 // and each of them so many objects

// Takes whatever A gets, under all of its uids, and returns how many sessions it has.
static size_t fill(const struct attack *attack, const struct descriptor *d,
                   struct raw_session *sessions)
{
    size_t n = 0;
    for (size_t u = 0; u < ARRAY_SIZE(uids_of_a); u++) {
        unsigned vain = 0;
        for (int k = 0; k < SEATS && vain < 3; k++) {
            struct seat seat = {.d = *d};
            if (!try_session(attack->far ? on_dpu : on_host, uids_of_a[u], &seat.session))
                break;
            sessions[n++] = seat.session;
            seat.function = open_function(seat.session.sock, attack->far ? "p0" : "pf0");
            int i = 0;
            while (i < EACH && attack->add(&seat, i) == DOCA_SUCCESS)
                i++;
            answer_drop();
            vain += i == 0 && attack->add != add_nothing;
        }
    }
    return n;
}

// User B listens to a port of the host, is called, and hears of it.
static void assert_called(const struct raw_session *listener, const struct raw_session *caller,
                          const char *function)
{
    Docad__RdmaListen listen = DOCAD__RDMA_LISTEN__INIT;
    Docad__RdmaEndpointCreate endpoint = DOCAD__RDMA_ENDPOINT_CREATE__INIT;
    Docad__RdmaCall m = DOCAD__RDMA_CALL__INIT;
    cleanup_fdlist struct fd_list heard = FD_LIST_EMPTY;
    uint8_t offer[512];

    listen.function_id = open_function(listener->sock, "pf0");
    listen.port = m.port = UINT16_MAX;
    doca_error_t r = call(listener->sock, DOCAD__MESSAGE__BODY_RDMA_LISTEN, &listen);
    ck_assert_msg(r == DOCA_SUCCESS, "listen: %s", answer->error->text);
    cleanup_fd int accept = fd_list_take(&answer_fds, 0);
    endpoint.function_id = open_function(caller->sock, function);
    r = call(caller->sock, DOCAD__MESSAGE__BODY_RDMA_ENDPOINT_CREATE, &endpoint);
    ck_assert_msg(r == DOCA_SUCCESS, "endpoint: %s", answer->error->text);
    m.endpoint_id = answer->rdma_endpoint_create_reply->endpoint_id;
    r = call(caller->sock, DOCAD__MESSAGE__BODY_RDMA_CALL, &m);
    ck_assert_msg(r == DOCA_SUCCESS, "call: %s", answer->error->text);
    ck_assert_int_gt(packet_recv(accept, offer, sizeof(offer), &heard, 0), 0);
    ck_assert_uint_eq(heard.count, 1);
    answer_drop();
}

// User B exports on the host, publishes, looks up on the DPU, imports there, and reads its bytes.
static void assert_served(uid_t uid)
{
    struct raw_session owner = session_of(on_host, uid), user = session_of(on_dpu, uid);
    struct descriptor d = export_of(&owner);
    uint32_t p0 = open_function(user.sock, "p0");

    ck_assert_int_eq(publish(user.sock, "of-B", &d), DOCA_SUCCESS);
    ck_assert_int_eq(lookup(owner.sock, "of-B", HARNESS_LIMIT_MS), DOCA_SUCCESS);
    doca_error_t r = import_on(user.sock, &d, p0);
    ck_assert_msg(r == DOCA_SUCCESS, "import: %s", answer->error->text);
    uint64_t address = answer->import_create_reply->address;
    uint32_t key = answer->import_create_reply->grant_key;
    answer_drop();
    struct qp_client qp = raw_queue_pair(&user, owner.node);
    Docad__QueuePairDestroy destroy = DOCAD__QUEUE_PAIR_DESTROY__INIT;
    destroy.queue_pair_id = answer->queue_pair_create_reply->queue_pair_id;
    ck_assert_uint_eq(raw_move(&qp, QP_READ, address, sizeof(memory), key), DOCA_SUCCESS);
    ck_assert_mem_eq(&qp.shared->data[0][0], memory, sizeof(memory));
    qp_client_fini(&qp);
    ck_assert_int_eq(call(user.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY, &destroy),
                     DOCA_SUCCESS);
    assert_called(&owner, &user, "p0");
    session_end(&user);
    session_end(&owner);
}

START_TEST(the_other_is_served)
{
    static struct raw_session sessions[ARRAY_SIZE(uids_of_a) * SEATS];
    const struct attack *attack = &attacks[_i];

    on_host = users_daemon(&host, attack->limits, "");
    on_dpu = users_daemon(&(struct daemon_options){.role = "dpu", .peers = {on_host->socket.s}},
                          attack->limits, "");
    daemon_wait_links(on_dpu, 1);
    struct raw_session exporter = session_of(on_host, USER_A);
    struct descriptor d = export_of(&exporter);
    size_t n = fill(attack, &d, sessions);
    ck_assert_uint_gt(n, 0);
    assert_served(USER_B);
    for (size_t i = 0; i < n; i++)
        session_end(&sessions[i]);
    session_end(&exporter);
    assert_baseline(on_host);
    if (!attack->far || attack->add != add_name) // the host has told nothing of names it refused
        assert_baseline(on_dpu);
}
END_TEST

// Connections that say nothing, where docad may have few descriptors.
START_TEST(silent_connections)
{
    enum { N = 400 };
    static int socks[N];
    struct daemon *daemon = users_daemon(
        &(struct daemon_options){.role = "host", .wrapper = {"prlimit", "--nofile=256:256"}}, "",
        "");
    for (size_t i = 0; i < N; i++) {
        users_be(uids_of_a[i % ARRAY_SIZE(uids_of_a)]);
        socks[i] = raw_connect(daemon->socket.s);
    }
    users_be(0);
    struct raw_session b = session_of(daemon, USER_B);
    export_of(&b);
    answer_drop();
    session_end(&b);
    for (size_t i = 0; i < N; i++)
        close(socks[i]);
}
END_TEST

static doca_error_t connect_to_service(struct raw_session *s, uint32_t function, bool comch)
{
    Docad__ChannelConnect m = DOCAD__CHANNEL_CONNECT__INIT;
    m.function_id = function;
    m.name = (char *)"service";
    m.max_message = 64;
    m.send_queue = m.recv_queue = 8;
    m.takes_packets = comch;
    return call(s->sock, DOCAD__MESSAGE__BODY_CHANNEL_CONNECT, &m);
}

// What has been offered to the service so far.
static void accept_all(int accept_sock)
{
    uint8_t bytes[256];
    struct fd_list fds;
    while (packet_recv(accept_sock, bytes, sizeof(bytes), &fds, MSG_DONTWAIT) > 0)
        fd_list_close(&fds);
}

START_TEST(places_of_a_service)
{
    struct raw_session a[2];
    int accept_sock;
    on_host = users_daemon(&host, "", "");
    on_dpu =
        users_daemon(&(struct daemon_options){.role = "dpu", .peers = {on_host->socket.s}}, "", "");
    daemon_wait_links(on_dpu, 1);
    struct raw_session service = session_of(on_dpu, USER_B);
    raw_listen(service.sock, "service", "0b:00.0", &accept_sock);
    unsigned n = 0;
    for (int i = 0; i < 2; i++) {
        doca_error_t r;
        a[i] = session_of(on_host, uids_of_a[i]);
        uint32_t pf0 = open_function(a[i].sock, "pf0");
        for (; (r = connect_to_service(&a[i], pf0, i)) == DOCA_SUCCESS; n++)
            accept_all(accept_sock);
        // When others have left. Clients of the Comm Channel do not know that they may try again.
        ck_assert_int_eq(r, i ? DOCA_ERROR_AGAIN : DOCA_ERROR_NO_MEMORY);
    }
    ck_assert_uint_eq(n, CHANNELS_PER_SERVICE / 2);
    struct raw_session b = session_of(on_host, USER_B);
    ck_assert_int_eq(connect_to_service(&b, open_function(b.sock, "pf0"), true), DOCA_SUCCESS);
    accept_all(accept_sock);
    answer_drop();
    session_end(&a[0]);
    session_end(&a[1]);
    session_end(&b);
    session_end(&service);
    close(accept_sock);
}
END_TEST

#define CALLS_WAITING 64 // those of one user, of 128

// By the address of the host's pf0, 192.168.100.1: the listener is another user's.
static doca_error_t call_port(const struct raw_session *s, uint64_t endpoint, uint32_t port)
{
    static uint8_t address[16] = {[10] = 0xff, [11] = 0xff, 192, 168, 100, 1};
    Docad__RdmaCall m = DOCAD__RDMA_CALL__INIT;
    m.endpoint_id = endpoint;
    m.port = port;
    m.address = (ProtobufCBinaryData){sizeof(address), address};
    doca_error_t r = call(s->sock, DOCAD__MESSAGE__BODY_RDMA_CALL, &m);
    fd_list_close(&answer_fds);
    return r;
}

// Calls that a listener has not looked at, of this node's users and of another node's.
START_TEST(places_of_a_listener)
{
    const char *function = _i ? "p0" : "pf0";
    uint64_t endpoints[2];
    struct raw_session a[2];
    on_host = users_daemon(&host, "", "");
    on_dpu =
        users_daemon(&(struct daemon_options){.role = "dpu", .peers = {on_host->socket.s}}, "", "");
    daemon_wait_links(on_dpu, 1);
    struct daemon *from = _i ? on_dpu : on_host;
    struct raw_session listener = session_of(on_host, USER_B);
    Docad__RdmaListen m = DOCAD__RDMA_LISTEN__INIT;
    m.function_id = open_function(listener.sock, "pf0");
    m.port = 7;
    ck_assert_int_eq(call(listener.sock, DOCAD__MESSAGE__BODY_RDMA_LISTEN, &m), DOCA_SUCCESS);
    cleanup_fd int accept = fd_list_take(&answer_fds, 0); // nobody takes the calls
    ck_assert_int_ge(accept, 0);
    unsigned n = 0;
    for (int i = 0; i < 2; i++) { // the second as a subordinate uid of the same user
        struct seat seat = {.session = a[i] = session_of(from, uids_of_a[i])};
        seat.function = open_function(a[i].sock, function);
        ck_assert_int_eq(add_endpoint(&seat, 0), DOCA_SUCCESS);
        endpoints[i] = answer->rdma_endpoint_create_reply->endpoint_id;
        while (call_port(&a[i], endpoints[i], m.port) == DOCA_SUCCESS)
            n++;
        ck_assert_int_eq(call_port(&a[i], endpoints[i], m.port), DOCA_ERROR_AGAIN);
    }
    ck_assert_uint_eq(n, CALLS_WAITING);
    struct seat b = {.session = session_of(from, USER_B)};
    b.function = open_function(b.session.sock, function);
    ck_assert_int_eq(add_endpoint(&b, 0), DOCA_SUCCESS);
    uint64_t endpoint = answer->rdma_endpoint_create_reply->endpoint_id;
    ck_assert_int_eq(call_port(&b.session, endpoint, m.port), DOCA_SUCCESS);
    answer_drop();
    session_end(&a[0]);
    session_end(&a[1]);
    session_end(&b.session);
    session_end(&listener);
}
END_TEST

// Names of exports of a node that does not exist go with their session; others stay.
START_TEST(names_of_nobody)
{
    struct daemon *daemon = users_daemon(&host, "publications_per_uid = 20", "");
    struct descriptor nobodys = fake_descriptor(1);
    struct raw_session b = session_of(daemon, USER_B);
    struct descriptor d = export_of(&b);
    for (int round = 0; round < 3; round++) {
        struct raw_session a = session_of(daemon, USER_A);
        for (int i = 0; i < 10; i++) {
            char name[16];
            snprintf(name, sizeof(name), "squat%d", i);
            ck_assert_int_eq(publish(a.sock, name, &nobodys), DOCA_SUCCESS);
        }
        if (round == 0)
            ck_assert_int_eq(publish(a.sock, "stays", &d), DOCA_SUCCESS);
        session_end(&a);
        struct daemon_counts counts;
        do
            daemon_counts(daemon, &counts);
        while (counts.publications > 1);
    }
    ck_assert_int_eq(lookup(b.sock, "64010/stays", 0), DOCA_SUCCESS);
    answer_drop();
    session_end(&b);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, 400); // where a processor is emulated, too
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    suite_add_tcase(suite, tcase);
    return tcase;
}

int main(void)
{
    if (geteuid() != 0) {
        puts("SKIPPED: must be root to be several users");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("two users");
    TCase *uids = add_case(suite, "uids");
    tcase_add_test(uids, subordinate_uids_share_limits);
    tcase_add_test(uids, subordinate_uids_are_under_the_users_rules);
    tcase_add_test(uids, subordinate_uids_see_their_own);
    TCase *places = add_case(suite, "places");
    tcase_add_test(places, silent_connections);
    tcase_add_test(places, places_of_a_service);
    tcase_add_loop_test(places, places_of_a_listener, 0, 2);
    tcase_add_test(places, names_of_nobody);
    TCase *attacked = add_case(suite, "attacks");
    tcase_add_loop_test(attacked, the_other_is_served, 0, ARRAY_SIZE(attacks));
    return run_suite(suite);
}
