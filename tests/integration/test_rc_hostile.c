// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A daemon of another machine that links and connects its queue pairs as it should, and then
// sends what no daemon sends. docad ends that queue pair or makes its connection anew, says so
// once, serves all others, and keeps nothing. DOCAD_TEST_FUNCTION names the ibverbs device; docad's
// log is the witness.

#include "far_node.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORT   18571
#define NUMBER 5 // of the request that is sent

static const char *device;
static struct daemon *host;
static struct far_node far;
static struct raw_session owner; // a program of docad's own node
static unsigned descriptors;     // of docad, before the test
static char ip[32];              // of docad

// Its memory, which the far node may read and write.
static uint8_t memory[QP_CHUNK_SIZE];
static uint32_t key;

// ---- setting --------------------------------------------------------------------------------

static void docactl(const char *a, const char *b, const char *c, const char *d)
{
    static struct command_result result;
    command_run(NULL, (const char *const[]){"docactl", a, b, c, d, NULL}, &result);
    ck_assert_msg(result.status == 0, "docactl %s %s: %s", a, b, result.err);
}

static void start_daemon(void)
{
    struct path keys = temp_path("keys");
    char text[2048];
    docactl("certificates", "authority", keys.s, NULL);
    docactl("certificates", "node", "host", keys.s);
    docactl("certificates", "node", "dpu", keys.s);
    docactl("certificates", "node", "other", keys.s);
    int n = snprintf(text, sizeof(text),
                     "tls {\n    listen = \"%s:%d\"\n    certificate = \"%s/host.crt\"\n"
                     "    key = \"%s/host.key\"\n    authority = \"%s/authority.crt\"\n}\n",
                     ip, PORT, keys.s, keys.s, keys.s);
    ck_assert_int_lt(n, (int)sizeof(text));
    struct path config = temp_file("keys/host.conf", text);
    host = daemon_start(&(struct daemon_options){.config = config.s});
}

// The far node has imported the program's memory.
static void export_memory(void)
{
    Docad__PeerImport import = DOCAD__PEER_IMPORT__INIT;
    struct export_desc desc;
    struct errtext err;
    owner = session_start(host);
    uint32_t pf0 = open_function(owner.sock, "pf0");
    uint64_t region =
        register_brokered(owner.sock, memory, sizeof(memory), DOCA_ACCESS_DPU_READ_WRITE, pf0);
    struct descriptor d = export_to(owner.sock, region, pf0, DOCAD__EXPORT_TARGET__TARGET_DPU);
    ck_assert_int_eq(export_desc_decode(d.bytes, d.size, &desc, &err), DOCA_SUCCESS);
    import.export_id = desc.export_id;
    import.token = (ProtobufCBinaryData){sizeof(desc.token), desc.token};
    import.function_pci = (char *)"0000:99:00.0";
    import.importer = 7;
    import.pid = (uint32_t)getpid();
    ck_assert_msg(far_call(&far, DOCAD__MESSAGE__BODY_PEER_IMPORT, &import) == DOCA_SUCCESS, "%s",
                  answer->error->text);
    key = answer->peer_import_reply->grant_key;
}

static void setup(void)
{
    unsigned pid = (unsigned)getpid();
    env_setup();
    snprintf(ip, sizeof(ip), "127.%u.%u.%u", 1 + (pid >> 16) % 250, (pid >> 8) & 255,
             1 + pid % 250);
    start_daemon();
    far_start(&far, "dpu", fake_node, device, ip, PORT, temp_path("keys").s);
    export_memory();
    for (size_t i = 0; i < sizeof(memory); i++)
        memory[i] = (uint8_t)(i * 7 + 1);
}

static void teardown(void)
{
    daemon_assert_alive(host);
    session_end(&owner);
    far_stop(&far);
    assert_baseline(host);
    remove_tree(temp_path("keys").s);
    env_teardown();
}

// How often docad's log has this text.
static unsigned logged(const char *text)
{
    cleanup_file FILE *log = fopen(host->log.s, "re");
    char line[1024];
    unsigned n = 0;
    ck_assert_ptr_nonnull(log);
    while (fgets(line, sizeof(line), log))
        n += strstr(line, text) != NULL;
    return n;
}

