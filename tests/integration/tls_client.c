// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_client.h"

#include "cleanup.h"
#include "deadline.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int tcp_connect(const char *host, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct timeval limit = {.tv_sec = HARNESS_LIMIT_MS / 1000};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(inet_pton(AF_INET, host, &address.sin_addr), 1);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

bool tls_client_start(struct tls_client *client, const char *host, uint16_t port,
                      const char *certificate, const char *key)
{
    client->fd = tcp_connect(host, port);
    client->context = SSL_CTX_new(TLS_client_method());
    ck_assert_ptr_nonnull(client->context);
    if (certificate) {
        ck_assert_int_eq(SSL_CTX_use_certificate_chain_file(client->context, certificate), 1);
        ck_assert_int_eq(SSL_CTX_use_PrivateKey_file(client->context, key, SSL_FILETYPE_PEM), 1);
    }
    client->ssl = SSL_new(client->context);
    ck_assert_ptr_nonnull(client->ssl);
    SSL_set_fd(client->ssl, client->fd);
    return SSL_connect(client->ssl) == 1;
}

// What the other end of this connection has not read yet, as the kernel lists it.
static unsigned long unread_there(const struct tls_client *client)
{
    struct sockaddr_in own;
    socklen_t size = sizeof(own);
    char line[256];
    unsigned port, state;
    unsigned long unread = 1;

    ck_assert_int_eq(getsockname(client->fd, (struct sockaddr *)&own, &size), 0);
    cleanup_file FILE *list = fopen("/proc/net/tcp", "re");
    ck_assert_ptr_nonnull(list);
    while (fgets(line, sizeof(line), list)) {
        unsigned long n;
        if (sscanf(line, " %*d: %*x:%*x %*x:%x %x %*x:%lx", &port, &state, &n) == 3 &&
            port == ntohs(own.sin_port) && state == TCP_ESTABLISHED)
            unread = n;
    }
    return unread;
}

// docad reads the last message of the handshake and finishes it in one go.
void tls_client_wait_accepted(const struct tls_client *client)
{
    while (unread_there(client) > 0)
        usleep(1000);
}

void tls_client_stop(struct tls_client *client)
{
    SSL_free(client->ssl);
    SSL_CTX_free(client->context);
    close_fdp(&client->fd);
    *client = (struct tls_client){.fd = -1};
}

void tls_client_write(struct tls_client *client, const void *data, size_t size)
{
    ck_assert_int_eq(SSL_write(client->ssl, data, (int)size), (int)size);
}

void tls_client_send(struct tls_client *client, const Docad__Message *message)
{
    uint8_t bytes[4 + 4096];
    size_t size = docad__message__get_packed_size(message);
    uint32_t length = htonl((uint32_t)size);

    ck_assert_uint_le(size, sizeof(bytes) - 4);
    memcpy(bytes, &length, sizeof(length));
    docad__message__pack(message, bytes + 4);
    tls_client_write(client, bytes, 4 + size);
}

static bool read_all(struct tls_client *client, uint8_t *data, size_t size)
{
    while (size > 0) {
        int n = SSL_read(client->ssl, data, (int)size);
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

Docad__Message *tls_client_receive(struct tls_client *client)
{
    uint32_t length;
    if (!read_all(client, (uint8_t *)&length, sizeof(length)))
        return NULL;
    length = ntohl(length);
    ck_assert_uint_le(length, PACKET_SIZE_MAX);
    cleanup_free uint8_t *bytes = malloc(length);
    ck_assert(read_all(client, bytes, length));
    Docad__Message *message = docad__message__unpack(NULL, length, bytes);
    ck_assert_ptr_nonnull(message);
    return message;
}
