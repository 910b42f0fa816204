// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Sessions without the library, which has one for each process: the requests of programs to docad,
// made directly, so that one process can have ten thousand sessions.

#ifndef PERFTEST_SCALE_LINK_H
#define PERFTEST_SCALE_LINK_H

#include "call.h"
#include "problem.h"

#include <stddef.h>

struct link {
    struct call_line line;
    uint64_t id;
    bool has_memory; // docad has the memory of this process
};

struct descriptor {
    uint8_t data[256];
    size_t size;
};

enum backing {
    BACKING_BROKERED, // bytes that docad's engine moves
    BACKING_MAPPED,   // a page of a memory file, which others may only read
};

// Each returns false with a text if it failed.
bool link_open(struct link *link, const char *socket, bool tool, struct problem *problem);
void link_close(struct link *link);
bool link_register(struct link *link, enum backing backing, uint64_t *region,
                   struct problem *problem);
bool link_unregister(struct link *link, uint64_t region, struct problem *problem);
bool link_export(struct link *link, uint64_t region, struct descriptor *out,
                 struct problem *problem);
bool link_publish(struct link *link, const char *name, const struct descriptor *descriptor,
                  struct problem *problem);
bool link_unpublish(struct link *link, const char *name, struct problem *problem);
bool link_look_up(struct link *link, const char *name, struct problem *problem);
bool link_import(struct link *link, const struct descriptor *descriptor, uint64_t *import,
                 struct problem *problem);
bool link_release(struct link *link, uint64_t import, struct problem *problem);
bool link_metrics(struct link *link, struct problem *problem);
// Walks the list of exports; *n is how many there are.
bool link_list(struct link *link, uint64_t *n, struct problem *problem);
// The number of exports and names of the node.
bool link_count(struct link *link, uint64_t *exports, uint64_t *names, struct problem *problem);

#endif
