// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Translates doca_dpdk_flags of a file into DPDK's own words.

#include "argp.h"

#include <json-c/json.h>

#include <string.h>

static doca_error_t no_memory(struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
}

static doca_error_t wrong(const char *key, const char *what, struct errtext *err)
{
    return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "doca_dpdk_flags: \"%s\" must be %s", key,
                       what);
}

static doca_error_t add_devices(struct json_object *devices, struct errtext *err)
{
    if (!json_object_is_type(devices, json_type_array))
        return wrong("devices", "an array of strings", err);
    for (size_t i = 0; i < json_object_array_length(devices); i++) {
        struct json_object *device = json_object_array_get_idx(devices, i);
        if (!json_object_is_type(device, json_type_string))
            return wrong("devices", "an array of strings, as for DPDK's -a", err);
        if (!words_add(&argp.dpdk_words, "-a", json_object_get_string(device)))
            return no_memory(err);
    }
    return DOCA_SUCCESS;
}

// Splits words at spaces.
static doca_error_t add_text(const char *text, struct errtext *err)
{
    cleanup_free char *copy = strdup(text);
    if (!copy)
        return no_memory(err);
    char *rest = copy;
    for (char *word; (word = strsep(&rest, " \t"));)
        if (*word && !words_add(&argp.dpdk_words, word, NULL))
            return no_memory(err);
    return DOCA_SUCCESS;
}

// Any other member is a flag of that name: true, a string or a number.
static doca_error_t add_other(const char *key, struct json_object *json, struct errtext *err)
{
    cleanup_free char *flag = NULL;
    if (json_object_is_type(json, json_type_boolean)) {
        if (!json_object_get_boolean(json))
            return DOCA_SUCCESS;
        if (asprintf(&flag, "--%s", key) < 0)
            flag = NULL;
    } else if (json_object_is_type(json, json_type_string) ||
               json_object_is_type(json, json_type_int)) {
        if (asprintf(&flag, "--%s=%s", key, json_object_get_string(json)) < 0)
            flag = NULL;
    } else {
        return wrong(key, "true, false, a string or a whole number", err);
    }
    return flag && words_add(&argp.dpdk_words, flag, NULL) ? DOCA_SUCCESS : no_memory(err);
}

static doca_error_t add_member(const char *key, struct json_object *json, struct errtext *err)
{
    static const struct {
        const char *key, *flag; // without a flag: arguments without a name
    } texts[] = {{"core-mask", "-c"}, {"core-list", "-l"}, {"flags", NULL}};

    if (!strcmp(key, "devices"))
        return add_devices(json, err);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        if (strcmp(key, texts[i].key) != 0)
            continue;
        if (!json_object_is_type(json, json_type_string))
            return wrong(key, "a string", err);
        const char *text = json_object_get_string(json);
        if (!texts[i].flag)
            return add_text(text, err);
        return words_add(&argp.dpdk_words, texts[i].flag, text) ? DOCA_SUCCESS : no_memory(err);
    }
    return add_other(key, json, err);
}

doca_error_t dpdk_from_json(struct json_object *flags, struct errtext *err)
{
    if (!json_object_is_type(flags, json_type_object))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "\"doca_dpdk_flags\" must be an object");
    json_object_object_foreach(flags, key, json)
    {
        doca_error_t result = add_member(key, json, err);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}
