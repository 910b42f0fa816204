// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Connections over each of the transports, both ends in one event loop: messages arrive in order
// and complete, a side that does not read is dropped, and a connection costs no more descriptors
// and system calls than necessary.

#include "connection.h"

#include "cleanup.h"
#include "deadline.h"
#include "env.h"
#include "tls.h"
#include "tls_client.h"
#include "tls_door.h"
#include "tls_handshake.h"
#include "run.h"
#include "tls_nodes.h"
#include "tls_settings.h"
#include "tls_transport.h"
#include "turns.h"

#include <arpa/inet.h>
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <event2/dns.h>
#include <event2/event.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OUTPUT_MAX (4u << 20)

// ---- system calls, counted ----------------------------------------------------------------

// The loop's thread counts its own; a client's thread calls these, too.
static _Thread_local struct {
    unsigned reads, writes, packets, waits, controls;
} calls;

#pragma GCC visibility push(default) // the libraries are to call these

ssize_t read(int fd, void *data, size_t size)
{
    calls.reads++;
    return syscall(SYS_read, fd, data, size);
}

ssize_t write(int fd, const void *data, size_t size)
{
    calls.writes++;
    return syscall(SYS_write, fd, data, size);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
    calls.packets++;
    return syscall(SYS_sendmsg, fd, msg, flags);
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
    calls.packets++;
    return syscall(SYS_recvmsg, fd, msg, flags);
}

int epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
    calls.waits++;
    return (int)syscall(SYS_epoll_wait, fd, events, n, ms);
}

int epoll_ctl(int fd, int what, int of, struct epoll_event *event)
{
    calls.controls++;
    return (int)syscall(SYS_epoll_ctl, fd, what, of, event);
}

#pragma GCC visibility pop

static unsigned open_descriptors(void)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

// ---- two ends -------------------------------------------------------------------------------

struct end {
    struct connection *connection;
    uint64_t expected; // serial of the next message
    unsigned received, in_turn, most_in_turn, drained;
    uint64_t wait;    // of the loop, in which the last one came
    unsigned answers; // to so many
    unsigned adds;    // to the serial of what is answered
    bool closed, left;
    char why[320];
};

static struct event_base *base;
static struct tls_door *door, *other_door;
static struct end a, b;
static bool over_tls;
static char failed_with[256];
static unsigned failures;

static void send_text(struct end *end, uint64_t serial, size_t size)
{
    static char text[60001];
    Docad__Message message = DOCAD__MESSAGE__INIT;
    Docad__Error error = DOCAD__ERROR__INIT;
    ck_assert_uint_lt(size, sizeof(text));
    memset(text, 'a' + (int)(serial % 26), size);
    text[size] = '\0';
    error.text = text;
    message.serial = serial;
    message.body_case = DOCAD__MESSAGE__BODY_ERROR;
    message.error = &error;
    ck_assert_int_eq(connection_send(end->connection, &message, NULL, 0), 0);
}

static void on_message(void *owner, const Docad__Message *message, struct fd_list *fds)
{
    struct end *end = owner;
    ck_assert_uint_eq(message->serial, end->expected++);
    ck_assert_uint_eq(fds->count, 0);
    const char *text = message->error->text;
    const char fill[2] = {(char)('a' + message->serial % 26)};
    ck_assert_uint_eq(strspn(text, fill), strlen(text));
    end->received++;
    end->in_turn = calls.waits == end->wait ? end->in_turn + 1 : 1;
    end->wait = calls.waits;
    if (end->in_turn > end->most_in_turn)
        end->most_in_turn = end->in_turn;
    if (end->answers && end->received < end->answers)
        send_text(end, message->serial + end->adds, 100);
}

static void on_closed(void *owner, const char *why)
{
    struct end *end = owner;
    end->left = connection_was_left(end->connection);
    end->connection = connection_free(end->connection);
    end->closed = true;
    snprintf(end->why, sizeof(end->why), "%s", why);
}

static void on_drained(void *owner)
{
    struct end *end = owner;
    end->drained++;
}

static void take_end(struct end *end, struct connection *connection)
{
    static const struct connection_owner ops = {
        .message = on_message, .closed = on_closed, .drained = on_drained};
    *end = (struct end){.connection = connection, .expected = 1};
    connection_set_owner(connection, &ops, end);
}

static void take_transport(struct end *end, struct tls_transport *tls)
{
    struct connection *connection;
    ck_assert_int_eq(connection_new_over(&connection, base, tls_transport_base(tls), OUTPUT_MAX),
                     0);
    take_end(end, connection);
}

