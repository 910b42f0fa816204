// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A daemon of another machine that is none: it speaks TLS to docad, and then whatever a
// test wants.

#ifndef INTEGRATION_TLS_CLIENT_H
#define INTEGRATION_TLS_CLIENT_H

#include "message.h"

#include <openssl/types.h>
#include <stdbool.h>
#include <stdint.h>

struct tls_client {
    int fd;
    SSL_CTX *context;
    SSL *ssl;
};

// A TCP connection and no more. Fails the test if nobody listens.
int tcp_connect(const char *host, uint16_t port);

// Connects and shakes hands with these files (either may be NULL: none is shown, the
// other side's is not looked at). False if the handshake fails.
bool tls_client_start(struct tls_client *client, const char *host, uint16_t port,
                      const char *certificate, const char *key);
// May be called again.
void tls_client_stop(struct tls_client *client);

// Bytes as they are.
void tls_client_write(struct tls_client *client, const void *data, size_t size);

// One message behind its length.
void tls_client_send(struct tls_client *client, const Docad__Message *message);

// The next message, which the caller frees; NULL once the other side has closed.
Docad__Message *tls_client_receive(struct tls_client *client);

#endif
