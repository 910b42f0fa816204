// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A client leaves descriptors that make whoever uses or closes them wait (hanging.h) in whatever
// socket it shares with docad, and ends. docad releases everything of the client and continues: it
// answers requests of others, and the engine continues, too. Each kind, in each place.

#include "client.h"
#include "cleanup.h"
#include "deadline.h"
#include "hanging.h"
#include "kernel.h"
#include "lingering.h"
#include "nodes.h"
#include "packet.h"
#include "protocol.h"
#include "request.h"
#include "sync_page.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NAME   "closing"
#define PORT   4791 // of RDMA by address
#define UNREAD 500  // messages that a socket has no room for

#define LINGERING HANGING_KINDS // one kind more: a TCP socket that lingers

static int kind;
static struct lingering lingering;
static struct hanging hanging;

// docad does not look until the client has gone.
static void freeze(void)
{
    daemon_freeze(nodes.host);
    daemon_freeze(nodes.dpu);
}

static void thaw(void)
{
    if (kind == LINGERING)
        lingering_leave(&lingering);
    else
        hanging_leave(&hanging);
    daemon_thaw(nodes.host);
    daemon_thaw(nodes.dpu);
}

// Sends it beside `size` bytes, as the last of `n_fds` descriptors, with these flags.
static void send_hanging(int sock, size_t size, size_t n_fds, int flags)
{
    if (kind != LINGERING)
        lingering.fd = lingering.listener = hanging.fd;
    lingering_send(&lingering, sock, size, n_fds, flags);
}

static void make_queue_pair(const struct raw_session *s)
{
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)s->node};
    ck_assert_int_eq(call(s->sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m), DOCA_SUCCESS);
}

static void assert_goes_on(struct daemon *daemon)
{
    assert_baseline(daemon);
    struct raw_session s = session_start(daemon);
    make_queue_pair(&s);
    session_end(&s);
    assert_baseline(daemon);
}

// ---- connections ------------------------------------------------------------------------

static void behind_a_bad_message(void)
{
    struct raw_session s = session_start(nodes.host);
    freeze();
    ck_assert_int_eq(send(s.sock, "\xff", 1, 0), 1);
    send_hanging(s.sock, 0, 1, 0);
    session_end(&s);
    thaw();
}

static void in_a_bad_message(void)
{
    struct raw_session s = session_start(nodes.host);
    freeze();
    send_hanging(s.sock, 3, 1, 0);
    session_end(&s);
    thaw();
}

static void with_more_than_are_allowed(void)
{
    struct raw_session s = session_start(nodes.host);
    freeze();
    send_hanging(s.sock, 3, 20, 0);
    session_end(&s);
    thaw();
}

static void before_the_hello(void)
{
    cleanup_fd int sock = -1;
    freeze();
    sock = raw_connect(nodes.host->socket.s);
    ck_assert_int_eq(send(sock, "\xff", 1, 0), 1);
    send_hanging(sock, 3, 1, 0);
    close_fdp(&sock);
    thaw();
}

static int connect_to_metrics(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t n = strlen(nodes.host->socket.s) - strlen(".sock");
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%.*s-metrics.sock", (int)n,
             nodes.host->socket.s);
    ck_assert_int_eq(connect(sock, (struct sockaddr *)&address, sizeof(address)), 0);
    return sock;
}

static void to_the_metrics(void)
{
    freeze();
    cleanup_fd int sock = connect_to_metrics();
    send_hanging(sock, 1, 1, MSG_OOB);
    close_fdp(&sock);
    thaw();
}

// ---- queue pairs and events -------------------------------------------------------------

static void over_a_queue_pair(int flags)
{
    struct raw_session s = session_start(nodes.host);
    make_queue_pair(&s);
    cleanup_fd int channel = fd_list_take(&answer_fds, 2);
    answer_drop();
    freeze();
    send_hanging(channel, 1, 1, flags);
    close_fdp(&channel);
    session_end(&s);
    thaw();
}

static void over_a_queue_pairs_channel(void)
{
    over_a_queue_pair(0);
}

static void out_of_band(void)
{
    over_a_queue_pair(MSG_OOB);
}

static struct descriptor make_event(const struct raw_session *s, int timer)
{
    Docad__ExportCreate m = DOCAD__EXPORT_CREATE__INIT;
    struct descriptor d;
    m.function_id = open_function(s->sock, "pf0");
    m.region_id = register_mapped(s->sock, 4096, DOCA_ACCESS_DPU_READ_WRITE, m.function_id);
    m.target = DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT;
    ck_assert_int_eq(call_with_fds(s->sock, DOCAD__MESSAGE__BODY_EXPORT_CREATE, &m, &timer, 1),
                     DOCA_SUCCESS);
    d.size = answer->export_create_reply->descriptor.len;
    memcpy(d.bytes, answer->export_create_reply->descriptor.data, d.size);
    return d;
}

