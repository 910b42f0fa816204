// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The files of an authority's directory, shared by the commands on certificates. Functions that
// fail have reported why.

#ifndef DOCACTL_CERTIFICATES_H
#define DOCACTL_CERTIFICATES_H

#include "cleanup.h"
#include "themes.h"

#include <openssl/x509.h>
#include <stdio.h>

#define AUTHORITY       "authority"
#define FILE_NAME_SIZE  1024
#define CLOCKS_DIFFER_S (24 * 3600L) // signatures made now are valid since then

static inline void free_key(EVP_PKEY **key)
{
    EVP_PKEY_free(*key);
}

static inline void free_certificate(X509 **certificate)
{
    X509_free(*certificate);
}

#define cleanup_key         cleanup(free_key)
#define cleanup_certificate cleanup(free_certificate)

enum outcome crypto_failed(struct ctl *ctl, const char *what);

// DIR/NAME.KIND
enum outcome file_name(struct ctl *ctl, char out[FILE_NAME_SIZE], const char *dir, const char *name,
                       const char *kind);
// Makes a file that does not exist yet.
enum outcome make_file(struct ctl *ctl, const char *path, mode_t mode, FILE **out);
// Closes the file, and removes it unless all was `written`.
enum outcome finish_file(struct ctl *ctl, FILE **file, const char *path, bool written);

enum outcome check_node_name(struct ctl *ctl, const char *name);

enum outcome load_authority(struct ctl *ctl, const char *dir, X509 **certificate, EVP_PKEY **key);

#endif
