// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Files that the administrator names: the certificate, the key, the authority and the list of
// revoked certificates of links to other machines, and the users' ranges of subordinate uids. The
// rest of a node's files is good.

#include "account.h"
#include "cleanup.h"
#include "input.h"
#include "tls.h"
#include "tls_settings.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CERTIFICATE, KEY, AUTHORITY, REVOKED, FILES };

static int files[FILES];
static char *good[FILES];
static size_t good_size[FILES];

static void keep(int which, BIO *bio)
{
    char *text;
    long size = BIO_get_mem_data(bio, &text);
    good[which] = malloc((size_t)size);
    memcpy(good[which], text, (size_t)size);
    good_size[which] = (size_t)size;
    BIO_free(bio);
}

static void set_times(X509 *certificate)
{
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 7);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -86400);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400L * 365);
}

static void set_name(X509_NAME *name, const char *text)
{
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)text, -1, -1, 0);
}

static void add_extension(X509 *certificate, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

static void make_good(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *authority = X509_new(), *certificate = X509_new();
    X509_CRL *revoked = X509_CRL_new();
    BIO *bio[FILES];

    set_times(authority);
    set_name(X509_get_subject_name(authority), "authority");
    X509_set_issuer_name(authority, X509_get_subject_name(authority));
    X509_set_pubkey(authority, key);
    add_extension(authority, NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(authority, key, EVP_sha256());
    set_times(certificate);
    set_name(X509_get_subject_name(certificate), "node");
    X509_set_issuer_name(certificate, X509_get_subject_name(authority));
    X509_set_pubkey(certificate, key);
    add_extension(certificate, NID_subject_alt_name, "DNS:node");
    X509_sign(certificate, key, EVP_sha256());
    X509_CRL_set_version(revoked, 1);
    X509_CRL_set_issuer_name(revoked, X509_get_subject_name(authority));
    X509_CRL_set1_lastUpdate(revoked, X509_get0_notBefore(authority));
    X509_CRL_set1_nextUpdate(revoked, X509_get0_notAfter(authority));
    X509_CRL_sign(revoked, key, EVP_sha256());
    for (int i = 0; i < FILES; i++)
        bio[i] = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio[CERTIFICATE], certificate);
    PEM_write_bio_PrivateKey(bio[KEY], key, NULL, NULL, 0, NULL, NULL);
    PEM_write_bio_X509(bio[AUTHORITY], authority);
    PEM_write_bio_X509_CRL(bio[REVOKED], revoked);
    for (int i = 0; i < FILES; i++)
        keep(i, bio[i]);
    X509_CRL_free(revoked);
    X509_free(certificate);
    X509_free(authority);
    EVP_PKEY_free(key);
}

static void put(int file, const void *bytes, size_t size)
{
    if (ftruncate(file, 0) < 0 || pwrite(file, bytes, size, 0) != (ssize_t)size)
        abort();
}

static void complain(void *arg, const char *option, const char *text)
{
    (void)arg;
    (void)option;
    if (!text[0])
        abort();
}

// The good file with some bytes changed, or one of any contents.
static void put_changed(int which, struct input *in, bool any)
{
    static char text[8192];
    size_t size = good_size[which] < sizeof(text) ? good_size[which] : sizeof(text);

    if (any) {
        put(files[which], in->at, in->left);
        return;
    }
    memcpy(text, good[which], size);
    while (in->left > 2) {
        size_t at = input_u16(in) % size;
        text[at] = (char)input_u8(in);
    }
    put(files[which], text, size);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    make_good();
    for (int i = 0; i < FILES; i++) {
        files[i] = memfd_create("pem", MFD_CLOEXEC);
        if (files[i] < 0 || fchmod(files[i], 0600) < 0)
            abort();
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct tls_settings settings = {.listen = ""};
    char *const paths[FILES] = {settings.certificate, settings.key, settings.authority,
                                settings.revoked};
    uint8_t how = input_u8(&in);
    struct errtext err;
    SSL_CTX *tls;

    for (int i = 0; i < FILES; i++) {
        snprintf(paths[i], TLS_PATH_SIZE, "/proc/self/fd/%d", files[i]);
        put(files[i], good[i], good_size[i]);
    }
    if (how % 8 == 7) {
        put(files[REVOKED], in.at, in.left);
        account_load(settings.revoked, settings.revoked);
        for (uid_t uid = 0; uid < 200000; uid += 9973)
            account_of(uid);
        account_unload();
        return 0;
    }
    put_changed(how % FILES, &in, how & 8);
    if (how & 16)
        settings.revoked[0] = 0;
    tls_check(&settings, "host", complain, NULL);
    if (tls_new(&tls, &settings, &err) == DOCA_SUCCESS)
        tls_free(tls);
    return 0;
}
