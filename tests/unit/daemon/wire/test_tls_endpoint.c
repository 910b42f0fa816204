// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Doors for TLS: who dials and who is dialled, names, failures, and machines that shake hands in
// turns.

#include "connection_rig.h"

#include "cleanup.h"
#include "env.h"
#include "tls.h"
#include "tls_nodes.h"
#include "tls_transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/dns.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// A name may have several addresses, of which the first that answers will do.
START_TEST(dials_a_name)
{
    struct tls_handshake *handshake;
    char names[128];
    snprintf(names, sizeof(names), "127.0.0.1 somewhere\n127.0.0.2 somewhere\n%s somewhere\n",
             tls_host_ip);
    struct path hosts = temp_file("hosts", names);
    ck_assert_int_eq(evdns_base_load_hosts(other_endpoint->dns, hosts.s), 0);
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
    endpoint = tls_endpoint_free(endpoint);
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
    struct sched_users t;
    tls_endpoint_free(endpoint);
    setup_sched(&t);
    setup_endpoint_with(t.sched);
    for (size_t i = 0; i <= STRANGERS; i++)
        fds[i] = connect_from(i < STRANGERS ? "127.77.7.7" : "127.77.7.8");
    run_until(endpoint->arriving == STRANGERS + 1);
    size_t size = first_message(bytes, sizeof(bytes));
    for (size_t i = 0; i <= STRANGERS; i++)
        ck_assert_int_eq(send(fds[i], bytes, size, 0), (ssize_t)size);
    run_until(count_answered(&fds[STRANGERS], 1) == 1);
    ck_assert_uint_le(count_answered(fds, STRANGERS), 2);
    run_until(count_answered(fds, STRANGERS) == STRANGERS);
    for (size_t i = 0; i <= STRANGERS; i++)
        close(fds[i]);
    endpoint = tls_endpoint_free(endpoint);
    sched_free(t.sched);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tls_endpoint");
    TCase *tcase = tcase_create("tls_endpoint");
    tcase_add_unchecked_fixture(tcase, certificates_prepare, NULL);
    tcase_add_checked_fixture(tcase, setup_doors, teardown_tls);
    tcase_add_test(tcase, dials_a_name);
    tcase_add_test(tcase, says_why_it_failed_from_the_loop);
    tcase_add_test(tcase, who_gives_up_hears_no_more);
    tcase_add_test(tcase, machines_shake_hands_in_turns);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
