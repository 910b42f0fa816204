// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// plot: what other commands have printed as JSON, as a chart. gnuplot draws it.

#include "cleanup.h"
#include "commands.h"

#include <fcntl.h>
#include <json-c/json.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

bool check_plot(struct options *options, struct problem *problem)
{
    return options->n_files > 0 || problem_set(problem, "which file?");
}

static const char *text_of(struct json_object *object, const char *key)
{
    struct json_object *member;
    return json_object_object_get_ex(object, key, &member) ? json_object_get_string(member) : NULL;
}

static struct json_object *array_of(struct json_object *object, const char *key)
{
    struct json_object *member;
    return json_object_object_get_ex(object, key, &member) &&
                   json_object_is_type(member, json_type_array)
               ? member
               : NULL;
}

// Quotes like gnuplot's strings: nothing in single quotes is special but these. The text may be a
// file's name or come from a file.
static void write_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        if ((unsigned char)*text >= ' ')
            fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, out);
    fputc('\'', out);
}

// A field of a line of data: in double quotes, without special characters.
static void write_field(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        if ((unsigned char)*text >= ' ' && !strchr("\"\\", *text))
            fputc(*text, out);
    fputc('"', out);
}

// Escapes gnuplot's markup in a label.
static void set_terminal(FILE *out, size_t height)
{
    fprintf(out, "set terminal svg size 900,%zu noenhanced background rgb 'white'\n", height);
}

// ---- sizes --------------------------------------------------------------------------------------

// The most important figure of a command; the first one that its runs have.
static const struct {
    const char *key, *title, *axis;
} figures[] = {
    {"bw_average_gib_s", "GiB/s", "set yrange [0:*]"},
    {"p50_usec", "median [us]", "set logscale y"},
    {"one_way_ns", "one way [ns]", "set logscale y"},
    {"message_rate_mpps", "million a second", "set yrange [0:*]"},
};

static struct json_object *figure_of(struct json_object *run, const char *key)
{
    struct json_object *results, *figure;
    return json_object_object_get_ex(run, "results", &results) &&
                   json_object_object_get_ex(results, key, &figure)
               ? figure
               : NULL;
}

static int find_figure(struct json_object *runs)
{
    struct json_object *first = json_object_array_get_idx(runs, 0);
    for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
        if (first && figure_of(first, figures[i].key))
            return (int)i;
    return -1;
}

static void write_runs(FILE *out, struct json_object *runs, const char *key)
{
    for (size_t i = 0; i < json_object_array_length(runs); i++) {
        struct json_object *run = json_object_array_get_idx(runs, i);
        struct json_object *bytes = figure_of(run, "bytes"), *value = figure_of(run, key);
        if (bytes && value)
            fprintf(out, "%g %g\n", json_object_get_double(bytes), json_object_get_double(value));
    }
    fputs("EOD\n", out);
}

static bool draw_sizes(FILE *out, struct json_object **roots, const struct options *options,
                       struct problem *problem)
{
    int figure = find_figure(array_of(roots[0], "runs"));
    if (figure < 0)
        return problem_set(problem, "%s: no run that can be drawn", options->files[0]);
    set_terminal(out, 500);
    for (size_t i = 0; i < options->n_files; i++) {
        fprintf(out, "$data%zu << EOD\n", i);
        write_runs(out, array_of(roots[i], "runs"), figures[figure].key);
    }
    fputs("set title ", out);
    write_quoted(out, text_of(roots[0], "command") ? text_of(roots[0], "command") : "");
    fprintf(out,
            "\nset logscale x 2\nset format x '%%.0b%%B'\nset xlabel 'bytes'\n"
            "set ylabel '%s'\n%s\nset key left top\nplot",
            figures[figure].title, figures[figure].axis);
    for (size_t i = 0; i < options->n_files; i++) {
        fprintf(out,
                "%s $data%zu using 1:2 with linespoints linewidth 2 pointtype 7 "
                "pointsize 0.5 title ",
                i ? "," : "", i);
        write_quoted(out, options->files[i]);
    }
    fputc('\n', out);
    return true;
}

// ---- rows of compare ----------------------------------------------------------------------------

static struct json_object *row_named(struct json_object *rows, const char *name)
{
    for (size_t i = 0; i < json_object_array_length(rows); i++) {
        struct json_object *row = json_object_array_get_idx(rows, i);
        const char *own = text_of(row, "name");
        if (own && strcmp(own, name) == 0)
            return row;
    }
    return NULL;
}

// Returns how many times as fast we are, by a ratio of the row: for times it is ours to theirs.
static double speed_by(struct json_object *row, const char *key)
{
    static const char *const times[] = {"ns", "us", "ms", "s"};
    const char *unit = text_of(row, "unit");
    struct json_object *ratio;
    if (!json_object_object_get_ex(row, key, &ratio) || !ratio)
        return NAN;
    double value = json_object_get_double(ratio);
    for (size_t i = 0; unit && i < ARRAY_SIZE(times); i++)
        if (strcmp(unit, times[i]) == 0)
            return value > 0 ? 1 / value : NAN;
    return value;
}

static double speed_of(struct json_object *row)
{
    return speed_by(row, "ratio");
}

// The speed, and those of the slowest and the fastest process.
static void write_speeds(FILE *out, struct json_object *row)
{
    double speed = row ? speed_of(row) : NAN;
    double one = row ? speed_by(row, "ratio_min") : NAN,
           other = row ? speed_by(row, "ratio_max") : NAN;
    fprintf(out, " %g %g %g", speed, fmin(speed, fmin(one, other)), fmax(speed, fmax(one, other)));
}

