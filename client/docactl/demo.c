// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A demonstration on a machine where no part of docad runs: docad-run starts a node for the host
// and one for the DPU, a program on each, and the DPU's copies a file from the host's memory. It
// leaves no process and no file.

#include "themes.h"

#include "cleanup.h"
#include "fields.h"
#include "listing.h"
#include "number.h"
#include "private_docad.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE_DEFAULT (UINT64_C(64) << 20)
#define SIZE_MAX_64  (UINT64_C(1) << 40)
#define PIECE        (UINT64_C(1) << 18)
#ifndef DOCAD_LIBEXEC_FROM_BIN // in programs of tests, which are made of this file, too
#define DOCAD_LIBEXEC_FROM_BIN "../libexec"
#endif
#define PROGRAMS DOCAD_LIBEXEC_FROM_BIN "/docad/" // of an installation, from docactl's directory

struct demo {
    uint64_t size;
    char directory[PRIVATE_PATH_MAX];
    char original[PRIVATE_PATH_MAX], copy[PRIVATE_PATH_MAX], output[PRIVATE_PATH_MAX];
    const char *run, *exporter, *fetcher; // programs
    char found[3][PATH_MAX];
    // The signals that end it are blocked from when its directory is made until that is removed.
    sigset_t ending, before;
    int caught; // the signal that came
};

// ---- signals ----------------------------------------------------------------------------

static void block_signals(struct demo *d)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;

    sigemptyset(&d->ending);
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) // by nohup
            sigaddset(&d->ending, signals[i]);
    signal(SIGCHLD, SIG_DFL); // the parent process may ignore it
    sigset_t blocked = d->ending;
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &d->before);
}

static bool is_to_end(struct demo *d)
{
    const struct timespec now = {0};

    if (!d->caught) {
        int got = sigtimedwait(&d->ending, NULL, &now);
        d->caught = got > 0 ? got : 0;
    }
    return d->caught;
}

// As if the signal had not been caught.
static void unblock_signals(struct demo *d)
{
    if (d->caught)
        raise(d->caught);
    sigprocmask(SIG_SETMASK, &d->before, NULL);
}

// ---- the file ---------------------------------------------------------------------------

static enum outcome failed(struct ctl *ctl, const char *what, const char *path)
{
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_OPERATING_SYSTEM,
                    "cannot %s %s: %s (TMPDIR names another place)", what, path, strerror(errno));
}

static bool write_random(struct demo *d, FILE *file)
{
    static uint8_t piece[PIECE];

    for (uint64_t done = 0; done < d->size && !is_to_end(d);) {
        size_t n = d->size - done < PIECE ? (size_t)(d->size - done) : PIECE;
        ssize_t got = getrandom(piece, n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || fwrite(piece, 1, (size_t)got, file) != (size_t)got)
            return false;
        done += (uint64_t)got;
    }
    return true;
}

static enum outcome make_original(struct ctl *ctl, struct demo *d)
{
    FILE *file = fopen(d->original, "we");
    bool written = file && write_random(d, file);
    int why = errno;

    if (file && fclose(file) != 0 && written) {
        written = false;
        why = errno;
    }
    errno = why;
    return written ? OUTCOME_DONE : failed(ctl, "write", d->original);
}

// Reads both: file_fetch has compared hashes, and nothing is taken from it on trust.
static bool files_equal(struct demo *d)
{
    static uint8_t a[PIECE], b[PIECE];
    cleanup_file FILE *original = fopen(d->original, "re"), *copy = fopen(d->copy, "re");
    size_t n, m;

    if (!original || !copy)
        return false;
    do {
        n = fread(a, 1, sizeof(a), original);
        m = fread(b, 1, sizeof(b), copy);
        if (n != m || memcmp(a, b, n) != 0)
            return false;
    } while (n > 0 && !is_to_end(d));
    return true;
}

// ---- the programs -----------------------------------------------------------------------

static const char *find(const char *name, const char *installed, char path[PATH_MAX])
{
    const char *found = private_find_program(name, installed, NULL, path);
    return strchr(found, '/') ? found : NULL;
}

static enum outcome find_programs(struct ctl *ctl, struct demo *d)
{
    d->run = find("docad-run", "docad-run", d->found[0]);
    d->exporter = find("file_export", PROGRAMS "file_export", d->found[1]);
    d->fetcher = find("file_fetch", PROGRAMS "file_fetch", d->found[2]);
    const char *missing = !d->run        ? "docad-run"
                          : !d->exporter ? "file_export"
                          : !d->fetcher  ? "file_fetch"
                                         : NULL;
    if (!missing)
        return OUTCOME_DONE;
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                    "%s is missing; install docad's tools (apt install docad-tools), or build them "
                    "(ninja docad-run examples)",
                    missing);
}

