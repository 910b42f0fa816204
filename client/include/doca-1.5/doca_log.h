/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_log.h
 * The differences of the 1.5 interface from the later doca_log.h, which includes this file
 * for programs of the 1.5 interface: there is a default backend from the start, whichever
 * other backends the program makes. It writes all levels that it shows to stderr, or to the
 * stream set by doca_log_stream_redirect(), and the global level is the level of this
 * backend alone. Backends that the program makes have levels of their own, at first
 * DOCA_LOG_LEVEL_INFO. Everything else is the same.
 *
 * A process with one part written for 1.5 and another for a later interface has the default
 * backend as soon as DOCA_LOG_REGISTER() of the first part has run.
 *
 * Since 1.5.
 */
#ifndef DOCA_1_5_LOG_H_
#define DOCA_1_5_LOG_H_

/**
 * Sends the lines of the default backend elsewhere.
 *
 * @param stream open for writing; belongs to the caller, and must stay open until the
 *   process ends or another stream is set.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE stream is NULL.
 *
 * Source: table; the error is our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_stream_redirect(FILE *stream);

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
 * Source: table; the errors are our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_log_source_register(const char *source_name, int *source)
    DOCA_1_5_SYMBOL(log_source_register);

#endif /* DOCA_1_5_LOG_H_ */
