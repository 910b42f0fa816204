// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Flags from a JSON file. Comments and trailing commas are allowed, as in the files that
// come with DOCA's programs.

#include "argp.h"

#include <json-c/json.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FILE_SIZE_MAX (1 << 20)

// ---- reading -----------------------------------------------------------------------

// Reads the whole file, with a terminating zero. The caller frees it.
static doca_error_t file_read(const char *path, char **out, size_t *size, struct errtext *err)
{
    cleanup_file FILE *file = fopen(path, "re");
    if (!file)
        return errtext_set(err, DOCA_ERROR_IO_FAILED, "cannot open the file %s: %s", path,
                           strerror(errno));
    cleanup_free char *text = malloc(FILE_SIZE_MAX + 1);
    if (!text)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    size_t length = fread(text, 1, FILE_SIZE_MAX + 1, file);
    if (ferror(file))
        return errtext_set(err, DOCA_ERROR_IO_FAILED, "cannot read the file %s: %s", path,
                           strerror(errno));
    if (length > FILE_SIZE_MAX)
        return errtext_set(err, DOCA_ERROR_IO_FAILED, "the file %s is larger than %d bytes", path,
                           FILE_SIZE_MAX);
    text[length] = 0;
    *size = length;
    *out = steal_ptr(text);
    return DOCA_SUCCESS;
}

// Returns the number of the line with this position.
static int line_of(const char *text, size_t place)
{
    int line = 1;
    for (size_t i = 0; i < place && text[i]; i++)
        line += text[i] == '\n';
    return line;
}

// Finds the first position that is neither space nor comment: the terminating zero if there is
// none.
static const char *skip_comments(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\r\n");
        const char *end;
        if (!strncmp(p, "//", 2))
            p += strcspn(p, "\n");
        else if (!strncmp(p, "/*", 2) && (end = strstr(p + 2, "*/")))
            p = end + 2;
        else
            return p;
    }
}

static doca_error_t document_parse(const char *path, const char *text, size_t size,
                                   struct json_object **out, struct errtext *err)
{
    struct json_tokener *tokener = json_tokener_new();
    if (!tokener)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    // Includes the terminating zero, which ends a document that is cut off.
    struct json_object *document = json_tokener_parse_ex(tokener, text, (int)size + 1);
    enum json_tokener_error error = json_tokener_get_error(tokener);
    size_t end = json_tokener_get_parse_end(tokener);
    json_tokener_free(tokener);

    const char *what = NULL;
    if (error != json_tokener_success)
        what =
            error == json_tokener_continue ? "it ends too early" : json_tokener_error_desc(error);
    else if (!json_object_is_type(document, json_type_object))
        what = "a JSON object is expected";
    else if ((end = skip_comments(text + end) - text) < size)
        what = "something follows the JSON object";
    if (what) {
        json_object_put(document);
        return errtext_set(err, DOCA_ERROR_IO_FAILED, "%s, line %d: %s", path, line_of(text, end),
                           what);
    }
    *out = document;
    return DOCA_SUCCESS;
}

// ---- flags -------------------------------------------------------------------------

static const char *expected(int type)
{
    switch (type) {
    case ARGP_TYPE_DEVICE_REP:
        return "a string";
    case ARGP_TYPE_DOUBLE:
        return "a number";
    case DOCA_ARGP_TYPE_STRING:
        return "a string";
    case DOCA_ARGP_TYPE_INT:
        return "a whole number";
    case DOCA_ARGP_TYPE_BOOLEAN:
        return "true or false";
    default:
        return "an object or an array";
    }
}

// Refuses a string with a zero in it: callbacks see C strings.
static bool is_string(struct json_object *json)
{
    return json_object_is_type(json, json_type_string) &&
           strlen(json_object_get_string(json)) == (size_t)json_object_get_string_len(json);
}

static bool type_matches(int type, struct json_object *json)
{
    switch (type) {
    case DOCA_ARGP_TYPE_STRING:
    case ARGP_TYPE_DEVICE_REP:
        return is_string(json);
    case ARGP_TYPE_DOUBLE:
        return json_object_is_type(json, json_type_double) ||
               json_object_is_type(json, json_type_int);
    case DOCA_ARGP_TYPE_INT:
        return json_object_is_type(json, json_type_int) && json_object_get_int64(json) >= INT_MIN &&
               json_object_get_int64(json) <= INT_MAX;
    case DOCA_ARGP_TYPE_BOOLEAN:
        return json_object_is_type(json, json_type_boolean);
    default: // in DOCA 3 also a device
        return json_object_is_type(json, json_type_object) ||
               json_object_is_type(json, json_type_array) ||
               (argp.interface == ARGP_3 && is_string(json));
    }
}

