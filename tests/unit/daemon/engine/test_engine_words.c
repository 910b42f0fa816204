// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The engine's atomic operations, and which operations a grant allows.

#include "cleanup.h"
#include "engine_rig.h"
#include "unit.h"
#include "shared_file.h"

#include <doca_error.h>

#include <fcntl.h>
#include <sched.h>
#include <string.h>

#define IMPORTERS    3
#define EVERY_OPCODE (1u << QP_READ | 1u << QP_WRITE | 1u << QP_FETCH_ADD | 1u << QP_CMP_SWP)

static struct engine_importer *importers[IMPORTERS];
static struct qp_client clients[IMPORTERS];
static struct shared_fd *owner_memory;
static uint64_t words[8] __attribute__((aligned(64)));

static void setup(void)
{
    rig_start();
    owner_memory = shared_file("/proc/self/mem");
    for (int i = 0; i < IMPORTERS; i++) {
        importers[i] = importer_new(1000 + (uid_t)i);
        importer_open(importers[i], &clients[i]);
    }
    for (uint64_t i = 0; i < ARRAY_SIZE(words); i++)
        words[i] = i << 32 | 1;
}

static void teardown(void)
{
    for (int i = 0; i < IMPORTERS; i++)
        qp_client_fini(&clients[i]);
    importers_end(importers, IMPORTERS);
    rig_stop();
    shared_fd_unref(owner_memory);
}

// With `any_word`, also of words that are not aligned.
static uint32_t grant_words(int importer, uint32_t allowed, bool any_word)
{
    struct engine_range range = {.owner_memory = owner_memory,
                                 .owner = 1,
                                 .address = (uintptr_t)words,
                                 .length = sizeof(words),
                                 .allowed = allowed,
                                 .any_word = any_word};
    uint32_t key;
    ck_assert_int_eq(engine_grant_add(importers[importer], &range, &key), 0);
    return key;
}

static uint32_t grant(int importer, uint32_t allowed)
{
    return grant_words(importer, allowed, false);
}

static uint32_t run(int importer, struct qp_request r)
{
    struct qp_completion c;
    ck_assert(qp_post(&clients[importer], &r));
    qp_ring(&clients[importer]);
    while (!qp_poll(&clients[importer], &c))
        sched_yield();
    return c.status;
}

static struct qp_request word_request(enum qp_opcode opcode, unsigned word, uint32_t key)
{
    return (struct qp_request){
        .address = (uintptr_t)&words[word], .length = 8, .key = key, .opcode = (uint16_t)opcode};
}

static uint32_t change(enum qp_opcode opcode, unsigned word, uint32_t key, uint64_t operand,
                       uint64_t compare, uint64_t *before)
{
    struct qp_atomic *data = (struct qp_atomic *)(void *)clients[0].shared->data[0];
    *data = (struct qp_atomic){.operand = operand, .compare = compare};
    uint32_t status = run(0, word_request(opcode, word, key));
    memcpy(before, data, sizeof(*before));
    return status;
}

START_TEST(words_change_and_their_neighbours_do_not)
{
    uint64_t before;
    setup();
    uint32_t key = grant(0, EVERY_OPCODE);
    ck_assert_uint_eq(change(QP_FETCH_ADD, 3, key, 5, 99, &before), DOCA_SUCCESS);
    ck_assert_uint_eq(before, 3ull << 32 | 1);
    ck_assert_uint_eq(words[3], 3ull << 32 | 6);
    ck_assert_uint_eq(change(QP_FETCH_ADD, 3, key, UINT64_MAX, 0, &before), DOCA_SUCCESS);
    ck_assert_uint_eq(words[3], 3ull << 32 | 5); // it wraps
    ck_assert_uint_eq(change(QP_CMP_SWP, 4, key, 77, 76, &before), DOCA_SUCCESS);
    ck_assert_uint_eq(before, 4ull << 32 | 1); // not equal: as it was
    ck_assert_uint_eq(words[4], 4ull << 32 | 1);
    ck_assert_uint_eq(change(QP_CMP_SWP, 4, key, 77, 4ull << 32 | 1, &before), DOCA_SUCCESS);
    ck_assert_uint_eq(before, 4ull << 32 | 1);
    ck_assert_uint_eq(words[4], 77);
    ck_assert_uint_eq(words[2], 2ull << 32 | 1);
    ck_assert_uint_eq(words[5], 5ull << 32 | 1);
    teardown();
}
END_TEST

