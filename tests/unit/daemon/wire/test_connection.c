// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections over each of the transports, both ends in one event loop: messages arrive in order
// and complete, a side that does not read is dropped, and a connection costs no more descriptors
// and system calls than necessary.

#include "connection_rig.h"

#include "cleanup.h"
#include "clock.h"
#include "env.h"
#include "tls.h"
#include "tls_client.h"
#include "tls_nodes.h"
#include "tls_transport.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// ---- over either ----------------------------------------------------------------------------

START_TEST(knows_who_is_there)
{
    ck_assert_int_eq(connection_pid(a.connection), getpid());
    ck_assert_uint_eq(connection_uid(a.connection), geteuid());
    ck_assert_int_eq(connection_remote(a.connection) != NULL, over_tls);
}
END_TEST

START_TEST(messages_of_every_size_arrive_in_order)
{
    uint64_t serial = 0;
    for (size_t size = 1; size <= 60000; size = size * 3 / 2 + 1)
        send_text(&a, ++serial, size);
    run_until(b.received == serial);
    ck_assert(!a.closed && !b.closed);
}
END_TEST

// Its own turn is as long as it likes; others come in between.
START_TEST(a_turn_takes_a_few)
{
    for (uint64_t i = 1; i <= 200; i++)
        send_text(&a, i, 10);
    run_until(b.received == 200);
    ck_assert_uint_le(b.most_in_turn, 16);
}
END_TEST

START_TEST(waits_for_a_slow_reader)
{
    uint64_t serial = 0;
    struct connection *slow = b.connection;
    while (connection_queued(a.connection) < OUTPUT_MAX / 2)
        send_text(&a, ++serial, 50000);
    ck_assert_uint_eq(a.drained, 0);
    run_until(b.received == serial);
    run_for_ms(20);
    ck_assert_uint_eq(connection_queued(a.connection), 0);
    ck_assert_uint_ge(a.drained, 1);
    ck_assert_ptr_eq(slow, b.connection);
}
END_TEST

START_TEST(drops_who_does_not_read)
{
    for (uint64_t serial = 1; connection_queued(a.connection) <= OUTPUT_MAX; serial++)
        send_text(&a, serial, 50000);
    run_until(a.closed);
    ck_assert_ptr_nonnull(strstr(a.why, "does not read its messages"));
    run_until(b.closed);
}
END_TEST

// Messages that were sent before the end arrive.
START_TEST(finishes_what_it_has_begun)
{
    uint64_t serial = 0;
    while (connection_queued(a.connection) < OUTPUT_MAX / 2)
        send_text(&a, ++serial, 50000);
    connection_finish(a.connection, "enough");
    send_text(&a, 1000000, 10); // not any more
    run_until(a.closed && b.closed);
    ck_assert_str_eq(a.why, "enough");
    ck_assert(!a.left);
    ck_assert(b.left);
    ck_assert_uint_eq(b.received, serial);
}
END_TEST

START_TEST(is_heard_when_it_goes_at_once)
{
    send_text(&a, 1, 100);
    a.connection = connection_free(a.connection);
    run_until(b.closed);
    ck_assert_uint_eq(b.received, 1);
    ck_assert(b.left);
}
END_TEST

START_TEST(no_message_is_too_large)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    Docad__Error error = DOCAD__ERROR__INIT;
    static char text[PACKET_SIZE_MAX + 1];
    memset(text, 'x', sizeof(text) - 1);
    error.text = text;
    message.body_case = DOCAD__MESSAGE__BODY_ERROR;
    message.error = &error;
    ck_assert_int_eq(connection_send(a.connection, &message, NULL, 0), -EMSGSIZE);
    send_text(&a, 1, 10);
    run_until(b.received == 1);
}
END_TEST

// ---- over TLS ---------------------------------------------------------------------------------

START_TEST(a_link_has_one_descriptor_at_each_end)
{
    unsigned linked = open_descriptors();
    teardown_ends();
    ck_assert_uint_eq(open_descriptors(), linked - 2);
}
END_TEST