static doca_error_t take_one(struct values *values, struct doca_argp_param *param,
                             struct json_object *json, struct errtext *err)
{
    if (!type_matches(param->type, json))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "%s: the value of \"%s\" must be %s, not %s", values->file,
                           param->long_name, expected(param->type),
                           json_object_to_json_string(json));
    if (param->type == DOCA_ARGP_TYPE_BOOLEAN && !json_object_get_boolean(json))
        return DOCA_SUCCESS; // ignored, as if it were not in the file

    struct value *value = value_add(&values->from_file, param);
    if (!value)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    value->json = json;
    value->yes = true;
    if (param->type == DOCA_ARGP_TYPE_INT)
        value->number = json_object_get_int(json);
    if (param->type == ARGP_TYPE_DOUBLE)
        value->real = json_object_get_double(json);
    if (json_object_is_type(json, json_type_string)) {
        value->string = value->owned = strdup(json_object_get_string(json));
        if (!value->owned)
            return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    }
    return builtin_take(values, value, err);
}

static doca_error_t take_member(struct values *values, struct doca_argp_param *param,
                                struct json_object *json, struct errtext *err)
{
    if (param->cli_only)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "%s: \"%s\" may only be given on the command line", values->file,
                           param->long_name);
    if (param->given)
        return DOCA_SUCCESS; // the command line has given it
    if (!param->multiplicity || !json_object_is_type(json, json_type_array))
        return take_one(values, param, json, err);

    doca_error_t result = DOCA_SUCCESS;
    for (size_t i = 0; i < json_object_array_length(json) && result == DOCA_SUCCESS; i++)
        result = take_one(values, param, json_object_array_get_idx(json, i), err);
    return result;
}

// Finds a flag of the chosen commands or of the program: a file has no sections for commands.
static struct doca_argp_param *program_flag(const char *key)
{
    struct doca_argp_param *param = NULL;
    for (struct doca_argp_cmd *cmd = argp.current; cmd && !param; cmd = cmd->above)
        param = cmd_flag_by_long(cmd, key);
    return param;
}

static struct doca_argp_param *general_flag(const char *key)
{
    for (enum builtin b = 0; b < BUILTINS; b++)
        if ((b != BUILTIN_GRPC || argp.grpc) &&
            (b != BUILTIN_SDK_LOG_LEVEL || argp.interface == ARGP_3) &&
            !strcmp(builtins[b].long_name, key))
            return &builtins[b];
    return NULL;
}

static doca_error_t take_flags(struct values *values, const char *section,
                               struct json_object *flags,
                               struct doca_argp_param *(*find)(const char *key),
                               struct errtext *err)
{
    if (!json_object_is_type(flags, json_type_object))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "%s: \"%s\" must be an object",
                           values->file, section);
    json_object_object_foreach(flags, key, json)
    {
        struct doca_argp_param *param = find(key);
        if (!param && argp.lenient)
            continue;
        if (!param)
            return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                               "%s: there is no flag \"%s\" among the %s: write long names, "
                               "without dashes",
                               values->file, key, section);
        doca_error_t result = take_member(values, param, json, err);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

static doca_error_t take_document(struct values *values, struct errtext *err)
{
    json_object_object_foreach(values->document, key, json)
    {
        doca_error_t result = DOCA_SUCCESS;
        if (!strcmp(key, "doca_general_flags"))
            result = take_flags(values, key, json, general_flag, err);
        else if (!strcmp(key, "doca_program_flags"))
            result = take_flags(values, key, json, program_flag, err);
        else if (strcmp(key, "doca_dpdk_flags") != 0 && argp.lenient)
            continue;
        else if (strcmp(key, "doca_dpdk_flags") != 0)
            result = errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                                 "%s: there is no \"%s\": give doca_general_flags, "
                                 "doca_program_flags or doca_dpdk_flags",
                                 values->file, key);
        else if (argp.dpdk)
            result = dpdk_from_json(json, err);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

doca_error_t json_parse(struct values *values, struct errtext *err)
{
    cleanup_free char *text = NULL;
    size_t size = 0;
    doca_error_t result = file_read(values->file, &text, &size, err);
    if (result == DOCA_SUCCESS)
        result = document_parse(values->file, text, size, &values->document, err);
    return result == DOCA_SUCCESS ? take_document(values, err) : result;
}
