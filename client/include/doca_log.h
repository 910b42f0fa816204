/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_log.h
 * Log lines of programs and of the library.
 *
 * A source file names itself once with DOCA_LOG_REGISTER(NAME) and then writes with
 * DOCA_LOG_ERR, DOCA_LOG_INFO and so on, in the manner of printf and without a newline
 * at the end. A line looks like this:
 *
 *     [13:05:59:000123][DOCA][INF][NAME:42]: text
 *
 * Lines go to every backend whose range of levels includes theirs. As long as a program has
 * made no backend, they go where doca_log_create_standard_backend() would send them, so that
 * programs that do not know backends are not mute (our choice, for programs of the 1.3
 * generation). Backends last until the process ends.
 *
 * All functions may be called from any thread, and before main() is entered. A backend gets
 * each line whole: lines of several threads do not mix. Writing a line allocates no memory
 * and leaves errno alone. A line longer than 16 KiB is cut and ends in "...".
 *
 * The library writes lines of its own, one for each failure. In place of NAME they show the
 * file of the library's source, so that file and line tell where the failure was detected:
 *
 *     [13:05:59:000123][DOCA][ERR][mmap/mmap.c:81]: doca_mmap_start: ...
 *
 * A program that fails in a loop should not drown in such lines. In each 5 seconds the
 * library writes one of several equal lines from the same place, and 20 lines that differ;
 * it counts the others. "99999 times more: ..." comes with the library's next line after
 * that time, or when the process ends; then it goes only to stdout, stderr and syslog,
 * because other backends may have gone. A process that is killed does not write it. The
 * environment variable DOCAD_LOG_LEVEL (off, critical, error, warning, info or debug) sets
 * the level of the library's own lines; it overrides the level that the program set, unless
 * that level is fixed. It does not affect lines that the program writes, and these are never
 * folded.
 *
 * A signal handler may write lines, but must not call the functions that set up logging. If
 * it interrupts the writing of a line, its own line, of up to 1 KiB, goes to streams and
 * descriptors only.
 *
 * Since 2.2; the macros, without backends, since 1.3.
 */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The severity of a line: the smaller, the more severe. */
enum doca_log_level {
    DOCA_LOG_LEVEL_CRIT = 20,    /**< The program cannot go on. "CRT" in a line. */
    DOCA_LOG_LEVEL_ERROR = 30,   /**< Something failed. "ERR". */
    DOCA_LOG_LEVEL_WARNING = 40, /**< Something is odd. "WRN". */
    DOCA_LOG_LEVEL_INFO = 50,    /**< Worth knowing. "INF". */
    DOCA_LOG_LEVEL_DEBUG = 60    /**< For those who look for a fault. "DBG". */
};

/** A destination of lines. */
struct doca_logger_backend;

/**
 * The function that a buffer backend calls after each line.
 *
 * It may write lines itself: they go to all other backends.
 *
 * @param buffer the backend's buffer: one line with its newline, zero-terminated.
 */
typedef void (*log_flush_callback)(char *buffer);

/* ---- rate limits ------------------------------------------------------------- */

/**
 * Returns the length of the period in which a rate bucket counts.
 *
 * @return seconds; 5 unless set.
 *
 * Source: table; the default is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
uint16_t doca_log_get_bucket_time(void);

/**
 * Sets the length of the period in which rate buckets count, for all buckets and at once.
 *
 * @param bucket_time seconds; 0 starts a new period with each line, which lifts the limit.
 *
 * Source: table; the meaning of 0 is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_log_set_bucket_time(uint16_t bucket_time);

/**
 * Returns the number of lines that a rate bucket lets through in one period.
 *
 * @return number of lines; 20 unless set.
 *
 * Source: table; the default is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
uint16_t doca_log_get_quantity(void);

/**
 * Sets how many lines a rate bucket lets through in one period, for all buckets and at
 * once.
 *
 * @param quantity number of lines; 0 stops all rate-limited lines.
 *
 * Source: table; the meaning of 0 is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
void doca_log_set_quantity(uint16_t quantity);

/* ---- levels ------------------------------------------------------------------ */