START_TEST(no_descriptors_go_to_another_machine)
{
    Docad__Message message = DOCAD__MESSAGE__INIT;
    int fd = STDERR_FILENO;
    message.body_case = DOCAD__MESSAGE__BODY_OK;
    ck_assert_int_eq(connection_send(a.connection, &message, &fd, 1), -EOPNOTSUPP);
    send_text(&a, 1, 10);
    run_until(b.received == 1);
}
END_TEST

// One write, one wait, one read, and so it goes to and fro.
START_TEST(a_message_is_three_system_calls)
{
    enum { WARM = 10, TURNS = 100 };
    a.answers = b.answers = 10 * TURNS;
    a.adds = 1;
    send_text(&a, 1, 100);
    run_until(a.received == WARM);
    memset(&calls, 0, sizeof(calls));
    run_until(a.received == WARM + TURNS);
    ck_assert_uint_eq(calls.packets, 0);
    ck_assert_uint_eq(calls.controls, 0);
    ck_assert_uint_eq(calls.writes, 2 * TURNS);
    ck_assert_uint_eq(calls.reads, 2 * TURNS);
    ck_assert_uint_eq(calls.waits, 2 * TURNS);
}
END_TEST

START_TEST(small_messages_of_one_turn_are_one_record)
{
    memset(&calls, 0, sizeof(calls));
    for (uint64_t i = 1; i <= 100; i++)
        send_text(&a, i, 10);
    run_until(b.received == 100);
    ck_assert_uint_eq(calls.writes, 1);
    ck_assert_uint_eq(calls.reads, 1);
}
END_TEST

// Its records go together, and come together.
START_TEST(a_large_message_is_few_system_calls)
{
    send_text(&a, 1, 10);
    run_until(b.received == 1);
    memset(&calls, 0, sizeof(calls));
    send_text(&a, 2, 60000);
    run_until(b.received == 2);
    ck_assert_uint_eq(calls.writes, 1);
    ck_assert_uint_le(calls.reads, 3);
}
END_TEST

// More than the transport keeps, but not more than the socket takes: nobody waits for the socket.
START_TEST(much_goes_out_without_waiting)
{
    enum { MANY = 6 };
    memset(&calls, 0, sizeof(calls));
    for (uint64_t i = 1; i <= MANY; i++)
        send_text(&a, i, 30000);
    ck_assert_uint_gt(connection_queued(a.connection), 0);
    run_until(b.received == MANY);
    ck_assert_uint_eq(calls.controls, 0);
}
END_TEST

// ---- a machine that wants the loop for itself --------------------------------------------------

static struct tls_client hostile;
static atomic_bool hostile_ready;

static void *connect_hostile(void *arg)
{
    struct path certificate = certificates_file("good", "dpu.crt"),
                key = certificates_file("good", "dpu.key");
    (void)arg;
    ck_assert(tls_client_start(&hostile, tls_host_ip, TLS_PORT, certificate.s, key.s));
    hostile_ready = true;
    return NULL;
}

