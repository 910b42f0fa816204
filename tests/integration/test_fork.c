// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs that fork while they use DOCA: what a child does, with its memory or with the objects
// that it inherited, is neither seen nor felt by the parent and its peers.

#include "client.h"

#include "child.h"
#include "cleanup.h"
#include "nodes.h"
#include "run.h"
#include "talk.h"

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define SIZE (128u * 1024)

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

static void pass_on(struct child *from, struct child *to)
{
    struct handout out;
    ck_assert_uint_eq(child_receive(from, &out, sizeof(out)), sizeof(out));
    child_send(to, &out, sizeof(out));
}

static void be_imported(struct child *self, struct copier *c)
{
    struct handout out;
    ck_assert_uint_eq(child_receive(self, &out, sizeof(out)), sizeof(out));
    copier_import(c, out.desc, out.desc_len);
}

typedef void (*forked_fn)(void *arg);

// Runs it in a forked process to the end.
static void fork_and_wait(forked_fn fn, void *arg)
{
    int status;
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        alarm(60); // ends a process that hangs
        fn(arg);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

static bool all_are(const uint8_t *p, size_t n, uint8_t value)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != value)
            return false;
    return true;
}

// ---- an importer

// Reads when it is told to, and says what the first and the last byte are.
static int import(struct child *self, void *arg)
{
    struct copier c;
    char word[16];
    (void)arg;
    copier_start(&c, DPU_P0, SIZE + 4096);
    be_imported(self, &c);
    for (;;) {
        memset(word, 0, sizeof(word));
        child_receive(self, word, sizeof(word) - 1);
        if (strcmp(word, "end") == 0)
            break;
        if (strcmp(word, "another") == 0) {
            copier_release(&c);
            be_imported(self, &c);
            continue;
        }
        ck_assert_success(copier_read(&c, 0, c.length));
        child_send(self, (uint8_t[]){c.memory[0], c.memory[c.length - 1]}, 2);
    }
    copier_stop(&c);
    return 0;
}

static void importer_sees(struct child *importer, uint8_t value)
{
    uint8_t seen[2];
    child_tell(importer, "read");
    ck_assert_uint_eq(child_receive(importer, seen, 2), 2);
    ck_assert_uint_eq(seen[0], value);
    ck_assert_uint_eq(seen[1], value);
}

// ---- memory

// The memory of one map.
struct piece {
    uint8_t *p;
    size_t size;
    struct exporter e;
};

#define N_PIECES 5

static uint8_t static_bytes[SIZE];

static void make_pieces(struct piece *pieces, uint8_t *stack, size_t stack_size)
{
    pieces[0] = (struct piece){.p = pages_new(SIZE), .size = SIZE};
    pieces[1] = (struct piece){.p = malloc(SIZE + 77), .size = SIZE + 77};
    pieces[2] = (struct piece){.p = static_bytes, .size = SIZE};
    pieces[3] = (struct piece){.p = stack, .size = stack_size};
    pieces[4] = (struct piece){.p = malloc(6), .size = 6};
    for (size_t i = 0; i < N_PIECES; i++) {
        memset(pieces[i].p, 'p', pieces[i].size);
        exporter_start(&pieces[i].e, HOST_PF0, pieces[i].p, pieces[i].size,
                       i % 2 ? DOCA_ACCESS_DPU_READ_ONLY : DOCA_ACCESS_DPU_READ_WRITE);
    }
}

static void check_pieces(const struct piece *pieces, uint8_t value)
{
    for (size_t i = 0; i < N_PIECES; i++)
        ck_assert_msg(all_are(pieces[i].p, pieces[i].size, value), "piece %zu has changed", i);
}

static void fill_pieces(struct piece *pieces, uint8_t value)
{
    for (size_t i = 0; i < N_PIECES; i++)
        memset(pieces[i].p, value, pieces[i].size);
}

static void write_pieces(void *arg)
{
    check_pieces(arg, 'p');
    fill_pieces(arg, 'c');
    check_pieces(arg, 'c');
}

