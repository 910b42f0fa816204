// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Plays the daemon of another machine: it speaks TLS to docad and then says whatever a test
// wants.

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

// Makes only a TCP connection. Fails the test if nobody listens.
int tcp_connect(const char *host, uint16_t port);

// Connects and shakes hands with these files (either may be NULL: none is shown, the
// other side's is not looked at). False if the handshake fails.
bool tls_client_start(struct tls_client *client, const char *host, uint16_t port,
                      const char *certificate, const char *key);
// Waits until docad has finished the handshake, too.
void tls_client_wait_accepted(const struct tls_client *client);
// May be called again.
void tls_client_stop(struct tls_client *client);

// Sends these bytes as they are.
void tls_client_write(struct tls_client *client, const void *data, size_t size);

// Sends one message with its length in front.
void tls_client_send(struct tls_client *client, const Docad__Message *message);

// Returns the next message, which the caller frees, or NULL once the other side has closed.
Docad__Message *tls_client_receive(struct tls_client *client);

#endif
