// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// doca-perftest measures how fast the library is, with the options and tables of perftest and
// ucx_perftest. It uses the public interface only.

#include "clock.h"
#include "commands.h"
#include "help.h"
#include "report.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SWEEP_FROM  2u
#define SWEEP_TO    (8u << 20)
#define SWEEP_BYTES (1ull << 30)

enum exit_status {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
};

static const char clock_help[] =
    "Time is taken with the processor's counter (rdtscp) where it is invariant, calibrated against "
    "CLOCK_MONOTONIC, otherwise with CLOCK_MONOTONIC. Latencies of single jobs have the cost of "
    "reading the clock, measured at the start, subtracted; rates are of whole loops, in which it "
    "does not count. CPU columns are of the measuring process and of its docad.\n"
    "Every run ends with a check of the bytes: a wrong copy is a failure.";

static const char daemon_help[] =
    "Without --host-socket (and --dpu-socket for --path import) private docad processes are "
    "started "
    "and stopped at the end: $DOCAD_BINARY, else docad next to this program, else in PATH.";

static void print_overview(void)
{
    printf("Usage: doca-perftest COMMAND [OPTION]...\n\nCommands:\n");
    for (size_t i = 0; i < n_commands; i++)
        help_item(stdout, commands[i].name, 10, commands[i].summary);
    printf("\n'doca-perftest COMMAND --help' shows a command's options. Common ones:\n");
    options_help(TAKES(CPU) | TAKES(JSON) | TAKES(VERSION) | TAKES(HELP), &commands[0].defaults);
    printf("\n");
    help_text(stdout, daemon_help);
    printf("\n");
    help_text(stdout, clock_help);
    printf("\n");
    help_text(stdout, "Exit status: 0 if the run was done (whatever it measured), 1 if it failed, "
                      "2 for a wrong command line, 128 + n after signal n.");
    printf("\nExamples:\n"
           "  doca-perftest dma_bw --size 64K\n"
           "  doca-perftest dma_bw --all --json >here.json\n"
           "  doca-perftest plot before.json here.json >both.svg\n"
           "  doca-perftest dma_lat --path import --memory tiny --mode event\n"
           "  doca-perftest compare --quick --json\n"
           "  doca-perftest server                        (on the machine dpu1)\n"
           "  doca-perftest write_bw --server dpu1 --duration 10\n");
}

static void print_help(const struct command *command)
{
    char summary[160];
    snprintf(summary, sizeof(summary), "%s: %s.", command->name, command->summary);
    printf("Usage: doca-perftest %s [OPTION]...%s\n\n", command->name,
           command->files ? " FILE..." : "");
    help_text(stdout, summary);
    help_text(stdout, command->detail);
    printf("\nOptions:\n");
    options_help(command->takes, &command->defaults);
    if (command->supervise == supervise_compare)
        compare_help();
    if (command->supervise == supervise_attack)
        attack_help();
    if (command->nodes) {
        printf("\n");
        help_text(stdout, daemon_help);
    }
    if (!command->files) {
        printf("\n");
        help_text(stdout, clock_help);
    }
}

// ---- options ----------------------------------------------------------------------------------

// Options that are not given have the command's defaults.
static void take_defaults(struct options *options, const struct options *defaults)
{
    uint64_t given = options->given;
    if (!(given & TAKES(SIZE)))
        options->size = defaults->size;
    if (!(given & TAKES(ITERS)))
        options->iters = defaults->iters;
    if (!(given & TAKES(WARMUP)))
        options->warmup = defaults->warmup;
    if (!(given & TAKES(DEPTH)))
        options->depth = defaults->depth;
    if (!(given & TAKES(BATCH)))
        options->batch = defaults->batch;
    if (!(given & TAKES(SESSIONS)))
        options->sessions = defaults->sessions;
    if (!(given & TAKES(EXPORTS)))
        options->exports = defaults->exports;
    if (!(given & TAKES(NAMES)))
        options->names = defaults->names;
    if (!(given & TAKES(FILL)))
        options->fill = defaults->fill;
    if (!(given & TAKES(MODE)))
        options->event = defaults->event;
}

// With a server the nodes run already, on both machines: the one here is the client's.
static bool choose_nodes(const struct command *command, struct options *options,
                         struct problem *problem)
{
    if (!options->server)
        return !options->socket || command->supervise ||
               problem_set(problem, "--socket goes with --server; here use --host-socket");
    if (options->given & (TAKES(HOST_SOCKET) | TAKES(DPU_SOCKET) | TAKES(COPIES)))
        return problem_set(problem, "--server uses the docad that --socket or DOCAD_SOCKET names: "
                                    "leave out --host-socket, --dpu-socket and --copies-over");
    if (options->given & TAKES(PATH) && options->path == PATH_LOCAL)
        return problem_set(problem, "--path local needs no --server");
    if (command->takes & TAKES(PATH))
        options->path = PATH_IMPORT;
    return true;
}