static void use_the_heap(void *arg)
{
    struct piece *pieces = arg;
    void *blocks[200];
    for (size_t i = 0; i < 200; i++)
        memset(blocks[i] = malloc(i * 997 + 1), 'c', i * 997 + 1);
    for (size_t i = 0; i < 200; i += 2)
        free(blocks[i]);
    memset(pieces[1].p, 'c', pieces[1].size);
    pieces[1].p = realloc(pieces[1].p, 2 * SIZE);
    ck_assert(all_are(pieces[1].p, SIZE, 'c'));
    free(pieces[1].p);
    free(pieces[4].p);
}

static void be_grandparent(void *arg)
{
    write_pieces(arg);
    fill_pieces(arg, 'p');
    fork_and_wait(write_pieces, arg);
    check_pieces(arg, 'p');
    fill_pieces(arg, 'c');
}

static struct piece *of_exit_handler;

static void end_maps(void)
{
    for (size_t i = 0; i < N_PIECES; i++) {
        (void)doca_mmap_stop(of_exit_handler[i].e.mmap);
        (void)doca_mmap_destroy(of_exit_handler[i].e.mmap);
        (void)doca_dev_close(of_exit_handler[i].e.dev);
    }
}

static void end_by_handlers(void *arg)
{
    of_exit_handler = arg;
    write_pieces(arg);
    end_maps();
    check_pieces(arg, 'c'); // its own to the end
}