/**
 * Sets the mildest level that a backend shows: it shows lines from its upper limit down to
 * this level.
 *
 * @param logger a backend.
 * @param level one of enum doca_log_level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if logger is not a backend or level is not in the enumeration;
 *   DOCA_ERROR_NOT_PERMITTED after doca_log_backend_set_lower_level_immutable().
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_level_set(struct doca_logger_backend *logger, uint32_t level);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * Sets the most severe level that a backend shows: it hides more severe lines.
 *
 * @param logger a backend.
 * @param upper_level_limit one of enum doca_log_level; DOCA_LOG_LEVEL_CRIT hides nothing.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if logger is not a backend or upper_level_limit is not in the
 *   enumeration;
 *   DOCA_ERROR_NOT_PERMITTED after doca_log_backend_set_upper_level_immutable().
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_upper_level_limit(struct doca_logger_backend *logger,
                                                    uint32_t upper_level_limit);

/**
 * Fixes a backend's level: from now on doca_log_backend_level_set() is refused and
 * doca_log_global_level_set() does not change it. This cannot be undone.
 *
 * @param logger a backend.
 * @return DOCA_SUCCESS, also if it was fixed before;
 *   DOCA_ERROR_INVALID_VALUE if logger is not a backend.
 *
 * Source: table; the error is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_lower_level_immutable(struct doca_logger_backend *logger);

/**
 * Fixes a backend's upper limit: from now on doca_log_backend_set_upper_level_limit() is
 * refused and doca_log_global_set_upper_level_limit() does not change it. This cannot be
 * undone.
 *
 * @param logger a backend.
 * @return DOCA_SUCCESS, also if it was fixed before;
 *   DOCA_ERROR_INVALID_VALUE if logger is not a backend.
 *
 * Source: table; the error is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_upper_level_immutable(struct doca_logger_backend *logger);
#endif

/**
 * Sets the mildest level that is shown, for all backends whose level is not fixed and for
 * future backends.
 *
 * @param level one of enum doca_log_level; DOCA_LOG_LEVEL_INFO unless set.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if level is not in the enumeration.
 *
 * Source: table; the error is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_global_level_set(uint32_t level);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * Sets the most severe level that is shown, for all backends whose upper limit is not fixed
 * and for future backends.
 *
 * @param upper_level_limit one of enum doca_log_level; DOCA_LOG_LEVEL_CRIT unless set.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if upper_level_limit is not in the enumeration.
 *
 * Source: table; the error is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_global_set_upper_level_limit(uint32_t upper_level_limit);
#endif

/**
 * Returns the level that doca_log_global_level_set() set last.
 *
 * @return one of enum doca_log_level; DOCA_LOG_LEVEL_INFO unless set.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
uint32_t doca_log_global_level_get(void);

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#include "doca-1.5/doca_log.h"
#endif

/* ---- sources ----------------------------------------------------------------- */

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* 1.5 has its own */
/**
 * Makes a log source. DOCA_LOG_REGISTER() calls it before main(). Several sources may
 * have the same name.
 *
 * @param source_name the name in the lines of this source; copied.
 * @param source where to put the source's number, which is greater than 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_source_register(const char *source_name, int *source);
#endif

/**
 * Removes a log source and its rate buckets.
 *
 * @param source what doca_log_source_register() made.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if there is no such source.
 *
 * Source: table; the error is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_source_destroy(int source);

/**
 * Makes a rate bucket: lines sent through it with doca_log_rate_limit() are counted
 * together. The rate-limit macros make one at each place where they are used.
 *
 * @param source a source made by doca_log_source_register(), or 0 for none.
 * @param bucket where to put the bucket's number, which is not negative.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if there is no such source or bucket is NULL;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_rate_bucket_register(int source, int *bucket);

/* ---- backends ---------------------------------------------------------------- */

/**
 * Makes a backend that writes to a stream, and flushes it after each line.
 *
 * @param fptr stream open for writing; it belongs to the caller, and must stay open until
 *   the process ends.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_create_file_backend(FILE *fptr, struct doca_logger_backend **backend);

/**
 * Makes a backend that writes to a file descriptor.
 *
 * If the descriptor is in non-blocking mode and accepts nothing, the line is lost; once part
 * of a line is written, the rest follows.
 *
 * @param fd descriptor open for writing; it belongs to the caller, and must stay open until
 *   the process ends.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if fd is not open for writing or backend is NULL;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_create_fd_backend(int fd, struct doca_logger_backend **backend);

/**
 * Makes a backend that writes each line to the start of a buffer, over the line before,
 * and then calls a function. A line that does not fit is cut.
 *
 * @param buffer belongs to the caller, and must exist until the process ends.
 * @param capacity size of the buffer in bytes, with the terminating zero: 2 or more.
 * @param handler called after each line, one call at a time.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if an argument is NULL or the buffer too small;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_create_buffer_backend(char *buffer, size_t capacity,
                                            log_flush_callback handler,
                                            struct doca_logger_backend **backend);

/**
 * Makes a backend that hands lines to syslog(3), facility "user", without their time,
 * which syslog adds.
 *
 * openlog(3) affects the whole process: if a program calls it itself, the name given here
 * replaces the program's.
 *
 * @param name the program's name in the system's log; copied.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors and the facility are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_create_syslog_backend(const char *name, struct doca_logger_backend **backend);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * Sends lines of level INFO and milder to stdout, and those of level WARNING and worse to
 * stderr, as far as the global level and upper limit show them.
 *
 * @return DOCA_SUCCESS, even if it was done before: lines are not doubled;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; a second call is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_create_standard_backend(void);
#endif

/* ---- lines ------------------------------------------------------------------- */

