// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad-run --trace and --check=rules cost. The library that docad-run preloads is loaded
// here, and its functions are called next to those that it passes calls on to.

#include "clock.h"
#include "rows.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY    "libdocad-workbench.so"
#define CALLS      2000 // fewer than half of the ring takes: the writer is not waited for
#define WARM_CALLS 100
#define DRAIN_NS   30000000 // time for the writer
#define WORDS_MAX  8

extern char **environ;

// Puts the path of a file in the directory of this program, or next to that directory, into `path`.
static bool find(const char *const *places, const char *name, char path[PATH_MAX])
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (; *places; places++) {
        int length = snprintf(path, PATH_MAX, "%s/%s/%s", self, *places, name);
        if (length > 0 && length < PATH_MAX && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

// ---- calls

struct traced {
    void *library;
    struct pool pool;
    struct doca_buf *buf;
    void *engine;
    doca_error_t (*set_data[2])(struct doca_buf *buf, void *data, size_t size); // [1]: traced
    uint8_t (*poll[2])(void *engine);
    doca_error_t (*destroy)(void *engine);
};

static bool load(struct traced *traced, struct trial *trial)
{
    static const char *const places[] = {"../lib/docad", "../" DOCAD_LIBDIR "/docad", NULL};
    char path[PATH_MAX];
    if (!find(places, LIBRARY, path)) {
        trial->absent = LIBRARY " is not beside this program";
        return true;
    }
    setenv("DOCAD_TRACE", "/dev/null", 1);
    traced->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    unsetenv("DOCAD_TRACE");
    return traced->library || problem_set(trial->problem, "%.200s", dlerror());
}

// Not dlsym(): no function of the library is its default version.
static void *version_of(void *library, const char *name, const char *version)
{
#ifdef __GLIBC__
    return dlvsym(library, name, version);
#else
    (void)library;
    (void)name;
    (void)version;
    return NULL;
#endif
}

static bool find_functions(struct traced *traced, struct problem *problem)
{
    void *const own = RTLD_DEFAULT, *const library = traced->library;
    *(void **)&traced->set_data[0] = version_of(own, "doca_buf_set_data", "DOCA_2.2");
    *(void **)&traced->set_data[1] = version_of(library, "doca_buf_set_data", "DOCA_2.2");
    *(void **)&traced->poll[0] = version_of(own, "doca_pe_progress", "DOCA_3.0");
    *(void **)&traced->poll[1] = version_of(library, "doca_pe_progress", "DOCA_3.0");
    *(void **)&traced->destroy = version_of(own, "doca_pe_destroy", "DOCA_3.0");
    doca_error_t (*create)(void **engine);
    *(void **)&create = version_of(own, "doca_pe_create", "DOCA_3.0");
    for (unsigned i = 0; i < 2; i++)
        if (!traced->set_data[i] || !traced->poll[i])
            return problem_set(problem, "there is no doca_buf_set_data or doca_pe_progress");
    return traced->destroy && create && create(&traced->engine) == DOCA_SUCCESS;
}

static bool open_traced(struct trial *trial)
{
    struct traced *traced = calloc(1, sizeof(*traced));
    trial->traced = traced;
    if (!traced)
        return problem_set(trial->problem, "out of memory");
    if (!load(traced, trial) || trial->absent)
        return trial->absent;
    if (!find_functions(traced, trial->problem) || !pool_open(&traced->pool, 1, trial->problem))
        return false;
    DOCA_TRY(trial->problem, doca_buf_inventory_buf_by_addr, traced->pool.inventory,
             traced->pool.map, traced->pool.memory.at, traced->pool.memory.size, &traced->buf);
    return true;
}

static void call(struct traced *traced, bool poll, unsigned which, unsigned n)
{
    for (unsigned i = 0; i < n && poll; i++)
        (void)traced->poll[which](traced->engine);
    for (unsigned i = 0; i < n && !poll; i++)
        (void)traced->set_data[which](traced->buf, traced->pool.memory.at, i % 8);
}

static bool time_calls(struct trial *trial, unsigned which, double *value)
{
    const struct timespec drain = {.tv_nsec = DRAIN_NS};
    bool poll = trial->row->batch > 1;
    if (which)
        nanosleep(&drain, NULL);
    call(trial->traced, poll, which, WARM_CALLS);
    uint64_t before = ticks_now();
    call(trial->traced, poll, which, CALLS);
    *value = ticks_to_ns(ticks_now() - before) / CALLS;
    return true;
}

static bool ours_traced(struct trial *trial, double *value)
{
    return time_calls(trial, 1, value);
}

static bool theirs_traced(struct trial *trial, double *value)
{
    return time_calls(trial, 0, value);
}

static bool verify_traced(struct trial *trial)
{
    void *data;
    size_t size = 0;
    DOCA_TRY(trial->problem, doca_buf_get_data, trial->traced->buf, &data);
    DOCA_TRY(trial->problem, doca_buf_get_data_len, trial->traced->buf, &size);
    return trial->row->batch > 1 || size == (CALLS - 1) % 8 ||
           problem_set(trial->problem, "the calls did not reach the library");
}

static void close_traced(struct trial *trial)
{
    struct traced *traced = trial->traced;
    if (!traced)
        return;
    if (traced->engine)
        traced->destroy(traced->engine);
    if (traced->buf)
        doca_buf_refcount_rm(traced->buf, NULL);
    pool_close(&traced->pool);
    free(traced);
}

const struct method method_traced = {open_traced, ours_traced, theirs_traced, verify_traced,
                                     close_traced};

// ---- programs

static const char *const here[] = {".", NULL};

static bool open_checked(struct trial *trial)
{
    char path[PATH_MAX];
    char program[64];
    snprintf(program, sizeof(program), "%.*s", (int)strcspn(trial->row->program, " "),
             trial->row->program);
    if (!find(here, "docad-run", path) || !find(here, program, path))
        trial->absent = "docad-run, or the example, is not beside this program";
    return true;
}

// Runs the row's program, and returns the time that it takes in ms.
static bool time_program(struct trial *trial, bool checked, double *value)
{
    char run[PATH_MAX], program[PATH_MAX], words[64];
    char quiet[] = "--quiet", check[] = "--check=rules";
    char *argv[WORDS_MAX] = {run, quiet, check, program};
    posix_spawn_file_actions_t actions;
    int status = 0;
    pid_t pid;

    snprintf(words, sizeof(words), "%s", trial->row->program);
    char *count = strchr(words, ' ');
    if (count)
        *count++ = '\0';
    find(here, "docad-run", run);
    find(here, words, program);
    argv[4] = count;
    char **from = checked ? argv : argv + 3;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    uint64_t before = ticks_now();
    int error = posix_spawn(&pid, from[0], &actions, NULL, from, environ);
    if (!error)
        waitpid(pid, &status, 0);
    *value = ticks_to_ns(ticks_now() - before) / 1e6;
    posix_spawn_file_actions_destroy(&actions);
    return (!error && status == 0) ||
           problem_set(trial->problem, "%s ended with status %d", trial->row->program, status);
}

static bool ours_checked(struct trial *trial, double *value)
{
    return time_program(trial, true, value);
}

static bool theirs_checked(struct trial *trial, double *value)
{
    return time_program(trial, false, value);
}

static bool verify_checked(struct trial *trial)
{
    (void)trial; // each run ended with status 0
    return true;
}

static void close_checked(struct trial *trial)
{
    (void)trial;
}

const struct method method_checked = {open_checked, ours_checked, theirs_checked, verify_checked,
                                      close_checked};