static void setup_hostile(void)
{
    pthread_t thread;
    struct timeval tick = {.tv_usec = 1000};
    setup_doors();
    a = b = (struct end){0};
    hostile_ready = false;
    ck_assert_int_eq(pthread_create(&thread, NULL, connect_hostile, NULL), 0);
    while (!hostile_ready || !b.connection) {
        event_base_loopexit(base, &tick);
        event_base_loop(base, 0);
    }
    pthread_join(thread, NULL);
    run_for_ms(10);
    ck_assert_int_eq(fcntl(hostile.fd, F_SETFL, O_NONBLOCK), 0);
    // Full segments and a large buffer: how much waits to be read depends on nothing else then.
    const int on = 1, size = 1 << 20;
    ck_assert_int_eq(setsockopt(hostile.fd, IPPROTO_TCP, TCP_CORK, &on, sizeof(on)), 0);
    ck_assert_int_eq(
        setsockopt(connection_fd(b.connection), SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
}

static void teardown_hostile(void)
{
    tls_client_stop(&hostile);
    teardown_tls();
}

#define READS_OF_A_PACKET 5           // of 35 KiB each at most
#define UNREAD            (200 << 10) // bytes, which take more reads
#define RECORD_SIZE       23          // of a record with one byte
#define UPDATE_SIZE       27

// The longest turn of the loop, in read() of the socket, until there is nothing more to read.
static unsigned most_reads_of_a_turn(void)
{
    unsigned most = 0, unread = 1;
    while (unread > 0 && !b.closed) {
        unsigned before = calls.reads;
        event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
        if (calls.reads - before > most)
            most = calls.reads - before;
        if (!b.closed)
            ck_assert_int_eq(ioctl(connection_fd(b.connection), FIONREAD, &unread), 0);
    }
    return most;
}

static void assert_much_is_unread(void)
{
    const int off = 0;
    unsigned unread = 0;
    ck_assert_int_eq(setsockopt(hostile.fd, IPPROTO_TCP, TCP_CORK, &off, sizeof(off)), 0);
    ck_assert_int_eq(ioctl(connection_fd(b.connection), FIONREAD, &unread), 0);
    ck_assert_uint_gt(unread, UNREAD);
}

START_TEST(records_of_one_byte_leave_others_their_turn)
{
    static const uint8_t length[4] = {0, 0, 0xff, 0};
    unsigned records = 0;
    for (size_t i = 0; i < sizeof(length); i++)
        tls_client_write(&hostile, &length[i], 1);
    while (records <= UNREAD / RECORD_SIZE && SSL_write(hostile.ssl, "x", 1) == 1)
        records++;
    assert_much_is_unread();
    ck_assert_uint_le(most_reads_of_a_turn(), READS_OF_A_PACKET);
    ck_assert(!b.closed);
}
END_TEST

// Such a record brings nothing that a read of the connection could return, and costs docad more
// than its sender: unit.tls_transport. What comes behind the first ones is not read.
START_TEST(updates_of_keys_end_the_link)
{
    for (unsigned updates = 0; updates <= UNREAD / UPDATE_SIZE; updates++)
        if (SSL_key_update(hostile.ssl, SSL_KEY_UPDATE_NOT_REQUESTED) != 1 ||
            SSL_do_handshake(hostile.ssl) != 1)
            break;
    assert_much_is_unread();
    calls.reads = 0;
    ck_assert_uint_le(most_reads_of_a_turn(), READS_OF_A_PACKET);
    ck_assert(b.closed);
    ck_assert_uint_le(calls.reads, READS_OF_A_PACKET);
}
END_TEST

// ---- turns --------------------------------------------------------------------------------------

static uint64_t queued_then;
static unsigned turns_taken;

static bool note_queued(struct sched_item *turn)
{
    (void)turn;
    queued_then = connection_queued(a.connection);
    turns_taken++;
    return false;
}

#define QUEUED 200

// What waits for a slow reader is sent in turns: others do not wait until all of it has gone.
START_TEST(sends_what_is_queued_in_turns)
{
    struct sched_users t;
    struct sched_item other = {.user = &t.users[1], .take = note_queued};
    struct connection *connection;
    static char bytes[PACKET_SIZE_MAX];
    int ends[2];
    setup_base();
    setup_sched(&t);
    other.sched = t.sched;
    list_init(&other.in_user);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends),
                     0);
    ck_assert_int_eq(connection_new(&connection, base, ends[0], OUTPUT_MAX), 0);
    take_end(&a, connection);
    connection_set_sched(a.connection, t.sched, &t.users[0]);
    uint64_t serial = 1;
    while (connection_queued(a.connection) == 0)
        send_text(&a, serial++, 10);
    for (int i = 0; i < QUEUED; i++)
        send_text(&a, serial++, 10);
    event_base_loop(base, EVLOOP_NONBLOCK);
    uint64_t queued = connection_queued(a.connection);
    while (recv(ends[1], bytes, sizeof(bytes), 0) > 0)
        ;
    event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
    sched_queue(&other);
    run_until(turns_taken > 0);
    ck_assert_uint_gt(queued_then, 0);
    ck_assert_uint_lt(queued_then, queued);
    run_until(connection_queued(a.connection) == 0);
    teardown_ends();
    close(ends[1]);
    sched_free(t.sched);
    event_base_free(base);
}
END_TEST

