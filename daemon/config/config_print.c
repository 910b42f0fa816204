// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "cleanup.h"
#include "config_types.h"
#include "copy_text.h"
#include "text.h"

#include <string.h>

// ---- one option -----------------------------------------------------------------------------

struct config_printed config_print_value(const struct config_option *o, const void *base)
{
    struct config_printed printed = {0};
    size_t size;
    FILE *out = open_memstream(&printed.text, &size);
    if (out) {
        printed.is_set = o->type->print(o, base, out);
        fclose(out);
    }
    return printed;
}

// The defaults are the same text on every machine, since that text is also installed with docad.
static void print_option(const struct config_option *o, const struct config *config,
                         const struct config *defaults, const char *indent, FILE *out)
{
    struct config_printed now = config_print_value(o, config),
                          otherwise = config_print_value(o, defaults);
    if (now.text && otherwise.text) {
        bool same = now.is_set == otherwise.is_set &&
                    (!now.is_set || strcmp(now.text, otherwise.text) == 0);
        fprintf(out, "%s%s%s%s = %s\n", o->text ? o->text : "", indent, same ? "# " : "", o->name,
                same && o->by_default ? o->by_default : now.text);
    }
    free(now.text);
    free(otherwise.text);
}

// Prints the options that were set. Returns whether there was any; `out` may be NULL.
static bool print_set(const struct config_section *section, const void *base, const char *mark,
                      FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < section->n_options; i++) {
        const struct config_option *o = &section->options[i];
        struct config_printed now = config_print_value(o, base);
        if (now.text && now.is_set && (!o->shown || o->shown(base))) {
            any = true;
            if (out)
                fprintf(out, "%s    %s = %s\n", mark, o->name, now.text);
        }
        free(now.text);
    }
    return any;
}

// ---- titles -----------------------------------------------------------------------------------

static bool is_peer_name(const struct config *c, size_t n, char names[][NODE_NAME_SIZE],
                         const char *name)
{
    for (size_t i = 0; i < c->n_peers; i++)
        if (strcmp(c->peers[i].name, name) == 0 || (i < n && strcmp(names[i], name) == 0))
            return true;
    return false;
}

// Peers from the command line have no name. They get the name of the socket file without its
// extension, with a number if another peer has that name.
static void name_peers(const struct config *c, char names[][NODE_NAME_SIZE])
{
    for (size_t i = 0; i < c->n_peers; i++) {
        char base[NODE_NAME_SIZE - 4]; // room for the number
        copy_text(names[i], c->peers[i].name);
        if (names[i][0])
            continue;
        const char *file = strrchr(c->peers[i].socket, '/');
        file = file ? file + 1 : c->peers[i].socket;
        snprintf(base, sizeof(base), "%.*s", (int)strcspn(file, "."), file);
        if (!text_is_name(base, sizeof(base)))
            copy_text(base, "peer");
        copy_text(names[i], base);
        for (unsigned number = 2; is_peer_name(c, i, names, names[i]); number++)
            snprintf(names[i], NODE_NAME_SIZE, "%s-%u", base, number % 100);
    }
}

static bool is_built_in(const struct config *config)
{
    struct function_setting built_in[FUNCTIONS_MAX];
    size_t n = topology_default(config->role, built_in);
    return n == config->n_functions &&
           memcmp(built_in, config->functions, n * sizeof(*built_in)) == 0;
}

// ---- sections ---------------------------------------------------------------------------------

static void print_titled(const struct config_section *section, const struct config *config,
                         FILE *out)
{
    char peer_names[CONFIG_PEERS_MAX][NODE_NAME_SIZE];
    size_t n = *(const size_t *)((const char *)config + section->count);
    const char *item = (const char *)config + section->items;
    bool is_peer = item == (const char *)config->peers;
    const char *mark = item == (const char *)config->functions && is_built_in(config) ? "# " : "";

    name_peers(config, peer_names);
    for (size_t i = 0; i < n; i++, item += section->item_size) {
        fprintf(out, "%s%s ", mark, section->name);
        config_print_text(is_peer ? peer_names[i] : item + section->title, out);
        fprintf(out, " {\n");
        print_set(section, item, mark, out);
        fprintf(out, "%s}\n", mark);
    }
    if (n == 0 && section->example)
        fputs(section->example, out);
}

static void print_full(const struct config_section *section, const struct config *config,
                       const struct config *defaults, FILE *out)
{
    if (section->name)
        fprintf(out, "%s {\n", section->name);
    for (size_t i = 0; i < section->n_options; i++)
        print_option(&section->options[i], config, defaults, section->name ? "    " : "", out);
    if (section->name)
        fprintf(out, "}\n");
}

static void print_section(const struct config_section *section, const struct config *config,
                          const struct config *defaults, FILE *out)
{
    fputs(section->text ? section->text : "", out);
    if (!section->sparse) {
        print_full(section, config, defaults, out);
        return;
    }
    for (size_t i = 0; i < section->n_options; i++)
        fputs(section->options[i].text ? section->options[i].text : "", out);
    fputs(section->text_after ? section->text_after : "", out);
    if (section->max) {
        print_titled(section, config, out);
    } else if (print_set(section, config, "", NULL)) {
        fprintf(out, "%s {\n", section->name);
        print_set(section, config, "", out);
        fprintf(out, "}\n");
    } else {
        fputs(section->example, out);
    }
}

void config_print(const struct config *config, FILE *out)
{
    cleanup_free struct config *defaults = malloc(sizeof(*defaults));
    if (!defaults)
        return;
    config_init(defaults);
    copy_text(defaults->name, role_name(config->role));
    if (!socket_path_for_daemon(defaults->socket))
        defaults->socket[0] = '\0';
    size_t n;
    const struct config_section *sections = config_sections(&n);
    for (size_t i = 0; i < n; i++)
        print_section(&sections[i], config, defaults, out);
}
