// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rule_check.h"
#include "overlap.h"
#include "registry.h"
#include "rules.h"
#include "waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SITES_MAX 256

#define ENUM(name, id, what, remedy) RULE_##name,
enum rule { RULES(ENUM) };
#undef ENUM

static const struct {
    const char *id, *what;
} rules[] = {
#define ROW(name, id, what, remedy) {id, what},
    RULES(ROW)
#undef ROW
};

static bool fatal, wanted;
static unsigned long violations;
static unsigned forks; // that this process is away from the first one
// Where each violation was: one is printed once for each place.
static struct site {
    enum rule rule;
    void *place;
} sites[SITES_MAX];
static unsigned site_count;

// ---- violations

static bool is_new(enum rule rule, const struct stack *stack)
{
    void *place = stack->count ? stack->frames[0] : NULL;
    for (unsigned i = 0; i < site_count; i++)
        if (sites[i].rule == rule && sites[i].place == place)
            return false;
    if (site_count < SITES_MAX)
        sites[site_count++] = (struct site){rule, place};
    return true;
}

static void write_object(const struct entry *entry)
{
    if (!entry->made_by)
        return;
    check_print("    the %s was made by %s() at\n", entry->type, entry->made_by->name);
    stack_write(&entry->made);
    if (!entry->alive && entry->destroyed_by)
        check_print("    and destroyed by %s()\n", entry->destroyed_by->name);
}

static void violation(enum rule rule, const struct function *function, const struct entry *entry)
{
    struct stack stack;
    stack_take(&stack);
    violations++;
    if (!is_new(rule, &stack))
        return;
    check_print("docad-run: %s: %s\n    in %s(), called at\n", rules[rule].id, rules[rule].what,
                function->name);
    stack_write(&stack);
    write_object(entry);
    check_print("    (docactl why %s)\n", rules[rule].id);
    if (fatal)
        _exit(CHECK_STATUS);
}

// ---- before a call

static bool is_base(const char *type)
{
    return strcmp(type, "ctx") == 0 || strcmp(type, "task") == 0;
}

static void check_object(const struct call *call, unsigned parameter)
{
    const char *type = call->function->parameters[parameter].type;
    struct entry *entry = registry_find(call->arguments[parameter]);
    if (!entry || !entry->type)
        return;
    bool same_kind = strcmp(entry->type, type) == 0 || is_base(type) || is_base(entry->type) ||
                     (entry->also && strcmp(entry->also, type) == 0);
    bool owner_gone =
        entry->owner && (!entry->owner->alive || entry->owner->life != entry->owner_life);
    if (!entry->alive && same_kind)
        violation(call->function->role == ROLE_DESTROY && parameter == call->function->object
                      ? RULE_DESTROYED_TWICE
                      : RULE_USE_AFTER_DESTROY,
                  call->function, entry);
    else if (entry->alive && !same_kind && !owner_gone)
        violation(RULE_WRONG_KIND, call->function, entry);
}

static bool is_engine(const struct entry *entry)
{
    return entry && entry->alive && entry->type &&
           (strcmp(entry->type, "pe") == 0 || strcmp(entry->type, "workq") == 0);
}

static struct entry *first_entry(const struct call *call)
{
    const struct function *function = call->function;
    if (!function->count || function->parameters[0].kind != VALUE_OBJECT ||
        function->parameters[0].out)
        return NULL;
    return registry_find(call->arguments[0]);
}

static void enter_engine(const struct call *call, struct entry *engine)
{
    if (engine->depth && !pthread_equal(engine->user, pthread_self())) {
        violation(RULE_ENGINE_TWO_THREADS, call->function, engine);
        return;
    }
    engine->user = pthread_self();
    engine->depth++;
}

static void leave_engine(struct entry *engine)
{
    if (engine->depth && pthread_equal(engine->user, pthread_self()))
        engine->depth--;
}

static void fly(struct entry *task, bool in_flight)
{
    if (task->in_flight == in_flight)
        return;
    task->in_flight = in_flight;
    if (!in_flight)
        overlap_remove(task);
    for (unsigned i = 0; i < BUFFERS_MAX; i++) {
        struct entry *buffer = task->buffers[i];
        if (buffer && in_flight)
            buffer->users++;
        else if (buffer && buffer->users) // it may be another one at the same address
            buffer->users--;
    }
}

