// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tasks_2_2.h"

#include "child.h"

#include <check.h>

#define SIZE (256u * 1024)

static uint8_t byte_at(size_t i, unsigned seed)
{
    return (uint8_t)(i * 7 + i / 251 + seed);
}

static void fill(uint8_t *p, unsigned seed)
{
    for (size_t i = 0; i < SIZE; i++)
        p[i] = byte_at(i, seed);
}

static void assert_filled(const uint8_t *p, unsigned seed)
{
    for (size_t i = 0; i < SIZE; i++)
        ck_assert_msg(p[i] == byte_at(i, seed), "byte %zu differs", i);
}

int host_of_2_2(struct child *self, void *arg)
{
    struct exporter e;
    uint8_t *memory = *(bool *)arg ? brokered_memory : pages_new(SIZE);

    fill(memory, 1);
    exporter_start(&e, HOST_PF0, memory, SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    child_send(self, e.desc, e.desc_len);
    child_wait(self, "written");
    assert_filled(memory, 2);
    exporter_stop(&e);
    child_tell(self, "ended");
    return 0;
}

int dpu_of_2_2(struct child *self, void *arg)
{
    struct copier c;
    uint8_t desc[1024];
    (void)arg;

    copier_start(&c, DPU_P0, SIZE);
    size_t len = child_receive(self, desc, sizeof(desc));
    copier_import(&c, desc, len);
    ck_assert_success(copier_read(&c, 0, SIZE));
    assert_filled(c.memory, 1);
    fill(c.memory, 2);
    ck_assert_success(copier_write(&c, 0, SIZE));
    child_tell(self, "written");
    child_wait(self, "ended");
    ck_assert_int_ne(copier_read_until_error(&c), DOCA_SUCCESS);
    copier_release(&c);
    copier_stop(&c);
    return 0;
}
