// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The table of commands as JSON, for other programs.

#include "fields.h"

#include "docactl.h"

static const char *const shapes[] = {[SHAPE_NONE] = "none",
                                     [SHAPE_OBJECT] = "object",
                                     [SHAPE_ARRAY] = "array",
                                     [SHAPE_LINES] = "lines"};

static struct json_object *field_array(const struct column *columns)
{
    struct json_object *array = json_object_new_array();
    for (const struct column *c = columns; c && c->key; c++) {
        struct json_object *object = json_object_new_object();
        put_text(object, "key", c->key);
        put_text(object, "type", column_type(c));
        put_text(object, "help", c->help);
        put_bool(object, "optional", c->optional);
        if (c->members)
            json_object_object_add(object, "members", field_array(c->members));
        json_object_array_add(array, object);
    }
    return array;
}

static struct json_object *option_array(const struct option_spec *options)
{
    struct json_object *array = json_object_new_array();
    for (; options && options->name; options++) {
        struct json_object *object = json_object_new_object();
        put_text(object, "name", options->name);
        put_text(object, "argument", options->argument);
        put_text(object, "help", options->help);
        json_object_array_add(array, object);
    }
    return array;
}

struct json_object *help_table(void)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < n_ctl_commands; i++) {
        struct json_object *object = json_object_new_object();
        put_text(object, "name", ctl_commands[i].name);
        put_text(object, "arguments", ctl_commands[i].arguments);
        put_text(object, "summary", ctl_commands[i].summary);
        json_object_object_add(object, "options", option_array(ctl_commands[i].options));
        put_text(object, "shape", shapes[ctl_commands[i].shape]);
        json_object_object_add(object, "fields", field_array(ctl_commands[i].fields));
        json_object_array_add(array, object);
    }
    return array;
}
