// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Fairness of the engine: what it reads, in the order in which it does. The linker routes its
// pread() to the one here.

#include "engine_owned.h"
#include "message.h"
#include "unit.h"

#include <doca_error.h>

#include <sched.h>
#include <unistd.h>

ssize_t __real_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at);

static void (*_Atomic before_read)(void); // called by the engine's thread, if set

ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at)
{
    void (*call)(void) = atomic_load(&before_read);
    if (call)
        call();
    return __real_pread(fd, buf, n, at);
}

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
    owned_setup();
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
    owned_teardown(); // the thread has ended: what it wrote may be read
    atomic_store(&before_read, NULL);
    qp_client_fini(&starter);
    // Up to 16 until its doorbell is looked at, or a long one; the rest of a turn, a turn, and its
    // own.
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
    flood_with(QP_CHUNK_SIZE, false, NULL, USER, 3);
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

UNIT_MAIN("engine_floods", a_client_that_floods_does_not_starve_another, nor_with_large_requests,
          a_user_that_floods_from_many_clients_does_not_starve_another,
          a_node_that_names_many_users_does_not_starve_those_here)