// docad-run ends what it has started when its parent ends.
_Noreturn static void become_docad_run(const struct demo *d)
{
    const char *argv[] = {d->run,     "--quiet", "--pair", "--first",   "host",      "--ready",
                          "exported", "--until", "dpu",    "--",        d->exporter, "-p",
                          "0b:00.0",  "-n",      "demo",   d->original, "--",        d->fetcher,
                          "-p",       "03:00.0", "-n",     "demo",      "-o",        d->copy,
                          "-m",       NULL};
    cleanup_fd int output = open(d->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_SETMASK, &d->before, NULL);
    if (output >= 0 && dup2(output, STDOUT_FILENO) >= 0)
        execv(argv[0], (char *const *)argv);
    fprintf(stderr, "docactl: cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

// Waits for the end of docad-run, and passes signals on to it.
static int wait_for(struct demo *d, pid_t pid)
{
    int status = 0;
    pid_t ended;
    sigset_t set = d->ending;

    sigaddset(&set, SIGCHLD);
    while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
        int got = sigwaitinfo(&set, NULL);
        if (got <= 0 || got == SIGCHLD)
            continue;
        d->caught = got;
        kill(pid, got);
    }
    if (ended < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static enum outcome run_pair(struct ctl *ctl, struct demo *d)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become_docad_run(d);
    int status = pid < 0 ? 127 : wait_for(d, pid);
    if (status == 0)
        return OUTCOME_DONE;
    return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_UNEXPECTED,
                    "the copy failed, docad-run ended with status %d: the lines above say why",
                    status);
}

// ---- the result -------------------------------------------------------------------------

// "dpu: medians of 64 rounds: 9.87 GiB/s, memcpy 9.95 GiB/s, ratio 0.99"
static bool read_rates(const struct demo *d, double *rate, double *beside, double *ratio)
{
    cleanup_file FILE *file = fopen(d->output, "re");
    char line[512];

    while (file && fgets(line, sizeof(line), file)) {
        const char *found = strstr(line, "medians of ");
        if (found && sscanf(found, "medians of %*u rounds: %lf GiB/s, memcpy %lf GiB/s, ratio %lf",
                            rate, beside, ratio) == 3)
            return true;
    }
    return false;
}

static enum outcome show(struct ctl *ctl, struct demo *d)
{
    double rate, beside, ratio;

    bool equal = files_equal(d);
    if (is_to_end(d))
        return OUTCOME_DONE;
    if (!equal)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_UNEXPECTED,
                        "the DPU's copy differs from the host's memory; please report this");
    if (!read_rates(d, &rate, &beside, &ratio))
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_UNEXPECTED,
                        "%s printed no rates; install one version of docad and its tools",
                        d->fetcher);
    struct json_object *object = json_object_new_object();
    put_number(object, "bytes", d->size);
    put_number(object, "bytes_per_second", (uint64_t)(rate * 0x1p30));
    put_number(object, "memcpy_bytes_per_second", (uint64_t)(beside * 0x1p30));
    put_number(object, "percent_of_memcpy", (uint64_t)(ratio * 100 + 0.5));
    put_bool(object, "verified", true);
    return show_object(ctl, object, demo_fields);
}

static enum outcome demonstrate(struct ctl *ctl, struct demo *d)
{
    private_directory_name(d->directory, "original", "", d->original);
    private_directory_name(d->directory, "copy", "", d->copy);
    private_directory_name(d->directory, "output", "", d->output);
    enum outcome outcome = make_original(ctl, d);
    if (outcome == OUTCOME_DONE && !is_to_end(d))
        outcome = run_pair(ctl, d);
    return outcome == OUTCOME_DONE && !is_to_end(d) ? show(ctl, d) : outcome;
}

static enum outcome take_size(struct ctl *ctl, uint64_t *size)
{
    const char *text = ctl->args.options[OPTION_SIZE];

    *size = SIZE_DEFAULT;
    if (!text || (number_read_size(text, SIZE_MAX_64, size) && *size > 0))
        return OUTCOME_DONE;
    return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                    "--size takes a number of bytes, such as 64M, not '%s'", text);
}

enum outcome run_demo(struct ctl *ctl)
{
    static struct demo d;
    enum outcome outcome = take_size(ctl, &d.size);

    if (outcome == OUTCOME_DONE)
        outcome = find_programs(ctl, &d);
    if (outcome != OUTCOME_DONE)
        return outcome;
    block_signals(&d);
    if (private_directory_make("docad-demo", d.directory)) {
        outcome = demonstrate(ctl, &d);
        private_directory_remove(d.directory);
    } else {
        outcome = failed(ctl, "make", d.directory);
    }
    unblock_signals(&d);
    return outcome;
}
