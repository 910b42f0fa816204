// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Attacks on docad itself: on the rings shared with the engine, on its socket, on limited
// resources. Others must not notice, and the log has the reason for each failure.

#include "walls.h"

#include "cleanup.h"
#include "client.h"
#include "deadline.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct raw_queue_pair {
    struct qp_client client;
    uint64_t id;
    uint32_t slot;
};

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void owner_node(const struct attacker *a, uint8_t node[NODE_ID_SIZE])
{
    struct export_desc desc;
    ck_assert_int_eq(
        export_desc_decode(a->prey.read_only.d.bytes, a->prey.read_only.d.size, &desc, NULL), 0);
    memcpy(node, desc.node, NODE_ID_SIZE);
}

// Makes a queue pair from the DPU to the engine of the host.
static struct raw_queue_pair open_queue_pair(struct attacker *a)
{
    struct raw_queue_pair qp;
    uint8_t node[NODE_ID_SIZE];
    owner_node(a, node);
    qp.client = raw_queue_pair(&a->on_dpu, node);
    qp.id = answer->queue_pair_create_reply->queue_pair_id;
    qp.slot = answer->queue_pair_create_reply->state_slot;
    return qp;
}

static void drop_queue_pair(struct attacker *a, struct raw_queue_pair *qp)
{
    Docad__QueuePairDestroy m = DOCAD__QUEUE_PAIR_DESTROY__INIT;
    m.queue_pair_id = qp->id;
    qp_client_fini(&qp->client);
    ck_assert_int_eq(call(a->on_dpu.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_DESTROY, &m),
                     DOCA_SUCCESS);
}

static bool is_live(const struct attacker *a, const struct raw_queue_pair *qp)
{
    return state_table_read(a->on_dpu.states, qp->slot, qp->id) == SLOT_LIVE;
}

static void ring_doorbell(const struct raw_queue_pair *qp)
{
    uint64_t one = 1;
    ck_assert_int_eq(write(qp->client.doorbell, &one, sizeof(one)), sizeof(one));
}

static void wait_until_failed(const struct attacker *a, const struct raw_queue_pair *qp)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (is_live(a, qp))
        ck_assert_msg(deadline_pause(deadline), "the queue pair goes on");
    ck_assert_int_eq(state_table_read(a->on_dpu.states, qp->slot, qp->id), SLOT_REVOKED);
}

// ---- indices -------------------------------------------------------------------------------

static void attack_indices(struct attacker *a)
{
    static const uint32_t steps[] = {UINT32_MAX, QP_ENTRIES + 1, 0x80000000u, (uint32_t)-64, 5000};
    struct loot ro = attacker_import(a, &a->prey.read_only);
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        struct raw_queue_pair qp = open_queue_pair(a);
        ck_assert_uint_eq(raw_move(&qp.client, QP_READ, ro.address, 8, ro.key), DOCA_SUCCESS);
        atomic_store(&qp.client.shared->request_head, qp.client.head + steps[i]);
        ring_doorbell(&qp);
        wait_until_failed(a, &qp);
        drop_queue_pair(a, &qp);
    }
    loot_drop(&ro);
}

START_TEST(indices)
{
    walls_attack(attack_indices);
    ck_assert(daemon_logged(walls_host, "its ring is corrupted"));
    ck_assert(daemon_logged(walls_dpu, "ended by node host; see its log for the reason"));
}
END_TEST

