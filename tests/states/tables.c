// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "tables.h"

#include "errtext.h"

#include <check.h>
#include <doca_log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCRATCH_SIZE 256
#define SCRATCH_FILL 0xA5
#define SIGHTS_MAX   64

const struct group *groups[GROUPS_MAX];
size_t n_groups;

void group_add(const struct group *group)
{
    if (n_groups == GROUPS_MAX) // no test runs yet that could fail
        abort();
    groups[n_groups++] = group;
}

uint8_t exported_desc[256];
size_t exported_desc_len;
void *exported_address;

// ---- the log

static char log_line[1024];
static unsigned log_lines;

static void count_line(char *line)
{
    (void)line;
    log_lines++;
}

static void log_catch(void)
{
    struct doca_logger_backend *backend;
    ck_assert_int_eq(
        doca_log_create_buffer_backend(log_line, sizeof(log_line), count_line, &backend),
        DOCA_SUCCESS);
}

// ---- one call

struct attempt {
    const struct group *group;
    unsigned state;
    const struct call *call;
    const struct row *row;
    const struct param *null; // or NULL
    uint64_t arguments[PARAMS_MAX];
    bool scratch_used[PARAMS_MAX];
    _Alignas(16) uint8_t scratch[PARAMS_MAX][SCRATCH_SIZE]; // for parameters of any type
};

static int compare_name(const void *name, const void *call)
{
    return strcmp(name, ((const struct call *)call)->name);
}

// Each cell asks for all functions of its group.
static const struct call *call_of(const char *name)
{
    const struct call *call = bsearch(name, calls, n_calls, sizeof(calls[0]), compare_name);
    ck_assert_msg(call != NULL, "%s is in a state table, and in none of the interface", name);
    return call;
}

// Where a function that makes something puts it.
static unsigned made_at(const struct call *call)
{
    return call->n_params - (strstr(call->name, "list") ? 2 : 1);
}

static bool is_made(const struct group *group, const struct call *call, unsigned param)
{
    for (const struct lifetime *l = group->lifetimes; l && l->create; l++)
        if (same(l->create, call->name))
            return param == made_at(call);
    return false;
}

// False if the state has no object for a parameter.
static bool attempt_prepare(struct attempt *a)
{
    for (unsigned i = 0; i < a->call->n_params; i++) {
        const struct param *param = &a->call->params[i];
        enum given given = is_made(a->group, a->call, i)
                               ? GIVEN_NONE
                               : a->group->argument(a->call->name, param->name, &a->arguments[i]);
        if (given == GIVEN_ABSENT)
            return false;
        a->scratch_used[i] = given == GIVEN_NONE;
        if (given == GIVEN)
            continue;
        ck_assert_msg(param->pointer, "%s: no argument for %s", a->call->name, param->name);
        memset(a->scratch[i], SCRATCH_FILL, SCRATCH_SIZE);
        a->arguments[i] = (uint64_t)(uintptr_t)a->scratch[i];
    }
    return true;
}

static const char *attempt_name(const struct attempt *a)
{
    static char name[256];
    snprintf(name, sizeof(name), "%s: %s, %s%s%s", a->group->name, a->group->states[a->state],
             a->call->name, a->null ? " without " : "", a->null ? a->null->name : "");
    return name;
}

static int cell_of(const struct row *row, unsigned state)
{
    return row->cells[0] > IN_ANY_STATE ? row->cells[0] - IN_ANY_STATE : row->cells[state];
}

static bool may_be_null(const struct row *row, const char *param)
{
    size_t length = strlen(param);
    for (const char *p = row->may_be_null; p && (p = strstr(p, param)); p += length)
        if ((p == row->may_be_null || p[-1] == ' ') && (p[length] == ' ' || !p[length]))
            return true;
    return false;
}

// ---- what can be seen of an object

struct sight {
    size_t n;
    struct {
        const char *getter;
        uint64_t result;
        uint8_t answer[SCRATCH_SIZE];
    } seen[SIGHTS_MAX];
};

