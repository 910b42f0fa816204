// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The descriptors through which a client shares its memory: its own /proc/self/mem, and
// memory files. Both come from outside and are checked before they are used.

#ifndef DAEMON_MEMORY_FILE_H
#define DAEMON_MEMORY_FILE_H

#include "errtext.h"
#include "fdstore.h"
#include "limit.h"
#include "shared_fd.h"
#include "user.h"

// A client's memory, shared by the regions that were registered with it.
struct process_memory {
    struct shared_fd *file; // engines use it as long as they have grants of it
    unsigned references;
    struct user *user;
    uint64_t id;
    struct stored stored;
};

// Checks that `fd` is /proc/<number>/mem, opened for reading and writing; otherwise
// DOCA_ERROR_INVALID_VALUE. Any other file could block docad, or not be a process's memory at all.
// The check does not call into the file's file system before it is certain that this can only be
// procfs. The procfs may be the client's own, in a container.
doca_error_t process_memory_check(int fd, struct errtext *err);

// Takes over `fd` on success.
doca_error_t process_memory_new(struct process_memory **out, int fd, const struct limits *limits,
                                struct user *user, struct errtext *err);
// The same for a file that was checked and charged to the user before. Returns NULL if memory ran
// out.
struct process_memory *process_memory_of(int fd, struct user *user);
struct process_memory *process_memory_ref(struct process_memory *memory);
struct process_memory *process_memory_unref(struct process_memory *memory); // NULL: no-op

// Checks that `fd` is a memory file that fits the region: `size` bytes, sealed, writable if
// others may write, and protected from writing if they may only read. `read_only` (-1:
// none) must be the same file. Otherwise DOCA_ERROR_INVALID_VALUE.
doca_error_t memory_file_check(int fd, int read_only, uint64_t size, uint32_t access,
                               struct errtext *err);

#endif
