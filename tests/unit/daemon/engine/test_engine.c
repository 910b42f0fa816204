// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The engine against this process's own memory: what it moves, what it refuses, and
// what ends when.

#include "cleanup.h"
#include "engine_owned.h"
#include "unit.h"

#include <doca_error.h>

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

START_TEST(reads_and_writes_to_the_byte)
{
    struct qp_client client;
    owned_setup();
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
    owned_teardown();
}
END_TEST

// Each row differs from a good request in one field.
START_TEST(a_request_outside_its_grant_is_refused)
{
    struct qp_client client;
    struct engine_stats stats;
    owned_setup();
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
    owned_teardown();
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
    owned_setup();
    range = (struct engine_range){.owner_memory = owner_memory,
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
    owned_teardown();
}
END_TEST

START_TEST(another_importers_key_is_no_use)
{
    struct qp_client client;
    struct engine_importer *mine, *other;
    owned_setup();
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
    owned_teardown();
}
END_TEST

START_TEST(a_dropped_grant_fails_with_its_error_and_its_key_stays_dead)
{
    struct qp_client client;
    int dropped = 0;
    owned_setup();
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
    owned_teardown();
}
END_TEST

START_TEST(a_grant_that_is_held_ends_after_the_hold)
{
    struct qp_client client;
    struct engine_hold hold, other;
    struct engine_stats stats;
    int dropped = 0;
    owned_setup();
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
    owned_teardown();
}
END_TEST

START_TEST(memory_that_has_gone_is_an_error)
{
    struct qp_client client;
    owned_setup();
    open_queue_pair(&client);
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t key = grant(page, 4096, true);
    struct qp_request r = {(uintptr_t)page, 6, key, 0, 0, QP_READ, 0};
    ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
    munmap(page, 4096);
    ck_assert_uint_eq(run(&client, r), DOCA_ERROR_IO_FAILED);
    qp_client_fini(&client);
    owned_teardown();
}
END_TEST

START_TEST(an_owner_that_ended_is_a_reset)
{
    struct qp_client client;
    int up[2], down[2];
    char byte;
    ck_assert_int_eq(pipe(up) | pipe(down), 0);
    pid_t child = fork();
    if (child == 0) {
        close(down[1]); // so that the parent's end closes it
        _exit(read(down[0], &byte, 1) == 0 ? 0 : 1);
    }
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)child);
    struct shared_fd *theirs = shared_file(path);
    owned_setup();
    shared_fd_unref(owner_memory);
    owner_memory = theirs;
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
    owned_teardown();
}
END_TEST

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

// However many grants there are, and whoever else has let go of it.
START_TEST(grants_share_their_owners_descriptor)
{
    enum { MANY = 50 };
    struct qp_client client;
    uint32_t keys[MANY];
    int dropped = 0;
    owned_setup();
    open_queue_pair(&client);
    int fd = shared_fd_get(owner_memory);
    int next = dup(0); // the lowest number that is free
    close(next);
    for (int i = 0; i < MANY; i++)
        keys[i] = grant(owned + i, 100, false);
    ck_assert(!is_open(next));
    owner_memory = shared_fd_unref(owner_memory);
    for (int i = 0; i < MANY; i++) {
        struct qp_request r = {(uintptr_t)owned + (unsigned)i, 6, keys[i], 0, 0, QP_READ, 0};
        ck_assert_uint_eq(run(&client, r), DOCA_SUCCESS);
        ck_assert(is_open(fd));
        engine_grant_drop(importer, keys[i], DOCA_ERROR_NOT_PERMITTED, count_call, &dropped);
        run_loop_until(&dropped, i + 1);
    }
    ck_assert(!is_open(fd));
    qp_client_fini(&client);
    owned_teardown();
}
END_TEST

START_TEST(a_broken_ring_is_reported_once_and_harms_nobody)
{
    struct qp_client broken, good;
    struct engine_stats stats;
    int failed = 0;
    owned_setup();
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
    owned_teardown();
}
END_TEST

START_TEST(queue_pairs_and_importers_may_end_with_requests_under_way)
{
    owned_setup();
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
    owned_teardown();
}
END_TEST

UNIT_MAIN("engine", reads_and_writes_to_the_byte, a_request_outside_its_grant_is_refused,
          grants_share_their_owners_descriptor, places_of_grants, another_importers_key_is_no_use,
          a_dropped_grant_fails_with_its_error_and_its_key_stays_dead,
          a_grant_that_is_held_ends_after_the_hold, memory_that_has_gone_is_an_error,
          an_owner_that_ended_is_a_reset, a_broken_ring_is_reported_once_and_harms_nobody,
          queue_pairs_and_importers_may_end_with_requests_under_way)
