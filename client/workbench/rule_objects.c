// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rule_objects.h"
#include "flights.h"
#include "graphs.h"
#include "rule_report.h"

#include <string.h>

static unsigned forks; // that this process is away from the first one

struct entry *objects_first(const struct call *call)
{
    const struct function *function = call->function;
    if (!function->count || !parameter_is_input(function->parameters))
        return NULL;
    return registry_find(call->arguments[0]);
}

static bool owner_is_gone(const struct entry *entry)
{
    return entry->owner && (!entry->owner->alive || entry->owner->life != entry->owner_life);
}

// ---- before a call

static enum rule rule_of_dead(const struct call *call, unsigned parameter,
                              const struct entry *entry)
{
    if (call->function->role != ROLE_DESTROY || parameter != call->function->object)
        return RULE_USE_AFTER_DESTROY;
    return entry->types & TYPE_TASK ? RULE_TASK_FREED_TWICE : RULE_DESTROYED_TWICE;
}

// Whether a function that takes an object of this type may be given the entry. Objects are contexts
// and tasks, too.
static bool fits(const struct entry *entry, const struct parameter *of)
{
    unsigned one = entry->types | of->types, both = entry->types & of->types;
    if (entry->type == of->type || (entry->also && strcmp(entry->also, of->type) == 0))
        return true;
    if (!(one & TYPE_BASE))
        return strcmp(entry->type, of->type) == 0;
    return one & TYPE_TASK ? both & TYPE_TASK : (one & TYPE_CONTEXT) || (both & TYPE_BASE);
}

static void check_object(const struct call *call, unsigned parameter)
{
    const struct parameter *of = &call->function->parameters[parameter];
    struct entry *entry = registry_find(call->arguments[parameter]);
    if (!entry || !entry->type || (entry->alive && entry->type == of->type))
        return;
    if (!entry->alive && call->function->role == ROLE_ALIAS && (entry->types & TYPE_TASK))
        return; // the call that gets the task shows what was meant
    bool same_kind = fits(entry, of);
    if (entry->alive && same_kind)
        return;
    struct finding finding = {.function = call->function, .object = entry};
    if (!entry->alive && same_kind)
        finding.rule = rule_of_dead(call, parameter, entry);
    else if (entry->alive && !owner_is_gone(entry))
        finding.rule = RULE_WRONG_KIND;
    else
        return;
    report(&finding);
}

void objects_before(const struct call *call)
{
    const struct function *function = call->function;
    for (unsigned i = 0; i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        if (parameter_is_input(of) && call->arguments[i] && !(of->types & TYPE_LIST))
            check_object(call, i);
    }
}

// ---- objects that a call has made

// The first argument of a kind, or 0.
static uint64_t argument_of(const struct call *call, enum type_bits types)
{
    for (unsigned i = 0; i < call->function->count; i++) {
        const struct parameter *of = &call->function->parameters[i];
        if (parameter_is_input(of) && (of->types & types))
            return call->arguments[i];
    }
    return 0;
}

// The map of a new object. A buffer may be of a pool, or a copy of another one.
static uint64_t map_of(const struct call *call, const struct entry *owner)
{
    uint64_t map = argument_of(call, TYPE_MAP);
    uint64_t buffer = map ? 0 : argument_of(call, TYPE_BUFFER);
    const struct entry *from = buffer ? registry_live(buffer, TYPE_BUFFER) : owner;
    return map || !from ? map : from->map;
}

static void note_numbers(const struct call *call, struct entry *matrix)
{
    for (unsigned i = 0; i < call->function->count; i++) {
        const char *name = call->function->parameters[i].name;
        if (strcmp(name, "data_block_count") == 0)
            matrix->numbers[0] = call->arguments[i];
        if (strcmp(name, "rdnc_block_count") == 0)
            matrix->numbers[1] = call->arguments[i];
    }
}

