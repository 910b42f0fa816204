// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Programs of DOCA 3 that break no rule, though it may look so, or that do what docad refuses:
// legal_3 [NAME].

#include "copies_3.h"
#include "graphs_3.h"
#include "late_3.h"

#include <dlfcn.h>
#include <doca_rdma.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
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

// What was a list is given back one by one.
static void taken_apart(bool wrong)
{
    struct copies copies;
    struct doca_buf *list[3];
    (void)wrong;
    copies_begin(&copies, SOME);
    for (size_t i = 0; i < 3; i++)
        list[i] = copies_full(&copies, i * PART, PART);
    must(doca_buf_chain_list(list[1], list[2]));
    must(doca_buf_chain_list(list[0], list[1]));
    must(doca_buf_unchain_list(list[0], list[1]));
    must(doca_buf_unchain_list(list[1], list[2]));
    for (size_t i = 0; i < 3; i++)
        copies_give_back(list[i]);
    copies_end(&copies);
}

// ---- threads

static void *ask_range(void *of)
{
    const struct copies *copies = of;
    for (unsigned i = 0; i < 200; i++) {
        void *memory;
        size_t length;
        uint32_t buffers, key;
        must(doca_mmap_get_memrange(copies->map, &memory, &length));
        must(doca_mmap_get_num_bufs(copies->map, &buffers));
        (void)doca_mmap_get_mkey(copies->map, copies->dev, &key);
    }
    return NULL;
}

// Each thread computes its part of the memory.
static void asking_threads(bool wrong)
{
    struct copies copies;
    pthread_t other;
    (void)wrong;
    copies_begin(&copies, SOME);
    if (pthread_create(&other, NULL, ask_range, &copies) != 0)
        abort();
    (void)ask_range(&copies);
    pthread_join(other, NULL);
    copies_end(&copies);
}

// ---- RDMA

// Two contexts that are connected with each other, and memory that both take for remote.
struct connected {
    struct copies copies;
    struct doca_rdma *rdmas[2];
    struct doca_rdma_connection *ends[2];
    struct doca_mmap *map, *remote;
};

static void written(struct doca_rdma_task_write *task, union doca_data task_data,
                    union doca_data data)
{
    (void)task_data;
    must(doca_task_get_status(doca_rdma_task_write_as_task(task)));
    doca_task_free(doca_rdma_task_write_as_task(task));
    ((struct connected *)data.ptr)->copies.done++;
}

static void was_read(struct doca_rdma_task_read *task, union doca_data task_data,
                     union doca_data data)
{
    (void)task_data;
    must(doca_task_get_status(doca_rdma_task_read_as_task(task)));
    doca_task_free(doca_rdma_task_read_as_task(task));
    ((struct connected *)data.ptr)->copies.done++;
}

static void share_memory(struct connected *both)
{
    const uint32_t all = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
                         DOCA_ACCESS_FLAG_RDMA_WRITE;
    const void *text;
    size_t length;
    must(doca_mmap_create(&both->map));
    must(doca_mmap_set_permissions(both->map, all));
    must(doca_mmap_set_memrange(both->map, both->copies.memory, both->copies.size));
    must(doca_mmap_add_dev(both->map, both->copies.dev));
    must(doca_mmap_start(both->map));
    must(doca_mmap_export_rdma(both->map, both->copies.dev, &text, &length));
    must(doca_mmap_create_from_export(NULL, text, length, both->copies.dev, &both->remote));
}

static void connected_begin(struct connected *both)
{
    const void *text[2];
    size_t lengths[2];
    copies_begin(&both->copies, SOME);
    share_memory(both);
    for (unsigned i = 0; i < 2; i++) {
        must(doca_rdma_create(both->copies.dev, &both->rdmas[i]));
        struct doca_ctx *ctx = doca_rdma_as_ctx(both->rdmas[i]);
        must(doca_rdma_set_permissions(both->rdmas[i], DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                                           DOCA_ACCESS_FLAG_RDMA_READ |
                                                           DOCA_ACCESS_FLAG_RDMA_WRITE));
        must(doca_rdma_task_write_set_conf(both->rdmas[i], written, written, 4));
        must(doca_rdma_task_read_set_conf(both->rdmas[i], was_read, was_read, 4));
        must(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = both}));
        must(doca_pe_connect_ctx(both->copies.pe, ctx));
        must(doca_ctx_start(ctx));
        must(doca_rdma_export(both->rdmas[i], &text[i], &lengths[i], &both->ends[i]));
    }
    for (unsigned i = 0; i < 2; i++)
        must(doca_rdma_connect(both->rdmas[i], text[!i], lengths[!i], both->ends[i]));
}

