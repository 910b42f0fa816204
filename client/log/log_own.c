// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Folds the library's own lines, and has their level.
//
// Each place that has written a line keeps its fold until the process ends, so that folds are
// found without a lock. Only the holder of the log's lock makes and changes them; any thread
// may count.

#include "own.h"

#include "clock.h"
#include "log.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDS     256
#define FOLD_TEXT 480 // longer than nearly all lines; the rest is not compared

struct fold {
    struct log_place place;
    uint32_t level;
    unsigned written;        // in this interval,
    bool differ;             // they are not all equal
    _Atomic uint64_t until;  // when the interval ends, in milliseconds
    _Atomic unsigned equal;  // lines left out
    _Atomic unsigned likely; // left out because of the rate, whatever their text
    char text[FOLD_TEXT];    // the last line that was written
};

static struct fold folds[FOLDS];
static _Atomic unsigned n_folds; // of the array, complete

// ---- the level -------------------------------------------------------------------------

static const struct {
    const char *name;
    uint32_t level;
} levels[] = {
    {"off", 0},
    {"critical", DOCA_LOG_LEVEL_CRIT},
    {"error", DOCA_LOG_LEVEL_ERROR},
    {"warning", DOCA_LOG_LEVEL_WARNING},
    {"info", DOCA_LOG_LEVEL_INFO},
    {"debug", DOCA_LOG_LEVEL_DEBUG},
};

// Removes everything in front of the source's own folders: the directory of compilation is private,
// and useless.
static const char *file_within_source(const char *file)
{
    static const char *const folders[] = {"client/", "common/"};
    const char *within = file;

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        for (const char *p = file; (p = strstr(p, folders[i])); p++)
            if ((p == file || p[-1] == '/') && p > within)
                within = p;
    return within;
}

static void __attribute__((format(printf, 4, 5)))
write_own(enum log_entry entry, uint32_t level, struct log_place place, const char *format, ...)
{
    struct log_line line = {.level = level, .own = true};
    va_list args;

    va_start(args, format);
    log_line_write(entry, &line, file_within_source(place.file), place.line, format, args);
    va_end(args);
}

static const char *_Atomic wrong_level; // the variable's value, until it is logged

static void read_level(void)
{
    const char *text = secure_getenv("DOCAD_LOG_LEVEL");

    if (!text || !*text)
        return;
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (strcmp(levels[i].name, text) == 0) {
            log_own_level_set(levels[i].level);
            return;
        }
    wrong_level = text;
}

static void log_wrong_level(void)
{
    const char *text = atomic_exchange(&wrong_level, NULL);

    if (!text)
        return;
    enum log_entry entry = log_enter();
    write_own(entry, DOCA_LOG_LEVEL_WARNING, LOG_HERE,
              "DOCAD_LOG_LEVEL=\"%s\" is not a level; write off, critical, error, warning, info "
              "or debug",
              text);
    log_leave(entry);
}

static bool shown(uint32_t level)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_level);
    // Not within the above: a program's callback that gets the line may call this again.
    if (atomic_load_explicit(&wrong_level, memory_order_relaxed))
        log_wrong_level();
    return log_own_shown(level);
}

// ---- folds: with the lock, but for finding -------------------------------------------------

static struct fold *find(struct log_place place)
{
    // Acquire: folds below the count are complete.
    unsigned n = atomic_load_explicit(&n_folds, memory_order_acquire);
    for (unsigned i = 0; i < n; i++)
        if (folds[i].place.line == place.line && folds[i].place.file == place.file)
            return &folds[i];
    return NULL;
}

static struct fold *find_or_make(struct log_place place, uint32_t level)
{
    struct fold *fold = find(place);
    unsigned n = atomic_load_explicit(&n_folds, memory_order_relaxed);

    if (fold)
        return fold;
    if (n == FOLDS) // no program fails in more ways; if one does, failures share the last fold
        return &folds[FOLDS - 1];
    fold = &folds[n];
    fold->place = place;
    fold->level = level;
    // Release: see find().
    atomic_store_explicit(&n_folds, n + 1, memory_order_release);
    return fold;
}

