// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Reads the file according to its table (config_table.h).

#include "config.h"

#include "choice.h"
#include "cleanup.h"
#include "config_check.h"
#include "config_drop.h"
#include "config_text.h"
#include "config_types.h"
#include "text.h"

#include <confuse.h>
#include <errno.h>
#include <string.h>

#define SECTIONS_MAX 8
#define PASSES_MAX   64 // each skips one more statement than the pass before

// libconfuse passes no argument to its callbacks.
static struct parser {
    struct config *config;
    struct complaints complaints;
    // the section with a title that is being read
    union {
        struct config_peer peer;
        struct function_setting function;
        struct policy_rule rule;
    } item;
    int lines[CONFIG_OPTIONS_MAX]; // the lines of its options
    bool bad;
    int pci_lines[FUNCTIONS_MAX];
    // the list that is being read, and how many elements have been read
    const cfg_opt_t *list;
    unsigned elements;
    bool nameless;   // the role or the name of the node could not be read
    int section_end; // the line of the last brace that closed a section with a title
    // the statement at which this pass ended
    int failed_line;
    char failed_word[64]; // empty: unknown
} parser;

// ---- syntax errors ----------------------------------------------------

static const char *hint(const char *text)
{
    static const char *const hints[][2] = {
        {"found duplicate title", "give each section its own name"},
        {"missing opening brace", "write: section \"name\" { ... }"},
        {"missing equal sign", "write: option = value"},
        {"unexpected closing brace", "write: option = value before it"},
        {"no closing brace", "close the section with '}'"},
        {"unexpected token", "write: option = value"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
        if (strncmp(text, hints[i][0], strlen(hints[i][0])) == 0)
            return hints[i][1];
    return "write: option = value";
}

// The word in quotation marks, if the text has one: that of the statement, except for a title.
static void take_word(const char *text, char *word, size_t size)
{
    const char *begin = strchr(text, '\''), *end = begin ? strchr(begin + 1, '\'') : NULL;

    word[0] = '\0';
    if (end && (size_t)(end - begin) <= size && strncmp(text, "found duplicate title", 21) != 0)
        snprintf(word, size, "%.*s", (int)(end - begin - 1), begin + 1);
}

static bool has_option(const struct config_section *section, const char *name)
{
    for (size_t i = 0; i < section->n_options; i++)
        if (strcmp(section->options[i].name, name) == 0)
            return true;
    return false;
}

// Appends where else such an option is possible. Returns false if it is possible nowhere.
static bool suggest_section(const char *name, char *text, size_t size)
{
    size_t n, used = strlen(text);
    const struct config_section *sections = config_sections(&n);

    for (size_t i = 0; i < n; i++) {
        if (!has_option(&sections[i], name))
            continue;
        if (sections[i].name)
            snprintf(text + used, size - used, "; it belongs in section %s", sections[i].name);
        else
            snprintf(text + used, size - used, "; it belongs outside of all sections");
        return true;
    }
    return false;
}

static void suggest_option(const cfg_t *cfg, const char *word, char *text, size_t size)
{
    struct choice names = {.n = 0};

    for (const cfg_opt_t *o = cfg->opts; o->name; o++)
        choice_add(&names, o->name, strlen(o->name));
    if (!suggest_section(word, text, size) && strlen(word) > 1)
        choice_suggest(&names, word, text, size);
    const char *before = " (possible here: ";
    for (const cfg_opt_t *o = cfg->opts; o->name; o++, before = ", ") {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", before, o->name);
    }
    size_t used = strlen(text);
    snprintf(text + used, size - used, ")");
}

__attribute__((format(printf, 2, 0))) static void on_parse_error(cfg_t *cfg, const char *format,
                                                                 va_list args)
{
    char text[1024];

    if (parser.failed_line)
        return; // a consequence of the first one
    vsnprintf(text, sizeof(text), format, args);
    parser.failed_line = cfg->line;
    take_word(text, parser.failed_word, sizeof(parser.failed_word));
    if (strncmp(text, "no such option", 14) == 0) {
        suggest_option(cfg, parser.failed_word, text, sizeof(text));
    } else if (strncmp(text, "missing title", 13) == 0) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used, " (write a name after it: %s \"NAME\" { ... })",
                 parser.failed_word);
    } else {
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used, " (%s)", hint(text));
    }
    complain_syntax(&parser.complaints, cfg->line, text);
}

// ---- options ---------------------------------------------------------------------------

static const struct config_section *find_section(const char *name)
{
    size_t n;
    const struct config_section *sections = config_sections(&n);
    for (size_t i = 1; i < n; i++)
        if (strcmp(sections[i].name, name) == 0)
            return &sections[i];
    return &sections[0];
}

static const struct config_option *find_option(const struct config_section *section,
                                               const char *name)
{
    const struct config_option *o = section->options;
    while (strcmp(o->name, name) != 0)
        o++;
    return o;
}

static void *base_of(const struct config_section *section)
{
    return section->max ? (void *)&parser.item : parser.config;
}

