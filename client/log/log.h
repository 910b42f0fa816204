// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What the parts of logging share.
//
// One lock keeps lines whole and in the order of their times. What a line needs on its
// way (levels, source names, buckets, the list of backends) is read without it: nothing
// of it is ever freed, so that a line can also be written from a signal handler that
// interrupted the logger itself.

#ifndef CLIENT_LOG_LOG_H
#define CLIENT_LOG_LOG_H

#include <doca_log.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define LOG_LINE_SIZE 16384 // longest line, with newline and terminating zero
#define LOG_NEST_SIZE 1024  // of one that is written while its thread writes another

// ---- log_lock.c ----------------------------------------------------------------

// How the calling thread came into the logger.
enum log_entry {
    LOG_ENTRY_FIRST,     // it was outside: now it holds the lock
    LOG_ENTRY_CALLBACK,  // from a backend's callback: it held the lock already
    LOG_ENTRY_INTERRUPT, // from a signal handler in the midst of it: nothing is certain
    LOG_ENTRY_LAST,      // it holds the lock, and the process ends: see log_backends_write()
};

enum log_entry log_enter(void);
void log_leave(enum log_entry entry);

// Around the call of a backend's callback, so that what it does is no interrupt.
void log_callback_begin(void);
void log_callback_end(void);

// ---- log_line.c ----------------------------------------------------------------

struct log_line {
    char *text;     // with newline and terminating zero
    size_t length;  // without the terminating zero
    size_t untimed; // where the part behind the time begins
    uint32_t level;
    bool own; // the library's, and not the program's
};

bool log_level_valid(uint32_t level);

// Formats into line->text, which has room for `size` bytes. False if `format` cannot be
// formatted. `interrupt`: the C library's time zone must be left alone.
bool log_line_format(struct log_line *line, size_t size, const char *source, int number,
                     const char *format, va_list args, bool interrupt)
    __attribute__((format(printf, 5, 0)));

// ---- doca_log.c ----------------------------------------------------------------

// Writes a line of line->level; its text is this function's. With errno as it was when the
// program called.
doca_error_t log_line_write(enum log_entry entry, struct log_line *line, const char *source,
                            int number, const char *format, va_list args)
    __attribute__((format(printf, 5, 0)));

// ---- log_own.c -----------------------------------------------------------------

// In a child of fork(): what was left out of the log is its parent's to tell. With the lock.
void log_own_forget(void);

// ---- log_source.c --------------------------------------------------------------

// The name of a source, "?" for 0, NULL if there is none of that number.
const char *log_source_name(int source);

// Counts a line in a bucket.
enum log_bucket_result {
    LOG_BUCKET_PASS,
    LOG_BUCKET_DROP,
    LOG_BUCKET_UNKNOWN, // none of that number, or another source's
};
enum log_bucket_result log_bucket_count(int bucket, int source);
bool log_bucket_known(int bucket, int source);

// ---- log_backend.c -------------------------------------------------------------

// False if no backend shows this level.
bool log_level_shown(uint32_t level);

// Does one show the library's own lines of this level?
bool log_own_shown(uint32_t level);

// The mildest level of the library's own lines, whatever level backends have; 0 hides all.
void log_own_level_set(uint32_t level);

// From now on the backend of the 1.5 interface is there, whatever others the program makes:
// all levels go to stderr, or to where it is redirected. A second call does nothing.
void log_default_take(void);
void log_default_redirect(FILE *stream);

// Hands a line to all backends that take it. False if one could not write it. When the
// process ends, only what is not the program's gets it: streams, descriptors and buffers may
// be gone.
bool log_backends_write(const struct log_line *line, enum log_entry entry);

#endif