static void assert_logged_once(const char *text)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (logged(text) == 0)
        ck_assert_msg(deadline_pause(deadline), "never logged: %s", text);
    ck_assert_msg(logged(text) == 1, "logged %u times: %s", logged(text), text);
}

// What it sends over a queue pair.
struct act {
    const char *name;
    void (*act)(struct far_pair *pair);
};

// ---- docad's engine serves the far node ---------------------------------------------------------

static struct qp_request good_request(void)
{
    return (struct qp_request){.address = (uintptr_t)memory,
                               .length = 8,
                               .key = key,
                               .offset = 16,
                               .tag = NUMBER,
                               .opcode = QP_READ};
}

static void engine_open_of(struct far_node *node, struct far_pair *pair)
{
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    Docad__RcAddress rc;
    far_pair_make(pair, node);
    far_pair_describe(pair, &rc);
    create.importer = 7;
    create.pid = (uint32_t)getpid();
    create.rc = &rc;
    ck_assert_msg(far_call(node, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create) ==
                      DOCA_SUCCESS,
                  "%s", answer->error->text);
    pair->id = answer->peer_queue_pair_create_reply->queue_pair_id;
    far_pair_connect(pair, answer->peer_queue_pair_create_reply->rc);
}

static void engine_open(struct far_pair *pair)
{
    engine_open_of(&far, pair);
}

static void engine_close(struct far_pair *pair)
{
    Docad__PeerQueuePairDestroy destroy = DOCAD__PEER_QUEUE_PAIR_DESTROY__INIT;
    destroy.queue_pair_id = pair->id;
    far_say(pair->node, 0, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY, &destroy);
    far_pair_end(pair);
}

static uint32_t ask(struct far_pair *pair, const struct qp_request *request)
{
    struct qp_completion done;
    far_send(pair, request, sizeof(*request), 1);
    far_receive(pair, &done, sizeof(done));
    ck_assert_uint_eq(done.tag, request->tag);
    return done.status;
}

static void assert_served(struct far_pair *pair)
{
    struct qp_request request = good_request();
    memset(far_data(pair), 0, 64);
    ck_assert_uint_eq(ask(pair, &request), DOCA_SUCCESS);
    ck_assert_mem_eq(far_data(pair) + 16, memory, 8);
}

static void sends(struct far_pair *pair, size_t size)
{
    static uint8_t bytes[FAR_HEADER];
    far_send(pair, bytes, size, 1);
}

static void empty_message(struct far_pair *pair)
{
    sends(pair, 0);
}

static void short_message(struct far_pair *pair)
{
    sends(pair, sizeof(struct qp_request) - 1);
}

static void message_of_the_other_kind(struct far_pair *pair)
{
    sends(pair, sizeof(struct qp_completion));
}

static void long_message(struct far_pair *pair)
{
    sends(pair, 65);
}

static void very_long_message(struct far_pair *pair)
{
    sends(pair, FAR_HEADER);
}

// What such a write has no room for is never looked at: its length is that of the write.
static void write_with_immediate(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE_WITH_IMM, pair->data_there, pair->key_there, 1 << 20);
}

static void short_write_with_immediate(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE_WITH_IMM, pair->data_there, pair->key_there,
               sizeof(struct qp_request));
}

static void immediate_only(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE_WITH_IMM, 0, 0, 0);
}

static void write_beyond_the_data(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE, pair->data_there + FAR_DATA_SIZE - 4, pair->key_there, 8);
}

static void write_elsewhere(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE, pair->data_there - 4096, pair->key_there, 8);
}

static void write_with_a_wrong_key(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_WRITE, pair->data_there, pair->key_there ^ 0x55, 8);
}

static void read_of_the_data(struct far_pair *pair)
{
    far_access(pair, IBV_WR_RDMA_READ, pair->data_there, pair->key_there, 8);
}

static void number_out_of_range(struct far_pair *pair)
{
    struct qp_request request = good_request();
    request.tag = QP_ENTRIES;
    far_send(pair, &request, sizeof(request), 1);
}