static void read_value(cfg_t *cfg, cfg_opt_t *opt, const struct config_section *section,
                       const struct config_option *o)
{
    const char *text = cfg_opt_getnstr(opt, cfg_opt_size(opt) - 1);
    char why[CONFIG_WHY_SIZE];

    parser.lines[o - section->options] = cfg->line;
    if (section->name && strcmp(section->name, "tls") == 0)
        parser.config->lines.tls[o - section->options] = cfg->line;
    if (o->type->read(o, base_of(section), text ? text : "", why))
        return;
    parser.nameless |=
        !section->name && (strcmp(o->name, "role") == 0 || strcmp(o->name, "name") == 0);
    parser.bad = true;
    if (section->max)
        complain(&parser.complaints, cfg->line, "%s \"%s\": %s = \"%s\": %s", section->name,
                 cfg->title, o->name, text, why);
    else
        complain(&parser.complaints, cfg->line, "%s = \"%s\": %s", o->name, text, why);
}

// Called for each value, and once more at the end of a list.
static int on_option(cfg_t *cfg, cfg_opt_t *opt)
{
    const struct config_section *section = find_section(cfg->name);
    const struct config_option *o = find_option(section, opt->name);
    unsigned n = cfg_opt_size(opt);

    if (o->type->is_list && (n == 0 || (parser.list == opt && parser.elements == n))) {
        parser.list = NULL;
        return 0;
    }
    if (o->type->is_list && n == 1)
        config_begin_list(o, base_of(section));
    parser.list = o->type->is_list ? opt : NULL;
    parser.elements = n;
    read_value(cfg, opt, section, o);
    return 0;
}

// ---- ends of sections --------------------------------------------------------------------

// Checks that this peer is complete.
static bool check_peer(int line, const char *title)
{
    const struct config_peer *peer = &parser.item.peer;

    if (!parser.bad && !peer->socket[0] == !peer->address[0]) {
        complain(&parser.complaints, line,
                 "peer \"%s\": %s (write: socket = \"/path/of/its/socket\", or, on another "
                 "machine: address = \"HOST:PORT\")",
                 title, peer->socket[0] ? "both socket and address" : "no socket or address");
        return false;
    }
    return !parser.bad;
}

// Returns the line of an option of this section; 0: it is not set.
static int line_of(const struct config_section *section, const char *name)
{
    return parser.lines[find_option(section, name) - section->options];
}

static void check_function(const struct config_section *section, int line, const char *title)
{
    const struct function *f = &parser.item.function.function;
    bool has_type = line_of(section, "type");
    bool sf = f->type == DOCAD__FUNCTION_TYPE__SF;

    if (f->backing == DOCAD__BACKING__VERBS) {
        if (!f->ibdev[0])
            complain(&parser.complaints, line,
                     "function \"%s\": no ibverbs device (write for instance: ibdev = mlx5_0)",
                     title);
        return; // the device supplies the rest
    }
    if (!has_type)
        complain(&parser.complaints, line, "function \"%s\": no type (write: type = pf, vf or sf)",
                 title);
    else if (!line_of(section, "port") && f->type != DOCAD__FUNCTION_TYPE__PF)
        complain(&parser.complaints, line,
                 "function \"%s\": a %s without port (write the number of its PF's port)", title,
                 function_type_name(f->type));
    if (!line_of(section, "pci") && !(has_type && sf))
        complain(&parser.complaints, line,
                 "function \"%s\": no PCI address (write: pci = \"0000:0b:00.0\")", title);
}

// Checks a section. Statements that seem to be missing may be among those that could not be parsed.
static bool check_item(int line, const char *title, const struct config_section *section)
{
    void *items = (char *)parser.config + section->items;
    bool whole = !complaints_has_gap(&parser.complaints, parser.section_end, line);

    if (items == parser.config->peers) {
        parser.config->lines.peers[parser.config->n_peers] = line;
        return whole ? check_peer(line, title) : !parser.bad;
    }
    if (items == parser.config->functions) {
        int pci_line = line_of(section, "pci");
        if (whole)
            check_function(section, line, title);
        parser.pci_lines[parser.config->n_functions] = pci_line ? pci_line : line;
    }
    if (items == parser.config->policy.rules)
        parser.config->lines.open[parser.config->policy.n_rules] = line_of(section, "open");
    return true;
}

static void keep_item(int line, const char *title, const struct config_section *section)
{
    size_t *n = (size_t *)((char *)parser.config + section->count);

    if (*n == section->max) {
        complain(&parser.complaints, line, "%s \"%s\": more than %zu (leave some out)",
                 section->name, title, section->max);
        return;
    }
    if (!text_is_name(title, section->title_size))
        complain(&parser.complaints, line,
                 "%s \"%s\": not a name (write 1 to %zu printable characters)", section->name,
                 title, section->title_size - 1);
    if (!check_item(line, title, section))
        return;
    char *item = (char *)parser.config + section->items + (*n)++ * section->item_size;
    memcpy(item, &parser.item, section->item_size);
    snprintf(item + section->title, section->title_size, "%s", title);
}

