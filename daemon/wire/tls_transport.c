// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tls_transport.h"

#include "cleanup.h"
#include "copy_text.h"
#include "host_port.h"
#include "node_id.h"
#include "tls.h"
#include "tls_endpoint.h"
#include "tls_settings.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SILENCE_LIMIT_MS 10000 // if data stays unacknowledged that long, the machine has failed
// Bytes that wait here and in the kernel go out before the next message. Keep them few even
// if bytes of queue pairs (link_queue.h) fill the link; the connection's own queue grows
// instead.
#define NOTSENT_HIGH (128 << 10)
#define PACKET_MAX   (sizeof(uint32_t) + PACKET_SIZE_MAX)
// Bytes of records that are written together, and read together: a call that moves few costs as
// much as one that moves many, here and in the kernel, and wakes a process on the other side.
#define WRITE_SIZE (PACKET_MAX + 4096) // a packet, and what TLS adds
#define READ_SIZE  (2 * SSL3_RT_MAX_ENCRYPTED_LENGTH)
#define PIECE_LONG 4096 // several small packets are read together
// A call of receive() reads from the socket this often: enough for the largest packet. Others
// get their turn then, even if the other side sends records of one byte, or records without
// any data, through which OpenSSL reads on by itself.
#define READS_MAX (PACKET_MAX / READ_SIZE + 1)
// Messages of TLS itself after the handshake (changes of keys, session tickets) that such a call
// takes. Each fits into 27 bytes and costs as much as a hundred kilobytes of data; docad sends
// none, and other implementations send one for some gigabytes.
#define CONTROL_MAX 16

struct bytes {
    size_t start, end, size;
    uint8_t *data;
};

struct tls_transport {
    struct transport transport;
    struct tls_endpoint *endpoint;
    SSL *ssl;
    struct bytes input, output;
    unsigned reads, controls; // of the socket, and CONTROL_MAX, in this call of receive()
    // A long piece (piece.h) whose data goes straight to its place.
    bool in_piece, after_piece;
    struct piece rest; // bytes that have not arrived yet
    size_t tail;       // bytes behind the data
    char node[NODE_NAME_SIZE];
    char address[TLS_ADDRESS_SIZE];
    uint8_t space[3 * PACKET_MAX + 1024]; // buffer of both; only the used part is touched
};

// Makes room after the existing bytes.
static void move_to_front(struct bytes *b)
{
    memmove(b->data, b->data + b->start, b->end - b->start);
    b->end -= b->start;
    b->start = 0;
}

// Forgets the first bytes.
static void drop(struct bytes *b, size_t n)
{
    b->start += n;
    if (b->start == b->end)
        b->start = b->end = 0;
}

// The result of an OpenSSL call: -EAGAIN, 0 for the end, or -EPIPE, and then `why` is set.
// TLS 1.3 never reads in order to write, nor the other way round.
static int outcome(struct tls_transport *t, int result)
{
    int error = errno;
    int what = SSL_get_error(t->ssl, result);
    unsigned long tls = ERR_peek_error();

    if (what == SSL_ERROR_WANT_READ || what == SSL_ERROR_WANT_WRITE)
        return -EAGAIN;
    if (ERR_GET_REASON(tls) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        t->transport.why[0] = '\0'; // docad sends no close_notify either
    } else if (tls) {
        tls_why(t->ssl, tls, t->transport.why, sizeof(t->transport.why));
    } else if (what == SSL_ERROR_SYSCALL && error) {
        copy_text(t->transport.why, strerror(error));
    }
    ERR_clear_error();
    return -EPIPE;
}

// ---- output -------------------------------------------------------------------------------

static struct tls_transport *tls_of(struct transport *transport)
{
    return container_of(transport, struct tls_transport, transport);
}

// Small packets from one turn of the loop are sent together.
static uint8_t *room(struct transport *transport, size_t size)
{
    struct bytes *out = &tls_of(transport)->output;

    if (out->size - out->end < sizeof(uint32_t) + size)
        move_to_front(out);
    if (out->size - out->end < sizeof(uint32_t) + size)
        return NULL;
    return out->data + out->end + sizeof(uint32_t);
}

static void filled(struct transport *transport, size_t size)
{
    struct bytes *out = &tls_of(transport)->output;
    uint32_t length = htonl((uint32_t)size);

    memcpy(out->data + out->end, &length, sizeof(length));
    out->end += sizeof(length) + size;
    transport->has_kept = true;
}

