// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// SHA with real daemons: every algorithm on every kind of memory that a host process
// exports, sessions, threads with queues of their own, long jobs beside short ones,
// event-driven mode, and an exporter that goes.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "nodes.h"
#include "run.h"

#include <dirent.h>
#include <doca_sha.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__ // it makes a thread of its own
#define COUNTS_THREADS false
#else
#define COUNTS_THREADS true
#endif

#define MEMORY_SIZE ((size_t)3 << 20)

static const enum doca_sha_job_type types[] = {DOCA_SHA_JOB_SHA1, DOCA_SHA_JOB_SHA256,
                                               DOCA_SHA_JOB_SHA512};
static const size_t sizes[] = {20, 32, 64};

static struct daemon *daemon_;

static void fill(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

static void check_digest(size_t algorithm, const void *bytes, size_t n, const uint8_t *digest)
{
    const EVP_MD *md[] = {EVP_sha1(), EVP_sha256(), EVP_sha512()};
    uint8_t expected[EVP_MAX_MD_SIZE];
    ck_assert_int_eq(EVP_Digest(bytes, n, expected, NULL, md[algorithm], NULL), 1);
    ck_assert_mem_eq(digest, expected, sizes[algorithm]);
}

// ---- a program -----------------------------------------------------------------------------

// The copier has the device, the inventory and the maps; this has the rest.
struct hasher {
    struct copier c;
    struct doca_sha *sha;
    struct doca_workq *workq;
    uint8_t *digest; // at the end of the local memory
};

static struct doca_workq *queue_new(struct doca_sha *sha, uint32_t depth, bool event_driven)
{
    struct doca_workq *workq;
    ck_assert_success(doca_workq_create(depth, &workq));
    ck_assert_success(doca_workq_set_event_driven_enable(workq, event_driven));
    ck_assert_success(doca_ctx_workq_add(doca_sha_as_ctx(sha), workq));
    return workq;
}

static void queue_free(struct doca_sha *sha, struct doca_workq *workq)
{
    ck_assert_success(doca_ctx_workq_rm(doca_sha_as_ctx(sha), workq));
    ck_assert_success(doca_workq_destroy(workq));
}

static void hasher_start(struct hasher *h, const char *pci_address, bool event_driven)
{
    copier_start(&h->c, pci_address, MEMORY_SIZE);
    h->digest = h->c.memory + MEMORY_SIZE - 64;
    fill(h->c.memory, MEMORY_SIZE, 1);
    ck_assert_success(doca_sha_create(&h->sha));
    struct doca_ctx *ctx = doca_sha_as_ctx(h->sha);
    ck_assert_success(doca_ctx_dev_add(ctx, h->c.dev));
    ck_assert_success(doca_ctx_start(ctx));
    h->workq = queue_new(h->sha, 16, event_driven);
}

// The device goes before the context, in the order that programs use.
static void hasher_stop(struct hasher *h)
{
    queue_free(h->sha, h->workq);
    ck_assert_success(doca_ctx_stop(doca_sha_as_ctx(h->sha)));
    copier_stop(&h->c);
    ck_assert_success(doca_sha_destroy(h->sha));
}

static struct doca_buf *buffer(struct hasher *h, struct doca_mmap *map, void *p, size_t n,
                               size_t data_len)
{
    struct doca_buf *buf;
    ck_assert_success(doca_buf_inventory_buf_by_args(h->c.inventory, map, p, n, p, data_len, &buf));
    return buf;
}

static void drop(struct doca_buf *buf)
{
    ck_assert_success(doca_buf_refcount_rm(buf, NULL));
}

static void submit(struct hasher *h, struct doca_workq *workq, size_t algorithm,
                   struct doca_buf *source, struct doca_buf *response, uint64_t id)
{
    struct doca_sha_job job = {.base = {.type = (int)types[algorithm],
                                        .ctx = doca_sha_as_ctx(h->sha),
                                        .user_data.u64 = id},
                               .req_buf = source,
                               .resp_buf = response};
    ck_assert_success(doca_workq_submit(workq, &job.base));
}

static doca_error_t wait_event(struct doca_workq *workq, uint64_t *id)
{
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct doca_event event;
    doca_error_t r;
    while ((r = doca_workq_progress_retrieve(workq, &event, 0)) == DOCA_ERROR_AGAIN)
        ck_assert_msg(now_ms() < deadline, "a job hangs");
    ck_assert(r == (event.result.u64 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS));
    if (id)
        *id = event.user_data.u64;
    return (doca_error_t)event.result.u64;
}

static doca_error_t hash(struct hasher *h, size_t algorithm, struct doca_buf *source)
{
    struct doca_buf *response = buffer(h, h->c.local, h->digest, 64, 0);
    submit(h, h->workq, algorithm, source, response, 1);
    doca_error_t r = wait_event(h->workq, NULL);
    size_t size;
    ck_assert_success(doca_buf_get_data_len(response, &size));
    ck_assert_uint_eq(size, r == DOCA_SUCCESS ? sizes[algorithm] : 0);
    drop(response);
    return r;
}

// ---- one node ------------------------------------------------------------------------------

static int hashes_locally(struct child *self, void *arg)
{
    static const size_t lengths[] = {1, 3, 64, 1000, 65537, (2 << 20) + 1, MEMORY_SIZE - 64};
    struct hasher h;
    (void)self;
    (void)arg;
    hasher_start(&h, HOST_PF0, false);
    struct doca_devinfo *info = doca_dev_as_devinfo(h.c.dev);
    ck_assert_success(doca_sha_get_hardware_supported(info));
    for (size_t a = 0; a < 3; a++) {
        uint32_t least;
        ck_assert_success(doca_sha_job_get_supported(info, types[a]));
        ck_assert_success(doca_sha_get_min_dst_buffer_size(info, types[a], &least));
        ck_assert_uint_eq(least, sizes[a]);
        for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
            struct doca_buf *source = buffer(&h, h.c.local, h.c.memory, lengths[i], lengths[i]);
            ck_assert_success(hash(&h, a, source));
            check_digest(a, h.c.memory, lengths[i], h.digest);
            drop(source);
        }
    }
    hasher_stop(&h);
    return 0;
}