static void number_that_is_huge(struct far_pair *pair)
{
    struct qp_request request = good_request();
    request.tag = UINT32_MAX;
    far_send(pair, &request, sizeof(request), 1);
}

// They come faster than they are answered.
static void number_used_again(struct far_pair *pair)
{
    struct qp_request request = good_request();
    request.length = QP_CHUNK_SIZE;
    request.offset = 0;
    far_send(pair, &request, sizeof(request), 100);
}

static void length_beyond_a_chunk(struct far_pair *pair)
{
    struct qp_request request = good_request();
    request.length = QP_CHUNK_SIZE + 1;
    far_send(pair, &request, sizeof(request), 1);
}

static void offset_beyond_the_data(struct far_pair *pair)
{
    struct qp_request request = good_request();
    request.offset = FAR_DATA_SIZE - request.length + 1;
    far_send(pair, &request, sizeof(request), 1);
}

static void offset_that_is_huge(struct far_pair *pair)
{
    struct qp_request request = good_request();
    request.offset = UINT32_MAX - 3;
    far_send(pair, &request, sizeof(request), 1);
}

static void word_beyond_the_data(struct far_pair *pair)
{
    struct qp_request request = good_request();
    request.opcode = QP_FETCH_ADD;
    request.offset = FAR_DATA_SIZE - 4;
    far_send(pair, &request, sizeof(request), 1);
}

// Its queue pair goes before the answers come.
static void goes_without_a_word(struct far_pair *pair)
{
    struct qp_request request = good_request();
    request.length = QP_CHUNK_SIZE;
    request.offset = 0;
    for (request.tag = 0; request.tag < QP_ENTRIES; request.tag++)
        far_send(pair, &request, sizeof(request), 1);
    struct qp_completion done;
    far_receive(pair, &done, sizeof(done));
    far_pair_end(pair);
}

static const struct act acts_of_importer[] = {
    {"an empty message", empty_message},
    {"a short message", short_message},
    {"an answer", message_of_the_other_kind},
    {"a message too long", long_message},
    {"a message much too long", very_long_message},
    {"a write with immediate", write_with_immediate},
    {"a short write with immediate", short_write_with_immediate},
    {"an immediate only", immediate_only},
    {"a write beyond the data", write_beyond_the_data},
    {"a write elsewhere", write_elsewhere},
    {"a write with a wrong key", write_with_a_wrong_key},
    {"a read", read_of_the_data},
    {"a number out of range", number_out_of_range},
    {"a huge number", number_that_is_huge},
    {"a number used again", number_used_again},
    {"a length beyond a chunk", length_beyond_a_chunk},
    {"an offset beyond the data", offset_beyond_the_data},
    {"a huge offset", offset_that_is_huge},
    {"a word beyond the data", word_beyond_the_data},
    {"gone without a word", goes_without_a_word},
};

START_TEST(requests_that_end_the_queue_pair)
{
    struct far_pair good, bad;
    char text[96];
    engine_open(&good);
    assert_served(&good);
    descriptors = daemon_descriptors(host);
    for (size_t i = 0; i < ARRAY_SIZE(acts_of_importer); i++) {
        printf("%s\n", acts_of_importer[i].name);
        engine_open(&bad);
        assert_served(&bad);
        acts_of_importer[i].act(&bad);
        far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_FAILED);
        ck_assert_uint_eq(answer->peer_queue_pair_failed->queue_pair_id, bad.id);
        engine_close(&bad);
        assert_served(&good);
        daemon_wait_descriptors(host, descriptors);
        snprintf(text, sizeof(text), "queue pair %" PRIu64 " (of node dpu): ended: ", bad.id);
        assert_logged_once(text);
    }
    engine_close(&good);
}
END_TEST