// Everything that docad wrote there is overwritten: it must not believe it.
static void attack_what_docad_wrote(struct attacker *a)
{
    struct loot ro = attacker_import(a, &a->prey.read_only);
    for (int i = 0; i < 8; i++) {
        struct raw_queue_pair qp = open_queue_pair(a);
        struct qp_shared *shared = qp.client.shared;
        ck_assert_uint_eq(raw_move(&qp.client, QP_READ, ro.address, 8, ro.key), DOCA_SUCCESS);
        atomic_store(&shared->request_tail, (uint32_t)next_random());
        atomic_store(&shared->completion_head, qp.client.completion_tail);
        atomic_store(&shared->engine_sleeping, 1 + (uint32_t)i); // 0 would keep us from ringing
        shared->magic = shared->version = (uint32_t)next_random();
        ck_assert_uint_eq(raw_move(&qp.client, QP_READ, ro.address, 8, ro.key), DOCA_SUCCESS);
        ck_assert(is_live(a, &qp));
        drop_queue_pair(a, &qp);
    }
    loot_drop(&ro);
}

// Posts and posts, and never takes a completion.
static void attack_by_never_polling(struct attacker *a)
{
    struct loot ro = attacker_import(a, &a->prey.read_only);
    struct raw_queue_pair qp = open_queue_pair(a);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    uint32_t head = 0;
    while (is_live(a, &qp)) {
        ck_assert(now_ms() < deadline);
        if (head - atomic_load(&qp.client.shared->request_tail) >= QP_ENTRIES)
            continue;
        qp.client.shared->requests[head % QP_ENTRIES] = (struct qp_request){
            .address = ro.address, .length = 8, .key = ro.key, .opcode = QP_READ};
        atomic_store(&qp.client.shared->request_head, ++head);
        atomic_store(&qp.client.shared->client_armed, 1); // and its channel fills up
        ring_doorbell(&qp);
    }
    wait_until_failed(a, &qp);
    drop_queue_pair(a, &qp);
    loot_drop(&ro);
}

// ---- while the engine reads ---------------------------------------------------------------

struct scribbler {
    pthread_t thread;
    _Atomic bool begun;
    _Atomic bool stop;
    struct qp_shared *shared;
    const struct loot *loot;
    bool requests_only;
};

// Good and bad values take turns, so that a field that is read twice has two values. A race
// by intent.
__attribute__((no_sanitize("thread"))) static void *scribble(void *arg)
{
    struct scribbler *s = arg;
    uint64_t n = 1;
    while (!atomic_load(&s->stop)) {
        volatile struct qp_request *r = &s->shared->requests[n % QP_ENTRIES];
        n = n * 6364136223846793005u + 1442695040888963407u;
        r->address = n & 1 << 20 ? s->loot->address : s->loot->address - (n >> 60) * 512;
        r->length = n & 1 << 21 ? 8 : (uint32_t)(n >> 44);
        r->offset = n & 1 << 22 ? 0 : (uint32_t)(n >> 40);
        r->opcode = n & 1 << 23 ? QP_READ : (uint32_t)(n >> 61);
        r->key = n & 1 << 24 ? s->loot->key : (uint32_t)(n >> 32);
        if (!s->requests_only) {
            volatile uint8_t *head = (uint8_t *)s->shared;
            head[(n >> 33) % offsetof(struct qp_shared, requests)] = (uint8_t)n;
        }
        atomic_store(&s->begun, true);
    }
    return NULL;
}

static void scribbler_start(struct scribbler *s)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    ck_assert_int_eq(pthread_create(&s->thread, NULL, scribble, s), 0);
    while (!atomic_load(&s->begun)) {
        ck_assert_msg(now_ms() < deadline, "the scribbler does not begin");
        sched_yield();
    }
}

static void scribbler_stop(struct scribbler *s)
{
    atomic_store(&s->stop, true);
    pthread_join(s->thread, NULL);
}

// Returns how many answers came.
static unsigned post_reads(const struct attacker *a, struct raw_queue_pair *qp,
                           const struct loot *loot)
{
    unsigned answered = 0;
    for (int i = 0; i < 400 && is_live(a, qp); i++) {
        struct qp_completion c;
        qp_post(&qp->client,
                &(struct qp_request){
                    .address = loot->address, .length = 8, .key = loot->key, .opcode = QP_READ});
        qp_ring(&qp->client);
        if (i % 16 == 0)
            ring_doorbell(qp);
        while (qp_poll(&qp->client, &c))
            answered++;
    }
    return answered;
}

