// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Backends: their kinds, the lines that they take, and how they write one.

#include "log.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

enum backend_kind {
    TO_STDOUT,
    TO_STDERR,
    TO_STREAM,
    TO_DESCRIPTOR,
    TO_BUFFER,
    TO_SYSLOG,
};

struct doca_logger_backend {
    struct doca_logger_backend *_Atomic next;
    enum backend_kind kind;
    _Atomic enum log_takes takes;
    // It takes lines that are at least as severe as `mildest` and no more severe than
    // `worst`.
    _Atomic uint32_t mildest, worst;
    _Atomic bool mildest_fixed;
    bool worst_fixed;
    // The levels that the kind allows at all.
    uint32_t kind_mildest, kind_worst;

    FILE *stream;
    int fd;
    char *buffer;
    size_t capacity;
    log_flush_callback flush;
    bool busy; // its callback runs
    char *ident;
};

// The two halves of the standard backend. They form the list until a backend is created.
static struct doca_logger_backend standard_err = {
    .kind = TO_STDERR,
    .takes = LOG_TAKES_ALL,
    .mildest = DOCA_LOG_LEVEL_INFO,
    .worst = DOCA_LOG_LEVEL_CRIT,
    .kind_mildest = DOCA_LOG_LEVEL_WARNING,
    .kind_worst = DOCA_LOG_LEVEL_CRIT,
};
static struct doca_logger_backend standard_out = {
    .next = &standard_err,
    .kind = TO_STDOUT,
    .takes = LOG_TAKES_ALL,
    .mildest = DOCA_LOG_LEVEL_INFO,
    .worst = DOCA_LOG_LEVEL_CRIT,
    .kind_mildest = LOG_LEVEL_TRACE,
    .kind_worst = DOCA_LOG_LEVEL_INFO,
};

// The default backend of the 1.5 interface, in the list as soon as the program uses that
// interface.
static struct doca_logger_backend default_1_5 = {
    .kind = TO_STDERR,
    .takes = LOG_TAKES_ALL,
    .mildest = DOCA_LOG_LEVEL_INFO,
    .worst = DOCA_LOG_LEVEL_CRIT,
    .kind_mildest = DOCA_LOG_LEVEL_DEBUG,
    .kind_worst = DOCA_LOG_LEVEL_CRIT,
};
// For the library's own lines if DOCAD_LOG_LEVEL is set and the program's backends only take the
// program's lines: no other backend takes them then.
static struct doca_logger_backend own_lines = {
    .kind = TO_STDERR,
    .takes = LOG_TAKES_OWN,
    .mildest = DOCA_LOG_LEVEL_INFO,
    .worst = DOCA_LOG_LEVEL_CRIT,
    .kind_mildest = LOG_LEVEL_TRACE,
    .kind_worst = DOCA_LOG_LEVEL_CRIT,
};
static bool own_lines_wanted;
static bool default_1_5_taken; // then the global level is the level of this backend alone

static struct doca_logger_backend *_Atomic backends = &standard_out;
static bool created;          // by the program: the list is no longer the default
static bool standard_created; // the program put the halves into it

static _Atomic uint32_t global_mildest = DOCA_LOG_LEVEL_INFO;
static _Atomic uint32_t global_worst = DOCA_LOG_LEVEL_CRIT;
static _Atomic uint32_t global_own = DOCA_LOG_LEVEL_INFO; // of backends that take only these lines

// The level of the library's own lines.
#define AS_OTHERS UINT32_MAX
static _Atomic uint32_t own_mildest = AS_OTHERS;

// The mildest level that any backend takes: most debug lines are dropped here.
static _Atomic uint32_t shown = DOCA_LOG_LEVEL_INFO;

// ---- levels --------------------------------------------------------------------

static uint32_t backend_mildest(const struct doca_logger_backend *b)
{
    return b->mildest < b->kind_mildest ? b->mildest : b->kind_mildest;
}

// The same for the library's own lines.
static uint32_t backend_mildest_own(const struct doca_logger_backend *b)
{
    uint32_t own = own_mildest;
    if (own == AS_OTHERS || b->mildest_fixed)
        return backend_mildest(b);
    return own < b->kind_mildest ? own : b->kind_mildest;
}

