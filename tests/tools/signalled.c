// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// A program for test-traced-run.py: says what signals do with it, or stays in the way that its
// argument names. It needs no docad.
//
//     signalled HOW

#include <doca_error.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGHUP, "HUP"},   {SIGINT, "INT"},   {SIGQUIT, "QUIT"}, {SIGUSR1, "USR1"},
               {SIGUSR2, "USR2"}, {SIGALRM, "ALRM"}, {SIGTERM, "TERM"}, {SIGCHLD, "CHLD"}};
#define COUNT (sizeof(signals) / sizeof(*signals))

// Ends with SIGUSR1.
static int print_signals(void)
{
    sigset_t all;
    int number = 0;
    sigemptyset(&all);
    for (size_t i = 0; i < COUNT; i++)
        sigaddset(&all, signals[i].number);
    sigprocmask(SIG_BLOCK, &all, NULL);
    printf("ready %d\n", (int)getpid());
    fflush(stdout);
    while (number != SIGUSR1 && sigwait(&all, &number) == 0)
        for (size_t i = 0; i < COUNT; i++)
            if (signals[i].number == number) {
                puts(signals[i].name);
                fflush(stdout);
            }
    return 0;
}

static int print_ignored(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        struct sigaction action;
        sigaction(signals[i].number, NULL, &action);
        if (action.sa_handler == SIG_IGN)
            puts(signals[i].name);
    }
    return 0;
}

// Two lines of a trace for each, because calls with the same arguments are merged.
static void call(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        (void)doca_error_get_name(DOCA_ERROR_FULL);
        (void)doca_error_get_name(DOCA_ERROR_EMPTY);
    }
}

static _Noreturn void stay(void)
{
    signal(SIGTERM, SIG_IGN);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "signals") == 0)
        return print_signals();
    if (strcmp(how, "ignored") == 0)
        return print_ignored();
    call(strcmp(how, "many") == 0 ? 500 : 1);
    if (strcmp(how, "many") == 0)
        _exit(3); // without waiting for the writer
    if (strcmp(how, "stay") == 0 || (strcmp(how, "child") == 0 && fork() == 0))
        stay();
    return 0;
}
