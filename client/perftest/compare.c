// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command compare: runs the rows, each in a process of its own, and prints them.

#include "clock.h"
#include "commands.h"
#include "copy_text.h"
#include "external.h"
#include "help.h"
#include "rows.h"

#include <math.h>
#include <string.h>

#define ROUNDS_FULL  201
#define ROUNDS_QUICK 41
#define PARTS        4 // of the rounds, in the order of time, each with a median of its own

// ---- one row, in the measuring process --------------------------------------------------------

struct rounds {
    size_t n, with_theirs;
    double ours[ROUNDS_FULL], theirs[ROUNDS_FULL], ratio[ROUNDS_FULL], over[ROUNDS_FULL];
};

static const char *const part_keys[PARTS] = {"median_1", "median_2", "median_3", "median_4"};

struct row_arg {
    const struct row *row;
    bool quick;
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

// The figure that the goal is about, over each part of the rounds. Before the rounds are sorted.
static void report_parts(struct result *result, enum goal_kind kind, const struct rounds *rounds)
{
    const double *values = kind == GOAL_OURS_MAX   ? rounds->ours
                           : kind == GOAL_OVER_MAX ? rounds->over
                                                   : rounds->ratio;
    size_t n = kind == GOAL_OURS_MAX ? rounds->n : rounds->with_theirs;
    double part[ROUNDS_FULL];

    for (size_t i = 0; i < PARTS; i++) {
        size_t from = i * n / PARTS, to = (i + 1) * n / PARTS;
        memcpy(part, values + from, (to - from) * sizeof(part[0]));
        result_add(result, part_keys[i], NULL, to > from ? median(part, to - from) : NAN, 0);
    }
}

static void report(struct result *result, enum goal_kind kind, struct rounds *rounds)
{
    size_t n = rounds->with_theirs;
    report_parts(result, kind, rounds);
    result_add(result, "ours", NULL, median(rounds->ours, rounds->n), 0);
    result_add(result, "theirs", NULL, n ? median(rounds->theirs, n) : NAN, 0);
    result_add(result, "ratio", NULL, n ? median(rounds->ratio, n) : NAN, 0);
    result_add(result, "over", NULL, n ? median(rounds->over, n) : NAN, 0);
    result_add(result, "ratio_min", NULL, n ? rounds->ratio[0] : NAN, 0);
    result_add(result, "ratio_max", NULL, n ? rounds->ratio[n - 1] : NAN, 0);
    result_add(result, "rounds", NULL, (double)rounds->n, 0);
}

static bool measure_rounds(struct trial *trial, struct result *result)
{
    struct rounds rounds = {0};
    uint64_t asked = trial->run->options->iters; // 0: the default
    size_t n = trial->quick ? ROUNDS_QUICK : ROUNDS_FULL;
    double unused;

    if (trial->row->rounds)
        n = trial->row->rounds;
    if (asked && asked < n)
        n = asked;
    if (!trial->row->rounds && (!trial->row->method->theirs(trial, &unused) || // both are warm then
                                !trial->row->method->ours(trial, &unused)))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!measure_round(trial, &rounds, i % 2 == 0))
            return false;
    report(result, trial->row->kind, &rounds);
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
    bool ok = arg->row->method->open(&trial);
    run->result->absent = ok && trial.absent;
    if (run->result->absent)
        problem_set(trial.problem, "%s", trial.absent);
    else
        ok = ok && measure_rounds(&trial, run->result);
    arg->row->method->close(&trial);
    return run->result->verified = ok;
}

// ---- goals ----------------------------------------------------------------------------------

struct outcome {
    double ours, theirs, ratio, over, ratio_min, ratio_max, rounds;
};

static double figure_of(const struct result *result, const char *key)
{
    for (size_t i = 0; result->ok && i < result->n_figures; i++)
        if (strcmp(result->figures[i].key, key) == 0)
            return result->figures[i].value;
    return NAN;
}

static struct outcome outcome_of(const struct result *result)
{
    return (struct outcome){
        .ours = figure_of(result, "ours"),
        .theirs = figure_of(result, "theirs"),
        .ratio = figure_of(result, "ratio"),
        .over = figure_of(result, "over"),
        .ratio_min = figure_of(result, "ratio_min"),
        .ratio_max = figure_of(result, "ratio_max"),
        .rounds = figure_of(result, "rounds"),
    };
}

