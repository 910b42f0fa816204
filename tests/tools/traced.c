// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program for test-trace.py: copies by tasks of DOCA 3, and then ends in the way that its
// argument names.
//
//     traced COPIES HOW [TEXT]

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE    64
#define THREADS 8

static void must(doca_error_t result)
{
    if (result == DOCA_SUCCESS)
        return;
    fprintf(stderr, "traced: %s\n", doca_error_get_descr(result));
    exit(1);
}

struct copier {
    struct doca_dev *dev;
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    struct doca_pe *pe;
    struct doca_dma *dma;
    unsigned wanted, done;
    bool exits, crashes, signals, polls_twice, jumps, keeps, forks, leaves; // in the callback
    unsigned char memory[2 * SIZE];
};

static jmp_buf left_callback;
static bool careless; // goes on when a copy has failed

static void *progress(void *of)
{
    const struct copier *copier = of;
    (void)doca_pe_progress(copier->pe);
    return NULL;
}

// The other thread polls while this one is in a callback.
static void poll_by_other_thread(const struct copier *copier)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, progress, (void *)copier) != 0)
        abort();
    pthread_join(thread, NULL);
}

// The child has functions of DOCA of its own to call.
static void fork_in_callback(void)
{
    struct doca_mmap *map;
    int status;
    pid_t child = fork();
    if (child == 0) {
        must(doca_mmap_create(&map));
        must(doca_mmap_destroy(map));
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
}

static void ended(struct doca_dma_task_memcpy *task, union doca_data task_data,
                  union doca_data data)
{
    struct copier *copier = data.ptr;
    doca_error_t status = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    (void)task_data;
    if (!careless)
        must(status);
    copier->done++;
    if (copier->exits)
        exit(5);
    if (copier->crashes)
        raise(SIGSEGV);
    if (copier->signals)
        raise(SIGUSR1);
    if (copier->jumps)
        longjmp(left_callback, 1);
    if (copier->polls_twice)
        poll_by_other_thread(copier);
    if (copier->forks)
        fork_in_callback();
    if (copier->leaves)
        pthread_exit(NULL);
    if (copier->keeps)
        return;
    doca_buf_reset_data_len(doca_dma_task_memcpy_get_dst(task));
    if (copier->done < copier->wanted)
        must(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    else
        doca_task_free(doca_dma_task_memcpy_as_task(task));
}

static void on_signal(int number)
{
    (void)number;
    // It is raised in a callback. NOLINTNEXTLINE(bugprone-signal-handler)
    (void)doca_error_get_name(DOCA_ERROR_FULL);
}

static struct doca_dev *first_device(void)
{
    struct doca_devinfo **infos;
    struct doca_dev *dev;
    uint32_t n;
    must(doca_devinfo_create_list(&infos, &n));
    must(doca_dev_open(infos[0], &dev));
    must(doca_devinfo_destroy_list(infos));
    return dev;
}

static void begin(struct copier *copier)
{
    union doca_data data = {.ptr = copier};
    copier->dev = first_device();
    must(doca_mmap_create(&copier->map));
    must(doca_mmap_set_memrange(copier->map, copier->memory, sizeof(copier->memory)));
    must(doca_mmap_add_dev(copier->map, copier->dev));
    must(doca_mmap_start(copier->map));
    must(doca_buf_inventory_create(4, &copier->inventory));
    must(doca_buf_inventory_start(copier->inventory));
    must(doca_pe_create(&copier->pe));
    must(doca_dma_create(copier->dev, &copier->dma));
    struct doca_ctx *ctx = doca_dma_as_ctx(copier->dma);
    must(doca_dma_task_memcpy_set_conf(copier->dma, ended, ended, 2));
    must(doca_ctx_set_user_data(ctx, data));
    must(doca_pe_connect_ctx(copier->pe, ctx));
    must(doca_ctx_start(ctx));
}

static void copy(struct copier *copier)
{
    struct doca_dma_task_memcpy *task;
    struct doca_buf *from, *to;
    union doca_data none = {0};
    must(doca_buf_inventory_buf_get_by_data(copier->inventory, copier->map, copier->memory, SIZE,
                                            &from));
    must(doca_buf_inventory_buf_get_by_addr(copier->inventory, copier->map, copier->memory + SIZE,
                                            SIZE, &to));
    must(doca_dma_task_memcpy_alloc_init(copier->dma, from, to, none, &task));
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    while (copier->done < copier->wanted)
        (void)doca_pe_progress(copier->pe);
    for (unsigned i = 0; i < 1000; i++)
        (void)doca_pe_progress(copier->pe);
    must(doca_buf_dec_refcount(from, NULL));
    must(doca_buf_dec_refcount(to, NULL));
}

static void finish(struct copier *copier)
{
    must(doca_ctx_stop(doca_dma_as_ctx(copier->dma)));
    must(doca_dma_destroy(copier->dma));
    must(doca_pe_destroy(copier->pe));
    must(doca_buf_inventory_destroy(copier->inventory));
    must(doca_mmap_destroy(copier->map));
    must(doca_dev_close(copier->dev));
}

static void *run(void *of)
{
    struct copier copier = {.wanted = *(const unsigned *)of};
    begin(&copier);
    copy(&copier);
    finish(&copier);
    return NULL;
}

static void in_threads(unsigned copies)
{
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, &copies) != 0)
            abort();
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

// A callback of another thread ends that thread: the function that runs it does not return.
static void *run_and_leave(void *of)
{
    struct copier *copier = of;
    begin(copier);
    copier->leaves = true;
    copier->wanted = 1;
    copy(copier);
    return NULL;
}

static void leave_thread(void)
{
    static struct copier copier;
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_and_leave, &copier) != 0)
        abort();
    pthread_join(thread, NULL);
    _exit(0); // its context is as the callback has left it
}

