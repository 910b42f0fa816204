// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "faulted.h"

#include "fail.h"
#include "fault_spec.h"

#include "cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX 65536 // bytes, less than an argument of a program may have

static char *read_file(const char *path)
{
    cleanup_file FILE *file = fopen(path, "re");
    char *text = calloc(1, FILE_MAX + 1);
    if (!file)
        fail(2, "--faults: '%s' is neither rules, such as 'dma.memcpy: IO_FAILED', nor a file: %s",
             path, strerror(errno));
    if (!text)
        fail(1, "no memory is left");
    size_t size = fread(text, 1, FILE_MAX + 1, file);
    if (ferror(file) || size > FILE_MAX || memchr(text, '\0', size))
        fail(2, "--faults: %s is not a text of at most %d bytes", path, FILE_MAX);
    return text;
}

// Appends it with single spaces between its words: docad has little room for rules.
static void append(char *to, const char *rule, size_t length)
{
    bool spaces = false;
    to += strlen(to);
    for (size_t i = 0; i < length; i++) {
        bool space = rule[i] == ' ' || rule[i] == '\t' || rule[i] == '\r';
        if (!space || !spaces)
            *to++ = space ? ' ' : rule[i];
        spaces = space;
    }
    *to = '\0';
}

// The rules of the node that are not of this kind, one a line; NULL: there are none.
static const char *node_rules_of(const char *all, const struct fault_spec *spec,
                                 enum fault_kind without)
{
    char *text = NULL;
    for (size_t i = 0; i < spec->count; i++) {
        const struct fault_rule *rule = &spec->rules[i];
        if (!fault_is_of_node(rule->kind) || rule->kind == without)
            continue;
        if (text)
            append(text, "\n", 1);
        else if (!(text = calloc(1, strlen(all) + 1)))
            fail(1, "no memory is left");
        append(text, all + rule->at, rule->length);
    }
    return text;
}

static const char *read_nodes(const char *text, enum fault_kind without)
{
    static struct fault_spec spec;
    struct fault_error error;
    return text && fault_spec_read(text, NULL, &spec, &error) ? node_rules_of(text, &spec, without)
                                                              : NULL;
}

const char *faulted_of_nodes(const char *text)
{
    return read_nodes(text, FAULT_FUNCTION);
}

const char *faulted_without_links(const char *node_rules)
{
    return read_nodes(node_rules, FAULT_LINK);
}

const char *faulted_read(const char *argument, const char **node_rules)
{
    static struct fault_spec spec;
    struct fault_error error;
    bool is_file = !strchr(argument, ':') || access(argument, R_OK) == 0;
    const char *text = is_file ? read_file(argument) : argument;
    // libdocad-workbench has the names of functions and tasks, and checks them.
    if (!fault_spec_read(text, NULL, &spec, &error))
        fail(2, "--faults%s%s, line %u, column %u: %s", is_file ? ": " : "",
             is_file ? argument : "", error.line, error.column, error.text);
    *node_rules = node_rules_of(text, &spec, FAULT_FUNCTION);
    return fault_spec_find(&spec, false) ? text : NULL;
}
