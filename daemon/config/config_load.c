// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The grammar of the configuration file, and what reads each part of it.

#include "config.h"

#include "cleanup.h"
#include "config_check.h"
#include "config_text.h"
#include "config_values.h"
#include "text.h"

#include <confuse.h>
#include <string.h>

// libconfuse hands no argument to its callbacks.
static struct parser {
    struct config *config;
    struct complaints complaints;
    // the section being read
    struct function_setting function;
    bool has_type, has_port;
    int pci_line;
    bool no_descriptors;
    char socket[SOCKET_PATH_MAX], address[TLS_ADDRESS_SIZE];
    bool bad_peer;
    int pci_lines[FUNCTIONS_MAX];
    const char *refused_uid; // told already
    struct policy_rule rule;
    const char *read; // of a list of the rule: read already
} parser;

// ---- what the parser itself finds ----------------------------------------------------

static const char *hint(const char *text)
{
    static const char *const hints[][2] = {
        {"found duplicate title", "give each section its own name"},
        {"missing title", "write the name behind it: function \"pf0\" { ... }"},
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

__attribute__((format(printf, 2, 0))) static void on_parse_error(cfg_t *cfg, const char *format,
                                                                 va_list args)
{
    char text[256], options[512] = "";
    vsnprintf(text, sizeof(text), format, args);
    if (strncmp(text, "no such option", 14) != 0) {
        complain(&parser.complaints, cfg->line, "%s (%s)", text, hint(text));
        return;
    }
    for (const cfg_opt_t *o = cfg->opts; o->name; o++) {
        size_t n = strlen(options);
        snprintf(options + n, sizeof(options) - n, "%s%s", n ? ", " : "", o->name);
    }
    complain(&parser.complaints, cfg->line, "%s (what can be here: %s)", text, options);
}

// ---- options ---------------------------------------------------------------------------

static const char *last_value(cfg_opt_t *opt)
{
    unsigned n = cfg_opt_size(opt);
    const char *value = n ? cfg_opt_getnstr(opt, n - 1) : NULL;
    return value ? value : "";
}

static int read_root_option(cfg_t *cfg, cfg_opt_t *opt)
{
    char why[160];
    if (!config_set_root(parser.config, opt->name, last_value(opt), why))
        complain(&parser.complaints, cfg->line, "%s = \"%s\": %s", opt->name, last_value(opt), why);
    return 0;
}

// Called after each element and once more at the end of the list.
static int read_peer_uids(cfg_t *cfg, cfg_opt_t *opt)
{
    struct config *config = parser.config;
    unsigned n = cfg_opt_size(opt);
    char why[160];

    if (n > CONFIG_UIDS_MAX) {
        complain(&parser.complaints, cfg->line, "peer_uids: more than %d (leave some out)",
                 CONFIG_UIDS_MAX);
        return 0;
    }
    config->n_peer_uids = n;
    const char *value = last_value(opt);
    if (n > 0 && value != parser.refused_uid &&
        !config_parse_uid(value, &config->peer_uids[n - 1], why)) {
        complain(&parser.complaints, cfg->line, "peer_uids: \"%s\": %s", value, why);
        parser.refused_uid = value;
    }
    return 0;
}

static int read_limit(cfg_t *cfg, cfg_opt_t *opt)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (strcmp(limit_option((enum limit)i), opt->name) == 0 &&
            !limit_parse(last_value(opt), &parser.config->limits.value[i]))
            complain(&parser.complaints, cfg->line,
                     "%s = \"%s\": no number (write for instance 4096, 64K, 2G or unlimited)",
                     opt->name, last_value(opt));
    return 0;
}

static int read_engine_option(cfg_t *cfg, cfg_opt_t *opt)
{
    char why[CONFIG_WHY_SIZE];
    if (!config_set_engine(&parser.config->engine, opt->name, last_value(opt), why))
        complain(&parser.complaints, cfg->line, "%s = \"%s\": %s", opt->name, last_value(opt), why);
    return 0;
}

static int read_verbs_option(cfg_t *cfg, cfg_opt_t *opt)
{
    char why[CONFIG_WHY_SIZE];
    if (!config_set_verbs(&parser.config->verbs, opt->name, last_value(opt), why))
        complain(&parser.complaints, cfg->line, "%s = \"%s\": %s", opt->name, last_value(opt), why);
    return 0;
}

static int read_tls_option(cfg_t *cfg, cfg_opt_t *opt)
{
    char why[CONFIG_WHY_SIZE];
    if (!config_set_tls(&parser.config->tls, opt->name, last_value(opt), why))
        complain(&parser.complaints, cfg->line, "%s = \"%s\": %s", opt->name, last_value(opt), why);
    return 0;
}

static int read_peer_option(cfg_t *cfg, cfg_opt_t *opt)
{
    char why[CONFIG_WHY_SIZE];
    bool good = strcmp(opt->name, "socket") == 0
                    ? config_parse_socket(last_value(opt), parser.socket, why)
                    : config_parse_address(last_value(opt), parser.address, why);
    if (!good)
        complain(&parser.complaints, cfg->line, "peer \"%s\": %s: %s", cfg->title, opt->name, why);
    parser.bad_peer = parser.bad_peer || !good;
    return 0;
}

static int read_peer_descriptors(cfg_t *cfg, cfg_opt_t *opt)
{
    const char *value = last_value(opt);
    parser.no_descriptors = strcmp(value, "no") == 0;
    if (!parser.no_descriptors && strcmp(value, "yes") != 0)
        complain(&parser.complaints, cfg->line,
                 "peer \"%s\": descriptors = \"%s\": neither yes nor no (write yes, or no for a "
                 "link that carries none, as between machines)",
                 cfg->title, value);
    return 0;
}

static int read_function_option(cfg_t *cfg, cfg_opt_t *opt)
{
    char why[160];
    if (!config_set_function(&parser.function, opt->name, last_value(opt), why))
        complain(&parser.complaints, cfg->line, "function \"%s\": %s = \"%s\": %s", cfg->title,
                 opt->name, last_value(opt), why);
    if (strcmp(opt->name, "type") == 0)
        parser.has_type = true;
    if (strcmp(opt->name, "port") == 0)
        parser.has_port = true;
    if (strcmp(opt->name, "pci") == 0)
        parser.pci_line = cfg->line;
    return 0;
}

// Called after each element and once more at the end of the list.
static int read_policy_list(cfg_t *cfg, cfg_opt_t *opt)
{
    const char *value = cfg_opt_size(opt) ? last_value(opt) : NULL;
    char why[CONFIG_WHY_SIZE];

    if (value && value != parser.read && !config_add_policy(&parser.rule, opt->name, value, why))
        complain(&parser.complaints, cfg->line, "policy \"%s\": %s: \"%s\": %s", cfg->title,
                 opt->name, value, why);
    parser.read = value;
    return 0;
}

// ---- ends of sections --------------------------------------------------------------------

static const char *section_title(cfg_opt_t *opt)
{
    return cfg_title(cfg_opt_getnsec(opt, cfg_opt_size(opt) - 1));
}

static int end_peer(cfg_t *cfg, cfg_opt_t *opt)
{
    struct config *config = parser.config;
    const char *title = section_title(opt);

    if (config->n_peers == CONFIG_PEERS_MAX) {
        complain(&parser.complaints, cfg->line, "peer \"%s\": more than %d peers (leave some out)",
                 title, CONFIG_PEERS_MAX);
    } else if (!text_is_name(title, NODE_NAME_SIZE)) {
        complain(&parser.complaints, cfg->line,
                 "peer \"%s\": no name (write 1 to 63 printable characters)", title);
    } else if (parser.bad_peer) {
        parser.bad_peer = false; // told already
    } else if (!parser.socket[0] == !parser.address[0]) {
        complain(&parser.complaints, cfg->line,
                 "peer \"%s\": %s (write: socket = \"/path/of/its/socket\", or, on another "
                 "machine: address = \"HOST:PORT\")",
                 title, parser.socket[0] ? "both socket and address" : "no socket or address");
    } else {
        struct config_peer *peer = &config->peers[config->n_peers++];
        strcpy(peer->name, title);
        strcpy(peer->socket, parser.socket);
        peer->no_descriptors = parser.no_descriptors;
        strcpy(peer->address, parser.address);
    }
    parser.socket[0] = parser.address[0] = '\0';
    parser.no_descriptors = false;
    return 0;
}

static int end_policy(cfg_t *cfg, cfg_opt_t *opt)
{
    struct policy *policy = &parser.config->policy;
    const char *title = section_title(opt);

    // Lists that are there, be they empty.
    for (const cfg_opt_t *o = cfg_opt_getnsec(opt, cfg_opt_size(opt) - 1)->opts; o->name; o++)
        if (o->flags & CFGF_MODIFIED)
            config_give_policy(&parser.rule, o->name);
    if (policy->n_rules == POLICY_RULES_MAX) {
        complain(&parser.complaints, cfg->line,
                 "policy \"%s\": more than %d rules (leave some out)", title, POLICY_RULES_MAX);
    } else if (!text_is_name(title, POLICY_NAME_SIZE)) {
        complain(&parser.complaints, cfg->line,
                 "policy \"%s\": no name (write 1 to %d printable characters)", title,
                 POLICY_NAME_SIZE - 1);
    } else {
        strcpy(parser.rule.name, title);
        policy->rules[policy->n_rules++] = parser.rule;
    }
    memset(&parser.rule, 0, sizeof(parser.rule));
    return 0;
}

static void check_function(int line, const char *title)
{
    const struct function *f = &parser.function.function;
    bool sf = f->type == DOCAD__FUNCTION_TYPE__SF;

    if (!text_is_name(title, FUNCTION_NAME_SIZE))
        complain(&parser.complaints, line,
                 "function \"%s\": no name (write 1 to %d printable characters)", title,
                 FUNCTION_NAME_SIZE - 1);
    if (f->backing == DOCAD__BACKING__VERBS) {
        if (!f->ibdev[0])
            complain(&parser.complaints, line,
                     "function \"%s\": no ibverbs device (write for instance: ibdev = mlx5_0)",
                     title);
        return; // the device knows the rest
    }
    if (!parser.has_type)
        complain(&parser.complaints, line, "function \"%s\": no type (write: type = pf, vf or sf)",
                 title);
    else if (!parser.has_port && f->type != DOCAD__FUNCTION_TYPE__PF)
        complain(&parser.complaints, line,
                 "function \"%s\": a %s without port (write the number of its PF's port)", title,
                 function_type_name(f->type));
    if (parser.pci_line == 0 && !(parser.has_type && sf))
        complain(&parser.complaints, line,
                 "function \"%s\": no PCI address (write: pci = \"0000:0b:00.0\")", title);
}

static int end_function(cfg_t *cfg, cfg_opt_t *opt)
{
    struct config *config = parser.config;
    const char *title = section_title(opt);

    if (config->n_functions == FUNCTIONS_MAX) {
        complain(&parser.complaints, cfg->line,
                 "function \"%s\": more than %d functions (leave some out)", title, FUNCTIONS_MAX);
        return 0;
    }
    check_function(cfg->line, title);
    snprintf(parser.function.function.name, FUNCTION_NAME_SIZE, "%s", title);
    parser.pci_lines[config->n_functions] = parser.pci_line ? parser.pci_line : cfg->line;
    config->functions[config->n_functions++] = parser.function;
    memset(&parser.function, 0, sizeof(parser.function));
    parser.has_type = parser.has_port = false;
    parser.pci_line = 0;
    return 0;
}

// ---- the grammar: sections, their options, and what reads them --------------------------

#define VALUE(name) CFG_STR(name, NULL, CFGF_NODEFAULT)
#define LIST(name)  CFG_STR_LIST(name, NULL, CFGF_NODEFAULT)

static cfg_opt_t peer_opts[] = {VALUE("socket"), VALUE("address"), VALUE("descriptors"), CFG_END()};
static cfg_opt_t function_opts[] = {VALUE("type"),
                                    VALUE("pci"),
                                    VALUE("port"),
                                    VALUE("vuid"),
                                    VALUE("iface"),
                                    VALUE("ibdev"),
                                    VALUE("ibport"),
                                    VALUE("backing"),
                                    VALUE("mac"),
                                    VALUE("ipv4"),
                                    VALUE("ipv6"),
                                    VALUE("can_export_dpu"),
                                    VALUE("can_import_dpu"),
                                    VALUE("can_dma"),
                                    VALUE("can_list_reps"),
                                    CFG_END()};
static cfg_opt_t policy_opts[] = {LIST("users"),    LIST("groups"),    LIST("open"), LIST("export"),
                                  LIST("to_users"), LIST("to_groups"), CFG_END()};
static cfg_opt_t limit_opts[LIMIT_COUNT + 1];
static cfg_opt_t engine_opts[] = {VALUE("threads"), VALUE("cpus"), VALUE("spin_us"),
                                  VALUE("copies_over"), CFG_END()};
static cfg_opt_t tls_opts[] = {VALUE("listen"),    VALUE("certificate"), VALUE("key"),
                               VALUE("authority"), VALUE("revoked"),     CFG_END()};
static cfg_opt_t verbs_opts[] = {VALUE("include"), VALUE("exclude"),     VALUE("timeout"),
                                 VALUE("retries"), VALUE("rnr_retries"), VALUE("rnr_timer"),
                                 CFG_END()};
static cfg_opt_t root_opts[] = {
    VALUE("role"),
    VALUE("name"),
    VALUE("socket"),
    VALUE("socket_mode"),
    VALUE("metrics_socket"),
    VALUE("log_level"),
    VALUE("isolation"),
    VALUE("peer_grace_ms"),
    LIST("peer_uids"),
    CFG_SEC("peer", peer_opts, CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES),
    CFG_SEC("function", function_opts, CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES),
    CFG_SEC("policy", policy_opts, CFGF_MULTI | CFGF_TITLE | CFGF_NO_TITLE_DUPES),
    CFG_SEC("limits", limit_opts, CFGF_NONE),
    CFG_SEC("engine", engine_opts, CFGF_NONE),
    CFG_SEC("tls", tls_opts, CFGF_NONE),
    CFG_SEC("verbs", verbs_opts, CFGF_NONE),
    CFG_END()};

static void name_limits(void)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        limit_opts[i] = (cfg_opt_t)VALUE(limit_option((enum limit)i));
    limit_opts[LIMIT_COUNT] = (cfg_opt_t)CFG_END();
}

