// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Channels that docad relays, and of which one side sends nothing more: what the other side has
// sent is read to the end, and nothing is sent any more. The linked node is not a docad; it also
// plays an older one, which knows only of ends.

#include "channel_page.h"
#include "cleanup.h"
#include "deadline.h"
#include "link_setting.h"

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define ID 7u // of the channel, between the two nodes

static struct raw_session session;
static struct channel_page *page;
static int sock, wake;

static void setup(void)
{
    link_start("host");
    session = session_start(docad);
}

static void hang_up(void)
{
    close_fdp(&sock);
    close_fdp(&wake);
}

static void teardown(void)
{
    hang_up();
    munmap(page, CHANNEL_PAGE_SIZE);
    session_end(&session);
    link_stop();
}

// A client of a service on the linked node, which accepts it.
static void connect_client(void)
{
    Docad__ChannelConnect m = DOCAD__CHANNEL_CONNECT__INIT;
    Docad__PeerChannelConnectReply reply = DOCAD__PEER_CHANNEL_CONNECT_REPLY__INIT;
    Docad__PeerChannelProgress progress = DOCAD__PEER_CHANNEL_PROGRESS__INIT;

    m.function_id = open_function(session.sock, "pf0");
    m.name = (char *)"service";
    m.max_message = reply.max_message = 64;
    m.send_queue = m.recv_queue = reply.recv_queue = 8;
    post(session.sock, DOCAD__MESSAGE__BODY_CHANNEL_CONNECT, &m);
    expect(DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT);
    reply.channel_id = progress.channel_id = ID;
    progress.open = true;
    post_raw(fake, answer->serial, DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT_REPLY, &reply, NULL,
             0);
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_CHANNEL_PROGRESS, &progress, NULL, 0);
    receive_any(session.sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_CHANNEL_CONNECT_REPLY);
    sock = fd_list_take(&answer_fds, 0);
    wake = fd_list_take(&answer_fds, 1);
    page = mmap(NULL, CHANNEL_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, answer_fds.fds[2], 0);
    ck_assert_ptr_ne(page, MAP_FAILED);
    ck_assert(atomic_load(&page->side[CHANNEL_SERVICE].half_closes));
}

// ---- what the client does

static void client_is_done(void)
{
    atomic_store(&page->side[CHANNEL_CLIENT].state, CHANNEL_SENT);
    ck_assert_int_eq(shutdown(sock, SHUT_WR), 0);
}

// 0: the end.
static void client_gets(ssize_t size)
{
    struct pollfd p = {.fd = sock, .events = POLLIN};
    char bytes[64];

    ck_assert_int_eq(poll(&p, 1, HARNESS_LIMIT_MS), 1);
    ck_assert_int_eq(recv(sock, bytes, sizeof(bytes), MSG_DONTWAIT), size);
}

static void client_says(const char *text, size_t size)
{
    ck_assert_int_eq(send(sock, text, size, MSG_DONTWAIT | MSG_NOSIGNAL), (ssize_t)size);
}

// ---- what the linked node does

static void say(const char *text, size_t size)
{
    Docad__PeerChannelData m = DOCAD__PEER_CHANNEL_DATA__INIT;

    m.channel_id = ID;
    m.message = (ProtobufCBinaryData){size, (uint8_t *)text};
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_CHANNEL_DATA, &m, NULL, 0);
}

static void say_left(bool reads_on)
{
    Docad__PeerChannelLeft m = DOCAD__PEER_CHANNEL_LEFT__INIT;

    m.channel_id = ID;
    m.reads_on = reads_on;
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_CHANNEL_LEFT, &m, NULL, 0);
}

static void say_ended(void)
{
    Docad__PeerChannelEnded m = DOCAD__PEER_CHANNEL_ENDED__INIT;

    m.channel_id = ID;
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_CHANNEL_ENDED, &m, NULL, 0);
}

// The next message of this kind; reports of progress come whenever docad likes.
static void hear(Docad__Message__BodyCase body)
{
    do
        receive_any(fake);
    while (answer->body_case != body &&
           answer->body_case == DOCAD__MESSAGE__BODY_PEER_CHANNEL_PROGRESS);
    ck_assert_int_eq(answer->body_case, body);
}

static void hear_left(bool reads_on)
{
    hear(DOCAD__MESSAGE__BODY_PEER_CHANNEL_LEFT);
    ck_assert_uint_eq(answer->peer_channel_left->channel_id, ID);
    ck_assert_int_eq(answer->peer_channel_left->reads_on, reads_on);
}

static void hear_data(size_t size)
{
    hear(DOCAD__MESSAGE__BODY_PEER_CHANNEL_DATA);
    ck_assert_uint_eq(answer->peer_channel_data->message.len, size);
}

// ---- the client is done

START_TEST(what_is_on_its_way_comes)
{
    connect_client();
    client_says("1", 1);
    client_is_done();
    hear_data(1);
    hear_left(true);
    say("12", 2);
    say("123", 3);
    say_left(false);
    client_gets(2);
    client_gets(3);
    client_gets(0);
    hear(DOCAD__MESSAGE__BODY_PEER_CHANNEL_ENDED);
}
END_TEST

START_TEST(an_older_docad_ends_it)
{
    connect_client();
    client_is_done();
    hear_left(true);
    say_ended();
    client_gets(0);
}
END_TEST

// It does not read to the end.
START_TEST(a_client_that_leaves_afterwards)
{
    connect_client();
    client_is_done();
    hear_left(true);
    hang_up();
    hear_left(false);
    say_ended();
}
END_TEST

// ---- the linked node's process is done

START_TEST(what_was_sent_is_read)
{
    connect_client();
    client_says("12", 2);
    client_says("123", 3);
    say_left(true);
    hear_data(2);
    hear_data(3);
    hear_left(false);
    ck_assert_int_eq(send(sock, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL), -1);
    ck_assert_int_eq(errno, EPIPE);
    say_ended();
    client_gets(0);
}
END_TEST

// Neither waits for the other: each has told all that it had.
START_TEST(both_are_done_at_a_time)
{
    connect_client();
    client_is_done();
    hear_left(true);
    say_left(true);
    client_gets(0);
    hear(DOCAD__MESSAGE__BODY_PEER_CHANNEL_ENDED);
}
END_TEST

// ---- the link is lost

static void come_back(void)
{
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;
    Docad__PeerChannelResume m = DOCAD__PEER_CHANNEL_RESUME__INIT;

    close_fdp(&fake);
    daemon_wait_links(docad, 0);
    link_as("dpu");
    m.channel_id = ID;
    m.open = true;
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_CHANNEL_RESUME, &m, NULL, 0);
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_RESUME, &resume, NULL, 0);
}

static void setup_returning(void)
{
    fake_returns = true;
    setup();
}

START_TEST(the_link_comes_back)
{
    connect_client();
    client_is_done();
    hear_left(true);
    come_back();
    hear_left(true);
    say("12", 2);
    say_left(false);
    client_gets(2);
    client_gets(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("half_closed");
    TCase *tcase = tcase_create("half_closed"), *returns = tcase_create("returns");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, what_is_on_its_way_comes);
    tcase_add_test(tcase, an_older_docad_ends_it);
    tcase_add_test(tcase, a_client_that_leaves_afterwards);
    tcase_add_test(tcase, what_was_sent_is_read);
    tcase_add_test(tcase, both_are_done_at_a_time);
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(returns, setup_returning, teardown);
    tcase_add_test(returns, the_link_comes_back);
    suite_add_tcase(suite, returns);
    return run_suite(suite);
}
