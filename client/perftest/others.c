// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The command external: what other installed programs measure on this machine, over
// shared memory.

#include "commands.h"
#include "external.h"

#include <limits.h>
#include <math.h>

static const struct {
    enum external_tool tool;
    const char *program, *name;
} tests[] = {
    {EXTERNAL_UCX, "ucx_perftest", "tag_lat"},     {EXTERNAL_UCX, "ucx_perftest", "tag_bw"},
    {EXTERNAL_UCX, "ucx_perftest", "ucp_put_lat"}, {EXTERNAL_UCX, "ucx_perftest", "ucp_put_bw"},
    {EXTERNAL_FABRIC, "fi_pingpong", "shm"},
};

#define N_TESTS (sizeof(tests) / sizeof(tests[0]))

static void print_number(double value, int digits)
{
    if (isnan(value))
        printf(" %12s", "-");
    else
        printf(" %12.*f", digits, value);
}

static void print_heading(void)
{
    printf(" %-13s %-12s %9s %12s %12s %12s %12s\n", "program", "test", "#bytes", "p50[usec]",
           "avg[usec]", "BW[MiB/s]", "rate[Mpps]");
}

static void print_figures(size_t i, const struct options *options,
                          const struct external_figures *figures)
{
    printf(" %-13s %-12s %9llu", tests[i].program, tests[i].name,
           (unsigned long long)options->size);
    print_number(figures->p50_usec, 3);
    print_number(figures->average_usec, 3);
    print_number(figures->mib_s, 2);
    print_number(figures->rate_mpps, 3);
    putchar('\n');
    fflush(stdout);
}

static struct json_object *figures_json(size_t i, const struct options *options,
                                        const struct external_figures *figures)
{
    struct json_object *object = json_object_new_object();
    json_add_text(object, "program", tests[i].program);
    json_add_text(object, "test", tests[i].name);
    json_add_number(object, "bytes", (double)options->size);
    json_add_number(object, "iterations", (double)options->iters);
    json_add_number(object, "p50_usec", figures->p50_usec);
    json_add_number(object, "average_usec", figures->average_usec);
    json_add_number(object, "bw_average_mib_s", figures->mib_s);
    json_add_number(object, "message_rate_mpps", figures->rate_mpps);
    return object;
}

static bool run_tests(struct supervisor *sup, const struct options *options,
                      struct json_object *list, struct problem *problem)
{
    char path[PATH_MAX];
    size_t done = 0;
    for (size_t i = 0; i < N_TESTS; i++) {
        struct external_test test = {.tool = tests[i].tool,
                                     .name = tests[i].name,
                                     .size = options->size,
                                     .iters = options->iters};
        struct external_figures figures;
        if (!external_find(tests[i].tool, path, sizeof(path)))
            continue;
        if (!external_run(sup, &test, &figures, problem))
            return false;
        if (!options->json && done == 0)
            print_heading();
        if (options->json)
            json_object_array_add(list, figures_json(i, options, &figures));
        else
            print_figures(i, options, &figures);
        if (ferror(stdout))
            return problem_set(problem, "cannot write the result");
        done++;
    }
    return done > 0 || problem_set(problem, "neither ucx_perftest (package ucx-utils) nor "
                                            "fi_pingpong (libfabric-bin) is installed");
}

bool supervise_external(struct supervisor *sup, const struct options *options,
                        struct problem *problem)
{
    struct json_object *list = json_object_new_array();
    bool ok = run_tests(sup, options, list, problem);
    if (!ok || !options->json) {
        json_object_put(list);
        return ok;
    }
    struct json_object *object = json_object_new_object();
    json_add_head(object, "external");
    json_object_object_add(object, "external", external_json());
    json_object_object_add(object, "measurements", list);
    return json_print(object) || problem_set(problem, "cannot write the result");
}