START_TEST(local_memory)
{
    child_join(child_start(daemon_, "program", hashes_locally, NULL));
    assert_baseline(daemon_);
}
END_TEST

// The way of a program that receives a file in parts: one buffer, one session, and the
// session is never destroyed.
static int hashes_segments(struct child *self, void *arg)
{
    struct doca_sha_partial_job job;
    struct hasher h;
    (void)self;
    (void)arg;
    hasher_start(&h, HOST_PF0, false);
    size_t n = 200000;
    job = (struct doca_sha_partial_job){
        .sha_job = {.base = {.type = DOCA_SHA_JOB_SHA256_PARTIAL,
                             .ctx = doca_sha_as_ctx(h.sha),
                             .user_data.u64 = DOCA_SHA_JOB_SHA256_PARTIAL},
                    .req_buf = buffer(&h, h.c.local, h.c.memory, n, 0),
                    .resp_buf = buffer(&h, h.c.local, h.digest, 32, 0)}};
    ck_assert_success(doca_sha_partial_session_create(h.sha, h.workq, &job.session));
    for (size_t at = 0, step = 4032; at < n; at += step) {
        bool final = n - at <= step;
        ck_assert_success(
            doca_buf_set_data(job.sha_job.req_buf, h.c.memory + at, final ? n - at : step));
        job.sha_job.flags = final ? DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL : DOCA_SHA_JOB_FLAGS_NONE;
        ck_assert_success(doca_workq_submit(h.workq, &job.sha_job.base));
        uint64_t id;
        ck_assert_success(wait_event(h.workq, &id));
        ck_assert_uint_eq(id, DOCA_SHA_JOB_SHA256_PARTIAL);
    }
    check_digest(1, h.c.memory, n, h.digest);
    drop(job.sha_job.req_buf);
    drop(job.sha_job.resp_buf);
    hasher_stop(&h);
    return 0;
}

