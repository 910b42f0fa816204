// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Queue pairs whose bytes go over the daemons' link, frame by frame: a linked node that is not a
// docad sends good requests, bad ones, too many, and does not receive, alone and beside others.
// A request that is not valid ends that queue pair and nothing else.

#include "link_setting.h"

#include "channel_page.h"
#include "cleanup.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint8_t memory[2 * QP_CHUNK_SIZE];
static struct raw_session owner;
static uint64_t queue_pair, queue, grant; // there
static uint32_t key;
static struct export_desc exported;

static void setup_owner(void)
{
    Docad__PeerImport import = DOCAD__PEER_IMPORT__INIT;
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;

    link_start("host");
    owner = session_start(docad);
    uint32_t pf0 = open_function(owner.sock, "pf0");
    uint64_t region =
        register_brokered(owner.sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_WRITE, pf0);
    struct descriptor d = export_to(owner.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &exported, NULL), DOCA_SUCCESS);
    for (size_t i = 0; i < sizeof(memory); i++)
        memory[i] = (uint8_t)(i * 7 + i / 4093);

    import.export_id = exported.export_id;
    import.token = (ProtobufCBinaryData){EXPORT_TOKEN_SIZE, exported.token};
    import.importer = create.importer = 5;
    import.function_pci = (char *)"0000:03:00.0";
    ck_assert_int_eq(call(fake, DOCAD__MESSAGE__BODY_PEER_IMPORT, &import), DOCA_SUCCESS);
    key = answer->peer_import_reply->grant_key;
    grant = answer->peer_import_reply->grant_id;
    create.link = OWN_QUEUE;
    ck_assert_int_eq(call(fake, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create),
                     DOCA_SUCCESS);
    ck_assert_ptr_null(answer->peer_queue_pair_create_reply->rc);
    queue = answer->peer_queue_pair_create_reply->link;
    queue_pair = answer->peer_queue_pair_create_reply->queue_pair_id;
    ck_assert_uint_ne(queue, 0);
}

static void setup_owner_and_return(void)
{
    fake_returns = true;
    setup_owner();
}

static void teardown_owner(void)
{
    session_end(&owner);
    link_stop();
}

static struct qp_request request(enum qp_opcode opcode, uint32_t offset, uint32_t length,
                                 uint32_t tag)
{
    return (struct qp_request){.address = (uintptr_t)memory + 5,
                               .length = length,
                               .key = key,
                               .offset = offset,
                               .tag = tag,
                               .opcode = opcode};
}

static void ask(const struct qp_request *r)
{
    send_frame(queue, 0, NULL, 0, r, sizeof(*r));
}

// Takes pieces until the header; the bytes come in order to `out`.
static struct qp_completion take_answer(uint32_t offset, uint8_t *out, uint32_t length)
{
    struct qp_completion done;
    uint32_t n = 0;
    for (;;) {
        const Docad__PeerQueuePairData *m = expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA);
        ck_assert_uint_eq(m->queue, OWN_QUEUE);
        ck_assert_uint_le(m->data.len, length - n);
        if (m->data.len) {
            ck_assert_uint_eq(m->offset, offset + n);
            memcpy(out + n, m->data.data, m->data.len);
        }
        n += (uint32_t)m->data.len;
        if (!m->header.len)
            continue;
        ck_assert_uint_eq(m->header.len, sizeof(done));
        memcpy(&done, m->header.data, sizeof(done));
        ck_assert_uint_eq(n, done.status == DOCA_SUCCESS ? length : 0);
        return done;
    }
}

START_TEST(reads_and_writes)
{
    static uint8_t out[QP_CHUNK_SIZE];
    static const uint8_t bytes[] = "carried over the link";
    struct qp_request r = request(QP_READ, 3 * QP_CHUNK_SIZE, QP_CHUNK_SIZE, 63);
    ask(&r);
    struct qp_completion done = take_answer(r.offset, out, r.length);
    ck_assert_uint_eq(done.tag, 63);
    ck_assert_uint_eq(done.status, DOCA_SUCCESS);
    ck_assert_mem_eq(out, memory + 5, r.length);

    // In two pieces, the header behind the second.
    r = request(QP_WRITE, DATA_SIZE - sizeof(bytes), sizeof(bytes), 0);
    send_frame(queue, r.offset, bytes, 10, NULL, 0);
    send_frame(queue, r.offset + 10, bytes + 10, sizeof(bytes) - 10, &r, sizeof(r));
    done = take_answer(0, NULL, 0);
    ck_assert_uint_eq(done.tag, 0);
    ck_assert_uint_eq(done.status, DOCA_SUCCESS);
    ck_assert_mem_eq(memory + 5, bytes, sizeof(bytes));

    // The engine checks each request: this one is refused, and the next one is not.
    r = request(QP_READ, 0, 8, 1);
    r.address = (uintptr_t)memory - 1;
    ask(&r);
    ck_assert_uint_eq(take_answer(0, out, 8).status, DOCA_ERROR_NOT_PERMITTED);
    r.address++;
    ask(&r);
    ck_assert_uint_eq(take_answer(0, out, 8).status, DOCA_SUCCESS);
}
END_TEST

