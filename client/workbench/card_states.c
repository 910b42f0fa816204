// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "card_states.h"
#include "rule_report.h"

#include <stdio.h>
#include <string.h>

#define FLUSH            1         // DOCA_TASK_SUBMIT_FLAG_FLUSH
#define OPTIMIZE_REPORTS 2         // DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS
#define RELAXED          64        // DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING
#define PCI_RIGHTS       (16 | 32) // DOCA_ACCESS_FLAG_PCI_READ_ONLY, _READ_WRITE

static void found(const struct call *call, const struct entry *object, enum rule rule,
                  const char *detail)
{
    struct finding finding = {
        .rule = rule, .function = call->function, .object = object, .detail = detail};
    report(&finding);
}

// The last task that the program has submitted has come back here, which it would not on a card.
static void check_stop(const struct call *call, struct entry *context)
{
    const struct entry *last = context->last_task;
    if (!last || last->life != context->last_life || last->in_flight)
        return;
    if (!(context->last_flags & FLUSH))
        found(call, context, RULE_NEVER_FLUSHED, NULL);
    else if (context->last_flags & OPTIMIZE_REPORTS)
        found(call, context, RULE_REPORT_HELD_BACK, NULL);
    context->last_task = NULL;
}

static void check_rights(const struct call *call, struct entry *map)
{
    const struct function *function = call->function;
    if (function_has(function, TRAIT_SETS_RIGHTS) && (call->arguments[1] & RELAXED) &&
        (call->arguments[1] & PCI_RIGHTS))
        found(call, map, RULE_RELAXED_EXPORT, NULL);
    if (strcmp(function->name, "doca_mmap_export_pci") == 0 && (map->permissions & RELAXED) &&
        !(map->permissions & PCI_RIGHTS))
        found(call, map, RULE_RELAXED_EXPORT, NULL);
}

void card_states_before(const struct call *call, struct entry *object)
{
    if (!object->alive || !object->type)
        return;
    if (call->function->role == ROLE_STATE) // callbacks may run in the call
        object->stopped = function_has(call->function, TRAIT_STOPS);
    if (object->stopped && call->function->role == ROLE_STATE)
        check_stop(call, object);
    if (object->types & TYPE_MAP)
        check_rights(call, object);
}

static void note_submission(const struct call *call, struct entry *task)
{
    struct entry *context = task->owner;
    if (!context)
        return;
    context->last_task = task;
    context->last_life = task->life;
    context->last_flags = function_has(call->function, TRAIT_TAKES_FLAGS)
                              ? (uint32_t)call->arguments[1]
                              : (uint32_t)FLUSH;
}

static void note_export(const struct function *function, struct entry *map)
{
    map->exported = true;
    if (strcmp(function->name, "doca_mmap_export") == 0) // up to 1.5 there are no rights
        map->permissions = PCI_RIGHTS;
}

void card_states_after(const struct call *call, struct entry *object)
{
    const struct function *function = call->function;
    char detail[64];
    if (!object->type)
        return;
    if (function->role == ROLE_SUBMIT && (object->types & TYPE_TASK))
        note_submission(call, object);
    if (function_has(function, TRAIT_FLUSHES))
        object->last_flags |= FLUSH;
    if (function_has(function, TRAIT_SETS_RIGHTS))
        object->permissions = (uint32_t)call->arguments[1];
    if (function_has(function, TRAIT_EXPORTS))
        note_export(function, object);
    if (function_has(function, TRAIT_MAKES_SAFE))
        object->thread_safe = true;
    if (function->role == ROLE_DESTROY && object->tasks) {
        snprintf(detail, sizeof(detail), "%u tasks are not freed", object->tasks);
        found(call, object, RULE_DESTROYED_WITH_TASKS, detail);
    }
}