static void take_event(const struct raw_session *s, const struct descriptor *d)
{
    Docad__ImportCreate m = DOCAD__IMPORT_CREATE__INIT;
    m.descriptor = (ProtobufCBinaryData){d->size, (uint8_t *)d->bytes};
    m.function_id = open_function(s->sock, "p0");
    m.sync_event = true;
    ck_assert_int_eq(call(s->sock, DOCAD__MESSAGE__BODY_IMPORT_CREATE, &m), DOCA_SUCCESS);
}

static void over_a_lifeline(void)
{
    struct raw_session owner = session_start(nodes.host), s = session_start(nodes.dpu);
    cleanup_fd int timer = sync_timer_new();
    struct descriptor d = make_event(&owner, timer);
    take_event(&s, &d);
    cleanup_fd int lifeline = fd_list_take(&answer_fds, answer_fds.count - 1);
    answer_drop();
    freeze();
    send_hanging(lifeline, 1, 1, 0);
    close_fdp(&lifeline);
    session_end(&owner);
    session_end(&s);
    thaw();
}

// ---- channels ---------------------------------------------------------------------------

static int listen_at(const struct raw_session *service)
{
    int sock;
    raw_listen(service->sock, NAME, HOST_PF0, &sock);
    return sock;
}

static void over_an_accept_socket(void)
{
    struct raw_session s = session_start(nodes.dpu);
    cleanup_fd int sock = listen_at(&s);
    freeze();
    send_hanging(sock, 0, 1, 0);
    close_fdp(&sock);
    session_end(&s);
    thaw();
}

static void ask_for_channel(int sock, uint32_t function)
{
    Docad__ChannelConnect m = DOCAD__CHANNEL_CONNECT__INIT;
    m.function_id = function;
    m.name = (char *)NAME;
    m.max_message = 64;
    m.send_queue = m.recv_queue = 8;
    post(sock, DOCAD__MESSAGE__BODY_CHANNEL_CONNECT, &m);
}

// Its end for a client that does not read, so that docad has it still.
static void over_a_channel_under_way(void)
{
    struct raw_session service = session_start(nodes.dpu), s = session_start(nodes.host);
    cleanup_fd int sock = listen_at(&service);
    Docad__Status status = DOCAD__STATUS__INIT;
    cleanup_fdlist struct fd_list end = FD_LIST_EMPTY;
    char offer[64];

    uint32_t pf0 = open_function(s.sock, "pf0");
    for (int i = 0; i < UNREAD; i++)
        post(s.sock, DOCAD__MESSAGE__BODY_STATUS, &status);
    ask_for_channel(s.sock, pf0);
    ck_assert_int_gt(packet_recv(sock, offer, sizeof(offer), &end, 0), 0);
    freeze();
    send_hanging(end.fds[0], 1, 1, 0);
    fd_list_close(&end);
    close_fdp(&sock);
    session_end(&service);
    session_end(&s);
    thaw();
}

// ---- RDMA by address --------------------------------------------------------------------

static int listen_to_port(const struct raw_session *s, uint32_t function)
{
    Docad__RdmaListen m = DOCAD__RDMA_LISTEN__INIT;
    m.function_id = function;
    m.port = PORT;
    ck_assert_int_eq(call(s->sock, DOCAD__MESSAGE__BODY_RDMA_LISTEN, &m), DOCA_SUCCESS);
    return fd_list_take(&answer_fds, 0);
}

// To docad's end of the socket at which a listener hears of calls.
static void over_a_listeners_socket(void)
{
    struct raw_session s = session_start(nodes.host);
    cleanup_fd int sock = listen_to_port(&s, open_function(s.sock, "pf0"));
    freeze();
    send_hanging(sock, 1, 1, 0);
    close_fdp(&sock);
    session_end(&s);
    thaw();
}

// ---- relays -----------------------------------------------------------------------------

struct relayed {
    struct raw_session service, client;
    int accept_sock;
    struct fd_list end; // the client's; the other one is a relay's
};

static void relayed_start(struct relayed *r)
{
    r->service = session_start(nodes.dpu);
    r->accept_sock = listen_at(&r->service);
    r->client = session_start(nodes.host);
    ask_for_channel(r->client.sock, open_function(r->client.sock, "pf0"));
    receive_any(r->client.sock);
    ck_assert_uint_eq(answer->body_case, DOCAD__MESSAGE__BODY_CHANNEL_CONNECT_REPLY);
    r->end = answer_fds;
    answer_fds.count = 0;
    answer_drop();
    freeze();
}