// Forty rounds at least, and on until the engine has met what the attack is about: requests
// that change while it answers them, and a ring that it has to give up.
static void scribble_and_post(struct attacker *a, bool requests_only)
{
    struct loot ro = attacker_import(a, &a->prey.read_only);
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    unsigned failed = 0, answered = 0;
    for (int round = 0; round < 40 || (requests_only ? answered : failed) == 0; round++) {
        ck_assert_msg(round < 40 || now_ms() < deadline, "%d rounds: %u answers, %u rings failed",
                      round, answered, failed);
        struct raw_queue_pair qp = open_queue_pair(a);
        struct scribbler s = {
            .shared = qp.client.shared, .loot = &ro, .requests_only = requests_only};
        scribbler_start(&s);
        answered += post_reads(a, &qp, &ro);
        scribbler_stop(&s);
        failed += !is_live(a, &qp);
        // Only exported bytes ever came.
        ck_assert_ptr_null(
            memchr(qp.client.shared->data, SECRET_BYTE, sizeof(qp.client.shared->data)));
        drop_queue_pair(a, &qp);
    }
    loot_drop(&ro);
}

static void attack_requests_after_their_check(struct attacker *a)
{
    scribble_and_post(a, true);
}

static void attack_by_scribbling(struct attacker *a)
{
    scribble_and_post(a, false);
}

// ---- floods ---------------------------------------------------------------------------------

#define FLOODERS 32

static void attack_engine_by_flooding(struct attacker *a)
{
    static struct raw_queue_pair qps[FLOODERS];
    struct loot rw = attacker_import(a, &a->prey.read_write);
    for (int i = 0; i < FLOODERS; i++)
        qps[i] = open_queue_pair(a);
    child_tell(a->self, "flooding");
    for (bool over = false; !over;) {
        for (int i = 0; i < FLOODERS; i++) {
            struct qp_completion c;
            while (qp_poll(&qps[i].client, &c))
                ;
            while (qp_post(&qps[i].client, &(struct qp_request){.address = rw.address,
                                                                .length = (uint32_t)rw.length,
                                                                .key = rw.key,
                                                                .opcode = QP_READ}))
                ;
            qp_ring(&qps[i].client);
        }
        char word[8];
        over = recv(a->self->channel, word, sizeof(word), MSG_DONTWAIT) > 0;
    }
    for (int i = 0; i < FLOODERS; i++)
        drop_queue_pair(a, &qps[i]);
    loot_drop(&rw);
}

// Somebody who goes about his business, with the library.
static int be_honest(struct child *self, void *arg)
{
    const struct prey *prey = &walls_handed_out()->read_only;
    struct copier c;
    (void)self;
    (void)arg;
    copier_start(&c, DPU_P0, 64 * 1024);
    copier_import(&c, prey->d.bytes, prey->d.size);
    for (int i = 0; i < 50; i++) {
        memset(c.memory, 0, c.size);
        ck_assert_success(copier_read(&c, 0, c.length)); // brokered ends included
        for (size_t k = 0; k < c.length; k++)
            ck_assert_uint_eq(c.memory[k], SHARED_BYTE);
    }
    copier_stop(&c);
    return 0;
}

START_TEST(engine_flooded)
{
    struct child *attacker = walls_attack_start(attack_engine_by_flooding);
    child_wait(attacker, "flooding");
    child_join(child_start(walls_dpu, "honest", be_honest, NULL));
    walls_assert_victim_unharmed();
    child_tell(attacker, "over");
    child_join(attacker);
}
END_TEST

