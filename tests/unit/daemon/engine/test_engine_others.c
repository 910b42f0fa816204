// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What other users have in the engine takes no steps for a user: grants of memory of many owners,
// and queue pairs.

#include "engine_owned.h"
#include "touched.h"
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#define OWNERS      600u
#define FEW         60u // a tree of OWNERS is some 25 deep
#define QUEUE_PAIRS 20

static bool paged;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    return paged && n == 1 && size >= 48 ? touched_new() : __real_calloc(n, size);
}

static uint32_t grant_of(struct engine_importer *to, uint64_t owner)
{
    const struct engine_range range = {.owner_memory = owner_memory,
                                       .owner = owner,
                                       .uid = OTHER,
                                       .address = (uintptr_t)owned,
                                       .length = sizeof(owned),
                                       .allowed = 1u << QP_READ};
    uint32_t key;
    ck_assert_int_eq(engine_grant_add(to, &range, &key), 0);
    return key;
}

START_TEST(grants_touch_few_owners_of_others)
{
    struct engine_importer *mallory = importer_new(OTHER);
    uint32_t keys[OWNERS];
    grant_of(importer, 7); // which has room for more
    paged = true;
    for (uint32_t i = 0; i < OWNERS; i++)
        keys[i] = grant_of(mallory, 1000 + i);
    paged = false;
    touched_begin();
    grant_of(importer, 1);
    grant_of(importer, 1000 + OWNERS);
    grant_of(importer, 7);
    ck_assert_uint_le(touched_end(), FEW);
    for (uint32_t i = 0; i < OWNERS; i++)
        engine_grant_drop(mallory, keys[i], 1, NULL, NULL);
    importers_end(&mallory, 1);
}
END_TEST

static uint64_t waiting(void)
{
    struct engine_totals totals;
    engine_totals(engine, &totals);
    return totals.waiting;
}

// The number of requests that wait is that of the queue pairs when the engine saw them last.
START_TEST(what_waits_is_counted_as_it_is_seen)
{
    struct qp_client clients[QUEUE_PAIRS];
    struct engine_queue_pair *pairs[QUEUE_PAIRS];
    const uint32_t key = grant(owned, sizeof(owned), false);
    for (int round = 0; round < 2; round++) { // the second time at places that were given back
        for (int i = 0; i < QUEUE_PAIRS; i++)
            pairs[i] = open_queue_pair(&clients[i]);
        for (int i = 0; i < QUEUE_PAIRS; i++)
            ck_assert_uint_eq(run(&clients[i], (struct qp_request){.address = (uintptr_t)owned,
                                                                   .length = 8,
                                                                   .key = key,
                                                                   .opcode = QP_READ}),
                              0);
        for (int i = 0; i < 10000 && waiting() > 0; i++)
            usleep(100); // the engine has not looked at the last one again
        ck_assert_uint_eq(waiting(), 0);
        for (int i = 0; i < QUEUE_PAIRS; i++) {
            // It ends with a request that was not taken, or while it is being served.
            qp_post(&clients[i],
                    &(struct qp_request){
                        .address = (uintptr_t)owned, .length = 8, .key = key, .opcode = QP_READ});
            qp_ring(&clients[i]);
            engine_queue_pair_drop(pairs[i]);
            qp_client_fini(&clients[i]);
        }
        ck_assert_uint_eq(waiting(), 0);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("engine others");
    tcase_add_checked_fixture(tcase, owned_setup, owned_teardown);
    tcase_add_test(tcase, grants_touch_few_owners_of_others);
    tcase_add_test(tcase, what_waits_is_counted_as_it_is_seen);
    return unit_run_case("engine others", tcase);
}