// Programs that a child executes, and that need no handlers.
static void run_programs(void)
{
    static char name[] = "true";
    char *const argv[] = {name, NULL}, *const none[] = {NULL};
    int status;
    pid_t pid;
    ck_assert_int_eq(system("true"), 0);
    ck_assert_int_eq(posix_spawnp(&pid, "true", NULL, NULL, argv, none), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    pid = fork();
    if (pid == 0) {
        execvp("true", argv);
        _exit(1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    pid = vfork(); // NOLINT: it is what programs call
    if (pid == 0) {
        execvp("true", argv);
        _exit(1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

static void fork_in_all_ways(struct piece *pieces)
{
    static const forked_fn ways[] = {write_pieces, use_the_heap, be_grandparent, end_by_handlers};
    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
        fork_and_wait(ways[i], pieces);
        check_pieces(pieces, 'p');
    }
    run_programs();
    check_pieces(pieces, 'p');
}

static int export_and_fork(struct child *self, void *limit)
{
    struct piece pieces[N_PIECES];
    uint8_t stack[8 * 4096];
    setenv("DOCAD_FORK_COPY", limit, 1);
    make_pieces(pieces, stack, sizeof(stack));
    for (size_t i = 0; i < N_PIECES; i++)
        hand_out(self, &pieces[i].e);
    child_wait(self, "fork");
    fork_in_all_ways(pieces);
    child_tell(self, "forked");
    child_wait(self, "write");
    fill_pieces(pieces, 'q');
    child_tell(self, "written");
    child_wait(self, "end");
    for (size_t i = 0; i < N_PIECES; i++)
        exporter_stop(&pieces[i].e);
    check_pieces(pieces, 'q');
    free(pieces[1].p);
    free(pieces[4].p);
    munmap(pieces[0].p, SIZE);
    return 0;
}

static void memory_stays(const char *limit)
{
    struct child *importers[N_PIECES];
    nodes = node_pair_start();
    struct child *owner = child_start(nodes.host, "owner", export_and_fork, (void *)limit);
    for (size_t i = 0; i < N_PIECES; i++) {
        importers[i] = child_start(nodes.dpu, "importer", import, NULL);
        pass_on(owner, importers[i]);
        importer_sees(importers[i], 'p');
    }
    child_tell(owner, "fork");
    child_wait(owner, "forked");
    for (size_t i = 0; i < N_PIECES; i++)
        importer_sees(importers[i], 'p');
    child_tell(owner, "write");
    child_wait(owner, "written");
    for (size_t i = 0; i < N_PIECES; i++) {
        importer_sees(importers[i], 'q');
        child_tell(importers[i], "end");
        child_join(importers[i]);
    }
    child_tell(owner, "end");
    child_join(owner);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}

START_TEST(memory_that_is_copied)
{
    memory_stays("unlimited");
}
END_TEST

START_TEST(memory_that_is_not_copied)
{
    memory_stays("0");
}
END_TEST

// ---- a daemon

static void write_it(void *memory)
{
    memset(memory, 'c', SIZE);
}

// Goes on in a child, as servers do, with memory that its parent had registered.
static int become_a_daemon(struct child *self, void *limit)
{
    struct exporter e;
    uint8_t *memory = malloc(SIZE);
    setenv("DOCAD_FORK_COPY", limit, 1);
    memset(memory, 'p', SIZE);
    exporter_start(&e, HOST_PF0, memory, SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    hand_out(self, &e);
    child_wait(self, "daemon");
    ck_assert_int_eq(daemon(1, 1), 0);
    ck_assert_int_eq(prctl(PR_SET_PDEATHSIG, 0), 0);
    ck_assert(all_are(memory, SIZE, 'p'));
    // What the parent had went with it.
    ck_assert_success(doca_mmap_stop(e.mmap));
    ck_assert_error(doca_mmap_start(e.mmap), DOCA_ERROR_NOT_PERMITTED);
    ck_assert_success(doca_mmap_destroy(e.mmap));
    ck_assert_success(doca_dev_close(e.dev));
    memset(memory, 'd', SIZE);
    exporter_start(&e, HOST_PF0, memory, SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    hand_out(self, &e);
    child_wait(self, "fork");
    fork_and_wait(write_it, memory);
    ck_assert(all_are(memory, SIZE, 'd'));
    child_tell(self, "forked");
    char byte;
    ssize_t n = recv(self->channel, &byte, 1, 0); // until the test closes its end
    (void)n;
    exporter_stop(&e);
    free(memory);
    _exit(0);
}

static void daemon_goes_on(const char *limit)
{
    nodes = node_pair_start();
    struct child *owner = child_start(nodes.host, "owner", become_a_daemon, (void *)limit);
    struct child *importer = child_start(nodes.dpu, "importer", import, NULL);
    pass_on(owner, importer);
    importer_sees(importer, 'p');
    child_tell(owner, "daemon");
    child_tell(importer, "another");
    pass_on(owner, importer);
    importer_sees(importer, 'd');
    child_tell(owner, "fork");
    child_wait(owner, "forked");
    importer_sees(importer, 'd');
    child_tell(importer, "end");
    child_join(importer);
    child_join(owner);                         // lets the daemon go
    ck_assert_int_gt(waitpid(-1, NULL, 0), 0); // it has become a child of the test's
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}

START_TEST(daemon_with_copies)
{
    daemon_goes_on("64M");
}
END_TEST

START_TEST(daemon_without_copies)
{
    daemon_goes_on("0");
}
END_TEST

// ---- objects that a child inherits

static void use_inherited_copier(void *arg)
{
    struct copier *c = arg;
    memset(c->memory, 'c', c->size);
    ck_assert_error(copier_write(c, 0, c->length), DOCA_ERROR_CONNECTION_RESET);
    ck_assert_error(copier_read(c, 0, c->length), DOCA_ERROR_CONNECTION_RESET);
    copier_stop(c);
    // With its own objects everything works.
    copier_start(c, DPU_P0, SIZE);
    copier_stop(c);
}

static void end_inherited_copier(void *arg)
{
    copier_stop(arg);
}

static void sleep_and_read(struct copier *c, bool event_driven, doca_event_handle_t handle)
{
    struct doca_buf *dst, *src;
    struct doca_event event;
    ck_assert_success(
        doca_buf_inventory_buf_by_addr(c->inventory, c->local, c->memory, c->length, &dst));
    ck_assert_success(
        doca_buf_inventory_buf_by_data(c->inventory, c->remote, c->address, c->length, &src));
    struct doca_dma_job_memcpy job = {
        .base = {.type = DOCA_DMA_JOB_MEMCPY, .ctx = c->ctx},
        .dst_buff = dst,
        .src_buff = src,
    };
    doca_error_t result;
    ck_assert_success(doca_workq_submit(c->workq, &job.base));
    do {
        if (event_driven)
            workq_sleep(c->workq, handle);
        result = doca_workq_progress_retrieve(c->workq, &event, DOCA_WORKQ_RETRIEVE_FLAGS_NONE);
    } while (result == DOCA_ERROR_AGAIN);
    ck_assert_success(result);
    ck_assert_success(doca_buf_refcount_rm(dst, NULL));
    ck_assert_success(doca_buf_refcount_rm(src, NULL));
}

static int import_and_fork(struct child *self, void *event_driven)
{
    struct copier c;
    doca_event_handle_t handle = doca_event_invalid_handle;
    copier_start(&c, DPU_P0, SIZE);
    be_imported(self, &c);
    if (event_driven) {
        ck_assert_success(doca_ctx_workq_rm(c.ctx, c.workq));
        ck_assert_success(doca_workq_set_event_driven_enable(c.workq, 1));
        ck_assert_success(doca_workq_get_event_handle(c.workq, &handle));
        ck_assert_success(doca_ctx_workq_add(c.ctx, c.workq));
    }
    for (int i = 0; i < 3; i++) {
        sleep_and_read(&c, event_driven, handle);
        ck_assert(all_are(c.memory, c.length, 'p'));
        fork_and_wait(i ? end_inherited_copier : use_inherited_copier, &c);
        ck_assert(all_are(c.memory, c.length, 'p'));
    }
    sleep_and_read(&c, event_driven, handle);
    copier_stop(&c);
    return 0;
}

// The memory lies in a file of the program if `brokered` is set.
static int export_only(struct child *self, void *brokered)
{
    struct exporter e;
    uint8_t *memory = brokered ? brokered_memory : pages_new(SIZE);
    memset(memory, 'p', SIZE);
    exporter_start(&e, HOST_PF0, memory, SIZE, DOCA_ACCESS_DPU_READ_WRITE);
    hand_out(self, &e);
    child_wait(self, "end");
    ck_assert(all_are(memory, SIZE, 'p')); // no child has written there
    exporter_stop(&e);
    return 0;
}

static void importer_forks(bool brokered, bool event_driven)
{
    nodes = node_pair_start();
    struct child *owner = child_start(nodes.host, "owner", export_only, brokered ? &nodes : NULL);
    struct child *importer =
        child_start(nodes.dpu, "importer", import_and_fork, event_driven ? &nodes : NULL);
    pass_on(owner, importer);
    child_join(importer);
    child_tell(owner, "end");
    child_join(owner);
    assert_baseline(nodes.host);
    assert_baseline(nodes.dpu);
}

START_TEST(importer_that_forks)
{
    importer_forks(_i & 1, _i & 2);
}
END_TEST

// ---- channels

static void talk_as_child(void *arg)
{
    struct talk *t = arg;
    char text[4096];
    struct doca_comm_channel_addr_t *from;
    ck_assert_int_ne(talk_send(t, t->peer, "child"), DOCA_SUCCESS);
    ck_assert_int_ne(talk_recv(t, &from, text), DOCA_SUCCESS);
    talk_close(t);
}

static void close_as_child(void *arg)
{
    talk_close(arg);
}

static int serve(struct child *self, void *arg)
{
    struct talk t;
    (void)arg;
    talk_listen(&t, "service", HOST_PF0, (struct talk_sizes){0});
    child_tell(self, "listening");
    for (int i = 0; i < 3; i++) {
        struct doca_comm_channel_addr_t *from = talk_expect(&t, "hello");
        fork_and_wait(close_as_child, &t);
        ck_assert_success(talk_send(&t, from, "answer"));
    }
    talk_expect(&t, "bye");
    child_wait(self, "end");
    talk_close(&t);
    return 0;
}

static int talk_and_fork(struct child *self, void *arg)
{
    struct talk t;
    (void)arg;
    (void)self;
    talk_connect(&t, HOST_PF0, "service", (struct talk_sizes){0});
    for (int i = 0; i < 3; i++) {
        ck_assert_success(talk_send(&t, t.peer, "hello"));
        fork_and_wait(i ? close_as_child : talk_as_child, &t);
        talk_expect(&t, "answer");
    }
    ck_assert_success(talk_send(&t, t.peer, "bye"));
    talk_close(&t);
    return 0;
}

START_TEST(channels)
{
    nodes = node_pair_start();
    struct child *service = child_start(nodes.dpu, "service", serve, NULL);
    child_wait(service, "listening");
    struct child *client = child_start(nodes.host, "client", talk_and_fork, NULL);
    child_join(client);
    child_tell(service, "end");
    child_join(service);
    assert_no_channels(&nodes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {memory_that_is_copied, memory_that_is_not_copied,
                                  daemon_with_copies, daemon_without_copies, channels};
    Suite *suite = suite_create("fork");
    TCase *tcase = tcase_create("fork");
    tcase_add_checked_fixture(tcase, env_setup, env_teardown);
    for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, importer_that_forks, 0, 4);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