static void connected_end(struct connected *both)
{
    for (unsigned i = 0; i < 2; i++) {
        struct doca_ctx *ctx = doca_rdma_as_ctx(both->rdmas[i]);
        enum doca_ctx_states state;
        (void)doca_ctx_stop(ctx);
        do
            (void)doca_pe_progress(both->copies.pe);
        while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE);
        must(doca_rdma_destroy(both->rdmas[i]));
    }
    must(doca_mmap_destroy(both->remote));
    must(doca_mmap_destroy(both->map));
    copies_end(&both->copies);
}

static void submit_write(struct connected *both, unsigned by, struct doca_buf *from,
                         struct doca_buf *to)
{
    struct doca_rdma_task_write *task;
    must(doca_rdma_task_write_allocate_init(both->rdmas[by], both->ends[by], from, to,
                                            (union doca_data){0}, &task));
    must(doca_task_submit(doca_rdma_task_write_as_task(task)));
}

// One remote buffer for all writes, and for a read after them: the connection keeps the order.
static void remote_buffer(bool wrong)
{
    struct connected both;
    struct doca_rdma_task_read *task;
    struct doca_buf *remote;
    (void)wrong;
    connected_begin(&both);
    must(doca_buf_inventory_buf_get_by_data(both.copies.inventory, both.remote,
                                            both.copies.memory + PART, PART, &remote));
    struct doca_buf *from = copies_full(&both.copies, 0, PART);
    struct doca_buf *to = copies_empty(&both.copies, (size_t)2 * PART, PART);
    submit_write(&both, 0, from, remote);
    submit_write(&both, 0, from, remote);
    must(doca_rdma_task_read_allocate_init(both.rdmas[0], both.ends[0], remote, to,
                                           (union doca_data){0}, &task));
    must(doca_task_submit(doca_rdma_task_read_as_task(task)));
    copies_await(&both.copies, 3);
    copies_give_back(from);
    copies_give_back(to);
    copies_give_back(remote);
    connected_end(&both);
}

// A write begins where the data of the remote buffer begins, not behind it.
static void behind_remote_data(bool wrong)
{
    struct connected both;
    struct doca_buf *whole, *second;
    (void)wrong;
    connected_begin(&both);
    must(doca_buf_inventory_buf_get_by_args(both.copies.inventory, both.remote,
                                            both.copies.memory + PART, (size_t)2 * PART,
                                            both.copies.memory + PART, PART, &whole));
    must(doca_buf_inventory_buf_get_by_addr(both.copies.inventory, both.remote,
                                            both.copies.memory + (size_t)2 * PART, PART, &second));
    struct doca_buf *from = copies_full(&both.copies, 0, PART);
    struct doca_buf *other = copies_full(&both.copies, (size_t)3 * PART, PART);
    submit_write(&both, 0, from, whole);
    submit_write(&both, 1, other, second);
    copies_await(&both.copies, 2);
    copies_give_back(from);
    copies_give_back(other);
    copies_give_back(whole);
    copies_give_back(second);
    connected_end(&both);
}

// ---- a CPU that others use

static struct {
    cpu_set_t cpu; // the only one
    atomic_bool runs, ends;
} load;

static void *use_cpu(void *of)
{
    if (pthread_setaffinity_np(pthread_self(), sizeof(load.cpu), &load.cpu) != 0)
        abort();
    atomic_store(&load.runs, true);
    while (!atomic_load(&load.ends))
        ;
    return of;
}