/**
 * Writes a line to every backend that takes its level. Programs use the DOCA_LOG macros.
 *
 * @param level one of enum doca_log_level.
 * @param source a source made by doca_log_source_register(). 0, as in a source file whose
 *   DOCA_LOG_REGISTER() has not run yet, shows as "?".
 * @param line line number in the source file.
 * @param format as for printf(3), without a newline at the end.
 * @return DOCA_SUCCESS, even if no backend shows the level;
 *   DOCA_ERROR_INVALID_VALUE if level is not in the enumeration, there is no such source, or
 *   format is NULL or cannot be formatted;
 *   DOCA_ERROR_IO_FAILED if a backend could not write it.
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log(uint32_t level, int source, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/**
 * Writes a line as doca_log() does. Programs use the DOCA_DLOG macros, which vanish
 * unless DOCA_LOGGING_ALLOW_DLOG is defined.
 *
 * @param level as for doca_log().
 * @param source as for doca_log().
 * @param line as for doca_log().
 * @param format as for doca_log().
 * @return as doca_log(): DOCA_SUCCESS, DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_IO_FAILED.
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_developer(uint32_t level, int source, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/**
 * Writes a line as doca_log() does, unless its bucket has let through as many lines as one
 * period allows: then the line is dropped. Lines that no backend shows are not counted.
 *
 * @param level as for doca_log().
 * @param source as for doca_log().
 * @param line as for doca_log().
 * @param bucket what doca_log_rate_bucket_register() made for this source.
 * @param format as for doca_log().
 * @return DOCA_SUCCESS, also if the line was dropped;
 *   DOCA_ERROR_INVALID_VALUE as doca_log(), or if the source has no such bucket;
 *   DOCA_ERROR_IO_FAILED as doca_log().
 *
 * Source: table; the errors are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_rate_limit(uint32_t level, int source, int line, int bucket,
                                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- macros ------------------------------------------------------------------ */

/* Macros with any number of arguments are newer than C90. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvariadic-macros"

/**
 * Statement: writes a line, unless this place has written too many. `level` is the end of
 * the name of a level: CRIT, ERROR, WARNING, INFO or DEBUG.
 *
 * Two threads that arrive first together may each make a bucket; the last one counts.
 *
 * Source: table. Since: 2.2.
 */