// What the engine refuses of a program here it refuses of one there.
START_TEST(requests_that_are_refused)
{
    struct qp_request bad[8];
    struct far_pair pair;
    engine_open(&pair);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        bad[i] = good_request();
    bad[0].opcode = 99;
    bad[1].key ^= 1;
    bad[2].length = 0;
    bad[3].address += sizeof(memory);
    bad[4].address = UINT64_MAX - 3;
    bad[5].opcode = QP_WRITE;
    bad[5].offset = FAR_DATA_SIZE - 4;
    bad[6].opcode = QP_FETCH_ADD;
    bad[6].address += 1;
    bad[7].opcode = QP_COPY; // copy keys are given to programs of docad's own node
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        uint32_t status = ask(&pair, &bad[i]);
        ck_assert_msg(status != DOCA_SUCCESS, "request %zu was carried out", i);
        assert_served(&pair);
    }
    engine_close(&pair);
}
END_TEST

// ---- addresses ------------------------------------------------------------------------------

static void no_number(Docad__RcAddress *rc)
{
    rc->qpn = 0;
}

static void no_mtu(Docad__RcAddress *rc)
{
    rc->mtu = 0;
}

static void huge_mtu(Docad__RcAddress *rc)
{
    rc->mtu = 0x105;
}

static void short_gid(Docad__RcAddress *rc)
{
    rc->gid.len--;
}

static void other_link_layer(Docad__RcAddress *rc)
{
    rc->ethernet = !rc->ethernet;
}

static void (*const wrong_addresses[])(Docad__RcAddress *rc) = {no_number, no_mtu, huge_mtu,
                                                                short_gid, other_link_layer};

START_TEST(addresses_of_requests)
{
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    struct far_pair pair;
    far_pair_make(&pair, &far);
    descriptors = daemon_descriptors(host);
    for (size_t i = 0; i < ARRAY_SIZE(wrong_addresses); i++) {
        Docad__RcAddress rc;
        far_pair_describe(&pair, &rc);
        wrong_addresses[i](&rc);
        create.importer = 7;
        create.rc = &rc;
        ck_assert_int_eq(far_call(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create),
                         DOCA_ERROR_INVALID_VALUE);
        daemon_wait_descriptors(host, descriptors);
    }
    far_pair_end(&pair);
    engine_open(&pair);
    assert_served(&pair);
    engine_close(&pair);
}
END_TEST

static void out_of_reach(Docad__RcAddress *rc)
{
    static uint8_t gid[VERBS_GID_SIZE] = {[10] = 0xff, 0xff, 10, 99, 99, 99};
    rc->gid.data = gid;
}

static void assert_over_link(Docad__PeerQueuePairCreate *create)
{
    ck_assert_int_eq(far_call(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, create),
                     DOCA_SUCCESS);
    ck_assert_ptr_null(answer->peer_queue_pair_create_reply->rc);
    ck_assert_uint_ne(answer->peer_queue_pair_create_reply->link, 0);
}

// It makes sense, and leads nowhere: the link does, if that is offered. Another address is not
// tried so soon.
START_TEST(addresses_out_of_reach)
{
    Docad__PeerQueuePairCreate create = DOCAD__PEER_QUEUE_PAIR_CREATE__INIT;
    struct far_pair pair;
    Docad__RcAddress rc;
    far_pair_make(&pair, &far);
    far_pair_describe(&pair, &rc);
    out_of_reach(&rc);
    create.importer = 7;
    create.rc = &rc;
    descriptors = daemon_descriptors(host);
    ck_assert_int_eq(far_call(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE, &create),
                     DOCA_ERROR_NOT_SUPPORTED);
    daemon_wait_descriptors(host, descriptors);
    create.link = 7001;
    assert_over_link(&create);
    assert_logged_once("does not reach GID ::ffff:10.99.99.99 of node dpu");
    far_pair_describe(&pair, &rc);
    create.link = 7002;
    assert_over_link(&create);
    far_pair_end(&pair);
}
END_TEST

// ---- the far node serves a program here ---------------------------------------------------------

struct client {
    struct far_pair pair;
    struct qp_client ring;
    uint64_t id; // docad's
    uint32_t slot;
};

// The program asks, and docad asks the far node; its serial.
static uint64_t client_ask(void)
{
    Docad__QueuePairCreate create = DOCAD__QUEUE_PAIR_CREATE__INIT;
    create.node = (ProtobufCBinaryData){NODE_ID_SIZE, (uint8_t *)fake_node};
    post(owner.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &create);
    far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    ck_assert_ptr_nonnull(answer->peer_queue_pair_create->rc);
    return answer->serial;
}

