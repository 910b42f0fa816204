// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "certificate.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static FILE *open_file(const char *dir, const char *name, const char *ending, const char *mode)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s.%s", dir, name, ending);
    FILE *file = fopen(path, mode);
    if (!file)
        abort();
    return file;
}

static void add_extension(X509 *certificate, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
    if (!extension || X509_add_ext(certificate, extension, -1) != 1)
        abort();
    X509_EXTENSION_free(extension);
}

void certificate_make(const char *dir, const char *name)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    char dns[64];

    snprintf(dns, sizeof(dns), "DNS:%s", name);
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), name[0]);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -86400);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400L * 365);
    X509_NAME *subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_set_pubkey(certificate, key);
    add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(certificate, NID_subject_alt_name, dns);
    if (X509_sign(certificate, key, EVP_sha256()) == 0)
        abort();
    FILE *own = open_file(dir, name, "crt", "w"), *all = open_file(dir, "all", "crt", "a"),
         *private = open_file(dir, name, "key", "w");
    if (PEM_write_X509(own, certificate) != 1 || PEM_write_X509(all, certificate) != 1 ||
        PEM_write_PrivateKey(private, key, NULL, NULL, 0, NULL, NULL) != 1)
        abort();
    if (fchmod(fileno(private), 0600) < 0)
        abort();
    fclose(own);
    fclose(all);
    fclose(private);
    X509_free(certificate);
    EVP_PKEY_free(key);
}
