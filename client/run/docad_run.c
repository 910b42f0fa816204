// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-run: starts a program that was built with the vendor's SDK with the libraries that fit it.

#include "card.h"
#include "fail.h"
#include "faulted.h"
#include "needs.h"
#include "options.h"
#include "pair.h"
#include "pair_trace.h"
#include "report.h"
#include "runtime.h"
#include "stand_in.h"
#include "sweep.h"
#include "traced.h"

#include "argp_variable.h"
#include "cleanup.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define NEWEST "3" // generation

#define GUESSED ", by a guess from its functions"

// The program's environment: it is collected completely before anything is started or printed.
struct plan {
    char *program; // its path
    bool script;   // starts programs of the generation that the option names
    struct needs needs;
    struct runtimes runtimes;
    const struct runtime *runtime;     // NULL: none is needed
    const struct elf_symbol **unknown; // functions that no library of the directory has
    size_t unknown_count;
    size_t lacking;                      // functions of the generation that are missing
    const struct elf_version **versions; // that libraries of the directory do not have
    size_t version_count;
};

// ---- finding -----------------------------------------------------------------------------------

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

// Returns the path of a program as a shell finds it; the caller frees it. NULL: it does not exist.
static char *find_program(const char *name)
{
    const char *search = strchr(name, '/') ? NULL : getenv("PATH");
    if (!search)
        return strdup(name);
    for (;;) {
        size_t length = strcspn(search, ":");
        cleanup_free char *path = NULL;
        if (asprintf(&path, "%.*s/%s", length ? (int)length : 1, length ? search : ".", name) > 0 &&
            is_program(path))
            return steal_ptr(path);
        if (!search[length])
            return NULL;
        search += length + 1;
    }
}

// The directory of this program. The caller frees it; NULL: it cannot be found.
static char *own_directory(void)
{
    // Without /proc the name by which it was started is good enough.
    const char *started = (const char *)getauxval(AT_EXECFN); // NOLINT(performance-no-int-to-ptr)
    cleanup_free char *self = realpath("/proc/self/exe", NULL);
    if (!self && started)
        self = realpath(started, NULL);
    if (!self)
        return NULL;
    *strrchr(self, '/') = '\0'; // it is an absolute path
    return steal_ptr(self);
}

// The directory that has the runtime directories: the one of this program, if a copy of docad/ has
// it there, or the libraries' directory of its prefix.
static char *find_directory(void)
{
    cleanup_free char *self = own_directory();
    if (!self)
        return NULL;
    static const char *const places[] = {".", "../" DOCAD_LIBDIR "/docad", "../lib/docad"};
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        cleanup_free char *probe = NULL;
        if (asprintf(&probe, "%s/%s/sdk-2.2", self, places[i]) > 0 && access(probe, F_OK) == 0) {
            *strrchr(probe, '/') = '\0';
            return realpath(probe, NULL);
        }
    }
    return NULL;
}

