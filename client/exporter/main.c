// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// docad-exporter: serves the metrics of the daemons of this machine to Prometheus. docad itself has
// no HTTP server: untrusted input is read here, by a process without rights.

#include "http.h"
#include "listen.h"
#include "number.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTEN_MAX 8
#define TIMEOUT_MS 5000u // Prometheus waits for 10 s
#define DIRECTORY  "/run/docad"
#define ADDRESS    "127.0.0.1:9820"

struct settings {
    struct http_settings http;
    int fds[LISTEN_MAX];
    int n_fds;
};

enum { OPT_TIMEOUT = 256 };

static const struct argp_option options[] = {
    {"listen", 'l', "ADDRESS", 0,
     "Listen on HOST:PORT, [IPv6]:PORT, :PORT or unix:PATH; may be given several times. Without "
     "it: on the sockets of the service manager, else on " ADDRESS,
     0},
    {"daemon", 'd', "[NAME=]PATH", 0,
     "Serve the daemon with this metrics socket; may be given several times. Without it: all that "
     "have one in --directory",
     0},
    {"directory", 'D', "PATH", 0, "Where metrics sockets are looked for [" DIRECTORY "]", 0},
    {"timeout", OPT_TIMEOUT, "MS", 0, "How long a scrape waits for all daemons together [5000]", 0},
    {0},
};

static void add_listener(struct settings *s, const char *address, struct argp_state *state)
{
    if (s->n_fds == LISTEN_MAX)
        argp_failure(state, 2, 0, "too many --listen: %d at most", LISTEN_MAX);
    s->fds[s->n_fds] = listen_on(address);
    if (s->fds[s->n_fds++] < 0)
        exit(1);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct settings *s = state->input;
    uint64_t value;

    switch (key) {
    case 'l':
        add_listener(s, arg, state);
        return 0;
    case 'd':
        if (!daemons_add(&s->http.daemons, arg))
            argp_failure(state, 2, 0, "--daemon %s: name or path is empty, or too long", arg);
        return 0;
    case 'D':
        s->http.directory = arg;
        return 0;
    case OPT_TIMEOUT:
        if (!number_read(arg, 10, 3600000, &value) || !value)
            argp_failure(state, 2, 0, "--timeout %s: from 1 to 3600000 ms", arg);
        s->http.timeout_ms = (unsigned)value;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "no argument is expected: %s", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void wait_for_end(void)
{
    sigset_t ends;
    int number;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigwait(&ends, &number);
}

// Before any thread exists: they all inherit it.
static void block_ends(void)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
}

const char *argp_program_version = "docad-exporter " DOCAD_VERSION;

int main(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, NULL, "Serves the metrics of docad over HTTP, for Prometheus.",
        NULL,    NULL,  NULL};
    struct settings s = {.http = {.directory = DIRECTORY, .timeout_ms = TIMEOUT_MS}};
    struct http *servers[LISTEN_MAX] = {0};

    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &s);
    block_ends();
    if (!s.n_fds)
        s.n_fds = listen_inherited(s.fds, LISTEN_MAX);
    if (s.n_fds < 0)
        return 1;
    if (!s.n_fds && (s.fds[s.n_fds++] = listen_on(ADDRESS)) < 0)
        return 1;
    for (int i = 0; i < s.n_fds; i++) {
        servers[i] = http_start(&s.http, s.fds[i]);
        if (!servers[i]) {
            fprintf(stderr, "docad-exporter: cannot serve: %s\n", strerror(errno));
            return 1;
        }
    }
    wait_for_end();
    for (int i = 0; i < s.n_fds; i++)
        http_stop(servers[i]);
    daemons_fini(&s.http.daemons);
    return 0;
}
