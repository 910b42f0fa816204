// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Owners of memory who do other things meanwhile: register more of it in other threads,
// fork, get an export revoked.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "deadline.h"
#include "export_desc.h"
#include "nodes.h"
#include "request.h"
#include "run.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define SIZE (256u * 1024)

struct handout {
    size_t desc_len;
    uint8_t desc[DOCAD_EXPORT_DESC_SIZE];
};

static void hand_out(struct child *self, const struct exporter *e)
{
    struct handout out = {.desc_len = e->desc_len};
    memcpy(out.desc, e->desc, e->desc_len);
    child_send(self, &out, sizeof(out));
}

// ---- an importer that copies from when it is told until it fails ----------------------------

static int use(struct child *self, void *arg)
{
    struct handout out;
    struct copier c;
    (void)arg;
    ck_assert_uint_eq(child_receive(self, &out, sizeof(out)), sizeof(out));
    copier_start(&c, DPU_P0, SIZE);
    copier_import(&c, out.desc, out.desc_len);
    for (;;) {
        char word[16] = "";
        child_receive(self, word, sizeof(word) - 1);
        if (strcmp(word, "end") == 0)
            break;
        if (strcmp(word, "copy") == 0) {
            ck_assert_success(copier_read(&c, 0, c.length));
            ck_assert_success(copier_write(&c, 0, c.length));
        } else {
            doca_error_t error = copier_read_until_error(&c);
            ck_assert_error(error, DOCA_ERROR_CONNECTION_RESET);
        }
        child_tell(self, "done");
    }
    copier_stop(&c);
    return 0;
}

static void importer_does(struct child *importer, const char *word)
{
    child_tell(importer, word);
    child_wait(importer, "done");
}

// Starts both; the importer has the export.
static void start(child_fn owner_fn, struct child **owner, struct child **importer)
{
    struct handout out;
    nodes = node_pair_start();
    *owner = child_start(nodes.host, "owner", owner_fn, NULL);
    *importer = child_start(nodes.dpu, "importer", use, NULL);
    ck_assert_uint_eq(child_receive(*owner, &out, sizeof(out)), sizeof(out));
    child_send(*importer, &out, sizeof(out));
    importer_does(*importer, "copy");
}

static void end(struct child *owner, struct child *importer)
{
    child_tell(importer, "end");
    child_join(importer);
    child_tell(owner, "end");
    child_join(owner);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}

// ---- threads ----------------------------------------------------------------------------------

#define ROUNDS 60

static struct doca_dev *shared_dev;
static _Atomic bool over;

// Registers, exports and releases.
static void *register_again_and_again(void *arg)
{
    size_t size = (size_t)arg;
    uint8_t *memory = pages_new(size);
    for (int i = 0; i < ROUNDS; i++) {
        struct doca_mmap *map;
        const void *desc;
        size_t length;
        memset(memory, i, size);
        ck_assert_success(doca_mmap_create(NULL, &map));
        ck_assert_success(doca_mmap_set_memrange(map, memory + 3, size - 3));
        ck_assert_success(doca_mmap_set_permissions(map, DOCA_ACCESS_DPU_READ_WRITE));
        ck_assert_success(doca_mmap_dev_add(map, shared_dev));
        ck_assert_success(doca_mmap_start(map));
        ck_assert_success(doca_mmap_export_dpu(map, shared_dev, &desc, &length));
        ck_assert_success(doca_mmap_destroy(map));
        for (size_t k = 0; k < size; k += 1023)
            ck_assert_uint_eq(memory[k], (uint8_t)i);
    }
    munmap(memory, size);
    return NULL;
}

static void *run_jobs(void *arg)
{
    struct copier c;
    (void)arg;
    copier_start(&c, HOST_PF0, SIZE);
    c.remote = c.local;
    c.address = c.memory + SIZE / 2;
    for (uint8_t i = 0; !atomic_load(&over); i++) {
        memset(c.memory, i, SIZE / 2);
        ck_assert_success(copier_write(&c, 0, SIZE / 2));
        ck_assert_uint_eq(c.memory[SIZE / 2], i);
        ck_assert_uint_eq(c.memory[SIZE - 1], i);
    }
    c.remote = NULL;
    copier_stop(&c);
    return NULL;
}

static int own_with_threads(struct child *self, void *arg)
{
    struct exporter e;
    pthread_t registering[2], jobs[2];
    uint8_t *memory = pages_new(SIZE);
    (void)arg;
    exporter_start(&e, HOST_PF0, memory, SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    shared_dev = e.dev;
    hand_out(self, &e);
    child_wait(self, "go");
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&jobs[i], NULL, run_jobs, NULL), 0);
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&registering[i], NULL, register_again_and_again,
                                        (void *)((i + 1) * 40000)),
                         0);
    for (int i = 0; i < 2; i++)
        pthread_join(registering[i], NULL);
    atomic_store(&over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(jobs[i], NULL);
    child_tell(self, "done");
    child_wait(self, "end");
    exporter_stop(&e);
    munmap(memory, SIZE);
    return 0;
}

START_TEST(threads_register_while_others_run_jobs)
{
    struct child *owner, *importer;
    start(own_with_threads, &owner, &importer);
    child_tell(owner, "go");
    for (int i = 0; i < 20; i++)
        importer_does(importer, "copy");
    child_wait(owner, "done");
    importer_does(importer, "copy");
    end(owner, importer);
}
END_TEST

// ---- fork -------------------------------------------------------------------------------------

