// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Comm Channels whose other side does not use the library: it writes what it likes into the
// channel's page and sockets. That affects at most its own channel: a service goes on serving
// others, a client is not hurt, and docad goes on. Direct, and relayed by docad.

#include "channel_page.h"
#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "kernel.h"
#include "lingering.h"
#include "nodes.h"
#include "packet.h"
#include "protocol.h"
#include "run.h"
#include "talk.h"
#include "text_names.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define NAME           "hostile"
#define ROOM_FOR_THREE "12" // channels that docad relays for one user

// ---- one side without the library -------------------------------------------------------

struct raw_channel {
    struct raw_session session;
    uint64_t id;
    int sock, wake;
    struct channel_page *page;
    size_t size; // of its file
    struct channel_side *mine;
};

static size_t size_of(int file)
{
    struct stat st;
    ck_assert_int_eq(fstat(file, &st), 0);
    return (size_t)st.st_size;
}

static void raw_take(struct raw_channel *c, struct fd_list *fds, enum channel_side_index side)
{
    c->sock = fd_list_take(fds, 0);
    c->wake = fd_list_take(fds, 1);
    cleanup_fd int page = fd_list_take(fds, 2);
    c->size = size_of(page);
    c->page = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    ck_assert_ptr_ne(c->page, MAP_FAILED);
    c->mine = &c->page->side[side];
}

static doca_error_t raw_ask(struct raw_session *session, uint32_t function, const char *name,
                            bool takes_ring)
{
    Docad__ChannelConnect m = DOCAD__CHANNEL_CONNECT__INIT;
    m.function_id = function;
    m.name = (char *)name;
    m.max_message = 64;
    m.send_queue = m.recv_queue = 8;
    m.takes_ring = takes_ring;
    return call(session->sock, DOCAD__MESSAGE__BODY_CHANNEL_CONNECT, &m);
}

static void raw_client(struct raw_channel *c)
{
    c->session = session_start(nodes.host);
    ck_assert_int_eq(raw_ask(&c->session, open_function(c->session.sock, "pf0"), NAME, true),
                     DOCA_SUCCESS);
    c->id = answer->channel_connect_reply->channel_id;
    raw_take(c, &answer_fds, CHANNEL_CLIENT);
}

static void raw_end(struct raw_channel *c)
{
    close_fdp(&c->sock);
    close_fdp(&c->wake);
    munmap(c->page, c->size);
    session_end(&c->session);
}