static void attack_by_never_reading(struct attacker *a)
{
    Docad__Message m = DOCAD__MESSAGE__INIT;
    Docad__FunctionList list = DOCAD__FUNCTION_LIST__INIT;
    int sock = a->on_host.sock;
    m.body_case = DOCAD__MESSAGE__BODY_FUNCTION_LIST;
    m.function_list = &list;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    int r = 0;
    do {
        m.serial++;
        r = message_send(sock, &m, NULL, 0, MSG_DONTWAIT);
    } while ((r == 0 || r == -EAGAIN) && now_ms() < deadline);
    ck_assert_msg(r == -EPIPE || r == -ECONNRESET, "%d", r);
}

START_TEST(socket_never_read)
{
    walls_attack(attack_by_never_reading);
    ck_assert(daemon_logged(walls_host, "does not read its messages"));
}
END_TEST

// Requests without a pause; the victim's come through in between.
static void attack_by_requests(struct attacker *a)
{
    Docad__FunctionList list = DOCAD__FUNCTION_LIST__INIT;
    char word[8];
    child_tell(a->self, "flooding");
    while (recv(a->self->channel, word, sizeof(word), MSG_DONTWAIT) < 0) {
        uint64_t last = 0;
        for (int i = 0; i < 64; i++)
            last = post(a->on_host.sock, DOCAD__MESSAGE__BODY_FUNCTION_LIST, &list);
        do
            receive_any(a->on_host.sock);
        while (answer->serial != last);
    }
}

START_TEST(requests_flood)
{
    struct child *attacker = walls_attack_start(attack_by_requests);
    child_wait(attacker, "flooding");
    walls_victim_does("stop"); // asks docad
    walls_victim_does("start");
    walls_assert_victim_unharmed();
    child_tell(attacker, "over");
    child_join(attacker);
}
END_TEST

// ---- nonsense -------------------------------------------------------------------------------

// Bytes of good requests with some changed, and bytes of no request at all.
static void attack_by_nonsense(struct attacker *a)
{
    for (int i = 0; i < 3000; i++) {
        uint8_t bytes[512];
        Docad__Message m = DOCAD__MESSAGE__INIT;
        Docad__Empty empty = DOCAD__EMPTY__INIT;
        m.serial = (uint64_t)i + 1;
        m.body_case = DOCAD__MESSAGE__BODY_OK;
        m.ok = &empty;
        size_t size = docad__message__get_packed_size(&m);
        docad__message__pack(&m, bytes);
        size += 64;
        for (size_t k = 2; k < size; k++)
            bytes[k] = (uint8_t)(next_random() >> 33);
        // A request of any kind: field number and wire type 2, then a length.
        unsigned field = (unsigned)(next_random() % 150) + 1;
        bytes[2] = (uint8_t)(field << 3 | 2) | 0x80;
        bytes[3] = (uint8_t)(field >> 4);
        bytes[4] = (uint8_t)(next_random() % 62);
        if (field < 16) {
            bytes[2] = (uint8_t)(field << 3 | 2);
            bytes[3] = (uint8_t)(next_random() % 62);
        }
        if (send(a->on_host.sock, bytes, i % 3 ? size : next_random() % size, MSG_NOSIGNAL) < 0 ||
            next_random() % 8 == 0) {
            session_end(&a->on_host);
            a->on_host = session_start(a->host);
        }
    }
}

// Every kind of message, without fields, including those that only daemons send.
static void attack_by_empty_messages(struct attacker *a)
{
    Docad__Empty empty = DOCAD__EMPTY__INIT;
    for (unsigned field = 2; field < 200; field++) {
        const ProtobufCFieldDescriptor *f =
            protobuf_c_message_descriptor_get_field(&docad__message__descriptor, field);
        if (!f)
            continue;
        const ProtobufCMessageDescriptor *d = f->descriptor;
        void *body = calloc(1, d->sizeof_message);
        protobuf_c_message_init(d, body);
        struct raw_session s = session_start(a->host);
        post_raw(s.sock, 77, (Docad__Message__BodyCase)field, body, NULL, 0);
        int sock = raw_connect(a->host->socket.s); // and before a hello
        post_raw(sock, 77, (Docad__Message__BodyCase)field, body, NULL, 0);
        free(body);
        receive_any(s.sock);
        close(sock);
        session_end(&s);
    }
    (void)empty;
}