// The loader ignores LD_LIBRARY_PATH and LD_PRELOAD for a setuid program, or one with capabilities.
static bool gets_rights(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    return (status.st_mode & S_ISUID && status.st_uid != geteuid()) ||
           (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && status.st_gid != getegid()) ||
           (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

static void read_program(struct plan *plan, const char *name, const struct options *options)
{
    plan->program = find_program(name);
    if (!plan->program)
        fail(127, "%s: no such program in PATH", name);
    switch (needs_read(&plan->needs, plan->program)) {
    case ELF_NO_FILE:
        fail(errno == ENOENT ? 127 : 126, "%s: %s", plan->program, strerror(errno));
        break;
    case ELF_NOT_ELF:
        plan->script = !options->check;
        if (!plan->script)
            fail(126,
                 "%s is not an executable file of ELF's form; if it is a script, name the program"
                 " that it starts",
                 plan->program);
        break;
    case ELF_TRUNCATED:
        fail(126, "%s is truncated: its headers name bytes beyond the end of the file",
             plan->program);
        break;
    case ELF_OTHER_FORM:
        fail(126, "%s is not an executable file for a 64-bit machine, or it is damaged",
             plan->program);
        break;
    case ELF_OPENED:
        break;
    }
}

static const char *machine_name(uint16_t machine)
{
    return machine == EM_X86_64 ? "x86-64" : machine == EM_AARCH64 ? "arm64" : "another machine";
}

static void choose_runtime(struct plan *plan, const struct options *options)
{
    const struct elf_object *program = plan->needs.objects[0];
    cleanup_free char *found = options->directory ? strdup(options->directory) : find_directory();
    if (program && !program->dynamic && traced_is_wanted(&options->traced) && !options->check)
        fail(1, "cannot trace: %s is linked statically, and the loader puts no library before it",
             plan->program);
    // One on nodes of its own, or that is traced, may be any program: also one of docad's library.
    bool may_do_without = options->nodes || (traced_is_wanted(&options->traced) && !options->check);
    if (may_do_without && !plan->needs.library_count && (!found || (program && !program->dynamic)))
        return;
    if (!found)
        fail(1, "the runtime directories are not where they are installed; name their directory"
                " with --libraries");
    const char *why = runtimes_read(&plan->runtimes, found);
    if (why && may_do_without && !plan->needs.library_count) // they need not be built
        return;
    if (why)
        fail(1, "%s: %s", found, why);
    if (program && !program->dynamic)
        fail(1, "%s is linked statically: it has the vendor's libraries in itself, if any",
             plan->program);
    uint16_t machine = runtime_machine(&plan->runtimes.all[0]);
    if (program && machine != program->machine)
        fail(1, "%s is for %s, and %s is for %s", plan->program, machine_name(program->machine),
             found, machine_name(machine));
    if (options->generation)
        plan->runtime = runtimes_named(&plan->runtimes, options->generation);
    else if (!plan->needs.library_count)
        // A shell, or an interpreter: the programs that it starts are most likely recent.
        plan->runtime = runtimes_find(&plan->runtimes, NEWEST);
    if (!plan->runtime && !options->generation)
        plan->runtime = runtimes_choose(&plan->runtimes, &plan->needs);
    if (!plan->runtime && options->generation)
        fail(1, "%s has no sdk-%s", found, options->generation);
    if (!plan->runtime)
        fail(1, "%s needs %s, and no generation in %s has libraries of that number", plan->program,
             plan->needs.libraries[0], found);
}

static void look_up_functions(struct plan *plan)
{
    if (!plan->runtime)
        return;
    plan->unknown = calloc(plan->needs.symbol_count + 1, sizeof(*plan->unknown));
    if (!plan->unknown)
        fail(1, "no memory is left");
    for (size_t i = 0; i < plan->needs.symbol_count; i++) {
        enum runtime_has has = runtime_has(plan->runtime, plan->needs.symbols[i]);
        // A weak one that stays without a definition is one that the program does not call.
        if (has == RUNTIME_UNKNOWN && !plan->needs.symbols[i]->weak)
            plan->unknown[plan->unknown_count++] = plan->needs.symbols[i];
        plan->lacking += has == RUNTIME_LACKS;
    }
}

// An object may name a version of the vendor's libraries that those of the directory do not have.
static void look_up_versions(struct plan *plan)
{
    size_t most = 1;
    if (!plan->runtime)
        return;
    for (size_t i = 0; i < plan->needs.object_count; i++)
        most += plan->needs.objects[i]->version_count;
    plan->versions = calloc(most, sizeof(*plan->versions));
    if (!plan->versions)
        fail(1, "no memory is left");
    for (size_t i = 0; i < plan->needs.object_count; i++) {
        const struct elf_object *object = plan->needs.objects[i];
        for (size_t k = 0; k < object->version_count; k++) {
            const struct elf_version *version = &object->versions[k];
            if (version->file && !version->weak && needs_is_vendors(version->file) &&
                !runtime_has_version(plan->runtime, version->file, version->name))
                plan->versions[plan->version_count++] = version;
        }
    }
}

// ---- output ------------------------------------------------------------------------------------

static void print_missing(const struct plan *plan, FILE *out, const char *prefix)
{
    for (size_t i = 0; i < plan->needs.symbol_count && plan->runtime; i++) {
        const struct elf_symbol *symbol = plan->needs.symbols[i];
        enum runtime_has has = runtime_has(plan->runtime, symbol);
        if (has == RUNTIME_LACKS || (has == RUNTIME_UNKNOWN && !symbol->weak))
            fprintf(out, "%smissing function: %s%s%s\n", prefix, symbol->name,
                    symbol->file ? " of " : "", symbol->file ? symbol->file : "");
    }
    for (size_t i = 0; i < plan->needs.library_count; i++)
        if (!runtime_has_library(plan->runtime, plan->needs.libraries[i]))
            fprintf(out, "%smissing library: %s\n", prefix, plan->needs.libraries[i]);
    for (size_t i = 0; i < plan->needs.absent_count; i++)
        fprintf(out, "%smissing library, which is not DOCA's: %s\n", prefix, plan->needs.absent[i]);
    for (size_t i = 0; i < plan->needs.version_count; i++)
        fprintf(out, "%smissing version: %s of %s, which is older\n", prefix,
                plan->needs.versions[i]->name, plan->needs.versions[i]->file);
    for (size_t i = 0; i < plan->version_count; i++)
        fprintf(out, "%smissing version: %s of %s\n", prefix, plan->versions[i]->name,
                plan->versions[i]->file);
}

// Prints libraries and symbols that the loader would not find.
static size_t refusals(const struct plan *plan)
{
    return plan->needs.absent_count + plan->needs.version_count + plan->version_count;
}

static size_t missing_libraries(const struct plan *plan)
{
    size_t missing = 0;
    for (size_t i = 0; i < plan->needs.library_count; i++)
        missing += !runtime_has_library(plan->runtime, plan->needs.libraries[i]);
    return missing;
}

static bool is_certain(const struct plan *plan)
{
    return runtime_is_certain(plan->runtime, &plan->needs);
}

// Status 0: nothing is missing.
static int check(const struct plan *plan, const struct options *options)
{
    size_t missing = plan->unknown_count + plan->lacking;
    bool rights = gets_rights(plan->program);
    printf("program: %s\n", plan->program);
    if (rights)
        puts("it gets rights when it is executed (set-user-ID, set-group-ID or capabilities): the"
             " loader takes no libraries from here for it");
    for (size_t i = 1; i < plan->needs.object_count; i++)
        if (needs_asks_vendor(plan->needs.objects[i]))
            printf("brings: %s\n", plan->needs.paths[i]);
    if (!plan->needs.library_count) {
        puts("it needs none of the vendor's libraries");
        print_missing(plan, stdout, "");
        return refusals(plan) || rights ? 1 : 0;
    }
    printf("generation: DOCA %s%s%s%s\n", plan->runtime->generation,
           plan->needs.release[0] ? ", built with " : "", plan->needs.release,
           options->generation || is_certain(plan) ? "" : GUESSED);
    printf("libraries: %s\n", plan->runtime->path);
    printf("functions: %zu needed, %zu missing\n", plan->needs.symbol_count, missing);
    print_missing(plan, stdout, "");
    return missing || missing_libraries(plan) || refusals(plan) || rights ? 1 : 0;
}

// A script, a shell, python3 or openssl: programs that it starts, and libraries that it opens, may
// need the vendor's. A program that is linked with docad's own library keeps that one.
static bool is_starter(const struct plan *plan)
{
    return plan->runtime &&
           (plan->script || (!plan->needs.library_count && !plan->needs.has_docads &&
                             plan->needs.objects[0]->dynamic));
}

static void print_plan(const struct plan *plan, const struct options *options)
{
    if (!options->quiet && plan->needs.library_count)
        fprintf(stderr, NAME ": %s is a program of DOCA %s%s%s%s: libraries of %s\n", plan->program,
                plan->runtime->generation, plan->needs.release[0] ? ", built with " : "",
                plan->needs.release, options->generation || is_certain(plan) ? "" : GUESSED,
                plan->runtime->path);
    if (!options->quiet && is_starter(plan))
        fprintf(stderr, NAME ": programs that %s starts get the libraries of %s%s\n", plan->program,
                plan->runtime->path, options->generation ? "" : " (--generation names others)");
    size_t missing = plan->unknown_count + plan->lacking + missing_libraries(plan);
    if (missing + refusals(plan) > 0)
        print_missing(plan, stderr, NAME ": ");
    if (refusals(plan))
        fputs(NAME
              ": the loader refuses the program unless it finds all libraries, in these versions;"
              " install those that are not DOCA's, or name their directory in LD_LIBRARY_PATH\n",
              stderr);
    else if (missing)
        fputs(NAME ": the program runs until it calls a missing function\n", stderr);
}

// ---- starting ----------------------------------------------------------------------------------

// Puts `value` in front of what the environment has in `name`.
static void put_before(const char *name, const char *value)
{
    const char *old = getenv(name);
    cleanup_free char *whole = NULL;
    if (asprintf(&whole, "%s%s%s", value, old && *old ? ":" : "", old ? old : "") < 0 ||
        setenv(name, whole, 1) != 0)
        fail(1, "no memory is left");
}

// The directory as the loader's variables can name it, where ':', ';' and ' ' separate names. The
// descriptor stays open for what the program starts.
static char *loadable(const char *path)
{
    char *name = NULL;
    int fd = strpbrk(path, ":; ") ? open(path, O_PATH | O_DIRECTORY) : -1;
    if ((fd >= 0 ? asprintf(&name, "/proc/self/fd/%d", fd) : asprintf(&name, "%s", path)) < 0)
        fail(1, "no memory is left");
    return name;
}

// The versions of a library that the program needs, from the symbols that it imports.
static size_t versions_of(const struct plan *plan, const char *library, const char **versions)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->needs.symbol_count; i++) {
        const struct elf_symbol *symbol = plan->needs.symbols[i];
        bool is_new = symbol->version[0] &&
                      (!library || (symbol->file && strcmp(symbol->file, library) == 0));
        for (size_t k = 0; k < count && is_new; k++)
            is_new = strcmp(versions[k], symbol->version) != 0;
        if (is_new)
            versions[count++] = symbol->version;
    }
    return count;
}