// exit() while other threads are in functions of DOCA.
static void *call_forever(void *of)
{
    (void)of;
    for (;;)
        (void)doca_error_get_name(DOCA_ERROR_FULL);
    return NULL;
}

__attribute__((noreturn)) static void exit_with_threads(void)
{
    pthread_t thread;
    for (unsigned i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, call_forever, NULL) != 0)
            abort();
    exit(6);
}

// A signal interrupts calls wherever they are.
static void start_timer(void)
{
    const struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}};
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
}

static int in_child(unsigned copies)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        run(&copies);
        exit(0);
    }
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

// A function of DOCA that does not return: its callback ends the program.
static void end_in_callback(struct copier *copier, bool crashes)
{
    copier->exits = !crashes;
    copier->crashes = crashes;
    copier->done = 0;
    copier->wanted = 1;
    copy(copier);
}

// ---- what docad-run --check=rules finds

static struct doca_dma_task_memcpy *submit(struct copier *copier, struct doca_buf **from)
{
    struct doca_dma_task_memcpy *task;
    struct doca_buf *to;
    union doca_data none = {0};
    copier->done = 0;
    copier->wanted = 1;
    must(doca_buf_inventory_buf_get_by_data(copier->inventory, copier->map, copier->memory, SIZE,
                                            from));
    must(doca_buf_inventory_buf_get_by_addr(copier->inventory, copier->map, copier->memory + SIZE,
                                            SIZE, &to));
    must(doca_dma_task_memcpy_alloc_init(copier->dma, *from, to, none, &task));
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    return task;
}

// Two copies are in flight at the same time, whose destinations have all or no bytes in common.
static void copy_two(bool overlap)
{
    struct copier copier = {.wanted = 2, .keeps = true};
    struct doca_buf *bufs[4];
    struct doca_dma_task_memcpy *tasks[2];
    union doca_data none = {0};
    begin(&copier);
    for (unsigned i = 0; i < 2; i++) {
        unsigned char *to = copier.memory + SIZE + (overlap ? i : i * SIZE / 2);
        must(doca_buf_inventory_buf_get_by_data(copier.inventory, copier.map, copier.memory,
                                                SIZE / 2, &bufs[2 * i]));
        must(doca_buf_inventory_buf_get_by_addr(copier.inventory, copier.map, to, SIZE / 2,
                                                &bufs[2 * i + 1]));
        must(doca_dma_task_memcpy_alloc_init(copier.dma, bufs[2 * i], bufs[2 * i + 1], none,
                                             &tasks[i]));
    }
    for (unsigned i = 0; i < 2; i++)
        must(doca_task_submit(doca_dma_task_memcpy_as_task(tasks[i])));
    while (copier.done < 2)
        (void)doca_pe_progress(copier.pe);
    for (unsigned i = 0; i < 2; i++)
        doca_task_free(doca_dma_task_memcpy_as_task(tasks[i]));
    for (unsigned i = 0; i < 4; i++)
        must(doca_buf_dec_refcount(bufs[i], NULL));
    finish(&copier);
}