static void short_header(void)
{
    struct qp_request r = request(QP_READ, 0, 8, 1);
    send_frame(queue, 0, NULL, 0, &r, sizeof(r) - 1);
}

static void long_header(void)
{
    static const uint8_t header[65];
    send_frame(queue, 0, NULL, 0, header, sizeof(header));
}

static void bytes_over_the_end(void)
{
    send_frame(queue, DATA_SIZE - 3, "four", 4, NULL, 0);
}

static void bytes_far_beyond(void)
{
    send_frame(queue, UINT32_MAX, "x", 1, NULL, 0);
}

static void number_too_high(void)
{
    struct qp_request r = request(QP_READ, 0, 8, QP_ENTRIES);
    ask(&r);
}

static void too_long(void)
{
    struct qp_request r = request(QP_READ, 0, QP_CHUNK_SIZE + 1, 0);
    ask(&r);
}

static void answer_over_the_end(void)
{
    struct qp_request r = request(QP_READ, DATA_SIZE - 7, 8, 0);
    ask(&r);
}

// With numbers whose requests are not answered yet: docad reads all of them before it answers one.
static void never_waits(void)
{
    daemon_freeze(docad);
    for (uint32_t i = 0; i < QP_ENTRIES / 2; i++) {
        struct qp_request r = request(QP_WRITE, 0, QP_CHUNK_SIZE, i / 2);
        ask(&r);
    }
    daemon_thaw(docad);
}

static void (*const nonsense[])(void) = {
    short_header,    long_header, bytes_over_the_end,  bytes_far_beyond,
    number_too_high, too_long,    answer_over_the_end, never_waits,
};

START_TEST(nonsense_ends_the_queue_pair)
{
    const Docad__Message__BodyCase failed = DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_FAILED;
    nonsense[_i]();
    do
        receive_any(fake);
    while (answer->body_case == DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA &&
           nonsense[_i] == never_waits);
    ck_assert_int_eq(answer->body_case, failed);
    ck_assert_uint_eq(answer->peer_queue_pair_failed->queue_pair_id, queue_pair);
    // Frames for it are unknown from now on, as for any other number.
    struct qp_request r = request(QP_READ, 0, 8, 1);
    ask(&r);
    send_frame(queue + 1, 0, "x", 1, &r, sizeof(r));
    send_frame(0, 0, "x", 1, &r, sizeof(r));
    daemon_wait_links(docad, 1);
    ck_assert_int_eq(lookup(owner.sock, "nobodys", 0), DOCA_ERROR_NOT_FOUND);
}
END_TEST

// The owner's docad compares what a descriptor says it is for with what it was made for.
START_TEST(an_altered_target_is_refused)
{
    Docad__PeerImport import = DOCAD__PEER_IMPORT__INIT;
    import.export_id = exported.export_id;
    import.token = (ProtobufCBinaryData){EXPORT_TOKEN_SIZE, exported.token};
    import.importer = 7;
    import.function_pci = (char *)"0000:03:00.0";
    import.target = DOCAD__EXPORT_TARGET__TARGET_RDMA;
    ck_assert_int_eq(call(fake, DOCAD__MESSAGE__BODY_PEER_IMPORT, &import),
                     DOCA_ERROR_INVALID_VALUE);
    import.target = DOCAD__EXPORT_TARGET__TARGET_DPU;
    ck_assert_int_eq(call(fake, DOCAD__MESSAGE__BODY_PEER_IMPORT, &import), DOCA_SUCCESS);
}
END_TEST