START_TEST(segments)
{
    child_join(child_start(daemon_, "program", hashes_segments, NULL));
    assert_baseline(daemon_);
}
END_TEST

// ---- threads -------------------------------------------------------------------------------

#define THREADS     3
#define THREAD_JOBS 200

struct worker {
    struct hasher *h;
    size_t number;
    pthread_t thread;
};

// Has a queue, an inventory and a session of its own; all share the context and the map.
static void *works(void *arg)
{
    struct worker *w = arg;
    struct hasher mine = *w->h;
    uint8_t *digest = w->h->digest - 64 * (w->number + 1);
    mine.workq = queue_new(mine.sha, 8, false);
    ck_assert_success(
        doca_buf_inventory_create(NULL, 4, DOCA_BUF_EXTENSION_NONE, &mine.c.inventory));
    ck_assert_success(doca_buf_inventory_start(mine.c.inventory));
    struct doca_buf *response = buffer(&mine, mine.c.local, digest, 64, 0);
    for (size_t i = 0; i < THREAD_JOBS; i++) {
        size_t n = 1 + (i * 997 + w->number) % 20000, a = (i + w->number) % 3;
        struct doca_buf *source = buffer(&mine, mine.c.local, mine.c.memory + i, n, n);
        submit(&mine, mine.workq, a, source, response, i);
        uint64_t id;
        ck_assert_success(wait_event(mine.workq, &id));
        ck_assert_uint_eq(id, i);
        check_digest(a, mine.c.memory + i, n, digest);
        drop(source);
    }
    drop(response);
    ck_assert_success(doca_buf_inventory_destroy(mine.c.inventory));
    queue_free(mine.sha, mine.workq);
    return NULL;
}

static int hashes_in_threads(struct child *self, void *arg)
{
    struct worker workers[THREADS];
    struct hasher h;
    (void)self;
    (void)arg;
    hasher_start(&h, HOST_PF0, false);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.h = &h, .number = i};
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, works, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    hasher_stop(&h);
    return 0;
}

START_TEST(queues_of_several_threads)
{
    child_join(child_start(daemon_, "program", hashes_in_threads, NULL));
    assert_baseline(daemon_);
}
END_TEST

// ---- workers ---------------------------------------------------------------------------------

static unsigned count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned n = 0;

    ck_assert_ptr_nonnull(tasks);
    for (const struct dirent *entry; (entry = readdir(tasks));)
        n += entry->d_name[0] != '.';
    closedir(tasks);
    return n;
}

// Four long jobs at a time. Sends how many threads they made.
static int hashes_long(struct child *self, void *arg)
{
    struct doca_buf *source[4], *response[4];
    struct doca_buf_inventory *few;
    struct hasher h;

    (void)arg;
    hasher_start(&h, HOST_PF0, false);
    few = h.c.inventory;
    ck_assert_success(doca_buf_inventory_create(NULL, 8, DOCA_BUF_EXTENSION_NONE, &h.c.inventory));
    ck_assert_success(doca_buf_inventory_start(h.c.inventory));
    unsigned before = count_threads();
    for (size_t i = 0; i < 4; i++) {
        source[i] = buffer(&h, h.c.local, h.c.memory, MEMORY_SIZE / 2 + i, MEMORY_SIZE / 2 + i);
        response[i] = buffer(&h, h.c.local, h.digest - 64 * i, 64, 0);
        submit(&h, h.workq, 1, source[i], response[i], i);
    }
    unsigned more = count_threads() - before;
    for (size_t i = 0; i < 4; i++)
        ck_assert_success(wait_event(h.workq, NULL));
    for (size_t i = 0; i < 4; i++) {
        check_digest(1, h.c.memory, MEMORY_SIZE / 2 + i, h.digest - 64 * i);
        drop(source[i]);
        drop(response[i]);
    }
    ck_assert_success(doca_buf_inventory_destroy(h.c.inventory));
    h.c.inventory = few;
    hasher_stop(&h);
    child_send(self, &more, sizeof(more));
    return 0;
}

