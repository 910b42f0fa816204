// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Faults that docad injects: rules of common/fault_spec.h for exports, imports and links.

#include "config_types.h"
#include "copy_text.h"
#include "fault_spec.h"

#include <string.h>

// Reads rules, in addition to the existing ones: fault_spec_read() with an error text.
static bool check(const char *rules, struct fault_spec *spec, char *why)
{
    struct fault_error error;
    if (fault_spec_read(rules, NULL, spec, &error))
        return true;
    return config_no(why, "%s (see faults in docad.conf(5))", error.text);
}

static bool read_faults(const struct config_option *o, void *base, const char *text, char *why)
{
    static struct fault_spec spec; // too large for the stack
    char *faults = (char *)base + o->at, all[CONFIG_FAULTS_SIZE];

    if (!check(text, &spec, why))
        return false;
    const struct fault_rule *other = fault_spec_find(&spec, false);
    if (other)
        return config_no(why, "'%.64s' is not about export, import or link (docad-run --faults)",
                         other->text);
    int n = snprintf(all, sizeof(all), "%s%s%s", faults, faults[0] ? "\n" : "", text);
    if (n < 0 || (size_t)n >= sizeof(all))
        return config_no(why, "more than %d bytes of rules (leave some out)", CONFIG_FAULTS_SIZE);
    if (!check(all, &spec, why))
        return false;
    copy_text_into(faults, o->size, all);
    return true;
}

static bool print_faults(const struct config_option *o, const void *base, FILE *out)
{
    const char *faults = (const char *)base + o->at;
    char line[CONFIG_FAULTS_SIZE];

    fputc('{', out);
    for (const char *at = faults; *at;) {
        size_t length = strcspn(at, "\n");
        memcpy(line, at, length);
        line[length] = '\0';
        fputs(at == faults ? "" : ", ", out);
        config_print_text(line, out);
        at += length + (at[length] == '\n');
    }
    fputc('}', out);
    return faults[0] != '\0';
}

const struct config_type config_faults = {
    .read = read_faults, .print = print_faults, .is_list = true};
