// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Help: two groups of flags, in columns.
//
//     Program Flags:
//       -p, --pci-addr <address>   DOCA device PCI address (mandatory)
//           --async                Do not wait

#include "argp.h"

#include <doca_version.h>

#include <string.h>

#define VERSION_3      "3.0.0058" // as in the header of DOCA 3
#define WIDTH          80
#define LEFT_WIDTH_MAX 36 // if the left side is longer, the description is on the next line

struct columns {
    int short_width; // of the longest short name, with its dash
    int left_width;
};

// A flag as help shows it; a built-in flag has only the names that the program does not use.
struct entry {
    const struct doca_argp_param *param;
    const char *short_name, *long_name; // or NULL
};

static struct entry program_entry(const struct doca_argp_param *p)
{
    return (struct entry){p, p->short_name, p->long_name};
}

static struct entry builtin_entry(enum builtin b)
{
    return (struct entry){&builtins[b], builtin_short(b), builtin_long(b)};
}

static bool shown(const struct entry *e)
{
    return e->short_name || e->long_name;
}

static const char *placeholder(const struct doca_argp_param *p)
{
    if (p->arguments)
        return p->arguments;
    switch (p->type) {
    case DOCA_ARGP_TYPE_STRING:
        return "<text>";
    case DOCA_ARGP_TYPE_INT:
        return "<number>";
    default:
        return "";
    }
}

// Writes "  -p, --pci-addr <address>" into `out` (which may be NULL); returns its length.
static int left_side(char *out, size_t size, const struct entry *e, const struct columns *columns)
{
    const char *value = placeholder(e->param);
    const char *quote = e->long_name && strchr(e->long_name, ' ') ? "\"" : "";
    char short_part[64] = "";

    if (e->short_name)
        snprintf(short_part, sizeof(short_part), "-%s%s", e->short_name, e->long_name ? "," : "");
    return snprintf(out, size, "  %-*s%s%s%s%s%s%s%s", e->long_name ? columns->short_width + 1 : 0,
                    short_part, e->long_name ? " " : "", quote, e->long_name ? "--" : "",
                    e->long_name ? e->long_name : "", quote, *value ? " " : "", value);
}

static void print_spaces(FILE *out, int n)
{
    fprintf(out, "%*s", n, "");
}

// Prints words up to WIDTH, with further lines below the first. The cursor is in column
// `column`.
static void print_wrapped(FILE *out, const char *text, int left, int *column)
{
    while (*text) {
        int word = (int)strcspn(text, " \n");
        if (*column > left && *column + 1 + word > WIDTH) {
            fputc('\n', out);
            print_spaces(out, left);
            *column = left;
        }
        if (*column > left && word)
            *column += fprintf(out, " ");
        *column += fprintf(out, "%.*s", word, text);
        text += word;
        if (*text == '\n') {
            fputc('\n', out);
            print_spaces(out, left);
            *column = left;
        }
        text += *text != 0;
    }
}

static void entry_print(FILE *out, const struct entry *e, const struct columns *columns)
{
    char left[512];
    int length = left_side(left, sizeof(left), e, columns);
    int column = columns->left_width + 2;

    fputs(left, out);
    if (length > columns->left_width) {
        fputc('\n', out);
        length = 0;
    }
    print_spaces(out, column - length);

    const struct doca_argp_param *p = e->param;
    int at = column;
    enum builtin b = flag_builtin(p);
    print_wrapped(out, b < BUILTINS ? builtin_description(b) : p->description, column, &at);
    if (p->mandatory)
        print_wrapped(out, "(mandatory)", column, &at);
    if (p->multiplicity)
        print_wrapped(out, "(may be repeated)", column, &at);
    if (p->singular)
        print_wrapped(out, "(alone)", column, &at);
    if (p->cli_only && b == BUILTINS)
        print_wrapped(out, "(command line only)", column, &at);
    if (p->type == DOCA_ARGP_TYPE_JSON_OBJ)
        print_wrapped(out, "(JSON file only)", column, &at);
    fputc('\n', out);
}

static void fit_short(struct columns *columns, const struct entry *e)
{
    int width = e->short_name && e->long_name ? (int)strlen(e->short_name) + 1 : 0;
    if (width > columns->short_width)
        columns->short_width = width;
}

static void fit_left(struct columns *columns, const struct entry *e)
{
    int width = shown(e) ? left_side(NULL, 0, e, columns) : 0;
    if (width > columns->left_width && width <= LEFT_WIDTH_MAX)
        columns->left_width = width;
}

// The action for each flag.
struct visit {
    struct columns *columns;
    void (*fit)(struct columns *, const struct entry *); // or NULL: print
    FILE *out;
    unsigned shown;
};

static void visit_flag(struct doca_argp_param *p, void *data)
{
    struct visit *v = data;
    struct entry e = program_entry(p);

    if (p->hidden)
        return;
    if (v->fit)
        v->fit(v->columns, &e);
    else if (v->out)
        entry_print(v->out, &e, v->columns);
    v->shown++;
}

static unsigned fit_all(struct columns *columns,
                        void (*fit)(struct columns *, const struct entry *))
{
    struct visit v = {columns, .fit = fit};
    for (enum builtin b = 0; b < BUILTINS; b++) {
        struct entry e = builtin_entry(b);
        fit(columns, &e);
    }
    flags_visit(visit_flag, &v);
    return v.shown;
}

static void print_path(FILE *out, const struct doca_argp_cmd *cmd)
{
    if (!cmd->above)
        return;
    print_path(out, cmd->above);
    fprintf(out, " %s", cmd->name);
}

static void print_commands(FILE *out)
{
    const struct doca_argp_cmd *cmd;
    int width = 0;

    list_for_each (cmd, &argp.current->cmds, link) {
        int length = cmd->hidden ? 0 : (int)strlen(cmd->name);
        width = length > width && length <= LEFT_WIDTH_MAX ? length : width;
    }
    if (!width)
        return;
    fprintf(out, "\nCommands:\n");
    list_for_each (cmd, &argp.current->cmds, link) {
        int column = width + 4, at = column;
        if (cmd->hidden)
            continue;
        fprintf(out, "  %-*s  ", width, cmd->name);
        print_wrapped(out, cmd->description, column, &at);
        fputc('\n', out);
    }
}

void help_print(FILE *out)
{
    struct columns columns = {.left_width = 0};
    struct visit print = {&columns, .out = out};
    bool flags = fit_all(&columns, fit_short) > 0;
    fit_all(&columns, fit_left);

    fprintf(out, "Usage: %s", argp.name);
    print_path(out, argp.current);
    fprintf(out, "%s [DOCA Flags]%s%s\n\nDOCA Flags:\n", argp.dpdk ? " [DPDK Flags] --" : "",
            flags ? " [Program Flags]" : "", list_empty(&argp.current->cmds) ? "" : " [Command]");
    for (enum builtin b = 0; b < BUILTINS; b++) {
        struct entry e = builtin_entry(b);
        if (shown(&e))
            entry_print(out, &e, &columns);
    }
    if (flags) {
        fprintf(out, "\nProgram Flags:\n");
        flags_visit(visit_flag, &print);
    }
    print_commands(out);
    fputc('\n', out);
    fflush(out);
}

void version_print(FILE *out)
{
    fprintf(out, "%s (DOCA interface %s)\n", argp.name,
            argp.interface == ARGP_3 ? VERSION_3 : doca_version_runtime());
    fflush(out);
}
