// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The policy: what the processes of users may do, according to the configuration.
//
// Rules are tried in order; the first one that applies to a process decides. Without any rule
// everything is allowed. If there are rules, a process to which none applies may do nothing.

#ifndef DAEMON_POLICY_H
#define DAEMON_POLICY_H

#include "credentials.h"
#include "errtext.h"
#include "function.h"

#include <stdbool.h>
#include <sys/types.h>

#define POLICY_RULES_MAX 32
#define POLICY_NAMES_MAX 16 // entries in one list of a rule
#define POLICY_NAME_SIZE 64

struct policy_list {
    uint32_t ids[POLICY_NAMES_MAX];
    size_t n;
    bool given; // the configuration has the list, which may be empty
};

struct policy_ids {
    struct policy_list users, groups;
};

struct policy_rule {
    char name[POLICY_NAME_SIZE];
    struct policy_ids who; // whom the rule applies to; neither list given: all users
    char open[POLICY_NAMES_MAX][FUNCTION_NAME_SIZE];
    size_t n_open;
    bool open_given;      // false: every function
    uint32_t targets;     // 1 << enum ExportTarget: permitted exports
    bool targets_given;   // false: everything
    struct policy_ids to; // whose processes may import; neither list given: those of all users
};

struct policy {
    struct policy_rule rules[POLICY_RULES_MAX];
    size_t n_rules;
};

// Each returns DOCA_SUCCESS, or DOCA_ERROR_NOT_PERMITTED with a text that names the rule.
doca_error_t policy_open(const struct policy *policy, const struct credentials *who,
                         const struct function *function, struct errtext *err);
doca_error_t policy_export(const struct policy *policy, const struct credentials *who,
                           uint32_t target, struct errtext *err);
doca_error_t policy_import(const struct policy *policy, const struct credentials *owner,
                           const struct credentials *importer, struct errtext *err);

#endif
