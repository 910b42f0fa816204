// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Two programs that are connected by RDMA when the cable between their machines goes down:
//
//     cable works -p DEVICE OWN-FILE OTHER-FILE      writes and reads the other's memory
//     cable serves -p DEVICE OWN-FILE OTHER-FILE     has memory, and waits for the end
//
//     cable waits -p DEVICE OWN-FILE OTHER-FILE       for a message, and gets the end instead
//
//     cable counts -p DEVICE OWN-FILE OTHER-FILE     writes until it may not; OWN-FILE.rounds
//                                                    says how often it has written
//     cable holds -p DEVICE OWN-FILE OTHER-FILE      has memory until OWN-FILE.end is there
//
// Each says what it has come to on its standard output. Once their connection has ended they
// start their instances anew, exchange details by OWN-FILE.again and OTHER-FILE.again, and
// do all of it once more; who waits only wants to be told.

#include "../../../examples/common/example.h"
#include "../../../examples/common/rdma_setup.h"
#include "clock.h"

#include <doca_docad.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS     8 // in flight when the connection ends
#define HALF     (RDMA_MEMORY / 2)
#define ACCESS   (DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE)
#define WAIT_MS  120000
#define MESSAGE  64
#define PAUSE_US 1000

static struct rdma_setup setup;

static void say(const char *text)
{
    puts(text);
    fflush(stdout);
}

// ---- one connection ------------------------------------------------------------------------

static struct doca_buf *buffer(struct doca_mmap *map, char *at, size_t size)
{
    struct doca_buf *buf;
    must(doca_buf_inventory_buf_by_data(setup.inventory, map, at, size, &buf), "buffer");
    return buf;
}

static struct doca_rdma_job_read_write access_job(int type, struct doca_buf *dst,
                                                  struct doca_buf *src)
{
    return (struct doca_rdma_job_read_write){
        .base = {.type = type, .ctx = setup.ctx}, .dst_buff = dst, .src_buff = src};
}

// Waits for a job; returns what it ended with.
static doca_error_t retrieve(void)
{
    struct doca_rdma_result result = {0};
    struct doca_event event = {.result.ptr = &result};
    doca_error_t r;

    while ((r = doca_workq_progress_retrieve(setup.workq, &event, 0)) == DOCA_ERROR_AGAIN)
        ;
    return r == DOCA_ERROR_IO_FAILED ? result.result : r;
}

// Writes a pattern there and reads it back.
static void there_and_back(unsigned seed)
{
    struct doca_buf *sent = buffer(setup.map, setup.memory, HALF);
    struct doca_buf *back = buffer(setup.map, setup.memory + HALF, HALF);
    struct doca_buf *remote = buffer(setup.remote, setup.remote_memory, HALF);
    struct doca_rdma_job_read_write write = access_job(DOCA_RDMA_JOB_WRITE, remote, sent);
    struct doca_rdma_job_read_write read = access_job(DOCA_RDMA_JOB_READ, back, remote);

    for (size_t i = 0; i < HALF; i++)
        setup.memory[i] = (char)(i * 7 + seed);
    memset(setup.memory + HALF, 0, HALF);
    rdma_run(&setup, &write.base);
    rdma_run(&setup, &read.base);
    if (memcmp(setup.memory, setup.memory + HALF, HALF) != 0)
        fail("what was written is not what was read");
    must(doca_buf_refcount_rm(sent, NULL), "rm");
    must(doca_buf_refcount_rm(back, NULL), "rm");
    must(doca_buf_refcount_rm(remote, NULL), "rm");
}

// Writes, so many at a time, until they fail: the first one for want of an answer, the
// others because of it.
static void write_until_it_fails(void)
{
    struct doca_buf *src = buffer(setup.map, setup.memory, HALF);
    struct doca_buf *dst = buffer(setup.remote, setup.remote_memory, HALF);
    struct doca_rdma_job_read_write job = access_job(DOCA_RDMA_JOB_WRITE, dst, src);
    enum doca_rdma_state state;
    doca_error_t r;

    for (int i = 0; i < JOBS; i++)
        must(doca_workq_submit(setup.workq, &job.base), "submit");
    uint64_t answered = clock_ms();
    while ((r = retrieve()) == DOCA_SUCCESS) {
        answered = clock_ms();
        must(doca_workq_submit(setup.workq, &job.base), "submit");
        usleep(PAUSE_US);
    }
    printf("first: %s\n", doca_get_error_name(r));
    printf("unanswered for %llu ms\n", (unsigned long long)(clock_ms() - answered));
    if (r != DOCA_ERROR_CONNECTION_RESET)
        fail("a job without an answer ended with %s", doca_get_error_name(r));
    for (int i = 1; i < JOBS; i++)
        if ((r = retrieve()) != DOCA_ERROR_CONNECTION_ABORTED)
            fail("a job behind it ended with %s", doca_get_error_name(r));
    must(doca_rdma_get_state(setup.rdma, &state), "state");
    if (state != DOCA_RDMA_STATE_ERROR)
        fail("the instance is not in error");
    if (doca_workq_submit(setup.workq, &job.base) != DOCA_ERROR_BAD_STATE)
        fail("an instance in error takes jobs");
    must(doca_buf_refcount_rm(src, NULL), "rm");
    must(doca_buf_refcount_rm(dst, NULL), "rm");
}

