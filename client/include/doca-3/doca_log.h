// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_log.h
 * The log: lines of programs, and of the library (the SDK).
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
    DOCA_LOG_LEVEL_TRACE = 70,   /**< each step, for developers */
};

/** Bytes of the name of a logger, with the NUL. */
#define DOCA_LOGGER_NAME_SIZE 256

/** Called with the text that fills a buffer. */
typedef void (*log_flush_callback)(char *buf);

/**
 * Sets the level lower limit of the backend.
 *
 * @param backend the backend.
 * @param level the level.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
                                                    uint32_t level);

/**
 * Sets the level upper limit of the backend.
 *
 * @param backend the backend.
 * @param upper_limit the upper limit.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
                                                    uint32_t upper_limit);

/**
 * Sets the level lower limit strict of the backend.
 *
 * @param backend the backend.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/**
 * Sets the level upper limit strict of the backend.
 *
 * @param backend the backend.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/**
 * Sets the global lower limit.
 *
 * @param level the level.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * Sets the global upper limit.
 *
 * @param upper_limit the upper limit.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/**
 * Reads the global lower limit.
 *
 * @return the global lower limit.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_lower_limit(void);

/**
 * Reads the global upper limit.
 *
 * @return the global upper limit.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_upper_limit(void);

/**
 * Gives a source its number; called by DOCA_LOG_REGISTER.
 *
 * @param source_name the source name.
 * @param source where to put the source.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * Does nothing.
 *
 * @param source the source.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_unregister_source(int source);

/**
 * Log backend create with file.
 *
 * @param fptr the stream, open for writing.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);

/**
 * Log backend create with fd.
 *
 * @param fd the file descriptor.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/**
 * Log backend create with buf.
 *
 * @param buf where to put the buffer.
 * @param capacity the capacity.
 * @param handler the function to call.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                              log_flush_callback handler,
                                              struct doca_log_backend **backend);

/**
 * Log backend create with syslog.
 *
 * @param name the name.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                 struct doca_log_backend **backend);

/**
 * Level of one SDK backend.
 *
 * @param backend the backend.
 * @param level the level.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);

/**
 * Backend for messages of the library itself to a FILE*.
 *
 * @param fptr the stream, open for writing.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);

/**
 * Log backend create with fd sdk.
 *
 * @param fd the file descriptor.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/**
 * Log backend create with buf sdk.
 *
 * @param buf where to put the buffer.
 * @param capacity the capacity.
 * @param handler the function to call.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                  log_flush_callback handler,
                                                  struct doca_log_backend **backend);

/**
 * Log backend create with syslog sdk.
 *
 * @param name the name.
 * @param backend where to put the backend.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                     struct doca_log_backend **backend);

/**
 * Sets the global SDK limit.
 *
 * @param level the level.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * Reads the global SDK limit.
 *
 * @return the global SDK limit.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_sdk_limit(void);

/**
 * Two fixed backends: up to INFO on stdout, WARNING and worse on stderr.
 *
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_standard(void);

/**
 * Writes one application message; called by the DOCA_LOG macros. Two more arguments than in
 * 2.2 (file, function).
 *
 * @param level the level.
 * @param source the source.
 * @param fname the fname.
 * @param line the line.
 * @param func the function.
 * @param format the format.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
                      const char *format, ...) DOCA_3_SYMBOL(log)
    __attribute__((format(printf, 6, 7)));

/**
 * How many application backends may exist.
 *
 * @return the greatest number of backends.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_get_max_num_backends(void);

/**
 * How many SDK backends may exist.
 *
 * @return the greatest number of backends SDK.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_get_max_num_backends_sdk(void);

/**
 * Messages up to this level are written at once, milder ones may be gathered (default
 * WARNING).
 *
 * @param level the level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_set_max_unaggregated_level(uint32_t level);

/**
 * How many bytes of messages may be gathered before they are written (default 128 KiB).
 *
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_set_max_aggregated_size(uint32_t size);

/**
 * Period of the gathering thread in microseconds; 0 writes at once.
 *
 * @param usec the microseconds.
 * @return DOCA_SUCCESS, or an error; the table names none.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_set_bg_sampling_period(uint32_t usec);

/**
 * Thread function that gathers and writes messages; never returns; without it every message
 * is written at once.
 *
 * @param unused not used.
 * @return the result.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
void *doca_log_process_msg(void *unused);

/**
 * Allocated list of the loggers below one (NULL: from the top); depth 0 is all.
 *
 * @param logger the logger.
 * @param depth the depth.
 * @param logger_list where to put the list.
 * @param nb_loggers where to put the number of loggers.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_FOUND there is no such thing;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_create_list(const struct doca_logger *logger, uint8_t depth,
                                     struct doca_logger ***logger_list, uint32_t *nb_loggers);

/**
 * Frees the list.
 *
 * @param logger_list the list.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_destroy_list(struct doca_logger **logger_list);

/**
 * Level of one logger, with propagate also of those below; NULL logger needs propagate.
 *
 * @param logger the logger.
 * @param level the level.
 * @param propagate the propagate.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_FOUND there is no such thing.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_set_level(struct doca_logger *logger, int level, uint8_t propagate);

/**
 * Level of a logger.
 *
 * @param logger the logger.
 * @param level where to put the level.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_FOUND there is no such thing.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_get_level(const struct doca_logger *logger, int *level);

/**
 * Name of a logger.
 *
 * @param logger the logger.
 * @param name where to put the name.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_logger_get_name(const struct doca_logger *logger,
                                  char name[DOCA_LOGGER_NAME_SIZE]);

/**
 * Logger of that name in a list, or NULL.
 *
 * @param logger_list the list.
 * @param name the name.
 * @return the logger.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
struct doca_logger *doca_logger_find_by_name(struct doca_logger **logger_list, const char *name);

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

#ifdef __cplusplus
}
#endif

#endif /* DOCA_LOG_H_ */
