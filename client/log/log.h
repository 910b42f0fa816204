// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Declarations for the files of the log.
//
// One lock keeps lines whole and in the order of their times. Levels, source names, buckets and the
// list of backends are read without it. None of this is ever freed, so that a signal handler that
// interrupted the logger can also write a line.

#ifndef CLIENT_LOG_LOG_H
#define CLIENT_LOG_LOG_H

#include <doca_log.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define LOG_LINE_SIZE 16384 // longest line, with newline and terminating zero
#define LOG_NEST_SIZE 1024  // for a line that is written while its thread writes another

// Levels of DOCA 3, which the header of 2.2 does not have.
#define LOG_LEVEL_DISABLE 10
#define LOG_LEVEL_TRACE   70

// A backend of any interface: struct doca_log_backend in DOCA 3.
struct doca_logger_backend;

// ---- log_lock.c ----------------------------------------------------------------

// How the calling thread entered the logger.
enum log_entry {
    LOG_ENTRY_FIRST,     // from outside: now it holds the lock
    LOG_ENTRY_CALLBACK,  // from a backend's callback: it held the lock already
    LOG_ENTRY_INTERRUPT, // from a signal handler that interrupted the logger: any state is possible
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
    const char *function; // shown behind the source, or NULL
    bool own;             // a line of the library, not of the program
};

// Levels of lines: those of 2.2, and with TRACE.
bool log_level_valid(uint32_t level);
bool log_level_valid_3(uint32_t level);

// Formats into line->text, which has room for `size` bytes. Returns false if `format` cannot be
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

// The place in the program that a line comes from.
struct log_from {
    int source, line;
    const char *function; // or NULL
    const int *bucket;    // or NULL
};

// Writes a line of the program. The level is valid in its interface.
doca_error_t log_program_line(uint32_t level, const struct log_from *from, const char *format,
                              va_list args) __attribute__((format(printf, 3, 0)));

// ---- log_own.c -----------------------------------------------------------------

// Called in a child of fork(): only the parent reports lines that were left out. With the lock.
void log_own_reset(void);

// ---- log_watch.c ---------------------------------------------------------------

// Returns whether a function of docad_log_watch() gets the library's own lines, and is not just
// running.
bool log_is_watched(void);
void log_watchers_call(uint32_t level, const char *text);

// ---- log_source.c --------------------------------------------------------------

// The name of a source, "?" for 0, NULL if there is no source of that number.
const char *log_source_name(int source);

// Names of sources are kept for ever, each once, and are the loggers of DOCA 3: each has a
// level, which lines of its sources must not exceed.
struct log_name {
    struct log_name *next;
    _Atomic int level;
    char text[];
};
struct log_name *log_names(void);                 // all, for a reader without the lock
struct log_name *log_name_keep(const char *text); // finds it, or makes it. With the lock
bool log_source_takes(int source, uint32_t level);

// Makes a source.
doca_error_t log_source_make(const char *name, int *source);

// Counts a line in a bucket.
enum log_bucket_result {
    LOG_BUCKET_PASS,
    LOG_BUCKET_DROP,
    LOG_BUCKET_UNKNOWN, // no bucket of that number, or one of another source
};
enum log_bucket_result log_bucket_count(int bucket, int source);
bool log_bucket_known(int bucket, int source);

// ---- log_backend.c -------------------------------------------------------------

// Which lines a backend gets. In DOCA 3 those of the program and those of the library (the SDK)
// have separate backends.
enum log_takes {
    LOG_TAKES_PROGRAM = 1,
    LOG_TAKES_OWN = 2,
    LOG_TAKES_ALL = 3,
};

doca_error_t log_backend_to_stream(FILE *stream, enum log_takes takes,
                                   struct doca_logger_backend **backend);
doca_error_t log_backend_to_descriptor(int fd, enum log_takes takes,
                                       struct doca_logger_backend **backend);
doca_error_t log_backend_to_buffer(char *buffer, size_t capacity, log_flush_callback handler,
                                   enum log_takes takes, struct doca_logger_backend **backend);
doca_error_t log_backend_to_syslog(const char *name, enum log_takes takes,
                                   struct doca_logger_backend **backend);
void log_backend_to_standard(enum log_takes takes);

// The mildest and the worst level that a backend shows. The level is valid in its interface.
enum log_limit { LOG_MILDEST, LOG_WORST };
doca_error_t log_limit_set(struct doca_logger_backend *backend, enum log_takes takes,
                           enum log_limit limit, uint32_t level);
doca_error_t log_limit_fix(struct doca_logger_backend *backend, enum log_limit limit);
// Sets the level of all backends of one kind (for lines of the program, or of the library), and the
// default for new ones.
void log_limit_set_all(enum log_takes takes, enum log_limit limit, uint32_t level);
uint32_t log_limit_of_all(enum log_takes takes, enum log_limit limit);

// Returns false if no backend shows this level.
bool log_level_shown(uint32_t level);

// Returns whether a backend shows the library's own lines of this level.
bool log_own_shown(uint32_t level);

// Sets the mildest level of the library's own lines, whatever level backends have; 0 hides all.
void log_own_level_set(uint32_t level);

// Adds the backend of the 1.5 interface, whichever others the program makes: all levels go
// to stderr, or to where it is redirected. A second call does nothing.
void log_default_take(void);
void log_default_redirect(FILE *stream);

// Passes a line to all backends that take it. Returns false if one could not write it. When the
// process ends, only backends that do not depend on the program get it: its streams, descriptors
// and buffers may be invalid.
bool log_backends_write(const struct log_line *line, enum log_entry entry);

#endif