// NAN does not meet any goal.
static bool is_met(const struct row *row, const struct outcome *outcome)
{
    switch (row->kind) {
    case GOAL_RATIO_MIN:
        return outcome->ratio >= row->goal;
    case GOAL_RATIO_MAX:
        return outcome->ratio <= row->goal;
    case GOAL_OVER_MAX:
        return outcome->over <= row->goal;
    case GOAL_OURS_MAX:
        return outcome->ours <= row->goal;
    }
    return false;
}

static const char *goal_name(enum goal_kind kind)
{
    static const char *const names[] = {"ratio_min", "ratio_max", "over_max", "ours_max"};
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
    }
    return text;
}

// ---- output ---------------------------------------------------------------------------------

// Parts that move less than they miss the goal by show a miss; parts on either side of it, noise.
static struct json_object *medians_json(const struct result *result)
{
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < PARTS; i++) {
        double value = figure_of(result, part_keys[i]);
        json_object_array_add(array, isnan(value) ? NULL : json_object_new_double(value));
    }
    return array;
}

static struct json_object *row_json(const struct row *row, const struct result *result)
{
    struct outcome outcome = outcome_of(result);
    struct json_object *object = json_object_new_object();
    char text[40];
    json_add_text(object, "name", row->name);
    json_add_number(object, "ours", outcome.ours);
    json_add_number(object, "theirs", outcome.theirs);
    json_add_text(object, "unit", row->unit);
    json_add_text(object, "against", row->against);
    json_add_number(object, "ratio", outcome.ratio);
    json_add_text(object, "goal", goal_text(row, text));
    json_add_text(object, "goal_kind", goal_name(row->kind));
    json_add_number(object, "goal_value", row->goal);
    json_object_object_add(object, "met", json_object_new_boolean(is_met(row, &outcome)));
    json_add_number(object, "over", outcome.over);
    json_add_number(object, "ratio_min", outcome.ratio_min);
    json_add_number(object, "ratio_max", outcome.ratio_max);
    json_add_number(object, "rounds", outcome.rounds);
    json_object_object_add(object, "medians", medians_json(result));
    if (!result->ok || result->absent)
        json_add_text(object, result->ok ? "absent" : "error", result->problem.s);
    return object;
}

static void number_text(char text[16], double value)
{
    if (isnan(value))
        copy_text_into(text, 16, "-");
    else
        snprintf(text, 16, value >= 1000 ? "%.0f" : value >= 100 ? "%.1f" : "%.2f", value);
}

static void print_row(const struct row *row, const struct result *result)
{
    struct outcome outcome = outcome_of(result);
    char ours[16], theirs[16], ratio[16], goal[40];
    number_text(ours, outcome.ours);
    number_text(theirs, outcome.theirs);
    number_text(ratio, outcome.ratio);
    printf("%-36s %9s %9s  %-5s  %-22s %7s  %-16s  %s\n", row->name, ours, theirs, row->unit,
           row->against, ratio, goal_text(row, goal),
           !result->ok             ? "failed"
           : result->absent        ? "absent"
           : is_met(row, &outcome) ? "yes"
                                   : "no");
    if (!result->ok || result->absent)
        printf("    %s\n", result->problem.s);
    fflush(stdout);
}

static void print_heading(void)
{
    printf("%-36s %9s %9s  %-5s  %-22s %7s  %-16s  %s\n", "name", "ours", "theirs", "unit",
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

static void run_one(struct supervisor *sup, const struct options *options, const struct row *row,
                    struct result *result)
{
    struct row_arg arg = {.row = row, .quick = options->quick};
    struct run run = {.options = options, .arg = &arg, .result = result};
    supervisor_run(sup, row->node, row->path == PATH_IMPORT, run_row, &run);
}

// Nodes that are linked as the row wants it. What the user has named stays as it is.
static bool link_for(struct supervisor *sup, const struct row *row, struct problem *problem)
{
    if (row->far != sup->tls) {
        daemons_stop(sup);
        sup->tls = row->far;
        sup->port = row->far ? daemons_free_port() : 0;
    }
    return supervisor_need(sup, (1u << NODE_HOST) | (1u << NODE_DPU), problem);
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
        *result = (struct result){0};
        if (link_for(sup, &row, &result->problem))
            run_one(sup, options, &row, result);
        if (!result->ok && failed++ == 0)
            problem_set(problem, "%s: %.300s", row.name, result->problem.s);
        if (options->json)
            json_object_array_add(list, row_json(&row, result));
        else if (!sup->caught)
            print_row(&row, result);
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
