// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The process on the other side of an import: it allocates memory, fills it with the
// pattern and exports it, until its connection is closed.

#ifndef PERFTEST_EXPORTER_H
#define PERFTEST_EXPORTER_H

#include "memory.h"
#include "problem.h"
#include "remote.h"

#include <doca_docad.h>

#define EXPORT_NAME_SIZE 48

struct export_request {
    enum memory_kind kind;
    uint64_t size;
};

struct export_reply {
    bool ok;
    struct problem problem;
    uint64_t address;
    char name[EXPORT_NAME_SIZE]; // the name of the published descriptor
};

// Runs the exporting process: returns its exit status.
int exporter_serve(int channel);

// The same for a client on another machine, whose request was received.
int exporter_serve_remote(int channel, const struct remote_request *request);

// Called by the measuring process: requests memory.
bool exporter_ask(int channel, enum memory_kind kind, uint64_t size, struct export_reply *reply,
                  struct problem *problem);

#endif