// All that a queue pair holds is asked for, and nobody listens: docad keeps none of it, and
// serves others. When somebody listens it all comes, and what is asked meanwhile is answered
// before most of it.
START_TEST(who_does_not_listen_waits)
{
    static uint8_t out[QP_CHUNK_SIZE];
    const Docad__PeerImport nobodys = DOCAD__PEER_IMPORT__INIT;
    uint64_t seen = 0;
    bool answered = false;
    for (uint32_t i = 0; i < QP_ENTRIES; i++) {
        struct qp_request r = request(QP_READ, i % QP_CHUNKS * QP_CHUNK_SIZE, QP_CHUNK_SIZE, i);
        ask(&r);
    }
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(lookup(owner.sock, "nobodys", 0), DOCA_ERROR_NOT_FOUND);
    uint64_t serial = post(fake, DOCAD__MESSAGE__BODY_PEER_IMPORT, &nobodys);
    ck_assert_int_eq(lookup(owner.sock, "nobodys", 0), DOCA_ERROR_NOT_FOUND);
    for (unsigned left = QP_ENTRIES, pieces = 0; left > 0;) {
        receive_any(fake);
        if (answer->serial == serial) {
            ck_assert_uint_lt(pieces, QP_ENTRIES); // two make an answer
            answered = true;
            continue;
        }
        const Docad__PeerQueuePairData *m = answer->peer_queue_pair_data;
        ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA);
        pieces++;
        memcpy(out + m->offset % QP_CHUNK_SIZE, m->data.data, m->data.len);
        if (m->header.len) {
            struct qp_completion done;
            memcpy(&done, m->header.data, sizeof(done));
            ck_assert_uint_eq(done.status, DOCA_SUCCESS);
            ck_assert_mem_eq(out, memory + 5, sizeof(out));
            seen |= 1ull << done.tag;
            left--;
        }
    }
    ck_assert(answered);
    ck_assert_uint_eq(seen, UINT64_MAX);
}
END_TEST

// ---- beside others ----------------------------------------------------------------------------

#define GREEDY 8u // queue pairs of one user

static uint32_t import_as(uint32_t importer, uint32_t uid)
{
    Docad__PeerImport import = DOCAD__PEER_IMPORT__INIT;
    import.export_id = exported.export_id;
    import.token = (ProtobufCBinaryData){EXPORT_TOKEN_SIZE, exported.token};
    import.importer = importer;
    import.uid = uid;
    import.function_pci = (char *)"0000:03:00.0";
    ck_assert_int_eq(call(fake, DOCAD__MESSAGE__BODY_PEER_IMPORT, &import), DOCA_SUCCESS);
    return answer->peer_import_reply->grant_key;
}

static uint64_t queue_of(uint32_t importer, uint32_t uid, uint64_t own)
{
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    create.importer = importer;
    create.uid = uid;
    create.link = own;
    ck_assert_int_eq(call(fake, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create),
                     DOCA_SUCCESS);
    return answer->peer_queue_pair_create_reply->link;
}

static void ask_all(uint64_t at, uint32_t grant_key)
{
    for (uint32_t i = 0; i < QP_ENTRIES; i++) {
        struct qp_request r = request(QP_READ, 0, QP_CHUNK_SIZE, i);
        r.key = grant_key;
        send_frame(at, 0, NULL, 0, &r, sizeof(r));
    }
}

// One who has many queue pairs has no more of the link than one who has one.
START_TEST(users_take_turns)
{
    uint64_t greedy[GREEDY], modest;
    uint32_t modest_key = import_as(6, 1);
    unsigned pieces[2] = {0};
    for (unsigned i = 0; i < GREEDY; i++)
        greedy[i] = queue_of(5, 0, 100 + i);
    modest = queue_of(6, 1, 200);
    for (unsigned i = 0; i < GREEDY; i++)
        ask_all(greedy[i], key);
    ask_all(modest, modest_key);
    // The test does not listen until both have much to send.
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(lookup(owner.sock, "nobodys", 0), DOCA_ERROR_NOT_FOUND);
    for (unsigned left = QP_ENTRIES; left > 0;) {
        const Docad__PeerQueuePairData *m = expect(DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA);
        bool is_modest = m->queue == 200;
        if (m->header.len && is_modest)
            left--;
        pieces[is_modest] += m->data.len > 0;
    }
    ck_assert_uint_eq(pieces[1], 2 * QP_ENTRIES);
    // At most as many again as were sent before it came.
    ck_assert_uint_lt(pieces[0], 2 * pieces[1]);
}
END_TEST

// ---- beside channels ------------------------------------------------------------------------

#define CHANNELS     8
#define MESSAGES_MAX 20000u // of channels, in which the answer has come for long

static int channel_open(const struct raw_session *s, uint32_t pf0, uint64_t id)
{
    Docad__ChannelConnect m = DOCAD__CHANNEL_CONNECT__INIT;
    Docad__PeerChannelConnectReply reply = DOCAD__PEER_CHANNEL_CONNECT_REPLY__INIT;
    Docad__PeerChannelProgress progress = DOCAD__PEER_CHANNEL_PROGRESS__INIT;
    m.function_id = pf0;
    m.name = (char *)"busy";
    m.max_message = reply.max_message = CHANNEL_MESSAGE_MAX;
    m.send_queue = m.recv_queue = reply.recv_queue = 32;
    post(s->sock, DOCAD__MESSAGE__BODY_CHANNEL_CONNECT, &m);
    expect(DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT);
    reply.channel_id = progress.channel_id = id;
    progress.open = true;
    post_raw(fake, answer->serial, DOCAD__MESSAGE__BODY_PEER_CHANNEL_CONNECT_REPLY, &reply, NULL,
             0);
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_CHANNEL_PROGRESS, &progress, NULL, 0);
    receive_any(s->sock);
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_CHANNEL_CONNECT_REPLY);
    return fd_list_take(&answer_fds, 0);
}