static bool backend_takes(const struct doca_logger_backend *b, uint32_t level, bool own)
{
    uint32_t worst = b->worst > b->kind_worst ? b->worst : b->kind_worst;
    if (!(b->takes & (own ? LOG_TAKES_OWN : LOG_TAKES_PROGRAM)))
        return false;
    return level >= worst && level <= (own ? backend_mildest_own(b) : backend_mildest(b));
}

bool log_own_shown(uint32_t level)
{
    for (const struct doca_logger_backend *b = backends; b; b = b->next)
        if (backend_takes(b, level, true))
            return true;
    return false;
}

bool log_level_shown(uint32_t level)
{
    return level <= shown;
}

static void shown_update(void)
{
    uint32_t mildest = 0;
    for (const struct doca_logger_backend *b = backends; b; b = b->next)
        if ((b->takes & LOG_TAKES_PROGRAM) && backend_mildest(b) > mildest)
            mildest = backend_mildest(b);
    shown = mildest;
}

// A backend that the program received: any other pointer is refused.
static bool backend_known(const struct doca_logger_backend *logger)
{
    if (!logger || logger == &standard_out || logger == &standard_err || logger == &default_1_5 ||
        logger == &own_lines)
        return false;
    for (const struct doca_logger_backend *b = backends; b; b = b->next)
        if (b == logger)
            return true;
    return false;
}

static bool limit_fixed(const struct doca_logger_backend *b, enum log_limit limit)
{
    return limit == LOG_MILDEST ? b->mildest_fixed : b->worst_fixed;
}

doca_error_t log_limit_set(struct doca_logger_backend *logger, enum log_takes takes,
                           enum log_limit limit, uint32_t level)
{
    doca_error_t result = DOCA_SUCCESS;
    enum log_entry entry = log_enter();
    if (!backend_known(logger) || !(logger->takes & takes)) {
        result = DOCA_ERROR_INVALID_VALUE;
    } else if (limit_fixed(logger, limit)) {
        result = DOCA_ERROR_NOT_PERMITTED;
    } else {
        *(limit == LOG_MILDEST ? &logger->mildest : &logger->worst) = level;
        shown_update();
    }
    log_leave(entry);
    return result;
}

