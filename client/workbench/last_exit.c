// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "last_exit.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#define FUNCTIONS_MAX 2

static void (*functions[FUNCTIONS_MAX])(int status);
static unsigned count;
static bool is_registered;

static void call_all(int status, void *of)
{
    (void)of;
    for (unsigned i = 0; i < count; i++)
        functions[i](status);
}

void last_exit_add(void (*function)(int status))
{
    int (*on_exit_function)(void (*)(int, void *), void *) =
        (int (*)(void (*)(int, void *), void *))dlsym(RTLD_DEFAULT, "on_exit");
    if (count == 0)
        is_registered = on_exit_function && on_exit_function(call_all, NULL) == 0;
    if (count < FUNCTIONS_MAX)
        functions[count++] = function;
}

__attribute__((destructor)) static void end(void)
{
    if (!is_registered)
        call_all(0, NULL);
}
