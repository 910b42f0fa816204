// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "options.h"

#include "choice.h"
#include "cleanup.h"
#include "config_cards.h"
#include "config_table.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: docad [OPTION]...\n"
    "\n"
    "The per-node daemon of docad: it owns devices, representors and memory\n"
    "registrations, and brokers export descriptors between a host node and a\n"
    "DPU node.\n"
    "\n"
    "  -r, --role ROLE        what this node is: host (default) or dpu\n"
    "  -n, --name NAME        name of this node (default: its role)\n"
    "  -s, --socket PATH      where clients and other daemons connect\n"
    "                         (default: /run/docad/docad.sock as root,\n"
    "                         otherwise $XDG_RUNTIME_DIR/docad/docad.sock)\n"
    "  -p, --peer PATH        socket of another daemon to link to; may be\n"
    "                         repeated\n"
    "  -c, --config FILE      configuration file (default: as root\n"
    "                         /etc/docad/docad.conf, otherwise\n"
    "                         docad/docad.conf in $XDG_CONFIG_HOME, or in\n"
    "                         ~/.config if that is not set; need not exist)\n"
    "      --card CARD        the card that the node's devices imitate, such\n"
    "                         as bluefield-3; see docad-cards(7) (default:\n"
    "                         software, which has docad's own limits)\n"
    "      --faults RULES     faults for tests, besides those of the file: see\n"
    "                         faults in docad.conf(5)\n"
    "      --print-config     print the configuration, with all defaults, and\n"
    "                         exit\n"
    "      --check-config     check the configuration, the certificates that\n"
    "                         it names and the functions of its policy, report\n"
    "                         all that is wrong, and exit\n"
    "  -l, --log-level LEVEL  error, warning, info (default) or debug\n"
    "  -V, --version          show the version and exit\n"
    "  -h, --help             show this help and exit\n"
    "\n"
    "The command line overrides the configuration file. Without functions in\n"
    "the file the node has the built-in ones of its role; docactl shows them.\n"
    "\n"
    "Host and DPU on one machine:\n"
    "  docad --role host --socket /tmp/host.sock\n"
    "  docad --role dpu --socket /tmp/dpu.sock --peer /tmp/host.sock\n"
    "  DOCAD_SOCKET=/tmp/host.sock ./a_host_program\n"
    "\n"
    "Exit status: 0 after SIGTERM or SIGINT, 1 on failure, 2 if the command\n"
    "line or the configuration is wrong.\n";

enum { OPTION_CHECK_CONFIG = 256, OPTION_PRINT_CONFIG, OPTION_CARD, OPTION_FAULTS };

struct command_line {
    const char *role, *name, *socket, *config, *log_level, *card, *faults;
    const char *peers[CONFIG_PEERS_MAX];
    size_t n_peers;
    bool check_config, print_config;
};

// Prints the error, then where to find help.
static enum options_action usage(const char *text)
{
    fprintf(stderr, "docad: %s\n", text);
    return OPTIONS_USAGE;
}

static enum options_action take_option(int c, struct command_line *line)
{
    switch (c) {
    case 'r':
        line->role = optarg;
        break;
    case 'n':
        line->name = optarg;
        break;
    case 's':
        line->socket = optarg;
        break;
    case 'c':
        line->config = optarg;
        break;
    case 'l':
        line->log_level = optarg;
        break;
    case 'p':
        if (line->n_peers == CONFIG_PEERS_MAX)
            return usage("too many peers: at most 16 are possible");
        line->peers[line->n_peers++] = optarg;
        break;
    case OPTION_CARD:
        line->card = optarg;
        break;
    case OPTION_FAULTS:
        line->faults = optarg;
        break;
    case OPTION_CHECK_CONFIG:
        line->check_config = true;
        break;
    case OPTION_PRINT_CONFIG:
        line->print_config = true;
        break;
    case 'V':
        printf("docad %s\n", DOCAD_VERSION);
        return OPTIONS_EXIT_OK;
    case 'h':
        fputs(help, stdout);
        return OPTIONS_EXIT_OK;
    default: // the error has been printed
        return OPTIONS_USAGE;
    }
    return OPTIONS_RUN;
}

// Prints an error for a word that getopt() refused.
static void print_unknown(const char *word, const struct option *options)
{
    struct choice names = {.n = 0};
    char name[CHOICE_WORD_MAX], text[256];

    for (; options->name; options++)
        choice_add_option(&names, options->name);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    snprintf(text, sizeof(text), "there is no option %s", name);
    if (strncmp(word, "--", 2) == 0)
        choice_suggest(&names, name, text, sizeof(text));
    usage(text);
}

static void print_not_taken(int c, char **argv, const struct option *options)
{
    const char *word = argv[optind - 1];
    char letter[] = {'-', (char)optopt, '\0'}, text[128];

    for (const struct option *o = options; o->name; o++) {
        if (o->val != optopt || !optopt)
            continue;
        snprintf(text, sizeof(text), "--%s %s", o->name,
                 c == ':' ? "needs an argument" : "takes no argument");
        usage(text);
        return;
    }
    print_unknown(optopt ? letter : word, options);
}

