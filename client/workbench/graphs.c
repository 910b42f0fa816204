// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "graphs.h"

#include <stdlib.h>

// The task of a node, in an instance.
struct node_task {
    struct node_task *next;
    uint64_t node; // address
    struct entry *task;
    uint64_t life; // of the task
};

static void set_task(struct entry *instance, uint64_t node, struct entry *task)
{
    struct node_task *each = instance->node_tasks;
    while (each && each->node != node)
        each = each->next;
    if (!each) {
        each = malloc(sizeof(*each));
        if (!each)
            return;
        *each = (struct node_task){.next = instance->node_tasks, .node = node};
        instance->node_tasks = each;
    }
    each->task = task;
    each->life = task->life;
}

void graphs_after(const struct call *call, struct entry *first)
{
    if (function_has(call->function, TRAIT_ADDS_OTHER_NODE))
        first->has_other_nodes = true;
    if (!function_has(call->function, TRAIT_SETS_NODE) || first->in_flight)
        return;
    struct entry *task = registry_find(call->arguments[2]);
    if (entry_is(task, TYPE_TASK))
        set_task(first, call->arguments[1], task);
}

void graph_tasks_each(const struct entry *instance, void (*what)(struct entry *task, void *of),
                      void *of)
{
    if (!instance->owner || instance->owner->has_other_nodes)
        return;
    for (const struct node_task *each = instance->node_tasks; each; each = each->next)
        if (each->task->life == each->life)
            what(each->task, of);
}

void graph_forget(struct entry *instance)
{
    for (struct node_task *next, *each = instance->node_tasks; each; each = next) {
        next = each->next;
        free(each);
    }
    instance->node_tasks = NULL;
}
