// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "perftest_run.h"

#include "env.h"

#include <string.h>

struct command_result result;

// Its private daemons live in the test's directory, so that what is left there is seen.
void perftest_set_up(void)
{
    env_setup();
    struct path dir = temp_path("");
    setenv("TMPDIR", dir.s, 1);
    unsetenv("DOCAD_SOCKET");
    unsetenv("DOCAD_BINARY");
}

int run_perftest(const char *const words[])
{
    const char *argv[20] = {"doca-perftest"};
    size_t n = 1;
    while (*words)
        argv[n++] = *words++;
    command_run(NULL, argv, &result);
    return result.status;
}

// ---- JSON ------------------------------------------------------------------------------------

// The output of the last command. The caller releases it.
struct json_object *printed(void)
{
    struct json_object *value = json_tokener_parse(result.out);
    ck_assert_msg(json_object_is_type(value, json_type_object), "no object: %s", result.out);
    return value;
}

struct json_object *get(struct json_object *object, const char *key, json_type type)
{
    struct json_object *value;
    ck_assert_msg(json_object_object_get_ex(object, key, &value), "no member %s in %s", key,
                  json_object_to_json_string(object));
    ck_assert_msg(json_object_is_type(value, type), "%s has another type in %s", key,
                  json_object_to_json_string(object));
    return value;
}

double number(struct json_object *object, const char *key)
{
    struct json_object *value;
    ck_assert_msg(json_object_object_get_ex(object, key, &value), "no member %s", key);
    ck_assert_msg(json_object_is_type(value, json_type_int) ||
                      json_object_is_type(value, json_type_double),
                  "%s is no number", key);
    return json_object_get_double(value);
}

const char *text(struct json_object *object, const char *key)
{
    return json_object_get_string(get(object, key, json_type_string));
}

// The head of the last report; returns its results, and the whole, which the caller
// releases.
struct json_object *results_of(const char *command, struct json_object **whole)
{
    *whole = printed();
    ck_assert_str_eq(text(*whole, "program"), "doca-perftest");
    ck_assert_str_eq(text(*whole, "version"), DOCAD_VERSION);
    ck_assert_str_eq(text(*whole, "command"), command);
    text(get(*whole, "clock", json_type_object), "source");
    struct json_object *results = get(*whole, "results", json_type_object);
    ck_assert(json_object_get_boolean(get(results, "verified", json_type_boolean)));
    return results;
}

void assert_numbers(struct json_object *object, const char *const keys[])
{
    for (; *keys; keys++)
        ck_assert_msg(number(object, *keys) >= 0, "%s is negative", *keys);
}

void assert_one_line(const char *says)
{
    ck_assert_int_eq(result.status, 1);
    ck_assert_str_eq(result.out, "");
    const char *ours = strstr(result.err, "doca-perftest: ");
    ck_assert_msg(ours && strstr(ours, says), "'%s' is not in: %s", says, result.err);
}
