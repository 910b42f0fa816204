// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Imported memory maps: what an importer gets, what is refused, and how an import ends
// with what it imports; and descriptors that docad carries by name.

#include "child.h"
#include "client.h"
#include "daemon.h"
#include "deadline.h"
#include "mmap/memory.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OK(call)            ck_assert_int_eq((call), DOCA_SUCCESS)
#define REFUSED(code, call) ck_assert_int_eq((call), (code))
#define BAD                 DOCA_ERROR_INVALID_VALUE

// ---- imports ------------------------------------------------------------------------

#define SHARED_SIZE (20 * 4096)

struct owner {
    uint32_t access;
    const char *pci;
};

// The host's side: exports a range, sends the descriptor, then does as it is told.
static int owner(struct child *self, void *arg)
{
    const struct owner *o = arg;
    uint8_t *block = malloc(SHARED_SIZE + 64), *p = block + 17; // not whole pages
    struct exporter e;
    for (size_t i = 0; i < SHARED_SIZE; i++)
        p[i] = (uint8_t)(i * 7);
    exporter_start(&e, o->pci, p, SHARED_SIZE, o->access);
    child_send(self, e.desc, e.desc_len);
    child_wait(self, "stop");
    OK(doca_mmap_stop(e.mmap));
    child_tell(self, "stopped");
    child_wait(self, "end");
    exporter_stop(&e);
    free(block);
    return 0;
}

static const struct memory_part *part_of(const struct memory *m, size_t at)
{
    for (size_t i = 0; i < m->n_parts; i++)
        if (m->start + at - m->parts[i].start < m->parts[i].length)
            return &m->parts[i];
    ck_abort_msg("byte %zu is nowhere", at);
}

// Checks that all of an imported map except its ends is mapped here, as the owner has filled it.
static void check_bytes(const struct memory *m)
{
    size_t here = 0;
    for (size_t i = 0; i < m->n_parts; i++) {
        const struct memory_part *part = &m->parts[i];
        if (!part->local)
            continue;
        for (size_t k = 0; k < part->length; k++)
            if (part->local[k] != (uint8_t)((part->start - m->start + k) * 7))
                ck_abort_msg("byte %zu of part %zu differs", k, i);
        here += part->length;
    }
    ck_assert_uint_ge(here, SHARED_SIZE - 2 * 4096);
}

static void assert_not_writable(uint8_t *byte)
{
    void *page = (void *)((uintptr_t)byte & ~4095ul);
    ck_assert_int_ne(mprotect(page, 4096, PROT_READ | PROT_WRITE), 0);
}

static void never(void *address, size_t length, void *opaque)
{
    (void)address;
    (void)length;
    (void)opaque;
    ck_abort_msg("the free callback was called");
}

// Calls that imported maps do not permit.
static void refuse_changes(struct doca_mmap *mmap, struct doca_dev *dev, struct doca_dev *other)
{
    char byte;
    const void *blob;
    size_t length;
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_start(mmap));
    OK(doca_mmap_stop(mmap));
    OK(doca_mmap_stop(mmap));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_memrange(mmap, &byte, 1));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_add(mmap, other));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_dev_rm(mmap, dev));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_mmap_set_permissions(mmap, 0));
    REFUSED(DOCA_ERROR_BAD_STATE, doca_mmap_set_free_cb(mmap, never, NULL));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_set_max_num_devices(mmap, 3));
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_export_dpu(mmap, dev, &blob, &length));
}

static bool is_live(const struct memory *m)
{
    return state_table_read(m->table, m->slot, m->import_id) == SLOT_LIVE;
}

static void wait_owner_gone(const struct memory *m)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (is_live(m))
        ck_assert(deadline_pause(deadline));
    ck_assert_int_eq(state_table_read(m->table, m->slot, m->import_id), SLOT_OWNER_GONE);
}

