// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_pair.h"

#include "cleanup.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define VALID_S 86400

struct tls_pair {
    pid_t pid;
    int sock;
    SSL_CTX *context;
    SSL *ssl;
    char *bytes; // of a request or an answer
    struct tls_plan plan;
};

// ---- the certificate --------------------------------------------------------------------------

// Any will do: the two are one program.
static bool sign(X509 *x, EVP_PKEY *key)
{
    return X509_set_version(x, 2) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(x), 1) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(x), -VALID_S) &&
           X509_gmtime_adj(X509_getm_notAfter(x), VALID_S) && X509_set_pubkey(x, key) == 1 &&
           X509_sign(x, key, EVP_sha256()) > 0;
}

static bool make_context(struct tls_pair *pair)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = X509_new();
    pair->context = SSL_CTX_new(TLS_method());
    bool ok = key && x && pair->context && sign(x, key) &&
              SSL_CTX_set_min_proto_version(pair->context, TLS1_3_VERSION) == 1 &&
              SSL_CTX_use_certificate(pair->context, x) == 1 &&
              SSL_CTX_use_PrivateKey(pair->context, key) == 1;
    X509_free(x);
    EVP_PKEY_free(key);
    return ok;
}

// ---- either side ------------------------------------------------------------------------------

static bool take_socket(struct tls_pair *pair, int sock)
{
    const int on = 1;
    setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    pair->ssl = SSL_new(pair->context);
    if (pair->ssl)
        SSL_set_read_ahead(pair->ssl, 1); // a record with one read(), as docad
    return pair->ssl && SSL_set_fd(pair->ssl, sock) == 1;
}

static bool receive(struct tls_pair *pair, size_t size)
{
    for (size_t done = 0; done < size;) {
        int n = SSL_read(pair->ssl, pair->bytes + done, (int)(size - done));
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static bool send_all(struct tls_pair *pair, size_t size)
{
    return SSL_write(pair->ssl, pair->bytes, (int)size) == (int)size;
}

// ---- the other side ---------------------------------------------------------------------------

static _Noreturn void answer_all(struct tls_pair *pair, int listener, pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
        _exit(1);
    int sock = accept(listener, NULL, NULL);
    if (sock < 0 || !take_socket(pair, sock) || SSL_accept(pair->ssl) != 1)
        _exit(1);
    for (uint32_t i = 1; receive(pair, pair->plan.request); i++)
        if (i % pair->plan.requests == 0 && !send_all(pair, pair->plan.answer))
            break;
    _exit(0);
}

// ---- this side --------------------------------------------------------------------------------

static bool connect_pair(struct tls_pair *pair)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    cleanup_fd int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pid_t parent = getpid();

    if (listener < 0 || bind(listener, (struct sockaddr *)&at, size) < 0 ||
        listen(listener, 1) < 0 || getsockname(listener, (struct sockaddr *)&at, &size) < 0)
        return false;
    pair->pid = fork();
    if (pair->pid == 0)
        answer_all(pair, listener, parent);
    pair->sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return pair->pid > 0 && pair->sock >= 0 &&
           connect(pair->sock, (struct sockaddr *)&at, size) == 0 &&
           take_socket(pair, pair->sock) && SSL_connect(pair->ssl) == 1;
}

bool tls_pair_open(struct tls_pair **out, const struct tls_plan *plan, struct problem *problem)
{
    struct tls_pair *pair = calloc(1, sizeof(*pair));
    if (!pair)
        return problem_set(problem, "out of memory");
    *out = pair;
    pair->sock = -1;
    pair->plan = *plan;
    pair->bytes = calloc(1, plan->request > plan->answer ? plan->request : plan->answer);
    return (pair->bytes && make_context(pair) && connect_pair(pair)) ||
           problem_set(problem, "a bare TLS connection cannot be made");
}

void tls_pair_close(struct tls_pair *pair)
{
    if (!pair)
        return;
    SSL_free(pair->ssl);
    SSL_CTX_free(pair->context);
    close_fdp(&pair->sock);
    if (pair->pid > 0) {
        kill(pair->pid, SIGKILL);
        waitpid(pair->pid, NULL, 0);
    }
    free(pair->bytes);
    free(pair);
}

bool tls_pair_run(struct tls_pair *pair, uint64_t n, uint32_t depth, struct problem *problem)
{
    for (uint64_t at = 0; at < n; at += depth) {
        uint32_t some = n - at < depth ? (uint32_t)(n - at) : depth;
        bool ok = true;
        for (uint32_t i = 0; ok && i < some; i++)
            ok = send_all(pair, pair->plan.request);
        for (uint32_t i = 0; ok && i < some; i += pair->plan.requests)
            ok = receive(pair, pair->plan.answer);
        if (!ok)
            return problem_set(problem, "the bare TLS connection has failed");
    }
    return true;
}
