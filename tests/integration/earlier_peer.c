// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "earlier_peer.h"

#include "doca_1_3.h"
#include "later_peer.h"

int be_earlier_exporter(struct child *self, void *arg)
{
    uint8_t *memory = malloc(LATER_SIZE), *desc;
    struct doca_dev *dev = open_1_3(arg);
    size_t size;
    for (size_t i = 0; i < LATER_SIZE; i++)
        memory[i] = (uint8_t)(i * 7);
    struct doca_mmap *map = map_1_3(dev, 1, memory, LATER_SIZE);
    ck_assert_success(doca_mmap_export(map, dev, &desc, &size));
    child_send(self, desc, size);
    child_wait(self, "address");
    child_send(self, &memory, sizeof(memory));
    child_wait(self, "check");
    ck_assert_int_eq(memory[1], 'w');
    child_wait(self, "end");
    ck_assert_success(doca_mmap_destroy(map));
    ck_assert_success(doca_dev_close(dev));
    free(desc);
    free(memory);
    return 0;
}

int be_earlier_importer(struct child *self, void *arg)
{
    uint8_t *memory = malloc(LATER_SIZE), *address, desc[1024];
    struct doca_mmap *remote;
    struct rig_1_3 r;
    size_t size = child_receive(self, desc, sizeof(desc));
    child_receive(self, &address, sizeof(address));
    rig_open(&r, arg, 2);
    ck_assert_success(doca_mmap_create_from_export(NULL, desc, size, r.dev, &remote));
    struct doca_mmap *local = map_1_3(r.dev, 1, memory, LATER_SIZE);
    struct doca_buf *from = buf_1_3(&r, remote, address, LATER_SIZE);
    struct doca_buf *to = buf_1_3(&r, local, memory, LATER_SIZE);
    ck_assert_success(copy_1_3(&r, from, to, LATER_SIZE));
    for (size_t i = 0; i < LATER_SIZE; i++)
        ck_assert_msg(memory[i] == (uint8_t)(i * 7), "byte %zu", i);
    memory[1] = 'w';
    ck_assert_success(copy_1_3(&r, to, from, 2));
    child_tell(self, "done");
    ck_assert_success(doca_buf_refcount_rm(from, NULL));
    ck_assert_success(doca_buf_refcount_rm(to, NULL));
    ck_assert_success(doca_mmap_destroy(remote));
    ck_assert_success(doca_mmap_destroy(local));
    rig_close(&r);
    free(memory);
    return 0;
}
