// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "policy.h"

#include "cleanup.h"

#include <fnmatch.h>
#include <string.h>

static bool has_id(const struct policy_list *list, uint32_t id)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->ids[i] == id)
            return true;
    return false;
}

static bool is_everybody(const struct policy_ids *ids)
{
    return !ids->users.given && !ids->groups.given;
}

// Returns whether the process's own uid or groups are in the lists, as the kernel reports them.
static bool names(const struct policy_ids *ids, const struct credentials *who)
{
    if (is_everybody(ids) || has_id(&ids->users, who->uid))
        return true;
    for (size_t i = 0; i < ids->groups.n; i++)
        if (credentials_has_group(who, ids->groups.ids[i]))
            return true;
    return false;
}

// Returns whether they contain the process, or its user, or a group that the user has and the
// process may have dropped.
static bool names_user(const struct policy_ids *ids, const struct credentials *who)
{
    if (is_everybody(ids) || has_id(&ids->users, who->uid) || has_id(&ids->users, who->account))
        return true;
    for (size_t i = 0; i < ids->groups.n; i++)
        if (credentials_may_have_group(who, ids->groups.ids[i]))
            return true;
    return false;
}

// A process needs permission by the rule for the process itself and by the rule for its user: so
// neither a subordinate uid nor a dropped group evades a rule, and neither gives a process the
// rights of its user.
struct rules {
    const struct policy_rule *rule[2]; // NULL, without a policy
};

static const struct policy_rule *
first_rule(const struct policy *policy, const struct credentials *who,
           bool (*applies)(const struct policy_ids *ids, const struct credentials *who))
{
    for (size_t i = 0; i < policy->n_rules; i++)
        if (applies(&policy->rules[i].who, who))
            return &policy->rules[i];
    return NULL;
}

static doca_error_t find_rules(const struct policy *policy, const struct credentials *who,
                               struct rules *out, struct errtext *err)
{
    *out = (struct rules){{NULL, NULL}};
    if (policy->n_rules == 0)
        return DOCA_SUCCESS;
    struct rules found = {{first_rule(policy, who, names), first_rule(policy, who, names_user)}};
    if (found.rule[0] && found.rule[1]) {
        *out = found;
        return DOCA_SUCCESS;
    }
    return errtext_set(
        err, DOCA_ERROR_NOT_PERMITTED,
        "docad's configuration has rules, but none applies to uid %u; add a policy section for it",
        (unsigned)(found.rule[0] ? who->account : who->uid));
}

static bool may_open(const struct policy_rule *rule, const struct function *function)
{
    if (!rule || !rule->open_given)
        return true;
    for (size_t i = 0; i < rule->n_open; i++)
        if (fnmatch(rule->open[i], function->name, 0) == 0)
            return true;
    return false;
}

doca_error_t policy_open(const struct policy *policy, const struct credentials *who,
                         const struct function *function, struct errtext *err)
{
    struct rules rules;
    doca_error_t r = find_rules(policy, who, &rules, err);
    for (size_t i = 0; r == DOCA_SUCCESS && i < ARRAY_SIZE(rules.rule); i++)
        if (!may_open(rules.rule[i], function))
            r = errtext_set(
                err, DOCA_ERROR_NOT_PERMITTED,
                "function %s: rule \"%s\" of docad's policy does not let uid %u open it; add it to "
                "open in that rule, or choose another (docactl policy test)",
                function->name, rules.rule[i]->name, (unsigned)who->uid);
    return r;
}

doca_error_t policy_export(const struct policy *policy, const struct credentials *who,
                           uint32_t target, struct errtext *err)
{
    static const char *const targets[] = {"nothing",          "memory to a DPU",
                                          "memory for RDMA",  "sync events",
                                          "memory to a host", "sync events for RDMA"};
    static const char *const words[ARRAY_SIZE(targets)] = {"it",         "dpu",  "rdma",
                                                           "sync_event", "host", "net_event"};
    struct rules rules;
    doca_error_t r = find_rules(policy, who, &rules, err);
    for (size_t i = 0; r == DOCA_SUCCESS && i < ARRAY_SIZE(rules.rule); i++) {
        const struct policy_rule *rule = rules.rule[i];
        if (rule && rule->targets_given && target < ARRAY_SIZE(targets) &&
            !(rule->targets & 1u << target))
            r = errtext_set(
                err, DOCA_ERROR_NOT_PERMITTED,
                "rule \"%s\" of docad's policy does not let uid %u export %s; add %s to "
                "export in that rule",
                rule->name, (unsigned)who->uid, targets[target], words[target]);
    }
    return r;
}

doca_error_t policy_import(const struct policy *policy, const struct credentials *owner,
                           const struct credentials *importer, struct errtext *err)
{
    struct rules rules;
    doca_error_t r = find_rules(policy, owner, &rules, err);
    for (size_t i = 0; r == DOCA_SUCCESS && i < ARRAY_SIZE(rules.rule); i++) {
        const struct policy_rule *rule = rules.rule[i];
        if (rule && !names(&rule->to, importer))
            r = errtext_set(
                err, DOCA_ERROR_NOT_PERMITTED,
                "the exporter's docad has rule \"%s\", which does not let uid %u import "
                "from its user; add the uid to to_users in that rule, on the "
                "exporter's node",
                rule->name, (unsigned)importer->uid);
    }
    return r;
}
