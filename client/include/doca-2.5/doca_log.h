/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_log.h
 * The log as 2.5 and 2.6 have it: DOCA_LOG() takes the end of a level's name.
 *
 * All else is as in doca_log.h of DOCA 3. Source: table of differences. Since: 2.5.
 */
#ifndef DOCA_2_5_LOG_H_
#define DOCA_2_5_LOG_H_

#include "../doca-3/doca_log.h"

/* Macros with any number of arguments are newer than C90. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvariadic-macros"

#undef DOCA_LOG
/**
 * Expression: writes a line of this source file. `level` is the end of a level's name:
 * DOCA_LOG(ERROR, ...). Its value is the result of doca_log().
 *
 * Source: table. Since: 2.2; later releases take the whole name.
 */
#define DOCA_LOG(level, format, ...)                                                               \
    doca_log(DOCA_LOG_LEVEL_##level, log_source, __FILE__, __LINE__, __func__, format,             \
             ##__VA_ARGS__)

#undef DOCA_LOG_CRIT
/** DOCA_LOG of level CRIT. Source: table. Since: 2.5. */
#define DOCA_LOG_CRIT(format, ...) DOCA_LOG(CRIT, format, ##__VA_ARGS__)

#undef DOCA_LOG_ERR
/** DOCA_LOG of level ERROR. Source: table. Since: 2.5. */
#define DOCA_LOG_ERR(format, ...) DOCA_LOG(ERROR, format, ##__VA_ARGS__)

#undef DOCA_LOG_WARN
/** DOCA_LOG of level WARNING. Source: table. Since: 2.5. */
#define DOCA_LOG_WARN(format, ...) DOCA_LOG(WARNING, format, ##__VA_ARGS__)

#undef DOCA_LOG_INFO
/** DOCA_LOG of level INFO. Source: table. Since: 2.5. */
#define DOCA_LOG_INFO(format, ...) DOCA_LOG(INFO, format, ##__VA_ARGS__)

#undef DOCA_LOG_DBG
/** DOCA_LOG of level DEBUG. Source: table. Since: 2.5. */
#define DOCA_LOG_DBG(format, ...) DOCA_LOG(DEBUG, format, ##__VA_ARGS__)

#ifdef DOCA_LOGGING_ALLOW_TRACE
#undef DOCA_LOG_TRC
/** DOCA_LOG of level TRACE. Source: table. Since: 2.5. */
#define DOCA_LOG_TRC(format, ...) DOCA_LOG(TRACE, format, ##__VA_ARGS__)
#endif

#pragma GCC diagnostic pop

#endif /* DOCA_2_5_LOG_H_ */
