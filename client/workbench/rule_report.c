// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "rule_report.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SITES_MAX 256

static const struct {
    const char *id, *what, *remedy;
} rules[] = {
#define ROW(name, id, what, remedy, why, guide) {id, what, remedy},
    RULES(ROW)
#undef ROW
};

static bool is_fatal;
static const char *copy_path; // NULL: there is none
static int copy = -1;
static char copy_file[128]; // what the kernel calls it
static unsigned long violations;
// Where each violation was: one is written once for each place.
static struct site {
    enum rule rule;
    void *place;
} sites[SITES_MAX];
static unsigned site_count;

static void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (copy < 0)
        return;
    va_start(arguments, format);
    vdprintf(copy, format, arguments);
    va_end(arguments);
}

static bool is_copy(int fd)
{
    char link[32], file[sizeof(copy_file)] = "";
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    return fd >= 0 && readlink(link, file, sizeof(file) - 1) > 0 && strcmp(file, copy_file) == 0;
}

// A program may have closed all descriptors, and opened files of its own.
static void open_copy(void)
{
    if (!copy_path || is_copy(copy))
        return;
    copy = open(copy_path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

void report_start(bool fatal, const char *path)
{
    char link[32];
    is_fatal = fatal;
    copy_path = path ? strdup(path) : NULL; // programs may write over their environment
    if (!path)
        return;
    copy = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    snprintf(link, sizeof(link), "/proc/self/fd/%d", copy);
    if (copy < 0 || readlink(link, copy_file, sizeof(copy_file) - 1) < 0)
        copy_file[0] = '\0';
}

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

// ---- text

static void print_stack(const struct stack *stack)
{
    char text[FRAME_TEXT];
    for (int i = 0; i < stack->count; i++) {
        frame_text(stack->frames[i], text);
        print("        %s\n", text);
    }
}

static void print_object(const struct entry *entry)
{
    if (!entry || !entry->made_by)
        return;
    print("    the %s was made by %s() at\n", entry->type, entry->made_by->name);
    print_stack(&entry->made);
    if (!entry->alive && entry->destroyed_by)
        print("    and destroyed by %s()\n", entry->destroyed_by->name);
}

static void print_end(enum rule rule)
{
    print("    What to do: %s\n    (docactl why %s)\n", rules[rule].remedy, rules[rule].id);
}

void report(const struct finding *finding)
{
    struct stack stack = finding->at;
    if (!stack.count)
        stack_take(&stack);
    violations++;
    if (!is_new(finding->rule, &stack))
        return;
    open_copy();
    print("docad-run: %s: %s\n", rules[finding->rule].id, rules[finding->rule].what);
    if (finding->detail && *finding->detail)
        print("    %s\n", finding->detail);
    print("    in %s(), called at\n", finding->function->name);
    print_stack(&stack);
    print_object(finding->object);
    if (finding->other != finding->object)
        print_object(finding->other);
    if (finding->since && finding->since->count) {
        print("    %s\n", finding->began);
        print_stack(finding->since);
    }
    print_end(finding->rule);
    if (is_fatal)
        _exit(CHECK_STATUS);
}

void report_left(const struct entry *entry)
{
    violations++;
    if (!is_new(RULE_ALIVE_AT_END, &entry->made))
        return;
    open_copy();
    print("docad-run: %s: %s\n", rules[RULE_ALIVE_AT_END].id, rules[RULE_ALIVE_AT_END].what);
    print_object(entry);
    print_end(RULE_ALIVE_AT_END);
}

void report_end(void)
{
    open_copy();
    if (violations)
        print("docad-run: %lu violations of rules\n", violations);
    if (violations && is_fatal) {
        fflush(NULL);
        _exit(CHECK_STATUS);
    }
}

void report_in_child(void)
{
    violations = 0;
}
