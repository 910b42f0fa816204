// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Loggers of DOCA 3: the tree of sources, and the level of each.

#include "log_capture.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static int a, ab, abc, other;

static void sources(void)
{
    ck_assert_int_eq(doca_log_register_source("A", &a), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_register_source("A::B", &ab), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_register_source("A::B::C", &abc), DOCA_SUCCESS);
    ck_assert_int_eq(doca_log_register_source("AB::D", &other), DOCA_SUCCESS);
}

// The names below a logger, in the order of their making.
static const char *names_below(const struct doca_logger *logger, uint8_t depth)
{
    static char out[512];
    struct doca_logger **list = NULL;
    uint32_t count = 0;
    doca_error_t result = doca_logger_create_list(logger, depth, &list, &count);
    if (result == DOCA_ERROR_NOT_FOUND)
        return "none";
    ck_assert_int_eq(result, DOCA_SUCCESS);
    ck_assert_ptr_null(list[count]);
    out[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        char name[DOCA_LOGGER_NAME_SIZE];
        ck_assert_int_eq(doca_logger_get_name(list[i], name), DOCA_SUCCESS);
        strcat(strcat(out, name), " ");
    }
    ck_assert_int_eq(doca_logger_destroy_list(list), DOCA_SUCCESS);
    return out;
}

static struct doca_logger *logger_of(const char *name)
{
    struct doca_logger **list;
    uint32_t count;
    ck_assert_int_eq(doca_logger_create_list(NULL, 0, &list, &count), DOCA_SUCCESS);
    struct doca_logger *found = doca_logger_find_by_name(list, name);
    doca_logger_destroy_list(list);
    return found;
}

START_TEST(the_tree)
{
    sources();
    ck_assert_str_eq(names_below(NULL, 0), "TEST::LOG A A::B A::B::C AB::D ");
    ck_assert_str_eq(names_below(NULL, 1), "A ");
    ck_assert_str_eq(names_below(NULL, 2), "TEST::LOG A A::B AB::D ");
    ck_assert_str_eq(names_below(logger_of("A"), 0), "A::B A::B::C ");
    ck_assert_str_eq(names_below(logger_of("A"), 1), "A::B ");
    ck_assert_str_eq(names_below(logger_of("A::B::C"), 0), "none");
    ck_assert_ptr_null(logger_of("B"));
    ck_assert_ptr_null(doca_logger_find_by_name(NULL, "A"));
}
END_TEST

static const char *shown_of(int fd)
{
    static char out[8];
    truncate_to_nothing(fd);
    const int all[] = {a, ab, abc, other};
    for (int i = 0; i < 4; i++)
        doca_log(DOCA_LOG_LEVEL_INFO, all[i], "f", 1, "g", "%d", i);
    const char *texts = log_texts(fd);
    char *at = out;
    for (int i = 0; i < 4; i++)
        if (strchr(texts, '0' + i))
            *at++ = (char)('0' + i);
    *at = 0;
    return out;
}

START_TEST(levels)
{
    int fd = log_sink(), level = 0;
    backend_of(fd);
    sources();
    ck_assert_str_eq(shown_of(fd), "0123");
    ck_assert_int_eq(doca_logger_get_level(logger_of("A"), &level), DOCA_SUCCESS);
    ck_assert_int_eq(level, DOCA_LOG_LEVEL_TRACE);
    ck_assert_int_eq(doca_logger_set_level(logger_of("A"), DOCA_LOG_LEVEL_ERROR, 0), DOCA_SUCCESS);
    ck_assert_str_eq(shown_of(fd), "123");
    ck_assert_int_eq(doca_logger_set_level(logger_of("A"), DOCA_LOG_LEVEL_ERROR, 1), DOCA_SUCCESS);
    ck_assert_str_eq(shown_of(fd), "3");
    ck_assert_int_eq(doca_logger_set_level(NULL, DOCA_LOG_LEVEL_INFO, 1), DOCA_SUCCESS);
    ck_assert_str_eq(shown_of(fd), "0123");
    ck_assert_int_eq(doca_logger_set_level(NULL, DOCA_LOG_LEVEL_DISABLE, 1), DOCA_SUCCESS);
    ck_assert_str_eq(shown_of(fd), "");
    ck_assert_int_eq(doca_logger_get_level(logger_of("AB::D"), &level), DOCA_SUCCESS);
    ck_assert_int_eq(level, DOCA_LOG_LEVEL_DISABLE);
}
END_TEST

START_TEST(refused)
{
    struct doca_logger **list = NULL;
    uint32_t count = 7;
    int level = 7;
    char name[DOCA_LOGGER_NAME_SIZE];
    sources();
    struct doca_logger *none = (struct doca_logger *)&list, *logger = logger_of("A");
    ck_assert_int_eq(doca_logger_create_list(NULL, 0, NULL, &count), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_logger_create_list(NULL, 0, &list, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_logger_create_list(none, 0, &list, &count), DOCA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(list);
    ck_assert_uint_eq(count, 7);
    ck_assert_int_eq(doca_logger_destroy_list(NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_logger_set_level(NULL, 50, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_logger_set_level(logger, 55, 0), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_logger_set_level(none, 50, 0), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(doca_logger_get_level(NULL, &level), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_logger_get_level(logger, NULL), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_logger_get_level(none, &level), DOCA_ERROR_NOT_FOUND);
    ck_assert_int_eq(doca_logger_get_name(NULL, name), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(doca_logger_get_name(none, name), DOCA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(level, 7);
}
END_TEST

UNIT_MAIN("doca3_loggers", the_tree, levels, refused)
