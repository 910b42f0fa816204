// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls.h"

#include "cleanup.h"
#include "text.h"
#include "tls_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CERTIFIED_NAME_MAX 256

static doca_error_t refused(struct errtext *err, const char *what, const char *path)
{
    unsigned long code = ERR_peek_error(); // the first error is the cause; later ones follow from
                                           // it
    const char *reason =
        ERR_SYSTEM_ERROR(code) ? strerror(ERR_GET_REASON(code)) : ERR_reason_error_string(code);

    errtext_set(err, DOCA_ERROR_INITIALIZATION,
                "tls: %s %s: %s (make one with: docactl certificates)", what, path,
                reason ? reason : "cannot be used");
    ERR_clear_error();
    return DOCA_ERROR_INITIALIZATION;
}

// Every process that can read the key can impersonate this node.
static doca_error_t check_key(const char *path, struct errtext *err)
{
    struct stat st;
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &st) < 0)
        return errtext_set(err, DOCA_ERROR_INITIALIZATION, "tls: key %s: %s", path,
                           strerror(errno));
    if (st.st_mode & (S_IROTH | S_IWOTH | S_IWGRP))
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "tls: key %s: others may use it, its mode is %04o (chmod 600, or 640 "
                           "with the group of docad)",
                           path, (unsigned)st.st_mode & 07777);
    return DOCA_SUCCESS;
}

static doca_error_t read_certificate(SSL_CTX *tls, const struct tls_settings *s,
                                     struct errtext *err)
{
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(tls, s->certificate) != 1)
        return refused(err, "certificate", s->certificate);
    return DOCA_SUCCESS;
}

// Called after the certificate was read, if it was: OpenSSL compares the two.
static doca_error_t read_key(SSL_CTX *tls, const struct tls_settings *s, struct errtext *err)
{
    doca_error_t r = check_key(s->key, err);
    if (r != DOCA_SUCCESS)
        return r;
    ERR_clear_error();
    if (SSL_CTX_use_PrivateKey_file(tls, s->key, SSL_FILETYPE_PEM) == 1)
        return DOCA_SUCCESS;
    return ERR_GET_LIB(ERR_peek_error()) == ERR_LIB_X509
               ? refused(err, "the certificate does not belong to key", s->key)
               : refused(err, "key", s->key);
}

static doca_error_t read_authority(SSL_CTX *tls, const struct tls_settings *s, struct errtext *err)
{
    ERR_clear_error();
    if (SSL_CTX_load_verify_file(tls, s->authority) != 1)
        return refused(err, "authority", s->authority);
    return DOCA_SUCCESS;
}

// Verifies a certificate against the trusted ones, whatever the time is. Returns X509_V_OK or the
// reason. Expired lists and certificates are detected when a link is made; a revoked certificate
// stays revoked.
static int verify(SSL_CTX *tls, X509 *certificate, STACK_OF(X509) * chain)
{
    X509_STORE_CTX *check = X509_STORE_CTX_new();
    int error = X509_V_ERR_OUT_OF_MEM;

    if (check && X509_STORE_CTX_init(check, SSL_CTX_get_cert_store(tls), certificate, chain) == 1) {
        X509_STORE_CTX_set_flags(check, X509_V_FLAG_NO_CHECK_TIME);
        error = X509_verify_cert(check) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(check);
    }
    X509_STORE_CTX_free(check);
    ERR_clear_error();
    return error;
}

// A list of another authority, or a list that was altered, would make every link fail.
static doca_error_t check_list(SSL_CTX *tls, const char *path, struct errtext *err)
{
    int error = verify(tls, SSL_CTX_get0_certificate(tls), NULL);

    if (error != X509_V_ERR_UNABLE_TO_GET_CRL && error != X509_V_ERR_CRL_SIGNATURE_FAILURE)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                       "tls: revoked %s: it is not the list of the authority that signed this "
                       "node's certificate: %s (make the list with: docactl certificates revoke)",
                       path, X509_verify_cert_error_string(error));
}

static doca_error_t read_list(SSL_CTX *tls, const struct tls_settings *s, struct errtext *err)
{
    const char *path = s->revoked;
    if (!path[0])
        return DOCA_SUCCESS;
    X509_STORE *store = SSL_CTX_get_cert_store(tls);
    X509_LOOKUP *lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());

    if (!lookup || X509_load_crl_file(lookup, path, X509_FILETYPE_PEM) < 1)
        return refused(err, "revoked", path);
    X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
    return check_list(tls, path, err);
}

