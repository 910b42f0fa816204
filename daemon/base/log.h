// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad's log. It goes to standard error, one line at a time, with time and level. If
// standard error is the journal, messages go there with separate fields.

#ifndef DAEMON_LOG_H
#define DAEMON_LOG_H

#include "log_events.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Numbers are those of syslog(3).
enum log_level {
    LOG_LEVEL_ERROR = 3,
    LOG_LEVEL_WARNING = 4,
    LOG_LEVEL_INFO = 6,
    LOG_LEVEL_DEBUG = 7,
};

// From now on lines of this level and worse are written.
void log_init(enum log_level level);

enum log_level log_get_level(void);
void log_set_level(enum log_level level);
const char *log_level_name(enum log_level level);

// "error", "warning", "info", "debug".
bool log_level_parse(const char *text, enum log_level *out);

// Also passes the lines that this thread writes to `fn`, until log_listen() is called with NULL.
void log_listen(void (*fn)(void *arg, const char *line), void *arg);

// Any thread may call it.
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The subject of a message: fields in the journal. Unused members are 0, NULL or "".
struct log_about {
    uint64_t session;
    pid_t pid;
    uid_t uid; // valid if pid is set
    const char *program, *peer;
};

void log_event(enum log_event event, enum log_level level, const struct log_about *about,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

#define LOG_ABOUT(...) (&(const struct log_about){__VA_ARGS__})
#define LOG_ABOUT_SESSION(s)                                                                       \
    LOG_ABOUT(.session = (s)->id, .pid = (s)->pid, .uid = (s)->credentials.uid,                    \
              .program = (s)->program)

#define log_error(...)   log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)    log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)   log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

// One place in the code writes at most this many lines in this time; further lines are
// counted.
#define LOG_BURST       20
#define LOG_INTERVAL_MS 5000

struct log_budget {
    uint64_t since_ms;
    unsigned used, dropped;
};

// Returns whether this place in the code may write a line now. Only for the loop's thread.
bool log_budget_take(struct log_budget *budget);

// For lines that an outside party can cause.
#define log_limited(level, ...)                                                                    \
    do {                                                                                           \
        static struct log_budget log_limited_budget;                                               \
        if (log_budget_take(&log_limited_budget))                                                  \
            log_write(level, __VA_ARGS__);                                                         \
    } while (0)

#define log_event_limited(...)                                                                     \
    do {                                                                                           \
        static struct log_budget log_limited_budget;                                               \
        if (log_budget_take(&log_limited_budget))                                                  \
            log_event(__VA_ARGS__);                                                                \
    } while (0)

// For messages about a linked node that are not events.
#define log_peer_limited(level, about, ...)                                                        \
    log_event_limited(LOG_EVENT_NONE, level, LOG_ABOUT(.peer = (about)->name), __VA_ARGS__)

#endif
