// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "options.h"

#include "card.h"
#include "fail.h"
#include "number.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRACE_S     5
#define LIMIT_S     10
#define SECONDS_MAX 86400
#define ANY         "any" // of --card

static void usage(FILE *out)
{
    fputs(
        "Usage: " NAME " [OPTION]... PROGRAM [ARGUMENT]...\n"
        "       " NAME " --pair [OPTION]... -- HOST_PROGRAM ... -- DPU_PROGRAM ...\n"
        "       " NAME " --host-only|--dpu-only [OPTION]... PROGRAM [ARGUMENT]...\n"
        "       " NAME " --check [OPTION]... PROGRAM\n"
        "\n"
        "Starts a program that was built with the vendor's SDK, with the libraries of docad that\n"
        "fit it; or a program of the host and one of the DPU, on two nodes of their own.\n"
        "\n"
        "  --check                  say what the program needs and what is missing; start nothing\n"
        "  --host                   let it be a program of the host: /run/docad/host.sock\n"
        "  --dpu                    let it be a program of the DPU: /run/docad/dpu.sock\n"
        "  --socket PATH            let it talk to this docad\n"
        "  --card CARD[,KEY=VALUE]...\n"
        "                           let its devices imitate this card: docad-cards(7)\n"
        "  --card any               with --check=rules: compare it with the limits of all cards\n"
        "  --reorder SEED           and execute tasks of different contexts in another order\n"
        "  --generation GENERATION  do not look which one it is\n"
        "  --libraries DIRECTORY    the directory that has sdk-<generation>\n" TRACED_USAGE
        "  --limit SECONDS          a run of that which takes longer hangs (default: 10)\n"
        "  --quiet                  say nothing unless something is wrong\n"
        "\n"
        "Two nodes of their own, linked:\n"
        "  --pair                   start a program of the host and one of the DPU, mark their\n"
        "                           output, and end with the worse of their statuses\n"
        "  --host-only, --dpu-only  start one program\n"
        "  --first host|dpu         start this program before the other one\n"
        "  --ready TEXT             and the other one when it prints this (default: any line)\n"
        "  --until host|dpu         end the other program when this one ends\n"
        "  --grace SECONDS          from SIGTERM to SIGKILL (default: 5)\n"
        "\n"
        "  --help                   print this\n"
        "  --version                print the version\n",
        out);
}

static void check_card(const char *name)
{
    struct card card;
    char why[CARD_WHY_SIZE];

    if (!card_find(name, &card, why))
        fail(2, "--card %s: %s", name, why);
}

// `any` is not a card to imitate: rules compare a program with all of them. A card
// that the environment or docad.conf(5) names is not imitated, either.
static void read_card(const char *name, struct options *options)
{
    bool is_any = strcmp(name, ANY) == 0;
    options->traced.card = name;
    options->card = is_any ? CARD_SOFTWARE : name;
    if (!is_any)
        check_card(name);
}

// Adds the seed to the card that the program gets in any case.
static const char *add_seed(const char *card, const char *seed)
{
    static char with[CARD_SPEC_SIZE];
    char why[CARD_WHY_SIZE];
    const char *before = card ? card : getenv("DOCAD_CARD");
    uint64_t number;

    if (!number_read(seed, 10, UINT64_MAX - 1, &number) || number == 0)
        fail(2, "--reorder takes a number from 1 on, and not '%s'", seed);
    if (!card_add_value(before && *before ? before : NULL, CARD_REORDER, seed, with, why))
        fail(2, "%s %s: %s", card ? "--card" : "DOCAD_CARD", before, why);
    if (!card)
        check_card(with);
    return with;
}

static enum pair_side read_side(const char *option, const char *side)
{
    if (strcmp(side, "host") != 0 && strcmp(side, "dpu") != 0)
        fail(2, "--%s takes host or dpu, and not '%s'", option, side);
    return side[0] == 'h' ? PAIR_HOST : PAIR_DPU;
}

static void read_nodes(char nodes, struct options *options)
{
    if (options->nodes && options->nodes != nodes)
        fail(2, "only one of --pair, --host-only and --dpu-only is possible");
    options->nodes = nodes;
}

static unsigned read_seconds(const char *option, const char *value)
{
    char *end;
    unsigned long seconds = strtoul(value, &end, 10);
    if (*end || end == value || value[0] == '-' || seconds > SECONDS_MAX)
        fail(2, "--%s takes a number of seconds, up to %d, and not '%s'", option, SECONDS_MAX,
             value);
    return (unsigned)seconds;
}