static void on_accepted(void *arg, struct tls_transport *tls)
{
    take_transport(arg, tls);
}

static void on_dialled(void *owner, struct tls_transport *tls)
{
    take_transport(owner, tls);
}

static void on_failed(void *owner, const char *address, const char *why)
{
    (void)owner;
    (void)address;
    failures++;
    snprintf(failed_with, sizeof(failed_with), "%s", why);
}

static const struct tls_handshake_owner dialler = {.ready = on_dialled, .failed = on_failed};

#define run_until(condition)                                                                       \
    do {                                                                                           \
        int64_t deadline_ = deadline_in(HARNESS_LIMIT_MS);                                         \
        while (!(condition)) {                                                                     \
            ck_assert(deadline_left(deadline_) > 0);                                               \
            event_base_loop(base, EVLOOP_ONCE);                                                    \
        }                                                                                          \
    } while (0)

static void no_more(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    *(bool *)arg = true;
}

// Messages under way arrive.
static void run_for_ms(unsigned ms)
{
    bool over = false;
    struct timeval limit = {.tv_usec = ms * 1000};
    event_base_once(base, -1, EV_TIMEOUT, no_more, &over, &limit);
    run_until(over);
}

static struct tls_settings settings_of(const char *role, bool listens)
{
    struct tls_settings s = {0};
    char file[32];
    if (listens)
        snprintf(s.listen, sizeof(s.listen), "%s:%d", tls_host_ip, TLS_PORT);
    snprintf(file, sizeof(file), "%s.crt", role);
    snprintf(s.certificate, sizeof(s.certificate), "%s", certificates_file("good", file).s);
    snprintf(file, sizeof(file), "%s.key", role);
    snprintf(s.key, sizeof(s.key), "%s", certificates_file("good", file).s);
    snprintf(s.authority, sizeof(s.authority), "%s", certificates_file("good", "authority.crt").s);
    return s;
}

static void setup_base(void)
{
    signal(SIGPIPE, SIG_IGN); // as docad does
    base = event_base_new();
    ck_assert_ptr_nonnull(base);
    failures = 0;
}

static void setup_doors(void)
{
    struct errtext err;
    tls_setup();
    setup_base();
    struct tls_settings host = settings_of("host", true), dpu = settings_of("dpu", false);
    ck_assert_int_eq(tls_door_new(&door, base, NULL, &host, on_accepted, &b, &err), DOCA_SUCCESS);
    ck_assert_int_eq(tls_door_new(&other_door, base, NULL, &dpu, NULL, NULL, &err), DOCA_SUCCESS);
}

static void dial(const char *host, struct tls_handshake **out)
{
    char address[64];
    snprintf(address, sizeof(address), "%s:%d", host, TLS_PORT);
    ck_assert_int_eq(tls_handshake_dial(out, other_door, address, "host", &dialler, &a), 0);
}

static void setup_tls(void)
{
    struct tls_handshake *handshake;
    over_tls = true;
    setup_doors();
    dial(tls_host_ip, &handshake);
    a = b = (struct end){0};
    run_until(a.connection && b.connection);
}

static void setup_unix(void)
{
    struct connection *connection;
    int ends[2];
    over_tls = false;
    setup_base();
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends),
                     0);
    ck_assert_int_eq(connection_new(&connection, base, ends[0], OUTPUT_MAX), 0);
    take_end(&a, connection);
    ck_assert_int_eq(connection_new(&connection, base, ends[1], OUTPUT_MAX), 0);
    take_end(&b, connection);
}

static void teardown_ends(void)
{
    a.connection = connection_free(a.connection);
    b.connection = connection_free(b.connection);
}

static void teardown_unix(void)
{
    teardown_ends();
    event_base_free(base);
}

static void teardown_tls(void)
{
    teardown_ends();
    door = tls_door_free(door);
    other_door = tls_door_free(other_door);
    event_base_free(base);
    tls_teardown();
}

// ---- over either ----------------------------------------------------------------------------