typedef doca_error_t (*reader)(SSL_CTX *tls, const struct tls_settings *settings,
                               struct errtext *err);

static const struct {
    reader read;
    const char *option;
} readers[] = {{read_certificate, "certificate"},
               {read_key, "key"},
               {read_authority, "authority"},
               {read_list, "revoked"}};

static bool copy_name(const GENERAL_NAMES *names, char *out, size_t size)
{
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        if (name->type != GEN_DNS)
            continue;
        const unsigned char *text = ASN1_STRING_get0_data(name->d.dNSName);
        size_t length = (size_t)ASN1_STRING_length(name->d.dNSName);
        if (length >= size || memchr(text, '\0', length))
            return false;
        memcpy(out, text, length);
        out[length] = '\0';
        return text_is_name(out, size);
    }
    return false;
}

// The first DNS name of a certificate is that of its node. Returns false if there is none, or none
// that fits.
static bool node_of(const X509 *certificate, char *name, size_t size)
{
    GENERAL_NAMES *names =
        certificate ? X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL) : NULL;
    bool found = names && copy_name(names, name, size);
    GENERAL_NAMES_free(names);
    return found;
}

// ---- the name in a certificate that is refused ------------------------------------------------

// OpenSSL keeps no certificate that it has refused. The name is not verified, but helps to find the
// peer.
static int refused_name = -1; // index of a text in an SSL

static void free_name(void *parent, void *name, CRYPTO_EX_DATA *data, int index, long argl,
                      void *argp)
{
    (void)parent;
    (void)data;
    (void)index;
    (void)argl;
    (void)argp;
    free(name);
}

static int on_verified(int good, X509_STORE_CTX *check)
{
    SSL *ssl = X509_STORE_CTX_get_ex_data(check, SSL_get_ex_data_X509_STORE_CTX_idx());
    char name[CERTIFIED_NAME_MAX];

    if (!good && ssl && refused_name >= 0 && !SSL_get_ex_data(ssl, refused_name) &&
        node_of(X509_STORE_CTX_get0_cert(check), name, sizeof(name))) {
        char *copy = strdup(name);
        if (copy && SSL_set_ex_data(ssl, refused_name, copy) != 1)
            free(copy);
    }
    return good;
}

doca_error_t tls_new(SSL_CTX **out, const struct tls_settings *settings, struct errtext *err)
{
    doca_error_t r = DOCA_SUCCESS;
    SSL_CTX *tls = SSL_CTX_new(TLS_method());
    if (refused_name < 0)
        refused_name = SSL_get_ex_new_index(0, NULL, NULL, NULL, free_name);
    if (!tls || SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION) != 1) {
        SSL_CTX_free(tls);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "tls: out of memory");
    }
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, on_verified);
    // Links stay up, so session tickets are of no use.
    SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(tls, 0);
    for (size_t i = 0; r == DOCA_SUCCESS && i < ARRAY_SIZE(readers); i++)
        r = readers[i].read(tls, settings, err);
    if (r != DOCA_SUCCESS) {
        SSL_CTX_free(tls);
        return r;
    }
    *out = tls;
    return DOCA_SUCCESS;
}

// A certificate that is not valid now does not keep docad from starting, but no link will
// be made.
static doca_error_t check_time(SSL_CTX *tls, const struct tls_settings *s, struct errtext *err)
{
    const X509 *certificate = SSL_CTX_get0_certificate(tls);
    if (!certificate)
        return DOCA_SUCCESS;
    const char *why = X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0 ? "has expired"
                      : X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0
                          ? "is not valid yet"
                          : NULL;
    if (!why)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                       "tls: certificate %s: it %s (make one with: docactl certificates)",
                       s->certificate, why);
}

// Other nodes refuse the links of a node that has the certificate of another one.
static doca_error_t check_name(SSL_CTX *tls, const struct tls_settings *s, const char *node,
                               struct errtext *err)
{
    const X509 *certificate = SSL_CTX_get0_certificate(tls);
    char name[CERTIFIED_NAME_MAX];

