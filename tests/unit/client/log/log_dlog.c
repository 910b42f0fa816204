// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A source file that has developers' lines switched on.

#define DOCA_LOGGING_ALLOW_DLOG
#include <doca_log.h>

#include "log_dlog.h"

DOCA_LOG_REGISTER(developer::file);

void log_developer_lines(int *evaluated)
{
    DOCA_DLOG_CRIT("crit %d", ++*evaluated);
    DOCA_DLOG_ERR("err %d", ++*evaluated);
    DOCA_DLOG_WARN("warn %d", ++*evaluated);
    DOCA_DLOG_INFO("info %d", ++*evaluated);
    DOCA_DLOG_DBG("dbg %d", ++*evaluated);
}
