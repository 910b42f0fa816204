// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What docad's policy lets a user do on a device.

#include "themes.h"

#include "cleanup.h"
#include "fields.h"
#include "listing.h"
#include "number.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS_MAX 512 // that docad takes

// A user's number and groups, by name or by number. A number need not be in the system's database;
// then it has no groups.
struct user {
    uint32_t uid;
    gid_t gids[GROUPS_MAX];
    int n_gids;
};

static enum outcome find_user(struct ctl *ctl, const char *text, struct user *user)
{
    uint64_t number;
    bool is_number = number_read(text, 10, UINT32_MAX - 1, &number);
    // One thread: the record stays until the next call.
    const struct passwd *record = is_number ? getpwuid((uid_t)number) : getpwnam(text);

    if (!record && !is_number)
        return ctl_fail(ctl, OUTCOME_USAGE, DOCA_ERROR_INVALID_VALUE,
                        "there is no user '%s' on this machine; a number does, too", text);
    user->uid = record ? record->pw_uid : (uint32_t)number;
    user->n_gids = record ? GROUPS_MAX : 0;
    if (record && getgrouplist(record->pw_name, record->pw_gid, user->gids, &user->n_gids) < 0)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_INVALID_VALUE,
                        "user %s is in more than %d groups, the most that docad tests",
                        record->pw_name, GROUPS_MAX);
    return OUTCOME_DONE;
}

// The id of a device, by the name that docactl shows.
static enum outcome find_device(struct ctl *ctl, const char *wanted, uint32_t *id)
{
    struct json_object *devices = json_object_new_array();
    enum outcome outcome = fetch_devices(ctl, devices);

    *id = 0;
    for (size_t i = 0; outcome == OUTCOME_DONE && i < json_object_array_length(devices); i++) {
        struct json_object *object = json_object_array_get_idx(devices, i);
        const char *name = json_object_get_string(json_object_object_get(object, "name"));
        if (name && strcmp(name, wanted) == 0)
            *id = (uint32_t)json_object_get_int64(json_object_object_get(object, "id"));
    }
    json_object_put(devices);
    if (outcome == OUTCOME_DONE && !*id)
        return ctl_fail(ctl, OUTCOME_REFUSED, DOCA_ERROR_NOT_FOUND,
                        "node %s has no device '%s'; see 'docactl devices'", ctl->node_name,
                        wanted);
    return outcome;
}

enum outcome run_policy_test(struct ctl *ctl)
{
    Docad__PolicyTest test = DOCAD__POLICY_TEST__INIT;
    cleanup_message Docad__Message *reply = NULL;
    struct user user;

    enum outcome outcome = find_user(ctl, ctl->args.positional[0], &user);
    if (outcome == OUTCOME_DONE)
        outcome = find_device(ctl, ctl->args.positional[1], &test.function_id);
    if (outcome != OUTCOME_DONE)
        return outcome;
    test.uid = user.uid;
    test.gids = user.gids;
    test.n_gids = (size_t)user.n_gids;
    outcome = ctl_call(ctl, message_of(POLICY_TEST, policy_test, &test), 0,
                       DOCAD__MESSAGE__BODY_POLICY_TEST_REPLY, &reply);
    if (outcome != OUTCOME_DONE)
        return outcome;
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < reply->policy_test_reply->n_verdicts; i++)
        json_object_array_add(
            array, message_to_json(&reply->policy_test_reply->verdicts[i]->base, verdict_fields));
    return show_array(ctl, array, verdict_fields);
}
