// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The daemons whose metrics are served. The name of each is the label `daemon` of its samples.

#ifndef EXPORTER_DAEMONS_H
#define EXPORTER_DAEMONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/un.h>

#define DAEMON_NAME_SIZE 64

struct daemon {
    char name[DAEMON_NAME_SIZE];
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; // of its metrics socket
};

struct daemons {
    struct daemon *of;
    size_t n;
};

// `spec` is NAME=PATH, or PATH: then the name is that of the file, without "-metrics.sock". False
// if one of them is too long or empty, or memory is short.
bool daemons_add(struct daemons *daemons, const char *spec);

// Adds each metrics socket in this directory. A missing directory has none.
bool daemons_find(struct daemons *daemons, const char *directory);

void daemons_fini(struct daemons *daemons);

#endif
