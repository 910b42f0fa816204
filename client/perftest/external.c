// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "external.h"

#include "result.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *package;
} tools[N_EXTERNAL] = {
    [EXTERNAL_UCX] = {"ucx_perftest", "ucx-utils"},
    [EXTERNAL_FABRIC] = {"fi_pingpong", "libfabric-bin"},
};

bool external_find(enum external_tool tool, char *path, size_t size)
{
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t n = strcspn(at, ":");
        int r = snprintf(path, size, "%.*s/%s", (int)n, at, tools[tool].name);
        if (n && r > 0 && (size_t)r < size && access(path, X_OK) == 0)
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

struct json_object *external_json(void)
{
    struct json_object *array = json_object_new_array();
    for (int tool = 0; tool < N_EXTERNAL; tool++) {
        char path[PATH_MAX];
        bool found = external_find((enum external_tool)tool, path, sizeof(path));
        struct json_object *object = json_object_new_object();
        json_add_text(object, "name", tools[tool].name);
        json_add_text(object, "package", tools[tool].package);
        json_add_text(object, "path", found ? path : NULL);
        json_object_array_add(array, object);
    }
    return array;
}
