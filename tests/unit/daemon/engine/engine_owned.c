// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "engine_owned.h"

#include <check.h>

struct engine_importer *importer;
struct shared_fd *owner_memory;
char owned[3 * QP_CHUNK_SIZE];

void owned_setup_with(const struct engine_options *options)
{
    rig_start_with(options);
    importer = importer_new(USER);
    owner_memory = shared_file("/proc/self/mem");
    for (size_t i = 0; i < sizeof(owned); i++)
        owned[i] = (char)(i * 7);
}

void owned_setup(void)
{
    owned_setup_with(NULL);
}

void owned_teardown(void)
{
    if (importer)
        importers_end(&importer, 1);
    rig_stop();
    owner_memory = shared_fd_unref(owner_memory);
}

uint32_t grant(const void *address, size_t length, bool writable)
{
    uint32_t key;
    struct engine_range range = {.owner_memory = owner_memory,
                                 .address = (uintptr_t)address,
                                 .length = length,
                                 .allowed = writable ? ~0u : 1u << QP_READ};
    ck_assert_int_eq(engine_grant_add(importer, &range, &key), 0);
    return key;
}

struct engine_queue_pair *open_queue_pair(struct qp_client *client)
{
    return importer_open(importer, client);
}

uint32_t run(struct qp_client *client, struct qp_request r)
{
    static uint32_t tag;
    r.tag = ++tag;
    ck_assert(qp_post(client, &r));
    qp_ring(client);
    struct qp_completion c = wait_completion(client);
    ck_assert_uint_eq(c.tag, tag);
    return c.status;
}
