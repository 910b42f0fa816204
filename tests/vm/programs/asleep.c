// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program that sleeps in epoll_wait() while something happens to its RDMA device, and looks at
// nothing meanwhile:
//
//     asleep receives -p DEVICE OWN-FILE OTHER-FILE     with receives
//     asleep sends -p DEVICE OWN-FILE OTHER-FILE        with messages, sent when OWN-FILE.go is
//                                                       there
//     asleep writes -p DEVICE OWN-FILE OTHER-FILE       with writes, likewise
//     asleep waits -p DEVICE OWN-FILE OTHER-FILE        with writes that wait for a receive
//     asleep unconnected -p DEVICE OWN-FILE OTHER-FILE  with receives, not connected (again): it
//                                                       says `met`, and OWN-FILE.go is awaited
//     asleep idle -p DEVICE OWN-FILE OTHER-FILE         without a job, until its connection ends
//
// It says `connected`, and `asleep` before it falls asleep. Then it says what became of its
// jobs, of its instance, and of another job and another start; closes all it has; says `closed`;
// and stays until OWN-FILE.end is there.

#include "../../../examples/common/example.h"
#include "../../../examples/common/rdma_setup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define JOBS        6
#define HALF        (RDMA_MEMORY / 2)
#define ACCESS      (DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE)
#define WAIT_MS     120000
#define WAKES_MAX   50
#define QUIET_MS    500 // a handle that stays readable forever is readable by then
#define QUIET_WAKES 3

static struct rdma_setup setup;
static const char *own_file;
static doca_event_handle_t handle;
static int epoll_fd;
static unsigned wakes;
static struct doca_buf *source, *destination; // of writes

static void say(const char *text)
{
    puts(text);
    fflush(stdout);
}

// The test's word: a file.
static void await_word(const char *word)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s.%s", own_file, word);
    for (int i = 0; access(path, F_OK) < 0; i++, usleep(1000))
        if (i > WAIT_MS)
            fail("nobody has written %s", path);
}

// ---- asleep ------------------------------------------------------------------------------------

static void be_event_driven(void)
{
    struct epoll_event event = {.events = EPOLLIN};

    must(doca_ctx_workq_rm(setup.ctx, setup.workq), "workq_rm");
    must(doca_workq_get_event_handle(setup.workq, &handle), "handle");
    must(doca_ctx_workq_add(setup.ctx, setup.workq), "workq_add");
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event) < 0)
        fail("epoll: %s", strerror(errno));
}

static int sleep_once(int ms)
{
    struct epoll_event event;

    must(doca_workq_event_handle_arm(setup.workq), "arm");
    int n = epoll_wait(epoll_fd, &event, 1, ms);
    must(doca_workq_event_handle_clear(setup.workq, handle), "clear");
    return n;
}

static void sleep_until_woken(void)
{
    if (sleep_once(WAIT_MS) != 1)
        fail("nobody has woken it");
    if (++wakes > WAKES_MAX)
        fail("it is woken again and again");
}

// Waits for the next job; returns what it ended with.
static doca_error_t sleep_until_done(void)
{
    struct doca_rdma_result result = {0};
    struct doca_event event = {.result.ptr = &result};
    doca_error_t r;

    while ((r = doca_workq_progress_retrieve(setup.workq, &event, 0)) == DOCA_ERROR_AGAIN)
        sleep_until_woken();
    return r == DOCA_ERROR_IO_FAILED ? result.result : r;
}

// ---- jobs --------------------------------------------------------------------------------------

static doca_error_t submit_receive(void)
{
    struct doca_rdma_job_recv job = {.base = {.type = DOCA_RDMA_JOB_RECV, .ctx = setup.ctx}};
    return doca_workq_submit(setup.workq, &job.base);
}

static void submit_send(void)
{
    struct doca_rdma_job_send job = {.base = {.type = DOCA_RDMA_JOB_SEND, .ctx = setup.ctx}};
    must(doca_workq_submit(setup.workq, &job.base), "submit a send");
}

static struct doca_buf *buffer(struct doca_mmap *map, char *at)
{
    struct doca_buf *buf;
    must(doca_buf_inventory_buf_by_data(setup.inventory, map, at, HALF, &buf), "buffer");
    return buf;
}

static void submit_write(int type)
{
    struct doca_rdma_job_read_write job = {
        .base = {.type = type, .ctx = setup.ctx}, .src_buff = source, .dst_buff = destination};
    must(doca_workq_submit(setup.workq, &job.base), "submit a write");
}

