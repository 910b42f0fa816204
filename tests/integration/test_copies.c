// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Large jobs that docad's engine copies: the bytes, who copied them, and what happens if the
// export or the daemon ends in the middle.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "export_desc.h"
#include "request.h"
#include "run.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (6u << 20)

static const char config[] = "engine { copies_over = 1M }\n";

static struct daemon *start(const char *role, const char *peer)
{
    struct path file = temp_file("copies.conf", config);
    struct daemon *daemon =
        daemon_start(&(struct daemon_options){.role = role, .peers = {peer}, .config = file.s});
    unlink(file.s);
    return daemon;
}

static struct node_pair start_pair(void)
{
    struct node_pair pair;
    pair.host = start("host", NULL);
    pair.dpu = start("dpu", pair.host->socket.s);
    daemon_wait_links(pair.host, 1);
    daemon_wait_links(pair.dpu, 1);
    return pair;
}

// The bytes that the daemon's engine has moved for its queue pairs.
static uint64_t engine_bytes(const struct daemon *daemon)
{
    cleanup_fd int sock = raw_hello(daemon->socket.s);
    uint64_t sum = 0, after = 0;
    bool more = true;
    while (more) {
        cleanup_message Docad__Message *reply =
            raw_list(sock, DOCAD__LIST__KIND__QUEUE_PAIRS, after);
        const Docad__ListReply *list = reply->list_reply;
        for (size_t i = 0; i < list->n_queue_pairs; i++)
            if (strcmp(list->queue_pairs[i]->kind, "engine") == 0)
                sum += list->queue_pairs[i]->bytes;
        more = list->more;
        after = list->last;
    }
    return sum;
}

static void fill(uint8_t *at, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(i * 13 + i / 1000 + seed);
}

static bool filled(const uint8_t *at, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        if (at[i] != (uint8_t)(i * 13 + i / 1000 + seed))
            return false;
    return true;
}

// ---- local -----------------------------------------------------------------------------

// One job, whose result is returned.
static doca_error_t copy(struct copier *c, struct doca_mmap *from, uint8_t *source,
                         struct doca_mmap *to, uint8_t *target, size_t size)
{
    struct doca_buf *src, *dst;
    struct doca_event event;
    doca_error_t r;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);

    ck_assert_success(
        doca_buf_inventory_buf_by_args(c->inventory, from, source, size, source, size, &src));
    ck_assert_success(doca_buf_inventory_buf_by_addr(c->inventory, to, target, size, &dst));
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = c->ctx}, .src_buff = src, .dst_buff = dst};
    ck_assert_success(doca_workq_submit(c->workq, &job.base));
    while ((r = doca_workq_progress_retrieve(c->workq, &event, 0)) == DOCA_ERROR_AGAIN)
        ck_assert_msg(now_ms() < deadline, "a job hangs");
    ck_assert_success(doca_buf_refcount_rm(src, NULL));
    ck_assert_success(doca_buf_refcount_rm(dst, NULL));
    return r == DOCA_SUCCESS ? r : (doca_error_t)event.result.u64;
}

static struct doca_mmap *map_of(struct doca_dev *dev, void *memory, size_t size)
{
    struct doca_mmap *map;
    ck_assert_success(doca_mmap_create(NULL, &map));
    ck_assert_success(doca_mmap_set_memrange(map, memory, size));
    ck_assert_success(doca_mmap_dev_add(map, dev));
    ck_assert_success(doca_mmap_start(map));
    return map;
}

// Memory from malloc() with no alignment: the engine copies its whole pages, this process the
// ends.
static int copies_locally(struct child *self, void *arg)
{
    static const size_t sizes[] = {1 << 20, (1 << 20) + 1, 3 << 20, SIZE};
    const struct daemon *daemon = arg;
    uint8_t *from = malloc(SIZE + 3), *to = malloc(SIZE + 5);
    struct copier c;
    (void)self;

    copier_start(&c, HOST_PF0, 4096);
    struct doca_mmap *source = map_of(c.dev, from + 3, SIZE), *target = map_of(c.dev, to + 5, SIZE);
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        uint64_t before = engine_bytes(daemon);
        fill(from + 3, SIZE, i);
        memset(to + 5, 0, SIZE);
        ck_assert_success(copy(&c, source, from + 3, target, to + 5, sizes[i]));
        ck_assert(filled(to + 5, sizes[i], i));
        uint64_t moved = engine_bytes(daemon) - before;
        if (sizes[i] > 2 << 20)
            ck_assert_uint_ge(moved, sizes[i] - 4 * 4096);
        else if (sizes[i] <= 1 << 20)
            ck_assert_uint_eq(moved, 0);
    }
    // This process copies overlapping ranges.
    fill(from + 3, SIZE, 7);
    ck_assert_success(copy(&c, source, from + 3, source, from + 3 + 5000, SIZE - 5000));
    ck_assert(filled(from + 3 + 5000, SIZE - 5000, 7));
    ck_assert_success(doca_mmap_destroy(source));
    ck_assert_success(doca_mmap_destroy(target));
    fill(to + 5, SIZE, 9); // it is the application's again
    ck_assert(filled(to + 5, SIZE, 9));
    copier_stop(&c);
    free(from);
    free(to);
    return 0;
}

