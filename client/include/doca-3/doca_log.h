/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_log.h
 * The log: lines of programs, and of the library (the SDK).
 *
 * A source file names itself once with DOCA_LOG_REGISTER(NAME) and then writes with
 * DOCA_LOG_ERR, DOCA_LOG_INFO and so on, in the manner of printf and without a newline
 * at the end. A line looks like this (our choice):
 *
 *     [13:05:59:000123][DOCA][INF][NAME:42][main]: text
 *
 * Lines go to every backend for lines of the program whose range of levels includes theirs. The
 * library writes lines of its own, one for each failure, to backends that are for those. They show
 * the file of the library's source in place of NAME. As long as a program has made no backend,
 * lines of both kinds go where doca_log_backend_create_standard() would send them (our choice).
 *
 * All functions may be called from any thread, and before main() is entered. A backend gets
 * each line whole.
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

/** A backend. */
struct doca_log_backend;
/** A logger. */
struct doca_logger;

/** Levels of lines. */
enum doca_log_level {
    DOCA_LOG_LEVEL_DISABLE = 10, /**< no lines */
    DOCA_LOG_LEVEL_CRIT = 20,    /**< the program cannot go on */
    DOCA_LOG_LEVEL_ERROR = 30,   /**< something failed */
    DOCA_LOG_LEVEL_WARNING = 40, /**< something may be wrong */
    DOCA_LOG_LEVEL_INFO = 50,    /**< what the program does */
    DOCA_LOG_LEVEL_DEBUG = 60,   /**< for developers */
    DOCA_LOG_LEVEL_TRACE = 70    /**< each step, for developers */
};

/** Bytes of the name of a logger, with the NUL. */
#define DOCA_LOGGER_NAME_SIZE 256

/** Called with the text that fills a buffer. */
typedef void (*log_flush_callback)(char *buf);