// Returns the name with that of the competitor. Returns NULL if it has no name.
static char *label_of(struct json_object *row)
{
    const char *name = text_of(row, "name"), *against = text_of(row, "against");
    char *label;
    int n = !name     ? -1
            : against ? asprintf(&label, "%s (%s)", name, against)
                      : asprintf(&label, "%s", name);
    return n < 0 ? NULL : label;
}

// The rows of the first file that compare with anything, from above, with each file's speeds or
// NaN.
static size_t write_rows(FILE *out, struct json_object **roots, const struct options *options)
{
    struct json_object *rows = array_of(roots[0], "ratios");
    size_t drawn = 0;
    fputs("$rows << EOD\n", out);
    for (size_t i = json_object_array_length(rows); i-- > 0;) {
        struct json_object *first = json_object_array_get_idx(rows, i);
        cleanup_free char *label = label_of(first);
        if (!label || isnan(speed_of(first)) || !options_want_row(options, label))
            continue;
        fprintf(out, "%zu ", ++drawn);
        write_field(out, label);
        for (size_t f = 0; f < options->n_files; f++) {
            struct json_object *row =
                row_named(array_of(roots[f], "ratios"), text_of(first, "name"));
            write_speeds(out, row);
        }
        fputc('\n', out);
    }
    fputs("EOD\n", out);
    return drawn;
}

static bool draw_rows(FILE *out, struct json_object **roots, const struct options *options,
                      struct problem *problem)
{
    size_t drawn = write_rows(out, roots, options);
    if (!drawn && options->rows)
        return problem_set(problem, "%s: no row that can be drawn is named '%.100s'",
                           options->files[0], options->rows);
    if (!drawn)
        return problem_set(problem, "%s: no row that can be drawn", options->files[0]);
    set_terminal(out, 100 + 18 * drawn);
    fprintf(out,
            "set logscale x 2\nset xlabel 'times as fast as what each row names'\n"
            "set yrange [0.5:%zu.5]\nset grid x y\n"
            "set arrow from 1,0.5 to 1,%zu.5 nohead linewidth 2\nset key above\nplot",
            drawn, drawn);
    for (size_t i = 0; i < options->n_files; i++) {
        fprintf(
            out,
            "%s $rows using %zu:1:%zu:%zu:ytic(2) with xerrorbars pointtype 7 linecolor %zu title ",
            i ? "," : "", 3 * i + 3, 3 * i + 4, 3 * i + 5, i + 1);
        write_quoted(out, options->files[i]);
    }
    fputc('\n', out);
    return true;
}

// ---- all charts ---------------------------------------------------------------------------------

// Returns why a file was not read, from json-c's error.
static void not_read(const char *path, const char *why, struct problem *problem)
{
    static const char parser[] = "json_tokener_parse_ex failed: ";
    const int length = (int)strcspn(why, "\n");
    if (strncmp(why, parser, strlen(parser)) != 0)
        problem_set(problem, "%s: %.*s", path, length, why);
    else if (strncmp(why + strlen(parser), "continue", strlen("continue")) == 0)
        problem_set(problem, "%s: it is empty, or ends within its JSON", path);
    else
        problem_set(problem, "%s: this is not JSON", path);
}

static struct json_object *read_file(const char *path, struct problem *problem)
{
    cleanup_fd int fd = open(strcmp(path, "-") == 0 ? "/dev/stdin" : path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        problem_set(problem, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct json_object *root = json_object_from_fd(fd);
    if (!root)
        not_read(path, json_util_get_last_err(), problem);
    else if (!array_of(root, "runs") && !array_of(root, "ratios"))
        problem_set(problem, "%s: neither of `--all --json` nor of `compare --json`", path);
    else
        return root;
    json_object_put(root);
    return NULL;
}

static bool draw(FILE *out, struct json_object **roots, const struct options *options,
                 struct problem *problem)
{
    const char *kind = array_of(roots[0], "runs") ? "runs" : "ratios";
    for (size_t i = 1; i < options->n_files; i++)
        if (!array_of(roots[i], kind))
            return problem_set(problem, "%s and %s are of different kinds", options->files[0],
                               options->files[i]);
    fputs("set encoding utf8\nset grid\n", out);
    return strcmp(kind, "runs") == 0 ? draw_sizes(out, roots, options, problem)
                                     : draw_rows(out, roots, options, problem);
}

// gnuplot's standard output is ours. A chart is written completely, or not at all.
static bool run_gnuplot(const char *script, struct problem *problem)
{
    signal(SIGPIPE, SIG_IGN); // it may be missing, or end early
    FILE *gnuplot = popen("exec gnuplot", "we");
    if (!gnuplot)
        return problem_set(problem, "gnuplot does not start");
    fputs(script, gnuplot);
    int status = pclose(gnuplot);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return problem_set(problem, "there is no gnuplot here (package gnuplot-nox)");
    return status == 0 || problem_set(problem, "gnuplot has failed");
}

static bool draw_files(struct json_object **roots, const struct options *options,
                       struct problem *problem)
{
    cleanup_free char *script = NULL;
    size_t size;
    FILE *out = open_memstream(&script, &size);
    if (!out)
        return problem_set(problem, "out of memory");
    bool ok = draw(out, roots, options, problem);
    if (fclose(out) != 0 && ok)
        return problem_set(problem, "out of memory");
    return ok && run_gnuplot(script, problem);
}

bool supervise_plot(struct supervisor *sup, const struct options *options, struct problem *problem)
{
    struct json_object *roots[FILES_MAX] = {NULL};
    bool ok = true;
    (void)sup;

    for (size_t i = 0; ok && i < options->n_files; i++)
        ok = (roots[i] = read_file(options->files[i], problem)) != NULL;
    ok = ok && draw_files(roots, options, problem);
    for (size_t i = 0; i < options->n_files; i++)
        json_object_put(roots[i]);
    return ok;
}
