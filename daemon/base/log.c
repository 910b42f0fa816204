// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "log.h"

#include "cleanup.h"
#include "clock.h"
#include "journal.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef RWF_NOWAIT // musl 1.2.3 does not have it
#include <linux/fs.h>
#endif

static _Atomic(enum log_level) threshold = LOG_LEVEL_INFO;

static const struct {
    enum log_level level;
    const char *name;
} names[] = {
    {LOG_LEVEL_ERROR, "error"},
    {LOG_LEVEL_WARNING, "warning"},
    {LOG_LEVEL_INFO, "info"},
    {LOG_LEVEL_DEBUG, "debug"},
};

const char *log_level_name(enum log_level level)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (names[i].level == level)
            return names[i].name;
    return "?";
}

bool log_level_parse(const char *text, enum log_level *out)
{
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (strcmp(names[i].name, text) == 0) {
            *out = names[i].level;
            return true;
        }
    }
    return false;
}

enum log_level log_get_level(void)
{
    return threshold;
}

void log_set_level(enum log_level level)
{
    threshold = level;
}

void log_init(enum log_level level)
{
    threshold = level;
    journal_init();
}

static int write_prefix(char *buf, size_t size, enum log_level level)
{
    if (journal_is_stderr())
        return snprintf(buf, size, "<%d>", (int)level);
    struct timespec now;
    struct tm tm;
    char stamp[32];
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &tm);
    strftime(stamp, sizeof(stamp), "%F %T", &tm);
    return snprintf(buf, size, "%s.%03ld %-7s ", stamp, now.tv_nsec / 1000000,
                    log_level_name(level));
}

static _Thread_local void (*listener)(void *arg, const char *line);
static _Thread_local void *listener_arg;

void log_listen(void (*fn)(void *arg, const char *line), void *arg)
{
    listener = fn;
    listener_arg = arg;
}

// ---- lines -----------------------------------------------------------------------------

// A file on a full disk takes no line, or a part of one, and neither does a pipe whose reader has
// stopped. The number of lost lines is logged as soon as there is room again.
static _Atomic unsigned lost; // lines since the last one that was written
static _Atomic int lost_why;  // errno
static _Atomic bool torn;     // the last line in the file has no newline

static int format_lost(char *buf, size_t size, unsigned n)
{
    return snprintf(buf, size, "%u lines of this log could not be written: %s", n,
                    strerror(atomic_load(&lost_why)));
}

static void lose(unsigned n, int why)
{
    atomic_store(&lost_why, why);
    atomic_fetch_add(&lost, n);
}

static size_t prepare_notice(char *buf, size_t size, unsigned n)
{
    size_t at = atomic_load(&torn) ? (size_t)snprintf(buf, size, "\n") : 0;
    at += (size_t)write_prefix(buf + at, size - at, LOG_LEVEL_WARNING);
    at += (size_t)format_lost(buf + at, size - at, n);
    if (at > size - 2)
        at = size - 2;
    buf[at++] = '\n';
    return at;
}

// Returns whether the output is a pipe or terminal, whose reader may stop reading. The open file is
// shared with other processes, so O_NONBLOCK is not set on it.
static bool has_reader(void)
{
    struct stat st;
    return fstat(STDERR_FILENO, &st) == 0 &&
           (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode));
}

// Older kernels refuse RWF_NOWAIT for some kinds of files, and filters of system calls refuse
// pwritev2(2) with an error of their own choice.
static bool is_unsupported(int error)
{
    return error == EOPNOTSUPP || error == ENOSYS || error == EPERM || error == EINVAL;
}

// Writes only if there is room. Without pwritev2(2), another thread may take the room in between.
static ssize_t write_if_room(const struct iovec *iov, int n)
{
    struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
    const long current = -1; // the file position, not an offset

    ssize_t written = syscall(SYS_pwritev2, STDERR_FILENO, iov, n, current, current, RWF_NOWAIT);
    if (written >= 0 || !is_unsupported(errno))
        return written;
    if (poll(&p, 1, 0) == 1)
        return writev(STDERR_FILENO, iov, n);
    errno = EAGAIN;
    return -1;
}

// Uses one write, so that the lines of threads do not mix.
static void put(const char *line, size_t size)
{
    char notice[256];
    unsigned n = atomic_exchange(&lost, 0);
    size_t before = n ? prepare_notice(notice, sizeof(notice), n) : 0;
    const struct iovec iov[] = {{notice, before}, {(char *)line, size}};
    ssize_t written = has_reader() ? write_if_room(iov, ARRAY_SIZE(iov))
                                   : writev(STDERR_FILENO, iov, ARRAY_SIZE(iov));

    if (written == (ssize_t)(before + size)) {
        if (n)
            atomic_store(&torn, false);
        return;
    }
    lose(n + 1, written < 0 ? errno : has_reader() ? EAGAIN : ENOSPC);
    if (written > 0)
        atomic_store(&torn, true);
}

// Returns false if there is no journal. If it does not read, lines are lost.
static bool send_to_journal(enum log_event event, enum log_level level,
                            const struct log_about *about, const char *message)
{
    char notice[192];
    unsigned n = atomic_exchange(&lost, 0);
    int r = 0;

    if (n) {
        format_lost(notice, sizeof(notice), n);
        r = journal_send(LOG_EVENT_NONE, LOG_LEVEL_WARNING, NULL, notice);
    }
    if (r < 0)
        lose(n, -r);
    else
        r = journal_send(event, level, about, message);
    if (r == -EAGAIN)
        lose(1, EAGAIN);
    return r == 0 || r == -EAGAIN;
}

static void __attribute__((format(printf, 4, 0)))
write_line(enum log_event event, enum log_level level, const struct log_about *about,
           const char *format, va_list args)
{
    char line[1024];

    size_t n = (size_t)write_prefix(line, sizeof(line), level);
    if (vsnprintf(line + n, sizeof(line) - n - 1, format, args) < 0)
        return;
    size_t end = strlen(line);
    for (size_t i = n; i < end; i++) // names are untrusted: make sure that one call writes one line
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = ' ';
    if (listener)
        listener(listener_arg, line + n);
    if (journal_is_there() && send_to_journal(event, level, about, line + n))
        return;
    line[end++] = '\n';
    put(line, end);
}

void log_event(enum log_event event, enum log_level level, const struct log_about *about,
               const char *format, ...)
{
    va_list args;
    if (level > threshold)
        return;
    va_start(args, format);
    write_line(event, level, about, format, args);
    va_end(args);
}

void log_write(enum log_level level, const char *format, ...)
{
    va_list args;
    if (level > threshold)
        return;
    va_start(args, format);
    write_line(LOG_EVENT_NONE, level, NULL, format, args);
    va_end(args);
}

bool log_budget_take(struct log_budget *budget)
{
    uint64_t now = clock_ms();
    if (now - budget->since_ms > LOG_INTERVAL_MS || budget->since_ms == 0) {
        if (budget->dropped > 0)
            log_info("%u similar lines were left out", budget->dropped);
        *budget = (struct log_budget){.since_ms = now};
    }
    if (budget->used < LOG_BURST) {
        budget->used++;
        return true;
    }
    budget->dropped++;
    return false;
}
