// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// One user says much over many channels that docad relays to another node, as the channels of
// Comch's consumers between machines are, too. Another user, whose message came last, waits for a
// few of the first one's messages, not for a few of each channel. Needs root to be several users.

#include "users.h"

#include "channel_page.h"
#include "cleanup.h"
#include "deadline.h"
#include "packet.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHANNELS 24
#define EACH     32 // messages of each channel, which its relay takes at once
#define WAITS    96 // for so many at most: some pieces of a turn

struct channel {
    int client, service; // the ends that carry messages
    int wakes[2];
};

static struct daemon *on_host, *on_dpu;
static int accept_sock = -1;

static void start_nodes(void)
{
    char peer[256];
    on_host = users_daemon(&(struct daemon_options){.role = "host"}, "", "");
    snprintf(peer, sizeof(peer), "peer \"host\" { socket = \"%s\"\n descriptors = no }",
             on_host->socket.s);
    on_dpu = users_daemon(&(struct daemon_options){.role = "dpu"}, "", peer);
    daemon_wait_links(on_host, 1);
    daemon_wait_links(on_dpu, 1);
}

static void await_input(int sock)
{
    struct pollfd p = {.fd = sock, .events = POLLIN};
    ck_assert_int_eq(poll(&p, 1, HARNESS_LIMIT_MS), 1);
}

// The service accepts it, and will know when docad has put a message there.
static void accept_one(struct channel *c)
{
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    uint8_t offer[256];
    int on = 1;

    await_input(accept_sock);
    ck_assert_int_gt(packet_recv(accept_sock, offer, sizeof(offer), &fds, 0), 0);
    c->service = fd_list_take(&fds, 0);
    c->wakes[1] = fd_list_take(&fds, 1);
    cleanup_fd int file = fd_list_take(&fds, 2);
    struct channel_page *page =
        mmap(NULL, CHANNEL_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ck_assert_ptr_ne(page, MAP_FAILED);
    atomic_store(&page->side[CHANNEL_SERVICE].state, CHANNEL_OPEN);
    send(c->wakes[1], "", 1, MSG_NOSIGNAL);
    munmap(page, CHANNEL_PAGE_SIZE);
    ck_assert_int_eq(setsockopt(c->service, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)), 0);
}

static void connect_one(const struct raw_session *s, uint32_t function, struct channel *c)
{
    Docad__ChannelConnect m = DOCAD__CHANNEL_CONNECT__INIT;
    m.function_id = function;
    m.name = (char *)"service";
    m.max_message = 64;
    m.send_queue = m.recv_queue = EACH;
    ck_assert_int_eq(call(s->sock, DOCAD__MESSAGE__BODY_CHANNEL_CONNECT, &m), DOCA_SUCCESS);
    c->client = fd_list_take(&answer_fds, 0);
    c->wakes[0] = fd_list_take(&answer_fds, 1);
    answer_drop();
    accept_one(c);
}

static void say(const struct channel *c, unsigned times)
{
    while (times-- > 0)
        ck_assert_int_eq(send(c->client, "message", 8, MSG_DONTWAIT | MSG_NOSIGNAL), 8);
}

// When docad put the next message there.
static uint64_t next_message(const struct channel *c)
{
    char data[64], control[256];
    struct iovec iov = {.iov_base = data, .iov_len = sizeof(data)};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof(control)};
    struct timespec at = {0};

    await_input(c->service);
    ck_assert_int_eq(recvmsg(c->service, &msg, 0), 8);
    for (struct cmsghdr *h = CMSG_FIRSTHDR(&msg); h; h = CMSG_NXTHDR(&msg, h))
        if (h->cmsg_type == SCM_TIMESTAMPNS)
            memcpy(&at, CMSG_DATA(h), sizeof(at));
    ck_assert_int_ne(at.tv_sec, 0);
    return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

static void end_channel(struct channel *c)
{
    close(c->client);
    close(c->service);
    close(c->wakes[0]);
    close(c->wakes[1]);
}

START_TEST(relays_take_turns_by_user)
{
    struct channel of_a[CHANNELS], of_b;
    unsigned before = 0;

    start_nodes();
    struct raw_session service = session_of(on_dpu, USER_B);
    struct raw_session a = session_of(on_host, USER_A), b = session_of(on_host, USER_B);
    raw_listen(service.sock, "service", "0b:00.0", &accept_sock);
    uint32_t function = open_function(a.sock, "pf0");
    for (int i = 0; i < CHANNELS; i++)
        connect_one(&a, function, &of_a[i]);
    connect_one(&b, open_function(b.sock, "pf0"), &of_b);

    daemon_freeze(on_host);
    for (int i = 0; i < CHANNELS; i++)
        say(&of_a[i], EACH);
    say(&of_b, 1);
    daemon_thaw(on_host);
    uint64_t served = next_message(&of_b);
    for (int i = 0; i < CHANNELS; i++)
        for (int k = 0; k < EACH; k++)
            before += next_message(&of_a[i]) < served;
    ck_assert_uint_le(before, WAITS);

    for (int i = 0; i < CHANNELS; i++)
        end_channel(&of_a[i]);
    end_channel(&of_b);
    session_end(&a);
    session_end(&b);
    session_end(&service);
    close(accept_sock);
}
END_TEST

int main(void)
{
    if (geteuid() != 0) {
        puts("SKIPPED: must be root to be several users");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("relay_turns");
    TCase *tcase = tcase_create("relays");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, relays_take_turns_by_user);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