START_TEST(knows_who_is_there)
{
    ck_assert_int_eq(connection_pid(a.connection), getpid());
    ck_assert_uint_eq(connection_uid(a.connection), geteuid());
    ck_assert_uint_eq(connection_credentials(b.connection)->gids[0], getegid());
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

#define READS_OF_A_PACKET 5 // of 16 KiB each

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

START_TEST(records_of_one_byte_leave_others_their_turn)
{
    static const uint8_t length[4] = {0, 0, 0xff, 0};
    unsigned records = 0, unread = 0;
    for (size_t i = 0; i < sizeof(length); i++)
        tls_client_write(&hostile, &length[i], 1);
    while (records < 0xff00 - 1 && SSL_write(hostile.ssl, "x", 1) == 1)
        records++;
    ck_assert_int_eq(ioctl(connection_fd(b.connection), FIONREAD, &unread), 0);
    ck_assert_uint_gt(unread, 100 << 10); // of which a read takes a sixth at most
    ck_assert_uint_le(most_reads_of_a_turn(), READS_OF_A_PACKET);
    ck_assert(!b.closed);
}
END_TEST

// Such a record brings nothing that a read of the connection could return.
START_TEST(updates_of_keys_leave_others_their_turn)
{
    unsigned unread = 0;
    for (unsigned updates = 0; updates < 20000; updates++)
        if (SSL_key_update(hostile.ssl, SSL_KEY_UPDATE_NOT_REQUESTED) != 1 ||
            SSL_do_handshake(hostile.ssl) != 1)
            break;
    ck_assert_int_eq(ioctl(connection_fd(b.connection), FIONREAD, &unread), 0);
    ck_assert_uint_gt(unread, 100 << 10); // of which a read takes a sixth at most
    ck_assert_uint_le(most_reads_of_a_turn(), READS_OF_A_PACKET);
    ck_assert(!b.closed);
}
END_TEST

// ---- handshakes -------------------------------------------------------------------------------

// A name may have several addresses, of which the first that answers will do.
START_TEST(dials_a_name)
{
    struct tls_handshake *handshake;
    char names[128];
    snprintf(names, sizeof(names), "127.0.0.1 somewhere\n127.0.0.2 somewhere\n%s somewhere\n",
             tls_host_ip);
    struct path hosts = temp_file("hosts", names);
    ck_assert_int_eq(evdns_base_load_hosts(other_door->dns, hosts.s), 0);
    unlink(hosts.s);
    a = b = (struct end){0};
    dial("somewhere", &handshake);
    run_until((a.connection && b.connection) || failures);
    ck_assert_msg(!failures, "%s", failed_with);
    ck_assert_str_eq(tls_transport_node(connection_remote(a.connection)), "host");
    ck_assert_str_eq(tls_transport_node(connection_remote(b.connection)), "dpu");
}
END_TEST

START_TEST(says_why_it_failed_from_the_loop)
{
    struct tls_handshake *handshake;
    door = tls_door_free(door);
    a = b = (struct end){0};
    dial(tls_host_ip, &handshake);
    ck_assert_uint_eq(failures, 0);
    run_until(failures);
    ck_assert_uint_eq(failures, 1);
    ck_assert_str_eq(failed_with, strerror(ECONNREFUSED));
}
END_TEST

START_TEST(who_gives_up_hears_no_more)
{
    unsigned open = open_descriptors();
    struct tls_handshake *handshake;
    a = b = (struct end){0};
    dial(tls_host_ip, &handshake);
    tls_handshake_free(handshake);
    dial("host.invalid", &handshake); // whether there is a name server or not
    tls_handshake_free(handshake);
    dial(tls_host_ip, &handshake);
    event_base_loop(base, EVLOOP_ONCE);
    tls_handshake_free(handshake);
    run_for_ms(100);
    ck_assert_ptr_null(a.connection);
    ck_assert_uint_eq(failures, 0);
    ck_assert_ptr_null(b.connection);
    ck_assert_uint_eq(open_descriptors(), open);
}
END_TEST

// ---- turns --------------------------------------------------------------------------------------

static struct turns *turns;
static struct turn_user turn_users[2];

static void setup_turns(void)
{
    turns = turns_new(base);
    ck_assert_ptr_nonnull(turns);
    for (size_t i = 0; i < ARRAY_SIZE(turn_users); i++)
        turn_user_init(&turn_users[i]);
}

static uint64_t queued_then;
static unsigned turns_taken;

static bool note_queued(struct turn *turn)
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
    struct turn other = {.turns = turns, .user = &turn_users[1], .take = note_queued};
    struct connection *connection;
    static char bytes[PACKET_SIZE_MAX];
    int ends[2];
    setup_base();
    setup_turns();
    other.turns = turns;
    list_init(&other.in_user);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends),
                     0);
    ck_assert_int_eq(connection_new(&connection, base, ends[0], OUTPUT_MAX), 0);
    take_end(&a, connection);
    connection_set_turns(a.connection, turns, &turn_users[0]);
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
    turn_want(&other);
    run_until(turns_taken > 0);
    ck_assert_uint_gt(queued_then, 0);
    ck_assert_uint_lt(queued_then, queued);
    run_until(connection_queued(a.connection) == 0);
    teardown_ends();
    close(ends[1]);
    turns_free(turns);
    event_base_free(base);
}
END_TEST

