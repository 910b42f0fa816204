// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Descriptors through which a client gives its memory: its own /proc/self/mem, and memory
// files. Both come from outside and are checked before anything is done with them.

#ifndef DAEMON_MEMORY_FILE_H
#define DAEMON_MEMORY_FILE_H

#include "errtext.h"
#include "keep.h"
#include "limit.h"
#include "user.h"

// A client's memory, shared by the regions that were registered with it.
struct process_memory {
    int fd;
    unsigned references;
    struct user *user;
    uint64_t id;
    struct kept kept;
};

// Is it /proc/<number>/mem, opened for reading and writing? Anything else could block
// docad, or be a file that is none of a process's memory. DOCA_ERROR_INVALID_VALUE. The
// check asks nothing of the file's file system before it knows that it can only be procfs,
// which may be one of the client's own, in a container.
doca_error_t process_memory_check(int fd, struct errtext *err);

// Takes `fd` over on success.
doca_error_t process_memory_new(struct process_memory **out, int fd, const struct limits *limits,
                                struct user *user, struct errtext *err);
struct process_memory *process_memory_ref(struct process_memory *memory);
struct process_memory *process_memory_unref(struct process_memory *memory); // NULL: no-op

// Is `fd` a memory file that fits the region: `size` bytes, sealed, writable if others may
// write, and closed to them if they may only read? `read_only` (-1: none) must be the same
// file. DOCA_ERROR_INVALID_VALUE.
doca_error_t memory_file_check(int fd, int read_only, uint64_t size, uint32_t access,
                               struct errtext *err);

#endif
