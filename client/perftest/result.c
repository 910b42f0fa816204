// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "result.h"

#include "clock.h"
#include "work/copy.h"

#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

void result_add(struct result *result, const char *key, const char *title, double value, int digits)
{
    if (result->n_figures == FIGURES_MAX)
        return;
    result->figures[result->n_figures++] =
        (struct figure){.key = key, .title = title, .value = value, .digits = digits};
}

void result_add_spread(struct result *result, const struct spread *spread)
{
    result_add(result, "min_usec", "min[usec]", spread->min / 1e3, 3);
    result_add(result, "p50_usec", "p50[usec]", spread->p50 / 1e3, 3);
    result_add(result, "average_usec", "avg[usec]", spread->average / 1e3, 3);
    result_add(result, "p90_usec", "p90[usec]", spread->p90 / 1e3, 3);
    result_add(result, "p99_usec", "p99[usec]", spread->p99 / 1e3, 3);
    result_add(result, "p99_9_usec", "p99.9[usec]", spread->p999 / 1e3, 3);
    result_add(result, "max_usec", "max[usec]", spread->max / 1e3, 3);
    result_add(result, "stdev_usec", "stdev[usec]", spread->deviation / 1e3, 3);
}

// ---- table -----------------------------------------------------------------------------

static int column_width(const struct figure *figure, int least)
{
    int value = snprintf(NULL, 0, "%.*f", figure->digits, figure->value);
    int title = (int)strlen(figure->title);
    int width = value > title ? value : title;
    return width > least ? width : least;
}

void result_print_titles(const struct result *result, int least)
{
    for (size_t i = 0; i < result->n_figures; i++)
        if (result->figures[i].title)
            printf(" %*s ", column_width(&result->figures[i], least), result->figures[i].title);
    putchar('\n');
}

void result_print(const struct result *result, int least)
{
    for (size_t i = 0; i < result->n_figures; i++)
        if (result->figures[i].title)
            printf(" %*.*f ", column_width(&result->figures[i], least), result->figures[i].digits,
                   result->figures[i].value);
    putchar('\n');
}

// ---- JSON ----------------------------------------------------------------------------------

bool json_print(struct json_object *object)
{
    const int flags =
        JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;
    int r = printf("%s\n", json_object_to_json_string_ext(object, flags));
    json_object_put(object);
    return r >= 0 && fflush(stdout) == 0;
}

// Six significant digits: more are noise.
void json_add_number(struct json_object *object, const char *key, double value)
{
    struct json_object *number = NULL;
    if (isfinite(value)) {
        char text[32];
        bool whole = value == floor(value) && fabs(value) < 1e15;
        snprintf(text, sizeof(text), whole ? "%.0f" : "%.6g", value);
        number =
            whole ? json_object_new_int64((int64_t)value) : json_object_new_double_s(value, text);
    }
    json_object_object_add(object, key, number);
}

void json_add_text(struct json_object *object, const char *key, const char *text)
{
    json_object_object_add(object, key, text ? json_object_new_string(text) : NULL);
}

// Adds the routine with which the library copies here, and from how many bytes on.
static struct json_object *copies_json(void)
{
    struct json_object *list = json_object_new_array();
    const char *before = NULL;

    copy_init();
    const size_t from[] = {1, copy_large_from};
    for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
        const char *name = copy_routine_name(from[i]);
        if (from[i] == SIZE_MAX || (before && strcmp(name, before) == 0))
            continue;
        struct json_object *copies = json_object_new_object();
        json_add_number(copies, "from", (double)from[i]);
        json_add_text(copies, "with", name);
        json_object_array_add(list, copies);
        before = name;
    }
    return list;
}

void json_add_head(struct json_object *object, const char *command)
{
    json_add_text(object, "program", "doca-perftest");
    json_add_text(object, "version", DOCAD_VERSION);
    json_add_text(object, "command", command);

    struct json_object *clock = json_object_new_object();
    json_add_text(clock, "source", clock_name());
    json_add_number(clock, "overhead_ns", ticks_to_ns(clock_source.overhead));
    json_add_number(clock, "step_ns", ticks_to_ns(clock_source.step));
    json_object_object_add(object, "clock", clock);

    struct utsname name;
    struct json_object *machine = json_object_new_object();
    if (uname(&name) == 0) {
        json_add_text(machine, "kernel", name.release);
        json_add_text(machine, "architecture", name.machine);
    }
    json_add_number(machine, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
    json_object_object_add(machine, "copies", copies_json());
    json_object_object_add(object, "machine", machine);
}

struct json_object *result_json(const struct result *result)
{
    struct json_object *object = json_object_new_object();
    for (size_t i = 0; i < result->n_figures; i++)
        json_add_number(object, result->figures[i].key, result->figures[i].value);
    json_object_object_add(object, "verified", json_object_new_boolean(result->verified));
    return object;
}