static void channel_fill(int sock)
{
    static const uint8_t data[CHANNEL_MESSAGE_MAX];
    while (send(sock, data, sizeof(data), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
        ;
}

// A message of a channel's is taken as soon as it has come, and its process has more.
static void channel_go_on(const int socks[CHANNELS], uint64_t taken[CHANNELS])
{
    Docad__PeerChannelProgress m = DOCAD__PEER_CHANNEL_PROGRESS__INIT;
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_PEER_CHANNEL_DATA);
    uint64_t i = answer->peer_channel_data->channel_id - 1;
    ck_assert_uint_lt(i, CHANNELS);
    m.channel_id = i + 1;
    m.delivered = m.received = ++taken[i];
    m.open = true;
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_CHANNEL_PROGRESS, &m, NULL, 0);
    channel_fill(socks[i]);
}

// The link is never empty, and yet the bytes of a read come.
START_TEST(busy_channels_leave_room)
{
    struct raw_session s = session_start(docad);
    uint32_t pf0 = open_function(s.sock, "pf0");
    uint64_t taken[CHANNELS] = {0};
    int socks[CHANNELS];
    for (unsigned i = 0; i < CHANNELS; i++)
        socks[i] = channel_open(&s, pf0, i + 1);
    for (unsigned i = 0; i < CHANNELS; i++)
        channel_fill(socks[i]);
    struct qp_request r = request(QP_READ, 0, QP_CHUNK_SIZE, 1);
    unsigned messages = 0, bytes = 0;
    bool done = false;
    ask(&r);
    while (!done) {
        receive_any(fake);
        if (answer->body_case != DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA) {
            ck_assert_uint_lt(++messages, MESSAGES_MAX);
            channel_go_on(socks, taken);
            continue;
        }
        bytes += answer->peer_queue_pair_data->data.len;
        done = answer->peer_queue_pair_data->header.len > 0;
    }
    ck_assert_uint_eq(bytes, QP_CHUNK_SIZE);
    for (unsigned i = 0; i < CHANNELS; i++)
        close(socks[i]);
    session_end(&s);
}
END_TEST

// ---- the link goes ----------------------------------------------------------------------------

// In the midst of answers that nobody takes. When it is back the queue pair has ended, and
// what was imported has not.
START_TEST(the_link_goes_and_comes_back)
{
    Docad__PeerResume resume = DOCAD__PEER_RESUME__INIT;
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    uint8_t out[8];
    for (uint32_t i = 0; i < QP_ENTRIES; i++) {
        struct qp_request r = request(QP_READ, 0, QP_CHUNK_SIZE, i);
        ask(&r);
    }
    close_fdp(&fake);
    daemon_wait_links(docad, 0);
    ck_assert_int_eq(lookup(owner.sock, "nobodys", 0), DOCA_ERROR_NOT_FOUND);
    link_as("dpu");
    resume.grants = &grant;
    resume.n_grants = 1;
    post_raw(fake, 0, DOCAD__MESSAGE__BODY_PEER_RESUME, &resume, NULL, 0);
    struct qp_request r = request(QP_READ, 0, sizeof(out), 3);
    ask(&r); // of the queue that was
    create.importer = 5;
    create.link = OWN_QUEUE;
    ck_assert_int_eq(call(fake, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create),
                     DOCA_SUCCESS);
    queue = answer->peer_queue_pair_create_reply->link;
    r.tag = 4;
    ask(&r);
    struct qp_completion done = take_answer(0, out, sizeof(out));
    ck_assert_uint_eq(done.tag, 4);
    ck_assert_uint_eq(done.status, DOCA_SUCCESS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("link_requests");
    TCase *stays = tcase_create("stays"), *returns = tcase_create("returns");
    tcase_add_checked_fixture(stays, setup_owner, teardown_owner);
    tcase_add_test(stays, reads_and_writes);
    tcase_add_loop_test(stays, nonsense_ends_the_queue_pair, 0, (int)ARRAY_SIZE(nonsense));
    tcase_add_test(stays, an_altered_target_is_refused);
    tcase_add_test(stays, who_does_not_listen_waits);
    tcase_add_test(stays, users_take_turns);
    tcase_add_test(stays, busy_channels_leave_room);
    suite_add_tcase(suite, stays);
    tcase_add_checked_fixture(returns, setup_owner_and_return, teardown_owner);
    tcase_add_test(returns, the_link_goes_and_comes_back);
    suite_add_tcase(suite, returns);
    return run_suite(suite);
}
