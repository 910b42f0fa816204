// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Certificates by which daemons on different machines authenticate each other: an authority, and a
// certificate for each node. These commands need no daemon.

#include "certificates.h"

#include "fields.h"
#include "listing.h"
#include "number.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/stat.h>

#define AUTHORITY_DAYS 3650
#define NODE_DAYS      825
#define DAYS_MAX       36500
#define NAME_MAX_SIZE  63

enum outcome crypto_failed(struct ctl *ctl, const char *what)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_UNEXPECTED, "cannot %s: %s", what,
                    reason ? reason : "out of memory");
}

// ---- files ------------------------------------------------------------------------------

enum outcome file_name(struct ctl *ctl, char out[FILE_NAME_SIZE], const char *dir, const char *name,
                       const char *kind)
{
    int n = snprintf(out, FILE_NAME_SIZE, "%s/%s.%s", dir, name, kind);
    if (n < 0 || n >= FILE_NAME_SIZE)
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE, "the path is too long");
    return OUTCOME_DONE;
}

// Never overwrites a file: it may be in use.
enum outcome make_file(struct ctl *ctl, const char *path, mode_t mode, FILE **out)
{
    cleanup_fd int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return ctl_fail(ctl, OUTCOME_REFUSED,
                        errno == EEXIST ? DOCA_ERROR_ALREADY_EXIST : DOCA_ERROR_OPERATING_SYSTEM,
                        "cannot make %s: %s", path, strerror(errno));
    *out = fdopen(fd, "w");
    if (!*out)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NO_MEMORY, "out of memory");
    steal_fd(&fd);
    return OUTCOME_DONE;
}

enum outcome finish_file(struct ctl *ctl, FILE **file, const char *path, bool written)
{
    int why = fclose(steal_ptr(*file)) == 0 ? 0 : errno;
    if (written && !why)
        return OUTCOME_DONE;
    unlink(path);
    if (!why)
        return crypto_failed(ctl, "write the file");
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM, "cannot write %s: %s", path,
                    strerror(why));
}

static enum outcome save_pair(struct ctl *ctl, const char *dir, const char *name, X509 *certificate,
                              EVP_PKEY *key)
{
    cleanup_file FILE *file = NULL;
    char crt[FILE_NAME_SIZE], pem[FILE_NAME_SIZE];

    enum outcome r = file_name(ctl, crt, dir, name, "crt");
    if (r == OUTCOME_DONE)
        r = file_name(ctl, pem, dir, name, "key");
    if (r == OUTCOME_DONE)
        r = make_file(ctl, pem, 0600, &file);
    if (r != OUTCOME_DONE)
        return r;
    r = finish_file(ctl, &file, pem,
                    PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1);
    if (r == OUTCOME_DONE)
        r = make_file(ctl, crt, 0644, &file);
    if (r == OUTCOME_DONE)
        r = finish_file(ctl, &file, crt, PEM_write_X509(file, certificate) == 1);
    if (r != OUTCOME_DONE) {
        unlink(pem);
        return r;
    }
    struct json_object *object = json_object_new_object();
    put_text(object, "certificate", crt);
    put_text(object, "key", pem);
    return show_object(ctl, object, certificate_fields);
}

static enum outcome open_for_reading(struct ctl *ctl, const char *dir, const char *kind,
                                     char path[FILE_NAME_SIZE], FILE **out)
{
    enum outcome r = file_name(ctl, path, dir, AUTHORITY, kind);
    if (r != OUTCOME_DONE)
        return r;
    *out = fopen(path, "re");
    if (!*out)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                        "cannot read %s: %s; make an authority with: docactl certificates "
                        "authority %s",
                        path, strerror(errno), dir);
    return OUTCOME_DONE;
}

enum outcome load_authority(struct ctl *ctl, const char *dir, X509 **certificate, EVP_PKEY **key)
{
    cleanup_file FILE *crt = NULL, *pem = NULL;
    char path[FILE_NAME_SIZE];

