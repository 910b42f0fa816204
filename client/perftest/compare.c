// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command compare: runs the rows, each in a process of its own, and prints them.

#include "clock.h"
#include "commands.h"
#include "copy_text.h"
#include "external.h"
#include "help.h"
#include "quota.h"
#include "rows.h"

#include <math.h>
#include <string.h>

#define ROUNDS_FULL  205 // of all processes together
#define ROUNDS_QUICK 40
#define UNSTABLE     1.5 // times: processes that differ by more

// ---- one row, in the measuring process --------------------------------------------------------

struct rounds {
    size_t n, with_theirs;
    double ours[ROUNDS_FULL], theirs[ROUNDS_FULL], ratio[ROUNDS_FULL], over[ROUNDS_FULL];
};

struct row_arg {
    const struct row *row;
    bool quick;
    unsigned processes; // that share the rounds
    struct quota quota; // of this process and those that it starts, if the row has one
};

static bool measure_round(struct trial *trial, struct rounds *rounds, bool ours_first)
{
    const struct method *method = trial->row->method;
    double ours, theirs;
    bool ok = ours_first ? method->ours(trial, &ours) && method->theirs(trial, &theirs)
                         : method->theirs(trial, &theirs) && method->ours(trial, &ours);
    if (!ok)
        return false;
    rounds->ours[rounds->n++] = ours;
    if (isnan(theirs))
        return true;
    rounds->theirs[rounds->with_theirs] = theirs;
    rounds->ratio[rounds->with_theirs] = ours / theirs;
    rounds->over[rounds->with_theirs++] = ours - theirs;
    return true;
}

static void report(struct result *result, struct rounds *rounds)
{
    size_t n = rounds->with_theirs;
    result_add(result, "ours", NULL, median(rounds->ours, rounds->n), 0);
    result_add(result, "theirs", NULL, n ? median(rounds->theirs, n) : NAN, 0);
    result_add(result, "ratio", NULL, n ? median(rounds->ratio, n) : NAN, 0);
    result_add(result, "over", NULL, n ? median(rounds->over, n) : NAN, 0);
    result_add(result, "ratio_min", NULL, n ? rounds->ratio[0] : NAN, 0);
    result_add(result, "ratio_max", NULL, n ? rounds->ratio[n - 1] : NAN, 0);
    result_add(result, "rounds", NULL, (double)rounds->n, 0);
}

// The result of one process.
static size_t rounds_of(const struct row_arg *arg, uint64_t asked)
{
    size_t all = arg->row->rounds ? arg->row->rounds : arg->quick ? ROUNDS_QUICK : ROUNDS_FULL;
    size_t n = (all + arg->processes - 1) / arg->processes;
    return asked && asked < n ? asked : n; // 0: the default
}

static bool measure_rounds(struct trial *trial, const struct row_arg *arg, struct result *result)
{
    struct rounds rounds = {0};
    size_t n = rounds_of(arg, trial->run->options->iters);
    double unused;

    if (!trial->row->rounds && (!trial->row->method->theirs(trial, &unused) || // both are warm then
                                !trial->row->method->ours(trial, &unused)))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!measure_round(trial, &rounds, i % 2 == 0))
            return false;
    report(result, &rounds);
    return trial->row->method->verify(trial);
}

static bool run_row(struct run *run)
{
    const struct row_arg *arg = run->arg;
    struct trial trial = {
        .row = arg->row,
        .run = run,
        .quick = arg->quick,
        .problem = &run->result->problem,
        .rig.epoll = -1,
        .other_rig.epoll = -1,
        .ping = {.eventfd = -1, .epoll = -1},
    };
    bool ok = (!arg->row->cpus || quota_enter(&arg->quota) ||
               problem_set(trial.problem, "cannot enter %s", arg->quota.path)) &&
              arg->row->method->open(&trial);
    run->result->absent = ok && trial.absent;
    if (run->result->absent)
        problem_set(trial.problem, "%s", trial.absent);
    else
        ok = ok && measure_rounds(&trial, arg, run->result);
    arg->row->method->close(&trial);
    return run->result->verified = ok;
}

// ---- all processes of a row ---------------------------------------------------------------------