static void receives(void)
{
    for (int i = 0; i < JOBS; i++)
        must(submit_receive(), "submit a receive");
}

static void sends(void)
{
    await_word("go");
    for (int i = 0; i < JOBS; i++)
        submit_send();
}

static void writes(void)
{
    await_word("go");
    for (int i = 0; i < JOBS; i++)
        submit_write(DOCA_RDMA_JOB_WRITE);
}

// Only those with an immediate wait for a receive, and all behind them.
static void waits(void)
{
    for (int i = 0; i < JOBS; i++)
        submit_write(i % 2 == 0 ? DOCA_RDMA_JOB_WRITE_IMM : DOCA_RDMA_JOB_WRITE);
}

// Once the other side has connected and has all that it waits for.
static void unconnected(void)
{
    must(submit_receive(), "submit a receive");
    submit_send();
    must(sleep_until_done(), "the first job");
    must(sleep_until_done(), "the second job");
    say("met");
    await_word("go");
    must(doca_ctx_workq_rm(setup.ctx, setup.workq), "workq_rm");
    must(doca_ctx_stop(setup.ctx), "stop");
    must(doca_ctx_start(setup.ctx), "start");
    must(doca_ctx_workq_add(setup.ctx, setup.workq), "workq_add");
    receives();
}

// ---- the end
// -------------------------------------------------------------------------------------

static enum doca_rdma_state state(void)
{
    enum doca_rdma_state now;
    must(doca_rdma_get_state(setup.rdma, &now), "state");
    return now;
}

static void await_jobs(void)
{
    say("asleep");
    for (int i = 0; i < JOBS; i++)
        printf("job: %s\n", doca_get_error_name(sleep_until_done()));
}

static void await_end(void)
{
    say("asleep");
    while (state() != DOCA_RDMA_STATE_ERROR)
        sleep_until_woken();
}

static void look_around(void)
{
    static const char *const states[] = {"reset", "init", "connected", "error"};

    printf("state: %s\n", states[state()]);
    doca_error_t r = submit_receive();
    printf("one more: %s\n", doca_get_error_name(r));
    // Completions that were taken already may wake it once more.
    for (int i = 0; r != DOCA_SUCCESS && sleep_once(QUIET_MS) != 0; i++)
        if (i == QUIET_WAKES)
            fail("there is nothing to wait for, and it is woken again and again");
}

static void close_all(void)
{
    must(doca_ctx_workq_rm(setup.ctx, setup.workq), "workq_rm");
    must(doca_ctx_stop(setup.ctx), "stop");
    doca_error_t r = doca_ctx_start(setup.ctx);
    printf("start: %s\n", doca_get_error_name(r));
    if (r == DOCA_SUCCESS)
        must(doca_ctx_stop(setup.ctx), "stop again");
    must(doca_workq_destroy(setup.workq), "destroy the work queue");
    must(doca_rdma_destroy(setup.rdma), "destroy the instance");
    must(doca_buf_refcount_rm(source, NULL), "give the source back");
    must(doca_buf_refcount_rm(destination, NULL), "give the destination back");
    must(doca_buf_inventory_destroy(setup.inventory), "destroy the inventory");
    must(doca_mmap_destroy(setup.remote), "destroy the remote map");
    must(doca_mmap_destroy(setup.map), "destroy the map");
    must(doca_dev_close(setup.dev), "close the device");
}

static const struct {
    const char *name;
    void (*begin)(void); // its jobs; NULL: none
} kinds[] = {{"receives", receives},       {"sends", sends}, {"writes", writes}, {"waits", waits},
             {"unconnected", unconnected}, {"idle", NULL}};

int main(int argc, char **argv)
{
    size_t kind = 0, n = sizeof(kinds) / sizeof(kinds[0]);

    while (argc == 6 && kind < n && strcmp(kinds[kind].name, argv[1]) != 0)
        kind++;
    if (argc != 6 || kind == n)
        fail("usage: receives|sends|writes|waits|unconnected|idle -p DEVICE OWN-FILE OTHER-FILE");
    own_file = argv[4];
    rdma_setup(&setup, argc - 1, argv + 1, ACCESS, NULL);
    source = buffer(setup.map, setup.memory);
    destination = buffer(setup.remote, setup.remote_memory);
    be_event_driven();
    say("connected");
    if (kinds[kind].begin) {
        kinds[kind].begin();
        await_jobs();
    } else {
        await_end();
    }
    look_around();
    close_all();
    say("closed");
    await_word("end");
    return 0;
}