static int send_packet(struct transport *transport, const void *data, size_t size, const int *fds,
                       size_t n_fds)
{
    (void)fds;

    if (n_fds > 0)
        return -EOPNOTSUPP;
    uint8_t *packet = room(transport, size);
    if (!packet)
        return -EAGAIN;
    memcpy(packet, data, size);
    filled(transport, size);
    return 0;
}

// Before it disconnected, the other side may have sent an alert with the reason.
static void read_alert(struct tls_transport *t)
{
    uint8_t last_words[512];
    int n;

    t->reads = t->controls = 0;
    do {
        ERR_clear_error();
        errno = 0;
        n = SSL_read(t->ssl, last_words, sizeof(last_words));
    } while (n > 0);
    unsigned long tls = ERR_peek_error();
    if (tls && ERR_GET_REASON(tls) != SSL_R_UNEXPECTED_EOF_WHILE_READING)
        tls_why(t->ssl, tls, t->transport.why, sizeof(t->transport.why));
    ERR_clear_error();
}

static int write_failed(struct tls_transport *t, int result)
{
    int r = outcome(t, result);
    if (r == -EPIPE)
        read_alert(t);
    return r;
}

static int flush(struct transport *transport)
{
    struct tls_transport *t = tls_of(transport);
    struct bytes *out = &t->output;

    while (out->start < out->end) {
        ERR_clear_error();
        errno = 0;
        int n = SSL_write(t->ssl, out->data + out->start, (int)(out->end - out->start));
        if (n <= 0)
            return write_failed(t, n);
        out->start += (size_t)n;
    }
    out->start = out->end = 0;
    ERR_clear_error();
    errno = 0;
    int r = (int)BIO_flush(SSL_get_wbio(t->ssl));
    if (r <= 0)
        return BIO_should_retry(SSL_get_wbio(t->ssl)) ? -EAGAIN : write_failed(t, r);
    transport->has_kept = false;
    return 0;
}

// ---- input --------------------------------------------------------------------------------

// 1: a complete message was taken; 0: it is not complete yet; -EPROTO: the bytes are not a
// message; -ENOMEM.
static int take_message(struct bytes *in, Docad__Message **message)
{
    uint32_t length;

    if (in->end - in->start < sizeof(length))
        return 0;
    memcpy(&length, in->data + in->start, sizeof(length));
    length = ntohl(length);
    if (length == 0 || length > PACKET_SIZE_MAX)
        return -EPROTO;
    if (in->end - in->start < sizeof(length) + length)
        return 0;
    int r = message_unpack(in->data + in->start + sizeof(length), length, message);
    drop(in, sizeof(length) + length);
    return r < 0 ? r : 1;
}

// Called by OpenSSL before and after whatever it does with the socket. What is left unread
// makes the socket readable in the next turn of the loop.
static long limit_reads(BIO *bio, int what, const char *data, size_t size, int argi, long argl,
                        int result, size_t *processed)
{
    struct tls_transport *t = (void *)BIO_get_callback_arg(bio);
    (void)data;
    (void)size;
    (void)argi;
    (void)argl;
    (void)processed;

    if (what != BIO_CB_READ || t->reads++ < READS_MAX)
        return result;
    BIO_set_retry_read(bio);
    return -1;
}

// Called by OpenSSL for each message of TLS. After one too many it reads no more records, although
// it has thousands of them in its buffer.
static void limit_controls(int sent, int version, int type, const void *data, size_t size, SSL *ssl,
                           void *arg)
{
    struct tls_transport *t = arg;
    (void)version;
    (void)data;
    (void)size;

    if (sent || type != SSL3_RT_HANDSHAKE || t->controls++ < CONTROL_MAX)
        return;
    copy_text(t->transport.why, "it changes its keys, or sends tickets, again and again");
    SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN);
}

// Reads up to `size` bytes. Returns 1 if it has read some; otherwise like receive().
static int read_into(struct tls_transport *t, void *to, size_t size, size_t *n)
{
    *n = 0;
    ERR_clear_error();
    errno = 0;
    int r = SSL_read(t->ssl, to, (int)size);
    if (r > 0) {
        *n = (size_t)r;
        return 1;
    }
    r = outcome(t, r);
    return r == -EPIPE ? 0 : r;
}

