// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The engine against this process's own memory: what it moves, what it refuses, and
// what ends when.

#include "cleanup.h"
#include "engine_rig.h"
#include "message.h"
#include "unit.h"

#include <doca_error.h>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define USER  1000
#define OTHER 1001

static struct engine_importer *importer;
static int memory_fd;
static char owned[3 * QP_CHUNK_SIZE];

static void setup(void)
{
    rig_start();
    importer = importer_new(USER);
    memory_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(memory_fd, 0);
    for (size_t i = 0; i < sizeof(owned); i++)
        owned[i] = (char)(i * 7);
}

static void teardown(void)
{
    if (importer)
        importers_end(&importer, 1);
    rig_stop();
    close(memory_fd);
}

static uint32_t grant(const void *address, size_t length, bool writable)
{
    uint32_t key;
    struct engine_range range = {.memory_fd = memory_fd,
                                 .address = (uintptr_t)address,
                                 .length = length,
                                 .allowed = writable ? ~0u : 1u << QP_READ};
    ck_assert_int_eq(engine_grant_add(importer, &range, &key), 0);
    return key;
}

static struct engine_queue_pair *open_queue_pair(struct qp_client *client)
{
    return importer_open(importer, client);
}

static uint32_t run(struct qp_client *client, struct qp_request r)
{
    static uint32_t tag;
    r.tag = ++tag;
    ck_assert(qp_post(client, &r));
    qp_ring(client);
    struct qp_completion c = wait_completion(client);
    ck_assert_uint_eq(c.tag, tag);
    return c.status;
}

START_TEST(reads_and_writes_to_the_byte)
{
    struct qp_client client;
    setup();
    open_queue_pair(&client);
    uint32_t key = grant(owned, sizeof(owned), true);
    static const uint32_t lengths[] = {1, 6, 4095, 4097, QP_CHUNK_SIZE};
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        uint8_t *data = client.shared->data[3];
        uint32_t offset = 3 * QP_CHUNK_SIZE;
        char *at = owned + 1 + i;
        struct qp_request r = {
            .address = (uintptr_t)at, .length = lengths[i], .key = key, .offset = offset};
        r.opcode = QP_READ;
        ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
        ck_assert_mem_eq(data, at, lengths[i]);
        memset(data, (int)i + 1, lengths[i]);
        char before = at[-1], after = at[lengths[i]];
        r.opcode = QP_WRITE;
        ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
        ck_assert_mem_eq(data, at, lengths[i]);
        ck_assert_int_eq(at[-1], before);
        ck_assert_int_eq(at[lengths[i]], after);
    }
    qp_client_fini(&client);
    teardown();
}
END_TEST