    enum outcome r = open_for_reading(ctl, dir, "crt", path, &crt);
    if (r != OUTCOME_DONE)
        return r;
    *certificate = PEM_read_X509(crt, NULL, NULL, NULL);
    if (!*certificate)
        return crypto_failed(ctl, "read the authority's certificate");
    r = open_for_reading(ctl, dir, "key", path, &pem);
    if (r != OUTCOME_DONE)
        return r;
    *key = PEM_read_PrivateKey(pem, NULL, NULL, NULL);
    if (!*key || X509_check_private_key(*certificate, *key) != 1)
        return crypto_failed(ctl, "use the authority's key");
    return OUTCOME_DONE;
}

// ---- certificates -----------------------------------------------------------------------

struct extension {
    int nid;
    const char *value;
};

static bool add_extensions(X509 *certificate, X509 *issuer, const struct extension *extensions)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    for (; extensions->value; extensions++) {
        X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &context, extensions->nid, extensions->value);
        bool added = e && X509_add_ext(certificate, e, -1) == 1;
        X509_EXTENSION_free(e);
        if (!added)
            return false;
    }
    return true;
}

static bool set_serial(X509 *certificate)
{
    uint8_t bytes[16];
    if (RAND_bytes(bytes, sizeof(bytes)) != 1)
        return false;
    bytes[0] &= 0x7f; // positive
    BIGNUM *number = BN_bin2bn(bytes, sizeof(bytes), NULL);
    bool set = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    return set;
}

// Makes certificates valid since yesterday, because clocks differ.
static bool fill(X509 *certificate, const char *name, EVP_PKEY *key, long days)
{
    X509_NAME *subject = X509_get_subject_name(certificate);
    return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -CLOCKS_DIFFER_S) &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), days * 24 * 3600L) &&
           X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const uint8_t *)name, -1, -1,
                                      0) == 1 &&
           X509_set_pubkey(certificate, key) == 1;
}

// The certificate signs itself if `issuer` is NULL.
static X509 *make_certificate(const char *name, EVP_PKEY *key, long days, X509 *issuer,
                              EVP_PKEY *issuer_key, const struct extension *extensions)
{
    X509 *certificate = X509_new();
    X509 *by = issuer ? issuer : certificate;
    if (certificate && fill(certificate, name, key, days) &&
        X509_set_issuer_name(certificate, X509_get_subject_name(by)) == 1 &&
        add_extensions(certificate, by, extensions) &&
        X509_sign(certificate, issuer_key, EVP_sha256()) > 0)
        return certificate;
    X509_free(certificate);
    return NULL;
}

// ---- commands ---------------------------------------------------------------------------

static enum outcome take_days(struct ctl *ctl, long *days)
{
    const char *text = ctl->args.options[OPTION_DAYS];
    uint64_t value;
    if (!text)
        return OUTCOME_DONE;
    if (!number_read(text, 10, DAYS_MAX, &value) || value == 0)
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "--days %s: write a number of 1 to %d", text, DAYS_MAX);
    *days = (long)value;
    return OUTCOME_DONE;
}

// The certificate holds the name as a DNS name: only characters of DNS names are allowed.
static bool is_node_name(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length <= NAME_MAX_SIZE && strcmp(name, AUTHORITY) != 0 &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") ==
               length &&
           name[0] != '.';
}

enum outcome check_node_name(struct ctl *ctl, const char *name)
{
    if (is_node_name(name))
        return OUTCOME_DONE;
    return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                    "'%s' is not a valid node name; write 1 to %d letters, digits, '-', '_' and "
                    "'.', and not '" AUTHORITY "'",
                    name, NAME_MAX_SIZE);
}

enum outcome run_certificates_authority(struct ctl *ctl)
{
    static const struct extension extensions[] = {
        {NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
        {NID_key_usage, "critical,keyCertSign,cRLSign"},
        {NID_subject_key_identifier, "hash"},
        {.value = NULL},
    };
    const char *dir = ctl->args.positional[0];
    long days = AUTHORITY_DAYS;

    enum outcome r = take_days(ctl, &days);
    if (r != OUTCOME_DONE)
        return r;
    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM, "cannot make %s: %s",
                        dir, strerror(errno));
    cleanup_key EVP_PKEY *key = EVP_EC_gen("P-256");
    if (!key)
        return crypto_failed(ctl, "make a key");
    cleanup_certificate X509 *certificate =
        make_certificate("docad authority", key, days, NULL, key, extensions);
    if (!certificate)
        return crypto_failed(ctl, "make the authority's certificate");
    return save_pair(ctl, dir, AUTHORITY, certificate, key);
}