// After a long piece another one is likely: only its head is read into the buffer.
static size_t read_size(const struct tls_transport *t)
{
    const struct bytes *in = &t->input;
    size_t there = in->end - in->start, head = t->tail + sizeof(uint32_t) + PIECE_HEAD_MAX;
    return t->after_piece && there < head ? head - there : in->size - in->end;
}

static int read_more(struct tls_transport *t)
{
    struct bytes *in = &t->input;
    size_t n;

    if (in->end == in->size)
        move_to_front(in);
    size_t size = read_size(t), left = in->size - in->end;
    int r = read_into(t, in->data + in->end, size < left ? size : left, &n);
    if (r > 0)
        in->end += n;
    return r;
}

// ---- long pieces ----------------------------------------------------------------------------

// Called when this much of the piece's data has arrived.
static void have_come(struct piece *rest, size_t n)
{
    rest->offset += (uint32_t)n;
    rest->length -= (uint32_t)n;
}

// If a piece begins in the buffer, its data is written directly to its destination: the bytes that
// are here already and those that follow.
static bool begin_piece(struct tls_transport *t)
{
    struct bytes *in = &t->input;
    const uint8_t *packet = in->data + in->start + sizeof(uint32_t);
    struct piece *rest = &t->rest;
    uint32_t size;

    if (in->end - in->start < sizeof(size) || !t->transport.place)
        return false;
    memcpy(&size, packet - sizeof(size), sizeof(size));
    size = ntohl(size);
    size_t have = in->end - in->start - sizeof(size);
    size_t head = piece_begins(packet, have, size, rest);
    uint8_t *place = head ? t->transport.place(t->transport.owner, rest) : NULL;
    if (!place) {
        rest->length = 0;
        return false;
    }
    t->tail = size - head - rest->length;
    drop(in, sizeof(size) + head);
    have -= head;
    if (have > rest->length)
        have = rest->length;
    memcpy(place, in->data + in->start, have);
    drop(in, have);
    have_come(rest, have);
    t->after_piece = size > PIECE_LONG;
    return t->in_piece = true;
}

// The address is looked up each time: it may have been freed.
static int read_piece(struct tls_transport *t)
{
    struct bytes *in = &t->input;
    void *place = t->transport.place(t->transport.owner, &t->rest);
    size_t n, size = t->rest.length;

    if (!place && size > in->size)
        size = in->size;
    int r = read_into(t, place ? place : in->data, size, &n);
    if (r > 0)
        have_come(&t->rest, n);
    return r;
}

// Takes the message when it is complete. Results like those of take_message().
static int end_piece(struct tls_transport *t, Docad__Message **message)
{
    struct bytes *in = &t->input;

    if (t->rest.length > 0 || in->end - in->start < t->tail)
        return 0;
    int r = piece_end(&t->rest, in->data + in->start, t->tail, message);
    drop(in, t->tail);
    t->tail = 0;
    t->in_piece = false;
    return r < 0 ? r : 1;
}

// ---- messages -------------------------------------------------------------------------------

static int take(struct tls_transport *t, Docad__Message **message)
{
    if (t->in_piece)
        return end_piece(t, message);
    int r = take_message(&t->input, message);
    if (r == 0 && begin_piece(t))
        return end_piece(t, message);
    if (r != 0)
        t->after_piece = false;
    return r;
}

static int receive(struct transport *transport, Docad__Message **message, struct fd_list *fds)
{
    struct tls_transport *t = tls_of(transport);
    int r;

    fds->count = 0;
    t->reads = t->controls = 0;
    while ((r = take(t, message)) == 0 && (r = t->rest.length ? read_piece(t) : read_more(t)) > 0)
        ;
    transport->has_more = r > 0 && (t->input.end > 0 || SSL_has_pending(t->ssl));
    return r;
}

// ---- lifetime -----------------------------------------------------------------------------

static void end(struct transport *transport)
{
    struct tls_transport *t = tls_of(transport);
    if (transport->has_kept)
        flush(transport);
    SSL_free(t->ssl);
    ERR_clear_error();
    close(transport->fd);
    free(t);
}

