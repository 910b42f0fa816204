// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs of DOCA 3 that break no rule, though it may look so, or that do what docad refuses:
// legal_3 [NAME].

#include "copies_3.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOME (4 * PART)

// ---- lists

// More buffers than the rules look at. docad refuses the list.
static void long_list(bool wrong)
{
    enum { COUNT = 5000 };
    static struct doca_buf *list[COUNT];
    struct copies copies;
    struct doca_buf_inventory *many;
    (void)wrong;
    copies_begin(&copies, SOME);
    must(doca_buf_inventory_create(COUNT, &many));
    must(doca_buf_inventory_start(many));
    for (unsigned i = 0; i < COUNT; i++)
        must(doca_buf_inventory_buf_get_by_data(many, copies.map, copies.memory, 1, &list[i]));
    for (unsigned i = COUNT - 1; i-- > 0;)
        must(doca_buf_chain_list(list[i], list[i + 1]));
    struct doca_buf *one = copies_empty(&copies, PART, PART);
    for (unsigned i = 0; i < 2; i++) {
        struct doca_dma_task_memcpy *task;
        union doca_data none = {0};
        if (doca_dma_task_memcpy_alloc_init(copies.dmas[0], i ? one : list[0], i ? list[0] : one,
                                            none, &task) != DOCA_SUCCESS)
            continue;
        if (doca_task_submit(doca_dma_task_memcpy_as_task(task)) == DOCA_SUCCESS)
            copies_await(&copies, copies.done + 1);
        copies_free(task);
    }
    copies_give_back(one);
    copies_give_back(list[0]);
    must(doca_buf_inventory_destroy(many));
    copies_end(&copies);
}

// ---- ends at any time

// The workbench reads a source by this function, with its lock held.
static bool raises;

__attribute__((visibility("default"))) ssize_t
process_vm_readv(pid_t pid, const struct iovec *here, unsigned long here_count,
                 const struct iovec *there, unsigned long there_count, unsigned long flags);
ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long here_count,
                         const struct iovec *there, unsigned long there_count, unsigned long flags)
{
    (void)pid, (void)here, (void)here_count, (void)there, (void)there_count, (void)flags;
    if (raises)
        raise(SIGINT);
    errno = EPERM;
    return -1;
}

static void end_here(int number)
{
    (void)number;
    exit(0); // as many programs do
}

static void exit_in_handler(bool wrong)
{
    struct copies copies;
    (void)wrong;
    copies_begin(&copies, SOME);
    struct doca_buf *from = copies_full(&copies, 0, PART), *to = copies_empty(&copies, PART, PART);
    signal(SIGINT, end_here);
    raises = true;
    copies_submit(copies_task(&copies, 0, from, to));
    abort(); // the workbench reads no source
}

static void in_thread(void *(*what)(void *of), void *of)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, what, of) != 0 || pthread_join(thread, NULL) != 0)
        abort();
}

static void *take_and_end(void *of)
{
    struct copies *copies = of;
    pthread_cancel(pthread_self()); // at the next cancellation point
    copies_give_back(copies_full(copies, 0, PART));
    pthread_testcancel();
    return NULL;
}

static void *request_and_end(void *of)
{
    const struct copies *copies = of;
    pthread_cancel(pthread_self());
    (void)doca_pe_request_notification(copies->pe);
    pthread_testcancel();
    return NULL;
}

// A thread is cancelled in a call that has no cancellation point. Others go on.
static void cancelled(bool wrong)
{
    struct copies copies;
    doca_notification_handle_t handle;
    (void)wrong;
    copies_begin(&copies, SOME);
    copies_give_back(copies_full(&copies, 0, PART));
    in_thread(take_and_end, &copies);
    copies_give_back(copies_full(&copies, 0, PART));
    must(doca_pe_get_notification_handle(copies.pe, &handle));
    in_thread(request_and_end, &copies);
    copies_end(&copies);
}

// ---- children

// Uses the number of a handle of its parent for a pipe.
static void child_of(int handle)
{
    int ends[2];
    close(handle);
    if (pipe(ends) != 0 || (ends[0] != handle && dup2(ends[0], handle) < 0))
        abort();
    (void)poll(&(struct pollfd){.fd = handle, .events = POLLIN}, 1, 1);
    _exit(0);
}

static void forked(bool wrong)
{
    struct copies copies;
    doca_notification_handle_t handle;
    int status = -1;
    (void)wrong;
    copies_begin(&copies, SOME);
    must(doca_pe_get_notification_handle(copies.pe, &handle));
    pid_t child = fork();
    if (child == 0)
        child_of(handle);
    if (waitpid(child, &status, 0) != child || status != 0)
        exit(1);
    copies_end(&copies);
}

int main(int argc, char **argv)
{
    static const struct rule_case cases[] = {
        {"long-list", long_list},
        {"exit-in-handler", exit_in_handler},
        {"cancelled", cancelled},
        {"forked", forked},
    };
    return run_cases(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