#define DOCA_LOG_RATE_LIMIT(level, format, ...)                                                    \
    do {                                                                                           \
        static int doca_log_bucket_here = -1;                                                      \
        int doca_log_bucket = __atomic_load_n(&doca_log_bucket_here, __ATOMIC_RELAXED);            \
        if (doca_log_bucket == -1) {                                                               \
            doca_log_rate_bucket_register(log_source, &doca_log_bucket);                           \
            __atomic_store_n(&doca_log_bucket_here, doca_log_bucket, __ATOMIC_RELAXED);            \
        }                                                                                          \
        doca_log_rate_limit(DOCA_LOG_LEVEL_##level, log_source, __LINE__, doca_log_bucket, format, \
                            ##__VA_ARGS__);                                                        \
    } while (0)

/** DOCA_LOG_RATE_LIMIT of level CRIT. Source: table. Since: 2.2. */
#define DOCA_LOG_RATE_LIMIT_CRIT(format, ...) DOCA_LOG_RATE_LIMIT(CRIT, format, ##__VA_ARGS__)
/** DOCA_LOG_RATE_LIMIT of level ERROR. Source: table. Since: 2.2. */
#define DOCA_LOG_RATE_LIMIT_ERR(format, ...) DOCA_LOG_RATE_LIMIT(ERROR, format, ##__VA_ARGS__)
/** DOCA_LOG_RATE_LIMIT of level WARNING. Source: table. Since: 2.2. */
#define DOCA_LOG_RATE_LIMIT_WARN(format, ...) DOCA_LOG_RATE_LIMIT(WARNING, format, ##__VA_ARGS__)
/** DOCA_LOG_RATE_LIMIT of level INFO. Source: table. Since: 2.2. */
#define DOCA_LOG_RATE_LIMIT_INFO(format, ...) DOCA_LOG_RATE_LIMIT(INFO, format, ##__VA_ARGS__)
/** DOCA_LOG_RATE_LIMIT of level DEBUG. Source: table. Since: 2.2. */
#define DOCA_LOG_RATE_LIMIT_DBG(format, ...) DOCA_LOG_RATE_LIMIT(DEBUG, format, ##__VA_ARGS__)

/**
 * Expression: writes a line of this source file. `level` is the end of the name of a level,
 * as in DOCA_LOG_RATE_LIMIT(). Its value is the result of doca_log().
 *
 * Source: table. Since: 2.2.
 */
#define DOCA_LOG(level, format, ...)                                                               \
    doca_log(DOCA_LOG_LEVEL_##level, log_source, __LINE__, format, ##__VA_ARGS__)

/** DOCA_LOG of level CRIT. Source: table. Since: 2.2. */
#define DOCA_LOG_CRIT(format, ...) DOCA_LOG(CRIT, format, ##__VA_ARGS__)
/** DOCA_LOG of level ERROR. Source: table. Since: 1.3. */
#define DOCA_LOG_ERR(format, ...) DOCA_LOG(ERROR, format, ##__VA_ARGS__)
/** DOCA_LOG of level WARNING. Source: table. Since: 2.2. */
#define DOCA_LOG_WARN(format, ...) DOCA_LOG(WARNING, format, ##__VA_ARGS__)
/** DOCA_LOG of level INFO. Source: table. Since: 1.3. */
#define DOCA_LOG_INFO(format, ...) DOCA_LOG(INFO, format, ##__VA_ARGS__)
/** DOCA_LOG of level DEBUG. Source: table. Since: 2.2. */
#define DOCA_LOG_DBG(format, ...) DOCA_LOG(DEBUG, format, ##__VA_ARGS__)

/**
 * Statement: writes a line for developers. Unless DOCA_LOGGING_ALLOW_DLOG is defined it does
 * nothing and its arguments are not evaluated.
 *
 * Source: table. Since: 2.2.
 */
#ifdef DOCA_LOGGING_ALLOW_DLOG
#define DOCA_DLOG(level, format, ...)                                                              \
    do {                                                                                           \
        doca_log_developer(DOCA_LOG_LEVEL_##level, log_source, __LINE__, format, ##__VA_ARGS__);   \
    } while (0)
#else
#define DOCA_DLOG(level, format, ...)                                                              \
    do {                                                                                           \
    } while (0)
#endif

/** DOCA_DLOG of level CRIT. Source: table. Since: 2.2. */
#define DOCA_DLOG_CRIT(format, ...) DOCA_DLOG(CRIT, format, ##__VA_ARGS__)
/** DOCA_DLOG of level ERROR. Source: table. Since: 2.2. */
#define DOCA_DLOG_ERR(format, ...) DOCA_DLOG(ERROR, format, ##__VA_ARGS__)
/** DOCA_DLOG of level WARNING. Source: table. Since: 2.2. */
#define DOCA_DLOG_WARN(format, ...) DOCA_DLOG(WARNING, format, ##__VA_ARGS__)
/** DOCA_DLOG of level INFO. Source: table. Since: 2.2. */
#define DOCA_DLOG_INFO(format, ...) DOCA_DLOG(INFO, format, ##__VA_ARGS__)
/** DOCA_DLOG of level DEBUG. Source: table. Since: 2.2. */
#define DOCA_DLOG_DBG(format, ...) DOCA_DLOG(DEBUG, format, ##__VA_ARGS__)

/**
 * Names the source file: once per file, at file scope or in a namespace, before the first
 * line is written. SOURCE is taken as it stands, and may contain "::".
 *
 * It makes `static int log_source`, which the other macros use, registered before main()
 * and before the constructors of C++ objects.
 *
 * Source: table. Since: 1.3.
 */
#define DOCA_LOG_REGISTER(SOURCE)                                                                  \
    static int log_source;                                                                         \
    static void __attribute__((constructor(101), used)) doca_log_source_ctor_(void)                \
    {                                                                                              \
        doca_log_source_register(#SOURCE, &log_source);                                            \
    }                                                                                              \
    static void __attribute__((destructor(101), used)) doca_log_source_dtor_(void)                 \
    {                                                                                              \
        doca_log_source_destroy(log_source);                                                       \
    }

#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif /* DOCA_LOG_H_ */
