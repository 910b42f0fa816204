// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "policy.h"

#include "cleanup.h"

#include <fnmatch.h>
#include <string.h>

static bool names(const struct policy_ids *ids, const struct credentials *who)
{
    if (!ids->users.given && !ids->groups.given)
        return true;
    for (size_t i = 0; i < ids->users.n; i++)
        if (ids->users.ids[i] == who->uid || ids->users.ids[i] == who->account)
            return true;
    for (size_t i = 0; i < ids->groups.n; i++)
        for (size_t j = 0; j < who->n_gids; j++)
            if (ids->groups.ids[i] == who->gids[j])
                return true;
    return false;
}

// Finds the rule that applies. NULL with DOCA_SUCCESS: there is no policy.
static doca_error_t find_rule(const struct policy *policy, const struct credentials *who,
                              const struct policy_rule **out, struct errtext *err)
{
    *out = NULL;
    if (policy->n_rules == 0)
        return DOCA_SUCCESS;
    for (size_t i = 0; i < policy->n_rules; i++) {
        if (names(&policy->rules[i].who, who)) {
            *out = &policy->rules[i];
            return DOCA_SUCCESS;
        }
    }
    return errtext_set(
        err, DOCA_ERROR_NOT_PERMITTED,
        "docad's configuration has rules, but none applies to uid %u; add a policy section for it",
        (unsigned)who->uid);
}

doca_error_t policy_open(const struct policy *policy, const struct credentials *who,
                         const struct function *function, struct errtext *err)
{
    const struct policy_rule *rule;
    doca_error_t r = find_rule(policy, who, &rule, err);
    if (r != DOCA_SUCCESS || !rule || !rule->open_given)
        return r;
    for (size_t i = 0; i < rule->n_open; i++)
        if (fnmatch(rule->open[i], function->name, 0) == 0)
            return DOCA_SUCCESS;
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "function %s: rule \"%s\" of docad's policy does not let uid %u open it",
                       function->name, rule->name, (unsigned)who->uid);
}

doca_error_t policy_export(const struct policy *policy, const struct credentials *who,
                           uint32_t target, struct errtext *err)
{
    static const char *const targets[] = {"nothing",          "memory to a DPU",
                                          "memory for RDMA",  "sync events",
                                          "memory to a host", "sync events for RDMA"};
    const struct policy_rule *rule;
    doca_error_t r = find_rule(policy, who, &rule, err);
    if (r != DOCA_SUCCESS || !rule || !rule->targets_given || target >= ARRAY_SIZE(targets) ||
        (rule->targets & 1u << target))
        return r;
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "rule \"%s\" of docad's policy does not let uid %u export %s", rule->name,
                       (unsigned)who->uid, targets[target]);
}

doca_error_t policy_import(const struct policy *policy, const struct credentials *owner,
                           const struct credentials *importer, struct errtext *err)
{
    const struct policy_rule *rule;
    doca_error_t r = find_rule(policy, owner, &rule, err);
    if (r != DOCA_SUCCESS || !rule || names(&rule->to, importer))
        return r;
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "the export's owner is under rule \"%s\" of docad's policy, which does not "
                       "let uid %u import from it",
                       rule->name, (unsigned)importer->uid);
}