// In the forked process: the parent's objects stay the parent's, and the process can have its
// own.
static void be_forked(struct exporter *parents, uint8_t *memory)
{
    struct exporter own;
    uint8_t *more = pages_new(SIZE);
    const void *desc;
    size_t length;

    memory[100] = 'c'; // its own, as doca_mmap.h says
    ck_assert(doca_mmap_export_rdma(parents->mmap, parents->dev, &desc, &length) != DOCA_SUCCESS);
    ck_assert_success(doca_mmap_destroy(parents->mmap));
    memory[200] = 'c';
    exporter_start(&own, HOST_PF0, more, SIZE, DOCA_ACCESS_DPU_READ_ONLY);
    exporter_stop(&own);
    munmap(more, SIZE);
}

static int own_and_fork(struct child *self, void *arg)
{
    struct exporter e;
    uint8_t *memory = pages_new(SIZE);
    int status, hold[2];
    (void)arg;
    memset(memory, 'p', SIZE);
    exporter_start(&e, HOST_PF0, memory, SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    hand_out(self, &e);
    child_wait(self, "fork");
    pid_t pid = fork();
    if (pid == 0) {
        be_forked(&e, memory);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(memory[100], 'p');
    ck_assert_uint_eq(memory[200], 'p');
    child_tell(self, "forked");
    // And one that stays, with all that it inherited, when this process has gone.
    child_wait(self, "leave");
    ck_assert_int_eq(pipe(hold), 0);
    pid = fork();
    if (pid == 0) {
        char byte;
        close(hold[1]);
        ssize_t n = recv(self->channel, &byte, 1, 0); // until the test has closed its end
        (void)n;
        _exit(0);
    }
    _exit(0);
}

START_TEST(memory_of_a_process_that_forks)
{
    struct child *owner, *importer;
    start(own_and_fork, &owner, &importer);
    child_tell(owner, "fork");
    child_wait(owner, "forked");
    importer_does(importer, "copy");
    child_tell(owner, "leave");
    importer_does(importer, "fail"); // although the forked process lives
    child_tell(importer, "end");
    child_join(importer);
    child_join(owner);                         // lets the forked one go
    ck_assert_int_gt(waitpid(-1, NULL, 0), 0); // it has become a child of the test's
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}
END_TEST

// ---- revoked ----------------------------------------------------------------------------------

static int own_and_revoke(struct child *self, void *arg)
{
    struct exporter e;
    struct export_desc desc;
    const void *again;
    size_t length;
    uint8_t *memory = pages_new(SIZE);
    (void)arg;
    exporter_start(&e, HOST_PF0, memory, SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    ck_assert_success(doca_mmap_export_dpu(e.mmap, e.dev, &again, &length));
    ck_assert_mem_eq(again, e.desc, length);
    ck_assert_success(export_desc_decode(e.desc, e.desc_len, &desc, NULL));
    raw_revoke(getenv("DOCAD_SOCKET"), desc.export_id);
    ck_assert_error(doca_mmap_export_dpu(e.mmap, e.dev, &again, &length), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_success(doca_mmap_stop(e.mmap));
    ck_assert_success(doca_mmap_start(e.mmap));
    ck_assert_success(doca_mmap_export_dpu(e.mmap, e.dev, &again, &length));
    ck_assert_mem_ne(again, e.desc, length);
    e.desc_len = length;
    memcpy(e.desc, again, length);
    hand_out(self, &e);
    child_wait(self, "end");
    exporter_stop(&e);
    munmap(memory, SIZE);
    return 0;
}

START_TEST(revoked_and_exported_again)
{
    struct child *owner, *importer;
    start(own_and_revoke, &owner, &importer);
    end(owner, importer);
}
END_TEST

// ---- idle -------------------------------------------------------------------------------------

static int own_quietly(struct child *self, void *arg)
{
    struct exporter e;
    (void)arg;
    exporter_start(&e, HOST_PF0, brokered_memory, SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    hand_out(self, &e);
    child_wait(self, "end");
    exporter_stop(&e);
    return 0;
}

// CPU time of all threads of a daemon, in nanoseconds.
// ThreadSanitizer has a thread of its own, the second of each process, which wakes ten times a
// second.
#ifdef __SANITIZE_THREAD__
#define SANITIZERS_THREAD 2
#else
#define SANITIZERS_THREAD 0
#endif

static unsigned long long cpu_time(const struct daemon *daemon)
{
    char path[320];
    unsigned long long sum = 0;
    unsigned threads = 0;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)daemon->pid);
    DIR *dir = opendir(path);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        unsigned long long time = 0;
        if (e->d_name[0] == '.' || ++threads == SANITIZERS_THREAD)
            continue;
        snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)daemon->pid, e->d_name);
        cleanup_file FILE *f = fopen(path, "re");
        if (f && fscanf(f, "%llu", &time) == 1)
            sum += time;
    }
    closedir(dir);
    ck_assert_uint_gt(sum, 0);
    return sum;
}

// Clients are there, with memory, queue pairs and all, and do nothing. The daemons must do
// nothing, either.
START_TEST(idle_daemons_take_no_time)
{
    struct child *owner, *importer;
    start(own_quietly, &owner, &importer);
    unsigned long long before, after = 0;
    int64_t deadline = deadline_in(HARNESS_LIMIT_MS);
    do { // they may be on their way to sleep
        ck_assert_msg(now_ms() < deadline, "the daemons do not come to rest");
        before = after;
        for (volatile unsigned i = 0; i < 100000000; i++)
            ;
        after = cpu_time(nodes.host) + cpu_time(nodes.dpu);
    } while (before != after);
    importer_does(importer, "copy");
    end(owner, importer);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {threads_register_while_others_run_jobs,
                                  memory_of_a_process_that_forks, revoked_and_exported_again,
                                  idle_daemons_take_no_time};
    Suite *suite = suite_create("owner");
    TCase *tcase = tcase_create("owner");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