// The results of each process: its medians, and the extremes of its rounds.
enum kept { OURS, THEIRS, RATIO, OVER, RATIO_MIN, RATIO_MAX, N_KEPT };

static const char *const kept_keys[N_KEPT] = {"ours", "theirs",    "ratio",
                                              "over", "ratio_min", "ratio_max"};

struct outcome {
    size_t processes, rounds;
    double of[N_KEPT][PROCESSES_MAX]; // in the order of time
    bool failed, absent;
    struct problem problem; // of one of these
};

static double figure_of(const struct result *result, const char *key)
{
    for (size_t i = 0; i < result->n_figures; i++)
        if (strcmp(result->figures[i].key, key) == 0)
            return result->figures[i].value;
    return NAN;
}

static void add_process(struct outcome *outcome, const struct result *result)
{
    for (int i = 0; i < N_KEPT; i++)
        outcome->of[i][outcome->processes] = figure_of(result, kept_keys[i]);
    outcome->rounds += (size_t)figure_of(result, "rounds");
    outcome->processes++;
}

// The median over the processes. NAN if the machine does not allow what is measured.
static double middle(const struct outcome *outcome, enum kept kept)
{
    double values[PROCESSES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < outcome->processes; i++)
        if (!isnan(outcome->of[kept][i]))
            values[n++] = outcome->of[kept][i];
    return n ? median(values, n) : NAN;
}

static double least(const struct outcome *outcome, enum kept kept)
{
    double value = NAN;
    for (size_t i = 0; i < outcome->processes; i++)
        value = fmin(value, outcome->of[kept][i]); // a number, if one of the two is
    return value;
}

static double most(const struct outcome *outcome, enum kept kept)
{
    double value = NAN;
    for (size_t i = 0; i < outcome->processes; i++)
        value = fmax(value, outcome->of[kept][i]);
    return value;
}

// ---- goals ----------------------------------------------------------------------------------

// The value that is compared between processes: a difference may be near 0, so there it is our
// figure.
static enum kept compared(const struct row *row)
{
    return row->kind == GOAL_OVER_MAX || row->kind == GOAL_OURS_MAX ? OURS : RATIO;
}

// A figure that differs by this much between processes does not predict the next one.
static bool is_unstable(const struct row *row, const struct outcome *outcome)
{
    return most(outcome, compared(row)) > UNSTABLE * least(outcome, compared(row));
}

// NAN does not meet any goal.
static bool is_met(const struct row *row, const struct outcome *outcome)
{
    if (outcome->failed || outcome->absent || is_unstable(row, outcome))
        return false;
    switch (row->kind) {
    case GOAL_RATIO_MIN:
        return middle(outcome, RATIO) >= row->goal;
    case GOAL_RATIO_MAX:
        return middle(outcome, RATIO) <= row->goal;
    case GOAL_OVER_MAX:
        return middle(outcome, OVER) <= row->goal;
    case GOAL_OURS_MAX:
        return middle(outcome, OURS) <= row->goal;
    case GOAL_RATIO_NEAR:
        return fabs(middle(outcome, RATIO) - 1) <= row->goal;
    }
    return false;
}

static const char *goal_name(enum goal_kind kind)
{
    static const char *const names[] = {"ratio_min", "ratio_max", "over_max", "ours_max",
                                        "ratio_near"};
    return names[kind];
}

static const char *goal_text(const struct row *row, char text[40])
{
    switch (row->kind) {
    case GOAL_RATIO_MIN:
        snprintf(text, 40, "ratio >= %g", row->goal);
        break;
    case GOAL_RATIO_MAX:
        snprintf(text, 40, "ratio <= %g", row->goal);
        break;
    case GOAL_OVER_MAX:
        snprintf(text, 40, "theirs + %g %s", row->goal, row->unit);
        break;
    case GOAL_OURS_MAX:
        snprintf(text, 40, "ours <= %g %s", row->goal, row->unit);
        break;
    case GOAL_RATIO_NEAR:
        snprintf(text, 40, "ratio %g to %g", 1 - row->goal, 1 + row->goal);
        break;
    }
    return text;
}

// ---- output ---------------------------------------------------------------------------------

