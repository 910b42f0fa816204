// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors that are not what an exporter gave out, or not for this importer: each is
// refused with its own error, and nothing is left of the attempt.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "export_desc.h"
#include "nodes.h"
#include "request.h"
#include "run.h"

#include <string.h>

#define MEMORY_SIZE 8192u

// ---- the two sides -------------------------------------------------------------------

struct handout {
    uint64_t address;
    size_t length, desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

// Exports pages of bytes 0, 1, 2, ...; hands the descriptor out; ends when told to.
static int host(struct child *self, void *arg)
{
    struct exporter e;
    struct handout out = {.length = MEMORY_SIZE};
    uint8_t *memory = pages_new(MEMORY_SIZE);
    for (size_t i = 0; i < MEMORY_SIZE; i++)
        memory[i] = (uint8_t)i;
    exporter_start(&e, HOST_PF0, memory, MEMORY_SIZE, *(const uint32_t *)arg);
    out.address = (uintptr_t)memory;
    out.desc_len = e.desc_len;
    memcpy(out.desc, e.desc, e.desc_len);
    child_send(self, &out, sizeof(out));
    child_wait(self, "stop");
    exporter_stop(&e);
    child_tell(self, "stopped");
    child_wait(self, "end");
    return 0;
}

static struct child *host_start(const struct daemon *daemon, uint32_t access, struct handout *out)
{
    struct child *child = child_start(daemon, "host", host, &access);
    ck_assert_uint_eq(child_receive(child, out, sizeof(*out)), sizeof(*out));
    return child;
}

static void host_stop(struct child *child)
{
    child_tell(child, "stop");
    child_wait(child, "stopped");
    child_tell(child, "end");
    child_join(child);
}

// The attempts that a DPU program makes with a descriptor.
typedef void (*attempt_fn)(struct copier *c, const struct handout *given);

struct attempt {
    attempt_fn run;
    const char *device;
    struct handout given;
};

static int dpu(struct child *self, void *arg)
{
    const struct attempt *attempt = arg;
    struct copier c;
    (void)self;
    copier_start(&c, attempt->device, MEMORY_SIZE);
    attempt->run(&c, &attempt->given);
    copier_stop(&c);
    return 0;
}

static void attempt_on(const struct daemon *daemon, const char *device, attempt_fn run,
                       const struct handout *given)
{
    struct attempt attempt = {.run = run, .device = device, .given = *given};
    child_join(child_start(daemon, "importer", dpu, &attempt));
}

static void attempt(attempt_fn run, const struct handout *given)
{
    attempt_on(nodes.dpu, DPU_P0, run, given);
}

// No object of the importer is left on either side; the export still exists.
static void assert_only_export_left(void)
{
    struct daemon_counts counts;
    assert_baseline(nodes.dpu);
    daemon_counts(nodes.host, &counts);
    ck_assert_uint_eq(counts.exports, 1);
    ck_assert_uint_eq(counts.queue_pairs, 0);
}

// Tries to import and expects this error; the map must stay untouched.
static void refused(struct copier *c, const void *desc, size_t size, doca_error_t expected)
{
    struct doca_mmap *map = (struct doca_mmap *)c;
    ck_assert_error(doca_mmap_create_from_export(NULL, desc, size, c->dev, &map), expected);
    ck_assert_ptr_eq(map, (struct doca_mmap *)c);
}

static void read_whole(struct copier *c, const struct handout *given)
{
    copier_import(c, given->desc, given->desc_len);
    ck_assert_uint_eq((uintptr_t)c->address, given->address);
    ck_assert_uint_eq(c->length, given->length);
    ck_assert_success(copier_read(c, 0, MEMORY_SIZE));
    for (size_t i = 0; i < MEMORY_SIZE; i++)
        ck_assert_uint_eq(c->memory[i], (uint8_t)i);
}

// ---- altered bytes -----------------------------------------------------------------------

static void truncated(struct copier *c, const struct handout *given)
{
    for (size_t size = 1; size < given->desc_len; size++)
        refused(c, given->desc, size, DOCA_ERROR_INVALID_VALUE);
    refused(c, given->desc, 0, DOCA_ERROR_INVALID_VALUE);
}

static void flipped(struct copier *c, const struct handout *given)
{
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
    for (size_t bit = 0; bit < given->desc_len * 8; bit++) {
        struct doca_mmap *map = NULL;
        memcpy(desc, given->desc, given->desc_len);
        desc[bit / 8] ^= (uint8_t)(1 << bit % 8);
        doca_error_t error =
            doca_mmap_create_from_export(NULL, desc, given->desc_len, c->dev, &map);
        // The version is a part of it too.
        ck_assert_msg(error == DOCA_ERROR_INVALID_VALUE || error == DOCA_ERROR_UNSUPPORTED_VERSION,
                      "bit %zu of byte %zu: %s", bit % 8, bit / 8, doca_get_error_name(error));
        ck_assert_ptr_null(map);
    }
}

static void garbage(struct copier *c, const struct handout *given)
{
    uint8_t bytes[4096];
    (void)given;
    memset(bytes, 0, sizeof(bytes));
    refused(c, bytes, 256, DOCA_ERROR_INVALID_VALUE);
    refused(c, bytes, sizeof(bytes), DOCA_ERROR_INVALID_VALUE);
    memset(bytes, 0xff, sizeof(bytes));
    refused(c, bytes, 256, DOCA_ERROR_INVALID_VALUE);
    refused(c, bytes, sizeof(bytes), DOCA_ERROR_INVALID_VALUE);
    refused(c, NULL, 100, DOCA_ERROR_INVALID_VALUE);
}

START_TEST(altered_descriptors)
{
    static const attempt_fn attempts[] = {truncated, flipped, garbage, read_whole};
    struct handout given;
    struct child *exporter = host_start(nodes.host, DOCA_ACCESS_DPU_READ_WRITE, &given);
    attempt(attempts[_i], &given);
    assert_only_export_left();
    host_stop(exporter);
    assert_baseline(nodes.host);
}
END_TEST

// ---- well-formed, but not given out ----------------------------------------------------------

// Takes the descriptor apart, lets `change` alter it, and packs it with a right checksum.
static void forge(const struct handout *given, struct handout *out,
                  void (*change)(struct export_desc *))
{
    struct export_desc desc;
    *out = *given;
    ck_assert_success(export_desc_decode(given->desc, given->desc_len, &desc, NULL));
    change(&desc);
    ck_assert_success(export_desc_encode(&desc, out->desc, &out->desc_len));
}

static void change_node(struct export_desc *desc)
{
    desc->node[3] ^= 1;
}

static void change_token(struct export_desc *desc)
{
    desc->token[EXPORT_TOKEN_SIZE - 1] ^= 1;
}

static void change_export(struct export_desc *desc)
{
    desc->export_id++;
}

static void widen(struct export_desc *desc)
{
    desc->address -= 4096;
    desc->length += 2 * 4096;
    desc->access = DOCA_ACCESS_DPU_READ_WRITE | DOCA_ACCESS_LOCAL_READ_WRITE;
}

static void is_not_found(struct copier *c, const struct handout *given)
{
    refused(c, given->desc, given->desc_len, DOCA_ERROR_NOT_FOUND);
}

static void is_not_permitted(struct copier *c, const struct handout *given)
{
    refused(c, given->desc, given->desc_len, DOCA_ERROR_NOT_PERMITTED);
}

static void is_not_supported(struct copier *c, const struct handout *given)
{
    refused(c, given->desc, given->desc_len, DOCA_ERROR_NOT_SUPPORTED);
}

static void is_unreachable(struct copier *c, const struct handout *given)
{
    refused(c, given->desc, given->desc_len, DOCA_ERROR_DRIVER);
}

// A descriptor's contents prove nothing: it is refused, or docad uses its own data.
static void gives_no_more_than_exported(struct copier *c, const struct handout *given)
{
    struct doca_mmap *map = NULL;
    doca_error_t error =
        doca_mmap_create_from_export(NULL, given->desc, given->desc_len, c->dev, &map);
    if (error != DOCA_SUCCESS) {
        ck_assert_ptr_null(map);
        ck_assert(error == DOCA_ERROR_NOT_PERMITTED || error == DOCA_ERROR_INVALID_VALUE);
        return;
    }
    c->remote = map;
    ck_assert_success(doca_mmap_get_memrange(map, (void **)&c->address, &c->length));
    ck_assert_uint_eq((uintptr_t)c->address, given->address);
    ck_assert_uint_eq(c->length, given->length);
    ck_assert_error(copier_write(c, 0, 16), DOCA_ERROR_NOT_PERMITTED);
}

static const struct {
    void (*change)(struct export_desc *);
    attempt_fn attempt;
} forgeries[] = {
    {change_node, is_not_found},
    {change_token, is_not_permitted},
    {change_export, is_not_permitted},
    {widen, gives_no_more_than_exported},
};

START_TEST(forged_descriptors)
{
    struct handout given, forged;
    struct child *exporter = host_start(nodes.host, DOCA_ACCESS_DPU_READ_ONLY, &given);
    forge(&given, &forged, forgeries[_i].change);
    attempt(forgeries[_i].attempt, &forged);
    attempt(read_whole, &given);
    assert_only_export_left();
    host_stop(exporter);
}
END_TEST

// A third node that this pair has never heard of.
START_TEST(foreign_descriptor)
{
    struct handout given;
    struct daemon *other = daemon_start(&(struct daemon_options){.role = "host", .label = "other"});
    struct child *exporter = host_start(other, DOCA_ACCESS_DPU_READ_ONLY, &given);
    attempt(is_not_found, &given);
    assert_baseline(nodes.dpu);
    host_stop(exporter);
}
END_TEST

// ---- given out, but over -----------------------------------------------------------------------

START_TEST(ended_export)
{
    struct handout given;
    struct child *exporter = host_start(nodes.host, DOCA_ACCESS_DPU_READ_ONLY, &given);
    attempt(read_whole, &given);
    child_tell(exporter, "stop");
    child_wait(exporter, "stopped");
    attempt(is_not_permitted, &given);
    child_tell(exporter, "end");
    child_join(exporter);
    attempt(is_not_permitted, &given);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

static uint64_t export_id(const struct handout *given)
{
    struct export_desc desc;
    ck_assert_success(export_desc_decode(given->desc, given->desc_len, &desc, NULL));
    return desc.export_id;
}

START_TEST(revoked_export)
{
    struct handout given;
    struct child *exporter = host_start(nodes.host, DOCA_ACCESS_DPU_READ_ONLY, &given);
    attempt(read_whole, &given);
    raw_revoke(nodes.host->socket.s, export_id(&given));
    attempt(is_not_permitted, &given);
    host_stop(exporter);
    assert_baseline(nodes.host);
}
END_TEST

START_TEST(export_of_an_earlier_run)
{
    struct handout given, again;
    struct child *exporter = host_start(nodes.host, DOCA_ACCESS_DPU_READ_ONLY, &given);
    child_kill(exporter);
    daemon_stop(nodes.host);
    daemon_restart(nodes.host);
    daemon_wait_links(nodes.dpu, 1);
    exporter = host_start(nodes.host, DOCA_ACCESS_DPU_READ_ONLY, &again);
    attempt(is_not_permitted, &given);
    attempt(read_whole, &again);
    host_stop(exporter);
}
END_TEST

START_TEST(owner_out_of_reach)
{
    struct handout given;
    struct child *exporter = host_start(nodes.host, DOCA_ACCESS_DPU_READ_ONLY, &given);
    child_kill(exporter);
    daemon_stop(nodes.host);
    daemon_wait_links(nodes.dpu, 0);
    attempt(is_unreachable, &given);
    assert_baseline(nodes.dpu);
}
END_TEST

// ---- the wrong place ------------------------------------------------------------------------

START_TEST(wrong_device)
{
    struct handout given;
    struct child *exporter = host_start(nodes.host, DOCA_ACCESS_DPU_READ_ONLY, &given);
    attempt_on(nodes.dpu, DPU_P1, is_not_supported, &given);
    attempt_on(nodes.host, HOST_PF0, is_not_supported, &given);
    attempt(read_whole, &given);
    assert_only_export_left();
    host_stop(exporter);
}
END_TEST

static void reaches_beyond(struct copier *c, const struct handout *given)
{
    static const struct {
        ptrdiff_t offset;
        size_t length;
    } ranges[] = {
        {-1, 1},
        {-1, 2},
        {0, MEMORY_SIZE + 1},
        {MEMORY_SIZE, 1},
        {MEMORY_SIZE - 1, 2},
        {1, MEMORY_SIZE},
        {0, SIZE_MAX},
        {1, SIZE_MAX},
        {MEMORY_SIZE - 1, SIZE_MAX - 100},
        {-4096, 4096},
        {-4096, 3 * 4096},
    };
    copier_import(c, given->desc, given->desc_len);
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
        struct doca_buf *buf = NULL;
        ck_assert_error(doca_buf_inventory_buf_by_addr(c->inventory, c->remote,
                                                       c->address + ranges[i].offset,
                                                       ranges[i].length, &buf),
                        DOCA_ERROR_INVALID_VALUE);
        ck_assert_ptr_null(buf);
    }
    ck_assert_success(copier_read(c, MEMORY_SIZE - 1, 1));
    ck_assert_uint_eq(c->memory[0], (uint8_t)(MEMORY_SIZE - 1));
}

static void writes_where_it_may_read(struct copier *c, const struct handout *given)
{
    copier_import(c, given->desc, given->desc_len);
    memset(c->memory, 0x77, MEMORY_SIZE);
    ck_assert_error(copier_write(c, 0, MEMORY_SIZE), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_error(copier_write(c, 100, 1), DOCA_ERROR_NOT_PERMITTED);
    copier_release(c);
    read_whole(c, given);
}

START_TEST(more_than_was_exported)
{
    static const attempt_fn attempts[] = {reaches_beyond, writes_where_it_may_read};
    struct handout given;
    struct child *exporter = host_start(nodes.host, DOCA_ACCESS_DPU_READ_ONLY, &given);
    attempt(attempts[_i], &given);
    assert_only_export_left();
    host_stop(exporter);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("descriptors");
    TCase *tcase = tcase_create("descriptors");
    tcase_add_checked_fixture(tcase, setup_pair, env_teardown);
    tcase_add_loop_test(tcase, altered_descriptors, 0, 4);
    tcase_add_loop_test(tcase, forged_descriptors, 0, (int)ARRAY_SIZE(forgeries));
    tcase_add_test(tcase, foreign_descriptor);
    tcase_add_test(tcase, ended_export);
    tcase_add_test(tcase, revoked_export);
    tcase_add_test(tcase, export_of_an_earlier_run);
    tcase_add_test(tcase, owner_out_of_reach);
    tcase_add_test(tcase, wrong_device);
    tcase_add_loop_test(tcase, more_than_was_exported, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