static void rest_for_ms(struct sched_user *user, unsigned ms)
{
    user->throttled_until_ns = clock_ns() + ms * UINT64_C(1000000);
}

// The loop is not kept busy by a message that waits until its reader has rested.
START_TEST(a_message_waits_quietly_for_who_rests)
{
    struct sched_users t;
    setup_sched(&t);
    connection_set_sched(b.connection, t.sched, &t.users[0]);
    rest_for_ms(&t.users[0], 50);
    send_text(&a, 1, 100);
    unsigned waits = calls.waits;
    run_until(b.received == 1);
    ck_assert_uint_lt(calls.waits - waits, 20);
    send_text(&a, 2, 100); // it is listened to again
    run_until(b.received == 2);
    teardown_ends();
    sched_free(t.sched);
}
END_TEST

// Nor by room for what waits until its sender has rested.
START_TEST(room_waits_quietly_for_who_rests)
{
    struct sched_users t;
    setup_sched(&t);
    connection_set_sched(a.connection, t.sched, &t.users[0]);
    connection_set_sched(b.connection, t.sched, &t.users[1]);
    unsigned sent = 0;
    rest_for_ms(&t.users[1], 400);
    while (connection_queued(a.connection) == 0 && sent < 500) {
        send_text(&a, ++sent, 60000);
        event_base_loop(base, EVLOOP_NONBLOCK);
    }
    rest_for_ms(&t.users[0], 600); // there is room before
    unsigned waits = calls.waits;
    run_until(b.received == sent);
    ck_assert_uint_lt(calls.waits - waits, 1000); // it reads in many pieces
    teardown_ends();
    sched_free(t.sched);
}
END_TEST

int main(void)
{
    const TTest *const either[] = {
        knows_who_is_there,
        messages_of_every_size_arrive_in_order,
        a_turn_takes_a_few,
        waits_for_a_slow_reader,
        drops_who_does_not_read,
        finishes_what_it_has_begun,
        no_message_is_too_large,
        is_heard_when_it_goes_at_once,
        a_message_waits_quietly_for_who_rests,
        room_waits_quietly_for_who_rests,
    };
    Suite *suite = suite_create("connection");
    TCase *local = tcase_create("unix"), *tls = tcase_create("tls"),
          *queues = tcase_create("queues"), *greedy = tcase_create("greedy");
    for (size_t i = 0; i < ARRAY_SIZE(either); i++) {
        tcase_add_test(local, either[i]);
        tcase_add_test(tls, either[i]);
    }
    tcase_add_checked_fixture(local, setup_unix, teardown_unix);
    tcase_add_unchecked_fixture(tls, certificates_prepare, NULL);
    tcase_add_checked_fixture(tls, setup_tls, teardown_tls);
    tcase_add_test(tls, a_link_has_one_descriptor_at_each_end);
    tcase_add_test(tls, no_descriptors_go_to_another_machine);
    tcase_add_test(tls, a_message_is_three_system_calls);
    tcase_add_test(tls, small_messages_of_one_turn_are_one_record);
    tcase_add_test(tls, a_large_message_is_few_system_calls);
    tcase_add_test(tls, much_goes_out_without_waiting);
    suite_add_tcase(suite, local);
    suite_add_tcase(suite, tls);
    tcase_add_unchecked_fixture(greedy, certificates_prepare, NULL);
    tcase_add_checked_fixture(greedy, setup_hostile, teardown_hostile);
    tcase_add_test(greedy, records_of_one_byte_leave_others_their_turn);
    tcase_add_test(greedy, updates_of_keys_end_the_link);
    tcase_add_test(queues, sends_what_is_queued_in_turns);
    suite_add_tcase(suite, queues);
    suite_add_tcase(suite, greedy);
    return run_suite(suite);
}