// The certificate of a node for its key, signed by the directory's authority.
static enum outcome sign_node(struct ctl *ctl, const char *name, const char *dir, EVP_PKEY *key,
                              X509 **out)
{
    char alternative[NAME_MAX_SIZE + 8];
    const struct extension extensions[] = {
        {NID_basic_constraints, "critical,CA:FALSE"}, {NID_key_usage, "critical,digitalSignature"},
        {NID_ext_key_usage, "serverAuth,clientAuth"}, {NID_subject_alt_name, alternative},
        {NID_authority_key_identifier, "keyid"},      {.value = NULL},
    };
    cleanup_certificate X509 *issuer = NULL;
    cleanup_key EVP_PKEY *issuer_key = NULL;
    long days = NODE_DAYS;

    enum outcome r = take_days(ctl, &days);
    if (r == OUTCOME_DONE)
        r = load_authority(ctl, dir, &issuer, &issuer_key);
    if (r != OUTCOME_DONE)
        return r;
    snprintf(alternative, sizeof(alternative), "DNS:%s", name);
    *out = make_certificate(name, key, days, issuer, issuer_key, extensions);
    return *out ? OUTCOME_DONE : crypto_failed(ctl, "make the certificate");
}

enum outcome run_certificates_node(struct ctl *ctl)
{
    const char *name = ctl->args.positional[0], *dir = ctl->args.positional[1];
    cleanup_certificate X509 *certificate = NULL;

    enum outcome r = check_node_name(ctl, name);
    if (r != OUTCOME_DONE)
        return r;
    cleanup_key EVP_PKEY *key = EVP_EC_gen("P-256");
    if (!key)
        return crypto_failed(ctl, "make a key");
    r = sign_node(ctl, name, dir, key, &certificate);
    return r == OUTCOME_DONE ? save_pair(ctl, dir, name, certificate, key) : r;
}

static enum outcome load_key(struct ctl *ctl, const char *path, const char *name, const char *dir,
                             EVP_PKEY **key)
{
    cleanup_file FILE *file = fopen(path, "re");
    if (!file)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                        "cannot read %s: %s; a node's first certificate is made with: docactl "
                        "certificates node %s %s",
                        path, strerror(errno), name, dir);
    *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    return *key ? OUTCOME_DONE : crypto_failed(ctl, "read the node's key");
}

// Puts the certificate in the old one's place in one step: a docad may read the file at any time.
static enum outcome replace_certificate(struct ctl *ctl, const char *crt, X509 *certificate)
{
    cleanup_file FILE *file = NULL;
    char next[FILE_NAME_SIZE + 8];

    snprintf(next, sizeof(next), "%s.new", crt);
    enum outcome r = make_file(ctl, next, 0644, &file);
    if (r == OUTCOME_DONE)
        r = finish_file(ctl, &file, next, PEM_write_X509(file, certificate) == 1);
    if (r != OUTCOME_DONE || rename(next, crt) == 0)
        return r;
    int why = errno;
    unlink(next);
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM, "cannot replace %s: %s", crt,
                    strerror(why));
}

enum outcome run_certificates_renew(struct ctl *ctl)
{
    const char *name = ctl->args.positional[0], *dir = ctl->args.positional[1];
    char crt[FILE_NAME_SIZE], pem[FILE_NAME_SIZE];
    cleanup_certificate X509 *certificate = NULL;
    cleanup_key EVP_PKEY *key = NULL;

    enum outcome r = check_node_name(ctl, name);
    if (r == OUTCOME_DONE)
        r = file_name(ctl, crt, dir, name, "crt");
    if (r == OUTCOME_DONE)
        r = file_name(ctl, pem, dir, name, "key");
    if (r == OUTCOME_DONE)
        r = load_key(ctl, pem, name, dir, &key);
    if (r == OUTCOME_DONE)
        r = sign_node(ctl, name, dir, key, &certificate);
    if (r == OUTCOME_DONE)
        r = replace_certificate(ctl, crt, certificate);
    if (r != OUTCOME_DONE)
        return r;
    struct json_object *object = json_object_new_object();
    put_text(object, "certificate", crt);
    put_text(object, "key", pem);
    return show_object(ctl, object, certificate_fields);
}