// The buffers of a new task.
static void note_buffers(const struct call *call, struct entry *task)
{
    for (unsigned i = 0; i < call->function->count; i++) {
        const struct parameter *of = &call->function->parameters[i];
        if (parameter_is_input(of) && of->use)
            task->buffers[of->use - 1] = registry_find(call->arguments[i]);
        if (parameter_is_input(of) && (of->types & TYPE_MATRIX))
            task->matrix = registry_find(call->arguments[i]);
    }
}

// Ends what was at the address, without a call that has been seen.
static void end_older(struct entry *entry)
{
    if (entry->flight && entry->flight->task == entry)
        flight_end(entry->flight);
    graph_forget(entry);
    if (entry_is(entry, TYPE_TASK) && entry->owner && entry->owner->tasks)
        entry->owner->tasks--;
}

static bool is_opened_again(const struct entry *entry, const char *type)
{
    return entry_is(entry, TYPE_DEVICE) && strcmp(entry->type, type) == 0;
}

static void make(const struct call *call, unsigned parameter, uint64_t address)
{
    const struct parameter *of = &call->function->parameters[parameter];
    struct entry *entry = address ? registry_get(address) : NULL;
    if (!entry)
        return;
    if (is_opened_again(entry, of->type)) {
        entry->references++;
        return;
    }
    end_older(entry);
    struct entry *next = entry->next, *owner = parameter ? objects_first(call) : NULL;
    *entry = (struct entry){
        .address = address,
        .next = next,
        .type = of->type,
        .types = of->types,
        .made_by = call->function,
        .owner = owner,
        .owner_life = owner ? owner->life : 0,
        .life = entry->life + 1,
        .forks = forks,
        .references = 1,
        .alive = true,
        .map = map_of(call, owner),
        .imported = function_has(call->function, TRAIT_IMPORTS),
        .handle = -1,
    };
    stack_take(&entry->made);
    if (of->types & TYPE_TASK) {
        note_buffers(call, entry);
        if (owner)
            owner->tasks++;
    }
    note_numbers(call, entry);
}

// The address is that of something that was not seen to be made.
static void forget(struct entry *entry)
{
    if (entry->alive && entry->type)
        end_older(entry);
    entry->type = NULL;
    entry->types = 0;
}

void objects_show(uint64_t address)
{
    struct entry *entry = address ? registry_find(address) : NULL;
    if (entry && !entry->alive)
        forget(entry);
}

// What docad has returned as a context or a task is not the buffer that was given back unseen, in
// its list.
static void show(uint64_t address, const struct parameter *of)
{
    struct entry *entry = address ? registry_find(address) : NULL;
    if (entry && entry->type && (of->types & TYPE_BASE) && !fits(entry, of))
        forget(entry);
    objects_show(address);
}

static uint64_t written(const struct call *call, unsigned parameter)
{
    uint64_t value = 0;
    // The function has succeeded: it has written there.
    if (call->arguments[parameter])
        memcpy(&value, (void *)(uintptr_t)call->arguments[parameter],
               sizeof(value)); // NOLINT(performance-no-int-to-ptr)
    return value;
}

static void note_outputs(const struct call *call)
{
    const struct function *function = call->function;
    for (unsigned i = 0; i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        if (!of->out || of->kind != VALUE_OBJECT || (of->types & TYPE_LIST))
            continue;
        if (function->makes)
            make(call, i, written(call, i));
        else
            show(written(call, i), of);
    }
}

static void note_result(const struct call *call)
{
    const struct function *function = call->function;
    struct entry *object = objects_first(call);
    if (function->role == ROLE_ALIAS) {
        struct entry *base = call->result && object ? registry_get(call->result) : NULL;
        if (base && base != object) {
            show(call->result, &function->result);
            base->same = object;
        }
        if (base)
            object->base = call->result;
    } else if (function->result.kind == VALUE_OBJECT) {
        if (object && object->address == call->result)
            object->also = function->result.type;
        else
            show(call->result, &function->result);
    }
}