// Preloads a replacement library under the name that the program needs.
static void preload_stand_in(const struct plan *plan, const char *library,
                             const struct elf_symbol **symbols, size_t count)
{
    cleanup_free const char **versions = calloc(plan->needs.symbol_count + 1, sizeof(*versions));
    if (!versions)
        fail(1, "no memory is left");
    struct stand_in stand_in = {
        .soname = library ? library : "libdocad-missing.so",
        .machine = plan->needs.objects[0]->machine,
        .versions = versions,
        .version_count = versions_of(plan, library, versions),
        .symbols = symbols,
        .symbol_count = count,
        .generation = plan->runtime->generation,
    };
    int fd = stand_in_make(&stand_in);
    if (fd < 0)
        fail(1, "cannot make a library in the place of %s: %s", stand_in.soname, strerror(errno));
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    put_before("LD_PRELOAD", path);
}

static void preload(const struct plan *plan, const char *directory)
{
    for (size_t i = 0; i < plan->needs.library_count; i++) {
        const char *library = plan->needs.libraries[i];
        if (!runtime_has_library(plan->runtime, library)) {
            preload_stand_in(plan, library, NULL, 0);
        } else if (plan->needs.has_rpath) {
            // Otherwise the loader searches the program's own path first.
            cleanup_free char *path = NULL;
            if (asprintf(&path, "%s/%s", directory, library) < 0)
                fail(1, "no memory is left");
            put_before("LD_PRELOAD", path);
        }
    }
    if (plan->unknown_count)
        preload_stand_in(plan, NULL, plan->unknown, plan->unknown_count);
}