static void answer_with(struct far_pair *pair, uint64_t serial,
                        void (*change)(Docad__RcAddress *rc))
{
    static uint64_t id = 4000;
    Docad__PeerQueuePairCreateReply reply = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    Docad__RcAddress rc;
    pair->id = reply.queue_pair_id = ++id;
    far_pair_describe(pair, &rc);
    if (change)
        change(&rc);
    reply.rc = &rc;
    far_say(&far, serial, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY, &reply);
}

// Likewise, and the program is answered.
static void client_answer(struct far_pair *pair, uint64_t serial,
                          void (*change)(Docad__RcAddress *rc))
{
    answer_with(pair, serial, change);
    receive_any(owner.sock);
}

// The program has been answered.
static void client_take(struct client *c)
{
    ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE_REPLY);
    c->id = answer->queue_pair_create_reply->queue_pair_id;
    c->slot = answer->queue_pair_create_reply->state_slot;
    ck_assert_uint_eq(answer_fds.count, 3);
    ck_assert_int_eq(qp_client_init(&c->ring, fd_list_take(&answer_fds, 0),
                                    fd_list_take(&answer_fds, 1), fd_list_take(&answer_fds, 2)),
                     0);
}

static void client_open(struct client *c, bool connect)
{
    far_pair_make(&c->pair, &far);
    uint64_t serial = client_ask();
    if (connect)
        far_pair_connect(&c->pair, answer->peer_queue_pair_create->rc);
    client_answer(&c->pair, serial, NULL);
    client_take(c);
}

static void client_close(struct client *c)
{
    Docad__QueuePairDestroy destroy = DOCAD__QUEUE_PAIR_DESTROY__INIT;
    destroy.queue_pair_id = c->id;
    ck_assert_int_eq(call(owner.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY, &destroy),
                     DOCA_SUCCESS);
    qp_client_fini(&c->ring);
    far_pair_end(&c->pair);
}

static void client_request(struct client *c)
{
    struct qp_request request = {.length = 8, .offset = 16, .tag = 77, .opcode = QP_READ};
    ck_assert(qp_post(&c->ring, &request));
    qp_ring(&c->ring);
}

// The program has asked for 8 bytes, and gets them.
static void client_answered(struct client *c)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct qp_request request;
    struct qp_completion done;
    far_receive(&c->pair, &request, sizeof(request));
    memcpy(far_data(&c->pair), "12345678", 8);
    far_access(&c->pair, IBV_WR_RDMA_WRITE, c->pair.data_there + request.offset, c->pair.key_there,
               8);
    done = (struct qp_completion){.tag = request.tag, .status = DOCA_SUCCESS};
    far_send(&c->pair, &done, sizeof(done), 1);
    while (!qp_poll(&c->ring, &done))
        ck_assert_msg(deadline_pause(deadline), "the answer does not arrive");
    ck_assert_uint_eq(done.tag, 77);
    ck_assert_uint_eq(done.status, DOCA_SUCCESS);
    ck_assert_mem_eq(c->ring.shared->data[0] + 16, "12345678", 8);
}

static void client_served(struct client *c)
{
    client_request(c);
    client_answered(c);
}

static void answers(struct far_pair *pair, uint32_t number, unsigned times)
{
    struct qp_completion done = {.tag = number, .status = DOCA_SUCCESS};
    far_send(pair, &done, sizeof(done), times);
}

static void unasked_answer(struct far_pair *pair)
{
    answers(pair, QP_ENTRIES - 1, 1);
}

static void answer_out_of_range(struct far_pair *pair)
{
    answers(pair, QP_ENTRIES, 1);
}

static void answer_that_is_huge(struct far_pair *pair)
{
    answers(pair, UINT32_MAX, 1);
}

// The program's request is number 0: the free ones are taken from below.
static void answer_twice(struct far_pair *pair)
{
    answers(pair, 0, 2);
}

static void request_instead(struct far_pair *pair)
{
    sends(pair, sizeof(struct qp_request));
}