// The first message of a node that dials.
static size_t first_message(void *bytes, int size)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(ssl);
    ck_assert_int_lt(SSL_do_handshake(ssl), 0);
    int n = BIO_read(SSL_get_wbio(ssl), bytes, size);
    ck_assert_int_gt(n, 0);
    SSL_free(ssl);
    SSL_CTX_free(context);
    return (size_t)n;
}

#define STRANGERS 8

// Connects from an address of its own.
static int connect_from(const char *address)
{
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(address)},
                       to = {.sin_family = AF_INET,
                             .sin_addr.s_addr = inet_addr(tls_host_ip),
                             .sin_port = htons(TLS_PORT)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
    ck_assert(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 || errno == EINPROGRESS);
    return fd;
}

static unsigned count_answered(const int *fds, size_t n)
{
    unsigned answered = 0;
    for (size_t i = 0; i < n; i++) {
        int bytes = 0;
        ck_assert_int_eq(ioctl(fds[i], FIONREAD, &bytes), 0);
        answered += bytes > 0;
    }
    return answered;
}

// A machine that shakes hands again and again keeps others waiting for one signature, not for all.
START_TEST(machines_shake_hands_in_turns)
{
    int fds[STRANGERS + 1];
    char bytes[4096];
    struct errtext err;
    struct tls_settings host = settings_of("host", true);
    tls_door_free(door);
    setup_turns();
    ck_assert_int_eq(tls_door_new(&door, base, turns, &host, on_accepted, &b, &err), DOCA_SUCCESS);
    for (size_t i = 0; i <= STRANGERS; i++)
        fds[i] = connect_from(i < STRANGERS ? "127.77.7.7" : "127.77.7.8");
    run_until(door->arriving == STRANGERS + 1);
    size_t size = first_message(bytes, sizeof(bytes));
    for (size_t i = 0; i <= STRANGERS; i++)
        ck_assert_int_eq(send(fds[i], bytes, size, 0), (ssize_t)size);
    run_until(count_answered(&fds[STRANGERS], 1) == 1);
    ck_assert_uint_le(count_answered(fds, STRANGERS), 2);
    run_until(count_answered(fds, STRANGERS) == STRANGERS);
    for (size_t i = 0; i <= STRANGERS; i++)
        close(fds[i]);
    door = tls_door_free(door);
    turns_free(turns);
}
END_TEST

int main(void)
{
    const TTest *const either[] = {
        knows_who_is_there,      messages_of_every_size_arrive_in_order,
        a_turn_takes_a_few,      waits_for_a_slow_reader,
        drops_who_does_not_read, finishes_what_it_has_begun,
        no_message_is_too_large, is_heard_when_it_goes_at_once,
    };
    Suite *suite = suite_create("connection");
    TCase *local = tcase_create("unix"), *tls = tcase_create("tls"),
          *handshakes = tcase_create("handshakes"), *queues = tcase_create("queues"),
          *greedy = tcase_create("greedy");
    for (size_t i = 0; i < ARRAY_SIZE(either); i++) {
        tcase_add_test(local, either[i]);
        tcase_add_test(tls, either[i]);
    }
    tcase_add_checked_fixture(local, setup_unix, teardown_unix);
    tcase_add_checked_fixture(tls, setup_tls, teardown_tls);
    tcase_add_test(tls, a_link_has_one_descriptor_at_each_end);
    tcase_add_test(tls, no_descriptors_go_to_another_machine);
    tcase_add_test(tls, a_message_is_three_system_calls);
    tcase_add_test(tls, small_messages_of_one_turn_are_one_record);
    tcase_add_checked_fixture(handshakes, setup_doors, teardown_tls);
    tcase_add_test(handshakes, dials_a_name);
    tcase_add_test(handshakes, says_why_it_failed_from_the_loop);
    tcase_add_test(handshakes, who_gives_up_hears_no_more);
    suite_add_tcase(suite, local);
    suite_add_tcase(suite, tls);
    tcase_add_checked_fixture(greedy, setup_hostile, teardown_hostile);
    tcase_add_test(greedy, records_of_one_byte_leave_others_their_turn);
    tcase_add_test(greedy, updates_of_keys_leave_others_their_turn);
    tcase_add_test(handshakes, machines_shake_hands_in_turns);
    tcase_add_test(queues, sends_what_is_queued_in_turns);
    suite_add_tcase(suite, handshakes);
    suite_add_tcase(suite, queues);
    suite_add_tcase(suite, greedy);
    return run_suite(suite);
}