static int on_end(cfg_t *cfg, cfg_opt_t *opt)
{
    const struct config_section *section = find_section(opt->name);
    cfg_t *own = cfg_opt_getnsec(opt, cfg_opt_size(opt) - 1);

    for (size_t i = 0; i < section->n_options; i++) {
        const struct config_option *o = &section->options[i];
        if (o->type->is_list && (own->opts[i].flags & CFGF_MODIFIED) &&
            cfg_opt_size(&own->opts[i]) == 0)
            config_begin_list(o, &parser.item);
    }
    keep_item(cfg->line, cfg_title(own), section);
    parser.section_end = cfg->line;
    memset(&parser.item, 0, sizeof(parser.item));
    memset(parser.lines, 0, sizeof(parser.lines));
    parser.bad = false;
    return 0;
}

// ---- the grammar ---------------------------------------------------------------------------

// libconfuse sees all values as texts.
static cfg_opt_t grammar_of(const struct config_option *o)
{
    return o->type->is_list ? (cfg_opt_t)CFG_STR_LIST(o->name, NULL, CFGF_NODEFAULT)
                            : (cfg_opt_t)CFG_STR(o->name, NULL, CFGF_NODEFAULT);
}

static void set_readers(cfg_t *cfg, const struct config_section *section)
{
    char path[64];
    for (size_t i = 0; i < section->n_options; i++) {
        snprintf(path, sizeof(path), "%s%s%s", section->name ? section->name : "",
                 section->name ? "|" : "", section->options[i].name);
        cfg_set_validate_func(cfg, path, on_option);
    }
    if (section->max)
        cfg_set_validate_func(cfg, section->name, on_end);
}

static bool parse(char *text)
{
    static cfg_opt_t grammar[SECTIONS_MAX][CONFIG_OPTIONS_MAX + SECTIONS_MAX];
    size_t n, at;
    const struct config_section *sections = config_sections(&n);

    for (size_t i = 0; i < n; i++) {
        for (at = 0; at < sections[i].n_options; at++)
            grammar[i][at] = grammar_of(&sections[i].options[at]);
        for (size_t j = 1; i == 0 && j < n; j++)
            grammar[0][at++] = (cfg_opt_t)CFG_SEC(
                sections[j].name, grammar[j],
                sections[j].max ? CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES : CFGF_NONE);
        grammar[i][at] = (cfg_opt_t)CFG_END();
    }
    errno = 0;
    cfg_t *cfg = cfg_init(grammar[0], CFGF_NONE); // libconfuse copies the tables
    // Without memory it leaves them incomplete, and cannot free those.
    if (!cfg || errno == ENOMEM)
        return false;
    cfg_set_error_function(cfg, on_parse_error);
    for (size_t i = 0; i < n; i++)
        set_readers(cfg, &sections[i]);
    int r = cfg_parse_buf(cfg, text);
    if (errno != ENOMEM)
        cfg_free(cfg);
    return r == CFG_SUCCESS;
}

// ---- the file ------------------------------------------------------------------------------

// Parses the text from the beginning, and keeps the syntax errors that earlier passes found.
static bool parse_again(char *text, struct config *config, const struct config *before)
{
    struct complaints complaints = parser.complaints;

    complaints_keep_syntax(&complaints);
    *config = *before;
    parser = (struct parser){.config = config, .complaints = complaints};
    return parse(text);
}

// Leaves out what cannot be parsed, statement by statement.
static bool parse_all(char *text, struct config *config, bool all)
{
    cleanup_free struct config *before = malloc(sizeof(*before));

    if (!before) {
        errno = ENOMEM;
        return false;
    }
    *before = *config;
    for (int pass = 0; pass < PASSES_MAX; pass++) {
        if (parse_again(text, config, before))
            return true;
        if (!all)
            return false;
        const char *word = parser.failed_word[0] ? parser.failed_word : NULL;
        if (!parser.failed_line || !(config_drop(text, parser.failed_line, word) ||
                                     config_drop(text, parser.failed_line, NULL)))
            return false;
    }
    complain(&parser.complaints, 0, "has more than %d such mistakes; the rest was not read",
             PASSES_MAX);
    return false;
}

bool config_load(struct config *config, const char *path, enum config_mistakes mistakes,
                 FILE *errors)
{
    struct config_fault fault;

    parser = (struct parser){.config = config};
    copy_text(config->path, path);
    cleanup_free char *text = config_text_read(path, &fault);
    if (!text || config_text_prepare(text, &fault) < 0) {
        complain(&parser.complaints, fault.line, "%s", fault.text);
        return complaints_end(&parser.complaints, path, errors);
    }
    bool parsed = parse_all(text, config, mistakes == CONFIG_ALL_MISTAKES);
    if (parsed)
        config_check(config, parser.pci_lines, &parser.complaints);
    else if (parser.complaints.n == 0)
        complain(&parser.complaints, 0,
                 errno == ENOMEM ? "cannot be read: out of memory"
                                 : "cannot be parsed (write: option = value)");
    config->lines.gaps = !parsed || parser.complaints.n_syntax > 0 || parser.nameless;
    return complaints_end(&parser.complaints, path, errors);
}
