// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What comes over TLS from another machine: packets and their lengths, cut into records in any
// way, beside what TLS itself may send, and bytes that are not TLS. The handshake is done once;
// later inputs use the same connection until one of them ends it.

#include "any_message.h"
#include "cleanup.h"
#include "tls_transport.h"

#include <arpa/inet.h>
#include <docad.pb-c.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static SSL_CTX *server_context, *client_context;
static SSL *here, *there;
static int there_fd = -1;
static struct transport *transport;

static void make_contexts(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();

    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
    X509_set_pubkey(certificate, key);
    X509_sign(certificate, key, EVP_sha256());
    server_context = SSL_CTX_new(TLS_server_method());
    client_context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_min_proto_version(server_context, TLS1_3_VERSION);
    SSL_CTX_set_num_tickets(server_context, 0);
    if (SSL_CTX_use_certificate(server_context, certificate) != 1 ||
        SSL_CTX_use_PrivateKey(server_context, key) != 1)
        abort();
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void hang_up(void)
{
    if (!here)
        return;
    close(SSL_get_fd(here));
    close(there_fd);
    SSL_free(here);
    SSL_free(there);
    here = there = NULL;
}

static void shake_hands(void)
{
    int pair[2], done = 0;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        abort();
    here = SSL_new(server_context);
    there = SSL_new(client_context);
    SSL_set_fd(here, pair[0]);
    SSL_set_fd(there, pair[1]);
    SSL_set_accept_state(here);
    SSL_set_connect_state(there);
    SSL_set_mode(there, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    for (int i = 0; i < 10 && done != 3; i++)
        done = (SSL_do_handshake(there) == 1) | (SSL_do_handshake(here) == 1) << 1;
    if (done != 3)
        abort();
    there_fd = pair[1];
}

// The transport owns its socket and its part of `here`; both live on in the next input.
static void begin(void)
{
    struct tls_transport *tls;
    if (!here)
        shake_hands();
    int kept = fcntl(SSL_get_fd(here), F_DUPFD_CLOEXEC, 0);
    SSL_up_ref(here);
    // What the last transport has put in front of the socket.
    BIO *sock = SSL_get_rbio(here);
    BIO_up_ref(sock);
    SSL_set0_wbio(here, sock);
    if (kept < 0 || tls_transport_new(&tls, NULL, here, "node", "192.0.2.1:1") < 0)
        abort();
    transport = tls_transport_base(tls);
    transport->pid = kept; // not used otherwise
}

// True while the connection is good.
static bool receive_all(void)
{
    for (int i = 0; i < 2000; i++) {
        cleanup_message Docad__Message *message = NULL;
        struct fd_list fds;
        int r = transport->ops->receive(transport, &message, &fds);
        if ((r > 0) != (message != NULL) || (r > 0 && transport->has_more && r != 1))
            abort();
        if (r == -EAGAIN && !SSL_has_pending(here))
            return true;
        if (r <= 0 && r != -EAGAIN)
            return false;
    }
    return false;
}

static bool send_record(const void *bytes, size_t size)
{
    return size == 0 || SSL_write(there, bytes, (int)size) > 0;
}

// A message with its length before it, in records of a few bytes.
static bool send_message(struct input *in)
{
    static uint8_t packed[sizeof(uint32_t) + PACKET_SIZE_MAX];
    uint8_t how = input_u8(in);
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(
        &docad__message__descriptor, 80 + input_u8(in) % 16);
    Docad__Message message = DOCAD__MESSAGE__INIT;

    message.serial = how;
    message.body_case = field ? field->id : DOCAD__MESSAGE__BODY_OK;
    ProtobufCMessage *inner =
        any_message(field ? field->descriptor : &docad__empty__descriptor, in);
    message.ok = (Docad__Empty *)inner;
    size_t size = docad__message__get_packed_size(&message);
    bool good = true;
    if (size <= PACKET_SIZE_MAX) {
        uint32_t length = htonl((uint32_t)size + (how == 0xff));
        memcpy(packed, &length, sizeof(length));
        docad__message__pack(&message, packed + sizeof(length));
        size_t piece = how & 1 ? 1u + how % 61 : sizeof(packed);
        for (size_t at = 0; good && at < size + sizeof(length); at += piece) {
            size_t left = size + sizeof(length) - at;
            good = send_record(packed + at, left < piece ? left : piece);
        }
    }
    protobuf_c_message_free_unpacked(inner, NULL);
    return good;
}

static bool send_lengths(struct input *in)
{
    uint32_t length = htonl((uint32_t)input_odd(in));
    return send_record(&length, sizeof(length)) && send_record(in->at, in->left);
}

static bool transport_sends(struct input *in)
{
    static uint8_t bytes[PACKET_SIZE_MAX];
    size_t size = input_odd(in) % PACKET_SIZE_MAX;
    int r = transport->ops->send(transport, bytes, size, NULL, 0);
    if (r < 0 && r != -EAGAIN)
        return false;
    r = transport->has_kept ? transport->ops->flush(transport) : 0;
    for (int i = 0; i < 64 && SSL_read(there, bytes, sizeof(bytes)) > 0; i++)
        ;
    return r == 0 || r == -EAGAIN;
}

static bool act(uint8_t what, struct input *in)
{
    switch (what % 8) {
    case 0:
        return send_lengths(in);
    case 1:
        return send_record(in->at, in->left);
    case 2:
        return transport_sends(in);
    case 3:
        return SSL_key_update(there, what & 8 ? SSL_KEY_UPDATE_REQUESTED
                                              : SSL_KEY_UPDATE_NOT_REQUESTED) == 1 &&
               SSL_do_handshake(there) == 1;
    case 4:
        if (what < 0xf0) // bytes that are not TLS
            return true;
        return send(there_fd, in->at, in->left, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
    case 5:
        if (what >= 0xe0)
            SSL_shutdown(there);
        else if (what >= 0xc0)
            shutdown(there_fd, SHUT_RDWR);
        return receive_all();
    default:
        return send_message(in);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    signal(SIGPIPE, SIG_IGN);
    make_contexts();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size}, step;
    uint8_t what;
    bool good = true;

    begin();
    while (good && input_step(&in, &what, &step))
        good = act(what, &step);
    good = receive_all() && good && !transport->has_kept;
    int kept = transport->pid;
    transport_close(transport);
    SSL_set_fd(here, kept);
    if (!good)
        hang_up();
    return 0;
}