// The figure of the row's goal, of each process.
static struct json_object *medians_json(const struct row *row, const struct outcome *outcome)
{
    enum kept kept = row->kind == GOAL_OVER_MAX ? OVER : compared(row);
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < outcome->processes; i++) {
        double value = outcome->of[kept][i];
        json_object_array_add(array, isnan(value) ? NULL : json_object_new_double(value));
    }
    return array;
}

static struct json_object *row_json(const struct row *row, const struct outcome *outcome)
{
    struct json_object *object = json_object_new_object();
    char text[40];
    json_add_text(object, "name", row->name);
    json_add_number(object, "ours", middle(outcome, OURS));
    json_add_number(object, "theirs", middle(outcome, THEIRS));
    json_add_text(object, "unit", row->unit);
    json_add_text(object, "against", row->against);
    json_add_number(object, "ratio", middle(outcome, RATIO));
    json_add_text(object, "goal", goal_text(row, text));
    json_add_text(object, "goal_kind", goal_name(row->kind));
    json_add_number(object, "goal_value", row->goal);
    json_object_object_add(object, "met", json_object_new_boolean(is_met(row, outcome)));
    json_object_object_add(object, "unstable", json_object_new_boolean(is_unstable(row, outcome)));
    json_add_number(object, "over", middle(outcome, OVER));
    json_add_number(object, "ours_min", least(outcome, OURS));
    json_add_number(object, "ours_max", most(outcome, OURS));
    json_add_number(object, "ratio_min", least(outcome, RATIO));
    json_add_number(object, "ratio_max", most(outcome, RATIO));
    json_add_number(object, "round_ratio_min", least(outcome, RATIO_MIN));
    json_add_number(object, "round_ratio_max", most(outcome, RATIO_MAX));
    json_add_number(object, "processes", (double)outcome->processes);
    json_add_number(object, "rounds", (double)outcome->rounds);
    json_object_object_add(object, "medians", medians_json(row, outcome));
    if (outcome->failed || outcome->absent)
        json_add_text(object, outcome->absent ? "absent" : "error", outcome->problem.s);
    return object;
}

static void number_text(char text[16], double value)
{
    if (isnan(value))
        copy_text_into(text, 16, "-");
    else
        snprintf(text, 16, value >= 1000 ? "%.0f" : value >= 100 ? "%.1f" : "%.2f", value);
}

// "0.97", or "0.69..2.01" where processes differ.
static void spread_text(char text[40], const struct row *row, const struct outcome *outcome)
{
    char low[16], high[16];
    if (!is_unstable(row, outcome)) {
        number_text(text, middle(outcome, RATIO));
        return;
    }
    number_text(low, least(outcome, compared(row)));
    number_text(high, most(outcome, compared(row)));
    snprintf(text, 40, "%s..%s", low, high);
}

static void print_row(const struct row *row, const struct outcome *outcome)
{
    char ours[16], theirs[16], ratio[40], goal[40];
    number_text(ours, middle(outcome, OURS));
    number_text(theirs, middle(outcome, THEIRS));
    spread_text(ratio, row, outcome);
    printf("%-36s %9s %9s  %-5s  %-22s %10s  %-16s  %s\n", row->name, ours, theirs, row->unit,
           row->against, ratio, goal_text(row, goal),
           outcome->failed             ? "failed"
           : outcome->absent           ? "absent"
           : is_unstable(row, outcome) ? "unstable"
           : is_met(row, outcome)      ? "yes"
                                       : "no");
    if (outcome->failed || outcome->absent)
        printf("    %s\n", outcome->problem.s);
    fflush(stdout);
}

static void print_heading(void)
{
    printf("%-36s %9s %9s  %-5s  %-22s %10s  %-16s  %s\n", "name", "ours", "theirs", "unit",
           "against", "ratio", "goal", "met");
}

static void finish_json(const struct options *options, struct json_object *rows)
{
    struct json_object *object = json_object_new_object();
    json_add_head(object, "compare");
    json_object_object_add(object, "quick", json_object_new_boolean(options->quick));
    json_object_object_add(object, "external", external_json());
    json_object_object_add(object, "ratios", rows);
    json_print(object);
}

// ---- all rows -------------------------------------------------------------------------------

