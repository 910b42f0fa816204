// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Declarations that the parts of logging share.
//
// One lock keeps lines whole and in the order of their times. What a line needs on its way
// (levels, source names, buckets, the list of backends) is read without it. None of this is
// ever freed, so that a signal handler that interrupted the logger can also write a line.

#ifndef CLIENT_LOG_LOG_H
#define CLIENT_LOG_LOG_H

#include <doca_log.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define LOG_LINE_SIZE 16384 // longest line, with newline and terminating zero
#define LOG_NEST_SIZE 1024  // for a line that is written while its thread writes another

// ---- log_lock.c ----------------------------------------------------------------

// How the calling thread entered the logger.
enum log_entry {
    LOG_ENTRY_FIRST,     // from outside: now it holds the lock
    LOG_ENTRY_CALLBACK,  // from a backend's callback: it held the lock already
    LOG_ENTRY_INTERRUPT, // from a signal handler in the middle of it: nothing is certain
    LOG_ENTRY_LAST,      // it holds the lock, and the process ends: see log_backends_write()
};

enum log_entry log_enter(void);
void log_leave(enum log_entry entry);

// Used around the call of a backend's callback, so that its calls do not count as an
// interrupt.
void log_callback_begin(void);
void log_callback_end(void);

// ---- log_line.c ----------------------------------------------------------------

struct log_line {
    char *text;     // with newline and terminating zero
    size_t length;  // without the terminating zero
    size_t untimed; // where the part after the time begins
    uint32_t level;
    bool own; // a line of the library, not of the program
};

bool log_level_valid(uint32_t level);

// Formats into line->text, which has room for `size` bytes. False if `format` cannot be
// formatted. If `interrupt`, the C library's time zone must not be touched.
bool log_line_format(struct log_line *line, size_t size, const char *source, int number,
                     const char *format, va_list args, bool interrupt)
    __attribute__((format(printf, 5, 0)));

// ---- doca_log.c ----------------------------------------------------------------

// Writes a line of line->level; this function makes its text. errno is as it was when the
// program made the call.
doca_error_t log_line_write(enum log_entry entry, struct log_line *line, const char *source,
                            int number, const char *format, va_list args)
    __attribute__((format(printf, 5, 0)));

// ---- log_own.c -----------------------------------------------------------------

// In a child of fork(): only the parent reports lines that were left out. With the lock.
void log_own_forget(void);

// ---- log_source.c --------------------------------------------------------------

// The name of a source, "?" for 0, NULL if there is no source of that number.
const char *log_source_name(int source);

// Counts a line in a bucket.
enum log_bucket_result {
    LOG_BUCKET_PASS,
    LOG_BUCKET_DROP,
    LOG_BUCKET_UNKNOWN, // no bucket of that number, or one of another source
};
enum log_bucket_result log_bucket_count(int bucket, int source);
bool log_bucket_known(int bucket, int source);

// ---- log_backend.c -------------------------------------------------------------

// False if no backend shows this level.
bool log_level_shown(uint32_t level);

// Says whether a backend shows the library's own lines of this level.
bool log_own_shown(uint32_t level);

// Sets the mildest level of the library's own lines, whatever level backends have; 0 hides
// all.
void log_own_level_set(uint32_t level);

// Adds the backend of the 1.5 interface, whichever others the program makes: all levels go
// to stderr, or to where it is redirected. A second call does nothing.
void log_default_take(void);
void log_default_redirect(FILE *stream);

// Hands a line to all backends that take it. False if one could not write it. When the
// process ends, only backends that do not depend on the program get it: its streams,
// descriptors and buffers may be gone.
bool log_backends_write(const struct log_line *line, enum log_entry entry);

#endif