/**
 * Sets the mildest level that a backend shows. DOCA_LOG_LEVEL_DISABLE shows nothing.
 *
 * @param backend a backend that the program made.
 * @param level a value of enum doca_log_level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE backend is not one that the program made, or level is not
 *     in the enumeration;
 *   DOCA_ERROR_NOT_PERMITTED the limit of this backend is strict.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
                                                    uint32_t level);

/**
 * Sets the most severe level that a backend shows.
 *
 * @param backend a backend that the program made.
 * @param upper_limit a value of enum doca_log_level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE backend is not one that the program made, or level is not
 *     in the enumeration;
 *   DOCA_ERROR_NOT_PERMITTED the limit of this backend is strict.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
                                                    uint32_t upper_limit);

/**
 * Keeps the mildest level of a backend as it is, whatever is set later, for it or for
 * all.
 *
 * @param backend a backend that the program made.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE backend is not one that the program made.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/**
 * Keeps the most severe level of a backend as it is, whatever is set later.
 *
 * @param backend a backend that the program made.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE backend is not one that the program made.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/**
 * Sets the mildest level of all backends for lines of the program that are not strict,
 * and of those that are made later. It is DOCA_LOG_LEVEL_INFO at first.
 *
 * @param level a value of enum doca_log_level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE the level is not in the enumeration.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * Sets the most severe level of all backends for lines of the program that are not
 * strict, and of those that are made later. It is DOCA_LOG_LEVEL_CRIT at first.
 *
 * @param upper_limit a value of enum doca_log_level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE the level is not in the enumeration.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/**
 * The level that doca_log_level_set_global_lower_limit() set.
 *
 * @return a value of enum doca_log_level.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_lower_limit(void);

/**
 * The level that doca_log_level_set_global_upper_limit() set.
 *
 * @return a value of enum doca_log_level.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_upper_limit(void);

/**
 * Makes a log source. DOCA_LOG_REGISTER() calls it before main(). Several sources may
 * have the same name.
 *
 * @param source_name the name in the lines of this source; copied.
 * @param source where to put the source's number, which is greater than 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * Does nothing: sources last until the process ends, so that destructors may write
 * lines.
 *
 * @param source what doca_log_register_source() made.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE there is no such source.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_unregister_source(int source);

/**
 * Makes a backend that writes lines of the program to a stream, and flushes each.
 *
 * @param fptr open for writing; the program's, for as long as lines are written.
 * @param backend where to put the backend, which lasts until the process ends.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or not valid;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);

/**
 * Makes a backend that writes lines of the program to a descriptor.
 *
 * @param fd open for writing; the program's, for as long as lines are written.
 * @param backend where to put the backend, which lasts until the process ends.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or not valid;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/**
 * Makes a backend that puts each line of the program into a buffer, and calls a
 * function.
 *
 * @param buf memory of the program.
 * @param capacity its size in bytes, at least 2; a longer line is cut.
 * @param handler gets the buffer, which ends with NUL; lines that it writes itself do
 *   not come back to it.
 * @param backend where to put the backend, which lasts until the process ends.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or not valid;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                              log_flush_callback handler,
                                              struct doca_log_backend **backend);

/**
 * Makes a backend that sends lines of the program to syslog(3).
 *
 * @param name what the lines begin with; copied.
 * @param backend where to put the backend, which lasts until the process ends.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or not valid;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                 struct doca_log_backend **backend);

/**
 * Sets the mildest level that a backend for lines of the library shows.
 *
 * @param backend made by a function whose name ends in _sdk.
 * @param level a value of enum doca_log_level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE backend is not one that the program made, or level is not
 *     in the enumeration, or the backend is for lines of the program;
 *   DOCA_ERROR_NOT_PERMITTED the limit of this backend is strict.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);

/**
 * Makes a backend that writes lines of the library (the SDK) to a stream, and flushes
 * each. Without any such backend these lines are not shown, unless the program has no
 * backend at all.
 *
 * @param fptr open for writing; the program's, for as long as lines are written.
 * @param backend where to put the backend, which lasts until the process ends.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or not valid;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the default is our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);

/**
 * The same to a descriptor.
 *
 * @param fd open for writing; the program's, for as long as lines are written.
 * @param backend where to put the backend, which lasts until the process ends.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or not valid;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/**
 * The same to a buffer: see doca_log_backend_create_with_buf().
 *
 * @param buf memory of the program.
 * @param capacity its size in bytes, at least 2.
 * @param handler gets the buffer.
 * @param backend where to put the backend, which lasts until the process ends.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or not valid;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                  log_flush_callback handler,
                                                  struct doca_log_backend **backend);

/**
 * The same to syslog(3).
 *
 * @param name what the lines begin with; copied.
 * @param backend where to put the backend, which lasts until the process ends.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or not valid;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                     struct doca_log_backend **backend);

/**
 * Sets the mildest level of all backends for lines of the library that are not strict,
 * and of those that are made later. It is DOCA_LOG_LEVEL_INFO at first. The environment
 * variable DOCAD_LOG_LEVEL takes precedence.
 *
 * @param level a value of enum doca_log_level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE the level is not in the enumeration.
 *
 * Source: table; the errors are our choice. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * The level that doca_log_level_set_global_sdk_limit() set.
 *
 * @return a value of enum doca_log_level.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_sdk_limit(void);

/**
 * Makes the two standard backends for lines of the program: stdout gets those of level
 * INFO and milder, stderr the others. A second call does nothing.
 *
 * @return DOCA_SUCCESS.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_standard(void);

/**
 * Writes a line of the program; the DOCA_LOG macros call it. Writing allocates no
 * memory and leaves errno alone.
 *
 * @param level CRIT to TRACE of enum doca_log_level.
 * @param source what doca_log_register_source() made; 0, of a source whose constructor
 *   has not run yet, shows as "?".
 * @param fname the file; not shown, because the source names it.
 * @param line line number in the file.
 * @param func the function, shown behind the source; may be NULL.
 * @param format as for printf(3), without a newline at the end.
 * @return DOCA_SUCCESS, even if no backend shows the level;
 *   DOCA_ERROR_INVALID_VALUE level is not one of a line, there is no such source, or
 *     format is NULL or cannot be formatted;
 *   DOCA_ERROR_IO_FAILED a backend could not write.
 *
 * Source: table; the errors are our choice. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
                      const char *format, ...) DOCA_3_SYMBOL(log)
    __attribute__((format(printf, 6, 7)));

/**
 * How many backends for lines of the program may exist: as many as memory allows.
 *
 * @return UINT32_MAX.
 *
 * Source: table; the number is our choice. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_get_max_num_backends(void);

/**
 * How many backends for lines of the library may exist: as many as memory allows.
 *
 * @return UINT32_MAX.
 *
 * Source: table; the number is our choice. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_get_max_num_backends_sdk(void);

/**
 * The mildest level whose lines are written at once. Here all are, so nothing changes.
 *
 * @param level a value of enum doca_log_level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE the level is not in the enumeration.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_set_max_unaggregated_level(uint32_t level);

/**
 * How many bytes of lines may be gathered. Here none are, so nothing changes.
 *
 * @param size in bytes, not 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE size is 0.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_set_max_aggregated_size(uint32_t size);

/**
 * How often gathered lines are written. Here none are gathered, so nothing changes.
 *
 * @param usec in microseconds; 0 for at once.
 * @return DOCA_SUCCESS.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_set_bg_sampling_period(uint32_t usec);

/**
 * The function of a thread that writes gathered lines. Here there are none: it waits
 * until the thread is cancelled.
 *
 * @param unused not used.
 * @return does not return.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
void *doca_log_process_msg(void *unused);

/**
 * Lists loggers: the names of sources, as a tree. "A::B" stands below "A" if there is a
 * source of that name.
 *
 * @param logger those below it; NULL for all.
 * @param depth how many levels below it; 0 for all.
 * @param logger_list where to put the list, which ends with NULL; freed by
 *   doca_logger_destroy_list().
 * @param nb_loggers where to put their number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or logger is not one;
 *   DOCA_ERROR_NOT_FOUND there is none;
 *   DOCA_ERROR_NO_MEMORY.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_create_list(const struct doca_logger *logger, uint8_t depth,
                                     struct doca_logger ***logger_list, uint32_t *nb_loggers);

/**
 * Frees a list. Loggers last until the process ends.
 *
 * @param logger_list what doca_logger_create_list() made.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE logger_list is NULL.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_destroy_list(struct doca_logger **logger_list);

/**
 * Sets the mildest level of the lines of a logger, whatever level backends have. It is
 * DOCA_LOG_LEVEL_TRACE at first.
 *
 * @param logger NULL for all.
 * @param level a value of enum doca_log_level.
 * @param propagate 1 to set it for those below, too; needed with NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE level is not in the enumeration, or logger is NULL without
 *     propagate;
 *   DOCA_ERROR_NOT_FOUND logger is not one.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_set_level(struct doca_logger *logger, int level, uint8_t propagate);

/**
 * The level of a logger.
 *
 * @param logger of a list.
 * @param level where to put it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_FOUND logger is not one.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_get_level(const struct doca_logger *logger, int *level);

/**
 * The name of a logger, cut to DOCA_LOGGER_NAME_SIZE - 1 bytes.
 *
 * @param logger of a list.
 * @param name where to put it, with NUL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or logger is not one.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_get_name(const struct doca_logger *logger,
                                  char name[DOCA_LOGGER_NAME_SIZE]);

/**
 * Finds a logger in a list.
 *
 * @param logger_list what doca_logger_create_list() made.
 * @param name the whole name.
 * @return the logger; NULL if there is none, or an argument is NULL.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
struct doca_logger *doca_logger_find_by_name(struct doca_logger **logger_list, const char *name);

/* Macros with any number of arguments are newer than C90. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvariadic-macros"

/**
 * Expression: writes a line of this source file. `level` is a value of enum doca_log_level. Its
 * value is the result of doca_log().
 *
 * Source: table. Since: 2.9 at the latest in this form.
 */