// ---- things half made -------------------------------------------------------------------------

static void attack_and_die(struct attacker *a)
{
    Docad__QueuePairCreate create = DOCAD__QUEUE_PAIR_CREATE__INIT;
    Docad__ImportCreate import = DOCAD__IMPORT_CREATE__INIT;
    Docad__Lookup lookup = DOCAD__LOOKUP__INIT;
    uint8_t node[NODE_ID_SIZE];
    char step[8] = "";
    child_receive(a->self, step, sizeof(step) - 1);
    owner_node(a, node);
    create.node = (ProtobufCBinaryData){NODE_ID_SIZE, node};
    import.descriptor =
        (ProtobufCBinaryData){a->prey.read_write.d.size, a->prey.read_write.d.bytes};
    import.function_id = a->p0;
    lookup.name = (char *)"never";
    lookup.timeout_ms = 100000;
    for (int i = 0; i < step[0]; i++) { // answers are not waited for
        if (i % 3 == 0)
            post(a->on_dpu.sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &create);
        if (i % 3 == 1)
            post(a->on_dpu.sock, DOCAD__MESSAGE__BODY_IMPORT_CREATE, &import);
        if (i % 3 == 2)
            post(a->on_dpu.sock, DOCAD__MESSAGE__BODY_LOOKUP, &lookup);
    }
    if (step[0] > 6) {
        struct raw_queue_pair qp = open_queue_pair(a);
        qp.client.head = 33;
        qp_ring(&qp.client);
    }
    child_tell(a->self, "half");
    child_wait(a->self, "never");
}

START_TEST(half_made_things)
{
    for (char step = 1; step < 10; step++) {
        struct child *attacker = walls_attack_start(attack_and_die);
        char word[2] = {step, 0};
        child_send(attacker, word, sizeof(word));
        if (step < 7)
            child_wait(attacker, "half");
        child_kill(attacker);
    }
}
END_TEST

// ---- all there is -----------------------------------------------------------------------------

#define LIMITS                                                                                     \
    "sessions_per_uid = 5  regions_per_session = 5  exports_per_session = 5 "                      \
    "imports_per_session = 6  queue_pairs_per_session = 5  publications_per_uid = 5 "              \
    "lookups_per_session = 5  region_bytes_per_uid = 300K  descriptors_per_uid = 40 "              \
    "state_slots_per_uid = 20"

static uint8_t spare[64];

static doca_error_t take_one(struct raw_session *s, uint32_t function, int kind, int i)
{
    Docad__Segment segment = DOCAD__SEGMENT__INIT, *list = &segment;
    Docad__RegionRegister m = DOCAD__REGION_REGISTER__INIT;
    Docad__QueuePairCreate create = DOCAD__QUEUE_PAIR_CREATE__INIT;
    Docad__Lookup wait = DOCAD__LOOKUP__INIT;
    doca_error_t r = DOCA_SUCCESS;
    cleanup_fd int memory = -1;
    switch (kind) {
    case 0: // regions
    case 1: // bytes
        segment.address = m.address = (uintptr_t)spare;
        segment.length = m.length = kind == 0 ? sizeof(spare) : 90 * 1024;
        m.access = DOCA_ACCESS_DPU_READ_WRITE;
        m.function_ids = &function;
        m.n_function_ids = 1;
        m.segments = &list;
        m.n_segments = 1;
        m.has_memory_fd = true;
        memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
        return call_with_fds(s->sock, DOCAD__MESSAGE__BODY_REGION_REGISTER, &m, &memory, 1);
    case 2: // queue pairs, slots, descriptors
        create.node = (ProtobufCBinaryData){NODE_ID_SIZE, s->node};
        r = call(s->sock, DOCAD__MESSAGE__BODY_QUEUE_PAIR_CREATE, &create);
        fd_list_close(&answer_fds);
        return r;
    default: // lookups: the one too many is answered at once, the others wait
        wait.name = (char *)"never";
        wait.timeout_ms = 1000000;
        post(s->sock, DOCAD__MESSAGE__BODY_LOOKUP, &wait);
        if (i < 5)
            return DOCA_SUCCESS;
        receive_any(s->sock);
        return (doca_error_t)answer->error->code;
    }
}

