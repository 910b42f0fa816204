// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "keyboard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static struct termios as_it_was;
static bool is_open;

static void on_signal(int number)
{
    keyboard_close();
    signal(number, SIG_DFL);
    raise(number);
}

void keyboard_open(void)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
        tcgetattr(STDIN_FILENO, &as_it_was) < 0)
        return;
    struct termios unseen = as_it_was;
    unseen.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    unseen.c_cc[VMIN] = 1;
    unseen.c_cc[VTIME] = 0;
    is_open = true;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    signal(SIGHUP, on_signal);
    tcsetattr(STDIN_FILENO, TCSANOW, &unseen);
}

void keyboard_close(void)
{
    if (is_open)
        tcsetattr(STDIN_FILENO, TCSANOW, &as_it_was);
    is_open = false;
}

int keyboard_wait(uint32_t ms)
{
    struct pollfd p = {.fd = is_open ? STDIN_FILENO : -1, .events = POLLIN};
    char key;

    int n = poll(&p, 1, (int)ms);
    return n == 1 && read(STDIN_FILENO, &key, 1) == 1 ? key : 0;
}