static void log_fold(struct fold *fold, enum log_entry entry)
{
    unsigned equal = atomic_exchange(&fold->equal, 0);
    unsigned likely = atomic_exchange(&fold->likely, 0);

    const char *which = fold->differ ? ", this or others" : "";
    if (equal == 1)
        write_own(entry, fold->level, fold->place, "once more%s: %s", which, fold->text);
    else if (equal)
        write_own(entry, fold->level, fold->place, "%u times more%s: %s", equal, which, fold->text);
    if (likely)
        write_own(entry, fold->level, fold->place, "%u more lines like this one: %s", likely,
                  fold->text);
}

static void log_repeats(uint64_t now, enum log_entry entry)
{
    unsigned n = atomic_load_explicit(&n_folds, memory_order_relaxed);
    for (unsigned i = 0; i < n; i++)
        if (now >= folds[i].until)
            log_fold(&folds[i], entry);
}

static bool is_over(const struct fold *fold, uint64_t now)
{
    return now >= atomic_load_explicit(&fold->until, memory_order_relaxed);
}

// Returns whether to write this line. If not, counts it if it is `worth` a count.
static bool passes(struct fold *fold, const char *text, uint64_t now, bool worth)
{
    bool over = is_over(fold, now);
    bool equal = !over && strncmp(fold->text, text, FOLD_TEXT - 1) == 0;

    if (over) {
        fold->written = 0;
        fold->differ = false;
    }
    if (equal || fold->written == LOG_OWN_BURST) {
        if (worth)
            atomic_fetch_add_explicit(equal ? &fold->equal : &fold->likely, 1,
                                      memory_order_relaxed);
        return false;
    }
    fold->differ = fold->written++ > 0;
    size_t n = strnlen(text, FOLD_TEXT - 1);
    memcpy(fold->text, text, n);
    fold->text[n] = 0;
    if (over) // last: from now on log_own_again() counts
        atomic_store_explicit(&fold->until, now + LOG_OWN_INTERVAL_MS, memory_order_relaxed);
    return true;
}

// The line of which log_own_again() has returned false only because it is watched.
static _Thread_local struct log_place again __attribute__((tls_model("initial-exec")));

bool log_own_again(struct log_place place)
{
    struct fold *fold = find(place);
    if (!fold || is_over(fold, clock_coarse_ms()))
        return false;
    if (log_is_watched()) {
        again = place;
        return false;
    }
    atomic_fetch_add_explicit(&fold->equal, 1, memory_order_relaxed);
    return true;
}

void log_own_reset(void)
{
    for (unsigned i = 0; i < n_folds; i++)
        folds[i].equal = folds[i].likely = 0;
}

// ---- lines ---------------------------------------------------------------------------------

// Passes the line to watchers, whatever backends show. Returns whether backends do not get it, as
// without them: log_own_again() would have counted it.
static bool watched(uint32_t level, struct log_place place, const char *text)
{
    bool counts = again.file == place.file && again.line == place.line;
    again = (struct log_place){0};
    log_watchers_call(level, text);
    if (counts)
        atomic_fetch_add_explicit(&find(place)->equal, 1, memory_order_relaxed);
    return counts;
}

static void __attribute__((format(printf, 4, 0)))
log_va(uint32_t level, struct log_place place, bool worth, const char *format, va_list args)
{
    int saved = errno;
    char text[LOG_NEST_SIZE];

    bool is_watched = log_is_watched(), is_shown = shown(level);
    if (!is_shown && !is_watched)
        return;
    vsnprintf(text, sizeof(text), format, args);
    if ((is_watched && watched(level, place, text)) || !is_shown) {
        errno = saved;
        return;
    }
    uint64_t now = clock_coarse_ms();
    enum log_entry entry = log_enter();
    // From within the logger, where another change of folds may be incomplete.
    bool fresh = true;
    if (entry == LOG_ENTRY_FIRST) {
        log_repeats(now, entry);
        fresh = passes(find_or_make(place, level), text, now, worth);
    }
    if (fresh)
        write_own(entry, level, place, "%s", text);
    log_leave(entry);
    errno = saved;
}

void log_own(uint32_t level, struct log_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_va(level, place, true, format, args);
    va_end(args);
}

void log_own_once(uint32_t level, struct log_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_va(level, place, false, format, args);
    va_end(args);
}

// Runs after the program's own destructors.
static void __attribute__((destructor(101))) log_the_rest(void)
{
    enum log_entry entry = log_enter();
    if (entry == LOG_ENTRY_FIRST)
        log_repeats(UINT64_MAX, LOG_ENTRY_LAST);
    log_leave(entry);
}