static void check_first(const struct call *call, struct entry *first)
{
    enum function_role role = call->function->role;
    if (role == ROLE_DESTROY && first->in_flight && strstr(call->function->name, "task_free"))
        violation(RULE_TASK_FREED_IN_FLIGHT, call->function, first);
    if (role == ROLE_RELEASE && first->alive && first->references == 1 && first->users)
        violation(RULE_BUFFER_RELEASED_IN_FLIGHT, call->function, first);
    // It may complete before the function returns.
    if (role == ROLE_SUBMIT && !is_engine(first)) {
        const struct entry *other = first->in_flight ? NULL : overlap_add(first);
        if (other)
            violation(RULE_DESTINATIONS_OVERLAP, call->function, other);
        fly(first, true);
    }
    if (is_engine(first) && role != ROLE_DESTROY)
        enter_engine(call, first);
    if (is_engine(first) && waiting_before(call, first))
        violation(RULE_NOTIFICATION_NOT_CLEARED, call->function, first);
}

static int before(struct call *call)
{
    const struct function *function = call->function;
    pthread_mutex_lock(&registry_lock);
    for (unsigned i = 0; i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        if (of->kind == VALUE_OBJECT && !of->out && call->arguments[i] &&
            !strstr(of->type, "_list"))
            check_object(call, i);
    }
    struct entry *first = first_entry(call);
    if (first)
        check_first(call, first);
    pthread_mutex_unlock(&registry_lock);
    return 0;
}

// ---- after a call

static uint64_t map_of(const struct call *call)
{
    for (unsigned i = 0; i < call->function->count; i++) {
        const struct parameter *of = &call->function->parameters[i];
        if (of->kind == VALUE_OBJECT && !of->out && strcmp(of->type, "mmap") == 0)
            return call->arguments[i];
    }
    return 0;
}

static void make(const struct call *call, unsigned parameter, uint64_t address)
{
    const char *type = call->function->parameters[parameter].type;
    struct entry *entry = address ? registry_get(address) : NULL;
    if (!entry)
        return;
    if (entry->alive && entry->type && strcmp(entry->type, type) == 0 &&
        (strcmp(type, "dev") == 0 || strcmp(type, "dev_rep") == 0)) {
        entry->references++; // an open device was opened again
        return;
    }
    overlap_remove(entry);
    struct entry *next = entry->next, *owner = parameter ? first_entry(call) : NULL;
    *entry = (struct entry){
        .address = address,
        .next = next,
        .type = type,
        .made_by = call->function,
        .owner = owner,
        .owner_life = owner ? owner->life : 0,
        .life = entry->life + 1,
        .forks = forks,
        .references = 1,
        .alive = true,
        .map = strcmp(type, "buf") == 0 ? map_of(call) : 0,
    };
    stack_take(&entry->made);
}