// Each row differs from a good request in one field.
START_TEST(a_request_outside_its_grant_is_refused)
{
    struct qp_client client;
    struct engine_stats stats;
    setup();
    struct engine_queue_pair *qp = open_queue_pair(&client);
    uint32_t rw = grant(owned + 10, 100, true), ro = grant(owned + 10, 100, false);
    uint64_t base_address = (uintptr_t)owned + 10;
    char copy[sizeof(owned)];
    memcpy(copy, owned, sizeof(owned));
    const struct {
        const char *what;
        struct qp_request r;
        uint32_t status;
    } rows[] = {
        {"a byte before", {base_address - 1, 1, rw, 0, 0, QP_WRITE, 0}, DOCA_ERROR_NOT_PERMITTED},
        {"a byte behind", {base_address + 100, 1, rw, 0, 0, QP_WRITE, 0}, DOCA_ERROR_NOT_PERMITTED},
        {"over the end", {base_address + 50, 51, rw, 0, 0, QP_READ, 0}, DOCA_ERROR_NOT_PERMITTED},
        {"longer than it", {base_address, 101, rw, 0, 0, QP_READ, 0}, DOCA_ERROR_NOT_PERMITTED},
        {"wrapping address", {UINT64_MAX, 2, rw, 0, 0, QP_READ, 0}, DOCA_ERROR_NOT_PERMITTED},
        {"write through read-only",
         {base_address, 1, ro, 0, 0, QP_WRITE, 0},
         DOCA_ERROR_NOT_PERMITTED},
        {"guessed key", {base_address, 1, rw + 7, 0, 0, QP_READ, 0}, DOCA_ERROR_NOT_PERMITTED},
        {"key zero", {base_address, 1, 0, 0, 0, QP_READ, 0}, DOCA_ERROR_NOT_PERMITTED},
        {"huge key", {base_address, 1, UINT32_MAX, 0, 0, QP_READ, 0}, DOCA_ERROR_NOT_PERMITTED},
        {"no length", {base_address, 0, rw, 0, 0, QP_READ, 0}, DOCA_ERROR_INVALID_VALUE},
        {"too long",
         {base_address, QP_CHUNK_SIZE + 1, rw, 0, 0, QP_READ, 0},
         DOCA_ERROR_INVALID_VALUE},
        {"length all ones",
         {base_address, UINT32_MAX, rw, 0, 0, QP_READ, 0},
         DOCA_ERROR_INVALID_VALUE},
        {"offset behind the data area",
         {base_address, 2, rw, QP_CHUNKS * QP_CHUNK_SIZE - 1, 0, QP_READ, 0},
         DOCA_ERROR_INVALID_VALUE},
        {"offset all ones",
         {base_address, 1, rw, UINT32_MAX, 0, QP_READ, 0},
         DOCA_ERROR_INVALID_VALUE},
        {"unknown operation", {base_address, 1, rw, 0, 0, 3, 0}, DOCA_ERROR_INVALID_VALUE},
    };
    memset(client.shared->data, 0xee, QP_CHUNK_SIZE);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        uint32_t status = run(&client, rows[i].r);
        ck_assert_msg(status == rows[i].status, "%s: %u", rows[i].what, status);
    }
    ck_assert_mem_eq(owned, copy, sizeof(owned));
    for (size_t i = 0; i < 4096; i++)
        ck_assert_uint_eq(client.shared->data[0][i], 0xee);
    engine_queue_pair_stats(qp, &stats);
    ck_assert_uint_eq(stats.requests, ARRAY_SIZE(rows));
    ck_assert_uint_eq(stats.errors, ARRAY_SIZE(rows));
    ck_assert_uint_eq(stats.bytes, 0);
    ck_assert(!stats.failed);
    qp_client_fini(&client);
    teardown();
}
END_TEST

// A grant of an earlier engine has its place and key; those below are free, and no key finds
// them. Of the free ones the one that was given back first is taken first.
START_TEST(places_of_grants)
{
    struct engine_range range;
    struct qp_client client;
    uint32_t keys[5];
    int dropped = 0;
    setup();
    range = (struct engine_range){.memory_fd = memory_fd,
                                  .address = (uintptr_t)owned,
                                  .length = 100,
                                  .allowed = 1u << QP_READ};
    open_queue_pair(&client);
    ck_assert_int_eq(engine_grant_restore(importer, &range, 7u << 16 | 3), 0);
    ck_assert_int_eq(engine_grant_restore(importer, &range, 8u << 16 | 3), -EEXIST);
    struct qp_request r = {(uintptr_t)owned, 1, 7u << 16 | 3, 0, 0, QP_READ, 0};
    ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    for (r.key = 0; r.key < 5; r.key++)
        ck_assert_uint_eq(run(&client, r), DOCA_ERROR_NOT_PERMITTED);
    static const uint32_t places[] = {0, 1, 2, 4, 5};
    for (size_t i = 0; i < 5; i++) {
        keys[i] = grant(owned, 100, false);
        ck_assert_uint_eq(keys[i] & 0xffff, places[i]);
        r.key = keys[i];
        ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    }
    engine_grant_drop(importer, keys[4], DOCA_ERROR_CONNECTION_RESET, count_call, &dropped);
    engine_grant_drop(importer, keys[1], DOCA_ERROR_CONNECTION_RESET, count_call, &dropped);
    run_loop_until(&dropped, 2);
    ck_assert_uint_eq(grant(owned, 100, false), keys[4] + (1u << 16));
    ck_assert_uint_eq(grant(owned, 100, false), keys[1] + (1u << 16));
    qp_client_fini(&client);
    teardown();
}
END_TEST

