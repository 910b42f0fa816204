// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "docactl_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command_result result;

int docactl_run(const struct daemon *daemon, const char *const words[])
{
    const char *argv[16] = {"docactl"};
    size_t n = 1;
    while (*words)
        argv[n++] = *words++;
    command_run(daemon, argv, &result);
    return result.status;
}

// ---- what it printed ------------------------------------------------------------------------

struct json_object *printed(void)
{
    struct json_object *value = json_tokener_parse(result.out);
    ck_assert_msg(value != NULL, "no JSON: %s", result.out);
    return value;
}

struct json_object *get(struct json_object *object, const char *key, json_type type)
{
    struct json_object *value;
    ck_assert_msg(json_object_object_get_ex(object, key, &value), "no member %s", key);
    ck_assert_msg(json_object_is_type(value, type), "%s has another type", key);
    return value;
}

const char *text_of(struct json_object *object, const char *key)
{
    return json_object_get_string(get(object, key, json_type_string));
}

uint64_t number_of(struct json_object *object, const char *key)
{
    return json_object_get_uint64(get(object, key, json_type_int));
}

bool has_text(struct json_object *object, const char *key, const char *text)
{
    struct json_object *array = get(object, key, json_type_array);
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        if (strcmp(json_object_get_string(json_object_array_get_idx(array, i)), text) == 0)
            return true;
    }
    return false;
}

struct json_object *pick(struct json_object *array, const char *key, const char *text)
{
    struct json_object *found = NULL;
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        struct json_object *object = json_object_array_get_idx(array, i);
        if (strcmp(text_of(object, key), text) == 0) {
            ck_assert_msg(!found, "two with %s %s", key, text);
            found = object;
        }
    }
    ck_assert_msg(found != NULL, "none with %s %s: %s", key, text, result.out);
    return found;
}

// ---- what is printed is what the table of commands says ----------------------------------------

static bool is_type(struct json_object *value, const char *type)
{
    if (strcmp(type, "integer or null") == 0 && !value)
        return true;
    if (strcmp(type, "number") == 0)
        return json_object_is_type(value, json_type_double) ||
               json_object_is_type(value, json_type_int);
    return json_object_is_type(value, strncmp(type, "integer", 7) == 0 ? json_type_int
                                      : strncmp(type, "array", 5) == 0 ? json_type_array
                                      : strcmp(type, "boolean") == 0   ? json_type_boolean
                                      : strcmp(type, "object") == 0    ? json_type_object
                                                                       : json_type_string);
}

static void check_value(const char *where, struct json_object *value, struct json_object *fields);

static void check_object(const char *where, struct json_object *object, struct json_object *fields)
{
    size_t known = 0;
    ck_assert_msg(json_object_is_type(object, json_type_object), "%s: no object", where);
    for (size_t i = 0; i < json_object_array_length(fields); i++) {
        struct json_object *field = json_object_array_get_idx(fields, i), *value, *members;
        const char *key = json_object_get_string(json_object_object_get(field, "key"));
        const char *type = json_object_get_string(json_object_object_get(field, "type"));
        if (!json_object_object_get_ex(object, key, &value)) {
            ck_assert_msg(json_object_get_boolean(json_object_object_get(field, "optional")),
                          "%s: no member %s", where, key);
            continue;
        }
        known++;
        ck_assert_msg(is_type(value, type), "%s: %s is no %s", where, key, type);
        if (json_object_object_get_ex(field, "members", &members))
            check_value(key, value, members);
    }
    ck_assert_msg(known == (size_t)json_object_object_length(object),
                  "%s has members that are in no table: %s", where,
                  json_object_to_json_string(object));
}

static void check_value(const char *where, struct json_object *value, struct json_object *fields)
{
    if (!json_object_is_type(value, json_type_array)) {
        check_object(where, value, fields);
        return;
    }
    for (size_t i = 0; i < json_object_array_length(value); i++)
        check_object(where, json_object_array_get_idx(value, i), fields);
}

void check_table(const char *command, struct json_object *value)
{
    static const char *const argv[] = {"docactl", "help", "--json", NULL};
    struct command_result *help = calloc(1, sizeof(*help));
    command_run(NULL, argv, help);
    ck_assert_int_eq(help->status, 0);
    struct json_object *table = json_tokener_parse(help->out);
    ck_assert_ptr_nonnull(table);
    struct json_object *entry = pick(table, "name", command);
    ck_assert_str_eq(text_of(entry, "shape"),
                     json_object_is_type(value, json_type_array) ? "array" : "object");
    check_value(command, value, get(entry, "fields", json_type_array));
    json_object_put(table);
    free(help);
}

struct json_object *list_of(const struct daemon *daemon, const char *command, const char *second)
{
    RUN_OK(daemon, "--json", command, second);
    struct json_object *array = printed();
    ck_assert(json_object_is_type(array, json_type_array));
    char name[64];
    snprintf(name, sizeof(name), "%s%s%s", command, second ? " " : "", second ? second : "");
    check_table(name, array);
    return array;
}

// ---- a program of the host -------------------------------------------------------------------

void fill(uint8_t memory[MEMORY_SIZE])
{
    for (size_t i = 0; i < MEMORY_SIZE; i++)
        memory[i] = (uint8_t)(i * 7);
}

static int host_program(struct child *self, void *arg)
{
    uint8_t *memory = malloc(MEMORY_SIZE); // not whole pages
    struct exporter e;
    (void)arg;
    fill(memory);
    exporter_start(&e, HOST_PF0, memory, MEMORY_SIZE, DOCA_ACCESS_DPU_READ_ONLY);
    child_send(self, &memory, sizeof(memory));
    child_send(self, e.desc, e.desc_len);
    child_wait(self, "end");
    exporter_stop(&e);
    free(memory);
    self->may_leave_open = true; // the session stays
    return 0;
}

struct host_program start_host_program(void)
{
    struct host_program p = {.child = child_start(nodes.host, "host", host_program, NULL)};
    ck_assert_uint_eq(child_receive(p.child, &p.address, sizeof(p.address)), sizeof(p.address));
    p.desc_size = child_receive(p.child, p.desc, sizeof(p.desc));
    struct json_object *exports = list_of(nodes.host, "exports", "list");
    ck_assert_uint_eq(json_object_array_length(exports), 1);
    snprintf(p.id, sizeof(p.id), "%s", text_of(json_object_array_get_idx(exports, 0), "id"));
    json_object_put(exports);
    return p;
}

void end_host_program(struct host_program *p)
{
    child_tell(p->child, "end");
    child_join(p->child);
}
