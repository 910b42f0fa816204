// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "report.h"

#include "clock.h"

static const char line[] =
    "---------------------------------------------------------------------------------------";

void report_begin(struct report *report, const struct command *command,
                  const struct options *options)
{
    *report = (struct report){.command = command, .options = options};
    if (options->json && options->all)
        report->runs = json_object_new_array();
}

// ---- table --------------------------------------------------------------------------------------

static void print_head(const struct command *command, const struct options *options)
{
    printf("%s\n", line);
    printf(" doca-perftest %s", command->name);
    if (command->takes & TAKES(PATH))
        printf("   path: %s   memory: %s", path_name(options->path),
               memory_kind_name(options->memory));
    if (command->takes & TAKES(MODE))
        printf("   mode: %s", options->event ? "event" : "poll");
    if (command->takes & TAKES(DEPTH))
        printf("   depth: %u", options->depth);
    if (command->takes & TAKES(BATCH))
        printf("   batch: %u", options->batch);
    if (options->server)
        printf("   server: %s", options->server);
    printf("   clock: %s\n%s\n", clock_name(), line);
}

static void print_row(struct report *report, const struct options *options,
                      const struct result *result)
{
    // Columns are as narrow as the figures of one run; later rows of a sweep are wider.
    int width = report->options->all ? 11 : 0;

    if (!report->begun) {
        print_head(report->command, options);
        result_print_titles(result, width);
    }
    result_print(result, width);
}

// ---- lines of values ----------------------------------------------------------------------------

static void print_values(const struct report *report, const struct result *result)
{
    if (!report->begun) {
        printf("command");
        for (size_t i = 0; i < result->n_figures; i++)
            printf(",%s", result->figures[i].key);
        putchar('\n');
    }
    printf("%s", report->command->name);
    for (size_t i = 0; i < result->n_figures; i++)
        printf(",%.*f", result->figures[i].digits, result->figures[i].value);
    putchar('\n');
}

// ---- JSON ---------------------------------------------------------------------------------------

static struct json_object *parameters_json(const struct command *command,
                                           const struct options *options)
{
    struct json_object *object = json_object_new_object();
    if (command->takes & TAKES(SIZE))
        json_add_number(object, "size", (double)options->size);
    if (options->seconds)
        json_add_number(object, "seconds", (double)options->seconds);
    else
        json_add_number(object, "iters", (double)options->iters);
    if (options->server)
        json_add_text(object, "server", options->server);
    if (command->takes & TAKES(WARMUP))
        json_add_number(object, "warmup", (double)options->warmup);
    if (command->takes & TAKES(DEPTH))
        json_add_number(object, "depth", options->depth);
    if (command->takes & TAKES(BATCH))
        json_add_number(object, "batch", options->batch);
    if (command->takes & TAKES(PATH)) {
        json_add_text(object, "path", path_name(options->path));
        json_add_text(object, "memory", memory_kind_name(options->memory));
    }
    if (command->takes & TAKES(MODE))
        json_add_text(object, "mode", options->event ? "event" : "poll");
    if (command->takes & TAKES(TASKS))
        json_add_text(object, "interface", options->tasks ? "3" : "2.2");
    return object;
}

static void add_run(struct json_object *object, const struct report *report,
                    const struct options *options, const struct result *result)
{
    json_object_object_add(object, "parameters", parameters_json(report->command, options));
    json_object_object_add(object, "results", result_json(result));
}

static bool print_run(const struct report *report, const struct options *options,
                      const struct result *result)
{
    struct json_object *object = json_object_new_object();
    json_add_head(object, report->command->name);
    add_run(object, report, options, result);
    return json_print(object);
}

static bool print_runs(struct report *report)
{
    struct json_object *object = json_object_new_object();
    json_add_head(object, report->command->name);
    json_object_object_add(object, "runs", report->runs);
    report->runs = NULL;
    return json_print(object);
}

// ---- all three ----------------------------------------------------------------------------------

bool report_run(struct report *report, const struct options *options, const struct result *result)
{
    if (report->runs) {
        struct json_object *run = json_object_new_object();
        add_run(run, report, options, result);
        json_object_array_add(report->runs, run);
        return true;
    }
    if (options->json)
        return print_run(report, options, result);
    if (options->csv)
        print_values(report, result);
    else
        print_row(report, options, result);
    report->begun = true;
    return fflush(stdout) == 0;
}

bool report_end(struct report *report)
{
    if (report->runs)
        return print_runs(report);
    if (report->begun && !report->options->csv)
        printf("%s\n", line);
    return fflush(stdout) == 0;
}