static void assert_client_ended(struct client *c)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, c->pair.id);
    while (state_table_read(owner.states, c->slot, c->id) == SLOT_LIVE)
        ck_assert_msg(deadline_pause(deadline), "its state stays live");
    ck_assert_int_eq(state_table_read(owner.states, c->slot, c->id), SLOT_PEER_GONE);
}

// It goes, and nothing of it is left; others are served.
static void client_goes(struct client *c, struct client *good)
{
    char text[96];
    client_close(c);
    client_served(good);
    daemon_wait_descriptors(host, descriptors);
    snprintf(text, sizeof(text), "queue pair %" PRIu64 " (pid %d) to node dpu: ended: ", c->id,
             (int)getpid());
    assert_logged_once(text);
}

static const struct act acts_that_mislead[] = {
    {"an answer that was not asked for", unasked_answer},
    {"an answer out of range", answer_out_of_range},
    {"an answer with a huge number", answer_that_is_huge},
    {"an answer twice", answer_twice},
    {"a request", request_instead},
    {"an empty message", empty_message},
};

START_TEST(answers_that_end_the_queue_pair)
{
    struct client good, bad;
    struct qp_request request;
    client_open(&good, true);
    client_served(&good);
    descriptors = daemon_descriptors(host);
    for (size_t i = 0; i < ARRAY_SIZE(acts_that_mislead); i++) {
        printf("%s\n", acts_that_mislead[i].name);
        client_open(&bad, true);
        client_served(&bad);
        client_request(&bad);
        far_receive(&bad.pair, &request, sizeof(request));
        ck_assert_uint_eq(request.tag, 0);
        acts_that_mislead[i].act(&bad.pair);
        assert_client_ended(&bad);
        client_goes(&bad, &good);
    }
    client_close(&good);
}
END_TEST

// ---- connections that break, and are made anew -----------------------------------------------

// docad asks for another queue pair in this one's place, and is told of this one.
static void expect_renewal(struct client *c, struct far_pair *with, bool connect)
{
    Docad__PeerQueuePairCreateReply reply = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    Docad__RcAddress rc;
    far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, c->pair.id);
    far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    if (connect)
        far_pair_connect(with, answer->peer_queue_pair_create->rc);
    with->id = reply.queue_pair_id = c->pair.id + 1000;
    far_pair_describe(with, &rc);
    reply.rc = &rc;
    far_say(&far, answer->serial, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY, &reply);
    c->pair = *with;
}

// A read breaks nothing: the other side fetches what is to be written there.
static const struct act acts_that_break[] = {
    {"a message too long", long_message},
    {"a message much too long", very_long_message},
    {"a write with immediate", write_with_immediate},
    {"a short write with immediate", short_write_with_immediate},
    {"an immediate only", immediate_only},
    {"a write beyond the data", write_beyond_the_data},
    {"a write elsewhere", write_elsewhere},
    {"a write with a wrong key", write_with_a_wrong_key},
    {"gone without a word", far_pair_end},
};

START_TEST(connections_that_break)
{
    struct client good, bad;
    client_open(&good, true);
    client_served(&good);
    descriptors = daemon_descriptors(host);
    for (size_t i = 0; i < ARRAY_SIZE(acts_that_break); i++) {
        struct far_pair again;
        printf("%s\n", acts_that_break[i].name);
        client_open(&bad, true);
        client_served(&bad);
        far_pair_make(&again, &far);
        struct far_pair first = bad.pair;
        acts_that_break[i].act(&bad.pair);
        client_request(&bad);
        expect_renewal(&bad, &again, true);
        client_answered(&bad);
        client_served(&bad);
        client_served(&good);
        client_close(&bad);
        if (acts_that_break[i].act != far_pair_end)
            far_pair_end(&first);
        daemon_wait_descriptors(host, descriptors);
    }
    client_close(&good);
}
END_TEST