doca_error_t log_limit_fix(struct doca_logger_backend *logger, enum log_limit limit)
{
    enum log_entry entry = log_enter();
    bool known = backend_known(logger);
    if (known && limit == LOG_MILDEST)
        logger->mildest_fixed = true;
    else if (known)
        logger->worst_fixed = true;
    log_leave(entry);
    return known ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static void limit_apply(struct doca_logger_backend *b, enum log_limit limit, uint32_t level)
{
    if (!limit_fixed(b, limit))
        *(limit == LOG_MILDEST ? &b->mildest : &b->worst) = level;
}

static _Atomic uint32_t *global_of(enum log_takes takes, enum log_limit limit)
{
    if (takes == LOG_TAKES_OWN)
        return &global_own;
    return limit == LOG_MILDEST ? &global_mildest : &global_worst;
}

void log_limit_set_all(enum log_takes takes, enum log_limit limit, uint32_t level)
{
    enum log_entry entry = log_enter();
    bool own = takes == LOG_TAKES_OWN;

    *global_of(takes, limit) = level;
    if (!own) {
        limit_apply(&standard_out, limit, level);
        limit_apply(&standard_err, limit, level);
        limit_apply(&default_1_5, limit, level);
    }
    for (struct doca_logger_backend *b = backends; b; b = b->next)
        if (own ? b->takes == LOG_TAKES_OWN : (b->takes & LOG_TAKES_PROGRAM) && !default_1_5_taken)
            limit_apply(b, limit, level);
    shown_update();
    log_leave(entry);
}

uint32_t log_limit_of_all(enum log_takes takes, enum log_limit limit)
{
    return *global_of(takes, limit);
}

// ---- creation ------------------------------------------------------------------

// Appends to the list, which another line may be walking along.
static void backend_append(struct doca_logger_backend *b)
{
    struct doca_logger_backend *last = backends;
    while (last && last->next)
        last = last->next;
    if (last)
        last->next = b;
    else
        backends = b;
}

// The first creation of a backend for lines of the program removes the default list; backends for
// the library's own lines may follow it. The first of the latter takes those lines from the default
// list.
static void default_end(enum log_takes takes)
{
    if (created)
        return;
    if (takes == LOG_TAKES_OWN) {
        standard_out.takes = standard_err.takes = LOG_TAKES_PROGRAM;
        return;
    }
    created = true;
    backends = standard_err.next;
    standard_out.next = NULL;
    standard_err.next = NULL;
}

static bool others_take_own(void)
{
    for (const struct doca_logger_backend *b = backends; b; b = b->next)
        if (b != &own_lines && (b->takes & LOG_TAKES_OWN))
            return true;
    return false;
}

// Puts own_lines into the list, or removes it, depending on the other backends.
static void own_lines_update(void)
{
    struct doca_logger_backend *before = NULL, *b = backends;
    bool needed = own_lines_wanted && !others_take_own();

    while (b && b != &own_lines) {
        before = b;
        b = b->next;
    }
    if (needed && !b) {
        own_lines.next = NULL;
        backend_append(&own_lines);
    } else if (!needed && b && before) { // a thread that is writing a line continues from there
        before->next = own_lines.next;
    } else if (!needed && b) {
        backends = own_lines.next;
    }
}

void log_own_level_set(uint32_t level)
{
    enum log_entry entry = log_enter();
    own_mildest = level;
    own_lines_wanted = level > 0;
    own_lines_update();
    log_leave(entry);
}

void log_default_take(void)
{
    enum log_entry entry = log_enter();
    if (!default_1_5_taken) {
        default_1_5_taken = true;
        default_end(LOG_TAKES_ALL);
        backend_append(&default_1_5);
        shown_update();
    }
    log_leave(entry);
}

void log_default_redirect(FILE *stream)
{
    enum log_entry entry = log_enter();
    // In this order, for a line of a signal handler that interrupts this.
    default_1_5.stream = stream;
    default_1_5.kind = TO_STREAM;
    log_leave(entry);
}

static doca_error_t backend_create(const struct doca_logger_backend *model,
                                   struct doca_logger_backend **out)
{
    struct doca_logger_backend *b = malloc(sizeof(*b));
    if (!b)
        return DOCA_ERROR_NO_MEMORY;

    enum log_entry entry = log_enter();
    *b = *model;
    b->next = NULL;
    if (b->takes == LOG_TAKES_OWN)
        b->mildest = global_own;
    else
        b->mildest = default_1_5_taken ? DOCA_LOG_LEVEL_INFO : global_mildest;
    b->worst = b->takes == LOG_TAKES_OWN ? DOCA_LOG_LEVEL_CRIT : global_worst;
    b->kind_mildest = LOG_LEVEL_TRACE;
    b->kind_worst = DOCA_LOG_LEVEL_CRIT;
    default_end(b->takes);
    backend_append(b);
    own_lines_update();
    shown_update();
    log_leave(entry);

    *out = b;
    return DOCA_SUCCESS;
}

doca_error_t log_backend_to_stream(FILE *stream, enum log_takes takes,
                                   struct doca_logger_backend **backend)
{
    if (!stream || !backend)
        return DOCA_ERROR_INVALID_VALUE;
    return backend_create(
        &(struct doca_logger_backend){.kind = TO_STREAM, .takes = takes, .stream = stream},
        backend);
}

doca_error_t log_backend_to_descriptor(int fd, enum log_takes takes,
                                       struct doca_logger_backend **backend)
{
    int saved = errno;
    int flags = fcntl(fd, F_GETFL);
    errno = saved;
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || !backend)
        return DOCA_ERROR_INVALID_VALUE;
    return backend_create(
        &(struct doca_logger_backend){.kind = TO_DESCRIPTOR, .takes = takes, .fd = fd}, backend);
}

doca_error_t log_backend_to_buffer(char *buffer, size_t capacity, log_flush_callback handler,
                                   enum log_takes takes, struct doca_logger_backend **backend)
{
    if (!buffer || capacity < 2 || !handler || !backend)
        return DOCA_ERROR_INVALID_VALUE;
    return backend_create(&(struct doca_logger_backend){.kind = TO_BUFFER,
                                                        .takes = takes,
                                                        .buffer = buffer,
                                                        .capacity = capacity,
                                                        .flush = handler},
                          backend);
}

doca_error_t log_backend_to_syslog(const char *name, enum log_takes takes,
                                   struct doca_logger_backend **backend)
{
    if (!name || !backend)
        return DOCA_ERROR_INVALID_VALUE;

    cleanup_free char *ident = strdup(name);
    if (!ident)
        return DOCA_ERROR_NO_MEMORY;
    doca_error_t result = backend_create(
        &(struct doca_logger_backend){.kind = TO_SYSLOG, .takes = takes, .ident = ident}, backend);
    if (result == DOCA_SUCCESS)
        ident = NULL;
    return result;
}