// An object that DOCA shows is alive, whatever was at its address before.
static void show(uint64_t address)
{
    struct entry *entry = address ? registry_find(address) : NULL;
    if (entry && !entry->alive)
        entry->type = NULL;
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

// The buffers of a task, from the call that made it or that sets one.
static void note_buffers(const struct call *call, struct entry *task)
{
    unsigned count = 0;
    for (unsigned i = 0; i < call->function->count && count < BUFFERS_MAX; i++) {
        const struct parameter *of = &call->function->parameters[i];
        if (of->kind == VALUE_OBJECT && !of->out && strcmp(of->type, "buf") == 0)
            task->buffers[count++] = registry_find(call->arguments[i]);
    }
}

// doca_X_task_set_src() and the like, of a task that is not in flight.
static void note_buffer(const struct call *call, struct entry *task)
{
    const struct function *function = call->function;
    if (task->in_flight || function->count != 2 || !strstr(function->name, "_task_") ||
        function->parameters[1].kind != VALUE_OBJECT || function->parameters[1].out ||
        strcmp(function->parameters[1].type, "buf") != 0)
        return;
    task->buffers[strstr(function->name, "_set_dst") ? 1 : 0] = registry_find(call->arguments[1]);
}

static void note_results(const struct call *call)
{
    const struct function *function = call->function;
    for (unsigned i = 0; i < function->count; i++) {
        const struct parameter *of = &function->parameters[i];
        if (!of->out || of->kind != VALUE_OBJECT || strstr(of->type, "_list"))
            continue;
        uint64_t address = written(call, i);
        if (function->makes)
            make(call, i, address);
        else
            show(address);
        struct entry *made = function->makes && address ? registry_find(address) : NULL;
        if (made && strstr(of->type, "task"))
            note_buffers(call, made);
    }
    if (function->role == ROLE_ALIAS) {
        struct entry *object = first_entry(call);
        struct entry *base = call->result && object ? registry_get(call->result) : NULL;
        if (base && base != object)
            base->same = object;
    } else if (function->result.kind == VALUE_OBJECT) {
        show(call->result);
        struct entry *object = first_entry(call);
        if (object && object->address == call->result)
            object->also = function->result.type;
    }
}

// The object that the function is about has a reference more or less, or has ended.
static void note_references(const struct call *call)
{
    const struct function *function = call->function;
    const struct parameter *of = &function->parameters[function->object];
    struct entry *entry = function->count && of->kind == VALUE_OBJECT && !of->out
                              ? registry_find(call->arguments[function->object])
                              : NULL;
    if (entry && function->role == ROLE_HOLD)
        entry->references++;
    if (!entry || (function->role != ROLE_DESTROY && function->role != ROLE_RELEASE))
        return;
    if (entry->references > 1) {
        entry->references--;
        return;
    }
    entry->alive = false;
    entry->destroyed_by = function;
    fly(entry, false);
}

// A buffer in a list is given back with the first of the list.
static void note_chain(const struct call *call)
{
    bool chains = strstr(call->function->name, "chain") != NULL;
    bool ends = strstr(call->function->name, "unchain") != NULL;
    for (unsigned i = 0; chains && i < call->function->count; i++) {
        struct entry *buffer = registry_find(call->arguments[i]);
        if (buffer)
            buffer->chained = !ends;
    }
}

static void after(struct call *call)
{
    bool good = call->function->result.kind != VALUE_ERROR || call->result == 0;
    pthread_mutex_lock(&registry_lock);
    struct entry *first = first_entry(call);
    if (first && is_engine(first) && call->function->role != ROLE_DESTROY)
        leave_engine(first);
    if (first && !good && call->function->role == ROLE_SUBMIT)
        fly(first, false);
    if (good && first)
        note_buffer(call, first);
    if (good) {
        note_references(call);
        note_results(call);
        note_chain(call);
    }
    pthread_mutex_unlock(&registry_lock);
}

static void callback_before(struct call *call)
{
    pthread_mutex_lock(&registry_lock);
    struct entry *first = first_entry(call);
    if (first && first->in_flight)
        fly(first, false);
    for (unsigned i = 0; i < call->function->count; i++)
        if (call->function->parameters[i].kind == VALUE_OBJECT)
            show(call->arguments[i]);
    pthread_mutex_unlock(&registry_lock);
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

static void check_left(const struct entry *entry)
{
    bool owner_gone =
        entry->owner && (!entry->owner->alive || entry->owner->life != entry->owner_life);
    if (!entry->type || !entry->alive || entry->forks != forks || !must_be_destroyed(entry->type) ||
        entry->chained || (owner_gone && strstr(entry->type, "task")))
        return;
    violations++;
    if (!is_new(RULE_ALIVE_AT_END, &entry->made))
        return;
    check_print("docad-run: %s: %s\n", rules[RULE_ALIVE_AT_END].id, rules[RULE_ALIVE_AT_END].what);
    write_object(entry);
    check_print("    (docactl why %s)\n", rules[RULE_ALIVE_AT_END].id);
}

__attribute__((destructor)) static void end(void)
{
    if (!wanted)
        return;
    pthread_mutex_lock(&registry_lock);
    registry_each(check_left);
    pthread_mutex_unlock(&registry_lock);
    if (violations)
        check_print("docad-run: %lu violations of rules\n", violations);
    if (violations && fatal) {
        fflush(NULL);
        _exit(CHECK_STATUS);
    }
}

// Objects that the parent has made are the parent's.
static void in_child(void)
{
    forks++;
    violations = 0;
    overlap_clear();
    pthread_mutex_init(&registry_lock, NULL);
}

static bool start(void)
{
    const char *value = getenv(CHECK_VARIABLE);
    struct stack stack;
    if (!value || !*value)
        return false;
    fatal = strcmp(value, "fatal") == 0;
    wanted = true;
    check_print_to(getenv(CHECK_FILE_VARIABLE));
    stack_take(&stack); // loads what backtrace() needs
    pthread_atfork(NULL, NULL, in_child);
    return true;
}

const struct hook check_hook = {start, before, after, callback_before, NULL};