// docad asks once more, and offers nothing but the link; that answer counts.
static void expect_link_offered(void)
{
    Docad__PeerQueuePairCreateReply reply = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    ck_assert_ptr_null(answer->peer_queue_pair_create->rc);
    ck_assert_uint_ne(answer->peer_queue_pair_create->link, 0);
    reply.queue_pair_id = 7000;
    reply.link = 7001;
    far_say(&far, answer->serial, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY, &reply);
}

// It says that it has connected, and has not. That is tried a few times, then the link is.
START_TEST(nobody_is_connected)
{
    struct client good, bad;
    client_open(&good, true);
    client_served(&good);
    descriptors = daemon_descriptors(host);
    client_open(&bad, false);
    client_request(&bad);
    for (int i = 0; i < 3; i++) {
        struct far_pair same = bad.pair;
        expect_renewal(&bad, &same, false);
    }
    expect_link_offered();
    far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DATA); // what was asked
    ck_assert_int_eq(state_table_read(owner.states, bad.slot, bad.id), SLOT_LIVE);
    assert_logged_once("does not reach GID ");
    client_close(&bad);
    client_served(&good);
    daemon_wait_descriptors(host, descriptors);
    client_close(&good);
}
END_TEST

// What it answers leads nowhere: it is asked once more, over the link.
START_TEST(answers_out_of_reach)
{
    struct client client;
    far_pair_make(&client.pair, &far);
    answer_with(&client.pair, client_ask(), out_of_reach);
    far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, client.pair.id);
    expect_link_offered();
    receive_any(owner.sock);
    client_take(&client);
    assert_logged_once("does not reach GID ::ffff:10.99.99.99 of node dpu");
    client_close(&client);
}
END_TEST

START_TEST(addresses_of_answers)
{
    struct far_pair pair;
    struct client good;
    far_pair_make(&pair, &far);
    descriptors = daemon_descriptors(host);
    for (size_t i = 0; i < ARRAY_SIZE(wrong_addresses); i++) {
        client_answer(&pair, client_ask(), wrong_addresses[i]);
        ck_assert_int_eq(answer->body_case, DOCAD__MESSAGE__BODY_ERROR);
        ck_assert_int_eq(answer->error->code, DOCA_ERROR_INVALID_VALUE);
        far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
        ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, pair.id);
        daemon_wait_descriptors(host, descriptors);
    }
    far_pair_end(&pair);
    client_open(&good, true);
    client_served(&good);
    client_close(&good);
}
END_TEST

// What is under way on both sides goes with the link.
START_TEST(the_link_goes)
{
    struct far_pair pair;
    struct client client;
    engine_open(&pair);
    client_open(&client, true);
    assert_served(&pair);
    client_served(&client);
    client_request(&client);
    struct qp_request request = good_request();
    far_send(&pair, &request, sizeof(request), 1);
    tls_client_stop(&far.link);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (state_table_read(owner.states, client.slot, client.id) == SLOT_LIVE)
        ck_assert_msg(deadline_pause(deadline), "its state stays live");
    client_close(&client);
    far_pair_end(&pair);
    daemon_wait_links(host, 0);
}
END_TEST

// ---- another node ---------------------------------------------------------------------------

static enum ibv_wc_status write_there(struct far_pair *by, const struct far_pair *to,
                                      const char *bytes)
{
    memcpy(far_data(by), bytes, strlen(bytes));
    far_access(by, IBV_WR_RDMA_WRITE, to->data_there, to->key_there, (uint32_t)strlen(bytes));
    return far_status(by);
}

// The other node has learnt where a data area is, and its key.
static void assert_denied(struct far_node *other, const struct far_pair *victim)
{
    struct far_pair pair;
    engine_open_of(other, &pair);
    ck_assert_int_eq(write_there(&pair, &pair, "its own"), IBV_WC_SUCCESS);
    ck_assert_int_eq(write_there(&pair, victim, "intruder"), IBV_WC_REM_ACCESS_ERR);
    engine_close(&pair);
}

