// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The lists of a policy rule. Names of users and groups are looked up once, here.

#include "cleanup.h"
#include "config_values.h"

#include <ctype.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>

static bool is_number(const char *text)
{
    return isdigit((unsigned char)text[0]) && text[strspn(text, "0123456789")] == '\0' &&
           strlen(text) < 10;
}

static bool add_user(struct policy_ids *ids, const char *text, char why[CONFIG_WHY_SIZE])
{
    const struct passwd *user = is_number(text) ? NULL : getpwnam(text);
    if (ids->n_uids == POLICY_NAMES_MAX)
        return config_no(why, "more than %d (make another rule for the rest)", POLICY_NAMES_MAX);
    if (!is_number(text) && !user)
        return config_no(why, "no such user (write a name or a number)");
    ids->uids[ids->n_uids++] = user ? user->pw_uid : (uid_t)strtoul(text, NULL, 10);
    return true;
}

static bool add_group(struct policy_ids *ids, const char *text, char why[CONFIG_WHY_SIZE])
{
    const struct group *group = is_number(text) ? NULL : getgrnam(text);
    if (ids->n_gids == POLICY_NAMES_MAX)
        return config_no(why, "more than %d (make another rule for the rest)", POLICY_NAMES_MAX);
    if (!is_number(text) && !group)
        return config_no(why, "no such group (write a name or a number)");
    ids->gids[ids->n_gids++] = group ? group->gr_gid : (gid_t)strtoul(text, NULL, 10);
    return true;
}

static bool add_function(struct policy_rule *rule, const char *text, char why[CONFIG_WHY_SIZE])
{
    if (rule->n_open == POLICY_NAMES_MAX)
        return config_no(why, "more than %d (use patterns: pf0vf*)", POLICY_NAMES_MAX);
    if (text[0] == '\0' || strlen(text) >= FUNCTION_NAME_SIZE)
        return config_no(why, "no name of a function (write for instance pf0, or pf0vf*)");
    strcpy(rule->open[rule->n_open++], text);
    return true;
}

static bool add_target(struct policy_rule *rule, const char *text, char why[CONFIG_WHY_SIZE])
{
    static const struct {
        const char *word;
        Docad__ExportTarget target;
    } words[] = {{"dpu", DOCAD__EXPORT_TARGET__TARGET_DPU},
                 {"rdma", DOCAD__EXPORT_TARGET__TARGET_RDMA},
                 {"sync_event", DOCAD__EXPORT_TARGET__TARGET_SYNC_EVENT}};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        if (strcmp(text, words[i].word) == 0) {
            rule->targets |= 1u << words[i].target;
            return true;
        }
    }
    return config_no(why, "nothing that is exported (write dpu, rdma or sync_event)");
}

void config_give_policy(struct policy_rule *rule, const char *option)
{
    if (strcmp(option, "users") == 0 || strcmp(option, "groups") == 0)
        rule->who.given = true;
    else if (strcmp(option, "open") == 0)
        rule->open_given = true;
    else if (strcmp(option, "export") == 0)
        rule->targets_given = true;
    else
        rule->to.given = true;
}

bool config_add_policy(struct policy_rule *rule, const char *option, const char *text,
                       char why[CONFIG_WHY_SIZE])
{
    if (strcmp(option, "users") == 0)
        return add_user(&rule->who, text, why);
    if (strcmp(option, "groups") == 0)
        return add_group(&rule->who, text, why);
    if (strcmp(option, "open") == 0)
        return add_function(rule, text, why);
    if (strcmp(option, "export") == 0)
        return add_target(rule, text, why);
    if (strcmp(option, "to_users") == 0)
        return add_user(&rule->to, text, why);
    return add_group(&rule->to, text, why);
}