    if (!certificate || !node)
        return DOCA_SUCCESS;
    if (!node_of(certificate, name, sizeof(name)))
        return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                           "tls: certificate %s: it names no node (make one with: docactl "
                           "certificates node %s)",
                           s->certificate, node);
    if (strcmp(name, node) == 0)
        return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_INITIALIZATION,
                       "tls: certificate %s: it is that of node \"%s\", and this node is \"%s\" "
                       "(name this node so, or make its own with: docactl certificates node %s)",
                       s->certificate, name, node, node);
}

unsigned tls_check(const struct tls_settings *settings, const char *node,
                   void (*wrong)(void *arg, const char *option, const char *text), void *arg)
{
    struct errtext err;
    unsigned n = 0;
    SSL_CTX *tls = SSL_CTX_new(TLS_method());

    if (!tls) {
        wrong(arg, "certificate", "tls: out of memory");
        return 1;
    }
    for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
        // A list is checked against the files that were read before.
        bool possible = readers[i].read != read_list || n == 0;
        if (possible && readers[i].read(tls, settings, &err) != DOCA_SUCCESS) {
            wrong(arg, readers[i].option, err.s);
            n++;
        }
    }
    if (check_time(tls, settings, &err) != DOCA_SUCCESS) {
        wrong(arg, "certificate", err.s);
        n++;
    }
    if (check_name(tls, settings, node, &err) != DOCA_SUCCESS) {
        wrong(arg, "certificate", err.s);
        n++;
    }
    SSL_CTX_free(tls);
    return n;
}

static int64_t end_of(const X509 *certificate)
{
    struct tm tm;
    return certificate && ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &tm) == 1 ? timegm(&tm)
                                                                                     : INT64_MAX;
}

int64_t tls_expires_s(SSL_CTX *tls)
{
    const STACK_OF(X509_OBJECT) *trusted = X509_STORE_get0_objects(SSL_CTX_get_cert_store(tls));
    int64_t first = end_of(SSL_CTX_get0_certificate(tls));
    for (int i = 0; i < sk_X509_OBJECT_num(trusted); i++) {
        int64_t end = end_of(X509_OBJECT_get0_X509(sk_X509_OBJECT_value(trusted, i)));
        first = end < first ? end : first;
    }
    return first;
}

int64_t tls_expires_there_s(const SSL *ssl)
{
    return end_of(SSL_get0_peer_certificate(ssl));
}

SSL_CTX *tls_free(SSL_CTX *tls)
{
    SSL_CTX_free(tls);
    return NULL;
}

bool tls_node_there(const SSL *ssl, char *name, size_t size)
{
    return node_of(SSL_get0_peer_certificate(ssl), name, size);
}

bool tls_is_revoked(SSL_CTX *tls, const SSL *ssl)
{
    X509 *certificate = SSL_get0_peer_certificate(ssl);
    return certificate &&
           verify(tls, certificate, SSL_get_peer_cert_chain(ssl)) == X509_V_ERR_CERT_REVOKED;
}

// Returns why the other side does not accept this node's certificate, if its alert is about that.
static const char *own_certificate(int reason)
{
    switch (reason) {
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
        return "it has been revoked; make another one (docactl certificates node)";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
        return "it has expired, or is not valid yet; look at its dates and at the clocks";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
        return "the authority over there has not signed it";
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
        return "it is not valid there; that node's log says why";
    default:
        return NULL;
    }
}

void tls_why(const SSL *ssl, unsigned long error, char *why, size_t size)
{
    long verified = SSL_get_verify_result(ssl);
    const char *reason = ERR_reason_error_string(error);
    const char *own = own_certificate(ERR_GET_REASON(error));

    const char *name = refused_name >= 0 ? SSL_get_ex_data(ssl, refused_name) : NULL;

    if (verified != X509_V_OK)
        snprintf(why, size, "its certificate%s%s%s is refused: %s", name ? " (node " : "",
                 name ? name : "", name ? ")" : "", X509_verify_cert_error_string(verified));
    else if (own)
        snprintf(why, size, "that node refuses this node's certificate: %s", own);
    else if (ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
        snprintf(why, size, "closed by the other side");
    else
        snprintf(why, size, "TLS: %s", reason ? reason : "the other side broke off");
}
