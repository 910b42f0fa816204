// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "socket_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SYSTEM_SOCKET "/run/docad/docad.sock"
#define USER_SOCKET   "docad/docad.sock"

static bool fill(char path[SOCKET_PATH_MAX], const char *dir, const char *name)
{
    int n = snprintf(path, SOCKET_PATH_MAX, "%s%s%s", dir ? dir : "", dir ? "/" : "", name);
    return n > 0 && (size_t)n < SOCKET_PATH_MAX;
}

bool socket_path_for_client(char path[SOCKET_PATH_MAX])
{
    const char *named = getenv("DOCAD_SOCKET");
    if (named && *named)
        return fill(path, NULL, named);
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (access(SYSTEM_SOCKET, F_OK) == 0 || !runtime || !*runtime)
        return fill(path, NULL, SYSTEM_SOCKET);
    return fill(path, runtime, USER_SOCKET);
}

bool socket_path_for_daemon(char path[SOCKET_PATH_MAX])
{
    if (geteuid() == 0)
        return fill(path, NULL, SYSTEM_SOCKET);
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    return runtime && *runtime && fill(path, runtime, USER_SOCKET);
}