START_TEST(another_importers_key_is_no_use)
{
    struct qp_client client;
    struct engine_importer *mine, *other;
    setup();
    mine = importer;
    ck_assert_int_eq(engine_importer_new(&other, engine, USER, NULL), 0);
    importer = other;
    grant(owned, 1, false); // so that the keys of the two differ
    uint32_t key = grant(owned, 100, true);
    importer = mine;
    open_queue_pair(&client);
    struct qp_request r = {(uintptr_t)owned, 1, key, 0, 0, QP_READ, 0};
    ck_assert_uint_eq(run(&client, r), DOCA_ERROR_NOT_PERMITTED);
    engine_importer_free(other, NULL, NULL);
    qp_client_fini(&client);
    teardown();
}
END_TEST

START_TEST(a_dropped_grant_fails_with_its_error_and_its_key_stays_dead)
{
    struct qp_client client;
    int dropped = 0;
    setup();
    open_queue_pair(&client);
    uint32_t key = grant(owned, 100, true);
    struct qp_request r = {(uintptr_t)owned, 1, key, 0, 0, QP_READ, 0};
    ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    engine_grant_drop(importer, key, DOCA_ERROR_CONNECTION_RESET, count_call, &dropped);
    ck_assert_uint_eq(run(&client, r), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_int_eq(dropped, 0); // callbacks come from the loop only
    run_loop_until(&dropped, 1);
    ck_assert_uint_eq(run(&client, r), DOCA_ERROR_CONNECTION_RESET);
    uint32_t again = grant(owned, 100, true); // takes the place, not the key
    ck_assert_uint_ne(again, key);
    ck_assert_uint_eq(run(&client, r), DOCA_ERROR_NOT_PERMITTED);
    r.key = again;
    ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    qp_client_fini(&client);
    teardown();
}
END_TEST

START_TEST(a_grant_that_is_held_ends_after_the_hold)
{
    struct qp_client client;
    struct engine_hold hold, other;
    struct engine_stats stats;
    int dropped = 0;
    setup();
    struct engine_queue_pair *qp = open_queue_pair(&client);
    uint32_t key = grant(owned, 100, false);
    struct qp_request r = {(uintptr_t)owned, 100, key, 0, 0, QP_READ, 0};
    // It is checked as any request is.
    r.length = 101;
    ck_assert(!engine_hold_begin(qp, &r, &hold));
    r.length = 100;
    r.opcode = QP_WRITE;
    ck_assert(!engine_hold_begin(qp, &r, &hold));
    r.opcode = QP_READ;
    ck_assert(engine_hold_begin(qp, &r, &hold));
    ck_assert(engine_hold_begin(qp, &r, &other));
    ck_assert(!engine_hold_is_dropped(&hold));
    engine_grant_drop(importer, key, DOCA_ERROR_CONNECTION_RESET, count_call, &dropped);
    ck_assert(engine_hold_is_dropped(&hold));
    ck_assert_uint_eq(run(&client, r), DOCA_ERROR_CONNECTION_RESET);
    struct engine_hold none;
    ck_assert(!engine_hold_begin(qp, &r, &none));
    engine_hold_end(&other, 0);
    event_base_loop(base, EVLOOP_NONBLOCK);
    ck_assert_int_eq(dropped, 0);
    engine_hold_end(&hold, 100);
    run_loop_until(&dropped, 1);
    engine_queue_pair_stats(qp, &stats);
    ck_assert_uint_eq(stats.requests, 2);
    ck_assert_uint_eq(stats.errors, 1);
    ck_assert_uint_eq(stats.bytes, 100);
    ck_assert_uint_eq(stats.held_bytes, 100);
    qp_client_fini(&client);
    teardown();
}
END_TEST

START_TEST(memory_that_has_gone_is_an_error)
{
    struct qp_client client;
    setup();
    open_queue_pair(&client);
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t key = grant(page, 4096, true);
    struct qp_request r = {(uintptr_t)page, 6, key, 0, 0, QP_READ, 0};
    ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    munmap(page, 4096);
    ck_assert_uint_eq(run(&client, r), DOCA_ERROR_IO_FAILED);
    qp_client_fini(&client);
    teardown();
}
END_TEST

START_TEST(an_owner_that_ended_is_a_reset)
{
    struct qp_client client;
    int up[2], down[2], theirs;
    char byte;
    ck_assert_int_eq(pipe(up) | pipe(down), 0);
    pid_t child = fork();
    if (child == 0) {
        close(down[1]); // so that the parent's end closes it
        _exit(read(down[0], &byte, 1) == 0 ? 0 : 1);
    }
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)child);
    theirs = open(path, O_RDWR | O_CLOEXEC);
    setup();
    ck_assert_int_ge(theirs, 0);
    close(memory_fd);
    memory_fd = theirs;
    open_queue_pair(&client);
    uint32_t key = grant(owned, 100, true);
    struct qp_request r = {(uintptr_t)owned, 6, key, 0, 0, QP_READ, 0};
    ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    close(down[1]);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_uint_eq(run(&client, r), DOCA_ERROR_CONNECTION_RESET);
    r.opcode = QP_WRITE;
    ck_assert_uint_eq(run(&client, r), DOCA_ERROR_CONNECTION_RESET);
    qp_client_fini(&client);
    teardown();
}
END_TEST