START_TEST(local)
{
    struct daemon *host = start("host", NULL);
    child_join(child_start(host, "copies", copies_locally, host));
    assert_baseline(host);
}
END_TEST

// ---- imported --------------------------------------------------------------------------

struct handout {
    size_t desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

static int own(struct child *self, void *arg)
{
    const struct node_pair *nodes = arg;
    uint8_t *pages = pages_new(SIZE);
    struct export_desc desc;
    struct exporter e;
    struct handout out;

    fill(pages, SIZE, 1);
    exporter_start(&e, HOST_PF0, pages, SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    out.desc_len = e.desc_len;
    memcpy(out.desc, e.desc, e.desc_len);
    child_send(self, &out, sizeof(out));
    child_wait(self, "read");
    ck_assert(filled(pages, SIZE, 1));
    child_tell(self, "seen");
    child_wait(self, "written");
    ck_assert(filled(pages, SIZE, 2));
    ck_assert_success(export_desc_decode(e.desc, e.desc_len, &desc, NULL));
    raw_revoke(nodes->host->socket.s, desc.export_id);
    memset(pages, 0x55, SIZE);
    child_tell(self, "revoked");
    child_wait(self, "over");
    for (size_t i = 0; i < SIZE; i++)
        if (pages[i] != 0x55)
            ck_abort_msg("byte %zu was written after the revocation", i);
    exporter_stop(&e);
    munmap(pages, SIZE);
    return 0;
}

static int use(struct child *self, void *arg)
{
    const struct node_pair *nodes = arg;
    struct handout out;
    struct copier c;

    ck_assert_uint_eq(child_receive(self, &out, sizeof(out)), sizeof(out));
    copier_start(&c, DPU_P0, SIZE);
    copier_import(&c, out.desc, out.desc_len);
    ck_assert_success(copier_read(&c, 0, SIZE));
    ck_assert(filled(c.memory, SIZE, 1));
    ck_assert_uint_ge(engine_bytes(nodes->dpu), SIZE);
    child_tell(self, "read");
    child_wait(self, "seen");
    fill(c.memory, SIZE, 2);
    ck_assert_success(copier_write(&c, 0, SIZE));
    ck_assert_uint_ge(engine_bytes(nodes->dpu), 2 * SIZE);
    child_tell(self, "written");
    fill(c.memory, SIZE, 3);
    // Repeats until the export is revoked, in the middle of a copy or not.
    doca_error_t r;
    do
        r = copier_read(&c, 0, SIZE);
    while (r == DOCA_SUCCESS);
    ck_assert_error(r, DOCA_ERROR_NOT_PERMITTED);
    ck_assert_error(copier_write(&c, 0, SIZE), DOCA_ERROR_NOT_PERMITTED);
    child_wait(self, "revoked");
    ck_assert_error(copier_write(&c, 0, SIZE), DOCA_ERROR_NOT_PERMITTED);
    child_tell(self, "over");
    copier_release(&c);
    copier_stop(&c);
    return 0;
}

static void relay(struct child *from, struct child *to, const char *word)
{
    child_wait(from, word);
    child_tell(to, word);
}

START_TEST(imported)
{
    struct node_pair nodes = start_pair();
    struct handout out;
    struct child *owner = child_start(nodes.host, "owner", own, &nodes);
    struct child *importer = child_start(nodes.dpu, "importer", use, &nodes);
    child_receive(owner, &out, sizeof(out));
    child_send(importer, &out, sizeof(out));
    relay(importer, owner, "read");
    relay(owner, importer, "seen");
    relay(importer, owner, "written");
    relay(owner, importer, "revoked");
    relay(importer, owner, "over");
    child_join(importer);
    child_join(owner);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// ---- without the daemon ------------------------------------------------------------------

static int copies_on(struct child *self, void *arg)
{
    uint8_t *from = pages_new(SIZE);
    struct copier c;
    (void)arg;

    copier_start(&c, HOST_PF0, SIZE);
    struct doca_mmap *source = map_of(c.dev, from, SIZE);
    child_tell(self, "ready");
    // Whether the engine copies, or the thread after the engine's end: nothing is lost.
    for (unsigned i = 0; i < 60; i++) {
        fill(from, SIZE, i);
        ck_assert_success(copy(&c, source, from, c.local, c.memory, SIZE));
        ck_assert(memcmp(c.memory, from, SIZE) == 0);
        if (i == 20)
            child_tell(self, "kill");
        if (i == 40)
            child_wait(self, "killed");
    }
    doca_mmap_destroy(source);
    copier_stop(&c);
    munmap(from, SIZE);
    return 0;
}

START_TEST(the_daemon_goes)
{
    struct daemon *host = start("host", NULL);
    struct child *child = child_start(host, "copies", copies_on, NULL);
    child_wait(child, "ready");
    child_wait(child, "kill");
    daemon_kill(host);
    child_tell(child, "killed");
    child_join(child);
    struct path file = temp_file("copies.conf", config);
    daemon_restart(host); // clears away what the killed one has left
    unlink(file.s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("copies");
    TCase *tcase = tcase_create("engine");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_test(tcase, local);
    tcase_add_test(tcase, imported);
    tcase_add_test(tcase, the_daemon_goes);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