START_TEST(import)
{
    const bool write = _i;
    struct node_pair pair = node_pair_start();
    struct owner o = {write ? DOCA_ACCESS_DPU_READ_WRITE : DOCA_ACCESS_DPU_READ_ONLY, "0b:00.2"};
    struct child *child = child_start(pair.host, "owner", owner, &o);
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE], flag;
    size_t size = child_receive(child, desc, sizeof(desc)), length;
    struct doca_mmap *mmap, *second, *none = (void *)1;
    union doca_data data = {.u64 = 42};
    void *address;
    daemon_use(pair.dpu);
    struct doca_dev *p0 = client_open(DPU_P0), *p1 = client_open(DPU_P1);

    REFUSED(DOCA_ERROR_NOT_SUPPORTED, doca_mmap_create_from_export(NULL, desc, size, p1, &none));
    ck_assert_ptr_eq(none, (void *)1);
    OK(doca_mmap_create_from_export(&data, desc, size, p0, &mmap));
    OK(doca_mmap_create_from_export(NULL, desc, size, p0, &second));
    memset(desc, 0, sizeof(desc));
    OK(doca_mmap_get_memrange(mmap, &address, &length));
    ck_assert_uint_eq(length, SHARED_SIZE);
    OK(doca_mmap_get_user_data(mmap, &data));
    ck_assert_uint_eq(data.u64, 42);
    OK(doca_mmap_get_from_export(mmap, &flag));
    ck_assert_uint_eq(flag, 1);
    ck_assert(mmap_usable(mmap));
    ck_assert(mmap_has_device(mmap, p0));
    ck_assert(!mmap_has_device(mmap, p1));

    const struct memory *m = mmap_memory(mmap);
    ck_assert(m->imported);
    ck_assert_uint_eq(m->access, o.access);
    ck_assert_uint_eq(m->start, (uintptr_t)address);
    ck_assert(is_live(m));
    ck_assert_ptr_nonnull(m->broker); // for the ends
    check_bytes(m);
    uint8_t *middle = part_of(m, SHARED_SIZE / 2)->local;
    if (write)
        middle[0] = 0xee;
    else
        assert_not_writable(middle);
    refuse_changes(mmap, p0, p1);

    // A release of one leaves the other; the owner's stop ends it.
    OK(doca_mmap_destroy(second));
    ck_assert(is_live(m));
    OK(doca_dev_close(p0));
    child_tell(child, "stop");
    child_wait(child, "stopped");
    wait_owner_gone(m);
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(p1));
    child_tell(child, "end");
    child_join(child);
    assert_baseline(pair.dpu);
    assert_baseline(pair.host);
}
END_TEST

START_TEST(import_refused)
{
    struct node_pair pair = node_pair_start();
    struct owner o = {DOCA_ACCESS_DPU_READ_ONLY, "0b:00.0"};
    struct child *child = child_start(pair.host, "owner", owner, &o);
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE + 8] = {0};
    size_t size = child_receive(child, desc, DOCAD_EXPORT_DESC_SIZE);
    struct doca_mmap *none = (void *)1, *mmap;
    daemon_use(pair.dpu);
    struct doca_dev *p0 = client_open(DPU_P0);

    for (size_t n = 1; n < size; n++)
        REFUSED(BAD, doca_mmap_create_from_export(NULL, desc, n, p0, &none));
    REFUSED(BAD, doca_mmap_create_from_export(NULL, desc, DOCAD_EXPORT_DESC_SIZE + 1, p0, &none));
    for (size_t i = 0; i < size; i++) {
        desc[i] ^= 0x40;
        doca_error_t e = doca_mmap_create_from_export(NULL, desc, size, p0, &none);
        ck_assert(e == BAD || e == DOCA_ERROR_UNSUPPORTED_VERSION);
        desc[i] ^= 0x40;
    }
    ck_assert_ptr_eq(none, (void *)1);

    // After its owner has gone it cannot be used, and its calls say so.
    OK(doca_mmap_create_from_export(NULL, desc, size, p0, &mmap));
    child_tell(child, "stop");
    child_wait(child, "stopped");
    REFUSED(DOCA_ERROR_NOT_PERMITTED, doca_mmap_create_from_export(NULL, desc, size, p0, &none));
    child_tell(child, "end");
    child_join(child);
    daemon_stop(pair.host);
    daemon_wait_links(pair.dpu, 0);
    REFUSED(DOCA_ERROR_DRIVER, doca_mmap_create_from_export(NULL, desc, size, p0, &none));
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(p0));
    assert_baseline(pair.dpu);
}
END_TEST