START_TEST(a_broken_ring_is_reported_once_and_harms_nobody)
{
    struct qp_client broken, good;
    struct engine_stats stats;
    int failed = 0;
    setup();
    struct engine_queue_pair *qp = open_queue_pair(&broken);
    engine_queue_pair_on_failure(qp, count_call, &failed);
    open_queue_pair(&good);
    uint32_t key = grant(owned, 100, true);
    atomic_store(&broken.shared->request_head, 5000);
    uint64_t one = 1;
    ck_assert_int_eq(write(broken.doorbell, &one, sizeof(one)), sizeof(one));
    run_loop_until(&failed, 1);
    engine_queue_pair_stats(qp, &stats);
    ck_assert(stats.failed);
    ck_assert_int_eq(write(broken.doorbell, &one, sizeof(one)), sizeof(one));
    struct qp_request r = {(uintptr_t)owned, 6, key, 0, 0, QP_READ, 0};
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(run(&good, r), DOCA_SUCCESS);
    ck_assert_int_eq(failed, 1);
    engine_queue_pair_drop(qp);
    qp_client_fini(&broken);
    qp_client_fini(&good);
    teardown();
}
END_TEST

START_TEST(queue_pairs_and_importers_may_end_with_requests_under_way)
{
    setup();
    for (int i = 0; i < 200; i++) {
        struct qp_client client;
        struct engine_queue_pair *qp = open_queue_pair(&client);
        uint32_t key = grant(owned, sizeof(owned), true);
        struct qp_request r = {(uintptr_t)owned, QP_CHUNK_SIZE, key, 0, 0, QP_READ, 0};
        while (qp_post(&client, &r))
            ;
        qp_ring(&client);
        if (i % 2) {
            engine_queue_pair_drop(qp);
        } else {
            int ended = 0;
            engine_importer_free(importer, count_call, &ended);
            run_loop_until(&ended, 1);
            ck_assert_int_eq(engine_importer_new(&importer, engine, USER, NULL), 0);
        }
        qp_client_fini(&client);
    }
    teardown();
}
END_TEST

// A page can hang whoever reads it, if its file system so decides. Here /dev/zero in
// place of an owner's memory hangs (the linker routes the engine's pread() to this one)
// until the test lets go.
static int let_go[2];

ssize_t __real_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at);

static void (*_Atomic before_read)(void); // called by the engine's thread, if set

ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at)
{
    struct stat st;
    char byte;
    void (*call)(void) = atomic_load(&before_read);
    if (call)
        call();
    if (fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && read(let_go[0], &byte, 1) != 1)
        return -1;
    return __real_pread(fd, buf, n, at);
}

