// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a linked node on another machine may send besides messages: changes of keys. docad handles a
// few of them at a time, and ends the link of a node that sends them again and again, which costs
// it little and docad much.

#include "tls_transport.h"

#include "cleanup.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>

static SSL_CTX *context;
static SSL *there;
static struct tls_transport *here;

static void make_certificate(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    ck_assert_int_eq(X509_set_pubkey(certificate, key), 1);
    ck_assert_int_gt(X509_sign(certificate, key, EVP_sha256()), 0);
    ck_assert_int_eq(SSL_CTX_use_certificate(context, certificate), 1);
    ck_assert_int_eq(SSL_CTX_use_PrivateKey(context, key), 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void begin(void)
{
    int pair[2];
    context = SSL_CTX_new(TLS_method());
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_num_tickets(context, 0);
    make_certificate();
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
    SSL *own = SSL_new(context);
    there = SSL_new(context);
    SSL_set_fd(own, pair[0]);
    SSL_set_fd(there, pair[1]);
    SSL_set_accept_state(own);
    SSL_set_connect_state(there);
    for (int i = 0; i < 10; i++) {
        SSL_do_handshake(there);
        SSL_do_handshake(own);
    }
    ck_assert(SSL_is_init_finished(own));
    ck_assert_int_eq(tls_transport_new(&here, NULL, own, "there", "192.0.2.1:1"), 0);
}

static void end(void)
{
    struct transport *transport = tls_transport_base(here);
    transport->ops->close(transport);
    close(SSL_get_fd(there));
    SSL_free(there);
    SSL_CTX_free(context);
}

static int receive(void)
{
    struct transport *transport = tls_transport_base(here);
    cleanup_message Docad__Message *message = NULL;
    struct fd_list fds = FD_LIST_EMPTY;
    return transport->ops->receive(transport, &message, &fds);
}

static void change_keys(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        ck_assert_int_eq(SSL_key_update(there, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
        ck_assert_int_eq(SSL_do_handshake(there), 1);
    }
}

// One message, of which the first byte comes alone.
static void send_message(void)
{
    const uint8_t packet[] = {0, 0, 0, 2, 0x08, 7}; // its serial is 7
    ck_assert_int_eq(SSL_write(there, packet, 1), 1);
    change_keys(1);
    ck_assert_int_eq(SSL_write(there, packet + 1, sizeof(packet) - 1), sizeof(packet) - 1);
}

START_TEST(keys_change_now_and_then)
{
    for (int i = 0; i < 100; i++) {
        change_keys(2);
        send_message();
        ck_assert_int_eq(receive(), 1);
    }
    ck_assert_int_eq(receive(), -EAGAIN);
}
END_TEST

START_TEST(keys_do_not_change_again_and_again)
{
    change_keys(100);
    send_message();
    ck_assert_int_eq(receive(), 0);
    ck_assert_str_ne(tls_transport_base(here)->why, "");
    // The rest of them was not looked at.
    ck_assert_int_eq(receive(), 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("tls transport");
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, keys_change_now_and_then);
    tcase_add_test(tcase, keys_do_not_change_again_and_again);
    return unit_run_case("tls transport", tcase);
}
