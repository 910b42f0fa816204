// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Settings of links to other machines.

#ifndef DAEMON_TLS_SETTINGS_H
#define DAEMON_TLS_SETTINGS_H

#define TLS_ADDRESS_SIZE 272 // HOST:PORT
#define TLS_PATH_SIZE    512

// Links to other machines. Every setting except `listen` and `revoked` is required.
struct tls_settings {
    char listen[TLS_ADDRESS_SIZE]; // empty: this node only dials
    char certificate[TLS_PATH_SIZE], key[TLS_PATH_SIZE], authority[TLS_PATH_SIZE];
    char revoked[TLS_PATH_SIZE]; // empty: no certificate is revoked
};

#endif