// Copies a list of three buffers, and divides it afterwards.
static void copy_list(struct copier *copier)
{
    struct doca_buf *from[3], *to;
    struct doca_dma_task_memcpy *task;
    union doca_data none = {0};
    for (unsigned i = 0; i < 3; i++) {
        must(doca_buf_inventory_buf_get_by_data(copier->inventory, copier->map,
                                                copier->memory + i * SIZE / 4, SIZE / 4, &from[i]));
        if (i > 0)
            must(doca_buf_chain_list(from[0], from[i]));
    }
    must(doca_buf_inventory_buf_get_by_addr(copier->inventory, copier->map, copier->memory + SIZE,
                                            SIZE, &to));
    must(doca_dma_task_memcpy_alloc_init(copier->dma, from[0], to, none, &task));
    copier->done = 0;
    copier->wanted = 1;
    copier->keeps = true;
    must(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    while (copier->done < 1)
        (void)doca_pe_progress(copier->pe);
    must(doca_buf_unchain_list(from[0], from[2]));
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    must(doca_buf_dec_refcount(from[2], NULL));
    must(doca_buf_dec_refcount(from[0], NULL));
    must(doca_buf_dec_refcount(to, NULL));
}

// Waits for one copy after the other.
static void wait_often(enum doca_pe_event_mode mode, bool clears)
{
    struct copier copier = {.keeps = true};
    struct pollfd handle = {.events = POLLIN};
    struct doca_dma_task_memcpy *task;
    struct doca_buf *from;
    begin(&copier);
    must(doca_pe_set_event_mode(copier.pe, mode));
    must(doca_pe_get_notification_handle(copier.pe, &handle.fd));
    task = submit(&copier, &from);
    for (unsigned i = 0; i < 20; i++) {
        while (copier.done < copier.wanted) {
            must(doca_pe_request_notification(copier.pe));
            if (poll(&handle, 1, -1) != 1)
                abort();
            if (clears)
                must(doca_pe_clear_notification(copier.pe, handle.fd));
            while (doca_pe_progress(copier.pe))
                ;
        }
        copier.done = 0;
        must(doca_buf_reset_data_len(doca_dma_task_memcpy_get_dst(task)));
        must(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    }
    while (copier.done < copier.wanted)
        (void)doca_pe_progress(copier.pe);
    struct doca_buf *to = doca_dma_task_memcpy_get_dst(task);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    must(doca_buf_dec_refcount(from, NULL));
    must(doca_buf_dec_refcount(to, NULL));
    finish(&copier);
}

static void misuse(struct copier *copier, const char *how)
{
    struct doca_mmap *map;
    struct doca_buf *from;
    must(doca_mmap_create(&map));
    if (strcmp(how, "destroyed-twice") == 0) {
        must(doca_mmap_destroy(map));
        (void)doca_mmap_destroy(map);
    }
    if (strcmp(how, "use-after-destroy") == 0) {
        must(doca_mmap_destroy(map));
        (void)doca_mmap_start(map);
    }
    if (strcmp(how, "wrong-kind") == 0)
        (void)doca_buf_inventory_start((struct doca_buf_inventory *)map);
    if (strcmp(how, "task-freed-in-flight") == 0)
        doca_task_free(doca_dma_task_memcpy_as_task(submit(copier, &from)));
    if (strcmp(how, "buffer-released-in-flight") == 0) {
        (void)submit(copier, &from);
        (void)doca_buf_dec_refcount(from, NULL);
    }
    if (strcmp(how, "destinations-overlap") == 0)
        copy_two(true);
    if (strcmp(how, "notification-not-cleared") == 0)
        wait_often(DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE, false);
    if (strcmp(how, "engine-two-threads") == 0) {
        copier->polls_twice = true;
        (void)submit(copier, &from);
        while (copier->done < copier->wanted)
            (void)doca_pe_progress(copier->pe);
    }
}

// The callback does not return to the function that runs it, as with an exception of C++.
__attribute__((noreturn)) static void jump_out(struct copier *copier)
{
    copier->jumps = true;
    copier->done = 0;
    copier->wanted = 1;
    if (setjmp(left_callback) == 0)
        copy(copier);
    (void)doca_error_get_name(DOCA_ERROR_FULL);
    _exit(0);
}

// Forbids the system call that reads strings, as the rules of some containers do.
static void refuse_reading(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        abort();
    (void)doca_error_get_name(DOCA_ERROR_FULL);
}

// Starts the program again, which cannot open the memory of the trace.
static void exec_apart(struct copier *copier, char **argv)
{
    finish(copier);
    setenv("DOCAD_TRACE_MEMORY", argv[3], 1);
    execl(argv[0], argv[0], argv[1], "well", NULL);
}

static void end_with_threads(const char *how)
{
    if (strcmp(how, "leaves") == 0)
        leave_thread();
    if (strcmp(how, "exits") == 0)
        exit_with_threads();
}

// As daemons do. The program's own file gets a number that was another one's.
static void close_descriptors(const char *path)
{
    struct doca_mmap *map;
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    for (int i = 0; i < 8; i++)
        if (open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) < 0)
            abort();
    must(doca_mmap_create(&map));
    must(doca_mmap_destroy(map));
    (void)doca_mmap_destroy(map);
    _exit(0);
}

static void end(struct copier *copier, const char *how, char **argv)
{
    if (strcmp(how, "closes") == 0)
        close_descriptors(argv[3]);
    end_with_threads(how);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "crash") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    if (strcmp(how, "callback") == 0)
        end_in_callback(copier, false);
    if (strcmp(how, "inside") == 0)
        end_in_callback(copier, true);
    if (strcmp(how, "waits") == 0) {
        wait_often(DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE, true);
        wait_often(DOCA_PE_EVENT_MODE_PROGRESS_ALL, false);
    }
    if (strcmp(how, "list") == 0)
        copy_list(copier);
    if (strcmp(how, "two") == 0)
        copy_two(false);
    if (strchr(how, '-'))
        misuse(copier, how);
    if (strcmp(how, "jump") == 0)
        jump_out(copier);
    if (strcmp(how, "refused") == 0)
        refuse_reading();
    if (strcmp(how, "apart") == 0)
        exec_apart(copier, argv);
    if (strcmp(how, "exec") == 0)
        execl(argv[0], argv[0], argv[1], "well", argv[3], NULL);
}

int main(int argc, char **argv)
{
    static struct copier copier;
    unsigned copies = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (argc < 3)
        return 2;
    copier.wanted = copies;
    copier.signals = strcmp(argv[2], "signal") == 0;
    copier.forks = strcmp(argv[2], "forks") == 0;
    careless = strcmp(argv[2], "careless") == 0;
    if (strcmp(argv[2], "timer") == 0)
        start_timer();
    signal(SIGUSR1, on_signal);
    begin(&copier);
    copy(&copier);
    struct doca_devinfo *info = doca_dev_as_devinfo(copier.dev);
    char name[DOCA_DEVINFO_IFACE_NAME_SIZE];
    (void)doca_devinfo_get_iface_name(info, name, sizeof(name));
    (void)doca_mmap_set_memrange(copier.map, NULL, 0);
    end(&copier, argv[2], argv);
    if (strcmp(argv[2], "threads") == 0 || careless)
        in_threads(copies);
    if (strcmp(argv[2], "fork") == 0 && in_child(copies) != 0)
        return 1;
    if (strcmp(argv[2], "left") == 0)
        return 0;
    finish(&copier);
    return 0;
}
