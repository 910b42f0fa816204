// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "options.h"

#include "choice.h"
#include "cleanup.h"
#include "help.h"
#include "number.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_LIMIT     (1ull << 40)
#define ITERS_LIMIT    100000000u
#define DEPTH_LIMIT    65536u
#define SESSIONS_LIMIT 1000000u
#define EXPORTS_LIMIT  10000000u
#define SECONDS_LIMIT  86400u
#define LONG_BASE      256 // getopt_long's values of options, apart from letters

struct option_spec {
    char letter;
    const char *name, *argument, *help;
    bool (*take)(struct options *options, const char *text);
    const char *wanted; // what the argument must be, for the error
};

// ---- values --------------------------------------------------------------------------

static bool read_u32(const char *text, uint32_t limit, uint32_t *out)
{
    uint64_t value;
    if (!number_read_size(text, limit, &value) || value == 0)
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool take_size(struct options *options, const char *text)
{
    return number_read_size(text, SIZE_LIMIT, &options->size) && options->size > 0;
}

static bool take_iters(struct options *options, const char *text)
{
    return number_read_size(text, ITERS_LIMIT, &options->iters) && options->iters > 0;
}

static bool take_warmup(struct options *options, const char *text)
{
    return number_read_size(text, ITERS_LIMIT, &options->warmup);
}

static bool take_depth(struct options *options, const char *text)
{
    return read_u32(text, DEPTH_LIMIT, &options->depth);
}

static bool take_batch(struct options *options, const char *text)
{
    return read_u32(text, DEPTH_LIMIT, &options->batch);
}

static bool take_path(struct options *options, const char *text)
{
    options->path = strcmp(text, "import") == 0 ? PATH_IMPORT : PATH_LOCAL;
    return strcmp(text, path_name(options->path)) == 0;
}

static bool take_memory(struct options *options, const char *text)
{
    for (int kind = MEMORY_MAPPED; kind <= MEMORY_TINY; kind++)
        if (strcmp(text, memory_kind_name((enum memory_kind)kind)) == 0) {
            options->memory = (enum memory_kind)kind;
            return true;
        }
    return false;
}

static bool take_mode(struct options *options, const char *text)
{
    options->event = strcmp(text, "event") == 0;
    return options->event || strcmp(text, "poll") == 0;
}

static bool take_cpu(struct options *options, const char *text)
{
    char first[8];
    const char *comma = strchr(text, ',');
    size_t n = comma ? (size_t)(comma - text) : strlen(text);
    uint64_t a, b = 0;
    if (n >= sizeof(first))
        return false;
    memcpy(first, text, n);
    first[n] = '\0';
    if (!number_read(first, 10, 65535, &a))
        return false;
    if (comma && !number_read(comma + 1, 10, 65535, &b))
        return false;
    options->cpu[0] = (int)a;
    options->cpu[1] = comma ? (int)b : -1;
    return true;
}

static bool take_duration(struct options *options, const char *text)
{
    return number_read(text, 10, SECONDS_LIMIT, &options->seconds) && options->seconds > 0;
}

static bool take_server(struct options *options, const char *text)
{
    options->server = text;
    return *text != '\0';
}

static bool take_socket(struct options *options, const char *text)
{
    options->socket = text;
    return *text != '\0';
}

static bool take_bind(struct options *options, const char *text)
{
    options->bind = text;
    return *text != '\0';
}

// As text, for getaddrinfo().
static bool take_port(struct options *options, const char *text)
{
    uint64_t port;
    options->port = text;
    return number_read(text, 10, 65535, &port);
}

static bool take_once(struct options *options, const char *text)
{
    (void)text;
    return options->once = true;
}

static bool take_host_socket(struct options *options, const char *text)
{
    options->host_socket = text;
    return *text != '\0';
}

static bool take_dpu_socket(struct options *options, const char *text)
{
    options->dpu_socket = text;
    return *text != '\0';
}

static bool take_device(struct options *options, const char *text)
{
    options->device = text;
    return *text != '\0';
}

static bool take_copies(struct options *options, const char *text)
{
    return number_read_size(text, SIZE_LIMIT, &options->copies_over) && options->copies_over > 0;
}

static bool take_sessions(struct options *options, const char *text)
{
    return number_read(text, 10, SESSIONS_LIMIT, &options->sessions) && options->sessions >= 20;
}

static bool take_exports(struct options *options, const char *text)
{
    return number_read(text, 10, EXPORTS_LIMIT, &options->exports) && options->exports > 0;
}

static bool take_names(struct options *options, const char *text)
{
    return number_read(text, 10, EXPORTS_LIMIT, &options->names);
}

static bool take_restart(struct options *options, const char *text)
{
    options->restart = text;
    return *text != '\0';
}

static bool take_fill(struct options *options, const char *text)
{
    uint64_t percent;
    if (!number_read(text, 10, 100, &percent) || percent == 0)
        return false;
    options->fill = (unsigned)percent;
    return true;
}

static bool take_quick(struct options *options, const char *text)
{
    (void)text;
    return options->quick = true;
}

static bool take_processes(struct options *options, const char *text)
{
    uint64_t n;
    if (!number_read(text, 10, PROCESSES_MAX, &n) || n == 0)
        return false;
    options->processes = (uint32_t)n;
    return true;
}

unsigned options_processes(const struct options *options)
{
    return options->processes ? options->processes : options->quick ? 2 : 5;
}

static bool take_rows(struct options *options, const char *text)
{
    options->rows = text;
    return *text != '\0';
}

bool options_want_row(const struct options *options, const char *name)
{
    cleanup_free char *texts = options->rows ? strdup(options->rows) : NULL;
    char *rest = texts, *text;
    while ((text = strsep(&rest, "|")))
        if (*text && strcasestr(name, text))
            return true;
    return !options->rows;
}

static bool take_all(struct options *options, const char *text)
{
    (void)text;
    return options->all = true;
}

static bool take_tasks(struct options *options, const char *text)
{
    (void)text;
    return options->tasks = true;
}

static bool take_csv(struct options *options, const char *text)
{
    (void)text;
    return options->csv = true;
}

static bool take_json(struct options *options, const char *text)
{
    (void)text;
    return options->json = true;
}

static bool take_nothing(struct options *options, const char *text)
{
    (void)options;
    (void)text;
    return true;
}

// ---- the table -------------------------------------------------------------------------

static const char size_wanted[] = "a number of bytes from 1 to 1024G, as 64, 64K, 1M or 2G";
static const char depth_wanted[] = "a whole number from 1 to 65536";

static const struct option_spec specs[N_OPTIONS] = {
    [OPTION_SIZE] = {'s', "size", "BYTES", "bytes of one job; suffixes K, M, G", take_size,
                     size_wanted},
    [OPTION_ITERS] = {'n', "iters", "N", "how often", take_iters,
                      "a whole number from 1 to 100000000"},
    [OPTION_DEPTH] = {'d', "depth", "N", "jobs in flight", take_depth, depth_wanted},
    [OPTION_BATCH] = {'b', "batch", "N", "taken up at once before the next step", take_batch,
                      depth_wanted},
    [OPTION_WARMUP] = {'w', "warmup", "N", "iterations before the clock starts", take_warmup,
                       "a whole number up to 100000000"},
    [OPTION_PATH] = {'p', "path", "PATH",
                     "where the source is: local, or import (exported by another "
                     "process on a host node to this one on a DPU node)",
                     take_path, "local or import"},
    [OPTION_MEMORY] = {'m', "memory", "KIND",
                       "of the source: mapped (anonymous, page-aligned), unaligned "
                       "(malloc and one byte on) or tiny (malloc of 6 bytes)",
                       take_memory, "mapped, unaligned or tiny"},
    [OPTION_MODE] = {0, "mode", "MODE", "how completions are awaited: poll or event", take_mode,
                     "poll or event"},
    [OPTION_DEVICE] = {0, "device", "NAME",
                       "measure on this ibverbs device (docactl devices, IBDEV)", take_device,
                       "the name of an ibverbs device, as mlx5_0 or docad_1"},
    [OPTION_TASKS] = {0, "tasks", NULL, "by tasks of the DOCA 3 interface", take_tasks, NULL},
    [OPTION_CPU] = {'c', "cpu", "A[,B]", "processor of the measuring thread, of the other one",
                    take_cpu, "one or two numbers of processors, as 2 or 2,3"},
    [OPTION_DURATION] = {'D', "duration", "SECONDS", "for so long, instead of --iters times",
                         take_duration, "a whole number of seconds from 1 to 86400"},
    [OPTION_SERVER] = {0, "server", "HOST[:PORT]",
                       "the other side is `doca-perftest server` on this machine", take_server,
                       "the name or address of a machine, as dpu1, 10.0.0.2:18515 or [fe80::1]"},
    [OPTION_SOCKET] = {0, "socket", "PATH",
                       "of the docad here, with --server ($DOCAD_SOCKET, else "
                       "/run/docad/docad.sock)",
                       take_socket, "the path of a socket"},
    [OPTION_BIND] = {0, "bind", "ADDRESS", "listen on this address only", take_bind,
                     "an address of this machine"},
    [OPTION_PORT] = {0, "port", "PORT", "listen on this TCP port; 0: any (18515)", take_port,
                     "a number from 0 to 65535"},
    [OPTION_ONCE] = {0, "once", NULL, "end after one client", take_once, NULL},
    [OPTION_HOST_SOCKET] = {0, "host-socket", "PATH", "use this docad of the host",
                            take_host_socket, "the path of a socket"},
    [OPTION_DPU_SOCKET] = {0, "dpu-socket", "PATH", "use this docad of the DPU", take_dpu_socket,
                           "the path of a socket"},
    [OPTION_COPIES] = {0, "copies-over", "BYTES",
                       "private docads: larger jobs (of more than 1M) are copied by "
                       "docad's engine, see the CPU columns",
                       take_copies, size_wanted},
    [OPTION_SESSIONS] = {0, "sessions", "N", "sessions on the full node", take_sessions,
                         "a whole number from 20 to 1000000"},
    [OPTION_EXPORTS] = {0, "exports", "N", "exports on the full node", take_exports,
                        "a whole number from 1 to 10000000"},
    [OPTION_NAMES] = {0, "names", "N", "published names on the full node", take_names,
                      "a whole number up to 10000000"},
    [OPTION_RESTART] = {0, "restart", "COMMAND",
                        "a shell command that restarts the host's docad, to be "
                        "measured, too",
                        take_restart, "a command"},
    [OPTION_FILL] = {0, "fill", "PERCENT",
                     "how much of docad's default limits a flood uses that holds many objects",
                     take_fill, "a whole number from 1 to 100"},
    [OPTION_QUICK] = {'q', "quick", NULL, "fewer rounds and less memory, coarser figures",
                      take_quick, NULL},
    [OPTION_ROWS] = {'r', "rows", "TEXT",
                     "only rows with the text in their names; | is between texts", take_rows,
                     "a part of a row's name, as 4 KiB"},
    [OPTION_PROCESSES] = {0, "processes", "N",
                          "processes that measure a row, one after the other (5; 2 with --quick)",
                          take_processes, "a whole number from 1 to 64"},
    [OPTION_ALL] = {'a', "all", NULL, "all sizes from 2 to 8M, in powers of two", take_all, NULL},
    [OPTION_CSV] = {0, "csv", NULL, "print lines of comma-separated values", take_csv, NULL},
    [OPTION_JSON] = {'j', "json", NULL, "print one JSON object", take_json, NULL},
    [OPTION_VERSION] = {'V', "version", NULL, "show the version and end", take_nothing, NULL},
    [OPTION_HELP] = {'h', "help", NULL, "show help, of the command if one is named, and end",
                     take_nothing, NULL},
};

const char *path_name(enum path path)
{
    return path == PATH_IMPORT ? "import" : "local";
}

const char *size_text(uint64_t size)
{
    static char texts[4][32];
    static unsigned next;
    char *text = texts[next++ % 4];
    unsigned unit = 0;
    while (size && size % 1024 == 0 && unit < 3) {
        size /= 1024;
        unit++;
    }
    snprintf(text, sizeof(texts[0]), "%llu%.*s", (unsigned long long)size, unit ? 1 : 0,
             &"KMG"[unit ? unit - 1 : 0]);
    return text;
}

// ---- reading -----------------------------------------------------------------------------

static void make_getopt_tables(char *letters, struct option *longs)
{
    *letters++ = ':'; // we print the error ourselves
    for (int id = 0; id < N_OPTIONS; id++) {
        const struct option_spec *spec = &specs[id];
        longs[id] = (struct option){
            .name = spec->name,
            .has_arg = spec->argument ? required_argument : no_argument,
            .val = LONG_BASE + id,
        };
        if (!spec->letter)
            continue;
        *letters++ = spec->letter;
        if (spec->argument)
            *letters++ = ':';
    }
    *letters = '\0';
    longs[N_OPTIONS] = (struct option){0};
}

static int find_option(int c)
{
    if (c >= LONG_BASE)
        return c - LONG_BASE;
    for (int id = 0; id < N_OPTIONS; id++)
        if (specs[id].letter && specs[id].letter == c)
            return id;
    return -1;
}

static bool take(struct command_line *line, int id, const char *text, struct problem *problem)
{
    const struct option_spec *spec = &specs[id];
    line->help |= id == OPTION_HELP;
    line->version |= id == OPTION_VERSION;
    line->options.given |= UINT64_C(1) << id;
    if (spec->take(&line->options, text))
        return true;
    return problem_set(problem, "--%s takes %s, not '%s'", spec->name, spec->wanted, text);
}

// Prints why getopt_long() refused a word: optopt is the letter, or the option that it found.
static bool no_such_option(const char *word, struct problem *problem)
{
    struct choice choice = {.n = 0};
    char name[CHOICE_WORD_MAX + 1]; // no suggestion is longer

    if (optopt >= LONG_BASE)
        return problem_set(problem, "--%s takes no argument", specs[optopt - LONG_BASE].name);
    if (optopt)
        return problem_set(problem, "there is no option -%c", optopt);
    for (int id = 0; id < N_OPTIONS; id++)
        choice_add_option(&choice, specs[id].name);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    problem_set(problem, "there is no option %s", name);
    choice_suggest(&choice, name, problem->s, sizeof(problem->s));
    return false;
}

bool options_read(struct command_line *line, int argc, char **argv, struct problem *problem)
{
    char letters[2 * N_OPTIONS + 2];
    struct option longs[N_OPTIONS + 1];
    int c;

    *line = (struct command_line){.options.cpu = {-1, -1}};
    make_getopt_tables(letters, longs);
    optind = 1;
    opterr = 0;
    while ((c = getopt_long(argc, argv, letters, longs, NULL)) >= 0) {
        if (c == ':')
            return problem_set(problem, "%s needs %s", argv[optind - 1],
                               specs[find_option(optopt)].wanted);
        if (c == '?')
            return no_such_option(argv[optind - 1], problem);
        if (!take(line, find_option(c), optarg, problem))
            return false;
    }
    if (optind < argc)
        line->command = argv[optind++];
    while (optind < argc) {
        if (line->options.n_files == FILES_MAX)
            return problem_set(problem, "'%s': too many words", argv[optind]);
        line->options.files[line->options.n_files++] = argv[optind++];
    }
    return true;
}

bool options_check(const struct options *options, uint64_t takes, const char *command,
                   struct problem *problem)
{
    for (int id = 0; id < N_OPTIONS; id++)
        if (options->given & ~takes & (UINT64_C(1) << id))
            return problem_set(problem, "%s does not take --%s", command, specs[id].name);
    return true;
}

// ---- help ---------------------------------------------------------------------------------

// " (64K)": what holds if the option is not given.
static void default_text(char *text, size_t size, int id, const struct options *defaults)
{
    text[0] = '\0';
    if (id == OPTION_SIZE)
        snprintf(text, size, " (%s)", size_text(defaults->size));
    else if (id == OPTION_ITERS && defaults->iters)
        snprintf(text, size, " (%llu)", (unsigned long long)defaults->iters);
    else if (id == OPTION_ITERS || id == OPTION_WARMUP)
        snprintf(text, size, " (by size)");
    else if (id == OPTION_SESSIONS)
        snprintf(text, size, " (%llu)", (unsigned long long)defaults->sessions);
    else if (id == OPTION_EXPORTS)
        snprintf(text, size, " (%llu)", (unsigned long long)defaults->exports);
    else if (id == OPTION_NAMES)
        snprintf(text, size, " (%llu)", (unsigned long long)defaults->names);
    else if (id == OPTION_FILL)
        snprintf(text, size, " (%u)", defaults->fill);
    else if (id == OPTION_DEPTH)
        snprintf(text, size, " (%u)", defaults->depth);
    else if (id == OPTION_BATCH)
        snprintf(text, size, " (%u)", defaults->batch);
    else if (id == OPTION_PATH)
        snprintf(text, size, " (%s)", path_name(defaults->path));
    else if (id == OPTION_MEMORY)
        snprintf(text, size, " (%s)", memory_kind_name(defaults->memory));
    else if (id == OPTION_MODE)
        snprintf(text, size, " (%s)", defaults->event ? "event" : "poll");
}

void options_help(uint64_t takes, const struct options *defaults)
{
    for (int id = 0; id < N_OPTIONS; id++) {
        const struct option_spec *spec = &specs[id];
        char left[40], more[40], text[200];
        if (!(takes & (UINT64_C(1) << id)))
            continue;
        snprintf(left, sizeof(left), "%c%c%s --%s%s%s", spec->letter ? '-' : ' ',
                 spec->letter ? spec->letter : ' ', spec->letter ? "," : " ", spec->name,
                 spec->argument ? " " : "", spec->argument ? spec->argument : "");
        default_text(more, sizeof(more), id, defaults);
        snprintf(text, sizeof(text), "%s%s", spec->help, more);
        help_item(stdout, left, 24, text);
    }
}