// Starts nodes with the row's kind of link. Nodes that the user has named stay as they are.
static bool link_for(struct supervisor *sup, const struct row *row, struct problem *problem)
{
    if (row->far != sup->tls) {
        daemons_stop(sup);
        sup->tls = row->far;
        sup->port = row->far ? daemons_free_port() : 0;
    }
    return supervisor_need(sup, (1u << NODE_HOST) | (1u << NODE_DPU), problem);
}

static void run_process(struct supervisor *sup, struct run *run, struct row_arg *arg)
{
    const struct row *row = arg->row;

    *run->result = (struct result){0};
    if (row->cpus && !quota_make(&arg->quota, row->cpus)) {
        problem_set(&run->result->problem, "no control group with a quota can be made here");
        run->result->ok = run->result->absent = true;
        return;
    }
    if (link_for(sup, row, &run->result->problem))
        supervisor_run(sup, row->node, row->path == PATH_IMPORT, run_row, run);
    quota_remove(&arg->quota);
}

// Runs one process after the other, and stops after the first that fails.
static void run_processes(struct supervisor *sup, const struct options *options,
                          const struct row *row, struct result *result, struct outcome *outcome)
{
    struct row_arg arg = {
        .row = row, .quick = options->quick, .processes = options_processes(options)};
    struct run run = {.options = options, .arg = &arg, .result = result};

    for (unsigned i = 0; i < arg.processes && !outcome->failed && !outcome->absent; i++) {
        run_process(sup, &run, &arg);
        outcome->failed = !result->ok;
        outcome->absent = result->ok && result->absent;
        if (outcome->failed || outcome->absent)
            outcome->problem = result->problem;
        else
            add_process(outcome, result);
    }
}

static bool is_wanted(const struct row *row, const struct options *options)
{
    return options_want_row(options, row->name);
}

bool supervise_compare(struct supervisor *sup, const struct options *options,
                       struct problem *problem)
{
    struct row row;
    size_t failed = 0, wanted = 0;
    for (size_t i = 0; row_get(i, options->quick, &row); i++)
        wanted += is_wanted(&row, options);
    if (wanted == 0)
        return problem_set(problem, "no row's name contains '%.100s'; see compare --help",
                           options->rows);
    if (!supervisor_need(sup, (1u << NODE_HOST) | (1u << NODE_DPU), problem))
        return false; // then no row can be had
    struct result *result = result_share();
    if (!result)
        return problem_set(problem, "out of memory");
    struct json_object *list = json_object_new_array();
    if (!options->json)
        print_heading();
    for (size_t i = 0; row_get(i, options->quick, &row); i++) {
        if (sup->caught || ferror(stdout))
            break;
        if (!is_wanted(&row, options))
            continue;
        struct outcome outcome = {0};
        run_processes(sup, options, &row, result, &outcome);
        if (outcome.failed && failed++ == 0)
            problem_set(problem, "%s: %.300s", row.name, outcome.problem.s);
        if (options->json)
            json_object_array_add(list, row_json(&row, &outcome));
        else if (!sup->caught)
            print_row(&row, &outcome);
    }
    result_unshare(result);
    if (!options->json || sup->caught)
        json_object_put(list);
    else
        finish_json(options, list);
    if (ferror(stdout))
        return problem_set(problem, "cannot write the result");
    return failed == 0 && !sup->caught;
}

#define ROW_WIDTH 36

void compare_help(void)
{
    struct row row;
    char goal[40], text[120];
    printf("\nRows, what each is compared with, and its goal:\n");
    for (size_t i = 0; row_get(i, false, &row); i++) {
        goal_text(&row, goal);
        bool fits = strlen(row.against) + strlen(goal) + 2 <= HELP_WIDTH - ROW_WIDTH - 4;
        snprintf(text, sizeof(text), "%s:%c%s", row.against, fits ? ' ' : '\n', goal);
        help_item(stdout, row.name, ROW_WIDTH, text);
    }
    printf("\n");
    help_text(
        stdout,
        "Hot rows copy the same bytes again and again; cold rows, and rows of 16 MiB and more, "
        "walk over 128 MiB or more. memcpy copies from a memory file, as an importer does, to "
        "the same target. With --quick the map that is started has 256 MiB.");
}