// Continues until it is told that it has enough, with every session that it can have.
static void attack_by_taking_all(struct attacker *a)
{
    struct raw_session sessions[8] = {a->on_host};
    int n = 1;
    for (; n < 5; n++)
        sessions[n] = session_start(a->host);
    int late = raw_connect(a->host->socket.s);
    Docad__Hello hello = DOCAD__HELLO__INIT;
    hello.version_min = hello.version_max = 1;
    ck_assert_int_eq(call(late, DOCAD__MESSAGE__BODY_HELLO, &hello), DOCA_ERROR_NO_MEMORY);
    close(late);
    for (int kind = 0; kind < 4; kind++) {
        for (int k = 0; k < n; k++) {
            doca_error_t r = DOCA_SUCCESS;
            uint32_t pf0 = open_function(sessions[k].sock, "pf0");
            for (int i = 0; i < 50 && r == DOCA_SUCCESS; i++)
                r = take_one(&sessions[k], pf0, kind, i);
            ck_assert_msg(r == DOCA_ERROR_NO_MEMORY, "kind %d: %s", kind, doca_get_error_name(r));
        }
    }
    child_tell(a->self, "full");
    child_wait(a->self, "over");
    for (int k = 1; k < n; k++)
        session_end(&sessions[k]);
}

static void take_some(struct attacker *a)
{
    for (int kind = 0; kind < 3; kind++) {
        doca_error_t r = take_one(&a->on_host, a->pf0, kind, 0);
        ck_assert_msg(r == DOCA_SUCCESS, "kind %d: %s", kind, answer->error->text);
    }
}

START_TEST(everything_taken)
{
    struct child *attacker = walls_attack_start(attack_by_taking_all);
    child_wait(attacker, "full");
    child_join(child_start(walls_dpu, "honest", be_honest, NULL));
    child_join(walls_neighbour_start(take_some));
    walls_victim_does("stop");
    walls_victim_does("start");
    child_tell(attacker, "over");
    child_join(attacker);
}
END_TEST

static void setup_with_limits(void)
{
    walls_setup_with_limits(LIMITS);
}

#define ATTACK(name)                                                                               \
    START_TEST(name)                                                                               \
    {                                                                                              \
        walls_attack(attack_##name);                                                               \
    }                                                                                              \
    END_TEST

ATTACK(what_docad_wrote)
ATTACK(by_never_polling)
ATTACK(requests_after_their_check)
ATTACK(by_scribbling)
ATTACK(by_nonsense)
ATTACK(by_empty_messages)

int main(void)
{
    const TTest *const tests[] = {
        indices,       what_docad_wrote,  by_never_polling,  requests_after_their_check,
        by_scribbling, engine_flooded,    socket_never_read, requests_flood,
        by_nonsense,   by_empty_messages, half_made_things};
    if (geteuid() != 0) {
        puts("SKIPPED: walls: the daemons, the victim and the attacker are three users, which "
             "takes root");
        return TEST_SKIPPED;
    }
    Suite *suite = suite_create("walls_rings");
    TCase *tcase = tcase_create("docad");
    tcase_add_checked_fixture(tcase, walls_setup, walls_teardown);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("limits");
    tcase_add_checked_fixture(tcase, setup_with_limits, walls_teardown);
    tcase_add_test(tcase, everything_taken);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