static void relayed_leave(struct relayed *r)
{
    fd_list_close(&r->end);
    close_fdp(&r->accept_sock);
    session_end(&r->service);
    session_end(&r->client);
    thaw();
}

// Sends them behind the packet of no bytes with which a process says that it has left.
static void to_a_relay(void)
{
    struct relayed r;
    relayed_start(&r);
    ck_assert_int_eq(send(r.end.fds[0], "", 0, 0), 0);
    send_hanging(r.end.fds[0], 1, 1, 0);
    relayed_leave(&r);
}

static void to_a_relay_with_others(void)
{
    struct relayed r;
    relayed_start(&r);
    send_hanging(r.end.fds[0], 1, 20, 0);
    relayed_leave(&r);
}

static void to_wake_a_relay(void)
{
    struct relayed r;
    relayed_start(&r);
    send_hanging(r.end.fds[1], 1, 1, 0);
    relayed_leave(&r);
}

static void to_wake_a_relay_out_of_band(void)
{
    struct relayed r;
    relayed_start(&r);
    send_hanging(r.end.fds[1], 1, 1, MSG_OOB);
    relayed_leave(&r);
}

// -----------------------------------------------------------------------------------------

#define EVERYWHERE                                                                                 \
    behind_a_bad_message, in_a_bad_message, with_more_than_are_allowed, before_the_hello,          \
        to_the_metrics, over_a_queue_pairs_channel, out_of_band, over_a_lifeline,                  \
        over_an_accept_socket, over_a_listeners_socket

static void (*const linked_ways[])(void) = {EVERYWHERE, over_a_channel_under_way};
static void (*const apart_ways[])(void) = {EVERYWHERE, to_a_relay, to_a_relay_with_others,
                                           to_wake_a_relay, to_wake_a_relay_out_of_band};

static bool open_kind(void)
{
    if (kind != LINGERING)
        return hanging_open(&hanging, (enum hanging_kind)kind, NULL);
    lingering_open(&lingering);
    return true;
}

static void end_kind(void)
{
    if (kind == LINGERING)
        lingering_end(&lingering);
    else
        hanging_end(&hanging);
}

// Everybody is served while the descriptor hangs.
static void assert_others_are_served(void (*way)(void))
{
    for (kind = 0; kind <= LINGERING; kind++) {
        if (!open_kind())
            continue;
        way();
        assert_goes_on(nodes.host);
        assert_goes_on(nodes.dpu);
        end_kind();
    }
}

START_TEST(linked)
{
    assert_others_are_served(linked_ways[_i]);
}
END_TEST

START_TEST(apart)
{
    assert_others_are_served(apart_ways[_i]);
}
END_TEST

// ---- what docad holds, too ----------------------------------------------------------------

// A process watches it in a way that makes its last close wait, which is docad's.
static void assert_ends_watched(struct raw_session *s, int *fd)
{
    bool watched = hanging_watch(&hanging, fd, 1);
    close_fdp(fd);
    session_end(s);
    assert_goes_on(nodes.host);
    assert_goes_on(nodes.dpu);
    if (watched)
        hanging_end(&hanging);
}

// The doorbell of a queue pair to this node.
static void watch_doorbell(const uint8_t *node)
{
    struct raw_session s = session_start(nodes.host);
    Docad__QueuePairCreate m = DOCAD__QUEUE_PAIR_CREATE__INIT;
    m.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)node};
    ck_assert_int_eq(call(s.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &m), DOCA_SUCCESS);
    int doorbell = fd_list_take(&answer_fds, 1);
    answer_drop();
    assert_ends_watched(&s, &doorbell);
}

START_TEST(watched_doorbell)
{
    struct raw_session s = session_start(nodes.host);
    session_end(&s);
    watch_doorbell(s.node);
}
END_TEST

// That of a queue pair whose requests another node carries out.
START_TEST(watched_remote_doorbell)
{
    struct raw_session s = session_start(nodes.dpu);
    session_end(&s);
    watch_doorbell(s.node);
}
END_TEST

START_TEST(watched_timer)
{
    struct raw_session s = session_start(nodes.host);
    int timer = sync_timer_new();
    make_event(&s, timer);
    answer_drop();
    assert_ends_watched(&s, &timer);
}
END_TEST

// ---- many -------------------------------------------------------------------------------

#define MANY 64 // of which none closes, then docad takes nothing more

static struct lingering all[2 * MANY];

static void open_all(size_t n)
{
    for (size_t i = 0; i < n; i++)
        lingering_open(&all[i]);
}