// A machine that has failed sends nothing, but docad must notice that.
static void set_tcp_options(int fd)
{
    const struct {
        int option, value;
    } options[] = {
        {TCP_NODELAY, 1},
        {TCP_KEEPIDLE, 3},
        {TCP_KEEPINTVL, 2},
        {TCP_KEEPCNT, 3},
        {TCP_USER_TIMEOUT, SILENCE_LIMIT_MS},
        {TCP_NOTSENT_LOWAT, NOTSENT_HIGH},
    };
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    for (size_t i = 0; i < ARRAY_SIZE(options); i++)
        setsockopt(fd, IPPROTO_TCP, options[i].option, &options[i].value, sizeof(options[i].value));
}

static const struct transport_ops tls_ops = {.send = send_packet,
                                             .room = room,
                                             .filled = filled,
                                             .flush = flush,
                                             .receive = receive,
                                             .close = end};

// Allocates room for several records, in both directions. Called after the handshake: an
// unauthenticated peer gets only what one record needs.
static bool make_room(SSL *ssl)
{
    BIO *buffer = BIO_new(BIO_f_buffer()), *sock = SSL_get_wbio(ssl);

    if (!buffer || BIO_set_write_buffer_size(buffer, WRITE_SIZE) != 1) {
        BIO_free(buffer);
        return false;
    }
    BIO_up_ref(sock);
    SSL_set0_wbio(ssl, BIO_push(buffer, sock));
    SSL_set_default_read_buffer_len(ssl, READ_SIZE);
    SSL_free_buffers(ssl); // if they contain data, they stay as they are
    SSL_set_read_ahead(ssl, 1);
    return true;
}

int tls_transport_new(struct tls_transport **out, struct tls_endpoint *endpoint, SSL *ssl,
                      const char *node, const char *address)
{
    struct tls_transport *t = malloc(sizeof(*t));
    if (!t || !make_room(ssl)) {
        ERR_clear_error();
        free(t);
        return -ENOMEM;
    }
    memset(t, 0, offsetof(struct tls_transport, space));
    t->transport = (struct transport){.ops = &tls_ops,
                                      .fd = SSL_get_fd(ssl),
                                      .reads_ahead = true,
                                      .credentials = credentials_own(),
                                      .pid = getpid()};
    t->endpoint = endpoint;
    t->ssl = ssl;
    t->input = (struct bytes){.data = t->space, .size = PACKET_MAX};
    t->output =
        (struct bytes){.data = t->space + PACKET_MAX, .size = sizeof(t->space) - PACKET_MAX};
    copy_text(t->node, node);
    copy_text(t->address, address);
    // Kept bytes move to the front when there is no room after them, and more bytes may follow.
    SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    BIO_set_callback_arg(SSL_get_rbio(ssl), (char *)t);
    BIO_set_callback_ex(SSL_get_rbio(ssl), limit_reads);
    SSL_set_msg_callback(ssl, limit_controls);
    SSL_set_msg_callback_arg(ssl, t);
    set_tcp_options(t->transport.fd);
    *out = t;
    return 0;
}

struct transport *tls_transport_base(struct tls_transport *t)
{
    return &t->transport;
}

struct tls_transport *tls_transport_of(struct transport *transport)
{
    return transport->ops == &tls_ops ? tls_of(transport) : NULL;
}

// ---- identity -------------------------------------------------------------------------------

bool tls_transport_is_revoked(const struct tls_transport *t)
{
    return tls_is_revoked(t->endpoint->tls, t->ssl);
}

int64_t tls_transport_expires_s(const struct tls_transport *t)
{
    return tls_expires_there_s(t->ssl);
}

const char *tls_transport_node(const struct tls_transport *t)
{
    return t->node;
}

const char *tls_transport_address(const struct tls_transport *t)
{
    return t->address;
}

size_t tls_transport_own_address(const struct tls_transport *t, uint8_t address[16])
{
    struct sockaddr_storage own;
    socklen_t size = sizeof(own);

    if (getsockname(t->transport.fd, (struct sockaddr *)&own, &size) < 0)
        return 0;
    if (own.ss_family == AF_INET) {
        memcpy(address, &((struct sockaddr_in *)&own)->sin_addr, 4);
        return 4;
    }
    const struct in6_addr *ipv6 = &((struct sockaddr_in6 *)&own)->sin6_addr;
    bool mapped = IN6_IS_ADDR_V4MAPPED(ipv6);
    memcpy(address, ipv6->s6_addr + (mapped ? 12 : 0), mapped ? 4 : 16);
    return mapped ? 4 : 16;
}
