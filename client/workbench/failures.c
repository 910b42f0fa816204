// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "failures.h"
#include "rule_report.h"
#include "values.h"

#include <stdio.h>
#include <string.h>

#define NOT_MADE_MAX 16 // latest failures that are remembered
#define AGAIN        5  // DOCA_ERROR_AGAIN
#define IN_PROGRESS  26 // DOCA_ERROR_IN_PROGRESS

// An object that a call of this thread should have made.
static struct not_made {
    const char *type;
    uint64_t value; // what the program's variable has instead
    pthread_t thread;
    const struct function *by;
    uint64_t error;
    struct stack at;
} not_made[NOT_MADE_MAX];
static unsigned next_not_made;

// Functions that programs also call while they clean up, and queries.
static bool is_harmless(const struct function *function)
{
    return function->role == ROLE_DESTROY || function->role == ROLE_RELEASE ||
           (!function->makes && function_has(function, TRAIT_CLEANS));
}

static bool is_object(const struct parameter *of)
{
    return parameter_is_input(of) && !(of->types & TYPE_LIST);
}

static struct not_made *find_not_made(const char *type, uint64_t value)
{
    for (unsigned i = 0; i < NOT_MADE_MAX; i++)
        if (not_made[i].type && not_made[i].value == value && strcmp(not_made[i].type, type) == 0 &&
            pthread_equal(not_made[i].thread, pthread_self()))
            return &not_made[i];
    return NULL;
}

static void remove_type(const char *type)
{
    for (unsigned i = 0; i < NOT_MADE_MAX; i++)
        if (not_made[i].type && strcmp(not_made[i].type, type) == 0)
            not_made[i].type = NULL;
}

static void found(const struct call *call, const struct function *by, uint64_t error,
                  const struct stack *at, const struct entry *object)
{
    char detail[192];
    snprintf(detail, sizeof(detail), "%s() had returned %s", by->name, value_error_name(error));
    struct finding finding = {
        .rule = RULE_FAILURE_IGNORED,
        .function = call->function,
        .object = object,
        .since = at,
        .began = "that call was at",
        .detail = detail,
    };
    report(&finding);
}

void failures_before(const struct call *call)
{
    const struct function *function = call->function;
    if (!function->count)
        return;
    const struct parameter *of = &function->parameters[function->object];
    if (!is_object(of) || is_harmless(function) || function->role == ROLE_ALIAS)
        return;
    struct not_made *failure = find_not_made(of->type, call->arguments[function->object]);
    if (!failure)
        return;
    struct not_made copy = *failure;
    failure->type = NULL; // it is reported once
    found(call, copy.by, copy.error, &copy.at, NULL);
}

// ---- after a call

static uint64_t variable_at(uint64_t address)
{
    uint64_t value;
    memcpy(&value, (void *)(uintptr_t)address, sizeof(value)); // NOLINT(performance-no-int-to-ptr)
    return value;
}

static bool is_live(uint64_t value)
{
    const struct entry *entry = value ? registry_find(value) : NULL;
    return entry && entry->alive;
}

static struct not_made *add(const char *type, uint64_t value)
{
    struct not_made *place = &not_made[next_not_made++ % NOT_MADE_MAX];
    *place = (struct not_made){.type = type, .value = value, .thread = pthread_self()};
    return place;
}

static void note_makers(const struct call *call)
{
    const struct function *function = call->function;
    for (unsigned i = 0; function->makes && i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        if (!of->out || of->kind != VALUE_OBJECT || (of->types & TYPE_LIST) || !call->arguments[i])
            continue;
        if (call->result == 0) {
            remove_type(of->type);
            continue;
        }
        uint64_t value = variable_at(call->arguments[i]);
        if (is_live(value)) // of an older object: it is not certain what the program means
            continue;
        struct not_made *place = add(of->type, value);
        place->by = function;
        place->error = call->result;
        stack_take(&place->at);
    }
}

// doca_X_as_ctx() of an object that was not made.
static void note_alias(const struct call *call)
{
    const struct function *function = call->function;
    if (function->role != ROLE_ALIAS || !function->result.type)
        return;
    const struct not_made *failure =
        find_not_made(function->parameters[0].type, call->arguments[0]);
    if (!failure || is_live(call->result))
        return;
    struct not_made copy = *failure;
    copy.type = function->result.type;
    copy.value = call->result;
    *add(copy.type, copy.value) = copy;
}

static void note_start(const struct call *call, bool failed)
{
    const struct parameter *of = &call->function->parameters[call->function->object];
    struct entry *entry = function_has(call->function, TRAIT_STARTS) && is_object(of)
                              ? registry_find(call->arguments[call->function->object])
                              : NULL;
    if (!entry || !entry->alive)
        return;
    entry->failed_in = failed ? call->function : NULL;
    entry->error = call->result;
    if (failed)
        stack_take(&entry->failed_at);
}

static void check_started(const struct call *call)
{
    for (unsigned i = 0; i < call->function->count; i++) {
        if (!is_object(&call->function->parameters[i]) || !call->arguments[i])
            continue;
        struct entry *entry = registry_find(call->arguments[i]);
        if (!entry || !entry->alive || !entry->failed_in)
            continue;
        const struct function *by = entry->failed_in;
        entry->failed_in = NULL; // it is reported once
        found(call, by, entry->error, &entry->failed_at, entry);
        return;
    }
}

void failures_after(const struct call *call)
{
    const struct function *function = call->function;
    bool failed = function->result.kind == VALUE_ERROR && call->result != 0 &&
                  call->result != AGAIN && call->result != IN_PROGRESS;
    if (!function->count)
        return;
    if (function->result.kind == VALUE_ERROR) {
        if (failed && !is_harmless(function) && !function_has(function, TRAIT_REPAIRS))
            check_started(call);
        if (failed || call->result == 0) {
            note_makers(call);
            note_start(call, failed);
        }
    }
    note_alias(call);
}