// All options of a section are read by one function.
static void read_section(cfg_t *cfg, const char *section, const cfg_opt_t *options,
                         cfg_validate_callback_t read)
{
    char path[64];
    for (; options->name; options++) {
        snprintf(path, sizeof(path), "%s|%s", section, options->name);
        cfg_set_validate_func(cfg, path, read);
    }
}

static void set_readers(cfg_t *cfg)
{
    static const char *const root_values[] = {"role",           "name",         "socket",
                                              "metrics_socket", "socket_mode",  "log_level",
                                              "isolation",      "peer_grace_ms"};

    cfg_set_error_function(cfg, on_parse_error);
    for (size_t i = 0; i < ARRAY_SIZE(root_values); i++)
        cfg_set_validate_func(cfg, root_values[i], read_root_option);
    cfg_set_validate_func(cfg, "peer_uids", read_peer_uids);
    cfg_set_validate_func(cfg, "peer", end_peer);
    cfg_set_validate_func(cfg, "peer|socket", read_peer_option);
    cfg_set_validate_func(cfg, "peer|address", read_peer_option);
    cfg_set_validate_func(cfg, "peer|descriptors", read_peer_descriptors);
    cfg_set_validate_func(cfg, "function", end_function);
    read_section(cfg, "function", function_opts, read_function_option);
    cfg_set_validate_func(cfg, "policy", end_policy);
    read_section(cfg, "policy", policy_opts, read_policy_list);
    read_section(cfg, "limits", limit_opts, read_limit);
    read_section(cfg, "engine", engine_opts, read_engine_option);
    read_section(cfg, "tls", tls_opts, read_tls_option);
    read_section(cfg, "verbs", verbs_opts, read_verbs_option);
}

static bool parse(char *text)
{
    name_limits();
    cfg_t *cfg = cfg_init(root_opts, CFGF_NONE); // of copies of the tables
    if (!cfg)
        return false;
    set_readers(cfg);
    int r = cfg_parse_buf(cfg, text);
    cfg_free(cfg);
    return r == CFG_SUCCESS;
}

// ---- the whole ------------------------------------------------------------------------------

bool config_load(struct config *config, const char *path, FILE *errors)
{
    struct config_fault fault;

    parser = (struct parser){.config = config, .complaints = {.path = path, .to = errors}};
    snprintf(config->path, sizeof(config->path), "%s", path);
    cleanup_free char *text = config_text_read(path, &fault);
    if (!text || config_text_prepare(text, &fault) < 0) {
        complain(&parser.complaints, fault.line, "%s", fault.text);
        return false;
    }
    bool parsed = parse(text);
    if (parsed)
        config_check(config, parser.pci_lines, &parser.complaints);
    else if (parser.complaints.n == 0)
        complain(&parser.complaints, 0, "cannot be parsed (write: option = value)");
    return parser.complaints.n == 0;
}
