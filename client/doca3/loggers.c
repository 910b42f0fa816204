// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Loggers: the names of the log's sources as a tree, and the level of each. "A::B" stands below
// "A", if there is a source of that name.

#include "log/log.h"

#include "cleanup.h"

#include <stdlib.h>
#include <string.h>

// The same object: a name is never freed.
static const struct log_name *name_of(const struct doca_logger *logger)
{
    return (const struct log_name *)logger;
}

static bool is_logger(const struct doca_logger *logger)
{
    for (const struct log_name *n = log_names(); n; n = n->next)
        if (n == name_of(logger))
            return true;
    return false;
}

// Returns how many levels below the logger it is; 0: not below it. NULL is above all.
static unsigned below(const struct log_name *name, const struct log_name *above)
{
    const char *rest = name->text;
    if (above) {
        size_t length = strlen(above->text);
        if (strncmp(rest, above->text, length) != 0 || strncmp(rest + length, "::", 2) != 0)
            return 0;
        rest += length + 2;
    }
    unsigned depth = 1;
    for (; (rest = strstr(rest, "::")); rest += 2)
        depth++;
    return depth;
}

static bool is_listed(const struct log_name *name, const struct log_name *above, uint8_t depth)
{
    unsigned at = below(name, above);
    return at && (!depth || at <= depth);
}

doca_error_t doca_logger_create_list(const struct doca_logger *logger, uint8_t depth,
                                     struct doca_logger ***logger_list, uint32_t *nb_loggers)
{
    if (!logger_list || !nb_loggers || (logger && !is_logger(logger)))
        return DOCA_ERROR_INVALID_VALUE;

    struct log_name *names = log_names(); // names that are added later come before it
    uint32_t count = 0;
    for (const struct log_name *n = names; n; n = n->next)
        count += is_listed(n, name_of(logger), depth);
    if (!count)
        return DOCA_ERROR_NOT_FOUND;
    struct doca_logger **list = calloc(count + 1, sizeof(*list));
    if (!list)
        return DOCA_ERROR_NO_MEMORY;
    uint32_t at = count; // the newest comes first in the list of names
    for (struct log_name *n = names; n; n = n->next)
        if (is_listed(n, name_of(logger), depth))
            list[--at] = (struct doca_logger *)n;
    *logger_list = list;
    *nb_loggers = count;
    return DOCA_SUCCESS;
}

doca_error_t doca_logger_destroy_list(struct doca_logger **logger_list)
{
    if (!logger_list)
        return DOCA_ERROR_INVALID_VALUE;
    free(logger_list);
    return DOCA_SUCCESS;
}

doca_error_t doca_logger_set_level(struct doca_logger *logger, int level, uint8_t propagate)
{
    if ((level != DOCA_LOG_LEVEL_DISABLE && !log_level_valid_3(level)) || (!logger && !propagate))
        return DOCA_ERROR_INVALID_VALUE;
    if (logger && !is_logger(logger))
        return DOCA_ERROR_NOT_FOUND;

    for (struct log_name *n = log_names(); n; n = n->next)
        if (n == name_of(logger) || (propagate && below(n, name_of(logger))))
            n->level = level;
    return DOCA_SUCCESS;
}

doca_error_t doca_logger_get_level(const struct doca_logger *logger, int *level)
{
    if (!logger || !level)
        return DOCA_ERROR_INVALID_VALUE;
    if (!is_logger(logger))
        return DOCA_ERROR_NOT_FOUND;
    *level = name_of(logger)->level;
    return DOCA_SUCCESS;
}

doca_error_t doca_logger_get_name(const struct doca_logger *logger,
                                  char name[DOCA_LOGGER_NAME_SIZE])
{
    if (!logger || !name || !is_logger(logger))
        return DOCA_ERROR_INVALID_VALUE;
    strncpy(name, name_of(logger)->text, DOCA_LOGGER_NAME_SIZE - 1);
    name[DOCA_LOGGER_NAME_SIZE - 1] = 0;
    return DOCA_SUCCESS;
}

struct doca_logger *doca_logger_find_by_name(struct doca_logger **logger_list, const char *name)
{
    if (!logger_list || !name)
        return NULL;
    for (; *logger_list; logger_list++)
        if (!strcmp(name_of(*logger_list)->text, name))
            return *logger_list;
    return NULL;
}
