// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "owned_name.h"

#include "audience.h"
#include "number.h"

#include <stdio.h>
#include <string.h>

#define USER_SIZE 64

// Copies the text before the "/". Returns false if it is empty or too long.
static bool copy_owner(const char *text, size_t length, char out[USER_SIZE])
{
    if (length == 0 || length >= USER_SIZE)
        return false;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

bool owned_name_split(const char *text, struct owned_name *out)
{
    const char *slash = strchr(text, '/');
    char owner[USER_SIZE];
    uint64_t uid;

    if (!slash) {
        *out = (struct owned_name){.name = text};
        return true;
    }
    if (!copy_owner(text, (size_t)(slash - text), owner) ||
        !number_read(owner, 10, UINT32_MAX - 1, &uid))
        return false;
    *out = (struct owned_name){.has_owner = true, .uid = (uint32_t)uid, .name = slash + 1};
    return true;
}

doca_error_t owned_name_resolve(const char *text, char out[OWNED_NAME_SIZE], struct errtext *err)
{
    const char *slash = strchr(text, '/');
    const char *name = slash ? slash + 1 : text;
    size_t length = strnlen(name, OWNED_NAME_MAX + 1);
    char owner[USER_SIZE];
    uint32_t uid;

    if (length == 0 || length > OWNED_NAME_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "a name has 1 to %d bytes",
                           OWNED_NAME_MAX);
    if (!slash) {
        memcpy(out, text, length + 1);
        return DOCA_SUCCESS;
    }
    if (!copy_owner(text, (size_t)(slash - text), owner) || !audience_find_user(owner, &uid))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "name %s: there is no user \"%.*s\"; write USER/NAME or UID/NAME for "
                           "another user's name, and NAME for your own",
                           text, (int)(slash - text), text);
    snprintf(out, OWNED_NAME_SIZE, "%u/%s", (unsigned)uid, name);
    return DOCA_SUCCESS;
}

void owned_name_write(char *out, size_t size, const char *name, uint32_t owner, uint32_t user)
{
    if (owner == user)
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "%u/%s", (unsigned)owner, name);
}

bool owned_name_is_portable(const char *name)
{
    static const char bytes[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@+-";
    return name[strspn(name, bytes)] == '\0';
}