static void raw_send(struct raw_channel *c, const void *data, size_t size, int flags)
{
    struct pollfd p = {.fd = c->sock, .events = POLLOUT};
    while (send(c->sock, data, size, flags | MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EAGAIN)
        ck_assert_int_eq(poll(&p, 1, HARNESS_LIMIT_MS), 1);
}

static void raw_await_end(struct raw_channel *c)
{
    struct pollfd p = {.fd = c->sock, .events = POLLIN};
    char data[64];
    ssize_t n;
    do {
        ck_assert_int_eq(poll(&p, 1, HARNESS_LIMIT_MS), 1);
        n = recv(c->sock, data, sizeof(data), MSG_DONTWAIT);
    } while (n > 0 || (n < 0 && (errno == EAGAIN || errno == ECONNRESET)));
    ck_assert_int_eq(n, 0);
}

// ---- what it does -----------------------------------------------------------------------

static void counts_more_than_there_was(struct raw_channel *c)
{
    atomic_store(&c->mine->received, UINT64_MAX);
}

static void counts_backwards(struct raw_channel *c)
{
    atomic_store(&c->mine->received, 3);
    raw_send(c, "one", 4, 0);
    atomic_store(&c->mine->received, 1);
    raw_send(c, "two", 4, 0);
}

static void is_in_no_state(struct raw_channel *c)
{
    atomic_store(&c->mine->state, 77);
    raw_send(c, "one", 4, 0);
}

static void writes_all_over_the_page(struct raw_channel *c)
{
    for (int i = 0; i < 64; i++) {
        memset((void *)c->page, i % 2 ? 0xff : i, c->size);
        raw_send(c, "message", 8, 0);
    }
}

// The other side polls once it has had a message; this one says that it does.
static void writes_all_over_its_rings(struct raw_channel *c)
{
    if (c->size == CHANNEL_PAGE_SIZE)
        return;
    struct channel_ring *ring = &c->page->ring[c->mine == &c->page->side[CHANNEL_SERVICE]];
    uint8_t *bytes = (uint8_t *)c->page + CHANNEL_PAGE_SIZE;
    raw_send(c, "message", 8, 0);
    for (uint32_t i = 0; i < 4096; i++) {
        atomic_store(&c->page->ring[CHANNEL_CLIENT].polled, i);
        atomic_store(&c->page->ring[CHANNEL_SERVICE].polled, i);
        for (uint32_t at = 0; at < 64; at += 4)
            memcpy(bytes + (at * i) % (2 * CHANNEL_RING_SIZE - 4), &i, sizeof(i));
        atomic_fetch_add(&ring->put, i % 8 ? 8 * (i % 512) : CHANNEL_RING_SIZE);
        atomic_fetch_add(&ring->taken, 8);
    }
}

static void always_wants_to_be_woken(struct raw_channel *c)
{
    for (int i = 0; i < 2000; i++) {
        atomic_store(&c->mine->wants_room, 1);
        raw_send(c, "message", 8, 0);
    }
}

static void wakes_all_the_time(struct raw_channel *c)
{
    static const char bytes[4096];
    for (int i = 0; i < 256; i++)
        send(c->wake, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void closes_its_wake_socket(struct raw_channel *c)
{
    close_fdp(&c->wake);
    raw_send(c, "message", 8, 0);
}

static void sends_too_much_at_once(struct raw_channel *c)
{
    static const char data[CHANNEL_MESSAGE_MAX + 1];
    raw_send(c, data, sizeof(data), 0);
    raw_await_end(c);
}

static void sends_nothing(struct raw_channel *c)
{
    raw_send(c, "", 0, 0);
    raw_await_end(c);
}

static void sends_descriptors(struct raw_channel *c)
{
    int fds[2] = {c->sock, c->wake};
    packet_send(c->sock, "x", 1, fds, 2, MSG_DONTWAIT);
}

// What waits for an hour when it is closed. A kernel that can refuse it does.
static struct lingering lingering;
static bool older_kernel;
static struct child *other_side;

// The other side must be the last one to close it, so it does not run meanwhile.
static void lets_the_other_side_close(int sock, int flags, bool behind_its_end)
{
    siginfo_t info;
    lingering_open(&lingering);
    kill(other_side->pid, SIGSTOP);
    ck_assert_int_eq(waitid(P_PID, (id_t)other_side->pid, &info, WSTOPPED), 0);
    bool sent = lingering_send(&lingering, sock, 1, 2, flags | MSG_DONTWAIT);
    ck_assert(sent || !older_kernel || behind_its_end);
    if (!sent)
        lingering_end(&lingering);
    lingering_leave(&lingering);
    kill(other_side->pid, SIGCONT);
}

static void sends_what_does_not_close(struct raw_channel *c)
{
    lets_the_other_side_close(c->sock, 0, false);
}

static void wakes_with_what_does_not_close(struct raw_channel *c)
{
    lets_the_other_side_close(c->wake, 0, false);
}

static void wakes_out_of_band(struct raw_channel *c)
{
    lets_the_other_side_close(c->wake, MSG_OOB, false);
}

// The other side finds it when it closes its socket.
static void sends_it_behind_nonsense(struct raw_channel *c)
{
    raw_send(c, "", 0, 0);
    lets_the_other_side_close(c->sock, 0, true);
}

static void hangs_up_by_half(struct raw_channel *c)
{
    shutdown(c->sock, SHUT_WR);
    raw_await_end(c);
}

// As Comch does it, and never closes its sockets.
static void says_that_it_is_done(struct raw_channel *c)
{
    atomic_store(&c->mine->state, CHANNEL_SENT);
    shutdown(c->sock, SHUT_WR);
    raw_await_end(c);
}

// Says goodbye, stays, and goes on talking.
static void does_not_leave(struct raw_channel *c)
{
    Docad__ChannelClose m = DOCAD__CHANNEL_CLOSE__INIT;
    atomic_store(&c->mine->state, CHANNEL_CLOSED);
    m.id = c->id;
    ck_assert_int_eq(call(c->session.sock, DOCAD__MESSAGE__BODY_CHANNEL_CLOSE, &m), DOCA_SUCCESS);
    ck_assert_int_eq(call(c->session.sock, DOCAD__MESSAGE__BODY_CHANNEL_CLOSE, &m),
                     DOCA_ERROR_NOT_FOUND);
    for (int i = 0; i < 10; i++)
        send(c->sock, "message", 8, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void ends_what_is_not_its_own(struct raw_channel *c)
{
    Docad__ChannelClose m = DOCAD__CHANNEL_CLOSE__INIT;
    for (uint64_t id = 0; id < 64; id++) {
        m.id = id == c->id ? 0 : id;
        ck_assert_int_eq(call(c->session.sock, DOCAD__MESSAGE__BODY_CHANNEL_CLOSE, &m),
                         DOCA_ERROR_NOT_FOUND);
    }
}

static void (*const deeds[])(struct raw_channel *) = {
    counts_more_than_there_was,
    counts_backwards,
    is_in_no_state,
    writes_all_over_the_page,
    wakes_all_the_time,
    closes_its_wake_socket,
    sends_too_much_at_once,
    sends_nothing,
    sends_descriptors,
    hangs_up_by_half,
    says_that_it_is_done,
    does_not_leave,
    ends_what_is_not_its_own,
    always_wants_to_be_woken,
    writes_all_over_its_rings,
// These differ on an older kernel.
#define FIRST_CLOSING 15
    sends_what_does_not_close,
    wakes_out_of_band,
    wakes_with_what_does_not_close,
    sends_it_behind_nonsense,
};

// ---- a service among hostile clients -------------------------------------------------------

static bool told_to_end(struct child *self)
{
    struct pollfd p = {.fd = self->channel, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

// Sends back everything that has the good client's first letter, and tries to send to the
// others, which do not receive it.
static int echoes(struct child *self, void *arg)
{
    struct talk t;
    struct doca_comm_channel_addr_t *from;
    (void)arg;
    talk_listen(&t, NAME, HOST_PF0, (struct talk_sizes){64, 8, 8});
    child_tell(self, "listening");
    while (!told_to_end(self)) {
        char text[64];
        size_t len = sizeof(text);
        doca_error_t r = doca_comm_channel_ep_recvfrom(t.ep, text, &len, 0, &from);
        if (r == DOCA_ERROR_AGAIN)
            sched_yield();
        else if (r == DOCA_SUCCESS && text[0] == 'g')
            ck_assert_success(talk_send(&t, from, text));
        else if (r == DOCA_SUCCESS)
            for (int i = 0; i < 20; i++)
                doca_comm_channel_ep_sendto(t.ep, text, len, 0, from);
        else
            ck_assert_error(r, DOCA_ERROR_CONNECTION_RESET);
        doca_comm_channel_ep_event_handle_arm_send(t.ep);
    }
    child_wait(self, "end");
    ck_assert_success(doca_comm_channel_ep_update_service_state_info(t.ep));
    talk_close(&t);
    return 0;
}

static int is_good(struct child *self, void *arg)
{
    struct talk t;
    (void)arg;
    talk_connect(&t, HOST_PF0, NAME, (struct talk_sizes){64, 8, 8});
    talk_await_accepted(&t);
    child_tell(self, "connected");
    for (int i = 0; i < 3; i++) {
        child_wait(self, "go");
        for (int k = 0; k < 20; k++) {
            ck_assert_success(talk_send(&t, t.peer, "good"));
            talk_expect(&t, "good");
        }
        child_tell(self, "served");
    }
    talk_close(&t);
    return 0;
}

START_TEST(hostile_clients)
{
    struct child *service = child_start(nodes.dpu, "service", echoes, NULL);
    struct raw_channel c;
    child_wait(service, "listening");
    struct child *good = child_start(nodes.host, "good", is_good, NULL);
    child_wait(good, "connected");
    raw_client(&c);
    other_side = service;
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            deeds[_i](&c);
        if (i == 2)
            raw_end(&c);
        child_tell(good, "go");
        child_wait(good, "served");
    }
    child_join(good);
    child_tell(service, "end");
    child_join(service);
    daemon_assert_alive(nodes.host);
    daemon_assert_alive(nodes.dpu);
    assert_no_channels(&nodes);
}
END_TEST

// ---- a client of a hostile service ---------------------------------------------------------

// Whatever comes, it ends.
static int is_victim(struct child *self, void *arg)
{
    struct talk t;
    struct doca_comm_channel_addr_t *from;
    (void)arg;
    talk_connect(&t, HOST_PF0, NAME, (struct talk_sizes){64, 8, 8});
    child_tell(self, "connected");
    while (!told_to_end(self)) {
        char text[64];
        size_t len = sizeof(text);
        doca_comm_channel_ep_sendto(t.ep, "message", 8, 0, t.peer);
        doca_comm_channel_ep_recvfrom(t.ep, text, &len, 0, &from);
        doca_comm_channel_peer_addr_update_info(t.peer);
        doca_comm_channel_ep_event_handle_arm_send(t.ep);
        doca_comm_channel_ep_event_handle_arm_recv(t.ep);
        ck_assert_uint_le(len, sizeof(text));
        sched_yield();
    }
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

START_TEST(a_hostile_service)
{
    struct raw_channel c = {.session = session_start(nodes.dpu)};
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    cleanup_fd int accept_sock = -1;
    uint8_t packed[64];

    raw_listen(c.session.sock, NAME, HOST_PF0, &accept_sock);
    struct child *victim = child_start(nodes.host, "victim", is_victim, NULL);
    child_wait(victim, "connected");
    other_side = victim;
    struct pollfd p = {.fd = accept_sock, .events = POLLIN};
    ck_assert_int_eq(poll(&p, 1, HARNESS_LIMIT_MS), 1);
    ssize_t n = packet_recv(accept_sock, packed, sizeof(packed), &fds, 0);
    ck_assert_int_gt(n, 0);
    Docad__ChannelOffer *offer = docad__channel_offer__unpack(NULL, (size_t)n, packed);
    c.id = offer->channel_id;
    docad__channel_offer__free_unpacked(offer, NULL);
    raw_take(&c, &fds, CHANNEL_SERVICE);
    atomic_store(&c.mine->state, CHANNEL_OPEN);
    send(c.wake, "", 1, MSG_NOSIGNAL);
    // More than the victim takes, and a service has something of its own to end.
    if (deeds[_i] != always_wants_to_be_woken && deeds[_i] != ends_what_is_not_its_own)
        deeds[_i](&c);
    child_tell(victim, "end");
    child_join(victim);
    raw_end(&c);
    daemon_assert_alive(nodes.host);
    daemon_assert_alive(nodes.dpu);
    close_fdp(&accept_sock);
    assert_no_channels(&nodes);
}
END_TEST

// ---- rings -------------------------------------------------------------------------------

static int listens(struct child *self, void *arg)
{
    struct talk t;
    (void)arg;
    talk_listen(&t, NAME, HOST_PF0, (struct talk_sizes){0});
    child_tell(self, "listening");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

// The library's service knows of them.
static void has_file_of(size_t size, bool asks)
{
    struct child *service = child_start(nodes.dpu, "service", listens, NULL);
    struct raw_session session = session_start(nodes.host);
    child_wait(service, "listening");
    ck_assert_int_eq(raw_ask(&session, open_function(session.sock, "pf0"), NAME, asks),
                     DOCA_SUCCESS);
    ck_assert_int_eq(answer_fds.count, 3);
    ck_assert_uint_eq(size_of(answer_fds.fds[2]), size);
    session_end(&session);
    child_tell(service, "end");
    child_join(service);
}

START_TEST(rings_are_for_who_asks)
{
    has_file_of(CHANNEL_PAGE_SIZE, false);
    has_file_of(CHANNEL_FILE_SIZE, true);
}
END_TEST

// docad, which relays, looks into no ring.
START_TEST(no_rings_over_a_relay)
{
    has_file_of(CHANNEL_PAGE_SIZE, true);
}
END_TEST

// ---- quotas -----------------------------------------------------------------------------

static void setup_older(void)
{
    older_kernel = true;
    kernel_without_passrights();
    setup_pair();
}

static void teardown(void)
{
    lingering_end(&lingering);
    env_teardown();
}

static void setup_limited(void)
{
    env_setup();
    nodes = node_pair_start_apart("limits { channels_per_session = 3\n"
                                  "descriptors_per_uid = 64 }");
}

START_TEST(channels_of_a_session)
{
    struct child *service = child_start(nodes.dpu, "service", listens, NULL);
    struct raw_session session = session_start(nodes.host);
    uint32_t pf0 = open_function(session.sock, "pf0");
    struct fd_list ends[3];
    uint64_t ids[3];
    child_wait(service, "listening");
    for (int turn = 0; turn < 20; turn++) { // what ends is given back
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(raw_ask(&session, pf0, NAME, true), DOCA_SUCCESS);
            ids[i] = answer->channel_connect_reply->channel_id;
            ends[i] = answer_fds; // closed, they would end the channel
            answer_fds.count = 0;
        }
        ck_assert_int_eq(raw_ask(&session, pf0, NAME, true), DOCA_ERROR_NO_MEMORY);
        assert_names(answer->error->text, "channels_per_session");
        answer_drop();
        for (int i = 0; i < 3; i++) {
            Docad__ChannelClose m = DOCAD__CHANNEL_CLOSE__INIT;
            m.id = ids[i];
            fd_list_close(&ends[i]);
            // docad may have noticed by itself.
            doca_error_t r = call(session.sock, DOCAD__MESSAGE__BODY_CHANNEL_CLOSE, &m);
            ck_assert(r == DOCA_SUCCESS || r == DOCA_ERROR_NOT_FOUND);
        }
    }
    session_end(&session);
    child_tell(service, "end");
    child_join(service);
    assert_no_channels(&nodes);
}
END_TEST

static void setup_limited_peer(void)
{
    env_setup();
    nodes = node_pair_start_apart("limits { descriptors_per_peer = " ROOM_FOR_THREE "\n"
                                  "descriptors_per_uid = 64 }");
}

// Relays for the clients of another node are charged to that node, not to the service's user.
START_TEST(channels_of_a_node)
{
    struct child *service = child_start(nodes.dpu, "service", listens, NULL);
    struct raw_session session = session_start(nodes.host);
    uint32_t pf0 = open_function(session.sock, "pf0");
    struct fd_list ends[3];
    child_wait(service, "listening");
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(raw_ask(&session, pf0, NAME, true), DOCA_SUCCESS);
        ends[i] = answer_fds;
        answer_fds.count = 0;
    }
    ck_assert_int_eq(raw_ask(&session, pf0, NAME, true), DOCA_ERROR_NO_MEMORY);
    assert_names(answer->error->text, "descriptors_per_peer");
    for (int i = 0; i < 3; i++)
        fd_list_close(&ends[i]);
    session_end(&session);
    child_tell(service, "end");
    child_join(service);
    assert_no_channels(&nodes);
}
END_TEST

static void add_deeds(TCase *tcase, int first, int end)
{
    tcase_add_loop_test(tcase, hostile_clients, first, end);
    tcase_add_loop_test(tcase, a_hostile_service, first, end);
}

// Deeds that keep something of docad busy need one of their own.
static void add_closing(Suite *suite, const char *name, SFun setup)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, setup, teardown);
    add_deeds(tcase, FIRST_CLOSING, (int)ARRAY_SIZE(deeds));
    suite_add_tcase(suite, tcase);
}

int main(void)
{
    Suite *suite = suite_create("channel_hostile");
    TCase *tcase = tcase_create("limits");
    tcase_add_checked_fixture(tcase, setup_limited, env_teardown);
    tcase_add_test(tcase, channels_of_a_session);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("limits of a node");
    tcase_add_checked_fixture(tcase, setup_limited_peer, env_teardown);
    tcase_add_test(tcase, channels_of_a_node);
    suite_add_tcase(suite, tcase);
    TCase *near = case_near_shared(suite), *apart = case_apart_shared(suite);
    tcase_add_test(near, rings_are_for_who_asks);
    tcase_add_test(apart, no_rings_over_a_relay);
    add_deeds(near, 0, FIRST_CLOSING);
    add_deeds(apart, 0, FIRST_CLOSING);
    add_closing(suite, "direct", setup_pair);
    add_closing(suite, "relayed", setup_apart);
    add_closing(suite, "older kernel", setup_older);
    return run_suite(suite);
}
