// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "later_peer.h"

#include "client.h"

#include <check.h>
#include <doca_types.h>
#include <string.h>

int be_later_exporter(struct child *self, void *arg)
{
    struct exporter e;
    uint8_t *memory = pages_new(LATER_SIZE);
    (void)arg;
    for (size_t i = 0; i < LATER_SIZE; i++)
        memory[i] = (uint8_t)(i * 7);
    exporter_start(&e, HOST_PF0, memory, LATER_SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    child_send(self, e.desc, e.desc_len);
    child_wait(self, "address");
    child_send(self, &memory, sizeof(memory));
    child_wait(self, "check");
    ck_assert_int_eq(memory[1], 'w');
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

int be_later_importer(struct child *self, void *arg)
{
    char text[1024] = {0};
    struct copier c;
    size_t size = child_receive(self, text, sizeof(text));
    copier_start(&c, arg ? arg : DPU_P0, LATER_SIZE);
    copier_import(&c, text, size);
    ck_assert_uint_eq(c.length, LATER_SIZE);
    ck_assert_success(copier_read(&c, 0, LATER_SIZE));
    for (size_t i = 0; i < LATER_SIZE; i++)
        ck_assert_msg(c.memory[i] == (uint8_t)(i * 7), "byte %zu", i);
    c.memory[0] = 'w';
    ck_assert_success(copier_write(&c, 1, 1));
    child_tell(self, "done");
    copier_release(&c);
    copier_stop(&c);
    return 0;
}

int be_later_lookup(struct child *self, void *arg)
{
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t size = sizeof(desc);
    struct copier c;
    copier_start(&c, DPU_P0, LATER_SIZE);
    ck_assert_success(docad_export_lookup(arg, 10000, desc, &size));
    copier_import(&c, desc, size);
    ck_assert_success(copier_read(&c, 0, c.length));
    child_send(self, c.memory, c.length);
    copier_release(&c);
    copier_stop(&c);
    return 0;
}