// ---- objects that it has changed

// A buffer in a list is given back with the first one of the list.
static void end_list(struct entry *first, const struct function *function)
{
    for (struct entry *each = first, *next; each; each = next) {
        next = each->behind;
        each->before = each->behind = each->tail = NULL;
        each->alive = false;
        each->destroyed_by = function;
    }
}

// The object that the function is about has a reference more or less, or has ended.
static void note_references(const struct call *call)
{
    const struct function *function = call->function;
    bool ends = function->role == ROLE_DESTROY || function->role == ROLE_RELEASE;
    if (!function->count || (!ends && function->role != ROLE_HOLD))
        return;
    const struct parameter *of = &function->parameters[function->object];
    struct entry *entry =
        parameter_is_input(of) ? registry_find(call->arguments[function->object]) : NULL;
    if (!entry || (entry->type && !fits(entry, of)))
        return; // of another kind: it is not certain what the function has done
    if (!ends) {
        entry->references++;
        return;
    }
    if (entry->references > 1) {
        entry->references--;
        return;
    }
    end_older(entry);
    end_list(entry, function);
}

// doca_X_task_set_src() and the like, of a task that is not in flight.
static void note_set(const struct call *call, struct entry *task)
{
    const struct function *function = call->function;
    if (function->role == ROLE_CHANGE && task && (task->types & TYPE_TASK) && !task->in_flight)
        note_buffers(call, task);
}

static void chain(struct entry *list, struct entry *other)
{
    struct entry *last = list->tail ? list->tail : list;
    last->behind = other;
    other->before = last;
    list->tail = other->tail ? other->tail : other;
    other->tail = NULL;
}

static void unchain(struct entry *list, struct entry *other)
{
    if (!other->before)
        return;
    other->tail = list->tail == other ? NULL : list->tail;
    list->tail = other->before == list ? NULL : other->before;
    other->before->behind = NULL;
    other->before = NULL;
}

// The two lists are the first and the last argument.
static void note_chain(const struct call *call)
{
    const struct function *function = call->function;
    if (!function_has(function, TRAIT_CHAINS) || function->count < 2)
        return;
    struct entry *list = registry_live(call->arguments[0], TYPE_BUFFER);
    struct entry *other = registry_live(call->arguments[function->count - 1], TYPE_BUFFER);
    if (!list || !other || list == other)
        return;
    if (function_has(function, TRAIT_UNCHAINS))
        unchain(list, other);
    else
        chain(list, other);
}

static void note_engine(const struct call *call, struct entry *engine)
{
    struct entry *context =
        function_has(call->function, TRAIT_CONNECTS) ? registry_find(call->arguments[1]) : NULL;
    if (context)
        context->engine = engine;
}

void objects_after(const struct call *call)
{
    struct entry *first = objects_first(call);
    note_set(call, first);
    note_references(call);
    note_outputs(call);
    note_result(call);
    note_chain(call);
    note_engine(call, first);
    if (first && function_has(call->function, TRAIT_OF_GRAPH))
        graphs_after(call, first);
}

// ---- the end

static bool must_be_destroyed(const char *type)
{
    static const char *const others[] = {"argp_param",       "argp_cmd",   "log_backend",
                                         "logger_backend",   "logger",     "rdma_connection",
                                         "comch_connection", "graph_node", "comm_channel_addr_t"};
    for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(others[i], type) == 0)
            return false;
    return true;
}

static void check_left(struct entry *entry)
{
    if (!entry->type || !entry->alive || entry->forks != forks || !must_be_destroyed(entry->type) ||
        entry->before || (owner_is_gone(entry) && (entry->types & TYPE_TASK)))
        return;
    report_left(entry);
}

void objects_end(void)
{
    registry_each(check_left);
}

// Objects that the parent has made are the parent's.
void objects_in_child(void)
{
    forks++;
}
