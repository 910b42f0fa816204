// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Revocation under full load: threads of the importer copy without a pause when the owner takes
// its memory back. Once the revocation has returned, the owner uses the memory for something
// else. The importers must see none of that, and none of their bytes may be in it.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "export_desc.h"
#include "repetitions.h"
#include "request.h"
#include "run.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define THREADS 3
#define ROUNDS  repetitions(10, 25)
#define OLD     0x4444444444444444u // what the owner shares
#define NEW     0xbbbbbbbbbbbbbbbbu // what it does not
#define THEIRS  0x7777777777777777u // what importers write
#define SIZE    (1u << 20)

enum { MAPPED, BROKERED, RAGGED, KINDS };

static const struct {
    const char *name;
    bool write;
    bool destroy; // the map goes, instead of the export
} ways[] = {
    {"reads, revoked", false, false},
    {"writes, revoked", true, false},
    {"reads, map destroyed", false, true},
    {"writes, map destroyed", true, true},
};

enum { WAYS = ARRAY_SIZE(ways) };

struct plan {
    struct node_pair nodes;
    int kind, way;
};

struct handout {
    size_t desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

// ---- the owner ------------------------------------------------------------------------------

static void fill(uint64_t *words, size_t size, uint64_t value)
{
    for (size_t i = 0; i < size / sizeof(*words); i++)
        words[i] = value;
}

static size_t count(const uint64_t *words, size_t size, uint64_t value)
{
    size_t n = 0;
    for (size_t i = 0; i < size / sizeof(*words); i++)
        n += words[i] == value;
    return n;
}

static void take_back(struct exporter *e, const struct plan *plan)
{
    struct export_desc desc;
    if (ways[plan->way].destroy) {
        ck_assert_success(doca_mmap_stop(e->mmap));
        return;
    }
    ck_assert_success(export_desc_decode(e->desc, e->desc_len, &desc, NULL));
    raw_revoke(plan->nodes.host->socket.s, desc.export_id);
}

static int own(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    uint8_t *pages = plan->kind == BROKERED ? brokered_memory : pages_new(SIZE);
    size_t size = plan->kind == BROKERED ? BROKERED_SIZE : SIZE, edge = 0;

    if (plan->kind == RAGGED)
        edge = 64;
    uint64_t *words = (uint64_t *)(pages + edge);
    size -= 2 * edge;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct exporter e;
        struct handout out;
        fill(words, size, OLD);
        exporter_start(&e, HOST_PF0, words, size, DOCA_ACCESS_DPU_READ_WRITE);
        out.desc_len = e.desc_len;
        memcpy(out.desc, e.desc, e.desc_len);
        child_send(self, &out, sizeof(out));
        child_wait(self, "busy");
        take_back(&e, plan);
        fill(words, size, NEW);
        child_tell(self, "changed");
        child_wait(self, "over");
        ck_assert_uint_eq(count(words, size, NEW), size / sizeof(*words));
        exporter_stop(&e);
    }
    if (plan->kind != BROKERED)
        munmap(pages, SIZE);
    return 0;
}

// ---- the importer ---------------------------------------------------------------------------

struct worker {
    pthread_t thread;
    struct copier copier;
    _Atomic unsigned copies;
    size_t seen; // words that were none of its business
    bool write;
    doca_error_t error;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct copier *c = &w->copier;
    uint64_t *words = (uint64_t *)c->memory;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);

    do {
        fill(words, c->length, w->write ? THEIRS : 0);
        w->error = w->write ? copier_write(c, 0, c->length) : copier_read(c, 0, c->length);
        w->seen += count(words, c->length, NEW);
        atomic_fetch_add(&w->copies, 1);
    } while (w->error == DOCA_SUCCESS && now_ms() < deadline);
    return NULL;
}

static int use(struct child *self, void *arg)
{
    const struct plan *plan = arg;
    static struct worker workers[THREADS];
    doca_error_t expected =
        ways[plan->way].destroy ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_NOT_PERMITTED;

    for (int i = 0; i < THREADS; i++)
        copier_start(&workers[i].copier, DPU_P0, SIZE);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct handout out;
        ck_assert_uint_eq(child_receive(self, &out, sizeof(out)), sizeof(out));
        for (int i = 0; i < THREADS; i++) {
            struct worker *w = &workers[i];
            w->copies = 0;
            w->write = ways[plan->way].write;
            copier_import(&w->copier, out.desc, out.desc_len);
            ck_assert_int_eq(pthread_create(&w->thread, NULL, work, w), 0);
        }
        for (int i = 0; i < THREADS; i++)
            while (atomic_load(&workers[i].copies) < 2)
                sched_yield();
        child_tell(self, "busy");
        for (int i = 0; i < THREADS; i++) {
            struct worker *w = &workers[i];
            pthread_join(w->thread, NULL);
            ck_assert_error(w->error, expected);
            ck_assert_uint_eq(w->seen, 0);
            copier_release(&w->copier);
        }
        child_tell(self, "over");
    }
    for (int i = 0; i < THREADS; i++)
        copier_stop(&workers[i].copier);
    return 0;
}

// Hands words on between the two.
static void relay(struct child *from, struct child *to, const char *word)
{
    child_wait(from, word);
    child_tell(to, word);
}

START_TEST(no_byte_moves_after_it_returned)
{
    struct plan plan = {.kind = _i % KINDS, .way = _i / KINDS % WAYS};
    bool apart = _i >= KINDS * WAYS; // bytes go over the link
    // A busy machine may stop a thread in the middle of a copy for as long as it likes.
    char config[64];
    snprintf(config, sizeof(config), "release_limit_ms = %d\n", HARNESS_LIMIT_MS);
    plan.nodes = node_pair_start_with(config, apart);
    struct child *owner = child_start(plan.nodes.host, "owner", own, &plan);
    struct child *importer = child_start(plan.nodes.dpu, "importer", use, &plan);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct handout out;
        child_receive(owner, &out, sizeof(out));
        child_send(importer, &out, sizeof(out));
        relay(importer, owner, "busy");
        child_wait(owner, "changed");
        relay(importer, owner, "over");
    }
    child_join(importer);
    child_join(owner);
    ck_assert(!daemon_logged(plan.nodes.dpu, "not released"));
    ck_assert(!daemon_logged(plan.nodes.host, "not released"));
    assert_baseline(plan.nodes.host);
    assert_baseline(plan.nodes.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("revoke");
    TCase *tcase = tcase_create("load");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    tcase_add_loop_test(tcase, no_byte_moves_after_it_returned, 0, 2 * KINDS * WAYS);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