// Gives the CPU up for a moment, and gets it back when the other thread leaves some.
static void give_up_cpu(void *of)
{
    (void)of;
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

static void loaded_machine(bool wrong)
{
    struct copies copies;
    pthread_t other;
    (void)wrong;
    copies_begin(&copies, SOME);
    copies.in_callback = give_up_cpu;
    struct doca_buf *from = copies_full(&copies, 0, PART), *to = copies_empty(&copies, PART, PART);
    struct doca_dma_task_memcpy *task = copies_task(&copies, 0, from, to);
    copies_submit(task);
    CPU_SET(sched_getcpu(), &load.cpu);
    if (pthread_create(&other, NULL, use_cpu, NULL) != 0)
        abort();
    while (!atomic_load(&load.runs))
        sched_yield();
    if (pthread_setaffinity_np(pthread_self(), sizeof(load.cpu), &load.cpu) != 0 ||
        sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}) != 0)
        abort();
    copies_await(&copies, 1);
    atomic_store(&load.ends, true);
    pthread_join(other, NULL);
    copies_free(task);
    copies_give_back(from);
    copies_give_back(to);
    copies_end(&copies);
}

// ---- ends at any time

static void late_library(bool wrong)
{
    (void)wrong;
    late_begin();
}

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

// It takes the stack of each call that makes an object, with another lock held, and calls this one
// then.
__attribute__((visibility("default"))) int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    int (*next)(pthread_mutex_t *) =
        (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    int result = next ? next(mutex) : ENOSYS;
    if (raises)
        raise(SIGINT);
    return result;
}

static void end_here(int number)
{
    (void)number;
    exit(0); // NOLINT(bugprone-signal-handler): as many programs do
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

// The same for docad-run --faults sweep. The program leaves what the call has made.
static void exit_in_creation(bool wrong)
{
    struct doca_buf_inventory *inventory;
    (void)wrong;
    signal(SIGINT, end_here);
    raises = true;
    if (doca_buf_inventory_create(1, &inventory) != DOCA_SUCCESS)
        exit(1);
    exit(2); // the workbench takes no stack
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

// ---- what the kernel refuses

static void no_memory_to_poll(bool wrong)
{
    struct copies copies;
    doca_notification_handle_t handle;
    struct pollfd *none = mmap(NULL, PART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)wrong;
    copies_begin(&copies, SOME);
    must(doca_pe_get_notification_handle(copies.pe, &handle));
    if (none == MAP_FAILED || poll(none, 1, -1) != -1 || errno != EFAULT ||
        ppoll(none, 1, NULL, NULL) != -1 || errno != EFAULT)
        exit(1);
    munmap(none, PART);
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

// With --faults: the first of three tasks takes its context down. The program asks that one why.
static void fatal_task(bool wrong)
{
    struct copies copies;
    struct doca_buf *buffers[6];
    struct doca_dma_task_memcpy *tasks[3];
    (void)wrong;
    copies_begin(&copies, (size_t)6 * PART);
    for (unsigned i = 0; i < 3; i++) {
        buffers[i] = copies_full(&copies, (size_t)i * PART, PART);
        buffers[i + 3] = copies_empty(&copies, (size_t)(i + 3) * PART, PART);
        tasks[i] = copies_task(&copies, 0, buffers[i], buffers[i + 3]);
        copies_submit(tasks[i]);
    }
    copies_await(&copies, 1);
    copies.reads_status = false;
    copies_await(&copies, 3);
    if (copies.failed != 3)
        exit(1);
    for (unsigned i = 0; i < 3; i++)
        copies_free(tasks[i]);
    for (unsigned i = 0; i < 6; i++)
        copies_give_back(buffers[i]);
    copies_end(&copies);
}

// With --card any, and DOCAD_CARD: no card is imitated.
static void any_card(bool wrong)
{
    const char *card = getenv("DOCAD_CARD");
    (void)wrong;
    if (card && strcmp(card, "software") != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    static const struct rule_case cases[] = {
        {"late-library", late_library},
        {"long-list", long_list},
        {"taken-apart", taken_apart},
        {"graph-callback", graph_callback},
        {"asking-threads", asking_threads},
        {"remote-buffer", remote_buffer},
        {"behind-remote-data", behind_remote_data},
        {"loaded-machine", loaded_machine},
        {"fatal-task", fatal_task},
        {"any-card", any_card},
        {"exit-in-handler", exit_in_handler},
        {"exit-in-creation", exit_in_creation},
        {"cancelled", cancelled},
        {"no-memory-to-poll", no_memory_to_poll},
        {"forked", forked},
    };
    return run_cases(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