static void expect_workers(const char *config, unsigned expected)
{
    struct path file = temp_file("workers.conf", config);
    struct daemon *daemon = daemon_start(&(struct daemon_options){.config = file.s});
    struct child *child = child_start(daemon, "program", hashes_long, NULL);
    unsigned n;

    ck_assert_uint_eq(child_receive(child, &n, sizeof(n)), sizeof(n));
    ck_assert_uint_eq(n, expected);
    child_join(child);
    daemon_stop(daemon);
    unlink(file.s);
}

START_TEST(docad_says_how_many_threads_compute)
{
    cpu_set_t set;

    ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
    unsigned cores = (unsigned)CPU_COUNT(&set);
    expect_workers("workers = 0\n", 0);
    expect_workers("workers = 1\n", cores > 1 ? 1 : 0);
    expect_workers("", cores > 1 ? (cores < 4 ? cores : 4) : 0);
}
END_TEST

// ---- imported memory -------------------------------------------------------------------------

static void setup_one(void)
{
    env_setup();
    daemon_ = daemon_start(&(struct daemon_options){0});
}

enum kind { TINY, STATIC, PAGES, UNALIGNED, KINDS };

struct handout {
    size_t length, desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

static int host(struct child *self, void *arg)
{
    enum kind kind = *(enum kind *)arg;
    size_t size = kind == TINY ? 6 : kind == STATIC ? BROKERED_SIZE : MEMORY_SIZE - 5000;
    uint8_t *pages = pages_new(MEMORY_SIZE);
    struct exporter e;
    struct handout out = {.length = size};

    uint8_t *memory = kind == STATIC ? brokered_memory : kind == PAGES ? pages : pages + 77;
    fill(memory, size, 1);
    exporter_start(&e, HOST_PF0, memory, size, DOCA_ACCESS_DPU_READ_WRITE);
    out.desc_len = e.desc_len;
    memcpy(out.desc, e.desc, e.desc_len);
    child_send(self, &out, sizeof(out));
    child_wait(self, "end");
    if (size >= 64) // the digest of what it was
        check_digest(2, memory + 64, size - 64, memory);
    exporter_stop(&e);
    return 0;
}

static struct child *host_start(enum kind *kind, struct handout *out)
{
    struct child *child = child_start(nodes.host, "host", host, kind);
    ck_assert_uint_eq(child_receive(child, out, sizeof(*out)), sizeof(*out));
    return child;
}

static int hashes_imports(struct child *self, void *arg)
{
    const struct handout *given = arg;
    struct hasher h;
    (void)self;
    hasher_start(&h, DPU_P0, false);
    copier_import(&h.c, given->desc, given->desc_len);
    size_t n = given->length;
    struct doca_buf *all = buffer(&h, h.c.remote, h.c.address, n, n);
    for (size_t a = 0; a < 3; a++) {
        ck_assert_success(hash(&h, a, all));
        check_digest(a, h.c.memory, n, h.digest); // the same pattern
    }
    drop(all);
    if (n >= 64) { // and a digest into the host's memory
        struct doca_buf *source = buffer(&h, h.c.remote, h.c.address + 64, n - 64, n - 64);
        struct doca_buf *response = buffer(&h, h.c.remote, h.c.address, 64, 0);
        submit(&h, h.workq, 2, source, response, 1);
        ck_assert_success(wait_event(h.workq, NULL));
        drop(source);
        drop(response);
    }
    hasher_stop(&h);
    return 0;
}

START_TEST(memory_of_every_kind)
{
    enum kind kind = (enum kind)_i;
    struct handout given;
    struct child *ours = host_start(&kind, &given);
    child_join(child_start(nodes.dpu, "dpu", hashes_imports, &given));
    child_tell(ours, "end");
    child_join(ours);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// Short jobs on memory of one's own pass a long one on brokered memory; the handle wakes
// for both.
static int sleeps_between_jobs(struct child *self, void *arg)
{
    const struct handout *given = arg;
    doca_event_handle_t handle;
    unsigned done = 0, before_the_long_one = 0;
    struct doca_event event;
    struct hasher h;
    (void)self;
    hasher_start(&h, DPU_P0, true);
    copier_import(&h.c, given->desc, given->desc_len);
    ck_assert_success(doca_workq_get_event_handle(h.workq, &handle));
    struct doca_buf *far = buffer(&h, h.c.remote, h.c.address, given->length, given->length);
    struct doca_buf *near = buffer(&h, h.c.local, h.c.memory, 100, 100);
    struct doca_buf *far_digest = buffer(&h, h.c.local, h.digest - 64, 64, 0);
    struct doca_buf *near_digest = buffer(&h, h.c.local, h.digest, 64, 0);
    submit(&h, h.workq, 1, far, far_digest, 1);
    for (uint64_t i = 2; i < 10; i++)
        submit(&h, h.workq, 1, near, near_digest, i);
    while (done < 9) {
        doca_error_t r;
        workq_sleep(h.workq, handle);
        while ((r = doca_workq_progress_retrieve(h.workq, &event, 0)) != DOCA_ERROR_AGAIN) {
            ck_assert_success(r);
            if (event.user_data.u64 == 1)
                before_the_long_one = done;
            done++;
        }
    }
    ck_assert_uint_gt(before_the_long_one, 0);
    check_digest(1, h.c.memory, given->length, h.digest - 64);
    check_digest(1, h.c.memory, 100, h.digest);
    drop(far);
    drop(near);
    drop(far_digest);
    drop(near_digest);
    hasher_stop(&h);
    return 0;
}

START_TEST(event_driven)
{
    enum kind kind = STATIC;
    struct handout given;
    struct child *ours = host_start(&kind, &given);
    child_join(child_start(nodes.dpu, "dpu", sleeps_between_jobs, &given));
    child_kill(ours);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// Hashes until it fails, and then fails at once.
static int hashes_until_the_end(struct child *self, void *arg)
{
    const struct handout *given = arg;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    struct doca_sha_partial_session *session;
    struct hasher h;
    doca_error_t r;
    hasher_start(&h, DPU_P0, false);
    copier_import(&h.c, given->desc, given->desc_len);
    ck_assert_success(doca_sha_partial_session_create(h.sha, h.workq, &session));
    struct doca_buf *all = buffer(&h, h.c.remote, h.c.address, given->length, given->length);
    ck_assert_success(hash(&h, 1, all));
    child_tell(self, "hashing");
    while ((r = hash(&h, 1, all)) == DOCA_SUCCESS)
        ck_assert_msg(now_ms() < deadline, "the jobs never fail");
    ck_assert_error(r, DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(hash(&h, 1, all), DOCA_ERROR_CONNECTION_RESET);
    drop(all);
    hasher_stop(&h);
    return 0;
}

START_TEST(an_exporter_that_is_killed)
{
    enum kind kind = _i ? PAGES : STATIC;
    struct handout given;
    struct child *ours = host_start(&kind, &given);
    struct child *dpu = child_start(nodes.dpu, "dpu", hashes_until_the_end, &given);
    child_wait(dpu, "hashing");
    child_kill(ours);
    child_join(dpu);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sha");
    TCase *one = tcase_create("one node"), *two = tcase_create("two nodes");
    TCase *workers = tcase_create("workers");
    tcase_add_checked_fixture(one, setup_one, env_teardown);
    tcase_add_test(one, local_memory);
    tcase_add_test(one, segments);
    tcase_add_test(one, queues_of_several_threads);
    tcase_add_checked_fixture(two, setup_pair, env_teardown);
    tcase_add_loop_test(two, memory_of_every_kind, 0, KINDS);
    tcase_add_test(two, event_driven);
    tcase_add_loop_test(two, an_exporter_that_is_killed, 0, 2);
    suite_add_tcase(suite, one);
    suite_add_tcase(suite, two);
    tcase_add_checked_fixture(workers, env_setup, env_teardown);
    if (COUNTS_THREADS)
        tcase_add_test(workers, docad_says_how_many_threads_compute);
    suite_add_tcase(suite, workers);
    return run_suite(suite);
}
