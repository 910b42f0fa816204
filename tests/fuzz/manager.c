// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "manager.h"

#include "cleanup.h"
#include "notify.h"
#include "packet.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int manager = -1;

void manager_start(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[32];

    snprintf(name, sizeof(name), "@docad-fuzz-%d", (int)getpid());
    memcpy(address.sun_path + 1, name + 1, strlen(name) - 1);
    manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (manager < 0 || bind(manager, (struct sockaddr *)&address,
                            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))) < 0)
        abort();
    setenv("NOTIFY_SOCKET", name, 1);
    setenv("FDSTORE", "9", 1);
    notify_init();
}

void manager_drain(void)
{
    char text[256];
    cleanup_fdlist struct fd_list fds = FD_LIST_EMPTY;
    while (manager >= 0 && packet_recv(manager, text, sizeof(text), &fds, MSG_DONTWAIT) >= 0)
        fd_list_close(&fds);
}