static enum options_action read_line(int argc, char **argv, struct command_line *line)
{
    static const struct option options[] = {
        {"role", required_argument, NULL, 'r'},
        {"name", required_argument, NULL, 'n'},
        {"socket", required_argument, NULL, 's'},
        {"peer", required_argument, NULL, 'p'},
        {"config", required_argument, NULL, 'c'},
        {"card", required_argument, NULL, OPTION_CARD},
        {"faults", required_argument, NULL, OPTION_FAULTS},
        {"check-config", no_argument, NULL, OPTION_CHECK_CONFIG},
        {"print-config", no_argument, NULL, OPTION_PRINT_CONFIG},
        {"log-level", required_argument, NULL, 'l'},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    enum options_action all = OPTIONS_RUN;
    int c;

    optind = 1;
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":r:n:s:p:c:l:Vh", options, NULL)) >= 0) {
        if (c == '?' || c == ':')
            print_not_taken(c, argv, options);
        enum options_action action = take_option(c, line);
        if (action == OPTIONS_EXIT_OK)
            return action;
        if (action == OPTIONS_USAGE)
            all = action;
    }
    for (int i = optind; i < argc; i++) {
        fprintf(stderr, "docad: \"%s\": docad accepts only options\n", argv[i]);
        all = OPTIONS_USAGE;
    }
    return all;
}

static enum options_action load_file(const struct command_line *line, enum config_mistakes mistakes,
                                     struct config *config)
{
    char path[sizeof(config->path)];
    bool named = line->config != NULL;

    if (named && strlen(line->config) >= sizeof(path))
        return usage("--config: the path is too long");
    if (named)
        copy_text(path, line->config);
    else if (!config_default_path(path, sizeof(path)) || access(path, F_OK) < 0)
        return OPTIONS_RUN;
    return config_load(config, path, mistakes, stderr) ? OPTIONS_RUN : OPTIONS_USAGE;
}

// `option` is the name in the file; on the command line it has a dash for each underscore.
static bool override(struct config *config, const char *option, const char *text)
{
    char why[CONFIG_WHY_SIZE];
    if (!text || config_set(config, option, text, why))
        return true;
    fprintf(stderr, "docad: --%s \"%s\": %s\n",
            strcmp(option, "log_level") == 0 ? "log-level" : option, text, why);
    return false;
}

static bool add_peers(struct config *config, const struct command_line *line)
{
    char why[CONFIG_WHY_SIZE];
    bool good = true;
    for (size_t i = 0; i < line->n_peers; i++) {
        struct config_peer *peer = &config->peers[config->n_peers];
        if (config->n_peers == CONFIG_PEERS_MAX) {
            usage("too many peers: at most 16 are possible");
            return false;
        }
        if (!config_set_peer_socket(peer, line->peers[i], why)) {
            fprintf(stderr, "docad: --peer \"%s\": %s\n", line->peers[i], why);
            good = false;
            continue;
        }
        peer->name[0] = '\0';
        bool again = false;
        for (size_t j = 0; j < config->n_peers; j++)
            again = again || strcmp(config->peers[j].socket, peer->socket) == 0;
        config->n_peers += !again;
    }
    return good;
}

// Adds the built-in functions, unless the configuration has software functions.
static void add_software_functions(struct config *config)
{
    struct function_setting built_in[FUNCTIONS_MAX];

    for (size_t i = 0; i < config->n_functions; i++)
        if (config->functions[i].function.backing != DOCAD__BACKING__VERBS)
            return;
    size_t n = topology_default(config->role, built_in);
    for (size_t i = 0; i < n && config->n_functions < FUNCTIONS_MAX; i++)
        config->functions[config->n_functions++] = built_in[i];
}

static enum options_action apply(struct config *config, const struct command_line *line)
{
    bool good = override(config, "role", line->role);
    good = override(config, "name", line->name) && good;
    good = override(config, "socket", line->socket) && good;
    good = override(config, "log_level", line->log_level) && good;
    good = override(config, "card", line->card) && good;
    good = override(config, "faults", line->faults) && good;
    good = add_peers(config, line) && good;
    return good ? OPTIONS_RUN : OPTIONS_USAGE;
}

static enum options_action finish(struct config *config, const struct command_line *line)
{
    if (!config->name[0])
        copy_text(config->name, role_name(config->role));
    if (!config->socket[0] && !socket_path_for_daemon(config->socket))
        return usage("no place for the socket: XDG_RUNTIME_DIR is not set; name one with --socket");
    add_software_functions(config);
    if (!config_take_cards(config, stderr))
        return OPTIONS_USAGE;
    return line->check_config   ? OPTIONS_CHECK_CONFIG
           : line->print_config ? OPTIONS_PRINT_CONFIG
                                : OPTIONS_RUN;
}

static enum options_action read_all(int argc, char **argv, enum config_mistakes mistakes,
                                    struct config *config)
{
    struct command_line line = {0};

    config_init(config);
    enum options_action action = read_line(argc, argv, &line);
    if (action == OPTIONS_EXIT_OK)
        return action;
    // Continues after a mistake, so that all mistakes are reported.
    enum options_action loaded = load_file(&line, mistakes, config);
    if (apply(config, &line) != OPTIONS_RUN || action != OPTIONS_RUN) {
        fprintf(stderr, "docad: see docad --help\n");
        return OPTIONS_USAGE;
    }
    if (loaded == OPTIONS_RUN)
        return finish(config, &line);
    return line.check_config && finish(config, &line) == OPTIONS_CHECK_CONFIG ? OPTIONS_CHECK_WRONG
                                                                              : loaded;
}

enum options_action options_read(int argc, char **argv, struct config *config)
{
    return read_all(argc, argv, CONFIG_ALL_MISTAKES, config);
}

enum options_action options_read_again(int argc, char **argv, struct config *config)
{
    return read_all(argc, argv, CONFIG_FIRST_MISTAKE, config);
}
