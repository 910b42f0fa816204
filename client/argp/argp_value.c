// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Values of flags, and lists of them.

#include "argp.h"

#include <json-c/json.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void values_init(struct values *values)
{
    *values = (struct values){.file = NULL};
    list_init(&values->from_line);
    list_init(&values->from_file);
}

static void list_clear(struct list *list)
{
    struct value *value, *next;
    list_for_each_safe (value, next, list, link) {
        list_remove(&value->link);
        free(value->owned);
        free(value->device_text);
        free(value);
    }
}

void values_clear(struct values *values)
{
    devices_close(values);
    list_clear(&values->from_line);
    list_clear(&values->from_file);
    json_object_put(values->document);
    values->document = NULL;
}

struct value *value_add(struct list *list, struct doca_argp_param *param)
{
    struct value *value = calloc(1, sizeof(*value));
    if (!value)
        return NULL;
    value->param = param;
    param->given = true;
    list_append(list, &value->link);
    return value;
}

bool number_parse(const char *text, int *out)
{
    const char *digits = text + (*text == '-' || *text == '+');
    bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    char *end;

    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    long number = strtol(text, &end, hexadecimal ? 16 : 10);
    if (*end || errno || number < INT_MIN || number > INT_MAX)
        return false;
    *out = (int)number;
    return true;
}

bool real_parse(const char *text, double *out)
{
    char *end;

    if (!*text || *text == ' ' || *text == '\t')
        return false;
    double real = strtod(text, &end);
    if (*end || !isfinite(real))
        return false;
    *out = real;
    return true;
}

bool value_is_device(const struct value *value)
{
    if (argp.interface != ARGP_3)
        return false;
    return value->param->type == ARGP_TYPE_DEVICE_REP ||
           (value->param->type == ARGP_TYPE_DEVICE && value->string);
}

static doca_error_t take_level(const struct value *value, int *level, struct errtext *err)
{
    bool all = argp.interface == ARGP_3;
    int least = all ? 10 : 20, most = all ? 70 : 60;

    if (value->number < least || value->number > most || value->number % 10)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%s: there is no log level %d: give %s20 (critical), 30 (error), "
                           "40 (warning), 50 (info)%s 60 (debug)%s",
                           FLAG_NAME(value->param), value->number, all ? "10 (disable), " : "",
                           all ? "," : " or", all ? " or 70 (trace)" : "");
    *level = value->number;
    return DOCA_SUCCESS;
}

doca_error_t builtin_take(struct values *values, const struct value *value, struct errtext *err)
{
    switch (flag_builtin(value->param)) {
    case BUILTIN_LOG_LEVEL:
        return take_level(value, &values->log_level, err);
    case BUILTIN_SDK_LOG_LEVEL:
        return take_level(value, &values->sdk_log_level, err);
    case BUILTIN_JSON:
        values->file = value->string;
        break;
    case BUILTIN_GRPC:
        values->grpc_address = value->string;
        break;
    default:
        break;
    }
    return DOCA_SUCCESS;
}

// ---- words -------------------------------------------------------------------------

static bool word_add(struct words *words, const char *text)
{
    char *copy = strdup(text);
    char **list = realloc(words->list, (words->count + 3) * sizeof(*list));
    if (list)
        words->list = list;
    if (!copy || !list) {
        free(copy);
        return false;
    }
    list[0] = NULL;
    list[++words->count] = copy;
    list[words->count + 1] = NULL;
    return true;
}

bool words_add(struct words *words, const char *first, const char *second)
{
    return word_add(words, first) && (!second || word_add(words, second));
}

void words_clear(struct words *words)
{
    for (int i = 1; i <= words->count; i++)
        free(words->list[i]);
    free(words->list);
    *words = (struct words){.list = NULL};
}
