// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// How this node proves its identity to daemons on other machines, and which of them it
// trusts: a certificate, its key, and the authority that signed the certificates of all
// nodes. A certificate names its node; both sides show theirs.

#ifndef DAEMON_TLS_H
#define DAEMON_TLS_H

#include "errtext.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tls_settings;
typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;

// Reads the files. DOCA_ERROR_INITIALIZATION if one cannot be read, if others may read the
// key, or if the files, including the list of revoked certificates, do not belong together.
doca_error_t tls_new(SSL_CTX **out, const struct tls_settings *settings, struct errtext *err);
SSL_CTX *tls_free(SSL_CTX *tls); // takes NULL, returns NULL

// Reads the files like tls_new() and passes each problem to wrong(), with the option that names the
// file, including a certificate that is not valid now, or not that of this node (NULL: its name is
// not known). Returns the number of problems.
unsigned tls_check(const struct tls_settings *settings, const char *node,
                   void (*wrong)(void *arg, const char *option, const char *text), void *arg);

// Seconds since 1970: when the first of the node's certificate and those that it trusts expires.
int64_t tls_expires_s(SSL_CTX *tls);

// The same for the certificate of the other side; INT64_MAX if it has none.
int64_t tls_expires_there_s(const SSL *ssl);

// Finds the node that the other side's certificate names: its first DNS name. Returns false if
// there is no name, or none that fits.
bool tls_node_there(const SSL *ssl, char *name, size_t size);

// Returns whether the other side's certificate is on the revocation list of `tls`.
bool tls_is_revoked(SSL_CTX *tls, const SSL *ssl);

// Why the other side's certificate was refused, or the handshake failed.
void tls_why(const SSL *ssl, unsigned long error, char *why, size_t size);

#endif