// Returns whether the option is one of those for private nodes.
static bool read_pair_option(int letter, const char *value, struct options *options)
{
    switch (letter) {
    case 'P':
        read_nodes('p', options);
        return true;
    case '1':
        read_nodes('h', options);
        return true;
    case '2':
        read_nodes('d', options);
        return true;
    case 'f':
        options->first = read_side("first", value);
        return true;
    case 'u':
        options->until = read_side("until", value);
        return true;
    case 'r':
        options->ready = value;
        return true;
    case 'G':
        options->grace_s = read_seconds("grace", value);
        options->has_grace = true;
        return true;
    case 'L':
        options->limit_s = read_seconds("limit", value);
        options->has_limit = true;
        return true;
    default:
        return false;
    }
}

static void check_options(const struct options *options)
{
    bool of_two = options->first != PAIR_NONE || options->until != PAIR_NONE || options->ready;
    if (options->nodes && options->socket)
        fail(2, "--pair, --host-only and --dpu-only have nodes of their own: --host, --dpu and"
                " --socket name others");
    if (of_two && options->nodes != 'p')
        fail(2, "--first, --ready and --until are for --pair");
    if (options->ready && options->first == PAIR_NONE)
        fail(2, "--ready needs --first");
    if (options->has_grace && !options->nodes)
        fail(2, "--grace is for --pair, --host-only and --dpu-only");
    if (options->traced.report && (options->traced.sweep || options->traced.named))
        fail(2, "--report has a trace and a summary of its own: leave out --trace, --summary and"
                " --faults sweep");
    if (options->traced.card && strcmp(options->traced.card, ANY) == 0 && !options->traced.check)
        fail(2, "--card any is for --check=rules and --check=fatal");
    if (options->has_polls && !options->traced.check)
        fail(2, "--check-polls is for --check=rules and --check=fatal");
    if (options->traced.sweep && options->check)
        fail(2, "--check starts nothing, and --faults sweep starts the program again and again");
    if (options->traced.has_faults && options->traced.node_faults && !options->nodes)
        fail(2,
             "'%s' is for docad: write it into faults of docad.conf(5), or start nodes with"
             " --pair, --host-only or --dpu-only",
             options->traced.node_faults);
    if (options->has_limit && !options->traced.sweep)
        fail(2, "--limit is for --faults sweep");
}

void options_read(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {
        {"pair", no_argument, NULL, 'P'},
        {"host-only", no_argument, NULL, '1'},
        {"dpu-only", no_argument, NULL, '2'},
        {"first", required_argument, NULL, 'f'},
        {"until", required_argument, NULL, 'u'},
        {"ready", required_argument, NULL, 'r'},
        {"grace", required_argument, NULL, 'G'},
        {"limit", required_argument, NULL, 'L'},
        {"check", optional_argument, NULL, 'c'},
        {"host", no_argument, NULL, 'H'},
        {"dpu", no_argument, NULL, 'D'},
        {"socket", required_argument, NULL, 's'},
        {"card", required_argument, NULL, 'C'},
        {"reorder", required_argument, NULL, 'O'},
        {"generation", required_argument, NULL, 'g'},
        {"libraries", required_argument, NULL, 'l'},
        {"quiet", no_argument, NULL, 'q'},
        TRACED_OPTIONS,
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {0},
    };
    const char *seed = NULL;
    int letter;
    *options = (struct options){
        .first = PAIR_NONE, .until = PAIR_NONE, .grace_s = GRACE_S, .limit_s = LIMIT_S};
    traced_init(&options->traced);
    while ((letter = getopt_long(argc, argv, "+hV", known, NULL)) != -1) {
        switch (letter) {
        case 'c': // with a value it selects how to check the program while it runs
            options->check = !optarg;
            if (optarg && !traced_option(&options->traced, TRACED_CHECK, optarg))
                fail(2, "--check=%s: there are --check, --check=rules and --check=fatal", optarg);
            break;
        case 'H':
            options->socket = "/run/docad/host.sock";
            break;
        case 'D':
            options->socket = "/run/docad/dpu.sock";
            break;
        case 's':
            options->socket = optarg;
            break;
        case 'C':
            read_card(optarg, options);
            break;
        case 'O':
            seed = optarg;
            break;
        case 'g':
            options->generation = optarg;
            break;
        case 'l':
            options->directory = optarg;
            break;
        case 'q':
            options->quiet = true;
            break;
        case 'h':
            usage(stdout);
            exit(0);
        case 'V':
            puts(NAME " " DOCAD_VERSION);
            exit(0);
        default:
            options->has_polls |= letter == TRACED_POLLS;
            if (read_pair_option(letter, optarg, options) ||
                traced_option(&options->traced, letter, optarg))
                break;
            if (letter == TRACED_FORMAT)
                fail(2, "--trace-format takes text or json, and not '%s'", optarg);
            if (letter == TRACED_POLLS)
                fail(2, "--check-polls takes a number of polls, and not '%s'", optarg);
            fputs(NAME " --help tells more\n", stderr);
            exit(2);
        }
    }
    check_options(options);
    if (seed)
        options->card = add_seed(options->card, seed);
    if (optind == argc)
        fail(2, "which program? " NAME " --help tells more");
    options->arguments = optind;
}