START_TEST(data_areas_are_of_one_node)
{
    static const uint8_t id[NODE_ID_SIZE] = "another node id";
    struct far_node other;
    struct far_pair pair;
    struct client client;
    struct qp_request request = good_request();
    far_start(&other, "other", id, device, ip, PORT, temp_path("keys").s);
    engine_open(&pair);
    client_open(&client, true);
    ck_assert_int_eq(write_there(&pair, &pair, "the dpu's"), IBV_WC_SUCCESS);
    assert_denied(&other, &pair);
    assert_denied(&other, &client.pair);
    // What the engine finds in the data area is still the node's own.
    request.opcode = QP_WRITE;
    request.length = 9;
    request.offset = 0;
    ck_assert_uint_eq(ask(&pair, &request), DOCA_SUCCESS);
    ck_assert_mem_eq(memory, "the dpu's", 9);
    client_served(&client);
    client_close(&client);
    engine_close(&pair);
    far_stop(&other);
    daemon_wait_links(host, 1);
}
END_TEST

// ---- the device goes ------------------------------------------------------------------------

static int remove_device(struct child *self, void *arg)
{
    (void)self;
    (void)arg;
    execlp("rdma", "rdma", "link", "delete", device, NULL);
    return 1;
}

// What was asked before is answered too late.
static void answer_late(uint64_t serial)
{
    Docad__PeerQueuePairCreateReply reply = DOCAD__PEER_QUEUE_PAIR_CREATE_REPLY__INIT;
    reply.queue_pair_id = 6000;
    reply.link = 6001;
    far_say(&far, serial, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE_REPLY, &reply);
    far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    ck_assert_uint_eq(answer->peer_queue_pair_destroy->queue_pair_id, 6000);
}

// One queue pair is being asked for, and one is made anew. The kernel waits for all who have the
// device: for docad, which lets go of it when it hears of that, and for the far node.
START_TEST(the_device_goes_before_the_answers)
{
    struct client asked, renewed;
    client_open(&renewed, true);
    client_served(&renewed);
    far_pair_end(&renewed.pair);
    client_request(&renewed);
    far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_DESTROY);
    far_hear(&far, DOCAD__MESSAGE__BODY_PEER_QUEUE_PAIR_CREATE);
    ck_assert_ptr_nonnull(answer->peer_queue_pair_create->rc);
    uint64_t serial_of_renewed = answer->serial, serial_of_asked = client_ask();
    struct child *removal = child_start(host, "removal", remove_device, NULL);
    expect_link_offered();
    expect_link_offered();
    receive_any(owner.sock);
    client_take(&asked);
    answer_late(serial_of_asked);
    answer_late(serial_of_renewed);
    ck_assert_int_eq(state_table_read(owner.states, asked.slot, asked.id), SLOT_LIVE);
    ck_assert_int_eq(state_table_read(owner.states, renewed.slot, renewed.id), SLOT_LIVE);
    ck_assert_int_eq(lookup(owner.sock, "nobody's", 0), DOCA_ERROR_NOT_FOUND);
    qp_client_fini(&asked.ring);
    qp_client_fini(&renewed.ring);
    far_let_go(&far);
    child_join(removal);
}
END_TEST

static Suite *hostile_suite(void)
{
    Suite *suite = suite_create("rc hostile");
    TCase *tcase = tcase_create("rc hostile");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, requests_that_end_the_queue_pair);
    tcase_add_test(tcase, requests_that_are_refused);
    tcase_add_test(tcase, addresses_of_requests);
    tcase_add_test(tcase, addresses_out_of_reach);
    tcase_add_test(tcase, answers_that_end_the_queue_pair);
    tcase_add_test(tcase, connections_that_break);
    tcase_add_test(tcase, nobody_is_connected);
    tcase_add_test(tcase, answers_out_of_reach);
    tcase_add_test(tcase, addresses_of_answers);
    tcase_add_test(tcase, the_link_goes);
    tcase_add_test(tcase, data_areas_are_of_one_node);
    tcase_add_test(tcase, the_device_goes_before_the_answers); // the last one: there is none then
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    device = getenv("DOCAD_TEST_FUNCTION");
    if (!device) {
        puts("SKIPPED: rc_hostile: DOCAD_TEST_FUNCTION names no ibverbs device; see "
             "tests/vm/tests/rc-hostile");
        return TEST_SKIPPED;
    }
    return run_suite(hostile_suite());
}