START_TEST(what_is_no_word_is_refused)
{
    setup();
    uint32_t key = grant(0, EVERY_OPCODE);
    for (enum qp_opcode opcode = QP_FETCH_ADD; opcode <= QP_CMP_SWP; opcode++) {
        struct qp_request r = word_request(opcode, 1, key);
        for (r.length = 0; r.length <= 16; r.length++)
            ck_assert_uint_eq(run(0, r), r.length == 8 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        r = word_request(opcode, 1, key);
        for (unsigned off = 1; off < 8; off++, r.address++)
            ck_assert_uint_eq(run(0, r), off == 1 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        // Its operands reach over the end of the data area.
        r = word_request(opcode, 1, key);
        r.offset = QP_CHUNKS * QP_CHUNK_SIZE - sizeof(struct qp_atomic);
        ck_assert_uint_eq(run(0, r), DOCA_SUCCESS);
        r.offset += 8;
        ck_assert_uint_eq(run(0, r), DOCA_ERROR_INVALID_VALUE);
        r = word_request(opcode, ARRAY_SIZE(words) - 1, key);
        ck_assert_uint_eq(run(0, r), DOCA_SUCCESS);
        r.address += 8;
        ck_assert_uint_eq(run(0, r), DOCA_ERROR_NOT_PERMITTED);
        r.address = (uintptr_t)words - 8;
        ck_assert_uint_eq(run(0, r), DOCA_ERROR_NOT_PERMITTED);
    }
    teardown();
}
END_TEST

START_TEST(a_grant_allows_what_it_says)
{
    static const uint32_t grants[] = {
        0,
        1u << QP_READ,
        1u << QP_WRITE,
        1u << QP_FETCH_ADD | 1u << QP_CMP_SWP,
        1u << QP_READ | 1u << QP_WRITE,
        EVERY_OPCODE,
    };
    setup();
    for (size_t i = 0; i < ARRAY_SIZE(grants); i++) {
        uint32_t key = grant(0, grants[i]);
        for (enum qp_opcode opcode = QP_READ; opcode <= QP_CMP_SWP; opcode++)
            ck_assert_uint_eq(run(0, word_request(opcode, 0, key)),
                              grants[i] >> opcode & 1 ? DOCA_SUCCESS : DOCA_ERROR_NOT_PERMITTED);
    }
    teardown();
}
END_TEST

static uint64_t word_at(size_t offset)
{
    uint64_t value;
    memcpy(&value, (const uint8_t *)words + offset, sizeof(value));
    return value;
}

// Like in a sync event's grant: at every offset, even across two cache lines, and the bytes on
// both sides stay unchanged.
START_TEST(words_that_are_not_aligned)
{
    uint8_t *bytes = (uint8_t *)words;
    setup();
    uint32_t key = grant_words(0, EVERY_OPCODE, true);
    for (size_t at = 0; at <= sizeof(words) - 8; at++) {
        struct qp_request add = word_request(QP_FETCH_ADD, 0, key), swap = add;
        struct qp_atomic *data = (struct qp_atomic *)(void *)clients[0].shared->data[0];
        uint8_t expected[sizeof(words)];
        add.address = swap.address = (uintptr_t)bytes + at;
        swap.opcode = QP_CMP_SWP;
        for (size_t i = 0; i < sizeof(words); i++)
            expected[i] = bytes[i] = (uint8_t)(0xf0 + i);
        uint64_t before = word_at(at), after = before + 0x0101010101010101;

        *data = (struct qp_atomic){.operand = 0x0101010101010101};
        ck_assert_uint_eq(run(0, add), DOCA_SUCCESS);
        ck_assert_uint_eq(data->operand, before);
        memcpy(expected + at, &after, 8);
        ck_assert_mem_eq(bytes, expected, sizeof(expected));

        *data = (struct qp_atomic){.operand = 77, .compare = before}; // it is not that any more
        ck_assert_uint_eq(run(0, swap), DOCA_SUCCESS);
        ck_assert_uint_eq(data->operand, after);
        ck_assert_mem_eq(bytes, expected, sizeof(expected));

        *data = (struct qp_atomic){.operand = 77, .compare = after};
        ck_assert_uint_eq(run(0, swap), DOCA_SUCCESS);
        ck_assert_uint_eq(data->operand, after);
        ck_assert_uint_eq(word_at(at), 77);
    }
    teardown();
}
END_TEST

// Not aligned is all that such a grant makes possible: its range, its length and what it
// allows hold, and other grants of the same memory know nothing of it.
START_TEST(any_word_is_still_a_word)
{
    setup();
    uint32_t any = grant_words(0, EVERY_OPCODE, true), usual = grant(0, EVERY_OPCODE);
    uint32_t reads = grant_words(0, 1u << QP_READ, true);
    for (enum qp_opcode opcode = QP_FETCH_ADD; opcode <= QP_CMP_SWP; opcode++) {
        struct qp_request r = word_request(opcode, 1, any);
        r.address += 3;
        ck_assert_uint_eq(run(0, r), DOCA_SUCCESS);
        r.key = usual;
        ck_assert_uint_eq(run(0, r), DOCA_ERROR_INVALID_VALUE);
        r.key = reads;
        ck_assert_uint_eq(run(0, r), DOCA_ERROR_NOT_PERMITTED);
        r.key = any;
        for (r.length = 0; r.length <= 16; r.length++)
            ck_assert_uint_eq(run(0, r), r.length == 8 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
        r.length = 8;
        for (unsigned over = 1; over < 8; over++) {
            r.address = (uintptr_t)words - over;
            ck_assert_uint_eq(run(0, r), DOCA_ERROR_NOT_PERMITTED);
            r.address = (uintptr_t)words + sizeof(words) - 8 + over;
            ck_assert_uint_eq(run(0, r), DOCA_ERROR_NOT_PERMITTED);
        }
        r.address = UINT64_MAX - 3;
        ck_assert_uint_eq(run(0, r), DOCA_ERROR_NOT_PERMITTED);
    }
    teardown();
}
END_TEST

// Importers of three users at the same word, each with many requests at a time.
static void add_all(size_t at)
{
    enum { ADDS = 3000, DEPTH = 8 };
    unsigned submitted[IMPORTERS] = {0}, done[IMPORTERS] = {0};
    uint32_t keys[IMPORTERS];
    struct qp_completion c;
    unsigned left = IMPORTERS * ADDS;
    setup();
    memset(words, 0, sizeof(words));
    for (int i = 0; i < IMPORTERS; i++)
        keys[i] = grant_words(i, 1u << QP_FETCH_ADD, at % 8 != 0);
    while (left)
        for (int i = 0; i < IMPORTERS; i++) {
            for (; submitted[i] < ADDS && submitted[i] - done[i] < DEPTH; submitted[i]++) {
                struct qp_request r = word_request(QP_FETCH_ADD, 0, keys[i]);
                r.address += at;
                r.offset = submitted[i] % DEPTH * QP_CHUNK_SIZE;
                *(struct qp_atomic *)(void *)clients[i].shared->data[submitted[i] % DEPTH] =
                    (struct qp_atomic){.operand = 0x100000001};
                ck_assert(qp_post(&clients[i], &r));
            }
            qp_ring(&clients[i]);
            for (; qp_poll(&clients[i], &c); done[i]++, left--)
                ck_assert_uint_eq(c.status, DOCA_SUCCESS);
        }
    ck_assert_uint_eq(word_at(at), 0x100000001ull * IMPORTERS * ADDS);
    teardown();
}

START_TEST(no_addition_is_lost)
{
    add_all(48);
    add_all(45); // nor where the word is not aligned
}
END_TEST

UNIT_MAIN("engine words", words_change_and_their_neighbours_do_not, what_is_no_word_is_refused,
          a_grant_allows_what_it_says, words_that_are_not_aligned, any_word_is_still_a_word,
          no_addition_is_lost)