// ---- a new one -------------------------------------------------------------------------------

static void write_file(const char *path, const void *bytes, size_t size)
{
    char making[4096 + 8];
    snprintf(making, sizeof(making), "%s.new", path);
    FILE *file = fopen(making, "we");
    if (!file || fwrite(bytes, size, 1, file) != 1 || fclose(file) != 0 ||
        rename(making, path) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
}

static size_t await_file(const char *path, void *bytes, size_t room)
{
    for (int i = 0; i < WAIT_MS; i++, usleep(1000)) {
        FILE *file = fopen(path, "re");
        if (!file)
            continue;
        size_t n = fread(bytes, 1, room, file);
        fclose(file);
        return n;
    }
    fail("nobody has written %s", path);
}

// The test's word: a file.
static void await_word(const char *own, const char *word)
{
    char path[4096], text[MESSAGE];
    snprintf(path, sizeof(path), "%s.%s", own, word);
    await_file(path, text, sizeof(text));
}

// The memory stays the other side's; the connection is new.
static void connect_again(const char *own, const char *other)
{
    uint8_t theirs[DOCAD_EXPORT_DESC_SIZE];
    const void *bytes;
    char path[4096];
    size_t size;

    must(doca_ctx_workq_rm(setup.ctx, setup.workq), "workq_rm");
    must(doca_ctx_stop(setup.ctx), "stop");
    must(doca_ctx_start(setup.ctx), "start");
    must(doca_ctx_workq_add(setup.ctx, setup.workq), "workq_add");
    must(doca_rdma_export(setup.rdma, &bytes, &size), "export");
    snprintf(path, sizeof(path), "%s.again", own);
    write_file(path, bytes, size);
    snprintf(path, sizeof(path), "%s.again", other);
    size = await_file(path, theirs, sizeof(theirs));
    must(doca_rdma_connect(setup.rdma, theirs, size), "connect again");
    say("connected again");
}

// ---- the two -----------------------------------------------------------------------------------

static void works(const char *own, const char *other)
{
    there_and_back(1);
    say("connected");
    write_until_it_fails();
    say("ended");
    await_word(own, "up");
    connect_again(own, other);
    there_and_back(2);
    rdma_tell(&setup);
}

// It hears nothing of the cable: the test tells it.
static void serves(const char *own, const char *other)
{
    say("connected");
    await_word(own, "ended");
    connect_again(own, other);
    rdma_await(&setup);
}

// It sends nothing: docad tells it that the other side has gone.
static void waits(void)
{
    struct doca_rdma_job_recv job = {.base = {.type = DOCA_RDMA_JOB_RECV, .ctx = setup.ctx}};

    must(doca_workq_submit(setup.workq, &job.base), "submit");
    say("connected");
    doca_error_t r = retrieve();
    printf("ended: %s\n", doca_get_error_name(r));
    if (r != DOCA_ERROR_CONNECTION_RESET)
        fail("a receive from a dead process ended with %s", doca_get_error_name(r));
}

// The map is revoked while docad cannot say so: it writes until it hears of it.
static void counts(const char *own)
{
    struct doca_buf *src = buffer(setup.map, setup.memory, HALF);
    struct doca_buf *dst = buffer(setup.remote, setup.remote_memory, HALF);
    struct doca_rdma_job_read_write job = access_job(DOCA_RDMA_JOB_WRITE, dst, src);
    char path[4096], text[16];
    doca_error_t r = DOCA_SUCCESS;

    say("connected");
    snprintf(path, sizeof(path), "%s.rounds", own);
    for (unsigned i = 1; r == DOCA_SUCCESS; i++, usleep(PAUSE_US)) {
        r = doca_workq_submit(setup.workq, &job.base);
        if (r == DOCA_SUCCESS)
            r = retrieve();
        snprintf(text, sizeof(text), "%u\n", i);
        write_file(path, text, strlen(text));
    }
    printf("ended: %s\n", doca_get_error_name(r));
    if (r != DOCA_ERROR_NOT_PERMITTED)
        fail("a write to memory that was revoked ended with %s", doca_get_error_name(r));
    must(doca_buf_refcount_rm(src, NULL), "rm");
    must(doca_buf_refcount_rm(dst, NULL), "rm");
}

int main(int argc, char **argv)
{
    if (argc != 6)
        fail("usage: works|serves|waits|counts|holds -p DEVICE OWN-FILE OTHER-FILE");
    rdma_setup(&setup, argc - 1, argv + 1, ACCESS, NULL);
    if (strcmp(argv[1], "works") == 0)
        works(argv[4], argv[5]);
    else if (strcmp(argv[1], "waits") == 0)
        waits();
    else if (strcmp(argv[1], "counts") == 0)
        counts(argv[4]);
    else if (strcmp(argv[1], "holds") == 0)
        await_word(argv[4], "end");
    else
        serves(argv[4], argv[5]);
    rdma_teardown(&setup);
    say("done");
    return 0;
}