void log_backend_to_standard(enum log_takes takes)
{
    enum log_entry entry = log_enter();
    // Bytes that it took before this call do not count.
    enum log_takes before = standard_created ? standard_out.takes : 0;
    if (!standard_created && created) {
        backend_append(&standard_out);
        backend_append(&standard_err);
    }
    created = standard_created = true;
    standard_out.takes = standard_err.takes = before | takes;
    shown_update();
    log_leave(entry);
}

// ---- writing -------------------------------------------------------------------

static bool write_fd(int fd, const struct log_line *line)
{
    size_t done = 0;
    while (done < line->length) {
        ssize_t n = write(fd, line->text + done, line->length - done);
        if (n > 0) {
            done += n;
        } else if (n < 0 && errno == EAGAIN && done > 0) {
            // The line has begun: half a line would be worse than waiting for the reader.
            struct pollfd writable = {.fd = fd, .events = POLLOUT};
            poll(&writable, 1, -1);
        } else if (n == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

static bool write_stream(FILE *stream, const struct log_line *line, enum log_entry entry)
{
    // The interrupted code may be using this very stream: bypass it.
    if (entry == LOG_ENTRY_INTERRUPT)
        return write_fd(fileno(stream), line);
    flockfile(stream);
    bool ok = fwrite_unlocked(line->text, 1, line->length, stream) == line->length;
    ok = fflush_unlocked(stream) == 0 && ok;
    funlockfile(stream);
    return ok;
}

static bool write_buffer(struct doca_logger_backend *b, const struct log_line *line)
{
    if (b->busy)
        return true; // its own callback writes: such lines do not come back to it
    b->busy = true;
    size_t length = line->length < b->capacity ? line->length : b->capacity - 1;
    memcpy(b->buffer, line->text, length);
    b->buffer[length] = 0;
    log_callback_begin();
    b->flush(b->buffer);
    log_callback_end();
    b->busy = false;
    return true;
}

static int syslog_priority(uint32_t level)
{
    switch (level) {
    case DOCA_LOG_LEVEL_CRIT:
        return LOG_CRIT;
    case DOCA_LOG_LEVEL_ERROR:
        return LOG_ERR;
    case DOCA_LOG_LEVEL_WARNING:
        return LOG_WARNING;
    case DOCA_LOG_LEVEL_INFO:
        return LOG_INFO;
    default:
        return LOG_DEBUG;
    }
}

static bool write_syslog(const struct doca_logger_backend *b, const struct log_line *line)
{
    static const char *ident; // the last one given to openlog()
    if (ident != b->ident) {
        ident = b->ident;
        openlog(ident, LOG_PID, LOG_USER);
    }
    int length = line->length - line->untimed - 1; // without the newline
    syslog(syslog_priority(line->level), "%.*s", length, line->text + line->untimed);
    return true;
}

static bool backend_write(struct doca_logger_backend *b, const struct log_line *line,
                          enum log_entry entry)
{
    switch (b->kind) {
    case TO_STDOUT:
        return write_stream(stdout, line, entry);
    case TO_STDERR:
        return write_stream(stderr, line, entry);
    case TO_STREAM:
        return write_stream(b->stream, line, entry);
    case TO_DESCRIPTOR:
        return write_fd(b->fd, line);
    case TO_BUFFER:
        return entry != LOG_ENTRY_INTERRUPT && write_buffer(b, line);
    case TO_SYSLOG:
        return entry != LOG_ENTRY_INTERRUPT && write_syslog(b, line);
    }
    return false;
}

// Returns whether its destination certainly still exists.
static bool backend_there(const struct doca_logger_backend *b, enum log_entry entry)
{
    if (entry != LOG_ENTRY_LAST)
        return true;
    switch (b->kind) {
    case TO_STREAM:
        return b->stream == stdout || b->stream == stderr;
    case TO_DESCRIPTOR:
        return b->fd == STDOUT_FILENO || b->fd == STDERR_FILENO;
    default:
        return b->kind != TO_BUFFER;
    }
}

bool log_backends_write(const struct log_line *line, enum log_entry entry)
{
    bool ok = true;
    for (struct doca_logger_backend *b = backends; b; b = b->next)
        if (backend_takes(b, line->level, line->own) && backend_there(b, entry))
            ok = backend_write(b, line, entry) && ok;
    return ok;
}