START_TEST(an_owner_whose_memory_hangs_costs_only_its_importers)
{
    struct qp_client stuck, good;
    struct qp_completion c;
    setup();
    ck_assert_int_eq(pipe(let_go), 0);
    int own = memory_fd, hanging = open("/dev/zero", O_RDWR | O_CLOEXEC);
    open_queue_pair(&stuck);
    open_queue_pair(&good);
    uint32_t key = grant(owned, 100, true);
    memory_fd = hanging;
    uint32_t hanging_key = grant(owned, 100, false);
    memory_fd = own;
    struct qp_request hang = {(uintptr_t)owned, 8, hanging_key, 0, 0, QP_READ, 0};
    ck_assert(qp_post(&stuck, &hang));
    qp_ring(&stuck);

    struct qp_request r = {(uintptr_t)owned, 6, key, 0, 77, QP_READ, 0};
    for (int i = 0; i < 10; i++) {
        ck_assert(qp_post(&good, &r));
        qp_ring(&good);
        while (!qp_poll(&good, &c)) // the loop runs meanwhile, and the watchdog in it
            event_base_loop(base, EVLOOP_NONBLOCK);
        ck_assert_uint_eq(c.status, DOCA_SUCCESS);
    }
    ck_assert(!qp_poll(&stuck, &c));

    int dropped = 0;
    engine_grant_drop(importer, hanging_key, DOCA_ERROR_NOT_PERMITTED, count_call, &dropped);
    for (int i = 0; i < 10; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
    ck_assert_int_eq(dropped, 0); // a copy through it is under way
    ck_assert_int_eq(write(let_go[1], "", 1), 1);
    run_loop_until(&dropped, 1);
    ck_assert_uint_eq(wait_completion(&stuck).status, DOCA_SUCCESS);
    qp_client_fini(&stuck);
    qp_client_fini(&good);
    close(hanging);
    teardown();
}
END_TEST

// More requests that hang than the engine has threads for in the end: those behind the
// first few fail, and other users' go on.
START_TEST(an_owner_cannot_make_every_thread_hang)
{
    enum { MANY = 40 };
    static struct qp_client stuck[MANY];
    struct qp_client good;
    struct qp_completion c;
    unsigned failed = 0;
    setup();
    ck_assert_int_eq(pipe(let_go), 0);
    int own = memory_fd, hanging = open("/dev/zero", O_RDWR | O_CLOEXEC);
    memory_fd = hanging;
    for (int i = 0; i < MANY; i++) {
        open_queue_pair(&stuck[i]);
        struct engine_range range = {.memory_fd = hanging,
                                     .owner = (uint64_t)i + 100,
                                     .uid = 4711,
                                     .address = 4096,
                                     .length = 100,
                                     .allowed = 1u << QP_READ};
        uint32_t key;
        ck_assert_int_eq(engine_grant_add(importer, &range, &key), 0);
        struct qp_request hang = {4096, 8, key, 0, 0, QP_READ, 0};
        ck_assert(qp_post(&stuck[i], &hang));
        qp_ring(&stuck[i]);
    }
    memory_fd = own;
    while (failed < MANY - 3) { // the loop runs meanwhile, and the watchdog in it
        event_base_loop(base, EVLOOP_NONBLOCK);
        for (int i = 0; i < MANY; i++) {
            if (qp_poll(&stuck[i], &c)) {
                ck_assert_uint_eq(c.status, DOCA_ERROR_IO_FAILED);
                failed++;
            }
        }
    }
    open_queue_pair(&good);
    struct qp_request r = {(uintptr_t)owned, 6, grant(owned, 100, true), 0, 77, QP_READ, 0};
    ck_assert(qp_post(&good, &r));
    qp_ring(&good);
    while (!qp_poll(&good, &c))
        event_base_loop(base, EVLOOP_NONBLOCK);
    ck_assert_uint_eq(c.status, DOCA_SUCCESS);
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(write(let_go[1], "", 1), 1);
    for (int i = 0; i < MANY; i++)
        qp_client_fini(&stuck[i]);
    qp_client_fini(&good);
    close(hanging);
    teardown();
}
END_TEST

// ---- fairness: what the engine reads, in the order in which it does -----------------------------

#define FLOODERS 8 // queue pairs of one client

static struct flood {
    struct qp_client flooders[FLOODERS], other;
    struct qp_request flood, rare; // rare ones are of another client
    unsigned reads, posted_at, waited;
    bool waiting;
    unsigned rounds, worst;
} flood;

// Posts as much as there is room for, from the thread that serves it.
static void keep_full(struct qp_client *client)
{
    struct qp_completion c;
    while (qp_poll(client, &c))
        ck_assert_uint_eq(c.status, DOCA_SUCCESS);
    while (qp_post(client, &flood.flood))
        ;
    qp_ring(client);
}

static void on_read(void)
{
    struct qp_completion c;
    flood.reads++;
    if (flood.rounds == 100)
        return;
    for (int i = 0; i < FLOODERS; i++)
        keep_full(&flood.flooders[i]);
    if (flood.waiting && qp_poll(&flood.other, &c)) {
        ck_assert_uint_eq(c.status, DOCA_SUCCESS);
        // This read comes after the completion and is not counted.
        unsigned waited = flood.reads - 1 - flood.posted_at;
        if (waited > flood.worst)
            flood.worst = waited;
        flood.waiting = false;
        flood.rounds++;
    }
    if (!flood.waiting && flood.reads % 7 == 0) {
        flood.posted_at = flood.reads;
        flood.waiting = true;
        ck_assert(qp_post(&flood.other, &flood.rare));
        qp_ring(&flood.other);
    }
}

// The flood comes from one client, or from a client for each of its queue pairs, who may be
// users of a node; the rare requests from another client, which may be another user's.
static void flood_with(uint32_t length, bool many, const uint8_t *node, uid_t rare_user,
                       unsigned bound)
{
    struct engine_importer *flooding[FLOODERS], *other;
    struct engine_queue_pair *qps[FLOODERS + 1];
    struct qp_client starter;
    struct engine_stats stats;
    setup();
    flooding[0] = importer;
    ck_assert_int_eq(engine_importer_new(&other, engine, rare_user, NULL), 0);
    flood = (struct flood){
        .flood = {(uintptr_t)owned, length, grant(owned, sizeof(owned), false), 0, 0, QP_READ, 0}};
    for (int i = 0; i < FLOODERS; i++) {
        if (many && i > 0) { // the first grant of each has the same key
            ck_assert_int_eq(engine_importer_new(&flooding[i], engine, USER + (node ? i : 0), node),
                             0);
            importer = flooding[i];
            ck_assert_uint_eq(grant(owned, sizeof(owned), false), flood.flood.key);
        }
        qps[i] = open_queue_pair(&flood.flooders[i]);
    }
    importer = other;
    flood.rare = (struct qp_request){(uintptr_t)owned, 8, grant(owned, sizeof(owned), false), 0, 0,
                                     QP_READ,          0};
    qps[FLOODERS] = open_queue_pair(&flood.other);
    importer = flooding[0];
    // One is enough to set it off; from then on the engine's thread does it.
    open_queue_pair(&starter);
    ck_assert(qp_post(&starter, &flood.flood));
    atomic_store(&before_read, on_read);
    qp_ring(&starter);
    do {
        engine_queue_pair_stats(qps[FLOODERS], &stats);
        sched_yield();
    } while (stats.requests < 100);
    uint64_t sum = 0, least = UINT64_MAX;
    for (int i = 0; i < FLOODERS; i++) {
        engine_queue_pair_stats(qps[i], &stats);
        sum += stats.requests;
        least = stats.requests < least ? stats.requests : least;
    }
    engine_importer_free(other, NULL, NULL);
    for (int i = 1; many && i < FLOODERS; i++)
        engine_importer_free(flooding[i], NULL, NULL);
    teardown(); // the thread has ended: what it wrote may be read
    atomic_store(&before_read, NULL);
    qp_client_fini(&starter);
    // Up to 16 until its doorbell is looked at, the rest of a turn, a turn, and its own.
    ck_assert_uint_le(flood.worst, bound);
    ck_assert_uint_gt(least, sum / FLOODERS / 2); // also among themselves
    for (int i = 0; i < FLOODERS; i++)
        qp_client_fini(&flood.flooders[i]);
    qp_client_fini(&flood.other);
}

START_TEST(a_client_that_floods_does_not_starve_another)
{
    flood_with(8, false, NULL, USER, 33);
}
END_TEST

START_TEST(nor_with_large_requests)
{
    flood_with(QP_CHUNK_SIZE, false, NULL, USER, 19);
}
END_TEST

START_TEST(a_user_that_floods_from_many_clients_does_not_starve_another)
{
    flood_with(8, true, NULL, OTHER, 33);
}
END_TEST

// And a turn of the user of this machine who floods beside them.
START_TEST(a_node_that_names_many_users_does_not_starve_those_here)
{
    static const uint8_t node[NODE_ID_SIZE] = {1};
    flood_with(8, true, node, FLOODERS + USER, 33 + 8);
}
END_TEST

// ---- options --------------------------------------------------------------------------------

START_TEST(threads_are_where_they_were_told)
{
    struct engine_options options = ENGINE_OPTIONS_DEFAULT;
    struct engine *pinned = NULL;
    base = event_base_new();
    options.threads = 3;
    options.pinned = true;
    cpu_set_t mine, seen, all;
    ck_assert_int_eq(sched_getaffinity(0, sizeof(mine), &mine), 0);
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &mine))
        last--;
    CPU_ZERO(&options.cpus);
    CPU_SET(last, &options.cpus);
    ck_assert_int_eq(engine_new(&pinned, base, &options), 0);
    unsigned threads = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *e; (e = readdir(dir));) {
        pid_t tid = atoi(e->d_name);
        if (tid == 0 || tid == getpid() || sched_getaffinity(tid, sizeof(seen), &seen) != 0)
            continue;
        CPU_AND(&all, &seen, &options.cpus);
        threads += CPU_COUNT(&seen) == 1 && CPU_EQUAL(&all, &options.cpus);
    }
    closedir(dir);
    ck_assert_uint_eq(threads, 3);
    engine_free(pinned);
    // A CPU that is not there is an error, and no thread is left.
    CPU_ZERO(&options.cpus);
    CPU_SET(CPU_SETSIZE - 1, &options.cpus);
    pinned = NULL;
    ck_assert_int_eq(engine_new(&pinned, base, &options), -EINVAL);
    ck_assert_ptr_null(pinned);
    event_base_free(base);
}
END_TEST

