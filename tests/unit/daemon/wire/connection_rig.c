// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "connection_rig.h"

#include "env.h"
#include "tls.h"
#include "tls_nodes.h"
#include "tls_settings.h"
#include "tls_transport.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- system calls, counted ----------------------------------------------------------------

_Thread_local struct calls calls;

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
    return (int)syscall(SYS_epoll_pwait, fd, events, n, ms, NULL, 0);
}

int epoll_ctl(int fd, int what, int of, struct epoll_event *event)
{
    calls.controls++;
    return (int)syscall(SYS_epoll_ctl, fd, what, of, event);
}

#pragma GCC visibility pop

unsigned open_descriptors(void)
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

struct event_base *base;
struct tls_endpoint *endpoint, *other_endpoint;
struct end a, b;
bool over_tls;
char failed_with[256];
unsigned failures;

void send_text(struct end *end, uint64_t serial, size_t size)
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

void take_end(struct end *end, struct connection *connection)
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

static void no_more(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    *(bool *)arg = true;
}

void run_for_ms(unsigned ms)
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

void setup_base(void)
{
    signal(SIGPIPE, SIG_IGN); // as docad does
    base = event_base_new();
    ck_assert_ptr_nonnull(base);
    failures = 0;
}

void setup_doors(void)
{
    struct errtext err;
    tls_setup();
    setup_base();
    struct tls_settings host = settings_of("host", true), dpu = settings_of("dpu", false);
    ck_assert_int_eq(tls_endpoint_new(&endpoint, base, NULL, &host, on_accepted, &b, &err),
                     DOCA_SUCCESS);
    ck_assert_int_eq(tls_endpoint_new(&other_endpoint, base, NULL, &dpu, NULL, NULL, &err),
                     DOCA_SUCCESS);
}

void dial(const char *host, struct tls_handshake **out)
{
    char address[64];
    snprintf(address, sizeof(address), "%s:%d", host, TLS_PORT);
    ck_assert_int_eq(tls_handshake_connect(out, other_endpoint, address, "host", &dialler, &a), 0);
}

void setup_tls(void)
{
    struct tls_handshake *handshake;
    over_tls = true;
    setup_doors();
    dial(tls_host_ip, &handshake);
    a = b = (struct end){0};
    run_until(a.connection && b.connection);
}

void setup_unix(void)
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

void teardown_ends(void)
{
    a.connection = connection_free(a.connection);
    b.connection = connection_free(b.connection);
}

void teardown_unix(void)
{
    teardown_ends();
    event_base_free(base);
}

void teardown_tls(void)
{
    teardown_ends();
    endpoint = tls_endpoint_free(endpoint);
    other_endpoint = tls_endpoint_free(other_endpoint);
    event_base_free(base);
    tls_teardown();
}

void setup_endpoint_with(struct sched *sched)
{
    struct errtext err;
    struct tls_settings host = settings_of("host", true);
    ck_assert_int_eq(tls_endpoint_new(&endpoint, base, sched, &host, on_accepted, &b, &err),
                     DOCA_SUCCESS);
}

void setup_sched(struct sched_users *t)
{
    *t = (struct sched_users){.sched = sched_new(base)};
    ck_assert_ptr_nonnull(t->sched);
    for (size_t i = 0; i < ARRAY_SIZE(t->users); i++)
        sched_user_init(&t->users[i], NULL);
}
