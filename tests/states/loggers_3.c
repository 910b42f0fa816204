// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Loggers of DOCA 3.

#include "objects.h"

#include <doca_log.h>

static struct doca_logger **list, *logger;

static void enter_logger(unsigned state)
{
    uint32_t n;
    int source;
    (void)state;
    ck_assert_success(doca_log_register_source("states", &source));
    ck_assert_success(doca_log_register_source("states::below", &source));
    ck_assert_success(doca_logger_create_list(NULL, 0, &list, &n));
    logger = doca_logger_find_by_name(list, "states");
    ck_assert_ptr_nonnull(logger);
}

static void leave_logger(void)
{
    if (list)
        ck_assert_success(doca_logger_destroy_list(list));
    list = NULL;
    ck_assert_success(doca_logger_set_level(NULL, DOCA_LOG_LEVEL_TRACE, 1));
}

static enum given argue_logger(const char *function, const char *param, uint64_t *value)
{
    if (same(param, "logger"))
        return GIVE(logger);
    if (same(param, "logger_list"))
        return same(function, "doca_logger_create_list") ? GIVEN_NONE : GIVE(list);
    if (same(param, "name") && same(function, "doca_logger_find_by_name"))
        return GIVE("states");
    if (same(param, "level") && same(function, "doca_logger_get_level"))
        return GIVEN_NONE;
    *value = same(param, "level") ? DOCA_LOG_LEVEL_INFO : 0;
    return same(param, "level") || same(param, "depth") || same(param, "propagate") ? GIVEN
                                                                                    : GIVEN_NONE;
}

static const struct row logger_rows[] = {
    {"doca_logger_create_list", {OK}, "logger"},
    {"doca_logger_destroy_list", {OK}},
    {"doca_logger_set_level", {OK}},
    {"doca_logger_get_level", {OK}},
    {"doca_logger_get_name", {OK}},
    {"doca_logger_find_by_name", {OK}},
};

GROUP(loggers) = {
    .name = "logger",
    .states = {"there"},
    ROWS(logger_rows),
    .logs_nothing = true,
    .enter = enter_logger,
    .leave = leave_logger,
    .argument = argue_logger,
    LIFETIMES({"doca_logger_create_list", "doca_logger_destroy_list", &list}),
};
