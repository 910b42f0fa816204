// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "audience.h"

#include "number.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>

#define NAME_SIZE   64
#define RECORD_SIZE 16384 // a group has all its members

static bool find_user(const char *name, uint32_t *uid)
{
    char buffer[RECORD_SIZE];
    struct passwd record, *found = NULL;
    if (getpwnam_r(name, &record, buffer, sizeof(buffer), &found) != 0 || !found)
        return false;
    *uid = found->pw_uid;
    return true;
}

static bool find_group(const char *name, uint32_t *gid)
{
    char buffer[RECORD_SIZE];
    struct group record, *found = NULL;
    if (getgrnam_r(name, &record, buffer, sizeof(buffer), &found) != 0 || !found)
        return false;
    *gid = found->gr_gid;
    return true;
}

static bool parse_id(const char *text, uint32_t *id)
{
    uint64_t value;
    if (!number_read(text, 10, UINT32_MAX - 1, &value))
        return false;
    *id = (uint32_t)value;
    return true;
}

bool audience_find_user(const char *name, uint32_t *uid)
{
    return parse_id(name, uid) || find_user(name, uid);
}

static doca_error_t add(struct audience *audience, const char *name, struct errtext *err)
{
    bool group = name[0] == ':';
    size_t *n = group ? &audience->n_gids : &audience->n_uids;
    uint32_t *ids = group ? audience->gids : audience->uids;

    name += group;
    if (*n == AUDIENCE_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "more than %d %s are named", AUDIENCE_MAX,
                           group ? "groups" : "users");
    if (!(group ? parse_id(name, &ids[*n]) || find_group(name, &ids[*n])
                : audience_find_user(name, &ids[*n])))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "there is no %s \"%s\"; write all, or users and :groups as in "
                           "alice,1000,:video",
                           group ? "group" : "user", name);
    ++*n;
    return DOCA_SUCCESS;
}

doca_error_t audience_parse(const char *text, struct audience *out, struct errtext *err)
{
    struct audience read = {.all = text && strcmp(text, "all") == 0};
    char name[NAME_SIZE];

    while (text && !read.all) {
        size_t length = strcspn(text, ",");
        if (length >= sizeof(name))
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "a name of a user or group has more than %zu bytes",
                               sizeof(name) - 1);
        memcpy(name, text, length);
        name[length] = '\0';
        doca_error_t r = add(&read, name, err);
        if (r != DOCA_SUCCESS)
            return r;
        text = text[length] ? text + length + 1 : NULL;
    }
    *out = read;
    return DOCA_SUCCESS;
}

doca_error_t audience_of_message(const Docad__Audience *message, struct audience *out,
                                 struct errtext *err)
{
    struct audience read = {0};
    if (message) {
        if (message->n_uids > AUDIENCE_MAX || message->n_gids > AUDIENCE_MAX)
            return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                               "a name is offered to at most %d users and %d groups", AUDIENCE_MAX,
                               AUDIENCE_MAX);
        read.all = message->all;
        read.n_uids = message->n_uids;
        read.n_gids = message->n_gids;
        for (size_t i = 0; i < read.n_uids; i++)
            read.uids[i] = message->uids[i];
        for (size_t i = 0; i < read.n_gids; i++)
            read.gids[i] = message->gids[i];
    }
    *out = read;
    return DOCA_SUCCESS;
}

Docad__Audience audience_message(const struct audience *audience)
{
    Docad__Audience message = DOCAD__AUDIENCE__INIT;
    message.all = audience->all;
    message.n_uids = audience->n_uids;
    message.uids = (uint32_t *)audience->uids;
    message.n_gids = audience->n_gids;
    message.gids = (uint32_t *)audience->gids;
    return message;
}