// Getters change nothing. These are called so and do.
static bool is_getter(const char *name)
{
    static const char *const words[] = {"_get_",      "_is_",          "_list_next",
                                        "_list_last", "_num_elements", "_as_"};
    if (same(name, "doca_workq_get_event_handle") || strstr(name, "timestamp") ||
        strstr(name, "_get_set_") || strstr(name, "_get_alloc") || strstr(name, "_buf_get_by_"))
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static void look(const struct group *group, unsigned state, struct sight *out)
{
    out->n = 0;
    for (size_t i = 0; i < group->n_rows; i++) {
        if (!group->rows[i].function)
            continue;
        struct attempt a = {
            .group = group, .state = state, .call = call_of(group->rows[i].function)};
        if (!is_getter(a.call->name) || !attempt_prepare(&a))
            continue;
        ck_assert_uint_lt(out->n, SIGHTS_MAX);
        out->seen[out->n].getter = a.call->name;
        out->seen[out->n].result = a.call->make(a.arguments);
        uint8_t *answer = out->seen[out->n++].answer;
        memset(answer, 0, SCRATCH_SIZE);
        for (unsigned p = 0; p < a.call->n_params; p++)
            for (size_t b = 0; a.scratch_used[p] && b < SCRATCH_SIZE; b++)
                answer[b] = (uint8_t)(answer[b] * 31 + a.scratch[p][b]);
    }
}

static void assert_same_sight(const struct attempt *a, const struct sight *before,
                              const struct sight *after)
{
    ck_assert_uint_eq(before->n, after->n);
    for (size_t i = 0; i < before->n; i++)
        ck_assert_msg(before->seen[i].result == after->seen[i].result &&
                          memcmp(before->seen[i].answer, after->seen[i].answer, SCRATCH_SIZE) == 0,
                      "%s: was refused and changed what %s answers", attempt_name(a),
                      before->seen[i].getter);
}

// ---- a cell

static void assert_untouched(const struct attempt *a)
{
    for (unsigned p = 0; p < a->call->n_params; p++)
        for (size_t b = 0; a->scratch_used[p] && b < SCRATCH_SIZE; b++)
            ck_assert_msg(a->scratch[p][b] == SCRATCH_FILL, "%s: was refused and wrote to *%s",
                          attempt_name(a), a->call->params[p].name);
}

// These are about a device: programs ask one after the other.
static bool is_question(const char *name)
{
    return strstr(name, "_supported") || strstr(name, "_get_service_max_num_connections");
}

// Questions that are answered with a code, and an "again", are no failures.
static bool is_quiet(const struct attempt *a, int cell)
{
    if (same(a->call->name, "doca_comm_channel_peer_addr_update_info") && cell != INVALID)
        return true;
    return a->group->logs_nothing || a->call->result != RESULT_ERROR || cell == AGAIN ||
           (cell == UNSUPP && is_question(a->call->name));
}

static const struct row *row_of(const struct group *group, const char *function)
{
    for (size_t i = 0; i < group->n_rows; i++)
        if (group->rows[i].function && same(group->rows[i].function, function))
            return &group->rows[i];
    return NULL;
}

static void destroy_made(const char *destroy, void *object)
{
    const uint64_t arguments[PARAMS_MAX] = {(uint64_t)(uintptr_t)object};
    ck_assert_msg(call_of(destroy)->make(arguments) == DOCA_SUCCESS,
                  "%s: did not destroy what was created", destroy);
}

void lifetimes_end(const struct lifetime *lifetimes)
{
    for (const struct lifetime *l = lifetimes; l->create; l++) {
        void *object = NULL;
        if (l->destroy && l->object)
            memcpy(&object, l->object, sizeof(object));
        if (!object)
            continue;
        destroy_made(l->destroy, object);
        memset(l->object, 0, sizeof(object));
    }
}

// Takes note of what a call has made or ended.
static void note_success(const struct attempt *a)
{
    for (const struct lifetime *l = a->group->lifetimes; l && l->create; l++) {
        void *made;
        if (same(l->create, a->call->name)) {
            memcpy(&made, a->scratch[made_at(a->call)], sizeof(made));
            if (l->destroy)
                destroy_made(l->destroy, made);
            else
                memcpy(l->object, &made, sizeof(made));
        }
        if (l->destroy && l->object && same(l->destroy, a->call->name) && a->arguments[0])
            memset(l->object, 0, sizeof(made));
    }
    if (a->group->succeeded)
        a->group->succeeded(a->call->name, a->arguments);
}

// The state is still the same if the probe answers as its row says.
static void probe(const struct attempt *refused)
{
    const struct row *row = row_of(refused->group, refused->group->probe);
    struct attempt a = {.group = refused->group,
                        .state = refused->state,
                        .row = row,
                        .call = call_of(refused->group->probe)};
    if (!attempt_prepare(&a))
        return;
    uint64_t code = a.call->make(a.arguments);
    ck_assert_msg(code + 1 == (uint64_t)cell_of(row, a.state),
                  "%s: was refused, and then %s answered %s", attempt_name(refused), a.call->name,
                  doca_get_error_name((doca_error_t)code));
    if (code == DOCA_SUCCESS)
        note_success(&a);
}

static void check_refusal(const struct attempt *a, int cell, unsigned lines,
                          const struct sight *before)
{
    struct sight after;

    assert_untouched(a);
    ck_assert_msg(lines == (is_quiet(a, cell) ? 0 : 1), "%s: was refused with %u log lines",
                  attempt_name(a), lines);
    look(a->group, a->state, &after);
    assert_same_sight(a, before, &after);
    if (a->group->probe)
        probe(a);
}

static void check_error(const struct attempt *a, int cell, doca_error_t code, unsigned lines,
                        const struct sight *before)
{
    ck_assert_msg(code + 1 == (doca_error_t)cell, "%s: %s, not %s", attempt_name(a),
                  doca_get_error_name(code), doca_get_error_name((doca_error_t)(cell - 1)));
    if (cell == GOING)
        return;
    if (code != DOCA_SUCCESS)
        check_refusal(a, cell, lines, before);
    else
        note_success(a);
}

// In a process of its own.
static void check_end(const struct attempt *a)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout));
        a->call->make(a->arguments);
        _exit(1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %#x", attempt_name(a),
                  status);
}

