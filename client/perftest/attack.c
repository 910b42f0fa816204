// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command attack: one user does its worst, and the time is taken that another one waits.

#include "cleanup.h"
#include "clock.h"
#include "commands.h"
#include "device.h"
#include "flood_run.h"
#include "help.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETTLE_US   300000
#define PAUSE_US    100000
#define MEASURE_NS  4000000000u // at most, of one figure
#define BURST_ITERS 4000000     // more than there can be in this time
#define P99_GOAL_NS 20000000.0
#define P50_GOAL    3.0 // times that of an idle docad
#define QUICK_FILL  1   // percent

// ---- the other user ---------------------------------------------------------------

struct samples {
    uint32_t *ticks;
    size_t n, max;
    uint64_t until;
};

static bool samples_begin(struct samples *s, struct run *run)
{
    *s = (struct samples){.max = run->options->iters, .until = clock_ns() + MEASURE_NS};
    s->ticks = calloc(s->max, sizeof(*s->ticks));
    return s->ticks || problem_set(&run->result->problem, "out of memory");
}

static bool samples_want_more(const struct samples *s)
{
    return s->n < s->max && (s->n == 0 || clock_ns() < s->until);
}

static void samples_add(struct samples *s, uint64_t before)
{
    uint64_t ticks = ticks_between(before, ticks_now());
    s->ticks[s->n++] = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

static void samples_end(struct samples *s, struct run *run)
{
    struct spread spread;
    if (s->n > 0) {
        spread_of(&spread, s->ticks, s->n);
        result_add(run->result, "samples", NULL, (double)s->n, 0);
        result_add(run->result, "p50_ns", NULL, spread.p50, 0);
        result_add(run->result, "p99_ns", NULL, spread.p99, 0);
        result_add(run->result, "max_ns", NULL, spread.max, 0);
    }
    free(s->ticks);
    run->result->verified = true;
}

static bool start_map(struct doca_mmap *map, struct doca_dev *dev, struct memory *memory,
                      struct problem *problem)
{
    DOCA_TRY(problem, doca_mmap_set_permissions, map,
             DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_RDMA_READ);
    DOCA_TRY(problem, doca_mmap_set_memrange, map, memory->at, memory->size);
    DOCA_TRY(problem, doca_mmap_dev_add, map, dev);
    DOCA_TRY(problem, doca_mmap_start, map);
    return true;
}

static bool export_and_import(struct doca_mmap *map, struct doca_dev *dev, struct problem *problem)
{
    struct doca_mmap *import;
    const void *desc;
    size_t size;
    DOCA_TRY(problem, doca_mmap_export_rdma, map, dev, &desc, &size);
    DOCA_TRY(problem, doca_mmap_create_from_export, NULL, desc, size, dev, &import);
    DOCA_TRY(problem, doca_mmap_destroy, import);
    return true;
}

// Starts a map, exports it, imports it, and ends all of that.
static bool run_requests(struct run *run)
{
    struct problem *problem = &run->result->problem;
    struct memory memory = {0};
    struct doca_dev *dev = NULL;
    struct samples samples;

    bool ok = samples_begin(&samples, run) && device_open(&dev, DEVICE_COPIES, problem) &&
              memory_open(&memory, MEMORY_TINY, TINY_SIZE, problem);
    while (ok && samples_want_more(&samples)) {
        struct doca_mmap *map;
        uint64_t before = ticks_now();
        DOCA_TRY(problem, doca_mmap_create, NULL, &map);
        ok = start_map(map, dev, &memory, problem) && export_and_import(map, dev, problem);
        DOCA_TRY(problem, doca_mmap_destroy, map);
        samples_add(&samples, before);
    }
    samples_end(&samples, run);
    memory_close(&memory);
    if (dev)
        doca_dev_close(dev);
    return ok;
}

// Reads bytes of another process that docad's engine copies.
static bool run_reads(struct run *run)
{
    const struct rig_plan plan = {.path = PATH_IMPORT,
                                  .memory = MEMORY_TINY,
                                  .size = TINY_SIZE,
                                  .footprint = TINY_SIZE,
                                  .depth = 1};
    struct problem *problem = &run->result->problem;
    struct rig rig = {.epoll = -1};
    struct samples samples;

    bool ok = samples_begin(&samples, run) && rig_open(&rig, &plan, run);
    while (ok && samples_want_more(&samples)) {
        uint64_t before = ticks_now();
        ok = rig_run(&rig, 1, 1, problem);
        samples_add(&samples, before);
    }
    samples_end(&samples, run);
    rig_close(&rig);
    return ok;
}

// ---- the table ----------------------------------------------------------------------------------

struct figures {
    double p50, p99, max, samples;
};

struct line {
    const char *name;
    uint64_t held;
    struct figures requests, reads;
};

static double figure_of(const struct result *result, const char *key)
{
    for (size_t i = 0; i < result->n_figures; i++)
        if (strcmp(result->figures[i].key, key) == 0)
            return result->figures[i].value;
    return NAN;
}

static bool measure(struct supervisor *sup, const struct options *options, run_fn fn,
                    struct result *result, struct figures *out)
{
    struct options apart = *options; // from the engine
    struct run run = {.options = &apart, .result = result};
    bool reads = fn == run_reads;
    if (sup->engine_cpu >= 0)
        apart.cpu[0] = cpu_nth(1);
    bool ok = supervisor_run(sup, reads ? NODE_DPU : NODE_HOST, reads, fn, &run);
    *out = (struct figures){figure_of(result, "p50_ns"), figure_of(result, "p99_ns"),
                            figure_of(result, "max_ns"), figure_of(result, "samples")};
    return ok;
}

static bool is_met(const struct figures *f, const struct figures *idle)
{
    return f->p99 < P99_GOAL_NS && f->p50 <= P50_GOAL * idle->p50;
}

static void print_figures(const struct figures *f, const struct figures *idle)
{
    printf(" %9.1f %9.1f %9.1f %6.1fx", f->p50 / 1e3, f->p99 / 1e3, f->max / 1e3,
           f->p50 / idle->p50);
}

static void print_line(const struct line *line, const struct line *idle)
{
    bool met = is_met(&line->requests, &idle->requests) && is_met(&line->reads, &idle->reads);
    printf("%-14s", line->name);
    print_figures(&line->requests, &idle->requests);
    print_figures(&line->reads, &idle->reads);
    printf("  %s\n", met ? "yes" : "no");
    fflush(stdout);
}

static void print_heading(void)
{
    printf("%-14s %37s %37s\n", "", "start, export, import", "engine read");
    printf("%-14s %9s %9s %9s %7s %9s %9s %9s %7s  %s\n", "flood", "p50[usec]", "p99[usec]",
           "max[usec]", "idle", "p50[usec]", "p99[usec]", "max[usec]", "idle", "goal met");
}

static struct json_object *figures_json(const struct figures *f, const struct figures *idle)
{
    struct json_object *object = json_object_new_object();
    json_add_number(object, "samples", f->samples);
    json_add_number(object, "p50_usec", f->p50 / 1e3);
    json_add_number(object, "p99_usec", f->p99 / 1e3);
    json_add_number(object, "max_usec", f->max / 1e3);
    json_object_object_add(object, "met", json_object_new_boolean(is_met(f, idle)));
    return object;
}

static struct json_object *line_json(const struct line *line, const struct line *idle)
{
    struct json_object *object = json_object_new_object();
    json_add_text(object, "flood", line->name);
    json_add_number(object, "held", (double)line->held);
    json_object_object_add(object, "requests", figures_json(&line->requests, &idle->requests));
    json_object_object_add(object, "reads", figures_json(&line->reads, &idle->reads));
    return object;
}

static bool measure_both(struct supervisor *sup, const struct options *options,
                         struct result *result, struct line *line)
{
    return measure(sup, options, run_requests, result, &line->requests) &&
           measure(sup, options, run_reads, result, &line->reads);
}

static bool start_flood(struct flood_run *run, struct supervisor *sup, const struct flood *flood,
                        const struct options *options, struct problem *problem)
{
    unsigned fill = options->quick && !(options->given & TAKES(FILL)) ? QUICK_FILL : options->fill;
    return flood_start(run, sup, flood, fill, options->quick ? 0 : PAUSE_US, problem);
}

static bool run_line(struct supervisor *sup, const struct options *options,
                     const struct flood *flood, struct result *result, struct line *line)
{
    struct options longer = *options;
    struct problem problem = {0};
    struct flood_run run;

    if (flood->second_dpu && !supervisor_need(sup, 1u << NODE_SECOND_DPU, &result->problem))
        return false;
    if (flood->bursts && !options->quick)
        longer.iters = BURST_ITERS;
    bool ok = start_flood(&run, sup, flood, options, &problem);
    *line = (struct line){.name = flood->name, .held = run.held};
    if (ok && !flood->holds && !options->quick)
        usleep(SETTLE_US);
    ok = ok && measure_both(sup, &longer, result, line) && flood_still_runs(&run, &problem);
    flood_stop(&run);
    if (problem.s[0])
        result->problem = problem;
    return ok;
}

static bool is_wanted(const struct flood *flood, const struct options *options)
{
    return options_want_row(options, flood->name);
}

// The floods of one kind of link, in addition to those without any.
static bool run_lines(struct supervisor *sup, const struct options *options, struct result *result,
                      struct json_object *list)
{
    struct line idle = {.name = sup->apart ? "idle, apart" : "idle"}, line;
    bool ok = measure_both(sup, options, result, &idle);
    if (ok && !options->json)
        print_line(&idle, &idle);
    if (ok)
        json_object_array_add(list, line_json(&idle, &idle));
    for (size_t i = 0; ok && i < n_floods && !sup->caught; i++) {
        if (!is_wanted(&floods[i], options) || floods[i].apart != sup->apart)
            continue;
        ok = run_line(sup, options, &floods[i], result, &line);
        if (ok && !options->json)
            print_line(&line, &idle);
        if (ok)
            json_object_array_add(list, line_json(&line, &idle));
    }
    return ok && !sup->caught;
}

static bool wants_any(const struct options *options, bool apart)
{
    for (size_t i = 0; i < n_floods; i++)
        if (floods[i].apart == apart && is_wanted(&floods[i], options))
            return true;
    return false;
}

// With nodes of their own for each kind of link.
static bool run_groups(struct supervisor *sup, const struct options *options, struct result *result,
                       struct json_object *list, struct problem *problem)
{
    for (int apart = 0; apart < 2; apart++) {
        if (!wants_any(options, apart))
            continue;
        daemons_stop(sup);
        sup->apart = apart;
        sup->port = daemons_free_port();
        if (!supervisor_need(sup, (1u << NODE_HOST) | (1u << NODE_DPU), problem))
            return false;
        if (!run_lines(sup, options, result, list))
            return problem_set(problem, "%.300s", result->problem.s);
    }
    return true;
}

bool supervise_attack(struct supervisor *sup, const struct options *options,
                      struct problem *problem)
{
    if (geteuid() != 0)
        return problem_set(problem, "attack needs root, to be two users");
    sup->for_everybody = true;
    // Depending on which CPUs the kernel chooses, a read takes five times as long.
    sup->engine_cpu = cpu_nth(1) >= 0 ? cpu_nth(0) : -1;
    struct result *result = result_share();
    if (!result)
        return problem_set(problem, "out of memory");
    struct json_object *object = json_object_new_object(), *list = json_object_new_array();
    json_add_head(object, "attack");
    if (!options->json)
        print_heading();
    bool ok = run_groups(sup, options, result, list, problem);
    json_object_object_add(object, "floods", list);
    result_unshare(result);
    if (options->json && ok)
        return json_print(object) || problem_set(problem, "cannot write the result");
    json_object_put(object);
    return ok;
}

void attack_help(void)
{
    printf("\nFloods:\n");
    for (size_t i = 0; i < n_floods; i++)
        help_item(stdout, floods[i].name, 14, floods[i].what);
}