START_TEST(owner_killed)
{
    struct node_pair pair = node_pair_start();
    struct owner o = {DOCA_ACCESS_DPU_READ_WRITE, "0b:00.4"};
    struct child *child = child_start(pair.host, "owner", owner, &o);
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    size_t size = child_receive(child, desc, sizeof(desc));
    struct doca_mmap *mmap;
    daemon_use(pair.dpu);
    struct doca_dev *p1 = client_open(DPU_P1);
    OK(doca_mmap_create_from_export(NULL, desc, size, p1, &mmap));
    const struct memory *m = mmap_memory(mmap);
    child_kill(child);
    wait_owner_gone(m);
    // The bytes stay mapped until the map goes: nothing faults.
    ck_assert_uint_eq(part_of(m, 8192)->local[0] & 0, 0);
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(p1));
    assert_baseline(pair.dpu);
    assert_baseline(pair.host);
}
END_TEST

// ---- names --------------------------------------------------------------------------

static int publisher(struct child *self, void *arg)
{
    (void)arg;
    char text[64] = "published";
    struct exporter e;
    exporter_start(&e, HOST_PF0, text, sizeof(text), DOCA_ACCESS_DPU_READ_ONLY);
    child_wait(self, "publish");
    OK(docad_export_publish("a-name", e.desc, e.desc_len));
    REFUSED(DOCA_ERROR_ALREADY_EXIST, docad_export_publish("a-name", e.desc, e.desc_len));
    OK(docad_export_publish("another", e.desc, e.desc_len));
    OK(docad_export_unpublish("another"));
    REFUSED(DOCA_ERROR_NOT_FOUND, docad_export_unpublish("another"));
    REFUSED(BAD, docad_export_publish("bad", "xyz", 3));
    child_send(self, e.desc, e.desc_len);
    child_wait(self, "stop");
    exporter_stop(&e);
    child_tell(self, "stopped");
    return 0;
}

START_TEST(names)
{
    struct node_pair pair = node_pair_start();
    struct child *child = child_start(pair.host, "publisher", publisher, NULL);
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE], found[DOCAD_EXPORT_DESC_SIZE];
    size_t size, room = sizeof(found);
    char name[DOCAD_NAME_LENGTH_MAX + 2];
    daemon_use(pair.dpu);
    memset(name, 'n', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    REFUSED(BAD, docad_export_lookup(NULL, 0, found, &room));
    REFUSED(BAD, docad_export_lookup("a-name", 0, NULL, &room));
    REFUSED(BAD, docad_export_lookup("a-name", 0, found, NULL));
    REFUSED(BAD, docad_export_lookup("", 0, found, &room));
    REFUSED(BAD, docad_export_lookup(name, 0, found, &room));
    REFUSED(BAD, docad_export_publish("a-name", NULL, 3));
    REFUSED(BAD, docad_export_unpublish(NULL));
    REFUSED(DOCA_ERROR_NOT_FOUND, docad_export_lookup("a-name", 0, found, &room));
    REFUSED(DOCA_ERROR_TIME_OUT, docad_export_lookup("a-name", 50, found, &room));
    ck_assert_uint_eq(room, sizeof(found));

    child_tell(child, "publish");
    OK(docad_export_lookup("a-name", HARNESS_LIMIT_MS, found, &room));
    size = child_receive(child, desc, sizeof(desc));
    ck_assert_uint_eq(size, room);
    ck_assert_mem_eq(desc, found, size);
    room = size - 1;
    REFUSED(BAD, docad_export_lookup("a-name", 0, found, &room));
    ck_assert_uint_eq(room, size - 1);
    room = sizeof(found);

    struct doca_dev *p0 = client_open(DPU_P0);
    struct doca_mmap *mmap;
    OK(doca_mmap_create_from_export(NULL, found, size, p0, &mmap));
    // Six dozen bytes on a stack: all of it through the engine.
    ck_assert_ptr_null(mmap_memory(mmap)->parts[0].local);
    OK(doca_mmap_destroy(mmap));
    OK(doca_dev_close(p0));

    child_tell(child, "stop");
    child_wait(child, "stopped");
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    while (docad_export_lookup("a-name", 0, found, &room) == DOCA_SUCCESS)
        ck_assert(deadline_pause(deadline));
    child_join(child);
    assert_baseline(pair.host);
    assert_baseline(pair.dpu);
}
END_TEST
int main(void)
{
    Suite *suite = suite_create("mmap_import");
    TCase *tcase = tcase_create("mmap_import");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, import, 0, 2);
    tcase_add_test(tcase, import_refused);
    tcase_add_test(tcase, owner_killed);
    tcase_add_test(tcase, names);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
