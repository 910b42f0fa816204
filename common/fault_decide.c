// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "fault_decide.h"

#include <string.h>

_Static_assert(FAULT_RULES_MAX <= 64, "rules are bits of a mask");

uint64_t fault_rules_of(const struct fault_spec *spec, enum fault_kind kind, const char *name)
{
    uint64_t rules = 0;
    for (size_t i = 0; i < spec->count; i++) {
        const struct fault_rule *rule = &spec->rules[i];
        size_t length = strlen(rule->target);
        if (rule->kind == kind && strncmp(name, rule->target, length) == 0 &&
            (rule->any || !name[length]))
            rules |= UINT64_C(1) << i;
    }
    return rules;
}

// splitmix64: neighbouring numbers become unrelated values.
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

// Returns whether the rule is for the call of this number, from 1.
static bool is_for(const struct fault_rule *rule, uint64_t call)
{
    if (call <= rule->after)
        return false;
    uint64_t number = call - rule->after;
    if (rule->nth && number != rule->nth)
        return false;
    if (rule->every && number % rule->every != 0)
        return false;
    return mixed(mixed(rule->seed) + call) % FAULT_CHANCE_FULL < rule->chance;
}

static bool applies(const struct fault_rule *rule, uint64_t call, _Atomic uint64_t *injected)
{
    if (!is_for(rule, call))
        return false;
    uint64_t before = atomic_fetch_add_explicit(injected, 1, memory_order_relaxed);
    if (!rule->times || before < rule->times)
        return true;
    atomic_fetch_sub_explicit(injected, 1, memory_order_relaxed);
    return false;
}

bool fault_decide(const struct fault_spec *spec, uint64_t rules, struct fault_counts *counts,
                  struct fault *fault)
{
    bool some = false;
    *fault = (struct fault){0};
    for (unsigned i = 0; i < spec->count; i++) {
        const struct fault_rule *rule = &spec->rules[i];
        if (!(rules >> i & 1))
            continue;
        uint64_t call = 1 + atomic_fetch_add_explicit(&counts->matched[i], 1, memory_order_relaxed);
        bool only_fails = !rule->delay_ns && !rule->signal;
        if ((fault->error && only_fails) || !applies(rule, call, &counts->injected[i]))
            continue;
        some = true;
        fault->delay_ns += rule->delay_ns;
        fault->signal = rule->signal ? rule->signal : fault->signal;
        if (fault->error)
            continue; // the first error decides
        fault->error = rule->error;
        fault->fatal = rule->fatal;
        fault->rule = i;
        fault->call = call;
    }
    return some;
}