static void leave_all(size_t n)
{
    for (size_t i = 0; i < n; i++)
        lingering_leave(&all[i]);
}

static void end_all(size_t n)
{
    for (size_t i = 0; i < n; i++)
        lingering_end(&all[i]);
}

// Reading docad's metrics does not circumvent the limit on what docad accepts from a user.
START_TEST(many_to_the_metrics)
{
    enum { VISITS = 6, N = VISITS * LINGERING_MAX };
    unsigned before = daemon_descriptors(nodes.host);
    int socks[VISITS];
    char text[4096];
    open_all(N);
    daemon_freeze(nodes.host); // later it would end the closes that wait
    for (size_t i = 0; i < VISITS; i++) {
        socks[i] = connect_to_metrics();
        lingering_send_each(&all[i * LINGERING_MAX], LINGERING_MAX, socks[i]);
    }
    leave_all(N);
    daemon_thaw(nodes.host);
    for (size_t i = 0; i < VISITS; i++) {
        while (recv(socks[i], text, sizeof(text), 0) > 0)
            ;
        close(socks[i]);
    }
    ck_assert_uint_lt(daemon_descriptors(nodes.host), before + MANY + LINGERING_MAX + VISITS);
    end_all(N);
}
END_TEST

// A user whose descriptors do not close connects again and again, and says what is never read.
START_TEST(many_connections)
{
    unsigned before = daemon_descriptors(nodes.host);
    int fds[MANY + MANY / 2];
    char byte = 'x';
    if (!hanging_open_many(&hanging, fds, ARRAY_SIZE(fds)))
        return;
    daemon_freeze(nodes.host);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        cleanup_fd int sock = raw_connect(nodes.host->socket.s);
        ck_assert_int_eq(packet_send(sock, "x", 1, &fds[i], 1, 0), 0);
    }
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        close_fdp(&fds[i]);
    daemon_thaw(nodes.host);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (daemon_descriptors(nodes.host) < before + MANY / 2) // the closes wait
        ck_assert(deadline_pause(deadline));
    for (int i = 0; i < 3 * MANY; i++) {
        cleanup_fd int sock = raw_connect(nodes.host->socket.s);
        ck_assert_int_eq(send(sock, &byte, 1, 0), 1);
    }
    cleanup_fd int last = raw_connect(nodes.host->socket.s);
    ck_assert_int_eq(send(last, &byte, 1, 0), 1);
    ck_assert_int_le(recv(last, &byte, 1, 0), 0); // some seconds later docad has had enough
    while (daemon_descriptors(nodes.host) > before + 2 * MANY)
        ck_assert_msg(deadline_pause(deadline), "%u descriptors, before %u",
                      daemon_descriptors(nodes.host), before);
    hanging_end(&hanging);
}
END_TEST

// docad stops and another one starts, whatever hangs.
static void assert_starts_after(void (*way)(void))
{
    way();
    daemon_stop(nodes.host);
    // The test has these open still, and whoever it starts would wait when it closes them.
    bool here = kind == HANGING_FILE || kind == HANGING_POSITION;
    if (here)
        end_kind();
    daemon_restart(nodes.host);
    struct raw_session s = session_start(nodes.host);
    session_end(&s);
    if (!here)
        end_kind();
}

START_TEST(stops_and_starts)
{
    for (kind = 0; kind < HANGING_USERFAULTFD; kind++) {
        if (open_kind())
            assert_starts_after(kind % 2 ? in_a_bad_message : over_a_queue_pairs_channel);
    }
}
END_TEST

// On a newer kernel nobody can send descriptors where they are not wanted.
static void setup_older_pair(void)
{
    kernel_without_passrights();
    setup_pair();
}

static void setup_older_apart(void)
{
    kernel_without_passrights();
    setup_apart();
}

int main(void)
{
    Suite *suite = suite_create("closing");
    TCase *tcase = tcase_create("linked");
    tcase_add_checked_fixture(tcase, setup_older_pair, env_teardown);
    tcase_add_loop_test(tcase, linked, 0, (int)ARRAY_SIZE(linked_ways));
    tcase_add_test(tcase, watched_doorbell);
    tcase_add_test(tcase, watched_timer);
    tcase_add_test(tcase, many_to_the_metrics);
    tcase_add_test(tcase, many_connections);
    tcase_add_test(tcase, stops_and_starts);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("apart");
    tcase_add_checked_fixture(tcase, setup_older_apart, env_teardown);
    tcase_add_loop_test(tcase, apart, 0, (int)ARRAY_SIZE(apart_ways));
    tcase_add_test(tcase, watched_remote_doorbell);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
