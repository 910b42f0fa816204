// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The list of certificates that their authority has revoked. It names no date for the next list: it
// is valid until there is another.

#include "certificates.h"

#include "fields.h"
#include "listing.h"

#include <errno.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void free_list(X509_CRL **list)
{
    X509_CRL_free(*list);
}

#define cleanup_list cleanup(free_list)

static enum outcome load_certificate(struct ctl *ctl, const char *path, X509 *issuer, X509 **out)
{
    cleanup_file FILE *file = fopen(path, "re");
    if (!file)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND, "cannot read %s: %s", path,
                        strerror(errno));
    *out = PEM_read_X509(file, NULL, NULL, NULL);
    if (!*out)
        return crypto_failed(ctl, "read the certificate");
    if (X509_verify(*out, X509_get0_pubkey(issuer)) != 1)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_INVALID_VALUE,
                        "%s was not signed by the authority beside it", path);
    return OUTCOME_DONE;
}

// Reads the list, or makes an empty one if there is none yet.
static enum outcome load_list(struct ctl *ctl, const char *path, X509 *issuer, X509_CRL **out)
{
    cleanup_file FILE *file = fopen(path, "re");

    if (!file && errno != ENOENT)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM, "cannot read %s: %s",
                        path, strerror(errno));
    *out = file ? PEM_read_X509_CRL(file, NULL, NULL, NULL) : X509_CRL_new();
    if (!*out)
        return crypto_failed(ctl, "read the list of revoked certificates");
    if (file && X509_CRL_verify(*out, X509_get0_pubkey(issuer)) != 1)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_INVALID_VALUE,
                        "%s was not signed by the authority beside it; move it away", path);
    return OUTCOME_DONE;
}

// ---- changing ---------------------------------------------------------------------------

static bool add_entry(X509_CRL *list, const X509 *certificate)
{
    X509_REVOKED *entry = X509_REVOKED_new();
    ASN1_TIME *now = X509_gmtime_adj(NULL, 0);
    bool added =
        entry && now &&
        X509_REVOKED_set_serialNumber(entry, (ASN1_INTEGER *)X509_get0_serialNumber(certificate)) ==
            1 &&
        X509_REVOKED_set_revocationDate(entry, now) == 1 && X509_CRL_add0_revoked(list, entry) == 1;
    if (!added)
        X509_REVOKED_free(entry);
    ASN1_TIME_free(now);
    return added;
}

// Each list has a higher number than the one before.
static bool count_up(X509_CRL *list)
{
    ASN1_INTEGER *number = X509_CRL_get_ext_d2i(list, NID_crl_number, NULL, NULL);
    int64_t last = 0;
    bool done = (!number || ASN1_INTEGER_get_int64(&last, number) == 1) &&
                (number || (number = ASN1_INTEGER_new())) &&
                ASN1_INTEGER_set_int64(number, last + 1) == 1 &&
                X509_CRL_add1_ext_i2d(list, NID_crl_number, number, 0, X509V3_ADD_REPLACE) == 1;
    ASN1_INTEGER_free(number);
    return done;
}

static bool sign_list(X509_CRL *list, X509 *issuer, EVP_PKEY *key)
{
    ASN1_TIME *since = X509_gmtime_adj(NULL, -CLOCKS_DIFFER_S);
    bool done = since && X509_CRL_set_version(list, X509_CRL_VERSION_2) == 1 &&
                X509_CRL_set_issuer_name(list, X509_get_subject_name(issuer)) == 1 &&
                X509_CRL_set1_lastUpdate(list, since) == 1 && count_up(list) &&
                X509_CRL_sort(list) == 1 && X509_CRL_sign(list, key, EVP_sha256()) > 0;
    ASN1_TIME_free(since);
    return done;
}

// ---- the command ------------------------------------------------------------------------

// Replaces the last list, or changes nothing.
static enum outcome save_list(struct ctl *ctl, const char *path, X509_CRL *list)
{
    char next[FILE_NAME_SIZE + 8];
    FILE *file;

    snprintf(next, sizeof(next), "%s.new", path);
    unlink(next); // left by a command that was interrupted
    enum outcome r = make_file(ctl, next, 0644, &file);
    if (r == OUTCOME_DONE)
        r = finish_file(ctl, &file, next,
                        PEM_write_X509_CRL(file, list) == 1 && fflush(file) == 0 &&
                            fsync(fileno(file)) == 0);
    if (r != OUTCOME_DONE || rename(next, path) == 0)
        return r;
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM, "cannot write %s: %s", path,
                    strerror(errno));
}

static enum outcome show(struct ctl *ctl, const char *crt, const X509 *certificate,
                         const char *path, X509_CRL *list)
{
    BIGNUM *number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), NULL);
    char *serial = number ? BN_bn2hex(number) : NULL;
    struct json_object *object = json_object_new_object();

    put_text(object, "certificate", crt);
    put_text(object, "serial", serial ? serial : "");
    put_text(object, "list", path);
    put_number(object, "entries", (uint64_t)sk_X509_REVOKED_num(X509_CRL_get_REVOKED(list)));
    OPENSSL_free(serial);
    BN_free(number);
    return show_object(ctl, object, revocation_fields);
}

enum outcome run_certificates_revoke(struct ctl *ctl)
{
    const char *name = ctl->args.positional[0], *dir = ctl->args.positional[1];
    cleanup_certificate X509 *issuer = NULL, *certificate = NULL;
    cleanup_key EVP_PKEY *key = NULL;
    cleanup_list X509_CRL *list = NULL;
    char crt[FILE_NAME_SIZE], path[FILE_NAME_SIZE];
    X509_REVOKED *found;

    enum outcome r = check_node_name(ctl, name);
    if (r == OUTCOME_DONE)
        r = file_name(ctl, crt, dir, name, "crt");
    if (r == OUTCOME_DONE)
        r = file_name(ctl, path, dir, AUTHORITY, "crl");
    if (r == OUTCOME_DONE)
        r = load_authority(ctl, dir, &issuer, &key);
    if (r == OUTCOME_DONE)
        r = load_certificate(ctl, crt, issuer, &certificate);
    if (r == OUTCOME_DONE)
        r = load_list(ctl, path, issuer, &list);
    if (r != OUTCOME_DONE)
        return r;
    if (X509_CRL_get0_by_cert(list, &found, certificate) == 1)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_ALREADY_EXIST, "%s is in %s already", crt,
                        path);
    if (!add_entry(list, certificate) || !sign_list(list, issuer, key))
        return crypto_failed(ctl, "make the list of revoked certificates");
    r = save_list(ctl, path, list);
    return r == OUTCOME_DONE ? show(ctl, crt, certificate, path, list) : r;
}