static bool prepare(const struct command *command, struct options *options, struct problem *problem)
{
    if (!options_check(options, command->takes, command->name, problem))
        return false;
    if (options->n_files > command->files)
        return problem_set(problem,
                           command->files ? "'%s': too many files" : "'%s': one command at a time",
                           options->files[command->files]);
    take_defaults(options, &command->defaults);
    if (!choose_nodes(command, options, problem))
        return false;
    bool import = options->path == PATH_IMPORT || command->nodes & (1u << NODE_DPU);
    if (import && !options->server && !options->host_socket != !options->dpu_socket)
        return problem_set(problem, "an import needs both --host-socket and --dpu-socket, or none");
    if (options->all && options->given & TAKES(SIZE))
        return problem_set(problem, "--all takes all sizes: leave out --size");
    if (options->seconds && options->given & TAKES(ITERS))
        return problem_set(problem, "--iters or --duration, not both");
    if (options->json && options->csv)
        return problem_set(problem, "--json or --csv, not both");
    if (options->all)
        return true; // each size is checked before its run
    return !command->check || command->check(options, problem);
}

// ---- one run -----------------------------------------------------------------------------------

// The local path runs on the daemon that was named; commands that need both run on the DPU's.
static bool run_once(struct supervisor *sup, struct report *report, const struct options *options,
                     struct problem *problem)
{
    const struct command *command = report->command;
    bool import = options->path == PATH_IMPORT;
    enum node node = NODE_HOST;
    unsigned nodes = command->nodes;
    bool both = import || nodes & (1u << NODE_DPU);
    if (both)
        nodes = (1u << NODE_HOST) | (1u << NODE_DPU);
    if (both || (!options->host_socket && options->dpu_socket))
        node = NODE_DPU;
    if (!both && nodes)
        nodes = 1u << node;
    if (options->server) {
        import = false; // the server exports
        nodes = 0;
        if (options->socket)
            setenv("DOCAD_SOCKET", options->socket, 1);
    }
    if (!supervisor_need(sup, nodes, problem))
        return false;

    struct result *result = result_share();
    if (!result)
        return problem_set(problem, "out of memory");
    struct run run = {.options = options, .result = result};
    bool ok = supervisor_run(sup, node, import, command->run, &run);
    if (!ok)
        *problem = result->problem;
    else if (!report_run(report, options, result))
        ok = problem_set(problem, "cannot write the result");
    result_unshare(result);
    return ok;
}

// A run of each power of two that the command takes. How often, if that is not given, is chosen so
// that a run moves no more than SWEEP_BYTES.
static bool run_sizes(struct supervisor *sup, struct report *report, const struct options *options,
                      struct problem *problem)
{
    const struct command *command = report->command;
    for (uint64_t size = SWEEP_FROM; size <= SWEEP_TO; size *= 2) {
        struct options one = *options;
        struct problem too_large;
        one.size = size;
        one.given |= TAKES(SIZE);
        if (!(one.given & TAKES(ITERS))) {
            uint64_t most = SWEEP_BYTES / size;
            one.iters = command->defaults.iters < most ? command->defaults.iters : most;
        }
        if (!(one.given & TAKES(WARMUP)) && one.iters < command->defaults.iters)
            one.warmup = one.iters / 10 + 1;
        if (command->check && !command->check(&one, &too_large))
            break;
        if (!run_once(sup, report, &one, problem))
            return false;
    }
    return true;
}

static bool run_and_report(struct supervisor *sup, const struct command *command,
                           const struct options *options, struct problem *problem)
{
    struct report report;
    report_begin(&report, command, options);
    bool ok = options->all ? run_sizes(sup, &report, options, problem)
                           : run_once(sup, &report, options, problem);
    if (!report_end(&report) && ok)
        return problem_set(problem, "cannot write the result");
    return ok;
}

static int run_command(const struct command *command, const struct options *options)
{
    struct supervisor sup;
    struct problem problem = {0};

    clock_open();
    bool ok = supervisor_open(&sup, options, &problem);
    if (ok && command->supervise)
        ok = command->supervise(&sup, options, &problem);
    else if (ok)
        ok = run_and_report(&sup, command, options, &problem);
    supervisor_close(&sup);
    if (sup.caught) { // end as the sender of the signal expects
        signal(sup.caught, SIG_DFL);
        raise(sup.caught);
    }
    if (!ok)
        fprintf(stderr, "doca-perftest: %s: %s\n", command->name, problem.s);
    return ok ? EXIT_DONE : EXIT_FAILED;
}

static int usage(const char *command, const char *text)
{
    fprintf(stderr, "doca-perftest: %s (see doca-perftest%s%s --help)\n", text, command ? " " : "",
            command ? command : "");
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct command_line line;
    struct problem problem;

    if (!options_read(&line, argc, argv, &problem))
        return usage(NULL, problem.s);
    const struct command *command = line.command ? command_find(line.command) : NULL;
    if (line.command && !command) {
        command_unknown(line.command, &problem);
        return usage(NULL, problem.s);
    }
    if (line.version) {
        printf("doca-perftest %s\n", DOCAD_VERSION);
        return EXIT_DONE;
    }
    if (line.help) {
        if (command)
            print_help(command);
        else
            print_overview();
        return EXIT_DONE;
    }
    if (!command)
        return usage(NULL, "which command?");
    if (!prepare(command, &line.options, &problem))
        return usage(command->name, problem.s);
    return run_command(command, &line.options);
}
