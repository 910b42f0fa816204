// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "faults.h"

#include "failed_tasks.h"
#include "fault_leaks.h"
#include "fault_peers.h"
#include "fault_shared.h"
#include "trace.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define REPORTS_MAX 20 // more faults are not reported one by one
#define IO_FAILED   17 // DOCA_ERROR_IO_FAILED: the result of a call that retrieves a failed job

// Jobs of work queues, by the library that is in the type of a job (DOCA_ACTION_SDK_RANGE).
#define JOB_LIBRARY_SHIFT 16
static const char *const jobs[] = {
    [1] = "dma.job",    [9] = "sha.job",         [10] = "compress.job",      [13] = "rdma.job",
    [14] = "graph.job", [15] = "sync_event.job", [17] = "erasure_coding.job"};

// struct doca_event of DOCA 1.5 and 2.2.
struct event {
    int type;
    uint64_t user_data, result;
};

static struct {
    struct fault_spec spec;
    struct fault_counts own, *counts;
    struct fault_shared *shared; // or NULL
    uint64_t *rules; // for each function: those that match it, or the tasks of a callback
    uint64_t rules_of_jobs[ARRAY_SIZE(jobs)];
    const struct function *retrieve; // doca_workq_progress_retrieve()
    atomic_ulong number;             // of faults so far
} faults;

// ---- names

// Writes the name that rules have for the tasks of a function: dma.memcpy for
// doca_dma_task_memcpy_SUFFIX. Returns false if it is not one of a type of tasks.
static bool task_name(const char *function, const char *suffix, char name[FAULT_TARGET_MAX])
{
    const char *library = function + strlen("doca_"), *middle = strstr(function, "_task_");
    size_t length = strlen(function), end = strlen(suffix);
    if (!middle || middle <= library || length < end || length >= FAULT_TARGET_MAX ||
        strcmp(function + length - end, suffix) != 0)
        return false;
    const char *task = middle + strlen("_task_");
    if (task >= function + length - end)
        return false;
    snprintf(name, FAULT_TARGET_MAX, "%.*s.%.*s", (int)(middle - library), library,
             (int)(function + length - end - task), task);
    return true;
}

static void add_names(const char **names, bool *can_fail, const char **tasks,
                      struct fault_names *all)
{
    char task[FAULT_TARGET_MAX];
    for (unsigned i = 0; i < function_count; i++) {
        const struct function *function = functions[i];
        if (function->role == ROLE_CALLBACK)
            continue;
        can_fail[all->function_count] = function->result.kind == VALUE_ERROR;
        names[all->function_count++] = function->name;
        if (task_name(function->name, "_alloc_init", task) &&
            (tasks[all->task_count] = strdup(task)))
            all->task_count++;
    }
    for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
        if (jobs[i] && (tasks[all->task_count] = strdup(jobs[i])))
            all->task_count++;
}

// Ends the program if the rules are wrong: docad-run does not have all names.
static bool read_rules(const char *text)
{
    struct fault_error error;
    cleanup_free const char **names = calloc(function_count, sizeof(*names));
    cleanup_free const char **tasks = calloc(function_count + ARRAY_SIZE(jobs), sizeof(*tasks));
    cleanup_free bool *can_fail = calloc(function_count, sizeof(*can_fail));
    struct fault_names all = {names, tasks, 0, 0, can_fail, function_hints, function_hint_count};
    if (!names || !tasks || !can_fail)
        return false;
    add_names(names, can_fail, tasks, &all);
    bool fine = fault_spec_read(text, &all, &faults.spec, &error);
    for (size_t i = 0; i < all.task_count; i++)
        free((void *)tasks[i]);
    if (fine)
        return true;
    fprintf(stderr, "docad-run: --faults, line %u, column %u: %s\n", error.line, error.column,
            error.text);
    _exit(2);
}

// ---- start

