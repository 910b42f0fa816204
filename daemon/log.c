// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "log.h"

#include "cleanup.h"
#include "clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static _Atomic(enum log_level) threshold = LOG_LEVEL_INFO;
static bool journal;

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

// The variable is inherited by children whose standard error is something else.
static bool stderr_is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat st;
    return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
           fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
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
    journal = stderr_is_journal();
}

static int write_prefix(char *buf, size_t size, enum log_level level)
{
    if (journal)
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

void log_listen(void (*heard)(void *arg, const char *line), void *arg)
{
    listener = heard;
    listener_arg = arg;
}

void log_write(enum log_level level, const char *format, ...)
{
    char line[1024];
    va_list args;

    if (level > threshold)
        return;
    size_t n = (size_t)write_prefix(line, sizeof(line), level);
    va_start(args, format);
    int m = vsnprintf(line + n, sizeof(line) - n - 1, format, args);
    va_end(args);
    if (m < 0)
        return;
    size_t end = strlen(line);
    for (size_t i = n; i < end; i++) // names come from outside: one call, one line
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = ' ';
    if (listener)
        listener(listener_arg, line + n);
    line[end++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, end); // at once, so that threads do not mix
    (void)written;
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