static void attempt_make(struct attempt *a, int cell)
{
    struct sight before;

    if (cell == ENDS) {
        check_end(a);
        return;
    }
    look(a->group, a->state, &before);
    log_lines = 0;
    uint64_t result = a->call->make(a->arguments);
    if (a->call->result == RESULT_ERROR)
        check_error(a, cell, (doca_error_t)result, log_lines, &before);
    else if (a->call->result == RESULT_POINTER)
        ck_assert_msg((result != 0) == (cell == OK), "%s: gave %#llx", attempt_name(a),
                      (unsigned long long)result);
}

// The cell as it stands, or with one argument NULL.
static void try_cell(const struct group *group, unsigned state, const struct row *row,
                     const struct param *null)
{
    struct attempt a = {
        .group = group, .state = state, .call = call_of(row->function), .row = row, .null = null};
    int cell = cell_of(row, state);

    group->enter(state);
    bool there = attempt_prepare(&a);
    ck_assert_msg(there == (cell != ABSENT), "%s: can%s be called", attempt_name(&a),
                  there ? "" : "not");
    if (there && null) {
        a.arguments[null - a.call->params] = 0;
        if (!may_be_null(row, null->name))
            cell = INVALID;
        else if (row->null_cell)
            cell = row->null_cell;
    }
    if (there)
        attempt_make(&a, cell);
    group->leave();
}

void group_run(const struct group *group, enum node node)
{
    log_catch();
    for (unsigned state = 0; group->states[state]; state++) {
        if (!*group->states[state] || (group->on_dpu >> state & 1) != (node == ON_DPU))
            continue;
        for (size_t r = 0; r < group->n_rows; r++) {
            if (!group->rows[r].function)
                continue;
            const struct call *call = call_of(group->rows[r].function);
            try_cell(group, state, &group->rows[r], NULL);
            for (unsigned p = 0; p < call->n_params; p++)
                if (call->params[p].pointer)
                    try_cell(group, state, &group->rows[r], &call->params[p]);
        }
    }
}

// ---- the tables themselves

static void check_row(const struct group *group, const struct row *row)
{
    const struct call *call = call_of(row->function);

    for (unsigned state = 0; state < STATES_MAX; state++) {
        int cell = cell_of(row, state);
        bool wanted = true;
        for (unsigned s = 0; s <= state; s++)
            wanted = wanted && group->states[s];
        if (wanted && !*group->states[state])
            continue; // it may have an answer for other generations
        ck_assert_msg((cell != 0) == wanted || row->cells[0] > IN_ANY_STATE,
                      "%s: %s has %s for state %u", group->name, call->name,
                      wanted ? "no answer" : "an answer", state);
        ck_assert_msg(cell <= 0 || call->result != RESULT_ERROR ||
                          call->documented >> (cell - 1) & 1 || cell == INVALID,
                      "%s: %s is not documented to answer %s", group->name, call->name,
                      doca_get_error_name((doca_error_t)(cell - 1)));
    }
}

void groups_check_complete(void)
{
    for (size_t g = 0; g < n_groups; g++)
        for (size_t r = 0; r < groups[g]->n_rows; r++)
            if (groups[g]->rows[r].function)
                check_row(groups[g], &groups[g]->rows[r]);
    for (size_t i = 0; i < n_calls; i++) {
        bool found = false;
        for (size_t g = 0; g < n_groups && !found; g++)
            found = row_of(groups[g], calls[i].name) != NULL;
        ck_assert_msg(found, "%s is in no state table", calls[i].name);
    }
}