// Errors are for functions that return one.
static uint64_t rules_of(const struct function *function)
{
    char task[FAULT_TARGET_MAX];
    if (function->role == ROLE_CALLBACK)
        return task_name(function->name, "_completion_cb_t", task)
                   ? fault_rules_of(&faults.spec, FAULT_TASK, task)
                   : 0;
    uint64_t rules = fault_rules_of(&faults.spec, FAULT_FUNCTION, function->name);
    for (size_t i = 0; i < faults.spec.count && function->result.kind != VALUE_ERROR; i++)
        if (faults.spec.rules[i].error)
            rules &= ~(UINT64_C(1) << i);
    return rules;
}

// The name that rules have for a function, or for the tasks of a callback.
static void write_name(const struct function *function, char name[FAULT_TARGET_MAX])
{
    if (function->role != ROLE_CALLBACK || !task_name(function->name, "_completion_cb_t", name))
        snprintf(name, FAULT_TARGET_MAX, "%s", function->name);
}

// Jobs follow the functions.
static void share_counts(void)
{
    const char *path = getenv(FAULTS_SHARED_VARIABLE);
    cleanup_fd int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    // Another file may have the path now; an access beyond its end would end the program.
    if (fd < 0 || lseek(fd, 0, SEEK_END) != (off_t)sizeof(*faults.shared) ||
        function_count + ARRAY_SIZE(jobs) > FAULT_FUNCTIONS_MAX)
        return;
    void *memory = mmap(NULL, sizeof(*faults.shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return;
    faults.shared = memory;
    faults.counts = &faults.shared->counts;
    for (unsigned i = 0; i < function_count; i++)
        write_name(functions[i], faults.shared->functions[functions[i]->id].name);
    for (unsigned i = 0; i < ARRAY_SIZE(jobs); i++)
        if (jobs[i])
            snprintf(faults.shared->functions[function_count + i].name, FAULT_TARGET_MAX, "%s",
                     jobs[i]);
}

// What waits for a signal waits for one that is pending, so no thread may take it in another way.
// Threads and processes that the program starts have it blocked, too.
static void block_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < faults.spec.count; i++)
        if (faults.spec.rules[i].signal)
            sigaddset(&set, faults.spec.rules[i].signal);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

uint64_t faults_rules(enum fault_kind kind, const char *name)
{
    return fault_rules_of(&faults.spec, kind, name);
}

static bool start(void)
{
    const char *text = getenv(FAULTS_VARIABLE);
    if (!text || !*text || !read_rules(text))
        return false;
    faults.counts = &faults.own;
    faults.rules = calloc(function_count, sizeof(*faults.rules));
    if (!faults.rules)
        return false;
    for (unsigned i = 0; i < function_count; i++)
        faults.rules[functions[i]->id] = rules_of(functions[i]);
    for (unsigned i = 0; i < function_count; i++)
        if (strcmp(functions[i]->name, "doca_workq_progress_retrieve") == 0)
            faults.retrieve = functions[i];
    for (unsigned i = 0; i < ARRAY_SIZE(jobs); i++)
        if (jobs[i])
            faults.rules_of_jobs[i] = fault_rules_of(&faults.spec, FAULT_TASK, jobs[i]);
    share_counts();
    block_signals();
    fault_peers_start();
    fault_leaks_start(faults.shared);
    return true;
}

// ---- calls

// Notes a fault in the trace, and on standard error unless it is a mere delay.
void faults_report(const char *name, const char *what, const struct fault *fault,
                   const char *happened)
{
    const char *rule = faults.spec.rules[fault->rule].text;
    unsigned long number = 1 + atomic_fetch_add(&faults.number, 1);
    char place[FAULT_TARGET_MAX + 64];
    snprintf(place, sizeof(place), "%s %llu of %s", what, (unsigned long long)fault->call, name);
    if (faults.shared)
        atomic_fetch_add(&faults.shared->faults, 1);
    trace_fault(number, place, happened, rule);
    if (number <= REPORTS_MAX && (fault->error || fault->signal || !fault->delay_ns))
        fprintf(stderr, "docad-run: fault %lu: %s: %s ('%s')\n", number, place, happened, rule);
    else if (number == REPORTS_MAX + 1)
        fputs("docad-run: fault: more faults are not reported\n", stderr);
}

static void wait_ns(uint64_t ns)
{
    struct timespec left = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};
    while (ns && nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

static void wait_signal(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    while (number && sigwaitinfo(&set, NULL) < 0 && errno == EINTR)
        ;
}

// What a fault does.
static void describe(const struct fault *fault, char text[128])
{
    const char *name = fault_error_name(fault->error);
    size_t used = 0;
    text[0] = '\0';
    if (fault->signal)
        used += (size_t)snprintf(text, 128, "waits for %s for process %d",
                                 fault_signal_name(fault->signal), (int)getpid());
    if (fault->delay_ns)
        used += (size_t)snprintf(text + used, 128 - used, "%sdelayed by %llu ns", used ? ", " : "",
                                 (unsigned long long)fault->delay_ns);
    if (name)
        snprintf(text + used, 128 - used, "%sDOCA_ERROR_%s%s", used ? ", " : "", name,
                 fault->fatal ? ", and the context stops" : "");
}

bool faults_count(uint64_t rules, struct fault *fault)
{
    *fault = (struct fault){0};
    return rules && fault_decide(&faults.spec, rules, faults.counts, fault);
}

// Decides about a call, or a completion. Returns false if there is no fault.
static bool decide(const char *name, uint64_t rules, struct fault *fault)
{
    if (!faults_count(rules, fault))
        return false;
    if (fault->error == FAULT_ANY)
        fault->error = fault_fitting_error(name);
    return true;
}

// Reports it, and waits.
static void happen(const char *name, const char *what, const struct fault *fault)
{
    char text[128];
    int saved = errno;
    describe(fault, text);
    faults_report(name, what, fault, text);
    wait_signal(fault->signal);
    wait_ns(fault->delay_ns);
    errno = saved;
}

// Counts something that can fail.
static void count(unsigned id)
{
    if (faults.shared)
        atomic_fetch_add_explicit(&faults.shared->functions[id].calls, 1, memory_order_relaxed);
}

static int before(struct call *call)
{
    const struct function *function = call->function;
    struct fault fault;
    if (function->result.kind == VALUE_ERROR)
        count(function->id);
    int failed = failed_tasks_before(call);
    if (failed || !decide(function->name, faults.rules[function->id], &fault))
        return failed;
    happen(function->name, "call", &fault);
    return fault.error;
}

// A job that has been retrieved without an error. Returns false if it fails.
static bool after_retrieval(struct call *call)
{
    struct event *event =
        (void *)(uintptr_t)call->arguments[1]; // NOLINT(performance-no-int-to-ptr)
    unsigned library = (unsigned)event->type >> JOB_LIBRARY_SHIFT;
    struct fault fault;
    if (library >= ARRAY_SIZE(jobs) || !jobs[library])
        return true;
    count(function_count + library);
    if (!decide(jobs[library], faults.rules_of_jobs[library], &fault))
        return true;
    happen(jobs[library], "completion", &fault);
    if (!fault.error)
        return true;
    event->result = (uint64_t)fault.error;
    call->result = IO_FAILED;
    return false;
}

static void after(struct call *call)
{
    bool good = !call->failed && (call->function->result.kind != VALUE_ERROR || call->result == 0);
    failed_tasks_after(call);
    fault_leaks_after(call);
    if (call->function == faults.retrieve && good)
        good = after_retrieval(call);
    if (good)
        fault_peers_after(call);
}

// A task that would complete without an error. Returns false if it fails.
static bool after_completion(struct call *call, void *task)
{
    char name[FAULT_TARGET_MAX];
    struct fault fault;
    if (!task_name(call->function->name, "_completion_cb_t", name))
        return true;
    count(call->function->id);
    if (!decide(name, faults.rules[call->function->id], &fault))
        return true;
    if (fault.error && !failed_tasks_fail(call, task, fault.error)) {
        faults_report(name, "completion", &fault, "not possible, too many failed tasks are kept");
        return true;
    }
    happen(name, "completion", &fault);
    if (fault.error && fault.fatal)
        failed_tasks_stop_context(task);
    return !fault.error;
}

static void callback_before(struct call *call)
{
    void *task = failed_tasks_successful(call);
    if (task && failed_tasks_flush(call, task))
        return;
    if (!task || after_completion(call, task))
        fault_peers_callback(call, task);
}

const struct hook faults_hook = {start, before, after, callback_before, NULL};
