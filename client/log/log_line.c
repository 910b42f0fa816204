// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The form of a line: [HH:MM:SS:usec][DOCA][INF][SOURCE:line]: text

#include "log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define QUARTER_HOUR 900
#define DAY          86400

static const char *level_tag(uint32_t level)
{
    switch (level) {
    case DOCA_LOG_LEVEL_CRIT:
        return "CRT";
    case DOCA_LOG_LEVEL_ERROR:
        return "ERR";
    case DOCA_LOG_LEVEL_WARNING:
        return "WRN";
    case DOCA_LOG_LEVEL_INFO:
        return "INF";
    case DOCA_LOG_LEVEL_DEBUG:
        return "DBG";
    case LOG_LEVEL_TRACE:
        return "TRC";
    default:
        return NULL;
    }
}

bool log_level_valid(uint32_t level)
{
    return level <= DOCA_LOG_LEVEL_DEBUG && level_tag(level);
}

bool log_level_valid_3(uint32_t level)
{
    return level_tag(level) != NULL;
}

// Seconds east of Greenwich. Clocks are put forward and back at quarters of an hour, so one call in
// each quarter is enough. The call takes a lock of the C library, which the code that a signal
// handler interrupted may hold.
static long zone_offset(time_t now, bool interrupt)
{
    static _Atomic time_t asked_for = -1;
    static _Atomic long offset;

    if (!interrupt && asked_for != now / QUARTER_HOUR) {
        struct tm tm;
        int saved = errno; // if no file describes the zone, the C library sets it
        if (localtime_r(&now, &tm)) {
            offset = tm.tm_gmtoff;
            asked_for = now / QUARTER_HOUR;
        }
        errno = saved;
    }
    return offset;
}

// Writes the start of the line, up to the text. Returns its length, which is less than
// `size`.
static size_t format_head(struct log_line *line, size_t size, const char *source, int number,
                          bool interrupt)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    long second = (now.tv_sec + zone_offset(now.tv_sec, interrupt)) % DAY;
    int timed = snprintf(line->text, size, "[%02ld:%02ld:%02ld:%06ld]", second / 3600,
                         second / 60 % 60, second % 60, now.tv_nsec / 1000);
    line->untimed = timed;
    // A source's name may have any length: the text should keep half of the room.
    const char *function = line->function;
    int rest = snprintf(line->text + timed, size - timed,
                        "[DOCA][%s][%.*s:%d]%s%.*s%s: ", level_tag(line->level), (int)(size / 2),
                        source, number, function ? "[" : "", (int)(size / 4),
                        function ? function : "", function ? "]" : "");
    return timed + rest;
}

bool log_line_format(struct log_line *line, size_t size, const char *source, int number,
                     const char *format, va_list args, bool interrupt)
{
    static const char cut[] = "...";
    size_t room = size - 1; // for the newline
    size_t head = format_head(line, room, source, number, interrupt);
    int text = vsnprintf(line->text + head, room - head, format, args);

    if (text < 0)
        return false;
    line->length = head + text;
    if (line->length >= room) {
        line->length = room - 1;
        memcpy(line->text + line->length - strlen(cut), cut, strlen(cut));
    }
    line->text[line->length++] = '\n';
    line->text[line->length] = 0;
    return true;
}