// CPU time of the thread that serves, in nanoseconds.
static unsigned long long engine_time(void)
{
    unsigned long long time = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *e; (e = readdir(dir));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
        cleanup_file FILE *comm = fopen(path, "re");
        if (!comm || !fgets(name, sizeof(name), comm) || strcmp(name, "docad-engine\n") != 0)
            continue;
        snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", e->d_name);
        cleanup_file FILE *stat = fopen(path, "re");
        ck_assert(stat && fscanf(stat, "%llu", &time) == 1);
    }
    closedir(dir);
    ck_assert_uint_gt(time, 0);
    return time;
}

// The engine sleeps, and so does the loop: no event is pending that would wake it.
START_TEST(idle_costs_nothing)
{
    struct qp_client client;
    setup();
    open_queue_pair(&client);
    struct qp_request r = {(uintptr_t)owned, 6, grant(owned, 100, true), 0, 0, QP_READ, 0};
    ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    // Without events left (the one for callbacks has no timer) this would not return
    // from waiting, so each turn is for a timer, of which there is an end.
    while (event_base_get_num_events(base, EVENT_BASE_COUNT_ADDED) > 1)
        event_base_loop(base, EVLOOP_ONCE);
    unsigned long long before, after = engine_time();
    do { // it may be on its way to sleep
        before = after;
        for (volatile unsigned i = 0; i < 50000000; i++)
            ;
        after = engine_time();
    } while (before != after);
    ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    qp_client_fini(&client);
    teardown();
}
END_TEST

UNIT_MAIN("engine", reads_and_writes_to_the_byte, a_request_outside_its_grant_is_refused,
          places_of_grants, another_importers_key_is_no_use,
          a_dropped_grant_fails_with_its_error_and_its_key_stays_dead,
          a_grant_that_is_held_ends_after_the_hold, memory_that_has_gone_is_an_error,
          an_owner_that_ended_is_a_reset, a_broken_ring_is_reported_once_and_harms_nobody,
          queue_pairs_and_importers_may_end_with_requests_under_way,
          an_owner_whose_memory_hangs_costs_only_its_importers,
          an_owner_cannot_make_every_thread_hang, a_client_that_floods_does_not_starve_another,
          nor_with_large_requests, a_user_that_floods_from_many_clients_does_not_starve_another,
          a_node_that_names_many_users_does_not_starve_those_here, threads_are_where_they_were_told,
          idle_costs_nothing)