#define DOCA_LOG(level, format, ...)                                                               \
    doca_log(level, log_source, __FILE__, __LINE__, __func__, format, ##__VA_ARGS__)

/** DOCA_LOG of level CRIT. Source: table. Since: 2.5. */
#define DOCA_LOG_CRIT(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, format, ##__VA_ARGS__)

/** DOCA_LOG of level ERROR. Source: table. Since: 2.5. */
#define DOCA_LOG_ERR(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_ERROR, format, ##__VA_ARGS__)

/** DOCA_LOG of level WARNING. Source: table. Since: 2.5. */
#define DOCA_LOG_WARN(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, format, ##__VA_ARGS__)

/** DOCA_LOG of level INFO. Source: table. Since: 2.5. */
#define DOCA_LOG_INFO(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, format, ##__VA_ARGS__)

/** DOCA_LOG of level DEBUG. Source: table. Since: 2.5. */
#define DOCA_LOG_DBG(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, format, ##__VA_ARGS__)

/**
 * DOCA_LOG of level TRACE. Unless DOCA_LOGGING_ALLOW_TRACE is defined it does nothing and its
 * arguments are not evaluated.
 *
 * Source: table. Since: 2.5.
 */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, format, ##__VA_ARGS__)
#else
#define DOCA_LOG_TRC(format, ...)                                                                  \
    do {                                                                                           \
    } while (0)
#endif

/**
 * Names the source file: once per file, at file scope or in a namespace, before the first
 * line is written, with a semicolon behind it or without. The name is taken as it stands, and may
 * contain "::".
 *
 * It makes `static int log_source`, which the other macros use, registered before main()
 * and before the constructors of C++ objects.
 *
 * Source: table. Since: 1.3.
 */
#define DOCA_LOG_REGISTER(source)                                                                  \
    static int log_source;                                                                         \
    static void __attribute__((constructor(101), used)) doca_log_source_ctor_(void)                \
    {                                                                                              \
        doca_log_register_source(#source, &log_source);                                            \
    }

/* Names that 2.5 has for functions above. */
#define doca_log_backend_create_with_buffer     doca_log_backend_create_with_buf
#define doca_log_backend_create_with_buffer_sdk doca_log_backend_create_with_buf_sdk

#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif /* DOCA_LOG_H_ */