static _Noreturn void start_traced(const struct plan *plan, const struct options *options,
                                   char **arguments)
{
    cleanup_free char *self = own_directory();
    if (gets_rights(plan->program))
        fail(126, "%s gets rights when it is executed: the loader puts no library before it",
             plan->program);
    fail(1, "cannot trace: %s",
         traced_run(&options->traced, self ? self : ".", plan->program, arguments));
}

// The card as it is with the release that the program is of, whether an option or the environment
// names it.
static void imitate(const struct plan *plan, const struct options *options)
{
    char card[CARD_SPEC_SIZE], why[CARD_WHY_SIZE];
    const char *release = plan->needs.release;
    const char *asked = options->card ? options->card : getenv("DOCAD_CARD");

    if (!asked || !*asked)
        return;

    if (options->generation)
        release = strcmp(options->generation, NEWEST) == 0 ? "" : options->generation;
    if (!card_fit_release(asked, release, card, why)) {
        if (!options->card)
            return; // the program's library will report it
        fail(2, "--card %s: %s", asked, why);
    }
    if (setenv("DOCAD_CARD", card, 1) != 0)
        fail(1, "no memory is left");
}

// The library sees only later, or never, that a program has the command line of 1.2 or 1.3.
static void tell_argp(const struct plan *plan)
{
    bool structures = plan->needs.third_argument && strcmp(plan->runtime->generation, "1.3") == 0;
    if ((structures ? setenv(ARGP_VARIABLE, "1", 1) : unsetenv(ARGP_VARIABLE)) != 0)
        fail(1, "no memory is left");
}

static _Noreturn void start(const struct plan *plan, const struct options *options,
                            char **arguments)
{
    if (options->socket && setenv("DOCAD_SOCKET", options->socket, 1) != 0)
        fail(1, "no memory is left");
    imitate(plan, options);
    if (plan->needs.library_count || is_starter(plan)) {
        if (plan->needs.library_count && gets_rights(plan->program))
            fail(126,
                 "%s gets rights when it is executed (set-user-ID, set-group-ID or capabilities),"
                 " and the loader takes no libraries from here for it; start it as a user who has"
                 " them, or start a copy without them",
                 plan->program);
        cleanup_free char *directory = loadable(plan->runtime->path);
        preload(plan, directory);
        tell_argp(plan);
        put_before("LD_LIBRARY_PATH", directory);
    }
    if (traced_is_wanted(&options->traced))
        start_traced(plan, options, arguments);
    execv(plan->program, arguments);
    fail(errno == ENOENT ? 127 : 126, "%s: %s", plan->program, strerror(errno));
}

