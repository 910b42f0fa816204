// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "daemons.h"

#include "cleanup.h"
#include "copy_text.h"

#include <glob.h>
#include <string.h>

#define FILE_END "-metrics.sock"

static size_t name_length(const char *file)
{
    size_t length = strlen(file), end = strlen(FILE_END);
    return length > end && strcmp(file + length - end, FILE_END) == 0 ? length - end : length;
}

static bool add(struct daemons *daemons, const char *name, size_t length, const char *path)
{
    if (!length || length >= sizeof(daemons->of->name) || !*path ||
        strlen(path) >= sizeof(daemons->of->path))
        return false;
    struct daemon *more = reallocarray(daemons->of, daemons->n + 1, sizeof(*more));
    if (!more)
        return false;
    daemons->of = more;
    struct daemon *d = &more[daemons->n++];
    memcpy(d->name, name, length);
    d->name[length] = '\0';
    copy_text(d->path, path);
    return true;
}

bool daemons_add(struct daemons *daemons, const char *spec)
{
    const char *equals = strchr(spec, '='), *slash = strchr(spec, '/');
    if (equals && (!slash || equals < slash))
        return add(daemons, spec, (size_t)(equals - spec), equals + 1);
    const char *file = strrchr(spec, '/');
    file = file ? file + 1 : spec;
    return add(daemons, file, name_length(file), spec);
}

bool daemons_find(struct daemons *daemons, const char *directory)
{
    cleanup_free char *pattern = NULL;
    glob_t found = {0};
    bool ok = true;

    if (asprintf(&pattern, "%s/*" FILE_END, directory) < 0) {
        pattern = NULL;
        return false;
    }
    int r = glob(pattern, 0, NULL, &found);
    for (size_t i = 0; r == 0 && ok && i < found.gl_pathc; i++)
        ok = daemons_add(daemons, found.gl_pathv[i]);
    globfree(&found);
    return ok && r != GLOB_NOSPACE;
}

void daemons_fini(struct daemons *daemons)
{
    free(daemons->of);
    *daemons = (struct daemons){0};
}
