// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A docad that may open nothing more, while others send it descriptors: the request fails that
// they belong to, and neither the link nor the session ends.

#include "client.h"

#include "child.h"
#include "nodes.h"
#include "run.h"

#include <string.h>
#include <sys/resource.h>

#define MEMORY_SIZE 65536u

// Lets docad open nothing more until the child has tried what fails then. What is open stays open.
static void fill_up_for(const struct daemon *daemon, struct child *child)
{
    struct rlimit before;
    child_wait(child, "begins");
    ck_assert_int_eq(prlimit(daemon->pid, RLIMIT_NOFILE, NULL, &before), 0);
    const struct rlimit none = {0, before.rlim_max};
    ck_assert_int_eq(prlimit(daemon->pid, RLIMIT_NOFILE, &none, NULL), 0);
    child_tell(child, "full");
    child_wait(child, "tried");
    ck_assert_int_eq(prlimit(daemon->pid, RLIMIT_NOFILE, &before, NULL), 0);
    child_tell(child, "room");
    child_join(child);
}

// ---- a linked node answers ------------------------------------------------------------------

struct handout {
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t size;
};

static int exports(struct child *self, void *arg)
{
    struct exporter e;
    struct handout out;
    (void)arg;
    exporter_start(&e, HOST_PF0, pages_new(MEMORY_SIZE), MEMORY_SIZE, DOCA_ACCESS_DPU_READ_ONLY);
    out.size = e.desc_len;
    memcpy(out.desc, e.desc, e.desc_len);
    child_send(self, &out, sizeof(out));
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

// Imports end with the link.
static int imports(struct child *self, void *arg)
{
    const struct handout *given = arg;
    struct doca_mmap *map;
    struct copier c;
    copier_start(&c, DPU_P0, MEMORY_SIZE);
    copier_import(&c, given->desc, given->size);
    child_tell(self, "begins");
    child_wait(self, "full");
    for (int i = 0; i < 3; i++)
        ck_assert_error(doca_mmap_create_from_export(NULL, given->desc, given->size, c.dev, &map),
                        DOCA_ERROR_NO_MEMORY);
    child_tell(self, "tried");
    child_wait(self, "room");
    ck_assert_success(copier_read(&c, 0, MEMORY_SIZE));
    ck_assert_success(doca_mmap_create_from_export(NULL, given->desc, given->size, c.dev, &map));
    ck_assert_success(doca_mmap_destroy(map));
    copier_stop(&c);
    return 0;
}

START_TEST(imports_fail_alone)
{
    struct handout given;
    struct child *exporter = child_start(nodes.host, "exporter", exports, NULL);
    ck_assert_uint_eq(child_receive(exporter, &given, sizeof(given)), sizeof(given));
    fill_up_for(nodes.dpu, child_start(nodes.dpu, "importer", imports, &given));
    assert_baseline(nodes.dpu);
    child_tell(exporter, "end");
    child_join(exporter);
    assert_baseline(nodes.host); // nothing is left of what was not taken
}
END_TEST

// ---- a program asks ---------------------------------------------------------------------------

static int registers(struct child *self, void *arg)
{
    struct exporter e;
    struct doca_mmap *map;
    (void)arg;
    exporter_start(&e, HOST_PF0, pages_new(MEMORY_SIZE), MEMORY_SIZE, DOCA_ACCESS_DPU_READ_ONLY);
    ck_assert_success(doca_mmap_create(NULL, &map));
    ck_assert_success(doca_mmap_dev_add(map, e.dev));
    ck_assert_success(doca_mmap_set_permissions(map, DOCA_ACCESS_DPU_READ_ONLY));
    ck_assert_success(doca_mmap_set_memrange(map, pages_new(MEMORY_SIZE), MEMORY_SIZE));
    child_tell(self, "begins");
    child_wait(self, "full");
    for (int i = 0; i < 3; i++)
        ck_assert_error(doca_mmap_start(map), DOCA_ERROR_NO_MEMORY);
    child_tell(self, "tried");
    child_wait(self, "room");
    ck_assert_success(doca_mmap_start(map));
    ck_assert_success(doca_mmap_destroy(map));
    exporter_stop(&e); // which its session still has
    return 0;
}

START_TEST(registrations_fail_alone)
{
    fill_up_for(nodes.host, child_start(nodes.host, "registers", registers, NULL));
    assert_baseline(nodes.host);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("no_room");
    TCase *tcase = tcase_create("no_room");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_test(tcase, imports_fail_alone);
    tcase_add_test(tcase, registrations_fail_alone);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