// ---- a pair ------------------------------------------------------------------------------------

struct job {
    struct plan plan;
    struct options options;
    char **arguments;
};

static void prepare(struct job *job, char **arguments, const struct options *options)
{
    job->options = *options;
    job->arguments = arguments;
    read_program(&job->plan, arguments[0], options);
    choose_runtime(&job->plan, options);
    look_up_functions(&job->plan);
    look_up_versions(&job->plan);
}

static void become(const void *arg)
{
    const struct job *job = arg;
    start(&job->plan, &job->options, job->arguments);
}

static void set_faults(struct job *job, const struct sweep_program *faults)
{
    job->options.traced.faults = faults->rules;
    job->options.traced.shared = faults->shared;
}

static void become_with(void *arg, const struct sweep_program programs[SWEEP_SIDES])
{
    struct job *job = arg;
    set_faults(job, programs);
    become(job);
}

// Finds the arguments of the program of the DPU, and ends those of the host's.
static char **split(char **arguments)
{
    while (*arguments && strcmp(*arguments, "--") != 0)
        arguments++;
    if (!*arguments || !arguments[1])
        fail(2, "--pair needs two programs, with -- between the host's and the DPU's");
    *arguments = NULL;
    return arguments + 1;
}

struct pair_jobs {
    const struct options *options;
    struct job jobs[PAIR_SIDES];
    struct pair pair;
};

// Prepares the programs of the nodes. Returns the status of --check.
static int prepare_pair(struct pair_jobs *all, const struct options *options, char **arguments)
{
    int status = 0;
    for (int side = PAIR_HOST; side < PAIR_SIDES; side++) {
        struct job *job = &all->jobs[side];
        if (options->nodes == (side == PAIR_HOST ? 'd' : 'h'))
            continue;
        char **own = arguments;
        if (options->nodes == 'p')
            arguments = side == PAIR_HOST ? split(own) : arguments;
        if (!own[0])
            fail(2, "which program of the host? " NAME " --help tells more");
        prepare(job, own, options);
        if (options->check)
            status |= check(&job->plan, options);
        else
            print_plan(&job->plan, options);
        all->pair.programs[side] = (struct pair_program){become, job};
    }
    return status;
}

static int run_pair(struct pair_jobs *all, const struct options *options)
{
    struct pair_trace trace = {.count = 0};
    for (int side = PAIR_HOST; side < PAIR_SIDES; side++)
        if (all->pair.programs[side].start)
            pair_trace_begin(&trace, side, options->nodes == 'p', &all->jobs[side].options.traced,
                             &all->pair.logs[side]);
    int status = pair_run(&all->pair);
    pair_trace_end(&trace);
    return status;
}

// One run of a sweep, with nodes of its own.
static void become_pair(void *arg, const struct sweep_program programs[SWEEP_SIDES])
{
    struct pair_jobs *all = arg;
    size_t n = 0;
    for (int side = PAIR_HOST; side < PAIR_SIDES; side++)
        if (all->pair.programs[side].start)
            set_faults(&all->jobs[side], &programs[n++]);
    exit(run_pair(all, all->options));
}

static int run_on_nodes(const struct options *options, char **arguments)
{
    static struct pair_jobs all;
    all.options = options;
    all.pair = (struct pair){
        .first = options->first,
        .until = options->until,
        .ready = options->ready ? options->ready : "",
        .grace_s = options->grace_s,
        .logs = {-1, -1},
        .faults = {[PAIR_HOST] = faulted_without_links(options->traced.node_faults),
                   [PAIR_DPU] = options->traced.node_faults},
    };
    int status = prepare_pair(&all, options, arguments);
    if (options->check)
        return status;
    if (!options->traced.sweep)
        return run_pair(&all, options);
    return sweep_run(&(struct sweep){become_pair, &all, options->limit_s, options->nodes == 'p'});
}

// ---- main

int main(int argc, char **argv)
{
    struct options options;
    static struct job job;
    options_read(argc, argv, &options);
    if (options.nodes)
        return run_on_nodes(&options, argv + options.arguments);
    prepare(&job, argv + options.arguments, &options);
    if (options.check)
        return check(&job.plan, &options);
    print_plan(&job.plan, &options);
    if (options.traced.sweep)
        return sweep_run(&(struct sweep){become_with, &job, options.limit_s, false});
    start(&job.plan, &options, job.arguments);
}
